//! Common part of the refactoring tools: their defaults and files, and how they apply a plan at once.

use camino::Utf8PathBuf;
use zubi_base::text::{EditOptions, Save};
use zubi_code::apply::Direction;
use zubi_code::edit::{AppliedChange, Plan};
use zubi_code::{AnswerStatus, CodeError, CodeIntel, CodeQuery};
use zubi_tool_api::{Effect, Exposure};

use crate::adapter::ToolMeta;
use crate::lsp::apply_edit::{AppliedVerb, render_applied};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer};
use crate::lsp::view::OutputBudget;

/// Defaults of the refactoring tools.
pub(super) const REFACTOR_TOOL: ToolMeta =
    ToolMeta { effect: Effect::Write, exposure: Exposure::Deferred, toolset: "refactor", ..CODE_TOOL };

/// Returns the file of the argument `uri` for the footprint. Ignores an invalid name, because the call reports it.
pub(super) fn files_in_uri(intel: &CodeIntel, uri: &str) -> Vec<Utf8PathBuf> {
    intel.workspace().resolve(uri).into_iter().collect()
}

/// Resolves the file of the argument `uri`.
pub(super) fn resolve_file(query: &CodeQuery<'_>, uri: &str) -> Result<Utf8PathBuf, CodeError> {
    let path = query.workspace().resolve(uri);
    path.map_err(|error| CodeError::input("uri", error.to_string(), "Name a file of the workspace."))
}

/// Computes the notes about an applied plan.
type Notes<'a> = dyn Fn(&AppliedChange) -> Vec<String> + Sync + 'a;

/// How a plan is applied, and the additions to its answer.
#[derive(Default)]
pub(super) struct ApplyRequest<'a> {
    /// The argument `save`, if given.
    pub(super) save: Option<bool>,
    /// Further edit options; `apply` sets which files are saved.
    pub(super) options: EditOptions,
    /// Text placed before the answer.
    pub(super) preamble: String,
    pub(super) notes: Option<&'a Notes<'a>>,
}

/// Applies a plan at once.
pub(super) async fn apply(
    query: &CodeQuery<'_>,
    view: &OutputBudget,
    plan: &Plan,
    status: AnswerStatus,
    request: ApplyRequest<'_>,
) -> Result<CodeAnswer, CodeError> {
    let save = if request.save == Some(true) { Save::All } else { Save::Unopened };
    let changed = query.change(&plan.id, Direction::Apply(EditOptions { save, ..request.options })).await?;
    let change_notes = request.notes.map(|notes| notes(&changed.value.applied)).unwrap_or_default();
    let mut notes = [plan.notes.as_slice(), &change_notes].concat();
    if request.save == Some(false) && changed.value.applied.unsaved.is_empty() {
        notes.push("the files on disk were changed, so they are saved although save is false".to_owned());
    }
    let mut reply = render_applied(view, &plan.id, AppliedVerb::Applied, &notes, changed);
    reply.text.insert_str(0, &request.preamble);
    reply.status.merge(status);
    Ok(reply)
}
