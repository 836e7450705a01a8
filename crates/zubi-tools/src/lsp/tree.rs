//! Answer of tools that walk a hierarchy of calls or types: a count, then an indented tree, one symbol per line.

use std::fmt::Write as _;

use serde_json::{Value, json};
use zubi_base::text::{list_first, pluralize};
use zubi_code::features::hierarchy::{Direction, HierarchyNode, MAX_NODES, Repeat, SymbolHierarchy};
use zubi_code::locate::ResolvedTarget;
use zubi_code::location::SourceLocation;
use zubi_code::{CodeError, CodeQuery};

use crate::lsp::code_tool::CodeAnswer;
use crate::lsp::view::{OutputBudget, location_json, resolved_json};

/// Maximum number of lines listed of the calls between two functions; the JSON form has all of them.
const MAX_LINES: usize = 10;

/// One line of the tree.
pub(crate) struct TreeRow<'a> {
    depth: usize,
    node: &'a HierarchyNode,
}

/// Requests the hierarchy and renders it.
pub(crate) async fn answer_hierarchy(
    query: &CodeQuery<'_>,
    view: &OutputBudget,
    at: &ResolvedTarget,
    direction: Direction,
    depth: u32,
) -> Result<CodeAnswer, CodeError> {
    let answer = query.hierarchy(at, direction, depth).await?;
    let SymbolHierarchy { roots, total, cut } = &answer.value;
    let mut text = at.header();
    let name = at.name.as_deref().unwrap_or("this position");
    let noun = relation_noun(direction);
    // Writing to a `String` cannot fail.
    let _ = match (roots.len(), total) {
        (0, _) => {
            writeln!(text, "\nno {noun}s of `{name}`: it is not a {} known to the server", subject_noun(direction))
        }
        (_, 0) => writeln!(text, "\nno {noun}s of `{name}`"),
        (_, total) => {
            let distance = if depth > 1 { format!(", up to {depth} steps away") } else { String::new() };
            let bound = if *cut { format!(", cut at {MAX_NODES} symbols") } else { String::new() };
            writeln!(text, "\n{} of `{name}`{distance}{bound}", pluralize(*total, noun))
        }
    };
    let rows = flatten(roots);
    let list = view.rows(&rows, "raise maxTokens, or use a smaller depth", |text, _, row| {
        write_row(text, direction, row);
    })?;
    text.push_str(&list.text);
    let mut status = answer.status;
    status.merge(at.status.clone());
    let data = view.data(|| {
        let mut budget = list.range.len();
        let items = nodes_json(roots, &mut budget);
        json!({ "resolved": resolved_json(at), "items": items, "total": total, "cut": cut })
    });
    Ok(CodeAnswer { text, data, status, truncated: list.truncated })
}

/// Returns the relation of a symbol in the tree to the queried one.
pub(crate) fn relation_noun(direction: Direction) -> &'static str {
    match direction {
        Direction::Incoming => "caller",
        Direction::Outgoing => "callee",
        Direction::Supertypes => "supertype",
        Direction::Subtypes => "subtype",
    }
}

fn subject_noun(direction: Direction) -> &'static str {
    match direction {
        Direction::Incoming | Direction::Outgoing => "function",
        Direction::Supertypes | Direction::Subtypes => "type",
    }
}

/// Flattens the trees to lines, each symbol before its children.
pub(crate) fn flatten(roots: &[HierarchyNode]) -> Vec<TreeRow<'_>> {
    fn add<'a>(rows: &mut Vec<TreeRow<'a>>, depth: usize, nodes: &'a [HierarchyNode]) {
        for node in nodes {
            rows.push(TreeRow { depth, node });
            add(rows, depth + 1, &node.children);
        }
    }
    let mut rows = Vec::new();
    add(&mut rows, 0, roots);
    rows
}

/// Writes a line: `  function Report.describe  src/report.rs:6:8  9: shape.describe()`.
pub(crate) fn write_row(text: &mut String, direction: Direction, row: &TreeRow<'_>) {
    let TreeRow { depth, node } = row;
    text.push_str(&"  ".repeat(*depth));
    // pyright includes the kind in some names: `(module) markup.py`.
    if !node.name.starts_with('(') {
        let _ = write!(text, "{} ", node.kind);
    }
    if let Some(container) = &node.container {
        let _ = write!(text, "{container}.");
    }
    let _ = write!(text, "{}  {}", node.name, node.location.to_at());
    if node.location.external {
        text.push_str(if node.is_unexpanded { " (external, not entered)" } else { " (external)" });
    }
    // The source line of a call says more than that of the declaration, which has the same name.
    match node.calls.first().and_then(|call| Some((call, call.source.as_deref()?))) {
        Some((first, source)) => write_call_sources(text, first, source, node),
        None => {
            if let Some(source) = &node.location.source {
                let _ = write!(text, "  {source}");
            }
            write_call_lines(text, direction, node);
        }
    }
    text.push_str(match node.repeat {
        Some(Repeat::Cycle) => "  (cycle: see above)\n",
        Some(Repeat::AlreadyListed) => "  (repeated: see elsewhere)\n",
        None => "\n",
    });
}

/// Writes the first call with its source line, and the lines of the others: `  9: shape.describe()  also 12, 14`.
fn write_call_sources(text: &mut String, first: &SourceLocation, source: &str, node: &HierarchyNode) {
    let _ = match first.cell {
        Some(cell) => write!(text, "  cell {}:{}: {source}", cell.cell, cell.line),
        None => write!(text, "  {}: {source}", first.line),
    };
    let mut lines: Vec<u32> = node.calls.iter().map(|call| call.line).filter(|line| *line != first.line).collect();
    lines.dedup();
    if !lines.is_empty() {
        let _ = write!(text, "  also {}", list_lines(&lines));
    }
}

fn write_call_lines(text: &mut String, direction: Direction, node: &HierarchyNode) {
    let mut lines: Vec<u32> = node.calls.iter().map(|call| call.line).collect();
    lines.dedup();
    if lines.is_empty() {
        return;
    }
    let verb = if direction == Direction::Incoming { "calls" } else { "called" };
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let _ = write!(text, "  {verb} at {word} {}", list_lines(&lines));
}

fn list_lines(lines: &[u32]) -> String {
    list_first(lines.iter().map(u32::to_string), MAX_LINES)
}

/// Returns the JSON form of the first `budget` symbols in line order, each nested in its parent.
fn nodes_json(nodes: &[HierarchyNode], budget: &mut usize) -> Vec<Value> {
    let mut items = Vec::new();
    for node in nodes {
        let Some(remaining) = budget.checked_sub(1) else { break };
        *budget = remaining;
        items.push(node_json(node, budget));
    }
    items
}

fn node_json(node: &HierarchyNode, budget: &mut usize) -> Value {
    let mut item = location_json(&node.location);
    item["name"] = json!(node.name);
    item["kind"] = json!(node.kind);
    if let Some(container) = &node.container {
        item["container"] = json!(container);
    }
    if let Some(detail) = &node.detail {
        item["detail"] = json!(detail);
    }
    if !node.calls.is_empty() {
        item["calls"] = node
            .calls
            .iter()
            .map(|call| json!({ "path": call.display_path, "range": call.range, "text": call.source }))
            .collect();
    }
    if node.location.external {
        item["external"] = json!(true);
    }
    match node.repeat {
        Some(Repeat::Cycle) => item["cycle"] = json!(true),
        Some(Repeat::AlreadyListed) => item["again"] = json!(true),
        None => {}
    }
    if node.is_unexpanded {
        item["notEntered"] = json!(true);
    }
    item["items"] = nodes_json(&node.children, budget).into();
    item
}
