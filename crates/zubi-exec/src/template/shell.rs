//! Positions of placeholders in a shell script: follows the quoting of POSIX (XCU 2.2–2.10) and the additions of bash
//! and dash.
//!
//! It parses only as much as is needed to know how the shell reads the position of each placeholder. If shells differ,
//! or only a whole parser could decide, it does not guess: from there on placeholders are refused ([`Lexer::tangle`]).
//! Parsing goes from left to right, so decisions before such a place stay valid.

use super::placeholder::{ArgumentKind, PlaceholderPosition, TemplateProblem, not_several};
use super::scan::{ScannedTemplate, TemplateToken};

mod command;
mod regions;

use command::TemplateCommand;

/// Open constructs at the end of the line: bodies of here-documents.
#[derive(Debug)]
struct HereDocument {
    delimiter: String,
    /// `<<-`: tabs before the delimiter do not count.
    tabs: bool,
    /// Without quotes around the delimiter the body is expanded.
    expanded: bool,
}

/// A word that is being read.
#[derive(Debug, Default)]
struct TemplateWord {
    /// The word's literal text without the quotes and without the values of placeholders.
    text: String,
    /// The literal text before the first placeholder.
    before: Option<String>,
    /// A part of it is quoted, so it is not a keyword.
    quoted: bool,
    /// The placeholders in it, and whether each is between quotes.
    holes: Vec<(usize, bool)>,
}

impl TemplateWord {
    fn push(&mut self, character: char) {
        self.text.push(character);
    }
}

struct Lexer<'a> {
    symbols: &'a [TemplateToken],
    holes: &'a [super::scan::Placeholder],
    at: usize,
    positions: Vec<Option<PlaceholderPosition>>,
    problems: Vec<TemplateProblem>,
    /// The reason why the shell's reading of the rest is undecidable.
    tangled: Option<&'static str>,
    /// The open substitutions and similar constructs, in which no placeholder is valid, innermost last.
    opaque: Vec<&'static str>,
    pending: Vec<HereDocument>,
    word: Option<TemplateWord>,
    command: TemplateCommand,
}

pub(super) fn resolve_positions(scanned: &mut ScannedTemplate) -> Vec<Option<PlaceholderPosition>> {
    let mut lexer = Lexer {
        symbols: &scanned.symbols,
        holes: &scanned.holes,
        at: 0,
        positions: vec![None; scanned.holes.len()],
        problems: Vec::new(),
        tangled: None,
        opaque: Vec::new(),
        pending: Vec::new(),
        word: None,
        command: TemplateCommand::default(),
    };
    lexer.script();
    let Lexer { positions: places, problems, .. } = lexer;
    scanned.problems.extend(problems);
    places
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

    /// The character before the one that was read last.
    fn before_last(&self) -> Option<char> {
        self.at.checked_sub(2).and_then(|at| self.char_at(at))
    }

    fn accept(&mut self, character: char) -> bool {
        let here = self.peek_char() == Some(character);
        self.at += usize::from(here);
        here
    }

    /// From here on the script may be read otherwise than we think.
    fn tangle(&mut self, why: &'static str) {
        self.tangled.get_or_insert(why);
    }

    fn refuse(&mut self, hole: usize, message: &str) {
        if let Some(hole) = self.holes.get(hole) {
            self.problems
                .push(TemplateProblem::error(hole.range.clone(), format!("{} {message}", hole.source.describe())));
        }
    }

    fn refuse_opaque(&mut self, hole: usize, context: &str) {
        let instead = if context == "a comment" {
            "write `$$` for a dollar"
        } else {
            "give it to a variable of the script first (`value=$name`) and use that there (`\"$value\"`)"
        };
        self.refuse(hole, &format!("is in {context}, where it cannot be quoted; {instead}"));
    }

    fn set_position(&mut self, hole: usize, position: PlaceholderPosition) {
        if let Some(slot) = self.positions.get_mut(hole) {
            *slot = Some(position);
        }
    }

    /// Reports a missing end of `opener`. A construct that this parser does not understand is not reported as wrong.
    fn report_unclosed(&mut self, opener: &str, from: usize) {
        if self.tangled.is_none() {
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
                TemplateToken::Hole(hole) => self.unquoted_hole(hole),
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

    fn unquoted_hole(&mut self, hole: usize) {
        // `$'…'` has escapes of its own.
        if self.before_last() == Some('$') && self.word.as_ref().is_some_and(|word| word.text.ends_with('$')) {
            return self.refuse(hole, "is directly after a `$`; put double quotes around both");
        }
        self.accept_hole(hole, false);
    }

    fn accept_hole(&mut self, hole: usize, quoted: bool) {
        if let Some(why) = self.tangled {
            let message = format!(
                "comes after {why}, from where on it is not sure how the shell reads the script; give it to a variable before \
                 that (`value=$name`) and use `\"$value\"` here"
            );
            return self.refuse(hole, &message);
        }
        let word = self.word();
        word.before.get_or_insert_with(|| word.text.clone());
        word.holes.push((hole, quoted));
        self.set_position(
            hole,
            if quoted { PlaceholderPosition::Quoted } else { PlaceholderPosition::Word { alone: false } },
        );
    }

    fn backslash(&mut self) {
        match self.next() {
            Some(TemplateToken::Char('\n', _)) => self.continuation(self.at.checked_sub(3)),
            Some(TemplateToken::Char(character, _)) => {
                let word = self.word();
                word.quoted = true;
                word.push(character);
            }
            Some(TemplateToken::Hole(hole)) => self.refuse(hole, "is directly after a backslash; remove it"),
            None => {}
        }
    }

    /// Handles a backslash at the end of a line: the shell removes both. Harmless between words and inside a name;
    /// after a character that begins something it would join two things that this parser has read separately.
    fn continuation(&mut self, before: Option<usize>) {
        let joins = before.and_then(|at| self.char_at(at)).is_some_and(|before| "$<>&|;(){}[]=#!`".contains(before));
        if joins || !self.pending.is_empty() {
            self.tangle("a backslash at the end of a line");
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
                    Some(TemplateToken::Hole(hole)) => self.refuse(hole, "is directly after a backslash; remove it"),
                    None => {}
                },
                TemplateToken::Char('`', _) => self.backquotes(),
                TemplateToken::Char('$', _) => self.dollar(true),
                TemplateToken::Char(character, _) => {
                    self.line_break(character);
                    self.word().push(character);
                }
                TemplateToken::Hole(hole) => match self.opaque.last() {
                    Some(context) => self.refuse_opaque(hole, context),
                    None => self.accept_hole(hole, true),
                },
            }
        }
        self.report_unclosed("`\"`", from);
    }

    /// A line break inside something while here-documents wait for the end of the line: shells do not agree where their
    /// bodies begin.
    fn line_break(&mut self, character: char) {
        if character == '\n' && !self.pending.is_empty() {
            self.tangle("a here-document whose line does not end");
        }
    }

    fn parenthesis(&mut self) {
        let name = self.word.as_ref().map(|word| !word.quoted && word.holes.is_empty() && self.command.expects_name());
        match name {
            Some(name) => {
                // `name()` begins a function; what it does is a command of its own.
                if name && self.accept(')') {
                    self.word = None;
                } else {
                    self.tangle("a `(` inside a word");
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

    /// `self.at` is after the first character of the operator.
    fn redirection(&mut self, first: char) {
        // `2>file`, `{fd}>file`: the text directly before it is not a word of the command.
        let descriptor = self.word.as_ref().is_some_and(|word| {
            let named = word.text.starts_with('{') && word.text.ends_with('}');
            !word.quoted && word.holes.is_empty() && (named || word.text.chars().all(|digit| digit.is_ascii_digit()))
        });
        if descriptor {
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
        let sources: Vec<_> = word.holes.iter().filter_map(|(hole, _)| self.holes.get(*hole)).collect();
        let argument = sources.iter().any(|hole| hole.source.argument().is_some());
        let verdict = self.command.word(&word, argument);
        if let Some(message) = verdict.refused {
            for (hole, _) in &word.holes {
                if self.holes.get(*hole).is_some_and(|hole| hole.source.argument().is_some()) {
                    self.refuse(*hole, message);
                }
            }
        }
        if verdict.tangled {
            self.tangle("the keyword `function`");
        }
        let alone =
            verdict.free && word.text.is_empty() && matches!(word.holes.as_slice(), [(_, false)]) && !word.quoted;
        for (index, _) in &word.holes {
            let Some(hole) = self.holes.get(*index) else { continue };
            if alone {
                self.set_position(*index, PlaceholderPosition::Word { alone: true });
            } else if hole.source.is_array() {
                self.problems.push(not_several(&hole.source, hole.range.clone()));
            }
        }
        let first = word.holes.first().and_then(|(hole, _)| self.holes.get(*hole));
        if let Some(hole) = first
            && verdict.option_like
            && word.before.as_deref() == Some("")
            && hole.source.argument().is_some_and(|argument| {
                matches!(argument.kind, ArgumentKind::Text | ArgumentKind::Any | ArgumentKind::Array)
            })
        {
            let message = format!(
                "a value of {} that begins with `-` would be an option of the command; put `--` before it if the command knows that",
                hole.source.describe()
            );
            self.problems.push(TemplateProblem::warning(hole.range.clone(), message));
        }
    }
}
