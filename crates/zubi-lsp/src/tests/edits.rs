//! Texts, edits and settings through an editor that does what VS Code does, as far as zubi sees it.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use lsp_server::Request;
use serde_json::{Value, json};
use zubi_base::lsp::TextEdit;
use zubi_base::position::{Encoding, TextIndex};
use zubi_base::text::ContentHash;

use super::client::{Client, shown};

const WEB: &str = "\
//- web/shape.ts
export class Circle {}
//- web/report.ts
import { Circle } from './shape';
//- web/other.ts
import { Circle } from './shape';
";

/// A text that is open.
struct Open {
    text: String,
    version: i32,
    is_dirty: bool,
}

/// An editor with documents and settings.
struct Desk {
    client: Client,
    open: BTreeMap<String, Open>,
    settings: BTreeMap<String, Value>,
    /// What an extension makes of another text when something moves: by URI, from and to.
    follows: Vec<(String, &'static str, &'static str)>,
    /// Why the next edit is refused.
    refuses: Option<(i32, String)>,
    /// What the user types into other texts while an edit is made: at the end of each.
    types: Vec<(String, &'static str)>,
    /// What he types before the editor tells its texts for so many more times.
    late: Option<(usize, &'static str, &'static str)>,
    /// How the edits fail after the first step, from the edit of this number on.
    fails: Option<usize>,
    /// The edits that were asked for.
    asked: Vec<Value>,
}

impl Desk {
    fn new() -> Self {
        Self::over(Client::new(&options(), WEB))
    }

    fn over(client: Client) -> Self {
        let settings = [("typescript.updateImportsOnFileMove.enabled".to_owned(), json!("prompt"))].into();
        Self {
            client,
            open: BTreeMap::new(),
            settings,
            follows: Vec::new(),
            refuses: None,
            types: Vec::new(),
            late: None,
            fails: None,
            asked: Vec::new(),
        }
    }

    fn on_disk(&self, path: &str) -> String {
        zubi_base::fs::read_text(&self.client.root.join(path)).unwrap_or_default()
    }

    /// Opens a file.
    fn show(&mut self, path: &str) {
        let text = self.on_disk(path);
        self.open.insert(self.client.uri(path), Open { text, version: 1, is_dirty: false });
        self.tell();
    }

    /// Types a text and does not save it.
    fn type_in(&mut self, path: &str, text: &str) {
        let open = self.open.get_mut(&self.client.uri(path)).unwrap();
        *open = Open { text: text.to_owned(), version: open.version + 1, is_dirty: true };
    }

    fn text(&self, path: &str) -> (&str, bool) {
        let open = &self.open[&self.client.uri(path)];
        (&open.text, open.is_dirty)
    }

    /// Tells what is open, with the texts that are not saved.
    fn tell(&self) {
        let open: Vec<_> = self
            .open
            .iter()
            .map(|(uri, Open { text, version, is_dirty })| {
                let mut file =
                    json!({ "uri": uri, "languageId": "typescript", "isDirty": is_dirty, "version": version });
                if *is_dirty && text.len() <= 2 << 20 {
                    file["text"] = json!(text);
                }
                file
            })
            .collect();
        let params = json!({ "active": null, "open": open, "diagnosticsUris": [] });
        self.client.tell("zubi/editor/didChange", params);
    }

    /// Calls a tool and answers what the editor is asked meanwhile.
    fn call(&mut self, tool: &str, args: &Value) -> String {
        let call = self.client.begin("zubi/tools/call", json!({ "id": tool, "args": args }));
        loop {
            match self.client.asked_or_answered(&call) {
                Ok(answer) => {
                    let text = shown(&answer.unwrap()).replace(self.client.root.as_str(), "[root]");
                    return hide_ids(&text);
                }
                Err(request) => self.answer(request),
            }
        }
    }

    fn answer(&mut self, request: Request) {
        match request.method.as_str() {
            "zubi/editor/flush" => {
                self.late = match self.late.take() {
                    Some((1, path, text)) => {
                        self.type_in(path, text);
                        None
                    }
                    late => late.map(|(times, path, text)| (times - 1, path, text)),
                };
                self.tell();
                self.client.respond(request.id, Value::Null);
            }
            "zubi/editor/config" => {
                let key = request.params["key"].as_str().unwrap().to_owned();
                if let Some(value) = request.params.get("value") {
                    assert_eq!(request.params["scope"], "workspace");
                    self.settings.insert(key.clone(), value.clone());
                }
                let value = self.settings.get(&key).cloned().unwrap_or_default();
                let result = json!({ "key": key, "value": value, "default": null, "user": null, "workspace": value, "folder": null });
                self.client.respond(request.id, result);
            }
            "zubi/editor/applyEdit" => match self.refuses.take() {
                Some((code, message)) => self.client.refuse(request.id, code, &message),
                None => {
                    let is_made = self.fails.is_none_or(|from| self.asked.len() < from);
                    let changed = self.apply(&request.params, is_made);
                    self.tell();
                    let why = if is_made { Value::Null } else { json!("a folder is read-only") };
                    let result = json!({ "applied": is_made, "failureReason": why, "changed": changed });
                    self.client.respond(request.id, result);
                }
            },
            "zubi/editor/request" => self.client.refuse(request.id, -32601, "not here"),
            method => panic!("{method}"),
        }
    }

    /// Makes an edit as an editor does; says what has changed.
    fn apply(&mut self, params: &Value, is_made: bool) -> Vec<Value> {
        self.asked.push(params.clone());
        for (uri, hash) in params["texts"].as_object().unwrap() {
            let text = self.document(uri).text.replace('\r', "");
            assert_eq!(*hash, json!(ContentHash::of(text.as_bytes()).0), "{uri}");
        }
        let mut before: BTreeMap<String, String> = BTreeMap::new();
        let mut write = |desk: &mut Self, uri: &str, text: String| {
            let open = desk.document(uri);
            before.entry(uri.to_owned()).or_insert(open.text.clone());
            let is_dirty = open.is_dirty || params["save"] == "unopened" && open.version > 0;
            let open = Open { text, version: open.version + 1, is_dirty };
            if !is_dirty {
                zubi_base::fs::write_atomic(&path(uri), open.text.as_bytes()).unwrap();
            }
            desk.open.insert(uri.to_owned(), open);
        };
        let changes = params["edit"]["documentChanges"].as_array().unwrap();
        for change in changes.iter().take(if is_made { usize::MAX } else { 1 }) {
            if let (Some(old), Some(new)) = (change["oldUri"].as_str(), change["newUri"].as_str()) {
                std::fs::create_dir_all(path(new).parent().unwrap()).unwrap();
                std::fs::rename(path(old), path(new)).unwrap();
                if let Some(open) = self.open.remove(old) {
                    self.open.insert(new.to_owned(), open);
                }
                for (uri, from, to) in self.follows.clone() {
                    let text = self.document(&uri).text.replace(from, to);
                    write(self, &uri, text);
                }
                continue;
            }
            let uri = change["textDocument"]["uri"].as_str().unwrap();
            let mut text = self.document(uri).text.clone();
            let index = TextIndex::new(&text);
            let edits: Vec<TextEdit> = serde_json::from_value(change["edits"].clone()).unwrap();
            for edit in edits.iter().rev() {
                let range = index.range_from_lsp(&edit.range, Encoding::Utf16);
                text.replace_range(std::ops::Range::<usize>::from(range), &edit.new_text);
            }
            write(self, uri, text);
        }
        for (uri, more) in &self.types {
            let open = self.open.get_mut(uri).unwrap();
            before.entry(uri.clone()).or_insert(open.text.clone());
            *open = Open { text: format!("{}{more}", open.text), version: open.version + 1, is_dirty: true };
        }
        let changed = before.into_iter().filter(|(uri, before)| self.open[uri].text != *before);
        changed
            .map(|(uri, before)| json!({ "uri": uri, "before": before, "after": self.open[&uri].text, "isSaved": !self.open[&uri].is_dirty, "isTyped": self.types.iter().any(|(typed, _)| *typed == uri) }))
            .collect()
    }

    /// A document that is open, or is opened.
    fn document(&mut self, uri: &str) -> &Open {
        let path = path(uri);
        self.open.entry(uri.to_owned()).or_insert_with(|| Open {
            text: zubi_base::fs::read_text(&path).unwrap(),
            version: 0,
            is_dirty: false,
        })
    }

    /// The plan of the last change, whose id answers hide.
    fn undo(&mut self) -> String {
        let plans = self.client.root.parent().unwrap().join("state/plans");
        let newest = plans.read_dir_utf8().unwrap().map(Result::unwrap).max_by_key(|entry| {
            (entry.metadata().unwrap().modified().unwrap(), entry.metadata().unwrap().created().ok())
        });
        let plan = newest.unwrap().path().file_stem().unwrap().to_owned();
        self.call("undo_edit", &json!({ "plan": plan }))
    }
}

fn path(uri: &str) -> camino::Utf8PathBuf {
    zubi_base::uri::to_path(&zubi_base::lsp::Uri(uri.to_owned())).unwrap()
}

fn options() -> Value {
    let methods = ["zubi/editor/applyEdit", "zubi/editor/flush", "zubi/editor/config"];
    json!({ "zubi": { "editorProtocol": 1, "editorMethods": methods } })
}

/// Answers without what is another each time.
fn hide_ids(text: &str) -> String {
    let mut shown = text.to_owned();
    while let Some(at) = shown.find("p-").filter(|at| shown.len() >= at + 12) {
        shown.replace_range(at..at + 12, "[plan]");
    }
    match shown.find("sha ") {
        Some(at) => format!("{}sha …]", shown.split_at(at).0),
        None => shown,
    }
}

#[test]
fn a_text_that_is_not_saved_is_what_is_read_searched_and_edited() {
    let mut desk = Desk::new();
    desk.show("web/shape.ts");
    desk.type_in("web/shape.ts", "// é typed\nexport class Circle {}\n");
    assert!(desk.call("file.read", &json!({ "path": "web/shape.ts" })).contains("é typed"));
    assert!(desk.call("file.search", &json!({ "query": "é typed" })).contains("web/shape.ts"));
    let edited = desk.call("file.edit", &json!({ "path": "web/shape.ts", "old": "typed", "new": "edited" }));
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
    undo_edit {"plan":"[plan]"} takes it back
    [editor · sha …]
    "#);
    assert_eq!(desk.text("web/shape.ts"), ("// é edited\nexport class Circle {}\n", true));
    assert_eq!(desk.on_disk("web/shape.ts"), "export class Circle {}\n");
    // Only what differs, for the text as it is.
    let change = &desk.asked[0]["edit"]["documentChanges"][0];
    assert_snapshot!(format!("{} {}", change["textDocument"]["version"], change["edits"]), @r#"2 [{"range":{"start":{"line":0,"character":5},"end":{"line":0,"character":8}},"newText":"edit"}]"#);
    assert_snapshot!(desk.undo(), @"
    undone [plan]: edit web/shape.ts, 1 replacement in 1 file
      web/shape.ts  written
    note: not saved, for it had unsaved changes: `web/shape.ts`
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    ");
    assert_eq!(desk.text("web/shape.ts").0, "// é typed\nexport class Circle {}\n");
}

#[test]
fn what_is_not_open_is_written_on_disk_and_what_is_open_in_the_editor() {
    let mut desk = Desk::new();
    desk.show("web/shape.ts");
    for path in ["web/shape.ts", "web/other.ts", "web/new.ts"] {
        desk.call("file.write", &json!({ "path": path, "content": "export {};\n", "overwrite": true }));
        assert_eq!(desk.on_disk(path), "export {};\n");
    }
    assert_eq!(desk.asked.len(), 1, "{:?}", desk.asked);
    assert_eq!(desk.asked[0]["save"], "clean");
    assert_eq!(desk.text("web/shape.ts"), ("export {};\n", false));
}

#[test]
fn a_text_that_is_too_large_to_be_told_is_not_read_from_disk() {
    let mut desk = Desk::new();
    desk.show("web/shape.ts");
    desk.type_in("web/shape.ts", &"x".repeat((2 << 20) + 1));
    assert_snapshot!(desk.call("file.read", &json!({ "path": "web/shape.ts" })), @"
    error: Failed to read the file: `web/shape.ts`: its text in the editor is not saved and has more than 2 MiB; save it there first
    See that the file can be read by the user that runs zubi.
    ");
}

#[test]
fn what_the_editor_refuses_changes_nothing_and_is_told() {
    let mut desk = Desk::new();
    desk.show("web/shape.ts");
    let args = json!({ "path": "web/shape.ts", "content": "export {};\n", "overwrite": true });
    desk.refuses = Some((-32801, desk.client.uri("web/shape.ts")));
    assert_snapshot!(desk.call("file.write", &args), @r#"
    error: Failed to write the file: `web/shape.ts` changed in the meantime; nothing was written
    Read it again with file.read {"path":"web/shape.ts"}, then repeat the call.
    "#);
    desk.refuses = Some((-32603, "it is read-only".to_owned()));
    assert_snapshot!(desk.call("file.write", &args), @"
    error: Failed to write the file: the editor refused the edit: it is read-only (nothing was written)
    Look at the editor's own message, then apply again.
    ");
    assert_eq!(desk.on_disk("web/shape.ts"), "export class Circle {}\n");
}

#[test]
fn imports_follow_a_file_that_moves_and_all_of_it_is_taken_back() {
    let mut desk = Desk::new();
    desk.show("web/report.ts");
    desk.type_in("web/report.ts", "// typed\nimport { Circle } from './shape';\n");
    let [report, other] = ["web/report.ts", "web/other.ts"].map(|path| desk.client.uri(path));
    desk.follows = vec![(report, "./shape", "./lib/form"), (other, "./shape", "./lib/form")];
    let args = json!({ "oldUri": "web/shape.ts", "newUri": "web/lib/form.ts" });
    assert_snapshot!(desk.call("rename_file", &args), @r#"
    note: updateImportsOnFileMove is "prompt"; it was "always" for this call
    note: extensions of the editor changed 2 files
    applied [plan]: rename file `web/shape.ts` to `web/lib/form.ts` in 4 files
      web/lib  directory created
      web/lib/form.ts  renamed from web/shape.ts
      web/other.ts  changed by an extension of the editor
      web/report.ts  changed by an extension of the editor
    note: not saved, for it is open in the editor: `web/report.ts`
    undo_edit {"plan":"[plan]"} takes it back
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    "#);
    let params = &desk.asked[0];
    assert_snapshot!(format!("{} {} {}", params["settings"], params["isFollowed"], params["save"]), @r#"[{"key":"typescript.updateImportsOnFileMove.enabled","value":"always"}] true "unopened""#);
    assert_eq!(desk.on_disk("web/other.ts"), "import { Circle } from './lib/form';\n");
    assert_eq!(desk.on_disk("web/lib/form.ts"), "export class Circle {}\n");

    // An extension that follows although the settings say not to makes nothing double.
    for follow in &mut desk.follows {
        (follow.1, follow.2) = ("./shape", "././shape");
    }
    assert_snapshot!(desk.undo(), @"
    undone [plan]: rename file `web/shape.ts` to `web/lib/form.ts` in 4 files
      web/report.ts  written
      web/other.ts  written
      web/shape.ts  renamed from web/lib/form.ts
      web/lib  directory removed
    note: not saved, for it had unsaved changes: `web/report.ts`
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    ");
    assert_eq!(
        desk.asked[1]["settings"],
        json!([{ "key": "typescript.updateImportsOnFileMove.enabled", "value": "never" }])
    );
    assert_eq!(desk.text("web/report.ts"), ("// typed\nimport { Circle } from './shape';\n", true));
    assert_eq!(desk.on_disk("web/other.ts"), "import { Circle } from './shape';\n");
    assert_eq!(desk.on_disk("web/shape.ts"), "export class Circle {}\n");
    assert!(!desk.client.root.join("web/lib").exists());
}

#[test]
fn imports_stay_where_the_setting_says_never() {
    let mut desk = Desk::new();
    desk.settings.insert("js/ts.updateImportsOnFileMove.enabled".to_owned(), json!("never"));
    let args = json!({ "oldUri": "web/shape.ts", "newUri": "web/form.ts" });
    assert_snapshot!(desk.call("rename_file", &args), @r#"
    note: imports stay as they are: updateImportsOnFileMove is "never"
    note: the word `shape` stands 2 times in 2 files; file.search finds them
    applied [plan]: rename file `web/shape.ts` to `web/form.ts` in 1 file
      web/form.ts  renamed from web/shape.ts
    undo_edit {"plan":"[plan]"} takes it back
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    "#);
    assert_eq!(desk.asked, Vec::<Value>::new(), "nothing of it is open");
}

/// A.7-1, 2, 3: the workspace's settings and not the user's; the value before is the one before; values are JSON.
#[test]
fn a_setting_is_told_as_it_was_and_as_it_is() {
    let mut desk = Desk::new();
    assert_snapshot!(desk.call("set_setting", &json!({ "key": "editor.tabSize", "value": 2 })), @r#"
    editor.tabSize: not set → 2 at the scope `workspace`
    set_setting {"key":"editor.tabSize","scope":"workspace"} takes it back
    [editor]
    "#);
    assert_snapshot!(desk.call("set_setting", &json!({ "key": "editor.tabSize", "value": 8, "scope": "workspace" })), @r#"
    editor.tabSize: 2 → 8 at the scope `workspace`
    set_setting {"key":"editor.tabSize","scope":"workspace","value":2} takes it back
    [editor]
    "#);
    assert_snapshot!(desk.call("set_setting", &json!({ "key": "editor.tabSize" })), @r#"
    editor.tabSize: 8 → not set at the scope `workspace`
    set_setting {"key":"editor.tabSize","scope":"workspace","value":8} takes it back
    [editor]
    "#);
    assert_snapshot!(desk.call("set_setting", &json!({ "key": "editor.tabSize", "value": 1, "scope": "user" })), @"
    error: Invalid input: scope: the user's own settings are never changed from here
    Give `workspace` or `folder`, or ask the user to change it.
    ");
    assert_snapshot!(desk.call("set_setting", &json!({ "key": "terminal.integrated.shell.linux", "scope": "folder" })), @"
    error: Invalid input: key: `terminal.integrated.shell.linux` may not be set from here
    These can be set: editor.detectIndentation, editor.formatOnSave, editor.insertSpaces, editor.tabSize, files.eol, files.insertFinalNewline, files.trimFinalNewlines, files.trimTrailingWhitespace, javascript.updateImportsOnFileMove.enabled, js/ts.updateImportsOnFileMove.enabled, typescript.updateImportsOnFileMove.enabled. The user can change any other in the editor.
    ");
    desk.settings.insert("files.exclude".to_owned(), json!({ "**/out": true }));
    assert_snapshot!(desk.call("get_setting", &json!({ "key": "files.exclude" })), @r#"
    files.exclude = {"**/out":true}, set at the scope `workspace`
    [editor]
    "#);
    assert_snapshot!(desk.call("get_setting", &json!({ "key": "files.exclude", "scope": "user" })), @r#"
    files.exclude is not set at the scope `user`; {"**/out":true} holds
    [editor]
    "#);
    assert_snapshot!(desk.call("get_setting", &json!({ "key": "files.exclude", "scope": "galaxy" })), @"
    error: Invalid input: scope: there is `user`, `workspace` or `folder`
    Leave `scope` out, or give one of these.
    ");
    assert_snapshot!(desk.call("set_update_imports_setting", &json!({ "value": "always" })), @r#"
    typescript.updateImportsOnFileMove.enabled: "prompt" → "always" at the scope `workspace`
    set_setting {"key":"typescript.updateImportsOnFileMove.enabled","scope":"workspace","value":"prompt"} takes it back
    javascript.updateImportsOnFileMove.enabled: not set → "always" at the scope `workspace`
    set_setting {"key":"javascript.updateImportsOnFileMove.enabled","scope":"workspace"} takes it back
    [editor]
    "#);
}

#[test]
fn a_folder_that_is_open_by_a_link_keeps_its_name_in_edits() {
    let mut desk = Desk::over(Client::by_link(&options(), WEB));
    desk.show("web/shape.ts");
    desk.type_in("web/shape.ts", "// typed\n");
    desk.call("file.edit", &json!({ "path": "web/shape.ts", "old": "typed", "new": "edited" }));
    assert_eq!(desk.text("web/shape.ts"), ("// edited\n", true));
    assert!(desk.client.uri("").contains("/linked/"));
}

#[test]
fn what_is_typed_while_a_file_moves_is_neither_saved_nor_taken_back() {
    let mut desk = Desk::new();
    desk.show("web/report.ts");
    desk.show("web/other.ts");
    let [report, other] = ["web/report.ts", "web/other.ts"].map(|path| desk.client.uri(path));
    desk.follows = vec![(report.clone(), "./shape", "./form"), (other, "./shape", "./form")];
    desk.types = vec![(report, "// typed")];
    let moved = desk.call("rename_file", &json!({ "oldUri": "web/shape.ts", "newUri": "web/form.ts" }));
    assert_snapshot!(moved, @r#"
    note: updateImportsOnFileMove is "prompt"; it was "always" for this call
    note: extensions of the editor changed 1 file
    applied [plan]: rename file `web/shape.ts` to `web/form.ts` in 2 files
      web/form.ts  renamed from web/shape.ts
      web/other.ts  changed by an extension of the editor
    note: not saved, for it is open in the editor: `web/other.ts`
    note: the user typed into `web/report.ts` meanwhile: it is neither saved nor taken back; read it again
    undo_edit {"plan":"[plan]"} takes it back
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    "#);
    desk.follows.clear();
    desk.types.clear();
    assert_snapshot!(desk.undo(), @"
    undone [plan]: rename file `web/shape.ts` to `web/form.ts` in 2 files
      web/other.ts  written
      web/shape.ts  renamed from web/form.ts
    note: not saved, for it had unsaved changes: `web/other.ts`
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    ");
    assert_eq!(desk.text("web/report.ts"), ("import { Circle } from './form';\n// typed", true));
    assert_eq!(desk.text("web/other.ts").0, "import { Circle } from './shape';\n");
    assert_eq!(desk.on_disk("web/report.ts"), "import { Circle } from './shape';\n");
}

#[test]
fn what_is_typed_while_its_text_is_edited_is_kept_and_not_undone() {
    let mut desk = Desk::new();
    desk.show("web/shape.ts");
    desk.types = vec![(desk.client.uri("web/shape.ts"), "// typed")];
    let edited = desk.call("file.edit", &json!({ "path": "web/shape.ts", "old": "Circle", "new": "Disc" }));
    assert!(edited.contains("the user typed into `web/shape.ts` meanwhile"), "{edited}");
    desk.types.clear();
    assert_snapshot!(desk.undo(), @"
    error: Failed to undo the edit: `web/shape.ts` changed since `[plan]` was applied; nothing was undone
    Undo would overwrite the later change. Take that back first, or undo by hand.
    ");
    assert_eq!(desk.text("web/shape.ts"), ("export class Disc {}\n// typed", true));
}

#[test]
fn a_file_that_is_typed_into_is_not_deleted() {
    let mut desk = Desk::new();
    desk.call("file.write", &json!({ "path": "web/new.ts", "content": "export {};\n" }));
    desk.show("web/new.ts");
    // The plan is looked at first, and the text again at the last moment.
    desk.late = Some((2, "web/new.ts", "// typed\n"));
    assert_snapshot!(desk.undo(), @"
    error: Failed to undo the edit: the editor refused the edit: `[root]/web/new.ts` has changes that are not saved: save it there first (nothing was written)
    Look at the editor's own message, then apply again.
    ");
    assert_eq!(desk.asked, Vec::<Value>::new());
    assert_eq!(desk.text("web/new.ts"), ("// typed\n", true));
    assert_eq!(desk.on_disk("web/new.ts"), "export {};\n");
}

#[test]
fn a_move_that_was_made_before_a_step_failed_is_told() {
    let mut desk = Desk::new();
    desk.show("web/shape.ts");
    desk.fails = Some(0);
    assert_snapshot!(desk.call("rename_file", &json!({ "oldUri": "web/shape.ts", "newUri": "web/form.ts" })), @"
    error: Failed to rename the file: the editor did not make the whole change: a folder is read-only; it changed [root]/web/shape.ts, [root]/web/form.ts (look at the files in the editor, and take back there what is not wanted)
    Read the files before changing anything else in them.
    ");
}

#[test]
fn an_undo_whose_texts_cannot_be_corrected_is_still_told_as_made() {
    let mut desk = Desk::new();
    desk.show("web/report.ts");
    let report = desk.client.uri("web/report.ts");
    desk.follows = vec![(report, "./shape", "./form")];
    desk.call("rename_file", &json!({ "oldUri": "web/shape.ts", "newUri": "web/form.ts" }));
    desk.follows[0] = (desk.follows[0].0.clone(), "./shape", "././shape");
    desk.fails = Some(2);
    assert_snapshot!(desk.undo(), @"
    undone [plan]: rename file `web/shape.ts` to `web/form.ts` in 2 files
      web/report.ts  written
      web/shape.ts  renamed from web/form.ts
    note: not saved, for it had unsaved changes: `web/report.ts`
    [no server · problems not compared: the editor does not answer `textDocument/diagnostic` here]
    ");
    assert_eq!(desk.on_disk("web/shape.ts"), "export class Circle {}\n");
}
