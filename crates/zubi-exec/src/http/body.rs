//! Renders the body of a response for readers.

use serde_json::Value;

/// The displayable form of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum RenderedBody {
    Empty,
    Json(Value),
    Text(String),
    /// A body without a readable form.
    Binary,
}

/// Classifies the bytes by their content type and content.
pub(super) fn read(bytes: &[u8], content_type: Option<&str>, is_complete: bool) -> RenderedBody {
    if bytes.is_empty() {
        return RenderedBody::Empty;
    }
    let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
    let mut parts = content_type.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default();
    let charset = parts.find_map(|part| part.strip_prefix("charset=")).map(|charset| charset.trim_matches('"'));
    let is_json = kind == "application/json" || kind == "text/json" || kind.ends_with("+json");
    if is_json
        && is_complete
        && let Ok(value) = serde_json::from_slice(bytes)
    {
        return RenderedBody::Json(value);
    }
    let is_media = ["image/", "audio/", "video/", "font/"].iter().any(|family| kind.starts_with(family))
        && kind != "image/svg+xml";
    if is_media || bytes.contains(&0) {
        return RenderedBody::Binary;
    }
    match charset {
        // Latin-1 has the first 256 characters of Unicode.
        Some("iso-8859-1" | "latin1" | "iso8859-1") => {
            RenderedBody::Text(bytes.iter().copied().map(char::from).collect())
        }
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => RenderedBody::Text(text.trim_start_matches('\u{feff}').to_owned()),
            // The limit has cut the last character.
            Err(error) if error.error_len().is_none() => {
                RenderedBody::Text(String::from_utf8_lossy(bytes).into_owned())
            }
            Err(_) if charset.is_some() || kind.starts_with("text/") => {
                RenderedBody::Text(String::from_utf8_lossy(bytes).into_owned())
            }
            Err(_) => RenderedBody::Binary,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bodies_by_content_type() {
        let text = |text: &str| RenderedBody::Text(text.to_owned());
        for (bytes, content_type, is_complete, expected) in [
            (&b"{\"a\": 1}"[..], "application/json; charset=utf-8", true, RenderedBody::Json(json!({"a": 1}))),
            (b"[1]", "application/problem+json", true, RenderedBody::Json(json!([1]))),
            (b"{\"a\": 1", "application/json", false, text("{\"a\": 1")),
            (b"<html>", "application/json", true, text("<html>")),
            (b"{}", "text/html", true, text("{}")),
            (b"caf\xe9", "text/plain; charset=ISO-8859-1", true, text("café")),
            (b"caf\xe9!", "text/plain", true, text("caf\u{fffd}!")),
            (b"caf\xe9!", "application/octet-stream", true, RenderedBody::Binary),
            (b"\xef\xbb\xbfa", "", true, text("a")),
            (b"\x89PNG", "image/png", true, RenderedBody::Binary),
            (b"<svg/>", "image/svg+xml", true, text("<svg/>")),
            (b"a\0b", "text/plain", true, RenderedBody::Binary),
            (b"", "application/json", true, RenderedBody::Empty),
        ] {
            assert_eq!(read(bytes, Some(content_type), is_complete), expected, "{content_type}");
        }
    }
}
