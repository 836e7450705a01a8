//! The last lines a server logged or wrote to its standard error, for error messages and `doctor`.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The maximum number of lines stored.
const MAX_LINES: usize = 200;

/// The maximum number of bytes stored for one line; servers print whole requests and stack traces in one. The line in
/// which rust-analyzer quotes cargo's error begins with cargo's command and its paths.
const MAX_LINE_BYTES: usize = 4096;

/// A bounded buffer of lines: new ones replace the oldest.
#[derive(Debug, Default)]
pub(crate) struct LineRing(Mutex<VecDeque<String>>);

impl LineRing {
    /// Adds text, line by line. Drops control characters (terminal colours among them) and empty lines.
    pub(crate) fn push(&self, text: &str) {
        for line in text.lines().rev().take(MAX_LINES).collect::<Vec<_>>().into_iter().rev() {
            let mut clean = String::new();
            let mut characters = line.chars();
            while let Some(character) = characters.next() {
                if clean.len() >= MAX_LINE_BYTES {
                    clean.push('…');
                    break;
                }
                if character == '\u{1b}' {
                    skip_escape_sequence(&mut characters);
                } else if character == '\t' {
                    clean.push(' ');
                } else if !character.is_control() {
                    clean.push(character);
                }
            }
            if clean.trim().is_empty() {
                continue;
            }
            let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if lines.len() == MAX_LINES {
                lines.pop_front();
            }
            lines.push_back(clean);
        }
    }

    /// Returns the last lines, oldest first.
    pub(crate) fn last(&self, count: usize) -> Vec<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().skip(lines.len().saturating_sub(count)).cloned().collect()
    }
}

/// Skips the text after an escape character: `[`, parameters, and one final letter (ECMA-48, "CSI").
fn skip_escape_sequence(characters: &mut std::str::Chars<'_>) {
    if characters.as_str().starts_with('[') {
        characters.next();
        for character in characters.by_ref() {
            if ('@'..='~').contains(&character) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cleaned_and_bounded() {
        let ring = LineRing::default();
        ring.push("one\n\n\u{1b}[31mtwo\u{1b}[0m\u{7}\n\tthree");
        insta::assert_snapshot!(ring.last(10).join("|"), @"one|two| three");
        ring.push(&"x".repeat(10_000));
        assert!(ring.last(1)[0].len() <= MAX_LINE_BYTES + '…'.len_utf8());
        for number in 0..1000 {
            ring.push(&number.to_string());
        }
        assert_eq!(ring.last(usize::MAX).len(), MAX_LINES);
        insta::assert_snapshot!(ring.last(2).join("|"), @"998|999");
    }
}
