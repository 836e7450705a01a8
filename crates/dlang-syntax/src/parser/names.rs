//! Names and references, and the rule for reserved words as names, which the crate's documentation states.

use crate::diagnostics::{Code, SyntaxDiagnostic};
use crate::keywords::{KeywordClass, keyword};
use crate::token_set::TokenSet;

use super::Parser;
use crate::SyntaxKind::{self, *};

/// What stands between a property and its value.
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

/// What may stand behind an element that is complete.
pub(super) const AFTER_ELEMENT: TokenSet = TokenSet::new(&[EOF, R_CURLY, IMPORT_KW]).union(DECLARATION);

impl Parser<'_> {
    /// Whether the next token but `n` is an identifier or a reserved word.
    pub(super) fn is_word(&self, n: usize) -> bool {
        let kind = self.nth(n);
        kind == IDENT || kind.is_keyword()
    }

    /// Whether a name stands here, when `follow` may stand behind it.
    pub(super) fn at_name(&self, follow: TokenSet) -> bool {
        self.is_name(0, follow)
    }

    fn is_name(&self, n: usize, follow: TokenSet) -> bool {
        match self.nth(n) {
            IDENT => true,
            kind if kind.is_keyword() => {
                let next = self.nth(n + 1);
                // Where another name may follow, `Team B` is more likely a declaration than two names.
                let is_declaration = next == IDENT && self.is_declaration(n);
                follow.contains(next) && !is_declaration
            }
            _ => false,
        }
    }

    /// Whether an element or import begins at the next token but `n`.
    pub(super) fn is_declaration(&self, n: usize) -> bool {
        match self.nth(n) {
            IMPORT_KW => self.nth(n + 1) == STRING,
            kind => DECLARATION.contains(kind) && self.is_word(n + 1),
        }
    }

    /// Takes a word as a name.
    pub(super) fn bump_name(&mut self) {
        if self.current().is_keyword() && !self.problems.has_enough_hints() {
            let word = self.word();
            self.problems.push(SyntaxDiagnostic {
                range: self.range(),
                code: Code::ReservedName,
                message: format!("`{word}` is a reserved word; here it is read as a name."),
                hint: Some("Programs that follow the grammar to the letter reject it; another name is safer.".into()),
                related: None,
            });
        }
        self.bump_as(IDENT);
    }

    /// A name that is declared.
    pub(super) fn name(&mut self, follow: TokenSet) {
        if self.at_name(follow) {
            self.start(NAME);
            self.bump_name();
            self.finish();
        } else if self.is_at(STRING) && !self.is_first_on_line() {
            self.missing_with(&[IDENT], Some("Names stand without quotes."), None);
            self.wrap(1);
        } else {
            self.report_missing(&[IDENT]);
        }
    }

    /// A name that refers to something; whether there was one.
    pub(super) fn reference(&mut self, follow: TokenSet) -> bool {
        self.path(REFERENCE, follow)
    }

    /// Identifiers with dots between them.
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

    /// How many tokens the path takes that begins with the next token but `n`; none if there is no path.
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

    /// The reserved word of one of these kinds that is meant here, if the word differs only in the case of its letters:
    /// `boundedcontext`, `Vision`.
    pub(super) fn misspelt(&self, kinds: TokenSet) -> Option<SyntaxKind> {
        if !self.is_word(0) {
            return None;
        }
        let word = self.word();
        let means = |kind: SyntaxKind| {
            keyword(kind).is_some_and(|row| row.spellings.iter().any(|spelling| spelling.eq_ignore_ascii_case(word)))
        };
        crate::KEYWORDS.iter().map(|row| row.kind).find(|kind| kinds.contains(*kind) && means(*kind))
    }

    /// Reads the current word as the keyword it was meant to be, and says so.
    pub(super) fn bump_misspelt_as(&mut self, kind: SyntaxKind) {
        self.report(|p| {
            let word = p.word();
            let row = keyword(kind);
            let spellings = row.map(|row| row.spellings).unwrap_or_default();
            let meant = spellings.iter().find(|spelling| spelling.eq_ignore_ascii_case(word)).copied();
            let is_pattern = matches!(row.map(|row| row.role), Some(KeywordClass::Pattern(_)));
            let expected = if is_pattern { "]" } else { p.end_of_block() };
            SyntaxDiagnostic {
                range: p.range(),
                code: Code::MisspeltKeyword,
                message: super::messages::expected_text(expected, Some(word)),
                hint: meant.map(|meant| format!("Did you mean `{meant}`?").into()),
                related: None,
            }
        });
        self.retag(kind);
    }
}
