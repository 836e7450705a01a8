//! OpenAI's own models. zubi calls the newer ones over the Responses API, which stores their reasoning between calls
//! and is the only API of some of them, and all others over the chat API.

use std::sync::Arc;

use async_trait::async_trait;
use zubi_base::config::Api;

use super::chat::ChatCompletionsProvider;
use super::genai_adapter::GenaiProvider;
use super::provider::ProviderConfig;
use super::{LanguageModel, ModelError, ModelInfo, ModelSource};

/// The host with both APIs.
const HOST: &str = "api.openai.com";

/// A provider with both APIs.
pub(super) struct OpenAi {
    chat: ChatCompletionsProvider,
    responses: GenaiProvider,
}

impl OpenAi {
    /// Returns whether the provider is known to have both APIs. A gateway may have only one of them.
    pub(super) fn applies_to(config: &ProviderConfig) -> bool {
        config.url.host_str() == Some(HOST)
    }

    pub(super) fn new(config: ProviderConfig) -> Self {
        let responses = ProviderConfig { api: Api::OpenaiResponses, ..config.clone() };
        Self { chat: ChatCompletionsProvider::new(config), responses: GenaiProvider::new(responses) }
    }
}

#[async_trait]
impl ModelSource for OpenAi {
    fn provider(&self) -> &str {
        self.chat.provider()
    }

    fn describe(&self) -> String {
        self.chat.describe()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        self.chat.models().await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        if uses_responses_api(name) { self.responses.open(name).await } else { self.chat.open(name).await }
    }
}

/// Returns whether a model is one of the newer ones.
fn uses_responses_api(name: &str) -> bool {
    let version =
        name.strip_prefix("gpt-").map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    let version = version.and_then(|version| version.parse::<u32>().ok()).unwrap_or_default();
    let is_chat = name.contains("chat");
    (version >= 5 && !is_chat)
        || ["codex", "-pro", "deep-research", "computer-use"].iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_models_use_the_responses_api() {
        for name in
            ["gpt-5", "gpt-5.1-codex", "gpt-5-mini", "gpt-10", "o1-pro", "codex-mini-latest", "o3-deep-research"]
        {
            assert!(uses_responses_api(name), "{name}");
        }
        for name in
            ["gpt-4o", "gpt-4.1", "gpt-5-chat-latest", "chatgpt-4o-latest", "o3", "o4-mini", "gpt-oss-20b", "gpt-", ""]
        {
            assert!(!uses_responses_api(name), "{name}");
        }
    }
}
