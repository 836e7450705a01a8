//! Refactorings that apply at once and can be undone, for agents that do not need to review a plan first.
//!
//! Each file here is one tool; [`provider`] is the table. Each computes the same plan as its counterpart in
//! [`crate::lsp`] and applies it the way `apply_edit` does, so the answer lists the files, the new and the resolved
//! diagnostics, and how to undo. `find_tools` finds them: a session that lists the planning tools needs no second form
//! of them.

mod organize_imports;
mod rename_file;
mod rename_symbol;

use std::fmt::Write as _;
use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::text::{EditOptions, Save};
use zubi_code::apply::Direction;
use zubi_code::edit::{AppliedChange, Plan};
use zubi_code::{AnswerStatus, CodeError, CodeIntel, CodeQuery};
use zubi_tool_api::{Effect, Exposure, ToolProvider, static_provider};

use crate::adapter::ToolMeta;
use crate::lsp::apply_edit::{AppliedVerb, render_applied};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, tool};
use crate::lsp::view::OutputBudget;

/// Defaults of the refactoring tools.
const REFACTOR_TOOL: ToolMeta =
    ToolMeta { effect: Effect::Write, exposure: Exposure::Deferred, toolset: "refactor", ..CODE_TOOL };

/// Creates the provider of all refactoring tools, in list order.
pub fn provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let tools = vec![
        tool::<rename_file::RenameFile>(intel),
        tool::<rename_symbol::RenameSymbol>(intel),
        tool::<organize_imports::OrganizeImports>(intel),
    ];
    static_provider("refactor", "Refactoring", tools)
}

/// Returns the file of the argument `uri` for the footprint. An invalid name is ignored here; the call reports it.
fn files_in_uri(intel: &CodeIntel, uri: &str) -> Vec<Utf8PathBuf> {
    intel.workspace().resolve(uri).into_iter().collect()
}

/// Resolves the file of the argument `uri`.
fn resolve_file(query: &CodeQuery<'_>, uri: &str) -> Result<Utf8PathBuf, CodeError> {
    let path = query.workspace().resolve(uri);
    path.map_err(|error| CodeError::input("uri", error.to_string(), "Name a file of the workspace."))
}

/// Computes the notes about an applied plan.
type Notes<'a> = dyn Fn(&AppliedChange) -> Vec<String> + Sync + 'a;

/// How a plan is applied, and the additions to its answer.
#[derive(Default)]
struct ApplyRequest<'a> {
    /// The argument `save`, if given.
    save: Option<bool>,
    /// Further edit options; `apply` sets which files are saved.
    options: EditOptions,
    /// Text placed before the answer.
    preamble: String,
    notes: Option<&'a Notes<'a>>,
}

/// Applies a plan at once.
async fn apply(
    query: &CodeQuery<'_>,
    view: &OutputBudget,
    plan: &Plan,
    status: AnswerStatus,
    request: ApplyRequest<'_>,
) -> Result<CodeAnswer, CodeError> {
    let save = if request.save == Some(true) { Save::All } else { Save::Unopened };
    let changed = query.change(&plan.id, Direction::Apply(EditOptions { save, ..request.options })).await?;
    let mut text = request.preamble;
    let change_notes = request.notes.map(|notes| notes(&changed.value.applied)).unwrap_or_default();
    // Writing to a `String` cannot fail.
    for note in plan.notes.iter().chain(&change_notes) {
        let _ = writeln!(text, "note: {note}");
    }
    if request.save == Some(false) && changed.value.applied.unsaved.is_empty() {
        text.push_str("note: the files on disk were changed, so they are saved although save is false\n");
    }
    let mut reply = render_applied(view, &plan.id, AppliedVerb::Applied, changed);
    text.push_str(&reply.text);
    reply.text = text;
    reply.status.merge(status);
    Ok(reply)
}
