//! The models of one provider, which the user has configured or the provider lists, and their lookup by name.

use std::sync::{Mutex, PoisonError};

use super::provider::ProviderConfig;
use super::{ErrorKind, ModelError, ModelInfo};

/// The maximum length of a model's name, in bytes.
pub(super) const MAX_NAME_LENGTH: usize = 256;

/// A provider's own list of its models.
#[derive(Debug, Default)]
pub(super) struct ModelList(Mutex<Vec<ModelInfo>>);

impl ModelList {
    /// Returns the provider's models: those that the user has named, else those that the provider lists.
    pub(super) async fn list(
        &self,
        config: &ProviderConfig,
        request: impl Future<Output = Result<Vec<ModelInfo>, ModelError>>,
    ) -> Result<Vec<ModelInfo>, ModelError> {
        if !config.models.is_empty() {
            return Ok(config.models.iter().map(|name| self.info(config, name)).collect());
        }
        let models = request.await?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&models);
        Ok(models)
    }

    /// Returns the model of this name, listed or not: many servers accept more names than they list.
    pub(super) fn find_or_assume(&self, config: &ProviderConfig, name: &str) -> Result<ModelInfo, ModelError> {
        // Dots in a name could lead to another path of the server.
        let is_valid = !name.is_empty() && name.len() <= MAX_NAME_LENGTH && !name.split('/').any(|part| part == "..");
        if !is_valid || name.chars().any(char::is_control) {
            let why = format!("{} has no model of this name", config.provider);
            return Err(ModelError::new(ErrorKind::NotConfigured, why));
        }
        Ok(self.info(config, name))
    }

    fn info(&self, config: &ProviderConfig, name: &str) -> ModelInfo {
        let provider = &config.provider;
        let id = format!("{provider}/{name}");
        let models = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = models.iter().find(|model| model.id == id).cloned();
        cached.unwrap_or_else(|| ModelInfo {
            id,
            name: name.to_owned(),
            provider: provider.clone(),
            context: config.context,
        })
    }
}
