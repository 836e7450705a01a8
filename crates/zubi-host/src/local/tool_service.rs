//! The host's answers to surfaces: lists, calls and explanations of the registry, and resources.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use tokio::sync::watch;
use tokio::task::JoinSet;
use zubi_base::process::confine::Level;
use zubi_tool_api::cx::{Caller, Restrictions};
use zubi_tool_api::registry::{CallError, PolicyCheck, Registry};
use zubi_tool_api::spec::Effect;
use zubi_tool_api::{ResourceSpec, ResourceText, ToolCx, ToolSpec};

use super::LocalHost;
use crate::contributed::ContributionRegistrar;
use crate::service::{
    CallAnswer, CallContext, CallFailure, CallRequest, Explanation, HostDescription, HostError, PolicyInForce,
    RuleInForce, ToolService, UnknownTool,
};

impl LocalHost {
    fn cx(&self, caller: &Arc<Caller>, context: &CallContext, token_budget: Option<usize>) -> ToolCx {
        let now = Instant::now();
        ToolCx {
            cancel: context.cancel.clone(),
            // If the sum overflows, the deadline is too far away to matter.
            deadline: now.checked_add(context.timeout).unwrap_or(now),
            progress: Arc::clone(&context.progress),
            token_budget,
            nesting: 0,
            caller: Arc::clone(caller),
            approver: Arc::clone(&context.approver),
            workspace: Arc::clone(&self.workspace),
            text_source: Arc::clone(&self.texts),
        }
    }

    /// Finds out before a call that may write whether the servers are confined, because the policy depends on it.
    async fn refresh_server_files(&self, request: &CallRequest) {
        let Some(jobs) = &self.jobs else { return };
        let tool = self.registry.find(&request.tool, &request.caller.restrictions);
        if tool.is_ok_and(|tool| tool.spec().effect <= Effect::Plan) {
            return;
        }
        let status = jobs.runner().sandbox().probe().await;
        let is_confined = status.is_ok_and(|status| status.level >= Level::LandlockSeccomp);
        self.server_files.set_need_approval(self.has_unconfined_servers || !is_confined);
    }
}

/// Counts changes of the list of any provider, including providers added later.
async fn follow(registry: Arc<Registry>, changes: watch::Sender<u64>) {
    loop {
        let mut any = JoinSet::new();
        // Receivers are taken before the change is announced, so that no change is missed in between.
        let receivers = registry.changes();
        changes.send_modify(|count| *count += 1);
        for mut receiver in receivers {
            any.spawn(async move {
                if receiver.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            });
        }
        any.join_next().await;
    }
}

fn host_error(error: CallError) -> HostError {
    match error {
        CallError::Unknown { name, reason: why, code } => UnknownTool { name, why, code }.into(),
        CallError::Tool { id, error } => HostError::InvalidCall(CallFailure {
            code: error.code(),
            text: error.render(&id),
            next: error.hint().to_owned(),
        }),
    }
}

#[async_trait]
impl ToolService for LocalHost {
    fn describe(&self) -> HostDescription {
        let folders = self.workspace.folders().to_vec();
        HostDescription {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            trusted: self.trust.as_ref().is_none_or(|trust| folders.iter().all(|folder| trust.folder(&folder.path))),
            folders,
        }
    }

    async fn list(&self, restrictions: &Restrictions) -> Result<Vec<Arc<ToolSpec>>, HostError> {
        self.registry.prepare().await;
        Ok(self.registry.list(restrictions).iter().map(|tool| Arc::new(tool.spec().clone())).collect())
    }

    async fn find(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<ToolSpec>, HostError> {
        // A client that has lost its host looks up its tool, and then reads the notes about the lost call.
        self.recover_edits().await;
        match self.registry.find_refreshing(name, restrictions).await.map_err(host_error) {
            Ok(tool) => Ok(Arc::new(tool.spec().clone())),
            Err(HostError::InvalidCall(CallFailure { code, text: why, .. })) => {
                Err(UnknownTool { name: name.to_owned(), why, code }.into())
            }
            Err(error) => Err(error),
        }
    }

    async fn call(&self, request: &CallRequest, context: &CallContext) -> Result<CallAnswer, HostError> {
        let started = Instant::now();
        self.recover_edits().await;
        self.refresh_server_files(request).await;
        let cx = self.cx(&request.caller, context, request.token_budget);
        let result = self.registry.call(&request.tool, request.arguments.clone(), cx).await;
        let duration = started.elapsed();
        let mut answer = match result.map_err(host_error) {
            Ok(output) => {
                let (text, status) = (output.render(), output.status.is_some());
                CallAnswer { text, data: output.data, duration, status, failure: None, next: String::new() }
            }
            Err(HostError::InvalidCall(failure)) => failure.into_answer(duration),
            Err(error) => return Err(error),
        };
        self.add_recovery_notes(&mut answer);
        Ok(answer)
    }

    async fn explain(&self, request: &CallRequest, context: &CallContext) -> Result<Explanation, HostError> {
        self.registry.prepare().await;
        self.refresh_server_files(request).await;
        let cx = self.cx(&request.caller, context, request.token_budget);
        let check = self.registry.explain(&request.tool, request.arguments.clone(), &cx).await;
        let check = check.map_err(host_error)?;
        let PolicyCheck { tool, footprint, decision, would_allow } = check;
        Ok(Explanation { tool, decision, footprint, would_allow })
    }

    async fn policy(&self) -> Result<PolicyInForce, HostError> {
        let policy = self.registry.policy();
        let rules = policy.rules().iter();
        Ok(PolicyInForce {
            broken: policy.broken().map(str::to_owned),
            allow: self.allowed.clone(),
            rules: rules.map(|rule| RuleInForce { source: rule.source.clone(), rule: rule.text.clone() }).collect(),
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        let mut followers = self.followers.lock().unwrap_or_else(PoisonError::into_inner);
        followers.get_or_insert_with(|| {
            let mut tasks = JoinSet::new();
            tasks.spawn(follow(Arc::clone(&self.registry), self.changes.clone()));
            tasks
        });
        self.changes.subscribe()
    }

    async fn resources(&self) -> Result<Vec<ResourceSpec>, HostError> {
        Ok(self.resources.iter().map(|resource| resource.spec().clone()).collect())
    }

    async fn read_resource(
        &self,
        uri: &str,
        caller: &Arc<Caller>,
        context: &CallContext,
    ) -> Result<ResourceText, HostError> {
        let resource = self.resources.iter().find(|resource| resource.spec().uri == uri);
        let resource = resource.ok_or_else(|| HostError::UnknownResource { uri: uri.to_owned() })?;
        self.recover_edits().await;
        let text = resource.read(uri, &self.cx(caller, context, None)).await;
        text.map_err(|error| HostError::UnreadableResource(error.render(&resource.spec().name)))
    }

    fn contributions(&self) -> Option<ContributionRegistrar> {
        Some(self.registrar())
    }

    async fn shutdown(&self) {
        let jobs = async {
            if let Some(jobs) = &self.jobs {
                jobs.stop_all().await;
            }
        };
        let servers = async {
            if let Some(intel) = &self.intel {
                intel.shutdown().await;
            }
        };
        tokio::join!(jobs, servers);
    }
}
