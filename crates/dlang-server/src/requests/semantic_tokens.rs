//! `textDocument/semanticTokens/full`, `…/full/delta`, `…/range`.
//!
//! Types and modifiers are the protocol's own, so that every colour theme supports them. A token of several lines is
//! sent as one token per line, which every client supports.

use std::sync::Arc;

use dlang_ide::{SemanticToken, TokenKind};
use dlang_model::parse;
use dlang_syntax::{KeywordClass, TextRange};
use zubi_base::lsp;

use super::answer::answer_for_model;
use crate::convert::DocumentLines;
use crate::request::RequestError;
use crate::snapshot::Snapshot;

/// Token types, by number.
const TYPES: [&str; 12] = [
    "keyword",
    "operator",
    "string",
    "comment",
    "namespace",
    "class",
    "type",
    "enum",
    "property",
    "struct",
    "variable",
    "enumMember",
];

/// Token modifiers, by bit.
const MODIFIERS: [&str; 2] = ["declaration", "documentation"];

const DECLARATION: u32 = 1;
const DOCUMENTATION: u32 = 2;

/// Returns the legend of the numbers.
pub(crate) fn legend() -> lsp::SemanticTokensLegend {
    lsp::SemanticTokensLegend {
        token_types: TYPES.map(str::to_owned).to_vec(),
        token_modifiers: MODIFIERS.map(str::to_owned).to_vec(),
    }
}

fn name_of(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Keyword(KeywordClass::Pattern(_)) => "enumMember",
        TokenKind::Keyword(_) => "keyword",
        TokenKind::Arrow => "operator",
        TokenKind::String => "string",
        TokenKind::Comment | TokenKind::Documentation => "comment",
        TokenKind::Domain | TokenKind::Namespace => "namespace",
        TokenKind::BoundedContext => "class",
        TokenKind::Team => "type",
        TokenKind::Classification => "enum",
        TokenKind::Metadata => "property",
        TokenKind::Map => "struct",
        TokenKind::Term | TokenKind::Decision => "variable",
    }
}

pub(super) fn full(
    snapshot: &Snapshot,
    params: &lsp::SemanticTokensParams,
) -> Result<Option<lsp::SemanticTokens>, RequestError> {
    let document = &params.text_document;
    Ok(encode_tokens(snapshot, document, None)?.map(|data| {
        let (result_id, _) = store_tokens(snapshot, document, &data, None);
        tokens(result_id, &data)
    }))
}

pub(super) fn range(
    snapshot: &Snapshot,
    params: &lsp::SemanticTokensRangeParams,
) -> Result<Option<lsp::SemanticTokens>, RequestError> {
    let data = encode_tokens(snapshot, &params.text_document, Some(&params.range))?;
    Ok(data.map(|data| tokens(None, &data)))
}

pub(super) fn delta(
    snapshot: &Snapshot,
    params: &lsp::SemanticTokensDeltaParams,
) -> Result<Option<lsp::SemanticTokensDeltaResponse>, RequestError> {
    let document = &params.text_document;
    Ok(encode_tokens(snapshot, document, None)?.map(|data| {
        let (result_id, previous) = store_tokens(snapshot, document, &data, Some(&params.previous_result_id));
        match previous {
            None => lsp::SemanticTokensDeltaResponse::SemanticTokens(tokens(result_id, &data)),
            Some(previous) => {
                let edits = difference(&previous, &data).into_iter().collect();
                let delta = lsp::SemanticTokensDelta { result_id, edits };
                lsp::SemanticTokensDeltaResponse::SemanticTokensDelta(delta)
            }
        }
    }))
}

/// Stores the tokens of open documents only, since they are removed on closing.
fn store_tokens(
    snapshot: &Snapshot,
    document: &lsp::TextDocumentIdentifier,
    data: &Arc<[u32]>,
    previous: Option<&str>,
) -> (Option<String>, Option<Arc<[u32]>>) {
    if !snapshot.is_open(&document.uri) {
        return (None, None);
    }
    let (id, previous) = snapshot.tokens.exchange(&document.uri, data, previous);
    (Some(id), previous)
}

fn tokens(result_id: Option<String>, data: &[u32]) -> lsp::SemanticTokens {
    let (tokens, _) = data.as_chunks::<5>();
    let tokens = tokens.iter().map(|[delta_line, delta_start, length, token_type, modifiers]| lsp::SemanticToken {
        delta_line: *delta_line,
        delta_start: *delta_start,
        length: *length,
        token_type: *token_type,
        token_modifiers_bitset: *modifiers,
    });
    lsp::SemanticTokens { result_id, data: tokens.collect() }
}

/// Returns the single edit that turns the old numbers into the new ones: everything between the common beginning and
/// the common end.
fn difference(old: &[u32], new: &[u32]) -> Option<lsp::SemanticTokensEdit> {
    let same = |(one, other): &(&u32, &u32)| one == other;
    let start = old.iter().zip(new).take_while(same).count();
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let end = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let inserted = new.get(..new.len() - end).unwrap_or_default();
    let delete_count = u32::try_from(old.len() - end).unwrap_or(u32::MAX);
    let start = u32::try_from(start).unwrap_or(u32::MAX);
    let is_change = delete_count > 0 || !inserted.is_empty();
    is_change.then(|| lsp::SemanticTokensEdit { start, delete_count, data: Some(inserted.to_vec()) })
}

fn encode_tokens(
    snapshot: &Snapshot,
    document: &lsp::TextDocumentIdentifier,
    within: Option<&lsp::Range>,
) -> Result<Option<Arc<[u32]>>, RequestError> {
    Ok(answer_for_model(snapshot, document, |db, file, lines| {
        let found = dlang_ide::semantic_tokens(parse(db, file), within.map(|range| lines.bytes(range)));
        encode(lines, &found).into()
    })?)
}

/// Returns five numbers for each part of a token on one line, with positions relative to the previous part.
fn encode(lines: &DocumentLines, found: &[SemanticToken]) -> Vec<u32> {
    let mut data = Vec::with_capacity(found.len() * 5);
    let (mut line, mut start) = (0, 0);
    for token in found {
        let name = name_of(token.kind);
        let number = TYPES.iter().position(|it| *it == name).unwrap_or_default();
        let number = u32::try_from(number).unwrap_or_default();
        let is_documentation = token.kind == TokenKind::Documentation;
        let modifiers = u32::from(token.is_declaration) * DECLARATION + u32::from(is_documentation) * DOCUMENTATION;
        for part in lines.split(token.range) {
            let lsp::Range { start: from, end: to } = lines.range(TextRange::new(part.start(), part.end()));
            let delta_start = if from.line == line { from.character - start } else { from.character };
            data.extend([
                from.line - line,
                delta_start,
                to.character.saturating_sub(from.character),
                number,
                modifiers,
            ]);
            (line, start) = (from.line, from.character);
        }
    }
    data
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{TYPES, difference, name_of};

    proptest! {
        #[test]
        fn applying_a_difference_restores_the_new_tokens(
            old in prop::collection::vec(0_u32..3, 0..12),
            new in prop::collection::vec(0_u32..3, 0..12),
        ) {
            let mut patched = old.clone();
            if let Some(edit) = difference(&old, &new) {
                let start = edit.start as usize;
                patched.splice(start..start + edit.delete_count as usize, edit.data.unwrap());
            }
            prop_assert_eq!(patched, new);
        }
    }

    #[test]
    fn every_kind_has_a_token_type() {
        use dlang_ide::TokenKind::{
            Arrow, BoundedContext, Classification, Comment, Decision, Documentation, Domain, Keyword, Map, Metadata,
            Namespace, String, Team, Term,
        };
        use dlang_syntax::{KeywordClass, Side};
        let kinds = [
            Keyword(KeywordClass::Item),
            Keyword(KeywordClass::Pattern(Side::Upstream)),
            Arrow,
            String,
            Comment,
            Documentation,
            Domain,
            BoundedContext,
            Team,
            Classification,
            Metadata,
            Map,
            Namespace,
            Term,
            Decision,
        ];
        for kind in kinds {
            assert!(TYPES.contains(&name_of(kind)), "{kind:?}");
        }
    }
}
