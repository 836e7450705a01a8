//! References that a rename does not edit, although the same server lists them.

use std::sync::Arc;

use serde_json::Value;
use zubi_base::endpoint::Endpoint;
use zubi_base::text::{list_first, pluralize};
use zubi_base::uri;

use super::fit::text_edits_mut;
use super::projects::CompletedRename;
use crate::features::locations::{RawLocation, Relation};
use crate::locate::ResolvedTarget;
use crate::location::column_of;
use crate::markup::clean_line;
use crate::query::CodeQuery;
use crate::request::EndpointReply;
use crate::text_search;

/// The maximum number of references that a clause names.
const MAX_NAMED: usize = 4;

/// References that no edit of a rename changes.
#[derive(Debug, Default)]
pub(super) struct UneditedReferences {
    pub(super) references: Vec<RawLocation>,
    /// Places of the references as `path:line:column`, sorted, without duplicates.
    places: Vec<String>,
}

impl UneditedReferences {
    /// Returns a clause that names the first of them; `None` without any.
    pub(super) fn describe(&self) -> Option<String> {
        let uses = pluralize(self.places.len(), "use");
        let named = list_first(self.places.iter().cloned(), MAX_NAMED);
        (!self.places.is_empty())
            .then(|| format!("the server's rename leaves {uses} that its references list: {named}"))
    }
}

impl CodeQuery<'_> {
    /// Returns the references that an endpoint lists for the position in `params`; empty if it does not list any.
    pub(super) async fn own_references(
        &self,
        at: &ResolvedTarget,
        endpoint: &Arc<dyn Endpoint>,
        mut params: Value,
    ) -> Vec<RawLocation> {
        let relation = Relation::References { include_declaration: true };
        let cx = self.request_cx().for_document(&at.reference);
        let mut found = Vec::new();
        if at.name.is_some() && endpoint.supports(relation.method(), Some(&at.reference), &cx).await {
            relation.add_context(&mut params);
            if let Ok(result) = self.send(endpoint.as_ref(), relation.method(), params, &cx).await {
                self.add_replies(&mut found, &[EndpointReply { endpoint: Arc::clone(endpoint), result }], &[]);
            }
        }
        found
    }

    /// Finds the references with the name that no edit changes.
    pub(super) async fn find_unedited(
        &self,
        at: &ResolvedTarget,
        new_name: &str,
        rename: &mut CompletedRename,
        mut references: Vec<RawLocation>,
    ) -> UneditedReferences {
        let mut unedited = UneditedReferences::default();
        let Some(old) = at.name.as_deref() else { return unedited };
        // A server that writes `old as new` renames a part of the uses only, and says so in the code.
        let preserves_name = |text: &str| text != new_name && text_search::count(text, old) > 0;
        let mut texts =
            rename.edits_with_encodings().flat_map(|(edit, _)| text_edits_mut(edit)).flat_map(|(_, edits)| edits);
        let alias = texts.find_map(|edit| edit["newText"].as_str().filter(|text| preserves_name(text)).map(clean_line));
        drop(texts);
        if let Some(alias) = alias {
            rename.notes.push(format!("the server renames only the uses of an alias that it writes: `{alias}`"));
            return unedited;
        }
        references.retain(|found| !found.external);
        // The plan has a note about the edits there.
        let _noted = self.leave_out_other_worktrees(&at.path, &mut references);
        self.make_comparable(rename, &mut references).await;
        for found in references.into_iter().filter(|found| !rename.covers(found)) {
            let Some(path) = uri::to_path(&found.location.uri) else { continue };
            let Ok(document) = self.document(&path).await else { continue };
            let range = document.index.range_from_lsp(&found.location.range, found.encoding);
            let text = document.text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default();
            // Others are implicit uses (an operator, a constructor) or aliases.
            if text.eq_ignore_ascii_case(old) || text_search::count(text, old) > 0 {
                let line = document.index.line_col(range.start()).line + 1;
                let column = column_of(&document, range.start());
                unedited.places.push(format!("{}:{line}:{column}", clean_line(&found.display_path)));
                unedited.references.push(found);
            }
        }
        unedited.places.sort();
        unedited.places.dedup();
        unedited
    }

    /// Converts the edited ranges and the references to one unit of columns and to paths without links.
    async fn make_comparable(&self, rename: &mut CompletedRename, references: &mut [RawLocation]) {
        let encoding = references.first().map(|found| found.encoding);
        let mut all = rename.edited.iter_mut().chain(references).collect::<Vec<_>>();
        if all.iter().any(|found| Some(found.encoding) != encoding) {
            self.convert_all_to_utf16(all.iter_mut().map(|found| &mut **found)).await;
        }
        let mut resolved = None;
        for found in all {
            let uri = &mut found.location.uri;
            let known = resolved.take().filter(|(from, _)| from == uri);
            let (from, to) = known.unwrap_or_else(|| (uri.clone(), self.resolve_links(uri)));
            if let Some(to) = &to {
                uri.clone_from(to);
            }
            resolved = Some((from, to));
        }
    }
}
