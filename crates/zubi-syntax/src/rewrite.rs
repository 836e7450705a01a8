//! Replacement of matches: a template with the metavariables of a pattern.

use crate::language::SyntaxLanguage;
use crate::pattern::{PatternMatch, PatternVariable};

/// The maximum length of a template in bytes.
const MAX_TEMPLATE_BYTES: usize = 16 * 1024;

/// Code with the metavariables of a pattern, which replaces its matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewriteTemplate {
    parts: Vec<TemplatePart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Variable {
        variable: PatternVariable,
        /// The white space at the begin of its line in the template.
        indentation: String,
    },
}

/// The reason why a template is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The pattern does not capture a metavariable of the template.
    #[error("the pattern does not capture `{variable}`; it captures {known}")]
    Unknown {
        /// The metavariable with its `$`.
        variable: String,
        /// The metavariables of the pattern, or `nothing`.
        known: String,
    },
    /// The template is longer than the maximum.
    #[error("the replacement has more than {MAX_TEMPLATE_BYTES} bytes")]
    TooLarge,
}

impl RewriteTemplate {
    /// Parses a template for the matches of a pattern with these metavariables.
    ///
    /// In PHP and in shell scripts, where variables of the code look like metavariables, those that the pattern does not
    /// capture belong to the code.
    pub fn parse(
        template: &str,
        language: &SyntaxLanguage,
        variables: &[PatternVariable],
    ) -> Result<Self, TemplateError> {
        if template.len() > MAX_TEMPLATE_BYTES {
            return Err(TemplateError::TooLarge);
        }
        let template = template.replace("\r\n", "\n");
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut rest = template.as_str();
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            text.push_str(before);
            let sigils = from.len() - from.trim_start_matches('$').len();
            let (sigil, after) = from.split_at(sigils);
            let length = after.find(|character: char| !is_name(character)).unwrap_or(after.len());
            let (name, after) = after.split_at(length);
            let is_named = name.starts_with(|character: char| !character.is_ascii_digit());
            let variable = PatternVariable { name: name.to_owned(), is_list: sigils == 3 };
            let is_known = variables.contains(&variable) && sigils != 2;
            let is_variable = sigils <= 3 && (is_named || sigils == 3 && name.is_empty());
            if is_variable && is_known {
                let line = text_of_line(&parts, &text);
                let indentation = leading_white_space(&line).to_owned();
                parts.push(TemplatePart::Text(std::mem::take(&mut text)));
                parts.push(TemplatePart::Variable { variable, indentation });
            } else if is_variable && !matches!(language.id, "php" | "shellscript") {
                return Err(TemplateError::Unknown { variable: format!("{sigil}{name}"), known: describe(variables) });
            } else {
                text.push_str(sigil);
                text.push_str(name);
            }
            rest = after;
        }
        text.push_str(rest);
        parts.push(TemplatePart::Text(text));
        Ok(Self { parts })
    }

    /// Returns the replacement of a match in a text.
    ///
    /// Lines after the first have the indentation of the match's line in addition to their own in the template. Lines of a
    /// capture move with its first line, except those that are indented less, such as the lines of a string. The line ends
    /// are those of the text. A separator next to an empty list is omitted, and one
    /// after a list that ends with a comma.
    pub fn render(&self, text: &str, found: &PatternMatch) -> String {
        let base = leading_white_space(line_before(text, found.range.start));
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut rendered = String::new();
        let (mut is_after_empty_list, mut is_after_comma) = (false, false);
        for part in &self.parts {
            match part {
                TemplatePart::Text(code) => {
                    let mut code = code.as_str();
                    if std::mem::take(&mut is_after_empty_list) {
                        code = omit_separator(&mut rendered, code);
                    }
                    if std::mem::take(&mut is_after_comma) {
                        code = code.strip_prefix(',').unwrap_or(code);
                    }
                    push_template_text(&mut rendered, code, base, line_end);
                }
                TemplatePart::Variable { variable, indentation } => {
                    let capture = found.captures.iter().find(|capture| capture.variable == *variable);
                    match capture.and_then(|capture| Some((capture, text.get(capture.range.clone())?))) {
                        Some((capture, code)) => {
                            let before = leading_white_space(line_before(text, capture.range.start));
                            push_moved(&mut rendered, code, before, &format!("{base}{indentation}"));
                            is_after_comma = variable.is_list && code.ends_with(',');
                        }
                        None => is_after_empty_list = variable.is_list,
                    }
                }
            }
        }
        rendered
    }
}

/// Appends a text of a template, and indents its lines after the first.
fn push_template_text(rendered: &mut String, code: &str, base: &str, line_end: &str) {
    let mut lines = code.split('\n');
    rendered.push_str(lines.next().unwrap_or_default());
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        rendered.push_str(line_end);
        // The last line continues with the next part, so that it is not empty if it looks so.
        if !line.is_empty() || lines.peek().is_none() {
            rendered.push_str(base);
        }
        rendered.push_str(line);
    }
}

/// Appends a capture, and moves its lines from one indentation to another.
fn push_moved(rendered: &mut String, code: &str, from: &str, to: &str) {
    let mut lines = code.split('\n');
    rendered.push_str(lines.next().unwrap_or_default());
    for line in lines {
        rendered.push('\n');
        match line.strip_prefix(from) {
            Some(rest) if !line.trim().is_empty() => {
                rendered.push_str(to);
                rendered.push_str(rest);
            }
            _ => rendered.push_str(line),
        }
    }
}

/// Removes the comma before an empty list, or otherwise the one after it.
fn omit_separator<'a>(rendered: &mut String, after: &'a str) -> &'a str {
    let before = rendered.trim_end().strip_suffix(',').map(str::len);
    if let Some(length) = before {
        rendered.truncate(length);
        return after;
    }
    after.trim_start().strip_prefix(',').map_or(after, |rest| rest.trim_start_matches(' '))
}

/// Returns the last line of a template so far. A metavariable in it has no white space, so that it can be omitted.
fn text_of_line(parts: &[TemplatePart], text: &str) -> String {
    let mut line = text.to_owned();
    for part in parts.iter().rev() {
        if line.contains('\n') {
            break;
        }
        if let TemplatePart::Text(before) = part {
            line.insert_str(0, before);
        } else {
            line.insert(0, '$');
        }
    }
    line.rsplit('\n').next().unwrap_or_default().to_owned()
}

/// Returns the part of a line before an offset of a text.
fn line_before(text: &str, offset: usize) -> &str {
    text.get(..offset).unwrap_or_default().rsplit('\n').next().unwrap_or_default()
}

fn leading_white_space(line: &str) -> &str {
    line.split(|character| character != ' ' && character != '\t').next().unwrap_or_default()
}

fn is_name(character: char) -> bool {
    character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_'
}

fn describe(variables: &[PatternVariable]) -> String {
    if variables.is_empty() {
        return "nothing".to_owned();
    }
    let name =
        |variable: &PatternVariable| format!("`{}{}`", if variable.is_list { "$$$" } else { "$" }, variable.name);
    variables.iter().map(name).collect::<Vec<_>>().join(", ")
}
