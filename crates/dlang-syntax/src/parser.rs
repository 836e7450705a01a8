//! The parser: tokens in, tree and diagnostics out.
//!
//! Hand-written and error-tolerant, one function per construct: every function consumes the tokens it understands and
//! leaves the others to its caller. Tokens that no function understands go into an [`ERROR`](SyntaxKind::ERROR) node,
//! so the typed tree holds only meaningful parts. This module provides the primitives (lookahead, building the tree,
//! reporting); the grammar is in the modules below, and [`recovery`] has their shared error recovery.
//!
//! Everything is linear in the length of the text. Loops consume a token in every round, and a lookahead of more than
//! a few tokens happens only where those tokens are consumed next.

use std::sync::Arc;

use rowan::{Checkpoint, GreenNodeBuilder, Language as _, TextRange, TextSize};

use crate::diagnostics::{Collector, RelatedSyntax, SyntaxCode, SyntaxDiagnostic};
use crate::lexer::{self, LexedText, Token};
use crate::token_set::TokenSet;
use crate::{DomainLang, Parse, SyntaxKind};

mod block;
mod context;
mod elements;
mod maps;
mod messages;
mod names;
mod properties;
mod recovery;
mod relationships;

use SyntaxKind::{EOF, MODEL, UNKNOWN, WHITESPACE};

/// Parses with other limits than [`crate::parse`]'s.
pub(crate) fn parse(text: &str, max_length: usize, max_nesting: usize) -> Parse {
    let (whole, text) = (text, lexer::truncate(text, max_length));
    let lexed = lexer::lex(text);
    let mut lexing = Collector::default();
    if text.len() < whole.len() {
        lexing.push(messages::too_large(text));
    }
    messages::of_lexer(text, &lexed, &mut lexing);
    let mut parser = Parser::new(text, lexed, max_nesting);
    elements::model(&mut parser);
    let Parser { builder, problems, .. } = parser;
    let mut diagnostics = lexing.finish();
    diagnostics.extend(problems.finish());
    Parse { green: builder.finish(), diagnostics: Arc::from(diagnostics) }
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// Indices of the tokens that the grammar sees: all but white space, comments and unknown characters.
    significant: Vec<u32>,
    /// Index of the current token in `significant`.
    position: usize,
    /// Number of tokens in the tree.
    built: usize,
    builder: GreenNodeBuilder<'static>,
    problems: Collector,
    /// Position of the last diagnostic; each position has at most one.
    complained_at: Option<usize>,
    max_nesting: usize,
    braces: recovery::Braces,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, lexed: LexedText, max_nesting: usize) -> Self {
        let tokens = lexed.tokens;
        let is_significant = |token: &Token| !token.kind.is_trivia() && token.kind != UNKNOWN;
        let indices = (0u32..).zip(&tokens).filter(|(_, token)| is_significant(token)).map(|(index, _)| index);
        let significant: Vec<_> = indices.collect();
        let braces = recovery::Braces::new(&tokens);
        Self {
            text,
            tokens,
            significant,
            position: 0,
            built: 0,
            builder: GreenNodeBuilder::new(),
            problems: Collector::default(),
            complained_at: None,
            max_nesting,
            braces,
        }
    }

    // ── lookahead ──

    /// Returns the kind of the `n`th token from the current one (0 is the current one).
    fn nth(&self, n: usize) -> SyntaxKind {
        self.raw(n).and_then(|raw| self.tokens.get(raw)).map_or(EOF, |token| token.kind)
    }

    fn current(&self) -> SyntaxKind {
        self.nth(0)
    }

    fn is_at(&self, kind: SyntaxKind) -> bool {
        self.current() == kind
    }

    fn at_any(&self, set: TokenSet) -> bool {
        set.contains(self.current())
    }

    /// Returns the index among all tokens of the `n`th significant token from the current one.
    fn raw(&self, n: usize) -> Option<usize> {
        self.significant.get(self.position + n).map(|raw| *raw as usize)
    }

    fn start_of(&self, raw: usize) -> TextSize {
        self.tokens.get(raw).map_or_else(|| lexer::offset(self.text.len()), |token| token.start)
    }

    fn range_of(&self, raw: usize) -> TextRange {
        TextRange::new(self.start_of(raw), self.start_of(raw + 1))
    }

    /// Returns the range of the current token; empty at the end.
    fn range(&self) -> TextRange {
        self.range_of(self.raw(0).unwrap_or(self.tokens.len()))
    }

    fn text_in(&self, range: TextRange) -> &'t str {
        self.text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
    }

    /// Returns the text of the current token; empty at the end.
    fn word(&self) -> &'t str {
        self.text_in(self.range())
    }

    /// Returns the end of the last consumed token.
    fn end_of_last(&self) -> TextSize {
        let last = self.position.checked_sub(1).and_then(|position| self.significant.get(position));
        last.map_or(TextSize::new(0), |raw| self.range_of(*raw as usize).end())
    }

    /// Whether the current token is on a later line than its predecessor, is the first of the file, or is the end.
    fn is_first_on_line(&self) -> bool {
        self.is_at(EOF) || self.position == 0 || self.gap().contains(['\n', '\r'])
    }

    /// Returns the text between the last consumed token and the current one.
    fn gap(&self) -> &'t str {
        self.text_in(TextRange::new(self.end_of_last(), self.range().start()))
    }

    // ── building ──

    /// Adds the current token to the tree.
    fn bump(&mut self) {
        self.bump_as(self.current());
    }

    /// Adds the current token to the tree under another kind.
    fn bump_as(&mut self, kind: SyntaxKind) {
        let Some(raw) = self.raw(0) else { return };
        self.note_line();
        self.build_until(raw);
        self.build(raw, kind);
        self.built = raw + 1;
        self.position += 1;
    }

    fn build(&mut self, raw: usize, kind: SyntaxKind) {
        let text = self.text_in(self.range_of(raw));
        self.builder.token(DomainLang::kind_to_raw(kind), text);
    }

    /// Adds all tokens before `end` to the tree.
    fn build_until(&mut self, end: usize) {
        while self.built < end {
            let kind = self.tokens.get(self.built).map_or(WHITESPACE, |token| token.kind);
            self.build(self.built, kind);
            self.built += 1;
        }
    }

    /// Begins a node at the current token. White space and comments before it stay outside, so that a node's range is
    /// from its first to its last token.
    fn start(&mut self, kind: SyntaxKind) {
        self.build_until(self.raw(0).unwrap_or(self.tokens.len()));
        self.builder.start_node(DomainLang::kind_to_raw(kind));
    }

    /// Begins the root, which contains all tokens.
    fn start_root(&mut self) {
        self.builder.start_node(DomainLang::kind_to_raw(MODEL));
    }

    fn finish(&mut self) {
        self.builder.finish_node();
    }

    fn finish_root(&mut self) {
        self.build_until(self.tokens.len());
        self.finish();
    }

    /// Marks the current token, for a node that may later begin here.
    fn checkpoint(&mut self) -> Checkpoint {
        self.build_until(self.raw(0).unwrap_or(self.tokens.len()));
        self.builder.checkpoint()
    }

    fn start_at(&mut self, checkpoint: Checkpoint, kind: SyntaxKind) {
        self.builder.start_node_at(checkpoint, DomainLang::kind_to_raw(kind));
    }

    /// Changes the kind of the current token.
    fn retag(&mut self, kind: SyntaxKind) {
        if let Some(token) = self.raw(0).and_then(|raw| self.tokens.get_mut(raw)) {
            token.kind = kind;
        }
    }

    // ── reporting ──

    /// Reports a diagnostic unless this token already has one: one message per mistake. The closure is not called
    /// once the limit of diagnostics is reached, which saves formatting messages that would be dropped.
    fn report(&mut self, diagnostic: impl FnOnce(&Self) -> SyntaxDiagnostic) {
        if self.complained_at == Some(self.position) {
            return;
        }
        self.complained_at = Some(self.position);
        if !self.problems.is_full() {
            let diagnostic = diagnostic(self);
            self.problems.push(diagnostic);
        }
    }

    /// Consumes a token of this kind, or reports that it is missing.
    fn expect(&mut self, kind: SyntaxKind) {
        if self.is_at(kind) {
            self.bump();
        } else {
            self.report_missing(&[kind]);
        }
    }

    /// Reports that one of these kinds is missing here. At the end of a line the range is after the last token,
    /// because the token on the next line is unlikely to be the mistake.
    fn report_missing(&mut self, kinds: &[SyntaxKind]) {
        self.missing_with(kinds, None, None);
    }

    fn missing_with(&mut self, kinds: &[SyntaxKind], hint: Option<&'static str>, related: Option<RelatedSyntax>) {
        self.report(|p| SyntaxDiagnostic {
            range: if p.is_first_on_line() { TextRange::empty(p.end_of_last()) } else { p.range() },
            code: SyntaxCode::ExpectedToken,
            message: messages::expecting_message(kinds, (!p.is_at(EOF)).then(|| p.word())),
            hint: hint.map(Into::into),
            related,
        });
    }

    /// Reports that the current token is not allowed here, where the block or the file could end.
    fn report_unexpected(&mut self, code: SyntaxCode, hint: Option<&'static str>) {
        self.unexpected_for(self.end_of_block(), code, hint);
    }

    /// Returns the label of the token that would end the current block.
    fn end_of_block(&self) -> &'static str {
        if self.braces.is_outside() { "EOF" } else { "}" }
    }

    /// Reports that the current token is not allowed here, where `expected` could follow.
    fn unexpected_for(&mut self, expected: &str, code: SyntaxCode, hint: Option<&'static str>) {
        self.report(|p| SyntaxDiagnostic {
            range: p.range(),
            code,
            message: messages::expected_text(expected, Some(p.word())),
            hint: hint.map(Into::into),
            related: None,
        });
    }
}

#[cfg(test)]
mod tests;
