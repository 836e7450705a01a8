//! Tests of random edits with file operations on a real tree, against a model that applies them one by one in memory.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use zubi_base::position::Encoding;

use super::tree::{Tree, TreeEntry};
use crate::edit::EditError;

/// One operation that a server can request. Paths are relative to the workspace.
#[derive(Debug, Clone)]
enum Operation {
    /// Inserts the text at the start of the file.
    Insert(&'static str, String),
    Create {
        path: &'static str,
        overwrite: bool,
        ignore: bool,
    },
    Rename {
        from: &'static str,
        to: &'static str,
        overwrite: bool,
        ignore: bool,
    },
    Delete {
        path: &'static str,
        recursive: bool,
        ignore: bool,
    },
}

const PATHS: [&str; 9] = ["a", "b", "d", "d/x", "d/e/y", "d/e", "n", "n/z", "d/e/new"];

fn operation() -> impl Strategy<Value = Operation> {
    let path = || prop::sample::select(PATHS.to_vec());
    prop_oneof![
        3 => (path(), "[uvw]{1,3}\n").prop_map(|(path, text)| Operation::Insert(path, text)),
        2 => (path(), any::<bool>(), any::<bool>()).prop_map(|(path, overwrite, ignore)| Operation::Create { path, overwrite, ignore }),
        3 => (path(), path(), any::<bool>(), any::<bool>())
            .prop_map(|(from, to, overwrite, ignore)| Operation::Rename { from, to, overwrite, ignore }),
        2 => (path(), any::<bool>(), any::<bool>()).prop_map(|(path, recursive, ignore)| Operation::Delete { path, recursive, ignore }),
    ]
}

fn as_json(operations: &[Operation], tree: &Tree) -> serde_json::Value {
    let operation = |operation: &Operation| match operation {
        Operation::Insert(path, text) => {
            let start = serde_json::json!({"line": 0, "character": 0});
            serde_json::json!({
                "textDocument": {"uri": tree.uri(path), "version": null},
                "edits": [{"range": {"start": start, "end": start}, "newText": text}],
            })
        }
        Operation::Create { path, overwrite, ignore } => serde_json::json!({
            "kind": "create", "uri": tree.uri(path), "options": {"overwrite": overwrite, "ignoreIfExists": ignore},
        }),
        Operation::Rename { from, to, overwrite, ignore } => serde_json::json!({
            "kind": "rename", "oldUri": tree.uri(from), "newUri": tree.uri(to),
            "options": {"overwrite": overwrite, "ignoreIfExists": ignore},
        }),
        Operation::Delete { path, recursive, ignore } => serde_json::json!({
            "kind": "delete", "uri": tree.uri(path), "options": {"recursive": recursive, "ignoreIfNotExists": ignore},
        }),
    };
    serde_json::json!({ "documentChanges": operations.iter().map(operation).collect::<Vec<_>>() })
}

/// Files with their texts, and directories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Model {
    files: BTreeMap<String, String>,
    directories: BTreeSet<String>,
    /// Inserts since the last file operation, which all refer to the text before them, so that the first stays first.
    batch: BTreeMap<String, String>,
}

fn strip_directory<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.strip_prefix(directory)?.strip_prefix('/')
}

impl Model {
    fn from_tree(tree: &Tree) -> Self {
        let mut model = Self::default();
        for (path, entry) in tree.state() {
            match entry {
                TreeEntry::File { bytes, .. } => drop(model.files.insert(path, String::from_utf8(bytes).unwrap())),
                TreeEntry::Directory { .. } => drop(model.directories.insert(path)),
                TreeEntry::Link(_) => {}
            }
        }
        model
    }

    fn flush(&mut self) {
        for (path, text) in std::mem::take(&mut self.batch) {
            self.files.get_mut(&path).unwrap().insert_str(0, &text);
        }
    }

    fn create_parents(&mut self, path: &str) -> Option<()> {
        let mut above = path;
        while let Some((parent, _)) = above.rsplit_once('/') {
            if self.files.contains_key(parent) {
                return None;
            }
            self.directories.insert(parent.to_owned());
            above = parent;
        }
        Some(())
    }

    /// Returns `None` if the model refuses the operation.
    fn apply(&mut self, operation: &Operation) -> Option<()> {
        if !matches!(operation, Operation::Insert(..)) {
            self.flush();
        }
        match operation {
            Operation::Insert(path, text) => {
                self.files.contains_key(*path).then(|| self.batch.entry((*path).to_owned()).or_default().push_str(text))
            }
            Operation::Create { path, .. } if self.directories.contains(*path) => None,
            Operation::Create { path, overwrite, ignore } if self.files.contains_key(*path) => {
                if *overwrite {
                    self.files.insert((*path).to_owned(), String::new());
                }
                (*overwrite || *ignore).then_some(())
            }
            Operation::Create { path, .. } => {
                self.create_parents(path)?;
                self.files.insert((*path).to_owned(), String::new());
                Some(())
            }
            Operation::Rename { from, to, overwrite, ignore } => {
                let directory = self.directories.contains(*from);
                if !directory && !self.files.contains_key(*from) {
                    return None;
                }
                if from == to {
                    return Some(());
                }
                if strip_directory(to, from).is_some() {
                    return None;
                }
                if self.directories.contains(*to) || self.files.contains_key(*to) {
                    let replace = *overwrite && !directory && self.files.contains_key(*to);
                    if !replace {
                        return (!*overwrite && *ignore).then_some(());
                    }
                }
                self.create_parents(to)?;
                let moved = |path: &str| match strip_directory(path, from) {
                    Some(rest) => format!("{to}/{rest}"),
                    None if path == *from => (*to).to_owned(),
                    None => path.to_owned(),
                };
                self.files.remove(*to);
                self.files =
                    std::mem::take(&mut self.files).into_iter().map(|(path, text)| (moved(&path), text)).collect();
                self.directories = std::mem::take(&mut self.directories).iter().map(|path| moved(path)).collect();
                Some(())
            }
            Operation::Delete { path, recursive, ignore } => {
                if self.files.remove(*path).is_some() {
                    return Some(());
                }
                if !self.directories.contains(*path) {
                    return ignore.then_some(());
                }
                let inside = |other: &String| strip_directory(other, path).is_some();
                if !recursive && (self.files.keys().any(inside) || self.directories.iter().any(inside)) {
                    return None;
                }
                self.files.retain(|other, _| !inside(other));
                self.directories.retain(|other| !inside(other) && other != path);
                Some(())
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn equals_the_model_and_undo_restores(operations in prop::collection::vec(operation(), 1..7), windows: bool) {
        let ending = if windows { "\r\n" } else { "\n" };
        let tree = Tree::new(&[("a", &format!("\u{feff}a{ending}")), ("b", "no newline"), ("d/x", &format!("x👍{ending}")), ("d/e/y", "")]);
        #[cfg(unix)]
        tree.set_mode("b", 0o755);
        let before = tree.state();
        let mut model = Model::from_tree(&tree);
        let accepted = operations.iter().all(|operation| model.apply(operation).is_some());
        model.flush();
        tree.run(async {
            let edits = tree.edits();
            match edits.plan("test", &as_json(&operations, &tree), Encoding::Utf16, "server").await {
                Ok(plan) => {
                    prop_assert!(accepted, "planned what should be refused");
                    prop_assert_eq!(tree.state(), before.clone(), "planning writes nothing");
                    edits.apply(&plan.id).await.unwrap();
                    prop_assert_eq!(without_marks(Model::from_tree(&tree)), without_marks(model));
                    edits.undo(&plan.id).await.unwrap();
                }
                Err(EditError::Nothing) => prop_assert!(accepted && without_marks(model) == without_marks(Model::from_tree(&tree))),
                Err(error) => prop_assert!(!accepted, "refused what should be planned: {error}"),
            }
            prop_assert_eq!(tree.state(), before);
            Ok(())
        })?;
    }
}

/// The model inserts text before the byte-order mark and leaves `\n` unchanged. Other tests check marks and endings;
/// this one only checks that no text is lost or misplaced.
fn without_marks(mut model: Model) -> Model {
    for text in model.files.values_mut() {
        *text = text.replace('\u{feff}', "").replace("\r\n", "\n");
    }
    model
}
