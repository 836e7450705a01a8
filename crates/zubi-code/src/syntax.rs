//! The declarations of a file and the matches of patterns by its syntax alone, without a server: names are not resolved.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::nearest::nearest;
use zubi_base::position::{TextRange, TextSize, size};
use zubi_base::sync::lock;
use zubi_base::text::ellipsize;
use zubi_syntax::{
    Declaration, MatchError, Notebook, OutlineError, PatternMatches, PatternVariable, SyntaxLanguage, SyntaxLayout,
    SyntaxOutline, SyntaxPattern, TextExtent,
};

use crate::markup::{clean_line, join_words};
use crate::outline::OutlineSymbol;
use crate::query::{CodeQuery, SourceDocument};

/// The maximum number of characters of a signature.
const MAX_SIGNATURE: usize = 160;

/// The maximum number of kinds that an error about an unknown kind names.
const MAX_NEAR: usize = 5;

/// The maximum number of characters of an unknown kind in its error.
const MAX_KIND: usize = 40;

/// Parses texts. A grammar can end or block its process, so implementations parse in another one.
#[async_trait]
pub trait SyntaxParser: Send + Sync {
    /// Whether the language of a file is known by its name, without its directories.
    fn has_language(&self, file_name: &str) -> bool {
        SyntaxLanguage::from_file_name(file_name).is_some() || Notebook::is_notebook(file_name)
    }

    /// Returns the outline of a file's text. Its language must be known.
    async fn outline(&self, file_name: &str, text: &Arc<str>) -> Result<SyntaxOutline, SyntaxError>;

    /// Returns the errors and the multi-line strings of a text in a file's language, which must be known.
    async fn layout(&self, file_name: &str, extent: TextExtent, text: &Arc<str>) -> Result<SyntaxLayout, SyntaxError>;

    /// Returns the matches of a search in a text. An empty text only checks the search.
    async fn find_matches(
        &self,
        language: &'static SyntaxLanguage,
        search: &NodeSearch,
        text: &Arc<str>,
    ) -> Result<PatternAnswer, PatternSearchError>;
}

/// Parses in this process, for hosts that start their children without a supervisor, as tests do.
#[derive(Debug, Clone, Copy, Default)]
pub struct DirectParser;

#[async_trait]
impl SyntaxParser for DirectParser {
    async fn outline(&self, file_name: &str, text: &Arc<str>) -> Result<SyntaxOutline, SyntaxError> {
        let outline = zubi_syntax::outline_of_file(file_name, text, &|| false);
        outline.ok_or_else(|| SyntaxError::unknown(file_name))?.map_err(|error| SyntaxError(error.to_string()))
    }

    async fn layout(&self, file_name: &str, extent: TextExtent, text: &Arc<str>) -> Result<SyntaxLayout, SyntaxError> {
        let layout = zubi_syntax::layout_of_file(file_name, text, extent, &|| false);
        layout.ok_or_else(|| SyntaxError::unknown(file_name))?.map_err(|error| SyntaxError(error.to_string()))
    }

    async fn find_matches(
        &self,
        language: &'static SyntaxLanguage,
        search: &NodeSearch,
        text: &Arc<str>,
    ) -> Result<PatternAnswer, PatternSearchError> {
        find_matches_here(language, search, text, &|| false)
    }
}

/// The nodes of a tree to find: those that match a pattern, those of a kind, or those for which both apply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeSearch {
    /// The pattern; empty for every node of the kind.
    pub pattern: String,
    /// The kind of the nodes in the grammar, such as `function_item`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// The matches of a pattern in one text, and the properties of the pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PatternAnswer {
    /// The named metavariables of the pattern.
    pub variables: Vec<PatternVariable>,
    /// Texts that each match contains.
    pub literals: Vec<String>,
    pub found: PatternMatches,
}

/// The reason why a text was not searched, for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternSearchError {
    /// The pattern is invalid in the language, whatever the text.
    #[error("{0}")]
    Pattern(String),
    #[error("{0}")]
    Text(SyntaxError),
}

/// Finds the matches of a search in a text in this process; see [`SyntaxParser`].
pub fn find_matches_here(
    language: &'static SyntaxLanguage,
    search: &NodeSearch,
    text: &str,
    is_stopped: &dyn Fn() -> bool,
) -> Result<PatternAnswer, PatternSearchError> {
    let compile = || {
        SyntaxPattern::compile(language, &search.pattern)
            .map_err(|error| PatternSearchError::Pattern(error.to_string()))
    };
    let compiled = match &search.kind {
        None => compile()?,
        Some(kind) => {
            let restricted = if search.pattern.trim().is_empty() {
                SyntaxPattern::from_kind(language, kind)
            } else {
                compile()?.with_kind(kind)
            };
            restricted.ok_or_else(|| PatternSearchError::Pattern(unknown_kind(language, kind)))?
        }
    };
    let found = if text.is_empty() {
        PatternMatches::default()
    } else {
        compiled.find(text, is_stopped).map_err(|error| {
            PatternSearchError::Text(SyntaxError(match error {
                MatchError::Text(OutlineError::Stopped) => "the search took too long".to_owned(),
                error => error.to_string(),
            }))
        })?
    };
    Ok(PatternAnswer { variables: compiled.variables().to_vec(), literals: compiled.literals().to_vec(), found })
}

/// Returns the reason why a kind of node is unknown, with similar ones.
fn unknown_kind(language: &SyntaxLanguage, kind: &str) -> String {
    let known = language.node_kinds();
    let mut near = nearest(kind, known.iter().map(String::as_str), MAX_NEAR);
    if near.is_empty() {
        near = known.iter().map(String::as_str).filter(|kind| is_declaring(kind)).take(MAX_NEAR).collect();
    }
    let near = near.join(", ");
    format!("no node of {} has the kind `{}`; there are {near}", language.id, clean_line(&ellipsize(kind, MAX_KIND)))
}

/// Whether a kind of node declares something, by its name.
fn is_declaring(kind: &str) -> bool {
    ["declaration", "definition", "_item"].iter().any(|part| kind.contains(part))
}

/// The reason why a text was not parsed, for the user: `parsing took longer than 2 s`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SyntaxError(pub String);

impl SyntaxError {
    fn unknown(file_name: &str) -> Self {
        Self(format!("the language of `{file_name}` is unknown"))
    }
}

/// The maximum number of stored outlines: the files that one search by name outlines.
const MAX_STORED: usize = 64;

/// The outlines of recently parsed texts, because one call parses a file several times: to find a symbol, and to show it.
#[derive(Debug, Default)]
pub(crate) struct RecentSyntax(Mutex<VecDeque<StoredOutline>>);

#[derive(Debug)]
struct StoredOutline {
    path: Utf8PathBuf,
    text: Arc<str>,
    outline: Arc<SyntaxOutline>,
}

impl RecentSyntax {
    fn get(&self, path: &Utf8Path, text: &Arc<str>) -> Option<Arc<SyntaxOutline>> {
        let stored = lock(&self.0);
        let found = stored.iter().find(|stored| stored.path == path && stored.text == *text)?;
        Some(Arc::clone(&found.outline))
    }

    fn insert(&self, path: &Utf8Path, text: &Arc<str>, outline: &Arc<SyntaxOutline>) {
        let mut stored = lock(&self.0);
        stored.retain(|stored| stored.path != path);
        if stored.len() >= MAX_STORED {
            stored.pop_front();
        }
        stored.push_back(StoredOutline { path: path.to_owned(), text: Arc::clone(text), outline: Arc::clone(outline) });
    }
}

impl CodeQuery<'_> {
    /// Returns the declarations of a document by its syntax. Returns `None` if its language is unknown.
    pub(crate) async fn parse_outline(
        &self,
        path: &Utf8Path,
        text: &Arc<str>,
    ) -> Option<Result<Arc<SyntaxOutline>, SyntaxError>> {
        let parser = &self.intel.parser;
        let name = path.file_name().filter(|name| parser.has_language(name))?;
        if let Some(outline) = self.intel.syntax.get(path, text) {
            return Some(Ok(outline));
        }
        let outline = parser.outline(name, text).await.map(Arc::new);
        if let Ok(outline) = &outline {
            self.intel.syntax.insert(path, text, outline);
        }
        Some(outline)
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

/// Converts the outline of a text to a tree of symbols. `notebook` has the cells, if the text is that of a notebook.
pub(crate) fn to_symbols(outline: &SyntaxOutline, text: &str, notebook: Option<&Notebook>) -> Vec<OutlineSymbol> {
    let declarations = &outline.declarations;
    let mut children: Vec<Vec<OutlineSymbol>> = declarations.iter().map(|_| Vec::new()).collect();
    let mut roots = Vec::new();
    // A declaration follows its parent, so its own members are complete before it is moved to its parent.
    for (index, declaration) in declarations.iter().enumerate().rev() {
        let mut own = children.get_mut(index).map(std::mem::take).unwrap_or_default();
        own.reverse();
        let symbol = to_symbol(declaration, text, notebook, own);
        match declaration.parent.and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(symbol),
            None => roots.push(symbol),
        }
    }
    roots.reverse();
    roots
}

fn to_symbol(
    declaration: &Declaration,
    text: &str,
    notebook: Option<&Notebook>,
    children: Vec<OutlineSymbol>,
) -> OutlineSymbol {
    OutlineSymbol {
        name: declaration.name.clone(),
        kind: declaration.kind.lsp_name(),
        detail: signature_after_name(declaration, text, notebook),
        range: range_of(&declaration.range),
        selection: range_of(&declaration.name_range),
        children,
    }
}

/// Returns the part of a function's signature after its name on one line: `(self, count: int) -> float`.
fn signature_after_name(declaration: &Declaration, text: &str, notebook: Option<&Notebook>) -> Option<String> {
    if !matches!(declaration.kind.lsp_name(), "function" | "method" | "constructor") {
        return None;
    }
    let range = declaration.name_range.end..declaration.signature.end;
    let rest = match notebook {
        Some(notebook) => notebook.code_in(range),
        None => text.get(range)?,
    };
    let line = join_words(rest.trim_end().trim_end_matches("=>").trim_end_matches(['{', ':', ';', '=']), MAX_SIGNATURE);
    (!line.is_empty()).then_some(line)
}

fn range_of(range: &std::ops::Range<usize>) -> TextRange {
    TextRange::new(size(range.start), TextSize::max(size(range.start), size(range.end)))
}
