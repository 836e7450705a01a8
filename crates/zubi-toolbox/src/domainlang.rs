//! DomainLang tools: what a domain model says, from the models of the workspace, with nothing installed.
//!
//! A file here is one tool or resource: its arguments, its description, and which function of [`dlang_workspace::ask`]
//! answers. Answers are exactly its JSON, so that they are the same on every channel. [`provider`] and [`resources`] are the
//! tables. [`endpoint_source`] lets the tools for code ask models as well.

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
use zubi_tools::{Exposure, ProviderId, Resource, Tool, ToolProvider};

use crate::domainlang::domain_tool::tool;

pub use crate::domainlang::model::DomainModel;
pub use dlang_workspace::files::EXTENSION;
pub use dlang_workspace::workspace::Root;

/// Which of the tools are in every list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainExposure {
    /// All, because nothing else is asked here.
    All,
    /// Those that contracts name, where there are models; else none, for a list costs every conversation, and then they are
    /// found through `find_tools`. Looked for once: a list stays as it is for the life of the process.
    WhereModelsAre,
}

struct DomainTools {
    id: ProviderId,
    model: Arc<DomainModel>,
    listing: DomainExposure,
    has_models: OnceLock<bool>,
    changes: watch::Sender<u64>,
}

/// The DomainLang tools over one model.
pub fn provider(model: &Arc<DomainModel>, listing: DomainExposure) -> Arc<dyn ToolProvider> {
    Arc::new(DomainTools {
        id: ProviderId("domainlang".into()),
        model: Arc::clone(model),
        listing,
        has_models: OnceLock::new(),
        changes: watch::Sender::new(0),
    })
}

/// Lets the tools for code ask the model: `lsp_*` on its files.
pub fn endpoint_source(model: &Arc<DomainModel>) -> Arc<dyn EndpointSource> {
    Arc::new(endpoint::DomainLangSource::new(model))
}

/// Texts as the model sees them: of its files that an editor has open, what is not saved; of all others, the disk's.
pub fn texts(model: &Arc<DomainModel>) -> Arc<dyn TextSource> {
    Arc::new(texts::ModelTexts::new(model))
}

/// The DomainLang resources.
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
        let (first, others) = match self.listing {
            DomainExposure::All => (Exposure::Direct, Exposure::Direct),
            DomainExposure::WhereModelsAre if has_models => (Exposure::Direct, Exposure::Deferred),
            DomainExposure::WhereModelsAre => (Exposure::Deferred, Exposure::Deferred),
        };
        vec![
            tool::<validate::Validate>(model, first),
            tool::<list::List>(model, first),
            tool::<get::Get>(model, first),
            tool::<explain::Explain>(model, first),
            tool::<search::Search>(model, others),
            tool::<diagram::Diagram>(model, others),
        ]
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    async fn prepare(&self) {
        if self.listing != DomainExposure::WhereModelsAre || self.has_models.get().is_some() {
            return;
        }
        self.model.settle(&CancellationToken::new()).await;
        let found = self.model.has_models().await;
        // Whoever looked first decides; both saw the same tree.
        if self.has_models.set(found).is_ok() && found {
            self.changes.send_modify(|count| *count += 1);
        }
    }
}
