//! The normal form of a script: bash, dash and the tokenizer read it in the same way.
//!
//! One pass over the text follows quotes, comments and here-documents, and refuses everything that they may read
//! differently. A script that is refused is undecidable, so the pass errs towards a refusal. The normal form has no
//! here-documents: each becomes a here-string with the same text, because their ends are what readers disagree about
//! most.

use zubi_base::here_document::{HereDocument, joins_token};

const SUBSTITUTION: &str = "the script has a substitution, which is worked out only when it runs";
const CHARACTER: &str = "the script has a control character or an unusual space outside quotes";
const LINE: &str = "a backslash at the end of a line may join two parts of a word";
const QUOTE: &str = "a quote is not closed";
const DELIMITER: &str = "the end of a here-document is not a plain word";
const BODY: &str = "where a here-document ends cannot be determined";
const ARITHMETIC: &str = "`((` may be arithmetic or two subshells";

/// Returns the script in normal form. The error is the reason why shells may read it differently.
pub(super) fn normalize(text: &str) -> Result<Normal, &'static str> {
    let mut scanner = Scanner { rest: text, ..Scanner::default() };
    while let Some(c) = scanner.next() {
        scanner.read(c)?;
    }
    match () {
        () if !scanner.pending.is_empty() => Err(BODY),
        () if scanner.has_documents && scanner.has_arithmetic => Err(ARITHMETIC),
        // In `a[1<<2]=3` Bash reads a subscript and others a here-document.
        () if scanner.has_documents && scanner.has_subscript => Err(BODY),
        () => Ok(Normal { text: scanner.normal, has_cat: scanner.has_cat }),
    }
}

/// A script in normal form.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Normal {
    pub(super) text: String,
    /// Whether a quoted text was the output of `cat` for a here-document.
    pub(super) has_cat: bool,
}

#[derive(Default)]
struct Scanner<'a> {
    rest: &'a str,
    /// The character before `rest`.
    last: Option<char>,
    normal: String,
    /// The here-documents of the current line, each with the position of its text in `normal`.
    pending: Vec<(HereDocument, usize)>,
    /// Whether the last character belongs to a word, so that a `#` begins no comment.
    in_word: bool,
    has_documents: bool,
    has_arithmetic: bool,
    has_subscript: bool,
    has_cat: bool,
}

impl Scanner<'_> {
    /// Reads a character without copying it.
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn push(&mut self, c: char) {
        self.normal.push(c);
        self.last = Some(c);
    }

    /// Copies the next `length` bytes.
    fn copy(&mut self, length: usize) {
        let (copied, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.normal.push_str(copied);
        self.last = copied.chars().last().or(self.last);
        self.rest = rest;
    }

    /// Reads a character outside quotes.
    fn read(&mut self, c: char) -> Result<(), &'static str> {
        let in_word = std::mem::replace(&mut self.in_word, !" \t\n;&|()<>".contains(c));
        match c {
            '\n' => {
                self.push(c);
                self.read_documents()
            }
            '\\' => self.escape(in_word),
            '\'' => {
                let length = self.rest.find('\'').ok_or(QUOTE)?;
                self.push(c);
                self.quoted_part(length + 1)
            }
            '"' => self.double_quoted(),
            '#' if !in_word => {
                self.push(c);
                self.in_word = false;
                self.copy(self.rest.find('\n').unwrap_or(self.rest.len()));
                Ok(())
            }
            '$' => self.dollar(),
            '`' => Err(SUBSTITUTION),
            '<' => self.less(),
            '>' if self.peek() == Some('(') => Err(SUBSTITUTION),
            '(' => {
                self.push(c);
                self.parenthesis()
            }
            '[' => {
                self.has_subscript |= self.last.is_some_and(|last| last.is_ascii_alphanumeric() || last == '_');
                self.push(c);
                Ok(())
            }
            c if (c.is_control() || c.is_whitespace()) && !matches!(c, ' ' | '\t') => Err(CHARACTER),
            c => {
                self.push(c);
                Ok(())
            }
        }
    }

    /// Copies quoted text. Shells disagree about where the here-documents of a line begin if a quote contains its end.
    fn quoted_part(&mut self, length: usize) -> Result<(), &'static str> {
        let has_line_break = self.rest.get(..length).is_some_and(|text| text.contains('\n'));
        if has_line_break && !self.pending.is_empty() {
            return Err(BODY);
        }
        self.copy(length);
        Ok(())
    }

    fn escape(&mut self, in_word: bool) -> Result<(), &'static str> {
        let before = self.last;
        match self.next() {
            Some('\n') => {
                let is_end = self.peek().is_some();
                if !self.pending.is_empty() || (is_end && joins_token(before, self.peek())) {
                    return Err(LINE);
                }
                self.in_word = in_word;
                self.normal.push_str("\\\n");
                // The shell removes both characters.
                self.last = before;
                Ok(())
            }
            Some(c) if c.is_control() => Err(CHARACTER),
            Some(c) => {
                self.normal.push('\\');
                self.push(c);
                Ok(())
            }
            None => Err(LINE),
        }
    }

    fn double_quoted(&mut self) -> Result<(), &'static str> {
        self.push('"');
        while let Some(c) = self.next() {
            match c {
                '"' => {
                    self.push(c);
                    return Ok(());
                }
                '`' => return Err(SUBSTITUTION),
                '$' if self.rest.starts_with("(cat <<") => self.read_literal()?,
                '$' => self.dollar_in_quotes()?,
                '\\' => {
                    let before = self.last;
                    self.push(c);
                    let escaped = self.next().ok_or(QUOTE)?;
                    if escaped == '\n' && (before == Some('$') || self.peek() == Some('$') || !self.pending.is_empty())
                    {
                        return Err(LINE);
                    }
                    self.push(escaped);
                }
                '\n' if !self.pending.is_empty() => return Err(BODY),
                c => self.push(c),
            }
        }
        Err(QUOTE)
    }

    /// Reads `(cat <<'E'`, a text and `)` after a `$` in double quotes, as models write a message with several lines, and
    /// pushes the text. Refuses texts of which old shells may take a part for the end of the substitution.
    fn read_literal(&mut self) -> Result<(), &'static str> {
        let rest = self.rest.strip_prefix("(cat <<").ok_or(SUBSTITUTION)?;
        let (document, length) = HereDocument::parse(rest, false).ok_or(DELIMITER)?;
        let mut rest = rest.get(length..).and_then(|rest| rest.strip_prefix('\n')).ok_or(SUBSTITUTION)?;
        if document.is_expanded || !self.pending.is_empty() {
            return Err(SUBSTITUTION);
        }
        let mut body = String::new();
        loop {
            let (line, after) = rest.split_once('\n').ok_or(BODY)?;
            rest = after;
            if document.is_end(line) {
                break;
            }
            if document.is_ambiguous(line) {
                return Err(BODY);
            }
            body.push_str(line);
            body.push('\n');
        }
        self.rest = rest.trim_start_matches([' ', '\n']).strip_prefix(')').ok_or(SUBSTITUTION)?;
        let mut depth = 0_usize;
        for c in body.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.checked_sub(1).ok_or(SUBSTITUTION)?,
                '`' => return Err(SUBSTITUTION),
                _ => {}
            }
        }
        if depth > 0 {
            return Err(SUBSTITUTION);
        }
        // The shell removes the line breaks at the end.
        for c in body.trim_end_matches('\n').chars() {
            if matches!(c, '"' | '\\' | '$') {
                self.normal.push('\\');
            }
            self.push(c);
        }
        self.has_documents = true;
        self.has_cat = true;
        Ok(())
    }

    /// Reads the text after a `$` outside quotes.
    fn dollar(&mut self) -> Result<(), &'static str> {
        // Shells disagree about `$'…'` and `$"…"`.
        if matches!(self.peek(), Some('\'' | '"')) {
            return Err(SUBSTITUTION);
        }
        self.dollar_in_quotes()
    }

    fn dollar_in_quotes(&mut self) -> Result<(), &'static str> {
        self.push('$');
        match self.peek() {
            Some('(' | '[') => Err(SUBSTITUTION),
            Some('{') => {
                let inner = self.rest.get(1..).and_then(|rest| rest.split_once('}')).map(|(inner, _)| inner);
                let length = inner.filter(|inner| is_plain_expansion(inner)).ok_or(SUBSTITUTION)?.len();
                self.copy(length + 2);
                Ok(())
            }
            // A special parameter: a `#` after the dollar begins no comment.
            Some(c) if "#?$!@*-".contains(c) => {
                self.copy(1);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn less(&mut self) -> Result<(), &'static str> {
        if self.peek() == Some('(') {
            return Err(SUBSTITUTION);
        }
        let Some(rest) = self.rest.strip_prefix('<') else {
            self.push('<');
            return Ok(());
        };
        if let Some(after) = rest.strip_prefix('<') {
            if after.starts_with(['<', '(']) {
                return Err(DELIMITER);
            }
            self.push('<');
            self.copy(2);
            return Ok(());
        }
        let (rest, strips_tabs) = rest.strip_prefix('-').map_or((rest, false), |rest| (rest, true));
        let (document, length) = HereDocument::parse(rest, strips_tabs).ok_or(DELIMITER)?;
        self.rest = rest.get(length..).unwrap_or_default();
        self.normal.push_str("<<<");
        self.pending.push((document, self.normal.len()));
        self.last = Some('\'');
        self.in_word = true;
        self.has_documents = true;
        Ok(())
    }

    /// Reads the text after `(`. Accepts `((…))` only with numbers and operators, which mean nothing else.
    fn parenthesis(&mut self) -> Result<(), &'static str> {
        let Some(rest) = self.rest.strip_prefix('(') else { return Ok(()) };
        self.has_arithmetic = true;
        let inner = rest.split_once("))").map(|(inner, _)| inner).ok_or(ARITHMETIC)?;
        let is_plain = inner.chars().all(|c| c.is_ascii_digit() || " +-*/%=!&|^~?:,".contains(c));
        if is_plain { Ok(()) } else { Err(ARITHMETIC) }
    }

    /// Reads the bodies of the here-documents that the line announced, and inserts them as here-strings.
    fn read_documents(&mut self) -> Result<(), &'static str> {
        let mut inserted = 0;
        for (document, position) in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            loop {
                if self.rest.is_empty() {
                    return Err(BODY);
                }
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if document.is_end(line) {
                    break;
                }
                if document.is_ambiguous(line) {
                    return Err(BODY);
                }
                body.push_str(document.without_tabs(line));
                body.push('\n');
            }
            let text =
                if document.is_expanded { double_quote(&body) } else { format!("'{}'", body.replace('\'', "'\\''")) };
            self.normal.insert_str(position + inserted, &text);
            inserted += text.len();
        }
        Ok(())
    }
}

/// Returns whether the text between the braces of `${…}` is a parameter, possibly with an operator and a plain text. Omits
/// operators that assign (`=`), evaluate (`@`) or name another parameter (`!`).
fn is_plain_expansion(inner: &str) -> bool {
    let name = inner.strip_prefix('#').unwrap_or(inner);
    let length = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
    let (name, operator) = name.split_at_checked(length).unwrap_or_default();
    !name.is_empty() && operator.chars().all(|c| c.is_ascii_alphanumeric() || "_:+?#%/.,- ".contains(c))
}

/// Returns the body of an expanded here-document in double quotes. There, only a quote has another meaning.
fn double_quote(body: &str) -> String {
    let mut quoted = String::from("\"");
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => match chars.next() {
                Some('"') => quoted.push_str("\\\\\\\""),
                Some(escaped) => quoted.extend(['\\', escaped]),
                None => quoted.push_str("\\\\"),
            },
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn here_documents_become_here_strings() {
        for (script, expected) in [
            ("cat <<'E' > a\n$(x) 'y'\nE\nb", "cat <<<'$(x) '\\''y'\\''\n' > a\nb"),
            ("cat <<E | b\nplain \"q\" $x \\$ \\\" \\n\nE", "cat <<<\"plain \\\"q\\\" $x \\$ \\\\\\\" \\n\n\" | b\n"),
            ("a <<A <<-\\B\n1\nA\n\t2\n\tB\nc", "a <<<\"1\n\" <<<'2\n'\nc"),
            ("(a <<E)\nx\nE\n", "(a <<<\"x\n\")\n"),
            (": '<<E' \"<<E\" \\<\\<E # <<E '", ": '<<E' \"<<E\" \\<\\<E # <<E '"),
            ("a <<<b", "a <<<b"),
            ("a \\\n  b c\\\n d", "a \\\n  b c\\\n d"),
            ("a#<b $# ${#x} ${x:-y} $$", "a#<b $# ${#x} ${x:-y} $$"),
            ("((1 + 2))", "((1 + 2))"),
            ("a 'x\ny' \"x\ny\"", "a 'x\ny' \"x\ny\""),
            (
                "a \"x$(cat <<'E'\nfix: y (#1)\n\nit's \"$z\" \\\n\nE\n)y\" b",
                "a \"xfix: y (#1)\n\nit's \\\"\\$z\\\" \\\\y\" b",
            ),
        ] {
            assert_eq!(normalize(script).as_ref().map(|normal| normal.text.as_str()), Ok(expected), "{script}");
        }
    }

    #[test]
    fn texts_that_shells_read_differently_are_refused() {
        for script in [
            "a <<$'E'\nx\nE\n",
            "a <<'\\E'\nx\nE\n",
            "a <<\rE\nx\n\rE\n",
            "a <<E\nx\n",
            "a <<E",
            "a <<E\nE\\\n\nb\nE\n",
            "a <<E\n$\\\n(b)\nE\n",
            "a <<\\\n-E\n\tE\n",
            "a <\\\n<E\nE\n",
            "((a);:\n: <<E\n: '\nE\nb #'\n)\n",
            "((1)); a <<E\nx\nE\n",
            "a <<E 'x\ny'\nE\n",
            "a <<E \\\n b\nE\n",
            "a[1<<2]=3\nb\n2\n",
            "a\rb",
            "a\u{a0}b",
            "a\u{c}b",
            "a \\\r\n",
            "a$(b)",
            "a `b`",
            "\"$(b)\"",
            "\"`b`\"",
            "${x:-$(b)}",
            "${x:=b}",
            "${!x}",
            "${x@P}",
            "$'a'",
            "$\"a\"",
            "$[1]",
            "<(a)",
            ">(a)",
            "'a",
            "\"a",
            "a$\\\n(b)",
            "\"$\\\n(b)\"",
            "a\\",
            "a <<<<b",
            "ab\\\ncd",
            "\"$(cat <<E\nx\nE\n)\"",
            "\"$(cat <<'E'\nx)\nE\n)\"",
            "\"$(cat <<'E'\n(x\nE\n)\"",
            "\"$(cat <<'E'\n`x`\nE\n)\"",
            "\"$(cat <<'E'; x\nx\nE\n)\"",
            "\"$(cat <<'E'\nx\nE\n; x)\"",
            "\"$(cat <<'E' | sh\nx\nE\n)\"",
            "\"$(cat <<'E' /etc/passwd\nx\nE\n)\"",
            "\"$(cat <<'E'\nx\n)\"",
            "a <<A \"$(cat <<'E'\nx\nE\n)\"\nA\n",
            "$(cat <<'E'\nx\nE\n)",
            "a \\\n#b",
        ] {
            assert!(normalize(script).is_err(), "{script:?}: {:?}", normalize(script));
        }
    }
}
