//! `textDocument/inlayHint`.

use dlang_ide::hints;
use zubi_base::lsp;

use super::answer::answer_for_model;
use crate::request::RequestError;
use crate::snapshot::Snapshot;

pub(super) fn inlay_hint(
    snapshot: &Snapshot,
    params: &lsp::InlayHintParams,
) -> Result<Option<Vec<lsp::InlayHint>>, RequestError> {
    Ok(answer_for_model(snapshot, &params.text_document, |db, file, lines| {
        let found = hints(db, file, lines.bytes(&params.range)).into_iter().map(|hint| lsp::InlayHint {
            position: lines.position(hint.offset),
            label: lsp::Label::String(hint.text),
            kind: Some(lsp::InlayHintKind::Type),
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
        found.collect()
    })?)
}
