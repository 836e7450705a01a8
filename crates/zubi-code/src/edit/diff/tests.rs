//! Tests of `diff`.

use std::sync::Arc;

use camino::Utf8PathBuf;

use super::*;

fn workspace() -> (tempfile::TempDir, WorkspaceFolders) {
    let guard = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(guard.path()).unwrap().to_owned();
    let workspace = WorkspaceFolders::open(&[root]).unwrap();
    (guard, workspace)
}

/// A file as `(path, from, action, before, after)`.
type Row<'a> = (&'a str, Option<&'a str>, FileAction, Option<&'a str>, Option<&'a str>);

fn change(workspace: &WorkspaceFolders, files: &[Row<'_>]) -> ComputedChange {
    let absolute = |path: &str| -> Utf8PathBuf { workspace.root().join(path) };
    let files = files.iter().map(|(path, from, action, before, after)| FileChange {
        path: absolute(path),
        old_path: from.map(absolute),
        action: *action,
        edits: 1,
        before: before.map(Arc::from),
        after: after.map(Arc::from),
    });
    ComputedChange { files: files.collect(), ..ComputedChange::default() }
}

#[test]
fn every_kind_of_file() {
    let (_guard, workspace) = workspace();
    let change = change(
        &workspace,
        &[
            ("a.txt", None, FileAction::Edit, Some("one\r\ntwo\r\nthree"), Some("one\r\n2\r\nthree")),
            ("bin", None, FileAction::Delete, None, None),
            ("d", Some("old d"), FileAction::RenameDirectory, None, None),
            ("gone.txt", None, FileAction::Delete, Some("x\n"), None),
            ("new.txt", None, FileAction::Create, None, Some("é\n")),
            ("old", None, FileAction::DeleteDirectory, None, None),
            ("to.txt", Some("from.txt"), FileAction::Rename, None, None),
        ],
    );
    insta::assert_snapshot!(unified_diff(&change, &workspace, MAX_DIFF_BYTES), @r"
    diff --git a/a.txt b/a.txt
    --- a/a.txt
    +++ b/a.txt
    @@ -1,3 +1,3 @@
     one
    -two
    +2
     three
    \ No newline at end of file
    diff --git a/bin b/bin
    deleted file
    Binary file or link, content not shown
    diff --git a/old d b/d
    rename from old d
    rename to d
    diff --git a/gone.txt b/gone.txt
    deleted file
    --- a/gone.txt
    +++ /dev/null
    @@ -1 +0,0 @@
    -x
    diff --git a/new.txt b/new.txt
    new file
    --- /dev/null
    +++ b/new.txt
    @@ -0,0 +1 @@
    +é
    diff --git a/old b/old
    deleted directory
    diff --git a/from.txt b/to.txt
    rename from from.txt
    rename to to.txt
    ");
}

#[test]
fn a_long_diff_is_truncated_at_a_line_with_a_note() {
    let (_guard, workspace) = workspace();
    let long = "new line\n".repeat(100);
    let files: Vec<_> =
        ["a", "b", "c"].map(|path| (path, None, FileAction::Create, None, Some(long.as_str()))).to_vec();
    let change = change(&workspace, &files);
    let diff = unified_diff(&change, &workspace, 1500);
    assert!(diff.len() < 1600);
    let last = diff.lines().last().unwrap();
    assert_eq!(last, "[diff cut: 64 more lines of b and 1 more file]");
    assert_eq!(unified_diff(&change, &workspace, usize::MAX).lines().count(), 3 * 105);
}
