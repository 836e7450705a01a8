//! The properties of explanations and completions at any position of any text. Plain functions, which the fuzz target
//! of DomainLang's model and the tests of `dlang-ide` share. Each panics if a property does not hold.

use std::ops::Range;
use std::sync::Arc;

use dlang_ide::{Completion, CompletionKind, ImportCandidates, Links, completions, hover};
use dlang_model::edit::apply;
use dlang_model::{
    Db, Definition, ElementKind, File, ModelChange, ModelHost, definitions, file_model, project_files, resolutions,
};
use dlang_syntax::{TextRange, TextSize};

/// The maximum number of positions per file.
const MAX_POSITIONS: usize = 8;

/// Queries positions of every file, and inserts some of the completions.
pub fn check_completions(host: &mut ModelHost) {
    for file in project_files(host.db()).to_vec() {
        let length = file.text(host.db()).len();
        for number in 0..=MAX_POSITIONS {
            let text = file.text(host.db());
            let offset = text.floor_char_boundary(length / MAX_POSITIONS * number);
            check_completions_at(host, file, TextSize::try_from(offset).expect("a text with small offsets"));
        }
    }
}

/// Queries one position, and inserts some of the completions.
pub fn check_completions_at(host: &mut ModelHost, file: File, offset: TextSize) {
    let items = check_position(host.db(), file, offset);
    for item in references_among(&items) {
        check_reference(host, file, item);
    }
}

/// A name for an element that is the same in another host.
fn identity(host: &ModelHost, definition: Definition) -> (String, Option<ElementKind>, Option<String>) {
    let db = host.db();
    let path = definition.file.path(db).to_owned();
    (path, definition.kind(db), definition.fqn(db).or(definition.name(db)).map(String::from))
}

/// The elements of a file, in the order of its text.
fn names(host: &ModelHost, file: File) -> Vec<(String, Option<ElementKind>, Option<String>)> {
    definitions(host.db(), file).map(|definition| identity(host, definition)).collect()
}

/// Runs every query at one position, and returns the completions.
pub fn check_position(db: &dyn Db, file: File, offset: TextSize) -> Vec<Completion> {
    let is_in_text = |range: TextRange| file.text(db).get(Range::<usize>::from(range)).is_some();
    let text = file.text(db);
    if let Some(hover) = hover(db, file, offset, Links::FileUri(&|file| file.path(db).to_owned())) {
        assert!(hover.range.contains_inclusive(offset) && !hover.markdown.is_empty());
        assert!(is_in_text(hover.range));
    }
    let items = completions(db, file, offset, &ImportCandidates::default()).items;
    for item in &items {
        assert!(item.edit.range.contains_inclusive(offset), "{item:?}");
        let replaced = text.get(Range::<usize>::from(item.edit.range)).expect("a range in the text");
        assert!(!replaced.contains(['\n', '\r']), "an edit over lines");
    }
    items
}

/// Inserts a completion that is a reference: the inserted reference means the element. Returns whether that could be
/// checked: in a broken text a completion can replace the word that began a declaration. The following braces then
/// belong to other blocks, with other names in scope.
pub fn check_reference(host: &mut ModelHost, file: File, item: &Completion) -> bool {
    let CompletionKind::Element(kind) = item.kind else { return false };
    let (path, text) = (file.path(host.db()).to_owned(), file.text(host.db()).to_owned());
    let expected = identity(host, item.definition.expect("an element"));
    let before = names(host, file);
    let changed = apply(&text, std::slice::from_ref(&item.edit));
    host.apply([ModelChange::Text { path: path.clone(), text: Arc::from(changed.as_str()) }]);
    let db = host.db();
    let id = file_model(db, file).reference_touching(item.edit.range.start() + TextSize::new(1));
    let id = id.unwrap_or_else(|| panic!("no reference after {item:?} in\n{changed}"));
    let is_grouped_as_before = names(host, file) == before;
    if is_grouped_as_before {
        let found: Vec<_> = resolutions(db, file).targets(id).iter().map(|it| identity(host, *it)).collect();
        assert!(found.contains(&expected), "{item:?} means {found:?} in\n{changed}");
        assert_eq!(Some(kind), expected.1);
    }
    host.apply([ModelChange::Text { path, text: Arc::from(text) }]);
    is_grouped_as_before
}

/// Some of the references among completions: the first, the last and one between.
pub fn references_among(items: &[Completion]) -> Vec<&Completion> {
    let references: Vec<_> = items.iter().filter(|item| matches!(item.kind, CompletionKind::Element(_))).collect();
    let chosen = [0, references.len() / 2, references.len().saturating_sub(1)];
    chosen.iter().filter_map(|number| references.get(*number).copied()).collect()
}
