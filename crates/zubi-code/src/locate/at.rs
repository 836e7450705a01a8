//! The `at` form: `path:line`, `path:line:column`, `path:line text`; all 1-based, columns in characters.

use camino::Utf8PathBuf;
use zubi_base::lsp;
use zubi_base::position::{Encoding, LineCol, TextSize, size};

use super::{PositionIntent, ResolvedTarget, identifier_around, identifiers_hint};
use crate::error::CodeError;
use crate::location::line_text;
use crate::outline::{self, OutlineSymbol};
use crate::query::{CodeQuery, SourceDocument};
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

impl CodeQuery<'_> {
    pub(super) async fn resolve_at(&self, at: &str, snap: PositionIntent) -> Result<ResolvedTarget, CodeError> {
        let at = at.trim();
        let mut refused = None;
        for (path, rest) in splits(at) {
            match self.resolve_path(path) {
                Ok(path) => return self.resolve_rest(path, &rest, snap).await,
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        match refused {
            Some(error) => Err(error.into()),
            None => Err(CodeError::input("at", format!("`{at}` is not a place"), FORMS)),
        }
    }

    async fn resolve_rest(
        &self,
        path: Utf8PathBuf,
        rest: &Rest<'_>,
        snap: PositionIntent,
    ) -> Result<ResolvedTarget, CodeError> {
        let document = self.document(&path).await?;
        let display_path = self.workspace().display(&path);
        let lines = document.index.line_count();
        if rest.line == 0 {
            return Err(CodeError::input("at", "lines count from 1", FORMS));
        }
        if let Some(anchor) = rest.anchor {
            return self.resolve_anchor(path, &document, rest, anchor, snap).await;
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
            Some(0) => Err(CodeError::input("at", "columns count from 1", FORMS)),
            Some(column) => {
                let position = lsp::Position { line, character: column - 1 };
                let offset = document.index.from_lsp(position, Encoding::Utf32);
                self.resolve_offset(path, &document, offset, snap)
            }
            None => self.resolve_line(path, &document, line, snap).await,
        }
    }

    fn resolve_offset(
        &self,
        path: Utf8PathBuf,
        document: &SourceDocument,
        offset: TextSize,
        snap: PositionIntent,
    ) -> Result<ResolvedTarget, CodeError> {
        if snap == PositionIntent::Exact {
            return Ok(self.resolved_exactly(path, document, offset, None, None));
        }
        if identifier_around(document, offset).is_some() {
            return Ok(self.resolved_target(path, document, offset, None));
        }
        // The column misses the name, but the line has only one.
        let at = document.index.line_col(offset);
        let text = line_text(&document.text, &document.index, at.line).unwrap_or_default();
        if let [only] = text_search::identifiers(text).as_slice() {
            let offset = document.index.offset(LineCol { line: at.line, col: size(only.start).into() });
            return Ok(self.resolved_target(path, document, offset, Some("column repaired".to_owned())));
        }
        let display_path = self.workspace().display(&path);
        Err(CodeError::input(
            "at",
            format!(
                "there is no identifier at column {} of line {}",
                crate::location::column_of(document, offset),
                at.line + 1
            ),
            identifiers_hint(document, &display_path, at.line),
        ))
    }

    /// Resolves a line without a column: to the symbol declared on it, or its only identifier.
    async fn resolve_line(
        &self,
        path: Utf8PathBuf,
        document: &SourceDocument,
        line: u32,
        snap: PositionIntent,
    ) -> Result<ResolvedTarget, CodeError> {
        let text = line_text(&document.text, &document.index, line).unwrap_or_default();
        if snap == PositionIntent::Exact {
            let offset = document.index.offset(LineCol { line, col: size(text.len()).into() });
            return Ok(self.resolved_exactly(path, document, offset, None, None));
        }
        if let [only] = text_search::identifiers(text).as_slice() {
            let offset = document.index.offset(LineCol { line, col: size(only.start).into() });
            return Ok(self.resolved_target(path, document, offset, None));
        }
        // Without an outline (no server), the error still lists the identifiers of the line.
        if let Ok(outline) = self.declared_in(&path).await
            && let Some((offset, kind)) = declared_on(&outline.value, document, line)
        {
            let mut resolved = self.resolved_target(path, document, offset, None);
            resolved.kind = Some(kind);
            return Ok(resolved);
        }
        let display_path = self.workspace().display(&path);
        Err(CodeError::input(
            "at",
            format!("line {} declares no symbol and names several; say which", line + 1),
            identifiers_hint(document, &display_path, line),
        ))
    }

    /// Resolves a line with a text, on the nearest line that contains it: to the symbol declared in the text, or the
    /// text's last identifier; for typing, to the end of the text.
    async fn resolve_anchor(
        &self,
        path: Utf8PathBuf,
        document: &SourceDocument,
        rest: &Rest<'_>,
        anchor: &str,
        snap: PositionIntent,
    ) -> Result<ResolvedTarget, CodeError> {
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
            let display_path = self.workspace().display(&path);
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
            return Ok(self.resolved_exactly(path, document, offset_of(end), None, note));
        }
        let inside: Vec<_> =
            text_search::identifiers(text).into_iter().filter(|word| word.start >= start && word.end <= end).collect();
        let Some(last) = inside.last() else {
            let display_path = self.workspace().display(&path);
            return Err(CodeError::input(
                "at",
                format!("`{anchor}` holds no identifier"),
                identifiers_hint(document, &display_path, line),
            ));
        };
        let mut resolved = self.resolved_target(path.clone(), document, offset_of(last.start), note.clone());
        if inside.len() > 1
            && let Ok(outline) = self.declared_in(&path).await
            && let Some((offset, kind)) = declared_on(&outline.value, document, line)
            && (offset_of(start)..offset_of(end)).contains(&offset)
        {
            resolved = self.resolved_target(path, document, offset, note);
            resolved.kind = Some(kind);
        }
        Ok(resolved)
    }
}

/// Returns the first symbol whose name is on a line (0-based), and its kind.
fn declared_on(symbols: &[OutlineSymbol], document: &SourceDocument, line: u32) -> Option<(TextSize, &'static str)> {
    let mut found = None;
    outline::walk(symbols, |_, symbol| {
        if found.is_none() && document.index.line_col(symbol.selection.start()).line == line {
            found = Some((symbol.selection.start(), symbol.kind));
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
        insta::assert_snapshot!(all("src/lib.rs"), @"");
        insta::assert_snapshot!(all("a:99999999999"), @"");
    }
}
