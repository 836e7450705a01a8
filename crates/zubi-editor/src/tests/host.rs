//! Fake hosts with one tool.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::watch;
use zubi_host::{
    CallAnswer, CallContext, CallRequest, Explanation, HostDescription, HostError, PolicyInForce, ToolService,
    UnknownTool,
};
use zubi_tool_api::cx::{Caller, Restrictions};
use zubi_tool_api::{ResourceSpec, ResourceText, ToolSpec};

/// Implementation of the tool, whatever its name.
#[async_trait]
pub(super) trait Calls: Send + Sync {
    async fn call(&self, request: CallRequest, context: CallContext) -> String;

    /// Called when the host shuts down.
    fn end(&self) {}
}

fn unknown(tool: &str) -> HostError {
    let code = zubi_tool_api::ErrorCode::UnknownTool;
    UnknownTool { name: tool.to_owned(), why: "none".to_owned(), code }.into()
}

/// A host with the tool `T`.
pub(super) struct Fake<T>(pub(super) T);

#[async_trait]
impl<T: Calls> ToolService for Fake<T> {
    fn describe(&self) -> HostDescription {
        HostDescription { version: String::new(), folders: Vec::new(), trusted: false }
    }

    async fn list(&self, _restrictions: &Restrictions) -> Result<Vec<Arc<ToolSpec>>, HostError> {
        Ok(Vec::new())
    }

    async fn find(&self, name: &str, _restrictions: &Restrictions) -> Result<Arc<ToolSpec>, HostError> {
        Err(unknown(name))
    }

    async fn call(&self, request: &CallRequest, context: &CallContext) -> Result<CallAnswer, HostError> {
        let text = self.0.call(request.clone(), context.clone()).await;
        Ok(CallAnswer {
            text,
            data: None,
            duration: std::time::Duration::ZERO,
            status: false,
            failure: None,
            next: String::new(),
        })
    }

    async fn explain(&self, request: &CallRequest, _context: &CallContext) -> Result<Explanation, HostError> {
        Err(unknown(&request.tool))
    }

    async fn policy(&self) -> Result<PolicyInForce, HostError> {
        Err(HostError::PolicyUnknown { why: "none".to_owned() })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        watch::Sender::new(0).subscribe()
    }

    async fn resources(&self) -> Result<Vec<ResourceSpec>, HostError> {
        Ok(Vec::new())
    }

    async fn read_resource(
        &self,
        uri: &str,
        _caller: &Arc<Caller>,
        _context: &CallContext,
    ) -> Result<ResourceText, HostError> {
        Err(HostError::UnknownResource { uri: uri.to_owned() })
    }

    async fn shutdown(&self) {
        self.0.end();
    }
}
