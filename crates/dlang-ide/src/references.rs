//! All occurrences of the entity that a word names.
//!
//! Occurrences are single words: in `lib.Shop.Orders`, the word that names the requested entity; for an element, the
//! last one. So another name can replace exactly the occurrence, and a highlight marks exactly the word.
//!
//! `this` is not a name, and therefore not an occurrence of its context; a request at `this` refers to its context.

use dlang_model::{Db, File, project_files, usages_in};
use dlang_syntax::{TextRange, TextSize};

use crate::definition::declarations;
use crate::symbol::{NameAt, NamedEntity, alias_of, name_at, targets, words_after};
use crate::words::words;

/// A location that names an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    pub file: File,
    /// The word that names the entity.
    pub range: TextRange,
    /// Whether it is a declaration and not a reference.
    pub is_declaration: bool,
}

/// Returns all occurrences in the project of the entity that the word at an offset names: elements, namespaces, aliases
/// of imports. They are in the order of files and of their texts. The result is empty if there is no name at the
/// offset, or one that does not resolve.
pub fn references(db: &dyn Db, file: File, offset: TextSize, include_declaration: bool) -> Vec<Occurrence> {
    let subjects = subjects_at(db, file, offset);
    let found = project_files(db).iter().flat_map(|file| occurrences(db, *file, &subjects));
    found.filter(|occurrence| include_declaration || !occurrence.is_declaration).collect()
}

/// Returns the declarations (writes) and references (reads), in the file of the offset, of the entity that its word
/// names.
pub fn highlights(db: &dyn Db, file: File, offset: TextSize) -> Vec<Occurrence> {
    occurrences(db, file, &subjects_at(db, file, offset))
}

fn subjects_at(db: &dyn Db, file: File, offset: TextSize) -> Vec<NamedEntity> {
    match name_at(db, file, offset) {
        Some(NameAt::Word { subjects, .. }) => subjects,
        Some(NameAt::This { context, .. }) => context.map(NamedEntity::Element).into_iter().collect(),
        Some(NameAt::Import { .. }) | None => Vec::new(),
    }
}

/// Returns the occurrences of these entities in a file, in the order of the text.
pub(crate) fn occurrences(db: &dyn Db, file: File, subjects: &[NamedEntity]) -> Vec<Occurrence> {
    let mut found = Vec::new();
    for subject in subjects {
        let declared = match subject {
            // The blocks may be in many files; only those of this file count.
            NamedEntity::Namespace(namespace) => {
                namespace.blocks(db, file).into_iter().map(|(_, range)| range).collect()
            }
            _ => focus_ranges(file, declarations(db, subject)),
        };
        found.extend(declared.into_iter().map(|range| Occurrence { file, range, is_declaration: true }));
        let usages = uses(db, file, subject).into_iter();
        found.extend(usages.map(|range| Occurrence { file, range, is_declaration: false }));
    }
    found.sort_by_key(|occurrence| occurrence.range.start());
    found.dedup();
    found
}

fn focus_ranges(file: File, targets: Vec<crate::definition::Target>) -> Vec<TextRange> {
    targets.into_iter().filter(|target| target.file == file).map(|target| target.focus).collect()
}

/// Returns the words of a file's references that name an entity.
fn uses(db: &dyn Db, file: File, subject: &NamedEntity) -> Vec<TextRange> {
    let text = file.text(db);
    // The word of a reference that `after` others follow.
    let word = |range: TextRange, after: usize| words(text, range).iter().rev().nth(after).map(|word| word.range);
    match subject {
        NamedEntity::Element(definition) => {
            usages_in(db, file, *definition).iter().filter_map(|usage| word(usage.range, 0)).collect()
        }
        NamedEntity::Namespace(namespace) => {
            let name = namespace.path.rsplit('.').next().unwrap_or_default();
            let mut found = Vec::new();
            for (reference, targets) in targets(db, file, |reference| reference.text.split('.').any(|it| it == name)) {
                // An entry of a map may mean elements of several namespaces.
                let mut following: Vec<usize> =
                    targets.iter().filter_map(|target| words_after(db, reference, *target, namespace)).collect();
                following.sort_unstable();
                following.dedup();
                found.extend(following.into_iter().filter_map(|following| word(reference.range, following)));
            }
            found
        }
        NamedEntity::Alias { file: owner, name } if *owner == file => {
            let has_alias = |text: &str| text.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
            let references = targets(db, file, |reference| has_alias(&reference.text));
            let is_alias = references.into_iter().filter(|(reference, targets)| {
                targets.iter().any(|target| alias_of(db, reference, *target) == Some(name.as_str()))
            });
            is_alias.filter_map(|(it, _)| words(text, it.range).first().map(|word| word.range)).collect()
        }
        NamedEntity::Alias { .. } | NamedEntity::Entry { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
