//! Tests of changes that the editor applies in part and the disk sink otherwise.

use std::sync::Mutex;

use zubi_base::clock::FixedClock;
use zubi_base::text::{ChangedFile, DiskText, EditorSink};

use super::tree::{self, Tree};
use super::{changes, insert};
use crate::edit::*;

/// An editor that has some files open, saves everything, and records the requests it gets.
struct Editor {
    open: Vec<Utf8PathBuf>,
    disk: DiskSink,
    refuses: bool,
    /// Whether the process ends while the editor makes its part: the editor makes it, and nothing more happens.
    ends_process: bool,
    ended: tokio::sync::Notify,
    /// A file that an extension writes when a file moves.
    extension_write: Option<(Utf8PathBuf, &'static str)>,
    requests: Mutex<Vec<String>>,
}

impl Editor {
    fn new(tree: &Tree, open: &[&str]) -> Self {
        Self {
            open: open.iter().map(|path| tree.root.join(path)).collect(),
            disk: DiskSink::new(&tree.state_dir),
            refuses: false,
            ends_process: false,
            ended: tokio::sync::Notify::new(),
            extension_write: None,
            requests: Mutex::default(),
        }
    }
}

#[async_trait::async_trait]
impl EditSink for Editor {
    async fn apply(&self, operations: &[FileOperation], options: &EditOptions) -> Result<EditOutcome, SinkError> {
        let name = |operation: &FileOperation| operation.path().file_name().unwrap().to_owned();
        let request = operations.iter().map(name).collect::<Vec<_>>().join(" ");
        self.requests.lock().unwrap().push(request);
        if self.refuses {
            return Err(SinkError::Refused { reason: "not now".to_owned() });
        }
        self.disk.apply(operations, options).await?;
        if self.ends_process {
            self.ended.notify_one();
            return std::future::pending().await;
        }
        let mut outcome = EditOutcome::default();
        if let (Some((path, text)), false) = (&self.extension_write, options.exact) {
            let before = zubi_base::fs::read_bytes(path).unwrap();
            zubi_base::fs::write_atomic(path, text.as_bytes()).unwrap();
            outcome.changed.push(ChangedFile { path: path.clone(), before, after: text.as_bytes().to_vec() });
        }
        Ok(outcome)
    }
}

impl EditorSink for Editor {
    fn has_open(&self, path: &Utf8Path) -> bool {
        self.open.iter().any(|open| open.starts_with(path))
    }
}

struct FakeEditor {
    tree: Tree,
    editor: Arc<Editor>,
    edits: EditService,
}

impl FakeEditor {
    /// Creates a tree in which these files are open in the editor.
    fn new(open: &[&str], refuses: bool, extension_write: Option<(&str, &'static str)>) -> Self {
        let tree = Tree::new(&[("a", "a\n"), ("b", "b\n"), ("d/c", "c\n")]);
        let extension_write = extension_write.map(|(path, text)| (tree.root.join(path), text));
        let editor = Editor { refuses, extension_write, ..Editor::new(&tree, open) };
        Self::with_editor(tree, editor)
    }

    fn with_editor(tree: Tree, editor: Editor) -> Self {
        let editor = Arc::new(editor);
        let live = Arc::clone(&editor) as Arc<dyn EditorSink>;
        let sink = Arc::new(EditorOrDiskSink::new(DiskSink::new(&tree.state_dir), live, Arc::new(DiskText)));
        let clock = Arc::new(FixedClock(tree::NOW));
        let edits = EditService::new(tree.workspace(), Arc::new(DiskText), sink, &tree.state_dir, clock);
        Self { tree, editor, edits }
    }

    /// Applies an edit in a process that ends while the editor makes its part; returns the editor's next process.
    fn end_process(self, edit: &Value, open: &[&str]) -> Self {
        self.tree.run(async {
            let plan = self.edits.plan("test", edit, Encoding::Utf16, "server").await.unwrap();
            let edits = self.edits.clone();
            tokio::spawn(async move { edits.apply(&plan.id).await });
            self.editor.ended.notified().await;
        });
        let editor = Editor::new(&self.tree, open);
        Self::with_editor(self.tree, editor)
    }

    /// Plans and applies an edit, and undoes it if it was made; returns the requests to the editor and the tree in
    /// between.
    fn check(&self, edit: &Value, options: EditOptions) -> String {
        let before = self.tree.state();
        let rendered = self.tree.run(async {
            let plan = self.edits.plan("test", edit, Encoding::Utf16, "server").await.unwrap();
            let rendered = match self.edits.apply_as(&plan.id, options).await {
                Ok(_) => {
                    let rendered = self.tree.show();
                    self.edits.undo(&plan.id).await.unwrap();
                    rendered
                }
                Err(error) => error.to_string(),
            };
            format!("{:?}\n{rendered}", std::mem::take(&mut *self.editor.requests.lock().unwrap()))
        });
        assert_eq!(self.tree.state(), before);
        rendered
    }

    fn rename(&self, from: &str, to: &str) -> Value {
        rename_in(&self.tree, from, to)
    }
}

fn rename_in(tree: &Tree, from: &str, to: &str) -> Value {
    serde_json::json!({ "kind": "rename", "oldUri": tree.uri(from), "newUri": tree.uri(to) })
}

#[test]
fn parts_are_applied_in_editor_or_on_disk_and_undone() {
    let fake_editor = FakeEditor::new(&["a"], false, None);
    let edit = changes(&[insert(&fake_editor.tree.uri("a"), 0, "1\n"), insert(&fake_editor.tree.uri("b"), 0, "2\n")]);
    insta::assert_snapshot!(fake_editor.check(&edit, EditOptions::default()), @r#"
    ["a", "a"]
    a: "1\na\n"
    b: "2\nb\n"
    d/
    d/c: "c\n"
    "#);
    // An open file that moves takes its text edits along; its folder moves on disk.
    let moves = [
        fake_editor.rename("a", "new/a"),
        insert(&fake_editor.tree.uri("new/a"), 0, "1\n"),
        insert(&fake_editor.tree.uri("b"), 0, "2\n"),
    ];
    insta::assert_snapshot!(fake_editor.check(&changes(&moves), EditOptions::default()), @r#"
    ["a a"]
    b: "2\nb\n"
    d/
    d/c: "c\n"
    new/
    new/a: "1\na\n"
    "#);
    // A file that is not open moves on disk, unless extensions should follow it.
    insta::assert_snapshot!(fake_editor.check(&changes(&[fake_editor.rename("d/c", "c")]), EditOptions::default()), @r#"
    []
    a: "a\n"
    b: "b\n"
    c: "c\n"
    d/
    "#);
    let followed = EditOptions { followed: true, ..EditOptions::default() };
    insta::assert_snapshot!(fake_editor.check(&changes(&[fake_editor.rename("d/c", "c")]), followed), @r#"
    ["c"]
    a: "a\n"
    b: "b\n"
    c: "c\n"
    d/
    "#);
}

#[test]
fn disk_changes_are_reverted_if_the_editor_refuses() {
    let fake_editor = FakeEditor::new(&["a"], true, None);
    let edit = changes(&[insert(&fake_editor.tree.uri("a"), 0, "1\n"), insert(&fake_editor.tree.uri("b"), 0, "2\n")]);
    insta::assert_snapshot!(fake_editor.check(&edit, EditOptions::default()), @r#"
    ["a"]
    the editor refused the edit: not now (nothing was written)
    "#);
    let moves = changes(&[fake_editor.rename("a", "new/a")]);
    insta::assert_snapshot!(fake_editor.check(&moves, EditOptions::default()), @r#"
    ["a"]
    the editor refused the edit: not now (nothing was written)
    "#);
}

#[test]
fn a_change_is_whole_if_the_process_ends_during_the_editors_part() {
    // Nothing follows the editor's part, so the change is complete.
    let tree = Tree::new(&[("a", "a\n"), ("b", "b\n")]);
    let edit = changes(&[insert(&tree.uri("a"), 0, "1\n"), insert(&tree.uri("b"), 0, "2\n")]);
    let editor = Editor { ends_process: true, ..Editor::new(&tree, &["a"]) };
    let next = FakeEditor::with_editor(tree, editor).end_process(&edit, &["a"]);
    assert_eq!(next.edits.recover_now().unwrap(), RecoveredChanges::default(), "the editor's texts are not known yet");
    next.tree.run(next.edits.recover()).unwrap();
    assert_eq!(next.tree.show(), "a: \"1\\na\\n\"\nb: \"2\\nb\\n\"\n");
    let notes = next.edits.take_recovery_notes().join("\n");
    assert!(notes.contains("was complete before its process was ended"), "{notes}");

    // A step on disk must follow, so the editor takes its part back.
    let tree = Tree::new(&[("a", "a\n"), ("b", "b\n")]);
    let before = tree.state();
    let edit = changes(&[rename_in(&tree, "a", "c"), rename_in(&tree, "b", "a")]);
    let editor = Editor { ends_process: true, ..Editor::new(&tree, &["a"]) };
    let next = FakeEditor::with_editor(tree, editor).end_process(&edit, &["c"]);
    assert_ne!(next.tree.state(), before, "the editor has made its part");
    assert_eq!(next.tree.run(next.edits.recover()).unwrap().reverted, 1);
    assert_eq!(next.tree.state(), before);
    assert_eq!(*next.editor.requests.lock().unwrap(), ["a"]);

    // Without an editor, the same happens on disk, and the note names what the editor may still show.
    let tree = Tree::new(&[("a", "a\n"), ("b", "b\n"), ("d", "d\n")]);
    let before = tree.state();
    let edit = [rename_in(&tree, "a", "c"), insert(&tree.uri("b"), 0, "1\n"), rename_in(&tree, "d", "a")];
    let editor = Editor { ends_process: true, ..Editor::new(&tree, &["a", "b"]) };
    let next = FakeEditor::with_editor(tree, editor).end_process(&changes(&edit), &[]);
    assert!(next.tree.show().contains("b: \"1\\nb\\n\""), "the editor has saved its part");
    let headless = next.tree.edits();
    assert_eq!(headless.recover_now().unwrap().reverted, 1);
    assert_eq!(next.tree.state(), before);
    let notes = headless.take_recovery_notes().join("\n");
    assert!(notes.contains("check the unsaved text of `c`, `b` in the editor"), "{notes}");
}

#[test]
fn changes_of_an_extension_are_reverted_too() {
    let fake_editor = FakeEditor::new(&["a"], false, Some(("b", "b follows\n")));
    insta::assert_snapshot!(fake_editor.check(&changes(&[fake_editor.rename("a", "c")]), EditOptions::default()), @r#"
    ["c"]
    b: "b follows\n"
    c: "a\n"
    d/
    d/c: "c\n"
    "#);
}

#[test]
fn editor_settings_are_stored_with_the_undo() {
    let plan = r#"{"operations":[],"after":[]}"#;
    let undo: plan::Undo = serde_json::from_str(plan).unwrap();
    assert_eq!(undo.settings, [], "of a plan that an older zubi has stored");
}
