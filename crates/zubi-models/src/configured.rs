//! The user's providers: those of `[models.NAME]`, and the built-in ones that can be called.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::HeaderName;
use zubi_base::config::models::Fields;
use zubi_base::config::{Api, ProviderLayer, Secrets, Settings};
use zubi_base::secret;

use super::builtin::{self, WellKnown};
use super::chat::ChatCompletionsProvider;
use super::genai_adapter::GenaiProvider;
use super::keys::{self, Variables};
use super::openai::OpenAi;
use super::provider::{self, ProviderConfig, ProviderTimeouts, secrets_of_field};
use super::{ErrorKind, LanguageModel, ModelError, ModelInfo, ModelSource, address, registry};

/// The minimum context size; every request with tools has more tokens.
const MIN_CONTEXT: u64 = 1_024;

/// Returns the user's own providers first, by name, then the built-in ones that the user has not changed. A provider
/// that cannot be called is included and describes what it needs.
pub fn configured_sources(
    settings: &Settings,
    secrets: &Secrets,
    variables: Variables<'_>,
) -> Vec<Arc<dyn ModelSource>> {
    let find_well_known = |name: &str| builtin::PROVIDERS.iter().find(|well_known| well_known.name == name);
    let configured = settings.models.iter().map(|(name, layer)| (name.as_str(), layer.clone(), find_well_known(name)));
    let built_in = builtin::PROVIDERS.iter().filter(|well_known| !settings.models.contains_key(well_known.name));
    let built_in = built_in.map(|well_known| (well_known.name, ProviderLayer::default(), Some(well_known)));
    let context = ProviderContext { settings, secrets, variables };
    configured
        .chain(built_in)
        .map(|(name, layer, known)| -> Arc<dyn ModelSource> {
            match context.config(name, &layer, known) {
                // If the user names the API, zubi uses that one.
                Ok(config) if layer.api.is_none() && OpenAi::applies_to(&config) => Arc::new(OpenAi::new(config)),
                // zubi does not call an unconfigured provider with a key that was set for another purpose.
                Ok(config)
                    if known.is_some_and(|well_known| well_known.is_only_by_name)
                        && !settings.models.contains_key(name) =>
                {
                    Arc::new(ByName(source(config)))
                }
                Ok(config) => source(config),
                Err(problem) => Arc::new(Unusable { provider: name.to_owned(), problem }),
            }
        })
        .collect()
}

/// Returns the models' secrets that are not in the user's `env`: keys in variables, and headers and parameters with
/// secret-looking names. They are redacted in stored data.
pub fn secrets_of_models(settings: &Settings, variables: Variables<'_>) -> Vec<String> {
    let configured = settings.models.values().filter_map(|layer| layer.key.as_deref());
    let built_in = builtin::PROVIDERS.iter().filter_map(|well_known| well_known.key).map(|key| key.name);
    let keys = configured.chain(built_in).filter_map(variables);
    let fields = settings.models.values().flat_map(|layer| layer.headers.0.iter().chain(&layer.query.0));
    let fields = fields.filter(|(name, _)| secret::may_be_secret_name(name));
    let fields = fields.flat_map(|(_, value)| secrets_of_field(value));
    keys.chain(fields).map(|value| value.trim().to_owned()).collect()
}

fn source(config: ProviderConfig) -> Arc<dyn ModelSource> {
    match config.api {
        Api::OpenaiChat => Arc::new(ChatCompletionsProvider::new(config)),
        Api::OpenaiResponses | Api::Anthropic | Api::Gemini | Api::Ollama => Arc::new(GenaiProvider::new(config)),
    }
}

/// The input from which configurations are built.
struct ProviderContext<'a> {
    settings: &'a Settings,
    secrets: &'a Secrets,
    variables: Variables<'a>,
}

impl ProviderContext<'_> {
    fn config(
        &self,
        name: &str,
        layer: &ProviderLayer,
        well_known: Option<&WellKnown>,
    ) -> Result<ProviderConfig, String> {
        if !is_name(name) {
            return Err("invalid provider name; use letters, digits, `-`, `_` and `.`, and no name that zubi reserves"
                .to_owned());
        }
        let api = layer.api.or(well_known.map(|well_known| well_known.api)).unwrap_or(Api::OpenaiChat);
        let url = match (&layer.url, well_known) {
            (Some(url), _) => address::parse(url, api, layer.allow_http == Some(true))?,
            (None, Some(well_known)) => match (self.variables)(well_known.address.name) {
                Some(url) => address::parse(&url, api, layer.allow_http == Some(true))
                    .map_err(|why| format!("the environment variable {}: {why}", well_known.address.name))?,
                None => address::parse(well_known.url, api, false)?,
            },
            (None, None) => return Err(format!("needs an address: write `url = \"…\"` into [models.{name}]")),
        };
        let key = match (&layer.key, well_known.and_then(|well_known| well_known.key)) {
            (Some(key), _) => Some(self.key(key)?),
            // Another server of the user's own may need no key, and must not receive the provider's.
            (None, Some(_)) if layer.url.is_some() => None,
            (None, Some(key)) => Some(self.key(key.name)?),
            (None, None) => None,
        };
        if let Some(context) = layer.context.filter(|context| *context < MIN_CONTEXT) {
            return Err(format!(
                "its `context` is {context}, and a question with its tools has more tokens than {MIN_CONTEXT}: write how many the model takes, or leave it out"
            ));
        }
        if layer.timeout == Some(0) {
            let default = ProviderTimeouts::default().idle.as_secs();
            return Err(format!("its `timeout` is 0 seconds, in which no answer comes: leave it out for {default}"));
        }
        let header = |name: &String| {
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is not a valid header name"))
        };
        let Fields(query) = &layer.query;
        Ok(ProviderConfig {
            provider: name.to_owned(),
            api,
            url,
            key,
            key_header: layer.key_header.as_ref().map(header).transpose()?,
            headers: provider::headers(&layer.headers.0)?,
            query: query.clone(),
            context: layer.context,
            models: layer.models.clone(),
            timeouts: ProviderTimeouts {
                idle: layer.timeout.map_or(ProviderTimeouts::default().idle, Duration::from_secs),
                ..ProviderTimeouts::default()
            },
        })
    }

    fn key(&self, name: &str) -> Result<keys::ApiKey, String> {
        keys::find(name, self.settings, self.secrets, self.variables)
    }
}

/// Returns whether a name is valid for a provider.
fn is_name(name: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(is_valid)
        && ![registry::AUTO, registry::MOCK, registry::EDITOR].contains(&name)
}

/// A provider that is used only by name, because its key was not set for zubi.
struct ByName(Arc<dyn ModelSource>);

#[async_trait]
impl ModelSource for ByName {
    fn provider(&self) -> &str {
        self.0.provider()
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn is_only_by_name(&self) -> bool {
        true
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        self.0.models().await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        self.0.open(name).await
    }
}

/// A provider with an incomplete configuration.
struct Unusable {
    provider: String,
    problem: String,
}

impl Unusable {
    fn error(&self) -> ModelError {
        // A problem is a clause that continues the provider's name (`needs …`, `has …`), or a complete sentence.
        let is_clause = ["needs ", "has "].iter().any(|verb| self.problem.starts_with(verb));
        let separator = if is_clause { " " } else { ": " };
        ModelError::new(ErrorKind::NotConfigured, format!("{}{separator}{}", self.provider, self.problem))
    }
}

#[async_trait]
impl ModelSource for Unusable {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn describe(&self) -> String {
        self.problem.clone()
    }

    fn is_unusable(&self) -> bool {
        true
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        Err(self.error())
    }

    async fn open(&self, _name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        Err(self.error())
    }
}

#[cfg(test)]
mod tests;
