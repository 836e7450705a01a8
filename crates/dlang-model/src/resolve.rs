//! Resolution of a file's references.

use std::sync::Arc;

use dlang_syntax::ast;
use dlang_syntax::{AstNode as _, TextRange};
use smol_str::SmolStr;

use crate::data::{Reference, ReferenceId};
use crate::db::Db;
use crate::imports::project_files;
use crate::inputs::{Definition, File};
use crate::kind::ElementKind;
use crate::lower::{file_index, file_model};
use crate::scope::Names;

/// Targets of a file's references, by number.
#[derive(Debug, PartialEq, Eq)]
pub struct Resolutions {
    targets: Box<[Targets]>,
}

/// Targets of a reference: usually one element.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Targets {
    None,
    One(Definition),
    Many(Box<[Definition]>),
}

impl Resolutions {
    /// Returns every element that a reference resolves to; more than one only in maps.
    pub fn targets(&self, reference: ReferenceId) -> &[Definition] {
        match self.targets.get(reference.0 as usize) {
            Some(Targets::One(definition)) => std::slice::from_ref(definition),
            Some(Targets::Many(definitions)) => definitions,
            Some(Targets::None) | None => &[],
        }
    }

    /// Returns the element that a reference resolves to, or the first one.
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
    let (kind, name) = (reference.role.expected_kind(), reference.text.as_str());
    if !reference.role.is_many() {
        return names.first(container, kind, name).map_or(Targets::None, Targets::One);
    }
    let found = names.all(container, kind, name);
    match found.as_slice() {
        [] => Targets::None,
        [one] => Targets::One(*one),
        _ => Targets::Many(found.into()),
    }
}

/// Resolves a reference of the tree.
pub fn resolve_reference<'db>(db: &'db dyn Db, file: File, reference: &ast::Reference) -> &'db [Definition] {
    let id = file_model(db, file).reference_at(reference.syntax().text_range());
    id.map(|id| resolutions(db, file).targets(id)).unwrap_or_default()
}

/// Resolves a name as if it were written in `container`, or at the root of the file.
pub fn resolve_name(
    db: &dyn Db,
    file: File,
    container: Option<Definition>,
    kind: ElementKind,
    name: &str,
) -> Option<Definition> {
    let container = container.filter(|container| container.file == file).map(|container| container.number);
    Names::new(db, file).first(container, kind, name)
}

/// Reference to an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// File that contains the reference.
    pub file: File,
    /// Number of the reference.
    pub reference: ReferenceId,
    /// Range of the reference, including qualifiers.
    pub range: TextRange,
    /// Reference as it is written, without blanks.
    pub text: SmolStr,
}

/// Returns every reference to an element in the project, ordered by file, then in text order.
pub fn usages(db: &dyn Db, definition: Definition) -> Vec<Usage> {
    project_files(db).iter().flat_map(|file| usages_in(db, *file, definition)).collect()
}

/// Returns every reference to an element in one file, in text order.
pub fn usages_in(db: &dyn Db, file: File, definition: Definition) -> Vec<Usage> {
    let Some(name) = definition.name(db) else { return Vec::new() };
    let model = file_model(db, file);
    // A reference ends with the name of its target, so most files are known to have no usages without resolving them.
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

/// Returns the parents of a file's domains, by element number.
///
/// It depends only on the declarations of files, so that edits of bodies do not invalidate the check for domain
/// cycles.
#[salsa::tracked(returns(deref))]
pub(crate) fn domain_parents(db: &dyn Db, file: File) -> Arc<[Option<Definition>]> {
    let names = Names::new(db, file);
    let parent = |element: &crate::index::IndexedElement| {
        names.first(element.container, ElementKind::Domain, element.parent.as_ref()?)
    };
    file_index(db, file).elements.iter().map(parent).collect()
}

/// Returns the parent domain of a domain.
pub fn domain_parent(db: &dyn Db, domain: Definition) -> Option<Definition> {
    domain_parents(db, domain.file).get(domain.number as usize).copied().flatten()
}
