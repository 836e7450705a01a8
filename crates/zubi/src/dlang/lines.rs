//! Lines and columns of places that are asked for more or less in the order of the text.

/// A place in a text that moves on. Going back begins at the beginning again.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    /// Line and column of a byte of the text, both from 1; columns count characters.
    pub(crate) fn place(&mut self, offset: usize) -> (usize, usize) {
        if offset < self.at {
            *self = Self::new(self.text);
        }
        for c in self.text.get(self.at..).unwrap_or_default().chars() {
            if self.at >= offset {
                break;
            }
            self.at += c.len_utf8();
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::Cursor;

    #[test]
    fn there_and_back() {
        let mut cursor = Cursor::new("aé\nb\n");
        let places = [0, 1, 3, 4, 5, 6, 99, 3].map(|offset| cursor.place(offset));
        assert_eq!(places, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1), (3, 1), (1, 3)]);
    }
}
