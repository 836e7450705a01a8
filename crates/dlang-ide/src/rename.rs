//! Rename.
//!
//! A rename replaces only the words that name an entity, not qualifiers or file names. It is complete or refused: every
//! reference of the project must have the same target afterwards, which `check` verifies in a model of the changed
//! texts.
//!
//! A declaration in an installed package cannot be renamed, because other programs may read the package; it must be
//! changed in its own repository.

mod check;
mod error;

use dlang_model::{Body, Db, File, project_files};
use dlang_syntax::{TextRange, TextSize, tokenize};
use smol_str::SmolStr;

pub use self::error::RenameError;
use crate::definition::{FileRange, declarations};
use crate::references::occurrences;
use crate::symbol::{NameAt, NamedEntity, Namespace, name_at};
use crate::words::{is_word, leading_words};
use dlang_model::edit::TextEdit;

/// A name that can be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrepareRename {
    /// The word at the offset.
    pub range: TextRange,
    /// The current name.
    pub text: String,
}

/// Returns the word that a rename at an offset would change.
pub fn prepare_rename(db: &dyn Db, file: File, offset: TextSize) -> Result<PrepareRename, RenameError> {
    subject_at(db, file, offset).map(|(renaming, _)| renaming)
}

/// Returns the edits that rename the entity at an offset: an element, a namespace, an alias of imports, a term or a
/// decision. Each changed file has its edits in text order; the result is empty if the name is the same.
///
/// A reserved word is a valid new name if the rule of `dlang-syntax` reads it as a name at every occurrence.
pub fn rename(
    db: &dyn Db,
    file: File,
    offset: TextSize,
    new_name: &str,
) -> Result<Vec<(File, Vec<TextEdit>)>, RenameError> {
    let (renaming, subject) = subject_at(db, file, offset)?;
    let kinds: Vec<_> = tokenize(new_name).iter().map(|token| token.kind).collect();
    let [kind] = kinds.as_slice() else { return Err(RenameError::NotAName(new_name.to_owned())) };
    if !is_word(*kind) {
        return Err(RenameError::NotAName(new_name.to_owned()));
    }
    if renaming.text == new_name {
        return Ok(Vec::new());
    }
    if let Some(location) = find_conflict(db, &subject, new_name) {
        return Err(RenameError::Declared { name: new_name.to_owned(), location });
    }
    let mut edits = Vec::new();
    for file in project_files(db) {
        let locations = occurrences(db, *file, std::slice::from_ref(&subject));
        if locations.is_empty() {
            continue;
        }
        if file.package(db).is_some() {
            return Err(RenameError::Installed(*file));
        }
        let edit = |range| TextEdit { range, insert: new_name.to_owned() };
        edits.push((*file, locations.into_iter().map(|location| edit(location.range)).collect()));
    }
    check::check(db, new_name, &edits)?;
    Ok(edits)
}

/// Returns the entity to rename at an offset.
fn subject_at(db: &dyn Db, file: File, offset: TextSize) -> Result<(PrepareRename, NamedEntity), RenameError> {
    let (range, subjects) = match name_at(db, file, offset) {
        None => return Err(RenameError::NoName),
        Some(NameAt::Import { .. }) => return Err(RenameError::ImportString),
        Some(NameAt::This { .. }) => return Err(RenameError::This),
        Some(NameAt::Word { range, subjects, .. }) => (range, subjects),
    };
    let subject = match <[NamedEntity; 1]>::try_from(subjects) {
        Ok([subject]) => subject,
        Err(subjects) if subjects.is_empty() => return Err(RenameError::Unresolved),
        Err(subjects) => return Err(RenameError::Ambiguous(subjects.len())),
    };
    let installed = |file: File| file.package(db).is_some();
    if let Some(target) = declarations(db, &subject).into_iter().find(|target| installed(target.file)) {
        return Err(RenameError::Installed(target.file));
    }
    let text = file.text(db).get(std::ops::Range::<usize>::from(range)).unwrap_or_default().to_owned();
    Ok((PrepareRename { range, text }, subject))
}

/// Returns the declaration that already has the name, as far as that can be determined without the changed texts: for
/// an entity that is in no scope of references, or in the scope of another file.
fn find_conflict(db: &dyn Db, subject: &NamedEntity, new_name: &str) -> Option<FileRange> {
    let first = |subject: &NamedEntity| {
        let target = declarations(db, subject).into_iter().next()?;
        Some(FileRange { file: target.file, range: target.focus })
    };
    match subject {
        NamedEntity::Element(_) => None,
        // Two namespaces would merge, and could not be separated again.
        NamedEntity::Namespace(namespace) => {
            let path = match leading_words(&namespace.path, 1) {
                Some(parent) => smol_str::format_smolstr!("{parent}.{new_name}"),
                None => SmolStr::new(new_name),
            };
            first(&NamedEntity::Namespace(Namespace { path, files: namespace.files.clone() }))
        }
        NamedEntity::Alias { file, .. } => first(&NamedEntity::Alias { file: *file, name: SmolStr::new(new_name) }),
        NamedEntity::Entry { context, range: entry_range } => {
            let Some(Body::Context(content)) = context.body(db) else { return None };
            let terms: Vec<_> = content.terms.iter().map(|it| (it.name.as_ref(), it.name_range)).collect();
            let decisions: Vec<_> = content.decisions.iter().map(|it| (it.name.as_ref(), it.name_range)).collect();
            let is_term = terms.iter().any(|(_, range)| *range == Some(*entry_range));
            let others = if is_term { terms } else { decisions };
            let other = others.into_iter().find(|(name, _)| name.is_some_and(|name| name == new_name))?;
            Some(FileRange { file: context.file, range: other.1? })
        }
    }
}

#[cfg(test)]
mod tests;
