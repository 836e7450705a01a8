//! Implementations in other projects that one process reads. A server that searches only the project of the request's
//! document returns them for a use of the symbol in their project.

use std::sync::Arc;

use camino::Utf8Path;
use rustc_hash::FxHashSet;
use zubi_base::endpoint::{Endpoint, ProjectServerState};
use zubi_base::lsp;
use zubi_base::position::Encoding;

use super::locations::{RawLocation, same_start};
use crate::locate::ResolvedTarget;
use crate::query::CodeQuery;
use crate::request::{EndpointReply, position_params};
use crate::status::AnswerStatus;
use crate::text_search::WordOccurrences;

const METHOD: &str = "textDocument/implementation";

/// The maximum number of projects in which zubi requests implementations.
const MAX_PROJECTS: usize = 50;

/// The maximum number of files of a project in which zubi looks for a use of the symbol.
const MAX_FILES: usize = 4;

impl CodeQuery<'_> {
    /// Adds the implementations in other projects if a server answers only about one. Marks the answer if the name occurs in
    /// a project, but no use of the symbol was found there.
    pub(super) async fn add_implementations_per_project(
        &self,
        at: &ResolvedTarget,
        endpoints: &[Arc<dyn Endpoint>],
        found: &mut Vec<RawLocation>,
        status: &mut AnswerStatus,
    ) {
        let limited: Vec<_> =
            endpoints.iter().filter(|endpoint| endpoint.answers_per_project(METHOD)).map(Arc::clone).collect();
        if limited.is_empty() {
            return;
        }
        // The request before has noted it if the search for the name did not finish.
        let Some(others) = self.projects_with_the_name(at, METHOD, &FxHashSet::default()).await else { return };
        let Some(words) = self.word_matches(at).await else { return };
        let Ok(document) = self.document(&at.path).await else { return };
        let declared = self.declarations(&limited, at, &document).await;
        let mut unknown = Vec::new();
        let shared = others.into_iter().filter(|project| project.server_state == ProjectServerState::Shared);
        for (number, project) in shared.enumerate() {
            let mut is_known = false;
            let uses = first_in_code(&words, &project.root).take(if number < MAX_PROJECTS { MAX_FILES } else { 0 });
            for (path, position) in uses {
                is_known = self.add_implementations_at_use(path, position, &limited, &declared, found).await;
                if is_known {
                    break;
                }
            }
            if !is_known {
                unknown.push(project);
            }
        }
        if !unknown.is_empty() {
            let name = at.name.as_deref().unwrap_or_default();
            let projects = self.describe_projects(&unknown);
            status.mark_incomplete(format!("`{name}` also occurs in {projects}: `lsp_references` looks there"));
        }
    }

    /// Requests the implementations at an occurrence of the name. Returns `false` if it is another symbol, or if a server
    /// does not answer.
    async fn add_implementations_at_use(
        &self,
        path: &Utf8Path,
        position: lsp::Position,
        endpoints: &[Arc<dyn Endpoint>],
        declared: &[lsp::Location],
        found: &mut Vec<RawLocation>,
    ) -> bool {
        let Ok(document) = self.document(path).await else { return false };
        let offset = document.index.from_lsp(position, Encoding::Utf16);
        let target = self.resolved_target(path.to_owned(), &document, offset, None);
        let definitions = self.declarations(endpoints, &target, &document).await;
        if !definitions.iter().any(|one| declared.iter().any(|other| same_start(one, other))) {
            return false;
        }
        let cx = self.request_cx().for_document(&target.reference);
        for endpoint in endpoints {
            let params = position_params(&target.reference, &document, target.offset, endpoint.encoding());
            let Ok(result) = self.send(endpoint.as_ref(), METHOD, params, &cx).await else { return false };
            self.add_replies(found, &[EndpointReply { endpoint: Arc::clone(endpoint), result }], &[]);
        }
        true
    }
}

/// Returns the files below a directory in which a word occurs in code, with its first position there in UTF-16 columns.
fn first_in_code<'a>(
    words: &'a WordOccurrences,
    directory: &'a Utf8Path,
) -> impl Iterator<Item = (&'a Utf8Path, lsp::Position)> {
    let files = words.files.iter().filter(move |file| file.is_own() && file.path.starts_with(directory));
    files.filter_map(|file| {
        let first = file.occurrences.iter().find(|occurrence| occurrence.is_code)?;
        Some((file.path.as_path(), first.start(Encoding::Utf16)))
    })
}
