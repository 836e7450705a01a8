//! Tests of a failure or crash at every point of an apply: the tree is then the old or the new one, never a third.

use std::sync::Arc;

use tokio::sync::Notify;
use zubi_base::clock::FixedClock;
use zubi_base::position::Encoding;
use zubi_base::text::{DiskText, EditOptions, EditOutcome, EditSink, FileOperation, SinkError};

use super::tree::{NOW, Tree};
use crate::edit::apply::disk::InjectedFault;
use crate::edit::{DiskSink, EditError, EditService};

/// Returns a tree and an edit with steps of every kind that a server can request.
pub(super) fn tree() -> (Tree, serde_json::Value) {
    let tree =
        Tree::new(&[("a", "a\r\n"), ("b", "b"), ("d/x", "x\n"), ("d/e/y", "y\n"), ("gone", "gone"), ("g/h", "h")]);
    #[cfg(unix)]
    {
        tree.set_mode("gone", 0o755);
        tree.link("gone", "g/link");
    }
    let start = serde_json::json!({"line": 0, "character": 0});
    let insert = |path: &str| {
        serde_json::json!({
            "textDocument": {"uri": tree.uri(path), "version": null},
            "edits": [{"range": {"start": start, "end": start}, "newText": "new\n"}],
        })
    };
    let rename =
        |old: &str, new: &str| serde_json::json!({"kind": "rename", "oldUri": tree.uri(old), "newUri": tree.uri(new)});
    let edit = serde_json::json!({ "documentChanges": [
        rename("a", "t"), rename("b", "a"), rename("t", "b"), rename("d", "n/m"),
        serde_json::json!({"kind": "delete", "uri": tree.uri("gone")}),
        serde_json::json!({"kind": "delete", "uri": tree.uri("g"), "options": {"recursive": true}}),
        serde_json::json!({"kind": "create", "uri": tree.uri("p/q/r")}),
        insert("p/q/r"), insert("a"), insert("n/m/e/y"),
    ]});
    (tree, edit)
}

fn edits_with(tree: &Tree, sink: Arc<dyn EditSink>) -> EditService {
    EditService::new(tree.workspace(), Arc::new(DiskText), sink, &tree.state_dir, Arc::new(FixedClock(NOW)))
}

fn faulty(tree: &Tree, fault: InjectedFault) -> DiskSink {
    let mut sink = DiskSink::new(&tree.state_dir);
    sink.fault = fault;
    sink
}

/// A sink whose process ends: it never returns, and reports when it is dead.
struct DyingSink {
    sink: DiskSink,
    died: Arc<Notify>,
}

#[async_trait::async_trait]
impl EditSink for DyingSink {
    async fn apply(&self, operations: &[FileOperation], options: &EditOptions) -> Result<EditOutcome, SinkError> {
        self.sink.apply(operations, options).await.unwrap_err();
        self.died.notify_one();
        std::future::pending().await
    }
}

/// Applies the edit in a process that dies at this point; returns the plan. Dropping the runtime drops the task and its
/// lock, as the end of a process would.
pub(super) fn die(tree: &Tree, edit: &serde_json::Value, fault: InjectedFault) -> String {
    tree.run(async {
        let died = Arc::new(Notify::new());
        let edits = edits_with(tree, Arc::new(DyingSink { sink: faulty(tree, fault), died: Arc::clone(&died) }));
        let plan = edits.plan("test", edit, Encoding::Utf16, "server").await.unwrap();
        let id = plan.id.clone();
        let applying = tokio::spawn(async move { edits.apply(&plan.id).await });
        died.notified().await;
        drop(applying);
        id
    })
}

/// The number of steps of the edit above. There are two points for each step, and two more.
pub(super) const STEPS: usize = 14;

#[test]
fn failure_at_any_point_restores_the_tree() {
    for point in 0..=STEPS * 2 {
        let (tree, edit) = tree();
        let before = tree.state();
        tree.run(async {
            let edits = edits_with(&tree, Arc::new(faulty(&tree, InjectedFault::Fail(point))));
            let plan = edits.plan("test", &edit, Encoding::Utf16, "server").await.unwrap();
            let error = edits.apply(&plan.id).await.unwrap_err();
            assert!(matches!(error, EditError::Sink(_)), "point {point}: {error}");
            assert!(error.to_string().ends_with("(whatever had been written before was put back)"), "{error}");
            assert_eq!(tree.state(), before, "point {point}");
            // The plan is unchanged; once the disk has space again, it can be applied and undone.
            tree.edits().apply(&plan.id).await.unwrap();
            tree.edits().undo(&plan.id).await.unwrap();
            assert_eq!(tree.state(), before, "point {point}");
        });
    }
}

#[test]
fn a_crash_at_any_point_leaves_the_old_tree_or_the_new() {
    let mut reverted = 0;
    for point in 0..STEPS * 2 + 2 {
        let (tree, edit) = tree();
        let before = tree.state();
        let plan = die(&tree, &edit, InjectedFault::Die(point));
        let committed = point == STEPS * 2 + 1;
        let recovered = tree.edits().recover_now().unwrap();
        assert_eq!(recovered.unrestored, Vec::<String>::new(), "point {point}");
        assert_eq!(recovered.reverted, usize::from(!committed), "point {point}");
        reverted += recovered.reverted;
        assert_eq!(tree.state() == before, !committed, "point {point}");
        assert_eq!(tree.edits().recover_now().unwrap().reverted, 0, "a second recovery finds nothing");
        tree.run(async {
            let edits = tree.edits();
            // The record still has the state "applying"; the tree shows whether the change was made.
            if committed {
                assert!(matches!(edits.apply(&plan).await.unwrap_err(), EditError::AlreadyApplied { .. }));
            } else {
                assert!(matches!(edits.undo(&plan).await.unwrap_err(), EditError::NotApplied { .. }));
                edits.apply(&plan).await.unwrap();
            }
            edits.undo(&plan).await.unwrap();
            assert_eq!(tree.state(), before, "point {point}");
        });
    }
    assert_eq!(reverted, STEPS * 2 + 1);
}

#[test]
fn crash_while_reverting_is_recovered() {
    for reverted_steps in 0..=STEPS {
        let (tree, edit) = tree();
        let before = tree.state();
        die(&tree, &edit, InjectedFault::FailThenDie(STEPS * 2, reverted_steps));
        // Every apply recovers first, even in a process that started before the crash.
        tree.run(async {
            let edits = tree.edits();
            let error = edits.apply("p-aaaaaaaaaa").await.unwrap_err();
            assert!(matches!(error, EditError::Unknown { .. }), "{error}");
        });
        assert_eq!(tree.state(), before, "{reverted_steps} steps had been taken back");
    }
}

#[test]
fn changes_after_the_crash_are_preserved() {
    let (tree, edit) = tree();
    die(&tree, &edit, InjectedFault::Die(STEPS * 2));
    tree.write("p/q/r", "written since");
    tree.write("a", "written since");
    let edits = tree.edits();
    let recovered = edits.recover_now().unwrap();
    assert_eq!((recovered.reverted, recovered.unrestored.len()), (0, 1));
    let text = recovered.unrestored.join("\n");
    assert!(text.contains("`p/q/r` (changed since; the edit created it)"), "{text}");
    let copy = text.split("`a` (changed since; its text before the edit is in `").nth(1);
    let copy = copy.and_then(|rest| rest.split('`').next()).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(zubi_base::fs::read_bytes(copy.into()).unwrap(), b"b", "the text before the edit's own");
    let shown = tree.show();
    assert!(shown.contains("p/q/r: \"written since\"\n") && shown.contains("a: \"written since\"\n"), "{shown}");
    // The files that do not depend on these are restored.
    assert!(shown.contains("d/e/y: \"y\\n\"") && shown.contains("g/h: \"h\""), "{shown}");
    assert_eq!(edits.take_recovery_notes(), recovered.unrestored);
    assert_eq!(tree.edits().recover_now().unwrap().unrestored, Vec::<String>::new(), "it is reported once");
    assert_eq!(tree.edits().take_recovery_notes(), Vec::<String>::new(), "it is reported once");
    assert_eq!(edits.describe_journals().len(), 1, "doctor still names the old texts");
}

#[test]
fn temporary_files_of_interrupted_writes_are_removed() {
    let (tree, edit) = tree();
    let before = tree.state();
    die(&tree, &edit, InjectedFault::Die(STEPS * 2));
    tree.write("n/m/e/.zubi-Ab12Cd.tmp", "half a fi");
    tree.edits().recover_now().unwrap();
    assert_eq!(tree.state(), before);
}

#[test]
fn foreign_journals_are_set_aside() {
    let (tree, _) = tree();
    let before = tree.state();
    let journals = tree.state_dir.join("journal");
    zubi_base::owner_only::create_directory(&journals).unwrap();
    for (name, content) in
        [("x.journal", "not json\n"), ("y.journal", ""), ("z.journal", "{\"version\":1}\ncommitted\n")]
    {
        zubi_base::owner_only::write_atomic(&journals.join(name), content.as_bytes()).unwrap();
    }
    let recovered = tree.edits().recover_now().unwrap();
    assert_eq!((recovered.reverted, recovered.pending.len()), (0, 3));
    assert_eq!(tree.edits().recover_now().unwrap(), crate::edit::RecoveredChanges::default());
    assert_eq!(tree.state(), before);
}
