//! Recovery after syntax errors.
//!
//! The parser first counts the braces of the whole text. As long as they balance, it trusts them. If there are more
//! `{` than `}`, some block is not closed, and the indentation shows which: a `}` further left than the block it
//! would close and exactly below an outer block closes that outer one, and an element that begins no further right
//! than the namespace around it is outside it. If there are more `}`, a block that lacks its `{` gets one. A correct
//! text is therefore never judged by its layout.

use super::braces::Block;
use super::state::Parser;
use crate::diagnostics::{RelatedInformation, SyntaxCode, SyntaxDiagnostic};
use crate::generated::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    /// Opens a block with its `{`, or reports that it is missing.
    pub(super) fn open_block(&mut self) {
        let brace = self.is_at(L_CURLY).then(|| self.range());
        let indentation = self.braces.indentation;
        if brace.is_some() {
            self.bump();
        } else {
            self.report_missing(&[L_CURLY]);
            self.braces.excess += 1;
        }
        self.braces.open.push(Block { brace, indentation, is_indented: None });
    }

    /// Closes the innermost block with its `}`, or reports that it is missing.
    pub(super) fn close_block(&mut self) {
        if self.is_at(R_CURLY) && !self.is_brace_of_outer() {
            self.bump();
        } else {
            let brace = self.braces.open.last().and_then(|block| block.brace);
            let related =
                brace.map(|range| RelatedInformation { location: range, message: "This brace has no matching `}`." });
            self.missing_with(&[R_CURLY], None, related);
            self.braces.excess -= 1;
        }
        self.braces.open.pop();
    }

    /// Whether the `}` here belongs to an outer block, because the innermost one lacks its own.
    pub(super) fn is_brace_of_outer(&self) -> bool {
        if !self.braces.may_lack_close() {
            return false;
        }
        let (Some(column), Some((inner, outer))) = (self.column_if_first(), self.braces.open.split_last()) else {
            return false;
        };
        column < inner.indentation && outer.iter().any(|block| block.indentation == column)
    }

    /// Whether the element that begins here is outside the innermost block, a namespace that lacks its `}`.
    pub(super) fn is_element_of_outer(&mut self) -> bool {
        if !self.braces.may_lack_close() || !self.is_declaration(0) {
            return false;
        }
        let column = self.column_if_first();
        let (Some(column), Some(namespace)) = (column, self.braces.open.last_mut()) else { return false };
        *namespace.is_indented.get_or_insert(column > namespace.indentation) && column <= namespace.indentation
    }

    /// Returns the column (0-based, in bytes) of the current token if it is the first of its line.
    fn column_if_first(&self) -> Option<u32> {
        if self.position == 0 {
            return Some(self.range().start().into());
        }
        let (_, line) = self.gap().rsplit_once(['\n', '\r'])?;
        u32::try_from(line.len()).ok()
    }

    /// Updates the indentation of the current line; called before a token is consumed.
    pub(super) fn note_line(&mut self) {
        if self.braces.excess != 0
            && let Some(column) = self.column_if_first()
        {
            self.braces.indentation = column;
        }
    }

    /// Consumes the next tokens into an error node.
    pub(super) fn wrap(&mut self, tokens: usize) {
        self.start(ERROR);
        for _ in 0..tokens {
            self.bump();
        }
        self.finish();
    }

    /// Skips tokens into an error node: the current one, and then all before `is_end` or the end of the block. Braces
    /// are skipped in pairs.
    pub(super) fn skip(&mut self, is_end: impl Fn(&Self) -> bool) {
        if self.is_at(EOF) || self.is_at(R_CURLY) && !self.braces.is_outside() {
            return;
        }
        self.start(ERROR);
        let mut depth = 0usize;
        let mut is_first = true;
        loop {
            let at_end = match self.current() {
                EOF => true,
                R_CURLY => depth == 0 && !self.braces.is_outside(),
                _ => !is_first && (self.is_declaration(0) || depth == 0 && is_end(self)),
            };
            if at_end {
                break;
            }
            match self.current() {
                L_CURLY => depth += 1,
                R_CURLY => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
            is_first = false;
        }
        self.finish();
    }

    /// Skips an element that is nested too deep, up to its closing brace.
    pub(super) fn skip_too_deep(&mut self) {
        self.report(|p| {
            let message = format!("Nested too deep: elements below level {} are not read.", p.max_nesting);
            SyntaxDiagnostic::new(p.range(), SyntaxCode::NestingTooDeep, message)
        });
        self.start(ERROR);
        let mut depth = 0usize;
        while !self.is_at(EOF) && (depth > 0 || !self.is_at(R_CURLY)) {
            let kind: SyntaxKind = self.current();
            self.bump();
            match kind {
                L_CURLY => depth += 1,
                R_CURLY if depth == 1 => break,
                R_CURLY => depth -= 1,
                _ => {}
            }
        }
        self.finish();
    }
}
