//! Extracts the declarations from a syntax tree.

mod headings;
mod name;

use std::ops::Range;

use tree_sitter::{Node, Tree};

use self::name::{DeclaredName, children};
use crate::declaration::{Declaration, DeclarationKind};
use crate::grammars::CompiledTable;
use crate::layout::is_next_semicolon;
use crate::outline::{MAX_DECLARATIONS, MAX_DEPTH, SyntaxOutline};
use crate::rules::Rule;

/// The number of nodes between two calls of the caller's check.
const NODES_PER_CHECK: usize = 1_024;

/// The maximum depth of nodes at the start of a declaration among which annotations are looked for.
const MAX_PREFIX_DEPTH: usize = 16;

/// The number of children among which a rule's token of the parent is looked for.
const MAX_TOKENS: usize = 4;

/// Appends the declarations in a tree to an outline. Returns `None` if the caller stopped it.
pub(crate) fn extract(
    tree: &Tree,
    text: &str,
    table: &CompiledTable,
    is_stopped: &dyn Fn() -> bool,
    outline: &mut SyntaxOutline,
) -> Option<()> {
    outline.has_errors |= tree.root_node().has_error();
    let mut extraction = Extraction { text, table, outline, levels: Vec::new(), open: Vec::new(), is_full: false };
    extraction.run(tree, is_stopped)?;
    extraction.close(0);
    headings::nest(outline, text);
    Some(())
}

/// A node around the cursor, or the node at the cursor itself.
struct TreeLevel<'t> {
    node: Node<'t>,
    leading: Option<LeadingTrivia>,
}

/// The comments and annotations directly before a node.
struct LeadingTrivia {
    /// The start of the first annotation.
    start: Option<usize>,
    /// The range from the first comment to the last one.
    doc: Option<Range<usize>>,
    /// The row in which the last of them ends, 0-based.
    end_row: usize,
}

impl LeadingTrivia {
    /// Whether comments and annotations belong to a node in a row. Blank lines separate only comments from it.
    fn is_of(&self, row: usize) -> bool {
        self.start.is_some() || self.end_row + 1 >= row
    }
}

/// A declaration whose node contains the cursor.
struct OpenDeclaration {
    /// The depth of the outermost node of the declaration in the tree; the root has depth 1.
    depth: usize,
    /// The index in the outline.
    index: usize,
    /// Whether the outline loses the declaration again if it has no members.
    is_container: bool,
}

/// The ranges that the declarations of a node have in common, in bytes.
struct NodeBounds {
    /// The range of the outermost node with its annotations.
    range: Range<usize>,
    doc: Option<Range<usize>>,
    /// The start of the first node that is not an annotation.
    signature_start: usize,
    body_start: Option<usize>,
}

/// The state of a walk. It has its own stack of nodes, because looking for a parent or a sibling takes time that is
/// proportional to the depth.
struct Extraction<'a, 't> {
    text: &'a str,
    table: &'a CompiledTable,
    outline: &'a mut SyntaxOutline,
    levels: Vec<TreeLevel<'t>>,
    open: Vec<OpenDeclaration>,
    /// Whether the maximum number of declarations omitted one.
    is_full: bool,
}

impl<'t> Extraction<'_, 't> {
    /// Visits the nodes without recursion: a text may nest tens of thousands of blocks.
    fn run(&mut self, tree: &'t Tree, is_stopped: &dyn Fn() -> bool) -> Option<()> {
        let mut cursor = tree.walk();
        self.levels.push(TreeLevel { node: cursor.node(), leading: None });
        let mut nodes = 0_usize;
        loop {
            nodes += 1;
            if nodes.is_multiple_of(NODES_PER_CHECK) && is_stopped() {
                return None;
            }
            let descends = self.visit(cursor.node());
            if self.is_full {
                return Some(());
            }
            if descends && cursor.goto_first_child() {
                // A block without braces begins after the comments of its first statement.
                let begins = |block: &&mut TreeLevel<'_>| {
                    block.node.kind() == "block" && block.node.start_byte() == cursor.node().start_byte()
                };
                let leading = self.levels.last_mut().filter(begins).and_then(|block| block.leading.take());
                self.levels.push(TreeLevel { node: cursor.node(), leading });
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Some(());
                }
                self.levels.pop();
            }
            if let Some(level) = self.levels.pop() {
                let leading = self.leading_after(level);
                self.levels.push(TreeLevel { node: cursor.node(), leading });
            }
        }
    }

    /// Returns what a node and the siblings before it are for the next sibling.
    fn leading_after(&self, level: TreeLevel<'_>) -> Option<LeadingTrivia> {
        let action = self.table.action(level.node.kind_id());
        if !action.is_comment && !action.is_prefix {
            return None;
        }
        // Some grammars include the end of the line in a comment.
        let text = self.text.get(level.node.byte_range())?;
        let texts = self.table.table.prefix_texts;
        if action.is_prefix && !texts.is_empty() && !texts.iter().any(|beginning| text.starts_with(beginning)) {
            return None;
        }
        let (start, row) = (level.node.start_byte(), level.node.start_position().row);
        let length = text.trim_end().len();
        let end_row = row + text.bytes().take(length).filter(|byte| *byte == b'\n').count();
        let previous = level.leading.filter(|leading| leading.is_of(row));
        let mut leading = previous.unwrap_or(LeadingTrivia { start: None, doc: None, end_row });
        if action.is_prefix {
            leading.start = leading.start.or(Some(start));
        } else if !self.begins_line(start) {
            // A comment after other code of its line belongs to that code.
            if leading.end_row != row || leading.start.is_none() {
                return None;
            }
        } else if text.starts_with("#!") || level.node.child_by_field_name("inner").is_some() {
            // A script's first line, and Rust's comments about the enclosing item.
            return None;
        } else {
            let doc_start = leading.doc.as_ref().map_or(start, |doc| doc.start);
            leading.doc = Some(doc_start..start + length);
        }
        leading.end_row = end_row;
        Some(leading)
    }

    fn begins_line(&self, offset: usize) -> bool {
        let before = self.text.get(..offset).unwrap_or_default();
        before.bytes().rev().take_while(|byte| *byte != b'\n').all(|byte| byte.is_ascii_whitespace())
    }

    /// Handles one node. Returns whether its children may contain declarations.
    fn visit(&mut self, node: Node<'t>) -> bool {
        self.close(self.levels.len());
        let table = self.table;
        let action = table.action(node.kind_id());
        let Some(rule) = action.rules.iter().find(|rule| self.applies(rule, node)) else { return !action.is_skipped };
        let enclosing = self.open.last().and_then(|open| self.outline.declarations.get(open.index));
        let names = name::names(rule, node, self.text, enclosing);
        let outer_depth = self.outer_depth();
        let bounds = self.bounds(node, outer_depth);
        let parent = self.parent(rule);
        // In broken code, a name may consist of quotes alone.
        for name in names.into_iter().filter(|name| !name.text.is_empty()) {
            let declaration = self.declaration(name, &bounds, parent);
            if self.is_local(&declaration) {
                continue;
            }
            let is_full = self.outline.declarations.len() >= MAX_DECLARATIONS;
            if is_full || self.open.len() >= MAX_DEPTH {
                if rule.is_container {
                    // Only a member of it would be missing.
                    break;
                }
                self.is_full = is_full;
                self.outline.is_cut = true;
                return false;
            }
            let index = self.add(declaration);
            if self.open.last().is_none_or(|open| open.depth < outer_depth) {
                self.open.push(OpenDeclaration { depth: outer_depth, index, is_container: rule.is_container });
            }
        }
        !action.is_skipped
    }

    /// Returns the index of the declaration around the one that a rule declares.
    fn parent(&self, rule: &Rule) -> Option<usize> {
        let index = self.open.last()?.index;
        let enclosing = self.outline.declarations.get(index)?;
        // A parameter of the constructor declares a property of the class.
        let is_parameter = rule.kind == DeclarationKind::Property && !rule.is_container;
        if is_parameter && enclosing.kind == DeclarationKind::Constructor { enclosing.parent } else { Some(index) }
    }

    /// Closes the declarations whose outermost node has the depth or a greater one.
    fn close(&mut self, depth: usize) {
        while let Some(open) = self.open.pop_if(|open| open.depth >= depth) {
            // Looking for members before the walk would visit the nodes once for each enclosing container.
            if open.is_container && open.index + 1 == self.outline.declarations.len() {
                self.outline.declarations.pop();
            }
        }
    }

    fn applies(&self, rule: &Rule, node: Node<'_>) -> bool {
        let parent = || self.levels.iter().rev().nth(1).map(|parent| parent.node);
        let has_parent =
            rule.parents.is_empty() || parent().is_some_and(|parent| rule.parents.contains(&parent.kind()));
        let has_token = rule.parent_token.is_none_or(|token| {
            parent().is_some_and(|parent| children(parent).take(MAX_TOKENS).any(|child| child.kind() == token))
        });
        if !has_parent || !has_token {
            return false;
        }
        match rule.condition {
            None => true,
            Some(("", kinds)) => children(node).any(|child| kinds.contains(&child.kind())),
            Some((field, kinds)) => {
                let (node, field) = match field.split_once('/') {
                    Some((kind, field)) => match children(node).find(|child| child.kind() == kind) {
                        Some(child) => (child, field),
                        None => return false,
                    },
                    None => (node, field),
                };
                let mut cursor = node.walk();
                let mut found = node.children_by_field_name(field, &mut cursor);
                found.any(|child| kinds.contains(&child.kind()))
            }
        }
    }

    /// Whether no other function can name a declaration.
    fn is_local(&self, declaration: &Declaration) -> bool {
        let parent = declaration.parent.and_then(|parent| self.outline.declarations.get(parent));
        let is_in_scope = || {
            let depth = self.open.last().map_or(0, |open| open.depth);
            self.levels.iter().skip(depth).any(|level| self.table.action(level.node.kind_id()).is_scope)
        };
        declaration.kind.is_value() && (parent.is_some_and(|parent| parent.kind.is_callable()) || is_in_scope())
    }

    /// Adds a declaration, or extends the declaration of which it is a further clause. Returns the index.
    fn add(&mut self, declaration: Declaration) -> usize {
        let index = self.outline.declarations.len();
        if self.table.table.has_clauses
            && declaration.kind.is_callable()
            && let Some(last) = self.outline.declarations.last_mut()
            && (last.parent, &last.name, last.kind) == (declaration.parent, &declaration.name, declaration.kind)
        {
            last.range.end = last.range.end.max(declaration.range.end);
            return index - 1;
        }
        self.outline.declarations.push(declaration);
        index
    }

    /// Creates the declaration of a name. `parent` is the index of the enclosing declaration.
    fn declaration(&self, name: DeclaredName, bounds: &NodeBounds, parent: Option<usize>) -> Declaration {
        let enclosing = parent.and_then(|parent| self.outline.declarations.get(parent));
        let is_member = enclosing.is_some_and(|enclosing| enclosing.kind.is_type());
        let kind = match name.kind {
            DeclarationKind::Function if is_member => DeclarationKind::Method,
            DeclarationKind::Method if self.table.table.constructors.contains(&name.text.as_str()) => {
                DeclarationKind::Constructor
            }
            DeclarationKind::Variable if is_member => self.table.table.member,
            kind => kind,
        };
        let range = bounds.range.start.min(name.range.start)..bounds.range.end.max(name.range.end);
        let end = bounds.body_start.filter(|body| *body >= name.range.end).unwrap_or_else(|| {
            let rest = self.text.get(name.range.end..range.end).unwrap_or_default();
            name.range.end + rest.find('\n').unwrap_or(rest.len())
        });
        let start = bounds.signature_start.min(name.range.start);
        let signature = self.text.get(start..end).unwrap_or_default();
        let length = signature.trim_end_matches([' ', '\t', '\r', '\n', '{', '=', ':', ';', ',']).len();
        Declaration {
            name: name.text,
            kind,
            signature: start..(start + length).max(name.range.end),
            doc: bounds.doc.clone(),
            name_range: name.range,
            range,
            parent,
        }
    }

    /// Returns the ranges that the declarations of a node have in common.
    fn bounds(&self, node: Node<'_>, outer_depth: usize) -> NodeBounds {
        let level = self.levels.get(outer_depth - 1);
        let outer = level.map_or(node, |level| level.node);
        let row = outer.start_position().row;
        let leading = level.and_then(|level| level.leading.as_ref()).filter(|leading| leading.is_of(row));
        let start = leading.and_then(|leading| leading.start).unwrap_or(outer.start_byte());
        let end = start + self.text.get(start..content_end(outer, self.text)).unwrap_or_default().trim_end().len();
        let doc_string = if self.table.table.has_doc_strings { doc_string(node) } else { None };
        // A function or a class without a name of its own may be the value.
        let value = || ["value", "right"].iter().find_map(|field| node.child_by_field_name(field));
        let body = self.body(node).or_else(|| self.body(value()?)).or_else(|| {
            // The body may be next to the node that contains the name.
            self.levels.get(outer_depth - 1..)?.iter().rev().find_map(|level| self.body(level.node))
        });
        NodeBounds {
            range: start..end,
            doc: doc_string.or_else(|| leading.and_then(|leading| leading.doc.clone())),
            signature_start: self.start_without_prefixes(outer, MAX_PREFIX_DEPTH).unwrap_or(node.start_byte()),
            body_start: body.map(|body| body.start_byte()),
        }
    }

    /// Returns the depth of the outermost node around the last one that consists of its declaration alone.
    fn outer_depth(&self) -> usize {
        let enclosing_depth = self.open.last().map_or(0, |open| open.depth);
        let mut outer = self.levels.len();
        // Several declarations in one statement have ranges of their own.
        let is_alone = |wrapper: Node<'_>, declaration: Node<'_>| {
            let is_other = |child: &Node<'_>| {
                child.kind_id() == declaration.kind_id() || !self.table.action(child.kind_id()).rules.is_empty()
            };
            children(wrapper).filter(|child| child.id() != declaration.id()).find(is_other).is_none()
        };
        for pair in self.levels.windows(2).rev() {
            let [wrapper, inner] = pair else { break };
            let is_wrapper = self.table.action(wrapper.node.kind_id()).is_wrapper;
            if outer - 1 <= enclosing_depth || !is_wrapper || !is_alone(wrapper.node, inner.node) {
                break;
            }
            outer -= 1;
        }
        outer
    }

    fn body<'s>(&self, node: Node<'s>) -> Option<Node<'s>> {
        let bodies = self.table.table.bodies;
        let by_field = bodies.iter().find_map(|field| node.child_by_field_name(field));
        by_field.or_else(|| children(node).find(|child| bodies.contains(&child.kind())))
    }

    /// Returns the start of the first node that is not an annotation or a comment.
    fn start_without_prefixes(&self, node: Node<'_>, depth: usize) -> Option<usize> {
        if depth == 0 || node.child_count() == 0 {
            return Some(node.start_byte());
        }
        children(node)
            .filter(|child| {
                let action = self.table.action(child.kind_id());
                !action.is_prefix && !action.is_comment
            })
            .find_map(|child| self.start_without_prefixes(child, depth - 1))
    }
}

/// Returns the string at the start of a body.
fn doc_string(node: Node<'_>) -> Option<Range<usize>> {
    let first = node.child_by_field_name("body")?.named_child(0)?;
    let string = if first.kind() == "expression_statement" { first.named_child(0)? } else { first };
    (string.kind() == "string").then(|| string.byte_range())
}

/// The maximum depth of the last nodes of a declaration that are looked at for a comment.
const MAX_TAIL_DEPTH: usize = 8;

/// Returns the end of a node without a comment behind its last token in the same line, and without a semicolon of the next
/// statement. Grammars with automatic semicolons end after them.
fn content_end(node: Node<'_>, text: &str) -> usize {
    let (mut node, mut end) = (node, node.end_byte());
    for _ in 0..MAX_TAIL_DEPTH {
        let (mut tail, mut has_next_semicolon) = (None, false);
        let mut child = node.child_count().checked_sub(1).and_then(|last| node.child(last));
        let last = loop {
            match child {
                // Rejected text is extra as well, and may contain declarations.
                Some(comment) if comment.is_extra() && comment.kind().contains("comment") => {
                    tail = Some(comment);
                    child = comment.prev_sibling();
                }
                Some(semicolon) if is_next_semicolon(semicolon, text) => {
                    has_next_semicolon = true;
                    child = semicolon.prev_sibling();
                }
                Some(empty) if empty.start_byte() == empty.end_byte() => child = empty.prev_sibling(),
                other => break other,
            }
        };
        let Some(last) = last else { break };
        let has_comment = tail.is_some_and(|comment| comment.start_position().row == last.end_position().row);
        if has_comment || has_next_semicolon {
            end = last.end_byte();
        } else if last.end_byte() < end {
            break;
        }
        node = last;
    }
    end
}
