//! Refactorings that are made at once and can be undone: the moves an agent makes without wanting to see a plan.
//!
//! Each file here is one tool; [`provider`] is the table. They do what the planning tools of [`crate::lsp`] do, and then
//! apply it the same way (`apply_edit`), so that the answer has the files, the problems that came and went, and the way
//! back. They are found through `find_tools`: whoever has the planning tools in his list needs no second form of them.

mod organize_imports;
mod rename_file;
mod rename_symbol;

use std::fmt::Write as _;
use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::text::{EditOptions, Save};
use zubi_code::apply::Direction;
use zubi_code::edit::{AppliedChange, Plan};
use zubi_code::{AnswerStatus, CodeError, CodeIntel, Question};
use zubi_tools::{ToolProvider, static_provider};

use crate::lsp::apply_edit::{AppliedVerb, render_applied};
use crate::lsp::code_tool::{CodeAnswer, tool};
use crate::lsp::view::OutputBudget;

/// All refactoring tools, in the order in which they are listed.
pub fn provider(intel: &Arc<CodeIntel>) -> Arc<dyn ToolProvider> {
    let tools = vec![
        tool::<rename_file::RenameFile>(intel),
        tool::<rename_symbol::RenameSymbol>(intel),
        tool::<organize_imports::OrganizeImports>(intel),
    ];
    static_provider("refactor", "Refactoring", tools)
}

/// The file that a call names, for its footprint; what is wrong with the name is told when it is called.
fn files_in_uri(intel: &CodeIntel, uri: &str) -> Vec<Utf8PathBuf> {
    intel.workspace().resolve(uri).into_iter().collect()
}

/// The file that the argument `uri` names.
fn file(question: &Question<'_>, uri: &str) -> Result<Utf8PathBuf, CodeError> {
    let path = question.workspace().resolve(uri);
    path.map_err(|error| CodeError::input("uri", error.to_string(), "Name a file of the workspace."))
}

/// Notes about what was done.
type Notes<'a> = dyn Fn(&AppliedChange) -> Vec<String> + Sync + 'a;

/// How a plan is applied, and what stands in the answer besides.
#[derive(Default)]
struct How<'a> {
    /// What the caller said of saving.
    save: Option<bool>,
    /// What else there is to the manner; what is saved is decided here.
    manner: EditOptions,
    /// What stands before the answer.
    lines: String,
    notes: Option<&'a Notes<'a>>,
}

/// Applies a plan at once.
async fn apply(
    question: &Question<'_>,
    view: &OutputBudget,
    plan: &Plan,
    status: AnswerStatus,
    how: How<'_>,
) -> Result<CodeAnswer, CodeError> {
    let save = if how.save == Some(true) { Save::All } else { Save::Unopened };
    let changed = question.change(&plan.id, Direction::Apply(EditOptions { save, ..how.manner })).await?;
    let mut text = how.lines;
    let of_change = how.notes.map(|notes| notes(&changed.value.applied)).unwrap_or_default();
    // Writing to a `String` cannot fail.
    for note in plan.notes.iter().chain(&of_change) {
        let _ = writeln!(text, "note: {note}");
    }
    if how.save == Some(false) && changed.value.applied.unsaved.is_empty() {
        text.push_str("note: the files on disk were changed, so they are saved although save is false\n");
    }
    let mut reply = render_applied(view, &plan.id, AppliedVerb::Applied, changed);
    text.push_str(&reply.text);
    reply.text = text;
    reply.status.merge(status);
    Ok(reply)
}
