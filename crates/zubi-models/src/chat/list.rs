//! The list of a server's models: `GET …/models`.

use reqwest::{Client, Url};
use serde_json::Value;

use crate::model_list::MAX_NAME_LENGTH;
use crate::provider::ProviderConfig;
use crate::{ErrorKind, ModelError, ModelInfo, errors, http, json};

/// The maximum size of a list, in bytes. OpenRouter's, the longest known, has a tenth of that.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;
/// The maximum number of models of one provider.
const MAX_MODELS: usize = 2_000;

/// Words in the names of OpenAI's models that are not chat models.
const NON_CHAT_WORDS: &[&str] = &[
    "audio",
    "babbage",
    "dall-e",
    "davinci",
    "embedding",
    "image",
    "instruct",
    "moderation",
    "realtime",
    "sora",
    "transcribe",
    "tts",
    "whisper",
];

/// The fields in which servers report a model's context size in tokens: OpenRouter, vLLM, Groq, LM Studio, GitHub
/// Models.
const CONTEXT_POINTERS: &[&str] = &[
    "/context_length",
    "/max_model_len",
    "/context_window",
    "/max_context_length",
    "/limits/max_input_tokens",
    "/meta/n_ctx_train",
];

/// Requests the list of models.
pub(super) async fn list_models(config: &ProviderConfig, client: &Client) -> Result<Vec<ModelInfo>, ModelError> {
    read(config, &http::text(config, client.get(list_url(config)), MAX_LIST_BYTES).await?)
}

/// Returns the address of the list; GitHub's differs from the others.
fn list_url(config: &ProviderConfig) -> Url {
    let url = config.address("models");
    match url.host_str() {
        Some("models.github.ai") => url.join("/catalog/models").unwrap_or(url),
        _ => url,
    }
}

fn read(config: &ProviderConfig, body: &str) -> Result<Vec<ModelInfo>, ModelError> {
    let value = json::parse(body).unwrap_or_default();
    let Some(models) = value.get("data").unwrap_or(&value).as_array() else {
        let detail = errors::page_title(body).unwrap_or_else(|| body.to_owned());
        let why = format!(
            "{} sent no list of models, but {}",
            config.provider,
            errors::sanitize_words(&detail, &config.redactor())
        );
        return Err(ModelError::new(ErrorKind::Malformed, why));
    };
    let is_openai = config.url.host_str() == Some("api.openai.com");
    let model = |model: &Value| {
        let name = model.get("id").or_else(|| model.get("name"))?.as_str()?;
        let is_valid = !name.is_empty() && name.len() <= MAX_NAME_LENGTH && !name.chars().any(char::is_control);
        if !is_valid || (is_openai && NON_CHAT_WORDS.iter().any(|other| name.contains(other))) {
            return None;
        }
        let context = CONTEXT_POINTERS.iter().find_map(|pointer| model.pointer(pointer)?.as_u64());
        Some(ModelInfo {
            id: format!("{}/{name}", config.provider),
            name: model.get("name").and_then(Value::as_str).map_or_else(|| name.to_owned(), sanitize_name),
            provider: config.provider.clone(),
            context: config.context.or(context),
        })
    };
    let mut models: Vec<_> = models.iter().filter_map(model).take(MAX_MODELS).collect();
    models.sort_by(|left, right| left.id.cmp(&right.id));
    models.dedup_by(|left, right| left.id == right.id);
    Ok(models)
}

fn sanitize_name(name: &str) -> String {
    zubi_base::escape::printable(name).chars().take(MAX_NAME_LENGTH).collect()
}
