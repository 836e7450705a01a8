//! Connection over two byte streams: decodes and encodes messages.
//!
//! A body that is not a valid message is answered as JSON-RPC defines, and the connection continues. An invalid header
//! ends it, because the start of the next message is unknown.

use std::io::{self, Read, Write};

use crossbeam_channel::{Receiver, Sender};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use zubi_base::framing::{self, Frame, FrameDecoder, MAX_BODY_BYTES};

use crate::client::{ClientHandle, OutgoingMessage};

/// Size of a read, in bytes: the capacity of a Linux pipe.
const CHUNK_BYTES: usize = 64 * 1024;

/// Forwards the client's messages until it sends `exit`, its stream ends, or the receiver is closed.
///
/// # Errors
///
/// Fails if reading fails, or the input is not the protocol.
pub(crate) fn read(mut input: impl Read, to: &Sender<Message>, client: &ClientHandle) -> io::Result<()> {
    let mut decoder = FrameDecoder::strict(MAX_BODY_BYTES);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        while let Some(frame) = decoder.next_frame().map_err(|error| no_header(&error))? {
            match decode_frame(&frame) {
                FrameContent::Message(message) => {
                    let is_exit = matches!(&message, Message::Notification(it) if it.method == "exit");
                    if to.send(message).is_err() || is_exit {
                        return Ok(());
                    }
                }
                FrameContent::Refused(answer) => client.answer_no_message(answer),
                FrameContent::Ignored(reason) => tracing::warn!("ignoring a response of the client: {reason}"),
            }
        }
        match input.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => decoder.feed(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Writes the server's messages until it ends.
///
/// # Errors
///
/// Fails if writing fails because the client no longer reads.
pub(crate) fn write(outgoing: &Receiver<OutgoingMessage>, mut output: impl Write) -> io::Result<()> {
    for next in outgoing {
        let bytes = match next {
            OutgoingMessage::Message(message) => {
                let mut bytes = Vec::new();
                message.write(&mut bytes)?;
                bytes
            }
            OutgoingMessage::NoMessage(answer) => framing::frame(&framing::Message::Response(answer).to_body()),
            OutgoingMessage::End => break,
        };
        output.write_all(&bytes)?;
        output.flush()?;
    }
    Ok(())
}

fn no_header(error: &framing::NotJsonRpc) -> io::Error {
    let message = format!("expected a header with `Content-Length`, got: {}", error.sample);
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Content of a frame.
enum FrameContent {
    Message(Message),
    /// An invalid message, with the error response.
    Refused(framing::Response),
    /// A response without a request. Responses are never answered.
    Ignored(String),
}

fn decode_frame(frame: &Frame) -> FrameContent {
    let body = match frame {
        Frame::Body(body) => body,
        Frame::TooLarge { bytes, head } => return FrameContent::Refused(too_large(*bytes, head)),
    };
    match framing::Message::parse(body) {
        Ok(framing::Message::Request(framing::Request { id, method, params })) => match id_of(&id) {
            Some(id) => FrameContent::Message(Message::Request(Request { id, method, params })),
            None => FrameContent::Refused(refusal(Some(id), "the id must be a string or a 32-bit integer".to_owned())),
        },
        Ok(framing::Message::Notification(framing::Notification { method, params })) => {
            FrameContent::Message(Message::Notification(Notification { method, params }))
        }
        Ok(framing::Message::Response(framing::Response { id, result })) => match id.as_ref().and_then(id_of) {
            Some(id) => {
                FrameContent::Message(Message::Response(Response { id, response_result: result.map_err(error_of) }))
            }
            None => FrameContent::Ignored(match result {
                // An error response to one of our messages that the client could not parse.
                Err(error) => error.to_string(),
                Ok(_) => "there is no request with its id".to_owned(),
            }),
        },
        Err(error) => FrameContent::Refused(framing::Response::for_invalid_body(body, &error)),
    }
}

/// Converts an id to LSP's type; `None` if LSP does not allow it.
fn id_of(id: &framing::RequestId) -> Option<RequestId> {
    match id {
        framing::RequestId::Number(number) => i32::try_from(*number).ok().map(RequestId::from),
        framing::RequestId::Text(text) => Some(RequestId::from(text.clone())),
    }
}

fn error_of(error: framing::ResponseError) -> ResponseError {
    let code = i32::try_from(error.code).unwrap_or(ErrorCode::UnknownErrorCode as i32);
    ResponseError { code, message: error.message, data: error.data }
}

fn too_large(bytes: u64, head: &[u8]) -> framing::Response {
    // The id of a response is one of ours, which is meaningless to the client.
    let is_request = head.windows(8).any(|window| window == b"\"method\"");
    let id = if is_request { framing::id_in_head(head) } else { None };
    let reason = format!("the message has {bytes} bytes; the limit is {MAX_BODY_BYTES}");
    refusal(id.map(framing::RequestId::Number), reason)
}

fn refusal(id: Option<framing::RequestId>, message: String) -> framing::Response {
    let code = framing::ResponseError::INVALID_REQUEST;
    framing::Response { id, result: Err(framing::ResponseError { code, message, data: None }) }
}
