//! Tests of who recovers an interrupted change, when, and what is reported.

use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::clock::FixedClock;
use zubi_base::text::DiskText;
use zubi_base::workspace::WorkspaceFolders;

use super::crash::{STEPS, die, tree};
use super::tree::{NOW, Tree};
use crate::edit::apply::disk::InjectedFault;
use crate::edit::apply::lock::EditLock;
use crate::edit::{DiskSink, EditError, EditService, RecoveredChanges};

/// The files in the directory of the journals, without the lock.
fn journals(tree: &Tree) -> Vec<Utf8PathBuf> {
    let entries = tree.state_dir.join("journal").read_dir_utf8().unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().into_path()).collect();
    paths.retain(|path| path.file_name() != Some("lock"));
    paths
}

#[test]
fn the_note_names_the_edit_and_the_next_step() {
    for (point, expected) in [
        (0, "was interrupted and is undone: 0 of 14 steps reverted; apply_edit {\"plan\":\"[plan]\"} makes it again"),
        (13, "was interrupted and is undone: 7 of 14 steps reverted; apply_edit {\"plan\":\"[plan]\"} makes it again"),
        (
            STEPS * 2 + 1,
            "was complete before its process was ended: 14 files changed; undo_edit {\"plan\":\"[plan]\"} undoes it",
        ),
    ] {
        let (tree, edit) = tree();
        let plan = die(&tree, &edit, InjectedFault::Die(point));
        // One service recovers, and another one of the same folder answers.
        tree.edits().recover_now().unwrap();
        let notes = tree.edits().take_recovery_notes().join("\n").replace(&plan, "[plan]");
        assert_eq!(notes, format!("an edit (test, [plan]) {expected}"), "point {point}");
        assert_eq!(tree.edits().take_recovery_notes(), Vec::<String>::new(), "it is said once");
        assert_eq!(journals(&tree), Vec::<Utf8PathBuf>::new());
    }
}

#[test]
fn another_workspace_neither_recovers_nor_reports() {
    let (tree, edit) = tree();
    die(&tree, &edit, InjectedFault::Die(STEPS));
    let half_changed = tree.state();
    let other = tree.root.parent().unwrap().join("other");
    std::fs::create_dir(&other).unwrap();
    let other = Arc::new(WorkspaceFolders::open(&[other]).unwrap());
    let sink = Arc::new(DiskSink::new(&tree.state_dir));
    let edits = EditService::new(other, Arc::new(DiskText), sink, &tree.state_dir, Arc::new(FixedClock(NOW)));
    assert_eq!(edits.recover_now().unwrap(), RecoveredChanges::default());
    assert_eq!(tree.run(edits.recover()).unwrap(), RecoveredChanges::default());
    assert_eq!(tree.state(), half_changed);
    // The user can request it.
    let described = edits.describe_journals().join("\n");
    assert!(described.contains("waits for zubi's next start in that folder"), "{described}");
    assert_eq!(tree.edits().recover_now().unwrap().reverted, 1);
    assert_eq!(edits.take_recovery_notes(), Vec::<String>::new());
    assert_eq!(tree.edits().take_recovery_notes().len(), 1);
}

#[test]
fn the_first_question_waits_for_a_process_that_ends() {
    let (tree, edit) = tree();
    let before = tree.state();
    die(&tree, &edit, InjectedFault::Die(STEPS));
    tree.run(async {
        let edits = tree.edits();
        let ending = EditLock::try_acquire(&tree.state_dir).unwrap().unwrap();
        assert_eq!(edits.recover_now().unwrap(), RecoveredChanges::default());
        let (recovered, ()) = tokio::join!(edits.recover(), async {
            tokio::task::yield_now().await;
            drop(ending);
        });
        assert_eq!(recovered.unwrap().reverted, 1);
        assert_eq!(tree.state(), before);
    });
}

/// Changes the recorded devices in the only journal, as if the files were on another one.
fn change_devices(tree: &Tree, from: &str, to: &str) {
    let [journal] = journals(tree).try_into().unwrap();
    let text = String::from_utf8(zubi_base::fs::read_bytes(&journal).unwrap()).unwrap();
    let (header, marks) = text.split_once('\n').unwrap();
    let (start, devices) = header.split_once("\"devices\":{").unwrap();
    let devices = devices.replace(from, to);
    zubi_base::owner_only::write_atomic(&journal, format!("{start}\"devices\":{{{devices}\n{marks}").as_bytes())
        .unwrap();
}

#[test]
fn files_of_a_lost_mount_point_are_restored_once_it_is_back() {
    let (tree, edit) = tree();
    let before = tree.state();
    let plan = die(&tree, &edit, InjectedFault::Die(STEPS * 2));
    let changed = tree.root.join("n/m/e/y");
    let new = zubi_base::fs::read_bytes(&changed).unwrap();
    // The folder with the file is gone, and the mount point has another device than the file had.
    std::fs::remove_file(&changed).unwrap();
    change_devices(&tree, "/n/m/e\":", "/n/m/e\":1");
    let edits = tree.edits();
    let recovered = edits.recover_now().unwrap();
    let text = recovered.pending.join("\n");
    assert!(text.contains("`n/m/e/y` (its file system is not mounted)") && recovered.reverted == 0, "{text}");
    assert_eq!((edits.take_recovery_notes(), edits.take_recovery_notes()), (recovered.pending, Vec::new()));
    assert_eq!(journals(&tree).len(), 1, "the journal stays");
    // The file system is back.
    tree.write("n/m/e/y", std::str::from_utf8(&new).unwrap());
    change_devices(&tree, "/n/m/e\":1", "/n/m/e\":");
    assert_eq!(edits.recover_now().unwrap().reverted, 1);
    assert_eq!(tree.state(), before);
    assert_eq!(edits.take_recovery_notes().len(), 1);
    tree.run(async { edits.apply(&plan).await.unwrap() });
}

#[test]
fn an_undo_that_was_complete_can_be_applied_again() {
    let (tree, edit) = tree();
    let before = tree.state();
    tree.run(async {
        let edits = tree.edits();
        let plan = edits.plan("test", &edit, zubi_base::position::Encoding::Utf16, "server").await.unwrap();
        edits.apply(&plan.id).await.unwrap();
        let record = tree.state_dir.join("plans").join(format!("{}.json", plan.id));
        let applied = zubi_base::fs::read_bytes(&record).unwrap();
        assert!(matches!(edits.apply(&plan.id).await.unwrap_err(), EditError::AlreadyApplied { .. }));
        edits.undo(&plan.id).await.unwrap();
        // The process ended before it recorded the undo.
        zubi_base::owner_only::write_atomic(&record, &applied).unwrap();
        edits.apply(&plan.id).await.unwrap();
        edits.undo(&plan.id).await.unwrap();
        assert_eq!(tree.state(), before);
    });
}
