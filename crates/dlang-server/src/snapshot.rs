//! Snapshots that requests are answered from: the model between two changes, with the URIs of open documents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use dlang_model::{Db, File, QueryCancelled};
use dlang_workspace::WorkspaceSnapshot;
use dlang_workspace::modules::Module;
use zubi_base::lsp::Uri;
use zubi_base::uri;

use crate::settings::ClientSettings;

/// State between two changes. Changes wait until it is dropped, so it must not be stored.
#[derive(Clone)]
pub struct Snapshot {
    workspace: WorkspaceSnapshot,
    names: Arc<DocumentNames>,
    pub(crate) settings: Arc<ClientSettings>,
    pub(crate) tokens: Arc<TokenStore>,
}

/// Open documents, by URI and by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentNames {
    paths: BTreeMap<String, Utf8PathBuf>,
    open: BTreeMap<Utf8PathBuf, OpenDocument>,
}

/// An open document.
#[derive(Debug, Clone)]
pub(crate) struct OpenDocument {
    /// URI as the client writes it.
    pub(crate) uri: String,
    /// Version of the text, assigned by the client.
    pub(crate) version: i32,
    /// The text.
    pub(crate) text: Arc<str>,
}

impl DocumentNames {
    /// Opens a document, or changes its text.
    pub(crate) fn open(&mut self, path: Utf8PathBuf, open: OpenDocument) {
        self.paths.insert(open.uri.clone(), path.clone());
        self.open.insert(path, open);
    }

    /// Closes a document. Returns its path, unless another document has the same one.
    pub(crate) fn close(&mut self, uri: &str) -> Option<Utf8PathBuf> {
        let path = self.paths.remove(uri)?;
        let has_uri = self.open.get(&path).is_some_and(|open| open.uri == uri);
        if has_uri {
            self.open.remove(&path);
        }
        has_uri.then_some(path)
    }

    /// Returns the open documents by path.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Utf8PathBuf, &OpenDocument)> {
        self.open.iter()
    }
}

impl Snapshot {
    pub(crate) fn new(
        workspace: WorkspaceSnapshot,
        names: Arc<DocumentNames>,
        settings: Arc<ClientSettings>,
        tokens: Arc<TokenStore>,
    ) -> Self {
        Self { workspace, names, settings, tokens }
    }

    /// Creates a snapshot for [`InProcessRequests`](crate::InProcessRequests), without open documents.
    pub fn from_workspace(workspace: WorkspaceSnapshot) -> Self {
        Self::new(workspace, Arc::default(), Arc::new(ClientSettings::for_program()), Arc::default())
    }

    /// Returns the workspace.
    pub fn workspace(&self) -> &WorkspaceSnapshot {
        &self.workspace
    }

    /// Queries the model. Returns [`QueryCancelled`] when a change is waiting.
    pub fn query<T>(&self, question: impl FnOnce(&dyn Db) -> T) -> Result<T, QueryCancelled> {
        self.workspace.query(question)
    }

    /// Returns the path of a URI; `None` if it is neither open nor a file.
    pub fn path(&self, uri: &Uri) -> Option<Utf8PathBuf> {
        let open = self.names.paths.get(&uri.0).cloned();
        open.or_else(|| self.workspace.find(uri::to_path(uri)?.as_str()))
    }

    /// Returns the URI of a path, as the client writes it if it has the document open.
    pub fn uri(&self, path: &Utf8Path) -> Uri {
        match self.names.open.get(path) {
            Some(open) => Uri(open.uri.clone()),
            None if self.settings.is_program => uri::from_path(&self.workspace.real_path(path)),
            None => uri::from_path(path),
        }
    }

    /// Returns the model with this URI, if it is part of the workspace.
    pub fn file(&self, uri: &Uri) -> Result<Option<File>, QueryCancelled> {
        self.path(uri).map_or(Ok(None), |path| self.workspace.file(&path))
    }

    /// Returns the module of the workspace that contains a path, if it has a manifest.
    pub(crate) fn module_of(&self, path: &Utf8Path) -> Option<&Module> {
        let above = self.workspace.modules().iter().filter(|module| path.starts_with(&module.root));
        above.max_by_key(|module| module.root.as_str().len()).map(|module| &**module)
    }

    pub(crate) fn names(&self) -> &DocumentNames {
        &self.names
    }

    /// Returns the version of a document's text; `None` if the client does not have it open.
    pub(crate) fn version(&self, path: &Utf8Path) -> Option<i32> {
        self.names.open.get(path).map(|open| open.version)
    }

    /// Whether the client has a document open.
    pub(crate) fn is_open(&self, uri: &Uri) -> bool {
        self.names.paths.contains_key(&uri.0)
    }
}

/// Last sent semantic tokens of open documents, from which the next delta is computed.
#[derive(Debug, Default)]
pub(crate) struct TokenStore(Mutex<Tokens>);

#[derive(Debug, Default)]
struct Tokens {
    last: u64,
    by_uri: BTreeMap<String, (String, Arc<[u32]>)>,
}

impl TokenStore {
    /// Stores tokens. Returns their result id, and the previous tokens if `previous` is their id.
    pub(crate) fn exchange(
        &self,
        uri: &Uri,
        tokens: &Arc<[u32]>,
        previous: Option<&str>,
    ) -> (String, Option<Arc<[u32]>>) {
        let mut store = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        store.last += 1;
        let id = store.last.to_string();
        let replaced = store.by_uri.insert(uri.0.clone(), (id.clone(), Arc::clone(tokens)));
        (id, replaced.filter(|(replaced_id, _)| previous == Some(replaced_id)).map(|(_, tokens)| tokens))
    }

    /// Removes the tokens of a document.
    pub(crate) fn remove(&self, uri: &Uri) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).by_uri.remove(&uri.0);
    }
}
