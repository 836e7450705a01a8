//! The meaning of a provider's refusal: one interpretation of statuses, bodies and `Retry-After` for all APIs.
//!
//! Errors contain the provider's own message, because it names details that zubi cannot know; on one line, truncated,
//! and without keys.

use std::time::Duration;

use reqwest::header::{self, HeaderMap};
use serde_json::Value;
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_base::escape;
use zubi_tool_api::redact::Redactor;

use super::{ErrorKind, ModelError};

/// The maximum length of a provider's message, in characters.
const MAX_CHARS: usize = 400;
/// The maximum size of a refusal's body, in bytes; the largest useful ones are pages of gateways.
pub const MAX_BODY: usize = 64 * 1024;
/// The longest accepted wait before a retry.
const MAX_WAIT: Duration = Duration::from_hours(24);

/// The texts with which providers report that a prompt is too long, in lower case: OpenAI, Anthropic, Gemini,
/// llama.cpp, vLLM, Ollama, Mistral, Groq, Bedrock, xAI, LM Studio, GitHub Models, in no order.
const TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "prompt is too long",
    "exceed context limit",
    "exceeds the maximum number of tokens",
    "exceed_context_size",
    "exceeds the available context size",
    "exceeds the context length",
    "exceeds maximum context length",
    "reduce the length of the messages",
    "input is too long",
    "maximum prompt length",
    "greater than the context length",
    "tokens_limit_reached",
    "max_prompt_tokens_exceeded",
    "request_too_large",
];

/// The texts with which providers report an invalid key although the status has another meaning.
const NO_KEY: &[&str] =
    &["api_key_invalid", "api key not valid", "invalid_api_key", "invalid api key", "authentication_error"];

/// The texts with which providers report that a model does not exist although the status has another meaning.
const NO_MODEL: &[&str] =
    &["model_not_found", "unknown_model", "model does not exist", "is not a valid model", "no such model"];

/// The error kinds of refusals with these codes, for refusals without a status, in the middle of an answer.
const CODES: &[(&str, ErrorKind)] = &[
    ("insufficient_quota", ErrorKind::Refused),
    ("billing", ErrorKind::Refused),
    ("authentication", ErrorKind::Unauthorized),
    ("permission", ErrorKind::Unauthorized),
    ("unauthenticated", ErrorKind::Unauthorized),
    ("rate_limit", ErrorKind::RateLimited),
    ("resource_exhausted", ErrorKind::RateLimited),
    ("too_many_requests", ErrorKind::RateLimited),
    ("not_found", ErrorKind::NotConfigured),
    ("invalid_request", ErrorKind::Refused),
    ("invalid_argument", ErrorKind::Refused),
    ("content_filter", ErrorKind::Refused),
];

/// Converts a response with an error status. `body` is the part of the body that was read.
pub fn from_response(provider: &str, status: u16, headers: &HeaderMap, body: &str, redactor: &Redactor) -> ModelError {
    let body = ErrorBody::read(body);
    let reason = reqwest::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let status_text = reason.map_or_else(|| status.to_string(), |reason| format!("{status} {reason}"));
    if (300..400).contains(&status) {
        // The target of the redirect may contain a private parameter.
        return ModelError::new(
            ErrorKind::NotConfigured,
            format!(
                "{provider} answers {status_text}: it is a redirect, and zubi does not send a key elsewhere; configure the address of the API itself"
            ),
        );
    }
    let words = sanitize_words(&body.words, redactor);
    let colon = if words.is_empty() { "" } else { ": " };
    let mut error =
        ModelError::new(kind(Some(status), &body), format!("{provider} answers {status_text}{colon}{words}"));
    error.retry_after = retry_after(headers).or(body.wait);
    error
}

/// Converts an error in the middle of an answer: the object that contains it, or the error itself.
pub fn in_stream(provider: &str, error: &Value, redactor: &Redactor) -> ModelError {
    let body = ErrorBody::from_json(error);
    let status = body.status.filter(|status| (400..600).contains(status));
    let words = sanitize_words(&body.words, redactor);
    let words = if words.is_empty() { "an error without a message" } else { words.as_str() };
    let mut error = ModelError::new(kind(status, &body), format!("{provider} broke its answer off: {words}"));
    error.retry_after = body.wait;
    error
}

/// Returns a provider's text on one line, shortened, without secrets.
pub fn sanitize_words(words: &str, redactor: &Redactor) -> String {
    // Redact before shortening, because the redactor does not recognize half a key.
    let words = redactor.text(words);
    let mut line = String::new();
    let mut count = 0;
    for word in words.split_whitespace() {
        let word = escape::printable(word);
        count += word.chars().count() + 1;
        if count > MAX_CHARS {
            let remaining = (MAX_CHARS + word.chars().count() + 1).saturating_sub(count);
            line.push(' ');
            line.extend(word.chars().take(remaining));
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    line
}

/// Returns how long the headers request to wait: in milliseconds as OpenAI does, in seconds, or until a date (RFC 9110,
/// 10.2.3).
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = text("retry-after-ms").and_then(|text| text.parse().ok()).map(Duration::from_millis);
    let wait = milliseconds.or_else(|| {
        let value = text(header::RETRY_AFTER.as_str())?;
        let seconds = value.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        seconds.or_else(|| {
            let date = httpdate::parse_http_date(value).ok()?;
            // Uses the provider's clock if the response has it, because the local one may be wrong.
            let now = text(header::DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok());
            let now = now.unwrap_or_else(|| std::time::UNIX_EPOCH + SystemClock.now());
            Some(date.duration_since(now).unwrap_or_default())
        })
    })?;
    Some(wait.min(MAX_WAIT))
}

/// Returns the kind of error.
fn kind(status: Option<u16>, body: &ErrorBody) -> ErrorKind {
    let mentions = |texts: &[&str]| texts.iter().any(|text| body.codes.contains(text) || body.lowercase.contains(text));
    // With status 429 the text is about tokens per minute, unless the code says otherwise.
    if body.codes.contains("context_length") || (status != Some(429) && mentions(TOO_LONG)) {
        return ErrorKind::TooLong;
    }
    match status {
        Some(401 | 403) => ErrorKind::Unauthorized,
        Some(402) => ErrorKind::Refused,
        Some(404) => ErrorKind::NotConfigured,
        Some(408) => ErrorKind::TimedOut,
        Some(413) => ErrorKind::TooLong,
        Some(429) if body.codes.contains("insufficient_quota") => ErrorKind::Refused,
        Some(429) => ErrorKind::RateLimited,
        Some(501 | 505) => ErrorKind::Refused,
        Some(409 | 425 | 500..=599) => ErrorKind::Overloaded,
        Some(_) if mentions(NO_KEY) => ErrorKind::Unauthorized,
        Some(_) if mentions(NO_MODEL) => ErrorKind::NotConfigured,
        Some(_) => ErrorKind::Refused,
        None if mentions(NO_KEY) => ErrorKind::Unauthorized,
        None if mentions(NO_MODEL) => ErrorKind::NotConfigured,
        None => {
            let by_code = CODES.iter().find(|(code, _)| body.codes.contains(code));
            by_code.map_or(ErrorKind::Overloaded, |(_, kind)| *kind)
        }
    }
}

/// The contents of a refusal's body.
#[derive(Debug, Default)]
struct ErrorBody {
    /// The message for a person.
    words: String,
    /// `words` in lower case.
    lowercase: String,
    /// Types, codes and reasons for programs, in lower case.
    codes: String,
    /// A number in the body that is an HTTP status.
    status: Option<u16>,
    wait: Option<Duration>,
}

impl ErrorBody {
    fn read(text: &str) -> Self {
        let trimmed = text.trim_start_matches('\u{feff}').trim();
        match serde_json::from_str::<Value>(trimmed) {
            Ok(value) => Self::from_json(&value),
            Err(_) => Self::default().with_words(&page_title(trimmed).unwrap_or_else(|| trimmed.to_owned())),
        }
    }

    /// Reads `{"error": {"message", "type", "code", "status", "details"}}` in all its variants: a text instead of the
    /// object, the object alone, in a list, under `detail`.
    fn from_json(value: &Value) -> Self {
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let field = |name: &str| error.get(name).or_else(|| value.get(name));
        let text = |name: &str| field(name).and_then(Value::as_str);
        let detail = || match value.get("detail")? {
            Value::String(text) => Some(text.as_str()),
            details => details.pointer("/0/msg").and_then(Value::as_str),
        };
        let words = error.as_str().or_else(|| text("message")).or_else(detail).map(str::to_owned);
        let mut body = Self::default().with_words(&words.unwrap_or_else(|| value.to_string()));
        // Gateways add the upstream provider's message to their own, which is less helpful.
        if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
            let words = format!("{} ({raw})", body.words);
            body = body.with_words(&words);
        }
        for name in ["type", "code", "status", "reason"] {
            if let Some(code) = text(name) {
                body.codes.push_str(&code.to_ascii_lowercase());
                body.codes.push(' ');
            }
        }
        body.status =
            ["code", "status"].iter().find_map(|name| field(name)?.as_u64()).and_then(|code| code.try_into().ok());
        for detail in error.get("details").and_then(Value::as_array).into_iter().flatten() {
            if let Some(reason) = detail.get("reason").and_then(Value::as_str) {
                body.codes.push_str(&reason.to_ascii_lowercase());
                body.codes.push(' ');
            }
            let delay = detail.get("retryDelay").and_then(Value::as_str).and_then(|delay| delay.strip_suffix('s'));
            let delay =
                delay.and_then(|seconds| seconds.parse().ok()).and_then(|it| Duration::try_from_secs_f64(it).ok());
            body.wait = body.wait.or(delay.map(|delay| delay.min(MAX_WAIT)));
        }
        body
    }

    fn with_words(mut self, words: &str) -> Self {
        self.lowercase = words.to_lowercase();
        words.clone_into(&mut self.words);
        self
    }
}

/// Returns the title of an HTML page; `None` if the text is not HTML.
pub(super) fn page_title(text: &str) -> Option<String> {
    if !text.trim_start().starts_with('<') {
        return None;
    }
    let lowercase = text.to_ascii_lowercase();
    let title = lowercase.split_once("<title").and_then(|(before, rest)| {
        let (attributes, rest) = rest.split_once('>')?;
        let (title, _) = rest.split_once("</title")?;
        let start = before.len() + "<title".len() + attributes.len() + 1;
        text.get(start..start + title.len())
    });
    Some(match title.map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) => format!("a page of HTML (`{title}`)"),
        None => "a page of HTML".to_owned(),
    })
}

#[cfg(test)]
mod tests;
