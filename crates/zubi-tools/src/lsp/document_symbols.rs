//! `lsp_document_symbols`: the declarations of a file as an indented outline, or those of many files.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::position::Encoding;
use zubi_base::text::pluralize;
use zubi_code::features::folder_outline::FileSelection;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Truncation;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{PagingArgs, WaitArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::outline_text::{self, FileRows, HiddenSymbols, OutlineRow, lines_of, select_rows};
use crate::lsp::view::{OutputBudget, RenderedList};

pub(crate) struct DocumentSymbols;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// File, folder or pattern: src/**/*.rs
    path: Option<String>,
    /// The file as file:// URI
    #[schemars(extend("x-common" = true))]
    uri: Option<String>,
    /// Levels
    #[schemars(range(min = 1))]
    depth: Option<u32>,
    /// Also locals
    locals: Option<bool>,
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

/// The default size of the answer about one file.
const FILE_BYTES: usize = 2_450;

/// Renders an outline: complete if it fits; in a shorter form that covers everything; or in pages, which the caller can
/// also request.
fn render_outline(
    view: &OutputBudget,
    input: &Input,
    files: &[FileRows<'_>],
    hidden: HiddenSymbols,
    has_paths: bool,
) -> Result<RenderedList, CodeError> {
    let rows: Vec<_> = files.iter().flat_map(|file| file.rows.iter().map(move |row| (file, row))).collect();
    let view = if has_paths { view } else { &view.with_default(FILE_BYTES) };
    let whole = |text: String| RenderedList { text, range: 0..rows.len(), truncated: None };
    let may_shorten = view.is_text() && !input.paging.is_given();
    let complete = [true, false]
        .into_iter()
        .filter(|_| may_shorten)
        .map(|has_source| outline_text::render_rows(files, has_paths, has_source));
    let mut list = if let Some(text) = complete.into_iter().find(|text| view.admits(text)) {
        whole(text)
    } else if may_shorten && let Some(short) = outline_text::shorten(files, has_paths, view.body()) {
        let truncated = (short.left_out > 0).then(|| Truncation {
            shown: rows.len() - short.left_out,
            total: rows.len(),
            cursor: Some("0".to_owned()),
        });
        RenderedList { truncated, ..whole(short.text) }
    } else {
        view.list(&rows, &input.paging, |text, previous, (file, row)| {
            if has_paths && previous.is_none_or(|(previous, _)| previous.display_path != file.display_path) {
                let _ = writeln!(text, "{}", file.display_path);
            }
            row.write(text, file, false);
        })?
    };
    list.text.push_str(&hidden.describe());
    Ok(list)
}

/// Returns the JSON form of the rows in a range.
fn rows_json(files: &[FileRows<'_>], range: std::ops::Range<usize>) -> Vec<Value> {
    let rows = files.iter().flat_map(|file| file.rows.iter().map(move |row| (file, row)));
    let item = |(file, OutlineRow { depth, symbol }): (&FileRows<'_>, &OutlineRow<'_>)| {
        let index = &file.document.index;
        json!({ "name": symbol.name, "kind": symbol.kind, "detail": symbol.detail, "depth": depth,
                "range": index.range_to_lsp(symbol.selection, Encoding::Utf16),
                "endLine": lines_of(symbol, index).1, "path": file.display_path })
    };
    rows.skip(range.start).take(range.len()).map(item).collect()
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
    let with_locals = input.locals.unwrap_or(false);
    let mut hidden = HiddenSymbols::default();
    let mut files = Vec::new();
    for outline in &answer.value {
        let rows = select_rows(&outline.symbols, &outline.document.text, depth, with_locals, &mut hidden);
        if !rows.is_empty() {
            files.push(FileRows { display_path: &outline.display_path, document: &outline.document, rows });
        }
    }
    let total: usize = files.iter().map(|file| file.rows.len()).sum();
    let list = render_outline(view, input, &files, hidden, true)?;
    let argument = zubi_code::markup::clean_line(argument);
    let mut text = match total {
        0 => format!("no declarations in `{argument}`\n"),
        total => {
            format!(
                "{} in {} of `{argument}`, depth {depth}\n",
                pluralize(total, "symbol"),
                pluralize(files.len(), "file")
            )
        }
    };
    text.push_str(&list.text);
    let data = view.data(|| json!({ "items": rows_json(&files, list.range), "total": total }));
    Ok(CodeAnswer { text, data, status: answer.status, truncated: list.truncated })
}

#[async_trait]
impl CodeTool for DocumentSymbols {
    const META: ToolMeta = ToolMeta {
        id: "lsp_document_symbols",
        title: "Outline",
        description: "Kinds, names and lines of declarations.",
        tags: &["outline", "structure", "symbols in file", "what is in", "list functions in a file"],
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
        let document = query.document(&path).await?;
        let display_path = query.workspace().display(&path);
        let mut hidden = HiddenSymbols::default();
        let with_locals = input.locals.unwrap_or(false);
        let rows = select_rows(&answer.value, &document.text, depth, with_locals, &mut hidden);
        let total = rows.len();
        let files = [FileRows { display_path: &display_path, document: &document, rows }];
        let list = render_outline(view, &input, &files, hidden, false)?;
        let mut text = match total {
            0 => format!("no declarations in `{display_path}`\n"),
            total => format!("{} in `{display_path}`\n", pluralize(total, "symbol")),
        };
        text.push_str(&list.text);
        let data = view.data(|| json!({ "items": rows_json(&files, list.range), "total": total }));
        Ok(CodeAnswer { text, data, status: answer.status, truncated: list.truncated })
    }
}
