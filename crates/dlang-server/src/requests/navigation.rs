//! `textDocument/definition`, `textDocument/references`, `textDocument/documentHighlight`.

use camino::Utf8Path;
use dlang_ide as ide;
use zubi_base::lsp;

use super::answer::answer_at_position;
use crate::convert::PositionMapper;
use crate::request::RequestError;
use crate::snapshot::Snapshot;

pub(super) fn definition(
    snapshot: &Snapshot,
    params: &lsp::DefinitionParams,
) -> Result<Option<lsp::DefinitionResponse>, RequestError> {
    let found = answer_at_position(snapshot, &params.text_document_position_params, |db, file, lines, offset| {
        let origin = ide::definition(db, file, offset)?;
        let mapper = PositionMapper::new(snapshot);
        if !snapshot.settings.has_links {
            let locations = origin.targets.iter().map(|target| mapper.location(db, target.file, target.focus));
            return Some(lsp::DefinitionResponse::Definition(lsp::Definition::LocationList(locations.collect())));
        }
        let links = origin.targets.iter().map(|target| {
            let lines_there = mapper.file_lines(db, target.file);
            lsp::LocationLink {
                origin_selection_range: Some(lines.range(origin.range)),
                target_uri: snapshot.uri(Utf8Path::new(target.file.path(db))),
                target_range: lines_there.range(target.range),
                target_selection_range: lines_there.range(target.focus),
            }
        });
        Some(lsp::DefinitionResponse::DefinitionLinkList(links.collect()))
    });
    Ok(found?.flatten())
}

pub(super) fn references(
    snapshot: &Snapshot,
    params: &lsp::ReferenceParams,
) -> Result<Option<Vec<lsp::Location>>, RequestError> {
    let with_declaration = params.context.include_declaration;
    Ok(answer_at_position(snapshot, &params.text_document_position_params, |db, file, _, offset| {
        let mapper = PositionMapper::new(snapshot);
        let found = ide::references(db, file, offset, with_declaration);
        found.iter().map(|it| mapper.location(db, it.file, it.range)).collect()
    })?)
}

pub(super) fn highlights(
    snapshot: &Snapshot,
    params: &lsp::DocumentHighlightParams,
) -> Result<Option<Vec<lsp::DocumentHighlight>>, RequestError> {
    Ok(answer_at_position(snapshot, &params.text_document_position_params, |db, file, lines, offset| {
        let found = ide::highlights(db, file, offset).into_iter().map(|it| {
            let kind =
                if it.is_declaration { lsp::DocumentHighlightKind::Write } else { lsp::DocumentHighlightKind::Read };
            lsp::DocumentHighlight { range: lines.range(it.range), kind: Some(kind) }
        });
        found.collect()
    })?)
}
