//! The source of a symbol by its name: its lines, without a request for the file.
//!
//! The servers or the syntax find the symbol. Its parts (comment, annotations, signature, body) come from the syntax,
//! because servers return one range for all of them, and they differ in what it contains.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials;
use zubi_base::position::{TextRange, TextSize, size};
use zubi_syntax::{Declaration, Notebook, SyntaxOutline};

use crate::error::CodeError;
use crate::locate::{Candidate, PositionIntent, TargetInput, join_segments};
use crate::outline::{self, OutlineSymbol};
use crate::query::{CodeQuery, SourceDocument};
use crate::status::{AnswerSource, AnswerStatus, QualifiedAnswer};

/// The part of a symbol's source to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourcePart {
    /// Everything, but only the signatures of a type's functions.
    #[default]
    Summary,
    Signature,
    /// The comment or documentation string.
    Doc,
    /// The declaration with its annotations, without the comment before it.
    Body,
    /// The comment and the declaration.
    All,
}

/// The source of one declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolSource {
    /// The path as answers show it; with the cell, as in `explore.ipynb cell 3`, if the lines are those of a cell.
    pub display_path: String,
    pub name: String,
    pub kind: &'static str,
    pub lines: Vec<SourceLine>,
}

/// A line of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceLine {
    /// A line of the file with its number, 1-based.
    Shown { number: u32, text: String },
    /// The number of lines that are left out here.
    Omitted(u32),
}

/// The position of a declaration to show or to change.
pub(super) struct DeclarationPosition {
    pub(super) path: Utf8PathBuf,
    /// The text that the target names: the declaration's name, a line, or a position in it.
    pub(super) extent: TextRange,
    /// Whether the extent is the name of the declaration, and not somewhere in it.
    pub(super) is_name: bool,
}

/// The ranges of a declaration's parts, in bytes.
struct Parts {
    name: String,
    kind: &'static str,
    range: Range<usize>,
    /// `None` if only the server knows the declaration.
    signature: Option<Range<usize>>,
    doc: Option<Range<usize>>,
    /// The bodies of the functions in it.
    bodies: Vec<Range<usize>>,
}

impl CodeQuery<'_> {
    /// Returns the sources of all declarations that a target names: overloads together. A position means the innermost
    /// declaration around it.
    pub async fn symbol_sources(
        &self,
        target: &TargetInput,
        part: SourcePart,
    ) -> Result<QualifiedAnswer<Vec<SymbolSource>>, CodeError> {
        let (positions, mut status, note) = self.declared_at(target).await?;
        status.notes.extend(note);
        let mut sources = Vec::new();
        let mut shown: Vec<(Utf8PathBuf, usize)> = Vec::new();
        for position in positions {
            let path = &position.path;
            let display_path = self.workspace().display(path);
            if credentials::is_credential_path(path) {
                return Err(CodeError::input(
                    "symbol",
                    format!("it is declared in `{display_path}`, where credentials may be stored"),
                    "zubi does not show such files.",
                ));
            }
            let document = self.document(path).await?;
            let parsed = self.parse_outline(path, &document.text).await.and_then(Result::ok);
            let named =
                parsed.as_ref().and_then(|outline| Some((outline, find_declaration(outline, &position, false)?)));
            let parts: Vec<Parts> = match named {
                Some((outline, index)) => {
                    if status.endpoints.is_empty() {
                        status.merge(AnswerStatus::from_source(AnswerSource::Syntax, Vec::new()));
                    }
                    let mut indices = vec![index];
                    if target.at.is_none() {
                        indices.extend(find_overloads(outline, &indices));
                        indices.sort_unstable();
                    }
                    indices.retain(|index| {
                        let is_shown = shown.iter().any(|(file, known)| file == path && known == index);
                        shown.push((path.clone(), *index));
                        !is_shown
                    });
                    indices.into_iter().filter_map(|index| parts_by_syntax(outline, index)).collect()
                }
                // A server knows declarations that the syntax does not show: expanded macros, attributes of `self`.
                None => {
                    let outline = self.declared_in(path).await?;
                    status.merge(outline.status.clone());
                    let found = parts_by_server(&outline.value, position.extent.start());
                    let missing = || match &target.symbol {
                        Some(symbol) => not_declared_error(symbol, &display_path),
                        None => no_declaration_at(&display_path),
                    };
                    vec![found.ok_or_else(missing)?]
                }
            };
            sources.extend(parts.into_iter().map(|parts| parts.into_source(part, &display_path, &document, path)));
        }
        Ok(QualifiedAnswer { value: sources, status })
    }

    /// Returns the positions of the declarations that a target names, the status, and the choice that zubi made.
    pub(super) async fn declared_at(
        &self,
        target: &TargetInput,
    ) -> Result<(Vec<DeclarationPosition>, AnswerStatus, Option<String>), CodeError> {
        if let (Some(symbol), None) = (&target.symbol, &target.at) {
            let (found, status, note) = self.resolve_declarations(symbol, target.path.as_deref()).await?;
            if !found.is_empty() {
                let position = |one: Candidate| DeclarationPosition {
                    path: one.path,
                    extent: TextRange::empty(one.selection.start()),
                    is_name: true,
                };
                return Ok((found.into_iter().map(position).collect(), status, note));
            }
        }
        let resolved = self.resolve(target, PositionIntent::Exact).await?;
        let is_name = target.symbol.is_some();
        let position = DeclarationPosition { path: resolved.path, extent: resolved.extent, is_name };
        Ok((vec![position], resolved.status, resolved.note))
    }
}

impl Parts {
    fn into_source(
        self,
        part: SourcePart,
        display_path: &str,
        document: &SourceDocument,
        path: &Utf8Path,
    ) -> SymbolSource {
        let cell = document.notebook(path).and_then(|notebook| self.in_cell(notebook));
        let (display_path, lines) = match cell {
            Some((cell, code, parts)) => (format!("{display_path} cell {cell}"), parts.lines(part, &code)),
            None => (display_path.to_owned(), self.lines(part, document)),
        };
        SymbolSource { display_path, name: self.name, kind: self.kind, lines }
    }

    /// Converts the parts of a declaration in a notebook to those in its cell. Also returns the number and the code of the
    /// cell.
    fn in_cell(&self, notebook: &Notebook) -> Option<(usize, SourceDocument, Self)> {
        let (cell, range) = notebook.to_cell(self.range.clone())?;
        let convert = |range: &Range<usize>| notebook.to_cell(range.clone()).map(|(_, range)| range);
        let parts = Self {
            name: self.name.clone(),
            kind: self.kind,
            range,
            signature: self.signature.as_ref().and_then(convert),
            doc: self.doc.as_ref().and_then(convert),
            bodies: self.bodies.iter().filter_map(convert).collect(),
        };
        Some((cell, SourceDocument::new(notebook.cell_code(cell)?.into(), false), parts))
    }

    fn lines(&self, part: SourcePart, document: &SourceDocument) -> Vec<SourceLine> {
        let line = |offset: usize| document.index.line_col(size(offset)).line;
        let lines_of = |range: &Range<usize>| line(range.start)..line(range.end.max(range.start + 1) - 1) + 1;
        // The line in which the signature ends is shown, even if the body begins in it.
        // Neither is a last line hidden that continues after the body: `} stop() {`.
        let ends_line = |body: &Range<usize>| {
            let rest = document.text.get(body.end..).and_then(|rest| rest.lines().next()).unwrap_or_default();
            !rest.contains(|character: char| character.is_alphanumeric() || character == '_')
        };
        let body_lines = |body: &Range<usize>| {
            let end = lines_of(body).end - u32::from(!ends_line(body));
            (line(body.start.max(1) - 1) + 1).min(end)..end
        };
        let whole = lines_of(&self.range);
        let with_doc = self.doc.as_ref().map_or(whole.start, |doc| whole.start.min(line(doc.start)))..whole.end;
        let (shown, hidden): (Range<u32>, Vec<Range<u32>>) = match part {
            SourcePart::All => (with_doc, Vec::new()),
            SourcePart::Body => (whole, Vec::new()),
            SourcePart::Signature => {
                (self.signature.as_ref().map_or(whole.start..whole.start + 1, lines_of), Vec::new())
            }
            SourcePart::Doc => (self.doc.as_ref().map_or(0..0, lines_of), Vec::new()),
            SourcePart::Summary => (with_doc, self.bodies.iter().map(body_lines).collect()),
        };
        let texts: Vec<&str> = document.text.lines().collect();
        let mut lines = Vec::new();
        let mut at = shown.start;
        while at < shown.end {
            // One line takes no more than its omission.
            match hidden.iter().find(|hidden| hidden.start == at && hidden.len() > 1) {
                Some(hidden) => {
                    lines.push(SourceLine::Omitted(hidden.end - at));
                    at = hidden.end;
                }
                None => {
                    let text = texts.get(at as usize).copied().unwrap_or_default().to_owned();
                    lines.push(SourceLine::Shown { number: at + 1, text });
                    at += 1;
                }
            }
        }
        lines
    }
}

/// Returns the error for a symbol that a server reports in a file which only uses it, as in an import.
fn not_declared_error(symbol: &str, display_path: &str) -> CodeError {
    CodeError::input(
        "symbol",
        format!("`{symbol}` is used in `{display_path}`, but not declared there"),
        "Omit `path`, or give the file that declares it.",
    )
}

/// Returns the error for a position outside all declarations.
pub(super) fn no_declaration_at(display_path: &str) -> CodeError {
    CodeError::input(
        "at",
        format!("no declaration of `{display_path}` contains it"),
        format!("`lsp_document_symbols` lists what `{display_path}` declares."),
    )
}

/// Returns the index of the declaration that a position means: the one whose name is there, for a line the one that it
/// declares, else the innermost one around it. A line in a function that declares a local variable means the variable only
/// with `includes_locals`.
pub(super) fn find_declaration(
    outline: &SyntaxOutline,
    position: &DeclarationPosition,
    includes_locals: bool,
) -> Option<usize> {
    let (start, end) = (usize::from(position.extent.start()), usize::from(position.extent.end()));
    let all = &outline.declarations;
    let named = all.iter().position(|it| it.name_range.start <= start && end <= it.name_range.end);
    if position.is_name || named.is_some() {
        return named;
    }
    let contains = |it: &Declaration| {
        let from = it.doc.as_ref().map_or(it.range.start, |doc| doc.start.min(it.range.start));
        from <= start && end <= it.range.end
    };
    let declared = declared_in_extent(outline, position);
    // A line in the body of a function means the function, although it may declare a variable.
    let is_local = |index: &usize| {
        let above = std::iter::successors(all.get(*index), |it| all.get(it.parent?)).skip(1);
        above.into_iter().any(|it| it.kind.is_callable())
    };
    let found = declared.into_iter().find(|index| includes_locals || !is_local(index));
    found.or_else(|| all.iter().rposition(contains))
}

/// Returns the indices of the declarations whose names are in the text that a position names, without those inside one
/// another.
pub(super) fn declared_in_extent(outline: &SyntaxOutline, position: &DeclarationPosition) -> Vec<usize> {
    let (start, end) = (usize::from(position.extent.start()), usize::from(position.extent.end()));
    let all = &outline.declarations;
    let is_named = |it: &Declaration| start <= it.name_range.start && it.name_range.end <= end;
    let is_outermost = |it: &Declaration| {
        !all.iter().any(|outer| {
            is_named(outer)
                && outer.range != it.range
                && outer.range.start <= it.range.start
                && it.range.end <= outer.range.end
        })
    };
    let found = all.iter().enumerate().filter(|(_, it)| is_named(it) && is_outermost(it));
    found.map(|(index, _)| index).collect()
}

/// Returns the declarations directly before and after the found ones that have the same name in the same scope: a server
/// may report only one of several overloads.
pub(super) fn find_overloads(outline: &SyntaxOutline, found: &[usize]) -> Vec<usize> {
    let Some((index, first)) = found.first().and_then(|index| Some((*index, outline.declarations.get(*index)?))) else {
        return Vec::new();
    };
    let siblings: Vec<usize> = (0..outline.declarations.len())
        .filter(|other| outline.declarations.get(*other).is_some_and(|other| other.parent == first.parent))
        .collect();
    let is_same = |other: &&usize| outline.declarations.get(**other).is_some_and(|other| other.name == first.name);
    let at = siblings.iter().position(|sibling| *sibling == index).unwrap_or_default();
    let (before, after) = siblings.split_at(at);
    before.iter().rev().take_while(is_same).chain(after.iter().take_while(is_same)).copied().collect()
}

fn parts_by_syntax(outline: &SyntaxOutline, index: usize) -> Option<Parts> {
    let all = &outline.declarations;
    let found = all.get(index)?;
    let is_inside = |it: &&Declaration| {
        found.range.start <= it.range.start && it.range.end <= found.range.end && it.name_range != found.name_range
    };
    let functions = all.iter().filter(is_inside).filter(|it| it.kind.is_callable() && !found.kind.is_callable());
    let bodies = functions.map(|it| it.signature.end..it.range.end).collect();
    Some(Parts {
        name: join_segments(&outline.above(index), &found.name),
        kind: found.kind.lsp_name(),
        range: found.range.clone(),
        signature: Some(found.signature.clone()),
        doc: found.doc.clone(),
        bodies,
    })
}

fn parts_by_server(symbols: &[OutlineSymbol], offset: TextSize) -> Option<Parts> {
    let mut found = None;
    outline::walk(symbols, |above, symbol| {
        if symbol.range.contains_inclusive(offset) {
            let names: Vec<&str> = above.iter().map(|above| above.name.as_str()).collect();
            found = Some(Parts {
                name: join_segments(&names, &symbol.name),
                kind: symbol.kind,
                range: symbol.range.start().into()..symbol.range.end().into(),
                signature: None,
                doc: None,
                bodies: Vec::new(),
            });
        }
    });
    found
}
