//! A text with line feeds only, and the way back to the offsets of the original.

use std::borrow::Cow;
use std::ops::Range;

/// A text whose CRLF are line feeds.
#[derive(Debug)]
pub struct LineFeedText<'a> {
    text: Cow<'a, str>,
    /// The offsets of the line feeds in [`Self::text`] that have a carriage return before them in the original.
    crlf: Vec<usize>,
}

impl<'a> LineFeedText<'a> {
    pub fn new(original: &'a str) -> Self {
        if !original.contains("\r\n") {
            return Self { text: Cow::Borrowed(original), crlf: Vec::new() };
        }
        let (mut text, mut crlf) = (String::with_capacity(original.len()), Vec::new());
        let mut lines = original.split("\r\n").peekable();
        while let Some(line) = lines.next() {
            text.push_str(line);
            if lines.peek().is_some() {
                crlf.push(text.len());
                text.push('\n');
            }
        }
        Self { text: Cow::Owned(text), crlf }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Converts a range of [`Self::text`] to one of the original. The range does not divide a CRLF.
    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let original = |at: usize| at + self.crlf.partition_point(|line_feed| *line_feed < at);
        original(range.start)..original(range.end)
    }
}

/// Returns whether a text has lines and all of them end in CRLF.
fn ends_in_crlf(text: &str) -> bool {
    let line_breaks = text.matches('\n').count();
    line_breaks > 0 && line_breaks == text.matches("\r\n").count()
}

/// Adapts a new text to the line ends of the old one: if all old lines end in CRLF and no new line does, returns the
/// text with CRLF and a note.
pub fn match_line_ends(old: &str, new: &str) -> (String, Option<String>) {
    if ends_in_crlf(old) && new.contains('\n') && !new.contains('\r') {
        let note = "its lines still end in CRLF".to_owned();
        return (new.replace('\n', "\r\n"), Some(note));
    }
    (new.to_owned(), None)
}
