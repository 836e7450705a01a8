//! `lsp_document_symbols`: the declarations of a file as an indented outline, or those of many files.

use std::fmt::Write as _;

use async_trait::async_trait;
use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::position::{Encoding, TextIndex, TextSize};
use zubi_base::text::pluralize;
use zubi_code::features::folder_outline::{FileOutline, FileSelection};
use zubi_code::outline::{self, OutlineSymbol};
use zubi_code::query::SourceDocument;
use zubi_code::{CodeError, CodeQuery};

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{PagingArgs, WaitArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::OutputBudget;

pub(crate) struct DocumentSymbols;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// File, folder or pattern: src/**/*.rs
    path: Option<String>,
    /// The file as file:// URI
    #[schemars(extend("x-common" = true))]
    uri: Option<String>,
    /// Levels: all of a file, 1 of many
    #[schemars(range(min = 1))]
    depth: Option<u32>,
    #[serde(flatten)]
    paging: PagingArgs,
    #[serde(flatten)]
    wait: WaitArgs,
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

impl OutlineRow<'_> {
    /// `path` is the path of the document as answers show it.
    fn write(&self, text: &mut String, path: &str, document: &SourceDocument) {
        let Self { depth, symbol } = self;
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{}{} {}", "  ".repeat(depth + 1), symbol.kind, symbol.name);
        if let Some(detail) = &symbol.detail {
            let _ = write!(text, " {}", zubi_code::markup::source_line(detail));
        }
        let notebook = document.notebook(Utf8Path::new(path));
        let position = |offset: TextSize| notebook?.position(offset.into());
        let ends = position(symbol.selection.start())
            .zip(symbol.range.end().checked_sub(TextSize::from(1)).and_then(position));
        let (first, last) = match ends {
            Some((first, last)) => {
                let _ = write!(text, "  cell {}:", first.cell);
                let _ = if last.line > first.line {
                    writeln!(text, "{}-{}", first.line, last.line)
                } else {
                    writeln!(text, "{}", first.line)
                };
                return;
            }
            None => lines_of(symbol, &document.index),
        };
        let _ = if last > first { writeln!(text, "  {first}-{last}") } else { writeln!(text, "  {first}") };
    }
}

/// Returns the 1-based lines of a symbol's name and of its end.
fn lines_of(symbol: &OutlineSymbol, index: &TextIndex) -> (u32, u32) {
    let line = |offset| index.line_col(offset).line + 1;
    (line(symbol.selection.start()), line(symbol.range.end()))
}

/// Answers for a folder or a pattern: the outline of each file below its path.
async fn outline_files(
    query: &CodeQuery<'_>,
    input: &Input,
    argument: &str,
    selection: FileSelection,
    view: &OutputBudget,
) -> Result<CodeAnswer, CodeError> {
    let answer = query.outlines(selection).await?;
    let depth = input.depth.unwrap_or(1).max(1) as usize;
    let mut rows = Vec::new();
    for (file, outline) in answer.value.iter().enumerate() {
        outline::walk(&outline.symbols, |parents, symbol| {
            if parents.len() < depth {
                rows.push((file, outline, OutlineRow { depth: parents.len(), symbol }));
            }
        });
    }
    let list = view.list(&rows, &input.paging, |text, previous, (file, outline, row)| {
        if previous.is_none_or(|(previous, ..)| previous != file) {
            let _ = writeln!(text, "{}", outline.display_path);
        }
        row.write(text, &outline.display_path, &outline.document);
    })?;
    let argument = zubi_code::markup::clean_line(argument);
    let mut text = match rows.len() {
        0 => format!("no declarations in `{argument}`\n"),
        total => {
            format!(
                "{} in {} of `{argument}`, depth {depth}\n",
                pluralize(total, "symbol"),
                pluralize(answer.value.len(), "file")
            )
        }
    };
    text.push_str(&list.text);
    let data = view.data(|| {
        let item = |(_, outline, OutlineRow { depth, symbol }): &(usize, &FileOutline, OutlineRow<'_>)| {
            let range = outline.document.index.range_to_lsp(symbol.selection, Encoding::Utf16);
            json!({ "name": symbol.name, "kind": symbol.kind, "detail": symbol.detail, "depth": depth, "range": range,
                    "endLine": lines_of(symbol, &outline.document.index).1, "path": outline.display_path })
        };
        let items: Vec<_> = rows.get(list.range).unwrap_or_default().iter().map(item).collect();
        json!({ "items": items, "total": rows.len() })
    });
    Ok(CodeAnswer { text, data, status: answer.status, truncated: list.truncated })
}

#[async_trait]
impl CodeTool for DocumentSymbols {
    const META: ToolMeta = ToolMeta {
        id: "lsp_document_symbols",
        title: "Outline",
        description: "Outline of a file, folder or pattern: kinds, names, lines. Before reading parts of a large file.",
        tags: &["outline", "structure", "symbols in file", "what is in"],
        listed: &["cursor"],
        example: || ("Outline a file, classes and their members", json!({ "path": "src/console.py", "depth": 2 })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "outline the file";
    type Input = Input;

    fn may_use_index(input: &Input) -> bool {
        input.wait.may_use_index()
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        if let (Some(path), None) | (None, Some(path)) = (&input.path, &input.uri) {
            match query.select_files(path)? {
                FileSelection::File(_) => {}
                selection => return outline_files(query, &input, path, selection, view).await,
            }
        }
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
        let lines = |symbol: &OutlineSymbol| lines_of(symbol, &document.index);
        let display_path = query.workspace().display(&path);
        let list = view.list(&rows, &input.paging, |text, _, row| row.write(text, &display_path, &document))?;
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
