//! The readiness policy: wait for each endpoint's own signal, then send the request once.
//!
//! There is no polling. Two equal results of a repeated request prove nothing (clangd returns the same incomplete
//! result for seconds), and repeating starves servers that read the project only when idle (pyright).

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join_all;
use zubi_base::endpoint::{Endpoint, EndpointError, Readiness};

use crate::query::CallCx;
use crate::status::AnsweringEndpoint;

/// The part of a project that an endpoint must have read before it gets a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadinessLevel {
    /// One file's syntax: an outline, formatting. Every initialized endpoint is ready.
    File,
    /// The whole project: references, definitions, types.
    Project,
}

/// Waits until every endpoint is ready enough or the time `until`, and returns the readiness of each.
pub async fn wait(
    endpoints: &[Arc<dyn Endpoint>],
    need: ReadinessLevel,
    until: Instant,
    cx: &CallCx,
) -> Result<Vec<AnsweringEndpoint>, EndpointError> {
    let states = join_all(endpoints.iter().map(|endpoint| wait_for_one(endpoint.as_ref(), need, until, cx))).await;
    states.into_iter().collect()
}

fn enough(readiness: &Readiness, need: ReadinessLevel) -> bool {
    match need {
        ReadinessLevel::File => !matches!(readiness, Readiness::Starting),
        ReadinessLevel::Project => readiness.is_settled(),
    }
}

async fn wait_for_one(
    endpoint: &dyn Endpoint,
    need: ReadinessLevel,
    deadline: Instant,
    cx: &CallCx,
) -> Result<AnsweringEndpoint, EndpointError> {
    let mut changes = endpoint.readiness_changes();
    loop {
        let readiness = changes.borrow_and_update().clone();
        if enough(&readiness, need) {
            return Ok(AnsweringEndpoint { id: endpoint.id().clone(), readiness: endpoint.readiness() });
        }
        report(endpoint, &readiness, cx);
        tokio::select! {
            () = cx.cancel.cancelled() => return Err(EndpointError::Cancelled),
            changed = tokio::time::timeout_at(deadline.into(), changes.changed()) => {
                // The time-out ended, or the endpoint is gone: the caller rates the answer by the current state.
                if !matches!(changed, Ok(Ok(()))) {
                    return Ok(AnsweringEndpoint { id: endpoint.id().clone(), readiness: endpoint.readiness() });
                }
            }
        }
    }
}

fn report(endpoint: &dyn Endpoint, readiness: &Readiness, cx: &CallCx) {
    let (fraction, message) = match readiness {
        Readiness::Loading { percent, message } => (
            percent.map(|percent| f64::from(percent) / 100.0),
            message.as_deref().map_or_else(|| "loading".to_owned(), str::to_owned),
        ),
        other => (None, other.to_string()),
    };
    (cx.progress)(fraction, &format!("{}: {message}", endpoint.id()));
}
