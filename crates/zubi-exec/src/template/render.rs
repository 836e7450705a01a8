//! Replaces placeholders by their values: one pass, each value escaped for its position and never parsed again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use super::{Escaping, Part, PlaceholderPosition, REDACTED, Source, Template};

/// The characters to percent-encode: all except the "unreserved characters" of RFC 3986 (2.3), so that no value can end
/// its segment or pair.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The longest rendered text, in bytes: templates can repeat a large value.
pub const MAX_RENDERED: usize = 16 * 1024 * 1024;

/// The values of one call.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// As validated, with defaults filled in.
    pub arguments: &'a Map<String, Value>,
    /// Values of `zubi.env` and secrets.
    pub environment: &'a BTreeMap<String, String>,
    /// Absolute.
    pub workspace_folder: &'a str,
}

/// A rendered text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RenderedText {
    pub text: String,
    /// The text with [`REDACTED`] in place of secret values, for people and logs.
    pub shown: String,
    /// The names of the secrets in it.
    pub secrets: Vec<String>,
    /// The template is nothing but an optional argument, and that is missing.
    pub absent: bool,
}

/// Rendered arguments of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RenderedWords {
    pub words: Vec<String>,
    pub shown: Vec<String>,
    pub secrets: Vec<String>,
}

/// Why a value cannot be written. `what` names the placeholder: "argument `id`".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    #[error("{what} is missing")]
    Missing { what: String },
    #[error("{what} contains NUL, which nothing here can hold")]
    Nul { what: String },
    #[error("{what} contains a line break or another control character, which a header cannot hold")]
    Control { what: String },
    #[error("{what} contains `;`, `,`, `\"` or `\\`, which would make another part of the header")]
    Separator { what: String },
    #[error("{what} is an array, and only one value is possible here")]
    Several { what: String },
    #[error("{what} is empty, and the URL would name another resource")]
    EmptySegment { what: String },
    #[error("the URL's path would contain `.` or `..`, which leads to another resource")]
    DotSegment,
    #[error("{what} is not a whole URL such as `https://host/path`, without `?`, `#` and white space")]
    NotABase { what: String },
    #[error("{what} is not a host")]
    NotAHost { what: String },
    #[error("the text would have more than {MAX_RENDERED} bytes")]
    TooLong,
}

/// A value as the text that it is.
enum Text<'a> {
    Absent,
    One(Cow<'a, str>),
    Several(Vec<Cow<'a, str>>),
}

#[derive(Default)]
struct Output {
    text: String,
    shown: String,
    secrets: Vec<String>,
    /// The first pair of a query was left out: the next one begins it.
    question: bool,
}

impl Output {
    fn literal(&mut self, text: &str) {
        match text.strip_prefix('&') {
            Some(rest) if std::mem::take(&mut self.question) => {
                self.push("?", None);
                self.push(rest, None);
            }
            _ => self.push(text, None),
        }
    }

    /// Text as it is written; a secret's stays out of what is shown.
    fn push(&mut self, text: &str, secret: Option<&str>) {
        self.text.push_str(text);
        match secret {
            None => self.shown.push_str(text),
            Some(name) => {
                self.shown.push_str(REDACTED);
                if !self.secrets.iter().any(|known| known == name) {
                    self.secrets.push(name.to_owned());
                }
            }
        }
    }
}

impl Template {
    /// Writes the values into the text.
    pub fn render(&self, values: Values<'_>) -> Result<RenderedText, RenderError> {
        let mut output = Output::default();
        for part in &self.parts {
            match part {
                Part::Literal(text) => output.literal(text),
                Part::Hole { source, place } => hole(&mut output, source, place, values)?,
            }
            if output.text.len() > MAX_RENDERED {
                return Err(RenderError::TooLong);
            }
        }
        if self.sink == Escaping::Url {
            check_path(&output.text)?;
        }
        let absent = matches!(&self.parts[..], [Part::Hole { source, .. }] if matches!(text_of(source, values), Ok(Text::Absent)));
        let Output { text, shown, secrets, .. } = output;
        Ok(RenderedText { text, shown, secrets, absent })
    }

    /// Renders one argument of a program: usually one word; none or several for an optional argument or an array that
    /// is alone.
    pub fn render_words(&self, values: Values<'_>) -> Result<RenderedWords, RenderError> {
        if let [Part::Hole { source, place: PlaceholderPosition::Argv { alone: true } }] = &self.parts[..] {
            let words = match text_of(source, values)? {
                Text::Absent => Vec::new(),
                Text::One(text) => vec![text],
                Text::Several(items) => items,
            };
            let words = words.into_iter().map(|text| without_nul(text, source).map(Cow::into_owned));
            let words = words.collect::<Result<Vec<String>, RenderError>>()?;
            let secret = secret_of(source);
            let shown = words.iter().map(|word| secret.map_or_else(|| word.clone(), |_| REDACTED.to_owned())).collect();
            return Ok(RenderedWords { words, shown, secrets: secret.map(str::to_owned).into_iter().collect() });
        }
        let RenderedText { text, shown, secrets, .. } = self.render(values)?;
        Ok(RenderedWords { words: vec![text], shown: vec![shown], secrets })
    }
}

fn secret_of(source: &Source) -> Option<&str> {
    if let Source::Environment(name) = source { Some(name) } else { None }
}

/// The value of a source as JSON has it; `None` when an optional argument is missing.
fn value_of<'a>(source: &'a Source, values: Values<'a>) -> Result<Option<Cow<'a, Value>>, RenderError> {
    let missing = || RenderError::Missing { what: source.describe() };
    match source {
        Source::Argument(name, argument) => match values.arguments.get(name) {
            Some(Value::Null) | None if argument.required => Err(missing()),
            Some(Value::Null) | None => Ok(None),
            Some(value) => Ok(Some(Cow::Borrowed(value))),
        },
        Source::Variable(_, value) => Ok(Some(Cow::Owned(Value::from(value.as_str())))),
        Source::Environment(name) => match values.environment.get(name) {
            Some(value) => Ok(Some(Cow::Owned(Value::from(value.as_str())))),
            None => Err(missing()),
        },
        Source::WorkspaceFolder => Ok(Some(Cow::Owned(Value::from(values.workspace_folder)))),
    }
}

fn text_of<'a>(source: &'a Source, values: Values<'a>) -> Result<Text<'a>, RenderError> {
    let Some(value) = value_of(source, values)? else { return Ok(Text::Absent) };
    Ok(match value {
        Cow::Borrowed(Value::Array(items)) => Text::Several(items.iter().map(scalar).collect()),
        Cow::Borrowed(value) => Text::One(scalar(value)),
        Cow::Owned(Value::String(text)) => Text::One(Cow::Owned(text)),
        Cow::Owned(value) => Text::One(Cow::Owned(value.to_string())),
    })
}

fn scalar(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

fn hole(
    output: &mut Output,
    source: &Source,
    place: &PlaceholderPosition,
    values: Values<'_>,
) -> Result<(), RenderError> {
    let secret = secret_of(source);
    if *place == PlaceholderPosition::JsonValue {
        let text = value_of(source, values)?.map_or_else(|| "null".to_owned(), |value| value.to_string());
        match secret {
            None => output.push(&text, None),
            // Shown as the string it is.
            Some(_) => {
                output.push(&text, secret);
                let shown = output.shown.len() - REDACTED.len();
                output.shown.truncate(shown);
                output.shown.push_str(&Value::from(REDACTED).to_string());
            }
        }
        return Ok(());
    }
    let text = text_of(source, values)?;
    match (place, text) {
        (PlaceholderPosition::Word { alone: true }, Text::Absent) => {}
        (PlaceholderPosition::Word { alone: true }, Text::Several(items)) => {
            for (index, item) in items.into_iter().enumerate() {
                output.literal(if index == 0 { "" } else { " " });
                output.push(&quote_word(&without_nul(item, source)?), secret);
            }
        }
        (PlaceholderPosition::Word { .. }, text) => {
            output.push(&quote_word(&without_nul(single_value(text, source)?, source)?), secret)
        }
        (PlaceholderPosition::Quoted, text) => {
            // The double quotes end, the value is in single ones, and they begin again: so there is one way of quoting,
            // and it does not depend on the special characters between double quotes in a shell and locale.
            let text = without_nul(single_value(text, source)?, source)?;
            output.literal("\"");
            output.push(&quote_word(&text), secret);
            output.literal("\"");
        }
        (PlaceholderPosition::Pair { lead, key }, text) => pairs(output, *lead, key, text, secret),
        (PlaceholderPosition::Encoded, text) => output.push(&percent_encode(&single_value(text, source)?), secret),
        (PlaceholderPosition::Segment { alone }, text) => {
            let text = single_value(text, source)?;
            if *alone && text.is_empty() {
                return Err(RenderError::EmptySegment { what: source.describe() });
            }
            output.push(&percent_encode(&text), secret);
        }
        (PlaceholderPosition::UrlBase, text) => {
            let text = single_value(text, source)?;
            if !is_base(&text) {
                return Err(RenderError::NotABase { what: source.describe() });
            }
            output.push(&text, secret);
        }
        (PlaceholderPosition::UrlHost, text) => {
            let text = single_value(text, source)?;
            if text.is_empty() || !text.chars().all(|next| next.is_ascii_alphanumeric() || "-._:[]".contains(next)) {
                return Err(RenderError::NotAHost { what: source.describe() });
            }
            output.push(&text, secret);
        }
        (PlaceholderPosition::JsonString, text) => {
            let text = Value::from(single_value(text, source)?).to_string();
            // Without its quotes.
            output.push(text.get(1..text.len().saturating_sub(1)).unwrap_or_default(), secret);
        }
        (PlaceholderPosition::Header { alone }, text) => {
            let text = single_value(text, source)?;
            if text.chars().any(|next| next.is_ascii_control() && next != '\t') {
                return Err(RenderError::Control { what: source.describe() });
            }
            if !alone && source.argument().is_some() && text.contains([';', ',', '"', '\\']) {
                return Err(RenderError::Separator { what: source.describe() });
            }
            output.push(&text, secret);
        }
        (PlaceholderPosition::Text, text) => output.push(&single_value(text, source)?, secret),
        (PlaceholderPosition::Argv { .. } | PlaceholderPosition::Path | PlaceholderPosition::JsonValue, text) => {
            output.push(&without_nul(single_value(text, source)?, source)?, secret);
        }
    }
    Ok(())
}

fn single_value<'a>(text: Text<'a>, source: &Source) -> Result<Cow<'a, str>, RenderError> {
    match text {
        Text::Absent => Ok(Cow::Borrowed("")),
        Text::One(text) => Ok(text),
        Text::Several(_) => Err(RenderError::Several { what: source.describe() }),
    }
}

fn without_nul<'a>(text: Cow<'a, str>, source: &Source) -> Result<Cow<'a, str>, RenderError> {
    if text.contains('\0') { Err(RenderError::Nul { what: source.describe() }) } else { Ok(text) }
}

/// Quotes one word of a POSIX shell, whatever precedes and follows it (XCU 2.2.2). Always with quotes: a bare `2`
/// before a `>` would be a file descriptor.
fn quote_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

fn pairs(output: &mut Output, lead: Option<char>, key: &str, text: Text<'_>, secret: Option<&str>) {
    let items = match text {
        Text::Absent => Vec::new(),
        Text::One(text) => vec![text],
        Text::Several(items) => items,
    };
    if items.is_empty() && lead == Some('?') {
        output.question = true;
    }
    for (index, item) in items.iter().enumerate() {
        let lead = match lead {
            Some(lead) if index == 0 => Some(if std::mem::take(&mut output.question) { '?' } else { lead }),
            None if index == 0 => None,
            _ => Some('&'),
        };
        let lead = lead.map(String::from).unwrap_or_default();
        output.push(&format!("{lead}{key}="), None);
        output.push(&percent_encode(item), secret);
    }
}

/// Whether a text is the beginning of a URL through the host, and perhaps a part of the path.
fn is_base(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.map(|rest| rest.split(['/', '\\']).next().unwrap_or_default());
    host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && !text.chars().any(|next| next.is_whitespace() || next.is_control() || matches!(next, '?' | '#'))
}

/// `.` and `..` mean other segments, also percent-encoded (URL Standard, "double-dot URL path segment").
fn check_path(url: &str) -> Result<(), RenderError> {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.split(['?', '#']).next().unwrap_or_default();
    let mut segments = path.split(['/', '\\']).skip(1);
    let dots = |segment: &str| matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    if segments.any(dots) { Err(RenderError::DotSegment) } else { Ok(()) }
}
