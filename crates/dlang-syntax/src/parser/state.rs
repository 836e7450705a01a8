//! The state of the parser, and its primitives: lookahead, building the tree, reporting.

use rowan::{Checkpoint, GreenNodeBuilder, Language as _, TextRange, TextSize};

use super::braces::Braces;
use super::messages;
use crate::diagnostics::{Collector, RelatedInformation, SyntaxCode, SyntaxDiagnostic};
use crate::generated::kinds::SyntaxKind::{self, EOF, MODEL, UNKNOWN, WHITESPACE};
use crate::lexer::{self, LexedText, Token};
use crate::token_set::TokenSet;
use crate::tree::DomainLang;

type ElementParser = fn(&mut Parser<'_>) -> bool;

/// State of the parser.
pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// Indices of the tokens that the grammar sees: all but white space, comments and unknown characters.
    significant: Vec<u32>,
    /// Index of the current token in `significant`.
    pub(super) position: usize,
    /// Number of tokens in the tree.
    built: usize,
    pub(super) builder: GreenNodeBuilder<'static>,
    pub(super) problems: Collector,
    /// Position of the last diagnostic; each position has at most one.
    complained_at: Option<usize>,
    pub(super) max_nesting: usize,
    pub(super) braces: Braces,
    /// Parses an element, if one begins here. Blocks call it for misplaced elements; it is above them.
    pub(super) element: ElementParser,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, lexed: LexedText, max_nesting: usize, element: ElementParser) -> Self {
        let tokens = lexed.tokens;
        let is_significant = |token: &Token| !token.kind.is_trivia() && token.kind != UNKNOWN;
        let indices = (0u32..).zip(&tokens).filter(|(_, token)| is_significant(token)).map(|(index, _)| index);
        let significant: Vec<_> = indices.collect();
        let braces = Braces::new(&tokens);
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
            element,
        }
    }

    // ── lookahead ──

    /// Returns the kind of the `n`th token from the current one (0 is the current one).
    pub(super) fn nth(&self, n: usize) -> SyntaxKind {
        self.raw(n).and_then(|raw| self.tokens.get(raw)).map_or(EOF, |token| token.kind)
    }

    pub(super) fn current(&self) -> SyntaxKind {
        self.nth(0)
    }

    pub(super) fn is_at(&self, kind: SyntaxKind) -> bool {
        self.current() == kind
    }

    pub(super) fn at_any(&self, set: TokenSet) -> bool {
        set.contains(self.current())
    }

    /// Returns the index among all tokens of the `n`th significant token from the current one.
    pub(super) fn raw(&self, n: usize) -> Option<usize> {
        self.significant.get(self.position + n).map(|raw| *raw as usize)
    }

    pub(super) fn start_of(&self, raw: usize) -> TextSize {
        self.tokens.get(raw).map_or_else(|| lexer::offset(self.text.len()), |token| token.start)
    }

    pub(super) fn range_of(&self, raw: usize) -> TextRange {
        TextRange::new(self.start_of(raw), self.start_of(raw + 1))
    }

    /// Returns the range of the current token; empty at the end.
    pub(super) fn range(&self) -> TextRange {
        self.range_of(self.raw(0).unwrap_or(self.tokens.len()))
    }

    pub(super) fn text_in(&self, range: TextRange) -> &'t str {
        self.text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
    }

    /// Returns the text of the current token; empty at the end.
    pub(super) fn word(&self) -> &'t str {
        self.text_in(self.range())
    }

    /// Returns the end of the last consumed token.
    pub(super) fn end_of_last(&self) -> TextSize {
        let last = self.position.checked_sub(1).and_then(|position| self.significant.get(position));
        last.map_or(TextSize::new(0), |raw| self.range_of(*raw as usize).end())
    }

    /// Whether the current token is on a later line than its predecessor, is the first of the file, or is the end.
    pub(super) fn is_first_on_line(&self) -> bool {
        self.is_at(EOF) || self.position == 0 || self.gap().contains(['\n', '\r'])
    }

    /// Returns the text between the last consumed token and the current one.
    pub(super) fn gap(&self) -> &'t str {
        self.text_in(TextRange::new(self.end_of_last(), self.range().start()))
    }

    // ── building ──

    /// Adds the current token to the tree.
    pub(super) fn bump(&mut self) {
        self.bump_as(self.current());
    }

    /// Adds the current token to the tree under another kind.
    pub(super) fn bump_as(&mut self, kind: SyntaxKind) {
        let Some(raw) = self.raw(0) else { return };
        self.note_line();
        self.build_until(raw);
        self.build(raw, kind);
        self.built = raw + 1;
        self.position += 1;
    }

    pub(super) fn build(&mut self, raw: usize, kind: SyntaxKind) {
        let text = self.text_in(self.range_of(raw));
        self.builder.token(DomainLang::kind_to_raw(kind), text);
    }

    /// Adds all tokens before `end` to the tree.
    pub(super) fn build_until(&mut self, end: usize) {
        while self.built < end {
            let kind = self.tokens.get(self.built).map_or(WHITESPACE, |token| token.kind);
            self.build(self.built, kind);
            self.built += 1;
        }
    }

    /// Begins a node at the current token. White space and comments before it stay outside, so that a node's range
    /// extends from its first to its last token.
    pub(super) fn start(&mut self, kind: SyntaxKind) {
        self.build_until(self.raw(0).unwrap_or(self.tokens.len()));
        self.builder.start_node(DomainLang::kind_to_raw(kind));
    }

    /// Begins the root, which contains all tokens.
    pub(super) fn start_root(&mut self) {
        self.builder.start_node(DomainLang::kind_to_raw(MODEL));
    }

    pub(super) fn finish(&mut self) {
        self.builder.finish_node();
    }

    pub(super) fn finish_root(&mut self) {
        self.build_until(self.tokens.len());
        self.finish();
    }

    /// Marks the current token, for a node that may later begin here.
    pub(super) fn checkpoint(&mut self) -> Checkpoint {
        self.build_until(self.raw(0).unwrap_or(self.tokens.len()));
        self.builder.checkpoint()
    }

    pub(super) fn start_at(&mut self, checkpoint: Checkpoint, kind: SyntaxKind) {
        self.builder.start_node_at(checkpoint, DomainLang::kind_to_raw(kind));
    }

    /// Changes the kind of the current token.
    pub(super) fn retag(&mut self, kind: SyntaxKind) {
        if let Some(token) = self.raw(0).and_then(|raw| self.tokens.get_mut(raw)) {
            token.kind = kind;
        }
    }

    // ── reporting ──

    /// Reports a diagnostic unless this token already has one: one message per mistake. The closure is not called
    /// once the limit of diagnostics is reached, which saves formatting messages that would be dropped.
    pub(super) fn report(&mut self, diagnostic: impl FnOnce(&Self) -> SyntaxDiagnostic) {
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
    pub(super) fn expect(&mut self, kind: SyntaxKind) {
        if self.is_at(kind) {
            self.bump();
        } else {
            self.report_missing(&[kind]);
        }
    }

    /// Reports that one of these kinds is missing here. At the end of a line the range is after the last token,
    /// because the token on the next line is unlikely to be the mistake.
    pub(super) fn report_missing(&mut self, kinds: &[SyntaxKind]) {
        self.missing_with(kinds, None, None);
    }

    pub(super) fn missing_with(
        &mut self,
        kinds: &[SyntaxKind],
        hint: Option<&'static str>,
        related: Option<RelatedInformation<TextRange>>,
    ) {
        self.report(|p| {
            let range = if p.is_first_on_line() { TextRange::empty(p.end_of_last()) } else { p.range() };
            let message = messages::expecting_message(kinds, (!p.is_at(EOF)).then(|| p.word()));
            SyntaxDiagnostic {
                hint: hint.map(Into::into),
                related: related.into_iter().collect(),
                ..SyntaxDiagnostic::new(range, SyntaxCode::ExpectedToken, message)
            }
        });
    }

    /// Reports that the current token is not allowed here, where the block or the file could end.
    pub(super) fn report_unexpected(&mut self, code: SyntaxCode, hint: Option<&'static str>) {
        self.unexpected_for(self.end_of_block(), code, hint);
    }

    /// Returns the label of the token that would end the current block.
    pub(super) fn end_of_block(&self) -> &'static str {
        if self.braces.is_outside() { "EOF" } else { "}" }
    }

    /// Reports that the current token is not allowed here, where `expected` could follow.
    pub(super) fn unexpected_for(&mut self, expected: &str, code: SyntaxCode, hint: Option<&'static str>) {
        self.report(|p| SyntaxDiagnostic {
            hint: hint.map(Into::into),
            ..SyntaxDiagnostic::new(p.range(), code, messages::expected_text(expected, Some(p.word())))
        });
    }
}
