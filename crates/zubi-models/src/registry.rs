//! Selects a model from all sources by its id.
//!
//! | id | the model |
//! |---|---|
//! | `provider/model` | this provider's model, listed or not |
//! | `provider` | the provider's first model |
//! | `mock`, `mock:FILE` | the mock, whose source opens `` or `FILE` |
//! | `gpt-5` | the editor's model of this name, else that of the provider with such names, else of any that lists it |
//! | `auto` | the first available model, see [`ModelRegistry::open`] |

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::builtin;
use super::{ErrorKind, LanguageModel, ModelError, ModelInfo, ModelSource};
use crate::{ModelList, ProviderProblem};

/// The id of the first available model.
pub const AUTO: &str = "auto";
/// The provider of the mock, which is not a real model. It is used only by name.
pub const MOCK: &str = "mock";
/// The provider of the open editor's models.
pub const EDITOR: &str = "editor";

/// How long a provider may take to list its models.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);

/// The registry of all models.
pub struct ModelRegistry {
    sources: Vec<Arc<dyn ModelSource>>,
    default: Option<String>,
}

impl std::fmt::Debug for ModelRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let providers: Vec<_> = self.sources.iter().map(|source| source.provider()).collect();
        f.debug_struct("Models").field("providers", &providers).field("default", &self.default).finish()
    }
}

/// A provider, described for troubleshooting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    pub name: String,
    /// The address and the source of the key; never the key.
    pub description: String,
}

impl ModelRegistry {
    /// Creates the registry. [`Self::open`] queries `sources` in this order for a model without a provider's name;
    /// `default` is the model that the user configured.
    pub fn new(sources: Vec<Arc<dyn ModelSource>>, default: Option<String>) -> Self {
        Self { sources, default: default.filter(|id| !id.trim().is_empty()) }
    }

    /// Returns the id for [`Self::open`] if the caller names no model: the configured one, else [`AUTO`].
    pub fn default_id(&self) -> String {
        self.default.clone().unwrap_or_else(|| AUTO.to_owned())
    }

    /// Returns the providers in order.
    pub fn providers(&self) -> Vec<Provider> {
        let provider = |source: &Arc<dyn ModelSource>| Provider {
            name: source.provider().to_owned(),
            description: source.describe(),
        };
        self.sources.iter().map(provider).collect()
    }

    /// Returns the models of each provider, except those that are used only by name. Queries all providers at once; a
    /// provider that is too slow is listed among the problems.
    pub async fn list(&self) -> ModelList {
        let mut list = ModelList { models: Vec::new(), problems: Vec::new() };
        let listed = join_all(self.sources.iter().map(|source| list_source(source.as_ref()))).await;
        for (source, listed) in self.sources.iter().zip(listed) {
            match listed {
                Ok(models) => list.models.extend(models),
                Err(error) => {
                    let provider = source.provider().to_owned();
                    // Users see the message next to the provider's name, with which most messages begin.
                    let message = [": ", " "]
                        .iter()
                        .find_map(|separator| error.message.strip_prefix(&provider)?.strip_prefix(separator));
                    let message = message.unwrap_or(&error.message).to_owned();
                    list.problems.push(ProviderProblem { provider, message });
                }
            }
        }
        list
    }

    /// Opens the model of this id. [`AUTO`] is the first model of the first provider that has any, in the order of the
    /// sources, but never the mock, nor a provider that is used only by name.
    pub async fn open(&self, id: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let id = id.trim();
        if id.is_empty() || id == AUTO {
            return self.open_default().await;
        }
        if let Some(file) =
            id.strip_prefix(MOCK).and_then(|rest| if rest.is_empty() { Some("") } else { rest.strip_prefix(':') })
        {
            return self.source(MOCK).ok_or_else(|| self.unknown_model(id))?.open(file).await;
        }
        match id.split_once('/') {
            Some((provider, name)) if !name.is_empty() => {
                self.source(provider).ok_or_else(|| self.unknown_model(id))?.open(name).await
            }
            Some(_) => Err(self.unknown_model(id)),
            None => match self.source(id) {
                Some(source) => open_first(source).await?.ok_or_else(|| no_models(source)),
                None => self.open_bare_name(id).await,
            },
        }
    }

    fn source(&self, provider: &str) -> Option<&dyn ModelSource> {
        self.sources.iter().find(|source| source.provider() == provider).map(AsRef::as_ref)
    }

    async fn open_default(&self) -> Result<Arc<dyn LanguageModel>, ModelError> {
        for source in self.sources.iter().filter(|source| may_be_first(source.as_ref())) {
            match open_first(source.as_ref()).await {
                Ok(Some(model)) => return Ok(model),
                Ok(None) => {}
                Err(error) if is_absence(source.provider(), error.kind) => {}
                // A configured provider that does not answer is not skipped: the next one may be expensive, or much
                // worse.
                Err(error) => return Err(error),
            }
        }
        Err(ModelError::new(
            ErrorKind::NotConfigured,
            "no model is configured, and no ollama runs on this machine: set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or \
             OPENROUTER_API_KEY, or start ollama, or name a server in `[models.NAME]` of your zubi.toml; `--model mock` shows the \
             agent at work without any",
        ))
    }

    /// Opens a model by its bare name.
    async fn open_bare_name(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        // The editor also finds its models by their families, and opens only models that it has.
        if let Some(editor) = self.source(EDITOR)
            && let Ok(model) = editor.open(name).await
        {
            return Ok(model);
        }
        let vendor = builtin::vendor(name);
        let mut missing = None;
        if let Some(vendor) = vendor.and_then(|vendor| self.source(vendor)) {
            match vendor.open(name).await {
                Ok(model) => return Ok(model),
                Err(error) => missing = Some(error),
            }
        }
        let is_other = |source: &&dyn ModelSource| Some(source.provider()) != vendor && !source.is_only_by_name();
        let others: Vec<_> = self.sources.iter().map(AsRef::as_ref).filter(is_other).collect();
        let found = join_all(others.iter().map(|source| has_model(*source, name))).await;
        let (mut failed, mut absent) = (None, None);
        for (source, found) in others.iter().zip(found) {
            match found {
                Ok(true) => return source.open(name).await,
                Ok(false) => {}
                Err(error) if error.kind == ErrorKind::NotConfigured => {}
                Err(error) if is_absence(source.provider(), error.kind) => absent = absent.or(Some(error)),
                // The provider may have this model: the problem is that zubi cannot check.
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let incomplete = |error: &ModelError, cause: &ModelError| {
            format!("{}; not every provider answered: {}", error.message, cause.message)
        };
        Err(match (missing, failed, absent) {
            (Some(missing), Some(failed), _) if missing.kind == ErrorKind::NotConfigured => {
                // A key would solve the problem as well.
                ModelError::new(failed.kind, incomplete(&missing, &failed)).with_hint(ErrorKind::NotConfigured.advice())
            }
            (Some(missing), ..) => missing,
            (None, Some(failed), _) => ModelError::new(failed.kind, incomplete(&self.unknown_model(name), &failed)),
            // A local program that does not run has no models: the next step is to start it.
            (None, None, Some(absent)) => {
                ModelError::new(ErrorKind::NotConfigured, incomplete(&self.unknown_model(name), &absent))
            }
            (None, None, None) => self.unknown_model(name),
        })
    }

    /// Returns whether a model is among those that its provider lists; `None` if the list is not available now. An
    /// unlisted model may still exist.
    pub async fn is_listed(&self, model: &ModelInfo) -> Option<bool> {
        let source = self.source(&model.provider).filter(|source| source.provider() != MOCK)?;
        has_model(source, model_name(model)).await.ok()
    }

    fn unknown_model(&self, id: &str) -> ModelError {
        let names = |is_unusable: bool| {
            let sources = self.sources.iter().filter(|source| source.is_unusable() == is_unusable);
            sources.map(|source| source.provider()).collect::<Vec<_>>().join(", ")
        };
        let mut message = format!("there is no model `{}`; a model is named `provider/model`", quote_id(id));
        for (names, label) in [(names(false), "available providers"), (names(true), "others lack a key or an address")]
        {
            if !names.is_empty() {
                message.push_str("; ");
                message.push_str(label);
                message.push_str(": ");
                message.push_str(&names);
            }
        }
        ModelError::new(ErrorKind::NotConfigured, message)
    }
}

/// Returns whether a provider may be chosen automatically.
fn may_be_first(source: &dyn ModelSource) -> bool {
    source.provider() != MOCK && !source.is_only_by_name()
}

/// Returns whether an error only means that the provider is not set up: no key, or no running local program.
fn is_absence(provider: &str, kind: ErrorKind) -> bool {
    let needs_no_key =
        || builtin::PROVIDERS.iter().any(|well_known| well_known.name == provider && well_known.key.is_none());
    kind == ErrorKind::NotConfigured || (kind == ErrorKind::Unreachable && needs_no_key())
}

/// Returns an id of the caller in a form that is safe for messages.
fn quote_id(id: &str) -> String {
    zubi_base::escape::printable(id).chars().take(100).collect()
}

async fn list_with_timeout(source: &dyn ModelSource) -> Result<Vec<ModelInfo>, ModelError> {
    match tokio::time::timeout(LIST_TIMEOUT, source.models()).await {
        Ok(models) => models,
        Err(_) => Err(ModelError::new(
            ErrorKind::TimedOut,
            format!("{} did not list its models within {} seconds", source.provider(), LIST_TIMEOUT.as_secs()),
        )),
    }
}

/// Returns the error for a provider whose models are not listed.
fn not_listed_error(provider: &str) -> ModelError {
    ModelError::new(
        ErrorKind::NotConfigured,
        format!(
            "{provider} is used only by name, as in `--model {provider}/MODEL`; with a section `[models.{provider}]` in \
             your zubi.toml its models are listed"
        ),
    )
}

async fn list_source(source: &dyn ModelSource) -> Result<Vec<ModelInfo>, ModelError> {
    if source.is_only_by_name() { Err(not_listed_error(source.provider())) } else { list_with_timeout(source).await }
}

async fn has_model(source: &dyn ModelSource, name: &str) -> Result<bool, ModelError> {
    let models = list_with_timeout(source).await?;
    // Ollama reads a name without a tag as the latest.
    Ok(models.iter().any(|model| {
        model_name(model).strip_suffix(":latest").unwrap_or(model_name(model)) == name || model_name(model) == name
    }))
}

/// Returns the part of the id after `provider/`.
fn model_name(model: &ModelInfo) -> &str {
    model.id.split_once('/').map_or("", |(_, name)| name)
}

/// Opens the provider's first model: preferably a known good one, because lists are in any order.
async fn open_first(source: &dyn ModelSource) -> Result<Option<Arc<dyn LanguageModel>>, ModelError> {
    let models = list_with_timeout(source).await?;
    let names = builtin::preferred_models(source.provider());
    let preferred = names.iter().find_map(|name| models.iter().find(|model| model_name(model) == *name));
    let Some(model) = preferred.or(models.first()) else { return Ok(None) };
    source.open(model_name(model)).await.map(Some)
}

fn no_models(source: &dyn ModelSource) -> ModelError {
    ModelError::new(ErrorKind::NotConfigured, format!("{} has no models", source.provider()))
}

#[cfg(test)]
mod tests;
