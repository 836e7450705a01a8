//! Answer of tools that list the locations related to a symbol: a count, then each location with its source line.

use std::fmt::Write as _;

use serde_json::json;
use zubi_code::features::locations::Relation;
use zubi_code::locate::ResolvedTarget;
use zubi_code::{CodeError, Question};

use crate::lsp::arguments::PagingArgs;
use crate::lsp::code_tool::CodeAnswer;
use crate::lsp::view::{OutputBudget, count, hit_json, resolved_json};

/// More lines than this are a file to read, not context.
pub(crate) const MAX_CONTEXT: u32 = 50;

/// A location query and the wording of its answer.
pub(crate) struct LocationQuery {
    pub(crate) relation: Relation,
    /// Name of one location: `definition`.
    pub(crate) noun: &'static str,
    /// Possible reasons for an empty answer.
    pub(crate) why_none: &'static str,
    /// Source lines around each location.
    pub(crate) context: Option<u32>,
    pub(crate) paging: PagingArgs,
}

/// Runs the location query and renders its answer.
pub(crate) async fn answer_locations(
    question: &Question<'_>,
    view: &OutputBudget,
    at: &ResolvedTarget,
    wanted: &LocationQuery,
) -> Result<CodeAnswer, CodeError> {
    let found = question.locations(at, wanted.relation).await?;
    let context = wanted.context.unwrap_or(0).min(MAX_CONTEXT);
    let (list, hits) = view.hits(question, &found.value, context, &wanted.paging).await?;
    let mut text = at.header();
    let name = at.name.as_deref().unwrap_or("this position");
    // Writing to a `String` cannot fail. A separate declaration is listed, but not counted as a definition.
    let _ = match found.value.iter().filter(|found| !found.declaration).count() {
        0 => writeln!(text, "\nno {} of `{name}`: {}", wanted.noun, wanted.why_none),
        total => writeln!(text, "\n{} of `{name}`", count(total, wanted.noun)),
    };
    text.push_str(&list.text);
    let mut status = found.status;
    status.merge(at.status.clone());
    let data = view.data(|| {
        let items: Vec<_> = hits.iter().map(hit_json).collect();
        json!({ "resolved": resolved_json(at), "items": items, "total": found.value.len() })
    });
    Ok(CodeAnswer { text, data, status, truncated: list.truncated })
}
