//! A map as boxes and lines, independent of the diagram's format.

use dlang_model::{
    Body, Db, Definition, ReferenceId, RelationshipArrow, RelationshipSide, RelationshipView, context_domain,
    domain_parent, file_model, relationship_view, resolutions, target,
};
use dlang_syntax::ast::{Arrow, PatternKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

/// The boxes and lines to draw.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The map's name.
    pub(super) title: String,
    /// Whether the layout is top-down instead of left-to-right.
    pub(super) is_downward: bool,
    /// The groups of boxes: domains.
    pub(super) groups: Vec<String>,
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
}

/// Boxes with their numbers.
type NumberedNodes<'a> = Vec<(usize, &'a Node)>;

impl Graph {
    /// Returns the boxes of each group, and those without a group.
    pub(super) fn group_boxes(&self) -> (Vec<NumberedNodes<'_>>, NumberedNodes<'_>) {
        let mut groups: Vec<NumberedNodes<'_>> = self.groups.iter().map(|_| Vec::new()).collect();
        let mut others = Vec::new();
        for numbered in self.nodes.iter().enumerate() {
            match numbered.1.group.and_then(|group| groups.get_mut(group)) {
                Some(group) => group.push(numbered),
                None => others.push(numbered),
            }
        }
        (groups, others)
    }
}

/// A box.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) label: String,
    /// The text below the label.
    pub(super) note: Option<String>,
    /// The number of the box's group.
    pub(super) group: Option<usize>,
}

/// A line between two boxes, which are given by their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) line: Line,
    /// Consists only of patterns and arrows, so that no format needs to escape it; may be empty.
    pub(super) label: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Line {
    /// From upstream to downstream, or from a domain to its part.
    Arrow,
    /// An arrow at both ends.
    Both,
    Plain,
    /// Between contexts without a relationship.
    Dotted,
}

/// Builds the graph of a map; empty for an element that is not a map.
pub(super) fn build(db: &dyn Db, map: Definition) -> Graph {
    let title = map.fqn(db).or_else(|| map.name(db)).map(String::from).unwrap_or_default();
    let graph = Graph { title, ..Graph::default() };
    match map.body(db) {
        Some(Body::ContextMap(data)) => {
            let mut drawing = DiagramBuilder::new(db, graph);
            drawing.entries(map, &data.entries);
            for relationship in file_model(db, map.file).relationships_in(&data.relationships) {
                drawing.relationship(relationship_view(db, map.file, relationship), Ends::Any);
            }
            drawing.relationships_of_contexts();
            drawing.group_by_domain();
            drawing.finish()
        }
        Some(Body::DomainMap(data)) => {
            let mut drawing = DiagramBuilder::new(db, Graph { is_downward: true, ..graph });
            drawing.entries(map, &data.entries);
            drawing.hierarchy();
            drawing.finish()
        }
        _ => graph,
    }
}

/// The ends of a relationship that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// All ends; contexts outside the map get boxes as well.
    Any,
    /// Only ends that already have a box.
    Contained,
}

struct DiagramBuilder<'db> {
    db: &'db dyn Db,
    graph: Graph,
    /// The element of each node; `None` for an unresolved name.
    elements: Vec<Option<Definition>>,
    numbers: FxHashMap<Definition, usize>,
    seen: FxHashSet<Edge>,
}

impl<'db> DiagramBuilder<'db> {
    fn new(db: &'db dyn Db, graph: Graph) -> Self {
        let (elements, numbers, seen) = (Vec::new(), FxHashMap::default(), FxHashSet::default());
        Self { db, graph, elements, numbers, seen }
    }

    /// Adds the boxes of a map's entries. An unresolved entry gets a box that reports it.
    fn entries(&mut self, map: Definition, entries: &[ReferenceId]) {
        let (model, resolutions) = (file_model(self.db, map.file), resolutions(self.db, map.file));
        for entry in entries {
            let targets = resolutions.targets(*entry);
            for target in targets {
                self.node(*target);
            }
            if targets.is_empty()
                && let Some(reference) = model.reference(*entry)
            {
                let note = Some("not found".to_owned());
                self.graph.nodes.push(Node { label: reference.text.to_string(), note, group: None });
                self.elements.push(None);
            }
        }
    }

    /// Returns the number of an element's box, which it adds if needed.
    fn node(&mut self, definition: Definition) -> usize {
        if let Some(number) = self.numbers.get(&definition) {
            return *number;
        }
        let number = self.graph.nodes.len();
        let label = definition.name(self.db).map(String::from).unwrap_or_default();
        self.graph.nodes.push(Node { label, note: None, group: None });
        self.elements.push(Some(definition));
        self.numbers.insert(definition, number);
        number
    }

    /// Adds the relationships that the contexts of the map declare themselves.
    fn relationships_of_contexts(&mut self) {
        let contexts: Vec<Definition> = self.elements.iter().flatten().copied().collect();
        for context in contexts {
            let Some(Body::Context(data)) = context.body(self.db) else { continue };
            for relationship in file_model(self.db, context.file).relationships_in(&data.relationships) {
                self.relationship(relationship_view(self.db, context.file, relationship), Ends::Contained);
            }
        }
    }

    /// Adds a line unless the same one exists: a map and a context may both declare it, from either end.
    fn relationship(&mut self, view: Option<RelationshipView>, ends: Ends) {
        let Some(view) = view else { return };
        let is_there = |side: &RelationshipSide| self.numbers.contains_key(&side.context);
        if ends == Ends::Contained && !(is_there(&view.left) && is_there(&view.right)) {
            return;
        }
        let (from, to) = match view.arrow {
            RelationshipArrow::Directional(Arrow::Left) => (&view.right, &view.left),
            _ => (&view.left, &view.right),
        };
        let (line, label) = match view.arrow {
            RelationshipArrow::Directional(Arrow::Both) => {
                let (from, to) = (brackets(&from.patterns), brackets(&to.patterns));
                let label = if from.is_empty() && to.is_empty() { String::new() } else { format!("{from} ↔ {to}") };
                (Line::Both, label.trim().to_owned())
            }
            RelationshipArrow::Directional(Arrow::Left | Arrow::Right) => {
                let (up, down) = (format!("U {}", brackets(&from.patterns)), format!("D {}", brackets(&to.patterns)));
                (Line::Arrow, format!("{} → {}", up.trim_end(), down.trim_end()))
            }
            RelationshipArrow::Pattern(PatternKind::SeparateWays) | RelationshipArrow::Apart => {
                (Line::Dotted, brackets(&[PatternKind::SeparateWays]))
            }
            RelationshipArrow::Pattern(pattern) => (Line::Plain, brackets(&[pattern])),
        };
        let (from, to) = (self.node(from.context), self.node(to.context));
        let edge = Edge { from, to, line, label };
        let mut key = edge.clone();
        if matches!(line, Line::Plain | Line::Dotted) {
            (key.from, key.to) = (from.min(to), from.max(to));
        }
        if self.seen.insert(key) {
            self.graph.edges.push(edge);
        }
    }

    /// Groups the contexts of each domain.
    fn group_by_domain(&mut self) {
        let mut domains: Vec<Definition> = Vec::new();
        let mut numbers: FxHashMap<Definition, usize> = FxHashMap::default();
        for (node, element) in self.graph.nodes.iter_mut().zip(&self.elements) {
            let Some(domain) = element.and_then(|context| context_domain(self.db, context)) else { continue };
            let number = *numbers.entry(domain).or_insert_with(|| {
                domains.push(domain);
                domains.len() - 1
            });
            node.group = Some(number);
        }
        let domains: Vec<Option<Definition>> = domains.into_iter().map(Some).collect();
        let names = domains.iter().map(|domain| domain.and_then(|domain| domain.name(self.db)).unwrap_or_default());
        let mut labels: Vec<String> = names.map(String::from).collect();
        distinguish(self.db, &domains, labels.iter_mut());
        self.graph.groups = labels;
    }

    /// Adds lines from each domain to its parts, across domains that the map does not contain, and the domains' types
    /// as notes.
    fn hierarchy(&mut self) {
        let domains: Vec<(usize, Definition)> =
            self.elements.iter().enumerate().filter_map(|(number, it)| Some((number, (*it)?))).collect();
        let mut nearest: FxHashMap<Definition, Option<usize>> = FxHashMap::default();
        for (number, domain) in domains {
            if let Some(Body::Domain(data)) = domain.body(self.db)
                && let Some(kind) = target(self.db, domain, data.classification)
                && let Some(node) = self.graph.nodes.get_mut(number)
            {
                node.note = kind.name(self.db).map(String::from);
            }
            let above = domain_parent(self.db, domain).and_then(|parent| self.nearest_contained(parent, &mut nearest));
            if let Some(from) = above.filter(|from| *from != number) {
                self.graph.edges.push(Edge { from, to: number, line: Line::Arrow, label: String::new() });
            }
        }
    }

    /// Returns the box of a domain, or of its nearest ancestor with a box. Visits each domain once over all calls. A
    /// cycle of parents, which is an error of the model, ends at its start.
    fn nearest_contained(&self, domain: Definition, cache: &mut FxHashMap<Definition, Option<usize>>) -> Option<usize> {
        let mut visited = Vec::new();
        let mut at = Some(domain);
        let found = loop {
            let Some(domain) = at else { break None };
            if let Some(number) = self.numbers.get(&domain) {
                break Some(*number);
            }
            if let Some(found) = cache.get(&domain) {
                break *found;
            }
            cache.insert(domain, None);
            visited.push(domain);
            at = domain_parent(self.db, domain);
        };
        cache.extend(visited.into_iter().map(|domain| (domain, found)));
        found
    }

    fn finish(mut self) -> Graph {
        distinguish(self.db, &self.elements, self.graph.nodes.iter_mut().map(|node| &mut node.label));
        self.graph
    }
}

/// Replaces labels that several boxes share by fully qualified names.
fn distinguish<'a>(
    db: &dyn Db,
    elements: &[Option<Definition>],
    labels: impl ExactSizeIterator<Item = &'a mut String>,
) {
    let name = |element: &Option<Definition>| element.and_then(|it| it.name(db));
    let mut counts: FxHashMap<SmolStr, usize> = FxHashMap::default();
    for name in elements.iter().filter_map(name) {
        *counts.entry(name).or_default() += 1;
    }
    for (element, label) in elements.iter().zip(labels) {
        if counts.get(label.as_str()).is_some_and(|count| *count > 1)
            && let Some(fqn) = element.and_then(|it| it.fqn(db))
        {
            *label = fqn.to_string();
        }
    }
}

/// Formats patterns as in `[OHS, PL]`; empty if there is no pattern.
fn brackets(patterns: &[PatternKind]) -> String {
    if patterns.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = patterns.iter().map(|pattern| pattern.short_name()).collect();
    format!("[{}]", names.join(", "))
}
