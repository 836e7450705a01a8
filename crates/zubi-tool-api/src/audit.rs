//! The record of every call: who asked, for what, what was decided, how it ended, how long it took. Arguments are
//! shortened, and what looks like a secret is not written at all.

mod file;
mod named;

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use zubi_base::secret;
use zubi_base::text::ContentHash;
use zubi_base::escape::printable;

pub use self::file::AuditFile;
use crate::cx::Surface;
use crate::redact::Redactor;
use crate::spec::Effect;

/// How many characters of a string are kept.
const MAX_STRING: usize = 160;
/// How many items of a list or an object are kept.
const MAX_ITEMS: usize = 20;
/// How deep arguments are kept.
const MAX_DEPTH: usize = 4;
/// About how many bytes of arguments one record keeps. A log that is rotated by its size must not be emptied by one call.
const MAX_ARGUMENTS: usize = 8 * 1024;
/// How many characters of a client's name are kept; it says of itself what it likes.
const MAX_CLIENT: usize = 100;

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// When the call began, in milliseconds since the Unix epoch.
    pub time: u64,
    pub surface: Surface,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    pub tool: String,
    pub effect: Effect,
    /// What the policy and, where it asked, a person said.
    pub decision: &'static str,
    /// `ok`, or the code of the failure.
    pub outcome: &'static str,
    pub duration_ms: u64,
    /// Shortened; see [`shorten`].
    pub arguments: Value,
    /// SHA-256 of the whole arguments behind a salt of this process, to tell two calls apart whose shortened arguments are
    /// equal.
    pub arguments_hash: ContentHash,
}

/// Takes records. Must not block for long and cannot fail: a call is not lost because its record is.
pub trait AuditSink: Send + Sync {
    fn record(&self, record: &AuditRecord);
}

/// Keeps no record.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAudit;

impl AuditSink for NoAudit {
    fn record(&self, _record: &AuditRecord) {}
}

/// Milliseconds of a duration, as records hold them.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Arguments fit for a log: long strings and lists cut, values under names that look like secrets left out. `secrets`
/// are further such names, `redactor` knows secrets by their values.
pub fn shorten(arguments: &Value, secrets: &[String], redactor: &Redactor) -> Value {
    // What is a secret goes first: cut, it would not look like one any more.
    let mut room = MAX_ARGUMENTS;
    shorten_at(&redactor.value(arguments), secrets, 0, &mut room)
}

/// A client's name for a record: what it shows is what it is.
pub(crate) fn client(name: &str) -> String {
    let kept: String = name.chars().take(MAX_CLIENT).collect();
    let dots = if kept.len() < name.len() { "…" } else { "" };
    format!("{}{dots}", printable(&kept))
}

fn shorten_at(value: &Value, secrets: &[String], depth: usize, room: &mut usize) -> Value {
    if *room == 0 {
        return "…".into();
    }
    *room = room.saturating_sub(value.as_str().map_or(4, |text| text.len().min(MAX_STRING)));
    match value {
        Value::String(text) => {
            let length = text.chars().count();
            let kept: String = text.chars().take(MAX_STRING).collect();
            let kept = named::without_values(&kept);
            if length <= MAX_STRING {
                return kept.into();
            }
            format!("{kept}… ({length} characters)").into()
        }
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => "…".into(),
        Value::Array(items) => {
            let mut kept: Vec<Value> =
                items.iter().take(MAX_ITEMS).map(|item| shorten_at(item, secrets, depth + 1, room)).collect();
            if items.len() > MAX_ITEMS {
                kept.push(format!("… ({} items)", items.len()).into());
            }
            kept.into()
        }
        Value::Object(object) => {
            let kept: Map<String, Value> = object
                .iter()
                .take(MAX_ITEMS)
                .map(|(name, inner)| {
                    *room = room.saturating_sub(name.len().min(MAX_STRING));
                    let hidden = secret::is_secret_name(name) || secrets.iter().any(|secret| secret == name);
                    let inner =
                        if hidden { "(not logged)".into() } else { shorten_at(inner, secrets, depth + 1, room) };
                    (name.chars().take(MAX_STRING).collect(), inner)
                })
                .collect();
            kept.into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests;
