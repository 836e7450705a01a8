//! `lsp_references`: every use of a symbol, grouped by file, with its source line.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::text::pluralize;
use zubi_code::exact_answer::ExactReferences;
use zubi_code::features::mentions::{Mentions, UnreadKind};
use zubi_code::features::references::SymbolReferences;
use zubi_code::locate::PositionIntent;
use zubi_code::{AnswerSource, CodeError, CodeQuery, QualifiedAnswer};

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{PagingArgs, ProjectArgs, TargetArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::locations::MAX_CONTEXT;
use crate::lsp::view::{OutputBudget, file_count, listed_location_json, resolved_json};

/// The share of the answer for the servers' list beside another one, in percent.
const OWN_PART: usize = 70;

/// The default size of the answer: the first source lines, and the lines of the other uses by file.
const DEFAULT_BYTES: usize = 2_900;

pub(crate) struct References;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    /// Default true
    #[schemars(extend("x-common" = true))]
    #[serde(rename = "includeDeclaration")]
    include_declaration: Option<bool>,
    /// Lines around each
    context: Option<u32>,
    /// Also other word matches
    #[serde(rename = "includeText")]
    include_text: Option<bool>,
    #[serde(flatten)]
    paging: PagingArgs,
    #[serde(flatten)]
    projects: ProjectArgs,
}

#[async_trait]
impl CodeTool for References {
    const META: ToolMeta = ToolMeta {
        id: "lsp_references",
        title: "Find references",
        description: "Every use of a symbol, with its source line.",
        tags: &["references", "usages", "callers", "who uses", "find all uses"],
        listed: &["limit", "cursor", "maxTokens", "waitMs", "format", "allProjects"],
        example: || ("Who uses the function parse?", json!({ "symbol": "parse", "path": "src/lib.rs" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "find references";
    type Input = Input;

    fn all_projects(input: &Input) -> Option<bool> {
        Some(input.projects.all_projects())
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let at = query.resolve(&input.target.input(), PositionIntent::Identifier).await?;
        let view = &view.with_default(DEFAULT_BYTES);
        let include_declaration = input.include_declaration.unwrap_or(true);
        let context = input.context.unwrap_or(0).min(MAX_CONTEXT);
        let QualifiedAnswer { value: SymbolReferences { locations: references, mentions, unqueried }, mut status } =
            query.references(&at, include_declaration).await?;
        let total = references.len();
        let mut text = at.header();
        let name = at.name.as_deref().unwrap_or("this position");
        let files = file_count(&references);
        // Files that have changed since an import have word matches only.
        let words = references.iter().filter(|found| found.text_only).count();
        let counted = match (status.source == AnswerSource::Text, total, words) {
            (false, total, 0) => format!("{} to", pluralize(total, "reference")),
            (false, total, words) => {
                format!("{} and {} of", pluralize(total - words, "reference"), pluralize(words, "word match"))
            }
            (true, 1, _) => "1 word match of".to_owned(),
            (true, total, _) => format!("{total} word matches of"),
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "\n{counted} `{name}` in {}", pluralize(files, "file"));
        let include_text = input.include_text.unwrap_or(false);
        let further = mentions.as_ref().map(Mentions::count);
        let line = match &mentions {
            Some(mentions) => mentions_line(mentions, include_text),
            // Without a name or a server, there is nothing to compare.
            None if at.name.is_none() || matches!(status.source, AnswerSource::Exact | AnswerSource::Text) => {
                String::new()
            }
            None => "further word matches were not counted: time-out\n".to_owned(),
        };
        let mut locations = references;
        if include_text {
            locations.extend(mentions.map(Mentions::into_locations).unwrap_or_default());
        }
        // The first page has both lists.
        let unqueried = unqueried.filter(|_| input.paging.start().is_ok_and(|start| start == 0));
        let own = unqueried.is_some().then(|| view.part(OWN_PART));
        let own = own.as_ref().unwrap_or(view);
        let (list, hits) = own.locations(query, &locations, context, &input.paging).await?;
        text.push_str(&list.text);
        text.push_str(&line);
        let mut further_data = None;
        if let Some(ExactReferences { origins, locations }) = &unqueried {
            let count = pluralize(locations.len(), "more reference");
            let files = pluralize(file_count(locations), "file");
            let _ = writeln!(
                text,
                "{count} in {files} of projects that no server has answered about (scip {}, not checked by a server)",
                origins.join(", ")
            );
            let hint = "allProjects=true queries the servers";
            let part = view.part(100 - OWN_PART);
            let (list, hits) = part.first_locations(query, locations, context, u32::MAX, hint).await?;
            text.push_str(&list.text);
            let items: Vec<_> = hits.iter().map(listed_location_json).collect();
            let source = AnswerSource::Exact.name();
            further_data =
                Some(json!({ "source": source, "origins": origins, "items": items, "total": locations.len() }));
        }
        status.merge_target(at.status.clone());
        let data = view.data(|| {
            let items: Vec<_> = hits.iter().map(listed_location_json).collect();
            let mut data =
                json!({ "resolved": resolved_json(&at), "items": items, "total": total, "furtherWordMatches": further });
            if let Some(others) = further_data {
                data["unqueriedProjects"] = others;
            }
            data
        });
        Ok(CodeAnswer { text, data, status, truncated: list.truncated })
    }
}

/// Renders the classes of the word matches that are not references; empty without any.
fn mentions_line(mentions: &Mentions, is_listed: bool) -> String {
    let unread = |kind| mentions.unread.iter().filter(|file| file.kind == kind).map(|file| file.count).sum();
    let classes = [
        (mentions.in_text.len(), "in comments or strings"),
        (mentions.quoted.len(), "in strings that may look it up"),
        (mentions.namesakes.len(), "in code (other symbols of the name)"),
        (mentions.unresolved.len(), "in code that the server does not resolve"),
        (mentions.unchecked.len(), "in code (not checked)"),
        (unread(UnreadKind::Unconfirmed), "in code that the server does not confirm"),
        (unread(UnreadKind::Unread), "in code that no server has read"),
    ];
    let classes: Vec<_> = classes.into_iter().filter(|(count, _)| *count > 0).collect();
    let places = match classes.as_slice() {
        [] => return String::new(),
        [(_, place)] => format!(" {place}"),
        several => {
            let parts: Vec<_> = several.iter().map(|(count, place)| format!("{count} {place}")).collect();
            format!(": {}", parts.join(", "))
        }
    };
    let more = if is_listed { "; marked (text)" } else { ": includeText=true" };
    format!("{}{places}{more}\n", pluralize(mentions.count(), "further word match"))
}
