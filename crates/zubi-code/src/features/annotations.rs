//! Annotations that servers add to a symbol's own definition, as editors show them: inferred types (inlay hints) and
//! the titles of commands (code lenses).

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use serde::Deserialize as _;
use serde_json::{Value, json};
use zubi_base::endpoint::{DocumentRef, EndpointError};
use zubi_base::lsp;
use zubi_base::position::{TextRange, TextSize};
use zubi_base::text::ellipsize;
use zubi_base::uri;

use crate::error::CodeError;
use crate::features::locations::Relation;
use crate::locate::ResolvedTarget;
use crate::location::line_text;
use crate::markup::{clean_line, source_line};
use crate::outline::{self, OutlineSymbol};
use crate::query::{CodeQuery, SourceDocument};
use crate::readiness::ReadinessLevel;
use crate::status::{AnswerStatus, Completeness, QualifiedAnswer};

/// The maximum number of lines for which hints are requested, because a class may span the whole file.
const MAX_LINES: u32 = 200;

/// The maximum number of characters of one hint; iterator types can fill pages.
const MAX_LABEL: usize = 80;

/// The maximum number of titles, and of lenses that are resolved for them.
const MAX_TITLES: usize = 5;

/// LSP's `InlayHintKind.Type`; the other kind names parameters.
const TYPE: u64 = 1;

/// A source line with the types that a server inferred inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InferredLine {
    /// 1-based.
    pub line: u32,
    pub text: String,
}

/// The position of a symbol's definition.
struct DefinitionSite {
    path: Utf8PathBuf,
    /// The range of the whole definition.
    range: TextRange,
    /// The offset of the name.
    name: TextSize,
}

impl CodeQuery<'_> {
    /// Returns the lines of the symbol's definition in which servers infer a type, with these types. Empty if they
    /// infer no type or the definition is outside the workspace.
    pub async fn inferred_types(&self, at: &ResolvedTarget) -> Result<QualifiedAnswer<Vec<InferredLine>>, CodeError> {
        let Some(definition) = self.own_definition(at).await? else { return Ok(nothing()) };
        let method = "textDocument/inlayHint";
        let reference = DocumentRef::new(definition.path.clone());
        let ready = self.ready_for(&reference, method, "infer types", ReadinessLevel::Project).await?;
        let document = self.document(&definition.path).await?;
        let first = document.index.line_col(definition.range.start()).line;
        let last = document.index.line_col(definition.range.end()).line.min(first.saturating_add(MAX_LINES));
        let end = document.index.line_range(last).map_or(definition.range.end(), TextRange::end);
        let range = TextRange::new(definition.range.start().min(end), end);
        let cx = self.request_cx().for_document(&reference);
        let replies = self
            .request_all(&ready, method, &cx, |endpoint| {
                let range = document.index.range_to_lsp(range, endpoint.encoding());
                json!({ "textDocument": { "uri": reference.uri() }, "range": range })
            })
            .await?;
        // By offset, so that a type that two servers infer appears once.
        let mut labels: BTreeMap<TextSize, String> = BTreeMap::new();
        for reply in &replies.replies {
            for hint in reply.result.as_array().into_iter().flatten() {
                let Some((position, label)) = type_hint(hint) else { continue };
                let offset = document.index.from_lsp(position, reply.endpoint.encoding());
                if range.contains_inclusive(offset) {
                    labels.entry(offset).or_insert(label);
                }
            }
        }
        Ok(QualifiedAnswer { value: lines_with(&document, &labels), status: replies.status })
    }

    /// Returns the titles of the lenses on the symbol's definition: "2 implementations", "Run test".
    pub async fn lens_titles(&self, at: &ResolvedTarget) -> Result<QualifiedAnswer<Vec<String>>, CodeError> {
        let Some(definition) = self.own_definition(at).await? else { return Ok(nothing()) };
        let method = "textDocument/codeLens";
        let reference = DocumentRef::new(definition.path.clone());
        let ready = self.ready_for(&reference, method, "show lenses", ReadinessLevel::Project).await?;
        let document = self.document(&definition.path).await?;
        // Attributes and comments may precede the name.
        let lines =
            document.index.line_col(definition.range.start()).line..=document.index.line_col(definition.name).line;
        let cx = self.request_cx().for_document(&reference);
        let params = json!({ "textDocument": { "uri": reference.uri() } });
        let replies = self.request_all(&ready, method, &cx, |_| params.clone()).await?;
        let mut status = replies.status;
        let mut titles = Vec::new();
        for reply in &replies.replies {
            let is_in_lines = |lens: &&Value| {
                let line = lens.pointer("/range/start/line").and_then(Value::as_u64);
                line.and_then(|line| u32::try_from(line).ok()).is_some_and(|line| lines.contains(&line))
            };
            let lenses = reply.result.as_array().into_iter().flatten().filter(is_in_lines).take(MAX_TITLES);
            for lens in lenses {
                let title = match title_of(lens) {
                    Some(title) => Some(title),
                    None => match reply.endpoint.request("codeLens/resolve", lens.clone(), &cx).await {
                        Ok(lens) => title_of(&lens),
                        // The server has no further data about this lens.
                        Err(EndpointError::Unsupported { .. }) => None,
                        Err(EndpointError::Cancelled) => return Err(EndpointError::Cancelled.into()),
                        Err(error) => {
                            status.completeness = Completeness::Partial { reason: error.to_string() };
                            None
                        }
                    },
                };
                titles.extend(title.filter(|title| !titles.contains(title)));
            }
        }
        titles.truncate(MAX_TITLES);
        Ok(QualifiedAnswer { value: titles, status })
    }

    /// Finds the definition of a symbol of the workspace in its outline.
    async fn own_definition(&self, at: &ResolvedTarget) -> Result<Option<DefinitionSite>, CodeError> {
        // A target with a kind was resolved to its declaration.
        let (path, name) = if at.kind.is_some() {
            (at.path.clone(), at.offset)
        } else {
            let found = self.locations(at, Relation::Definition).await?.value;
            let first = found.iter().find(|found| !found.external && !found.declaration);
            let Some((first, path)) = first.and_then(|first| Some((first, uri::to_path(&first.location.uri)?))) else {
                return Ok(None);
            };
            let document = self.document(&path).await?;
            (path, document.index.from_lsp(first.location.range.start, first.encoding))
        };
        // From the cache, if the target was resolved by name.
        let outline = self.declared_in(&path).await?;
        let mut innermost: Option<TextRange> = None;
        outline::walk(&outline.value, |_, symbol: &OutlineSymbol| {
            if symbol.selection.contains_inclusive(name) && symbol.range.contains_range(symbol.selection) {
                innermost = Some(symbol.range);
            }
        });
        Ok(innermost.map(|range| DefinitionSite { path, range, name }))
    }
}

fn nothing<T>() -> QualifiedAnswer<Vec<T>> {
    QualifiedAnswer { value: Vec::new(), status: AnswerStatus::default() }
}

/// Returns the position of an inferred type and the text to insert there.
fn type_hint(hint: &Value) -> Option<(lsp::Position, String)> {
    if hint.get("kind").is_some_and(|kind| kind.as_u64() != Some(TYPE)) {
        return None;
    }
    let position = lsp::Position::deserialize(hint.get("position")?).ok()?;
    let text = match hint.get("label")? {
        Value::String(label) => label.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("value")?.as_str()).collect(),
        _ => return None,
    };
    let text = clean_line(&text);
    let label = ellipsize(&text, MAX_LABEL);
    let padded = |side: &str| if hint.get(side) == Some(&Value::Bool(true)) { " " } else { "" };
    Some((position, format!("{}{label}{}", padded("paddingLeft"), padded("paddingRight"))))
}

/// Returns the lines that contain one of these offsets, with the labels inserted.
fn lines_with(document: &SourceDocument, labels: &BTreeMap<TextSize, String>) -> Vec<InferredLine> {
    let mut by_line: BTreeMap<u32, Vec<(usize, &str)>> = BTreeMap::new();
    for (offset, label) in labels {
        let position = document.index.line_col(*offset);
        by_line.entry(position.line).or_default().push((position.col as usize, label));
    }
    let mut lines = Vec::new();
    for (line, labels) in by_line {
        let Some(mut text) = line_text(&document.text, &document.index, line).map(str::to_owned) else { continue };
        for (column, label) in labels.into_iter().rev() {
            if text.is_char_boundary(column) {
                text.insert_str(column, label);
            }
        }
        lines.push(InferredLine { line: line + 1, text: source_line(text.trim()) });
    }
    lines
}

fn title_of(lens: &Value) -> Option<String> {
    let title = clean_line(lens.pointer("/command/title")?.as_str()?).trim().to_owned();
    (!title.is_empty()).then_some(title)
}
