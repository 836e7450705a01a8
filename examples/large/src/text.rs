//! Lines with their indentation.

/// The maximum length of a line before the formatter breaks it, in characters.
const WIDTH: usize = 100;

/// The indentation of a block's content, or of the rest of a broken line, in blanks.
const INDENT: usize = 4;

/// A text that grows line by line.
#[derive(Debug, Default)]
pub(crate) struct Text {
    text: String,
    depth: usize,
}

impl Text {
    pub(crate) fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.push_str(&" ".repeat(INDENT * self.depth));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// Writes a head and its lists: on one line if they fit, otherwise each on its own.
    pub(crate) fn list(&mut self, head: &str, lists: &[String]) {
        let line = format!("{head} {}", lists.join(" "));
        if INDENT * self.depth + line.chars().count() <= WIDTH {
            self.line(&line);
            return;
        }
        self.line(head);
        self.depth += 1;
        for list in lists {
            self.line(list);
        }
        self.depth -= 1;
    }

    /// Writes a line that ends in `{`, the inside, and the line with `}`.
    pub(crate) fn block(&mut self, head: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line("}");
    }

    pub(crate) fn end(self) -> String {
        self.text
    }
}
