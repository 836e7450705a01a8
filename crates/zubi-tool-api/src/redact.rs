//! Redacts secrets in text: values that are known to be secret, and texts with the shape of a secret.
//!
//! For logs, audit records and everything that a model reads. Unrecognized secrets stay. Matching by shape
//! ([`secret_shape`]) causes a few false alarms. The audit handles the names of fields.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value};
use zubi_base::secret;
use zubi_base::secret_shape::{self, SecretCounts, ShownSecrets};

pub use zubi_base::secret_shape::REDACTED;

use crate::{ToolError, ToolOutput};

/// The minimum length of a secret, in bytes. A shorter value would be redacted wherever it occurs by chance.
const MIN_LENGTH: usize = 4;

/// A redactor that knows the values of some secrets, and the shapes of others.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Longest first, so that redacting a secret never leaves the rest of a longer one.
    values: Vec<String>,
    /// Kinds of secrets, and texts, that the answers of tools show.
    shown: ShownSecrets,
}

/// The kind of a secret whose value is known.
const OWN_SECRET: &str = "env-secret";

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").field("values", &self.values.len()).field("shown", &self.shown).finish()
    }
}

impl Redactor {
    /// Creates a redactor for these plain secrets; [`forms`] lists the encodings that it also recognizes.
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        Self { values: forms(values), shown: ShownSecrets::default() }
    }

    /// Sets what [`Self::answer`] shows although it has the shape of a secret.
    #[must_use]
    pub fn with_shown(mut self, shown: ShownSecrets) -> Self {
        self.shown = shown;
        self
    }

    /// Redacts all secrets in a text.
    pub fn text(&self, text: &str) -> String {
        redact_shapes(&self.redact_known(text))
    }

    /// Redacts the secrets whose values are known. Text that only looks like a secret stays: it may be part of the
    /// requested output.
    pub fn redact_known(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), REDACTED);
            }
        }
        text
    }

    /// Returns how many bytes of a streamed text can be sent before the rest is known. The bytes after that may be the
    /// beginning of a known secret; no secret is split.
    pub fn safe_prefix(&self, text: &str) -> usize {
        let secret_start = |value: &String| {
            let from = text.len().saturating_sub(value.len().saturating_sub(1));
            (from..text.len()).find(|at| text.get(*at..).is_some_and(|tail| value.starts_with(tail)))
        };
        let mut end = self.values.iter().filter_map(secret_start).min().unwrap_or(text.len());
        let split_secret = |value: &String, end: usize| {
            let mut found = text.match_indices(value.as_str()).map(|(at, _)| at);
            found.find(|at| *at < end && end < at + value.len())
        };
        while let Some(earlier) = self.values.iter().find_map(|value| split_secret(value, end)) {
            end = earlier;
        }
        end
    }

    /// Redacts every string of the value, including the names of fields. A number that is a secret becomes a string.
    pub fn value(&self, value: &Value) -> Value {
        map_texts(value, &|text| self.text(text))
    }

    /// Redacts the secrets whose values are known in every string of the value.
    pub fn known_in_value(&self, value: &Value) -> Value {
        map_texts(value, &|text| self.redact_known(text))
    }

    /// Returns whether no secret's value is known.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Redacts the secrets whose values are known in the result of a call: a program or a server may print its input.
    pub fn known_in_result(&self, result: Result<ToolOutput, ToolError>) -> Result<ToolOutput, ToolError> {
        if self.values.is_empty() {
            return result;
        }
        map_result(result, &|text| self.redact_known(text))
    }

    /// Redacts all secrets in the result of a call, except those that the user wants to show. A note in the answer says how
    /// many there were and of which kinds. It counts those in the text; the data have the same.
    pub fn answer(&self, result: Result<ToolOutput, ToolError>) -> Result<ToolOutput, ToolError> {
        let mut counts = SecretCounts::default();
        let in_text = self.redact_and_count(result.as_ref().map_or("", |output| &output.text), &mut counts);
        let result = map_result(result, &|text| self.redact_and_count(text, &mut SecretCounts::default()));
        result.map(|output| {
            let output = ToolOutput { text: in_text, ..output };
            if counts.total() == 0 { output } else { with_note(output, &counts) }
        })
    }

    fn redact_and_count(&self, text: &str, counts: &mut SecretCounts) -> String {
        for value in &self.values {
            counts.add(OWN_SECRET, text.matches(value.as_str()).count());
        }
        secret_shape::redact(&self.redact_known(text), &self.shown, counts)
    }
}

/// Adds a note about redacted secrets to the status line; without one, it becomes the last line.
fn with_note(mut output: ToolOutput, counts: &SecretCounts) -> ToolOutput {
    // The values of the user's own secrets are never shown.
    let hint = if counts.has_other(OWN_SECRET) { "; the user can show a kind with `show-secrets`" } else { "" };
    let note = format!("redacted: {counts}{hint}");
    if let Some(status) = &mut output.status {
        status.note = Some(match status.note.take().filter(|own| !own.is_empty()) {
            Some(own) => format!("{own} · {note}"),
            None => note,
        });
    } else {
        let end = if output.text.is_empty() || output.text.ends_with('\n') { "" } else { "\n" };
        output.text = format!("{}{end}[{note}]", output.text);
    }
    output
}

fn map_result(result: Result<ToolOutput, ToolError>, change: &dyn Fn(&str) -> String) -> Result<ToolOutput, ToolError> {
    match result {
        Ok(output) => {
            let data = output.data.map(|data| map_texts(&data, change));
            Ok(ToolOutput { text: change(&output.text), data, ..output })
        }
        Err(ToolError::Actionable { code, message, hint }) => {
            Err(ToolError::Actionable { code, message: change(&message), hint: change(&hint) })
        }
        Err(fatal @ ToolError::Fatal(_)) => Err(fatal),
    }
}

fn map_texts(value: &Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => change(text).into(),
        Value::Array(items) => items.iter().map(|item| map_texts(item, change)).collect(),
        Value::Object(object) => {
            let mapped: Map<String, Value> =
                object.iter().map(|(name, inner)| (change(name), map_texts(inner, change))).collect();
            mapped.into()
        }
        Value::Number(number) => {
            let text = number.to_string();
            let changed = change(&text);
            if changed == text { value.clone() } else { changed.into() }
        }
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

/// Returns every text by which the secrets are recognized, the longest first, so that a secret which is part of another
/// leaves no remainder: each value as it is, each line of a multi-line value, and its encodings as JSON (with and
/// without non-ASCII characters), URL, form (percent-encoded, with digits in either case) and Base64. Texts shorter
/// than four bytes are left out.
pub fn forms(values: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut all: BTreeSet<String> = BTreeSet::new();
    for value in values {
        let lines = value.lines().map(|line| line.trim().to_owned());
        for form in lines.chain([value.clone()]).filter(|form| form.len() >= MIN_LENGTH) {
            let json = Value::from(form.as_str()).to_string();
            let json = json.get(1..json.len() - 1).unwrap_or_default();
            for json in [json.to_owned(), json_in_ascii(json, false), json_in_ascii(json, true)] {
                // PHP escapes slashes like this.
                all.insert(json.replace('/', "\\/"));
                all.insert(json);
            }
            for unescaped in ["-._~", "-._~!'()*", "-._~/", "*-._"] {
                for lower in [false, true] {
                    let encoded = percent_encoded(&form, unescaped, lower);
                    all.insert(encoded.replace("%20", "+"));
                    all.insert(encoded);
                }
            }
            for encoded in base64(form.as_bytes()) {
                // The URL-safe alphabet differs in two digits.
                all.insert(encoded.replace('+', "-").replace('/', "_"));
                all.insert(encoded);
            }
            all.insert(form);
        }
    }
    let mut all: Vec<String> = all.into_iter().collect();
    all.sort_by_key(|form| std::cmp::Reverse(form.len()));
    all
}

/// Percent-encodes a text. Standards and libraries differ in which characters stay unescaped: RFC 3986,
/// `encodeURIComponent`, Python's `quote`, forms.
fn percent_encoded(text: &str, unescaped: &str, lower: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        // Writing to a `String` cannot fail.
        let _ = match byte {
            byte if byte.is_ascii_alphanumeric() || unescaped.as_bytes().contains(&byte) => {
                write!(encoded, "{}", char::from(byte))
            }
            byte if lower => write!(encoded, "%{byte:02x}"),
            byte => write!(encoded, "%{byte:02X}"),
        };
    }
    encoded
}

/// Returns the inside of a JSON string with every non-ASCII character as its escaped UTF-16 code units, as Python and
/// others write it.
fn json_in_ascii(json: &str, upper: bool) -> String {
    let mut encoded = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            encoded.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a `String` cannot fail.
            let _ = if upper { write!(encoded, "\\u{unit:04X}") } else { write!(encoded, "\\u{unit:04x}") };
        }
    }
    encoded
}

/// Returns the Base64 encodings (RFC 4648) of bytes at any offset in the encoded data: three texts, one for each
/// position in a group at which the bytes can begin. Omits digits that depend on adjacent bytes, and texts so short
/// that they would match by chance.
fn base64(bytes: &[u8]) -> impl Iterator<Item = String> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const MIN_LENGTH: usize = 6;
    (0..3_usize).filter_map(move |before| {
        let bits = || {
            (0..before * 8).map(|_| 0).chain(bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)))
        };
        let bits: Vec<u8> = bits().collect();
        let digits = bits.chunks_exact(6).filter_map(|group| {
            let digit = group.iter().fold(0, |digit, bit| digit << 1 | usize::from(*bit));
            DIGITS.get(digit).copied().map(char::from)
        });
        let text: String = digits.skip((before * 8).div_ceil(6)).collect();
        (text.len() >= MIN_LENGTH).then_some(text)
    })
}

/// Returns whether a value contains a text that looks like a secret, or a field with a secret-looking name.
pub fn has_secrets(value: &Value) -> bool {
    match value {
        Value::String(text) => redact_shapes(text) != *text,
        Value::Array(items) => items.iter().any(has_secrets),
        Value::Object(object) => {
            object.iter().any(|(name, inner)| (secret::is_secret_name(name) && inner.is_string()) || has_secrets(inner))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Redacts texts that look like a token, a key or a password in a URL.
fn redact_shapes(text: &str) -> String {
    secret_shape::redact(text, &ShownSecrets::default(), &mut SecretCounts::default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::OutputStatus;

    #[test]
    fn encoded_secrets_are_redacted() {
        let secret = "p\"ss w\u{f6}rd/1";
        let redactor = Redactor::new([secret.to_owned()]);
        let encoded = ["bXk6cCJzcyB3w7ZyZC8xIQ==", "cCJzcyB3w7ZyZC8x", "IXAic3Mgd8O2cmQvMQ=="];
        let written = [
            "p\\\"ss w\u{f6}rd/1",
            "p\\\"ss w\\u00f6rd/1",
            "p\\\"ss w\\u00F6rd\\/1",
            "p%22ss%20w%C3%B6rd%2F1",
            "p%22ss%20w%c3%b6rd%2f1",
            "p%22ss+w%C3%B6rd%2F1",
            "p%22ss%20w%C3%B6rd/1",
        ];
        for encoding in written.iter().chain(&encoded) {
            let redacted = redactor.text(&format!("a {encoding} b"));
            assert!(redacted.contains(REDACTED) && redacted.len() < 30, "{encoding}: {redacted}");
        }
        assert_eq!(redactor.text("bXk6 harmless"), "bXk6 harmless");
        let number = Redactor::new(["31415926".to_owned()]);
        let data = serde_json::json!({"pin": 31_415_926, "31415926": [1, 3.5]});
        let expected = serde_json::json!({"pin": REDACTED, REDACTED: [1, 3.5]});
        assert_eq!(number.value(&data), expected);
        assert_eq!(number.known_in_value(&data), expected);
        assert!(!number.is_empty() && Redactor::new(["abc".to_owned()]).is_empty());
        let output = ToolOutput { data: Some(data), ..ToolOutput::default() };
        let answer = number.answer(Ok(output)).unwrap();
        assert_eq!((answer.text.as_str(), answer.data), ("", Some(expected)));
        assert_eq!(Redactor::new(["abc".to_owned()]).text("abc YWJj"), "abc YWJj", "too short to be one");
    }

    #[test]
    fn an_answer_names_what_it_does_not_show() {
        let key = "AKIAIOSFODNN7EXAMPLE";
        let redactor = Redactor::new(["hunter22".to_owned()]);
        let check = |redactor: &Redactor, output: ToolOutput| redactor.answer(Ok(output)).unwrap().render();
        let text = || ToolOutput::text(format!("{key} hunter22 hunter22"));
        let status =
            || OutputStatus { endpoint: "disk".to_owned(), readiness: "sha 1".to_owned(), ..OutputStatus::default() };
        insta::assert_snapshot!(check(&redactor, text()), @"
        (redacted) (redacted) (redacted)
        [redacted: 1 aws-key, 2 env-secret; the user can show a kind with `show-secrets`]
        ");
        insta::assert_snapshot!(check(&redactor, ToolOutput { status: Some(status()), ..text() }), @"
        (redacted) (redacted) (redacted)
        [disk · sha 1 · redacted: 1 aws-key, 2 env-secret; the user can show a kind with `show-secrets`]
        ");
        let shown = redactor.with_shown(ShownSecrets(vec!["aws-key".to_owned()]));
        insta::assert_snapshot!(check(&shown, text()), @"
        AKIAIOSFODNN7EXAMPLE (redacted) (redacted)
        [redacted: 2 env-secret]
        ");
        assert_eq!(check(&shown, ToolOutput::text(key)), key);
        let error = ToolError::operation_failed("read the file", format!("`{key}` is unexpected"), "Do not.");
        insta::assert_snapshot!(Redactor::default().answer(Err(error)).unwrap_err().render("x"), @"
        Failed to read the file: `(redacted)` is unexpected
        Do not.
        ");
    }

    proptest! {
        #[test]
        fn no_output_contains_a_secret(secret in "[A-Z0-9!é ]{4,20}", before in "\\PC{0,20}", after in "\\PC{0,20}") {
            prop_assume!(!secret.trim().is_empty() && secret.trim() == secret);
            let redactor = Redactor::new([secret.clone()]);
            let value = serde_json::json!({"a": [format!("{before}{secret}{after}")], format!("{secret}x"): 1});
            let redacted = redactor.value(&value).to_string();
            prop_assert!(!redacted.contains(&secret), "{}", redacted);
        }
    }
}
