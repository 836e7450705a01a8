//! Answer of tools that list the locations related to a symbol: a count, then each location with its source line.

use std::fmt::Write as _;

use serde_json::json;
use zubi_base::text::pluralize;
use zubi_code::features::locations::Relation;
use zubi_code::locate::PositionIntent;
use zubi_code::{CodeError, CodeQuery};

use crate::lsp::arguments::{PagingArgs, TargetArgs};
use crate::lsp::code_tool::CodeAnswer;
use crate::lsp::view::{OutputBudget, listed_location_json, resolved_json};

/// Maximum lines of context. A client that needs more should read the file.
pub(crate) const MAX_CONTEXT: u32 = 50;

/// A location query and the wording of its answer.
pub(crate) struct LocationQuery {
    pub(crate) relation: Relation,
    /// Name of one location: `definition`.
    pub(crate) noun: &'static str,
    /// Possible reasons for an empty answer.
    pub(crate) empty_reason: &'static str,
    /// Source lines around each location.
    pub(crate) context: Option<u32>,
    /// `None` if the tool has no cursor: the answer then says how to see the rest.
    pub(crate) paging: Option<PagingArgs>,
}

/// Runs the location query and renders its answer.
pub(crate) async fn answer_locations(
    query: &CodeQuery<'_>,
    view: &OutputBudget,
    target: &TargetArgs,
    location_query: &LocationQuery,
) -> Result<CodeAnswer, CodeError> {
    let at = &query.resolve(&target.input(), PositionIntent::Identifier).await?;
    let locations = query.locations(at, location_query.relation).await?;
    let context = location_query.context.unwrap_or(0).min(MAX_CONTEXT);
    let (list, hits) = match &location_query.paging {
        Some(paging) => view.locations(query, &locations.value, context, paging).await?,
        None => view.first_locations(query, &locations.value, context, u32::MAX, "narrow it with path").await?,
    };
    let mut text = at.header();
    let name = at.name.as_deref().unwrap_or("this position");
    // Writing to a `String` cannot fail. A separate declaration and a word match are listed but do
    // not count as definitions.
    let _ = match locations.value.iter().filter(|found| !found.declaration && !found.text_only).count() {
        0 => writeln!(text, "\nno {} of `{name}`: {}", location_query.noun, location_query.empty_reason),
        total => writeln!(text, "\n{} of `{name}`", pluralize(total, location_query.noun)),
    };
    text.push_str(&list.text);
    let mut status = locations.status;
    status.merge_target(at.status.clone());
    let data = view.data(|| {
        let items: Vec<_> = hits.iter().map(listed_location_json).collect();
        json!({ "resolved": resolved_json(at), "items": items, "total": locations.value.len() })
    });
    Ok(CodeAnswer { text, data, status, truncated: list.truncated })
}
