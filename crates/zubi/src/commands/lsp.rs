//! `zubi lsp`: one editor, over stdin and stdout.

use std::process::ExitCode;
use std::sync::Arc;

use tokio::runtime::Runtime;
use zubi_agent::chat::ChatService;
use zubi_agent::run::Budgets;
use zubi_cli::failure::Failure;
use zubi_cli::language_server;
use zubi_cli::runtime::STACK;
use zubi_cli::terminal;
use zubi_editor::{AgentSettings, ChatSpec, EditorChannel, PublicationReporter};
use zubi_host::{
    ClientPolicy, EditorIntegration, FilteredService, LocalHost, PublishOptions, PublishedHost, ToolService,
};
use zubi_ipc::discovery::RunDirectory;
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::HostKind;
use zubi_models::registry::MOCK;
use zubi_tool_api::cx::Restrictions;

use super::end::SHUTDOWN;
use crate::agent::{self, AgentOptions};
use crate::cli::Lsp;
use crate::session::CliSession;

pub(super) fn run(session: CliSession, lsp: &Lsp) -> Result<ExitCode, Failure> {
    if lsp.schema {
        terminal::print_exact(&format!("{:#}\n", zubi_editor::wire::document()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = lsp.flags.options("zubi");
    let runtime = runtime()?;
    let session = Arc::new(session);
    let chat_session = Arc::clone(&session);
    let channel =
        EditorChannel::new(runtime.handle().clone(), move |editor, publication| host(&session, &editor, &publication))
            .with_agent(move |spec| chat(&chat_session, spec).map_err(|failure| failure.text()));
    let exit = language_server::serve(options, channel.methods());
    // The wait is bounded: supervisors kill the servers that are still running.
    if runtime.block_on(async { tokio::time::timeout(SHUTDOWN, channel.shutdown()).await }).is_err() {
        tracing::debug!("servers were still running; their supervisors kill them");
    }
    runtime.shutdown_background();
    exit
}

fn host(
    session: &CliSession,
    editor: &EditorIntegration,
    publication: &PublicationReporter,
) -> Result<Arc<dyn ToolService>, String> {
    let (host, scope, client_policy) = session.editor_host(editor).map_err(|failure| failure.text())?;
    let host = Arc::new(host);
    // As on the editor channel: zubi does not change files with unsaved text in the editor; only the editor does.
    let read_only = client_policy.always.read_only || editor.sink.is_none();
    let client_policy = ClientPolicy { always: Restrictions { read_only, ..client_policy.always }, ..client_policy };
    let port = editor.ipc_port.map_or(PortChoice::Default, PortChoice::Fixed);
    let shared = share(session, &host, client_policy, port, publication);
    Ok(Arc::new(FilteredService::new(host, scope).with_published(shared)))
}

/// Opens the conversation manager of an editor, whose models precede the configured ones.
fn chat(session: &CliSession, spec: ChatSpec) -> Result<Arc<dyn ChatService>, Failure> {
    let ChatSpec { service, models, settings, secrets, .. } = spec;
    let AgentSettings { use_mock, model, max_iterations } = settings;
    let model = if use_mock { Some(MOCK.to_owned()) } else { model };
    let models = agent::models(session, models.into_iter().collect(), model)?;
    let iterations = max_iterations.unwrap_or(Budgets::default().iterations);
    let budgets = Budgets { iterations, ..Budgets::default() };
    Ok(agent::open_manager(session, service, models, AgentOptions { budgets, secrets, ..AgentOptions::default() })?)
}

/// Lets other processes find the editor's host. A failure to publish it must not prevent serving the editor.
fn share(
    session: &CliSession,
    host: &Arc<LocalHost>,
    client_policy: ClientPolicy,
    choice: PortChoice,
    publication: &PublicationReporter,
) -> Option<PublishedHost> {
    if session.uses_private_host().unwrap_or(true) {
        return None;
    }
    let sharing = PublishOptions {
        kind: HostKind::Editor,
        environment: session.wire_environment(),
        port: choice,
        client_policy,
        shutdown_token: None,
    };
    let run = session.run_directory();
    let shared = RunDirectory::open(&run, true).and_then(|run| PublishedHost::open(Arc::clone(host), &run, sharing));
    match shared {
        Ok(shared) => {
            let port = shared.port().map_or_else(|| "no port".to_owned(), |port| format!("port {port}"));
            terminal::print_err(&format!("other processes find this editor as {}, {port}", shared.instance()));
            if let (PortChoice::Fixed(port), None) = (choice, shared.port()) {
                publication.problem(format!(
                    "port {port} is taken, so scripts that use TCP cannot find this editor; change the setting \
                     `zubi.ipcPort` or end the program that has the port, then run the command zubi: Restart Language Server"
                ));
            }
            publication.set_published(&shared);
            Some(shared)
        }
        Err(error) => {
            let problem = format!("other processes cannot find this editor: `{run}`: {error}");
            terminal::print_err(&format!("warning: {problem}"));
            publication.problem(problem);
            None
        }
    }
}

/// Creates the runtime of the tools. The language server has its own threads; this one drives the asynchronous work.
fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("zubi tools")
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(format!("cannot start the runtime: {error}")))
}
