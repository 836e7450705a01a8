//! `changed_symbols`: the declarations that a change of the files touches, grouped by file.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::text::pluralize;
use zubi_code::features::changed_symbols::{ChangedDeclaration, ChangedSymbols, DeclarationChange, FileSymbolChanges};
use zubi_code::version_control::{RevisionRange, VersionId};
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::PagingArgs;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::OutputBudget;

pub(crate) struct ChangedSymbolsTool;

const REVISION_HINT: &str = "`from` is a branch, tag or commit (`main`, `HEAD~3`), `main...` (since the branch began) or `v1..v2`; without `to`, the present files are the new state.";

/// The number of hexadecimal digits of a commit in texts.
const SHORT_HASH: usize = 10;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Git revision; main... for the changes since the branch began
    from: String,
    /// Git revision; default: the present files
    to: Option<String>,
    #[serde(flatten)]
    paging: PagingArgs,
}

/// One line of the answer: a declaration, or what else is known about the file.
struct Row<'a> {
    file: &'a FileSymbolChanges,
    line: ChangeLine<'a>,
}

enum ChangeLine<'a> {
    Declaration(&'a ChangedDeclaration, Option<usize>),
    /// Statements outside of all declarations.
    Outside,
    /// The declarations are unknown, for a reason.
    Unknown(&'a str),
    /// The file is moved, added or removed without any declaration that differs.
    File,
}

#[async_trait]
impl CodeTool for ChangedSymbolsTool {
    const META: ToolMeta = ToolMeta {
        id: "changed_symbols",
        title: "Changed symbols",
        description: "The declarations that a change touches (added, removed, changed, in moved files), between git revisions or from one to the present files, also unsaved and untracked ones. By syntax, without a server; runs no program of the repository.",
        exposure: Exposure::Deferred,
        tags: &["git diff", "review", "changed functions", "pull request", "what changed", "branch changes", "impact"],
        example: || ("List the changes of this branch", json!({ "from": "main..." })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "compare the revisions";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let range = RevisionRange::parse(&input.from, input.to.as_deref())
            .map_err(|reason| CodeError::input("from", reason, REVISION_HINT))?;
        let answer = query.changed_symbols(&range).await?;
        let changed = answer.value;
        let rows: Vec<Row<'_>> = changed.files.iter().flat_map(rows_of).collect();
        let list = view.list(&rows, &input.paging, |text, previous, row| {
            if previous.is_none_or(|previous| previous.file.display_path != row.file.display_path) {
                write_file(text, row.file);
            }
            row.line.write(text);
        })?;
        let text = format!("{}{}", summary(&changed), list.text);
        let data = view.data(|| {
            let shown = rows.get(list.range.clone()).unwrap_or_default();
            let items: Vec<_> = shown.chunk_by(|a, b| std::ptr::eq(a.file, b.file)).map(file_json).collect();
            let state = |(from, to): &(VersionId, Option<VersionId>)| {
                json!({ "from": from.as_str(), "to": to.as_ref().map(VersionId::as_str) })
            };
            let states: Vec<_> = changed.states.iter().map(state).collect();
            json!({ "items": items, "total": rows.len(), "states": states })
        });
        Ok(CodeAnswer { text, data, status: answer.status, truncated: list.truncated })
    }
}

fn rows_of(file: &FileSymbolChanges) -> Vec<Row<'_>> {
    let row = |line| Row { file, line };
    let declaration = |(index, it)| row(ChangeLine::Declaration(it, file.mentions_of(index)));
    let mut rows: Vec<Row<'_>> = file.declarations.iter().enumerate().map(declaration).collect();
    if file.is_changed_outside {
        rows.push(row(ChangeLine::Outside));
    }
    rows.extend(file.unknown.iter().map(|reason| row(ChangeLine::Unknown(reason))));
    if rows.is_empty() {
        rows.push(row(ChangeLine::File));
    }
    rows
}

/// Returns the first line: the numbers, and the states that were compared.
fn summary(changed: &ChangedSymbols) -> String {
    let declarations = || changed.files.iter().flat_map(|file| &file.declarations);
    let count = |change| declarations().filter(|it| it.change == change).count();
    let mut states = Vec::new();
    for (from, to) in &changed.states {
        let short = |id: &str| id.chars().take(SHORT_HASH).collect::<String>();
        let to = to.as_ref().map_or_else(|| "the present files".to_owned(), |to| short(to.as_str()));
        states.push(format!("from {} to {to}", short(from.as_str())));
    }
    format!(
        "{}, {}: {} changed, {} added, {} removed, {}\n",
        pluralize(changed.files.len(), "file"),
        pluralize(declarations().count(), "declaration"),
        count(DeclarationChange::Changed),
        count(DeclarationChange::Added),
        count(DeclarationChange::Removed),
        states.join("; ")
    )
}

fn write_file(text: &mut String, file: &FileSymbolChanges) {
    text.push_str(&file.display_path);
    match (file.change, &file.old_display_path) {
        (DeclarationChange::Added, _) => text.push_str(" (new file)"),
        (DeclarationChange::Removed, _) => text.push_str(" (removed file)"),
        // Writing to a `String` cannot fail.
        (DeclarationChange::Changed, Some(old)) => drop(write!(text, " (moved from {old})")),
        (DeclarationChange::Changed, None) => {}
    }
    text.push('\n');
}

impl ChangeLine<'_> {
    fn write(&self, text: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = match self {
            Self::Declaration(it, mentions) => {
                let lines =
                    if it.end_line > it.line { format!("{}-{}", it.line, it.end_line) } else { it.line.to_string() };
                let _ = write!(text, "  {} {lines:>9}  {}", it.change.mark(), it.signature);
                if !it.containers.is_empty() {
                    let _ = write!(text, "  in {}", it.containers.join("/"));
                }
                if it.members > 0 {
                    let _ = write!(text, "  (with {})", pluralize(it.members, "member"));
                }
                match mentions {
                    Some(files) => writeln!(text, "  [name in {}]", pluralize(*files, "other file")),
                    None => writeln!(text),
                }
            }
            Self::Outside => writeln!(text, "  ~ outside of declarations"),
            Self::Unknown(reason) => writeln!(text, "  ? declarations unknown: {reason}"),
            Self::File => writeln!(text, "    no declaration differs"),
        };
    }
}

/// Returns the JSON form of the lines of one file.
fn file_json(rows: &[Row<'_>]) -> Value {
    let Some(first) = rows.first() else { return Value::Null };
    let file = first.file;
    let declarations: Vec<Value> = rows.iter().filter_map(|row| row.line.to_json()).collect();
    let change = match (file.change, &file.old_display_path) {
        (DeclarationChange::Changed, Some(_)) => "moved",
        (change, _) => change.name(),
    };
    json!({
        "path": file.display_path,
        "oldPath": file.old_display_path,
        "change": change,
        "declarations": declarations,
        "outside": file.is_changed_outside,
        "unknown": file.unknown,
    })
}

impl ChangeLine<'_> {
    fn to_json(&self) -> Option<Value> {
        let Self::Declaration(it, mentions) = self else { return None };
        Some(json!({
            "change": it.change.name(),
            "name": it.name,
            "kind": it.kind,
            "containers": it.containers,
            "signature": it.signature,
            "line": it.line,
            "endLine": it.end_line,
            "members": it.members,
            "mentions": mentions,
        }))
    }
}
