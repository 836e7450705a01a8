//! State of the editor as its notifications report it: open folders, open files and their texts.

use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use dlang_server::{RequestError, from_value};
use serde_json::Value;
use zubi_base::{fs, lsp, uri};
use zubi_host::editor_state::{ActiveEditor, OpenEditors};
use zubi_ipc::wire::editor;

use crate::texts::documents::{DocumentUpdate, EditorDocuments};
use crate::wire::editor::{ActiveFile, EditorDidChangeParams, OpenFile};

/// Maximum number of open files that are stored.
const MAX_OPEN: usize = 5_000;

impl From<OpenFile> for editor::OpenFile {
    fn from(file: OpenFile) -> Self {
        let OpenFile { uri, language_id, is_dirty, line_count, .. } = file;
        Self { uri, path: String::new(), language_id, is_dirty, line_count }
    }
}

/// State that the editor has sent in notifications.
#[derive(Default)]
pub(crate) struct PushedState {
    /// `None` before the first notification.
    open_editors: Mutex<Option<OpenEditors>>,
    /// Open folders, with the paths that the editor uses.
    folders: Mutex<Vec<Utf8PathBuf>>,
    /// Open documents with their texts.
    pub(crate) documents: EditorDocuments,
}

impl PushedState {
    pub(crate) fn new(folders: &[Utf8PathBuf]) -> Self {
        Self { folders: Mutex::new(folders.to_vec()), ..Self::default() }
    }

    /// Replaces the open folders.
    pub(crate) fn open_folders(&self, folders: &[Utf8PathBuf]) {
        *self.folders.lock().unwrap_or_else(PoisonError::into_inner) = folders.to_vec();
    }

    /// Whether exactly these folders are open now.
    pub(crate) fn has_open(&self, folders: &[Utf8PathBuf]) -> bool {
        *self.folders.lock().unwrap_or_else(PoisonError::into_inner) == folders
    }

    /// Handles `zubi/editor/didChange`. Invalid params change nothing.
    pub(crate) fn did_change(&self, params: &Value) -> Result<(), RequestError> {
        let EditorDidChangeParams { active, mut open, .. } = from_value(params)?;
        self.documents.replace_all(open.iter_mut().take(MAX_OPEN).filter_map(|file| {
            Some(DocumentUpdate {
                uri: file.uri.clone(),
                version: file.version?,
                is_dirty: file.is_dirty,
                text: file.text.take(),
            })
        }));
        let active = active.map(|ActiveFile { file, selection }| ActiveEditor { file: file.into(), selection });
        let open = open.into_iter().take(MAX_OPEN).map(Into::into).collect();
        *self.open_editors.lock().unwrap_or_else(PoisonError::into_inner) = Some(OpenEditors { active, open });
        Ok(())
    }

    pub(crate) fn open_editors(&self) -> Option<OpenEditors> {
        self.open_editors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Path of the settings file of the first folder.
    pub(crate) fn settings_file(&self) -> Option<Utf8PathBuf> {
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.first().map(|folder| folder.join(".vscode/settings.json"))
    }

    /// Folders that the editor has opened through links: the path it uses, and the resolved one.
    pub(crate) fn links(&self) -> Vec<(Utf8PathBuf, Utf8PathBuf)> {
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let resolved = folders.into_iter().filter_map(|folder| Some((fs::canonical(&folder).ok()?, folder)));
        resolved.filter(|(target, linked)| target != linked).map(|(target, linked)| (linked, target)).collect()
    }

    /// URI that the editor uses for a file with a resolved path. It differs if the folder is opened through a link.
    pub(crate) fn uri_of(&self, path: &Utf8Path) -> lsp::Uri {
        if let Some(document) = self.documents.get(path) {
            return lsp::Uri(document.uri);
        }
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let linked = folders.iter().find_map(|folder| {
            let rest = path.strip_prefix(fs::canonical(folder).ok()?).ok()?;
            Some(folder.join(rest))
        });
        uri::from_path(linked.as_deref().unwrap_or(path))
    }
}
