//! Edits of real files with real servers: the properties that a plan must preserve, and the result of undo.
#![expect(clippy::expect_used, reason = "a failed expectation is a failed test, also in a helper")]

mod moves;
mod plans;
mod renames;
mod symbols;

use std::os::unix::fs::{PermissionsExt as _, symlink};

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::zubi::{id, text};
use zubi_tests::{Project, Zubi};

/// A project whose files have every property that an edit could lose.
fn project_with_fragile_files() -> Project {
    let project = Project::fixture("python");
    // A byte-order mark, carriage returns, no final newline; later an executable bit.
    let text = "\u{feff}from shapes.shape import total_area\r\n\r\nprint(total_area)  # 📐\r\nprint(total_area)";
    project.write("shapes/windows.py", text);
    let script = project.root().join("shapes/windows.py");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("executable");
    // A file that is a link to another.
    project.write("elsewhere/real.py", "from shapes.shape import total_area\n\nprint(total_area)\n");
    symlink("../elsewhere/real.py", project.root().join("shapes/linked.py")).expect("a link");
    project
}

#[tokio::test]
async fn an_edit_preserves_all_unrelated_bytes() {
    let project = project_with_fragile_files();
    let zubi = Zubi::start(&project, &["ty"]).await;
    let before = project.bytes("shapes/windows.py");
    let plan = zubi.result("lsp_rename_symbol", json!({ "symbol": "total_area", "newName": "sum_area" })).await;
    let plan = id(&text(&plan), "p-").expect("a plan");
    assert_snapshot!(zubi.call_stable("apply_edit", json!({ "plan": plan })).await, @r#"
    applied p-[plan]: rename `total_area` to `sum_area` in 4 files
    undo_edit {"plan":"p-[plan]"} undoes it
      elsewhere/real.py  written
      shapes/report.py  written
      shapes/shape.py  written
      shapes/windows.py  written
    problems: no change
    [ty · ready]
    "#);
    let expected = String::from_utf8(before).expect("UTF-8").replace("total_area", "sum_area");
    assert_eq!(project.read("shapes/windows.py"), expected);
    let mode = project.root().join("shapes/windows.py").metadata().expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    let link = project.root().join("shapes/linked.py");
    assert!(link.is_symlink(), "the link was replaced by a file");
    assert!(project.read("elsewhere/real.py").contains("print(sum_area)"));
}

#[tokio::test]
async fn undo_restores_every_byte() {
    let project = project_with_fragile_files();
    let zubi = Zubi::start(&project, &["ty"]).await;
    let rename = json!({ "symbol": "total_area", "newName": "sum_area" });
    round_trip(&zubi, &project, "lsp_rename_symbol", rename, None).await;
    let mode = project.root().join("shapes/windows.py").metadata().expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert!(project.root().join("shapes/linked.py").is_symlink());
}

#[tokio::test]
async fn undoing_a_file_rename_restores_the_old_name() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, &["rust-analyzer"]).await;
    // The name of a module is its file's name.
    let rename = json!({ "at": "src/lib.rs:6 shape", "newName": "figure" });
    let transcript = round_trip(&zubi, &project, "lsp_rename_symbol", rename, None).await;
    assert_snapshot!(transcript, @r#"
    at src/lib.rs:6:9 shape
    plan p-[plan]: rename `shape` to `figure`, 3 edits in 4 files; nothing is written yet
    diff --git a/src/broken.rs b/src/broken.rs
    --- a/src/broken.rs
    +++ b/src/broken.rs
    @@ -1,6 +1,6 @@
     //! One mistake the language server knows how to mend: a field is missing.
     
    -use crate::shape::Rectangle;
    +use crate::figure::Rectangle;
     
     pub fn unit() -> Rectangle {
         Rectangle { width: 1.0 }
    diff --git a/src/shape.rs b/src/figure.rs
    rename from src/shape.rs
    rename to src/figure.rs
    diff --git a/src/lib.rs b/src/lib.rs
    --- a/src/lib.rs
    +++ b/src/lib.rs
    @@ -3,4 +3,4 @@
     pub mod broken;
     pub mod messy;
     pub mod report;
    -pub mod shape;
    +pub mod figure;
    diff --git a/src/report.rs b/src/report.rs
    --- a/src/report.rs
    +++ b/src/report.rs
    @@ -1,6 +1,6 @@
     //! What is printed about shapes. The word total_area in this comment is not a reference.
     
    -use crate::shape::{total_area, Circle, Rectangle, Shape};
    +use crate::figure::{total_area, Circle, Rectangle, Shape};
     
     /// Metres to square metres.
     pub fn describe(radius: f64) -> f64 {
    apply_edit {"plan":"p-[plan]"} writes it
    [rust-analyzer · ready]
    ──── apply_edit
    applied p-[plan]: rename `shape` to `figure` in 4 files
    undo_edit {"plan":"p-[plan]"} undoes it
      src/figure.rs  renamed from src/shape.rs
      src/broken.rs  written
      src/lib.rs  written
      src/report.rs  written
    problems: no change
    [rust-analyzer · ready]
    ──── undo_edit
    undone p-[plan]: rename `shape` to `figure` in 4 files
      src/report.rs  written
      src/lib.rs  written
      src/broken.rs  written
      src/shape.rs  renamed from src/figure.rs
    problems: no change
    [rust-analyzer · ready]
    "#);
}

#[tokio::test]
async fn changed_file_is_refused() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty"]).await;
    let rename = json!({ "symbol": "total_area", "newName": "sum_area" });
    let plan = text(&zubi.result("lsp_rename_symbol", rename.clone()).await);
    let plan = id(&plan, "p-").expect("a plan");
    project.replace("shapes/report.py", "Nothing calls this", "Nobody calls this");
    let before = project.everything();
    assert_snapshot!(zubi.call_refused("apply_edit", json!({ "plan": plan })).await, @"
    Failed to apply the edit: `shapes/report.py` changed since the plan was made; nothing was written
    Make the plan again with the tool that made it, look at the new diff, then apply that.
    ");
    assert_eq!(project.everything(), before);

    let plan = text(&zubi.result("lsp_rename_symbol", rename).await);
    let plan = id(&plan, "p-").expect("a plan");
    zubi.call_stable("apply_edit", json!({ "plan": plan })).await;
    project.replace("shapes/report.py", "Nobody calls this", "Nothing calls this");
    let before = project.everything();
    assert_snapshot!(zubi.call_refused("undo_edit", json!({ "plan": plan })).await, @"
    Failed to undo the edit: `shapes/report.py` changed since `p-[plan]` was applied; nothing was undone
    Undo would overwrite the later change. Take that back first, or undo by hand.
    ");
    assert_eq!(project.everything(), before);
}

#[tokio::test]
async fn plan_applies_only_once() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty"]).await;
    let plan = zubi.result("lsp_rename_symbol", json!({ "symbol": "total_area", "newName": "sum_area" })).await;
    let plan = id(&text(&plan), "p-").expect("a plan");
    assert_snapshot!(zubi.call_refused("undo_edit", json!({ "plan": plan })).await, @"
    Failed to undo the edit: `p-[plan]` is not applied, so there is nothing to undo
    To make the change: `apply_edit` with `p-[plan]`.
    ");
    zubi.call_stable("apply_edit", json!({ "plan": plan })).await;
    assert_snapshot!(zubi.call_refused("apply_edit", json!({ "plan": plan })).await, @"
    Failed to apply the edit: `p-[plan]` is already applied
    To take it back: `undo_edit` with `p-[plan]`.
    ");
}
