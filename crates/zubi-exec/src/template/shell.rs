//! Positions of placeholders in a shell script: follows the quoting of POSIX (XCU 2.2–2.10) and the additions of bash
//! and dash.
//!
//! It parses only enough to determine how the shell reads the position of each placeholder. If shells differ, or only a
//! complete parser could decide, it refuses all later placeholders ([`Lexer::mark_undecidable`]). Parsing goes from
//! left to right, so decisions before such a position stay valid.

use super::placeholder::{ArgumentKind, PlaceholderPosition, TemplateProblem, array_problem};
use super::scan::{Placeholder, ScannedTemplate, TemplateToken};

mod command;
mod regions;

use command::TemplateCommand;
use zubi_base::here_document::HereDocument;

/// The current word.
#[derive(Debug, Default)]
struct TemplateWord {
    /// The literal text of the word, without quotes and placeholders.
    text: String,
    /// The literal text before the first placeholder.
    before: Option<String>,
    /// Whether a part of it is quoted, so that it is not a keyword.
    quoted: bool,
    /// The indices of its placeholders, each with whether it is quoted.
    placeholders: Vec<(usize, bool)>,
}

impl TemplateWord {
    fn push(&mut self, character: char) {
        self.text.push(character);
    }
}

struct Lexer<'a> {
    symbols: &'a [TemplateToken],
    placeholders: &'a [Placeholder],
    at: usize,
    positions: Vec<Option<PlaceholderPosition>>,
    problems: Vec<TemplateProblem>,
    /// The reason why the rest of the script is undecidable.
    undecidable: Option<&'static str>,
    /// The open constructs in which no placeholder is valid, such as substitutions, innermost last.
    opaque: Vec<&'static str>,
    pending: Vec<HereDocument>,
    word: Option<TemplateWord>,
    command: TemplateCommand,
}

pub(super) fn resolve_positions(scanned: &mut ScannedTemplate) -> Vec<Option<PlaceholderPosition>> {
    let mut lexer = Lexer {
        symbols: &scanned.symbols,
        placeholders: &scanned.placeholders,
        at: 0,
        positions: vec![None; scanned.placeholders.len()],
        problems: Vec::new(),
        undecidable: None,
        opaque: Vec::new(),
        pending: Vec::new(),
        word: None,
        command: TemplateCommand::default(),
    };
    lexer.script();
    let Lexer { positions, problems, .. } = lexer;
    scanned.problems.extend(problems);
    positions
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<TemplateToken> {
        let symbol = self.symbols.get(self.at).copied();
        self.at += usize::from(symbol.is_some());
        symbol
    }

    fn peek(&self) -> Option<TemplateToken> {
        self.symbols.get(self.at).copied()
    }

    fn peek_char(&self) -> Option<char> {
        self.char_at(self.at)
    }

    fn char_at(&self, at: usize) -> Option<char> {
        match self.symbols.get(at) {
            Some(TemplateToken::Char(character, _)) => Some(*character),
            _ => None,
        }
    }

    /// Returns the character before the last one that was read.
    fn before_last(&self) -> Option<char> {
        self.at.checked_sub(2).and_then(|at| self.char_at(at))
    }

    fn accept(&mut self, character: char) -> bool {
        let is_next = self.peek_char() == Some(character);
        self.at += usize::from(is_next);
        is_next
    }

    /// Marks the rest of the script as undecidable: shells may read it differently.
    fn mark_undecidable(&mut self, reason: &'static str) {
        self.undecidable.get_or_insert(reason);
    }

    fn refuse(&mut self, index: usize, message: &str) {
        if let Some(Placeholder { range, source }) = self.placeholders.get(index) {
            self.problems.push(TemplateProblem::error(range.clone(), format!("{} {message}", source.describe())));
        }
    }

    fn refuse_opaque(&mut self, index: usize, context: &str) {
        let alternative = if context == "a comment" {
            "write `$$` for a dollar"
        } else {
            "give it to a variable of the script first (`value=$name`) and use that there (`\"$value\"`)"
        };
        self.refuse(index, &format!("is in {context}, where it cannot be quoted; {alternative}"));
    }

    fn set_position(&mut self, index: usize, position: PlaceholderPosition) {
        if let Some(slot) = self.positions.get_mut(index) {
            *slot = Some(position);
        }
    }

    /// Reports that `opener` has no end. Constructs that this parser does not support are not reported.
    fn report_unclosed(&mut self, opener: &str, from: usize) {
        if self.undecidable.is_none() {
            let start = match self.symbols.get(from) {
                Some(TemplateToken::Char(_, offset)) => *offset,
                _ => 0,
            };
            let message = format!("{opener} is never closed");
            self.problems.push(TemplateProblem::error(start..start + 1, message));
        }
    }

    fn word(&mut self) -> &mut TemplateWord {
        self.word.get_or_insert_default()
    }

    fn script(&mut self) {
        while let Some(symbol) = self.next() {
            match symbol {
                TemplateToken::Placeholder(index) => self.read_unquoted_placeholder(index),
                TemplateToken::Char(character, _) => self.read_unquoted(character),
            }
        }
        self.end_word();
    }

    fn read_unquoted(&mut self, character: char) {
        match character {
            '\\' => self.backslash(),
            '\'' => {
                self.word().quoted = true;
                self.single_quotes();
            }
            '"' => self.double_quotes(),
            '`' => {
                self.word();
                self.backquotes();
            }
            '$' => {
                self.word();
                self.dollar(false);
            }
            '#' if self.word.is_none() => self.comment(),
            '\n' => {
                self.end_command();
                self.here_documents();
            }
            ' ' | '\t' => self.end_word(),
            '&' if self.peek_char() == Some('>') => self.end_word(),
            ';' | '&' | '|' => self.end_command(),
            '(' => self.parenthesis(),
            ')' => self.end_command(),
            '<' | '>' => self.redirection(character),
            _ => self.word().push(character),
        }
    }

    fn read_unquoted_placeholder(&mut self, index: usize) {
        // `$'…'` has its own escapes.
        if self.before_last() == Some('$') && self.word.as_ref().is_some_and(|word| word.text.ends_with('$')) {
            return self.refuse(index, "is directly after a `$`; put double quotes around both");
        }
        self.accept_placeholder(index, false);
    }

    fn accept_placeholder(&mut self, index: usize, quoted: bool) {
        if let Some(reason) = self.undecidable {
            let message = format!(
                "comes after {reason}, from where on it is not sure how the shell reads the script; give it to a variable before \
                 that (`value=$name`) and use `\"$value\"` here"
            );
            return self.refuse(index, &message);
        }
        let word = self.word();
        word.before.get_or_insert_with(|| word.text.clone());
        word.placeholders.push((index, quoted));
        let position = if quoted { PlaceholderPosition::Quoted } else { PlaceholderPosition::Word { is_alone: false } };
        self.set_position(index, position);
    }

    fn backslash(&mut self) {
        match self.next() {
            Some(TemplateToken::Char('\n', _)) => self.continuation(self.at.checked_sub(3)),
            Some(TemplateToken::Char(character, _)) => {
                let word = self.word();
                word.quoted = true;
                word.push(character);
            }
            Some(TemplateToken::Placeholder(index)) => self.refuse(index, "is directly after a backslash; remove it"),
            None => {}
        }
    }

    /// Handles a backslash at the end of a line, which the shell removes together with the line break. After an
    /// operator character this would join two tokens that this parser has read separately; elsewhere it is harmless.
    fn continuation(&mut self, before: Option<usize>) {
        let joins = before.and_then(|at| self.char_at(at)).is_some_and(|before| "$<>&|;(){}[]=#!`".contains(before));
        if joins || !self.pending.is_empty() {
            self.mark_undecidable("a backslash at the end of a line");
        }
    }

    fn double_quotes(&mut self) {
        let from = self.at - 1;
        self.word().quoted = true;
        while let Some(symbol) = self.next() {
            match symbol {
                TemplateToken::Char('"', _) => return,
                TemplateToken::Char('\\', _) => match self.next() {
                    Some(TemplateToken::Char('\n', _)) => self.continuation(self.at.checked_sub(3)),
                    Some(TemplateToken::Char(character, _)) => self.word().push(character),
                    Some(TemplateToken::Placeholder(index)) => {
                        self.refuse(index, "is directly after a backslash; remove it");
                    }
                    None => {}
                },
                TemplateToken::Char('`', _) => self.backquotes(),
                TemplateToken::Char('$', _) => self.dollar(true),
                TemplateToken::Char(character, _) => {
                    self.line_break(character);
                    self.word().push(character);
                }
                TemplateToken::Placeholder(index) => match self.opaque.last() {
                    Some(context) => self.refuse_opaque(index, context),
                    None => self.accept_placeholder(index, true),
                },
            }
        }
        self.report_unclosed("`\"`", from);
    }

    /// Handles a line break inside a construct while here-documents are pending: shells disagree where their bodies
    /// begin.
    fn line_break(&mut self, character: char) {
        if character == '\n' && !self.pending.is_empty() {
            self.mark_undecidable("a here-document whose line does not end");
        }
    }

    fn parenthesis(&mut self) {
        let is_name =
            self.word.as_ref().map(|word| !word.quoted && word.placeholders.is_empty() && self.command.expects_name());
        match is_name {
            Some(is_name) => {
                // `name()` begins a function, whose body is a command of its own.
                if is_name && self.accept(')') {
                    self.word = None;
                } else {
                    self.mark_undecidable("a `(` inside a word");
                }
                self.end_command();
            }
            None if matches!(self.before_last(), Some('<' | '>')) => {
                self.word();
                self.substitution("`<(…)`");
            }
            None if self.peek_char() == Some('(') => {
                self.at += 1;
                self.arithmetic("`((…))`", false);
            }
            None => self.end_command(),
        }
    }

    /// Reads a redirection; `self.at` is after the first character of the operator.
    fn redirection(&mut self, first: char) {
        // In `2>file` and `{fd}>file`, the text before the operator is not a word of the command.
        let is_descriptor = self.word.as_ref().is_some_and(|word| {
            let named = word.text.starts_with('{') && word.text.ends_with('}');
            !word.quoted
                && word.placeholders.is_empty()
                && (named || word.text.chars().all(|digit| digit.is_ascii_digit()))
        });
        if is_descriptor {
            self.word = None;
        }
        self.end_word();
        if first == '<' && self.accept('<') {
            if !self.accept('<') {
                let tabs = self.accept('-');
                return self.here_document(tabs);
            }
        } else if self.peek_char() == Some('(') {
            // `<(…)` is a word.
            return;
        } else if !self.accept('&') && !self.accept('|') {
            self.accept('>');
        }
        self.command.expect_target();
    }

    fn end_command(&mut self) {
        self.end_word();
        self.command = TemplateCommand::default();
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        let is_argument = |index: usize| {
            self.placeholders.get(index).is_some_and(|placeholder| placeholder.source.argument().is_some())
        };
        let arguments: Vec<usize> =
            word.placeholders.iter().map(|(index, _)| *index).filter(|index| is_argument(*index)).collect();
        let verdict = self.command.read_word(&word, !arguments.is_empty());
        if let Some(message) = verdict.refused {
            for index in arguments {
                self.refuse(index, message);
            }
        }
        if verdict.undecidable {
            self.mark_undecidable("the keyword `function`");
        }
        let is_alone = verdict.any_count
            && word.text.is_empty()
            && matches!(word.placeholders.as_slice(), [(_, false)])
            && !word.quoted;
        for (index, _) in &word.placeholders {
            let Some(placeholder) = self.placeholders.get(*index) else { continue };
            if is_alone {
                self.set_position(*index, PlaceholderPosition::Word { is_alone: true });
            } else if placeholder.source.is_array() {
                self.problems.push(array_problem(&placeholder.source, placeholder.range.clone()));
            }
        }
        let first = word.placeholders.first().and_then(|(index, _)| self.placeholders.get(*index));
        if let Some(placeholder) = first
            && verdict.is_option
            && word.before.as_deref() == Some("")
            && placeholder.source.argument().is_some_and(|argument| {
                matches!(argument.kind, ArgumentKind::Text | ArgumentKind::Any | ArgumentKind::Array)
            })
        {
            let message = format!(
                "a value of {} that begins with `-` would be an option of the command; put `--` before it if the command knows that",
                placeholder.source.describe()
            );
            self.problems.push(TemplateProblem::warning(placeholder.range.clone(), message));
        }
    }
}
