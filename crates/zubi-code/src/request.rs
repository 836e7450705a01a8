//! Sends the requests of a query: waits for the endpoints by the readiness policy, then sends one request to each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use futures_util::future::{join_all, select_all};
use serde_json::{Value, json};
use zubi_base::endpoint::{
    DocumentRef, Endpoint, EndpointError, Endpoints, MissingServer, OMITTED_COUNT_FIELD, Readiness, RequestCx,
};
use zubi_base::position::{Encoding, TextSize};

use crate::error::{CodeError, endpoint_hint};
use crate::exclusion;
use crate::query::{CodeQuery, SourceDocument};
use crate::readiness::{self, ReadinessLevel};
use crate::response_check::{self, ResponseCheck};
use crate::status::{AnswerSource, AnswerStatus, AnsweringEndpoint, Completeness};

/// The method by which sources recognize endpoints that report diagnostics.
const DIAGNOSTICS: &str = "textDocument/diagnostic";

/// The time in which a server that is loading after the wait must answer all requests of a query.
const LOADING_ANSWER: Duration = Duration::from_secs(5);

/// One endpoint's response to a request.
pub(crate) struct EndpointReply {
    pub(crate) endpoint: Arc<dyn Endpoint>,
    pub(crate) result: Value,
}

/// All responses to a request, with the status so far.
pub(crate) struct Replies {
    pub(crate) replies: Vec<EndpointReply>,
    pub(crate) status: AnswerStatus,
}

/// The endpoints of a document or of the whole workspace, after a short wait.
pub(crate) enum SearchEndpoints {
    /// No endpoint exists, or one at least has settled its readiness.
    Settled(Endpoints),
    /// All are starting or loading, each with a clause that says so.
    Loading(Vec<String>),
}

/// The endpoints that will get the request, each as ready as the caller's time-out allowed.
pub(crate) struct ReadyEndpoints {
    pub(crate) endpoints: Vec<Arc<dyn Endpoint>>,
    pub(crate) status: AnswerStatus,
    /// The readiness that the answer needs.
    need: ReadinessLevel,
}

impl ReadyEndpoints {
    /// Adds the errors and warnings that the endpoints have reported about themselves since they were ready. A server
    /// may do so only while it answers its first request (ty 0.0.104).
    pub(crate) fn add_reports(&self, status: &mut AnswerStatus) {
        for caveats in self.endpoints.iter().map(|endpoint| endpoint.caveats(None)) {
            let mut new = caveats.failures.into_iter().chain(caveats.health).collect::<Vec<_>>();
            match self.need {
                ReadinessLevel::Project => {
                    new.retain(|report| !status.gaps.contains(report));
                    status.gaps.extend(new);
                }
                // One file's text is enough for the answer.
                ReadinessLevel::File => {
                    new.retain(|report| !status.notes.contains(report) && !status.beyond.contains(report));
                    status.beyond.extend(new);
                }
            }
        }
    }
}

impl CodeQuery<'_> {
    /// Waits for the endpoints that support `method` for a document. Returns an error if no endpoint does.
    pub(crate) async fn ready_for(
        &self,
        document: &DocumentRef,
        method: &str,
        operation: &str,
        need: ReadinessLevel,
    ) -> Result<ReadyEndpoints, CodeError> {
        let found = self.find_endpoints(document, method).await;
        self.ready(found, Some(document), method, operation, need).await
    }

    /// Returns the endpoints of a document for a request, without waiting for them.
    pub(crate) async fn find_endpoints(&self, document: &DocumentRef, method: &str) -> Endpoints {
        self.intel.router.for_document(document, method, &self.request_cx()).await
    }

    /// Returns the endpoints that find references for a document's symbols, without waiting for them.
    pub(crate) async fn navigators(&self, document: &DocumentRef) -> Vec<Arc<dyn Endpoint>> {
        self.find_endpoints(document, "textDocument/references").await.endpoints
    }

    /// Returns the absent servers that could have answered a request about a document.
    pub(crate) async fn missing_providers(&self, document: &DocumentRef, method: &str) -> Vec<MissingServer> {
        self.find_endpoints(document, method).await.absent
    }

    /// Waits for the endpoints that report diagnostics of a document, by push or by pull.
    pub(crate) async fn ready_for_problems(&self, document: &DocumentRef) -> Result<ReadyEndpoints, CodeError> {
        let found = self.find_endpoints(document, DIAGNOSTICS).await;
        if found.endpoints.is_empty() {
            return Err(CodeError::NoEndpoint(found.absent));
        }
        let states = readiness::wait(&found.endpoints, ReadinessLevel::Project, self.wait_until, &self.cx).await?;
        if found.endpoints.iter().all(|endpoint| matches!(endpoint.readiness(), Readiness::Failed { .. })) {
            return Err(unsupported_error(&found.endpoints, "answer", found.absent));
        }
        let mut status =
            self.status_of(&found.endpoints, Some(document), states, ReadinessLevel::Project, found.absent);
        // A document's own diagnostics do not need the rest of the project, but a server that works.
        let unread =
            found.endpoints.iter().flat_map(|endpoint| endpoint.caveats(Some(document)).project).collect::<Vec<_>>();
        status.gaps.retain(|gap| !unread.contains(gap));
        status.notes.extend(unread);
        Ok(ReadyEndpoints { endpoints: found.endpoints, status, need: ReadinessLevel::Project })
    }

    /// Returns the endpoints that report diagnostics anywhere in the workspace, after they are initialized.
    pub(crate) async fn ready_for_problems_anywhere(&self) -> Result<Endpoints, CodeError> {
        let found = self.intel.router.for_workspace(DIAGNOSTICS, &self.request_cx()).await;
        if found.endpoints.is_empty() {
            return Err(CodeError::NoEndpoint(found.absent));
        }
        readiness::wait(&found.endpoints, ReadinessLevel::File, self.wait_until, &self.cx).await?;
        Ok(found)
    }

    fn status_of(
        &self,
        endpoints: &[Arc<dyn Endpoint>],
        document: Option<&DocumentRef>,
        states: Vec<AnsweringEndpoint>,
        need: ReadinessLevel,
        absent: Vec<MissingServer>,
    ) -> AnswerStatus {
        let mut status = AnswerStatus {
            completeness: verdict(&states, need),
            endpoints: states,
            absent,
            notes: self.freshness.clone().into_iter().collect(),
            gaps: Vec::new(),
            beyond: Vec::new(),
            packages: Vec::new(),
            environment: Vec::new(),
            remarks: Vec::new(),
            is_partial: false,
            source: AnswerSource::Servers,
            exact: None,
        };
        for caveats in endpoints.iter().map(|endpoint| endpoint.caveats(document)) {
            status.notes.extend(caveats.notes);
            let gaps = caveats.health.into_iter().chain(caveats.project);
            match need {
                ReadinessLevel::Project => status.gaps.extend(caveats.failures.into_iter().chain(gaps)),
                // One file's text is enough for the answer.
                ReadinessLevel::File => {
                    status.notes.extend(caveats.failures);
                    status.beyond.extend(gaps);
                }
            }
            status.environment.extend(caveats.beyond.iter().cloned());
            status.beyond.extend(caveats.beyond);
            status.packages.extend(caveats.packages);
        }
        status
    }

    /// Waits for those endpoints of the whole workspace that support `method`.
    pub(crate) async fn ready_for_workspace(
        &self,
        mut found: Endpoints,
        method: &str,
        operation: &str,
    ) -> Result<ReadyEndpoints, CodeError> {
        let uncovered = found.uncovered.take();
        let mut ready = self.ready(found, None, method, operation, ReadinessLevel::Project).await?;
        if let Some(reason) = uncovered {
            ready.status.mark_incomplete(self.with_all_projects_hint(&reason));
        }
        Ok(ready)
    }

    /// Returns the endpoints of the whole workspace, and which of them are loading if all are after a short wait.
    pub(crate) async fn endpoints_within(&self, method: &'static str, wait: Duration) -> SearchEndpoints {
        let until = Instant::now() + wait;
        let (router, cx) = (Arc::clone(&self.intel.router), self.request_cx());
        let finding = async move { router.for_workspace(method, &cx).await };
        settle_within(finding, until, Readiness::is_settled).await
    }

    /// Returns the endpoints of a document, and which of them are starting if all are after a short wait.
    pub(crate) async fn document_endpoints_within(
        &self,
        document: &DocumentRef,
        method: &'static str,
        wait: Duration,
    ) -> SearchEndpoints {
        let until = Instant::now() + wait;
        let (router, cx, document) = (Arc::clone(&self.intel.router), self.request_cx(), document.clone());
        let finding = async move { router.for_document(&document, method, &cx).await };
        settle_within(finding, until, |readiness| !matches!(readiness, Readiness::Starting)).await
    }

    /// Adds to the reason that projects were not queried how to query them.
    pub(crate) fn with_all_projects_hint(&self, reason: &str) -> String {
        match self.cx.all_projects {
            Some(_) => format!("{reason}: allProjects=true"),
            None => format!("{reason}: `lsp_workspace_symbols` with allProjects=true"),
        }
    }

    /// Waits for those of the found endpoints that support `method`, of a document or of the whole workspace.
    pub(crate) async fn ready(
        &self,
        found: Endpoints,
        document: Option<&DocumentRef>,
        method: &str,
        operation: &str,
        need: ReadinessLevel,
    ) -> Result<ReadyEndpoints, CodeError> {
        if found.endpoints.is_empty() {
            return Err(CodeError::NoEndpoint(found.absent));
        }
        // The capabilities of an endpoint, and so its relevance, are known only after its `initialize` response.
        readiness::wait(&found.endpoints, ReadinessLevel::File, self.wait_until, &self.cx).await?;
        let cx = RequestCx::new(self.cx.cancel.clone(), self.wait_until);
        let supported = join_all(found.endpoints.iter().map(|endpoint| endpoint.supports(method, document, &cx))).await;
        let (mut endpoints, mut others) = (Vec::new(), Vec::new());
        for (endpoint, is_supported) in found.endpoints.into_iter().zip(supported) {
            if is_supported { endpoints.push(endpoint) } else { others.push(endpoint) }
        }
        if endpoints.is_empty() {
            return Err(unsupported_error(&others, operation, found.absent));
        }
        let states = readiness::wait(&endpoints, need, self.wait_until, &self.cx).await?;
        let status = self.status_of(&endpoints, document, states, need, found.absent);
        Ok(ReadyEndpoints { endpoints, status, need })
    }

    /// Returns why servers do not read a file, if its text or its name shows that, as a clause.
    pub(crate) async fn unread_file_reason(&self, path: &Utf8Path) -> Option<String> {
        if !exclusion::may_hide_files(path) {
            return None;
        }
        let exclusions = self.file_exclusions(path).await?;
        let reason = exclusions.file_reason()?;
        Some(format!("`{}` is not part of the present build ({reason})", self.workspace().display(path)))
    }

    /// Returns why an endpoint does not check a file, if its settings exclude the file, as a clause.
    pub(crate) fn unchecked_file_reason(&self, endpoint: &dyn Endpoint, path: &Utf8Path) -> Option<String> {
        let id = endpoint.id();
        if !exclusion::may_leave_unchecked(&id.0, path) {
            return None;
        }
        let reason = exclusion::unchecked_reason(&id.0, path, &self.tree_of(path)?)?;
        Some(format!("{id} does not check files that are {reason}"))
    }

    /// Sends a request to an endpoint. One that is loading after the wait has little time to answer: rust-analyzer answers
    /// nothing while it builds a large workspace, and a query sends several requests.
    pub(crate) async fn send(
        &self,
        endpoint: &dyn Endpoint,
        method: &str,
        params: Value,
        cx: &RequestCx,
    ) -> Result<Value, EndpointError> {
        let mut cx = cx.clone();
        if !endpoint.readiness().is_settled() {
            cx.deadline = cx.deadline.min(self.wait_until + LOADING_ANSWER);
        }
        endpoint.request(method, params, &cx).await
    }

    /// Sends the same request to every ready endpoint at once. The status names an endpoint that fails; if all fail,
    /// returns the first error.
    pub(crate) async fn request_all(
        &self,
        ready: &ReadyEndpoints,
        method: &str,
        cx: &RequestCx,
        params: impl Fn(&dyn Endpoint) -> Value,
    ) -> Result<Replies, CodeError> {
        let requests = ready.endpoints.iter().map(|endpoint| {
            let params = params(endpoint.as_ref());
            async move { (Arc::clone(endpoint), self.send(endpoint.as_ref(), method, params, cx).await) }
        });
        let mut replies = Vec::new();
        let mut failures: Vec<EndpointError> = Vec::new();
        let mut status = ready.status.clone();
        let results = join_all(requests).await;
        ready.add_reports(&mut status);
        for (endpoint, result) in results {
            match result.and_then(|result| readable(endpoint.as_ref(), method, result)) {
                Ok((result, unreadable)) => {
                    if let Some(reason) = unreadable {
                        status.completeness = Completeness::Partial { reason };
                    }
                    replies.push(EndpointReply { endpoint, result });
                }
                Err(error) => failures.push(error),
            }
        }
        if replies.is_empty()
            && let Some(error) = failures.first()
        {
            if let (EndpointError::Server { endpoint, .. }, Some(document)) = (error, cx.documents.first())
                && let Some(reason) = self.unread_file_reason(&document.path).await
            {
                let hint =
                    "Set the build that includes the file in the server's settings, or read it with `file.read`.";
                return Err(CodeError::Declined { endpoint: endpoint.to_string(), reason, hint: hint.to_owned() });
            }
            if let (EndpointError::Server { endpoint: id, message, .. }, Some(document)) = (error, cx.documents.first())
                && let Some(endpoint) = ready.endpoints.iter().find(|endpoint| endpoint.id() == id)
                && !endpoint.caveats(Some(document)).failures.is_empty()
            {
                return Err(declined_error(endpoint.as_ref(), document, message, ""));
            }
            if let EndpointError::TimedOut { endpoint: id, .. } = error
                && let Some(endpoint) = ready.endpoints.iter().find(|endpoint| endpoint.id() == id)
            {
                let readiness = endpoint.readiness();
                let mut error = error.clone();
                if let EndpointError::TimedOut { after, .. } = &mut error
                    && !readiness.is_settled()
                {
                    *after = self.started.elapsed();
                }
                let state = if readiness.is_settled() { String::new() } else { format!(" ({id}: {readiness})") };
                let hint = if readiness.is_settled() { endpoint_hint(&error) } else { LOADING_HINT.to_owned() };
                let silent = MissingServer { subject: id.to_string(), reason: format!("{error}{state}"), hint };
                return Err(CodeError::NoAnswer(silent));
            }
            return Err(error.clone().into());
        }
        if !failures.is_empty() {
            let reason = failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            status.completeness = Completeness::Partial { reason };
        }
        Ok(Replies { replies, status })
    }
}

/// Creates the error about an endpoint that refuses a request. If it could not load the project, the error names that
/// reason and its cure instead of `hint`.
pub(crate) fn declined_error(endpoint: &dyn Endpoint, document: &DocumentRef, reason: &str, hint: &str) -> CodeError {
    let mut reasons = vec![reason.to_owned()];
    let failures = endpoint.caveats(Some(document)).failures;
    let hint =
        if failures.is_empty() { hint } else { "Repair the project as the server says; `zubi doctor` has the cure." };
    // The server's error may have the reason already.
    let own = format!("{}: ", endpoint.id());
    reasons
        .extend(failures.into_iter().filter(|failure| !reason.contains(failure.strip_prefix(&own).unwrap_or(failure))));
    CodeError::Declined { endpoint: endpoint.id().to_string(), reason: reasons.join("; "), hint: hint.to_owned() }
}

/// Creates the `textDocument` and `position` params of a request.
pub(crate) fn position_params(
    reference: &DocumentRef,
    document: &SourceDocument,
    offset: TextSize,
    encoding: Encoding,
) -> Value {
    json!({
        "textDocument": { "uri": reference.uri() },
        "position": document.index.to_lsp(offset, encoding),
    })
}

/// Checks a response; returns it with a note about missing or unreadable parts.
pub(crate) fn readable(
    endpoint: &dyn Endpoint,
    method: &str,
    mut answer: Value,
) -> Result<(Value, Option<String>), EndpointError> {
    let omitted = take_omitted_count(&mut answer);
    match response_check::check_response(method, &answer) {
        ResponseCheck::Right => Ok((answer, omitted.map(|count| format!("{} left out {count} more", endpoint.id())))),
        ResponseCheck::Partly(count) => {
            Ok((answer, Some(format!("{count} of the items that {} answered cannot be read", endpoint.id()))))
        }
        ResponseCheck::Wrong => Err(EndpointError::Protocol {
            endpoint: endpoint.id().clone(),
            message: format!("its answer to `{method}` is not of a form that the protocol has"),
        }),
    }
}

/// Removes and returns the number of items that an endpoint left out of its response, if it reports one.
fn take_omitted_count(answer: &mut Value) -> Option<u64> {
    match answer {
        Value::Array(items) => {
            let count = items.last()?.get(OMITTED_COUNT_FIELD)?.as_u64()?;
            items.pop();
            Some(count)
        }
        Value::Object(fields) => fields.remove(OMITTED_COUNT_FIELD)?.as_u64(),
        _ => None,
    }
}

/// Finds endpoints, and waits until the readiness of one is enough.
async fn settle_within(
    finding: impl Future<Output = Endpoints> + Send + 'static,
    until: Instant,
    is_enough: impl Fn(&Readiness) -> bool,
) -> SearchEndpoints {
    // In a task of its own: a start that is cancelled would begin again with the next request.
    let Ok(found) = tokio::time::timeout_at(until.into(), tokio::spawn(finding)).await else {
        return SearchEndpoints::Loading(vec!["the servers are starting".to_owned()]);
    };
    let found = found.unwrap_or_default();
    match unready_within(&found.endpoints, until, is_enough).await {
        Some(unready) => SearchEndpoints::Loading(unready),
        None => SearchEndpoints::Settled(found),
    }
}

/// Waits until the readiness of an endpoint is enough. Returns the readiness of all, each as a clause, if none is at the time
/// `until`; `None` without endpoints.
async fn unready_within(
    endpoints: &[Arc<dyn Endpoint>],
    until: Instant,
    is_enough: impl Fn(&Readiness) -> bool,
) -> Option<Vec<String>> {
    if endpoints.is_empty() {
        return None;
    }
    let is_enough = &is_enough;
    let ready = endpoints.iter().map(|endpoint| async move {
        let mut changes = endpoint.readiness_changes();
        // The sender lives as long as the endpoint.
        drop(changes.wait_for(is_enough).await);
    });
    // The first one decides: the index does not replace servers that answer.
    if tokio::time::timeout_at(until.into(), select_all(ready.map(Box::pin))).await.is_ok() {
        return None;
    }
    let describe = |endpoint: &Arc<dyn Endpoint>| format!("{} is {}", endpoint.id(), endpoint.readiness());
    Some(endpoints.iter().map(describe).collect())
}

/// The next step if a server does not answer because it loads.
const LOADING_HINT: &str = "Call again in a moment: the server continues to load. `zubi serve --detach` leaves servers running between commands.";

fn unsupported_error(endpoints: &[Arc<dyn Endpoint>], operation: &str, absent: Vec<MissingServer>) -> CodeError {
    // If a server failed to start, the reason is the useful error.
    for endpoint in endpoints {
        if let Readiness::Failed { reason, hint } = endpoint.readiness() {
            return EndpointError::Exited { endpoint: endpoint.id().clone(), reason, hint }.into();
        }
    }
    for endpoint in endpoints {
        if endpoint.readiness() == Readiness::Starting {
            return CodeError::NoAnswer(MissingServer {
                subject: endpoint.id().to_string(),
                reason: format!("{} is still starting", endpoint.id()),
                hint: LOADING_HINT.to_owned(),
            });
        }
    }
    if !absent.is_empty() {
        return CodeError::NoEndpoint(absent);
    }
    let servers = endpoints.iter().map(|endpoint| endpoint.id().to_string()).collect::<Vec<_>>().join(" + ");
    CodeError::Unsupported { servers, operation: operation.to_owned(), nearest: None }
}

fn verdict(states: &[AnsweringEndpoint], need: ReadinessLevel) -> Completeness {
    if need == ReadinessLevel::File {
        return Completeness::Complete;
    }
    let unready: Vec<_> = states.iter().filter(|state| !state.readiness.is_settled()).collect();
    if !unready.is_empty() {
        let reason = unready
            .iter()
            .map(|state| format!("{} was still loading; call again", state.id))
            .collect::<Vec<_>>()
            .join("; ");
        return Completeness::Partial { reason };
    }
    match states.iter().find(|state| matches!(state.readiness, Readiness::Unknown { .. })) {
        Some(state) => Completeness::Unknown { reason: format!("{} gives no readiness signal", state.id) },
        None => Completeness::Complete,
    }
}
