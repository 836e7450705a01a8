//! `lsp_references`: every use of a symbol, grouped by file, with its source line.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::text::pluralize;
use zubi_code::features::locations::{RawLocation, Relation};
use zubi_code::locate::PositionIntent;
use zubi_code::{CodeError, CodeQuery, QualifiedAnswer};

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{PagingArgs, TargetArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::locations::MAX_CONTEXT;
use crate::lsp::view::{OutputBudget, file_count, listed_location_json, resolved_json};

pub(crate) struct References;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    /// Default true
    #[serde(rename = "includeDeclaration")]
    include_declaration: Option<bool>,
    /// Source lines around each
    context: Option<u32>,
    // Answers that omit such matches name this parameter, so lists need not.
    /// Also list word matches that are not references
    #[schemars(extend("x-common" = true))]
    #[serde(rename = "includeText")]
    include_text: Option<bool>,
    #[serde(flatten)]
    paging: PagingArgs,
}

#[async_trait]
impl CodeTool for References {
    const META: ToolMeta = ToolMeta {
        id: "lsp_references",
        title: "Find references",
        description: "Every use of a symbol: exact total, then path, line:col and source line of each, by file. Use before changing or deleting something.",
        tags: &["references", "usages", "callers", "who uses", "find all"],
        example: || ("Who uses the function parse?", json!({ "symbol": "parse", "path": "src/lib.rs" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "find references";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let at = query.resolve(&input.target.input(), PositionIntent::Identifier).await?;
        let relation = Relation::References { include_declaration: input.include_declaration.unwrap_or(true) };
        let context = input.context.unwrap_or(0).min(MAX_CONTEXT);
        // The text search runs while the servers work.
        let (references_answer, words) = tokio::join!(query.locations(&at, relation), query.word_matches(&at));
        let QualifiedAnswer { value: references, mut status } = references_answer?;
        let total = references.len();
        let text_matches = match (status.complete(), at.name.is_some(), words) {
            // In an incomplete answer, other matches may still be references.
            (Some(false) | None, ..) | (_, false, _) => TextMatchCount::NotRequested,
            (Some(true), true, None) => TextMatchCount::NotCounted,
            (Some(true), true, Some(words)) => {
                TextMatchCount::Counted(query.text_matches(&at, relation, &references, &words).await?)
            }
        };
        let mut text = at.header();
        let name = at.name.as_deref().unwrap_or("this position");
        let files = file_count(&references);
        let counted = match (status.text_search, total) {
            (false, total) => format!("{} to", pluralize(total, "reference")),
            (true, 1) => "1 word match of".to_owned(),
            (true, total) => format!("{total} word matches of"),
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "\n{counted} `{name}` in {}", pluralize(files, "file"));
        let include_text = input.include_text.unwrap_or(false);
        let (mut locations, further) = (references, text_matches.count());
        let line = text_matches.render_line(include_text);
        if include_text && let TextMatchCount::Counted(rest) = text_matches {
            locations.extend(rest);
        }
        let (list, hits) = view.locations(query, &locations, context, &input.paging).await?;
        text.push_str(&list.text);
        text.push_str(&line);
        status.merge(at.status.clone());
        let data = view.data(|| {
            let items: Vec<_> = hits.iter().map(listed_location_json).collect();
            json!({ "resolved": resolved_json(&at), "items": items, "total": total, "furtherWordMatches": further })
        });
        Ok(CodeAnswer { text, data, status, truncated: list.truncated })
    }
}

/// Result of counting word matches that are not references.
enum TextMatchCount {
    /// The answer may lack references, or there is no word to search.
    NotRequested,
    /// The search reached its time limit.
    NotCounted,
    Counted(Vec<RawLocation>),
}

impl TextMatchCount {
    fn count(&self) -> Option<usize> {
        match self {
            Self::Counted(rest) => Some(rest.len()),
            Self::NotRequested | Self::NotCounted => None,
        }
    }

    /// Renders the answer's last line; empty if there is nothing to report.
    fn render_line(&self, is_listed: bool) -> String {
        let more = if is_listed { "; marked (text)" } else { ": includeText=true" };
        match self {
            Self::NotCounted => "further word matches were not counted: time-out\n".to_owned(),
            Self::Counted(rest) if !rest.is_empty() => {
                let are = if rest.len() == 1 { "is not a reference" } else { "are not references" };
                let matches = pluralize(rest.len(), "further word match");
                format!("{matches} {are} (comments, strings, namesakes){more}\n")
            }
            Self::Counted(_) | Self::NotRequested => String::new(),
        }
    }
}
