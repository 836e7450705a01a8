//! `lsp_completion`: the completions at a position.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::text::pluralize;
use zubi_code::features::signature::Trigger;
use zubi_code::locate::PositionIntent;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{PagingArgs, TargetArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::{OutputBudget, resolved_json};

pub(crate) struct CompletionTool;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    /// 1 invoked, 2 character, 3 incomplete
    #[serde(rename = "triggerKind")]
    trigger_kind: Option<u32>,
    /// The character typed last, such as .
    #[serde(rename = "triggerCharacter")]
    trigger_character: Option<String>,
    #[serde(flatten)]
    paging: PagingArgs,
}

/// Default number of completions. Servers propose thousands of names; the best few are sufficient.
const DEFAULT_LIMIT: u32 = 30;

#[async_trait]
impl CodeTool for CompletionTool {
    const META: ToolMeta = ToolMeta {
        id: "lsp_completion",
        title: "Completions",
        description: "Completions at a position: members, functions, variables, with types. at \"path:line text.\" lists the members of that text.",
        exposure: Exposure::Deferred,
        tags: &["completion", "members", "methods", "suggest", "autocomplete"],
        example: || ("Which members has `user`?", json!({ "at": "app.py:14 user.", "limit": 20 })),
        listed: &["cursor"],
        ..CODE_TOOL
    };
    const OPERATION: &str = "propose completions";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let at = query.resolve(&input.target.input(), PositionIntent::Exact).await?;
        let trigger = Trigger { kind: input.trigger_kind, character: input.trigger_character };
        let paging = input.paging.with_default_limit(DEFAULT_LIMIT);
        let start = paging.start()?;
        let answer = query.completion(&at, &trigger, start..start.saturating_add(paging.limit())).await?;
        let proposals = &answer.value;
        let list = view.list(&proposals.items, &paging, |text, _, item| {
            let _ = write!(text, "  {}", item.label);
            if !item.kind.is_empty() {
                let _ = write!(text, " ({})", item.kind);
            }
            if let Some(detail) = item.detail.as_deref().filter(|detail| *detail != item.label) {
                let _ = write!(text, "  {detail}");
            }
            text.push_str(if item.deprecated { "  deprecated\n" } else { "\n" });
        })?;
        let mut text = at.header();
        let shown_count = list.range.len();
        let _ = write!(text, "\n{}", pluralize(proposals.items.len(), "completion"));
        if shown_count < proposals.items.len() {
            let _ = write!(text, ", best {shown_count}");
        }
        text.push_str(if proposals.incomplete { " (incomplete: type more for others)\n" } else { "\n" });
        text.push_str(&list.text);
        let mut status = answer.status;
        status.merge(at.status.clone());
        let data = view.data(|| {
        let items: Vec<_> = proposals
            .items
            .get(list.range)
            .unwrap_or_default()
            .iter()
            .map(|item| json!({ "label": item.label, "kind": item.kind, "detail": item.detail, "documentation": item.documentation, "deprecated": item.deprecated }))
            .collect();
            json!({ "resolved": resolved_json(&at), "items": items, "total": proposals.items.len(), "incomplete": proposals.incomplete })
        });
        Ok(CodeAnswer { text, data, status, truncated: list.truncated })
    }
}
