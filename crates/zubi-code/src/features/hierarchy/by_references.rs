//! Trees of types and calls for servers that do not have them, from references and from declarations by syntax: a class
//! whose header names another one is its subtype, and a function that contains a call is a caller.

use std::sync::Arc;
use std::time::Instant;

use camino::Utf8PathBuf;
use rustc_hash::FxHashSet;
use zubi_base::endpoint::EndpointError;
use zubi_base::position::{TextRange, TextSize, size};
use zubi_base::uri;
use zubi_syntax::{Declaration, DeclarationKind, SyntaxOutline};

use super::{Direction, HierarchyNode, MAX_DEPTH, MAX_NODES, Repeat, SymbolHierarchy, nest};
use crate::error::CodeError;
use crate::features::locations::{RawLocation, Relation};
use crate::locate::{ResolvedTarget, declared_segments};
use crate::location::SourceLocation;
use crate::markup::clean_line;
use crate::query::{CodeQuery, SourceDocument};
use crate::readiness::ReadinessLevel;
use crate::status::{AnswerStatus, QualifiedAnswer};
use crate::text_search;

/// Extensions of the languages in which a type names its bases between its name and its body.
const WITH_BASES: [&str; 24] = [
    "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "java", "kt", "kts", "cs", "cc", "cpp", "cxx",
    "h", "hh", "hpp", "hxx", "swift", "dart", "php",
];

/// Extensions of the languages in which a call need not have parentheses, so that the text does not show calls.
const WITHOUT_PARENTHESES: [&str; 19] = [
    "rb", "rake", "sh", "bash", "zsh", "fish", "ps1", "hs", "ml", "mli", "ex", "exs", "clj", "el", "lisp", "nix",
    "elm", "tcl", "just",
];

/// A declaration in a parsed file of the workspace.
#[derive(Clone)]
struct ParsedDeclaration {
    path: Utf8PathBuf,
    document: Arc<SourceDocument>,
    outline: Arc<SyntaxOutline>,
    index: usize,
}

/// One step of a tree.
struct Step {
    /// `None` for a symbol outside the workspace, which is not expanded.
    declaration: Option<ParsedDeclaration>,
    node: HierarchyNode,
}

impl ParsedDeclaration {
    fn declaration(&self) -> Option<&Declaration> {
        self.outline.declarations.get(self.index)
    }

    fn key(&self) -> (Utf8PathBuf, usize) {
        (self.path.clone(), self.declaration().map_or(0, |it| it.name_range.start))
    }

    /// Returns the names of the enclosing declarations: `Shape`, for a method of Go also the type of its receiver.
    fn container(&self) -> Option<String> {
        let declaration = self.declaration()?;
        let above = self.outline.above(self.index);
        let mut names: Vec<_> = above.into_iter().chain([&*declaration.name]).flat_map(declared_segments).collect();
        names.pop();
        (!names.is_empty()).then(|| names.join("."))
    }

    fn node(&self, query: &CodeQuery<'_>, calls: Vec<SourceLocation>) -> Option<HierarchyNode> {
        let declaration = self.declaration()?;
        let range = TextRange::new(size(declaration.name_range.start), size(declaration.name_range.end));
        Some(HierarchyNode {
            name: declared_segments(&declaration.name).pop()?,
            kind: declaration.kind.lsp_name(),
            detail: None,
            container: self.container(),
            location: query.location_in(&self.document, &self.path, range),
            calls,
            repeat: None,
            is_unexpanded: false,
            children: Vec::new(),
        })
    }
}

impl CodeQuery<'_> {
    /// Returns a tree without the server's requests for trees. `None` if the symbol is not declared in a file that zubi can
    /// parse, or if the server does not have references either.
    pub(super) async fn hierarchy_by_references(
        &self,
        at: &ResolvedTarget,
        direction: Direction,
        depth: u32,
        servers: &str,
    ) -> Result<Option<QualifiedAnswer<SymbolHierarchy>>, CodeError> {
        let extension = at.path.extension().unwrap_or_default();
        let is_known = match direction {
            Direction::Supertypes | Direction::Subtypes => WITH_BASES.contains(&extension),
            Direction::Incoming => !WITHOUT_PARENTHESES.contains(&extension),
            Direction::Outgoing => false,
        };
        let has_implementations = direction == Direction::Subtypes && self.has_implementations(at).await;
        if !is_known && !has_implementations {
            return Ok(None);
        }
        let mut status = AnswerStatus::default();
        let Some(root) = self.declaration_of(at, &mut status).await else { return Ok(None) };
        if has_implementations {
            return self.subtypes_by_implementations(at, &root, servers).await;
        }
        let has_relation = |kind| if direction == Direction::Incoming { is_function(kind) } else { is_type(kind) };
        if !root.declaration().is_some_and(|declaration| has_relation(declaration.kind)) {
            return Ok(None);
        }
        let Some(node) = root.node(self, Vec::new()) else { return Ok(None) };
        let mut seen = FxHashSet::from_iter([root.key()]);
        let mut nodes = vec![(None, node)];
        let mut level = vec![(0, root)];
        let mut is_cut = false;
        for _ in 0..depth.clamp(1, MAX_DEPTH) {
            let mut next = Vec::new();
            for (parent, declaration) in level {
                if Instant::now() >= self.cx.deadline {
                    status.mark_incomplete("the search took too long".to_owned());
                    break;
                }
                let steps = match self.find_steps(&declaration, direction, &mut status).await {
                    Ok(steps) => steps,
                    Err(error @ CodeError::Endpoint(EndpointError::Cancelled)) => return Err(error),
                    // The caller reports that the server does not support the request.
                    Err(_) => return Ok(None),
                };
                for Step { declaration, mut node } in steps {
                    if nodes.len() >= MAX_NODES {
                        is_cut = true;
                        break;
                    }
                    let is_new = declaration.as_ref().is_none_or(|declaration| seen.insert(declaration.key()));
                    node.repeat = (!is_new).then_some(Repeat::AlreadyListed);
                    nodes.push((Some(parent), node));
                    next.extend(declaration.filter(|_| is_new).map(|declaration| (nodes.len() - 1, declaration)));
                }
            }
            level = next;
        }
        // The calls of some languages have no parentheses.
        if direction == Direction::Incoming && nodes.len() == 1 {
            return Ok(None);
        }
        let relation = direction.operation().trim_start_matches("find ");
        status.notes.push(format!("{relation} from references and declarations: {servers} has no request for them"));
        if is_cut {
            status.mark_incomplete(format!("the tree was cut at {MAX_NODES} symbols"));
        }
        let total = nodes.len() - 1;
        Ok(Some(QualifiedAnswer { value: SymbolHierarchy { roots: nest(nodes), total, cut: is_cut }, status }))
    }

    async fn has_implementations(&self, at: &ResolvedTarget) -> bool {
        let relation = Relation::Implementations;
        let (method, operation) = (relation.method(), relation.operation());
        self.ready_for(&at.reference, method, operation, ReadinessLevel::File).await.is_ok()
    }

    /// Returns the implementations of a type as its subtypes, all on one level.
    async fn subtypes_by_implementations(
        &self,
        at: &ResolvedTarget,
        root: &ParsedDeclaration,
        servers: &str,
    ) -> Result<Option<QualifiedAnswer<SymbolHierarchy>>, CodeError> {
        let Some(node) = root.node(self, Vec::new()) else { return Ok(None) };
        let found = Box::pin(self.locations(at, Relation::Implementations)).await?;
        let mut status = found.status;
        let mut nodes = vec![(None, node)];
        for one in found.value.iter().take(MAX_NODES) {
            let declared = self.declaration_at(one).await;
            if declared.as_ref().is_some_and(|declared| declared.key() == root.key()) {
                continue;
            }
            let node = match declared.and_then(|declared| declared.node(self, Vec::new())) {
                Some(node) => node,
                None => self.plain_node(one, "implementation").await,
            };
            nodes.push((Some(0), node));
        }
        status
            .notes
            .push(format!("subtypes of any distance from implementations: {servers} has no request for subtypes"));
        let total = nodes.len() - 1;
        let is_cut = found.value.len() > MAX_NODES;
        Ok(Some(QualifiedAnswer { value: SymbolHierarchy { roots: nest(nodes), total, cut: is_cut }, status }))
    }

    /// Creates the node of a location without a parsed declaration.
    async fn plain_node(&self, one: &RawLocation, kind: &'static str) -> HierarchyNode {
        let location = self.location(&one.location, one.encoding, 0).await;
        let name = async {
            let document = self.document(&uri::to_path(&one.location.uri)?).await.ok()?;
            let range = document.index.range_from_lsp(&one.location.range, one.encoding);
            document.text.get(usize::from(range.start())..usize::from(range.end())).map(clean_line)
        };
        let name = name.await.unwrap_or_else(|| location.display_path.clone());
        HierarchyNode {
            name,
            kind,
            detail: None,
            container: None,
            location,
            calls: Vec::new(),
            repeat: None,
            is_unexpanded: false,
            children: Vec::new(),
        }
    }

    /// Returns the types that derive from the target, or the members of these types that override the target.
    pub(in crate::features) async fn implementations_by_references(
        &self,
        at: &ResolvedTarget,
        servers: &str,
    ) -> Result<Option<QualifiedAnswer<Vec<RawLocation>>>, CodeError> {
        if !at.path.extension().is_some_and(|extension| WITH_BASES.contains(&extension)) {
            return Ok(None);
        }
        let mut status = AnswerStatus::default();
        let Some(target) = self.declaration_of(at, &mut status).await else { return Ok(None) };
        let Some(declared) = target.declaration() else { return Ok(None) };
        let member = (!is_type(declared.kind)).then(|| declared.name.clone());
        let base = match (&member, declared.parent) {
            (None, _) => target.clone(),
            (Some(_), Some(parent)) => ParsedDeclaration { index: parent, ..target.clone() },
            (Some(_), None) => return Ok(None),
        };
        if !base.declaration().is_some_and(|base| is_type(base.kind)) {
            return Ok(None);
        }
        let mut seen = FxHashSet::from_iter([base.key()]);
        let mut waiting = vec![base];
        let mut found = Vec::new();
        while let Some(declaration) = waiting.pop() {
            if Instant::now() >= self.cx.deadline || seen.len() > MAX_NODES {
                status.mark_incomplete("zubi did not search the uses of all types that derive from it".to_owned());
                break;
            }
            let steps = match self.find_steps(&declaration, Direction::Subtypes, &mut status).await {
                Ok(steps) => steps,
                Err(error @ CodeError::Endpoint(EndpointError::Cancelled)) => return Err(error),
                Err(_) => return Ok(None),
            };
            for subtype in steps.into_iter().filter_map(|step| step.declaration) {
                if !seen.insert(subtype.key()) {
                    continue;
                }
                let all = &subtype.outline.declarations;
                let shown = match &member {
                    None => subtype.declaration(),
                    Some(name) => all.iter().find(|it| it.parent == Some(subtype.index) && it.name == *name),
                };
                if let Some(shown) = shown {
                    let range = TextRange::new(size(shown.name_range.start), size(shown.name_range.end));
                    found.push(RawLocation::in_document(self, &subtype.document, &subtype.path, range));
                }
                waiting.push(subtype);
            }
        }
        self.sort(&mut found).await;
        status.notes.push(format!("from references and declarations: {servers} has no request for implementations"));
        Ok(Some(QualifiedAnswer { value: found, status }))
    }

    /// Returns the symbols one step from a declaration.
    async fn find_steps(
        &self,
        declaration: &ParsedDeclaration,
        direction: Direction,
        status: &mut AnswerStatus,
    ) -> Result<Vec<Step>, CodeError> {
        let Some(own) = declaration.declaration() else { return Ok(Vec::new()) };
        match direction {
            Direction::Supertypes => Ok(self.supertypes(declaration, own, status).await),
            Direction::Subtypes | Direction::Incoming => {
                let offset = size(own.name_range.start);
                let target = self.resolved_target(declaration.path.clone(), &declaration.document, offset, None);
                let relation = Relation::References { include_declaration: false };
                let uses = Box::pin(self.locations(&target, relation)).await?;
                status.merge(uses.status);
                Ok(self.steps_at_uses(&uses.value, direction).await)
            }
            Direction::Outgoing => Ok(Vec::new()),
        }
    }

    /// Returns the types whose headers contain a use, or the functions that contain a call.
    async fn steps_at_uses(&self, uses: &[RawLocation], direction: Direction) -> Vec<Step> {
        let mut found: Vec<(ParsedDeclaration, Vec<SourceLocation>)> = Vec::new();
        for one in uses.iter().filter(|one| !one.external) {
            let Some(path) = uri::to_path(&one.location.uri) else { continue };
            let Some((document, outline)) = self.parse_file(&path).await else { continue };
            let range = document.index.range_from_lsp(&one.location.range, one.encoding);
            let offset = usize::from(range.start());
            let all = &outline.declarations;
            let index = match direction {
                Direction::Subtypes => {
                    all.iter().position(|it| is_type(it.kind) && is_base(&document.text, it, offset))
                }
                _ if is_called(&document.text, range.end().into()) => {
                    all.iter().rposition(|it| is_function(it.kind) && it.range.contains(&offset))
                }
                _ => None,
            };
            let Some(index) = index else { continue };
            let declaration = ParsedDeclaration { path, document, outline, index };
            let call = (direction == Direction::Incoming)
                .then(|| self.location_in(&declaration.document, &declaration.path, range));
            match found.iter_mut().find(|(known, _)| known.key() == declaration.key()) {
                Some((_, calls)) => calls.extend(call),
                None => found.push((declaration, call.into_iter().collect())),
            }
        }
        let step = |(declaration, calls): (ParsedDeclaration, Vec<SourceLocation>)| {
            Some(Step { node: declaration.node(self, calls)?, declaration: Some(declaration) })
        };
        found.into_iter().filter_map(step).collect()
    }

    /// Returns the types that the header of a declaration names as its bases.
    async fn supertypes(
        &self,
        declaration: &ParsedDeclaration,
        own: &Declaration,
        status: &mut AnswerStatus,
    ) -> Vec<Step> {
        let text = &*declaration.document.text;
        let header = text.get(own.name_range.end..own.signature.end).unwrap_or_default();
        let mut steps: Vec<Step> = Vec::new();
        for word in text_search::identifiers(header) {
            let start = own.name_range.end + word.start;
            let is_last = !header.get(word.end..).unwrap_or_default().trim_start().starts_with('.');
            if !is_last || !is_base(text, own, start) {
                continue;
            }
            let target = self.resolved_target(declaration.path.clone(), &declaration.document, size(start), None);
            let Ok(definitions) = Box::pin(self.locations(&target, Relation::Definition)).await else { continue };
            let Some(first) = definitions.value.first() else { continue };
            status.merge(AnswerStatus { endpoints: definitions.status.endpoints.clone(), ..AnswerStatus::default() });
            let step = match self.declaration_at(first).await {
                Some(found) if found.declaration().is_some_and(|it| is_type(it.kind)) => {
                    found.node(self, Vec::new()).map(|node| Step { node, declaration: Some(found) })
                }
                Some(_) => None,
                None => {
                    let mut node = self.plain_node(first, "class").await;
                    node.name = target.name.clone().unwrap_or(node.name);
                    Some(Step { declaration: None, node })
                }
            };
            steps.extend(step);
        }
        steps
    }

    /// Returns the declaration of a target by the server's definition, or the one at the target itself.
    async fn declaration_of(&self, at: &ResolvedTarget, status: &mut AnswerStatus) -> Option<ParsedDeclaration> {
        if let Some(own) = self.declaration_in(&at.path, at.offset).await {
            return Some(own);
        }
        let definitions = Box::pin(self.locations(at, Relation::Definition)).await.ok()?;
        status.merge(AnswerStatus { endpoints: definitions.status.endpoints, ..AnswerStatus::default() });
        self.declaration_at(definitions.value.first()?).await
    }

    async fn declaration_at(&self, location: &RawLocation) -> Option<ParsedDeclaration> {
        let path = uri::to_path(&location.location.uri).filter(|_| !location.external)?;
        let document = self.document(&path).await.ok()?;
        let offset = document.index.from_lsp(location.location.range.start, location.encoding);
        self.declaration_in(&path, offset).await
    }

    /// Returns the declaration whose name is at an offset of a file.
    async fn declaration_in(&self, path: &Utf8PathBuf, offset: TextSize) -> Option<ParsedDeclaration> {
        let (document, outline) = self.parse_file(path).await?;
        let offset = usize::from(offset);
        let contains = |it: &Declaration| it.name_range.start <= offset && offset < it.name_range.end;
        let index = outline.declarations.iter().position(contains)?;
        Some(ParsedDeclaration { path: path.clone(), document, outline, index })
    }

    async fn parse_file(&self, path: &Utf8PathBuf) -> Option<(Arc<SourceDocument>, Arc<SyntaxOutline>)> {
        let document = self.document(path).await.ok().filter(|document| document.notebook(path).is_none())?;
        let outline = self.parse_outline(path, &document.text).await?.ok()?;
        Some((document, outline))
    }

    /// Sets the containers of the nodes of a tree of calls, by the syntax of their files.
    pub(super) async fn add_containers(&self, nodes: &mut [HierarchyNode]) {
        let mut waiting: Vec<&mut HierarchyNode> = nodes.iter_mut().collect();
        while let Some(node) = waiting.pop() {
            let is_qualified = node.name.contains(['.', ':', '(', '/', '#']);
            if let Some(path) = node.location.path.clone().filter(|_| !is_qualified && !node.location.external)
                && let Some((document, _)) = self.parse_file(&path).await
            {
                let range = document.index.range_from_lsp(&node.location.range, zubi_base::position::Encoding::Utf16);
                let declared = self.declaration_in(&path, range.start()).await;
                node.container = declared.and_then(|declared| declared.container());
            }
            waiting.extend(node.children.iter_mut());
        }
    }
}

fn is_type(kind: DeclarationKind) -> bool {
    matches!(
        kind,
        DeclarationKind::Class | DeclarationKind::Struct | DeclarationKind::Interface | DeclarationKind::Enum
    )
}

fn is_function(kind: DeclarationKind) -> bool {
    matches!(
        kind,
        DeclarationKind::Function
            | DeclarationKind::Method
            | DeclarationKind::Constructor
            | DeclarationKind::Operator
            | DeclarationKind::Macro
    )
}

/// Whether an offset is at a base in the header of a type: not in type arguments, and not the value of a keyword.
fn is_base(text: &str, declaration: &Declaration, offset: usize) -> bool {
    if offset < declaration.name_range.end || offset >= declaration.signature.end {
        return false;
    }
    let before = text.get(declaration.name_range.end..offset).unwrap_or_default();
    let count = |character: char| before.matches(character).count();
    let is_argument = count('[') > count(']') || count('<') > count('>') || count('(') > count(')') + 1;
    !is_argument && !before.trim_end().ends_with('=')
}

/// Whether a call follows a name that ends at an offset.
fn is_called(text: &str, end: usize) -> bool {
    let after = text.get(end..).unwrap_or_default();
    after.trim_start_matches([' ', '!', '?']).starts_with('(')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases() {
        for (fixture, expected) in [
            ("class A($0Base):\n  x = 1\n", true),
            ("class A(abc.$0Base, Generic[T]):\n  pass\n", true),
            ("class A(Other, metaclass=$0Base):\n  pass\n", false),
            ("class A(List[$0Base]):\n  pass\n", false),
            ("class A(make($0Base)):\n  pass\n", false),
            ("class A(\n    Other,\n    $0Base,\n):\n  pass\n", true),
            ("class A:\n  x = $0Base\n", false),
        ] {
            let offset = fixture.find("$0").unwrap();
            let text = fixture.replace("$0", "");
            let outline = zubi_syntax::outline_of_file("a.py", &text, &|| false).unwrap().unwrap();
            assert_eq!(is_base(&text, &outline.declarations[0], offset), expected, "{fixture}");
        }
    }
}
