//! Replaces placeholders by their values: one pass, each value escaped for its position and never parsed again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use zubi_base::text::quote_for_shell;

use super::Template;
use super::placeholder::{Escaping, PlaceholderPosition, PlaceholderSource, REDACTED, TemplatePart};

/// The characters to percent-encode: all except the "unreserved characters" of RFC 3986 (2.3), so that no value can end
/// its segment or pair.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The maximum length of a rendered text, in bytes: a template can repeat a large value.
pub const MAX_RENDERED: usize = 16 * 1024 * 1024;

/// The values of one call.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// The validated arguments, with defaults.
    pub arguments: &'a Map<String, Value>,
    /// The values of `zubi.env`, and secrets.
    pub environment: &'a BTreeMap<String, String>,
    /// The absolute path of the workspace folder.
    pub workspace_folder: &'a str,
}

/// A rendered text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RenderedText {
    pub text: String,
    /// The text with [`REDACTED`] in place of secret values, for people and logs.
    pub redacted: String,
    /// The names of the used secrets.
    pub secrets: Vec<String>,
    /// Whether the template is only an optional argument that is missing.
    pub absent: bool,
}

/// The reason why a value cannot be inserted. `subject` names the placeholder, as in "argument `id`".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    #[error("{subject} is missing")]
    Missing { subject: String },
    #[error("{subject} contains NUL, which nothing here can hold")]
    Nul { subject: String },
    #[error("{subject} contains a line break or another control character, which a header cannot hold")]
    Control { subject: String },
    #[error("{subject} contains `;`, `,`, `\"` or `\\`, which would make another part of the header")]
    Separator { subject: String },
    #[error("{subject} is an array, and only one value is possible here")]
    Several { subject: String },
    #[error("{subject} is empty, and the URL would name another resource")]
    EmptySegment { subject: String },
    #[error("the URL's path would contain `.` or `..`, which leads to another resource")]
    DotSegment,
    #[error("{subject} is not a whole URL such as `https://host/path`, without `?`, `#` and white space")]
    NotABase { subject: String },
    #[error("{subject} is not a host")]
    NotAHost { subject: String },
    #[error("the text would have more than {MAX_RENDERED} bytes")]
    TooLong,
}

/// The text of a value.
enum ValueText<'a> {
    Absent,
    Single(Cow<'a, str>),
    Several(Vec<Cow<'a, str>>),
}

#[derive(Default)]
struct RenderBuffer {
    text: String,
    redacted: String,
    secrets: Vec<String>,
    /// Whether the first pair of a query was omitted, so that the next one begins the query.
    omitted_first: bool,
}

impl RenderBuffer {
    fn push_literal(&mut self, text: &str) {
        match text.strip_prefix('&') {
            Some(rest) if std::mem::take(&mut self.omitted_first) => {
                self.push("?", None);
                self.push(rest, None);
            }
            _ => self.push(text, None),
        }
    }

    /// Appends unescaped text; the redacted text does not get that of a secret.
    fn push(&mut self, text: &str, secret: Option<&str>) {
        self.text.push_str(text);
        match secret {
            None => self.redacted.push_str(text),
            Some(name) => {
                self.redacted.push_str(REDACTED);
                if !self.secrets.iter().any(|recorded| recorded == name) {
                    self.secrets.push(name.to_owned());
                }
            }
        }
    }
}

impl Template {
    /// Inserts the values into the text.
    pub fn render(&self, values: Values<'_>) -> Result<RenderedText, RenderError> {
        let mut output = RenderBuffer::default();
        for part in &self.parts {
            match part {
                TemplatePart::Literal(text) => output.push_literal(text),
                TemplatePart::Placeholder { source, position } => {
                    render_placeholder(&mut output, source, position, values)?;
                }
            }
            if output.text.len() > MAX_RENDERED {
                return Err(RenderError::TooLong);
            }
        }
        if self.escaping == Escaping::Url {
            check_path(&output.text)?;
        }
        let absent = matches!(&self.parts[..], [TemplatePart::Placeholder { source, .. }] if matches!(text_of(source, values), Ok(ValueText::Absent)));
        let RenderBuffer { text, redacted, secrets, .. } = output;
        Ok(RenderedText { text, redacted, secrets, absent })
    }
}

fn secret_of(source: &PlaceholderSource) -> Option<&str> {
    if let PlaceholderSource::Environment(name) = source { Some(name) } else { None }
}

/// Returns the value of a source as JSON; `None` if an optional argument is missing.
fn value_of<'a>(source: &'a PlaceholderSource, values: Values<'a>) -> Result<Option<Cow<'a, Value>>, RenderError> {
    let missing = || RenderError::Missing { subject: source.describe() };
    match source {
        PlaceholderSource::Argument(name, argument) => match values.arguments.get(name) {
            Some(Value::Null) | None if argument.required => Err(missing()),
            Some(Value::Null) | None => Ok(None),
            Some(value) => Ok(Some(Cow::Borrowed(value))),
        },
        PlaceholderSource::Variable(_, value) => Ok(Some(Cow::Owned(Value::from(value.as_str())))),
        PlaceholderSource::Environment(name) => match values.environment.get(name) {
            Some(value) => Ok(Some(Cow::Owned(Value::from(value.as_str())))),
            None => Err(missing()),
        },
        PlaceholderSource::WorkspaceFolder => Ok(Some(Cow::Owned(Value::from(values.workspace_folder)))),
    }
}

fn text_of<'a>(source: &'a PlaceholderSource, values: Values<'a>) -> Result<ValueText<'a>, RenderError> {
    let Some(value) = value_of(source, values)? else { return Ok(ValueText::Absent) };
    Ok(match value {
        Cow::Borrowed(Value::Array(items)) => ValueText::Several(items.iter().map(scalar).collect()),
        Cow::Borrowed(value) => ValueText::Single(scalar(value)),
        Cow::Owned(Value::String(text)) => ValueText::Single(Cow::Owned(text)),
        Cow::Owned(value) => ValueText::Single(Cow::Owned(value.to_string())),
    })
}

fn scalar(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

fn render_placeholder(
    output: &mut RenderBuffer,
    source: &PlaceholderSource,
    position: &PlaceholderPosition,
    values: Values<'_>,
) -> Result<(), RenderError> {
    let secret = secret_of(source);
    if *position == PlaceholderPosition::JsonValue {
        let text = value_of(source, values)?.map_or_else(|| "null".to_owned(), |value| value.to_string());
        match secret {
            None => output.push(&text, None),
            // Redacted as the string that it is.
            Some(_) => {
                output.push(&text, secret);
                let length = output.redacted.len() - REDACTED.len();
                output.redacted.truncate(length);
                output.redacted.push_str(&Value::from(REDACTED).to_string());
            }
        }
        return Ok(());
    }
    let text = text_of(source, values)?;
    match (position, text) {
        (PlaceholderPosition::Word { is_alone: true }, ValueText::Absent) => {}
        (PlaceholderPosition::Word { is_alone: true }, ValueText::Several(items)) => {
            for (index, item) in items.into_iter().enumerate() {
                output.push_literal(if index == 0 { "" } else { " " });
                output.push(&quote_for_shell(&reject_nul(item, source)?), secret);
            }
        }
        (PlaceholderPosition::Word { .. }, text) => {
            output.push(&quote_for_shell(&reject_nul(single_value(text, source)?, source)?), secret);
        }
        (PlaceholderPosition::Quoted, text) => {
            // Ends the double quotes, inserts the value in single quotes, and begins them again. So there is one way of
            // quoting, which does not depend on the special characters of a shell and locale between double quotes.
            let text = reject_nul(single_value(text, source)?, source)?;
            output.push_literal("\"");
            output.push(&quote_for_shell(&text), secret);
            output.push_literal("\"");
        }
        (PlaceholderPosition::Pair { separator, key }, text) => write_pairs(output, *separator, key, text, secret),
        (PlaceholderPosition::Encoded, text) => output.push(&percent_encode(&single_value(text, source)?), secret),
        (PlaceholderPosition::Segment { is_alone }, text) => {
            let text = single_value(text, source)?;
            if *is_alone && text.is_empty() {
                return Err(RenderError::EmptySegment { subject: source.describe() });
            }
            output.push(&percent_encode(&text), secret);
        }
        (PlaceholderPosition::UrlBase, text) => {
            let text = single_value(text, source)?;
            if !is_base(&text) {
                return Err(RenderError::NotABase { subject: source.describe() });
            }
            output.push(&text, secret);
        }
        (PlaceholderPosition::UrlHost, text) => {
            let text = single_value(text, source)?;
            if text.is_empty() || !text.chars().all(|next| next.is_ascii_alphanumeric() || "-._:[]".contains(next)) {
                return Err(RenderError::NotAHost { subject: source.describe() });
            }
            output.push(&text, secret);
        }
        (PlaceholderPosition::JsonString, text) => {
            let text = Value::from(single_value(text, source)?).to_string();
            // The value without its quotes.
            output.push(text.get(1..text.len().saturating_sub(1)).unwrap_or_default(), secret);
        }
        (PlaceholderPosition::Header { is_alone }, text) => {
            let text = single_value(text, source)?;
            if text.chars().any(|next| next.is_ascii_control() && next != '\t') {
                return Err(RenderError::Control { subject: source.describe() });
            }
            if !is_alone && source.argument().is_some() && text.contains([';', ',', '"', '\\']) {
                return Err(RenderError::Separator { subject: source.describe() });
            }
            output.push(&text, secret);
        }
        (PlaceholderPosition::Text, text) => output.push(&single_value(text, source)?, secret),
        (PlaceholderPosition::Path | PlaceholderPosition::JsonValue, text) => {
            output.push(&reject_nul(single_value(text, source)?, source)?, secret);
        }
    }
    Ok(())
}

fn single_value<'a>(text: ValueText<'a>, source: &PlaceholderSource) -> Result<Cow<'a, str>, RenderError> {
    match text {
        ValueText::Absent => Ok(Cow::Borrowed("")),
        ValueText::Single(text) => Ok(text),
        ValueText::Several(_) => Err(RenderError::Several { subject: source.describe() }),
    }
}

fn reject_nul<'a>(text: Cow<'a, str>, source: &PlaceholderSource) -> Result<Cow<'a, str>, RenderError> {
    if text.contains('\0') { Err(RenderError::Nul { subject: source.describe() }) } else { Ok(text) }
}

fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

fn write_pairs(
    output: &mut RenderBuffer,
    separator: Option<char>,
    key: &str,
    text: ValueText<'_>,
    secret: Option<&str>,
) {
    let items = match text {
        ValueText::Absent => Vec::new(),
        ValueText::Single(text) => vec![text],
        ValueText::Several(items) => items,
    };
    if items.is_empty() && separator == Some('?') {
        output.omitted_first = true;
    }
    for (index, item) in items.iter().enumerate() {
        let separator = match separator {
            Some(separator) if index == 0 => {
                Some(if std::mem::take(&mut output.omitted_first) { '?' } else { separator })
            }
            None if index == 0 => None,
            _ => Some('&'),
        };
        let separator = separator.map(String::from).unwrap_or_default();
        output.push(&format!("{separator}{key}="), None);
        output.push(&percent_encode(item), secret);
    }
}

/// Whether a text is the beginning of a URL including the host, and perhaps a part of the path.
fn is_base(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.map(|rest| rest.split(['/', '\\']).next().unwrap_or_default());
    host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && !text.chars().any(|next| next.is_whitespace() || next.is_control() || matches!(next, '?' | '#'))
}

/// Refuses `.` and `..`, also percent-encoded, which mean other segments (URL Standard, "double-dot URL path segment").
fn check_path(url: &str) -> Result<(), RenderError> {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.split(['?', '#']).next().unwrap_or_default();
    let mut segments = path.split(['/', '\\']).skip(1);
    let dots = |segment: &str| matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    if segments.any(dots) { Err(RenderError::DotSegment) } else { Ok(()) }
}
