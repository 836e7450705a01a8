//! `replace_in_files`: replaces a text or the matches of a regular expression in many files, as one plan.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::text::pluralize;
use zubi_code::features::text_replace::{
    OccurrenceNumbers, PatternReplacement, ReplacePattern, ReplaceQuery, ReplacedOccurrence,
};
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::{Footprint, ToolCx, ToolError, ToolOutput};

use super::text_edit_tool::{
    PlannedEdit, TEXT_EDIT_TOOL, TextEditContext, begin_query, finish, footprint, output_budget,
};
use crate::adapter::{ToolMeta, TypedTool};
use crate::lsp::arguments::{CommonArgs, PagingArgs};
use crate::lsp::plan_answer::plan_header;
use crate::lsp::view::OutputBudget;

pub(crate) struct ReplaceInFiles;

const OPERATION: &str = "plan the replacement";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Plain text, case-sensitive; with regex: true a regular expression (Rust's syntax)
    #[schemars(extend("x-aliases" = ["search", "find", "query"]))]
    pattern: String,
    /// Replacement text; with regex: true $1, ${name} are groups, $$ a dollar sign
    #[schemars(extend("x-empty" = true, "x-aliases" = ["replace"]))]
    replacement: String,
    /// Files: `*.md` at any depth, src/**/*.rs, a folder or a file
    #[schemars(extend("x-aliases" = ["path", "include", "files"]))]
    glob: String,
    /// Default false
    regex: Option<bool>,
    /// Numbers of the occurrences to replace, as listed: 1-3,7; default all
    #[serde(default)]
    #[schemars(schema_with = "list_of_numbers")]
    occurrences: Option<Vec<String>>,
    /// Write at once instead of planning
    apply: Option<bool>,
    #[serde(flatten)]
    paging: PagingArgs,
    #[serde(flatten)]
    common: CommonArgs,
}

/// The schema of a list whose items are numbers or ranges of numbers.
fn list_of_numbers(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": "array", "items": { "type": "string", "x-number": true } })
}

#[async_trait]
impl TypedTool for ReplaceInFiles {
    const META: ToolMeta = ToolMeta {
        id: "replace_in_files",
        title: "Replace in files",
        description: "Plans the replacement of a text or regular expression in many files: plan id, and every occurrence with its number and line before → after. occurrences: 1-3,7 plans only these; apply: true writes at once; else apply_edit writes the plan. For a symbol use lsp_rename_symbol.",
        notes: "Ignored, generated and binary files and those with credentials are left out, and the answer says so. A search takes time linear in the text, whatever the expression. `^` and `$` are the ends of a line.",
        tags: &["replace text in many files", "find and replace", "search and replace", "sed", "regex replace"],
        example: || {
            let arguments = json!({ "pattern": "http://(\\w+)\\.example", "replacement": "https://$1.example", "glob": "*.md", "regex": true });
            ("Secure links in the documentation", arguments)
        },
        listed: &["cursor", "maxTokens"],
        ..TEXT_EDIT_TOOL
    };
    type Context = TextEditContext;
    type Input = Input;

    fn footprint(context: &TextEditContext, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        // The files of a pattern are found later; those with credentials are not read.
        let reads = context.intel.workspace().resolve(&input.glob).into_iter().collect();
        Ok(footprint(reads, input.apply == Some(true)))
    }

    async fn run(context: &TextEditContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let query = begin_query(&context.intel, &input.common, cx).await;
        let planned = plan(&query, &input, &output_budget(&input.common, cx)).await;
        finish(context, OPERATION, planned, input.apply == Some(true), &input.common, cx).await
    }
}

async fn plan(query: &CodeQuery<'_>, input: &Input, view: &OutputBudget) -> Result<PlannedEdit, CodeError> {
    let hint = "Correct the argument; without regex: true both texts are plain.";
    let pattern = if input.regex == Some(true) {
        let pattern = ReplacePattern::regex(&input.pattern, &input.replacement);
        pattern.map_err(|(field, problem)| CodeError::input(field, problem, hint))?
    } else {
        let pattern = ReplacePattern::literal_text(&input.pattern, &input.replacement);
        pattern.map_err(|problem| CodeError::input("pattern", problem, hint))?
    };
    // An empty list is one that is not given, as for every argument.
    let given = input.occurrences.as_ref().filter(|texts| !texts.is_empty());
    let chosen = given.map(|texts| OccurrenceNumbers::parse(texts.iter().map(String::as_str)));
    let chosen = chosen.transpose().map_err(|problem| {
        CodeError::input("occurrences", problem, "Pass the numbers of the list, or omit it for all.")
    })?;
    let is_choice = chosen.is_some();
    let selection = query.select_files_to_replace(&input.glob)?;
    let found = query.replace_in_files(ReplaceQuery { pattern, selection, chosen }).await?;
    let PatternReplacement { plan, occurrences, total, searched, omissions } = found;
    let list = view.list(&occurrences, &input.paging, write_occurrence)?;
    let mut text = plan_header(&plan);
    if is_choice {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{} of {} chosen", occurrences.len(), pluralize(total, "occurrence"));
    }
    for note in &plan.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text.push_str(&list.text);
    let _ = writeln!(text, "apply_edit {{\"plan\":\"{}\"}} writes it", plan.id);
    let data = view.data(|| {
        let shown = occurrences.get(list.range.clone()).unwrap_or_default();
        let items: Vec<Value> = shown.iter().map(to_json).collect();
        json!({
            "plan": plan.id, "title": plan.title, "items": items, "planned": occurrences.len(), "total": total,
            "files": plan.files.len(), "searchedFiles": searched,
        })
    });
    let extent = format!("{} searched", pluralize(searched, "file"));
    let (notes, gap) = (omissions.notes, omissions.gap);
    Ok(PlannedEdit { plan, text, data, extent, notes, gap, truncated: list.truncated })
}

fn write_occurrence(text: &mut String, previous: Option<&ReplacedOccurrence>, occurrence: &ReplacedOccurrence) {
    let ReplacedOccurrence { number, display_path, line, column, before, after } = occurrence;
    // Writing to a `String` cannot fail.
    if previous.is_none_or(|previous| previous.display_path != *display_path) {
        let _ = writeln!(text, "{display_path}");
    }
    let label = format!("  {number}. {line}:{column}");
    let _ = writeln!(text, "{label}  {before}");
    let _ = writeln!(text, "{:>width$}  {after}", "→", width = label.chars().count());
}

fn to_json(occurrence: &ReplacedOccurrence) -> Value {
    let ReplacedOccurrence { number, display_path, line, column, before, after } = occurrence;
    json!({ "number": number, "path": display_path, "line": line, "column": column, "before": before, "after": after })
}
