//! Answer of the tools that plan a change.

use std::fmt::Write as _;

use serde_json::json;
use zubi_base::text::{list_first, pluralize};
use zubi_code::AnswerStatus;
use zubi_code::edit::{Plan, PlannedFile};

use crate::lsp::code_tool::CodeAnswer;
use crate::lsp::view::{OutputBudget, omit_diff};

/// The minimum number of bytes for a part of a diff; a shorter one shows less than the names of the files.
const MIN_DIFF: usize = 600;

/// Answer of a tool that plans a change: id, counts, diff. If the diff of several files does not fit, their names precede
/// it.
pub(crate) fn plan_answer(view: &OutputBudget, header: Option<&str>, plan: &Plan, status: AnswerStatus) -> CodeAnswer {
    let mut text = header.map(|header| format!("{header}\n")).unwrap_or_default();
    text.push_str(&plan_header(plan));
    for note in &plan.notes {
        let _ = writeln!(text, "note: {note}");
    }
    let mut rest = view.subtract_part(text.len());
    if plan.files.len() > 1 && !rest.admits(&plan.diff) {
        let files = list_files(&plan.files, rest.body());
        rest = rest.subtract_part(files.len());
        text.push_str(&files);
    }
    let (diff, truncated) = if rest.admits(&plan.diff) || plan.files.len() == 1 || rest.body() >= MIN_DIFF {
        rest.block(&plan.diff)
    } else {
        omit_diff(&plan.diff)
    };
    text.push_str(&diff);
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "apply_edit {{\"plan\":\"{}\"}} writes it", plan.id);
    let data = view.data(|| {
        let files: Vec<_> = plan.files.iter().map(|file| json!({ "path": file.path, "edits": file.edits })).collect();
        json!({ "plan": plan.id, "title": plan.title, "items": files, "total": plan.edit_count, "diff": plan.diff })
    });
    CodeAnswer { text, data, status, truncated }
}

/// Returns the line about a plan: its id, its title and its counts.
pub(crate) fn plan_header(plan: &Plan) -> String {
    let (edits, files) = (pluralize(plan.edit_count, "edit"), pluralize(plan.files.len(), "file"));
    format!("plan {}: {}, {edits} in {files}; nothing is written yet\n", plan.id, plan.title)
}

/// Lists the files with their numbers of edits, one line for each folder: `rich/: align.py 9, text.py 2`.
fn list_files(files: &[PlannedFile], budget: usize) -> String {
    let folder_of = |file: &PlannedFile| {
        file.path.rfind('/').map_or("", |end| file.path.get(..=end).unwrap_or_default()).to_owned()
    };
    let mut text = String::new();
    for folder in files.chunk_by(|one, next| folder_of(one) == folder_of(next)) {
        let Some(first) = folder.first() else { continue };
        let prefix = folder_of(first);
        let names = folder.iter().map(|file| {
            let name = file.path.strip_prefix(prefix.as_str()).unwrap_or(&file.path);
            if file.edits > 0 { format!("{name} {}", file.edits) } else { name.to_owned() }
        });
        let names: Vec<_> = names.collect();
        let label = if prefix.is_empty() { String::new() } else { format!("{prefix}: ") };
        let mut shown = 0;
        let mut bytes = text.len() + label.len();
        for name in &names {
            bytes += name.len() + 2;
            if bytes > budget && shown > 0 {
                break;
            }
            shown += 1;
        }
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{label}{}", list_first(names, shown));
        if text.len() > budget {
            break;
        }
    }
    text
}
