//! The source of a symbol by its name: its lines, without a request for the file.
//!
//! The servers or the syntax find the symbol. Its parts (comment, annotations, signature, body) come from the syntax,
//! because servers return one range for all of them, and they differ in what it contains.

use std::ops::Range;

use camino::Utf8PathBuf;
use zubi_base::position::{TextSize, size};
use zubi_syntax::{Declaration, DeclarationKind, SyntaxOutline};

use crate::error::CodeError;
use crate::locate::{NamePath, PositionIntent, TargetInput};
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

/// A declaration to show.
struct Place {
    path: Utf8PathBuf,
    /// The start of the name, or a position in the declaration.
    offset: TextSize,
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
        let (places, mut status) = self.declared_at(target).await?;
        let mut sources = Vec::new();
        for Place { path, offset } in places {
            let document = self.document(&path).await?;
            let display_path = self.workspace().display(&path);
            let parsed = self.parse_outline(&path, &document.text).await.and_then(Result::ok);
            let parts = match parsed.and_then(|outline| parts_by_syntax(&outline, offset)) {
                Some(parts) => {
                    if status.endpoints.is_empty() {
                        status.merge(AnswerStatus::from_source(AnswerSource::Syntax, Vec::new()));
                    }
                    parts
                }
                None => {
                    let outline = self.declared_in(&path).await?;
                    status.merge(outline.status.clone());
                    parts_by_server(&outline.value, offset).ok_or_else(|| {
                        CodeError::input(
                            "position",
                            format!("no declaration of `{display_path}` contains it"),
                            format!("`lsp_document_symbols` lists what `{display_path}` declares."),
                        )
                    })?
                }
            };
            let lines = parts.lines(part, &document);
            sources.push(SymbolSource { display_path, name: parts.name, kind: parts.kind, lines });
        }
        Ok(QualifiedAnswer { value: sources, status })
    }

    async fn declared_at(&self, target: &TargetInput) -> Result<(Vec<Place>, AnswerStatus), CodeError> {
        if let (Some(symbol), None) = (&target.symbol, &target.at)
            && let Some(name_path) = NamePath::parse(symbol)
        {
            let scope = target.path.as_deref().map(|path| self.resolve_path(path)).transpose()?;
            let (found, status, _) = self.matching_symbols(&name_path, scope.as_deref()).await?;
            let is_same = |other: &crate::locate::Candidate| {
                found.first().is_some_and(|first| first.path == other.path && first.name_path == other.name_path)
            };
            // Overloads have one name path in one file. One symbol, none and different ones are as for other tools.
            if found.len() > 1 && found.iter().all(is_same) {
                let places = found.iter().map(|one| Place { path: one.path.clone(), offset: one.selection.start() });
                return Ok((places.collect(), status));
            }
        }
        let resolved = self.resolve(target, PositionIntent::Exact).await?;
        Ok((vec![Place { path: resolved.path, offset: resolved.offset }], resolved.status))
    }
}

impl Parts {
    fn lines(&self, part: SourcePart, document: &SourceDocument) -> Vec<SourceLine> {
        let line = |offset: usize| document.index.line_col(size(offset)).line;
        let lines_of = |range: &Range<usize>| line(range.start)..line(range.end.max(range.start + 1) - 1) + 1;
        // The line in which the signature ends is shown, even if the body begins in it.
        let body_lines = |body: &Range<usize>| line(body.start.max(1) - 1) + 1..lines_of(body).end;
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

fn parts_by_syntax(outline: &SyntaxOutline, offset: TextSize) -> Option<Parts> {
    let (offset, all) = (usize::from(offset), &outline.declarations);
    let contains = |range: &Range<usize>| range.start <= offset && offset < range.end;
    let named = all.iter().position(|it| it.name_range.start <= offset && offset <= it.name_range.end);
    let index = named.or_else(|| all.iter().rposition(|it| contains(&it.range)))?;
    let found = all.get(index)?;
    let is_callable = |it: &Declaration| {
        matches!(it.kind, DeclarationKind::Function | DeclarationKind::Method | DeclarationKind::Constructor)
    };
    let is_inside = |it: &&Declaration| {
        found.range.start <= it.range.start && it.range.end <= found.range.end && it.name_range != found.name_range
    };
    let functions = all.iter().filter(is_inside).filter(|it| is_callable(it) && !is_callable(found));
    let bodies = functions.map(|it| it.signature.end..it.range.end).collect();
    Some(Parts {
        name: outline.above(index).into_iter().chain([found.name.as_str()]).collect::<Vec<_>>().join("/"),
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
            let names = above.iter().map(|above| above.name.as_str()).chain([symbol.name.as_str()]);
            found = Some(Parts {
                name: names.collect::<Vec<_>>().join("/"),
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
