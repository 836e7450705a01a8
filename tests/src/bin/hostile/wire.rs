//! Messages of the base protocol, read and written by hand: a library would repair what the tests break on purpose.

use std::io::{self, BufRead, Write as _};

use serde_json::Value;

/// Reads the next message; `None` at the end of the input.
pub(crate) fn read_message(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((_, number)) = line.split_once("Content-Length:") {
            length = number.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    serde_json::from_slice(&body).map(Some).map_err(io::Error::other)
}

/// A message with its header.
pub(crate) fn frame_message(message: &Value) -> Vec<u8> {
    frame(message.to_string().as_bytes())
}

/// Any bytes with a correct header.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// Sends one message.
pub(crate) fn send(message: &Value) -> io::Result<()> {
    write(&frame_message(message))
}

/// Writes to the output in one operation, without mixing with other threads.
pub(crate) fn write(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}
