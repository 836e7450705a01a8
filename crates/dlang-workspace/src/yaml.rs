//! YAML as a tree with ranges, limited in size and depth, whatever the text.
//!
//! Reading does not fail: an error of the text becomes a problem, and the tree has everything before it. Unfinished
//! nodes are marked, so that callers do not report their missing parts.
//!
//! An alias shares the node of its anchor and is never copied. Traversals are limited nevertheless: every alias counts
//! with the nodes of its anchor, and it cannot make the tree deeper than a text could.

use std::collections::BTreeSet;
use std::rc::Rc;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span, StructureStyle};
use rustc_hash::FxHashMap;
use text_size::{TextRange, TextSize};

/// The maximum nesting depth. A manifest has four levels.
const MAX_DEPTH: usize = 32;
/// The maximum number of nodes, including those that aliases repeat. A manifest has some hundreds.
const MAX_NODES: usize = 100_000;
/// The maximum number of stored problems of one text.
const MAX_PROBLEMS: usize = 1000;

/// A value of the text.
#[derive(Debug)]
pub(crate) struct YamlNode {
    /// The range in bytes. For a collection in block style, from its first entry to the beginning of what follows it.
    pub(crate) range: TextRange,
    pub(crate) value: YamlValue,
    /// Whether the text has an error inside the node, so that entries may be missing.
    pub(crate) cut: bool,
    nodes: usize,
    height: usize,
}

#[derive(Debug)]
pub(crate) enum YamlValue {
    /// Nothing, `~` or `null`.
    Null,
    /// A scalar as written, including numbers and truth values.
    Scalar(String),
    Mapping {
        entries: Vec<MappingEntry>,
        /// Whether it is written with braces.
        flow: bool,
    },
    Sequence(Vec<Rc<YamlNode>>),
    /// An alias without a target, or beyond a limit. A [`YamlProblem`] reports it.
    Refused,
}

/// A key that is text, and its value. Keys of one mapping differ.
#[derive(Debug)]
pub(crate) struct MappingEntry {
    pub(crate) key: String,
    pub(crate) key_range: TextRange,
    pub(crate) value: Rc<YamlNode>,
}

/// A problem of the text as YAML.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct YamlProblem {
    pub(crate) range: TextRange,
    pub(crate) text: String,
    pub(crate) hint: Option<&'static str>,
    pub(crate) duplicate: bool,
}

/// The result of reading.
#[derive(Debug, Default)]
pub(crate) struct Yaml {
    /// `None` if the text has no content.
    pub(crate) root: Option<Rc<YamlNode>>,
    pub(crate) problems: Vec<YamlProblem>,
    /// Whether the text was read to its end.
    pub(crate) complete: bool,
}

impl YamlNode {
    fn new(range: TextRange, value: YamlValue) -> Self {
        let children: &mut dyn Iterator<Item = &Rc<Self>> = match &value {
            YamlValue::Mapping { entries, .. } => &mut entries.iter().map(|entry| &entry.value),
            YamlValue::Sequence(items) => &mut items.iter(),
            YamlValue::Null | YamlValue::Scalar(_) | YamlValue::Refused => &mut std::iter::empty(),
        };
        let (nodes, height) = children.fold((1, 0), |(nodes, height), child| {
            (usize::saturating_add(nodes, child.nodes), height.max(child.height + 1))
        });
        Self { range, value, cut: false, nodes, height }
    }

    /// Returns the entry of a key, if this is a mapping that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&MappingEntry> {
        let YamlValue::Mapping { entries, .. } = &self.value else { return None };
        entries.iter().find(|entry| entry.key == key)
    }
}

/// Reads the first document of a text of less than 4 GiB.
pub(crate) fn parse(text: &str) -> Yaml {
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        emit_unresolved_aliases: true,
    };
    let mut builder = Builder { text, ..Builder::default() };
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => {
                if !builder.event(event, span) {
                    return builder.finish(false);
                }
            }
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(text.len());
                let range = character_at(text, at);
                let hint = hint_for(error.kind(), text.get(range.start().into()..).unwrap_or_default());
                let message = match error.kind() {
                    ErrorKind::RecursionLimitExceeded => format!("nested more than {MAX_DEPTH} deep"),
                    _ => error.info(),
                };
                builder.problem(range, message, hint);
                return builder.finish(false);
            }
        }
    }
    builder.finish(true)
}

/// Explains a common mistake.
fn hint_for(kind: &ErrorKind, rest: &str) -> Option<&'static str> {
    Some(match (kind, rest.chars().next()) {
        (ErrorKind::UnclosedQuotedScalar | ErrorKind::InvalidQuotedScalarIndent, _) => {
            "A quote that opens before this place is not closed."
        }
        (_, Some('@')) => "Put a key or value that begins with '@' into quotes: \"@lib\": ./src",
        (ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation, _) => "Indent with spaces.",
        _ => return None,
    })
}

/// Returns the range of the character at an offset; empty at the end of the text.
fn character_at(text: &str, at: usize) -> TextRange {
    let start = text.floor_char_boundary(at);
    let length = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    TextRange::at(size(start), size(length))
}

fn size(bytes: usize) -> TextSize {
    TextSize::new(u32::try_from(bytes).unwrap_or(u32::MAX))
}

/// A collection that is not closed yet.
struct OpenCollection {
    range: TextRange,
    anchor: usize,
    flow: bool,
    /// The key whose value follows; without its text if the key is not a scalar.
    key: Option<(Option<String>, TextRange)>,
    seen: BTreeSet<String>,
    value: Collection,
}

enum Collection {
    Mapping(Vec<MappingEntry>),
    Sequence(Vec<Rc<YamlNode>>),
}

#[derive(Default)]
struct Builder<'t> {
    text: &'t str,
    root: Option<Rc<YamlNode>>,
    open: Vec<OpenCollection>,
    anchors: FxHashMap<usize, Rc<YamlNode>>,
    nodes: usize,
    documents: usize,
    problems: Vec<YamlProblem>,
}

impl Builder<'_> {
    /// Processes an event; returns false when reading must stop.
    fn event(&mut self, event: Event<'_>, span: Span) -> bool {
        let range = self.range(&span);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.problem(
                        range,
                        "a manifest is one document".to_owned(),
                        Some("The text after '---' is not read."),
                    );
                    return false;
                }
            }
            Event::Scalar(text, style, anchor, _) => {
                let plain = style == ScalarStyle::Plain;
                let null = plain && (range.is_empty() || matches!(&*text, "" | "~" | "null" | "Null" | "NULL"));
                let value = if null { YamlValue::Null } else { YamlValue::Scalar(text.into_owned()) };
                return self.add(anchor, YamlNode::new(range, value));
            }
            Event::MappingStart(style, anchor, _) => self.begin(range, anchor, style, Collection::Mapping(Vec::new())),
            Event::SequenceStart(style, anchor, _) => {
                self.begin(range, anchor, style, Collection::Sequence(Vec::new()));
            }
            Event::MappingEnd | Event::SequenceEnd => return self.end(range, false),
            Event::Alias(anchor) => return self.alias(anchor, range),
            Event::UnresolvedAlias(name) => {
                self.problem(range, format!("there is no anchor '&{name}' before this alias"), None);
                return self.add(0, YamlNode::new(range, YamlValue::Refused));
            }
            // Tags, comments and what later versions of the parser may add carry no values.
            _ => {}
        }
        true
    }

    fn alias(&mut self, anchor: usize, range: TextRange) -> bool {
        let refuse = |this: &mut Self, text: &str| {
            this.problem(range, text.to_owned(), Some("Write the value out."));
            this.add(0, YamlNode::new(range, YamlValue::Refused))
        };
        let Some(node) = self.anchors.get(&anchor).map(Rc::clone) else {
            return refuse(self, "this alias is inside its own anchor");
        };
        // A chain of aliases is a deep tree in a flat text; freeing it would need an equally deep stack.
        if self.open.len() + node.height >= MAX_DEPTH {
            return refuse(self, "this alias makes the text too deep");
        }
        if self.nodes.saturating_add(node.nodes) > MAX_NODES {
            return refuse(self, "the aliases of this text repeat too much");
        }
        self.nodes += node.nodes;
        self.attach(node, range);
        true
    }

    fn begin(&mut self, range: TextRange, anchor: usize, style: StructureStyle, value: Collection) {
        let flow = style == StructureStyle::Flow;
        self.open.push(OpenCollection { range, anchor, flow, key: None, seen: BTreeSet::new(), value });
    }

    fn end(&mut self, range: TextRange, cut: bool) -> bool {
        let Some(open) = self.open.pop() else { return true };
        let value = match open.value {
            Collection::Mapping(entries) => YamlValue::Mapping { entries, flow: open.flow },
            Collection::Sequence(items) => YamlValue::Sequence(items),
        };
        let mut node = YamlNode::new(open.range.cover(range), value);
        node.cut = cut;
        self.add(open.anchor, node)
    }

    /// Adds a new node to its parent; returns false if there are too many nodes.
    fn add(&mut self, anchor: usize, node: YamlNode) -> bool {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            self.problem(node.range, format!("more than {MAX_NODES} values"), Some("The following text is not read."));
            return false;
        }
        let range = node.range;
        let node = Rc::new(node);
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.attach(node, range);
        true
    }

    fn attach(&mut self, node: Rc<YamlNode>, range: TextRange) {
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return;
        };
        let entries = match &mut open.value {
            Collection::Sequence(items) => return items.push(node),
            Collection::Mapping(entries) => entries,
        };
        let Some((key, key_range)) = open.key.take() else {
            let text = match &node.value {
                YamlValue::Scalar(text) => Some(text.clone()),
                YamlValue::Null | YamlValue::Mapping { .. } | YamlValue::Sequence(_) | YamlValue::Refused => None,
            };
            let problem = match &text {
                None => Some(("a key must be text".to_owned(), None, false)),
                Some(text) if !open.seen.insert(text.clone()) => Some((
                    format!("the key '{}' is there twice", quote_excerpt(text)),
                    Some("The first one counts."),
                    true,
                )),
                Some(_) => None,
            };
            open.key = Some((text.filter(|_| problem.is_none()), range));
            if let Some((text, hint, duplicate)) = problem {
                self.push_problem(YamlProblem { range, text, hint, duplicate });
            }
            return;
        };
        if let Some(key) = key {
            entries.push(MappingEntry { key, key_range, value: node });
        }
    }

    fn problem(&mut self, range: TextRange, text: String, hint: Option<&'static str>) {
        self.push_problem(YamlProblem { range, text, hint, duplicate: false });
    }

    fn push_problem(&mut self, problem: YamlProblem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn finish(mut self, complete: bool) -> Yaml {
        let end = TextRange::empty(size(self.text.len()));
        // Unfinished collections no longer count; otherwise the last ones would be lost.
        self.nodes = 0;
        while let Some(open) = self.open.last_mut() {
            if let (Collection::Mapping(entries), Some((Some(key), key_range))) = (&mut open.value, open.key.take()) {
                let mut value = YamlNode::new(TextRange::empty(key_range.end()), YamlValue::Null);
                value.cut = true;
                entries.push(MappingEntry { key, key_range, value: Rc::new(value) });
            }
            self.end(end, true);
        }
        Yaml { root: self.root, problems: self.problems, complete }
    }

    /// Returns the byte range of an event, clamped to the text.
    fn range(&self, span: &Span) -> TextRange {
        let range = span.byte_range().unwrap_or_default();
        let end = size(range.end.min(self.text.len()));
        TextRange::new(size(range.start).min(end), end)
    }
}

/// Shortens a text of a file for a message, on one line.
pub(crate) fn quote_excerpt(text: &str) -> String {
    const LONGEST: usize = 100;
    let line = |c: char| if c.is_control() { ' ' } else { c };
    let mut short: String = text.chars().take(LONGEST).map(line).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}
