//! Sets of token kinds.

use crate::generated::kinds::SyntaxKind;

/// Set of token kinds; it cannot contain node kinds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenSet(u128);

impl TokenSet {
    pub(crate) const fn new(kinds: &[SyntaxKind]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u16;
            index += 1;
        }
        Self(bits)
    }

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn contains(self, kind: SyntaxKind) -> bool {
        kind.is_token() && self.0 & (1 << kind as u16) != 0
    }
}

// Every token must have a bit.
const _: () = assert!((SyntaxKind::ERROR as u16) < 128);
