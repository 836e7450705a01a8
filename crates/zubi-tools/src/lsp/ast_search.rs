//! `ast_search`: code with the structure of a pattern, grouped by file, with its source line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::position::{Encoding, TextRange, size};
use zubi_base::text::{ellipsize, pluralize};
use zubi_code::features::ast_search::{FileMatches, PatternMatch, PatternQuery};
use zubi_code::features::folder_outline::FileSelection;
use zubi_code::location::SourceLocation;
use zubi_code::markup::clean_line;
use zubi_code::syntax::NodeSearch;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::PagingArgs;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::{OutputBudget, location_json};

pub(crate) struct AstSearch;

/// Maximum characters of a capture in the text answer.
const MAX_CAPTURE: usize = 80;

/// A pattern with the files in which it is searched.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct PatternArgs {
    /// Code in which $NAME is any one part and $$$NAME any number of parts
    pattern: String,
    /// Default: by file names
    language: Option<String>,
    /// File, folder or pattern: src/**/*.rs; default: all
    path: Option<String>,
}

impl PatternArgs {
    pub(crate) fn query(&self, query: &CodeQuery<'_>) -> Result<PatternQuery, CodeError> {
        let search = NodeSearch { pattern: self.pattern.clone(), kind: None };
        let selection = select_files(query, self.path.as_deref())?;
        Ok(PatternQuery { search, language: self.language.clone(), selection })
    }
}

/// Selects the files of an argument; without it, all sources.
pub(crate) fn select_files(query: &CodeQuery<'_>, path: Option<&str>) -> Result<FileSelection, CodeError> {
    path.map_or(Ok(FileSelection::Workspace), |path| query.select_files(path))
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Code in which $NAME is any one part and $$$NAME any number of parts
    pattern: Option<String>,
    /// Kind of the nodes in the tree-sitter grammar
    kind: Option<String>,
    /// Default: by file names
    language: Option<String>,
    /// File, folder or pattern: src/**/*.rs; default: all
    path: Option<String>,
    /// Also list the code of each $NAME
    captures: Option<bool>,
    #[serde(flatten)]
    paging: PagingArgs,
}

/// One match in its file.
struct Row<'a> {
    file: &'a FileMatches,
    found: &'a PatternMatch,
}

impl Row<'_> {
    fn location(&self, query: &CodeQuery<'_>) -> SourceLocation {
        let range = TextRange::new(size(self.found.range.start), size(self.found.range.end));
        query.location_in(&self.file.document, &self.file.path, range)
    }

    /// Returns the captures: the metavariable with its `$`, the range and the code.
    fn captures(&self) -> impl Iterator<Item = (String, TextRange, &str)> {
        self.found.captures.iter().map(|capture| {
            let sigil = if capture.variable.is_list { "$$$" } else { "$" };
            let code = self.file.document.text.get(capture.range.clone()).unwrap_or_default();
            let range = TextRange::new(size(capture.range.start), size(capture.range.end));
            (format!("{sigil}{}", capture.variable.name), range, code)
        })
    }

    fn write(&self, text: &mut String, query: &CodeQuery<'_>, with_captures: bool) {
        let location = self.location(query);
        let source = location.source.as_deref().unwrap_or_default();
        // Writing to a `String` cannot fail.
        let _ = write!(text, "  {}:{}  {source}", location.line, location.column);
        if location.end_line > location.line {
            let _ = write!(text, "  (to line {})", location.end_line);
        }
        text.push('\n');
        if with_captures {
            for (name, _, code) in self.captures() {
                let line = clean_line(&code.split_whitespace().collect::<Vec<_>>().join(" "));
                let _ = writeln!(text, "      {name}: {}", ellipsize(&line, MAX_CAPTURE));
            }
        }
    }

    fn to_json(&self, query: &CodeQuery<'_>, with_captures: bool) -> Value {
        let mut item = location_json(&self.location(query));
        item["language"] = json!(self.file.language.id);
        if with_captures {
            let captures = self.captures().map(|(name, range, code)| {
                let range = self.file.document.index.range_to_lsp(range, Encoding::Utf16);
                (name, json!({ "range": range, "text": code }))
            });
            item["captures"] = json!(captures.collect::<BTreeMap<_, _>>());
        }
        item
    }
}

#[async_trait]
impl CodeTool for AstSearch {
    const META: ToolMeta = ToolMeta {
        id: "ast_search",
        title: "Search by structure",
        description: "Code that has the structure of a pattern, whatever its white space and comments: $A is any one part, $$$A any number, and the same name matches equal code. By syntax, in over 30 languages, without a server.",
        exposure: Exposure::Deferred,
        tags: &["structural search", "search by pattern", "ast-grep", "find calls with", "code shape"],
        example: || ("Calls of unwrap on any expression", json!({ "pattern": "$VALUE.unwrap()", "path": "src" })),
        listed: &["cursor"],
        ..CODE_TOOL
    };
    const OPERATION: &str = "search the pattern";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let kind = input.kind.as_deref().map(str::trim).filter(|kind| !kind.is_empty()).map(str::to_owned);
        if input.pattern.is_none() && kind.is_none() {
            let hint = "Give a pattern such as `$VALUE.unwrap()`, or the kind of a node such as `function_item`.";
            return Err(CodeError::input("pattern", "there is neither a pattern nor a kind", hint));
        }
        let search = NodeSearch { pattern: input.pattern.unwrap_or_default(), kind };
        let selection = select_files(query, input.path.as_deref())?;
        let answer = query.ast_search(&PatternQuery { search, language: input.language, selection }).await?;
        let result = answer.value;
        let with_captures = input.captures.unwrap_or(false);
        let rows: Vec<Row<'_>> =
            result.files.iter().flat_map(|file| file.matches.iter().map(move |found| Row { file, found })).collect();
        let list = view.list(&rows, &input.paging, |text, previous, row| {
            if previous.is_none_or(|previous| previous.file.path != row.file.path) {
                let _ = writeln!(text, "{}", clean_line(&row.file.display_path));
            }
            row.write(text, query, with_captures);
        })?;
        let (searched, languages) = (pluralize(result.searched, "file"), result.languages.join(", "));
        let mut text = match rows.len() {
            0 => format!("no match in {searched} ({languages})\n"),
            total => {
                let files = pluralize(result.files.len(), "file");
                format!("{} in {files}, of {searched} searched ({languages})\n", pluralize(total, "match"))
            }
        };
        text.push_str(&list.text);
        let data = view.data(|| {
            let shown = rows.get(list.range.clone()).unwrap_or_default();
            let items: Vec<_> = shown.iter().map(|row| row.to_json(query, with_captures)).collect();
            json!({ "items": items, "total": rows.len(), "searchedFiles": result.searched, "languages": result.languages })
        });
        Ok(CodeAnswer { text, data, status: answer.status, truncated: list.truncated })
    }
}
