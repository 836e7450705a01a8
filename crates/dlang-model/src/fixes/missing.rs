//! Fixes that insert missing parts.

use dlang_syntax::{AstNode as _, SyntaxKind, SyntaxNode, TextRange};

use super::fix::{Fix, text_at};
use crate::data::{Body, End};
use crate::db::Db;
use crate::diagnostics::ModelDiagnostic;
use crate::edit::TextEdit;
use crate::inputs::{Definition, File};
use crate::kind::ElementKind;
use crate::lower::file_model;
use crate::scope::Names;

/// Maximum number of domains to suggest for a context without one.
const MAX_DOMAINS: usize = 3;

/// Maximum number of contexts to insert into a map.
const MAX_CONTEXTS: usize = 40;

pub(super) fn vision(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    property(db, file, diagnostic, "vision", SyntaxKind::VISION_PROPERTY, "Add a vision to fill in")
}

pub(super) fn description(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    property(db, file, diagnostic, "description", SyntaxKind::DESCRIPTION_PROPERTY, "Add a description to fill in")
}

/// Returns the element that begins at the diagnostic.
fn element(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Option<Definition> {
    let start = diagnostic.range.start();
    let elements = &file_model(db, file).elements;
    let number = elements.binary_search_by_key(&start, |element| element.range.start()).ok()?;
    Some(Definition { file, number: u32::try_from(number).ok()? })
}

/// Inserts an empty property at the beginning of the body, and the body if it is missing. The diagnostic disappears
/// only when the author fills in the text; a property that exists but is empty has no fix.
fn property(
    db: &dyn Db,
    file: File,
    diagnostic: &ModelDiagnostic,
    word: &str,
    kind: SyntaxKind,
    title: &str,
) -> Vec<Fix> {
    let make = || {
        let node = element(db, file, diagnostic)?.syntax(db)?.syntax().clone();
        let body =
            node.children().find(|child| matches!(child.kind(), SyntaxKind::DOMAIN_BODY | SyntaxKind::CONTEXT_BODY));
        let edit = match body {
            Some(body) => {
                if body.children().any(|property| property.kind() == kind) {
                    return None;
                }
                insert_in_body(file.text(db), &node, &body, &format!("{word}: \"\""))?
            }
            None => TextEdit::insert(node.text_range().end(), format!(" {{ {word}: \"\" }}")),
        };
        Some(Fix { title: title.to_owned(), edits: vec![edit], is_preferred: false })
    };
    make().into_iter().collect()
}

/// Inserts an entry after the opening brace of a body: on a line of its own if the body has several lines.
fn insert_in_body(text: &str, node: &SyntaxNode, body: &SyntaxNode, snippet: &str) -> Option<TextEdit> {
    let open = body.first_token().filter(|token| token.kind() == SyntaxKind::L_CURLY)?;
    let at = open.text_range().end();
    if !text_at(text, body.text_range()).contains('\n') {
        let space = if text_at(text, TextRange::new(at, body.text_range().end())).starts_with(char::is_whitespace) {
            ""
        } else {
            " "
        };
        return Some(TextEdit::insert(at, format!(" {snippet}{space}")));
    }
    let before = text_at(text, TextRange::new(0.into(), node.text_range().start()));
    let line = before.rsplit('\n').next().unwrap_or_default();
    let indent: String = line.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Some(TextEdit::insert(at, format!("{line_end}{indent}    {snippet}")))
}

/// Suggests the domains of the file, or else the imported ones, unless there are too many.
pub(super) fn domain(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    let Some(context) = element(db, file, diagnostic) else { return Vec::new() };
    let Some(name) = context.data(db).and_then(|data| data.name) else { return Vec::new() };
    let container = context.container(db).map(|container| container.number);
    let mut domains = Names::new(db, file).visible(container, ElementKind::Domain);
    // Insert the shortest of the names of a domain.
    domains.sort_by(|(one, _), (other, _)| (one.len(), one).cmp(&(other.len(), other)));
    let mut seen = Vec::new();
    domains.retain(|(_, domain)| {
        let is_new = !seen.contains(domain);
        seen.push(*domain);
        is_new
    });
    if domains.iter().any(|(_, domain)| domain.file == file) {
        domains.retain(|(_, domain)| domain.file == file);
    }
    let is_clear = domains.len() == 1;
    if domains.len() > MAX_DOMAINS {
        return Vec::new();
    }
    domains
        .into_iter()
        .map(|(domain, _)| Fix {
            title: format!("Assign to domain '{domain}'"),
            edits: vec![TextEdit::insert(name.end(), format!(" for {domain}"))],
            is_preferred: is_clear,
        })
        .collect()
}

/// Lists the contexts in the relationships of a map.
pub(super) fn contexts(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    let make = || {
        let map = element(db, file, diagnostic)?;
        let Body::ContextMap(content) = map.body(db)? else { return None };
        let model = file_model(db, file);
        let mut names = Vec::new();
        for relationship in model.relationships_in(&content.relationships) {
            for end in [relationship.left, relationship.right] {
                if let End::Context(reference) = end {
                    let name = model.reference(reference)?.text.as_str();
                    if !names.contains(&name) && names.len() < MAX_CONTEXTS {
                        names.push(name);
                    }
                }
            }
        }
        if names.is_empty() {
            return None;
        }
        let node = map.syntax(db)?.syntax().clone();
        let body = node.children().find(|child| child.kind() == SyntaxKind::CONTEXT_MAP_BODY)?;
        let edit = insert_in_body(file.text(db), &node, &body, &format!("contains {}", names.join(", ")))?;
        Some(Fix { title: "List the contexts of its relationships".to_owned(), edits: vec![edit], is_preferred: true })
    };
    make().into_iter().collect()
}
