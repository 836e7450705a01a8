//! The configuration of a provider: address, key, further headers, limits. The code of every API uses it.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use zubi_base::config::Api;
use zubi_base::secret;
use zubi_tool_api::redact::Redactor;

use super::keys::ApiKey;
use super::{ErrorKind, ModelError};

/// A provider that can be called.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// [`super::ModelInfo::provider`].
    pub provider: String,
    pub api: Api,
    /// The base address, to which paths of the API are appended; its path ends without `/`.
    pub url: Url,
    pub key: Option<ApiKey>,
    /// The header for the bare key; `None` for the API's own header.
    pub key_header: Option<HeaderName>,
    /// Further headers. Those with secret-looking names are marked as sensitive.
    pub headers: HeaderMap,
    /// Parameters that are appended to each address.
    pub query: BTreeMap<String, String>,
    /// The maximum number of tokens of prompt and answer together.
    pub context: Option<u64>,
    /// The models that the user has listed; if there are any, the provider is not queried for them.
    pub models: Vec<String>,
    pub timeouts: ProviderTimeouts,
}

/// The time-outs for a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderTimeouts {
    /// The time-out for establishing the connection.
    pub connect: Duration,
    /// The maximum time without a byte; also before the first, because a local model may compute for long.
    pub idle: Duration,
    /// The maximum time with heartbeats only, in which the server is alive but makes no progress.
    pub heartbeats_only: Duration,
    /// The maximum time for a complete answer.
    pub answer: Duration,
}

impl Default for ProviderTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_mins(2),
            heartbeats_only: Duration::from_mins(10),
            answer: Duration::from_hours(1),
        }
    }
}

impl ProviderConfig {
    /// Returns the redactor for the secrets of this provider.
    pub fn redactor(&self) -> Redactor {
        let key = self.key.iter().map(|key| key.expose().to_owned());
        let headers = self.headers.values().filter(|value| value.is_sensitive());
        let headers = headers.filter_map(|value| value.to_str().ok());
        let query = self.query.iter().filter(|(name, _)| secret::may_be_secret_name(name));
        let fields = headers.chain(query.map(|(_, value)| value.as_str())).flat_map(secrets_of_field);
        Redactor::new(key.chain(fields))
    }

    /// Returns `url` with a path and the configured parameters.
    pub fn address(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}/{path}", self.url.path().trim_end_matches('/')));
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        url
    }

    /// Returns the further headers, and the key in the configured header, or else in `Authorization: Bearer`.
    pub fn headers_with_key(&self) -> Result<HeaderMap, ModelError> {
        let mut headers = self.headers.clone();
        let Some(key) = &self.key else { return Ok(headers) };
        let (name, value) = match &self.key_header {
            Some(name) => (name.clone(), key.expose().to_owned()),
            None => (reqwest::header::AUTHORIZATION, format!("Bearer {}", key.expose())),
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| {
            ModelError::new(
                ErrorKind::NotConfigured,
                format!("the key of {} cannot be sent in a header", self.provider),
            )
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok(headers)
    }

    /// Returns the address and the source of the key, for the user.
    pub fn describe(&self) -> String {
        let key = self.key.as_ref().map_or_else(|| "no key".to_owned(), |key| format!("key from {}", key.source()));
        format!("{} at {} ({key})", self.api.name(), self.url)
    }
}

/// Returns the secrets in a secret header or parameter: the whole value, and the value without its scheme
/// (`Bearer KEY`).
pub(super) fn secrets_of_field(value: &str) -> [String; 2] {
    let value = value.trim();
    [value, value.split_whitespace().next_back().unwrap_or_default()].map(str::to_owned)
}

/// Parses headers from a configuration; the error names the invalid one.
pub(super) fn headers(fields: &BTreeMap<String, String>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        let invalid_header = || format!("`{name}` in its `headers` is not a valid header");
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid_header())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| invalid_header())?;
        value.set_sensitive(secret::may_be_secret_name(name));
        headers.insert(key, value);
    }
    Ok(headers)
}
