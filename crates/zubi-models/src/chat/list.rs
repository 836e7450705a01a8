//! The list of a server's models: `GET …/models`.

use reqwest::{Client, Url};
use serde_json::Value;

use crate::model_list::LONGEST_NAME;
use crate::provider::ProviderConfig;
use crate::{ErrorKind, ModelError, ModelInfo, errors, http, json};

/// The maximum size of a list, in bytes. OpenRouter's is the longest known, with a tenth of that.
const LONGEST: usize = 8 * 1024 * 1024;
/// The maximum number of models of one provider.
const MOST: usize = 2_000;

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
const CONTEXT: &[&str] = &[
    "/context_length",
    "/max_model_len",
    "/context_window",
    "/max_context_length",
    "/limits/max_input_tokens",
    "/meta/n_ctx_train",
];

/// Requests the list of models.
pub(super) async fn list_models(config: &ProviderConfig, client: &Client) -> Result<Vec<ModelInfo>, ModelError> {
    read(config, &http::text(config, client.get(address(config)), LONGEST).await?)
}

/// GitHub's list has another address.
fn address(config: &ProviderConfig) -> Url {
    let usual = config.address("models");
    match usual.host_str() {
        Some("models.github.ai") => usual.join("/catalog/models").unwrap_or(usual),
        _ => usual,
    }
}

fn read(config: &ProviderConfig, body: &str) -> Result<Vec<ModelInfo>, ModelError> {
    let value = json::parse(body).unwrap_or_default();
    let Some(models) = value.get("data").unwrap_or(&value).as_array() else {
        let what = errors::page_title(body).unwrap_or_else(|| body.to_owned());
        let why = format!(
            "{} sent no list of models, but {}",
            config.provider,
            errors::sanitize_words(&what, &config.redactor())
        );
        return Err(ModelError::new(ErrorKind::Malformed, why));
    };
    let is_openai = config.url.host_str() == Some("api.openai.com");
    let model = |model: &Value| {
        let name = model.get("id").or_else(|| model.get("name"))?.as_str()?;
        let is_good = !name.is_empty() && name.len() <= LONGEST_NAME && !name.chars().any(char::is_control);
        if !is_good || (is_openai && NON_CHAT_WORDS.iter().any(|other| name.contains(other))) {
            return None;
        }
        let context = CONTEXT.iter().find_map(|pointer| model.pointer(pointer)?.as_u64());
        Some(ModelInfo {
            id: format!("{}/{name}", config.provider),
            name: model.get("name").and_then(Value::as_str).map_or_else(|| name.to_owned(), sanitize_name),
            provider: config.provider.clone(),
            context: config.context.or(context),
        })
    };
    let mut models: Vec<_> = models.iter().filter_map(model).take(MOST).collect();
    models.sort_by(|left, right| left.id.cmp(&right.id));
    models.dedup_by(|left, right| left.id == right.id);
    Ok(models)
}

fn sanitize_name(name: &str) -> String {
    zubi_base::escape::printable(name).chars().take(LONGEST_NAME).collect()
}
