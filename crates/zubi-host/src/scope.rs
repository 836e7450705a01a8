//! The tools of a host that one session may use, and those that its lists contain.
//!
//! A host serves many sessions, and the flags and environment variables of a session narrow only that session. So they
//! are not part of the host's settings, but are sent with every request.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::watch;
use zubi_base::config::{Effective, SettingSource, Settings};
use zubi_tool_api::cx::{Caller, Restrictions};
use zubi_tool_api::spec::{Exposure, ToolSpec};
use zubi_tool_api::{ResourceSpec, ResourceText};

use crate::contributed::ContributionRegistrar;
use crate::filters::{EXTRA_TOOLSETS, RequestedTools, restrictions, toolset_patterns};
use crate::service::{
    CallAnswer, CallContext, CallRequest, Explanation, HostDescription, HostError, PolicyInForce, ToolService,
};
use crate::serving::{ClientPolicy, PublishedHost};

/// The maximum size of the tools of [`EXTRA_TOOLSETS`] in a list, in bytes, in addition to zubi's own; search finds the
/// others.
const MAX_LISTED: usize = 4 * 1024;

/// A session's own filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilters {
    pub restrictions: Restrictions,
    /// The tools that are in the list because the user names them or their toolset. Those of [`EXTRA_TOOLSETS`] are
    /// there up to a maximum size, because there may be many; search finds the others.
    pub listed: RequestedTools,
}

impl SessionFilters {
    /// Returns all filters in the settings of this process. A host also applies its own settings; applying a file's
    /// filter twice is harmless.
    pub fn from_settings(settings: &Settings) -> Self {
        Self { restrictions: restrictions(settings), listed: RequestedTools::from_settings(settings) }
    }
}

/// Removes the filters from the settings of a host that also serves other clients, and returns them as restrictions for
/// clients. Filters from this process's command line or environment always apply; those from files apply only to
/// clients that send none.
pub fn split_filters(settings: &mut Settings, has_process_filters: bool) -> ClientPolicy {
    let default_restrictions = restrictions(settings);
    let is_from_process = |source: &SettingSource| {
        has_process_filters && matches!(source, SettingSource::Flag | SettingSource::Environment)
    };
    let values = |filters: &mut Vec<Effective<Vec<String>>>| -> Vec<Vec<String>> {
        std::mem::take(filters)
            .into_iter()
            .filter(|filter| is_from_process(&filter.source))
            .map(|filter| filter.value)
            .collect()
    };
    let always = Restrictions {
        read_only: settings.read_only.value && is_from_process(&settings.read_only.source),
        toolsets: values(&mut settings.toolsets).iter().map(|names| toolset_patterns(names)).collect(),
        tools: values(&mut settings.tools),
    };
    settings.read_only.value = false;
    ClientPolicy { always, default_restrictions }
}

/// A host with the filters of one session.
pub struct FilteredService {
    host: Arc<dyn ToolService>,
    scope: SessionFilters,
    /// Closed before the host ends.
    published: Option<PublishedHost>,
}

impl FilteredService {
    pub fn new(host: Arc<dyn ToolService>, scope: SessionFilters) -> Self {
        Self { host, scope, published: None }
    }

    /// Adds the published host of this service, which is closed before the host ends.
    #[must_use]
    pub fn with_published(self, published: Option<PublishedHost>) -> Self {
        Self { published, ..self }
    }

    fn combine_restrictions(&self, restrictions: &Restrictions) -> Restrictions {
        self.scope.restrictions.combine(restrictions)
    }

    fn request(&self, request: &CallRequest) -> CallRequest {
        CallRequest { caller: self.caller(&request.caller), ..request.clone() }
    }

    fn caller(&self, caller: &Caller) -> Arc<Caller> {
        Arc::new(Caller { restrictions: self.combine_restrictions(&caller.restrictions), ..caller.clone() })
    }
}

/// Adds the requested tools to the list, in order; those of [`EXTRA_TOOLSETS`] up to the maximum size.
fn list_requested(specs: &mut [Arc<ToolSpec>], requested: &RequestedTools) {
    let mut room = MAX_LISTED;
    let deferred = |spec: &ToolSpec| spec.exposure == Exposure::Deferred && requested.has_tool(spec);
    for spec in specs.iter_mut().filter(|spec| deferred(spec)) {
        if !EXTRA_TOOLSETS.contains(&spec.toolset.as_str()) {
            Arc::make_mut(spec).exposure = Exposure::Direct;
            continue;
        }
        let schema = Value::Object(spec.input.clone()).to_string();
        let bytes = spec.id.len() + spec.description.len() + schema.len();
        if bytes <= room {
            room -= bytes;
            Arc::make_mut(spec).exposure = Exposure::Direct;
        }
    }
}

#[async_trait]
impl ToolService for FilteredService {
    fn describe(&self) -> HostDescription {
        self.host.describe()
    }

    async fn list(&self, restrictions: &Restrictions) -> Result<Vec<Arc<ToolSpec>>, HostError> {
        let mut specs = self.host.list(&self.combine_restrictions(restrictions)).await?;
        list_requested(&mut specs, &self.scope.listed);
        Ok(specs)
    }

    async fn find(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<ToolSpec>, HostError> {
        self.host.find(name, &self.combine_restrictions(restrictions)).await
    }

    async fn call(&self, request: &CallRequest, context: &CallContext) -> Result<CallAnswer, HostError> {
        self.host.call(&self.request(request), context).await
    }

    async fn explain(&self, request: &CallRequest, context: &CallContext) -> Result<Explanation, HostError> {
        self.host.explain(&self.request(request), context).await
    }

    async fn policy(&self) -> Result<PolicyInForce, HostError> {
        self.host.policy().await
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.host.changes()
    }

    async fn resources(&self) -> Result<Vec<ResourceSpec>, HostError> {
        self.host.resources().await
    }

    async fn read_resource(
        &self,
        uri: &str,
        caller: &Arc<Caller>,
        context: &CallContext,
    ) -> Result<ResourceText, HostError> {
        self.host.read_resource(uri, &self.caller(caller), context).await
    }

    fn contributions(&self) -> Option<ContributionRegistrar> {
        self.host.contributions()
    }

    async fn shutdown(&self) {
        if let Some(published) = &self.published {
            published.close().await;
        }
        self.host.shutdown().await;
    }
}
