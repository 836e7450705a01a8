//! `zubi lsp`: one editor, over stdin and stdout.

use std::process::ExitCode;
use std::sync::Arc;

use tokio::runtime::Runtime;
use zubi_cli::failure::Failure;
use zubi_cli::language_server::{self, Flags};
use zubi_cli::runtime::STACK;
use zubi_host::{DomainModel, ToolService};
use zubi_lsp::{Channel, Wanted};

use super::SHUTDOWN;
use crate::session::Session;

pub(super) fn run(session: Session, flags: &Flags) -> Result<ExitCode, Failure> {
    let options = flags.options("zubi");
    let runtime = runtime()?;
    let channel = Channel::new(runtime.handle().clone(), move |wanted| host(&session, wanted));
    let exit = language_server::serve(options, channel.methods());
    // Within a bound: what is still ending is ended by its supervisor.
    if runtime.block_on(async { tokio::time::timeout(SHUTDOWN, channel.shutdown()).await }).is_err() {
        tracing::debug!("servers were still ending; their supervisors see to it");
    }
    runtime.shutdown_background();
    exit
}

fn host(session: &Session, wanted: Wanted) -> Result<Arc<dyn ToolService>, String> {
    let model = DomainModel::of_server(wanted.model);
    match session.editor_host(wanted.folders, wanted.editor, model, wanted.headless_fallback) {
        Ok(host) => Ok(Arc::new(host)),
        Err(failure) => Err(failure.text()),
    }
}

/// The language server has threads of its own, so the tools need one beside them that drives what they wait for.
fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("zubi tools")
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(format!("cannot start the runtime: {error}")))
}
