//! The parts of a script that accept no placeholders. They are parsed only to find their ends.

use super::super::scan::TemplateToken;
use super::Lexer;
use zubi_base::here_document::HereDocument;

impl Lexer<'_> {
    /// Reads single-quoted text through its closing quote, and refuses placeholders in it.
    pub(super) fn single_quotes(&mut self) {
        let from = self.at - 1;
        while let Some(symbol) = self.next() {
            match symbol {
                TemplateToken::Char('\'', _) => return,
                TemplateToken::Char(character, _) => {
                    self.line_break(character);
                    self.word().push(character);
                }
                TemplateToken::Placeholder(index) => {
                    self.refuse(
                        index,
                        "is in single quotes, where the shell replaces nothing; remove them, or use double quotes",
                    );
                }
            }
        }
        self.report_unclosed("`'`", from);
    }

    pub(super) fn comment(&mut self) {
        while self.peek_char() != Some('\n') {
            match self.next() {
                Some(TemplateToken::Placeholder(index)) => self.refuse_opaque(index, "a comment"),
                Some(TemplateToken::Char(..)) => {}
                None => return,
            }
        }
    }

    pub(super) fn backquotes(&mut self) {
        let from = self.at - 1;
        while let Some(symbol) = self.next() {
            match symbol {
                TemplateToken::Char('`', _) => return,
                TemplateToken::Char('\\', _) => {
                    if let Some(TemplateToken::Placeholder(index)) = self.next() {
                        self.refuse_opaque(index, "backquotes");
                    }
                }
                TemplateToken::Char(character, _) => self.line_break(character),
                TemplateToken::Placeholder(index) => self.refuse_opaque(index, "backquotes"),
            }
        }
        self.report_unclosed("a backquote", from);
    }

    /// Handles a dollar that does not begin a placeholder.
    pub(super) fn dollar(&mut self, quoted: bool) {
        match self.peek() {
            Some(TemplateToken::Char('(', _)) => {
                self.at += 1;
                if self.accept('(') { self.arithmetic("`$((…))`", true) } else { self.substitution("`$(…)`") }
            }
            Some(TemplateToken::Char('{', _)) => {
                self.at += 1;
                self.expansion();
            }
            Some(TemplateToken::Char('[', _)) => self.mark_undecidable("`$[`"),
            Some(TemplateToken::Char('\'', _)) if !quoted => {
                // bash has escapes in this construct and dash has none; without a backslash they agree about its end.
                let rest = self.symbols.get(self.at + 1..).unwrap_or_default();
                let end = rest.iter().position(|symbol| matches!(symbol, TemplateToken::Char('\'' | '\\', _)));
                if end
                    .and_then(|end| rest.get(end))
                    .is_some_and(|symbol| matches!(symbol, TemplateToken::Char('\\', _)))
                {
                    self.mark_undecidable("a backslash in `$'…'`");
                }
            }
            Some(TemplateToken::Char('\\', _)) if self.char_at(self.at + 1) == Some('\n') => {
                self.mark_undecidable("a backslash at the end of a line");
            }
            _ => {}
        }
        self.word().push('$');
    }

    /// Reads `$(…)` or `<(…)` after its opening bracket.
    pub(super) fn substitution(&mut self, name: &'static str) {
        let from = self.at - 1;
        self.opaque.push(name);
        let mut depth = 1_usize;
        while let Some(symbol) = self.next() {
            match symbol {
                TemplateToken::Placeholder(index) => self.refuse_opaque(index, name),
                TemplateToken::Char(character, _) => match character {
                    '\\' => {
                        if let Some(TemplateToken::Char('\n', _)) = self.next() {
                            self.mark_undecidable("a backslash at the end of a line");
                        }
                    }
                    '\'' => self.single_quotes(),
                    '"' => self.double_quotes(),
                    '`' => self.backquotes(),
                    '$' => self.dollar(false),
                    '#' if !self.before_last().is_some_and(is_word) => {
                        self.mark_undecidable("a comment in a substitution");
                        self.comment();
                    }
                    '<' if self.peek_char() == Some('<') => self.mark_undecidable("a here-document in a substitution"),
                    'c' if self.is_case() => self.mark_undecidable("`case` in a substitution"),
                    '(' => depth += 1,
                    ')' => {
                        depth -= 1;
                        if depth == 0 {
                            self.opaque.pop();
                            return;
                        }
                    }
                    _ => self.line_break(character),
                },
            }
        }
        self.opaque.pop();
        self.report_unclosed(name, from);
    }

    /// Whether the last character, a `c`, begins the word `case`.
    fn is_case(&self) -> bool {
        let rest: String = (self.at..self.at + 3).filter_map(|at| self.char_at(at)).collect();
        rest == "ase" && !self.before_last().is_some_and(is_word) && !self.char_at(self.at + 3).is_some_and(is_word)
    }

    /// Reads `$((…))` or `((…))` after its second opening bracket.
    pub(super) fn arithmetic(&mut self, name: &'static str, dollar: bool) {
        let from = self.at - 1;
        self.opaque.push(name);
        let mut depth = 2_usize;
        while let Some(symbol) = self.next() {
            match symbol {
                TemplateToken::Placeholder(index) => self.refuse_opaque(index, name),
                TemplateToken::Char(character, _) => match character {
                    '(' => depth += 1,
                    ')' => {
                        depth -= 1;
                        if depth == 1 && self.peek_char() != Some(')') {
                            self.mark_undecidable("`((` that may be two brackets");
                        }
                        if depth == 0 {
                            self.opaque.pop();
                            return;
                        }
                    }
                    '\'' | '"' | '`' | '\\' => self.mark_undecidable("a quote in arithmetic"),
                    '$' if self.peek_char() == Some('(') => self.mark_undecidable("a substitution in arithmetic"),
                    // Without a dollar, dash reads two subshells.
                    '<' if !dollar && self.peek_char() == Some('<') => self.mark_undecidable("`<<` in `((…))`"),
                    '#' if !self.before_last().is_some_and(is_word) => self.mark_undecidable("a `#` in arithmetic"),
                    'c' if self.is_case() => self.mark_undecidable("`case` in arithmetic"),
                    _ => self.line_break(character),
                },
            }
        }
        self.opaque.pop();
        self.report_unclosed(name, from);
    }

    /// Reads the shell's `${…}` after its opening brace.
    fn expansion(&mut self) {
        const NAME: &str = "`${…}` of the shell";
        let from = self.at - 1;
        self.opaque.push(NAME);
        // bash 5.3 runs a command in `${ …; }`.
        if matches!(self.peek_char(), Some(' ' | '\t' | '\n' | '|')) {
            self.mark_undecidable("`${ …; }`");
        }
        let mut depth = 1_usize;
        while let Some(symbol) = self.next() {
            match symbol {
                TemplateToken::Placeholder(index) => self.refuse_opaque(index, NAME),
                TemplateToken::Char(character, _) => match character {
                    '}' => {
                        depth -= 1;
                        if depth == 0 {
                            self.opaque.pop();
                            return;
                        }
                    }
                    '$' if self.accept('{') => depth += 1,
                    '\'' | '"' | '`' | '\\' => self.mark_undecidable("a quote in `${…}`"),
                    '$' if matches!(self.peek_char(), Some('(' | '[')) => {
                        self.mark_undecidable("a substitution in `${…}`");
                    }
                    '<' | '>' if self.peek_char() == Some('(') => self.mark_undecidable("a substitution in `${…}`"),
                    _ => self.line_break(character),
                },
            }
        }
        self.opaque.pop();
        self.report_unclosed(NAME, from);
    }

    /// Reads the delimiter of a here-document after `<<` or `<<-`.
    pub(super) fn here_document(&mut self, strips_tabs: bool) {
        let rest: String = self
            .symbols
            .get(self.at..)
            .unwrap_or_default()
            .iter()
            // A placeholder is not a part of a plain word.
            .map(|symbol| if let TemplateToken::Char(character, _) = symbol { *character } else { '\0' })
            .take_while(|character| *character != '\n')
            .collect();
        match HereDocument::parse(&rest, strips_tabs) {
            Some((document, length)) => {
                self.at += rest.get(..length).map_or(0, |read| read.chars().count());
                self.pending.push(document);
            }
            None => self.mark_undecidable("a here-document whose end is not a plain word"),
        }
    }

    /// Reads the bodies of the here-documents that the previous line has announced.
    pub(super) fn here_documents(&mut self) {
        for document in std::mem::take(&mut self.pending) {
            while self.at < self.symbols.len() {
                if self.here_line(&document) {
                    break;
                }
            }
        }
    }

    /// Reads one line of a body; returns whether it was the last.
    fn here_line(&mut self, document: &HereDocument) -> bool {
        let mut line = String::new();
        let mut has_placeholder = false;
        while let Some(symbol) = self.next() {
            match symbol {
                TemplateToken::Char('\n', _) => break,
                TemplateToken::Char(character, _) => line.push(character),
                TemplateToken::Placeholder(index) => {
                    has_placeholder = true;
                    self.refuse_opaque(index, "a here-document");
                }
            }
        }
        if document.is_ambiguous(&line) {
            self.mark_undecidable("a here-document with substitutions");
        }
        !has_placeholder && document.is_end(&line)
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
