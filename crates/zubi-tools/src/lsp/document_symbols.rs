//! `lsp_document_symbols`: the declarations of a file, as an indented outline.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::position::Encoding;
use zubi_base::text::pluralize;
use zubi_code::outline::{self, OutlineSymbol};
use zubi_code::{CodeError, CodeQuery};

use crate::adapter::ToolMeta;
use crate::lsp::arguments::PagingArgs;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::OutputBudget;

pub(crate) struct DocumentSymbols;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// File
    #[schemars(extend("x-plain" = true))]
    path: Option<String>,
    /// The file as file:// URI
    #[schemars(extend("x-plain" = true))]
    uri: Option<String>,
    /// Levels, default all
    depth: Option<u32>,
    #[serde(flatten)]
    paging: PagingArgs,
}

/// Resolves the file argument of a tool on one whole file.
pub(crate) fn resolve_file(
    query: &CodeQuery<'_>,
    path: Option<&str>,
    uri: Option<&str>,
) -> Result<camino::Utf8PathBuf, CodeError> {
    let argument = match (path, uri) {
        (Some(path_or_uri), None) | (None, Some(path_or_uri)) => path_or_uri,
        (None, None) => return Err(CodeError::input("path", "missing", "Pass path: \"src/lib.rs\".")),
        (Some(_), Some(_)) => {
            return Err(CodeError::input("path", "both `path` and `uri` are set", "Pass only one of them."));
        }
    };
    let path = query.resolve_path(argument)?;
    if path.is_dir() {
        return Err(CodeError::input(
            "path",
            format!("`{argument}` is a directory"),
            "Name a file; `lsp_workspace_symbols` searches all files.",
        ));
    }
    Ok(path)
}

/// One line of the outline.
struct OutlineRow<'a> {
    depth: usize,
    symbol: &'a OutlineSymbol,
}

#[async_trait]
impl CodeTool for DocumentSymbols {
    const META: ToolMeta = ToolMeta {
        id: "lsp_document_symbols",
        title: "Outline of a file",
        description: "Declarations of a file: an indented outline with kind, name and lines of each symbol. Before reading parts of a large file.",
        tags: &["outline", "structure", "symbols in file"],
        example: || ("Outline a file, classes and their members", json!({ "path": "src/console.py", "depth": 2 })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "outline the file";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let path = resolve_file(query, input.path.as_deref(), input.uri.as_deref())?;
        let answer = query.outline(&path).await?;
        let depth = input.depth.map_or(usize::MAX, |depth| depth.max(1) as usize);
        let mut rows = Vec::new();
        outline::walk(&answer.value, |parents, symbol| {
            if parents.len() < depth {
                rows.push(OutlineRow { depth: parents.len(), symbol });
            }
        });
        let document = query.document(&path).await?;
        // 1-based lines of the name and of the end of the declaration.
        let lines = |symbol: &OutlineSymbol| {
            let line = |offset| document.index.line_col(offset).line + 1;
            (line(symbol.selection.start()), line(symbol.range.end()))
        };
        let list = view.list(&rows, &input.paging, |text, _, OutlineRow { depth, symbol }| {
            let _ = write!(text, "{}{} {}", "  ".repeat(depth + 1), symbol.kind, symbol.name);
            if let Some(detail) = &symbol.detail {
                let _ = write!(text, " {}", zubi_code::markup::source_line(detail));
            }
            let (first, last) = lines(symbol);
            let _ = if last > first { writeln!(text, "  {first}-{last}") } else { writeln!(text, "  {first}") };
        })?;
        let display_path = query.workspace().display(&path);
        let mut text = match rows.len() {
            0 => format!("no declarations in `{display_path}`\n"),
            total => format!("{} in `{display_path}`\n", pluralize(total, "symbol")),
        };
        text.push_str(&list.text);
        let data = view.data(|| {
            let item = |OutlineRow { depth, symbol }: &OutlineRow<'_>| {
                let range = document.index.range_to_lsp(symbol.selection, Encoding::Utf16);
                json!({ "name": symbol.name, "kind": symbol.kind, "detail": symbol.detail, "depth": depth,
                        "range": range, "endLine": lines(symbol).1, "path": display_path })
            };
            let items: Vec<_> = rows.get(list.range).unwrap_or_default().iter().map(item).collect();
            json!({ "items": items, "total": rows.len() })
        });
        Ok(CodeAnswer { text, data, status: answer.status, truncated: list.truncated })
    }
}
