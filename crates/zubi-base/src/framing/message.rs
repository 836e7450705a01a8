//! The JSON-RPC 2.0 envelope: parses bodies into messages, and serializes messages.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The id of a request, which its response repeats. A number or a string; zubi itself uses numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RequestId {
    Number(i64),
    Text(String),
}

/// A message that requires a [`Response`].
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub id: RequestId,
    pub method: String,
    /// `Null` if the message has none.
    pub params: Value,
}

/// A message that gets no response.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    pub method: String,
    /// `Null` if the message has none.
    pub params: Value,
}

/// The response to a [`Request`].
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// `None` if the peer could not read the request's id.
    pub id: Option<RequestId>,
    pub result: Result<Value, ResponseError>,
}

/// The error in a response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct ResponseError {
    /// A number that JSON-RPC or LSP defines, for example -32601 for an unknown method.
    pub code: i64,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<Value>,
}

impl ResponseError {
    /// JSON-RPC 2.0, section 5.1: the body is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// JSON-RPC 2.0, section 5.1: the body is JSON, but not a request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// JSON-RPC 2.0, section 5.1: the method does not exist.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// JSON-RPC 2.0, section 5.1: the peer had an internal error.
    pub const INTERNAL_ERROR: i64 = -32603;

    /// LSP 3.18: the request was cancelled.
    pub const CANCELLED: i64 = -32800;

    pub fn method_not_found(method: &str) -> Self {
        Self { code: Self::METHOD_NOT_FOUND, message: format!("`{method}` is not supported"), data: None }
    }
}

/// One message in either direction.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Request(Request),
    Notification(Notification),
    Response(Response),
}

/// The maximum number of values in one message. A value of two bytes takes 70 bytes of memory, so the size of the body
/// does not bound the memory. The largest real responses have a million values.
const MAX_VALUES: usize = 2_000_000;

/// The reason why a body is not a message.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    #[error("not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error("neither a request nor an answer")]
    NotAMessage,
    #[error("it has more than {MAX_VALUES} values")]
    TooManyValues,
    #[error("`jsonrpc` must be \"2.0\"")]
    OtherVersion,
    #[error("`id` must be a number or a text")]
    NoId,
}

/// The fields that JSON-RPC 2.0 requires, to validate messages of strictly parsed peers.
#[derive(Deserialize)]
struct Demands {
    #[serde(default)]
    jsonrpc: Value,
    /// `Some(Null)` for an explicit `null`.
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    #[serde(default)]
    method: Value,
}

fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// All known fields of an envelope. Fields that some servers send with the wrong type are plain values, so that one
/// invalid field does not invalidate the whole message.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct MessageEnvelope {
    #[serde(default)]
    id: Value,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    result: Option<Value>,
    #[serde(default)]
    error: Value,
}

#[derive(Serialize, Default)]
struct OutgoingJson<'a> {
    jsonrpc: &'static str,
    #[expect(clippy::option_option, reason = "absent in a notification, null in the answer to an unreadable request")]
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Option<&'a RequestId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    /// Omitted if null: some servers reject `"params": null` on `shutdown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ResponseError>,
}

impl Message {
    /// Parses a body. Replaces invalid Unicode by U+FFFD: bytes that are not UTF-8, and halves of surrogate pairs,
    /// which JavaScript servers send when they cut a string inside an emoji.
    pub fn parse(body: &[u8]) -> Result<Self, MessageError> {
        // LSP has no batches, and serde would read an array as the fields in their order.
        if body.trim_ascii_start().starts_with(b"[") {
            return Err(MessageError::NotAMessage);
        }
        // A comma precedes every value except the first of its container. Commas in strings count too, which is
        // harmless at this size.
        if body.len() > MAX_VALUES && body.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count() > MAX_VALUES
        {
            return Err(MessageError::TooManyValues);
        }
        let envelope: MessageEnvelope = match serde_json::from_slice(body) {
            Ok(envelope) => envelope,
            Err(error) => match repair(body) {
                Some(repaired) => serde_json::from_str(&repaired)?,
                None => return Err(error.into()),
            },
        };
        envelope.into_message()
    }

    /// Like [`Self::parse`], but requires `"jsonrpc":"2.0"` and refuses requests with the id `null`.
    pub fn parse_strictly(body: &[u8]) -> Result<Self, MessageError> {
        let message = Self::parse(body)?;
        let demands = serde_json::from_slice::<Demands>(body).or_else(|error| match repair(body) {
            Some(repaired) => serde_json::from_str(&repaired),
            None => Err(error),
        })?;
        if demands.jsonrpc != "2.0" {
            return Err(MessageError::OtherVersion);
        }
        if demands.method.is_string() && demands.id == Some(Value::Null) {
            return Err(MessageError::NoId);
        }
        Ok(message)
    }

    /// Serializes this message as a body.
    pub fn to_body(&self) -> Vec<u8> {
        let mut outgoing = OutgoingJson { jsonrpc: "2.0", ..OutgoingJson::default() };
        match self {
            Self::Request(Request { id, method, params }) => {
                outgoing.id = Some(Some(id));
                outgoing.method = Some(method);
                outgoing.params = Some(params).filter(|params| !params.is_null());
            }
            Self::Notification(Notification { method, params }) => {
                outgoing.method = Some(method);
                outgoing.params = Some(params).filter(|params| !params.is_null());
            }
            Self::Response(Response { id, result }) => {
                outgoing.id = Some(id.as_ref());
                outgoing.result = result.as_ref().ok();
                outgoing.error = result.as_ref().err();
            }
        }
        // Serializing a `Value` fails only for maps whose keys are not strings, which `Value` cannot contain.
        serde_json::to_vec(&outgoing).unwrap_or_default()
    }
}

impl Response {
    /// Creates the JSON-RPC error response to an invalid body, with the body's id if it can be read.
    pub fn for_invalid_body(body: &[u8], error: &MessageError) -> Self {
        let (code, message) = match (serde_json::from_slice::<IgnoredAny>(body), error) {
            (Err(text), _) => (ResponseError::PARSE_ERROR, format!("not JSON: {text}")),
            (Ok(_), MessageError::NotJson(text)) => (ResponseError::INVALID_REQUEST, format!("not a message: {text}")),
            (Ok(_), error) => (ResponseError::INVALID_REQUEST, error.to_string()),
        };
        // serde would read the first element of an array as the first field.
        let is_object = code == ResponseError::INVALID_REQUEST && body.trim_ascii_start().starts_with(b"{");
        let id = if is_object { serde_json::from_slice::<Id>(body).ok().and_then(|message| message.id) } else { None };
        Self { id, result: Err(ResponseError { code, message, data: None }) }
    }
}

/// The part of a body that identifies the request.
#[derive(Deserialize)]
struct Id {
    id: Option<RequestId>,
}

impl MessageEnvelope {
    fn into_message(self) -> Result<Message, MessageError> {
        let id = match self.id {
            Value::Null => None,
            Value::String(text) => Some(RequestId::Text(text)),
            Value::Number(number) => match number.as_i64() {
                Some(number) => Some(RequestId::Number(number)),
                None => return Err(MessageError::NotAMessage),
            },
            _ => return Err(MessageError::NotAMessage),
        };
        match (self.method, id) {
            (Some(method), Some(id)) => Ok(Message::Request(Request { id, method, params: self.params })),
            (Some(method), None) => Ok(Message::Notification(Notification { method, params: self.params })),
            (None, id) if !self.error.is_null() => {
                Ok(Message::Response(Response { id, result: Err(response_error(&self.error)) }))
            }
            // A missing result means the same as `"result": null`.
            (None, Some(id)) => {
                Ok(Message::Response(Response { id: Some(id), result: Ok(self.result.unwrap_or_default()) }))
            }
            (None, None) => Err(MessageError::NotAMessage),
        }
    }
}

/// Reads an error object, with defaults for missing fields.
fn response_error(error: &Value) -> ResponseError {
    let code = error.get("code").and_then(Value::as_i64).unwrap_or(ResponseError::INTERNAL_ERROR);
    let message = match error.get("message") {
        Some(Value::String(message)) => message.clone(),
        _ => error.to_string(),
    };
    ResponseError { code, message, data: error.get("data").filter(|data| !data.is_null()).cloned() }
}

/// Replaces bytes that are not UTF-8, and escaped halves of surrogate pairs, by U+FFFD; `None` if nothing changes.
fn repair(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let changed = matches!(text, Cow::Owned(_));
    let escapes = lone_surrogates(&text);
    if escapes.is_empty() {
        return changed.then(|| text.into_owned());
    }
    let mut repaired = text.into_owned();
    for at in escapes {
        // Both escapes have six bytes, so earlier offsets stay valid.
        repaired.replace_range(at..at + 6, "\\ufffd");
    }
    Some(repaired)
}

/// Returns the byte offsets of `\udXXX` escapes without a partner.
fn lone_surrogates(json: &str) -> Vec<usize> {
    let unit =
        |at: usize| json.get(at..at + 6)?.strip_prefix("\\u").and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let mut offsets = Vec::new();
    let mut at = 0;
    while let Some(offset) = json.get(at..).and_then(|rest| rest.find('\\')) {
        at += offset;
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                offsets.push(at);
                at += 6;
            }
            // For any other escape, skips the character after the backslash too, so that `\\u` is not misread.
            _ => at += 1 + json.get(at + 1..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8),
        }
    }
    offsets
}

/// Returns the numeric id of a response that is incomplete or invalid JSON. Searches only the part before the payload,
/// in which `"id"` can only be the message's own field.
pub fn id_in_head(head: &[u8]) -> Option<i64> {
    let text = String::from_utf8_lossy(head);
    let payload = ["\"result\"", "\"error\"", "\"params\"", "\"method\""];
    let end = payload.iter().filter_map(|key| text.find(key)).min().unwrap_or(text.len());
    let (_, after) = text.get(..end)?.split_once("\"id\"")?;
    let number = after.trim_start().strip_prefix(':')?.trim_start();
    let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
    // The number may be longer if it extends to the end of the known bytes.
    number.get(digits.len()..).filter(|rest| !rest.is_empty())?;
    digits.parse().ok()
}
