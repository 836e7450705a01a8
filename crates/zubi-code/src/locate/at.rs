//! The `at` form: `path:line`, `path:line:column`, `path:line text`; all 1-based, columns in characters. The path of a
//! notebook may name one of its cells, whose lines then count: `explore.ipynb cell 3:2:5`.

use zubi_base::lsp;
use zubi_base::position::{Encoding, LineCol, TextRange, TextSize, size};

use super::position_text::{PositionText, split_cell};
use super::{PositionIntent, ResolvedTarget, identifiers_hint};
use crate::error::CodeError;
use crate::location::line_text;
use crate::outline::{self, OutlineSymbol};
use crate::query::CodeQuery;
use crate::text_search;

/// The maximum distance in lines between an anchor text and the given line; models miscount by that much.
const REPAIR_LINES: u32 = 3;

/// The parts of an `at` argument after the path.
#[derive(Debug, PartialEq, Eq)]
struct Rest<'a> {
    /// 1-based.
    line: u32,
    /// 1-based, in characters.
    column: Option<u32>,
    anchor: Option<&'a str>,
}

/// Returns every way to split the argument into a path and a position, because a path may contain colons and digits.
fn splits(at: &str) -> impl Iterator<Item = (&str, Rest<'_>)> {
    at.match_indices(':').filter_map(move |(colon, _)| Some((at.get(..colon)?, rest(at.get(colon + 1..)?)?)))
}

fn rest(text: &str) -> Option<Rest<'_>> {
    let (line, tail) = number(text)?;
    let (column, tail) = match tail.strip_prefix(':').and_then(number) {
        Some((column, tail)) => (Some(column), tail),
        None => (None, tail),
    };
    if !(tail.is_empty() || tail.starts_with([' ', '\t'])) {
        return None;
    }
    let anchor = Some(tail.trim()).filter(|anchor| !anchor.is_empty());
    Some(Rest { line, column, anchor })
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}

const FORMS: &str =
    "Use at: \"src/lib.rs:12:5\" (1-based line and column) or at: \"src/lib.rs:12 fn parse\" (text of that line).";

const CELL_FORMS: &str = "Use at: \"explore.ipynb cell 3:2:5\" (line 2 and column 5 of the third cell, 1-based) or at: \"explore.ipynb cell 3:2 def fit\" (text of that line).";

impl CodeQuery<'_> {
    pub(super) async fn resolve_at(&self, at: &str, snap: PositionIntent) -> Result<ResolvedTarget, CodeError> {
        let at = at.trim();
        let mut refused = None;
        for (path, rest) in splits(at) {
            let (path, cell) = split_cell(path).map_or((path, None), |(path, cell)| (path, Some(cell)));
            match self.resolve_path(path) {
                Ok(path) => {
                    let text = self.position_text(path, cell).await?;
                    return self.resolve_rest(&text, &rest, snap).await;
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        match refused {
            Some(error) => Err(error.into()),
            None if split_cell(at).is_some() => Err(CodeError::input("at", format!("`{at}` has no line"), CELL_FORMS)),
            None => Err(CodeError::input("at", format!("`{at}` is not a place"), FORMS)),
        }
    }

    async fn resolve_rest(
        &self,
        text: &PositionText,
        rest: &Rest<'_>,
        snap: PositionIntent,
    ) -> Result<ResolvedTarget, CodeError> {
        let PositionText { display_path, document, .. } = text;
        let forms = if text.cell.is_some() { CELL_FORMS } else { FORMS };
        let lines = document.index.line_count();
        if rest.line == 0 {
            return Err(CodeError::input("at", "lines count from 1", forms));
        }
        if let Some(anchor) = rest.anchor {
            return self.resolve_anchor(text, rest, anchor, snap).await;
        }
        let line = rest.line - 1;
        if line >= lines {
            return Err(CodeError::input(
                "at",
                format!("line {} is past the end; `{display_path}` has {lines} lines", rest.line),
                "`lsp_document_symbols` shows where things are now.",
            ));
        }
        match rest.column {
            Some(0) => Err(CodeError::input("at", "columns count from 1", forms)),
            Some(column) => {
                let position = lsp::Position { line, character: column - 1 };
                let offset = document.index.from_lsp(position, Encoding::Utf32);
                self.resolve_offset(text, offset, snap)
            }
            None => self.resolve_line(text, line, snap).await,
        }
    }

    fn resolve_offset(
        &self,
        position: &PositionText,
        offset: TextSize,
        snap: PositionIntent,
    ) -> Result<ResolvedTarget, CodeError> {
        let PositionText { display_path, document, .. } = position;
        if snap == PositionIntent::Exact {
            return Ok(self.exact_target_in(position, offset, None, None));
        }
        if position.identifier_around(offset).is_some() {
            return Ok(self.target_in(position, offset, None));
        }
        // The column misses the name, but the line has only one.
        let at = document.index.line_col(offset);
        let text = line_text(&document.text, &document.index, at.line).unwrap_or_default();
        if let [only] = text_search::identifiers(text).as_slice() {
            let offset = document.index.offset(LineCol { line: at.line, col: size(only.start).into() });
            return Ok(self.target_in(position, offset, Some("column repaired".to_owned())));
        }
        Err(CodeError::input(
            "at",
            format!(
                "there is no identifier at column {} of line {}",
                crate::location::column_of(document, offset),
                at.line + 1
            ),
            identifiers_hint(document, display_path, at.line),
        ))
    }

    /// Resolves a line without a column: to the symbol declared on it, or its only identifier.
    async fn resolve_line(
        &self,
        position: &PositionText,
        line: u32,
        snap: PositionIntent,
    ) -> Result<ResolvedTarget, CodeError> {
        let PositionText { display_path, document, .. } = position;
        let text = line_text(&document.text, &document.index, line).unwrap_or_default();
        if snap == PositionIntent::Exact {
            let indentation = text.len() - text.trim_start().len();
            let offset_of = |column: usize| document.index.offset(LineCol { line, col: size(column).into() });
            let (start, end) = (offset_of(indentation), offset_of(text.trim_end().len().max(indentation)));
            let extent = TextRange::new(position.file_offset(start), position.file_offset(end));
            let target = self.exact_target_in(position, offset_of(text.len()), None, None);
            return Ok(ResolvedTarget { extent, ..target });
        }
        if let [only] = text_search::identifiers(text).as_slice() {
            let offset = document.index.offset(LineCol { line, col: size(only.start).into() });
            return Ok(self.target_in(position, offset, None));
        }
        // Without an outline (no server), the error still lists the identifiers of the line.
        if let Ok(outline) = self.declared_in(&position.path).await
            && let Some((offset, kind)) = declared_on(&outline.value, position, line)
        {
            let mut resolved = self.target_in(position, offset, None);
            resolved.kind = Some(kind);
            return Ok(resolved);
        }
        Err(CodeError::input(
            "at",
            format!("line {} declares no symbol and names several; say which", line + 1),
            identifiers_hint(document, display_path, line),
        ))
    }

    /// Resolves a line with a text, on the nearest line that contains it: to the symbol declared in the text, or the
    /// text's last identifier; for typing, to the end of the text.
    async fn resolve_anchor(
        &self,
        position: &PositionText,
        rest: &Rest<'_>,
        anchor: &str,
        snap: PositionIntent,
    ) -> Result<ResolvedTarget, CodeError> {
        let PositionText { display_path, document, .. } = position;
        let requested_line = rest.line - 1;
        let candidates = std::iter::once(requested_line).chain((1..=REPAIR_LINES).flat_map(|distance| {
            [requested_line.checked_sub(distance), requested_line.checked_add(distance)].into_iter().flatten()
        }));
        let lines: Vec<_> =
            candidates.filter_map(|line| Some((line, line_text(&document.text, &document.index, line)?))).collect();
        // `data` means the whole word, not a part of `dataclass`, even if that is nearer.
        let exact = lines.iter().find_map(|(line, text)| Some((*line, *text, text_search::find_whole(text, anchor)?)));
        let found = exact.or_else(|| lines.iter().find_map(|(line, text)| Some((*line, *text, text.find(anchor)?))));
        let Some((line, text, start)) = found else {
            let now = line_text(&document.text, &document.index, requested_line).map(crate::markup::source_line);
            let message = match now {
                Some(now) => format!(
                    "`{anchor}` is not within {REPAIR_LINES} lines of `{display_path}:{}`; that line reads `{}`",
                    rest.line,
                    now.trim()
                ),
                None => {
                    format!(
                        "`{display_path}` has {} lines, and `{anchor}` is not near its end",
                        document.index.line_count()
                    )
                }
            };
            return Err(CodeError::input(
                "at",
                message,
                "Look the place up with `lsp_document_symbols`, or give symbol: \"name\".",
            ));
        };
        let note = (line != requested_line).then(|| format!("line repaired from {}", rest.line));
        let end = start + anchor.len();
        let offset_of = |column: usize| document.index.offset(LineCol { line, col: size(column).into() });
        if snap == PositionIntent::Exact {
            let extent = TextRange::new(position.file_offset(offset_of(start)), position.file_offset(offset_of(end)));
            let target = self.exact_target_in(position, offset_of(end), None, note);
            return Ok(ResolvedTarget { extent, ..target });
        }
        let inside: Vec<_> =
            text_search::identifiers(text).into_iter().filter(|word| word.start >= start && word.end <= end).collect();
        let Some(last) = inside.last() else {
            return Err(CodeError::input(
                "at",
                format!("`{anchor}` holds no identifier"),
                identifiers_hint(document, display_path, line),
            ));
        };
        let mut resolved = self.target_in(position, offset_of(last.start), note.clone());
        if inside.len() > 1
            && let Ok(outline) = self.declared_in(&position.path).await
            && let Some((offset, kind)) = declared_on(&outline.value, position, line)
            && (offset_of(start)..offset_of(end)).contains(&offset)
        {
            resolved = self.target_in(position, offset, note);
            resolved.kind = Some(kind);
        }
        Ok(resolved)
    }
}

/// Returns the first symbol of a file whose name is on a line (0-based) of a text, with its offset there and its kind.
fn declared_on(symbols: &[OutlineSymbol], position: &PositionText, line: u32) -> Option<(TextSize, &'static str)> {
    let mut found = None;
    outline::walk(symbols, |_, symbol| {
        if found.is_none()
            && let Some(start) = position.own_offset(symbol.selection.start())
            && position.document.index.line_col(start).line == line
        {
            found = Some((start, symbol.kind));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_splits_at_each_colon_before_a_number() {
        let all =
            |at: &'static str| splits(at).map(|(path, rest)| format!("{path} {rest:?}")).collect::<Vec<_>>().join("\n");
        insta::assert_snapshot!(all("src/lib.rs:12:5"), @r#"
        src/lib.rs Rest { line: 12, column: Some(5), anchor: None }
        src/lib.rs:12 Rest { line: 5, column: None, anchor: None }
        "#);
        insta::assert_snapshot!(all("src/lib.rs:12 fn parse(a: 3)"), @r#"src/lib.rs Rest { line: 12, column: None, anchor: Some("fn parse(a: 3)") }"#);
        insta::assert_snapshot!(all("a.ipynb cell 3:2 fit"), @r#"a.ipynb cell 3 Rest { line: 2, column: None, anchor: Some("fit") }"#);
        insta::assert_snapshot!(all("src/lib.rs"), @"");
        insta::assert_snapshot!(all("a:99999999999"), @"");
    }
}
