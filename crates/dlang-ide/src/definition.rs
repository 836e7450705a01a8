//! Declarations of the entity that a word names.

use dlang_model::{Db, Definition, File, file_model, project_files};
use dlang_syntax::{TextRange, TextSize};

use crate::symbol::{NameAt, NamedEntity, name_at};

/// A range in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRange {
    pub file: File,
    /// The range in bytes.
    pub range: TextRange,
}

/// The declarations of the entity that a word names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionResult {
    /// The word at the offset; the whole reference if it is the last word, which names the element.
    pub range: TextRange,
    /// The declarations; never empty.
    pub targets: Vec<Target>,
}

/// A declaration, or the file that an import resolves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub file: File,
    /// The whole declaration; for a file, its beginning.
    pub range: TextRange,
    /// The name in the declaration; for a file, its beginning.
    pub focus: TextRange,
}

/// Returns the declarations of the entity that the word at an offset names: an element (a declared name names itself);
/// for an earlier word of a dotted name, all blocks of that namespace; for an alias, its imports; for `this`, the
/// enclosing context; for the string of an import, the file. An entry of a map may name several elements. Returns
/// `None` if there is no name at the offset, or it does not resolve.
pub fn definition(db: &dyn Db, file: File, offset: TextSize) -> Option<DefinitionResult> {
    let (range, targets) = match name_at(db, file, offset)? {
        NameAt::Word { range, subjects, reference } => {
            (reference.unwrap_or(range), subjects.iter().flat_map(|subject| declarations(db, subject)).collect())
        }
        NameAt::This { range, context } => {
            (range, context.and_then(|context| element(db, context)).into_iter().collect())
        }
        NameAt::Import { range, target } => {
            let beginning = TextRange::empty(TextSize::new(0));
            (range, target.map(|file| Target { file, range: beginning, focus: beginning }).into_iter().collect())
        }
    };
    let targets: Vec<Target> = targets;
    (!targets.is_empty()).then_some(DefinitionResult { range, targets })
}

fn element(db: &dyn Db, definition: Definition) -> Option<Target> {
    Some(Target { file: definition.file, range: definition.range(db)?, focus: definition.focus(db)? })
}

/// Returns the declarations of an entity: usually one.
pub(crate) fn declarations(db: &dyn Db, subject: &NamedEntity) -> Vec<Target> {
    match subject {
        NamedEntity::Element(definition) => element(db, *definition).into_iter().collect(),
        NamedEntity::Namespace(namespace) => {
            let files = project_files(db).iter().filter(|file| namespace.files.contains(*file));
            let blocks = files.flat_map(|file| namespace.blocks(db, *file));
            let target = |(block, focus): (Definition, TextRange)| {
                Some(Target { file: block.file, range: block.range(db)?, focus })
            };
            blocks.filter_map(target).collect()
        }
        NamedEntity::Alias { file, name } => {
            let model = file_model(db, *file);
            let imports = model.index.imports.iter().zip(&model.imports);
            let named = imports.filter(|(import, _)| import.alias.as_ref() == Some(name));
            let target = |range, focus| Target { file: *file, range, focus };
            named.filter_map(|(_, data)| Some(target(data.range, data.alias?))).collect()
        }
        NamedEntity::Entry { context, range: name_range } => {
            vec![Target { file: context.file, range: entry_range(db, *context, *name_range), focus: *name_range }]
        }
    }
}

/// Returns the whole range of the term or decision whose name is at `name`.
fn entry_range(db: &dyn Db, context: Definition, name: TextRange) -> TextRange {
    let Some(dlang_model::Body::Context(content)) = context.body(db) else { return name };
    let terms = content.terms.iter().map(|term| (term.name_range, term.range));
    let entries = terms.chain(content.decisions.iter().map(|decision| (decision.name_range, decision.range)));
    entries.filter(|(name_range, _)| *name_range == Some(name)).map(|(_, range)| range).next().unwrap_or(name)
}

#[cfg(test)]
mod tests;
