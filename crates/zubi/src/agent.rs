//! The parts of the agent: models, conversations and the tools that it calls. This module assembles them for the
//! command line, the chat page and an editor.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use tokio_util::sync::CancellationToken;
use zubi_agent::chat::ChatService;
use zubi_agent::manager::{ConversationManager, ConversationManagerConfig};
use zubi_agent::questions::{Questions, auto_approve_rule, resolve_names};
use zubi_agent::replay::{Replay, ReplayReport};
use zubi_agent::run::Budgets;
use zubi_base::clock::SystemClock;
use zubi_base::config::{Secrets, Settings};
use zubi_base::env;
use zubi_base::escape::printable;
use zubi_cli::failure::Failure;
use zubi_cli::terminal;
use zubi_host::{FilteredService, ToolService};
use zubi_models::configured::{configured_sources, secrets_of_models};
use zubi_models::mock::Mock;
use zubi_models::registry::ModelRegistry;
use zubi_models::scenario::Scenario;
use zubi_models::{ErrorKind, LanguageModel, ModelSource};
use zubi_policy::rule::RuleText;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::redact::Redactor;

use crate::cli::agent::TurnArgs;
use crate::session::{CliSession, SettingsScope};

/// Time-out for stopping turns. A supervisor ends the processes that still run then, and the conversation reports that
/// when it is opened again.
const STOPPING: Duration = Duration::from_secs(5);

/// Options for the turns of a [`ConversationManager`].
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentOptions {
    /// The default model.
    pub(crate) model: Option<String>,
    pub(crate) budgets: Budgets,
    /// Rules that allow calls which would otherwise require approval.
    pub(crate) auto_approve: Vec<RuleText>,
    /// Secret values to redact, in addition to those of the user's own file.
    pub(crate) secrets: Vec<String>,
}

impl AgentOptions {
    pub(crate) fn from_args(turns: &TurnArgs) -> Result<Self, Failure> {
        Ok(Self {
            model: turns.model.clone(),
            budgets: Budgets {
                iterations: turns.max_iterations,
                calls: turns.max_calls,
                tokens: turns.max_tokens,
                time: turns.max_time,
            },
            auto_approve: Self::rules(&turns.auto_approve)?,
            secrets: Vec::new(),
        })
    }

    /// Parses the rules of `--auto-approve`.
    pub(crate) fn rules(texts: &[String]) -> Result<Vec<RuleText>, Failure> {
        let read =
            |text: &String| auto_approve_rule(text).map_err(|error| Failure::usage(format!("--auto-approve: {error}")));
        texts.iter().map(read).collect()
    }
}

/// Creates the registry of models: `first`, then those of configuration and environment, then the mock. `model` is the
/// default model; without it, the setting `model` is.
pub(crate) fn models(
    session: &CliSession,
    first: Vec<Arc<dyn ModelSource>>,
    model: Option<String>,
) -> Result<Arc<ModelRegistry>, Failure> {
    let settings = session.config_of(session.folders.clone(), SettingsScope::Process)?.settings;
    let model = model.or_else(|| settings.model.as_ref().map(|model| model.value.clone()));
    let mut sources = first;
    sources.extend(configured_sources(&settings, &secrets(&settings), &env::model_variable));
    sources.push(Arc::new(Mock::new(zubi_cli::current_directory()?)));
    Ok(Arc::new(ModelRegistry::new(sources, model)))
}

/// Opens the model with this id, without a request to it. Fails if the model does not exist. Returns `None` if its
/// provider currently does not list its models, so that the model may exist but nothing is known about it.
pub(crate) async fn open_model(models: &ModelRegistry, id: &str) -> Result<Option<Arc<dyn LanguageModel>>, Failure> {
    match models.open(id).await {
        Ok(model) => Ok(Some(model)),
        Err(error) if error.kind == ErrorKind::NotConfigured => Err(Failure::environment(error.with_default_hint())),
        Err(_) => Ok(None),
    }
}

/// Checks a model that is named for conversations, and warns if its existence cannot be confirmed.
pub(crate) async fn check_model(models: &ModelRegistry, id: &str) -> Result<(), Failure> {
    if open_model(models, id).await?.is_none() {
        let id = printable(id);
        terminal::print_err(&format!("warning: cannot confirm that model `{id}` exists: not every provider responds"));
    }
    Ok(())
}

/// Opens the conversation manager of a workspace, with the tools of `service`.
pub(crate) fn open_manager(
    session: &CliSession,
    service: Arc<dyn ToolService>,
    models: Arc<ModelRegistry>,
    choices: AgentOptions,
) -> Result<Arc<ConversationManager>, Failure> {
    let settings = session.config_of(session.folders.clone(), SettingsScope::Process)?.settings;
    let folders = folders(service.as_ref());
    ConversationManager::open(ConversationManagerConfig {
        service,
        models,
        state: session.state_directory().clone(),
        folders,
        budgets: choices.budgets,
        auto_approve: choices.auto_approve,
        redactor: redactor(&settings, choices.secrets),
        clock: Arc::new(SystemClock),
    })
    .map_err(Failure::environment)
}

fn folders(service: &dyn ToolService) -> Vec<Utf8PathBuf> {
    service.describe().folders.iter().map(|folder| folder.path.clone()).collect()
}

/// Creates the redactor that removes the user's secrets from conversations.
fn redactor(settings: &Settings, others: Vec<String>) -> Redactor {
    let model_secrets = secrets_of_models(settings, &env::model_variable);
    Redactor::new(secrets(settings).values().values().cloned().chain(others).chain(model_secrets))
}

/// Returns the entries of `env` in the user's file.
fn secrets(settings: &Settings) -> Secrets {
    match &settings.env_source {
        Some(file) => Secrets::read(&settings.env, file, env::home().as_deref()),
        None => Secrets::default(),
    }
}

/// A conversation manager of this process, with the tool service that it calls.
pub(crate) struct AgentSession {
    manager: Arc<ConversationManager>,
    service: Arc<FilteredService>,
}

/// Opens the conversation manager of this workspace, for turns.
pub(crate) async fn open(session: &CliSession, turns: &TurnArgs) -> Result<AgentSession, Failure> {
    let mut choices = AgentOptions::from_args(turns)?;
    let models = models(session, Vec::new(), choices.model.clone())?;
    // This command may run for a while, so other processes may use its host.
    let service = session.attach(true, |_| {}).await?.service;
    let opened = async {
        choices.auto_approve = resolve_tool_names(service.as_ref(), choices.auto_approve).await?;
        open_manager(session, Arc::clone(&service) as _, models, choices)
    };
    match opened.await {
        Ok(manager) => Ok(AgentSession { manager, service }),
        Err(failure) => {
            crate::commands::end::end(service.as_ref()).await;
            Err(failure)
        }
    }
}

/// Replaces other names of tools in the rules by their ids. Warns of unknown tools, as for `--tools`.
async fn resolve_tool_names(service: &dyn ToolService, mut rules: Vec<RuleText>) -> Result<Vec<RuleText>, Failure> {
    if rules.is_empty() {
        return Ok(rules);
    }
    // If there is no host, the first call reports it.
    if let Ok(specs) = service.list(&Restrictions::default()).await {
        let ids: Vec<&str> = specs.iter().map(|spec| spec.id.as_str()).collect();
        for misspelling in resolve_names(&mut rules, &ids).map_err(Failure::usage)? {
            terminal::print_err(&format!("warning: {misspelling}"));
        }
    }
    Ok(rules)
}

/// Opens the conversation manager only to read conversations.
pub(crate) async fn open_read_only(session: &CliSession) -> Result<AgentSession, Failure> {
    let service = session.attach(false, |_| {}).await?.service;
    let models = models(session, Vec::new(), None)?;
    let manager = open_manager(session, Arc::clone(&service) as _, models, AgentOptions::default())?;
    Ok(AgentSession { manager, service })
}

impl AgentSession {
    pub(crate) fn chats(&self) -> &dyn ChatService {
        self.manager.as_ref()
    }

    pub(crate) fn chat_service(&self) -> Arc<dyn ChatService> {
        Arc::clone(&self.manager) as _
    }

    /// Repeats the calls of a scenario; these rules allow calls that would require approval.
    pub(crate) async fn replay(
        &self,
        scenario: &Scenario,
        auto_approve: &[RuleText],
        stop: CancellationToken,
    ) -> Result<ReplayReport, Failure> {
        let service = Arc::clone(&self.service) as Arc<dyn ToolService>;
        let rules = resolve_tool_names(service.as_ref(), auto_approve.to_vec()).await?;
        let questions = Questions::new(Arc::clone(&service), &rules).map_err(Failure::usage)?;
        let folders = folders(service.as_ref());
        let clock = Arc::new(SystemClock);
        let replay = Replay { service, budgets: Budgets::default(), questions, folders, clock, stop };
        Ok(replay.run(scenario).await)
    }

    /// Stops turns, then the processes that tools have started.
    pub(crate) async fn end(self) {
        if tokio::time::timeout(STOPPING, self.manager.shutdown()).await.is_err() {
            tracing::warn!("a turn has not stopped in time; its processes are ended");
        }
        crate::commands::end::end(self.service.as_ref()).await;
    }
}
