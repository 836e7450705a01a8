//! The models of a provider. zubi requests them without the library, which would choose where to put the key and reads
//! lists of any length.

use reqwest::Client;
use serde_json::Value;
use zubi_base::config::Api;
use zubi_base::escape;

use crate::model_list::MAX_NAME_LENGTH;
use crate::provider::ProviderConfig;
use crate::{ErrorKind, ModelError, ModelInfo, errors, http, json};

/// The maximum size of a list, in bytes.
const MAX_LIST_BYTES: usize = 4 * 1024 * 1024;
/// The maximum number of models of one provider.
const MAX_MODELS: usize = 2_000;

/// Requests the list of models.
pub(super) async fn list_models(config: &ProviderConfig, client: &Client) -> Result<Vec<ModelInfo>, ModelError> {
    let mut url = config.address(if config.api == Api::Ollama { "api/tags" } else { "models" });
    match config.api {
        // One page contains all of them.
        Api::Anthropic => drop(url.query_pairs_mut().append_pair("limit", "1000")),
        Api::Gemini => drop(url.query_pairs_mut().append_pair("pageSize", "1000")),
        Api::Ollama | Api::OpenaiChat | Api::OpenaiResponses => {}
    }
    read(config, &http::text(config, client.get(url), MAX_LIST_BYTES).await?)
}

fn read(config: &ProviderConfig, body: &str) -> Result<Vec<ModelInfo>, ModelError> {
    let value = json::parse(body).unwrap_or_default();
    let Some(models) = value.get("data").or_else(|| value.get("models")).and_then(Value::as_array) else {
        let detail = errors::page_title(body).unwrap_or_else(|| errors::sanitize_words(body, &config.redactor()));
        let why = format!("{} sent no list of models, but {detail}", config.provider);
        return Err(ModelError::new(ErrorKind::Malformed, why));
    };
    let mut models: Vec<_> = models.iter().filter_map(|value| model(config, value)).take(MAX_MODELS).collect();
    models.sort_by(|left, right| left.id.cmp(&right.id));
    models.dedup_by(|left, right| left.id == right.id);
    Ok(models)
}

fn model(config: &ProviderConfig, value: &Value) -> Option<ModelInfo> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let name = text("id").or_else(|| text("name"))?;
    let name = if config.api == Api::Gemini { name.strip_prefix("models/").unwrap_or(name) } else { name };
    // Embedding and image models are not chat models.
    let has_generation = |methods: &Vec<Value>| methods.iter().any(|method| method == "generateContent");
    let can_generate = value.get("supportedGenerationMethods").and_then(Value::as_array).is_none_or(has_generation);
    if name.is_empty() || name.len() > MAX_NAME_LENGTH || name.chars().any(char::is_control) || !can_generate {
        return None;
    }
    let display_name = text("display_name").or_else(|| text("displayName")).unwrap_or(name);
    Some(ModelInfo {
        id: format!("{}/{name}", config.provider),
        name: escape::printable(display_name).chars().take(MAX_NAME_LENGTH).collect(),
        provider: config.provider.clone(),
        context: config.context.or_else(|| value.get("inputTokenLimit").and_then(Value::as_u64)),
    })
}
