//! Context maps and domain maps.

use dlang_syntax::{SyntaxKind, SyntaxNode};

use super::LoweringState;
use crate::data::{MapData, ReferenceRole};

impl LoweringState {
    pub(super) fn map(&mut self, node: &SyntaxNode, owner: u32, role: ReferenceRole) -> MapData {
        let begin = self.next_relationship();
        let mut entries = Vec::new();
        let bodies = node
            .children()
            .filter(|child| matches!(child.kind(), SyntaxKind::CONTEXT_MAP_BODY | SyntaxKind::DOMAIN_MAP_BODY));
        for child in bodies.flat_map(|body| body.children()) {
            if child.kind() == SyntaxKind::CONTAINS_CLAUSE {
                for reference in child.children().filter(|child| child.kind() == SyntaxKind::REFERENCE) {
                    entries.push(self.reference(&reference, role, owner));
                }
            } else {
                self.relationship(&child, owner);
            }
        }
        MapData { entries: entries.into(), relationships: begin..self.next_relationship() }
    }
}
