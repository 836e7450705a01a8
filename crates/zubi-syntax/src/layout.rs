//! The errors, the multi-line strings and the statements of a text, for edits that must not break or change them.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::language::{LanguagePart, SyntaxLanguage};
use crate::outline::{OutlineError, check_text, parse_part};
use crate::visibility_macros;

/// The maximum number of errors and of strings in a layout.
const MAX_RANGES: usize = 1_000;

/// The number of nodes between two calls of the caller's check.
const NODES_PER_CHECK: usize = 1_024;

/// The languages whose multi-line strings are relative to their own indentation, so that an edit may indent them.
const RELATIVE_STRINGS: &[&str] = &["elixir", "java", "swift"];

/// The nodes whose children are statements or members, in the languages in which the next line can continue a statement
/// that has no semicolon: ECMA-262, 12.10 (JavaScript), and the Lua manual, 3.3.1.
const STATEMENT_LISTS: &[(&[&str], &[&str])] = &[
    (
        &["astro", "javascript", "svelte", "typescript", "typescriptreact", "vue"],
        &["class_body", "interface_body", "object_type", "program", "statement_block", "switch_case", "switch_default"],
    ),
    (&["lua"], &["block", "chunk"]),
];

/// The maximum depth of the last nodes of a statement that are looked at for its end.
const MAX_TAIL_DEPTH: usize = 64;

/// The errors, the multi-line strings and the statements of a text, in bytes and in the order of the text. At most 1,000
/// errors and strings.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SyntaxLayout {
    /// The outermost parts that the grammar rejected; an empty range is the place of a missing token.
    pub errors: Vec<Range<usize>>,
    /// The strings whose lines must stay as they are, because white space in them has a meaning: not documentation
    /// strings, and not strings that are relative to their own indentation.
    pub strings: Vec<Range<usize>>,
    /// The statements and the members of types without the comments behind them, as many as the text has; only in languages in which the next line
    /// can continue a statement. Inner ones follow the outer one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Range<usize>>,
}

/// The extent of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextExtent {
    /// A whole file: the code of a component is in its scripts.
    File,
    /// Code only.
    Fragment,
}

/// Returns the layout of a text in the language of a file's name (without its directories). Returns `None` if the
/// language is unknown. `is_stopped` is as in [`crate::outline()`].
pub fn layout_of_file(
    name: &str,
    text: &str,
    extent: TextExtent,
    is_stopped: &dyn Fn() -> bool,
) -> Option<Result<SyntaxLayout, OutlineError>> {
    let language = SyntaxLanguage::from_file_name(name)?;
    let first = layout(language, text, extent, is_stopped);
    // C++ in a header is an error in C.
    let Some(other) = SyntaxLanguage::other_of_header(name) else { return Some(first) };
    if first.as_ref().is_ok_and(|layout| layout.errors.is_empty()) {
        return Some(first);
    }
    let other = layout(other, text, extent, is_stopped);
    let count = |layout: &Result<SyntaxLayout, OutlineError>| layout.as_ref().map_or(usize::MAX, |it| it.errors.len());
    Some(if count(&other) < count(&first) { other } else { first })
}

fn layout(
    language: &SyntaxLanguage,
    text: &str,
    extent: TextExtent,
    is_stopped: &dyn Fn() -> bool,
) -> Result<SyntaxLayout, OutlineError> {
    check_text(language, text)?;
    let parts = match extent {
        TextExtent::File => language.parts(text),
        TextExtent::Fragment => vec![LanguagePart { grammar: language.grammar, range: 0..text.len() }],
    };
    let parsed = visibility_macros::blank_in(language, text);
    let mut layout = SyntaxLayout::default();
    let lists = STATEMENT_LISTS.iter().find(|(ids, _)| ids.contains(&language.id)).map_or(&[][..], |(_, lists)| lists);
    for part in parts {
        let tree = parse_part(language, &parsed, &part, is_stopped)?;
        let is_python = language.id == "python";
        add_layout(&tree, is_python, is_stopped, &mut layout).ok_or(OutlineError::Stopped)?;
        if !lists.is_empty() {
            add_statements(&tree, text, lists, is_stopped, &mut layout.statements).ok_or(OutlineError::Stopped)?;
        }
    }
    if RELATIVE_STRINGS.contains(&language.id) {
        layout.strings.clear();
    }
    Ok(layout)
}

/// Visits the nodes that span several lines or contain an error, without recursion. Returns `None` if the caller stopped
/// the walk. With `is_python`, an empty block and a statement that is not at the column of its block are errors: the grammar
/// accepts both, and Python does not.
fn add_layout<'t>(
    tree: &'t Tree,
    is_python: bool,
    is_stopped: &dyn Fn() -> bool,
    layout: &mut SyntaxLayout,
) -> Option<()> {
    let mut cursor = tree.walk();
    let mut nodes = 0_usize;
    // The kind of the parent of each node on the way to the cursor.
    let mut parents: Vec<&'t str> = vec![""];
    loop {
        nodes += 1;
        if nodes.is_multiple_of(NODES_PER_CHECK) && is_stopped() {
            return None;
        }
        let node = cursor.node();
        if is_python
            && let Some(block) = empty_block(node)
            && layout.errors.len() < MAX_RANGES
        {
            layout.errors.push(block);
        }
        if is_python
            && let Some(statement) = shifted_statement(node)
            && layout.errors.len() < MAX_RANGES
        {
            layout.errors.push(statement);
        }
        if descends(node, parents.last().copied().unwrap_or_default(), layout) && cursor.goto_first_child() {
            parents.push(node.kind());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(());
            }
            parents.pop();
        }
    }
}

/// Adds the children of the nodes in `lists`. Returns `None` if the caller stopped the walk.
fn add_statements(
    tree: &Tree,
    text: &str,
    lists: &[&str],
    is_stopped: &dyn Fn() -> bool,
    statements: &mut Vec<Range<usize>>,
) -> Option<()> {
    let mut cursor = tree.walk();
    let mut nodes = 0_usize;
    // Whether the children of each node on the way to the cursor are statements.
    let mut levels = vec![false];
    loop {
        nodes += 1;
        if nodes.is_multiple_of(NODES_PER_CHECK) && is_stopped() {
            return None;
        }
        let node = cursor.node();
        if levels.last() == Some(&true) && node.is_named() && !node.is_extra() {
            statements.push(node.start_byte()..code_end(node, text));
        }
        if cursor.goto_first_child() {
            levels.push(lists.contains(&node.kind()));
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(());
            }
            levels.pop();
        }
    }
}

/// Returns whether a semicolon begins the line of the next statement: `;(1)` in scripts without semicolons. The grammars count
/// it to the statement before.
pub(crate) fn is_next_semicolon(token: Node<'_>, text: &str) -> bool {
    let (before, rest) = (text.get(..token.start_byte()), text.get(token.end_byte()..));
    let begins_line = before.is_some_and(|before| before.trim_end_matches([' ', '\t']).ends_with('\n'));
    let has_more = rest.and_then(|rest| rest.lines().next()).is_some_and(|line| !line.trim().is_empty());
    token.kind() == ";" && begins_line && has_more
}

/// Returns the end of the last token of a node, without comments and without a semicolon of the next statement. Grammars with
/// automatic semicolons end a node after the comments behind it.
fn code_end(node: Node<'_>, text: &str) -> usize {
    let mut node = node;
    for _ in 0..MAX_TAIL_DEPTH {
        let mut last = node.child_count().checked_sub(1).and_then(|last| node.child(last));
        let is_no_code = |it: &Node<'_>| {
            it.start_byte() == it.end_byte() || it.kind().contains("comment") || is_next_semicolon(*it, text)
        };
        while let Some(child) = last.filter(is_no_code) {
            last = child.prev_sibling();
        }
        match last {
            Some(last) => node = last,
            None => break,
        }
    }
    node.end_byte()
}

/// Returns the range of a node that is an empty block, or that is in one line and ends with one.
fn empty_block(node: Node<'_>) -> Option<Range<usize>> {
    let is_in_line = node.start_position().row == node.end_position().row;
    let last = node.child_count().checked_sub(1).filter(|_| is_in_line);
    let blocks = [Some(node), last.and_then(|last| node.child(last))];
    let is_empty = |block: &Node<'_>| block.kind() == "block" && block.named_child_count() == 0;
    blocks.into_iter().flatten().find(is_empty).map(|block| block.byte_range())
}

/// Returns the range of the first statement of a block that begins its line at another column than the first one.
fn shifted_statement(node: Node<'_>) -> Option<Range<usize>> {
    if !["block", "module"].contains(&node.kind()) {
        return None;
    }
    let mut cursor = node.walk();
    let mut statements = node.named_children(&mut cursor).filter(|it| !it.is_extra() && !it.is_error());
    let first = statements.next()?;
    let mut row = first.end_position().row;
    statements.find_map(|it| {
        let is_shifted = it.start_position().row > row && it.start_position().column != first.start_position().column;
        row = it.end_position().row;
        is_shifted.then(|| it.byte_range())
    })
}

/// Adds a node to the layout. Returns whether its children may belong to it as well.
fn descends(node: Node<'_>, parent: &str, layout: &mut SyntaxLayout) -> bool {
    if node.is_error() || node.is_missing() {
        if layout.errors.len() < MAX_RANGES {
            layout.errors.push(node.byte_range());
        }
        return false;
    }
    let is_multi_line = node.start_position().row < node.end_position().row;
    if is_multi_line && node.is_named() && is_string(node.kind()) {
        // A string that is a statement is documentation.
        if parent != "expression_statement" && layout.strings.len() < MAX_RANGES {
            layout.strings.push(node.byte_range());
        }
        return node.has_error();
    }
    is_multi_line || node.has_error()
}

/// Whether a kind of node is a string. All grammars name them so; a concatenation consists of strings with code between
/// them.
fn is_string(kind: &str) -> bool {
    (kind.contains("string") && !kind.starts_with("concatenated"))
        || kind.contains("heredoc")
        || kind.contains("nowdoc")
}
