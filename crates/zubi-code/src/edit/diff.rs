//! A change as a unified diff in git's form.

use std::fmt::Write as _;
use std::time::Duration;

use camino::Utf8Path;
use similar::{Algorithm, TextDiff};
use zubi_base::text::pluralize;
use zubi_base::workspace::WorkspaceFolders;

use super::change::{ComputedChange, FileAction, FileChange};

/// The maximum number of bytes in a plan's diff: about 15,000 tokens, more than any agent reads completely.
pub const MAX_DIFF_BYTES: usize = 60_000;
/// The time limit for one file, after which `similar` returns a longer but correct diff.
const MAX_COMPARE: Duration = Duration::from_millis(500);

/// Returns the diff of a change with display paths. Cuts it at the end of a line if it has more than `limit` bytes; the
/// last line then says what is missing.
pub fn unified_diff(change: &ComputedChange, workspace: &WorkspaceFolders, limit: usize) -> String {
    let mut diff = String::new();
    for (index, file) in change.files.iter().enumerate() {
        let file_text = file_diff(file, workspace);
        if diff.len() + file_text.len() <= limit {
            diff.push_str(&file_text);
            continue;
        }
        let mut lines = file_text.split_inclusive('\n').peekable();
        while let Some(line) = lines.next_if(|line| diff.len() + line.len() <= limit) {
            diff.push_str(line);
        }
        let (lines, files) = (lines.count(), change.files.len() - index - 1);
        let more = if files > 0 { format!(" and {}", pluralize(files, "more file")) } else { String::new() };
        let _ = writeln!(diff, "[diff cut: {lines} more lines of {}{more}]", workspace.display(&file.path));
        break;
    }
    diff
}

/// Returns the diff of one file's text, without a length limit; `before` is `None` for a new file. `path` is absolute.
pub fn text_diff(path: &Utf8Path, before: Option<&str>, after: &str, workspace: &WorkspaceFolders) -> String {
    unified_diff(&change_of(path, before, after), workspace, usize::MAX)
}

fn change_of(path: &Utf8Path, before: Option<&str>, after: &str) -> ComputedChange {
    let file = FileChange {
        path: path.to_owned(),
        old_path: None,
        action: if before.is_some() { FileAction::Edit } else { FileAction::Create },
        edits: 1,
        before: before.map(Into::into),
        after: Some(after.into()),
    };
    ComputedChange { files: vec![file], ..ComputedChange::default() }
}

fn file_diff(file: &FileChange, workspace: &WorkspaceFolders) -> String {
    let new = workspace.display(&file.path);
    let old = file.old_path.as_ref().map_or_else(|| new.clone(), |from| workspace.display(from));
    // Writing to a `String` cannot fail.
    let mut diff = format!("diff --git a/{old} b/{new}\n");
    let (before, after) = (file.before.as_deref(), file.after.as_deref());
    match file.action {
        FileAction::Create => diff.push_str("new file\n"),
        FileAction::Delete => diff.push_str("deleted file\n"),
        FileAction::DeleteDirectory => diff.push_str("deleted directory\n"),
        FileAction::Rename | FileAction::RenameDirectory => {
            let _ = write!(diff, "rename from {old}\nrename to {new}\n");
        }
        FileAction::Edit => {}
    }
    let (old, new) = match (before, after) {
        (None, None) => {
            if file.action == FileAction::Delete {
                diff.push_str("Binary file or link, content not shown\n");
            }
            return diff;
        }
        (None, Some(_)) => ("/dev/null".to_owned(), format!("b/{new}")),
        (Some(_), None) => (format!("a/{old}"), "/dev/null".to_owned()),
        (Some(_), Some(_)) => (format!("a/{old}"), format!("b/{new}")),
    };
    let hunks = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .timeout(MAX_COMPARE)
        .diff_lines(before.unwrap_or_default(), after.unwrap_or_default())
        .unified_diff()
        .context_radius(3)
        .header(&old, &new)
        .to_string();
    // A carriage return would move a terminal's cursor, and an agent does not see it.
    diff.push_str(&hunks.replace("\r\n", "\n"));
    diff
}

#[cfg(test)]
mod tests;
