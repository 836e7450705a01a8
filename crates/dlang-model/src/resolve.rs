//! What the references of a file mean.

use std::sync::Arc;

use dlang_syntax::ast;
use dlang_syntax::{AstNode as _, TextRange};
use smol_str::SmolStr;

use crate::data::{Reference, ReferenceId};
use crate::db::Db;
use crate::definition::Definition;
use crate::imports::project_files;
use crate::index::file_index;
use crate::inputs::File;
use crate::kind::ElementKind;
use crate::lower::file_model;
use crate::scope::Names;

/// The targets of a file's references, by their numbers.
#[derive(Debug, PartialEq, Eq)]
pub struct Resolutions {
    targets: Box<[Targets]>,
}

/// What a reference means: most often one element.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Targets {
    None,
    One(Definition),
    Many(Box<[Definition]>),
}

impl Resolutions {
    /// Every element that a reference means; more than one only in maps.
    pub fn targets(&self, reference: ReferenceId) -> &[Definition] {
        match self.targets.get(reference.0 as usize) {
            Some(Targets::One(definition)) => std::slice::from_ref(definition),
            Some(Targets::Many(definitions)) => definitions,
            Some(Targets::None) | None => &[],
        }
    }

    /// The element that a reference means, or the first of them.
    pub fn target(&self, reference: ReferenceId) -> Option<Definition> {
        self.targets(reference).first().copied()
    }
}

/// Resolves every reference of a file.
#[salsa::tracked(returns(ref))]
pub fn resolutions(db: &dyn Db, file: File) -> Arc<Resolutions> {
    let model = file_model(db, file);
    let names = Names::new(db, file);
    let targets = model.references.iter().map(|reference| {
        let container = model.index.element(reference.owner).and_then(|owner| owner.container);
        resolve(&names, container, reference)
    });
    Arc::new(Resolutions { targets: targets.collect() })
}

fn resolve(names: &Names<'_>, container: Option<u32>, reference: &Reference) -> Targets {
    let (wanted, name) = (reference.role.expected_kind(), reference.text.as_str());
    if !reference.role.is_many() {
        return names.first(container, wanted, name).map_or(Targets::None, Targets::One);
    }
    let found = names.all(container, wanted, name);
    match found.as_slice() {
        [] => Targets::None,
        [one] => Targets::One(*one),
        _ => Targets::Many(found.into()),
    }
}

/// What a reference of the tree means.
pub fn resolve_reference<'db>(db: &'db dyn Db, file: File, reference: &ast::Reference) -> &'db [Definition] {
    let id = file_model(db, file).reference_at(reference.syntax().text_range());
    id.map(|id| resolutions(db, file).targets(id)).unwrap_or_default()
}

/// What a name would mean if it stood in `container`, or at the root of the file.
pub fn resolve_name(
    db: &dyn Db,
    file: File,
    container: Option<Definition>,
    wanted: ElementKind,
    name: &str,
) -> Option<Definition> {
    let container = container.filter(|container| container.file == file).map(|container| container.number);
    Names::new(db, file).first(container, wanted, name)
}

/// A place where an element is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The file.
    pub file: File,
    /// The reference.
    pub reference: ReferenceId,
    /// Where it stands, qualifiers included.
    pub range: TextRange,
    /// How it is written, without blanks.
    pub text: SmolStr,
}

/// Every reference to an element in the files of the project, in the order of files and of their texts.
pub fn usages(db: &dyn Db, definition: Definition) -> Vec<Usage> {
    project_files(db).iter().flat_map(|file| usages_in(db, *file, definition)).collect()
}

/// Every reference to an element in one file, in the order of the text.
pub fn usages_in(db: &dyn Db, file: File, definition: Definition) -> Vec<Usage> {
    let Some(name) = definition.name(db) else { return Vec::new() };
    let model = file_model(db, file);
    // What a reference means has the name that it ends in, so most files need not be resolved to know that they have none.
    let is_named = |reference: &Reference| {
        let qualifier = reference.text.strip_suffix(name.as_str());
        qualifier.is_some_and(|qualifier| qualifier.is_empty() || qualifier.ends_with('.'))
    };
    let mut named = model.numbered_references().filter(|(_, data)| is_named(data)).peekable();
    if named.peek().is_none() {
        return Vec::new();
    }
    let resolutions = resolutions(db, file);
    let means = named.filter(|(reference, _)| resolutions.targets(*reference).contains(&definition));
    means.map(|(reference, data)| Usage { file, reference, range: data.range, text: data.text.clone() }).collect()
}

/// The parents of a file's domains, by the numbers of its elements.
///
/// It reads no more than what files declare, so that circles of domains across files cost nothing while bodies are edited.
#[salsa::tracked(returns(deref))]
pub(crate) fn domain_parents(db: &dyn Db, file: File) -> Arc<[Option<Definition>]> {
    let names = Names::new(db, file);
    let parent = |element: &crate::index::IndexedElement| {
        names.first(element.container, ElementKind::Domain, element.parent.as_ref()?)
    };
    file_index(db, file).elements.iter().map(parent).collect()
}

/// The domain that a domain is part of.
pub fn domain_parent(db: &dyn Db, domain: Definition) -> Option<Definition> {
    domain_parents(db, domain.file).get(domain.number as usize).copied().flatten()
}
