//! The lines of the handshake, before a connection exists.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::auth::MAX_LINE;

/// Reads one line without its line end. `None` if the stream ends first, if the line is longer than [`MAX_LINE`], or if
/// the first byte is not a brace: a peer with another protocol is dropped early.
pub(crate) async fn read_line<R: AsyncBufRead + Unpin>(input: &mut R) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    loop {
        let buffered = input.fill_buf().await?;
        if buffered.is_empty() {
            return Ok(None);
        }
        let newline = buffered.iter().position(|byte| *byte == b'\n');
        let added = buffered.get(..newline.unwrap_or(buffered.len())).unwrap_or(buffered);
        if line.len() + added.len() > MAX_LINE {
            return Ok(None);
        }
        line.extend_from_slice(added);
        let consumed = added.len() + usize::from(newline.is_some());
        input.consume(consumed);
        if line.first().is_some_and(|first| *first != b'{') {
            return Ok(None);
        }
        if newline.is_some() {
            return Ok(Some(line));
        }
    }
}

pub(crate) async fn write_line<W: AsyncWrite + Unpin>(output: &mut W, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    output.write_all(&line).await?;
    output.flush().await
}
