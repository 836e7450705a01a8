//! `file.edit`: replaces exact pieces of a file's text.

use anyhow::anyhow;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::text::pluralize;
use zubi_code::edit::replace::{self, ReplaceError, TextReplacement};
use zubi_tool_api::{Effect, Footprint, ToolCx, ToolError, ToolOutput};

use super::file_tool::{FILE_TOOL, FileToolContext};
use super::paths;
use super::write_path::{self, FileWrite};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct EditFile;

const OPERATION: &str = "edit the file";
/// Maximum number of replacements of one call.
const MAX_EDITS: usize = 1_000;

/// One replacement.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct ReplacementArgs {
    /// Text to replace, exactly as in the file
    old: String,
    /// Replacement text
    new: String,
    /// Replace every occurrence; default false
    #[serde(rename = "replaceAll")]
    replace_all: Option<bool>,
}

impl ReplacementArgs {
    fn replacement(&self) -> TextReplacement {
        let (old, new, every) = (self.old.clone(), self.new.clone(), self.replace_all == Some(true));
        TextReplacement { old, new, every, near: None }
    }
}

fn hint(problem: &ReplaceError) -> &'static str {
    match problem {
        ReplaceError::Empty => "Pass the text to replace; file.write writes a whole file.",
        ReplaceError::Unchanged => "Nothing was written; pass a different `new`.",
        ReplaceError::Ambiguous { .. } | ReplaceError::EquallyNear { .. } => {
            "Nothing was written. Include more surrounding text, or pass replaceAll: true."
        }
        ReplaceError::WhiteSpace { .. } => "Nothing was written. Repeat the call with `old` exactly as shown.",
        ReplaceError::Missing { .. } => {
            "Nothing was written. Read the lines with file.read, and pass `old` exactly as written there."
        }
        ReplaceError::TooLarge | ReplaceError::TooMany => "Nothing was written. Make a smaller change.",
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Path in the workspace, or file:// URI
    path: String,
    /// Text to replace, exactly as in the file; must occur once
    #[schemars(length(max = 8_388_608))]
    old: Option<String>,
    /// Replacement text; empty removes
    #[schemars(length(max = 8_388_608), extend("x-empty" = true))]
    new: Option<String>,
    /// Replace every occurrence; default false
    #[serde(rename = "replaceAll")]
    replace_all: Option<bool>,
    /// Several replacements instead of old and new, applied in order, all or none
    edits: Option<Vec<ReplacementArgs>>,
    /// sha of the text to change, from the last line of an answer
    expected: Option<String>,
}

impl Input {
    fn replacements(&self) -> Result<Vec<TextReplacement>, ToolError> {
        let hint = "Give `old` and `new`, or a list in `edits`: [{\"old\": …, \"new\": …}].";
        // An empty `new` without `old`, and an empty list beside them, are not given.
        let new = self.new.as_ref().filter(|new| self.old.is_some() || !new.is_empty());
        let edits = self.edits.as_ref().filter(|edits| self.old.is_none() || !edits.is_empty());
        match (&self.old, new, edits) {
            (Some(old), Some(new), None) => {
                let (old, new) = (old.clone(), new.clone());
                Ok(vec![TextReplacement { old, new, every: self.replace_all == Some(true), near: None }])
            }
            (None, None, Some(edits)) if edits.is_empty() => {
                Err(ToolError::invalid("edits", "the list is empty", hint))
            }
            (None, None, Some(edits)) if edits.len() > MAX_EDITS => {
                let hint = "Split them over several calls, or write the whole file with file.write.";
                Err(ToolError::invalid("edits", format!("more than {MAX_EDITS} replacements"), hint))
            }
            (None, None, Some(edits)) => Ok(edits.iter().map(ReplacementArgs::replacement).collect()),
            (Some(_), None, None) => Err(ToolError::invalid("new", "is required with `old`", hint)),
            (None, Some(_), None) => Err(ToolError::invalid("old", "is required with `new`", hint)),
            (None, None, None) => Err(ToolError::invalid("old", "missing", hint)),
            (_, _, Some(_)) => Err(ToolError::invalid("edits", "given together with `old` or `new`", hint)),
        }
    }
}

#[async_trait]
impl TypedTool for EditFile {
    const META: ToolMeta = ToolMeta {
        id: "file.edit",
        title: "Edit a file",
        description: "Replaces exact text in a file of the workspace (old by new, or a list of edits, all or none) and returns the diff and an undo handle. Fails if `old` is missing or ambiguous without replaceAll, showing the nearest lines or all positions, and if the file changed since it was read here.",
        notes: "Never fuzzy: text that differs only in white space is shown, not replaced. Line ends of `old` and `new` follow the file's.",
        effect: Effect::Write,
        tags: &["edit a file", "replace text", "change", "patch", "modify", "insert"],
        example: || {
            ("Another greeting", json!({ "path": "src/main.rs", "old": "\"Hello\"", "new": "\"Good morning\"" }))
        },
        ..FILE_TOOL
    };
    type Context = FileToolContext;
    type Input = Input;

    fn footprint(_files: &FileToolContext, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        let path = paths::resolve_existing(cx, "path", &input.path)?;
        let before = write_path::current_text(cx, &path);
        let before = before.as_ref().map(|before| &*before.text);
        // The call itself reports invalid replacements.
        let after = before.and_then(|before| replace::replace_all(before, &input.replacements().ok()?).ok());
        Ok(write_path::footprint(cx, &path, before, after.as_ref().map(|after| after.text.as_str())))
    }

    async fn run(files: &FileToolContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let path = paths::resolve_existing(cx, "path", &input.path)?;
        let replacements = input.replacements()?;
        let display_path = cx.workspace.display(&path);
        let before = cx.text_source.read(&path).await;
        let before = before.map_err(|error| paths::read_error(cx, OPERATION, &path, &error))?;
        let is_known = files.reads.ensure_fresh(cx, OPERATION, &path, &before, input.expected.as_deref())?;
        let field = |index| if input.edits.is_some() { format!("edits[{index}].old") } else { "old".to_owned() };
        let replaced = replace::replace_all(&before.text, &replacements).map_err(|problems| {
            let first = problems.into_iter().next().map(|(index, problem)| {
                ToolError::invalid(&field(index), problem.describe(&display_path), hint(&problem))
            });
            first.unwrap_or_else(|| ToolError::Fatal(anyhow!("a replacement failed without a reason")))
        })?;
        let write_request = FileWrite {
            title: format!("edit {display_path}, {}", pluralize(replaced.count, "replacement")),
            by: Self::META.id,
            operation: OPERATION,
            path: &path,
            before: Some(&before),
            text: &replaced.text,
            notes: Vec::new(),
        };
        let written = write_path::write(&files.intel, write_request).await?;
        files.reads.record_read(cx, &path, written.hash, is_known);
        Ok(written.output)
    }
}
