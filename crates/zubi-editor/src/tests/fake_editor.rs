//! A fake editor that treats texts, edits and settings like VS Code, as far as zubi can see.

use std::collections::BTreeMap;

use lsp_server::Request;
use serde_json::{Value, json};
use zubi_base::lsp::TextEdit;
use zubi_base::position::{Encoding, TextIndex};
use zubi_base::text::ContentHash;

use super::client::{Client, tool_text};

pub(super) const WEB: &str = "\
//- web/shape.ts
export class Circle {}
//- web/report.ts
import { Circle } from './shape';
//- web/other.ts
import { Circle } from './shape';
";

/// An open text.
pub(super) struct Open {
    text: String,
    version: i32,
    is_dirty: bool,
}

/// An editor with documents and settings.
pub(super) struct FakeEditor {
    pub(super) client: Client,
    pub(super) open: BTreeMap<String, Open>,
    pub(super) settings: BTreeMap<String, Value>,
    /// Changes that an extension makes in other texts when a file moves: URI, old text, new text.
    pub(super) import_updates: Vec<(String, &'static str, &'static str)>,
    /// Error with which the next edit is refused.
    pub(super) refusal: Option<(i32, String)>,
    /// Text that the user types at the end of other texts while an edit is applied.
    pub(super) typed_texts: Vec<(String, &'static str)>,
    /// Text that the user types before the flush with this number (1 is the next one).
    pub(super) typed_before_flush: Option<(usize, &'static str, &'static str)>,
    /// From this edit on, only file moves are applied before the edit fails.
    pub(super) failing_edit: Option<usize>,
    /// Edits that the server has requested.
    pub(super) requested_edits: Vec<Value>,
}

impl FakeEditor {
    pub(super) fn new() -> Self {
        Self::with_client(Client::new(&options(), WEB))
    }

    pub(super) fn with_client(client: Client) -> Self {
        let settings = [("typescript.updateImportsOnFileMove.enabled".to_owned(), json!("prompt"))].into();
        Self {
            client,
            open: BTreeMap::new(),
            settings,
            import_updates: Vec::new(),
            refusal: None,
            typed_texts: Vec::new(),
            typed_before_flush: None,
            failing_edit: None,
            requested_edits: Vec::new(),
        }
    }

    pub(super) fn on_disk(&self, path: &str) -> String {
        zubi_base::fs::read_text(&self.client.root.join(path)).unwrap_or_default()
    }

    /// Opens a file.
    pub(super) fn show(&mut self, path: &str) {
        let text = self.on_disk(path);
        self.open.insert(self.client.uri(path), Open { text, version: 1, is_dirty: false });
        self.publish_documents();
    }

    /// Types a text without saving it.
    pub(super) fn type_in(&mut self, path: &str, text: &str) {
        let open = self.open.get_mut(&self.client.uri(path)).unwrap();
        *open = Open { text: text.to_owned(), version: open.version + 1, is_dirty: true };
    }

    pub(super) fn text(&self, path: &str) -> (&str, bool) {
        let open = &self.open[&self.client.uri(path)];
        (&open.text, open.is_dirty)
    }

    /// Reports the open documents, with their unsaved texts.
    fn publish_documents(&self) {
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
        self.client.notify("zubi/editor/didChange", params);
    }

    /// Calls a tool, and answers the server's requests meanwhile.
    pub(super) fn call(&mut self, tool: &str, args: &Value) -> String {
        let call = self.client.begin("zubi/tools/call", json!({ "id": tool, "args": args }));
        loop {
            match self.client.next_request_or_answer(&call) {
                Ok(answer) => {
                    let text = tool_text(&answer.unwrap()).replace(self.client.root.as_str(), "[root]");
                    return hide_ids(&text);
                }
                Err(request) => self.answer(request),
            }
        }
    }

    fn answer(&mut self, request: Request) {
        match request.method.as_str() {
            "zubi/editor/flush" => {
                self.typed_before_flush = match self.typed_before_flush.take() {
                    Some((1, path, text)) => {
                        self.type_in(path, text);
                        None
                    }
                    typed_before_flush => typed_before_flush.map(|(times, path, text)| (times - 1, path, text)),
                };
                self.publish_documents();
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
            "zubi/editor/applyEdit" => match self.refusal.take() {
                Some((code, message)) => self.client.refuse(request.id, code, &message),
                None => {
                    let is_applied = self.failing_edit.is_none_or(|from| self.requested_edits.len() < from);
                    let changed = self.apply(&request.params, is_applied);
                    self.publish_documents();
                    let why = if is_applied { Value::Null } else { json!("a folder is read-only") };
                    let result = json!({ "applied": is_applied, "failureReason": why, "changed": changed });
                    self.client.respond(request.id, result);
                }
            },
            "zubi/editor/request" => self.client.refuse(request.id, -32601, "not here"),
            method => panic!("{method}"),
        }
    }

    /// Applies an edit like an editor; returns what has changed.
    fn apply(&mut self, params: &Value, is_applied: bool) -> Vec<Value> {
        self.requested_edits.push(params.clone());
        for (uri, hash) in params["texts"].as_object().unwrap() {
            let text = self.document(uri).text.replace('\r', "");
            assert_eq!(*hash, json!(ContentHash::from_bytes(text.as_bytes()).0), "{uri}");
        }
        let mut before: BTreeMap<String, String> = BTreeMap::new();
        let mut write = |editor: &mut Self, uri: &str, text: String| {
            let open = editor.document(uri);
            before.entry(uri.to_owned()).or_insert(open.text.clone());
            let is_dirty = open.is_dirty || params["save"] == "unopened" && open.version > 0;
            let open = Open { text, version: open.version + 1, is_dirty };
            if !is_dirty {
                zubi_base::fs::write_atomic(&path(uri), open.text.as_bytes()).unwrap();
            }
            editor.open.insert(uri.to_owned(), open);
        };
        let changes = params["edit"]["documentChanges"].as_array().unwrap();
        for change in changes.iter().take_while(|change| is_applied || change["kind"] == "rename") {
            if let (Some(old), Some(new)) = (change["oldUri"].as_str(), change["newUri"].as_str()) {
                std::fs::create_dir_all(path(new).parent().unwrap()).unwrap();
                std::fs::rename(path(old), path(new)).unwrap();
                if let Some(open) = self.open.remove(old) {
                    self.open.insert(new.to_owned(), open);
                }
                for (uri, from, to) in self.import_updates.clone() {
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
        for (uri, more) in &self.typed_texts {
            let open = self.open.get_mut(uri).unwrap();
            before.entry(uri.clone()).or_insert(open.text.clone());
            *open = Open { text: format!("{}{more}", open.text), version: open.version + 1, is_dirty: true };
        }
        let changed = before.into_iter().filter(|(uri, before)| self.open[uri].text != *before);
        changed
            .map(|(uri, before)| json!({ "uri": uri, "before": before, "after": self.open[&uri].text, "isSaved": !self.open[&uri].is_dirty, "isTyped": self.typed_texts.iter().any(|(typed, _)| *typed == uri) }))
            .collect()
    }

    /// The document, which is opened if necessary.
    fn document(&mut self, uri: &str) -> &Open {
        let path = path(uri);
        self.open.entry(uri.to_owned()).or_insert_with(|| Open {
            text: zubi_base::fs::read_text(&path).unwrap(),
            version: 0,
            is_dirty: false,
        })
    }

    /// Undoes the last change, whose plan id is hidden in answers.
    pub(super) fn undo(&mut self) -> String {
        let plans = self.client.root.parent().unwrap().join("state/plans");
        let is_applied =
            |entry: &camino::Utf8DirEntry| zubi_base::fs::read_text(entry.path()).unwrap().contains("\"applied\"");
        let newest = plans.read_dir_utf8().unwrap().map(Result::unwrap).filter(is_applied).max_by_key(|entry| {
            (entry.metadata().unwrap().modified().unwrap(), entry.metadata().unwrap().created().ok())
        });
        let plan = newest.unwrap().path().file_stem().unwrap().to_owned();
        self.call("undo_edit", &json!({ "plan": plan }))
    }
}

fn path(uri: &str) -> camino::Utf8PathBuf {
    zubi_base::uri::to_path(&zubi_base::lsp::Uri(uri.to_owned())).unwrap()
}

pub(super) fn options() -> Value {
    let methods = ["zubi/editor/applyEdit", "zubi/editor/flush", "zubi/editor/config"];
    json!({ "zubi": { "editorProtocol": 1, "editorMethods": methods } })
}

/// Replaces values that differ from run to run.
fn hide_ids(text: &str) -> String {
    let mut masked = text.to_owned();
    while let Some(start) = masked.find("p-").filter(|start| masked.len() >= start + 12) {
        masked.replace_range(start..start + 12, "[plan]");
    }
    match masked.find("sha ") {
        Some(start) => format!("{}sha …]", masked.split_at(start).0),
        None => masked,
    }
}
