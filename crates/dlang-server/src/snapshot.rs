//! What requests are answered from: the model between two changes, together with what the client calls its documents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use dlang_model::{QueryCancelled, Db, File};
use dlang_workspace::WorkspaceSnapshot;
use dlang_workspace::modules::Module;
use zubi_base::lsp::Uri;
use zubi_base::uri;

use crate::direct::InProcessRequests;
use crate::settings::Settings;

/// The state between two changes. Changes wait until it is dropped, so it is never kept.
#[derive(Clone)]
pub struct Snapshot {
    workspace: WorkspaceSnapshot,
    names: Arc<Names>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) tokens: Arc<TokenStore>,
}

/// The open documents by both of their names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    paths: BTreeMap<String, Utf8PathBuf>,
    open: BTreeMap<Utf8PathBuf, Open>,
}

/// An open document.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    /// Its URI, as the client spells it.
    pub(crate) uri: String,
    /// What the client calls this text.
    pub(crate) version: i32,
    /// The text.
    pub(crate) text: Arc<str>,
}

impl Names {
    /// A document is open, with another text than before or for the first time.
    pub(crate) fn open(&mut self, path: Utf8PathBuf, open: Open) {
        self.paths.insert(open.uri.clone(), path.clone());
        self.open.insert(path, open);
    }

    /// A document is closed. Its path, unless another document has it too.
    pub(crate) fn close(&mut self, uri: &str) -> Option<Utf8PathBuf> {
        let path = self.paths.remove(uri)?;
        let is_its_own = self.open.get(&path).is_some_and(|open| open.uri == uri);
        if is_its_own {
            self.open.remove(&path);
        }
        is_its_own.then_some(path)
    }

    /// The open documents by their paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Utf8PathBuf, &Open)> {
        self.open.iter()
    }
}

impl Snapshot {
    pub(crate) fn new(
        workspace: WorkspaceSnapshot,
        names: Arc<Names>,
        settings: Arc<Settings>,
        tokens: Arc<TokenStore>,
    ) -> Self {
        Self { workspace, names, settings, tokens }
    }

    /// A workspace of which no client has anything open, for [`Requests`].
    pub fn from_workspace(workspace: WorkspaceSnapshot) -> Self {
        Self::new(workspace, Arc::default(), Arc::new(Settings::of_program(InProcessRequests::ENCODING)), Arc::default())
    }

    /// The workspace.
    pub fn workspace(&self) -> &WorkspaceSnapshot {
        &self.workspace
    }

    /// Asks the model. Cancelled when a change waits.
    pub fn query<T>(&self, question: impl FnOnce(&dyn Db) -> T) -> Result<T, QueryCancelled> {
        self.workspace.query(question)
    }

    /// The path of a URI; nothing if it is neither open nor a file.
    pub fn path(&self, uri: &Uri) -> Option<Utf8PathBuf> {
        let open = self.names.paths.get(&uri.0).cloned();
        open.or_else(|| self.workspace.find(uri::to_path(uri)?.as_str()))
    }

    /// The URI of a path: as the client spells it if it has the document open.
    pub fn uri(&self, path: &Utf8Path) -> Uri {
        match self.names.open.get(path) {
            Some(open) => Uri(open.uri.clone()),
            None if self.settings.is_program => uri::from_path(&self.workspace.without_links(path)),
            None => uri::from_path(path),
        }
    }

    /// The model that a URI names, if it is one of the workspace.
    pub fn file(&self, uri: &Uri) -> Result<Option<File>, QueryCancelled> {
        self.path(uri).map_or(Ok(None), |path| self.workspace.file(&path))
    }

    /// The module of the workspace that a path lies in, if it has a manifest.
    pub(crate) fn module_of(&self, path: &Utf8Path) -> Option<&Module> {
        let above = self.workspace.modules().iter().filter(|module| path.starts_with(&module.root));
        above.max_by_key(|module| module.root.as_str().len()).map(|module| &**module)
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// What the client calls the text of a document; nothing if it has not the document open.
    pub(crate) fn version(&self, path: &Utf8Path) -> Option<i32> {
        self.names.open.get(path).map(|open| open.version)
    }

    /// Whether the client has a document open.
    pub(crate) fn is_open(&self, uri: &Uri) -> bool {
        self.names.paths.contains_key(&uri.0)
    }
}

/// The semantic tokens that open documents had when they were last asked for, so that next time a difference is enough.
#[derive(Debug, Default)]
pub(crate) struct TokenStore(Mutex<Tokens>);

#[derive(Debug, Default)]
struct Tokens {
    last: u64,
    known: BTreeMap<String, (String, Arc<[u32]>)>,
}

impl TokenStore {
    /// Remembers tokens. The name that a client gives back for them, and those that `previous` names.
    pub(crate) fn exchange(
        &self,
        uri: &Uri,
        tokens: &Arc<[u32]>,
        previous: Option<&str>,
    ) -> (String, Option<Arc<[u32]>>) {
        let mut store = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        store.last += 1;
        let id = store.last.to_string();
        let known = store.known.insert(uri.0.clone(), (id.clone(), Arc::clone(tokens)));
        (id, known.filter(|(known, _)| previous == Some(known)).map(|(_, tokens)| tokens))
    }

    /// Forgets a document.
    pub(crate) fn remove(&self, uri: &Uri) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).known.remove(&uri.0);
    }
}
