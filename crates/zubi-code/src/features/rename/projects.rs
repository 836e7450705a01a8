//! The part of a rename in projects that other server processes read.
//!
//! Each server renames what it reads. So zubi sends the rename also to the servers of the other projects in which the
//! name occurs, and merges the edits. Some servers (pyright 1.1, ty 0.0) edit only their own project although they
//! report the references: zubi then edits these references itself.

use std::sync::Arc;

use camino::Utf8PathBuf;
use futures_util::future::join_all;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use zubi_base::endpoint::{Endpoint, EndpointError, OtherProject};
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_base::text::pluralize;
use zubi_base::uri;

use super::fit::text_edits_mut;
use super::range_of;
use crate::edit::ServerEdit;
use crate::error::CodeError;
use crate::features::locations::{RawLocation, Relation};
use crate::features::projects::ProjectQueue;
use crate::locate::ResolvedTarget;
use crate::markup::clean_line;
use crate::query::{CodeQuery, SourceDocument};
use crate::request::position_params;
use crate::status::{AnswerSource, AnswerStatus, Completeness};
use crate::worktrees::WorktreeFilter;

const METHOD: &str = "textDocument/rename";

/// Extensions of the languages in which a name can mean two symbols at once (`Point { x }`), so that only a server
/// can edit a reference.
const SHORTHAND_LANGUAGES: [&str; 10] = ["rs", "ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx", "dart"];

/// One server's edit.
pub(super) struct RenameEdit {
    /// LSP's `WorkspaceEdit`.
    pub(super) edit: Value,
    pub(super) endpoint: Arc<dyn Endpoint>,
}

/// The edits of a rename in all projects.
pub(super) struct CompletedRename {
    edits: Vec<RenameEdit>,
    /// Edits by zubi itself, with columns in UTF-16 units.
    own: Option<Value>,
    /// Edits of mentions in comments, strings and documents, with columns in UTF-16 units.
    pub(super) texts: Option<Value>,
    /// The ranges that the edits replace. All have the same encoding.
    pub(super) edited: Vec<RawLocation>,
    /// Notes about zubi's own edits and changes of edits.
    pub(super) notes: Vec<String>,
    /// The uses that are not renamed, as a clause.
    pub(super) omitted: Option<String>,
}

/// The refusal of a server of other projects to rename the symbol.
struct Refusal {
    projects: Vec<OtherProject>,
    /// A clause with the server's message.
    reason: String,
}

impl CompletedRename {
    pub(super) fn new(own: RenameEdit) -> Self {
        let edited = edited_locations(&own.edit, own.endpoint.encoding());
        Self { edits: vec![own], own: None, texts: None, edited, notes: Vec::new(), omitted: None }
    }

    pub(super) fn server_edits(&self) -> Vec<ServerEdit<'_>> {
        let servers = self.edits.iter().map(|one| ServerEdit { edit: &one.edit, encoding: one.endpoint.encoding() });
        let own = self.own.iter().chain(&self.texts).map(|edit| ServerEdit { edit, encoding: Encoding::Utf16 });
        servers.chain(own).collect()
    }

    /// Returns the edits of the servers with the units of their columns.
    pub(super) fn edits_with_encodings(&mut self) -> impl Iterator<Item = (&mut Value, Encoding)> {
        self.edits.iter_mut().map(|one| (&mut one.edit, one.endpoint.encoding()))
    }

    /// Returns the new name as the servers write it: Rust's keywords as raw identifiers.
    pub(super) fn written_name(&mut self, new_name: &str) -> String {
        let raw = format!("r#{new_name}");
        let mut edits = self.edits_with_encodings().flat_map(|(edit, _)| text_edits_mut(edit));
        let is_raw = edits.any(|(_, edits)| edits.iter().any(|edit| edit["newText"] == raw));
        if is_raw { raw } else { new_name.to_owned() }
    }

    /// Returns the names of the servers.
    pub(super) fn servers(&self) -> String {
        let mut names: Vec<_> = self.edits.iter().map(|one| one.endpoint.id().to_string()).collect();
        names.dedup();
        names.join(" + ")
    }

    pub(super) fn covers(&self, location: &RawLocation) -> bool {
        self.edited.iter().any(|edited| overlaps(edited, location))
    }
}

impl CodeQuery<'_> {
    /// Adds the edits of the servers of other projects to a rename.
    pub(super) async fn rename_in_other_projects(
        &self,
        at: &ResolvedTarget,
        new_name: &str,
        own: RenameEdit,
        queue: ProjectQueue,
        status: &mut AnswerStatus,
    ) -> Result<CompletedRename, CodeError> {
        let mut rename = CompletedRename::new(own);
        let is_everything_own = queue.batches.iter().flatten().next().is_none() && queue.omitted.is_empty();
        if is_everything_own {
            return Ok(rename);
        }
        let document = self.document(&at.path).await?;
        let mut refusals = Vec::new();
        for batch in &queue.batches {
            let answers = batch.iter().map(|group| self.rename_in_group(at, new_name, &document, group));
            for (group, answer) in batch.iter().zip(join_all(answers).await) {
                match answer {
                    Ok(edits) => {
                        for edit in edits {
                            self.add_edit(&mut rename, edit).await;
                        }
                    }
                    Err(error @ CodeError::Endpoint(EndpointError::Cancelled)) => return Err(error),
                    Err(CodeError::Endpoint(EndpointError::Server { endpoint, message, .. })) => {
                        let reason = format!("{endpoint} declines: {}", clean_line(&message));
                        refusals.push(Refusal { projects: group.clone(), reason });
                    }
                    // The references below show what is missing.
                    Err(error) => tracing::debug!(%error, "another project's server does not rename"),
                }
            }
        }
        let uses = match self.locations(at, Relation::References { include_declaration: true }).await {
            // No edit is based on imported data.
            Ok(uses) if uses.status.source != AnswerSource::Exact => uses,
            Err(error @ CodeError::Endpoint(EndpointError::Cancelled)) => return Err(error),
            Ok(_) | Err(_) => {
                let all: Vec<_> = queue.batches.concat().concat();
                let projects = self.describe_projects(&[all, queue.omitted].concat());
                rename.omitted = Some(format!("what uses it in {projects} is not known"));
                return Ok(rename);
            }
        };
        self.add_references(at, new_name, &mut rename, uses.value, &refusals).await?;
        if rename.omitted.is_none()
            && let Completeness::Partial { reason } = uses.status.completeness
        {
            rename.omitted = Some(reason);
        }
        for endpoint in uses.status.endpoints {
            if status.endpoints.iter().all(|known| known.id != endpoint.id) {
                status.endpoints.push(endpoint);
            }
        }
        Ok(rename)
    }

    async fn rename_in_group(
        &self,
        at: &ResolvedTarget,
        new_name: &str,
        document: &SourceDocument,
        group: &[OtherProject],
    ) -> Result<Vec<RenameEdit>, CodeError> {
        let mut ready = self.ready_for_group(group, METHOD, "rename symbols").await?;
        ready.endpoints.truncate(1);
        let cx = self.request_cx_with(at, group);
        let params = |endpoint: &dyn Endpoint| {
            let mut params = position_params(&at.reference, document, at.offset, endpoint.encoding());
            params["newName"] = json!(new_name);
            params
        };
        let replies = self.request_all(&ready, METHOD, &cx, params).await?.replies;
        let edits = replies.into_iter().filter(|reply| reply.result.is_object());
        Ok(edits.map(|reply| RenameEdit { edit: reply.result, endpoint: reply.endpoint }).collect())
    }

    /// Adds another server's edits that are about the same symbol: they include an edit that is already known.
    pub(super) async fn add_edit(&self, rename: &mut CompletedRename, other: RenameEdit) {
        let mut edited = edited_locations(&other.edit, other.endpoint.encoding());
        self.convert_all_to_utf16(rename.edited.iter_mut().chain(&mut edited)).await;
        if edited.iter().any(|location| rename.covers(location)) {
            self.add_new_edits(rename, other).await;
        }
    }

    /// Adds the edits of another request that are not known yet.
    pub(super) async fn add_new_edits(&self, rename: &mut CompletedRename, mut other: RenameEdit) {
        let mut edited = edited_locations(&other.edit, other.endpoint.encoding());
        self.convert_all_to_utf16(rename.edited.iter_mut().chain(&mut edited)).await;
        let is_new: Vec<bool> = edited.iter().map(|location| !rename.covers(location)).collect();
        if !is_new.contains(&true) {
            return;
        }
        retain_edits(&mut other.edit, &is_new);
        rename
            .edited
            .extend(edited.into_iter().zip(is_new).filter(|(_, is_new)| *is_new).map(|(location, _)| location));
        rename.edits.push(other);
    }

    pub(super) async fn convert_all_to_utf16(&self, locations: impl Iterator<Item = &mut RawLocation>) {
        for location in locations.filter(|location| location.encoding != Encoding::Utf16) {
            self.convert_to_utf16(location).await;
        }
    }

    /// Removes the edits in other git worktrees than the symbol's own.
    pub(super) fn leave_out_edits(&self, at: &ResolvedTarget, rename: &mut CompletedRename) {
        let edits = rename.edits.iter_mut().map(|one| &mut one.edit);
        rename.notes.extend(self.leave_out_edits_in_other_worktrees(&at.path, edits));
        let mut filter = WorktreeFilter::new(self.workspace(), &at.path);
        rename.edited.retain(|edited| filter.admits(&edited.location.uri));
    }

    /// Edits the references in other projects that no server's rename edits, where the text is the name.
    async fn add_references(
        &self,
        at: &ResolvedTarget,
        new_name: &str,
        rename: &mut CompletedRename,
        mut uses: Vec<RawLocation>,
        refusals: &[Refusal],
    ) -> Result<(), CodeError> {
        self.convert_all_to_utf16(rename.edited.iter_mut().chain(&mut uses)).await;
        let missed = uses.into_iter().filter(|found| !found.external && !rename.covers(found));
        let missed: Vec<_> = missed.filter_map(|found| Some((uri::to_path(&found.location.uri)?, found))).collect();
        let files = missed.iter().map(|(path, _)| path.clone()).collect();
        let others = self.intel.router.other_projects(&at.reference, METHOD, files).await;
        let in_other_projects = |path: &Utf8PathBuf| {
            others.iter().filter(|other| path.starts_with(&other.root)).max_by_key(|other| other.root.as_str().len())
        };
        let name = at.name.as_deref().unwrap_or_default();
        let mut changes: FxHashMap<String, Vec<Value>> = FxHashMap::default();
        let (mut edited, mut left) = (Vec::new(), Vec::new());
        let mut reason = "`lsp_references` lists them";
        for (path, found) in missed {
            let Some(project) = in_other_projects(&path) else { continue };
            let refusal = refusals.iter().find(|refusal| refusal.projects.iter().any(|one| one.root == project.root));
            if let Some(refusal) = refusal {
                reason = &refusal.reason;
                left.push(project.clone());
                continue;
            }
            let document = self.document(&path).await?;
            let range = document.index.range_from_lsp(&found.location.range, Encoding::Utf16);
            let is_name = document.text.get(usize::from(range.start())..usize::from(range.end())) == Some(name);
            if is_name && !SHORTHAND_LANGUAGES.contains(&path.extension().unwrap_or_default()) {
                let edit = json!({ "range": found.location.range, "newText": new_name });
                changes.entry(found.location.uri.0.clone()).or_default().push(edit);
                edited.push((project.clone(), found));
            } else {
                left.push(project.clone());
            }
        }
        if !left.is_empty() {
            let uses = pluralize(left.len(), "use");
            left.dedup();
            let projects = self.describe_projects(&left);
            rename.omitted = Some(format!("{uses} in {projects} will not be renamed: {reason}"));
        }
        if !edited.is_empty() {
            let mut projects: Vec<_> = edited.iter().map(|(project, _)| project.clone()).collect();
            projects.dedup();
            let (edits, projects) = (pluralize(edited.len(), "edit"), self.describe_projects(&projects));
            rename
                .notes
                .push(format!("{edits} at references in {projects}: the server renames only in its own project"));
            rename.edited.extend(edited.into_iter().map(|(_, found)| found));
            rename.own = Some(json!({ "changes": changes }));
        }
        Ok(())
    }
}

/// Leaves only some text edits in a workspace edit; `is_left` is in the order of [`edited_locations`].
fn retain_edits(edit: &mut Value, is_left: &[bool]) {
    let mut is_left = is_left.iter();
    let mut retain = |edits: &mut Value| {
        if let Some(edits) = edits.as_array_mut() {
            edits.retain(|edit| range_of(edit).is_none() || is_left.next().copied().unwrap_or_default());
        }
    };
    edit.get_mut("changes").and_then(Value::as_object_mut).into_iter().flatten().for_each(|(_, edits)| retain(edits));
    let documents = edit.get_mut("documentChanges").and_then(Value::as_array_mut).into_iter().flatten();
    documents.filter_map(|change| change.get_mut("edits")).for_each(retain);
}

pub(super) fn overlaps(one: &RawLocation, other: &RawLocation) -> bool {
    let (range, found) = (one.location.range, other.location.range);
    let key = |position: lsp::Position| (position.line, position.character);
    key(range.start) <= key(found.end)
        && key(found.start) <= key(range.end)
        && (one.location.uri == other.location.uri
            || uri::to_path(&one.location.uri) == uri::to_path(&other.location.uri))
}

/// Returns the ranges that a workspace edit replaces, grouped by file.
fn edited_locations(edit: &Value, encoding: Encoding) -> Vec<RawLocation> {
    let changes = edit.get("changes").and_then(Value::as_object).into_iter().flatten();
    let changes = changes.map(|(uri, edits)| (uri.as_str(), edits));
    let documents = edit.get("documentChanges").and_then(Value::as_array).into_iter().flatten();
    let documents =
        documents.filter_map(|change| Some((change.pointer("/textDocument/uri")?.as_str()?, change.get("edits")?)));
    let mut found = Vec::new();
    for (uri, edits) in changes.chain(documents) {
        for edit in edits.as_array().into_iter().flatten() {
            let Some(range) = range_of(edit) else { continue };
            let location = lsp::Location { uri: lsp::Uri(uri.to_owned()), range };
            let display_path = uri.to_owned();
            found.push(RawLocation {
                location,
                encoding,
                display_path,
                external: false,
                declaration: false,
                text_only: false,
            });
        }
    }
    found
}
