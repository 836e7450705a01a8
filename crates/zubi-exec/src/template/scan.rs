//! Finds the placeholders of a template and their sources. Other modules check their positions.

use std::ops::Range;

use super::placeholder::{Escaping, PlaceholderSource, TemplateNames, TemplateProblem};

/// One character of the text with its byte offset, or a placeholder (an index into [`ScannedTemplate::placeholders`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TemplateToken {
    Char(char, usize),
    Placeholder(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placeholder {
    pub(super) range: Range<usize>,
    pub(super) source: PlaceholderSource,
}

#[derive(Debug, Default)]
pub(super) struct ScannedTemplate {
    pub(super) symbols: Vec<TemplateToken>,
    pub(super) placeholders: Vec<Placeholder>,
    pub(super) problems: Vec<TemplateProblem>,
}

struct Scanner<'a> {
    text: &'a str,
    escaping: Escaping,
    names: &'a TemplateNames,
    at: usize,
    scanned: ScannedTemplate,
}

pub(super) fn scan(text: &str, escaping: Escaping, names: &TemplateNames) -> ScannedTemplate {
    let mut scanner = Scanner { text, escaping, names, at: 0, scanned: ScannedTemplate::default() };
    while let Some(character) = scanner.rest().chars().next() {
        match character {
            // In a script, the shell reads the character after a backslash.
            '\\' if escaping == Escaping::Shell => {
                scanner.push_literal(character);
                if let Some(escaped) = scanner.rest().chars().next() {
                    scanner.push_literal(escaped);
                }
            }
            '$' => scanner.read_dollar(),
            _ => scanner.push_literal(character),
        }
    }
    scanner.scanned
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn push_literal(&mut self, character: char) {
        let range = self.at..self.at + character.len_utf8();
        if character == '\0' {
            self.report_problem(range.clone(), "the text contains NUL");
        }
        self.scanned.symbols.push(TemplateToken::Char(character, self.at));
        self.at = range.end;
    }

    fn report_problem(&mut self, range: Range<usize>, message: impl Into<String>) {
        self.scanned.problems.push(TemplateProblem::error(range, message));
    }

    fn push_placeholder(&mut self, length: usize, source: PlaceholderSource) {
        let range = self.at..self.at + length;
        self.scanned.symbols.push(TemplateToken::Placeholder(self.scanned.placeholders.len()));
        self.scanned.placeholders.push(Placeholder { range: range.clone(), source });
        self.at = range.end;
    }

    /// Reads the dollar at `self.at` and what follows.
    fn read_dollar(&mut self) {
        let after = self.rest().get(1..).unwrap_or_default();
        if after.starts_with('$') && self.escaping != Escaping::Code {
            self.push_literal('$');
            self.at += 1;
        } else if let Some(rest) = after.strip_prefix('{') {
            self.scan_braces(rest);
        } else {
            self.read_bare_name(identifier(after));
        }
    }

    fn scan_braces(&mut self, rest: &str) {
        let Some((name, _)) = rest.split_once('}') else {
            if self.escaping != Escaping::Code {
                self.report_problem(self.at..self.at + 2, "`${` is never closed; a dollar is written `$$`");
            }
            self.push_literal('$');
            return;
        };
        // The length of "${" and "}".
        let length = name.len() + 3;
        let range = self.at..self.at + length;
        let source = if name == "workspaceFolder" {
            Some(PlaceholderSource::WorkspaceFolder)
        } else if let Some(argument) = name.strip_prefix("arg:") {
            let parameter = self.names.arguments.get(argument);
            if parameter.is_none() {
                let suggestion = nearest(argument, self.names.arguments.keys());
                self.report_problem(range, format!("there is no parameter `{argument}`{suggestion}"));
            }
            parameter.map(|parameter| PlaceholderSource::Argument(argument.to_owned(), *parameter))
        } else if let Some(variable) = name.strip_prefix("env:") {
            let is_declared = self.names.environment.contains(variable);
            if !is_declared {
                let message =
                    format!("`{variable}` is neither in the setting `zubi.env` nor a declared secret; declare it");
                self.report_problem(range, message);
            }
            is_declared.then(|| PlaceholderSource::Environment(variable.to_owned()))
        } else if let Some(value) = self.names.variables.get(name) {
            Some(PlaceholderSource::Variable(name.to_owned(), value.clone()))
        } else {
            self.report_unknown(name, range);
            None
        };
        match source {
            Some(source) => self.push_placeholder(length, source),
            // Only the dollar is literal: the shell's text after it may contain a placeholder.
            None => self.push_literal('$'),
        }
    }

    /// Reports a `${name}` that zubi does not define.
    fn report_unknown(&mut self, name: &str, range: Range<usize>) {
        let is_plain = !name.is_empty() && identifier(name) == name;
        match self.escaping {
            Escaping::Code => {}
            Escaping::Shell if !is_plain => {}
            Escaping::Shell => {
                let suggestion = nearest(name, self.names.variables.keys());
                let message = format!(
                    "there is no variable `{name}`{suggestion}; an argument is `${{arg:{name}}}`, the shell's own variable `$${{{name}}}`"
                );
                self.report_problem(range, message);
            }
            _ if self.names.arguments.contains_key(name) => {
                let message = format!("there is no variable `{name}`; the argument is `${{arg:{name}}}` or `${name}`");
                self.report_problem(range, message);
            }
            _ => {
                let suggestion = nearest(name, self.names.variables.keys());
                let message = format!("there is no variable `{name}`{suggestion}; a dollar is written `$$`");
                self.report_problem(range, message);
            }
        }
    }

    fn read_bare_name(&mut self, name: &str) {
        let range = self.at..self.at + 1 + name.len();
        match self.names.arguments.get(name) {
            Some(argument) => {
                self.push_placeholder(1 + name.len(), PlaceholderSource::Argument(name.to_owned(), *argument));
            }
            None => {
                if !name.is_empty() && !matches!(self.escaping, Escaping::Shell | Escaping::Code) {
                    let suggestion = nearest(name, self.names.arguments.keys());
                    let message =
                        format!("there is no parameter `{name}`{suggestion}; it stays as it is (`$$` for a dollar)");
                    self.scanned.problems.push(TemplateProblem::warning(range, message));
                }
                self.push_literal('$');
            }
        }
    }
}

/// Returns the longest name at the beginning of a text, as shells define names (POSIX 3.216).
fn identifier(text: &str) -> &str {
    let is_identifier = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let end = text.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(text.len());
    if is_identifier { text.get(..end).unwrap_or_default() } else { "" }
}

fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a String>) -> String {
    match zubi_base::nearest::nearest(name, candidates.map(String::as_str), 1).first() {
        Some(suggestion) => format!(" (nearest: `{suggestion}`)"),
        None => String::new(),
    }
}
