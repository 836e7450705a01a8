//! Answer of the tools that plan a change.

use std::fmt::Write as _;

use serde_json::json;
use zubi_base::text::pluralize;
use zubi_code::AnswerStatus;
use zubi_code::edit::Plan;

use crate::lsp::code_tool::CodeAnswer;
use crate::lsp::view::OutputBudget;

/// Answer of a tool that plans a change: id, counts, diff.
pub(crate) fn plan_answer(view: &OutputBudget, header: Option<&str>, plan: &Plan, status: AnswerStatus) -> CodeAnswer {
    let mut text = header.map(|header| format!("{header}\n")).unwrap_or_default();
    // Writing to a `String` cannot fail.
    let _ = writeln!(
        text,
        "plan {}: {}, {} in {}; nothing is written yet",
        plan.id,
        plan.title,
        pluralize(plan.edit_count, "edit"),
        pluralize(plan.files.len(), "file")
    );
    for note in &plan.notes {
        let _ = writeln!(text, "note: {note}");
    }
    let (diff, truncated) = view.block(&plan.diff);
    text.push_str(&diff);
    let _ = writeln!(text, "apply_edit {{\"plan\":\"{}\"}} writes it", plan.id);
    let data = view.data(|| {
        let files: Vec<_> = plan.files.iter().map(|file| json!({ "path": file.path, "edits": file.edits })).collect();
        json!({ "plan": plan.id, "title": plan.title, "items": files, "total": plan.edit_count, "diff": plan.diff })
    });
    CodeAnswer { text, data, status, truncated }
}
