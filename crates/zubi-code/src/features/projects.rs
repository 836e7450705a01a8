//! Uses of a symbol in other projects of the workspace.
//!
//! A language server knows one project (a Go module, a Python package with its settings): it silently omits references
//! in other projects. So zubi searches the texts for the name. If a file has the name but no location in the answer,
//! zubi sends the same request about the same document to the servers of that file's project. The answer lists the
//! projects that could not be queried.

use camino::Utf8PathBuf;
use futures_util::future::join_all;
use rustc_hash::FxHashSet;
use zubi_base::endpoint::{DocumentRef, Endpoint, EndpointError, OtherProject};
use zubi_base::text::pluralize;
use zubi_base::uri;

use crate::edit::Plan;
use crate::error::CodeError;
use crate::features::locations::{RawLocation, Relation};
use crate::locate::ResolvedTarget;
use crate::markup::clean_line;
use crate::query::{CodeQuery, SourceDocument};
use crate::readiness::ReadinessLevel;
use crate::request::{Replies, position_params};
use crate::status::{AnswerStatus, Completeness};

/// The maximum number of other projects that are queried. Each may cost a process.
const MAX_OTHERS: usize = 4;

/// The maximum number of projects that a status line names.
const MAX_NAMED: usize = 3;

impl CodeQuery<'_> {
    /// Whether related locations may be in projects that the symbol's own servers do not read.
    pub(crate) async fn may_lead_to_other_projects(&self, at: &ResolvedTarget, relation: Relation) -> bool {
        // A server that reads a use also knows the definition, so other relations do not need this.
        matches!(relation, Relation::References { .. } | Relation::Implementations)
            && at.name.is_some()
            && self.intel.router.has_other_projects(&at.reference, relation.method()).await
    }

    /// Returns the other projects in which the name occurs, in files that have no location in the answer. `None` if the
    /// search did not finish in time.
    async fn projects_with_the_name(
        &self,
        at: &ResolvedTarget,
        method: &str,
        answered: &FxHashSet<Utf8PathBuf>,
    ) -> Option<Vec<OtherProject>> {
        let matches = self.word_matches(at).await?;
        let files = matches
            .files
            .iter()
            .filter(|file| file.is_own())
            .map(|file| &file.path)
            .filter(|path| !answered.contains(*path));
        let files: Vec<_> = files.cloned().collect();
        if files.is_empty() {
            return Some(Vec::new());
        }
        Some(self.intel.router.other_projects(&at.reference, method, files).await)
    }

    /// Requests the locations of a relation from the servers of the other projects in which the name occurs.
    pub(crate) async fn query_other_projects(
        &self,
        at: &ResolvedTarget,
        relation: Relation,
        found: &[RawLocation],
    ) -> Result<Replies, CodeError> {
        let mut all = Replies { replies: Vec::new(), status: AnswerStatus::default() };
        let answered = found.iter().filter_map(|found| uri::to_path(&found.location.uri)).collect();
        let Some(others) = self.projects_with_the_name(at, relation.method(), &answered).await else {
            let reason =
                "whether other projects of the workspace use it was not found out: looking for the name took too long";
            all.status.mark_incomplete(reason.to_owned());
            return Ok(all);
        };
        let document = self.document(&at.path).await?;
        // All at once, so that loading projects cost one time-out in total.
        let (queried, skipped) = others.split_at(others.len().min(MAX_OTHERS));
        let mut omitted: Vec<&OtherProject> = skipped.iter().collect();
        let answers =
            join_all(queried.iter().map(|other| self.query_other_project(at, relation, &document, other))).await;
        for (other, answer) in queried.iter().zip(answers) {
            match answer {
                Ok(replies) => {
                    all.replies.extend(replies.replies);
                    all.status.merge(replies.status);
                }
                Err(error @ CodeError::Endpoint(EndpointError::Cancelled)) => return Err(error),
                Err(error) => {
                    tracing::debug!(project = %other.root, %error, "another project does not answer");
                    omitted.push(other);
                }
            }
        }
        if !omitted.is_empty() {
            let name = at.name.as_deref().unwrap_or_default();
            let reason = format!("`{name}` also occurs in {}, which was not queried", self.describe_projects(&omitted));
            all.status.mark_incomplete(reason);
        }
        Ok(all)
    }

    /// Sends the request about the symbol's own document to another project's servers.
    async fn query_other_project(
        &self,
        at: &ResolvedTarget,
        relation: Relation,
        document: &SourceDocument,
        other: &OtherProject,
    ) -> Result<Replies, CodeError> {
        let example = DocumentRef::new(other.example.clone());
        let ready = self.ready_for(&example, relation.method(), relation.operation(), ReadinessLevel::Project).await?;
        let mut cx = self.request_cx().for_document(&at.reference);
        cx.documents.push(example);
        let params = |endpoint: &dyn Endpoint| {
            let mut params = position_params(&at.reference, document, at.offset, endpoint.encoding());
            relation.add_context(&mut params);
            params
        };
        self.request_all(&ready, relation.method(), &cx, params).await
    }

    /// Notes that an answer does not include other projects, if the symbol's name occurs in them.
    pub(crate) async fn add_other_projects_note(
        &self,
        at: &ResolvedTarget,
        method: &str,
        answered: &FxHashSet<Utf8PathBuf>,
        explanation: &str,
        status: &mut AnswerStatus,
    ) {
        if at.name.is_none() || !self.intel.router.has_other_projects(&at.reference, method).await {
            return;
        }
        let name = at.name.as_deref().unwrap_or_default();
        let reason = match self.projects_with_the_name(at, method, answered).await {
            Some(others) if others.is_empty() => return,
            Some(others) => {
                let others: Vec<_> = others.iter().collect();
                format!("`{name}` also occurs in {}: {explanation}", self.describe_projects(&others))
            }
            None => format!("the workspace has other projects: {explanation}"),
        };
        status.mark_incomplete(reason);
    }

    /// Notes that a rename does not change uses in other projects, if there are any: its edits come from one server.
    pub(crate) async fn add_unrenamed_note(
        &self,
        at: &ResolvedTarget,
        method: &str,
        plan: &Plan,
        status: &mut AnswerStatus,
    ) {
        if at.name.is_none() || !self.intel.router.has_other_projects(&at.reference, method).await {
            return;
        }
        let Ok(uses) = self.locations(at, Relation::References { include_declaration: true }).await else {
            let explanation = "what uses it there is not renamed";
            return self.add_other_projects_note(at, method, &FxHashSet::default(), explanation, status).await;
        };
        let unedited = uses.value.iter().filter(|found| plan.files.iter().all(|file| file.path != found.display_path));
        let unedited: Vec<_> = unedited.filter_map(|found| uri::to_path(&found.location.uri)).collect();
        let others = self.intel.router.other_projects(&at.reference, method, unedited.clone()).await;
        let count = unedited.iter().filter(|path| others.iter().any(|other| path.starts_with(&other.root))).count();
        if others.is_empty() {
            if let Completeness::Partial { reason } = uses.status.completeness {
                status.completeness = Completeness::Partial { reason };
            }
            return;
        }
        let others: Vec<_> = others.iter().collect();
        let use_count = pluralize(count, "use");
        let reason = format!(
            "{use_count} in {} will not be renamed: `lsp_references` lists them",
            self.describe_projects(&others)
        );
        status.completeness = Completeness::Partial { reason };
    }

    /// Lists projects for a status line.
    fn describe_projects(&self, projects: &[&OtherProject]) -> String {
        let names =
            projects.iter().take(MAX_NAMED).map(|project| match self.workspace().display(&project.root).as_str() {
                "." => "the top folder".to_owned(),
                shown => clean_line(shown),
            });
        let more = projects.len().checked_sub(MAX_NAMED).filter(|more| *more > 0).map(|more| format!("{more} more"));
        names.chain(more).collect::<Vec<_>>().join(", ")
    }
}
