//! The requests to a model, as received over the wire, and the expectations of a script.

use std::io::{self, BufRead, Read as _};

use serde_json::Value;

use super::Dialect;

/// The maximum size of a request in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// The query string without `?`.
    pub query: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

/// An expectation on a request.
#[derive(Debug, Clone)]
pub enum Expect {
    /// The value at this JSON pointer equals this.
    Equals(&'static str, Value),
    /// The value at this JSON pointer, as JSON unless it is a text, contains this.
    Contains(&'static str, String),
    /// There is no value at this JSON pointer.
    Lacks(&'static str),
    /// The number of messages, items or contents, without the instructions.
    Messages(usize),
    /// The request offers tools with these wire names.
    Tools(Vec<&'static str>),
    /// The texts of the results of calls, in order, contain these.
    Outcomes(Vec<String>),
    /// One of the results contains this.
    Outcome(&'static str),
    /// This header has this value.
    Header(&'static str, String),
}

impl Request {
    /// Reads a request; `None` if the client closes the connection first.
    pub(super) fn read(stream: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut stream = stream.take(MAX_BYTES);
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let (path, query) = (path.to_owned(), query.to_owned());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? };
        Ok(Some(Self { method, path, query, headers, body }))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Checks what every script expects: the path, and the key in its header only.
    pub(super) fn problems(&self, dialect: Dialect, key: &str) -> Vec<String> {
        let mut problems = Vec::new();
        let model = self.path.strip_prefix("/v1beta/models/").and_then(|rest| rest.rsplit_once(':'));
        let path = dialect.path(model.map(|(name, _)| name).unwrap_or_default());
        if (self.method.as_str(), &self.path) != ("POST", &path) {
            problems.push(format!("expected POST {path}, got {} {}", self.method, self.path));
        }
        if key.is_empty() {
            return problems;
        }
        let (name, prefix) = dialect.key();
        if self.header(name) != Some(&format!("{prefix}{key}")) {
            problems.push(format!("expected the key in the header {name}, which is {:?}", self.header(name)));
        }
        let other_locations = self.headers.iter().filter(|(other, value)| other != name && value.contains(key));
        let mut other_locations: Vec<&str> = other_locations.map(|(other, _)| other.as_str()).collect();
        if self.query.contains(key) || self.path.contains(key) {
            other_locations.push("the address");
        }
        if self.body.to_string().contains(key) {
            other_locations.push("the body");
        }
        if !other_locations.is_empty() {
            problems.push(format!("the key is in {}", other_locations.join(", ")));
        }
        problems
    }

    /// The messages, items or contents of the conversation, without the instructions.
    pub fn messages(&self, dialect: Dialect) -> Vec<&Value> {
        let at = match dialect {
            Dialect::OpenAiChat | Dialect::Anthropic | Dialect::Ollama => "/messages",
            Dialect::Responses => "/input",
            Dialect::Gemini => "/contents",
        };
        let all = self.body.pointer(at).and_then(Value::as_array);
        let is_conversation = |message: &&Value| !matches!(message["role"].as_str(), Some("system" | "developer"));
        all.map(Vec::as_slice).unwrap_or_default().iter().filter(is_conversation).collect()
    }

    /// The wire names of the offered tools.
    pub fn tools(&self, dialect: Dialect) -> Vec<&str> {
        let (list, name) = match dialect {
            Dialect::OpenAiChat | Dialect::Ollama => ("/tools", "/function/name"),
            Dialect::Responses | Dialect::Anthropic => ("/tools", "/name"),
            Dialect::Gemini => ("/tools/0/functionDeclarations", "/name"),
        };
        let tools = self.body.pointer(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        tools.iter().filter_map(|tool| tool.pointer(name)?.as_str()).collect()
    }

    /// The texts of the results of calls.
    pub fn outcomes(&self, dialect: Dialect) -> Vec<String> {
        let mut outcomes = Vec::new();
        for message in self.messages(dialect) {
            let parts = |at: &str| message[at].as_array().map(Vec::as_slice).unwrap_or_default().iter();
            match dialect {
                Dialect::OpenAiChat | Dialect::Ollama => {
                    outcomes.extend((message["role"] == "tool").then(|| text(&message["content"])));
                }
                Dialect::Responses => {
                    outcomes.extend((message["type"] == "function_call_output").then(|| text(&message["output"])));
                }
                Dialect::Anthropic => {
                    let results = parts("content").filter(|part| part["type"] == "tool_result");
                    outcomes.extend(results.map(|part| text(&part["content"])));
                }
                Dialect::Gemini => {
                    let results = parts("parts").filter_map(|part| part.get("functionResponse"));
                    outcomes.extend(results.map(|result| text(&result["response"])));
                }
            }
        }
        outcomes
    }
}

/// Returns a text unchanged, any other value as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Expect {
    /// Returns the difference between expectation and request, if any.
    pub(super) fn mismatch(&self, dialect: Dialect, request: &Request) -> Result<(), String> {
        let at = |pointer: &str| request.body.pointer(pointer);
        let mismatch_error = |expected: String, found: String| Err(format!("expected {expected}, found {found}"));
        match self {
            Self::Equals(pointer, value) if at(pointer) != Some(value) => mismatch_error(
                format!("{value} at {pointer}"),
                at(pointer).map_or("nothing".to_owned(), Value::to_string),
            ),
            Self::Contains(pointer, part) if !at(pointer).is_some_and(|value| text(value).contains(part)) => {
                mismatch_error(format!("`{part}` in {pointer}"), at(pointer).map_or("nothing".to_owned(), text))
            }
            Self::Lacks(pointer) if at(pointer).is_some() => {
                mismatch_error(format!("nothing at {pointer}"), at(pointer).map(text).unwrap_or_default())
            }
            Self::Messages(count) if request.messages(dialect).len() != *count => {
                mismatch_error(format!("{count} messages"), request.messages(dialect).len().to_string())
            }
            Self::Tools(names) => {
                let tools = request.tools(dialect);
                if names.iter().all(|name| tools.contains(name)) {
                    return Ok(());
                }
                mismatch_error(format!("the tools {}", names.join(", ")), tools.join(", "))
            }
            Self::Outcomes(texts) => {
                let outcomes = request.outcomes(dialect);
                if outcomes.len() == texts.len() && outcomes.iter().zip(texts).all(|(it, part)| it.contains(part)) {
                    return Ok(());
                }
                mismatch_error(format!("outcomes with {texts:?}"), format!("{outcomes:?}"))
            }
            Self::Outcome(part) if !request.outcomes(dialect).iter().any(|it| it.contains(part)) => {
                mismatch_error(format!("an outcome with `{part}`"), format!("{:?}", request.outcomes(dialect)))
            }
            Self::Header(name, value) if request.header(name) != Some(value) => {
                mismatch_error(format!("{name}: {value}"), request.header(name).unwrap_or("none").to_owned())
            }
            _ => Ok(()),
        }
    }
}
