//! The parts of a notebook's JSON that have code, with their positions. The reader does not recurse.

use std::ops::Range;

use super::CodePiece;

/// The cells and the language of a notebook.
#[derive(Debug, Default)]
pub(super) struct NotebookFile {
    pub(super) cells: Vec<FileCell>,
    /// The language that the kernel names.
    pub(super) language: Option<String>,
}

/// A cell of any type.
#[derive(Debug, Default)]
pub(super) struct FileCell {
    pub(super) is_code: bool,
    /// The ranges of its strings, without the quotation marks.
    pub(super) source: Vec<Range<usize>>,
}

/// Reads JSON from the start to the end of a text. Methods return `None` at invalid JSON.
pub(super) struct JsonReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> JsonReader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, at }
    }

    /// Returns `None` if the text is not a notebook.
    pub(super) fn read_notebook(mut self) -> Option<NotebookFile> {
        let mut file = NotebookFile::default();
        let (mut has_cells, mut language_info) = (false, None);
        self.read_object(|reader, key| match key {
            "cells" => {
                has_cells = true;
                reader.read_array(|reader| {
                    file.cells.push(reader.read_cell()?);
                    Some(())
                })
            }
            "metadata" if reader.next_is(b'{') => reader.read_object(|reader, key| match key {
                "language_info" if reader.next_is(b'{') => reader.read_name("name", &mut language_info),
                "kernelspec" if reader.next_is(b'{') => reader.read_name("language", &mut file.language),
                _ => reader.skip_value(),
            }),
            _ => reader.skip_value(),
        })?;
        file.language = language_info.or(file.language);
        (has_cells && self.peek().is_none()).then_some(file)
    }

    fn read_cell(&mut self) -> Option<FileCell> {
        let mut cell = FileCell::default();
        self.read_object(|reader, key| match key {
            "cell_type" if reader.next_is(b'"') => {
                let range = reader.read_string()?;
                cell.is_code = reader.text.get(range)? == "code";
                Some(())
            }
            "source" if reader.next_is(b'"') => {
                cell.source = vec![reader.read_string()?];
                Some(())
            }
            "source" => {
                cell.source.clear();
                reader.read_array(|reader| {
                    cell.source.push(reader.read_string()?);
                    Some(())
                })
            }
            _ => reader.skip_value(),
        })?;
        Some(cell)
    }

    /// Reads the string with a key in an object.
    fn read_name(&mut self, wanted: &str, name: &mut Option<String>) -> Option<()> {
        self.read_object(|reader, key| {
            if key == wanted && reader.next_is(b'"') {
                let range = reader.read_string()?;
                *name = Some(reader.text.get(range)?.to_owned());
                return Some(());
            }
            reader.skip_value()
        })
    }

    fn read_object(&mut self, mut read: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.expect(b'{')?;
        if self.next_is(b'}') {
            return self.expect(b'}');
        }
        loop {
            let key = self.read_string()?;
            self.expect(b':')?;
            read(self, self.text.get(key)?)?;
            if !self.next_is(b',') {
                return self.expect(b'}');
            }
            self.expect(b',')?;
        }
    }

    fn read_array(&mut self, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        if self.next_is(b']') {
            return self.expect(b']');
        }
        loop {
            read(self)?;
            if !self.next_is(b',') {
                return self.expect(b']');
            }
            self.expect(b',')?;
        }
    }

    /// Reads a string and returns its range without the quotation marks.
    fn read_string(&mut self) -> Option<Range<usize>> {
        self.expect(b'"')?;
        let start = self.at;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at)? {
                b'"' => break,
                b'\\' => self.at += 2,
                byte if *byte < 0x20 => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(start..self.at - 1)
    }

    /// Skips a value of any depth. Outputs are not checked, only their brackets are counted.
    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.read_string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                byte if byte.is_ascii_alphanumeric() || byte == b'-' => {
                    let rest = self.text.as_bytes().get(self.at..)?;
                    self.at += rest
                        .iter()
                        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.'))
                        .count();
                }
                _ => return None,
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Skips white space and returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn next_is(&mut self, byte: u8) -> bool {
        self.peek() == Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.next_is(byte).then(|| self.at += 1)
    }
}

/// Appends the content of a string to a code, and the pieces of which it consists. An invalid escape is U+FFFD.
pub(super) fn decode(text: &str, string: Range<usize>, code: &mut String, pieces: &mut Vec<CodePiece>) {
    let mut at = string.start;
    while at < string.end {
        let rest = text.get(at..string.end).unwrap_or_default();
        let plain = rest.find('\\').unwrap_or(rest.len());
        let start = code.len();
        if plain > 0 {
            code.push_str(rest.get(..plain).unwrap_or_default());
            pieces.push(CodePiece { code: start..code.len(), file: at..at + plain });
            at += plain;
            continue;
        }
        let (character, length) = decode_escape(rest);
        let length = length.clamp(1, rest.len());
        code.push(character);
        pieces.push(CodePiece { code: start..code.len(), file: at..at + length });
        at += length;
    }
}

/// Returns the character of an escape and the length of the escape.
fn decode_escape(rest: &str) -> (char, usize) {
    let unit = |at: usize| rest.get(at..at + 4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let character = match rest.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => {
            let Some(first) = unit(2) else { return (char::REPLACEMENT_CHARACTER, 2) };
            let second = rest.get(6..8).filter(|escape| *escape == "\\u").and_then(|_| unit(8));
            let mut decoded = char::decode_utf16([first].into_iter().chain(second));
            return match decoded.next() {
                Some(Ok(character)) if character.len_utf16() == 2 => (character, 12),
                Some(Ok(character)) => (character, 6),
                _ => (char::REPLACEMENT_CHARACTER, 6),
            };
        }
        _ => {
            // The escaped character itself.
            let character = rest.chars().nth(1).unwrap_or(char::REPLACEMENT_CHARACTER);
            return (character, 1 + character.len_utf8());
        }
    };
    (character, 2)
}
