//! Progress notifications of one call: no faster than the client reads, always increasing, never after the response.

use std::pin::pin;
use std::sync::Arc;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use zubi_tool_api::cx::ProgressSink;
use zubi_tool_api::progress::ThrottledProgress;

/// The smallest step between two notifications, in percent, when the fraction did not grow.
const STEP: f64 = 0.01;

/// The latest report of the tool.
#[derive(Debug, Clone, Default)]
struct ProgressReport {
    fraction: Option<f64>,
    message: String,
}

/// A sink that stores only the newest report; older unsent reports are useless.
struct Newest(watch::Sender<ProgressReport>);

impl ProgressSink for Newest {
    fn report(&self, fraction: Option<f64>, message: &str) {
        self.0.send_replace(ProgressReport { fraction, message: message.to_owned() });
    }
}

/// The sender of a call's progress notifications.
pub(crate) struct ProgressForwarder {
    reports: watch::Receiver<ProgressReport>,
    peer: Peer<RoleServer>,
    token: ProgressToken,
    sent: f64,
}

impl ProgressForwarder {
    /// Creates the sink for the tool, and the forwarder that sends its reports.
    pub(crate) fn new(peer: Peer<RoleServer>, token: ProgressToken) -> (Arc<dyn ProgressSink>, Self) {
        let (sender, reports) = watch::channel(ProgressReport::default());
        (Arc::new(ThrottledProgress::new(Arc::new(Newest(sender)))), Self { reports, peer, token, sent: 0.0 })
    }

    /// Runs a call and sends its progress meanwhile. Waits for a notification in transit before it returns the answer,
    /// because the client forgets the token once it has the answer.
    pub(crate) async fn forward_while<T>(mut self, call: impl Future<Output = T>) -> T {
        let mut call = pin!(call);
        loop {
            let report = tokio::select! {
                biased;
                answer = &mut call => return answer,
                changed = self.reports.changed() => match changed {
                    Ok(()) => self.reports.borrow_and_update().clone(),
                    // The tool has dropped its sink, so no reports follow.
                    Err(_) => return call.await,
                },
            };
            let peer = self.peer.clone();
            let mut sending = pin!(peer.notify_progress(self.next(report)));
            tokio::select! {
                answer = &mut call => {
                    log_failure(sending.await);
                    return answer;
                }
                result = &mut sending => log_failure(result),
            }
        }
    }

    fn next(&mut self, report: ProgressReport) -> ProgressNotificationParam {
        let minimum = self.sent + STEP;
        self.sent = report.fraction.map_or(minimum, |fraction| (fraction * 100.0).max(minimum));
        let mut param = ProgressNotificationParam::new(self.token.clone(), self.sent).with_message(report.message);
        if report.fraction.is_some() {
            param = param.with_total(100.0_f64.max(self.sent));
        }
        param
    }
}

/// Logs a failed progress notification. A client that cannot receive it will not receive the response either, which
/// reports the failure.
fn log_failure<E: std::fmt::Display>(result: Result<(), E>) {
    if let Err(error) = result {
        tracing::debug!(%error, "progress was not sent");
    }
}
