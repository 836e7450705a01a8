//! One word of a script: its text without quotes, or the reason why its text cannot be determined.

use std::ops::Range;

use zubi_base::env::is_name;

/// A word as the shell reads it, before any expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ShellWord {
    /// The text without quotes; the source text if `is_dynamic`.
    pub(super) text: String,
    /// The word as written in the script.
    pub(super) raw: String,
    /// Whether the shell computes a part of the word at run time.
    pub(super) is_dynamic: bool,
    pub(super) pattern: Pattern,
    /// Whether the word begins with an unquoted `~`.
    pub(super) tilde: bool,
    /// Scripts inside the word: `$(…)` and backquotes.
    pub(super) scripts: Vec<String>,
    /// The plain variables in the word (`$x`, `${x}`); empty if something else is computed at run time, too.
    pub(super) variables: Vec<ShellVariable>,
}

/// A use of a variable in a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellVariable {
    pub(super) name: String,
    /// The range of the source text, in bytes.
    pub(super) range: Range<usize>,
    pub(super) is_quoted: bool,
}

/// Whether a word is a glob pattern for file names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Pattern {
    #[default]
    Literal,
    /// A pattern below a fixed directory, which can therefore expand only to paths.
    InDirectory,
    Bare,
}

impl ShellWord {
    /// Returns whether the program receives exactly this text, or paths below a directory that the text names.
    pub(super) fn is_static(&self) -> bool {
        !self.is_dynamic && self.pattern != Pattern::Bare
    }
}

/// Reads the text of a token.
pub(super) fn read(raw: &str) -> ShellWord {
    let mut reader = WordReader {
        rest: raw,
        word: ShellWord { raw: raw.to_owned(), ..ShellWord::default() },
        braces: BraceExpansion::None,
        has_other: false,
    };
    reader.read_unquoted();
    let WordReader { mut word, braces, has_other, .. } = reader;
    // These are names of commands.
    if matches!(raw, "[" | "[[") {
        word.pattern = Pattern::Literal;
    }
    if braces == BraceExpansion::Closed {
        word.is_dynamic = true;
    }
    let has_other = has_other || braces == BraceExpansion::Closed;
    // `"$HOME"x` is not in the home directory.
    word.is_dynamic |= word.tilde && raw.contains("HOME") && !matches!(word.text.as_bytes(), [b'~'] | [b'~', b'/', ..]);
    if has_other || !word.is_dynamic {
        word.variables.clear();
    }
    if word.is_dynamic {
        raw.clone_into(&mut word.text);
    }
    word
}

/// Reads the text of a here-document with an unquoted delimiter, in which quotes have no meaning.
pub(super) fn read_document(raw: &str) -> ShellWord {
    let mut reader = WordReader {
        rest: raw,
        word: ShellWord { raw: raw.to_owned(), ..ShellWord::default() },
        braces: BraceExpansion::None,
        has_other: false,
    };
    while !reader.rest.is_empty() {
        reader.double_quoted(false);
    }
    reader.word
}

/// Progress in a brace expansion (`{a,b}` or `{1..3}`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BraceExpansion {
    None,
    Open,
    Several,
    Closed,
}

struct WordReader<'a> {
    rest: &'a str,
    word: ShellWord,
    braces: BraceExpansion,
    /// Whether the shell computes something other than plain variables.
    has_other: bool,
}

impl WordReader<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }

    fn read_unquoted(&mut self) {
        let mut first = true;
        while let Some(c) = self.next() {
            match c {
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(c) => self.word.text.push(c),
                    None => self.word.text.push('\\'),
                },
                '\'' => {
                    let (quoted, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
                    self.word.text.push_str(quoted);
                    self.rest = rest;
                }
                '"' => self.double_quoted(true),
                '$' => self.dollar(true),
                '`' => self.read_backquotes(),
                '*' | '?' | '[' => {
                    let in_directory = self.word.text.contains('/') && !self.word.tilde;
                    if !in_directory {
                        self.word.pattern = Pattern::Bare;
                    } else if self.word.pattern == Pattern::Literal {
                        self.word.pattern = Pattern::InDirectory;
                    }
                    self.word.text.push(c);
                }
                '~' if first => {
                    self.word.tilde = true;
                    self.word.text.push(c);
                }
                c => {
                    self.braces = match (self.braces, c) {
                        (BraceExpansion::None, '{') => BraceExpansion::Open,
                        (BraceExpansion::Open, ',') => BraceExpansion::Several,
                        (BraceExpansion::Open, '.') if self.rest.starts_with('.') => BraceExpansion::Several,
                        (BraceExpansion::Several, '}') => BraceExpansion::Closed,
                        (state, _) => state,
                    };
                    self.word.text.push(c);
                }
            }
            first = false;
        }
    }

    /// Reads up to the closing quote, or to the end if there is no closing quote.
    fn double_quoted(&mut self, quoted: bool) {
        while let Some(c) = self.next() {
            match c {
                '"' if quoted => return,
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.word.text.push(c),
                    Some(c) => self.word.text.extend(['\\', c]),
                    None => self.word.text.push('\\'),
                },
                '$' => self.dollar(false),
                '`' => self.read_backquotes(),
                c => self.word.text.push(c),
            }
        }
    }

    /// Reads the text after a dollar sign. `$'…'` and `$"…"` have different meanings in different shells.
    fn dollar(&mut self, plain: bool) {
        let Some(next) = self.rest.chars().next() else { return self.word.text.push('$') };
        if self.read_variable(plain) {
            return;
        }
        // The exit code of the last command.
        if next == '?' {
            let start = self.word.raw.len() - self.rest.len() - 1;
            self.next();
            self.word.is_dynamic = true;
            let variable = ShellVariable { name: "?".to_owned(), range: start..start + 2, is_quoted: !plain };
            return self.word.variables.push(variable);
        }
        self.has_other = true;
        match next {
            '(' => {
                self.word.is_dynamic = true;
                self.next();
                self.read_substitution();
            }
            '{' | '[' | '_' | '@' | '*' | '#' | '-' | '$' | '!' => self.word.is_dynamic = true,
            '\'' | '"' if plain => self.word.is_dynamic = true,
            c if c.is_alphanumeric() => self.word.is_dynamic = true,
            _ => self.word.text.push('$'),
        }
    }

    /// Reads `$name` or `${name}` after the dollar. Returns whether there was one. `$HOME` at the start is `~`.
    fn read_variable(&mut self, plain: bool) -> bool {
        let rest = self.rest;
        let (name, length) = match rest.strip_prefix('{') {
            Some(inner) => match inner.split_once('}') {
                Some((name, _)) => (name, name.len() + 2),
                None => return false,
            },
            None => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (rest.get(..end).unwrap_or_default(), end)
            }
        };
        if !is_name(name) {
            return false;
        }
        let start = self.word.raw.len() - rest.len() - 1;
        self.rest = rest.get(length..).unwrap_or_default();
        if name == "HOME" && self.word.text.is_empty() && !self.word.tilde {
            self.word.tilde = true;
            self.word.text.push('~');
            return true;
        }
        self.word.is_dynamic = true;
        let range = start..start + 1 + length;
        self.word.variables.push(ShellVariable { name: name.to_owned(), range, is_quoted: !plain });
        true
    }

    /// Reads the script after `$(`, skipping quoted text. A wrong end is harmless, because the word is unresolved
    /// anyway.
    fn read_substitution(&mut self) {
        let (mut depth, mut quote) = (1_usize, None);
        let start = self.rest;
        while let Some(c) = self.next() {
            match (quote, c) {
                (None | Some('"'), '\\') => {
                    self.next();
                }
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        let length = start.len() - self.rest.len();
        let script = start.get(..length).unwrap_or(start);
        self.word.scripts.push(script.strip_suffix(')').unwrap_or(script).to_owned());
    }

    fn read_backquotes(&mut self) {
        self.word.is_dynamic = true;
        self.has_other = true;
        let mut script = String::new();
        while let Some(c) = self.next() {
            match c {
                '`' => break,
                '\\' => match self.next() {
                    Some(c @ ('$' | '`' | '\\')) => script.push(c),
                    Some(c) => script.extend(['\\', c]),
                    None => {}
                },
                c => script.push(c),
            }
        }
        self.word.scripts.push(script);
    }
}
