//! Lowering of a file's tree to plain data, in one traversal.
//!
//! All other modules use the result ([`FileModel`]) instead of the tree: it is smaller and cheap to read. The text
//! after an error is included as far as the parser could read it; missing parts are absent, never invented.

mod context;
mod map;
mod relationship;

use std::sync::Arc;

use dlang_syntax::{AstNode as _, NodeOrToken, Parse, SyntaxDiagnostic, SyntaxKind, SyntaxNode, TextRange, ast};
use smol_str::SmolStr;

use crate::code::ModelCode;
use crate::data::{
    Body, DomainData, ElementData, FileModel, ImportData, Reference, ReferenceId, ReferenceRole, Relationship,
};
use crate::db::Db;
use crate::diagnostics::{ModelDiagnostic, RelatedLocation};
use crate::index::{FileIndex, IndexBuilder, IndexedImport};
use crate::inputs::File;
use crate::kind::ElementKind;

/// Returns the tree of a file, for syntactic queries.
///
/// Trees are large. The model computes its data from a temporary tree, so that files without such queries cost no
/// tree, and this query caches only the most recently used ones.
#[salsa::tracked(returns(ref), no_eq, lru = 32)]
pub fn parse(db: &dyn Db, file: File) -> Parse {
    dlang_syntax::parse(file.text(db))
}

/// Returns the whole file as data, with ranges.
#[salsa::tracked(returns(ref), no_eq)]
pub fn file_model(db: &dyn Db, file: File) -> Arc<FileModel> {
    Arc::new(lower(&dlang_syntax::parse(file.text(db))))
}

/// Returns the declarations of a file.
#[salsa::tracked(returns(ref))]
pub fn file_index(db: &dyn Db, file: File) -> Arc<FileIndex> {
    Arc::clone(&file_model(db, file).index)
}

fn lower(parse: &Parse) -> FileModel {
    let model = parse.tree();
    let mut lowering = LoweringState::default();
    let mut imports = Vec::new();
    let mut import_data = Vec::new();
    for node in model.syntax().children() {
        if let Some(import) = ast::ImportStatement::cast(node.clone()) {
            let uri = import.uri();
            let alias = import.alias();
            import_data.push(ImportData {
                range: node.text_range(),
                keyword: import.keyword_token().map_or(node.text_range(), |token| token.text_range()),
                specifier: uri.as_ref().map(|uri| uri.syntax().text_range()),
                alias: alias.as_ref().map(|alias| alias.syntax().text_range()),
            });
            imports.push(IndexedImport {
                specifier: uri.map(|uri| SmolStr::from(uri.value())),
                alias: alias.as_ref().and_then(|alias| name_text(alias.syntax())),
            });
        } else {
            lowering.element(&node, None);
        }
    }
    FileModel {
        syntax: parse.diagnostics().iter().map(from_syntax).collect(),
        index: Arc::new(lowering.index.finish(imports)),
        imports: import_data.into(),
        elements: lowering.elements.into(),
        references: lowering.references.into(),
        relationships: lowering.relationships.into(),
    }
}

fn from_syntax(diagnostic: &SyntaxDiagnostic) -> ModelDiagnostic {
    diagnostic.convert(ModelCode::Syntax(diagnostic.code), |range| Some(RelatedLocation::SameFile(*range)))
}

/// Data collected so far.
#[derive(Default)]
struct LoweringState {
    index: IndexBuilder,
    elements: Vec<ElementData>,
    references: Vec<Reference>,
    relationships: Vec<Relationship>,
}

impl LoweringState {
    fn element(&mut self, node: &SyntaxNode, container: Option<u32>) {
        let Some(kind) = ElementKind::from_syntax(node.kind()) else { return };
        let name_node =
            node.children().find(|child| matches!(child.kind(), SyntaxKind::NAME | SyntaxKind::QUALIFIED_NAME));
        let name = name_node.as_ref().and_then(name_text);
        let parent = match kind {
            ElementKind::Domain => clause_target(node, SyntaxKind::IN_CLAUSE).map(|target| dotted_text(&target)),
            _ => None,
        };
        let number = self.index.begin(kind, name, container, parent);
        let keyword = node.first_token().map_or(node.text_range(), |token| token.text_range());
        self.elements.push(ElementData {
            range: node.text_range(),
            keyword,
            name: name_node.map(|name| name.text_range()),
            body: Body::None,
        });
        let body = match kind {
            ElementKind::Domain => Body::Domain(Box::new(self.domain(node, number))),
            ElementKind::BoundedContext => Body::Context(Box::new(self.context(node, number))),
            ElementKind::ContextMap => Body::ContextMap(self.map(node, number, ReferenceRole::MapContext)),
            ElementKind::DomainMap => Body::DomainMap(self.map(node, number, ReferenceRole::MapDomain)),
            ElementKind::Namespace => {
                for body in node.children().filter(|child| child.kind() == SyntaxKind::NAMESPACE_BODY) {
                    for child in body.children() {
                        self.element(&child, Some(number));
                    }
                }
                Body::None
            }
            ElementKind::Team | ElementKind::Classification | ElementKind::Metadata => Body::None,
        };
        self.index.end(number);
        if let Some(element) = self.elements.get_mut(number as usize) {
            element.body = body;
        }
    }

    fn domain(&mut self, node: &SyntaxNode, owner: u32) -> DomainData {
        let mut domain = DomainData::default();
        for child in node.children() {
            match child.kind() {
                SyntaxKind::IN_CLAUSE => {
                    let parent = self.target(&child, ReferenceRole::DomainParent, owner);
                    domain.parent = domain.parent.or(parent);
                }
                SyntaxKind::DOMAIN_BODY => {
                    for property in child.children() {
                        match property.kind() {
                            SyntaxKind::DESCRIPTION_PROPERTY => domain.description = string_of(&property),
                            SyntaxKind::VISION_PROPERTY => domain.vision = string_of(&property),
                            SyntaxKind::TYPE_PROPERTY => {
                                domain.classification = self.target(&property, ReferenceRole::DomainType, owner);
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        domain
    }

    /// Lowers the reference in a clause or property.
    fn target(&mut self, node: &SyntaxNode, role: ReferenceRole, owner: u32) -> Option<ReferenceId> {
        let reference = node.children().find(|child| child.kind() == SyntaxKind::REFERENCE)?;
        Some(self.reference(&reference, role, owner))
    }

    fn reference(&mut self, node: &SyntaxNode, role: ReferenceRole, owner: u32) -> ReferenceId {
        let number = ReferenceId(u32::try_from(self.references.len()).unwrap_or(u32::MAX));
        self.references.push(Reference { text: dotted_text(node), range: node.text_range(), role, owner });
        number
    }
}

/// Returns a declared name. A name that ends in a dot is incomplete and treated as missing.
fn name_text(node: &SyntaxNode) -> Option<SmolStr> {
    let text = dotted_text(node);
    (!text.is_empty() && !text.ends_with('.')).then_some(text)
}

/// Returns the identifiers in a node, separated by dots. If an identifier is missing after a dot, the text ends in
/// the dot.
fn dotted_text(node: &SyntaxNode) -> SmolStr {
    let mut first: Option<SmolStr> = None;
    let mut long = String::new();
    let mut ends_in_dot = false;
    for token in node.children_with_tokens().filter_map(NodeOrToken::into_token) {
        match token.kind() {
            SyntaxKind::IDENT => match &first {
                None => first = Some(SmolStr::new(token.text())),
                Some(first) => {
                    if long.is_empty() {
                        long.push_str(first);
                    }
                    long.push('.');
                    long.push_str(token.text());
                }
            },
            SyntaxKind::DOT => {
                ends_in_dot = true;
                continue;
            }
            _ => continue,
        }
        ends_in_dot = false;
    }
    let text = if long.is_empty() { first.unwrap_or_default() } else { SmolStr::from(long) };
    if ends_in_dot { smol_str::format_smolstr!("{text}.") } else { text }
}

/// Returns the reference in a clause of a header.
fn clause_target(node: &SyntaxNode, clause: SyntaxKind) -> Option<SyntaxNode> {
    let clause = node.children().find(|child| child.kind() == clause)?;
    clause.children().find(|child| child.kind() == SyntaxKind::REFERENCE)
}

/// Returns the strings among a node's tokens.
fn strings_of(node: &SyntaxNode) -> impl Iterator<Item = SmolStr> + use<> {
    node.children_with_tokens()
        .filter_map(NodeOrToken::into_token)
        .filter_map(ast::StringToken::cast)
        .map(|string| SmolStr::from(string.value()))
}

fn string_of(node: &SyntaxNode) -> Option<SmolStr> {
    strings_of(node).next()
}

/// Returns the name among a node's children, and its range.
fn name_of(node: &SyntaxNode) -> Option<(SmolStr, TextRange)> {
    let name = node.children().find(|child| child.kind() == SyntaxKind::NAME)?;
    Some((name_text(&name)?, name.text_range()))
}
