//! Plans the rename of a symbol in the whole workspace.

use std::sync::Arc;
use std::time::Instant;

use serde::Deserialize as _;
use serde_json::{Value, json};
use zubi_base::endpoint::{DocumentRef, Endpoint, EndpointError, RequestCx};
use zubi_base::lsp;
use zubi_base::uri;

use crate::edit::Plan;
use crate::error::CodeError;
use crate::features::locations::RawLocation;
use crate::features::mentions::ProofOutcome;
use crate::features::references;
use crate::locate::ResolvedTarget;
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::{declined_error, position_params};
use crate::status::{Completeness, QualifiedAnswer};

mod fit;
mod hidden;
mod new_name;
mod parameters;
mod projects;
mod python;
mod related;
mod scopes;
mod taken;
mod texts;
mod unedited;

pub(crate) use fit::text_edits_mut;
use projects::{CompletedRename, RenameEdit};
pub use texts::TextMentions;

impl CodeQuery<'_> {
    /// Plans a rename by the first endpoint that supports it: edits of servers for different parts of the language would
    /// overlap. The servers of other projects in which the symbol is used add theirs.
    pub async fn rename(
        &self,
        at: &ResolvedTarget,
        new_name: &str,
        texts: TextMentions,
    ) -> Result<QualifiedAnswer<Plan>, CodeError> {
        new_name::check_new_name(at, new_name)?;
        let (mut answer, mut outcome) = self.plan_rename(at, new_name, texts, &[]).await?;
        // Some servers rename uses in files outside their project once these are open (pyright 1.1, gopls 0.16).
        if outcome.has_new_uses && Instant::now() < self.cx.deadline {
            (answer, outcome) = self.plan_rename(at, new_name, texts, &[]).await?;
        }
        let uses = self.first_uses(&outcome.left_out).await;
        if !uses.is_empty() && Instant::now() < self.cx.deadline {
            (answer, _) = self.plan_rename(at, new_name, texts, &uses).await?;
        }
        Ok(answer)
    }

    /// Plans a rename at the target and at further uses of the symbol.
    async fn plan_rename(
        &self,
        at: &ResolvedTarget,
        new_name: &str,
        texts: TextMentions,
        uses: &[ResolvedTarget],
    ) -> Result<(QualifiedAnswer<Plan>, ProofOutcome), CodeError> {
        let method = "textDocument/rename";
        let mut ready = self.ready_for(&at.reference, method, "rename symbols", ReadinessLevel::Project).await?;
        ready.endpoints.truncate(1);
        let document = self.document(&at.path).await?;
        // A server of several projects renames in those that it reads.
        let (shared, apart) = self.split_other_projects(at, method).await.unzip();
        let mut cx = self.request_cx_with(at, &shared.unwrap_or_default());
        let endpoint = ready.endpoints.first().cloned().ok_or_else(|| CodeError::NoEndpoint(Vec::new()))?;
        let language = endpoint.language_id(&at.reference).unwrap_or_default();
        new_name::check_reserved(&language, new_name)?;
        let declined = |reason: String| {
            let hint = "Check the position with `lsp_hover`, or choose another name.";
            declined_error(endpoint.as_ref(), &at.reference, &reason, hint)
        };
        let params = position_params(&at.reference, &document, at.offset, endpoint.encoding());
        let prepares =
            endpoint.capabilities().pointer("/renameProvider/prepareProvider").and_then(Value::as_bool) == Some(true);
        if prepares {
            match self.send(endpoint.as_ref(), "textDocument/prepareRename", params.clone(), &cx).await {
                Ok(Value::Null) => return Err(declined("the text at this position cannot be renamed".to_owned())),
                Ok(_) => {}
                Err(EndpointError::Server { message, .. }) => return Err(declined(message)),
                Err(error) => return Err(error.into()),
            }
        }
        let params_of_references = params.clone();
        let mut params = params;
        params["newName"] = json!(new_name);
        let send_request = async |cx: &RequestCx| match self.send(endpoint.as_ref(), method, params.clone(), cx).await {
            Ok(result) => Ok(result),
            Err(EndpointError::Server { message, .. }) => Err(declined(message)),
            Err(error) => Err(error.into()),
        };
        // The references show what the server's own rename leaves.
        let references = self.own_references(at, &endpoint, params_of_references);
        let (result, references) = tokio::join!(send_request(&cx), references);
        let mut result = result?;
        // Servers disagree on whether a byte-order mark in a file on disk counts as a character of its first line. The
        // text of an opened document has no mark, so zubi opens such files and sends the request again.
        let marked = self.files_with_mark(&result, &at.reference).await;
        if !marked.is_empty() {
            cx.documents.extend(marked);
            result = send_request(&cx).await?;
        }
        if result.is_null() {
            return Err(declined("it offers no rename there".to_owned()));
        }
        let mut status = ready.status;
        let own = RenameEdit { edit: result, endpoint: Arc::clone(&endpoint) };
        let mut completed = match apart {
            Some(queue) => self.rename_in_other_projects(at, new_name, own, queue, &mut status).await?,
            None => {
                status.mark_incomplete("looking for the name in other projects took too long".to_owned());
                CompletedRename::new(own)
            }
        };
        if let Some(edit) = self.rename_counterpart(at, endpoint.as_ref(), new_name, &completed.edited).await {
            self.add_new_edits(&mut completed, RenameEdit { edit, endpoint: Arc::clone(&endpoint) }).await;
        }
        for target in uses {
            // A use in another project may have another server.
            let ready = self.ready_for(&target.reference, method, "rename symbols", ReadinessLevel::Project).await;
            let Some(endpoint) = ready.ok().and_then(|ready| ready.endpoints.into_iter().next()) else { continue };
            if let Some(edit) = self.request_rename(target, endpoint.as_ref(), new_name).await {
                self.add_edit(&mut completed, RenameEdit { edit, endpoint }).await;
            }
        }
        let left_related = self.rename_related(at, new_name, &endpoint, &mut completed).await;
        self.leave_out_edits(at, &mut completed);
        let unedited = self.find_unedited(at, new_name, &mut completed, references).await;
        self.fit_names(at, &language, new_name, &mut completed).await?;
        self.check_taken(&language, new_name, &mut completed).await?;
        let mut outcome = ProofOutcome::default();
        let mut mentions = None;
        if let Some(words) = self.word_matches(at).await {
            // The references that the server does not edit are named below.
            let known: Vec<_> = completed.edited.iter().chain(&unedited.references).cloned().collect();
            let sorted = self.sort_mentions(at, &known, &words).await;
            let proven;
            (proven, outcome) = self.prove_mentions(at, &known, sorted).await;
            references::rate(at, &mut status, completed.edited.len(), &proven);
            references::add_unchecked_note(at, &mut status, &proven);
            mentions = Some(proven);
        } else {
            references::add_unsearched_note(at, &mut status);
        }
        self.rename_texts(at, new_name, texts, mentions.as_ref(), &mut completed).await;
        let old = at.name.as_deref().unwrap_or("symbol");
        let title = format!("rename `{old}` to `{}`", completed.written_name(new_name));
        let mut plan = self.intel.edits.plan_combined(&title, &completed.server_edits(), &completed.servers()).await?;
        plan.notes.extend(completed.notes);
        if let Some(reason) = completed.omitted {
            status.completeness = Completeness::Partial { reason };
        } else if let Some(reason) = unedited.describe() {
            status.mark_incomplete(reason);
        }
        if let Some(reason) = left_related {
            status.mark_incomplete(reason);
        }
        Ok((QualifiedAnswer { value: plan, status }, outcome))
    }

    /// Requests the rename of a symbol's second declaration (a stub of its module); `None` without one, if the first
    /// edit covers it, or if the server does not rename it.
    async fn rename_counterpart(
        &self,
        at: &ResolvedTarget,
        endpoint: &dyn Endpoint,
        new_name: &str,
        edited: &[RawLocation],
    ) -> Option<Value> {
        let counterpart = self.counterpart(at, edited).await?;
        self.request_rename(&counterpart, endpoint, new_name).await
    }

    /// Requests the rename of a further declaration from the server of the first; `None` if it does not rename it.
    async fn request_rename(&self, at: &ResolvedTarget, endpoint: &dyn Endpoint, new_name: &str) -> Option<Value> {
        let document = self.document(&at.path).await.ok()?;
        let cx = self.request_cx().for_document(&at.reference);
        let mut params = position_params(&at.reference, &document, at.offset, endpoint.encoding());
        params["newName"] = json!(new_name);
        self.send(endpoint, "textDocument/rename", params, &cx).await.ok().filter(Value::is_object)
    }

    /// Returns the files of a workspace edit that begin with a byte-order mark, without the open one.
    async fn files_with_mark(&self, edit: &Value, open: &DocumentRef) -> Vec<DocumentRef> {
        let changes = edit.get("changes").and_then(Value::as_object).into_iter().flat_map(|changes| changes.keys());
        let documents = edit.get("documentChanges").and_then(Value::as_array).into_iter().flatten();
        let documents = documents.filter_map(|change| change.pointer("/textDocument/uri")?.as_str());
        let mut marked = Vec::new();
        for uri in changes.map(String::as_str).chain(documents) {
            let Some(path) = uri::to_path(&lsp::Uri(uri.to_owned())) else { continue };
            if path != open.path && self.intel.texts.read(&path).await.is_ok_and(|text| text.bom) {
                marked.push(DocumentRef::new(path));
            }
        }
        marked
    }
}

fn range_of(edit: &Value) -> Option<lsp::Range> {
    lsp::Range::deserialize(edit.get("range")?).ok()
}
