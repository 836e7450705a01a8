//! Tests of `change`.

use std::fmt::Write as _;

use async_trait::async_trait;
use serde_json::json;
use zubi_base::fs::ReadError;
use zubi_base::text::{DiskText, SourceText};

use super::*;
use crate::edit::tests::tree::Tree;

fn text_edit(from: (u32, u32), to: (u32, u32), new_text: &str) -> Value {
    json!({
        "range": {"start": {"line": from.0, "character": from.1}, "end": {"line": to.0, "character": to.1}},
        "newText": new_text,
    })
}

fn document(uri: &str, edits: &[Value]) -> Value {
    json!({"textDocument": {"uri": uri, "version": null}, "edits": edits})
}

fn plan_change(tree: &Tree, edits: &[Value]) -> Result<ComputedChange, EditError> {
    let edits: Vec<_> = edits.iter().map(|edit| ServerEdit { edit, encoding: Encoding::Utf16 }).collect();
    tree.run(ComputedChange::from_workspace_edits(&edits, &DiskText, &tree.workspace()))
}

/// Returns the error for one edit, without the tree's own path; or `planned`.
fn refusal(tree: &Tree, edit: &Value) -> String {
    match plan_change(tree, std::slice::from_ref(edit)) {
        Ok(_) => "planned".to_owned(),
        Err(error) => {
            assert!(!error.hint().is_empty());
            error.to_string().replace(tree.root.as_str(), "{ws}")
        }
    }
}

fn tree() -> Tree {
    let tree = Tree::new(&[
        ("a.rs", "fn a() {}\n"),
        ("d/x", "x\n"),
        (".git/config", "[core]\n"),
        (".zubi.toml", ""),
        ("sub/.git", "gitdir: x"),
    ]);
    std::fs::create_dir(tree.root.parent().unwrap().join("ws2")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../outside.txt", tree.root.join("leak")).unwrap();
        std::os::unix::fs::symlink("..", tree.root.join("up")).unwrap();
        zubi_base::fs::write_atomic(&tree.root.parent().unwrap().join("outside.txt"), b"secret\n").unwrap();
    }
    zubi_base::fs::write_atomic(&tree.root.join("binary"), b"\xff\xfe").unwrap();
    tree
}

/// An agent reads the placeholder, and writes the whole text back.
#[test]
fn a_secret_is_not_overwritten_with_its_placeholder() {
    let tree = Tree::new(&[("a.py", "key = \"AKIAIOSFODNN7EXAMPLE\"\nx = 1\n"), ("b.md", "x\n")]);
    let replace = |path: &str, lines: u32, text: &str| json!({"documentChanges": [document(&tree.uri(path), &[text_edit((0, 0), (lines, 0), text)])]});
    let placeholder = "key = \"(redacted)\"\nx = 2\n";
    insta::assert_snapshot!(refusal(&tree, &replace("a.py", 2, placeholder)), @"the edit would overwrite a secret in `a.py` with `(redacted)`, which zubi shows in its place");
    assert_eq!(refusal(&tree, &replace("a.py", 1, "key = load_key()\n")), "planned");
    assert_eq!(refusal(&tree, &replace("b.md", 1, placeholder)), "planned");
}

#[cfg(unix)]
#[test]
fn invalid_edits_are_refused_with_a_reason() {
    let tree = tree();
    let before = tree.state();
    let insert = |uri: &str| json!({"documentChanges": [document(uri, &[text_edit((0, 0), (0, 0), "x")])]});
    let operation = |value: Value| json!({"documentChanges": [value]});
    let uri = |path: &str| tree.uri(path);
    let raw = |path: &str| format!("file://{}/{path}", tree.root);
    let mut messages = String::new();
    for edit in [
        insert("untitled:Untitled-1"),
        insert("jdt://contents/java.base/String.class"),
        insert("file://server/share/x"),
        insert(&raw("a%00.rs")),
        insert("file:///etc/passwd"),
        insert(&raw("../outside.txt")),
        insert(&raw("%2e%2e/outside.txt")),
        insert(&raw("../ws2/file")),
        insert(&uri("leak")),
        insert(&uri("up/outside.txt")),
        insert(&uri(".git/config")),
        insert(&uri(".zubi.toml")),
        insert(&uri("none")),
        insert(&uri("d")),
        insert(&uri("binary")),
        insert(&uri("")),
        operation(json!({"kind": "create", "uri": uri("a.rs")})),
        operation(json!({"kind": "create", "uri": uri("d"), "options": {"overwrite": true}})),
        operation(json!({"kind": "create", "uri": uri("a.rs/below")})),
        operation(json!({"kind": "create", "uri": uri("up/new")})),
        operation(json!({"kind": "create", "uri": raw("new/../../new")})),
        operation(json!({"kind": "rename", "oldUri": uri("none"), "newUri": uri("b")})),
        operation(json!({"kind": "rename", "oldUri": uri("a.rs"), "newUri": uri("d/x")})),
        operation(json!({"kind": "rename", "oldUri": uri("d"), "newUri": uri("d/e")})),
        operation(json!({"kind": "rename", "oldUri": uri("d"), "newUri": uri("a.rs"), "options": {"overwrite": true}})),
        operation(json!({"kind": "rename", "oldUri": uri("a.rs"), "newUri": "file:///elsewhere/stolen.rs"})),
        operation(json!({"kind": "rename", "oldUri": uri("sub"), "newUri": uri("sub2")})),
        operation(json!({"kind": "delete", "uri": uri("none")})),
        operation(json!({"kind": "delete", "uri": uri("d")})),
        operation(json!({"kind": "delete", "uri": uri("sub"), "options": {"recursive": true}})),
        operation(json!({"kind": "delete", "uri": uri(""), "options": {"recursive": true}})),
        json!({"documentChanges": [document(&uri("a.rs"), &[text_edit((0, 0), (0, 5), "x"), text_edit((0, 3), (0, 6), "y")])]}),
        json!({"documentChanges": [document(&uri("a.rs"), &[text_edit((9, 0), (9, 0), "x")])]}),
        json!({"documentChanges": [document(&uri("a.rs"), &[json!({
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
            "snippet": {"kind": "snippet", "value": "${1:x}$0"},
        })])]}),
        json!({"documentChanges": [document(&uri("a.rs"), &[text_edit((0, 0), (0, 2), "fn")])]}),
        json!({}),
    ] {
        messages.push_str(&refusal(&tree, &edit));
        messages.push('\n');
    }
    insta::assert_snapshot!(messages, @"
    the server wants to change `untitled:Untitled-1`, which is not a local file
    the server wants to change `jdt://contents/java.base/String.class`, which is not a local file
    the server wants to change `file://server/share/x`, which is not a local file
    the server wants to change `file://{ws}/a%00.rs`, which is not a local file
    the server wants to change `file:///etc/passwd`, which is outside the workspace
    the server wants to change `file://{ws}/../outside.txt`, which is outside the workspace
    the server wants to change `file://{ws}/%2e%2e/outside.txt`, which is outside the workspace
    the server wants to change `file://{ws}/../ws2/file`, which is outside the workspace
    the server wants to change `leak`, which is outside the workspace
    the server wants to change `file://{ws}/up/outside.txt`, which is outside the workspace
    `.git/config` belongs to git or to zubi's own settings, which no edit may touch
    `.zubi.toml` belongs to git or to zubi's own settings, which no edit may touch
    the server wants to change `none`, which does not exist
    `d` cannot be edited: it is a directory
    `binary` cannot be edited: it is not UTF-8 text
    the server wants to change `file://{ws}/`, which is outside the workspace
    the server wants to create `a.rs`, which already exists
    the server wants to create `d`, which already exists
    `a.rs/below` cannot be changed as the server wants: `a.rs` is not a directory
    the server wants to change `file://{ws}/up/new`, which is outside the workspace
    the server wants to change `file://{ws}/new/../../new`, which is outside the workspace
    the server wants to change `none`, which does not exist
    the server wants to create `d/x`, which already exists
    `d` cannot be changed as the server wants: it would move into itself
    the server wants to create `a.rs`, which already exists
    the server wants to change `file:///elsewhere/stolen.rs`, which is outside the workspace
    `sub/.git` belongs to git or to zubi's own settings, which no edit may touch
    the server wants to change `none`, which does not exist
    `d` cannot be changed as the server wants: it is a directory with files in it, and the server did not request a recursive removal
    `sub/.git` belongs to git or to zubi's own settings, which no edit may touch
    the server wants to change `file://{ws}/`, which is outside the workspace
    two edits of `a.rs` overlap: one at 1:1 and one at 1:4
    an edit of `a.rs` begins on line 10, but the file has 2 lines: it was made for another text
    the edit of `a.rs` is a snippet with placeholders, which zubi does not support
    the edit changes nothing
    the edit changes nothing
    ");
    assert_eq!(tree.state(), before);
}

#[test]
fn one_invalid_edit_rejects_the_whole_plan() {
    let tree = tree();
    let valid = document(&tree.uri("a.rs"), &[text_edit((0, 0), (0, 0), "x")]);
    let invalid = document(&tree.uri("none"), &[text_edit((0, 0), (0, 0), "x")]);
    assert!(plan_change(&tree, &[json!({"documentChanges": [valid, invalid]})]).is_err());
}

#[test]
fn document_changes_are_preferred_over_changes() {
    let tree = tree();
    let edit = |text: &str| text_edit((0, 3), (0, 4), text);
    let old_form = json!({"changes": {tree.uri("a.rs"): [edit("old")], tree.uri("d/x"): [edit("")]}});
    let change = plan_change(&tree, &[old_form]).unwrap();
    let after: Vec<_> = change.files.iter().map(|file| file.after.as_deref().unwrap_or_default()).collect();
    assert_eq!(after, ["fn old() {}\n"], "an edit past the end of `d/x` changes nothing");
    let combined = json!({
        "changes": {tree.uri("a.rs"): [edit("old")]},
        "documentChanges": [document(&tree.uri("a.rs"), &[edit("new")])],
    });
    let change = plan_change(&tree, &[combined]).unwrap();
    assert_eq!(change.files.first().and_then(|file| file.after.as_deref()), Some("fn new() {}\n"));
}

#[test]
fn several_servers() {
    let tree = tree();
    let replace = |text: &str| json!({"changes": {tree.uri("a.rs"): [text_edit((0, 3), (0, 4), text)]}});
    let insert = json!({"changes": {tree.uri("a.rs"): [text_edit((0, 0), (0, 0), "pub ")]}});
    let change = plan_change(&tree, &[replace("b"), replace("b"), insert.clone(), insert.clone()]).unwrap();
    assert_eq!(change.files.first().and_then(|file| file.after.as_deref()), Some("pub fn b() {}\n"));
    assert_eq!(change.notes, ["2 duplicate edits were sent; each is made once."]);
    let error = plan_change(&tree, &[replace("b"), replace("c")]).unwrap_err();
    assert!(matches!(error, EditError::Overlap { .. }), "{error}");
    let moves = json!({"documentChanges": [
        document(&tree.uri("a.rs"), &[text_edit((0, 0), (0, 0), "x")]),
        {"kind": "create", "uri": tree.uri("new")},
    ]});
    let error = plan_change(&tree, &[moves, insert]).unwrap_err();
    assert!(matches!(error, EditError::Disagree { .. }), "{error}");
}

/// Renders a change: `action path (edits): text after`, then the notes.
fn show(tree: &Tree, change: &ComputedChange) -> String {
    let mut rendered = String::new();
    for file in &change.files {
        let from = file.old_path.as_ref().map(|from| format!(" from {}", tree.relative(from))).unwrap_or_default();
        let (path, after) = (tree.relative(&file.path), file.after.as_deref());
        writeln!(rendered, "{:?} {path}{from} ({}): {after:?}", file.action, file.edits).unwrap();
    }
    for note in &change.notes {
        writeln!(rendered, "note: {note}").unwrap();
    }
    rendered
}

fn with_annotation(mut change: Value, id: &str) -> Value {
    change["annotationId"] = json!(id);
    change
}

/// rust-analyzer's response for the rename of a module: text edits and a file's move in one list, and its table of
/// annotations, which it always sends.
fn module_rename(tree: &Tree, edited: impl Fn(Value) -> Value) -> Value {
    let edit = |line, column| edited(text_edit((line, column), (line, column + 5), "figure"));
    json!({
        "documentChanges": [
            {"textDocument": {"uri": tree.uri("src/lib.rs"), "version": 1}, "edits": [edit(1, 4)]},
            {"textDocument": {"uri": tree.uri("src/report.rs"), "version": null}, "edits": [edit(0, 11), edit(1, 11)]},
            edited(json!({"kind": "rename", "oldUri": tree.uri("src/shape.rs"), "newUri": tree.uri("src/figure.rs")})),
        ],
        "changeAnnotations": {
            "OutsideWorkspace": {
                "label": "Edit outside of the workspace",
                "needsConfirmation": true,
                "description": "This edit lies outside of the workspace and may affect dependencies",
            },
        },
    })
}

#[test]
fn a_renamed_module_is_edited_and_moved() {
    let tree = Tree::new(&[
        ("src/lib.rs", "mod report;\nmod shape;\n"),
        ("src/report.rs", "use crate::response_check::A;\nuse crate::response_check::B;\n"),
        ("src/shape.rs", "pub struct A;\n"),
    ]);
    let change = plan_change(&tree, &[module_rename(&tree, |plain| plain)]).unwrap();
    insta::assert_snapshot!(show(&tree, &change), @r#"
    Rename src/figure.rs from src/shape.rs (0): None
    Edit src/lib.rs (1): Some("mod report;\nmod figure;\n")
    Edit src/report.rs (2): Some("use crate::figurense_check::A;\nuse crate::figurense_check::B;\n")
    "#);
    let with_note =
        plan_change(&tree, &[module_rename(&tree, |change| with_annotation(change, "OutsideWorkspace"))]).unwrap();
    assert_eq!(with_note.files, change.files);
    insta::assert_snapshot!(with_note.notes.join("\n"), @"The server requires confirmation: Edit outside of the workspace (This edit lies outside of the workspace and may affect dependencies).");
}

#[test]
fn annotations_that_something_refers_to_become_notes() {
    let tree = tree();
    let confirm = |label: &str| json!({"label": label, "needsConfirmation": true});
    let edit = json!({
        "documentChanges": [
            document(&tree.uri("a.rs"), &[
                with_annotation(text_edit((0, 3), (0, 4), "b"), "comment"),
                with_annotation(text_edit((0, 5), (0, 5), "_"), "comment"),
                with_annotation(text_edit((0, 6), (0, 6), "_"), "harmless"),
                with_annotation(text_edit((0, 7), (0, 7), "_"), "not in the table"),
            ]),
            with_annotation(json!({"kind": "create", "uri": tree.uri("new")}), "create"),
            with_annotation(json!({"kind": "rename", "oldUri": tree.uri("new"), "newUri": tree.uri("newer")}), "rename"),
            with_annotation(json!({"kind": "delete", "uri": tree.uri("d/x")}), "delete"),
        ],
        "changeAnnotations": {
            "comment": {"label": "In a comment\u{1b}[31m", "needsConfirmation": true, "description": "may be wrong"},
            "harmless": {"label": "Harmless"},
            "create": confirm("A new file"),
            "rename": confirm("A file moves"),
            "delete": confirm("A file goes"),
            "unused": confirm("Nothing refers to this"),
            "unused and damaged": 3,
        },
    });
    let change = plan_change(&tree, &[edit]).unwrap();
    insta::assert_snapshot!(change.notes.join("\n"), @"
    The server requires confirmation: In a comment[31m (may be wrong).
    The server requires confirmation: A new file.
    The server requires confirmation: A file goes.
    The server requires confirmation: A file moves.
    ");
}

/// Lists of changes with a valid first change and one invalid part.
#[test]
fn invalid_workspace_edits_are_rejected() {
    let tree = tree();
    let valid = document(&tree.uri("a.rs"), &[text_edit((0, 0), (0, 0), "x")]);
    let changes = |change: Value| json!({"documentChanges": [valid, change]});
    let edits = |edit: Value| changes(document(&tree.uri("d/x"), &[edit]));
    let range = text_edit((0, 0), (0, 0), "x")["range"].clone();
    let mut messages = String::new();
    for edit in [
        json!(null),
        json!([valid]),
        json!({"documentChanges": valid}),
        json!({"changes": [valid]}),
        json!({"changes": {tree.uri("a.rs"): [text_edit((0, 0), (0, 0), "x")], tree.uri("d/x"): 3}}),
        changes(json!(null)),
        changes(json!({"kind": "copy", "uri": tree.uri("d/x")})),
        changes(json!({"kind": 3, "uri": tree.uri("d/x")})),
        changes(json!({"kind": "create"})),
        changes(json!({"kind": "rename", "oldUri": tree.uri("d/x")})),
        changes(json!({"kind": "delete", "uri": tree.uri("d/x"), "options": {"recursive": "yes"}})),
        changes(json!({"edits": []})),
        changes(json!({"textDocument": {"uri": tree.uri("d/x"), "version": "1"}, "edits": []})),
        edits(json!({"range": range})),
        edits(json!({"newText": "x"})),
        edits(
            json!({"range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}, "newText": "x"}),
        ),
        edits(json!({"range": range, "newText": {"\u{1b}[31m": "x".repeat(1_000)}})),
        edits(json!({"range": range, "newText": "$0", "insertTextFormat": 2})),
        json!({
            "documentChanges": [document(&tree.uri("a.rs"), &[with_annotation(text_edit((0, 0), (0, 0), "x"), "one")])],
            "changeAnnotations": {"one": 3},
        }),
    ] {
        messages.push_str(&refusal(&tree, &edit));
        messages.push('\n');
    }
    insta::assert_snapshot!(messages, @r#"
    the server's edit is not a workspace edit: it is not an object
    the server's edit is not a workspace edit: it is not an object
    the server's edit is not a workspace edit: `documentChanges` is not a list
    the server's edit is not a workspace edit: `changes` is not an object
    the server's edit is not a workspace edit: number 2 of its `changes` cannot be read: invalid type: integer `3`, expected a sequence
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: it is not an object
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: its `kind` is not `create`, `rename` or `delete`
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: its `kind` is not `create`, `rename` or `delete`
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: missing field `uri`
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: missing field `newUri`
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: invalid type: string "yes", expected a boolean
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: missing field `textDocument`
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: invalid type: string "1", expected i32
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: a text edit has neither `newText` nor `snippet`
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: missing field `range`
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: invalid value: integer `-1`, expected u32
    the server's edit is not a workspace edit: number 2 of its `documentChanges` cannot be read: invalid type: map, expected a string
    the edit of `d/x` is a snippet with placeholders, which zubi does not support
    the server's edit is not a workspace edit: an annotation it refers to cannot be read: invalid type: integer `3`, expected struct ChangeAnnotation
    "#);
}

/// Fields that servers omit, send as `null` or add to LSP's.
#[test]
fn optional_and_unknown_fields_are_accepted() {
    let tree = tree();
    let edit = json!({
        "documentChanges": [
            {
                "kind": null,
                "textDocument": {"uri": tree.uri("a.rs"), "languageId": "rust"},
                "edits": [{
                    "range": text_edit((0, 3), (0, 4), "")["range"],
                    "newText": "b",
                    "annotationId": null,
                    "snippet": null,
                    "insertTextFormat": 1,
                    "data": [],
                }],
            },
            {"kind": "create", "uri": tree.uri("new"), "options": null, "annotationId": null},
        ],
        "changes": null,
        "changeAnnotations": null,
    });
    insta::assert_snapshot!(show(&tree, &plan_change(&tree, &[edit]).unwrap()), @r#"
    Edit a.rs (1): Some("fn b() {}\n")
    Create new (0): Some("")
    "#);
}

#[test]
fn options_of_file_operations() {
    let tree = tree();
    let edits = [
        json!({"kind": "create", "uri": tree.uri("a.rs"), "options": {"ignoreIfExists": true}}),
        json!({"kind": "delete", "uri": tree.uri("none"), "options": {"ignoreIfNotExists": true}}),
        json!({"kind": "rename", "oldUri": tree.uri("a.rs"), "newUri": tree.uri("d/x"), "options": {"ignoreIfExists": true}}),
        json!({"kind": "rename", "oldUri": tree.uri("a.rs"), "newUri": tree.uri("a.rs")}),
    ];
    for edit in &edits {
        let error = plan_change(&tree, &[json!({"documentChanges": [edit]})]).unwrap_err();
        assert!(matches!(error, EditError::Nothing), "{error}");
    }
    let overwrite =
        json!({"kind": "create", "uri": tree.uri("a.rs"), "options": {"overwrite": true, "ignoreIfExists": true}});
    let change = plan_change(&tree, &[json!({"documentChanges": [overwrite]})]).unwrap();
    assert_eq!(change.files.first().and_then(|file| file.after.as_deref()), Some(""), "overwrite wins");
}

/// A text at version 7 in an editor, with unsaved changes.
struct Open;

#[async_trait]
impl TextSource for Open {
    async fn read(&self, _path: &Utf8Path) -> Result<SourceText, ReadError> {
        Ok(SourceText { text: "unsaved\n".into(), bom: false, origin: TextOrigin::Editor { version: 7 } })
    }
}

#[test]
fn versions_of_open_documents_must_match() {
    let tree = tree();
    let edit = |version: i32| {
        json!({"documentChanges": [{
            "textDocument": {"uri": tree.uri("a.rs"), "version": version},
            "edits": [text_edit((0, 0), (0, 2), "")],
        }]})
    };
    let plan_change = |edit: &Value| {
        let edits = [ServerEdit { edit, encoding: Encoding::Utf16 }];
        tree.run(ComputedChange::from_workspace_edits(&edits, &Open, &tree.workspace()))
    };
    let error = plan_change(&edit(6)).unwrap_err();
    assert_eq!(error.to_string(), "the edit is for version 6 of `a.rs`, but the editor has version 7");
    let change = plan_change(&edit(7)).unwrap();
    assert_eq!(change.files.first().and_then(|file| file.after.as_deref()), Some("saved\n"));
    let expected = BaseText {
        path: tree.root.join("a.rs"),
        origin: TextOrigin::Editor { version: 7 },
        hash: ContentHash::from_bytes(b"unsaved\n"),
    };
    assert_eq!(change.based_on, [expected]);
}

#[test]
fn limits() {
    let tree = Tree::new(&[("a", "a\n")]);
    let edits = vec![text_edit((0, 0), (0, 0), "x"); MAX_EDITS + 1];
    let error = plan_change(&tree, &[json!({"documentChanges": [document(&tree.uri("a"), &edits)]})]).unwrap_err();
    assert_eq!(error.to_string(), format!("the edit is too large: more than {MAX_EDITS} text edits"));
    let many: Vec<_> = (0..=MAX_FILES).map(|n| json!({"kind": "create", "uri": tree.uri(&format!("f{n}"))})).collect();
    let error = plan_change(&tree, &[json!({"documentChanges": many})]).unwrap_err();
    assert_eq!(error.to_string(), format!("the edit is too large: more than {MAX_FILES} files"));
    let large = "x".repeat(7 << 20);
    let full_file = |n: usize| {
        let uri = tree.uri(&format!("f{n}"));
        [json!({"kind": "create", "uri": uri}), document(&uri, &[text_edit((0, 0), (0, 0), &large)])]
    };
    let edits: Vec<_> = (0..10).flat_map(full_file).collect();
    let error = plan_change(&tree, &[json!({"documentChanges": edits})]).unwrap_err();
    assert_eq!(error.to_string(), "the edit is too large: more than 64 MiB of text in all");
}
