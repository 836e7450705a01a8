//! `textDocument/hover`.

use camino::Utf8Path;
use dlang_ide::hover as explain;
use dlang_model::File;
use zubi_base::lsp;

use super::answer::answer_at_position;
use crate::convert::markup;
use crate::request::RequestError;
use crate::snapshot::Snapshot;

pub(super) fn hover(snapshot: &Snapshot, params: &lsp::HoverParams) -> Result<Option<lsp::Hover>, RequestError> {
    let found = answer_at_position(snapshot, &params.text_document_position_params, |db, file, lines, offset| {
        let uri = |file: File| snapshot.uri(Utf8Path::new(file.path(db))).0;
        let found = explain(db, file, offset, snapshot.settings.links(&uri))?;
        let contents = lsp::Contents::MarkupContent(markup(snapshot.settings.has_markdown_hover, found.markdown));
        Some(lsp::Hover { contents, range: Some(lines.range(found.range)) })
    });
    Ok(found?.flatten())
}
