//! Gets a document's diagnostics: by pull if the server supports it, by waiting for a publication, or both merged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use serde_json::{Value, json};
use zubi_base::endpoint::{DiagnosticsReport, DocumentRef, EndpointError, RequestCx};
use zubi_base::lsp::Diagnostic;
use zubi_base::rpc::ConnectionError;

use super::{RunFailure, ServerEndpoint};
use crate::checks::CheckState;
use crate::session::ServerSession;
use crate::tsserver;

/// The maximum time reserved for returning an answer after a wait without result.
const TIME_TO_ANSWER: Duration = Duration::from_secs(1);

/// Limits the deadline for results that may not come: a tenth of the time is reserved for returning the known results,
/// because the caller stops listening at the deadline.
fn reserve_answer_time(cx: &RequestCx) -> RequestCx {
    let remaining = cx.deadline.saturating_duration_since(Instant::now());
    let reserve = (remaining / 10).min(TIME_TO_ANSWER);
    RequestCx { deadline: cx.deadline.checked_sub(reserve).unwrap_or(cx.deadline), ..cx.clone() }
}

/// The last publication about a document, after a wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PublicationState {
    /// A publication about an older text, or one that may be replaced.
    Missing,
    /// A publication about the present text.
    OfText,
    /// The server has published everything that has changed, so it is valid even if it is about an older text.
    OfRound,
}

/// The maximum time of a check of a document's project before a request.
const CHECK_LIMIT: Duration = Duration::from_secs(5);

/// The maximum number of further runs of the check for a document whose publications overtook each other.
const MAX_CHECK_REPEATS: u32 = 2;

/// The reason why published diagnostics are not current although their text is.
const OUTDATED: &str = "problems may be from before the last change";

impl ServerEndpoint {
    /// Returns the params of `workspace/executeCommand` for a request to tsserver; `None` if the server passes none on.
    fn tsserver_request(session: &ServerSession, step: &str, path: &Utf8Path) -> Option<Value> {
        let command = session.spec().tsserver_command.as_ref()?;
        let document =
            if session.spec().tsserver_takes_paths { path.to_string() } else { zubi_base::uri::from_path(path).0 };
        let request = tsserver::request_params(command, step, &document);
        session.peer().capabilities().supports_command(command).then_some(request)
    }

    /// Checks whether tsserver has switched off the language service for the project of an open document. The result is in
    /// the server's health.
    pub(super) async fn check_language_service(&self, session: &Arc<ServerSession>, path: &Utf8Path, cx: &RequestCx) {
        let Some(request) = Self::tsserver_request(session, tsserver::PROJECT_INFO, path) else { return };
        let Some(changes) = session.language_services.begin_check(path) else { return };
        let limited = RequestCx { deadline: cx.deadline.min(Instant::now() + CHECK_LIMIT), ..cx.clone() };
        // The request of the caller has its own error.
        if let Ok(answer) = self.request_with_retries(session, "workspace/executeCommand", &request, &limited).await {
            let display = |project: String| self.shared.launch.workspace.display(project.as_ref());
            session.language_services.add(path, changes, tsserver::disabled_project(answer).map(display));
        }
    }

    /// Pulls the diagnostics from tsserver through its language server; `None` if that is not possible and only
    /// published diagnostics are available.
    async fn pull_from_tsserver(
        &self,
        session: &Arc<ServerSession>,
        path: &Utf8Path,
        cx: &RequestCx,
    ) -> Result<Option<Vec<Diagnostic>>, RunFailure> {
        let mut found = Vec::new();
        for step in tsserver::STEPS {
            let Some(request) = Self::tsserver_request(session, step, path) else { return Ok(None) };
            let answer = match self.request_with_retries(session, "workspace/executeCommand", &request, cx).await {
                Ok(answer) => tsserver::answer(answer),
                Err(RunFailure::Final(EndpointError::Server { message, .. })) => {
                    tracing::debug!(server = %self.id, step, message, "tsserver did not return the diagnostics");
                    None
                }
                Err(failure) => return Err(failure),
            };
            let Some(items) = answer else { return Ok(None) };
            found.extend(items);
        }
        Ok(Some(found))
    }

    /// Pulls the diagnostics; `None` if the server does not support it.
    async fn pull(
        &self,
        session: &Arc<ServerSession>,
        path: &Utf8Path,
        cx: &RequestCx,
    ) -> Result<Option<Vec<Diagnostic>>, RunFailure> {
        let providers = session.pulls_for(path);
        if providers.is_empty() {
            return self.pull_from_tsserver(session, path, cx).await;
        }
        let store = &session.peer().diagnostics;
        let mut found = Vec::new();
        for provider in providers {
            let previous = store.pulled_report(path, provider.as_ref());
            let mut params = json!({ "textDocument": { "uri": zubi_base::uri::from_path(path) } });
            if let Some(object) = params.as_object_mut() {
                if let Some(identifier) = &provider {
                    object.insert("identifier".to_owned(), json!(identifier));
                }
                if let Some(result_id) = &previous.result_id {
                    object.insert("previousResultId".to_owned(), json!(result_id));
                }
            }
            let report = self.request_with_retries(session, "textDocument/diagnostic", &params, cx).await?;
            match store.take_report(path, provider.as_ref(), &previous, &report) {
                Some(items) => found.extend(items),
                None => {
                    let message = "its diagnostic report is neither full nor unchanged".to_owned();
                    return Err(EndpointError::Protocol { endpoint: self.id.clone(), message }.into());
                }
            }
        }
        Ok(Some(found))
    }

    /// Waits until the deadline for a publication for the current text, or for the server to register pull diagnostics.
    async fn await_publication(
        session: &ServerSession,
        path: &Utf8Path,
        cx: &RequestCx,
    ) -> Result<PublicationState, EndpointError> {
        let store = &session.peer().diagnostics;
        let document_activity = &session.peer().document_activity;
        let mut publications = store.publications();
        let mut statuses = document_activity.changes();
        let mut registrations = session.peer().registrations();
        let mut ended = session.end_reason();
        loop {
            publications.mark_unchanged();
            statuses.mark_unchanged();
            registrations.mark_unchanged();
            if !session.pulls_for(path).is_empty() {
                return Ok(PublicationState::Missing);
            }
            if let Some(method) = session.peer().rounds.barrier_method() {
                return Self::await_rounds(session, method, path, cx).await;
            }
            if store.published_report(path).current && document_activity.is_idle(path) {
                match document_activity.barrier_method() {
                    None => return Ok(PublicationState::OfText),
                    Some(method) => {
                        if Self::pass_barrier(session, method, path, cx).await? {
                            return Ok(PublicationState::OfText);
                        }
                    }
                }
            }
            tokio::select! {
                _ = publications.changed() => {}
                _ = statuses.changed() => {}
                _ = registrations.changed() => {}
                _ = ended.wait_for(Option::is_some) => return Ok(PublicationState::Missing),
                () = cx.cancel.cancelled() => return Err(EndpointError::Cancelled),
                () = tokio::time::sleep_until(cx.deadline.into()) => return Ok(PublicationState::Missing),
            }
        }
    }

    /// Waits until the server has published everything that the messages sent so far affect, by its own report.
    async fn await_rounds(
        session: &ServerSession,
        barrier: &str,
        path: &Utf8Path,
        cx: &RequestCx,
    ) -> Result<PublicationState, EndpointError> {
        let mut ended = session.end_reason();
        for _ in 0..session.peer().rounds.barrier_count() {
            if !Self::send_barrier(session, barrier, path, cx).await? {
                return Ok(PublicationState::Missing);
            }
            tokio::select! {
                () = session.peer().rounds.all_ended() => {}
                _ = ended.wait_for(Option::is_some) => return Ok(PublicationState::Missing),
                () = cx.cancel.cancelled() => return Err(EndpointError::Cancelled),
                () = tokio::time::sleep_until(cx.deadline.into()) => return Ok(PublicationState::Missing),
            }
        }
        Ok(PublicationState::OfRound)
    }

    /// Sends a request and waits for its response; returns whether it came.
    async fn send_barrier(
        session: &ServerSession,
        barrier: &str,
        path: &Utf8Path,
        cx: &RequestCx,
    ) -> Result<bool, EndpointError> {
        let params = json!({ "textDocument": { "uri": zubi_base::uri::from_path(path) } });
        match session.request(barrier, params, &cx.cancel, cx.deadline).await {
            Err(ConnectionError::Cancelled) => Err(EndpointError::Cancelled),
            Err(ConnectionError::TimedOut { .. } | ConnectionError::Closed { .. }) => Ok(false),
            // An error response serves as well.
            Ok(_) | Err(ConnectionError::Response { .. } | ConnectionError::Protocol { .. }) => Ok(true),
        }
    }

    /// Sends a request that the server answers after everything queued for a document. Returns whether the server has
    /// then finished with the document.
    async fn pass_barrier(
        session: &ServerSession,
        barrier: &str,
        path: &Utf8Path,
        cx: &RequestCx,
    ) -> Result<bool, EndpointError> {
        let document_activity = &session.peer().document_activity;
        let sent = document_activity.sent_so_far();
        if !Self::send_barrier(session, barrier, path, cx).await? {
            return Ok(false);
        }
        Ok(document_activity.sent_so_far() == sent
            && document_activity.is_idle(path)
            && session.peer().diagnostics.published_report(path).current)
    }

    /// Waits until the server's check has reported everything about the last saved files; returns `false` at the
    /// deadline. Does not wait while the server reads the project, because the caller decides how long to wait for
    /// that.
    async fn await_check(session: &ServerSession, cx: &RequestCx) -> Result<bool, EndpointError> {
        let checks = &session.peer().checks;
        let mut changes = checks.changes();
        let mut ended = session.end_reason();
        let started = Instant::now();
        loop {
            changes.mark_unchanged();
            let (until, due) = match checks.stage() {
                CheckState::Settled => return Ok(true),
                CheckState::Loading => return Ok(false),
                CheckState::Running => (cx.deadline, None),
                CheckState::Due { since } => (since.max(started) + checks.begins_within(), Some(since)),
            };
            tokio::select! {
                _ = changes.changed() => {}
                _ = ended.wait_for(Option::is_some) => return Ok(false),
                () = cx.cancel.cancelled() => return Err(EndpointError::Cancelled),
                () = tokio::time::sleep_until(until.min(cx.deadline).into()) => match due {
                    Some(since) if until <= cx.deadline => checks.give_up(since),
                    _ => return Ok(false),
                },
            }
        }
    }

    /// Makes a server that only publishes diagnostics check a document again after a change of another file; returns
    /// whether a publication will follow.
    ///
    /// A change of another file does not make such a server publish again, but a new text of this one does.
    async fn recheck(&self, session: &ServerSession, path: &Utf8Path, cx: &RequestCx) -> Result<bool, EndpointError> {
        let peer = session.peer();
        if peer.rounds.barrier_method().is_some() || peer.document_activity.barrier_method().is_some() {
            // The server checks by itself, and reports when it has finished.
            return Ok(true);
        }
        // intelephense (1.18) checks this document before it reads the other one again.
        match session.await_texts(&cx.cancel, cx.deadline).await {
            Err(ConnectionError::Cancelled) => return Err(EndpointError::Cancelled),
            Err(ConnectionError::TimedOut { .. } | ConnectionError::Closed { .. }) => return Ok(false),
            Ok(()) | Err(ConnectionError::Response { .. } | ConnectionError::Protocol { .. }) => {}
        }
        if let Err(error) = session.repeat_text(path) {
            tracing::debug!(server = %self.id, %error, "a text cannot be sent again");
        }
        Ok(!peer.diagnostics.is_outdated(path))
    }

    pub(super) async fn diagnose(
        &self,
        session: &Arc<ServerSession>,
        document: &DocumentRef,
        cx: &RequestCx,
    ) -> Result<DiagnosticsReport, RunFailure> {
        let path = &document.path;
        if !session.spec().diagnoses {
            return Ok(DiagnosticsReport { items: Vec::new(), current: true, is_partial: false, note: None });
        }
        let _pins = Self::pin(session, &cx.for_document(document))?;
        self.check_language_service(session, path, cx).await;
        let checks = &session.peer().checks;
        if let Some(method) = checks.take_request(Instant::now()) {
            session.notify(method, json!({ "textDocument": null }));
        }
        let mut settled = checks.stage() == CheckState::Settled;
        let mut pulled = self.pull(session, path, cx).await?;
        let mut publication = PublicationState::Missing;
        let is_outdated = !session.spec().diagnoses_text_only && session.peer().diagnostics.is_outdated(path);
        if pulled.is_none() {
            if is_outdated {
                session.peer().rounds.begin_after_change().await;
            }
            // A busy server may answer one request before it begins its first round.
            for _ in 0..session.peer().rounds.barrier_count() {
                let Some(method) = session.peer().rounds.first_barrier_method().filter(|_| is_outdated) else { break };
                // Without a response, the wait below ends at the same deadline.
                Self::send_barrier(session, method, path, &reserve_answer_time(cx)).await?;
            }
            if !is_outdated || self.recheck(session, path, &reserve_answer_time(cx)).await? {
                publication = Self::await_publication(session, path, &reserve_answer_time(cx)).await?;
            }
            // pyright and ty register pull diagnostics a moment after `initialize`.
            pulled = self.pull(session, path, cx).await?;
        }
        let limited_cx = reserve_answer_time(cx);
        let mut repeats = 0;
        // Diagnostics published while the check runs are not final, nor are they if the check has begun again
        // meanwhile.
        while !(settled && checks.stage() == CheckState::Settled) {
            settled = Self::await_check(session, &limited_cx).await?;
            if !settled || pulled.is_none() {
                break;
            }
            // The server publishes the check's last diagnostics after it reports the end of the check, but before it
            // answers the next request.
            match self.pull(session, path, cx).await {
                Ok(again) => pulled = again,
                Err(RunFailure::Final(EndpointError::TimedOut { .. })) => break,
                Err(error) => return Err(error),
            }
            if repeats < MAX_CHECK_REPEATS && session.peer().diagnostics.is_overtaken(path) {
                repeats += 1;
                if let Some(method) = checks.take_repeat(Instant::now()) {
                    tracing::debug!(server = %self.id, %path, "publications overtook each other: the check runs again");
                    session.notify(method, json!({ "textDocument": null }));
                }
            }
        }
        let mut pushed = session.peer().diagnostics.published_report(path);
        let from_tsserver = session.pulls_for(path).is_empty();
        if pulled.is_some() && (from_tsserver || checks.is_outdated()) {
            // These are in the pulled diagnostics, or come from the check and are about another text.
            pushed.items.clear();
        }
        let note = checks.pending_note();
        let is_partial = note.is_some();
        Ok(match pulled {
            Some(mut items) => {
                // Servers that do both publish the slower diagnostics (cargo check). Duplicates are reported once.
                for item in pushed.items {
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
                DiagnosticsReport { items, current: true, is_partial, note }
            }
            None => {
                let current = match publication {
                    PublicationState::Missing => false,
                    PublicationState::OfText => pushed.current,
                    PublicationState::OfRound => true,
                };
                let in_parts = !pushed.names_version || session.spec().publishes_in_parts;
                let parts = || format!("{} publishes diagnostics in parts: more may follow", self.id);
                let note = note.or_else(|| (!current && is_outdated).then(|| OUTDATED.to_owned()));
                let note =
                    note.or_else(|| (publication == PublicationState::OfText && current && in_parts).then(parts));
                DiagnosticsReport { items: pushed.items, current, is_partial, note }
            }
        })
    }
}
