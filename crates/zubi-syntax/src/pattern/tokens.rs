//! Splits a pattern into its code and its metavariables.

use ast_grep_core::meta_var::MetaVariable;

use crate::language::SyntaxLanguage;

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatternToken<'a> {
    Code(&'a str),
    Variable {
        /// As the user wrote it: `$$$ARGS`.
        original: &'a str,
        /// The name without `$`; `_` for a list without a name.
        name: &'a str,
        metavariable: MetaVariable,
        position: VariablePosition,
    },
}

/// The position of a metavariable, which decides the code that can replace it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariablePosition {
    /// Alone between parentheses or commas.
    Parameter,
    /// Alone in braces, or at the end: a statement or a member.
    Member,
    Other,
}

impl VariablePosition {
    /// Returns the forms of code for a name `{}`, in the order in which they are tried.
    pub(super) fn forms(self) -> &'static [&'static str] {
        match self {
            Self::Parameter => &["{}", "{} {}", "{}: {}", "${}"],
            Self::Member => &["{}", "{};", "{} {};", "{}: {}", "{}: {};", "{} => {}"],
            Self::Other => &["{}"],
        }
    }
}

/// Splits a pattern.
pub(super) fn split<'a>(pattern: &'a str, language: &SyntaxLanguage) -> Vec<PatternToken<'a>> {
    let mut tokens = Vec::new();
    let (mut code_start, mut at) = (0, 0);
    while let Some(found) = pattern.get(at..).and_then(|rest| rest.find('$')) {
        let start = at + found;
        let rest = pattern.get(start..).unwrap_or_default();
        let sigils = rest.len() - rest.trim_start_matches('$').len();
        let after = rest.get(sigils..).unwrap_or_default();
        let length = after.find(|character: char| !is_name(character)).unwrap_or(after.len());
        let (name, after) = after.split_at(length);
        at = start + sigils + length;
        let Some(metavariable) = metavariable(sigils, name).filter(|_| !belongs_to_code(name, after, language)) else {
            continue;
        };
        push_code(&mut tokens, pattern.get(code_start..start));
        let position = position(pattern.get(..start).unwrap_or_default(), after);
        let original = pattern.get(start..at).unwrap_or_default();
        let name = if name.is_empty() { "_" } else { name };
        tokens.push(PatternToken::Variable { original, name, metavariable, position });
        code_start = at;
    }
    push_code(&mut tokens, pattern.get(code_start..));
    tokens
}

fn push_code<'a>(tokens: &mut Vec<PatternToken<'a>>, code: Option<&'a str>) {
    tokens.extend(code.filter(|code| !code.is_empty()).map(PatternToken::Code));
}

fn metavariable(sigils: usize, name: &str) -> Option<MetaVariable> {
    let is_valid = !name.is_empty() && !name.starts_with(|character: char| character.is_ascii_digit());
    let is_anonymous = name.starts_with('_');
    match sigils {
        1 | 2 if is_valid && is_anonymous => Some(MetaVariable::Dropped(sigils == 1)),
        1 | 2 if is_valid => Some(MetaVariable::Capture(name.to_owned(), sigils == 1)),
        3 if name.is_empty() || is_anonymous => Some(MetaVariable::Multiple),
        3 if is_valid => Some(MetaVariable::MultiCapture(name.to_owned())),
        _ => None,
    }
}

/// Whether a name is a part of the code: a longer identifier, or a variable such as `$_GET` of PHP.
fn belongs_to_code(name: &str, after: &str, language: &SyntaxLanguage) -> bool {
    let continues = after.starts_with(|character: char| character.is_alphanumeric());
    continues || (language.id == "php" && name.len() > 1 && name.starts_with('_'))
}

fn position(before: &str, after: &str) -> VariablePosition {
    let previous = before.trim_end().chars().next_back();
    let next = after.trim_start().chars().next();
    match (previous, next) {
        (Some('(' | ',' | '|'), Some(')' | ',' | '|')) => VariablePosition::Parameter,
        (Some('{' | '}' | ';' | ')' | ',') | None, Some('}' | ',') | None) => VariablePosition::Member,
        _ => VariablePosition::Other,
    }
}

fn is_name(character: char) -> bool {
    character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_'
}
