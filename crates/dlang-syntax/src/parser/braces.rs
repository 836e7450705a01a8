//! Open blocks, and the balance of braces.

use rowan::TextRange;

use crate::generated::kinds::SyntaxKind::{L_CURLY, R_CURLY};
use crate::lexer::Token;

/// Brace balance and open blocks.
pub(super) struct Braces {
    /// Number of `{` without a `}`; negative for the opposite. Each reported mistake changes it.
    pub(super) excess: i64,
    /// Blocks that are open here.
    pub(super) open: Vec<Block>,
    /// Indentation of the line of the last consumed token, in bytes. Maintained only while braces do not balance.
    pub(super) indentation: u32,
}

/// Open block.
pub(super) struct Block {
    /// Range of its `{`, if present.
    pub(super) brace: Option<TextRange>,
    /// Indentation of the line in which it begins, in bytes.
    pub(super) indentation: u32,
    /// For a namespace, whether its first element is indented further than itself; indentation is significant only
    /// then.
    pub(super) is_indented: Option<bool>,
}

impl Braces {
    pub(super) fn new(tokens: &[Token]) -> Self {
        let excess =
            tokens.iter().map(|token| i64::from(token.kind == L_CURLY) - i64::from(token.kind == R_CURLY)).sum();
        Self { excess, open: Vec::new(), indentation: 0 }
    }

    /// Whether no block is open.
    pub(super) fn is_outside(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether some block may lack its `}`.
    pub(super) fn may_lack_close(&self) -> bool {
        self.excess > 0
    }

    /// Whether some block may lack its `{`.
    pub(super) fn may_lack_open(&self) -> bool {
        self.excess < 0
    }
}
