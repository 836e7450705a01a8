//! Verification that a model means the same after a rename.
//!
//! The check builds a separate model of the changed texts and compares the targets of all references with the present
//! ones. Elements and references are identified by their numbers, which stay because the trees have the same shape.
//!
//! The check does not read the whole project again. The target of a reference depends only on the declarations of its
//! own file and of those that the file sees ([`visible_files`]), so files that neither change nor see a changed one are
//! left out.

use std::sync::Arc;

use dlang_model::{
    Db, Definition, File, FileModel, ImportOutcome, ImportOutcomes, ModelChange, ModelHost, file_model, project_files,
    resolutions, visible_files,
};
use dlang_syntax::{NodeOrToken, Parse, SyntaxKind, WalkEvent, parse};
use rustc_hash::{FxHashMap, FxHashSet};

use super::RenameError;
use crate::definition::FileRange;
use dlang_model::edit::{TextEdit, apply};

/// Refuses edits that would change how a text is parsed, merge two declarations, or change the target of a reference.
pub(super) fn check(db: &dyn Db, new_name: &str, edits: &[(File, Vec<TextEdit>)]) -> Result<(), RenameError> {
    let texts: FxHashMap<File, String> =
        edits.iter().map(|(file, edits)| (*file, apply(file.text(db), edits))).collect();
    for (file, _) in edits {
        let after = texts.get(file).map(String::as_str).unwrap_or_default();
        if !is_same_shape(&parse(file.text(db)), &parse(after)) {
            return Err(RenameError::Reserved { name: new_name.to_owned(), file: *file });
        }
    }
    let copy = Copy::new(db, &texts);
    for (file, _) in edits {
        let Some(changed) = copy.file(*file) else { continue };
        let (before, after) = (file_model(db, *file), copy.host.query_within(|db| file_model(db, changed)));
        let mut elements = before.index.elements.iter().zip(&after.index.elements);
        if elements.any(|(old, new)| old.is_qualified != new.is_qualified) {
            return Err(RenameError::Length(new_name.to_owned()));
        }
        if let Some(number) = clash(before, after) {
            let element = before.elements.get(number);
            let range = element.map(|element| element.name.unwrap_or(element.keyword)).unwrap_or_default();
            let location = FileRange { file: *file, range };
            return Err(RenameError::Declared { name: new_name.to_owned(), location });
        }
    }
    match copy.difference(db) {
        Some((location, text)) => Err(RenameError::Captured { text, location }),
        None => Ok(()),
    }
}

/// Whether two trees have nodes and tokens of the same kinds.
fn is_same_shape(one: &Parse, other: &Parse) -> bool {
    shape(one).eq(shape(other))
}

/// Returns the kinds of a tree's nodes and tokens, and where each node ends.
fn shape(parse: &Parse) -> impl Iterator<Item = Option<SyntaxKind>> {
    parse.syntax().preorder_with_tokens().filter_map(|event| match event {
        WalkEvent::Enter(NodeOrToken::Node(node)) => Some(Some(node.kind())),
        WalkEvent::Enter(NodeOrToken::Token(token)) => Some(Some(token.kind())),
        WalkEvent::Leave(NodeOrToken::Node(_)) => Some(None),
        WalkEvent::Leave(NodeOrToken::Token(_)) => None,
    })
}

/// Returns an element whose fully qualified name differed from that of another one before and is equal to it
/// afterwards: the number of the other one if its name is unchanged, otherwise of the first of the two.
fn clash(before: &FileModel, after: &FileModel) -> Option<usize> {
    let mut first: FxHashMap<&str, (usize, &str)> = FxHashMap::default();
    let elements = before.index.elements.iter().zip(&after.index.elements).enumerate();
    for (number, (old, new)) in elements {
        let (Some(old), Some(new)) = (old.fqn(), new.fqn()) else { continue };
        let (known, same) = *first.entry(new).or_insert((number, old));
        if same != old.as_str() {
            return Some(if old == new { number } else { known });
        }
    }
    None
}

/// A model of the changed texts, as far as the check needs it.
struct Copy {
    host: ModelHost,
    /// The files of the copy, by the original ones.
    files: FxHashMap<File, File>,
    /// The original files whose references may get other targets, in the order of the project.
    affected: Vec<File>,
}

impl Copy {
    fn new(db: &dyn Db, texts: &FxHashMap<File, String>) -> Self {
        let mut needed: FxHashSet<File> = FxHashSet::default();
        let mut affected = Vec::new();
        for file in project_files(db) {
            let visible = visible_files(db, *file);
            if texts.contains_key(file) || visible.iter().any(|(_, visible)| texts.contains_key(visible)) {
                affected.push(*file);
                needed.insert(*file);
                needed.extend(visible.iter().map(|(_, visible)| *visible));
            }
        }
        // A removed file that is still the target of an import is empty, so it is not missed.
        let needed: Vec<File> = project_files(db).iter().copied().filter(|file| needed.contains(file)).collect();
        let mut host = ModelHost::new();
        host.apply(needed.iter().flat_map(|file| {
            let path = file.path(db).to_owned();
            let text = Arc::from(texts.get(file).map_or(file.text(db), String::as_str));
            let package = file.package(db).map(Arc::from);
            [ModelChange::Text { path: path.clone(), text }, ModelChange::Package { path, package }]
        }));
        let copies = needed.iter().filter_map(|file| Some((*file, host.file(file.path(db))?)));
        let files: FxHashMap<File, File> = copies.collect();
        let imports = |file: &File| ModelChange::Imports {
            path: file.path(db).to_owned(),
            outcomes: outcomes(db, *file, &files),
        };
        host.apply(needed.iter().map(imports));
        Self { host, files, affected }
    }

    fn file(&self, file: File) -> Option<File> {
        self.files.get(&file).copied()
    }

    /// Returns the first reference whose target differs afterwards: its present location, and its written text.
    fn difference(&self, db: &dyn Db) -> Option<(FileRange, String)> {
        for file in &self.affected {
            let Some(copied_file) = self.file(*file) else { continue };
            let (before, after) = (resolutions(db, *file), self.host.query_within(|db| resolutions(db, copied_file)));
            for (id, reference) in file_model(db, *file).numbered_references() {
                let locate = |target: &Definition| self.file(target.file).map(|file| (file, target.number));
                let old_targets = before.targets(id).iter().map(locate);
                let new_targets = after.targets(id).iter().map(|target| Some((target.file, target.number)));
                if !old_targets.eq(new_targets) {
                    let location = FileRange { file: *file, range: reference.range };
                    return Some((location, reference.text.to_string()));
                }
            }
        }
        None
    }
}

/// Returns the outcomes of a file's imports, mapped to the files of the new model.
fn outcomes(db: &dyn Db, file: File, files: &FxHashMap<File, File>) -> ImportOutcomes {
    let imports = &file_model(db, file).index.imports;
    let specifiers = imports.iter().filter_map(|import| import.specifier.as_deref());
    let target = |specifier: &str| match file.import_outcomes(db).get(specifier) {
        Some(ImportOutcome::File(target)) => files.get(target).copied(),
        _ => None,
    };
    specifiers.filter_map(|it| Some((it.to_owned(), ImportOutcome::File(target(it)?)))).collect()
}
