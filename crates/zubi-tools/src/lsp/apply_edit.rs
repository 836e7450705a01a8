//! `apply_edit`: applies a plan or a code action.

use std::fmt::Write as _;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::text::{EditOptions, pluralize};
use zubi_code::apply::{AppliedEdit, Direction};
use zubi_code::diagnostics::Severity;
use zubi_code::{CodeError, CodeIntel, CodeQuery, QualifiedAnswer};
use zubi_tool_api::Effect;
use zubi_tool_api::spec::EDIT_TOOLSET;

use crate::adapter::ToolMeta;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::diagnostics::{delta_counts, delta_lists, items};
use crate::lsp::view::OutputBudget;

pub(crate) struct ApplyEdit;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// p-… of a plan
    plan: Option<String>,
    /// a-… of a code action
    action: Option<String>,
}

#[async_trait]
impl CodeTool for ApplyEdit {
    const META: ToolMeta = ToolMeta {
        id: "apply_edit",
        title: "Apply a plan",
        description: "Writes a plan, all or nothing; returns new and fixed diagnostics.",
        effect: Effect::Write,
        toolset: EDIT_TOOLSET,
        tags: &["apply a plan", "write a plan", "edit"],
        listed: &["maxTokens"],
        example: || ("Apply a rename", json!({ "plan": "p-k3m7q2x9ab" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "apply the edit";
    type Input = Input;

    fn writes(intel: &CodeIntel, input: &Input) -> Vec<Utf8PathBuf> {
        let plan = input.plan.as_deref().or(input.action.as_deref());
        // The call itself reports an unknown plan.
        plan.and_then(|plan| intel.edits().files_of(plan).ok()).unwrap_or_default()
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let ((Some(plan), None) | (None, Some(plan))) = (input.plan, input.action) else {
            return Err(CodeError::input(
                "plan",
                "pass exactly one of `plan` and `action`",
                "Plans come from the tools that plan a change, such as edit_symbol and lsp_rename_symbol, actions from lsp_code_actions.",
            ));
        };
        let changed = query.change(&plan, Direction::Apply(EditOptions::default())).await?;
        Ok(render_applied(view, &plan, AppliedVerb::Applied, &[], changed))
    }
}

/// Direction of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppliedVerb {
    Applied,
    Undone,
}

/// The hint how to see the diagnostics that are only counted.
const MILDER_HINT: &str = "`lsp_diagnostics` with severity=hint";

/// The share of an answer that the list of changed files may have, in percent.
const FILES_PERCENT: usize = 40;

/// Renders a change in either direction: the change and how to undo it, notes, the files, the counts of diagnostics, and
/// the diagnostics. The budget cuts only the lists. `notes` precede those of the change.
pub(crate) fn render_applied(
    view: &OutputBudget,
    plan: &str,
    direction: AppliedVerb,
    notes: &[String],
    changed: QualifiedAnswer<AppliedEdit>,
) -> CodeAnswer {
    let applied = &changed.value.applied;
    let verb = match direction {
        AppliedVerb::Applied => "applied",
        AppliedVerb::Undone => "undone",
    };
    // Writing to a `String` cannot fail.
    let mut text = format!("{verb} {plan}: {} in {}\n", applied.title, pluralize(applied.files.len(), "file"));
    if direction == AppliedVerb::Applied {
        let _ = writeln!(text, "undo_edit {{\"plan\":\"{plan}\"}} undoes it");
    }
    for note in notes.iter().chain(&applied.notes) {
        let _ = writeln!(text, "note: {note}");
    }
    let mut files = String::new();
    for file in &applied.files {
        let _ = writeln!(files, "  {}  {}", file.display_path, file.done);
    }
    let (files, cut_files) = view.part(FILES_PERCENT).block(&files);
    text.push_str(&files);
    let mut truncated = cut_files;
    if let Some(delta) = &changed.value.delta {
        text.push_str(&delta_counts(delta));
        let (problems, cut_problems) =
            view.subtract_part(files.len()).block(&delta_lists(delta, Severity::Warning, MILDER_HINT));
        text.push_str(&problems);
        truncated = cut_problems.or(truncated);
    }
    let data = view.data(|| {
        let delta = changed.value.delta.as_ref();
        let delta = delta.map(|delta| json!({ "new": items(&delta.new), "fixed": items(&delta.fixed) }));
        let files: Vec<_> =
            applied.files.iter().map(|file| json!({ "path": file.display_path, "done": file.done })).collect();
        json!({ "plan": plan, "files": files, "unsaved": applied.unsaved, "problems": delta })
    });
    CodeAnswer { text, data, status: changed.status, truncated }
}
