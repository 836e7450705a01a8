//! `zubi web`: the agent in a browser.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use camino::Utf8PathBuf;
use zubi_base::{env, owner_only, process};
use zubi_cli::failure::{Failure, INTERRUPTED};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal;
use zubi_web::{WebOptions, WebServer};

use crate::agent;
use crate::cli::agent::Web;
use crate::session::CliSession;

pub(super) fn run(session: &CliSession, web: &Web) -> Result<ExitCode, Failure> {
    block_on(async {
        let stop = on_interrupt()?;
        if let Some(model) = &web.turns.model {
            let models = agent::models(session, Vec::new(), None)?;
            // The check waits for a provider that does not respond; Ctrl-C ends it.
            tokio::select! {
                known = agent::check_model(&models, model) => known?,
                () = stop.cancelled() => return Ok(ExitCode::from(INTERRUPTED)),
            }
        }
        let server = WebServer::bind(WebOptions { port: web.port }).await.map_err(Failure::environment)?;
        let agent_session = agent::open(session, &web.turns).await?;
        let address = server.address();
        terminal::print(&address)?;
        terminal::print_err("Anyone with this address can act as you. Ctrl-C stops the server and the agent.");
        let has_display = io::stderr().is_terminal() && env::has_display();
        let page = if has_display && !web.no_open { Redirect::open(session, &address) } else { None };
        server.serve(agent_session.chat_service(), stop).await;
        drop(page);
        agent_session.end().await;
        Ok(ExitCode::from(INTERRUPTED))
    })?
}

/// A local page that redirects the browser to the address, readable only by this user: command-line arguments are
/// visible to every user of the machine, and the address contains the token. Dropping this value removes the page.
struct Redirect(Utf8PathBuf);

impl Redirect {
    /// Opens the browser. A failure to open it is not an error: the address is in the terminal.
    fn open(session: &CliSession, address: &str) -> Option<Self> {
        let directory = session.state_directory();
        let page = directory.join(format!("web-{}.html", std::process::id()));
        let text = format!(
            "<!doctype html><meta charset=\"utf-8\"><title>zubi</title><meta http-equiv=\"refresh\" content=\"0; url={address}\">"
        );
        let opened = owner_only::create_directory(directory)
            .and_then(|()| owner_only::write_atomic(&page, text.as_bytes()))
            .map(|()| Self(page))
            .and_then(|page| {
                let null_device = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
                process::detach(OPENER.into(), [page.0.as_std_path().into()], null_device)?;
                Ok(page)
            });
        opened.inspect_err(|error| tracing::info!(%error, "the browser does not open")).ok()
    }
}

impl Drop for Redirect {
    fn drop(&mut self) {
        // It was removed already.
        drop(std::fs::remove_file(&self.0));
    }
}

/// The command that opens a file with the user's default program.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
