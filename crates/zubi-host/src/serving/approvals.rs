//! Approval requests for the user of a client.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::Connection;
use zubi_ipc::wire::tools as wire;
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, Approver};

/// The maximum time that a client may take to answer. Its own surface stops waiting earlier.
const APPROVAL_TIMEOUT: Duration = Duration::from_hours(1);

/// Requests approval over the connection from which the call came.
pub(super) struct ConnectionApprover {
    pub(super) connection: Connection,
    /// The progress token of the call.
    pub(super) token: Value,
    pub(super) client_prompts: bool,
    /// The cancellation token of the call.
    pub(super) cancel: CancellationToken,
}

#[async_trait]
impl Approver for ConnectionApprover {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let params = json!(wire::ApprovalParams { token: self.token.clone(), request: json!(request) });
        let answer =
            self.connection.request(wire::APPROVAL, params, &self.cancel, Instant::now() + APPROVAL_TIMEOUT).await;
        match answer.map(serde_json::from_value) {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                ApprovalAnswer::Unanswered { reason: format!("the client's answer is not understood: {error}") }
            }
            Err(error) => ApprovalAnswer::Unanswered { reason: error.to_string() },
        }
    }

    fn client_prompts(&self) -> bool {
        self.client_prompts
    }
}
