//! `edit_files`: replaces exact texts in one or several files, as one plan.

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::text::pluralize;
use zubi_code::edit::replace::{NearPosition, TextReplacement};
use zubi_code::features::text_replace::FileReplacement;
use zubi_code::{AnswerStatus, CodeError, CodeQuery};
use zubi_tool_api::{Footprint, ToolCx, ToolError, ToolOutput};

use super::text_edit_tool::{
    PlannedEdit, TEXT_EDIT_TOOL, TextEditContext, begin_query, finish, footprint, output_budget,
};
use crate::adapter::{ToolMeta, TypedTool};
use crate::lsp::arguments::CommonArgs;
use crate::lsp::plan_answer::plan_answer;
use crate::lsp::view::OutputBudget;

pub(crate) struct EditFiles;

const OPERATION: &str = "plan the edits";

/// One replacement.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileEditArgs {
    /// File: path or file:// URI
    #[schemars(extend("x-aliases" = ["file_path", "file", "uri"]))]
    path: String,
    /// Text to replace, exactly as in the file; must occur once unless all or at is given
    #[schemars(extend("x-aliases" = ["old_string", "old_text"]))]
    old: String,
    /// Replacement text; empty removes
    #[schemars(extend("x-empty" = true, "x-aliases" = ["new_string", "new_text"]))]
    new: String,
    /// Replace every occurrence in the file
    #[schemars(extend("x-aliases" = ["replaceAll"]))]
    all: Option<bool>,
    /// Line that chooses the nearest of several occurrences: 12, 12:5 or path:12; of the file before all edits
    #[schemars(extend("x-number" = true, "x-aliases" = ["line"]))]
    at: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Replacements, in their order; all or none
    edits: Vec<FileEditArgs>,
    /// Write at once instead of planning
    apply: Option<bool>,
    #[serde(flatten)]
    common: CommonArgs,
}

#[async_trait]
impl TypedTool for EditFiles {
    const META: ToolMeta = ToolMeta {
        id: "edit_files",
        title: "Edit several files",
        description: "Replaces exact texts in one or many files as one plan, all or nothing: plan id and diff; apply_edit writes it, undo_edit reverts it. apply: true writes at once. A text that is missing or ambiguous is an error with the nearest lines; all such edits are reported together.",
        notes: "Never fuzzy: text that differs only in white space is shown, not replaced. Line ends follow the file's.",
        tags: &[
            "edit many files",
            "replace text in files",
            "multi edit",
            "edit several files",
            "batch edit",
            "apply a patch",
        ],
        example: || {
            let edits = json!([
                { "path": "src/app.ts", "old": "retries = 3", "new": "retries = 5" },
                { "path": "README.md", "old": "three times", "new": "five times", "at": 40 },
            ]);
            ("Change a value and its documentation", json!({ "edits": edits }))
        },
        ..TEXT_EDIT_TOOL
    };
    type Context = TextEditContext;
    type Input = Input;

    fn footprint(context: &TextEditContext, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        let workspace = context.intel.workspace();
        // The call itself reports an invalid path.
        let mut reads: Vec<Utf8PathBuf> =
            input.edits.iter().filter_map(|edit| workspace.resolve(&edit.path).ok()).collect();
        reads.sort();
        reads.dedup();
        Ok(footprint(reads, input.apply == Some(true)))
    }

    async fn run(context: &TextEditContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let Input { edits, apply, common } = input;
        let query = begin_query(&context.intel, &common, cx).await;
        let planned = plan(&query, edits, &output_budget(&common, cx)).await;
        finish(context, OPERATION, planned, apply == Some(true), &common, cx).await
    }
}

async fn plan(query: &CodeQuery<'_>, edits: Vec<FileEditArgs>, view: &OutputBudget) -> Result<PlannedEdit, CodeError> {
    let edits: Vec<FileReplacement> =
        edits.into_iter().enumerate().map(|(index, edit)| replacement(query, index, edit)).collect::<Result<_, _>>()?;
    let plan = query.edit_files(&edits).await?;
    let answer = plan_answer(view, None, &plan, AnswerStatus::default());
    let extent = pluralize(plan.files.len(), "file");
    let (text, data, truncated) = (answer.text, answer.data, answer.truncated);
    Ok(PlannedEdit { plan, text, data, extent, notes: Vec::new(), gap: None, truncated })
}

fn replacement(query: &CodeQuery<'_>, index: usize, edit: FileEditArgs) -> Result<FileReplacement, CodeError> {
    let near = edit.at.as_deref().map(|at| parse_position(query, at, &edit.path)).transpose().map_err(|problem| {
        let hint = "Give the line of the occurrence: 12, 12:5, or path:12 as answers print it.";
        CodeError::input("edits", format!("edits[{index}].at: {problem}"), hint)
    })?;
    let every = edit.all == Some(true);
    Ok(FileReplacement { path: edit.path, replacement: TextReplacement { old: edit.old, new: edit.new, every, near } })
}

/// Parses `12`, `12:5`, `path:12` or `path:12:5`. The error is a clause.
fn parse_position(query: &CodeQuery<'_>, at: &str, path: &str) -> Result<NearPosition, String> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|number| *number > 0);
    let split_last = |text: &str| match text.rsplit_once(':') {
        Some((before, last)) => (before.to_owned(), number(last)),
        None => (String::new(), number(text)),
    };
    let at: String = at.trim().chars().take(4_096).collect();
    let (before, Some(last)) = split_last(&at) else {
        return Err(format!("`{}` has no line", at.chars().take(80).collect::<String>()));
    };
    let (file, position) = match split_last(&before) {
        (file, Some(line)) => (file, NearPosition { line, column: Some(last) }),
        (_, None) => (before, NearPosition { line: last, column: None }),
    };
    let resolve = |path: &str| query.workspace().resolve(path).ok();
    if !file.is_empty() && file != path && (resolve(&file).is_none() || resolve(&file) != resolve(path)) {
        return Err(format!("`{}` is not the file of the edit", file.chars().take(80).collect::<String>()));
    }
    Ok(position)
}
