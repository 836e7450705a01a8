//! Secrets in texts, recognized by their shape: tokens of known issuers, private keys, passwords in URLs.
//!
//! Unrecognized secrets stay, and an example of a key looks like a real one. So the user can name what zubi shows
//! ([`ShownSecrets`]). [`crate::credentials`] knows the names of files that contain secrets.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// The placeholder for a secret.
pub const REDACTED: &str = "(redacted)";

/// The prefixes of tokens of well-known issuers (from their documentation of token formats), the minimum length of the
/// rest, and the kind.
const PREFIXES: &[(&str, usize, &str)] = &[
    ("ghp_", 16, "github-token"),
    ("gho_", 16, "github-token"),
    ("ghu_", 16, "github-token"),
    ("ghs_", 16, "github-token"),
    ("ghr_", 16, "github-token"),
    ("github_pat_", 16, "github-token"),
    ("glpat-", 16, "gitlab-token"),
    ("sk-", 16, "model-key"),
    ("sk_live_", 12, "stripe-key"),
    ("rk_live_", 12, "stripe-key"),
    ("xoxb-", 10, "slack-token"),
    ("xoxp-", 10, "slack-token"),
    ("xoxa-", 10, "slack-token"),
    ("xoxs-", 10, "slack-token"),
    ("AKIA", 16, "aws-key"),
    ("ASIA", 16, "aws-key"),
    ("AIza", 20, "google-key"),
    ("ya29.", 16, "google-token"),
    ("npm_", 20, "npm-token"),
    ("pypi-", 20, "pypi-token"),
    ("hf_", 20, "hugging-face-token"),
    ("dop_v1_", 20, "digitalocean-token"),
    ("SG.", 20, "sendgrid-key"),
];
const PRIVATE_KEY: &str = "private-key";
const URL_PASSWORD: &str = "url-password";
const BEARER_TOKEN: &str = "bearer-token";
const WEB_TOKEN: &str = "json-web-token";

/// Returns the names of all kinds, for messages and settings.
pub fn kinds() -> Vec<&'static str> {
    let mut kinds: Vec<_> = PREFIXES.iter().map(|(_, _, kind)| *kind).collect();
    kinds.extend([PRIVATE_KEY, URL_PASSWORD, BEARER_TOKEN, WEB_TOKEN]);
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// A text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSecret {
    pub kind: &'static str,
    pub range: Range<usize>,
}

/// The user's setting for what zubi does not redact: kinds of secrets, and texts that only look like one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownSecrets(pub Vec<String>);

impl ShownSecrets {
    fn has(&self, kind: &str, text: &str) -> bool {
        self.0.iter().any(|shown| shown == kind || shown == text)
    }
}

/// The number of redacted secrets of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretCounts(BTreeMap<&'static str, usize>);

impl SecretCounts {
    pub fn add(&mut self, kind: &'static str, number: usize) {
        if number > 0 {
            *self.0.entry(kind).or_default() += number;
        }
    }

    /// Whether a kind other than this one was counted.
    pub fn has_other(&self, than: &str) -> bool {
        self.0.keys().any(|kind| *kind != than)
    }

    pub fn total(&self) -> usize {
        self.0.values().sum()
    }
}

impl fmt::Display for SecretCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (kind, number)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{number} {kind}")?;
        }
        Ok(())
    }
}

/// Redacts everything that looks like a secret, except what the user wants to see, and counts it.
pub fn redact(text: &str, shown: &ShownSecrets, counts: &mut SecretCounts) -> String {
    let mut result = String::with_capacity(text.len());
    let mut copied = 0;
    for FoundSecret { kind, range } in find(text) {
        if shown.has(kind, text.get(range.clone()).unwrap_or_default()) {
            continue;
        }
        counts.add(kind, 1);
        result.push_str(text.get(copied..range.start).unwrap_or_default());
        result.push_str(REDACTED);
        copied = range.end;
    }
    result.push_str(text.get(copied..).unwrap_or_default());
    result
}

/// Whether a new text has the placeholder in the place of a secret.
pub fn is_overwritten(before: &str, after: &str) -> bool {
    after.matches(REDACTED).count() > before.matches(REDACTED).count() && find(after).len() < find(before).len()
}

/// Finds the texts that look like a secret, in their order.
pub fn find(text: &str) -> Vec<FoundSecret> {
    let mut found = Vec::new();
    let (mut at, mut before) = (0, "");
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some(length) = key_end(rest) {
            let earliest = found.last().map_or(0, |found: &FoundSecret| found.range.end);
            let start = earliest + key_body(text.get(earliest..at).unwrap_or_default());
            found.push(FoundSecret { kind: PRIVATE_KEY, range: start..at + length });
            (at, before) = (at + length, "");
            continue;
        }
        if let Some(length) = private_key(rest) {
            found.push(FoundSecret { kind: PRIVATE_KEY, range: at..at + length });
            (at, before) = (at + length, "");
            continue;
        }
        let end = rest.find(|c| !is_token(c)).unwrap_or(rest.len());
        if end == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let token = rest.get(..end).unwrap_or_default();
        if let Some((kind, range)) = secret_part(token, before) {
            found.push(FoundSecret { kind, range: at + range.start..at + range.end });
        }
        (at, before) = (at + end, token);
        let authority = rest.get(end..).and_then(|rest| rest.strip_prefix("://"));
        if let Some(length) = authority.and_then(password) {
            found.push(FoundSecret { kind: URL_PASSWORD, range: at + 3..at + 3 + length });
            at += 3 + length;
        }
    }
    found
}

/// Returns the length of a user and a password at the beginning of a URL's authority.
fn password(text: &str) -> Option<usize> {
    let end = text.find(|c: char| c == '/' || c.is_whitespace() || c == '"').unwrap_or(text.len());
    let authority = text.get(..end)?;
    let at = authority.rfind('@')?;
    authority.get(..at)?.contains(':').then_some(at)
}

/// Returns the length of a private key in PEM (RFC 7468), from its first line to its last, or as far as it can be one if
/// the last line is missing.
fn private_key(text: &str) -> Option<usize> {
    const END: &str = "-----END ";
    let inner = text.strip_prefix("-----BEGIN ")?;
    let name = inner.get(..inner.find("-----")?)?;
    if !name.contains("PRIVATE KEY") || name.len() > 40 || name.contains(['\n', '"', '\'']) {
        return None;
    }
    let start = "-----BEGIN ".len() + name.len() + "-----".len();
    let body = text.get(start..)?;
    let with_end = body.find(END).filter(|end| body.get(..*end).is_some_and(|body| body.chars().all(is_key_body)));
    let length = match with_end {
        Some(end) => {
            let after = end + END.len();
            let close =
                body.get(after..).and_then(|rest| rest.get(..60).or(Some(rest))).and_then(|rest| rest.find("-----"));
            close.map_or(after, |close| after + close + "-----".len())
        }
        None => {
            let is_line = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || "+/=\\-:".contains(c);
            body.find(|c| !is_line(c)).unwrap_or(body.len())
        }
    };
    Some(start + length)
}

/// Returns the length of the last line of a private key, whose first line is not in the text: an excerpt or a diff.
fn key_end(text: &str) -> Option<usize> {
    let name = text.strip_prefix("-----END ")?;
    let length = name.find("-----")?;
    let name = name.get(..length)?;
    let is_key = name.ends_with("PRIVATE KEY") && name.len() <= 40 && !name.contains(['\n', '"', '\'']);
    is_key.then_some("-----END ".len() + length + "-----".len())
}

/// Returns where the lines of a key begin at the end of a text.
fn key_body(text: &str) -> usize {
    let mut start = text.rfind('\n').map_or(text.len(), |end| end + 1);
    while let Some(body) = text.get(..start.saturating_sub(1)).filter(|_| start > 0) {
        let line_start = body.rfind('\n').map_or(0, |end| end + 1);
        let line = body.get(line_start..).unwrap_or_default();
        // Line numbers and marks of a diff may precede the Base64.
        let word = line.split_whitespace().last().unwrap_or_default().trim_start_matches(['+', '-']);
        if word.len() < MIN_KEY_LINE || !word.chars().all(is_base64) {
            break;
        }
        start = line_start + (line.len() - word.len());
        if start != line_start {
            // The text before the Base64 of the first line stays; that of the others is redacted with them.
            let above = text.get(..line_start.saturating_sub(1)).and_then(|above| above.lines().last());
            let continues = above
                .is_some_and(|above| above.split_whitespace().last().is_some_and(|word| word.len() >= MIN_KEY_LINE));
            start = if continues { line_start } else { start };
        }
        if start != line_start {
            break;
        }
    }
    start
}

/// The minimum length of a line of Base64 in a key; RFC 7468 has 64.
const MIN_KEY_LINE: usize = 32;

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+/=".contains(c)
}

/// Whether a character may be between the first and the last line of a key: also of a key in a string or a list of strings,
/// and with numbers before its lines.
fn is_key_body(c: char) -> bool {
    is_base64(c) || c.is_whitespace() || "\\\"',-:|.".contains(c)
}

/// The placeholder for a line inside a private key. An excerpt does not have the first line of the key, by which
/// [`find`] recognizes the others.
pub const KEY_LINE: &str = "(redacted: a line of a private key)";

/// Finds the lines inside private keys, for readers that show a text line by line.
#[derive(Debug, Default)]
pub struct KeyLines {
    is_inside: bool,
}

impl KeyLines {
    /// Returns whether the next line of the text is between the first and the last line of a private key.
    pub fn is_next_inside(&mut self, line: &str) -> bool {
        if let Some(begin) = line.find("-----BEGIN ") {
            let key = line.get(begin..).unwrap_or_default();
            self.is_inside = private_key(key).is_some() && !key.contains("-----END ");
            return false;
        }
        self.is_inside = self.is_inside && !line.contains("-----END ") && line.chars().all(is_key_body);
        self.is_inside
    }
}

/// Returns whether a part of a line may be a part of a private key: a long word of Base64.
pub fn may_be_key_line(line: &str) -> bool {
    line.split(|c: char| !is_base64(c)).any(|word| word.len() >= MIN_KEY_LINE)
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '=')
}

/// Returns the kind of a token that is a secret, and which part of it. `before` is the previous token.
fn secret_part(token: &str, before: &str) -> Option<(&'static str, Range<usize>)> {
    // A value may follow its name directly: `token=ghp_…`.
    let starts = [Some(0), token.rfind('=').map(|at| at + 1), token.find('=').map(|at| at + 1)];
    let known = starts.into_iter().flatten().find_map(|start| kind_of(token.get(start..)?));
    if let Some(kind) = known {
        return Some((kind, 0..token.len()));
    }
    let bearer = before.eq_ignore_ascii_case("bearer") || before.eq_ignore_ascii_case("basic");
    let credential = token.len() >= 20 || (token.len() >= 8 && token.bytes().any(|byte| byte.is_ascii_digit()));
    (bearer && credential).then_some((BEARER_TOKEN, 0..token.len()))
}

fn kind_of(part: &str) -> Option<&'static str> {
    let known = PREFIXES.iter().find(|(prefix, length, _)| {
        part.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() >= *length && rest.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        })
    });
    // A JSON Web Token: three parts, the first of which is the Base64 of `{"`.
    let is_web_token = part.starts_with("eyJ") && part.len() > 24 && part.matches('.').count() == 2;
    known.map(|(_, _, kind)| *kind).or(is_web_token.then_some(WEB_TOKEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_table() {
        for (text, expected, kinds) in [
            ("nothing here, task-force sk-learn", "nothing here, task-force sk-learn", ""),
            ("a ghp_abcdefghijklmnopqrstuvwxyz0123456789 b", "a (redacted) b", "1 github-token"),
            ("KEY=sk-proj-abcdEFGH1234567890 x", "(redacted) x", "1 model-key"),
            ("AKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLF", "(redacted) (redacted)", "2 aws-key"),
            ("Authorization: Bearer abc123def456", "Authorization: Bearer (redacted)", "1 bearer-token"),
            ("the bearer information", "the bearer information", ""),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "(redacted)", "1 json-web-token"),
            (
                "x -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- y",
                "x (redacted) y",
                "1 private-key",
            ),
            ("-----BEGIN PRIVATE KEY-----\nabc", "(redacted)", "1 private-key"),
            (
                "1\t-----BEGIN PRIVATE KEY-----\n2\tab+/\n3\t-----END PRIVATE KEY-----\n4\tx",
                "1\t(redacted)\n4\tx",
                "1 private-key",
            ),
            (
                "k = \"-----BEGIN PRIVATE KEY-----\\nab\\n-----END PRIVATE KEY-----\";",
                "k = \"(redacted)\";",
                "1 private-key",
            ),
            // The end of a key in a diff.
            (
                "@@ -5,2 +5,2 @@\n BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n CKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n -----END PRIVATE KEY-----\n x",
                "@@ -5,2 +5,2 @@\n (redacted)\n x",
                "1 private-key",
            ),
            ("use this\n-----END PRIVATE KEY-----", "use this\n(redacted)", "1 private-key"),
            // A program that knows keys is not one: the rest of it stays.
            (
                "line.starts_with(\"-----BEGIN \") && x(\"-----BEGIN PRIVATE KEY-----\"); rest()",
                "line.starts_with(\"-----BEGIN \") && x(\"(redacted)\"); rest()",
                "1 private-key",
            ),
            ("git clone https://me:pass@host/x é", "git clone https://(redacted)@host/x é", "1 url-password"),
            ("https://host/a@b:c", "https://host/a@b:c", ""),
        ] {
            let mut counts = SecretCounts::default();
            assert_eq!(redact(text, &ShownSecrets::default(), &mut counts), expected);
            assert_eq!(counts.to_string(), kinds, "{text}");
        }
    }

    #[test]
    fn the_user_names_what_is_shown() {
        let text = "AKIAIOSFODNN7EXAMPLE and ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        for (shown, expected) in [
            ("aws-key", "AKIAIOSFODNN7EXAMPLE and (redacted)"),
            ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE and (redacted)"),
            ("AKIA", "(redacted) and (redacted)"),
        ] {
            let shown = ShownSecrets(vec![shown.to_owned()]);
            assert_eq!(redact(text, &shown, &mut SecretCounts::default()), expected);
        }
        assert!(kinds().contains(&"aws-key") && kinds().is_sorted());
    }
}
