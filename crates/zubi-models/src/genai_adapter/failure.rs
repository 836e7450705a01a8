//! The meaning of the library's errors: it wraps statuses, time-outs and failed connections in nested errors of its
//! own.

use genai::webc::StreamTimeout;
use serde_json::Value;

use super::answer::FrameTap;
use crate::provider::ProviderConfig;
use crate::{ErrorKind, ModelError, errors, http};

/// Converts an error of the library.
pub(super) fn from_genai(config: &ProviderConfig, frames: &FrameTap, error: &genai::Error) -> ModelError {
    match error {
        genai::Error::HttpError { status, body, headers, .. } => {
            return errors::from_response(
                &config.provider,
                status.as_u16(),
                headers,
                truncate_body(body),
                &config.redactor(),
            );
        }
        // The last frame is truncated.
        genai::Error::StreamParse { serde_error, .. }
            if serde_error.is_eof() && from_last_frame(config, frames).is_none() =>
        {
            return truncated_answer(config, frames);
        }
        genai::Error::WebStream { error, .. } => {
            if error.is::<std::string::FromUtf8Error>() || error.is::<std::str::Utf8Error>() {
                return malformed_error(config, "bytes that are not text");
            }
            if let Some(inner) = error.downcast_ref::<genai::Error>() {
                return from_genai(config, frames, inner);
            }
            if error.is::<StreamTimeout>() {
                let why = format!("{} sent nothing for {:?}", config.provider, config.timeouts.idle);
                return ModelError::new(ErrorKind::TimedOut, why);
            }
            if let Some(error) = error.downcast_ref::<reqwest::Error>() {
                return from_connection(config, error);
            }
        }
        genai::Error::WebModelCall { webc_error: genai::webc::Error::Reqwest(error), .. } => {
            return from_connection(config, error);
        }
        genai::Error::ChatResponse { body, .. }
            if from_last_frame(config, frames).is_none() && body.get("error").is_some() =>
        {
            return errors::in_stream(&config.provider, body, &config.redactor());
        }
        _ => {}
    }
    // The library's message is about its types; the frame itself is more helpful.
    from_last_frame(config, frames).unwrap_or_else(|| {
        let last = frames.last_text();
        let clean = |text: &str| errors::sanitize_words(text, &config.redactor());
        let detail = errors::page_title(&last).unwrap_or_else(|| clean(&last));
        malformed_error(config, &if detail.is_empty() { clean(&error.to_string()) } else { detail })
    })
}

fn from_connection(config: &ProviderConfig, error: &reqwest::Error) -> ModelError {
    if error.is_connect() || error.is_request() {
        http::send_error(config, error)
    } else {
        http::read_error(config, error)
    }
}

/// Returns the error in the last frame, or the error for an empty answer because the provider refused the request.
pub(super) fn from_last_frame(config: &ProviderConfig, frames: &FrameTap) -> Option<ModelError> {
    let last = frames.last()?;
    let is_error = |value: &&Value| value.is_object() || value.is_string();
    let inner = last.pointer("/response/error").filter(is_error);
    let outer = last.get("error").filter(is_error).map(|_| &last);
    let plain = (last["type"] == "error").then_some(&last);
    if let Some(error) = inner.or(outer).or(plain) {
        return Some(errors::in_stream(&config.provider, error, &config.redactor()));
    }
    let reason = last.pointer("/promptFeedback/blockReason")?.as_str()?;
    let reason = errors::sanitize_words(reason, &config.redactor());
    let why = format!("{} refuses the request: {reason}", config.provider);
    Some(ModelError::new(ErrorKind::Refused, why))
}

/// Returns the error for an answer that ended early, or for no answer at all if no frame of an answer arrived.
pub(super) fn truncated_answer(config: &ProviderConfig, frames: &FrameTap) -> ModelError {
    if frames.count() == 0 {
        return ModelError::new(ErrorKind::Malformed, format!("{} sent no answer", config.provider));
    }
    let why = format!("the answer of {} broke off before its end", config.provider);
    ModelError::new(ErrorKind::BrokenOff, why)
}

/// Returns the error for a response that is not an answer.
pub(super) fn malformed_error(config: &ProviderConfig, detail: &str) -> ModelError {
    ModelError::new(ErrorKind::Malformed, format!("{} sent no answer, but {detail}", config.provider))
}

/// Returns the part of a body that is examined.
fn truncate_body(body: &str) -> &str {
    body.get(..body.floor_char_boundary(errors::MAX_BODY)).unwrap_or(body)
}
