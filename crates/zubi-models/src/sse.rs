//! Parses server-sent events (WHATWG HTML, 9.2.6) from bytes in chunks of any size. Uses neither I/O nor a clock.
//!
//! It accepts more than the standard, because model servers send it: `data:` without a blank line before the end, the
//! field `error` instead of the event `error`, and a line of bare JSON.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The event's name; empty unless the server gave one.
    pub name: String,
    pub data: String,
}

/// The error for an event that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

/// A decoder from bytes to events.
#[derive(Debug)]
pub struct SseDecoder {
    /// The maximum length of one line and of one event, in bytes.
    limit: usize,
    line: Vec<u8>,
    /// Whether the last byte was a carriage return: a line feed after it belongs to the same line end.
    after_return: bool,
    is_first_line: bool,
    name: String,
    data: Option<String>,
}

impl SseDecoder {
    /// Creates a decoder for events and lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), after_return: false, is_first_line: true, name: String::new(), data: None }
    }

    /// Appends the events that end in these bytes to `events`.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        let mut rest = bytes;
        if self.after_return && !rest.is_empty() {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.after_return = false;
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, line_end) = rest.split_at(end);
            self.append(line)?;
            self.end_line(events)?;
            rest = match line_end {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.append(rest)
    }

    /// Returns the last event if the bytes ended before the event did. It may be truncated.
    pub fn finish(mut self) -> Vec<SseEvent> {
        let mut events = Vec::new();
        // A line that is too long has been refused before.
        let _ = self.end_line(&mut events);
        self.dispatch(&mut events);
        events
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + bytes.len() > self.limit {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let mut line = line.as_ref();
        if std::mem::take(&mut self.is_first_line) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(events);
            return Ok(());
        }
        if line.starts_with('{') {
            self.dispatch(events);
            events.push(SseEvent { name: String::new(), data: line.to_owned() });
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                let data = self.data.get_or_insert_default();
                if data.len() + value.len() >= self.limit {
                    return Err(TooLong);
                }
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(value);
            }
            "event" => value.clone_into(&mut self.name),
            "error" => {
                self.dispatch(events);
                events.push(SseEvent { name: "error".to_owned(), data: value.to_owned() });
            }
            // Comments, which only maintain the connection, `id`, `retry`, and unknown fields.
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, events: &mut Vec<SseEvent>) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            events.push(SseEvent { name, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;

    use super::*;

    /// Returns the events of a text, fed in chunks of `chunk_size` bytes.
    fn decode(bytes: &[u8], chunk_size: usize) -> Result<Vec<SseEvent>, TooLong> {
        let mut decoder = SseDecoder::new(64);
        let mut events = Vec::new();
        for chunk in bytes.chunks(chunk_size) {
            decoder.push(chunk, &mut events)?;
        }
        events.extend(decoder.finish());
        Ok(events)
    }

    /// Returns one line for each event, and checks that the result is independent of the chunks.
    fn check(text: &str) -> String {
        let complete = decode(text.as_bytes(), usize::MAX);
        for chunk_size in 1..8 {
            assert_eq!(decode(text.as_bytes(), chunk_size), complete, "in chunks of {chunk_size}");
        }
        match complete {
            Ok(events) => {
                events.iter().map(|event| format!("{:?} {:?}", event.name, event.data)).collect::<Vec<_>>().join("\n")
            }
            Err(TooLong) => "too long".to_owned(),
        }
    }

    #[test]
    fn events() {
        assert_snapshot!(check("data: a\n\ndata:b\n\ndata:  c\n\n"), @r#"
        "" "a"
        "" "b"
        "" " c"
        "#);
        assert_snapshot!(check("\u{feff}data: a\r\ndata: b\r\n\r\nevent: ping\rdata\r\r: comment\r\nid: 1\nretry: 3\n\n"), @r#"
        "" "a\nb"
        "ping" ""
        "#);
        assert_snapshot!(check("event: gone\n\ndata: é\u{1f600}\n\ndata: no end"), @r#"
        "" "é😀"
        "" "no end"
        "#);
        assert_snapshot!(check("data: a\n{\"b\": 1}\nerror: {\"c\": 2}\n\n{\"d\": 3}"), @r#"
        "" "a"
        "" "{\"b\": 1}"
        "error" "{\"c\": 2}"
        "" "{\"d\": 3}"
        "#);
        assert_snapshot!(check(&format!("data: {}\n\n", "x".repeat(58))), @r#""" "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx""#);
        assert_snapshot!(check(&format!("data: {}\n\n", "x".repeat(59))), @"too long");
        assert_snapshot!(check(&"data: 123456\n".repeat(10)), @"too long");
        assert_snapshot!(check(""), @"");
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        let events = decode(b"data: a\xff\xf0\x9f\n\n", 1).unwrap();
        assert_eq!(events, [SseEvent { name: String::new(), data: "a\u{fffd}\u{fffd}".to_owned() }]);
    }

    proptest! {
        #[test]
        fn chunks_do_not_change_the_events(text in "(data: ?|event:|:|[a{é]|\r\n|\n|\r){0,30}", chunk_size in 1_usize..9) {
            prop_assert_eq!(decode(text.as_bytes(), chunk_size), decode(text.as_bytes(), usize::MAX));
        }
    }
}
