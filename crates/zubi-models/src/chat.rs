//! Providers with OpenAI's chat API: OpenAI, gateways, vLLM, llama.cpp, LM Studio and many more.
//!
//! `request` writes the request, `stream` parses the bytes of the answer, `answer` and `calls` its events. This module
//! sends the requests over HTTP, and stores what zubi learns about a server from its responses.

mod answer;
mod calls;
mod list;
mod request;
pub mod stream;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, Response};
use serde_json::Value;

use self::request::Dialect;
use self::stream::StreamReader;
use super::ids::Ids;
use super::model_list::ModelList;
use super::provider::ProviderConfig;
use super::{ErrorKind, LanguageModel, ModelAnswer, ModelError, ModelInfo, ModelSource, OnDelta, Prompt, http};

/// How long to wait after the server has reported the end of the answer: token counts may still follow, but some
/// servers do not end the stream.
const WAIT_AFTER_FINISH: Duration = Duration::from_secs(3);

/// A provider.
#[derive(Debug)]
pub struct ChatCompletionsProvider(Arc<ChatShared>);

#[derive(Debug)]
struct ChatShared {
    config: ProviderConfig,
    /// Created on first use.
    client: Mutex<Option<Client>>,
    /// Whether the server has refused `stream_options`.
    no_stream_options: AtomicBool,
    /// Whether the server requires `max_completion_tokens`.
    completion_tokens: AtomicBool,
    model_list: ModelList,
}

/// One model of the provider.
#[derive(Debug)]
struct ChatModel {
    info: ModelInfo,
    name: String,
    shared: Arc<ChatShared>,
}

impl ChatCompletionsProvider {
    /// Creates the provider; sends no request before a model is used.
    pub fn new(config: ProviderConfig) -> Self {
        let completion_tokens = AtomicBool::new(config.url.host_str() == Some("api.openai.com"));
        Self(Arc::new(ChatShared {
            config,
            client: Mutex::new(None),
            no_stream_options: AtomicBool::new(false),
            completion_tokens,
            model_list: ModelList::default(),
        }))
    }
}

#[async_trait]
impl ModelSource for ChatCompletionsProvider {
    fn provider(&self) -> &str {
        &self.0.config.provider
    }

    fn describe(&self) -> String {
        self.0.config.describe()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        let ChatShared { config, model_list, .. } = &*self.0;
        model_list.list(config, async { list::list_models(config, &self.0.client()?).await }).await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let info = self.0.model_list.find_or_assume(&self.0.config, name)?;
        Ok(Arc::new(ChatModel { info, name: name.to_owned(), shared: Arc::clone(&self.0) }))
    }
}

impl ChatShared {
    fn client(&self) -> Result<Client, ModelError> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        match client.as_ref() {
            Some(client) => Ok(client.clone()),
            None => Ok(client.insert(http::client(&self.config)?).clone()),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect {
            stream_options: !self.no_stream_options.load(Ordering::Relaxed),
            completion_tokens: self.completion_tokens.load(Ordering::Relaxed),
        }
    }

    /// Adapts later requests to a refusal. Returns whether a retry makes sense.
    fn adapt_to_refusal(&self, refusal: &ModelError, sent: Dialect, has_limit: bool) -> bool {
        if refusal.kind != ErrorKind::Refused {
            return false;
        }
        let mentions = |word: &str| refusal.message.contains(word);
        if sent.stream_options && (mentions("stream_options") || mentions("include_usage")) {
            self.no_stream_options.store(true, Ordering::Relaxed);
            return true;
        }
        if has_limit && !sent.completion_tokens && mentions("max_completion_tokens") {
            self.completion_tokens.store(true, Ordering::Relaxed);
            return true;
        }
        false
    }
}

#[async_trait]
impl LanguageModel for ChatModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        let config = &self.shared.config;
        let mut response = self.request_response(prompt).await?;
        let mut reader = StreamReader::new(&config.provider, config.redactor(), Ids::from_messages(prompt.messages));
        let mut sink = |delta| on_delta(delta);
        let mut timeouts = http::ResponseTimeouts::new(config);
        while !reader.is_done() {
            let Some(bytes) = timeouts.chunk(&mut response).await? else { break };
            reader.push(&bytes, &mut sink)?;
            timeouts.on_progress(reader.progress());
            if reader.is_finished() {
                timeouts.finish_within(WAIT_AFTER_FINISH);
            }
        }
        reader.finish(&mut sink)
    }
}

impl ChatModel {
    /// Returns a successful response. If the server refuses optional fields, zubi retries once without each of them.
    async fn request_response(&self, prompt: Prompt<'_>) -> Result<Response, ModelError> {
        let config = &self.shared.config;
        let client = self.shared.client()?;
        let headers = config.headers_with_key()?;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let dialect = self.shared.dialect();
            let body: Value = request::body(&self.name, &config.provider, prompt, dialect);
            let sent = client.post(config.address("chat/completions")).headers(headers.clone()).json(&body).send();
            let response = http::with_timeout(config, sent).await?.map_err(|error| http::send_error(config, &error))?;
            if response.status().is_success() {
                return Ok(response);
            }
            let refusal = http::refusal(config, response).await;
            if attempts > 2 || !self.shared.adapt_to_refusal(&refusal, dialect, prompt.max_output.is_some()) {
                return Err(refusal);
            }
        }
    }
}
