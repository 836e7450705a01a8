//! `textDocument/prepareRename`, `textDocument/rename`. If a symbol cannot be renamed, the error contains the reason,
//! which editors show at the cursor.

use camino::Utf8Path;
use dlang_ide as ide;
use zubi_base::lsp;

use super::answer::answer_at_position;
use crate::convert::{Edits, PositionMapper};
use crate::request::RequestError;
use crate::snapshot::Snapshot;

pub(super) fn prepare(
    snapshot: &Snapshot,
    params: &lsp::PrepareRenameParams,
) -> Result<Option<lsp::PrepareRenameResult>, RequestError> {
    let found = answer_at_position(snapshot, &params.text_document_position_params, |db, file, lines, offset| {
        let renaming = ide::prepare_rename(db, file, offset)?;
        let (range, placeholder) = (lines.range(renaming.range), renaming.text);
        let result = lsp::PrepareRenamePlaceholder { range, placeholder };
        Ok(lsp::PrepareRenameResult::PrepareRenamePlaceholder(result))
    });
    found?.transpose().map_err(|error| rename_failed(&error))
}

pub(super) fn rename(
    snapshot: &Snapshot,
    params: &lsp::RenameParams,
) -> Result<Option<lsp::WorkspaceEdit>, RequestError> {
    let found = answer_at_position(snapshot, &params.text_document_position_params, |db, file, _, offset| {
        let (mapper, mut edits) = (PositionMapper::new(snapshot), Edits::default());
        for (file, changes) in ide::rename(db, file, offset, &params.new_name)? {
            let lines = mapper.file_lines(db, file);
            edits.add(Utf8Path::new(file.path(db)), changes.iter().map(|change| lines.edit(change)));
        }
        Ok(edits.into_lsp(snapshot))
    });
    found?.transpose().map_err(|error| rename_failed(&error))
}

fn rename_failed(error: &ide::RenameError) -> RequestError {
    RequestError::Failed(error.to_string())
}
