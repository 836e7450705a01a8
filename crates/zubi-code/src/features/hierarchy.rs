//! Trees of calls and of types: callers and callees, supertypes and subtypes.
//!
//! Servers answer one step at a time. The search is breadth-first, so that a limit cuts the farthest symbols. It
//! expands each symbol once and marks every other occurrence.

use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use rustc_hash::FxHashSet;
use serde::Deserialize as _;
use serde_json::{Value, json};
use zubi_base::endpoint::{DocumentRef, Endpoint, EndpointError};
use zubi_base::lsp;
use zubi_base::sync::lock;
use zubi_base::uri;

use crate::error::CodeError;
use crate::locate::ResolvedTarget;
use crate::location::SourceLocation;
use crate::markup::clean_line;
use crate::outline::kind_of;
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::position_params;
use crate::status::{Completeness, QualifiedAnswer};
use crate::worktrees::WorktreeFilter;

mod by_references;

/// The maximum depth. A deeper call tree would contain most of the program.
pub const MAX_DEPTH: u32 = 5;

/// The maximum number of symbols in one tree, roots included; each may cost a file read for its source line.
pub const MAX_NODES: usize = 200;

/// The maximum number of calls stored between two functions.
const MAX_CALLS: usize = 100;

/// The number of concurrent requests on one level: enough to use the server fully without flooding it.
const AT_ONCE: usize = 8;

/// JSON-RPC's code for a missing method, which a server may return despite its capabilities.
const METHOD_NOT_FOUND: i64 = -32601;

/// The direction in which a tree grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Incoming,
    Outgoing,
    Supertypes,
    Subtypes,
}

impl Direction {
    fn prepare(self) -> &'static str {
        match self {
            Self::Incoming | Self::Outgoing => "textDocument/prepareCallHierarchy",
            Self::Supertypes | Self::Subtypes => "textDocument/prepareTypeHierarchy",
        }
    }

    fn method(self) -> &'static str {
        match self {
            Self::Incoming => "callHierarchy/incomingCalls",
            Self::Outgoing => "callHierarchy/outgoingCalls",
            Self::Supertypes => "typeHierarchy/supertypes",
            Self::Subtypes => "typeHierarchy/subtypes",
        }
    }

    fn operation(self) -> &'static str {
        match self {
            Self::Incoming => "find callers",
            Self::Outgoing => "find callees",
            Self::Supertypes => "find supertypes",
            Self::Subtypes => "find subtypes",
        }
    }
}

/// The reason why a symbol is not expanded: it is expanded elsewhere in the same tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// The symbol is its own ancestor: a recursion.
    Cycle,
    /// Another path also reaches the symbol.
    AlreadyListed,
}

/// One symbol of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyNode {
    /// The server's name for the symbol, without control characters.
    pub name: String,
    pub kind: &'static str,
    /// The server's detail: signature, container or file.
    pub detail: Option<String>,
    /// The names of the enclosing declarations, joined with `.`, if the server's name lacks them.
    pub container: Option<String>,
    pub location: SourceLocation,
    /// The positions of the calls between this symbol and its parent: in its own body for callers, in the parent's body
    /// for callees. Empty for types.
    pub calls: Vec<SourceLocation>,
    pub repeat: Option<Repeat>,
    /// The symbol is in a library and was not expanded, although the depth would allow it.
    pub is_unexpanded: bool,
    /// Sorted by location.
    pub children: Vec<Self>,
}

/// The trees of one request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SymbolHierarchy {
    /// The symbols at the position, one tree each; several if the name has several meanings.
    pub roots: Vec<HierarchyNode>,
    /// The number of symbols below the roots.
    pub total: usize,
    /// Whether symbols are missing because of [`MAX_NODES`].
    pub cut: bool,
}

impl CodeQuery<'_> {
    /// Returns the calls or types around a resolved target, `depth` steps far (1 to [`MAX_DEPTH`]). Has no roots if the
    /// server has no tree for the target.
    pub async fn hierarchy(
        &self,
        at: &ResolvedTarget,
        direction: Direction,
        depth: u32,
    ) -> Result<QualifiedAnswer<SymbolHierarchy>, CodeError> {
        let prepare = direction.prepare();
        let ready = match self.ready_for(&at.reference, prepare, direction.operation(), ReadinessLevel::Project).await {
            Ok(ready) => ready,
            Err(error) => {
                if let CodeError::Unsupported { servers, .. } = &error
                    && direction != Direction::Outgoing
                    && let Some(answer) = Box::pin(self.hierarchy_by_references(at, direction, depth, servers)).await?
                {
                    return Ok(answer);
                }
                return Err(self.with_nearest(error, at, direction).await);
            }
        };
        let document = self.document(&at.path).await?;
        // A server of several projects knows the callers in those that it reads.
        let shared = match direction {
            Direction::Incoming | Direction::Subtypes => self.split_other_projects(at, prepare).await,
            Direction::Outgoing | Direction::Supertypes => None,
        };
        let cx = self.request_cx_with(at, &shared.map(|(shared, _)| shared).unwrap_or_default());
        let replies = self
            .request_all(&ready, prepare, &cx, |endpoint| {
                position_params(&at.reference, &document, at.offset, endpoint.encoding())
            })
            .await?;
        let mut status = replies.status;
        // Two servers' trees of the same calls cannot be merged node by node, so zubi uses the first server that has
        // one.
        let first_reply = replies.replies.into_iter().find_map(|reply| {
            let items: Vec<HierarchyItem> = items(&reply.result).filter_map(HierarchyItem::parse).collect();
            (!items.is_empty()).then_some((reply.endpoint, items))
        });
        let Some((endpoint, items)) = first_reply else {
            status.add_library_caveats(true);
            return Ok(QualifiedAnswer { value: SymbolHierarchy::default(), status });
        };
        let mut walk = HierarchyWalk {
            query: self,
            endpoint,
            direction,
            nodes: Vec::new(),
            seen: FxHashSet::default(),
            cut: false,
            worktree: Mutex::new(WorktreeFilter::new(self.workspace(), &at.path)),
        };
        for item in items {
            let location = walk.location(&item.location).await;
            walk.add(None, HierarchyStep { item, location, calls: Vec::new() });
        }
        let roots = walk.nodes.len();
        let failures = match walk.run(depth.clamp(1, MAX_DEPTH)).await {
            Ok(failures) => failures,
            Err(error) => return Err(self.with_nearest(error, at, direction).await),
        };
        let total = walk.nodes.len() - roots;
        status.notes.extend(lock(&walk.worktree).note("symbol"));
        if walk.cut {
            let reason =
                format!("the tree was cut at {MAX_NODES} symbols; request a smaller depth, or the tree of one of them");
            status.completeness = Completeness::Partial { reason };
        } else if let Some(error) = failures.first() {
            status.completeness = Completeness::Partial { reason: error.to_string() };
        }
        status.add_library_caveats(total == 0);
        let other_projects_hint = match direction {
            Direction::Incoming => Some("`lsp_references` looks there"),
            Direction::Subtypes => Some("`lsp_implementations` looks there"),
            Direction::Outgoing | Direction::Supertypes => None,
        };
        if let Some(other_projects_hint) = other_projects_hint {
            let answered = walk.nodes.iter().filter_map(|entry| entry.node.location.path.clone()).collect();
            self.add_other_projects_note(at, prepare, &answered, other_projects_hint, &mut status).await;
        }
        let is_cut = walk.cut;
        let mut roots = nest(walk.nodes.into_iter().map(|entry| (entry.parent, entry.node)).collect());
        if matches!(direction, Direction::Incoming | Direction::Outgoing) {
            self.add_containers(&mut roots).await;
        }
        Ok(QualifiedAnswer { value: SymbolHierarchy { cut: is_cut, roots, total }, status })
    }

    /// Adds the nearest supported request to the error for an unsupported one, if there is any.
    async fn with_nearest(&self, error: CodeError, at: &ResolvedTarget, direction: Direction) -> CodeError {
        let CodeError::Unsupported { servers, operation, .. } = error else { return error };
        let (method, nearest) = match direction {
            Direction::Incoming => {
                ("textDocument/references", "`lsp_references` lists every place that names it, calls among them")
            }
            Direction::Subtypes => {
                ("textDocument/implementation", "`lsp_implementations` lists everything that implements or extends it")
            }
            // The symbol's source shows its callees and supertypes.
            Direction::Outgoing | Direction::Supertypes => {
                ("textDocument/definition", "`read_symbol` shows its source, which names them")
            }
        };
        let usable = self.ready_for(&at.reference, method, direction.operation(), ReadinessLevel::File).await.is_ok();
        CodeError::Unsupported { servers, operation, nearest: usable.then_some(nearest) }
    }
}

/// One symbol in the server's form.
struct HierarchyItem {
    /// The item as received, to send back unchanged with the next request.
    raw: Value,
    name: String,
    kind: &'static str,
    detail: Option<String>,
    /// The location of the name.
    location: lsp::Location,
}

impl HierarchyItem {
    /// Parses an item of either hierarchy; returns `None` for invalid LSP.
    fn parse(raw: &Value) -> Option<Self> {
        let text = |field: &str| {
            let text = clean_line(raw.get(field)?.as_str()?);
            (!text.trim().is_empty()).then_some(text)
        };
        let range = raw.get("selectionRange").or_else(|| raw.get("range"))?;
        Some(Self {
            name: text("name")?,
            kind: kind_of(raw),
            detail: text("detail"),
            location: lsp::Location {
                uri: lsp::Uri(raw.get("uri")?.as_str()?.to_owned()),
                range: lsp::Range::deserialize(range).ok()?,
            },
            raw: raw.clone(),
        })
    }

    fn key(&self) -> SymbolKey {
        let start = self.location.range.start;
        (self.location.uri.0.clone(), start.line, start.character, self.name.clone())
    }
}

/// The identity of a symbol: document, position of the name, name.
type SymbolKey = (String, u32, u32, String);

/// Returns the items of a result, which is a list or `null`.
fn items(result: &Value) -> impl Iterator<Item = &Value> {
    result.as_array().into_iter().flatten()
}

/// A symbol that one request returned.
struct HierarchyStep {
    item: HierarchyItem,
    location: SourceLocation,
    calls: Vec<SourceLocation>,
}

struct HierarchyEntry {
    item: HierarchyItem,
    /// Index of the parent; smaller than the entry's own.
    parent: Option<usize>,
    node: HierarchyNode,
}

struct HierarchyWalk<'a> {
    query: &'a CodeQuery<'a>,
    endpoint: Arc<dyn Endpoint>,
    direction: Direction,
    nodes: Vec<HierarchyEntry>,
    seen: FxHashSet<SymbolKey>,
    cut: bool,
    /// The git worktree of the queried symbol.
    worktree: Mutex<WorktreeFilter<'a>>,
}

impl HierarchyWalk<'_> {
    /// Adds a symbol; returns its index if it must be expanded.
    fn add(&mut self, above: Option<usize>, step: HierarchyStep) -> Option<usize> {
        if self.nodes.len() >= MAX_NODES {
            self.cut = true;
            return None;
        }
        let HierarchyStep { item, location, calls } = step;
        let new = self.seen.insert(item.key());
        let repeat =
            (!new).then(|| if self.is_above(above, &item.key()) { Repeat::Cycle } else { Repeat::AlreadyListed });
        let node = HierarchyNode {
            name: item.name.clone(),
            kind: item.kind,
            detail: item.detail.clone(),
            container: None,
            location,
            calls,
            repeat,
            is_unexpanded: false,
            children: Vec::new(),
        };
        self.nodes.push(HierarchyEntry { item, parent: above, node });
        new.then(|| self.nodes.len() - 1)
    }

    fn is_above(&self, mut above: Option<usize>, key: &SymbolKey) -> bool {
        while let Some(entry) = above.and_then(|at| self.nodes.get(at)) {
            if entry.item.key() == *key {
                return true;
            }
            above = entry.parent;
        }
        false
    }

    /// Expands level by level and returns the errors. Fails with the first error if every request failed.
    async fn run(&mut self, depth: u32) -> Result<Vec<CodeError>, CodeError> {
        let mut failures = Vec::new();
        let mut answered = false;
        let mut level: Vec<usize> = (0..self.nodes.len()).collect();
        for _ in 0..depth {
            let mut next = Vec::new();
            for some in level.chunks(AT_ONCE) {
                let requests = some.iter().filter_map(|at| self.nodes.get(*at)).map(|entry| self.steps(&entry.item));
                let answers = join_all(requests).await;
                for (at, steps) in some.iter().zip(answers) {
                    match steps {
                        Ok(steps) => {
                            answered = true;
                            next.extend(steps.into_iter().filter_map(|step| self.add(Some(*at), step)));
                        }
                        Err(error @ CodeError::Endpoint(EndpointError::Cancelled)) => return Err(error),
                        Err(error) => failures.push(error),
                    }
                }
            }
            if !answered && !failures.is_empty() {
                return Err(failures.swap_remove(0));
            }
            level = next;
            // Callees of library functions are not expanded.
            level.retain(|at| self.direction != Direction::Outgoing || !self.nodes.get(*at).is_some_and(is_external));
        }
        if depth > 1 && self.direction == Direction::Outgoing {
            self.mark_unexpanded(depth);
        }
        Ok(failures)
    }

    fn mark_unexpanded(&mut self, depth: u32) {
        let mut steps: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for entry in &mut self.nodes {
            let from_root = entry.parent.and_then(|above| steps.get(above)).map_or(0, |above| above + 1);
            steps.push(from_root);
            let node = &mut entry.node;
            node.is_unexpanded = from_root > 0 && from_root < depth && node.location.external && node.repeat.is_none();
        }
    }

    /// Returns the symbols one step from a symbol, each once, sorted by location.
    async fn steps(&self, item: &HierarchyItem) -> Result<Vec<HierarchyStep>, CodeError> {
        let method = self.direction.method();
        let mut cx = self.query.request_cx();
        // The server must have the item's document open, unless it belongs to a library.
        if let Some(path) = uri::to_path(&item.location.uri).filter(|path| self.query.workspace().contains(path)) {
            cx = cx.for_document(&DocumentRef::new(path));
        }
        let answer = self.endpoint.request(method, json!({ "item": item.raw }), &cx).await;
        let result = answer.map_err(|error| self.failure(error))?;
        let mut steps: Vec<HierarchyStep> = Vec::new();
        for found in items(&result) {
            // Call ranges are in the caller's document: the found item's for callers, the queried item's for callees.
            let (raw, call_uri) = match self.direction {
                Direction::Incoming => (found.get("from"), None),
                Direction::Outgoing => (found.get("to"), Some(&item.location.uri)),
                Direction::Supertypes | Direction::Subtypes => (Some(found), None),
            };
            let Some(item) = raw.and_then(HierarchyItem::parse) else { continue };
            if !lock(&self.worktree).admits(&item.location.uri) {
                continue;
            }
            let call_uri = call_uri.unwrap_or(&item.location.uri).clone();
            let mut calls = Vec::new();
            for range in items(found.get("fromRanges").unwrap_or(&Value::Null)).take(MAX_CALLS) {
                if let Ok(range) = lsp::Range::deserialize(range) {
                    calls.push(self.location(&lsp::Location { uri: call_uri.clone(), range }).await);
                }
            }
            match steps.iter_mut().find(|existing| existing.item.key() == item.key()) {
                Some(existing) => existing.calls.extend(calls),
                None => steps.push(HierarchyStep { location: self.location(&item.location).await, item, calls }),
            }
        }
        for step in &mut steps {
            step.calls.sort_by_key(|call| (call.line, call.column));
            step.calls.dedup();
        }
        steps.sort_by_cached_key(|step| {
            let SourceLocation { external, display_path: shown, line, column, .. } = &step.location;
            (*external, shown.clone(), *line, *column)
        });
        Ok(steps)
    }

    fn failure(&self, error: EndpointError) -> CodeError {
        match error {
            EndpointError::Server { endpoint, code: METHOD_NOT_FOUND, .. } => CodeError::Unsupported {
                servers: endpoint.to_string(),
                operation: self.direction.operation().to_owned(),
                nearest: None,
            },
            error => error.into(),
        }
    }

    async fn location(&self, location: &lsp::Location) -> SourceLocation {
        self.query.virtual_documents.register(&location.uri, &self.endpoint);
        self.query.location(location, self.endpoint.encoding(), 0).await
    }
}

fn is_external(entry: &HierarchyEntry) -> bool {
    entry.node.location.external
}

/// Builds the trees from nodes with the indices of their parents. Each node comes after its parent, so the last one is
/// always complete.
fn nest(mut nodes: Vec<(Option<usize>, HierarchyNode)>) -> Vec<HierarchyNode> {
    let mut roots = Vec::new();
    while let Some((above, mut node)) = nodes.pop() {
        node.children.reverse();
        match above.and_then(|above| nodes.get_mut(above)) {
            Some((_, above)) => above.children.push(node),
            None => roots.push(node),
        }
    }
    roots.reverse();
    roots
}
