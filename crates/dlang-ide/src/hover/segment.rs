//! The parts of a dotted reference: the last is the element, those before it are namespaces or the alias of an import.

use dlang_model::{
    Db, Definition, ElementKind, File, ReferenceId, definitions_by_fqn, file_index, file_model, resolutions,
    resolve_name,
};
use dlang_syntax::ast::{ImportStatement, Reference};
use dlang_syntax::{AstNode as _, SyntaxNode, SyntaxToken};

use super::page::Page;
use super::{element, part};

/// Explains one part of a reference.
pub(super) fn segment(page: &mut Page<'_>, file: File, token: &SyntaxToken, node: &SyntaxNode) -> Option<String> {
    let segments: Vec<_> = Reference::cast(node.clone())?.segments().collect();
    let number = segments.iter().position(|segment| segment == token)?;
    let id = file_model(page.db, file).reference_at(node.text_range())?;
    let following = segments.len().saturating_sub(number + 1);
    match resolutions(page.db, file).targets(id) {
        [] => {}
        targets if following == 0 => return explain_all(page, file, targets),
        [target, ..] => {
            return match namespace_before(page.db, *target, following) {
                Some(namespace) => element::element(page, namespace, file),
                None => alias(page, file, token.text()),
            };
        }
    }
    if following == 0 {
        return None;
    }
    // The whole reference does not resolve, but the part before this dot may.
    let path: Vec<_> = segments.iter().take(number + 1).map(SyntaxToken::text).collect();
    let path = path.join(".");
    let container = container(page.db, file, id);
    if let Some(namespace) = namespace(page.db, file, container, &path) {
        return element::element(page, namespace, file);
    }
    if number == 0
        && let Some(import) = alias(page, file, &path)
    {
        return Some(import);
    }
    let domain = resolve_name(page.db, file, container, ElementKind::Domain, &path)?;
    element::element(page, domain, file)
}

/// Explains each of the elements that an entry of a map names.
fn explain_all(page: &mut Page<'_>, file: File, targets: &[Definition]) -> Option<String> {
    let pages: Vec<_> = targets.iter().filter_map(|target| element::element(page, *target, file)).collect();
    (!pages.is_empty()).then(|| pages.join(super::page::RULE))
}

/// Returns the namespace around an element that a part of its path belongs to; `following` parts come after that part.
/// A namespace with dots in its name corresponds to each of its parts.
fn namespace_before(db: &dyn Db, element: Definition, following: usize) -> Option<Definition> {
    let mut count = 0;
    let mut container = element.container(db);
    while let Some(namespace) = container {
        count += namespace.name(db)?.split('.').count();
        if count >= following {
            return Some(namespace);
        }
        container = namespace.container(db);
    }
    None
}

/// Returns the namespace that contains a reference.
fn container(db: &dyn Db, file: File, id: ReferenceId) -> Option<Definition> {
    let owner = file_model(db, file).reference(id)?.owner;
    Definition { file, number: owner }.container(db)
}

/// Returns the namespace of this file that a path names, as seen from an enclosing namespace or from the root.
fn namespace(db: &dyn Db, file: File, mut container: Option<Definition>, path: &str) -> Option<Definition> {
    let is_namespace_here = |it: &&Definition| it.file == file && it.kind(db) == Some(ElementKind::Namespace);
    let named = |fqn: &str| definitions_by_fqn(db, fqn).iter().find(is_namespace_here).copied();
    while let Some(enclosing) = container {
        if let Some(found) = enclosing.fqn(db).and_then(|fqn| named(&format!("{fqn}.{path}"))) {
            return Some(found);
        }
        container = enclosing.container(db);
    }
    named(path)
}

/// Explains the import that an alias refers to.
fn alias(page: &mut Page<'_>, file: File, name: &str) -> Option<String> {
    let imports = &file_index(page.db, file).imports;
    let number = imports.iter().position(|import| import.alias.as_deref() == Some(name))?;
    let range = file_model(page.db, file).imports.get(number)?.range;
    let root = dlang_model::parse(page.db, file).syntax();
    let node = root.children().find(|node| node.text_range() == range).and_then(ImportStatement::cast)?;
    part::import(page, file, &node)
}
