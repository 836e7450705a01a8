//! DomainLang tools: what a domain model says, from the models of the workspace, with nothing installed.
//!
//! Each file here is one tool or resource: its arguments, its description, and which function of
//! [`dlang_workspace::ask`] answers. Answers are exactly its JSON, so that they are the same on every channel. [`provider`]
//! and [`resources`] are the tables.

mod arguments;
mod domain_tool;
mod model;

mod diagram;
mod explain;
mod get;
mod list;
mod search;
mod syntax_reference;
mod validate;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::Utf8PathBuf;
use dlang_workspace::files::EXTENSION;
use tokio::sync::watch;
use zubi_base::walk::{self, Order};
use zubi_tools::{Exposure, ProviderId, Resource, Tool, ToolProvider};

use crate::domainlang::domain_tool::tool;

pub use crate::domainlang::model::DomainModel;
pub use dlang_workspace::workspace::Root;

/// How long models are looked for before a list is given. A tree in which none was found until then has its tools found
/// through `find_tools`.
const LOOK: Duration = Duration::from_secs(2);

/// Which of the tools are in every list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listing {
    /// All, because nothing else is asked here.
    All,
    /// Those that contracts name, where there is a model below these folders; else none, for a list costs every
    /// conversation. Looked for once: a list stays as it is for the life of the process.
    WhereModelsAre(Vec<Utf8PathBuf>),
}

struct DomainTools {
    id: ProviderId,
    model: Arc<DomainModel>,
    listing: Listing,
    has_models: OnceLock<bool>,
    changes: watch::Sender<u64>,
}

/// The DomainLang tools over one model.
pub fn provider(model: &Arc<DomainModel>, listing: Listing) -> Arc<dyn ToolProvider> {
    Arc::new(DomainTools {
        id: ProviderId("domainlang".into()),
        model: Arc::clone(model),
        listing,
        has_models: OnceLock::new(),
        changes: watch::Sender::new(0),
    })
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
            Listing::All => (Exposure::Direct, Exposure::Direct),
            Listing::WhereModelsAre(_) if has_models => (Exposure::Direct, Exposure::Deferred),
            Listing::WhereModelsAre(_) => (Exposure::Deferred, Exposure::Deferred),
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
        let Listing::WhereModelsAre(folders) = &self.listing else { return };
        if self.has_models.get().is_some() {
            return;
        }
        let folders = folders.clone();
        let found = tokio::task::spawn_blocking(move || has_models(&folders, LOOK)).await.unwrap_or_default();
        // Whoever looked first decides; both saw the same tree.
        if self.has_models.set(found).is_ok() && found {
            self.changes.send_modify(|count| *count += 1);
        }
    }
}

/// Whether there is a model below the folders, as far as they can be walked through in time.
fn has_models(folders: &[Utf8PathBuf], time: Duration) -> bool {
    let begin = Instant::now();
    let files = folders.iter().flat_map(|folder| walk::files(folder, Order::default()));
    files.take_while(|_| begin.elapsed() < time).any(|path| path.extension() == Some(EXTENSION))
}
