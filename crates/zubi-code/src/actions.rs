//! Code actions: quick fixes and refactorings. Each becomes a plan that the caller can inspect before applying it.

use std::sync::Arc;

use camino::Utf8Path;
use futures_util::future::join_all;
use serde_json::{Value, json};
use zubi_base::endpoint::{DocumentRef, EditCapture, Endpoint, RequestCx};
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextRange};

use crate::edit::Plan;
use crate::error::CodeError;
use crate::markup::clean_line;
use crate::query::{CodeQuery, SourceDocument};
use crate::readiness::ReadinessLevel;
use crate::request::{EndpointReply, readable};
use crate::status::{Completeness, QualifiedAnswer};

/// A code action, with its plan.
#[derive(Debug, Clone)]
pub struct CodeAction {
    pub title: String,
    /// LSP's hierarchical kind: `quickfix`, `refactor.extract`.
    pub kind: Option<String>,
    /// LSP's `isPreferred`: the fix that an editor would apply without a choice.
    pub preferred: bool,
    pub outcome: ActionOutcome,
}

/// The result of an action.
#[derive(Debug, Clone)]
pub enum ActionOutcome {
    /// The edits, as a stored plan.
    Plan(Box<Plan>),
    /// zubi cannot preview or apply the action, for this reason.
    Unavailable { reason: String },
}

/// The maximum number of actions in one answer; each may cost a request and a stored plan.
const MAX_ACTIONS: usize = 24;

impl CodeQuery<'_> {
    /// Returns at most `MAX_ACTIONS` code actions for a range, and the number before that limit. If `only` is not
    /// empty, returns only kinds that begin with one of its entries.
    pub async fn actions(
        &self,
        path: &Utf8Path,
        range: TextRange,
        only: &[String],
    ) -> Result<QualifiedAnswer<(Vec<CodeAction>, usize)>, CodeError> {
        let reference = DocumentRef::new(path);
        let method = "textDocument/codeAction";
        let ready = self.ready_for(&reference, method, "offer code actions", ReadinessLevel::Project).await?;
        let document = self.document(path).await?;
        let cx = self.request_cx().for_document(&reference);
        let mut status = ready.status.clone();
        let requests =
            ready.endpoints.iter().map(|endpoint| self.actions_of(endpoint, &reference, &document, range, only, &cx));
        let mut items: Vec<(Arc<dyn Endpoint>, Value)> = Vec::new();
        let mut failures = Vec::new();
        for answer in join_all(requests).await {
            match answer {
                Ok((reply, is_current)) => {
                    if !is_current {
                        let reason = format!("{} has not checked the present text yet", reply.endpoint.id());
                        status.completeness = Completeness::Partial { reason };
                    }
                    let list = reply.result.as_array().cloned().unwrap_or_default();
                    items.extend(list.into_iter().map(|item| (Arc::clone(&reply.endpoint), item)));
                }
                Err(error) => failures.push(error),
            }
        }
        if items.is_empty()
            && let Some(error) = failures.pop()
        {
            return Err(error);
        }
        if let Some(error) = failures.first() {
            status.completeness = Completeness::Partial { reason: error.to_string() };
        }
        let total = items.len();
        let mut actions = Vec::new();
        // Sequential: zubi captures the edits of a command while it runs, and could mix up those of two commands.
        for (endpoint, item) in items.into_iter().take(MAX_ACTIONS) {
            actions.extend(self.action(&endpoint, item, &cx).await);
        }
        Ok(QualifiedAnswer { value: (actions, total), status })
    }

    /// Returns the actions of one endpoint, and whether its diagnostics are for the current text.
    async fn actions_of(
        &self,
        endpoint: &Arc<dyn Endpoint>,
        reference: &DocumentRef,
        document: &SourceDocument,
        range: TextRange,
        only: &[String],
        cx: &RequestCx,
    ) -> Result<(EndpointReply, bool), CodeError> {
        let range = document.index.range_to_lsp(range, endpoint.encoding());
        // Servers attach quick fixes to the diagnostics in the range, which the client must send back.
        let report = if fixes_problems(only) { endpoint.diagnostics(reference, cx).await.ok() } else { None };
        let is_current = report.as_ref().is_none_or(|report| report.current);
        let touching: Vec<_> = report
            .into_iter()
            .flat_map(|report| report.items)
            .filter(|item| before_or_at(item.range.start, range.end) && before_or_at(range.start, item.range.end))
            .collect();
        let mut context = json!({ "diagnostics": touching, "triggerKind": 1 });
        if !only.is_empty() {
            context["only"] = json!(only);
        }
        let params = json!({ "textDocument": { "uri": reference.uri() }, "range": range, "context": context });
        let method = "textDocument/codeAction";
        let (result, _) = readable(endpoint.as_ref(), method, endpoint.request(method, params, cx).await?)?;
        Ok((EndpointReply { endpoint: Arc::clone(endpoint), result }, is_current))
    }

    /// Converts one item to an action: resolves it if it has no edit, and runs its command if the endpoint allows that.
    async fn action(&self, endpoint: &Arc<dyn Endpoint>, mut item: Value, cx: &RequestCx) -> Option<CodeAction> {
        let title = clean_line(item.get("title")?.as_str()?);
        let kind = item.get("kind").and_then(Value::as_str).map(clean_line);
        let preferred = item.get("isPreferred").and_then(Value::as_bool).unwrap_or(false);
        let action = |outcome| Some(CodeAction { title: title.clone(), kind: kind.clone(), preferred, outcome });
        if let Some(reason) = item.pointer("/disabled/reason").and_then(Value::as_str) {
            return action(ActionOutcome::Unavailable { reason: clean_line(reason) });
        }
        // `command` is a string in a `Command`, and an object or absent in a `CodeAction`.
        let is_command = item.get("command").is_some_and(Value::is_string);
        let resolves =
            endpoint.capabilities().pointer("/codeActionProvider/resolveProvider") == Some(&Value::Bool(true));
        if !is_command && item.get("edit").is_none() && resolves {
            match endpoint.request("codeAction/resolve", item.clone(), cx).await {
                Ok(resolved) => item = resolved,
                Err(error) => return action(ActionOutcome::Unavailable { reason: error.to_string() }),
            }
        }
        if let Some(edit) = item.get("edit").filter(|edit| edit.is_object()) {
            return action(self.outcome(&title, std::slice::from_ref(edit), endpoint.as_ref()).await);
        }
        let command = if is_command { Some(&item) } else { item.get("command").filter(|command| command.is_object()) };
        match command {
            Some(command) => action(self.run_captured(&title, command, endpoint, cx).await),
            None => {
                action(ActionOutcome::Unavailable { reason: "it carries neither an edit nor a command".to_owned() })
            }
        }
    }

    /// Runs a command that is known to do nothing but send edits, and captures these edits.
    async fn run_captured(
        &self,
        title: &str,
        command: &Value,
        endpoint: &Arc<dyn Endpoint>,
        cx: &RequestCx,
    ) -> ActionOutcome {
        let name = command.get("command").and_then(Value::as_str).unwrap_or_default();
        if !endpoint.allows_command(name) {
            let reason = format!("it runs the command `{}`, which cannot be previewed", clean_line(name));
            return ActionOutcome::Unavailable { reason };
        }
        let capture = EditCapture::default();
        let cx = RequestCx { edits: Some(capture.clone()), ..cx.clone() };
        let params =
            json!({ "command": name, "arguments": command.get("arguments").cloned().unwrap_or_else(|| json!([])) });
        match endpoint.request("workspace/executeCommand", params, &cx).await {
            Ok(_) => self.outcome(title, &capture.take(), endpoint.as_ref()).await,
            Err(error) => ActionOutcome::Unavailable { reason: error.to_string() },
        }
    }

    async fn outcome(&self, title: &str, edits: &[Value], endpoint: &dyn Endpoint) -> ActionOutcome {
        let [edit] = edits else {
            let reason = if edits.is_empty() { "it changes nothing" } else { "it sends its edits in several parts" };
            return ActionOutcome::Unavailable { reason: reason.to_owned() };
        };
        match self.intel.edits.plan(title, edit, endpoint.encoding(), &endpoint.id().0).await {
            Ok(plan) => ActionOutcome::Plan(Box::new(plan)),
            Err(error) => ActionOutcome::Unavailable { reason: error.to_string() },
        }
    }

    /// Converts an LSP range (0-based, UTF-16) to a byte range; returns the whole document for `None`.
    pub async fn text_range(&self, path: &Utf8Path, range: Option<&lsp::Range>) -> Result<TextRange, CodeError> {
        let document = self.document(path).await?;
        Ok(match range {
            Some(range) => document.index.range_from_lsp(range, Encoding::Utf16),
            None => TextRange::up_to(document.index.len()),
        })
    }
}

/// Whether actions of these kinds may depend on diagnostics. An empty list means all kinds.
fn fixes_problems(only: &[String]) -> bool {
    let is_within =
        |kind: &str, above: &str| kind.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    only.is_empty()
        || only.iter().any(|kind| !["refactor", "source.organizeImports"].iter().any(|above| is_within(kind, above)))
}

fn before_or_at(a: lsp::Position, b: lsp::Position) -> bool {
    (a.line, a.character) <= (b.line, b.character)
}
