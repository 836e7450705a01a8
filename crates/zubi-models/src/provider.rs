//! What is known of a provider before it is asked: address, key, further headers, limits. All APIs are spoken from this.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use zubi_base::config::Api;
use zubi_base::secret;
use zubi_tool_api::redact::Redactor;

use super::keys::Key;
use super::{ErrorKind, ModelError};

/// A provider that can be asked.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// [`super::ModelInfo::provider`].
    pub provider: String,
    pub api: Api,
    /// Paths of the API are appended to its path, which ends without `/`.
    pub url: Url,
    pub key: Option<Key>,
    /// The header for the key as it is; as the API wants it if there is none.
    pub key_header: Option<HeaderName>,
    /// Further headers. Those whose names say that they are secret are marked as sensitive.
    pub headers: HeaderMap,
    /// Appended to each address.
    pub query: BTreeMap<String, String>,
    /// Tokens that prompt and answer may have together.
    pub context: Option<u64>,
    /// Its models, where the user has said so: then it is not asked for them.
    pub models: Vec<String>,
    pub patience: ProviderTimeouts,
}

/// How long a provider is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderTimeouts {
    /// Until there is a connection.
    pub connect: Duration,
    /// Without a byte of the answer, its first too: a model on this machine may think long before it speaks.
    pub idle: Duration,
    /// With bytes, but none that say anything: a server that only shows that it is still there.
    pub kept_alive: Duration,
    /// For a whole answer.
    pub answer: Duration,
}

impl Default for ProviderTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_mins(2),
            kept_alive: Duration::from_mins(10),
            answer: Duration::from_hours(1),
        }
    }
}

impl ProviderConfig {
    /// Takes what is secret of this provider out of texts.
    pub fn redactor(&self) -> Redactor {
        let key = self.key.iter().map(|key| key.expose().to_owned());
        let headers = self.headers.values().filter(|value| value.is_sensitive());
        let headers = headers.filter_map(|value| value.to_str().ok());
        let query = self.query.iter().filter(|(name, _)| secret::may_be_name_of_one(name));
        let fields = headers.chain(query.map(|(_, value)| value.as_str())).flat_map(secrets_of_field);
        Redactor::new(key.chain(fields))
    }

    /// `url` with a path and the parameters of each address.
    pub fn address(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}/{path}", self.url.path().trim_end_matches('/')));
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        url
    }

    /// The further headers, and the key in the header that was named for it, or else in `Authorization: Bearer`.
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

    /// Where it is asked and where its key was found, for a person.
    pub fn describe(&self) -> String {
        let key = self.key.as_ref().map_or_else(|| "no key".to_owned(), |key| format!("key from {}", key.place()));
        format!("{} at {} ({key})", self.api.name(), self.url)
    }
}

/// What is secret of a header or parameter that is: all of it, and without the scheme in front (`Bearer KEY`).
pub(super) fn secrets_of_field(value: &str) -> [String; 2] {
    let value = value.trim();
    [value, value.split_whitespace().next_back().unwrap_or_default()].map(str::to_owned)
}

/// Headers from a configuration; an error names the one that is none.
pub(super) fn headers(fields: &BTreeMap<String, String>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        let wrong = || format!("`{name}` in its `headers` is no header");
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        value.set_sensitive(secret::may_be_name_of_one(name));
        headers.insert(key, value);
    }
    Ok(headers)
}
