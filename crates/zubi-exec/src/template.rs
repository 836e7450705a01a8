//! Templates of declared tools: texts with placeholders, whose values cannot change the meaning of the text.
//!
//! This module defines the syntax of placeholders, their valid positions in each kind of text ([`Escaping`]) and the
//! escaping of values. It does not read files or decide about permissions.
//!
//! # Placeholders
//!
//! | written | value |
//! |---|---|
//! | `$name`, `${arg:name}` | an argument of the call |
//! | `${NAME}` | a variable of the tool file |
//! | `${env:NAME}` | a value of the setting `zubi.env`, or a declared secret; never the process' environment |
//! | `${workspaceFolder}` | the workspace folder's absolute path |
//! | `$$` | a dollar |
//!
//! A template is parsed once, when its file is loaded. Rendering is one pass that never parses a value, so a value that
//! contains `$name` is not changed.
//!
//! Undeclared names are errors in `${NAME}`, `${arg:x}` and `${env:X}`. An undeclared `$x` is not changed: in a shell
//! script it is the shell's own variable (`$HOME`, `$1`), elsewhere there is a warning. In a script `\$`, `${x:-y}`,
//! `${#x}` and similar forms are the shell's; write its `${HOME}` as `$${HOME}` or `$HOME`.
//!
//! # Values
//!
//! A string is inserted unchanged; numbers, booleans and objects as JSON. An array becomes several words of a shell
//! script or of arguments, or several `key=value` pairs of a query, if its placeholder is alone; elsewhere it is
//! refused. `null` is the same as a missing argument.
//!
//! A missing required argument is an error, never empty text. A missing optional one is:
//!
//! - as a whole word of a script or of arguments: omitted;
//! - a part of a word, text between double quotes, or the operand of a redirection or an assignment: the empty text;
//! - `key=$value` in a query or a form: the pair is omitted;
//! - as a whole header or text: [`RenderedText::absent`] is set, so that the caller can omit it;
//! - a whole value of JSON: `null`; a part of a JSON string: the empty text;
//! - a segment of a URL's path: refused when the file is loaded, because the URL would name another resource.
//!
//! # Secrets
//!
//! Values of `${env:…}` are secret: [`RenderedText::secrets`] lists the used names, and [`RenderedText::redacted`]
//! contains [`REDACTED`] instead of the values.

use std::collections::BTreeSet;

mod json;
mod placeholder;
mod render;
mod scan;
mod shell;
mod url;

#[cfg(test)]
mod tests;

pub use json::text_of as json_text_of;
pub use placeholder::{Argument, ArgumentKind, Escaping, REDACTED, Severity, TemplateNames, TemplateProblem};
pub use render::{MAX_RENDERED, RenderError, RenderedText, Values};

use placeholder::{PlaceholderPosition, PlaceholderSource, TemplatePart, array_problem};
use scan::{ScannedTemplate, TemplateToken};

/// The maximum length of a template, in bytes. A longer program belongs in a file of its own.
pub const MAX_TEMPLATE: usize = 256 * 1024;

/// The shells that [`Escaping::Shell`] supports, by the name of their program.
pub const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "ksh", "mksh"];

/// A text with placeholders, parsed and validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    escaping: Escaping,
    parts: Vec<TemplatePart>,
    /// The used sources in order, including variables that have become literal text.
    sources: Vec<PlaceholderSource>,
    warnings: Vec<TemplateProblem>,
}

impl Template {
    /// Parses a template.
    ///
    /// In a shell script a placeholder is refused if its value could not be quoted, or would be read as code: inside
    /// single quotes, `$(…)`, backquotes, `${…}`, arithmetic, here-documents and comments, in a subscript, in `[[ …
    /// ]]`, in text that `eval`, `sh -c` or similar commands run. An argument is also refused as the name of a command.
    /// The script's further use of a value is up to its author.
    ///
    /// # Errors
    ///
    /// All problems of the text in its order, including warnings, if one of them is an error.
    pub fn parse(text: &str, escaping: Escaping, names: &TemplateNames) -> Result<Self, Vec<TemplateProblem>> {
        if text.len() > MAX_TEMPLATE {
            let message = format!("the text has more than {MAX_TEMPLATE} bytes; put it into a file of its own");
            return Err(vec![TemplateProblem::error(0..text.len(), message)]);
        }
        let mut scanned = scan::scan(text, escaping, names);
        let positions = match escaping {
            Escaping::Shell => shell::resolve_positions(&mut scanned),
            Escaping::Url => url::resolve_positions(&mut scanned),
            Escaping::Form => url::resolve_form_positions(&mut scanned),
            Escaping::Json => json::resolve_positions(&mut scanned),
            Escaping::Header => {
                let is_alone = scanned.symbols.len() == 1;
                same_position(&mut scanned, PlaceholderPosition::Header { is_alone })
            }
            Escaping::Text => same_position(&mut scanned, PlaceholderPosition::Text),
            Escaping::Path => same_position(&mut scanned, PlaceholderPosition::Path),
            Escaping::Code => refuse_all(&mut scanned),
        };
        let mut problems = scanned.problems;
        problems.sort_by_key(|problem| (problem.range.start, problem.range.end));
        problems.dedup();
        if problems.iter().any(|problem| problem.severity == Severity::Error) {
            return Err(problems);
        }
        let parts = combine_parts(&scanned.symbols, &scanned.placeholders, positions);
        Ok(Self {
            escaping,
            parts,
            sources: scanned.placeholders.into_iter().map(|placeholder| placeholder.source).collect(),
            warnings: problems,
        })
    }

    /// Whether the template is exactly one placeholder.
    pub fn is_one_value(&self) -> bool {
        matches!(self.parts.as_slice(), [TemplatePart::Placeholder { .. }])
    }

    /// Whether it contains an argument that may be any text: not a number, and not one of a list that the author has
    /// seen.
    pub fn accepts_any_text(&self) -> bool {
        let kinds = self.sources.iter().filter_map(PlaceholderSource::argument).map(|argument| argument.kind);
        kinds
            .into_iter()
            .any(|kind| !matches!(kind, ArgumentKind::Choice | ArgumentKind::Number | ArgumentKind::Boolean))
    }

    /// Returns warnings about valid but suspicious text.
    pub fn warnings(&self) -> &[TemplateProblem] {
        &self.warnings
    }

    /// The names of the used arguments.
    pub fn arguments(&self) -> BTreeSet<&str> {
        self.names(|source| matches!(source, PlaceholderSource::Argument(..)))
    }

    /// The names of the used variables of the file.
    pub fn variables(&self) -> BTreeSet<&str> {
        self.names(|source| matches!(source, PlaceholderSource::Variable(..)))
    }

    /// The names of the used values of `zubi.env` and secrets.
    pub fn secrets(&self) -> BTreeSet<&str> {
        self.names(|source| matches!(source, PlaceholderSource::Environment(..)))
    }

    fn names(&self, predicate: fn(&PlaceholderSource) -> bool) -> BTreeSet<&str> {
        self.sources.iter().filter(|source| predicate(source)).map(PlaceholderSource::name).collect()
    }
}

/// Returns the same position for each placeholder.
fn same_position(scanned: &mut ScannedTemplate, position: PlaceholderPosition) -> Vec<Option<PlaceholderPosition>> {
    for placeholder in &scanned.placeholders {
        if placeholder.source.is_array() {
            scanned.problems.push(array_problem(&placeholder.source, placeholder.range.clone()));
        }
    }
    vec![Some(position); scanned.placeholders.len()]
}

fn refuse_all(scanned: &mut ScannedTemplate) -> Vec<Option<PlaceholderPosition>> {
    for placeholder in &scanned.placeholders {
        let alternative = match &placeholder.source {
            PlaceholderSource::Argument(name, _) => format!("write `args[{}]`", serde_json::Value::from(name.as_str())),
            _ => "hand it over as an argument".to_owned(),
        };
        let message = format!("{} cannot be pasted into code; {alternative}", placeholder.source.describe());
        scanned.problems.push(TemplateProblem::error(placeholder.range.clone(), message));
    }
    vec![None; scanned.placeholders.len()]
}

/// Combines literal text and placeholders, without the text that a position has absorbed (the key of a pair).
fn combine_parts(
    symbols: &[TemplateToken],
    placeholders: &[scan::Placeholder],
    positions: Vec<Option<PlaceholderPosition>>,
) -> Vec<TemplatePart> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut positions = positions.into_iter();
    for symbol in symbols {
        match *symbol {
            TemplateToken::Char(character, _) => literal.push(character),
            TemplateToken::Placeholder(index) => {
                let (Some(placeholder), Some(Some(position))) = (placeholders.get(index), positions.next()) else {
                    continue;
                };
                if !literal.is_empty() {
                    parts.push(TemplatePart::Literal(std::mem::take(&mut literal)));
                }
                parts.push(TemplatePart::Placeholder { source: placeholder.source.clone(), position });
            }
        }
    }
    if !literal.is_empty() {
        parts.push(TemplatePart::Literal(literal));
    }
    parts
}
