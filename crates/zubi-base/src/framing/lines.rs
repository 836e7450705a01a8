//! Splits a byte stream into lines, with bounded memory. It stores only both ends of a line over the bound, which
//! identify the request that needs a response.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use super::RequestId;

/// The number of bytes stored of either end of a line over the bound. An id comes before a message's payload or, as
/// many clients write it, after it.
const END: usize = 1024;

/// A line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputLine {
    Complete(Vec<u8>),
    /// A line over the bound, with its id if it can be read, and its length in bytes.
    TooLong {
        id: Option<RequestId>,
        length: usize,
        /// Whether the line begins like a response; otherwise it may be a request.
        answers: bool,
    },
}

/// Reads lines from a stream.
#[derive(Debug)]
pub struct LineReader<R> {
    input: BufReader<R>,
    longest: usize,
    /// The stored part of the current line: the whole line, or its first [`END`] bytes.
    stored: Vec<u8>,
    /// The last [`END`] bytes of the current line, if it is over the bound.
    end: Vec<u8>,
    length: usize,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Creates a reader of lines of at most `longest` bytes.
    pub fn new(input: R, longest: usize) -> Self {
        Self { input: BufReader::new(input), longest, stored: Vec::new(), end: Vec::new(), length: 0 }
    }

    /// Returns the next line; `None` when the stream has ended. Bytes at the end of the stream count as a line even
    /// without a line end.
    ///
    /// Cancel-safe: dropping the future loses no byte.
    pub async fn next(&mut self) -> io::Result<Option<InputLine>> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok((self.length > 0).then(|| self.take()));
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let new = available.get(..newline.unwrap_or(available.len())).unwrap_or(available);
            if self.length + new.len() <= self.longest {
                self.stored.extend_from_slice(new);
            } else {
                if self.length <= self.longest {
                    self.end = self.stored.get(self.stored.len().saturating_sub(END)..).unwrap_or_default().to_vec();
                    self.stored.truncate(END);
                }
                let missing = END.saturating_sub(self.stored.len()).min(new.len());
                self.stored.extend_from_slice(new.get(..missing).unwrap_or_default());
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

    fn take(&mut self) -> InputLine {
        let (head, end) = (std::mem::take(&mut self.stored), std::mem::take(&mut self.end));
        let length = std::mem::take(&mut self.length);
        if length <= self.longest {
            return InputLine::Complete(head);
        }
        InputLine::TooLong { id: id(&head, &end), length, answers: answers(&head) }
    }
}

/// Returns a line without surrounding blanks and without a byte order mark, which RFC 8259 (section 8.1) lets a reader
/// ignore.
pub fn text(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii()
}

/// Whether the field of a response comes before the first field of a request.
fn answers(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let first = |keys: &[&str]| keys.iter().filter_map(|key| head.find(key)).min().unwrap_or(head.len());
    first(&["\"result\"", "\"error\""]) < first(&["\"method\"", "\"params\""])
}

/// Finds the id in the two ends of a message: before its payload, or as its last field.
fn id(head: &[u8], end: &[u8]) -> Option<RequestId> {
    let head = String::from_utf8_lossy(head);
    let payload = ["\"result\"", "\"error\"", "\"params\"", "\"method\""];
    let before = payload.iter().filter_map(|key| head.find(key)).min().unwrap_or(head.len());
    let before = head.get(..before).and_then(|head| head.split_once("\"id\"")).map(|(_, after)| after);
    let end = String::from_utf8_lossy(end);
    // The last brace ends the message itself, so the field before it is a field of the message.
    let last = || {
        let (_, after) = end.trim_end().strip_suffix('}')?.rsplit_once("\"id\"")?;
        Some(format!("{after},"))
    };
    before.and_then(value).or_else(|| value(&last()?))
}

/// Parses the value after a field's name; `None` if it is not a complete id.
fn value(after: &str) -> Option<RequestId> {
    let after = after.trim_start().strip_prefix(':')?.trim_start();
    let mut values = serde_json::Deserializer::from_str(after).into_iter::<RequestId>();
    let id = values.next()?.ok()?;
    after.get(values.byte_offset()..)?.trim_start().starts_with(',').then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], longest: usize) -> Vec<InputLine> {
        let mut lines = LineReader::new(text, longest);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn line_length_is_bounded() {
        let complete = |text: &str| InputLine::Complete(text.as_bytes().to_vec());
        let long = |id, length| InputLine::TooLong { id, length, answers: false };
        assert_eq!(lines(b"ab\n\r\ncde\n", 3).await, [complete("ab"), complete("\r"), complete("cde")]);
        assert_eq!(lines(b"abcd\nab\nabcdefgh", 3).await, [long(None, 4), complete("ab"), long(None, 8)]);
        assert_eq!(lines(b"", 3).await, []);
        // Longer than the reader's buffer.
        let text = format!("{{\"id\": 7, \"params\": \"{}\"}}\nx", "a".repeat(100_000));
        assert_eq!(
            lines(text.as_bytes(), 50_000).await,
            [long(Some(RequestId::Number(7)), text.len() - 2), complete("x")]
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
            // The id of a nested object, and a part of a string.
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
    #[test]
    fn answers_are_distinguished_from_requests() {
        for (head, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":{"method":"#, true),
            (r#"{"id":1,"error":{"#, true),
            (r#"{"method":"x","params":{"result":"#, false),
            (r#"{"params":{"result":"#, false),
            (r#"{"id":1"#, false),
        ] {
            assert_eq!(answers(head.as_bytes()), expected, "{head}");
        }
    }

    #[test]
    fn blanks_and_byte_order_marks_are_skipped() {
        for line in [&b"{}"[..], b" {}\t\r", b"\xEF\xBB\xBF{}\r"] {
            assert_eq!(text(line), b"{}");
        }
        assert_eq!(text(b"\xEF\xBB\xBF\r"), b"");
    }

    /// A reader that returns its chunks one by one.
    struct ChunkedReader(std::collections::VecDeque<Vec<u8>>);

    impl AsyncRead for ChunkedReader {
        fn poll_read(
            mut self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
            buffer: &mut tokio::io::ReadBuf<'_>,
        ) -> std::task::Poll<io::Result<()>> {
            if let Some(part) = self.0.pop_front() {
                buffer.put_slice(&part);
            }
            std::task::Poll::Ready(Ok(()))
        }
    }

    fn split_lines(bytes: &[u8], cuts: &[usize], longest: usize) -> Vec<InputLine> {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        cuts.dedup();
        let parts = cuts.windows(2).map(|cut| bytes[cut[0]..cut[1]].to_vec()).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut lines = LineReader::new(ChunkedReader(parts), longest);
            let mut all = Vec::new();
            while let Some(line) = lines.next().await.unwrap() {
                all.push(line);
            }
            all
        })
    }

    #[test]
    fn lines_survive_a_split_at_any_byte() {
        let text = "{\"a\":\"ä€😀\"}\n\n{\"id\":7,\"params\":\"too long\"}\nend".as_bytes();
        let complete = split_lines(text, &[], 16);
        assert_eq!(complete.len(), 4);
        for cut in 0..=text.len() {
            assert_eq!(split_lines(text, &[cut], 16), complete, "cut at {cut}");
        }
        assert_eq!(split_lines(text, &(0..text.len()).collect::<Vec<_>>(), 16), complete, "split at each byte");
    }

    proptest::proptest! {
        #[test]
        fn lines_do_not_depend_on_chunks(
            bytes in proptest::collection::vec(proptest::prop_oneof![
                3 => proptest::prelude::Just(b'\n'), 1 => proptest::prelude::any::<u8>(), 8 => proptest::prelude::Just(b'x')
            ], 0..400),
            cuts in proptest::collection::vec(proptest::prelude::any::<usize>(), 0..20),
            longest in 0_usize..40,
        ) {
            let lines = split_lines(&bytes, &cuts, longest);
            let mut expected: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            // The empty text after the last line end is not a line.
            if expected.last().is_some_and(|last| last.is_empty()) {
                expected.pop();
            }
            proptest::prop_assert_eq!(lines.len(), expected.len());
            for (line, expected) in lines.iter().zip(expected) {
                match line {
                    InputLine::Complete(line) => proptest::prop_assert_eq!(line.as_slice(), expected),
                    InputLine::TooLong { length, .. } => {
                        proptest::prop_assert!(expected.len() > longest);
                        proptest::prop_assert_eq!(*length, expected.len());
                    }
                }
            }
        }
    }
}
