//! `file://` URIs and absolute paths. No other module of zubi parses URIs.
//!
//! Servers match documents by the exact text of their URI, so zubi stores a server's URI unchanged and uses its path
//! only to *compare* it. Percent-encoding follows RFC 3986; the drive-letter forms are those that VS Code and other
//! editors send.

use camino::{Utf8Path, Utf8PathBuf};

use crate::lsp::Uri;

/// Returns the `file://` URI of an absolute path; encodes all bytes but `/` and RFC 3986's unreserved set.
pub fn from_path(path: &Utf8Path) -> Uri {
    let mut uri = String::with_capacity(path.as_str().len() + 8);
    uri.push_str("file://");
    for byte in path.as_str().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                uri.push('%');
                uri.push(char::from(HEX[usize::from(byte >> 4)]));
                uri.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
    Uri(uri)
}

/// Returns the path of a `file://` URI, or `None` for another scheme, a foreign host, or bytes that are not UTF-8.
/// Accepts raw spaces and unencoded characters, which real servers send.
pub fn to_path(uri: &Uri) -> Option<Utf8PathBuf> {
    let rest = strip_prefix_ignore_case(&uri.0, "file:")?;
    let path = match rest.strip_prefix("//") {
        // For `file://host/path`, accepts only names of this machine.
        Some(authority) => {
            let slash = authority.find('/')?;
            let (host, path) = authority.split_at(slash);
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return None;
            }
            path
        }
        // `file:/path` is legal (RFC 8089) and some servers send it.
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let decoded = percent_decode(path)?;
    (decoded.starts_with('/') && !decoded.contains('\0')).then(|| Utf8PathBuf::from(decoded))
}

/// Returns the scheme of a URI (RFC 3986, section 3.1) as written; `None` if it has none.
pub fn scheme(uri: &Uri) -> Option<&str> {
    let (scheme, _) = uri.0.split_once(':')?;
    let rest = |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.');
    (scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.chars().all(rest)).then_some(scheme)
}

fn strip_prefix_ignore_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| text.get(prefix.len()..)).flatten()
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%'
            && let Some(high) = tail.first().and_then(|digit| char::from(*digit).to_digit(16))
            && let Some(low) = tail.get(1).and_then(|digit| char::from(*digit).to_digit(16))
        {
            bytes.push(u8::try_from(high * 16 + low).ok()?);
            rest = tail.get(2..)?;
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn table() {
        let path = |uri: &str| to_path(&Uri(uri.to_owned())).map(Utf8PathBuf::into_string);
        for (uri, expected) in [
            ("file:///a/b.rs", Some("/a/b.rs")),
            ("FILE:///a/b.rs", Some("/a/b.rs")),
            ("file:/a/b.rs", Some("/a/b.rs")),
            ("file://localhost/a/b.rs", Some("/a/b.rs")),
            ("file:///a%20b/%C3%A9.rs", Some("/a b/é.rs")),
            ("file:///a b/é.rs", Some("/a b/é.rs")),
            ("file:///100%/x", Some("/100%/x")),
            ("file:///a/b.rs#L3", Some("/a/b.rs")),
            ("file://server/share/x", None),
            ("file:///a%00b", None),
            ("file:///a%FFb", None),
            ("untitled:Untitled-1", None),
            ("jdt://contents/java.base/String.class", None),
            ("", None),
        ] {
            assert_eq!(path(uri).as_deref(), expected, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn a_path_survives_the_round_trip(path in "(/[^/\0]{1,12}){1,5}") {
            let path = Utf8PathBuf::from(path);
            prop_assert_eq!(to_path(&from_path(&path)), Some(path));
        }

        #[test]
        fn decoding_never_panics(text in ".{0,60}") {
            if let Some(path) = to_path(&Uri(format!("file://{text}"))) {
                prop_assert!(path.is_absolute() && !path.as_str().contains('\0'));
            }
        }
    }

    #[test]
    fn schemes() {
        for (uri, expected) in [
            ("jdt://contents/a/B.class?=x", Some("jdt")),
            ("clojure-lsp+a.b:x", Some("clojure-lsp+a.b")),
            ("1x:y", None),
            ("a b:c", None),
            (":x", None),
            ("/a/b", None),
        ] {
            assert_eq!(scheme(&Uri(uri.to_owned())), expected, "{uri}");
        }
    }
}
