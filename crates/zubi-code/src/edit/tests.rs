//! Tests of plans that are applied and undone on a real tree.

mod crash;
mod editor;
mod editor_or_disk;
mod properties;
mod recovery;
pub(super) mod tree;

use zubi_base::clock::FixedClock;

use self::tree::Tree;
use super::*;

/// Plans and applies an edit, checks the resulting tree (`path: content` lines), undoes it, and checks that every byte,
/// mode and link is as before.
#[track_caller]
fn check(tree: &Tree, edit: &serde_json::Value, expected: &str) {
    let before = tree.state();
    tree.run(async {
        let edits = tree.edits();
        let plan = edits.plan("test", edit, Encoding::Utf16, "server").await.unwrap();
        assert_eq!(tree.state(), before, "planning writes nothing");
        edits.apply(&plan.id).await.unwrap();
        assert_eq!(tree.show(), expected);
        edits.undo(&plan.id).await.unwrap();
        assert_eq!(tree.state(), before, "undo restores everything");
        // An undone change can be applied again.
        edits.apply(&plan.id).await.unwrap();
        assert_eq!(tree.show(), expected);
        edits.undo(&plan.id).await.unwrap();
        assert_eq!(tree.state(), before);
    });
}

fn insert(uri: &str, line: u32, text: &str) -> serde_json::Value {
    let position = serde_json::json!({"line": line, "character": 0});
    serde_json::json!({
        "textDocument": {"uri": uri, "version": null},
        "edits": [{"range": {"start": position, "end": position}, "newText": text}],
    })
}

fn changes(changes: &[serde_json::Value]) -> serde_json::Value {
    serde_json::json!({ "documentChanges": changes })
}

#[test]
fn bom_crlf_and_missing_final_newline_are_preserved() {
    let tree = Tree::new(&[("a.txt", "\u{feff}one\r\ntwo")]);
    check(&tree, &changes(&[insert(&tree.uri("a.txt"), 1, "x\n")]), "a.txt: \"\\u{feff}one\\r\\nx\\r\\ntwo\"\n");
}

#[cfg(unix)]
#[test]
fn executable_bit_and_symbolic_link() {
    let tree = Tree::new(&[("run.sh", "echo\n")]);
    tree.set_mode("run.sh", 0o755);
    tree.link("run.sh", "link");
    let expected = "link -> run.sh\nrun.sh 755: \"x\\necho\\n\"\n";
    check(&tree, &changes(&[insert(&tree.uri("link"), 0, "x\n")]), expected);
    // The link and the file are one text: the same replacement by both names is made once.
    let replace = |name: &str| {
        let (start, end) =
            (serde_json::json!({"line": 0, "character": 0}), serde_json::json!({"line": 0, "character": 4}));
        serde_json::json!({
            "textDocument": {"uri": tree.uri(name), "version": null},
            "edits": [{"range": {"start": start, "end": end}, "newText": "exit"}],
        })
    };
    check(&tree, &changes(&[replace("link"), replace("run.sh")]), "link -> run.sh\nrun.sh 755: \"exit\\n\"\n");
}

#[cfg(unix)]
#[test]
fn undo_restores_removed_files_with_mode_and_link() {
    let tree = Tree::new(&[("d/run.sh", "echo"), ("d/e/b", "b"), ("keep", "k")]);
    tree.set_mode("d/run.sh", 0o750);
    tree.set_mode("d/e", 0o700);
    tree.link("../keep", "d/link");
    zubi_base::fs::write_atomic(&tree.root.join("d/binary"), b"\xff\0\xfe").unwrap();
    std::fs::create_dir(tree.root.join("d/empty")).unwrap();
    let delete = serde_json::json!({"kind": "delete", "uri": tree.uri("d"), "options": {"recursive": true}});
    check(&tree, &changes(&[delete]), "keep: \"k\"\n");
    let delete = serde_json::json!({"kind": "delete", "uri": tree.uri("d/link")});
    check(
        &tree,
        &changes(&[delete]),
        "d/\nd/binary: not text\nd/e/ 700\nd/e/b: \"b\"\nd/empty/\nd/run.sh 750: \"echo\"\nkeep: \"k\"\n",
    );
}

#[test]
fn created_files_and_their_directories() {
    let tree = Tree::new(&[("a", "a\n")]);
    let create = serde_json::json!({"kind": "create", "uri": tree.uri("new/deep/b")});
    let expected = "a: \"a\\n\"\nnew/\nnew/deep/\nnew/deep/b: \"hello\\n\"\n";
    check(&tree, &changes(&[create, insert(&tree.uri("new/deep/b"), 0, "hello\n")]), expected);
}

#[test]
fn renames_and_later_edits() {
    let tree = Tree::new(&[("a", "a\n"), ("b", "b\n"), ("d/x", "x\n"), ("d/y", "y\n")]);
    let rename =
        |old: &str, new: &str| serde_json::json!({"kind": "rename", "oldUri": tree.uri(old), "newUri": tree.uri(new)});
    // Edited, renamed, edited again: the second edit refers to the text after the first.
    let edits = [insert(&tree.uri("a"), 0, "1\n"), rename("a", "n/c"), insert(&tree.uri("n/c"), 1, "2\n")];
    let expected = "b: \"b\\n\"\nd/\nd/x: \"x\\n\"\nd/y: \"y\\n\"\nn/\nn/c: \"1\\n2\\na\\n\"\n";
    check(&tree, &changes(&edits), expected);
    // Two files swap their paths.
    let swap = [rename("a", "t"), rename("b", "a"), rename("t", "b"), insert(&tree.uri("a"), 0, "was b\n")];
    check(&tree, &changes(&swap), "a: \"was b\\nb\\n\"\nb: \"a\\n\"\nd/\nd/x: \"x\\n\"\nd/y: \"y\\n\"\n");
    // A directory moves with all its contents.
    let directory = [rename("d", "e/f"), insert(&tree.uri("e/f/x"), 0, "1\n"), rename("e/f/y", "z")];
    check(&tree, &changes(&directory), "a: \"a\\n\"\nb: \"b\\n\"\ne/\ne/f/\ne/f/x: \"1\\nx\\n\"\nz: \"y\\n\"\n");
    // A file replaces another.
    let over = serde_json::json!({
        "kind": "rename", "oldUri": tree.uri("a"), "newUri": tree.uri("b"), "options": {"overwrite": true},
    });
    check(&tree, &changes(&[over]), "b: \"a\\n\"\nd/\nd/x: \"x\\n\"\nd/y: \"y\\n\"\n");
    // Renamed inside a directory that the edit creates.
    let twice = [rename("a", "n/a"), rename("n/a", "n/b")];
    check(&tree, &changes(&twice), "b: \"b\\n\"\nd/\nd/x: \"x\\n\"\nd/y: \"y\\n\"\nn/\nn/b: \"a\\n\"\n");
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_not_changed() {
    let tree = Tree::new(&[("a", "a\n"), ("b", "b\n")]);
    tree.set_mode("b", 0o444);
    let before = tree.state();
    let edit = changes(&[insert(&tree.uri("a"), 0, "1\n"), insert(&tree.uri("b"), 0, "1\n")]);
    tree.run(async {
        let edits = tree.edits();
        let plan = edits.plan("test", &edit, Encoding::Utf16, "server").await.unwrap();
        let error = edits.apply(&plan.id).await.unwrap_err();
        assert_eq!(error.to_string(), "`b` is read-only (nothing was written)");
        assert_eq!(tree.state(), before);
        tree.set_mode("b", 0o644);
        edits.apply(&plan.id).await.unwrap();
        tree.set_mode("b", 0o444);
        assert!(edits.undo(&plan.id).await.is_err());
    });
}

#[test]
fn a_file_that_changed_stops_apply_and_undo() {
    let tree = Tree::new(&[("a", "a\n"), ("b", "b\n")]);
    let edit = changes(&[insert(&tree.uri("a"), 0, "1\n"), insert(&tree.uri("b"), 0, "1\n")]);
    tree.run(async {
        let edits = tree.edits();
        let plan = edits.plan("test", &edit, Encoding::Utf16, "server").await.unwrap();
        tree.write("b", "other\n");
        let error = edits.apply(&plan.id).await.unwrap_err();
        assert_eq!(error.to_string(), "`b` changed since the plan was made; nothing was written");
        assert_eq!(tree.show(), "a: \"a\\n\"\nb: \"other\\n\"\n");
        tree.write("b", "b\n");
        edits.apply(&plan.id).await.unwrap();
        let twice = edits.apply(&plan.id).await.unwrap_err();
        assert!(matches!(twice, EditError::AlreadyApplied { .. }));
        tree.write("a", "1\na\nmore\n");
        let error = edits.undo(&plan.id).await.unwrap_err();
        assert_eq!(error.to_string(), format!("`a` changed since `{}` was applied; nothing was undone", plan.id));
        assert_eq!(tree.show(), "a: \"1\\na\\nmore\\n\"\nb: \"1\\nb\\n\"\n");
        tree.write("a", "1\na\n");
        edits.undo(&plan.id).await.unwrap();
        let twice = edits.undo(&plan.id).await.unwrap_err();
        assert!(matches!(twice, EditError::NotApplied { .. }));
        assert_eq!(tree.show(), "a: \"a\\n\"\nb: \"b\\n\"\n");
    });
}

#[test]
fn undo_refuses_when_the_path_is_occupied() {
    let tree = Tree::new(&[("a", "a\n")]);
    let create = serde_json::json!({"kind": "create", "uri": tree.uri("new/b")});
    let rename = serde_json::json!({"kind": "rename", "oldUri": tree.uri("a"), "newUri": tree.uri("c")});
    let edit = changes(&[create, rename]);
    tree.run(async {
        let edits = tree.edits();
        let plan = edits.plan("test", &edit, Encoding::Utf16, "server").await.unwrap();
        edits.apply(&plan.id).await.unwrap();
        let applied = tree.state();
        for (path, named) in [("a", "a"), ("new/other", "new")] {
            tree.write(path, "mine");
            let edited_state = tree.state();
            let error = edits.undo(&plan.id).await.unwrap_err();
            let expected = format!("`{named}` changed since `{}` was applied; nothing was undone", plan.id);
            assert_eq!(error.to_string(), expected);
            assert_eq!(tree.state(), edited_state);
            std::fs::remove_file(tree.root.join(path)).unwrap();
        }
        assert_eq!(tree.state(), applied);
        edits.undo(&plan.id).await.unwrap();
        assert_eq!(tree.show(), "a: \"a\\n\"\n");
    });
}

#[cfg(unix)]
#[test]
fn edits_do_not_follow_a_directory_replaced_by_a_link() {
    let tree = Tree::new(&[("d/a", "a\n")]);
    let edit = changes(&[insert(&tree.uri("d/a"), 0, "1\n")]);
    tree.run(async {
        let edits = tree.edits();
        let plan = edits.plan("test", &edit, Encoding::Utf16, "server").await.unwrap();
        let outside = tree.root.parent().unwrap().join("outside");
        std::fs::rename(tree.root.join("d"), &outside).unwrap();
        tree.link("../outside", "d");
        let error = edits.apply(&plan.id).await.unwrap_err();
        assert!(matches!(error, EditError::Changed { .. }), "{error}");
        assert_eq!(zubi_base::fs::read_bytes(&outside.join("a")).unwrap(), b"a\n");
    });
}

#[test]
fn plans_and_applied_changes_list_their_files() {
    let tree = Tree::new(&[("src/a.rs", "fn a() {}\n"), ("src/b.rs", "use a;\n")]);
    let rename = serde_json::json!({"kind": "rename", "oldUri": tree.uri("src/a.rs"), "newUri": tree.uri("src/c.rs")});
    let edit =
        changes(&[rename, insert(&tree.uri("src/c.rs"), 0, "// c\n"), insert(&tree.uri("src/b.rs"), 0, "use c;\n")]);
    tree.run(async {
        let edits = tree.edits();
        let plan = edits.plan("rename a", &edit, Encoding::Utf16, "server").await.unwrap();
        insta::assert_snapshot!(plan.diff, @r"
        diff --git a/src/b.rs b/src/b.rs
        --- a/src/b.rs
        +++ b/src/b.rs
        @@ -1 +1,2 @@
        +use c;
         use a;
        diff --git a/src/a.rs b/src/c.rs
        rename from src/a.rs
        rename to src/c.rs
        --- a/src/a.rs
        +++ b/src/c.rs
        @@ -1 +1,2 @@
        +// c
         fn a() {}
        ");
        let files: Vec<_> = plan.files.iter().map(|file| (file.path.as_str(), file.operation, file.edits)).collect();
        assert_eq!(files, [("src/b.rs", FileAction::Edit, 1), ("src/c.rs", FileAction::Rename, 1)]);
        assert_eq!((plan.edit_count, plan.title.as_str()), (2, "rename a"));
        let names: Vec<_> = edits.files_of(&plan.id).unwrap().iter().map(|path| tree.relative(path)).collect();
        assert_eq!(names, ["src/a.rs", "src/b.rs", "src/c.rs"]);
        let summaries = |applied: AppliedChange| {
            applied.files.into_iter().map(|file| format!("{}: {}", file.display_path, file.done)).collect::<Vec<_>>()
        };
        let applied = edits.apply(&plan.id).await.unwrap();
        assert_eq!(summaries(applied), ["src/c.rs: renamed from src/a.rs, written", "src/b.rs: written"]);
        let undone = edits.undo(&plan.id).await.unwrap();
        assert_eq!(summaries(undone), ["src/c.rs: written", "src/b.rs: written", "src/a.rs: renamed from src/c.rs"]);
    });
}

#[test]
fn formatting_and_actions() {
    let tree = Tree::new(&[("a", "a  \n")]);
    tree.run(async {
        let edits = tree.edits();
        let trim = lsp::TextEdit {
            range: lsp::Range {
                start: lsp::Position { line: 0, character: 1 },
                end: lsp::Position { line: 0, character: 3 },
            },
            new_text: String::new(),
        };
        let path = tree.root.join("a");
        let plan = edits.plan_text_edits("format", &path, vec![trim.clone()], Encoding::Utf8, "ruff").await.unwrap();
        let action = action_id(&plan.id);
        edits.apply(&action).await.unwrap();
        assert_eq!(tree.show(), "a: \"a\\n\"\n");
        edits.undo(&action).await.unwrap();
        assert_eq!(tree.show(), "a: \"a  \\n\"\n");
        let nothing = edits.plan_text_edits("format", &path, Vec::new(), Encoding::Utf8, "ruff").await;
        assert!(matches!(nothing.unwrap_err(), EditError::Nothing));
    });
}

#[test]
fn dropped_caller_does_not_stop_the_change() {
    use std::task::Poll;
    let tree = Tree::new(&[("a", "a\n")]);
    let edit = changes(&[insert(&tree.uri("a"), 0, "1\n")]);
    tree.run(async {
        let edits = tree.edits();
        let plan = edits.plan("test", &edit, Encoding::Utf16, "server").await.unwrap();
        let mut applying = Box::pin(edits.apply(&plan.id));
        // One poll starts the work; then the caller drops the future.
        std::future::poll_fn(|cx| Poll::Ready(applying.as_mut().poll(cx).is_ready())).await;
        drop(applying);
        // The next caller waits for the lock and finds that the change is made.
        let later = edits.undo(&plan.id).await;
        match later {
            Ok(_) => assert_eq!(tree.show(), "a: \"a\\n\"\n"),
            // If the undo takes the lock first, the change is made after it.
            Err(error) => {
                assert!(matches!(error, EditError::NotApplied { .. }), "{error}");
                let _lock = EditLock::acquire(&tree.state_dir).await.unwrap();
            }
        }
    });
}

#[test]
fn edit_lock_is_exclusive() {
    let tree = Tree::new(&[]);
    let first = EditLock::try_acquire(&tree.state_dir).unwrap();
    assert!(first.is_some());
    assert!(EditLock::try_acquire(&tree.state_dir).unwrap().is_none(), "another handle has the lock");
    assert_eq!(tree.edits().recover_now().unwrap(), RecoveredChanges::default(), "a live process has the lock");
    drop(first);
    assert!(EditLock::try_acquire(&tree.state_dir).unwrap().is_some());
}

/// A sink that acts as an editor: it accepts or refuses the change.
struct RefusingSink;

#[async_trait::async_trait]
impl EditSink for RefusingSink {
    async fn apply(&self, _operations: &[FileOperation], _options: &EditOptions) -> Result<EditOutcome, SinkError> {
        Err(SinkError::Refused { reason: "read-only editor".to_owned() })
    }
}

#[test]
fn plan_can_be_applied_after_a_refusal() {
    let tree = Tree::new(&[("a", "a\n")]);
    let edit = changes(&[insert(&tree.uri("a"), 0, "1\n")]);
    tree.run(async {
        let clock = Arc::new(FixedClock(tree::NOW));
        let texts = Arc::new(zubi_base::text::DiskText);
        let refusing = EditService::new(tree.workspace(), texts, Arc::new(RefusingSink), &tree.state_dir, clock);
        let plan = refusing.plan("test", &edit, Encoding::Utf16, "server").await.unwrap();
        let error = refusing.apply(&plan.id).await.unwrap_err();
        assert_eq!(error.to_string(), "the editor refused the edit: read-only editor (nothing was written)");
        tree.edits().apply(&plan.id).await.unwrap();
        assert_eq!(tree.show(), "a: \"1\\na\\n\"\n");
    });
}
