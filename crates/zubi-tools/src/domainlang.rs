//! DomainLang tools: queries on the domain models of the workspace; they need no installation.
//!
//! Each file here is one tool or resource: its arguments, its description, and the function of
//! [`dlang_workspace::queries`] that answers. Answers are exactly that function's JSON, so they are the same on every
//! channel. [`provider`] and [`resources`] are the tables. [`endpoint_source`] lets the code tools query models too.

mod arguments;
mod domain_tool;
mod endpoint;
mod model;
mod texts;

mod diagram;
mod explain;
mod get;
mod list;
mod search;
mod syntax_reference;
mod validate;

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::EndpointSource;
use zubi_base::text::TextSource;
use zubi_tool_api::{Exposure, ProviderId, Resource, Tool, ToolProvider};

use crate::domainlang::domain_tool::tool;

pub use crate::domainlang::model::DomainModel;
pub use dlang_workspace::files::EXTENSION;
pub use dlang_workspace::workspace::Root;

/// The DomainLang tools that every list contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainExposure {
    /// All tools: this process serves DomainLang only.
    All,
    /// The tool to call after each change of a model if the workspace has models, otherwise none, because every listed
    /// tool costs tokens in every conversation. `zubi_find_tools` finds the others. Decided once, so that lists of the
    /// process never change.
    IfModelsExist,
}

struct DomainTools {
    id: ProviderId,
    model: Arc<DomainModel>,
    exposure: DomainExposure,
    has_models: OnceLock<bool>,
    changes: watch::Sender<u64>,
}

/// Creates the provider of the DomainLang tools over one model.
pub fn provider(model: &Arc<DomainModel>, listing: DomainExposure) -> Arc<dyn ToolProvider> {
    Arc::new(DomainTools {
        id: ProviderId("domainlang".into()),
        model: Arc::clone(model),
        exposure: listing,
        has_models: OnceLock::new(),
        changes: watch::Sender::new(0),
    })
}

/// Creates the endpoint source through which the code tools (`lsp_*`) query model files.
pub fn endpoint_source(model: &Arc<DomainModel>) -> Arc<dyn EndpointSource> {
    Arc::new(endpoint::DomainLangSource::new(model))
}

/// Creates a text source with the model's view of files: unsaved text of files open in an editor, otherwise the text on
/// disk.
pub fn texts(model: &Arc<DomainModel>) -> Arc<dyn TextSource> {
    Arc::new(texts::ModelTexts::new(model))
}

/// Returns the DomainLang resources.
pub fn resources() -> Vec<Arc<dyn Resource>> {
    vec![Arc::new(syntax_reference::SyntaxReference::new())]
}

#[async_trait]
impl ToolProvider for DomainTools {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn name(&self) -> &'static str {
        "DomainLang"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let (model, has_models) = (&self.model, self.has_models.get().copied().unwrap_or_default());
        let (first, others) = match self.exposure {
            DomainExposure::All => (Exposure::Direct, Exposure::Direct),
            DomainExposure::IfModelsExist if has_models => (Exposure::Direct, Exposure::Deferred),
            DomainExposure::IfModelsExist => (Exposure::Deferred, Exposure::Deferred),
        };
        vec![
            tool::<validate::ValidateModel>(model, first),
            tool::<list::ListElements>(model, others),
            tool::<get::GetElement>(model, others),
            tool::<explain::ExplainElement>(model, others),
            tool::<search::SearchElements>(model, others),
            tool::<diagram::DrawDiagram>(model, others),
        ]
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    async fn prepare(&self) {
        if self.exposure != DomainExposure::IfModelsExist || self.has_models.get().is_some() {
            return;
        }
        self.model.wait_until_known(&CancellationToken::new()).await;
        let found = self.model.has_models().await;
        // Concurrent callers find the same files, so the first result counts.
        if self.has_models.set(found).is_ok() && found {
            self.changes.send_modify(|count| *count += 1);
        }
    }
}
