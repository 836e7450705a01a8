//! The connection over two byte streams: bytes to messages, and messages to bytes.
//!
//! A body that is no message is answered as JSON-RPC has it, and the conversation goes on. Where a message begins is known
//! no more once a header cannot be read, so that ends it.

use std::io::{self, Read, Write};

use crossbeam_channel::{Receiver, Sender};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use zubi_base::framing::{self, Decoder, Frame, MAX_BODY_BYTES};

use crate::client::{ClientHandle, OutgoingMessage};

/// How much is read at once, in bytes: what a Linux pipe holds.
const CHUNK_BYTES: usize = 64 * 1024;

/// Passes on what the client says, until it says `exit`, its stream ends, or nobody listens any more.
///
/// # Errors
///
/// When reading fails, or something comes that is not the protocol.
pub(crate) fn read(mut input: impl Read, to: &Sender<Message>, client: &ClientHandle) -> io::Result<()> {
    let mut decoder = Decoder::strict(MAX_BODY_BYTES);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        while let Some(frame) = decoder.next_frame().map_err(|error| no_header(&error))? {
            match decode_frame(&frame) {
                FrameContent::Message(message) => {
                    let is_exit = matches!(&message, Message::Notification(told) if told.method == "exit");
                    if to.send(message).is_err() || is_exit {
                        return Ok(());
                    }
                }
                FrameContent::Refused(answer) => client.answer_no_message(answer),
                FrameContent::PassedOver(why) => tracing::warn!("an answer of the client is passed over: {why}"),
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

/// Writes what the server says, until it is over.
///
/// # Errors
///
/// When writing fails: the client does not listen any more.
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
    let what = format!("expected a header with `Content-Length`, got: {}", error.sample);
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// What a frame is.
enum FrameContent {
    Message(Message),
    /// No message, which the client is told.
    Refused(framing::Response),
    /// An answer that nobody waits for. There is no answer to an answer.
    PassedOver(String),
}

fn decode_frame(frame: &Frame) -> FrameContent {
    let body = match frame {
        Frame::Body(body) => body,
        Frame::TooLarge { bytes, head } => return FrameContent::Refused(too_large(*bytes, head)),
    };
    match framing::Message::parse(body) {
        Ok(framing::Message::Request(framing::Request { id, method, params })) => match id_of(&id) {
            Some(id) => FrameContent::Message(Message::Request(Request { id, method, params })),
            None => FrameContent::Refused(refusal(Some(id), "the id is no text and no integer of 32 bits".to_owned())),
        },
        Ok(framing::Message::Notification(framing::Notification { method, params })) => {
            FrameContent::Message(Message::Notification(Notification { method, params }))
        }
        Ok(framing::Message::Response(framing::Response { id, result })) => match id.as_ref().and_then(id_of) {
            Some(id) => FrameContent::Message(Message::Response(Response { id, response_result: result.map_err(error_of) })),
            None => FrameContent::PassedOver(match result {
                // What it could not read was ours.
                Err(error) => error.to_string(),
                Ok(_) => "nothing was asked with its id".to_owned(),
            }),
        },
        Err(error) => FrameContent::Refused(framing::Response::to_no_message(body, &error)),
    }
}

/// As LSP has ids; nothing if it does not have this one.
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
    // The id of an answer is one of ours, which would tell the client nothing.
    let is_request = head.windows(8).any(|window| window == b"\"method\"");
    let id = if is_request { framing::id_in_head(head) } else { None };
    let what = format!("the message has {bytes} bytes; at most {MAX_BODY_BYTES} are read");
    refusal(id.map(framing::RequestId::Number), what)
}

fn refusal(id: Option<framing::RequestId>, message: String) -> framing::Response {
    let code = framing::ResponseError::INVALID_REQUEST;
    framing::Response { id, result: Err(framing::ResponseError { code, message, data: None }) }
}
