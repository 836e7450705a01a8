//! The text in which a position counts lines: a file, or a code cell of a notebook.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::position::{TextSize, size};
use zubi_base::text::list_first;
use zubi_syntax::Notebook;

use super::{ResolvedTarget, identifier_around};
use crate::error::CodeError;
use crate::location::column_of;
use crate::query::{CodeQuery, SourceDocument};

/// The maximum number of cells that an error names.
const MAX_CELLS: usize = 20;

/// The text of a file, or the code of a cell.
pub(super) struct PositionText {
    /// The path of the file.
    pub(super) path: Utf8PathBuf,
    /// The path as answers show it, with the cell: `explore.ipynb cell 3`.
    pub(super) display_path: String,
    pub(super) document: Arc<SourceDocument>,
    pub(super) cell: Option<CellText>,
}

/// A code cell.
pub(super) struct CellText {
    /// The number among all cells, 1-based.
    number: usize,
    /// The text of the file.
    file: Arc<SourceDocument>,
}

/// Splits `explore.ipynb cell 3` into the path and the number of the cell.
pub(super) fn split_cell(text: &str) -> Option<(&str, usize)> {
    let (path, number) = text.rsplit_once(" cell ")?;
    let is_notebook = Utf8Path::new(path).file_name().is_some_and(Notebook::is_notebook);
    Some((path, number.trim().parse().ok()?)).filter(|_| is_notebook)
}

impl PositionText {
    /// Converts an offset in the text to one in the file.
    pub(super) fn file_offset(&self, offset: TextSize) -> TextSize {
        let in_file = |cell: &CellText| cell.file.notebook(&self.path)?.file_offset(cell.number, offset.into());
        self.cell.as_ref().and_then(in_file).map_or(offset, size)
    }

    /// Converts an offset in the file to one in the text. `None` if it is in another cell.
    pub(super) fn own_offset(&self, offset: TextSize) -> Option<TextSize> {
        let Some(cell) = &self.cell else { return Some(offset) };
        let offset = usize::from(offset);
        let (number, range) = cell.file.notebook(&self.path)?.to_cell(offset..offset)?;
        (number == cell.number).then(|| size(range.start))
    }

    /// Returns the identifier that contains or touches an offset in the text, and its start.
    pub(super) fn identifier_around(&self, offset: TextSize) -> Option<(String, TextSize)> {
        let file = self.cell.is_none().then_some(self.path.as_path());
        identifier_around(file, &self.document, offset)
    }
}

impl CodeQuery<'_> {
    /// Reads the text of a file, or of one of its cells.
    pub(super) async fn position_text(
        &self,
        path: Utf8PathBuf,
        cell: Option<usize>,
    ) -> Result<PositionText, CodeError> {
        let document = self.document(&path).await?;
        let display_path = self.workspace().display(&path);
        let Some(number) = cell else { return Ok(PositionText { path, display_path, document, cell: None }) };
        let notebook = document.notebook(&path).ok_or_else(|| {
            let reason = Notebook::parse(&document.text).err().map(|error| error.to_string()).unwrap_or_default();
            CodeError::input(
                "at",
                format!("zubi cannot read the cells of `{display_path}`: {reason}"),
                format!("Give the line in the file, as in at: \"{display_path}:12:5\"."),
            )
        })?;
        let Some(code) = notebook.cell_code(number).filter(|code| !code.is_empty()) else {
            let has_code = |number: &usize| notebook.cell_code(*number).is_some_and(|code| !code.is_empty());
            let numbers: Vec<_> = notebook.cell_numbers().filter(has_code).map(|number| number.to_string()).collect();
            let hint = match numbers.len() {
                0 => format!("`{display_path}` has no cells with code."),
                _ => format!("These cells have code: {}.", list_first(numbers, MAX_CELLS)),
            };
            return Err(CodeError::input("at", format!("cell {number} of `{display_path}` has no code"), hint));
        };
        let code = Arc::new(SourceDocument::new(code.into(), false));
        let display_path = format!("{display_path} cell {number}");
        let cell = Some(CellText { number, file: Arc::clone(&document) });
        Ok(PositionText { path, display_path, document: code, cell })
    }

    /// Creates a target at an offset of a text, moved to the start of the identifier it touches.
    pub(super) fn target_in(&self, text: &PositionText, offset: TextSize, note: Option<String>) -> ResolvedTarget {
        let (name, offset) = match text.identifier_around(offset) {
            Some((name, start)) => (Some(name), start),
            None => (None, offset),
        };
        self.exact_target_in(text, offset, name, note)
    }

    /// Creates a target at an offset of a text.
    pub(super) fn exact_target_in(
        &self,
        text: &PositionText,
        offset: TextSize,
        name: Option<String>,
        note: Option<String>,
    ) -> ResolvedTarget {
        let file = text.cell.as_ref().map_or(&text.document, |cell| &cell.file);
        let target = self.resolved_exactly(text.path.clone(), file, text.file_offset(offset), name, note);
        // The end of a cell's last line is in no cell of the file.
        let line = text.document.index.line_col(offset).line + 1;
        let display_position = format!("{}:{line}:{}", text.display_path, column_of(&text.document, offset));
        ResolvedTarget { display_position, ..target }
    }
}
