//! Texts, edits and settings through an editor.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::client::Client;
use super::fake_editor::{FakeEditor, WEB, options};

#[test]
fn unsaved_text_is_read_searched_and_edited() {
    let mut editor = FakeEditor::new();
    editor.show("web/shape.ts");
    editor.type_in("web/shape.ts", "// é typed\nexport class Circle {}\n");
    assert!(editor.call("file.read", &json!({ "path": "web/shape.ts" })).contains("é typed"));
    assert!(editor.call("file.search", &json!({ "query": "é typed" })).contains("web/shape.ts"));
    let edited = editor.call("file.edit", &json!({ "path": "web/shape.ts", "old": "typed", "new": "edited" }));
    assert_snapshot!(edited, @r#"
    edit web/shape.ts, 1 replacement: written
    note: not saved, for it had unsaved changes: `web/shape.ts`
    diff --git a/web/shape.ts b/web/shape.ts
    --- a/web/shape.ts
    +++ b/web/shape.ts
    @@ -1,2 +1,2 @@
    -// é typed
    +// é edited
     export class Circle {}
    undo_edit {"plan":"[plan]"} undoes it
    [editor · sha …]
    "#);
    assert_eq!(editor.text("web/shape.ts"), ("// é edited\nexport class Circle {}\n", true));
    assert_eq!(editor.on_disk("web/shape.ts"), "export class Circle {}\n");
    // Only the difference, for the current text.
    let change = &editor.requested_edits[0]["edit"]["documentChanges"][0];
    assert_snapshot!(format!("{} {}", change["textDocument"]["version"], change["edits"]), @r#"2 [{"range":{"start":{"line":0,"character":5},"end":{"line":0,"character":8}},"newText":"edit"}]"#);
    assert_snapshot!(editor.undo(), @"
    undone [plan]: edit web/shape.ts, 1 replacement in 1 file
    note: not saved, for it had unsaved changes: `web/shape.ts`
      web/shape.ts  written
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    ");
    assert_eq!(editor.text("web/shape.ts").0, "// é typed\nexport class Circle {}\n");
}

#[test]
fn closed_files_are_written_to_disk_and_open_ones_in_the_editor() {
    let mut editor = FakeEditor::new();
    editor.show("web/shape.ts");
    for path in ["web/shape.ts", "web/other.ts", "web/new.ts"] {
        editor.call("file.write", &json!({ "path": path, "content": "export {};\n", "overwrite": true }));
        assert_eq!(editor.on_disk(path), "export {};\n");
    }
    assert_eq!(editor.requested_edits.len(), 1, "{:?}", editor.requested_edits);
    assert_eq!(editor.requested_edits[0]["save"], "clean");
    assert_eq!(editor.text("web/shape.ts"), ("export {};\n", false));
}

#[test]
fn a_text_too_large_to_send_is_not_read_from_disk() {
    let mut editor = FakeEditor::new();
    editor.show("web/shape.ts");
    editor.type_in("web/shape.ts", &"x".repeat((2 << 20) + 1));
    assert_snapshot!(editor.call("file.read", &json!({ "path": "web/shape.ts" })), @"
    error: Failed to read the file: `web/shape.ts`: its text in the editor is not saved and exceeds 2 MiB; save it there first
    Check that the user running zubi may read the file.
    ");
}

#[test]
fn a_refused_edit_changes_nothing_and_is_reported() {
    let mut editor = FakeEditor::new();
    editor.show("web/shape.ts");
    let args = json!({ "path": "web/shape.ts", "content": "export {};\n", "overwrite": true });
    editor.refusal = Some((-32801, editor.client.uri("web/shape.ts")));
    assert_snapshot!(editor.call("file.write", &args), @r#"
    error: Failed to write the file: `web/shape.ts` changed in the meantime; nothing was written
    Read it again with file.read {"path":"web/shape.ts"}, then repeat the call.
    "#);
    editor.refusal = Some((-32603, "it is read-only".to_owned()));
    assert_snapshot!(editor.call("file.write", &args), @"
    error: Failed to write the file: the editor refused the edit: it is read-only (nothing was written)
    Look at the editor's own message, then apply again.
    ");
    assert_eq!(editor.on_disk("web/shape.ts"), "export class Circle {}\n");
}

#[test]
fn a_move_updates_imports_and_undo_restores_everything() {
    let mut editor = FakeEditor::new();
    editor.show("web/report.ts");
    editor.type_in("web/report.ts", "// typed\nimport { Circle } from './shape';\n");
    let [report, other_uri] = ["web/report.ts", "web/other.ts"].map(|path| editor.client.uri(path));
    editor.import_updates = vec![(report, "./shape", "./lib/form"), (other_uri, "./shape", "./lib/form")];
    let args = json!({ "oldUri": "web/shape.ts", "newUri": "web/lib/form.ts" });
    assert_snapshot!(editor.call("rename_file", &args), @r#"
    applied [plan]: rename file `web/shape.ts` to `web/lib/form.ts` in 4 files
    undo_edit {"plan":"[plan]"} undoes it
    note: updateImportsOnFileMove is "prompt"; it was "always" for this call
    note: extensions of the editor changed 2 files
    note: not saved, for it is open in the editor: `web/report.ts`
      web/lib  directory created
      web/lib/form.ts  renamed from web/shape.ts
      web/other.ts  changed by an extension of the editor
      web/report.ts  changed by an extension of the editor
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    "#);
    let params = &editor.requested_edits[0];
    assert_snapshot!(format!("{} {} {}", params["settings"], params["isFollowed"], params["save"]), @r#"[{"key":"typescript.updateImportsOnFileMove.enabled","value":"always"}] true "unopened""#);
    assert_eq!(editor.on_disk("web/other.ts"), "import { Circle } from './lib/form';\n");
    assert_eq!(editor.on_disk("web/lib/form.ts"), "export class Circle {}\n");

    // An extension that updates imports despite the settings has no effect on the result.
    for follow in &mut editor.import_updates {
        (follow.1, follow.2) = ("./shape", "././shape");
    }
    assert_snapshot!(editor.undo(), @"
    undone [plan]: rename file `web/shape.ts` to `web/lib/form.ts` in 4 files
    note: not saved, for it had unsaved changes: `web/report.ts`
      web/report.ts  written
      web/other.ts  written
      web/shape.ts  renamed from web/lib/form.ts
      web/lib  directory removed
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    ");
    assert_eq!(
        editor.requested_edits[1]["settings"],
        json!([{ "key": "typescript.updateImportsOnFileMove.enabled", "value": "never" }])
    );
    assert_eq!(editor.text("web/report.ts"), ("// typed\nimport { Circle } from './shape';\n", true));
    assert_eq!(editor.on_disk("web/other.ts"), "import { Circle } from './shape';\n");
    assert_eq!(editor.on_disk("web/shape.ts"), "export class Circle {}\n");
    assert!(!editor.client.root.join("web/lib").exists());
}

#[test]
fn imports_are_not_updated_if_the_setting_is_never() {
    let mut editor = FakeEditor::new();
    editor.settings.insert("js/ts.updateImportsOnFileMove.enabled".to_owned(), json!("never"));
    let args = json!({ "oldUri": "web/shape.ts", "newUri": "web/form.ts" });
    assert_snapshot!(editor.call("rename_file", &args), @r#"
    applied [plan]: rename file `web/shape.ts` to `web/form.ts` in 1 file
    undo_edit {"plan":"[plan]"} undoes it
    note: imports stay unchanged: updateImportsOnFileMove is "never"
      web/form.ts  renamed from web/shape.ts
    2 mentions of the old path left in 2 files: web/other.ts (1), web/report.ts (1)
    plan [plan]: replace mentions of `web/shape.ts` by `web/form.ts`, 2 edits in 2 files; nothing is written yet
    diff --git a/web/other.ts b/web/other.ts
    --- a/web/other.ts
    +++ b/web/other.ts
    @@ -1 +1 @@
    -import { Circle } from './shape';
    +import { Circle } from './form';
    diff --git a/web/report.ts b/web/report.ts
    --- a/web/report.ts
    +++ b/web/report.ts
    @@ -1 +1 @@
    -import { Circle } from './shape';
    +import { Circle } from './form';
    apply_edit {"plan":"[plan]"} writes it
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    "#);
    assert_eq!(editor.requested_edits, Vec::<Value>::new(), "nothing of it is open");
}

/// Changes the workspace's settings, not the user's; reports the previous value; values are JSON.
#[test]
fn a_setting_change_is_reported_with_both_values() {
    let mut editor = FakeEditor::new();
    assert_snapshot!(editor.call("set_setting", &json!({ "key": "editor.tabSize", "value": 2 })), @r#"
    editor.tabSize: not set → 2 at the scope `workspace`
    set_setting {"key":"editor.tabSize","scope":"workspace"} undoes it
    [editor]
    "#);
    assert_snapshot!(editor.call("set_setting", &json!({ "key": "editor.tabSize", "value": 8, "scope": "workspace" })), @r#"
    editor.tabSize: 2 → 8 at the scope `workspace`
    set_setting {"key":"editor.tabSize","scope":"workspace","value":2} undoes it
    [editor]
    "#);
    assert_snapshot!(editor.call("set_setting", &json!({ "key": "editor.tabSize" })), @r#"
    editor.tabSize: 8 → not set at the scope `workspace`
    set_setting {"key":"editor.tabSize","scope":"workspace","value":8} undoes it
    [editor]
    "#);
    assert_snapshot!(editor.call("set_setting", &json!({ "key": "editor.tabSize", "value": 1, "scope": "user" })), @"
    error: Invalid input: scope: tools cannot change the user's own settings
    Pass `workspace` or `folder`, or ask the user to change it.
    ");
    assert_snapshot!(editor.call("set_setting", &json!({ "key": "terminal.integrated.shell.linux", "scope": "folder" })), @"
    error: Invalid input: key: tools cannot set `terminal.integrated.shell.linux`
    Writable settings: editor.detectIndentation, editor.formatOnSave, editor.insertSpaces, editor.tabSize, files.eol, files.insertFinalNewline, files.trimFinalNewlines, files.trimTrailingWhitespace, javascript.updateImportsOnFileMove.enabled, js/ts.updateImportsOnFileMove.enabled, typescript.updateImportsOnFileMove.enabled. The user can change others in the editor.
    ");
    editor.settings.insert("files.exclude".to_owned(), json!({ "**/out": true }));
    assert_snapshot!(editor.call("get_setting", &json!({ "key": "files.exclude" })), @r#"
    files.exclude = {"**/out":true}, set at the scope `workspace`
    [editor]
    "#);
    assert_snapshot!(editor.call("get_setting", &json!({ "key": "files.exclude", "scope": "user" })), @r#"
    files.exclude is not set at the scope `user`; {"**/out":true} applies
    [editor]
    "#);
    assert_snapshot!(editor.call("get_setting", &json!({ "key": "files.exclude", "scope": "galaxy" })), @"
    error: Invalid input: scope: must be `user`, `workspace` or `folder`
    Omit `scope`, or pass one of these.
    ");
    assert_snapshot!(editor.call("set_update_imports_setting", &json!({ "value": "always" })), @r#"
    typescript.updateImportsOnFileMove.enabled: "prompt" → "always" at the scope `workspace`
    set_setting {"key":"typescript.updateImportsOnFileMove.enabled","scope":"workspace","value":"prompt"} undoes it
    javascript.updateImportsOnFileMove.enabled: not set → "always" at the scope `workspace`
    set_setting {"key":"javascript.updateImportsOnFileMove.enabled","scope":"workspace"} undoes it
    [editor]
    "#);
}

#[test]
fn edits_in_a_folder_opened_through_a_link_use_its_name() {
    let mut editor = FakeEditor::with_client(Client::by_link(&options(), WEB));
    editor.show("web/shape.ts");
    editor.type_in("web/shape.ts", "// typed\n");
    editor.call("file.edit", &json!({ "path": "web/shape.ts", "old": "typed", "new": "edited" }));
    assert_eq!(editor.text("web/shape.ts"), ("// edited\n", true));
    assert!(editor.client.uri("").contains("/linked/"));
}

#[test]
fn text_typed_during_a_move_is_neither_saved_nor_undone() {
    let mut editor = FakeEditor::new();
    editor.show("web/report.ts");
    editor.show("web/other.ts");
    let [report, other_uri] = ["web/report.ts", "web/other.ts"].map(|path| editor.client.uri(path));
    editor.import_updates = vec![(report.clone(), "./shape", "./form"), (other_uri, "./shape", "./form")];
    editor.typed_texts = vec![(report, "// typed")];
    let answer = editor.call("rename_file", &json!({ "oldUri": "web/shape.ts", "newUri": "web/form.ts" }));
    assert_snapshot!(answer, @r#"
    applied [plan]: rename file `web/shape.ts` to `web/form.ts` in 2 files
    undo_edit {"plan":"[plan]"} undoes it
    note: updateImportsOnFileMove is "prompt"; it was "always" for this call
    note: extensions of the editor changed 1 file
    note: not saved, for it is open in the editor: `web/other.ts`
    note: the user typed into `web/report.ts` meanwhile: it is neither saved nor taken back; read it again
      web/form.ts  renamed from web/shape.ts
      web/other.ts  changed by an extension of the editor
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    "#);
    editor.import_updates.clear();
    editor.typed_texts.clear();
    assert_snapshot!(editor.undo(), @"
    undone [plan]: rename file `web/shape.ts` to `web/form.ts` in 2 files
    note: not saved, for it had unsaved changes: `web/other.ts`
      web/other.ts  written
      web/shape.ts  renamed from web/form.ts
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    ");
    assert_eq!(editor.text("web/report.ts"), ("import { Circle } from './form';\n// typed", true));
    assert_eq!(editor.text("web/other.ts").0, "import { Circle } from './shape';\n");
    assert_eq!(editor.on_disk("web/report.ts"), "import { Circle } from './shape';\n");
}

#[test]
fn text_typed_during_an_edit_is_preserved_and_not_undone() {
    let mut editor = FakeEditor::new();
    editor.show("web/shape.ts");
    editor.typed_texts = vec![(editor.client.uri("web/shape.ts"), "// typed")];
    let edited = editor.call("file.edit", &json!({ "path": "web/shape.ts", "old": "Circle", "new": "Disc" }));
    assert!(edited.contains("the user typed into `web/shape.ts` meanwhile"), "{edited}");
    editor.typed_texts.clear();
    assert_snapshot!(editor.undo(), @"
    error: Failed to undo the edit: `web/shape.ts` changed since `[plan]` was applied; nothing was undone
    Undo would overwrite the later change. Take that back first, or undo by hand.
    ");
    assert_eq!(editor.text("web/shape.ts"), ("export class Disc {}\n// typed", true));
}

#[test]
fn a_file_with_newly_typed_text_is_not_deleted() {
    let mut editor = FakeEditor::new();
    editor.call("file.write", &json!({ "path": "web/new.ts", "content": "export {};\n" }));
    editor.show("web/new.ts");
    // The first read is for the changed names, the second for the plan, the third for the edit itself.
    editor.typed_before_flush = Some((3, "web/new.ts", "// typed\n"));
    assert_snapshot!(editor.undo(), @"
    error: Failed to undo the edit: the editor refused the edit: `[root]/web/new.ts` has unsaved changes: save it in the editor first (nothing was written)
    Look at the editor's own message, then apply again.
    ");
    assert_eq!(editor.requested_edits, Vec::<Value>::new());
    assert_eq!(editor.text("web/new.ts"), ("// typed\n", true));
    assert_eq!(editor.on_disk("web/new.ts"), "export {};\n");
}

#[test]
fn a_move_made_before_a_failed_step_is_reported() {
    let mut editor = FakeEditor::new();
    editor.show("web/shape.ts");
    editor.failing_edit = Some(0);
    assert_snapshot!(editor.call("rename_file", &json!({ "oldUri": "web/shape.ts", "newUri": "web/form.ts" })), @"
    error: Failed to rename the file: the editor did not make the whole change: a folder is read-only; it changed [root]/web/shape.ts, [root]/web/form.ts (look at the files in the editor, and take back there what is not wanted)
    Read the files before changing anything else in them.
    ");
}

#[test]
fn an_undo_with_uncorrected_texts_is_reported_as_done() {
    let mut editor = FakeEditor::new();
    for path in ["web/report.ts", "web/shape.ts"] {
        editor.show(path);
    }
    let report = editor.client.uri("web/report.ts");
    editor.import_updates = vec![(report, "./shape", "./form")];
    editor.call("rename_file", &json!({ "oldUri": "web/shape.ts", "newUri": "web/form.ts" }));
    editor.import_updates[0] = (editor.import_updates[0].0.clone(), "./shape", "././shape");
    editor.failing_edit = Some(2);
    assert_snapshot!(editor.undo(), @"
    undone [plan]: rename file `web/shape.ts` to `web/form.ts` in 2 files
    note: the editor saved another text of `web/report.ts` than was requested: other line ends, or a change of its own on save
    note: not saved, for it had unsaved changes: `web/report.ts`
    note: extensions changed `[root]/web/report.ts`, which could not be reverted (a folder is read-only): read these files again
      web/report.ts  written
      web/shape.ts  renamed from web/form.ts
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    ");
    assert_eq!(editor.on_disk("web/shape.ts"), "export class Circle {}\n");
}

#[test]
fn a_text_over_the_total_limit_is_not_read_from_disk() {
    let mut editor = FakeEditor::new();
    editor.show("web/shape.ts");
    editor.type_in("web/shape.ts", "// typed");
    let large = "x".repeat(2 << 20);
    for index in 0..32 {
        let path = format!("web/{index}.ts");
        editor.show(&path);
        editor.type_in(&path, &large);
    }
    assert_snapshot!(editor.call("file.read", &json!({ "path": "web/shape.ts" })), @"
    error: Failed to read the file: `web/shape.ts`: its text in the editor is not saved, and unsaved texts exceed 64 MiB in total; save some of them first
    Check that the user running zubi may read the file.
    ");
}
