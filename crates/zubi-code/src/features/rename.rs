//! Plans the rename of a symbol in the whole workspace.

use serde::Deserialize as _;
use serde_json::{Value, json};
use zubi_base::endpoint::{DocumentRef, Endpoint, EndpointError, RequestCx};
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_base::uri;

use crate::edit::{Plan, ServerEdit};
use crate::error::CodeError;
use crate::features::locations::{RawLocation, Relation};
use crate::features::references;
use crate::locate::ResolvedTarget;
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::position_params;
use crate::status::QualifiedAnswer;

impl CodeQuery<'_> {
    /// Plans a rename by the first endpoint that supports it: two servers' edits would overlap.
    pub async fn rename(&self, at: &ResolvedTarget, new_name: &str) -> Result<QualifiedAnswer<Plan>, CodeError> {
        if new_name.trim().is_empty() || new_name.chars().any(char::is_control) {
            return Err(CodeError::input(
                "newName",
                "the new name is empty or holds control characters",
                "Give an identifier of the language.",
            ));
        }
        let digit = |name: &str| name.starts_with(|first: char| first.is_ascii_digit());
        if new_name.contains(char::is_whitespace) || digit(new_name) && !at.name.as_deref().is_some_and(digit) {
            // Some servers do not check the new name: ty renames to `1` without an error.
            let message = format!("`{}` is not a valid identifier", crate::markup::clean_line(new_name));
            return Err(CodeError::input("newName", message, "Give an identifier of the language."));
        }
        let method = "textDocument/rename";
        let mut ready = self.ready_for(&at.reference, method, "rename symbols", ReadinessLevel::Project).await?;
        ready.endpoints.truncate(1);
        let document = self.document(&at.path).await?;
        let mut cx = self.request_cx().for_document(&at.reference);
        let endpoint = ready.endpoints.first().cloned().ok_or_else(|| CodeError::NoEndpoint(Vec::new()))?;
        let declined = |reason: String| CodeError::Declined {
            endpoint: endpoint.id().to_string(),
            reason,
            hint: "Check the position with `lsp_hover`, or choose another name.".to_owned(),
        };
        let params = position_params(&at.reference, &document, at.offset, endpoint.encoding());
        let prepares =
            endpoint.capabilities().pointer("/renameProvider/prepareProvider").and_then(Value::as_bool) == Some(true);
        if prepares {
            match endpoint.request("textDocument/prepareRename", params.clone(), &cx).await {
                Ok(Value::Null) => return Err(declined("the text at this position cannot be renamed".to_owned())),
                Ok(_) => {}
                Err(EndpointError::Server { message, .. }) => return Err(declined(message)),
                Err(error) => return Err(error.into()),
            }
        }
        let mut params = params;
        params["newName"] = json!(new_name);
        let send_request = async |cx: &RequestCx| match endpoint.request(method, params.clone(), cx).await {
            Ok(result) => Ok(result),
            Err(EndpointError::Server { message, .. }) => Err(declined(message)),
            Err(error) => Err(error.into()),
        };
        let mut result = send_request(&cx).await?;
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
        let edited = edited_locations(&result, endpoint.encoding());
        let counterpart = self.rename_counterpart(at, endpoint.as_ref(), new_name, &edited).await;
        let old = at.name.as_deref().unwrap_or("symbol");
        let title = format!("rename `{old}` to `{new_name}`");
        let encoding = endpoint.encoding();
        let edits = [Some(&result), counterpart.as_ref()].into_iter().flatten();
        let edits: Vec<_> = edits.map(|edit| ServerEdit { edit, encoding }).collect();
        let plan = self.intel.edits.plan_combined(&title, &edits, &endpoint.id().0).await?;
        let mut status = ready.status;
        let mut edits: Vec<_> = edits.iter().flat_map(|edit| edited_locations(edit.edit, encoding)).collect();
        self.sort(&mut edits).await;
        if let Some(words) = self.word_matches(at).await {
            let mentions = self.classify_mentions(at, &edits, &words).await;
            references::rate(at, &mut status, edits.len(), &mentions);
        }
        self.add_unrenamed_note(at, method, &plan, &mut status).await;
        Ok(QualifiedAnswer { value: plan, status })
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
        let definitions = self.locations(at, Relation::Definition).await.ok()?.value;
        let definitions = definitions.into_iter().map(|found| (found.location, found.encoding));
        let counterpart = self.counterpart(at, definitions, edited).await?;
        let document = self.document(&counterpart.path).await.ok()?;
        let cx = self.request_cx().for_document(&counterpart.reference);
        let mut params = position_params(&counterpart.reference, &document, counterpart.offset, endpoint.encoding());
        params["newName"] = json!(new_name);
        endpoint.request("textDocument/rename", params, &cx).await.ok().filter(|result| !result.is_null())
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
            let Some(range) = edit.get("range").and_then(|range| lsp::Range::deserialize(range).ok()) else { continue };
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
