//! Structural search: the parts of a text that have the structure of a pattern.
//!
//! A pattern is code with metavariables: `$NAME` matches one node, `$$$NAME` any number of nodes, and `$_` and `$$$` do
//! the same without a capture. A name consists of the letters `A` to `Z`, digits and `_`. Two uses of one name match only
//! equal code. Comments, white space and optional punctuation of the text do not matter. The library `ast-grep-core`
//! compares the trees.

use std::ops::Range;

use ast_grep_core::matcher::{Matcher as _, MatcherExt as _};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, NodeMatch, Pattern};
use tree_sitter::{Node, Tree};

use crate::language::SyntaxLanguage;
use crate::outline::{self, OutlineError};
use grammar::PatternGrammar;

mod compile;
mod grammar;
mod tokens;

pub use compile::PatternError;

/// The maximum length of a pattern in bytes.
pub const MAX_PATTERN_BYTES: usize = 4 * 1024;

/// The maximum number of matches in one text.
pub const MAX_MATCHES: usize = 1_000;

/// The maximum depth of a text's tree if a pattern uses a name twice: the library compares the captured trees recursively.
const MAX_COMPARED_DEPTH: usize = 1_000;

/// The number of nodes after which the search checks whether it is stopped.
const NODES_PER_CHECK: usize = 256;

/// A named metavariable of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PatternVariable {
    /// The name without `$`.
    pub name: String,
    /// Whether it is written with `$$$` and matches any number of nodes.
    pub is_list: bool,
}

/// The code that a metavariable matched.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PatternCapture {
    /// The metavariable.
    #[serde(flatten)]
    pub variable: PatternVariable,
    /// The range of the code in the text, in bytes. It begins and ends between characters.
    pub range: Range<usize>,
}

/// One match of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PatternMatch {
    /// The range of the matched code in the text, in bytes. It begins and ends between characters.
    pub range: Range<usize>,
    /// The captures, sorted by name. A list that matched no node has none. All are inside the match.
    pub captures: Vec<PatternCapture>,
    /// Whether a comment in the match is in no capture. A replacement of the match loses it.
    pub has_loose_comments: bool,
}

/// The matches in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PatternMatches {
    /// The matches in the order of the text. A match is before the matches inside it.
    pub matches: Vec<PatternMatch>,
    /// Whether the grammar rejected a part of the text. Matches in and after this part may be missing.
    pub has_errors: bool,
    /// Whether [`MAX_MATCHES`] omitted matches.
    pub is_cut: bool,
}

/// The reason why a text was not searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// The text was not parsed.
    #[error(transparent)]
    Text(#[from] OutlineError),
    /// The text nests too deeply for a pattern that compares two parts of it.
    #[error(
        "the code nests more than {MAX_COMPARED_DEPTH} levels, which is too deep for a name that the pattern uses twice"
    )]
    TooDeep,
}

/// A compiled pattern of one language.
#[derive(Clone)]
pub struct SyntaxPattern {
    language: &'static SyntaxLanguage,
    grammar: PatternGrammar,
    /// The pattern as each kind of node that it can be.
    patterns: Vec<Pattern>,
    variables: Vec<PatternVariable>,
    literals: Vec<String>,
    /// Whether a name occurs twice.
    compares: bool,
    /// The kinds of the matched nodes, by their numbers in the grammar; `None` for all.
    kinds: Option<Vec<u16>>,
}

impl SyntaxPattern {
    /// Compiles a pattern. Fails if it is not exactly one piece of code of the language.
    pub fn compile(language: &'static SyntaxLanguage, pattern: &str) -> Result<Self, PatternError> {
        compile::compile(language, pattern)
    }

    /// Creates the pattern that every node of a kind matches ([`SyntaxLanguage::node_kinds`]). Returns `None` for an unknown
    /// kind.
    pub fn from_kind(language: &'static SyntaxLanguage, kind: &str) -> Option<Self> {
        let all = Self {
            language,
            grammar: PatternGrammar { grammar: language.grammar },
            patterns: Vec::new(),
            variables: Vec::new(),
            literals: Vec::new(),
            compares: false,
            kinds: None,
        };
        all.with_kind(kind)
    }

    /// Restricts the matches to nodes of a kind. Returns `None` for an unknown kind.
    pub fn with_kind(self, kind: &str) -> Option<Self> {
        let all = self.language.kind_ids();
        let kinds: Vec<u16> = all.into_iter().filter(|(_, name)| *name == kind).map(|(id, _)| id).collect();
        (!kinds.is_empty()).then_some(Self { kinds: Some(kinds), ..self })
    }

    /// Returns the named metavariables, sorted, each once.
    pub fn variables(&self) -> &[PatternVariable] {
        &self.variables
    }

    /// Returns texts that each match contains. A text without one of them need not be parsed.
    pub fn literals(&self) -> &[String] {
        &self.literals
    }

    /// Finds the matches in a text. `is_stopped` is called during the parse and during the search, as by
    /// [`crate::outline()`].
    pub fn find(&self, text: &str, is_stopped: &dyn Fn() -> bool) -> Result<PatternMatches, MatchError> {
        outline::check_text(self.language, text)?;
        let mut found = PatternMatches::default();
        for part in self.language.parts(text) {
            let tree = outline::parse_part(self.language, text, &part, is_stopped)?;
            found.has_errors |= tree.root_node().has_error();
            if self.compares && depth(&tree) > MAX_COMPARED_DEPTH {
                return Err(MatchError::TooDeep);
            }
            self.find_in(tree, text, is_stopped, &mut found)?;
        }
        Ok(found)
    }

    fn find_in(
        &self,
        tree: Tree,
        text: &str,
        is_stopped: &dyn Fn() -> bool,
        found: &mut PatternMatches,
    ) -> Result<(), MatchError> {
        let root = AstGrep::doc(StrDoc { src: text.to_owned(), lang: self.grammar, tree });
        let patterns: Vec<_> = self.patterns.iter().map(|pattern| (pattern, pattern.potential_kinds())).collect();
        let first = found.matches.len();
        let mut comments = Vec::new();
        for (index, node) in root.root().dfs().enumerate() {
            if index % NODES_PER_CHECK == 0 && is_stopped() {
                return Err(OutlineError::Stopped.into());
            }
            if node.is_extra() && node.is_named() {
                comments.push(node.range());
            }
            if self.kinds.as_ref().is_some_and(|kinds| !kinds.contains(&node.kind_id())) {
                continue;
            }
            let kind_id = usize::from(node.kind_id());
            let whole = || {
                let range = node.range();
                let length = text.get(range.clone()).map_or(0, |code| code.trim_end().len());
                let range = range.start..range.start + length;
                (length > 0).then_some(PatternMatch { range, captures: Vec::new(), has_loose_comments: false })
            };
            let matched = patterns.iter().find_map(|(pattern, kinds)| {
                kinds.as_ref().is_none_or(|kinds| kinds.contains(kind_id)).then_some(())?;
                let matched = pattern.match_node(node.clone())?;
                self.to_match(pattern, &matched, text)
            });
            let matched = if patterns.is_empty() { whole() } else { matched };
            let Some(matched) = matched else { continue };
            let is_same = |last: &PatternMatch| {
                let rest = text.get(matched.range.end..last.range.end).unwrap_or("…");
                last.range.start == matched.range.start && matches!(rest.trim(), "" | ";")
            };
            if found.matches.last().is_some_and(is_same) {
                continue;
            }
            if found.matches.len() >= MAX_MATCHES {
                found.is_cut = true;
                break;
            }
            found.matches.push(matched);
        }
        for matched in found.matches.iter_mut().skip(first) {
            matched.has_loose_comments = has_loose_comments(matched, &comments);
        }
        Ok(())
    }

    /// Converts a match. Returns `None` if it is empty.
    fn to_match(
        &self,
        pattern: &Pattern,
        matched: &NodeMatch<'_, StrDoc<PatternGrammar>>,
        text: &str,
    ) -> Option<PatternMatch> {
        let whole = matched.range();
        // Without the punctuation that follows in the text but not in the pattern: `let $A = 1` leaves the semicolon.
        let end = pattern.get_match_len(matched.get_node().clone()).map(|length| whole.start + length);
        let range = end.map_or(whole.clone(), |end| whole.start..end.min(whole.end));
        text.get(range.clone()).filter(|code| !code.is_empty())?;
        let environment = matched.get_env();
        let mut captures = Vec::new();
        for variable in &self.variables {
            let captured = if variable.is_list {
                let nodes = environment.get_multiple_matches(&variable.name);
                let Some((first, last)) = nodes.first().zip(nodes.last()) else { continue };
                first.range().start..last.range().end
            } else {
                let Some(node) = environment.get_match(&variable.name) else { continue };
                node.range()
            };
            // A line end can be a node of a list.
            let length = text.get(captured.clone())?.trim_end().len();
            let captured = captured.start..captured.start + length;
            let is_inside = range.start <= captured.start && captured.end <= range.end;
            if length > 0 && is_inside {
                captures.push(PatternCapture { variable: variable.clone(), range: captured });
            } else if !variable.is_list {
                // A node that is missing in broken code.
                return None;
            }
        }
        Some(PatternMatch { range, captures, has_loose_comments: false })
    }
}

/// Splits matches into those that are in no other match, and the others.
pub fn remove_nested(matches: Vec<PatternMatch>) -> (Vec<PatternMatch>, Vec<PatternMatch>) {
    let mut end = 0;
    matches.into_iter().partition(|found| {
        let is_outermost = found.range.start >= end;
        end = end.max(found.range.end);
        is_outermost
    })
}

/// Whether one of some comments, in the order of the text, is in a match but in none of its captures.
fn has_loose_comments(found: &PatternMatch, comments: &[Range<usize>]) -> bool {
    let first = comments.partition_point(|comment| comment.start < found.range.start);
    let inside = comments.iter().skip(first).take_while(|comment| comment.end <= found.range.end);
    let is_loose = |comment: &Range<usize>| {
        !found.captures.iter().any(|capture| capture.range.start <= comment.start && comment.end <= capture.range.end)
    };
    inside.into_iter().any(is_loose)
}

/// Returns the number of levels of a tree, without recursion.
fn depth(tree: &Tree) -> usize {
    let mut deepest = 0;
    walk(tree, |_, depth| deepest = deepest.max(depth));
    deepest
}

/// Calls `visit` with each node of a tree and its level, in the order of the text and without recursion.
fn walk<'tree>(tree: &'tree Tree, mut visit: impl FnMut(Node<'tree>, usize)) {
    let mut cursor = tree.walk();
    let mut level = 1;
    loop {
        visit(cursor.node(), level);
        if cursor.goto_first_child() {
            level += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            level -= 1;
        }
    }
}

/// Returns the variable of a metavariable with a name.
fn named_variable(metavariable: &MetaVariable) -> Option<PatternVariable> {
    match metavariable {
        MetaVariable::Capture(name, _) => Some(PatternVariable { name: name.clone(), is_list: false }),
        MetaVariable::MultiCapture(name) => Some(PatternVariable { name: name.clone(), is_list: true }),
        MetaVariable::Dropped(_) | MetaVariable::Multiple => None,
    }
}
