//! Uses of a symbol in other projects of the workspace.
//!
//! A language server knows one project (a Go module, a Python package with its settings): it silently omits references
//! in other projects. So zubi searches the texts for the name. If a file has the name but no location in the answer,
//! zubi sends the same request about the same document to the servers of that file's project, and opens the file if the
//! server reads several projects. The answer lists the projects that were not queried.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use futures_util::future::join_all;
use rustc_hash::FxHashSet;
use zubi_base::endpoint::{DocumentRef, Endpoint, EndpointError, OtherProject, ProjectServerState, RequestCx};
use zubi_base::sync::lock;
use zubi_base::text::list_first;
use zubi_base::uri;

use crate::error::CodeError;
use crate::features::locations::{RawLocation, Relation};
use crate::locate::ResolvedTarget;
use crate::markup::clean_line;
use crate::query::{CodeQuery, SourceDocument};
use crate::readiness::ReadinessLevel;
use crate::request::{ReadyEndpoints, Replies, position_params};
use crate::status::AnswerStatus;

/// The maximum number of servers that a request starts at once. Without [`CallCx::all_projects`] it starts no more than
/// that. A project that a running server reads costs only an open document, so their number has no limit.
///
/// [`CallCx::all_projects`]: crate::CallCx::all_projects
const MAX_STARTED: usize = 4;

/// The maximum number of documents that one request opens to make a server read their projects.
const MAX_OPENED: usize = 50;

/// The maximum number of files for which zubi checks whether their project excludes them.
const MAX_CHECKED: usize = 200;

/// The maximum number of projects that a status line names.
const MAX_NAMED: usize = 3;

/// Other projects in the order in which zubi queries them.
pub(crate) struct ProjectQueue {
    /// Each batch is queried at once; each of its groups is read by one process.
    pub(crate) batches: Vec<Vec<ProjectGroup>>,
    /// The projects above the limit.
    pub(crate) omitted: Vec<OtherProject>,
}

/// Other projects that one server process reads while a document of each is open; not empty.
pub(crate) type ProjectGroup = Vec<OtherProject>;

impl ProjectQueue {
    fn new(others: Vec<OtherProject>, all: bool) -> Self {
        let mut by_server: BTreeMap<Utf8PathBuf, Vec<OtherProject>> = BTreeMap::new();
        for other in others {
            by_server.entry(other.server_root.clone()).or_default().push(other);
        }
        let (mut first, mut stopped) = (Vec::new(), Vec::new());
        for projects in by_server.into_values() {
            let is_stopped =
                projects.first().is_some_and(|project| project.server_state == ProjectServerState::Stopped);
            let groups = projects.chunks(MAX_OPENED).map(<[OtherProject]>::to_vec);
            if is_stopped { stopped.push(groups.collect::<Vec<_>>()) } else { first.extend(groups) }
        }
        let mut batches = stopped.chunks(MAX_STARTED).map(<[_]>::concat).collect::<Vec<Vec<ProjectGroup>>>();
        let omitted = if all || batches.is_empty() { Vec::new() } else { batches.split_off(1).concat().concat() };
        match batches.first_mut() {
            // The servers that must start are queried together with the others, so that loading costs one time-out.
            Some(batch) => batch.splice(0..0, first).for_each(drop),
            None => batches.push(first),
        }
        Self { batches, omitted }
    }
}

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
        let others: Vec<_> =
            matches.files.iter().filter(|file| file.is_own() && !answered.contains(&file.path)).collect();
        if others.is_empty() {
            return Some(Vec::new());
        }
        // A file that its project's configuration excludes does not make a server read the project.
        let (mut examples, mut excluded) = (Vec::new(), Vec::new());
        for file in others {
            let is_excluded = examples.len() + excluded.len() < MAX_CHECKED
                && match file.occurrences.iter().find(|occurrence| occurrence.is_code) {
                    Some(occurrence) => {
                        let exclusions = self.file_exclusions(&file.path).await;
                        exclusions.is_some_and(|exclusions| exclusions.reason_for(occurrence).is_some())
                    }
                    None => true,
                };
            if is_excluded { excluded.push(file.path.clone()) } else { examples.push(file.path.clone()) }
        }
        let mut projects = self.intel.router.other_projects(&at.reference, method, examples).await;
        if !excluded.is_empty() {
            let further = self.intel.router.other_projects(&at.reference, method, excluded).await;
            let is_new = |other: &OtherProject| projects.iter().all(|known| known.root != other.root);
            let further: Vec<_> = further.into_iter().filter(is_new).collect();
            projects.extend(further);
        }
        Some(projects)
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
        let queue = ProjectQueue::new(others, self.cx.all_projects == Some(true));
        let mut failed: Vec<OtherProject> = Vec::new();
        for batch in queue.batches {
            let answers = batch.iter().map(|group| self.query_group(at, relation, &document, group));
            for (group, answer) in batch.iter().zip(join_all(answers).await) {
                match answer {
                    Ok(replies) => {
                        all.replies.extend(replies.replies);
                        all.status.merge(replies.status);
                    }
                    Err(error @ CodeError::Endpoint(EndpointError::Cancelled)) => return Err(error),
                    Err(error) => {
                        tracing::debug!(projects = group.len(), %error, "other projects do not answer");
                        failed.extend(group.iter().cloned());
                    }
                }
            }
        }
        *lock(&self.unqueried) = [failed.as_slice(), queue.omitted.as_slice()].concat();
        let name = at.name.as_deref().unwrap_or_default();
        let not_queried = match (self.cx.all_projects, relation) {
            (Some(_), _) => "not queried; allProjects=true queries all",
            (None, Relation::Implementations) => "not queried; `lsp_implementations` with allProjects=true queries all",
            (None, _) => "not queried; `lsp_references` with allProjects=true queries all",
        };
        for (projects, outcome) in [(&failed, "did not answer"), (&queue.omitted, not_queried)] {
            if !projects.is_empty() {
                let reason = format!("`{name}` also occurs in {} ({outcome})", self.describe_projects(projects));
                all.status.mark_incomplete(reason);
            }
        }
        Ok(all)
    }

    /// Sends the request about the symbol's own document to the servers of other projects, which share a process.
    async fn query_group(
        &self,
        at: &ResolvedTarget,
        relation: Relation,
        document: &SourceDocument,
        group: &[OtherProject],
    ) -> Result<Replies, CodeError> {
        let ready = self.ready_for_group(group, relation.method(), relation.operation()).await?;
        let cx = self.request_cx_with(at, group);
        let params = |endpoint: &dyn Endpoint| {
            let mut params = position_params(&at.reference, document, at.offset, endpoint.encoding());
            relation.add_context(&mut params);
            params
        };
        self.request_all(&ready, relation.method(), &cx, params).await
    }

    /// Waits for the servers of a group of projects.
    pub(crate) async fn ready_for_group(
        &self,
        group: &[OtherProject],
        method: &str,
        operation: &str,
    ) -> Result<ReadyEndpoints, CodeError> {
        let Some(first) = group.first() else { return Err(CodeError::NoEndpoint(Vec::new())) };
        self.ready_for(&DocumentRef::new(first.example.clone()), method, operation, ReadinessLevel::Project).await
    }

    /// Returns the context of a request about a target that opens a document of each of these projects.
    pub(crate) fn request_cx_with(&self, at: &ResolvedTarget, projects: &[OtherProject]) -> RequestCx {
        let mut cx = self.request_cx().for_document(&at.reference);
        cx.documents.extend(projects.iter().map(|project| DocumentRef::new(project.example.clone())));
        cx
    }

    /// Returns the other projects in which the name occurs, or `None` if the search did not finish in time. First those
    /// that the server of the symbol's document reads while one of their documents is open, then the queue of the others.
    pub(crate) async fn split_other_projects(
        &self,
        at: &ResolvedTarget,
        method: &str,
    ) -> Option<(Vec<OtherProject>, ProjectQueue)> {
        let others = if at.name.is_some() && self.intel.router.has_other_projects(&at.reference, method).await {
            self.projects_with_the_name(at, method, &FxHashSet::default()).await?
        } else {
            Vec::new()
        };
        let (shared, apart) = others.into_iter().partition(|other| other.server_state == ProjectServerState::Shared);
        Some((shared, ProjectQueue::new(apart, self.cx.all_projects == Some(true))))
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
                format!("`{name}` also occurs in {}: {explanation}", self.describe_projects(&others))
            }
            None => format!("the workspace has other projects: {explanation}"),
        };
        status.mark_incomplete(reason);
    }

    /// Lists projects for a status line.
    pub(crate) fn describe_projects(&self, projects: &[OtherProject]) -> String {
        let names = projects.iter().map(|project| match self.workspace().display(&project.root).as_str() {
            "." => "the top folder".to_owned(),
            shown => clean_line(shown),
        });
        list_first(names, MAX_NAMED)
    }
}
