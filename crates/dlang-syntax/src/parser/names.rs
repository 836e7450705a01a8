//! Names and references. The crate's documentation states the rule for reserved words as names.

use crate::diagnostics::{SyntaxCode, SyntaxDiagnostic};
use crate::keywords::{KeywordClass, keyword};
use crate::token_set::TokenSet;

use super::state::Parser;
use crate::generated::kinds::SyntaxKind::{self, *};

/// Tokens that separate a property from its value.
pub(super) const ASSIGN: TokenSet = TokenSet::new(&[COLON, EQ, IS_KW]);

pub(super) const DECLARATION: TokenSet = TokenSet::new(&[
    DOMAIN_KW,
    BOUNDED_CONTEXT_KW,
    TEAM_KW,
    CLASSIFICATION_KW,
    METADATA_KW,
    CONTEXT_MAP_KW,
    DOMAIN_MAP_KW,
    NAMESPACE_KW,
]);

/// Tokens that may follow a complete element.
pub(super) const AFTER_ELEMENT: TokenSet = TokenSet::new(&[EOF, R_CURLY, IMPORT_KW]).union(DECLARATION);

impl Parser<'_> {
    /// Whether the `n`th token is an identifier or a reserved word.
    pub(super) fn is_word(&self, n: usize) -> bool {
        let kind = self.nth(n);
        kind == IDENT || kind.is_keyword()
    }

    /// Whether the current token is a name, if `follow` may follow it.
    pub(super) fn at_name(&self, follow: TokenSet) -> bool {
        self.is_name(0, follow)
    }

    fn is_name(&self, n: usize, follow: TokenSet) -> bool {
        match self.nth(n) {
            IDENT => true,
            kind if kind.is_keyword() => {
                let next = self.nth(n + 1);
                // If another name may follow, `Team B` is more likely a declaration than two names.
                let is_declaration = next == IDENT && self.is_declaration(n);
                follow.contains(next) && !is_declaration
            }
            _ => false,
        }
    }

    /// Whether an element or import begins at the `n`th token.
    pub(super) fn is_declaration(&self, n: usize) -> bool {
        match self.nth(n) {
            IMPORT_KW => self.nth(n + 1) == STRING,
            kind => DECLARATION.contains(kind) && self.is_word(n + 1),
        }
    }

    /// Consumes a word as a name.
    pub(super) fn bump_name(&mut self) {
        if self.current().is_keyword() && !self.problems.has_enough_hints() {
            let word = self.word();
            let message = format!("`{word}` is a reserved word; here it is read as a name.");
            self.problems.push(
                SyntaxDiagnostic::new(self.range(), SyntaxCode::ReservedName, message)
                    .hint("Parsers that follow the grammar strictly reject it; prefer another name."),
            );
        }
        self.bump_as(IDENT);
    }

    /// Parses a declared name.
    pub(super) fn name(&mut self, follow: TokenSet) {
        if self.at_name(follow) {
            self.start(NAME);
            self.bump_name();
            self.finish();
        } else if self.is_at(STRING) && !self.is_first_on_line() {
            self.missing_with(&[IDENT], Some("Write names without quotes."), None);
            self.wrap(1);
        } else {
            self.report_missing(&[IDENT]);
        }
    }

    /// Parses a reference. Returns whether there was one.
    pub(super) fn reference(&mut self, follow: TokenSet) -> bool {
        self.path(REFERENCE, follow)
    }

    /// Parses identifiers separated by dots.
    pub(super) fn path(&mut self, kind: SyntaxKind, follow: TokenSet) -> bool {
        let follow = follow.union(TokenSet::new(&[DOT]));
        if !self.at_name(follow) {
            self.report_missing(&[IDENT]);
            return false;
        }
        self.start(kind);
        self.bump_name();
        while self.is_at(DOT) {
            self.bump();
            if !self.at_name(follow) {
                self.report_missing(&[IDENT]);
                break;
            }
            self.bump_name();
        }
        self.finish();
        true
    }

    /// Returns the number of tokens in the path that begins at the `n`th token; 0 if there is no path.
    pub(super) fn path_length(&self, n: usize) -> usize {
        if !self.is_word(n) {
            return 0;
        }
        let mut length = 1;
        while self.nth(n + length) == DOT && self.is_word(n + length + 1) {
            length += 2;
        }
        length
    }

    /// Returns the reserved word of one of these kinds that is probably meant here, if the word differs only in case:
    /// `boundedcontext`, `Vision`.
    pub(super) fn misspelt(&self, kinds: TokenSet) -> Option<SyntaxKind> {
        if !self.is_word(0) {
            return None;
        }
        let word = self.word();
        let means = |kind: SyntaxKind| {
            keyword(kind).is_some_and(|row| row.spellings.iter().any(|spelling| spelling.eq_ignore_ascii_case(word)))
        };
        crate::keywords::KEYWORDS.iter().map(|row| row.kind).find(|kind| kinds.contains(*kind) && means(*kind))
    }

    /// Reads the current word as the keyword that was probably meant, and reports it.
    pub(super) fn bump_misspelt_as(&mut self, kind: SyntaxKind) {
        self.report(|p| {
            let word = p.word();
            let row = keyword(kind);
            let spellings = row.map(|row| row.spellings).unwrap_or_default();
            let suggestion = spellings.iter().find(|spelling| spelling.eq_ignore_ascii_case(word)).copied();
            let is_pattern = matches!(row.map(|row| row.role), Some(KeywordClass::Pattern(_)));
            let expected = if is_pattern { "]" } else { p.end_of_block() };
            let message = super::messages::expected_text(expected, Some(word));
            SyntaxDiagnostic {
                hint: suggestion.map(|suggestion| format!("Did you mean `{suggestion}`?").into()),
                ..SyntaxDiagnostic::new(p.range(), SyntaxCode::MisspeltKeyword, message)
            }
        });
        self.retag(kind);
    }
}
