//! Notifies a server about files changed on disk, in the way it needs.

use camino::Utf8Path;
use serde_json::{Value, json};

use super::{ServerSession, TextSentGuard};
use crate::capabilities::ChangeKind;
use crate::catalogue::Freshness;
use crate::documents::{MirroredDocuments, OutgoingSync, SyncAction};
use crate::readiness::ReadinessSignal;
use crate::watch::{WatchedEntry, WatchedFileChange};

/// The maximum number of changed files that are opened at once for a server that does not notice changes itself. A
/// checkout of another branch changes thousands; opening all of them would cost more than the request.
pub(super) const MAX_OPENED_AT_ONCE: usize = 64;

impl ServerSession {
    /// Notifies the server about files changed on disk. Returns a note if the server may not know all changes yet.
    pub(crate) fn notify_changes(&self, changes: &[WatchedFileChange]) -> Option<String> {
        let mut documents = self.documents();
        let watched: Vec<&WatchedFileChange> = {
            let capabilities = self.peer.capabilities();
            let registered = capabilities.has_watchers();
            changes
                .iter()
                .filter(|change| {
                    if registered {
                        capabilities.watches(&change.path, change.kind, change.is_directory())
                    } else {
                        self.concerns(change)
                    }
                })
                .collect()
        };
        // Before anything is sent, because the diagnostics may come at once.
        if !watched.is_empty() || changes.iter().any(|change| documents.is_open(&change.path) || self.must_open(change))
        {
            self.peer.diagnostics.mark_changed();
            self.peer.rounds.mark_changed();
            self.language_services.clear();
        }
        if !watched.is_empty() {
            let events: Vec<Value> = watched
                .iter()
                .map(|change| json!({ "uri": zubi_base::uri::from_path(&change.path), "type": change.kind as u8 }))
                .collect();
            let params = json!({ "changes": events });
            OutgoingSync::notify(&self.connection, "workspace/didChangeWatchedFiles", params);
            // A server that works on several messages at once needs the barrier after these, too.
            if let Some(path) = documents.paths().pop() {
                self.sync_barrier.mark_sent(&path);
            }
        }
        self.request_reload(changes);
        if !watched.is_empty() {
            self.await_own_watcher();
        }
        if changes.iter().any(|change| self.reads_at_configuration(&change.path)) {
            // The settings are the same: it only makes the server read everything that it has stored again.
            let params = json!({ "settings": self.spec.settings });
            OutgoingSync::notify(&self.connection, "workspace/didChangeConfiguration", params);
        }
        let mut opened = 0;
        let mut omitted = 0;
        for change in changes {
            let is_open = documents.is_open(&change.path);
            if !is_open {
                if !self.must_open(change) {
                    continue;
                }
                if opened == MAX_OPENED_AT_ONCE {
                    omitted += 1;
                    continue;
                }
                opened += 1;
            }
            self.deliver_one(&mut documents, change);
        }
        if self.spec.document_status.is_some() && changes.iter().any(|change| self.also_reads(&change.path)) {
            self.check_open_documents(&documents);
        }
        (omitted > 0 && self.spec.freshness != Freshness::WatchedFiles)
            .then(|| format!("{omitted} more files changed at once; {} may still be reading them", self.spec.name))
    }

    /// Makes a server that checks all open documents after a `didSave` do so.
    fn check_open_documents(&self, documents: &MirroredDocuments) {
        if let Some(path) = documents.paths().pop() {
            MirroredDocuments::save_again(
                &path,
                self.open_params(&path),
                &TextSentGuard { session: self, path: &path, is_repeated: true },
            );
        }
    }

    /// Whether zubi must open a changed file for the server to process the change.
    ///
    /// rust-analyzer notices it, but runs its check only for a `didSave`, and drops that if it begins to read a changed
    /// file a moment later. It does not read open files from disk.
    fn must_open(&self, change: &WatchedFileChange) -> bool {
        let opens = match self.spec.freshness {
            Freshness::WatchedFiles => self.spec.checker.is_some() && change.kind != ChangeKind::Deleted,
            Freshness::OpenCreated => change.kind == ChangeKind::Created,
            Freshness::OpenedOnly => true,
        };
        let is_source = match &change.entry {
            WatchedEntry::File => true,
            WatchedEntry::Directory | WatchedEntry::Package => false,
            // One of the paths is enough.
            WatchedEntry::OtherPath(path) => !self.is_own(path),
        };
        opens && is_source && self.is_own(&change.path) && !change.is_directory()
    }

    /// Whether the server reads a file again only when it reads its settings.
    fn reads_at_configuration(&self, path: &Utf8Path) -> bool {
        path.components().any(|part| self.spec.configure_on.iter().any(|name| name == part.as_str()))
    }

    /// Sends the new text of a file that is open, or opens it.
    fn deliver_one(&self, documents: &mut MirroredDocuments, change: &WatchedFileChange) {
        let path = &change.path;
        let deleted = change.kind == ChangeKind::Deleted;
        if deleted {
            self.peer.diagnostics.remove(path);
        }
        if deleted && self.spec.freshness != Freshness::OpenedOnly {
            documents.close(path, &self.connection);
            return;
        }
        // Before the text is sent, because the diagnostics may come at once.
        let digests = self.spec.freshness == Freshness::OpenedOnly && self.pulls_for(path).is_empty();
        if digests {
            let version = documents.next_version();
            self.peer.track(|tracker| tracker.awaiting_diagnostics(path, version));
        }
        let touch = if deleted {
            Ok(documents.empty(
                path,
                self.open_params(path),
                &TextSentGuard { session: self, path, is_repeated: false },
            ))
        } else {
            self.sync_document_locked(documents, path, true)
        };
        if digests && !matches!(touch, Ok(SyncAction::Opened | SyncAction::Changed)) {
            self.peer.track(|tracker| tracker.on_closed(path));
        }
        if let Err(error) = touch {
            tracing::debug!(server = %self.spec.name, %error, "a changed file cannot be sent");
        }
    }

    /// Whether a file is in the project and in a language of this server.
    fn is_own(&self, path: &Utf8Path) -> bool {
        path.starts_with(&self.spec.folder.path) && self.spec.supports_language(path)
    }

    /// Whether a file makes a directory of the project a project.
    pub(crate) fn is_project_file(&self, path: &Utf8Path) -> bool {
        path.starts_with(&self.spec.folder.path)
            && path.file_name().is_some_and(|name| self.spec.root_markers.iter().any(|marker| marker == name))
    }

    /// Whether the server reads the project again after a change of this file.
    pub(crate) fn reloads_for(&self, path: &Utf8Path) -> bool {
        let ReadinessSignal::Log { reloads_for, .. } = &self.spec.signal else { return false };
        let root = &self.spec.folder.path;
        match reloads_for.iter().position(|name| root.join(name) == path) {
            Some(index) => !reloads_for.iter().take(index).any(|name| root.join(name).is_file()),
            None => false,
        }
    }

    /// Whether a file is in the project and in another language, but is read by the server.
    fn also_reads(&self, path: &Utf8Path) -> bool {
        path.starts_with(&self.spec.folder.path)
            && path.extension().is_some_and(|own| self.spec.also_reads.iter().any(|extension| extension == own))
    }

    /// Whether a change concerns a server that has registered no watched files.
    fn concerns(&self, change: &WatchedFileChange) -> bool {
        let path = &change.path;
        // Packages are outside the project if its environment is above it.
        self.is_own(path)
            || (change.entry == WatchedEntry::Package && self.spec.supports_language(path))
            || self.is_project_file(path)
            || self.also_reads(path)
    }
}
