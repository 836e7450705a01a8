//! `lsp_code_actions`: quick fixes and refactorings at a location, ready to apply.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::lsp;
use zubi_base::position::TextRange;
use zubi_base::text::pluralize;
use zubi_code::actions::{ActionOutcome, CodeAction};
use zubi_code::edit::action_id;
use zubi_code::locate::PositionIntent;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::{Effect, Exposure};

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{PagingArgs, TargetArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::OutputBudget;

pub(crate) struct CodeActions;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    /// Range in the file of path or uri
    range: Option<Range>,
    /// The kinds of actions
    context: Option<Context>,
    /// Show each diff
    diff: Option<bool>,
    #[serde(flatten)]
    paging: PagingArgs,
}

#[derive(Deserialize, JsonSchema)]
struct Range {
    /// First position
    start: Position,
    /// Position after the last
    end: Position,
}

#[derive(Deserialize, JsonSchema)]
struct Position {
    /// 0-based
    line: u32,
    /// 0-based
    character: u32,
}

impl Range {
    fn is_zero(&self) -> bool {
        [self.start.line, self.start.character, self.end.line, self.end.character].iter().all(|number| *number == 0)
    }
}

impl From<&Position> for lsp::Position {
    fn from(position: &Position) -> Self {
        Self { line: position.line, character: position.character }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Context {
    /// quickfix, refactor.extract, source.organizeImports
    only: Option<Vec<String>>,
}

/// Maximum number of actions whose diffs are shown by default.
const MAX_SHOWN_DIFFS: usize = 2;

#[async_trait]
impl CodeTool for CodeActions {
    const META: ToolMeta = ToolMeta {
        id: "lsp_code_actions",
        title: "Quick fixes and refactorings",
        description: "Fixes and refactorings at a location, or for a whole file (path alone): title, kind, action id, diff. Writes nothing; apply_edit {action} does.",
        effect: Effect::Plan,
        exposure: Exposure::Deferred,
        tags: &["quick fix", "fix an error", "refactor", "organize imports", "missing import", "extract", "inline"],
        example: || {
            ("Organize imports", json!({ "path": "app.py", "context": { "only": ["source.organizeImports"] } }))
        },
        ..CODE_TOOL
    };
    const OPERATION: &str = "list code actions";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let (path, range, header) = resolve_range(query, &input).await?;
        let kinds = input.context.and_then(|context| context.only).unwrap_or_default();
        let answer = query.actions(&path, range, &kinds).await?;
        let (actions, total) = answer.value;
        let diffs = input.diff.unwrap_or(actions.len() <= MAX_SHOWN_DIFFS);
        let list = view.list(&actions, &input.paging, |text, _, action| write_action(text, action, diffs))?;
        let mut text = header;
        let _ = match total {
            0 => writeln!(text, "\nno code actions here"),
            total if total > actions.len() => {
                writeln!(text, "\n{}, first {}", pluralize(total, "code action"), actions.len())
            }
            total => writeln!(text, "\n{}", pluralize(total, "code action")),
        };
        text.push_str(&list.text);
        let data = view.data(|| {
            let items: Vec<_> = actions.get(list.range).unwrap_or_default().iter().map(action_json).collect();
            json!({ "items": items, "total": total })
        });
        Ok(CodeAnswer { text, data, status: answer.status, truncated: list.truncated })
    }
}

/// Resolves the range of the call: a given range, a whole file, or the line of a position.
async fn resolve_range(
    query: &CodeQuery<'_>,
    input: &Input,
) -> Result<(camino::Utf8PathBuf, TextRange, String), CodeError> {
    let target = input.target.input();
    let file = target.path.as_deref().or(target.uri.as_deref());
    // A range of zeros without a file is not given: see `remove_absent` of the schema.
    let range = input.range.as_ref().filter(|range| file.is_some() || !range.is_zero());
    if let Some(range) = range {
        let Some(file) = file else {
            return Err(CodeError::input(
                "range",
                "`range` needs `uri`",
                "Pass uri: \"src/lib.rs\" with the range, or at: \"src/lib.rs:12\".",
            ));
        };
        let path = query.workspace().resolve(file)?;
        let range = lsp::Range { start: (&range.start).into(), end: (&range.end).into() };
        let bytes = query.text_range(&path, Some(&range)).await?;
        let display_path = query.workspace().display(&path);
        return Ok((path, bytes, format!("in {display_path}:{}-{}", range.start.line + 1, range.end.line + 1)));
    }
    if let (Some(file), None, None, None) = (file, &target.symbol, &target.at, target.line) {
        let path = query.workspace().resolve(file)?;
        let bytes = query.text_range(&path, None).await?;
        let display_path = query.workspace().display(&path);
        return Ok((path, bytes, format!("in {display_path}, whole file")));
    }
    // A diagnostic may be anywhere on its line, so a position without a column means the whole line.
    let whole_line = target.at.as_deref().is_some_and(|at| {
        let mut parts = at.rsplit(':');
        let (last, before) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        last.parse::<u32>().is_ok() && before.parse::<u32>().is_err()
    });
    let intent = if whole_line || target.at.is_some() || target.line.is_some() {
        PositionIntent::Exact
    } else {
        PositionIntent::Identifier
    };
    let at = query.resolve(&target, intent).await?;
    if whole_line {
        let document = query.document(&at.path).await?;
        let line = document.index.line_col(at.offset).line;
        let bytes = document.index.line_range(line).unwrap_or_else(|| TextRange::empty(at.offset));
        let display_path = query.workspace().display(&at.path);
        return Ok((at.path, bytes, format!("at {display_path}:{}", line + 1)));
    }
    let (bytes, header) = (TextRange::empty(at.offset), at.header());
    Ok((at.path, bytes, header))
}

fn write_action(text: &mut String, action: &CodeAction, diffs: bool) {
    let kind = action.kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default();
    let preferred = if action.preferred { "  preferred" } else { "" };
    match &action.outcome {
        ActionOutcome::Plan(plan) => {
            let edits = pluralize(plan.edit_count, "edit");
            let files = pluralize(plan.files.len(), "file");
            let _ = writeln!(text, "  {} {}{kind}: {edits} in {files}{preferred}", action_id(&plan.id), action.title);
            if diffs {
                for line in plan.diff.lines() {
                    let _ = writeln!(text, "    {line}");
                }
            }
        }
        ActionOutcome::Unavailable { reason } => {
            let _ = writeln!(text, "  (no action) {}{kind}: {reason}", action.title);
        }
    }
}

fn action_json(action: &CodeAction) -> Value {
    let mut item = json!({ "title": action.title, "kind": action.kind, "preferred": action.preferred });
    match &action.outcome {
        ActionOutcome::Plan(plan) => {
            item["action"] = json!(action_id(&plan.id));
            item["edits"] = json!(plan.edit_count);
            item["diff"] = json!(plan.diff);
        }
        ActionOutcome::Unavailable { reason } => item["unavailable"] = json!(reason),
    }
    item
}
