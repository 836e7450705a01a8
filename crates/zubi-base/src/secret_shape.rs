//! Secrets in texts, recognized by their shape: tokens of known issuers, private keys, passwords in URLs.
//!
//! Unrecognized secrets stay, and an example of a key looks like a real one. So the user can name what zubi shows
//! ([`ShownSecrets`]). [`crate::credentials`] knows the names of files that contain secrets.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use issuers::{Alphabet, MIN_WEBHOOK, MODEL_KEY, NAMES, SHAPES, WEBHOOKS};

mod diff;
mod issuers;

/// The placeholder for a secret.
pub const REDACTED: &str = "(redacted)";

const PRIVATE_KEY: &str = "private-key";
const URL_PASSWORD: &str = "url-password";
const BEARER_TOKEN: &str = "bearer-token";
const WEB_TOKEN: &str = "json-web-token";
const WEBHOOK: &str = "webhook-address";
const NETRC_PASSWORD: &str = "netrc-password";

/// Returns the names of all kinds, for messages and settings.
pub fn kinds() -> Vec<&'static str> {
    let mut kinds: Vec<_> = SHAPES.iter().chain(NAMES).map(|(.., kind)| *kind).collect();
    kinds.extend([PRIVATE_KEY, URL_PASSWORD, BEARER_TOKEN, WEB_TOKEN, WEBHOOK, NETRC_PASSWORD]);
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
    let Some((plain, offsets)) = without_colours(text) else { return find_plain(text) };
    let original = |range: Range<usize>| {
        let last = range.end.checked_sub(1).and_then(|last| offsets.get(last));
        offsets.get(range.start).copied().unwrap_or(text.len())..last.map_or(text.len(), |last| last + 1)
    };
    find_plain(&plain)
        .into_iter()
        .map(|FoundSecret { kind, range }| FoundSecret { kind, range: original(range) })
        .collect()
}

/// Returns a text without the sequences that select colours or erase a line (ECMA-48, SGR and EL), and the offset of each
/// byte in the original; `None` if it has none. A search can colour a part of a secret. The escape character may be
/// missing, because [`crate::escape`] removes it.
fn without_colours(text: &str) -> Option<(String, Vec<usize>)> {
    let mut plain = String::new();
    let mut offsets = Vec::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('[') {
        let inner = text.get(at + 1..).unwrap_or_default();
        let end = inner.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(inner.len());
        let after = inner.get(end..).and_then(|rest| rest.strip_prefix(['m', 'K']));
        let has_escape = text.get(..at).is_some_and(|before| before.ends_with('\u{1b}'));
        // Without the escape character and a number, it can be an index (`x[max]`).
        let is_next_to_another = (copied > 0 && copied == at) || after.is_some_and(|after| after.starts_with('['));
        if after.is_none() || !(has_escape || end > 0 || is_next_to_another) {
            continue;
        }
        let start = at - usize::from(has_escape);
        plain.push_str(text.get(copied..start).unwrap_or_default());
        offsets.extend(copied..start);
        copied = at + 1 + end + 1;
    }
    (copied > 0).then(|| {
        plain.push_str(text.get(copied..).unwrap_or_default());
        offsets.extend(copied..text.len());
        (plain, offsets)
    })
}

fn find_plain(text: &str) -> Vec<FoundSecret> {
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
        // A mark of a diff can precede the first or the last line of a key.
        let end = KEY_LINES.iter().filter_map(|line| token.find(line)).filter(|at| *at > 0).min().unwrap_or(end);
        let token = rest.get(..end).unwrap_or_default();
        if let Some((kind, range)) = secret_part(text, at..at + end, before) {
            at = range.end.max(at + 1);
            before = "";
            found.push(FoundSecret { kind, range });
            continue;
        }
        (at, before) = (at + end, token);
        let authority = rest.get(end..).and_then(|rest| rest.strip_prefix("://"));
        if let Some(length) = authority.and_then(password) {
            found.push(FoundSecret { kind: URL_PASSWORD, range: at + 3..at + 3 + length });
            at += 3 + length;
        }
    }
    for mut range in diff::find_bodies(text) {
        found.retain(|other| {
            let is_apart = other.range.end <= range.start || range.end <= other.range.start;
            if !is_apart {
                range = range.start.min(other.range.start)..range.end.max(other.range.end);
            }
            is_apart
        });
        found.push(FoundSecret { kind: PRIVATE_KEY, range });
    }
    found.sort_by_key(|found| found.range.start);
    found
}

/// The beginnings of the first and of the last line of a key.
const KEY_LINES: [&str; 2] = ["-----BEGIN", "-----END"];

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
    let end = text.rfind('\n').map_or(text.len(), |end| end + 1);
    let mut start = end;
    while let Some(body) = text.get(..start.saturating_sub(1)).filter(|_| start > 0) {
        let line_start = body.rfind('\n').map_or(0, |end| end + 1);
        let line = body.get(line_start..).unwrap_or_default();
        // Line numbers and marks of a diff may precede the Base64.
        let word = line.split_whitespace().last().unwrap_or_default().trim_start_matches(['+', '-']);
        // The last line of a key has the rest of it, if the line above belongs to the key.
        let is_rest = start == end && is_key_line(body.get(..line_start.saturating_sub(1)).unwrap_or_default());
        if (word.len() < MIN_KEY_LINE && !is_rest) || word.is_empty() || !word.chars().all(is_base64) {
            break;
        }
        start = line_start + (line.len() - word.len());
        if start != line_start {
            // The text before the Base64 of the first line stays; that of the others is redacted with them.
            let continues = is_key_line(text.get(..line_start.saturating_sub(1)).unwrap_or_default());
            start = if continues { line_start } else { start };
        }
        if start != line_start {
            break;
        }
    }
    start
}

/// Whether the last line of a text ends with a long word of Base64.
fn is_key_line(text: &str) -> bool {
    let word = text.lines().last().and_then(|line| line.split_whitespace().last());
    word.is_some_and(|word| word.len() >= MIN_KEY_LINE && word.chars().all(|c| is_base64(c) || c == '-'))
}

/// The minimum length of a line of Base64 in a key; RFC 7468 has 64.
const MIN_KEY_LINE: usize = 32;

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+/=".contains(c)
}

/// Whether a character may be between the first and the last line of a key: also of a key in a string or a list of strings,
/// and with numbers before its lines.
fn is_key_body(c: char) -> bool {
    is_base64(c) || c.is_whitespace() || "\\\"',-:|.>".contains(c)
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

/// Returns the kind and the range of the first secret that begins in a token. `before` is the previous token.
fn secret_part(text: &str, token: Range<usize>, before: &str) -> Option<(&'static str, Range<usize>)> {
    let word = text.get(token.clone())?;
    if let Some(found) = starts(text, &token).find_map(|start| known_secret(text, start)) {
        return Some(found);
    }
    if word.eq_ignore_ascii_case("password") {
        return netrc_password(text, &token);
    }
    let bearer = before.eq_ignore_ascii_case("bearer") || before.eq_ignore_ascii_case("basic");
    let credential = word.len() >= 20 || (word.len() >= 8 && word.bytes().any(|byte| byte.is_ascii_digit()));
    (bearer && credential).then_some((BEARER_TOKEN, token))
}

/// Returns the offsets at which a secret can begin in a token: its start, after each character other than a letter or a
/// digit (`+ghp_…` in a diff, `token=ghp_…`), and after an escape sequence of a string or of a URL.
fn starts(text: &str, token: &Range<usize>) -> impl Iterator<Item = usize> {
    let (first, bytes) = (token.start, text.as_bytes());
    let word = bytes.get(token.clone()).unwrap_or_default();
    let escape = match first.checked_sub(1).and_then(|at| bytes.get(at)) {
        Some(b'\\') if matches!(word.first(), Some(b'n' | b'r' | b't')) => Some(first + 1),
        Some(b'%') if word.iter().take_while(|byte| byte.is_ascii_hexdigit()).count() >= 2 => Some(first + 2),
        _ => None,
    };
    let inner = word.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_alphanumeric());
    std::iter::once(first).chain(escape).chain(inner.map(move |(at, _)| first + at + 1))
}

/// Returns the secret that begins at an offset, or the value of a name that begins there.
fn known_secret(text: &str, start: usize) -> Option<(&'static str, Range<usize>)> {
    let rest = text.get(start..)?;
    let run = |text: &str, alphabet: Alphabet| text.find(|c| !alphabet.has(c)).unwrap_or(text.len());
    let first = *rest.as_bytes().first()?;
    let candidates = SHAPES.iter().filter(|(prefix, ..)| prefix.as_bytes().first() == Some(&first));
    for (prefix, alphabet, min_length, kind) in candidates {
        let Some(body) = rest.strip_prefix(prefix) else { continue };
        let length = run(body, *alphabet);
        let body = body.get(..length)?;
        let is_varied = body.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
        if length >= *min_length && is_varied && (*prefix != MODEL_KEY || has_random_part(body)) {
            // Checksums and attributes can follow the random part, and a full stop can end a sentence.
            let is_strict = matches!(alphabet, Alphabet::Alphanumeric | Alphabet::Hex);
            let more = rest
                .get(prefix.len() + length..)
                .map_or(0, |rest| if is_strict { run(rest, Alphabet::Word) } else { 0 });
            let end = start + prefix.len() + body.trim_end_matches('.').len() + more;
            return Some((*kind, start..end));
        }
    }
    // A JSON Web Token: three parts, the first of which is the Base64 of `{"`.
    if rest.starts_with("eyJ") {
        let length = run(rest, Alphabet::Dotted);
        let is_token = length > 24 && rest.get(..length)?.trim_end_matches('.').matches('.').count() == 2;
        return is_token.then_some((WEB_TOKEN, start..start + length));
    }
    if matches!(first, b'M' | b'b') && KEY_STARTS.iter().any(|key| rest.starts_with(key)) {
        let length = run(rest, Alphabet::Base64);
        return (length >= MIN_KEY_LINE).then_some((PRIVATE_KEY, start..start + length));
    }
    if matches!(first, b'h' | b'd' | b'w') {
        for (host, path) in WEBHOOKS {
            let Some(path) = rest.strip_prefix(host).and_then(|rest| rest.strip_prefix(path)) else { continue };
            let length = run(path, Alphabet::Path);
            let start = text.len() - path.len();
            return (length >= MIN_WEBHOOK).then_some((WEBHOOK, start..start + length));
        }
    }
    // Most words end here, without a comparison with all names.
    let may_be_name = matches!(first.to_ascii_lowercase(), b'a' | b's' | b'_' | b'c');
    let (kind, range) = NAMES.iter().filter(|_| may_be_name).find_map(|name| named_value(rest, name))?;
    Some((kind, start + range.start..start + range.end))
}

/// The first characters of private keys without their first line, in Base64: of OpenSSH, of RSA in PKCS #8 and PKCS #1,
/// and of elliptic curves (RFC 5208, RFC 8017, RFC 5915, RFC 8410).
const KEY_STARTS: &[&str] = &[
    "b3BlbnNzaC1rZXktdjE",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
    "MIIEvgIBADANBgkqhkiG9w0BAQEFAASC",
    "MIIEvAIBADANBgkqhkiG9w0BAQEFAASC",
    "MIIJQgIBADANBgkqhkiG9w0BAQEFAASC",
    "MIIJQwIBADANBgkqhkiG9w0BAQEFAASC",
    "MIIJRAIBADANBgkqhkiG9w0BAQEFAASC",
    "MIIEowIBAAKC",
    "MIIEpAIBAAKC",
    "MIIEpQIBAAKC",
    "MIIJKAIBAAKC",
    "MIIJKQIBAAKC",
    "MIIJKgIBAAKC",
    "MIGHAgEAMBMGByqGSM49",
    "MHcCAQEEI",
    "MC4CAQAwBQYDK2VwBCIEI",
];

/// Whether a part of the words of a key is random: long, with letters and digits. Names with hyphens have parts that a
/// person can read.
fn has_random_part(words: &str) -> bool {
    words.split(['-', '_']).any(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        word.len() >= 12 && digits >= 2 && digits < word.len()
    })
}

/// Returns the range of the value of a name, as in `name = value`, `"name": "value"` and `name value`.
fn named_value(
    text: &str,
    (name, alphabet, min_length, kind): &issuers::Shape,
) -> Option<(&'static str, Range<usize>)> {
    let is_named = text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let rest = text.get(name.len()..).filter(|_| is_named)?;
    let rest = rest.trim_start_matches(['"', '\'', '\\', ' ', '\t']).strip_prefix(['=', ':'])?;
    let value = rest.trim_start_matches(['"', '\'', '\\', ' ', '\t']);
    let length = value.find(|c| !alphabet.has(c)).unwrap_or(value.len());
    let start = text.len() - value.len();
    // A reference to a variable has no secret.
    (length >= *min_length && !value.starts_with(['$', '<', '{', '(', '%'])).then_some((*kind, start..start + length))
}

/// Returns the range of a password in the file of netrc(5), whose line is `machine … login … password …`.
fn netrc_password(text: &str, name: &Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let before = text.get(..name.start)?;
    let mut words = before.split_whitespace().rev().map(|word| word.trim_start_matches(['+', '-', '>', '<', '|']));
    // Marks of a diff can be words of their own.
    let mut words = words.by_ref().filter(|word| !word.is_empty()).take(4);
    let (_, login) = (words.next()?, words.next()?);
    let is_default = words.next()? == "default";
    if login != "login" || !(is_default || words.next()? == "machine") {
        return None;
    }
    let rest = text.get(name.end..)?;
    let value = rest.trim_start();
    let length = value.find(char::is_whitespace).unwrap_or(value.len());
    let start = text.len() - value.len();
    (value.len() < rest.len() && length > 0).then_some((NETRC_PASSWORD, start..start + length))
}

#[cfg(test)]
mod tests;
