//! Requests that depend on one text only: `textDocument/foldingRange`, `textDocument/selectionRange`,
//! `textDocument/codeLens`; and `textDocument/documentLink`, whose targets come from the workspace.

use camino::Utf8Path;
use dlang_ide::{FoldKind, import_links, lenses, selection_ranges};
use dlang_model::{ImportOutcome, parse};
use serde_json::json;
use zubi_base::lsp;

use super::answer::answer_for_model;
use crate::request::RequestError;
use crate::snapshot::Snapshot;

/// Maximum number of positions in one request. There is one per cursor.
const MAX_POSITIONS: usize = 1000;

pub(super) fn folding(
    snapshot: &Snapshot,
    params: &lsp::FoldingRangeParams,
) -> Result<Option<Vec<lsp::FoldingRange>>, RequestError> {
    Ok(answer_for_model(snapshot, &params.text_document, |db, file, lines| {
        let folds = dlang_ide::folding(parse(db, file)).into_iter().map(|fold| {
            let range = lines.range(fold.range);
            lsp::FoldingRange {
                start_line: range.start.line,
                start_character: Some(range.start.character),
                end_line: range.end.line,
                end_character: Some(range.end.character),
                kind: match fold.kind {
                    FoldKind::Code => None,
                    FoldKind::Comment => Some(lsp::FoldingRangeKind::Comment),
                    FoldKind::Imports => Some(lsp::FoldingRangeKind::Imports),
                },
                collapsed_text: None,
            }
        });
        folds.collect()
    })?)
}

/// Returns one result per position, in order, as the protocol requires.
pub(super) fn selection_range(
    snapshot: &Snapshot,
    params: &lsp::SelectionRangeParams,
) -> Result<Option<Vec<lsp::SelectionRange>>, RequestError> {
    if params.positions.len() > MAX_POSITIONS {
        let message = format!("Invalid params: at most {MAX_POSITIONS} positions");
        return Err(RequestError::InvalidParams { field: "positions".to_owned(), message });
    }
    Ok(answer_for_model(snapshot, &params.text_document, |db, file, lines| {
        let parse = parse(db, file);
        let ranges = params.positions.iter().map(|position| {
            let ranges = selection_ranges(parse, lines.offset(*position));
            let chain = ranges.into_iter().rev().fold(None, |parent: Option<lsp::SelectionRange>, range| {
                Some(lsp::SelectionRange { range: lines.range(range), parent: parent.map(Box::new) })
            });
            chain
                .unwrap_or(lsp::SelectionRange { range: lsp::Range { start: *position, end: *position }, parent: None })
        });
        ranges.collect()
    })?)
}

pub(super) fn code_lens(
    snapshot: &Snapshot,
    params: &lsp::CodeLensParams,
) -> Result<Option<Vec<lsp::CodeLens>>, RequestError> {
    let uri = &params.text_document.uri;
    Ok(answer_for_model(snapshot, &params.text_document, |db, file, lines| {
        let lenses = lenses(parse(db, file)).into_iter().map(|lens| lsp::CodeLens {
            range: lines.range(lens.range),
            command: Some(lsp::Command {
                title: lens.title.to_owned(),
                tooltip: None,
                command: lens.command.to_owned(),
                arguments: Some(vec![json!({ "uri": uri })]),
            }),
            data: None,
        });
        lenses.collect()
    })?)
}

/// Returns the links of import strings that resolve to a file.
pub(super) fn document_link(
    snapshot: &Snapshot,
    params: &lsp::DocumentLinkParams,
) -> Result<Option<Vec<lsp::DocumentLink>>, RequestError> {
    Ok(answer_for_model(snapshot, &params.text_document, |db, file, lines| {
        let outcomes = file.import_outcomes(db);
        let links = import_links(parse(db, file)).into_iter().filter_map(|link| {
            let Some(ImportOutcome::File(target)) = outcomes.get(&link.specifier) else { return None };
            let path = Utf8Path::new(target.path(db));
            Some(lsp::DocumentLink {
                range: lines.range(link.range),
                target: Some(snapshot.uri(path)),
                tooltip: Some(snapshot.workspace().show(path)),
                data: None,
            })
        });
        links.collect()
    })?)
}
