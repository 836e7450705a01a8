//! `lsp_document_symbols`: what a file declares, as an indented outline.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_code::outline::{self, Symbol};
use zubi_code::place::Place;
use zubi_code::{CodeError, Question};
use zubi_tools::Effect;

use crate::lsp::arguments::Paging;
use crate::lsp::code_tool::{About, CodeTool, Reply};
use crate::lsp::view::{View, count};

pub(crate) struct DocumentSymbols;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// File
    path: Option<String>,
    /// The same as file:// URI
    uri: Option<String>,
    /// Levels, default all
    depth: Option<u32>,
    #[serde(flatten)]
    paging: Paging,
}

/// The file that a tool about one whole file is asked about.
pub(crate) fn file(
    question: &Question<'_>,
    path: Option<&str>,
    uri: Option<&str>,
) -> Result<camino::Utf8PathBuf, CodeError> {
    let given = match (path, uri) {
        (Some(given), None) | (None, Some(given)) => given,
        (None, None) => return Err(CodeError::input("path", "no file was given", "Give path: \"src/lib.rs\".")),
        (Some(_), Some(_)) => {
            return Err(CodeError::input("path", "both `path` and `uri` were given", "Give one of them."));
        }
    };
    let path = question.workspace().resolve(given)?;
    if path.is_dir() {
        return Err(CodeError::input(
            "path",
            format!("`{given}` is a directory"),
            "Name a file; `lsp_workspace_symbols` looks through all of them.",
        ));
    }
    Ok(path)
}

/// One line of the outline.
struct Row {
    depth: usize,
    name: String,
    kind: &'static str,
    detail: Option<String>,
    place: Place,
    end_line: u32,
}

#[async_trait]
impl CodeTool for DocumentSymbols {
    const ABOUT: About = About {
        id: "lsp_document_symbols",
        title: "Outline of a file",
        description: "What a file declares: an indented outline with kind, name and lines of each symbol. Before reading parts of a large file.",
        operation: "outline the file",
        effect: Effect::Read,
        toolset: "lsp",
        tags: &["outline", "structure", "symbols in file"],
        example: || ("Outline a file, classes and their members", json!({ "path": "src/console.py", "depth": 2 })),
    };
    type Input = Input;

    async fn answer(question: &Question<'_>, input: Input, view: &View) -> Result<Reply, CodeError> {
        let path = file(question, input.path.as_deref(), input.uri.as_deref())?;
        let found = question.outline(&path).await?;
        let depth = input.depth.map_or(usize::MAX, |depth| depth.max(1) as usize);
        let rows = rows(question, &path, &found.value, depth).await?;
        let list = view.list(&rows, &input.paging, |text, _, row| {
            let _ = write!(text, "{}{} {}", "  ".repeat(row.depth + 1), row.kind, row.name);
            if let Some(detail) = &row.detail {
                let _ = write!(text, " {}", zubi_code::markup::source_line(detail));
            }
            let _ = if row.end_line > row.place.line {
                writeln!(text, "  {}-{}", row.place.line, row.end_line)
            } else {
                writeln!(text, "  {}", row.place.line)
            };
        })?;
        let shown = question.workspace().display(&path);
        let mut text = match rows.len() {
            0 => format!("`{shown}` declares nothing that the server names\n"),
            total => format!("{} in `{shown}`\n", count(total, "symbol")),
        };
        text.push_str(&list.text);
        let items: Vec<Value> = rows
            .get(list.range)
            .unwrap_or_default()
            .iter()
            .map(|row| {
                json!({ "name": row.name, "kind": row.kind, "detail": row.detail, "depth": row.depth, "range": row.place.range,
                        "endLine": row.end_line, "path": row.place.shown })
            })
            .collect();
        Ok(Reply {
            text,
            data: json!({ "items": items, "total": rows.len() }),
            status: found.status,
            truncated: list.truncated,
        })
    }
}

async fn rows(
    question: &Question<'_>,
    path: &camino::Utf8Path,
    symbols: &[Symbol],
    depth: usize,
) -> Result<Vec<Row>, CodeError> {
    let document = question.document(path).await?;
    let mut rows = Vec::new();
    outline::walk(symbols, |above, symbol| {
        if above.len() < depth {
            rows.push(Row {
                depth: above.len(),
                name: symbol.name.clone(),
                kind: symbol.kind,
                detail: symbol.detail.clone(),
                place: question.place_of(&document, path, symbol.selection),
                end_line: document.index.line_col(symbol.range.end()).line + 1,
            });
        }
    });
    Ok(rows)
}
