//! Relationships, in a context and in a map.

use dlang_syntax::ast::{self, Arrow, PatternKind};
use dlang_syntax::{AstNode as _, SyntaxKind, SyntaxNode, TextRange};

use super::LoweringState;
use crate::data::{End, ReferenceRole, Relationship, RelationshipForm, WrittenPattern};

impl LoweringState {
    /// Returns the number of the next relationship.
    pub(super) fn next_relationship(&self) -> u32 {
        u32::try_from(self.relationships.len()).unwrap_or(u32::MAX)
    }

    /// Lowers a relationship, if the node is one.
    ///
    /// An end before the arrow or pattern is the left one. In a text with errors either end may be missing, or there
    /// may be several middles; then the first middle counts.
    pub(super) fn relationship(&mut self, node: &SyntaxNode, owner: u32) {
        let is_symmetric = match node.kind() {
            SyntaxKind::DIRECTIONAL_RELATIONSHIP => false,
            SyntaxKind::SYMMETRIC_RELATIONSHIP => true,
            _ => return,
        };
        let mut parts = Parts::default();
        for child in node.children_with_tokens() {
            match child.kind() {
                kind if Arrow::from_kind(kind).is_some() || kind == SyntaxKind::APART_ARROW => {
                    if parts.arrow.is_none() {
                        parts.arrow = Some((kind, child.text_range()));
                    }
                }
                SyntaxKind::PATTERN_LIST => {
                    let Some(list) = child.into_node() else { continue };
                    let is_left = parts.arrow.is_none();
                    let patterns = if is_left { &mut parts.left_patterns } else { &mut parts.right_patterns };
                    patterns.extend(list.children().filter_map(ast::Pattern::cast).filter_map(|pattern| {
                        Some(WrittenPattern { kind: pattern.kind()?, range: pattern.syntax().text_range() })
                    }));
                    parts.has_middle |= is_symmetric;
                    continue;
                }
                SyntaxKind::THIS_REF => {
                    let end = End::This(child.text_range());
                    parts.end(end);
                    continue;
                }
                SyntaxKind::BOUNDED_CONTEXT_REF => {
                    let Some(end) = child.into_node() else { continue };
                    if let Some(reference) = self.target(&end, ReferenceRole::RelationshipEnd, owner) {
                        parts.end(End::Context(reference));
                    }
                    continue;
                }
                _ => continue,
            }
            parts.has_middle = true;
        }
        let form = parts.form(is_symmetric);
        self.relationships.push(Relationship {
            range: node.text_range(),
            arrow: parts.arrow.map(|(_, range)| range),
            owner,
            left: parts.left,
            right: parts.right,
            form,
        });
    }
}

#[derive(Default)]
struct Parts {
    left: End,
    right: End,
    arrow: Option<(SyntaxKind, TextRange)>,
    left_patterns: Vec<WrittenPattern>,
    right_patterns: Vec<WrittenPattern>,
    has_middle: bool,
}

impl Parts {
    fn end(&mut self, end: End) {
        if !self.has_middle && self.left == End::Missing {
            self.left = end;
        } else if self.right == End::Missing {
            self.right = end;
        }
    }

    fn form(&mut self, is_symmetric: bool) -> RelationshipForm {
        if !is_symmetric {
            return RelationshipForm::Directional {
                arrow: self.arrow.and_then(|(kind, _)| Arrow::from_kind(kind)),
                left: std::mem::take(&mut self.left_patterns).into(),
                right: std::mem::take(&mut self.right_patterns).into(),
            };
        }
        let is_apart = self.arrow.is_some_and(|(kind, _)| kind == SyntaxKind::APART_ARROW);
        let pattern = self.left_patterns.first().filter(|_| !is_apart).copied();
        RelationshipForm::Symmetric { pattern: pattern.filter(|pattern| is_mutual(pattern.kind)), is_apart }
    }
}

fn is_mutual(pattern: PatternKind) -> bool {
    pattern.side() == dlang_syntax::Side::Symmetric
}
