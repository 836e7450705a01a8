//! A byte stream as lines, of which no more is kept than a bound says. Of a longer line only both ends are looked at: they
//! tell whose answer it wants.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use super::RequestId;

/// How much of either end of a line that is too long is kept, in bytes. An id stands before a message's payload or, as
/// many clients write it, after it.
const END: usize = 1024;

/// A line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Whole(Vec<u8>),
    /// Only whose it is, where that can be told, and how many bytes it had.
    TooLong {
        id: Option<RequestId>,
        length: usize,
        /// Whether it begins as an answer does; else it may be a request.
        answers: bool,
    },
}

/// Reads lines from a stream.
#[derive(Debug)]
pub struct Lines<R> {
    input: BufReader<R>,
    longest: usize,
    /// What is known of the line that has begun: all of it, or its beginning.
    kept: Vec<u8>,
    /// Its end, where it is too long.
    end: Vec<u8>,
    length: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Hands out lines of at most `longest` bytes.
    pub fn new(input: R, longest: usize) -> Self {
        Self { input: BufReader::new(input), longest, kept: Vec::new(), end: Vec::new(), length: 0 }
    }

    /// The next line; `None` when the stream has ended. What it ends with counts as a line, though nothing ends that.
    ///
    /// Cancel-safe: when the future is dropped, no byte is lost.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let there = self.input.fill_buf().await?;
            if there.is_empty() {
                return Ok((self.length > 0).then(|| self.take()));
            }
            let newline = there.iter().position(|byte| *byte == b'\n');
            let new = there.get(..newline.unwrap_or(there.len())).unwrap_or(there);
            if self.length + new.len() <= self.longest {
                self.kept.extend_from_slice(new);
            } else {
                if self.length <= self.longest {
                    self.end = self.kept.split_off(self.kept.len().min(END));
                }
                self.end.extend_from_slice(new);
                let surplus = self.end.len().saturating_sub(END);
                self.end.drain(..surplus);
            }
            self.length += new.len();
            let consumed = new.len() + usize::from(newline.is_some());
            self.input.consume(consumed);
            if newline.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> Line {
        let (kept, end) = (std::mem::take(&mut self.kept), std::mem::take(&mut self.end));
        let length = std::mem::take(&mut self.length);
        if length <= self.longest {
            return Line::Whole(kept);
        }
        Line::TooLong { id: id(&kept, &end), length, answers: answers(&kept) }
    }
}

/// A line without what does not belong to its message: blanks, and a byte order mark, which RFC 8259 (section 8.1) lets a
/// reader pass over.
pub fn text(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii()
}

/// Whether the first field that only one kind of message has is one of an answer.
fn answers(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let first = |keys: &[&str]| keys.iter().filter_map(|key| head.find(key)).min().unwrap_or(head.len());
    first(&["\"result\"", "\"error\""]) < first(&["\"method\"", "\"params\""])
}

/// The id of a message of which both ends are known: before its payload, or as the last field of all.
fn id(head: &[u8], end: &[u8]) -> Option<RequestId> {
    let head = String::from_utf8_lossy(head);
    let payload = ["\"result\"", "\"error\"", "\"params\"", "\"method\""];
    let before = payload.iter().filter_map(|key| head.find(key)).min().unwrap_or(head.len());
    let before = head.get(..before).and_then(|head| head.split_once("\"id\"")).map(|(_, after)| after);
    let end = String::from_utf8_lossy(end);
    // The last brace of all ends the message itself, so the field before it is the message's.
    let last = || {
        let (_, after) = end.trim_end().strip_suffix('}')?.rsplit_once("\"id\"")?;
        Some(format!("{after},"))
    };
    before.and_then(value).or_else(|| value(&last()?))
}

/// The value after a field's name, if it is one of an id's and ends within the text.
fn value(after: &str) -> Option<RequestId> {
    let after = after.trim_start().strip_prefix(':')?.trim_start();
    let mut values = serde_json::Deserializer::from_str(after).into_iter::<RequestId>();
    let id = values.next()?.ok()?;
    after.get(values.byte_offset()..)?.trim_start().starts_with(',').then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], longest: usize) -> Vec<Line> {
        let mut lines = Lines::new(text, longest);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn lines_are_kept_to_a_bound() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        let long = |id, length| Line::TooLong { id, length, answers: false };
        assert_eq!(lines(b"ab\n\r\ncde\n", 3).await, [whole("ab"), whole("\r"), whole("cde")]);
        assert_eq!(lines(b"abcd\nab\nabcdefgh", 3).await, [long(None, 4), whole("ab"), long(None, 8)]);
        assert_eq!(lines(b"", 3).await, []);
        // Longer than what the reader has at once.
        let text = format!("{{\"id\": 7, \"params\": \"{}\"}}\nx", "a".repeat(100_000));
        assert_eq!(
            lines(text.as_bytes(), 50_000).await,
            [long(Some(RequestId::Number(7)), text.len() - 2), whole("x")]
        );
    }

    #[test]
    fn an_id_is_found_at_either_end() {
        let number = |number| Some(RequestId::Number(number));
        for (head, end, expected) in [
            (r#"{"jsonrpc":"2.0","id":12,"method":"x","params":{"a":"#, "aaa", number(12)),
            (r#"{"id":"a-1","method":"#, "", Some(RequestId::Text("a-1".to_owned()))),
            (r#"{"method":"x","params":{"id":3"#, r#""}}"#, None),
            (r#"{"method":"x","params":{"id":3"#, r#"aa"},"jsonrpc":"2.0","id":5}"#, number(5)),
            (r#"{"method":"x","params":{"a":"#, r#"aa"}, "id" : "z" } "#, Some(RequestId::Text("z".to_owned()))),
            // Of something within, and a part of a text.
            (r#"{"method":"x","params":{"a":"#, r#"aa", "id":5}}"#, None),
            (r#"{"method":"x","params":{"a":"#, r#"aa\"id\":5}"#, None),
            (r#"{"id":1"#, "", None),
            (r#"{"id":1.5,"method""#, "", None),
            (r#"{"id":{"a":1},"method""#, "", None),
            ("\u{fffd}", "", None),
        ] {
            assert_eq!(id(head.as_bytes(), end.as_bytes()), expected, "{head} … {end}");
        }
    }
}
