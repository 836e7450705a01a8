//! Providers with an API of their own: Anthropic, Gemini, OpenAI's Responses, and [`ollama`]. For the first three the
//! library `genai` writes the requests and reads the answers; [`request`] and [`answer`] convert between it and zubi.
//!
//! This module replaces the parts that the library does not do well: where requests go and with which headers (it has
//! fixed ideas of both), when an answer is complete (it invents an end for truncated streams), the meaning of errors,
//! the name of a model (it treats the last word of `gpt-5.1-codex-max` as an option), and limits. Two limits are
//! missing: the library reads an endless line and the body of a refusal until the answer times out.

mod answer;
mod failure;
mod list;
mod ollama;
mod request;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures_util::StreamExt as _;
use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatStream, ChatStreamEvent};
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::json;
use zubi_base::config::Api;

use self::answer::{FrameTap, GenaiReader};
use self::ollama::Ollama;
use super::ids::Ids;
use super::model_list::ModelList;
use super::provider::ProviderConfig;
use super::{ErrorKind, LanguageModel, ModelAnswer, ModelError, ModelInfo, ModelSource, OnDelta, Prompt, http};

/// The version of Anthropic's API that zubi uses.
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// Suffixes that the library removes from a model's name.
const EFFORT_SUFFIXES: &[&str] = &["none", "zero", "minimal", "low", "medium", "high", "xhigh", "max"];

/// A provider.
pub struct GenaiProvider(Arc<GenaiShared>);

struct GenaiShared {
    config: Arc<ProviderConfig>,
    /// The library's name of the API; not used for Ollama's.
    kind: AdapterKind,
    /// Created on first use.
    clients: Mutex<Option<Clients>>,
    model_list: ModelList,
}

/// The HTTP client and the library's client, which share their connections.
#[derive(Clone)]
struct Clients {
    http: reqwest::Client,
    library: genai::Client,
}

impl fmt::Debug for GenaiProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Native").field(&self.0.config).finish()
    }
}

impl GenaiProvider {
    /// Creates the provider; sends no request before a model is used.
    pub fn new(mut config: ProviderConfig) -> Self {
        let (kind, key) = match config.api {
            Api::Anthropic => (AdapterKind::Anthropic, Some("x-api-key")),
            Api::Gemini => (AdapterKind::Gemini, Some("x-goog-api-key")),
            Api::Ollama => (AdapterKind::Ollama, None),
            Api::OpenaiResponses | Api::OpenaiChat => (AdapterKind::OpenAIResp, None),
        };
        config.key_header = config.key_header.or(key.map(HeaderName::from_static));
        if config.api == Api::Anthropic {
            let version = HeaderValue::from_static(ANTHROPIC_VERSION);
            config.headers.entry("anthropic-version").or_insert(version);
        }
        Self(Arc::new(GenaiShared {
            config: Arc::new(config),
            kind,
            clients: Mutex::default(),
            model_list: ModelList::default(),
        }))
    }
}

#[async_trait]
impl ModelSource for GenaiProvider {
    fn provider(&self) -> &str {
        &self.0.config.provider
    }

    fn describe(&self) -> String {
        self.0.config.describe()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        let GenaiShared { config, model_list, .. } = &*self.0;
        model_list.list(config, async { list::list_models(config, &self.0.clients()?.http).await }).await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let mut info = self.0.model_list.find_or_assume(&self.0.config, name)?;
        if self.0.config.api == Api::Ollama {
            let client = self.0.clients()?.http;
            info.context = Some(ollama::context(&self.0.config, &client, name).await);
            let (name, config) = (name.to_owned(), Arc::clone(&self.0.config));
            return Ok(Arc::new(Ollama { info, name, config, client }));
        }
        Ok(Arc::new(NativeModel {
            info,
            name: name.to_owned(),
            shared: Arc::clone(&self.0),
            is_plain: AtomicBool::new(false),
        }))
    }
}

impl GenaiShared {
    fn clients(&self) -> Result<Clients, ModelError> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(clients) = clients.as_ref() {
            return Ok(clients.clone());
        }
        let http = http::client(&self.config)?;
        let library = genai::Client::builder().with_reqwest(http.clone()).build().map_err(|error| {
            ModelError::new(ErrorKind::Unreachable, format!("{} cannot be called: {error}", self.config.provider))
        })?;
        Ok(clients.insert(Clients { http, library }).clone())
    }
}

/// One model of the provider.
struct NativeModel {
    info: ModelInfo,
    name: String,
    shared: Arc<GenaiShared>,
    /// Whether the model has refused a request for reasoning.
    is_plain: AtomicBool,
}

#[async_trait]
impl LanguageModel for NativeModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        let is_plain = self.is_plain.load(Ordering::Relaxed);
        let refusal = match self.request_answer(prompt, on_delta, is_plain).await {
            Err(error) if !is_plain && self.rejects_reasoning(&error) => error,
            answered => return answered,
        };
        let answered = self.request_answer(prompt, on_delta, true).await;
        // If the retry is refused as well, the first error had another cause.
        let answered = answered.map_err(|error| if error.kind == ErrorKind::Refused { refusal } else { error })?;
        self.is_plain.store(true, Ordering::Relaxed);
        Ok(answered)
    }
}

impl NativeModel {
    /// Returns whether a retry without reasoning makes sense: models without reasoning refuse requests for it.
    fn rejects_reasoning(&self, error: &ModelError) -> bool {
        let mentions = |word: &str| error.message.to_ascii_lowercase().contains(word);
        error.kind == ErrorKind::Refused
            && matches!(self.shared.kind, AdapterKind::OpenAIResp | AdapterKind::Gemini)
            && ["reasoning", "thinking", "thought", "encrypted_content"].into_iter().any(mentions)
    }

    async fn request_answer(
        &self,
        prompt: Prompt<'_>,
        on_delta: OnDelta<'_>,
        is_plain: bool,
    ) -> Result<ModelAnswer, ModelError> {
        let shared = &self.shared;
        let frames = Arc::new(FrameTap::default());
        let request = request::chat_request(shared.kind, &self.info.provider, &self.name, prompt);
        let options = self.options(prompt.max_output, is_plain, &frames);
        let library = shared.clients()?.library;
        let stream = library.exec_chat_stream(self.target()?, request, Some(&options)).await;
        let mut stream: ChatStream =
            stream.map_err(|error| failure::from_genai(&shared.config, &frames, &error))?.stream;
        let ids = Ids::from_messages(prompt.messages);
        let mut reader = GenaiReader::new(shared.kind, &self.name, ids);
        let mut timeouts = http::ResponseTimeouts::new(&shared.config);
        let mut progress = 0;
        // The library reports silence itself, but hides some of the data that ends it.
        let idle = shared.config.timeouts.answer;
        while let Some(event) = timeouts.wait(idle, stream.next()).await? {
            let event = event.map_err(|error| failure::from_genai(&shared.config, &frames, &error))?;
            progress += u64::from(!matches!(event, ChatStreamEvent::Start | ChatStreamEvent::Heartbeat));
            timeouts.on_progress(progress);
            reader.read_event(event, on_delta).map_err(|why| failure::malformed_error(&shared.config, &why))?;
            frames.check().map_err(|why| failure::malformed_error(&shared.config, &why))?;
        }
        reader.finish(&frames, &shared.config)
    }

    /// Returns the address of the API. zubi sets the address and the headers, because the library would choose the key
    /// and where to put it.
    fn target(&self) -> Result<ServiceTarget, ModelError> {
        let config = &self.shared.config;
        let path = match self.shared.kind {
            AdapterKind::Anthropic => "messages".to_owned(),
            AdapterKind::Gemini => format!("models/{}:streamGenerateContent", self.name),
            _ => "responses".to_owned(),
        };
        let mut url = config.address(&path);
        if self.shared.kind == AdapterKind::Gemini {
            url.query_pairs_mut().append_pair("alt", "sse");
        }
        let headers = config.headers_with_key()?;
        let headers = headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let headers = Headers::from(headers.collect::<Vec<_>>());
        Ok(ServiceTarget {
            // Not used if the whole request is given, but some of the library's adapters parse it as an address.
            endpoint: Endpoint::from_owned(format!("{}/", config.url.as_str().trim_end_matches('/'))),
            auth: AuthData::RequestOverride { url: url.to_string(), headers },
            model: ModelIden::new(self.shared.kind, self.name_for_library()),
        })
    }

    /// Returns the name by which the library recognizes the model's family. A suffix protects a name that the library
    /// would shorten. The name that zubi sends is in [`Self::options`], and for Gemini in the address.
    fn name_for_library(&self) -> String {
        let last = self.name.rsplit('-').next().unwrap_or_default();
        if EFFORT_SUFFIXES.contains(&last) { format!("{}-named", self.name) } else { self.name.clone() }
    }

    fn options(&self, max_output: Option<u64>, is_plain: bool, frames: &Arc<FrameTap>) -> ChatOptions {
        let idle = self.shared.config.timeouts.idle;
        let mut options = ChatOptions::default()
            .with_capture_usage(true)
            .with_capture_tool_calls(true)
            .with_capture_reasoning_content(!is_plain)
            .with_stream_header_timeout(idle)
            .with_stream_read_timeout(idle)
            .with_raw_frame_sink_arc(Arc::clone(frames) as Arc<dyn genai::chat::ChatFrameSink>);
        options.max_tokens = max_output.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
        if self.shared.kind != AdapterKind::Gemini {
            options = options.with_extra_body(json!({ "model": self.name }));
        }
        options
    }
}
