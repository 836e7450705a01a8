//! The declarations of a file by its syntax alone, without a server: names are not resolved.

use std::sync::Arc;

use async_trait::async_trait;
use camino::Utf8Path;
use zubi_base::position::{TextRange, TextSize, size};
use zubi_syntax::{Declaration, SyntaxLanguage, SyntaxOutline};

use crate::outline::OutlineSymbol;
use crate::query::{CodeQuery, SourceDocument};

/// The maximum number of characters of a signature.
const MAX_SIGNATURE: usize = 160;

/// Parses texts. A grammar can end or block its process, so implementations parse in another one.
#[async_trait]
pub trait SyntaxParser: Send + Sync {
    /// Whether the language of a file is known by its name, without its directories.
    fn has_language(&self, file_name: &str) -> bool {
        SyntaxLanguage::from_file_name(file_name).is_some()
    }

    /// Returns the outline of a file's text. Its language must be known.
    async fn outline(&self, file_name: &str, text: &Arc<str>) -> Result<SyntaxOutline, SyntaxError>;
}

/// Parses in this process, for hosts that start their children without a supervisor, as tests do.
#[derive(Debug, Clone, Copy, Default)]
pub struct DirectParser;

#[async_trait]
impl SyntaxParser for DirectParser {
    async fn outline(&self, file_name: &str, text: &Arc<str>) -> Result<SyntaxOutline, SyntaxError> {
        let outline = zubi_syntax::outline_of_file(file_name, text, &|| false);
        let unknown = || SyntaxError(format!("the language of `{file_name}` is unknown"));
        outline.ok_or_else(unknown)?.map_err(|error| SyntaxError(error.to_string()))
    }
}

/// The reason why a text has no outline, for the user: `parsing took longer than 2 s`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SyntaxError(pub String);

impl CodeQuery<'_> {
    /// Returns the declarations of a document by its syntax. Returns `None` if its language is unknown.
    pub(crate) async fn parse_outline(
        &self,
        path: &Utf8Path,
        text: &Arc<str>,
    ) -> Option<Result<SyntaxOutline, SyntaxError>> {
        let parser = &self.intel.parser;
        let name = path.file_name().filter(|name| parser.has_language(name))?;
        Some(parser.outline(name, text).await)
    }

    /// Returns the ranges of the names that a document declares, or none if it has no outline.
    pub(crate) async fn declared_ranges(
        &self,
        path: &Utf8Path,
        document: &SourceDocument,
        name: &str,
    ) -> Vec<TextRange> {
        let Some(Ok(outline)) = self.parse_outline(path, &document.text).await else { return Vec::new() };
        let names = outline.declarations.iter().map(|declaration| range_of(&declaration.name_range));
        names.filter(|range| document.text.get(std::ops::Range::<usize>::from(*range)) == Some(name)).collect()
    }
}

/// Converts an outline to a tree of symbols.
pub(crate) fn to_symbols(outline: &SyntaxOutline, text: &str) -> Vec<OutlineSymbol> {
    let declarations = &outline.declarations;
    let mut children: Vec<Vec<OutlineSymbol>> = declarations.iter().map(|_| Vec::new()).collect();
    let mut roots = Vec::new();
    // A declaration follows its parent, so its own members are complete before it is moved to its parent.
    for (index, declaration) in declarations.iter().enumerate().rev() {
        let mut own = children.get_mut(index).map(std::mem::take).unwrap_or_default();
        own.reverse();
        let symbol = to_symbol(declaration, text, own);
        match declaration.parent.and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(symbol),
            None => roots.push(symbol),
        }
    }
    roots.reverse();
    roots
}

fn to_symbol(declaration: &Declaration, text: &str, children: Vec<OutlineSymbol>) -> OutlineSymbol {
    OutlineSymbol {
        name: declaration.name.clone(),
        kind: declaration.kind.lsp_name(),
        detail: signature_after_name(declaration, text),
        range: range_of(&declaration.range),
        selection: range_of(&declaration.name_range),
        children,
    }
}

/// Returns the part of a function's signature after its name on one line: `(self, count: int) -> float`.
fn signature_after_name(declaration: &Declaration, text: &str) -> Option<String> {
    if !matches!(declaration.kind.lsp_name(), "function" | "method" | "constructor") {
        return None;
    }
    let rest = text.get(declaration.name_range.end..declaration.signature.end)?;
    let line = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches(['{', ':', ';', '=']).trim();
    let shown: String = line.chars().take(MAX_SIGNATURE).collect();
    (!shown.is_empty()).then(|| if shown.len() < line.len() { format!("{shown}…") } else { shown })
}

fn range_of(range: &std::ops::Range<usize>) -> TextRange {
    TextRange::new(size(range.start), TextSize::max(size(range.start), size(range.end)))
}
