//! Resolution of a word to the entity that it names.
//!
//! A reference such as `lib.Shop.Orders` names three entities: the files imported as `lib`, the namespace `Shop` in
//! them, and the element. The words are resolved backwards from the target of the whole reference: its last word is the
//! element's name, those before it are the namespaces around the element, and a remaining word is an alias.

use std::sync::Arc;

use dlang_model::{
    Body, Db, Definition, ElementKind, End, File, FileModel, Reference, ReferenceId, containing_context, file_index,
    file_model, imported_files, project_files, resolutions,
};
use dlang_syntax::{TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::words::{count, leading_words, words};

/// A named entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NamedEntity {
    /// An element, other than a namespace with a name.
    Element(Definition),
    /// A namespace.
    Namespace(Namespace),
    /// Everything that a file imports under one alias.
    Alias { file: File, name: SmolStr },
    /// A term or decision of a context. No reference can name it.
    Entry { context: Definition, range: TextRange },
}

/// A namespace: all blocks of one path in files that belong together.
/// Files belong together if one imports the other, directly or indirectly, and both are in the same package or both in
/// none. Unrelated models may each have a namespace of the same name, and a package's namespaces are its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Namespace {
    pub(crate) path: SmolStr,
    pub(crate) files: Arc<FxHashSet<File>>,
}

impl Namespace {
    pub(crate) fn new(db: &dyn Db, path: &str, file: File) -> Self {
        Self { path: SmolStr::new(path), files: Arc::new(files_around(db, file)) }
    }

    /// Returns the range of the namespace's name in a block: the last word of the path. `None` if the block does not
    /// belong to this namespace.
    pub(crate) fn name_range_in(&self, db: &dyn Db, block: Definition) -> Option<TextRange> {
        let fqn = block.fqn(db).filter(|_| block.kind(db) == Some(ElementKind::Namespace))?;
        let rest = fqn.strip_prefix(self.path.as_str())?;
        if !self.files.contains(&block.file) || !(rest.is_empty() || rest.starts_with('.')) {
            return None;
        }
        let own = count(&block.name(db)?);
        let outer = count(&fqn).checked_sub(own)?;
        let number = count(&self.path).checked_sub(outer + 1)?;
        words(block.file.text(db), block.data(db)?.name?).get(number).map(|word| word.range)
    }

    /// Returns the blocks of this namespace in a file, with the range of the name in each.
    pub(crate) fn blocks(&self, db: &dyn Db, file: File) -> Vec<(Definition, TextRange)> {
        let blocks = dlang_model::definitions(db, file);
        blocks.filter_map(|block| Some((block, self.name_range_in(db, block)?))).collect()
    }
}

/// Returns the files that belong together with a file.
fn files_around(db: &dyn Db, file: File) -> FxHashSet<File> {
    let mut neighbours: FxHashMap<File, Vec<File>> = FxHashMap::default();
    for importer in project_files(db) {
        for imported in imported_files(db, *importer).iter().flatten() {
            if importer.package(db) == imported.package(db) {
                neighbours.entry(*importer).or_default().push(*imported);
                neighbours.entry(*imported).or_default().push(*importer);
            }
        }
    }
    let mut found = FxHashSet::from_iter([file]);
    let mut waiting = vec![file];
    while let Some(next) = waiting.pop() {
        let adjacent = neighbours.get(&next).into_iter().flatten();
        waiting.extend(adjacent.filter(|other| found.insert(**other)));
    }
    found
}

/// The name at an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameAt {
    /// A word that names entities: several for an entry of a map with several targets, none for an unresolved
    /// reference.
    Word {
        range: TextRange,
        subjects: Vec<NamedEntity>,
        /// The whole reference, if the word is its last one.
        reference: Option<TextRange>,
    },
    /// `this`, and its context.
    This { range: TextRange, context: Option<Definition> },
    /// The string of an import, and its target.
    Import { range: TextRange, target: Option<File> },
}

/// Returns the name that contains an offset of a file, or ends there.
pub(crate) fn name_at(db: &dyn Db, file: File, offset: TextSize) -> Option<NameAt> {
    let model = file_model(db, file);
    reference_at(db, file, model, offset)
        .or_else(|| import_at(db, file, model, offset))
        .or_else(|| this_at(db, file, model, offset))
        .or_else(|| declared_at(db, file, model, offset))
}

fn reference_at(db: &dyn Db, file: File, model: &FileModel, offset: TextSize) -> Option<NameAt> {
    let id = model.reference_touching(offset)?;
    let reference = model.reference(id)?;
    let words = words(file.text(db), reference.range);
    let number = words.iter().position(|word| word.range.contains_inclusive(offset))?;
    let range = words.get(number)?.range;
    let from_end = words.len() - 1 - number;
    let mut subjects = Vec::new();
    for target in resolutions(db, file).targets(id) {
        let subject = subject_of(db, file, reference, *target, from_end);
        subjects.extend(subject.filter(|subject| !subjects.contains(subject)));
    }
    Some(NameAt::Word { range, subjects, reference: (from_end == 0).then_some(reference.range) })
}

/// Returns the entity that a word of a reference to `target` names. `from_end` words follow it.
fn subject_of(
    db: &dyn Db,
    file: File,
    reference: &Reference,
    target: Definition,
    from_end: usize,
) -> Option<NamedEntity> {
    if from_end == 0 {
        return Some(NamedEntity::Element(target));
    }
    let fqn = target.fqn(db)?;
    match leading_words(&fqn, from_end) {
        Some(path) => Some(NamedEntity::Namespace(Namespace::new(db, path, target.file))),
        None => Some(NamedEntity::Alias { file, name: alias_of(db, reference, target)?.into() }),
    }
}

/// Returns the alias at the beginning of a reference.
pub(crate) fn alias_of<'a>(db: &dyn Db, reference: &'a Reference, target: Definition) -> Option<&'a str> {
    let fqn = target.fqn(db)?;
    let alias = reference.text.strip_suffix(fqn.as_str())?.strip_suffix('.')?;
    (count(&reference.text) == count(&fqn) + 1).then_some(alias)
}

/// Returns how many words of a reference to `target` follow the one that names `namespace`; `None` if no word names it.
pub(crate) fn words_after(
    db: &dyn Db,
    reference: &Reference,
    target: Definition,
    namespace: &Namespace,
) -> Option<usize> {
    if !namespace.files.contains(&target.file) {
        return None;
    }
    let fqn = target.fqn(db)?;
    let rest = fqn.strip_prefix(namespace.path.as_str())?.strip_prefix('.')?;
    Some(count(rest)).filter(|following| *following < count(&reference.text))
}

/// Returns the targets of those references of a file that satisfy `is_match`. A file without one is not resolved.
pub(crate) fn targets(
    db: &dyn Db,
    file: File,
    is_match: impl Fn(&Reference) -> bool,
) -> Vec<(&Reference, &[Definition])> {
    let matching: Vec<(ReferenceId, &Reference)> =
        file_model(db, file).numbered_references().filter(|(_, reference)| is_match(reference)).collect();
    if matching.is_empty() {
        return Vec::new();
    }
    let resolutions = resolutions(db, file);
    matching.into_iter().map(|(id, reference)| (reference, resolutions.targets(id))).collect()
}

fn import_at(db: &dyn Db, file: File, model: &FileModel, offset: TextSize) -> Option<NameAt> {
    let number = model.imports.partition_point(|import| import.range.start() <= offset).checked_sub(1)?;
    let import = model.imports.get(number)?;
    let touches = |range: &TextRange| range.contains_inclusive(offset);
    if let Some(range) = import.alias.filter(touches) {
        let name = file_index(db, file).imports.get(number)?.alias.clone()?;
        return Some(NameAt::Word { range, subjects: vec![NamedEntity::Alias { file, name }], reference: None });
    }
    let range = import.specifier.filter(touches)?;
    let target = imported_files(db, file).get(number).copied().flatten();
    Some(NameAt::Import { range, target })
}

fn this_at(db: &dyn Db, file: File, model: &FileModel, offset: TextSize) -> Option<NameAt> {
    let relationships = &model.relationships;
    let number = relationships.partition_point(|it| it.range.start() <= offset).checked_sub(1)?;
    let relationship = relationships.get(number)?;
    [relationship.left, relationship.right].into_iter().find_map(|end| match end {
        End::This(range) if range.contains_inclusive(offset) => {
            Some(NameAt::This { range, context: containing_context(db, file, relationship) })
        }
        _ => None,
    })
}

/// Returns the declared name at an offset.
fn declared_at(db: &dyn Db, file: File, model: &FileModel, offset: TextSize) -> Option<NameAt> {
    // The name of an element comes before everything that is inside it.
    let number = model.elements.partition_point(|element| element.range.start() <= offset).checked_sub(1)?;
    let element = model.elements.get(number)?;
    let definition = Definition { file, number: u32::try_from(number).ok()? };
    let touches = |range: &TextRange| range.contains_inclusive(offset);
    let word = |range, subject| Some(NameAt::Word { range, subjects: vec![subject], reference: None });
    if let Some(name) = element.name.filter(touches) {
        if definition.kind(db) != Some(ElementKind::Namespace) {
            return word(name, NamedEntity::Element(definition));
        }
        let words = words(file.text(db), name);
        let number = words.iter().position(|word| word.range.contains_inclusive(offset))?;
        let range = words.get(number)?.range;
        let fqn = definition.fqn(db)?;
        let path = leading_words(&fqn, words.len() - 1 - number)?;
        return word(range, NamedEntity::Namespace(Namespace::new(db, path, file)));
    }
    let Body::Context(context) = &element.body else { return None };
    let terms = context.terms.iter().map(|term| term.name_range);
    let range = terms.chain(context.decisions.iter().map(|it| it.name_range)).flatten().find(touches)?;
    word(range, NamedEntity::Entry { context: definition, range })
}
