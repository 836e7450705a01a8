//! The audit record of every call: the caller, the tool and its arguments, the decision, the outcome and the duration.
//! Arguments are shortened, and values that look like secrets are omitted.

mod file;
mod named;

use serde::Serialize;
use serde_json::{Map, Value};
use zubi_base::escape::printable;
use zubi_base::secret;
use zubi_base::text::{ContentHash, ellipsize};

pub use self::file::AuditFile;
use crate::cx::Surface;
use crate::redact::Redactor;
use crate::spec::Effect;

/// The maximum length of a recorded string, in characters.
const MAX_STRING: usize = 160;
/// The maximum number of recorded items of a list or an object.
const MAX_ITEMS: usize = 20;
/// The maximum depth of recorded arguments.
const MAX_DEPTH: usize = 4;
/// The approximate limit for the arguments of one record, in bytes. The log is rotated by size, so one call must not be
/// able to push out all others.
const MAX_ARGUMENTS: usize = 8 * 1024;
/// The maximum length of a client's name, in characters; a client chooses its name freely.
const MAX_CLIENT: usize = 100;

/// The decision about a call that the user approved in a prompt.
pub(crate) const APPROVED: &str = "approved";
/// The decision about a call that the client has shown to its user.
pub(crate) const CONFIRMED_BY_CLIENT: &str = "client";

/// The record of one call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// The start of the call, in milliseconds since the Unix epoch.
    pub time: u64,
    pub surface: Surface,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    pub tool: String,
    pub effect: Effect,
    /// The decision of the policy or, if the policy required approval, of the user.
    pub decision: &'static str,
    /// `ok`, or the code of the error.
    pub outcome: &'static str,
    pub duration_ms: u64,
    /// The shortened arguments; see [`shorten`].
    pub arguments: Value,
    /// SHA-256 of the complete arguments with a salt of this process. It distinguishes calls whose shortened arguments
    /// are equal.
    pub arguments_hash: ContentHash,
}

/// A receiver of records. Must not block for long and cannot fail: a call does not fail because its record is lost.
pub trait AuditSink: Send + Sync {
    fn record(&self, record: &AuditRecord);
}

/// An audit sink that discards every record.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAudit;

impl AuditSink for NoAudit {
    fn record(&self, _record: &AuditRecord) {}
}

/// Returns arguments for a log: shortens long strings and lists, and omits values of secret-looking names. `secrets`
/// are further such names; `redactor` knows secrets by their values.
pub fn shorten(arguments: &Value, secrets: &[String], redactor: &Redactor) -> Value {
    // Redact before shortening: a truncated secret would no longer be recognized.
    let mut budget = MAX_ARGUMENTS;
    shorten_at(&redactor.value(arguments), secrets, 0, &mut budget)
}

/// Returns a client's name for a record, without hidden or misleading characters.
pub(crate) fn client(name: &str) -> String {
    printable(&ellipsize(name, MAX_CLIENT)).into_owned()
}

fn shorten_at(value: &Value, secrets: &[String], depth: usize, budget: &mut usize) -> Value {
    if *budget == 0 {
        return "…".into();
    }
    *budget = budget.saturating_sub(value.as_str().map_or(4, |text| text.len().min(MAX_STRING)));
    match value {
        Value::String(text) => {
            let length = text.chars().count();
            let shortened: String = text.chars().take(MAX_STRING).collect();
            let shortened = named::mask_values(&shortened);
            if length <= MAX_STRING {
                return shortened.into();
            }
            format!("{shortened}… ({length} characters)").into()
        }
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => "…".into(),
        Value::Array(items) => {
            let mut shortened: Vec<Value> =
                items.iter().take(MAX_ITEMS).map(|item| shorten_at(item, secrets, depth + 1, budget)).collect();
            if items.len() > MAX_ITEMS {
                shortened.push(format!("… ({} items)", items.len()).into());
            }
            shortened.into()
        }
        Value::Object(object) => {
            let shortened: Map<String, Value> = object
                .iter()
                .take(MAX_ITEMS)
                .map(|(name, inner)| {
                    *budget = budget.saturating_sub(name.len().min(MAX_STRING));
                    let hidden = secret::is_secret_name(name) || secrets.iter().any(|secret| secret == name);
                    let inner =
                        if hidden { "(not logged)".into() } else { shorten_at(inner, secrets, depth + 1, budget) };
                    (name.chars().take(MAX_STRING).collect(), inner)
                })
                .collect();
            shortened.into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests;
