//! Jupyter notebooks (`nbformat` 4): the code of their cells, and its positions in the file.
//!
//! A notebook is JSON, in which each line of a cell is a string. The declarations of a notebook have the ranges of their code
//! in this JSON, so a range of several lines includes its punctuation.

use std::ops::Range;

use crate::declaration::Declaration;
use crate::language::SyntaxLanguage;
use crate::outline::{MAX_TEXT_BYTES, OutlineError, SyntaxOutline};
use json::JsonReader;

mod json;
mod magics;

/// The maximum number of code cells that are parsed.
const MAX_CELLS: usize = 1_000;

/// The code of a notebook.
#[derive(Debug)]
pub struct Notebook {
    language: &'static SyntaxLanguage,
    /// The code of all cells, each with a line end after it.
    code: String,
    /// The code for the parser, with the same length: without the lines that are commands of the kernel.
    parsed: String,
    cells: Vec<NotebookCell>,
    pieces: Vec<CodePiece>,
    is_cut: bool,
}

/// A code cell.
#[derive(Debug)]
struct NotebookCell {
    /// The number among all cells, 1-based.
    number: usize,
    /// The range in the code, without the line end after it.
    code: Range<usize>,
    /// Whether the cell is in the notebook's language.
    is_parsed: bool,
}

/// A piece of the code and its position in the file. If both have the same length, they are equal; otherwise the piece is one
/// escaped character.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CodePiece {
    code: Range<usize>,
    file: Range<usize>,
}

/// A position in a code cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellPosition {
    /// The number among all cells, 1-based.
    pub cell: usize,
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
}

impl Notebook {
    /// Whether a file is a notebook by its name, without its directories.
    pub fn is_notebook(file_name: &str) -> bool {
        file_name
            .rsplit_once('.')
            .is_some_and(|(stem, extension)| !stem.is_empty() && extension.eq_ignore_ascii_case("ipynb"))
    }

    /// Reads the text of a notebook. Fails if it is not one of format 4, if the language of its cells is unknown, or if they
    /// have more than [`MAX_TEXT_BYTES`] bytes.
    pub fn parse(text: &str) -> Result<Self, OutlineError> {
        let file = JsonReader::new(text).read_notebook().ok_or(OutlineError::Notebook)?;
        let language = match file.language.as_deref() {
            None => SyntaxLanguage::from_id("python"),
            Some(name) => language_named(name),
        };
        let mut notebook = Self {
            language: language.ok_or(OutlineError::NotebookLanguage)?,
            code: String::new(),
            parsed: String::new(),
            cells: Vec::new(),
            pieces: Vec::new(),
            is_cut: false,
        };
        for (number, cell) in (1..).zip(&file.cells).filter(|(_, cell)| cell.is_code) {
            notebook.is_cut = notebook.cells.len() >= MAX_CELLS;
            if notebook.is_cut {
                break;
            }
            let start = notebook.code.len();
            for string in &cell.source {
                json::decode(text, string.clone(), &mut notebook.code, &mut notebook.pieces);
                if notebook.code.len() > MAX_TEXT_BYTES {
                    return Err(OutlineError::TooLarge { bytes: notebook.code.len() });
                }
            }
            let code = notebook.code.get(start..).unwrap_or_default();
            let parsed = if notebook.language.id == "python" { magics::blank(code) } else { Some(code.to_owned()) };
            let is_parsed = parsed.is_some();
            notebook.parsed.push_str(&parsed.unwrap_or_else(|| " ".repeat(code.len())));
            notebook.cells.push(NotebookCell { number, code: start..notebook.code.len(), is_parsed });
            notebook.code.push('\n');
            notebook.parsed.push('\n');
        }
        Ok(notebook)
    }

    /// Returns the language of the cells.
    pub fn language(&self) -> &'static SyntaxLanguage {
        self.language
    }

    /// Returns the code for [`crate::outline_of_cells`].
    pub fn parsed_code(&self) -> &str {
        &self.parsed
    }

    /// Returns the ranges of the cells in the code that are in the notebook's language.
    pub fn cells(&self) -> Vec<Range<usize>> {
        self.cells.iter().filter(|cell| cell.is_parsed).map(|cell| cell.code.clone()).collect()
    }

    /// Converts an outline of the code to one of the file.
    pub fn to_file(&self, outline: SyntaxOutline) -> SyntaxOutline {
        let range = |range: Range<usize>| {
            let start = self.file_start(range.start);
            start..self.file_end(range.end).max(start)
        };
        let declarations = outline.declarations.into_iter().map(|declaration| Declaration {
            name_range: range(declaration.name_range),
            range: range(declaration.range),
            signature: range(declaration.signature),
            doc: declaration.doc.map(range),
            ..declaration
        });
        SyntaxOutline { declarations: declarations.collect(), is_cut: outline.is_cut || self.is_cut, ..outline }
    }

    /// Returns the position of an offset in the file. `None` if it is in no code cell.
    pub fn position(&self, offset: usize) -> Option<CellPosition> {
        let next = self.pieces.get(self.pieces.partition_point(|piece| piece.file.end <= offset))?;
        if offset < next.file.start {
            return None;
        }
        let (cell, range) = self.to_cell(offset..offset)?;
        let before = self.cell_code(cell)?.get(..range.start)?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Some(CellPosition { cell, line, column })
    }

    /// Converts a range in the file to the cell with its start, by its number, and the range in the code of that cell.
    pub fn to_cell(&self, range: Range<usize>) -> Option<(usize, Range<usize>)> {
        let piece = self.pieces.get(self.pieces.partition_point(|piece| piece.file.end <= range.start))?;
        let inside = range.start.saturating_sub(piece.file.start);
        let start = if piece.is_equal() { piece.code.start + inside } else { piece.code.start };
        let before_end = self.pieces.partition_point(|piece| piece.file.start < range.end);
        let last = before_end.checked_sub(1).and_then(|index| self.pieces.get(index));
        let end = last.map_or(start, |last| {
            let is_inside = last.is_equal() && range.end < last.file.end;
            if is_inside { last.code.start + range.end - last.file.start } else { last.code.end }
        });
        let cell = self.cells.get(self.cells.partition_point(|cell| cell.code.end < start))?;
        let in_cell = |offset: usize| offset.clamp(cell.code.start, cell.code.end) - cell.code.start;
        Some((cell.number, in_cell(start)..in_cell(end.max(start))))
    }

    /// Returns the code of a cell.
    pub fn cell_code(&self, cell: usize) -> Option<&str> {
        let cell = self.cells.iter().find(|own| own.number == cell)?;
        self.code.get(cell.code.clone())
    }

    /// Returns the numbers of the code cells.
    pub fn cell_numbers(&self) -> impl Iterator<Item = usize> {
        self.cells.iter().map(|cell| cell.number)
    }

    /// Converts an offset in the code of a cell, at most its length, to one in the file. `None` if the cell has no code.
    pub fn file_offset(&self, cell: usize, offset: usize) -> Option<usize> {
        let cell = self.cells.iter().find(|own| own.number == cell)?;
        let code = cell.code.start + offset;
        if cell.code.is_empty() || code > cell.code.end {
            return None;
        }
        // The next piece belongs to the next cell.
        Some(if code == cell.code.end { self.file_end(code) } else { self.file_start(code) })
    }

    /// Returns the code of a range in the file, which ends in its first cell.
    pub fn code_in(&self, range: Range<usize>) -> &str {
        let code = self.to_cell(range).and_then(|(cell, range)| self.cell_code(cell)?.get(range));
        code.unwrap_or_default()
    }

    /// Returns the offset in the file at which the character at an offset in the code begins.
    fn file_start(&self, code: usize) -> usize {
        let next = self.pieces.get(self.pieces.partition_point(|piece| piece.code.end <= code));
        next.or(self.pieces.last()).map_or(0, |piece| {
            let inside = code.saturating_sub(piece.code.start);
            if piece.is_equal() { (piece.file.start + inside).min(piece.file.end) } else { piece.file.start }
        })
    }

    /// Returns the offset in the file at which the code before an offset ends.
    fn file_end(&self, code: usize) -> usize {
        let before = self.pieces.partition_point(|piece| piece.code.start < code);
        before.checked_sub(1).and_then(|index| self.pieces.get(index)).map_or(0, |piece| {
            let is_inside = piece.is_equal() && code < piece.code.end;
            if is_inside { piece.file.start + code - piece.code.start } else { piece.file.end }
        })
    }
}

impl CodePiece {
    fn is_equal(&self) -> bool {
        self.code.len() == self.file.len()
    }
}

/// Returns the language that a kernel names, such as `python`, `bash` or `C++17`.
fn language_named(name: &str) -> Option<&'static SyntaxLanguage> {
    let name = name.to_ascii_lowercase();
    let id = match name.as_str() {
        "ipython" | "python3" | "sage" | "sagemath" => "python",
        "bash" | "sh" | "zsh" => "shellscript",
        "c#" | ".net (c#)" => "csharp",
        name if name.starts_with("c++") => "cpp",
        name => name,
    };
    SyntaxLanguage::from_id(id)
}

#[cfg(test)]
mod tests;
