//! `zubi doctor`: checks which language servers the workspace needs, which work, and which to install. It also recovers
//! interrupted edits.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use zubi_base::text::pluralize;
use zubi_base::workspace::WorkspaceFolders;
use zubi_cli::failure::{Failure, INTERRUPTED, NEGATIVE};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal::{self, ProgressLine};
use zubi_host::HostConfig;
use zubi_host::doctor::{self, LanguageReport, LimitReport, ProjectReport, ServerReport, ServerState, Survey};
use zubi_tool_api::cx::ProgressSink as _;

use crate::cli::Doctor;
use crate::session::CliSession;

pub(super) fn run(session: &CliSession, doctor: &Doctor) -> Result<ExitCode, Failure> {
    let config = session.config()?;
    if doctor.fix && !doctor.yes && !std::io::stdin().is_terminal() {
        return Err(Failure::usage("`--fix` prompts before it installs, and there is no terminal")
            .hint("Add `--yes` to install without confirmation."));
    }
    let timeout = Duration::from_secs(doctor.wait);
    let examined = block_on(async {
        let stop = on_interrupt()?;
        let line = ProgressLine::new();
        let progress = |what: &str| {
            if let Some(line) = &line {
                line.report(None, what);
            }
        };
        // First, so that the servers read whole files.
        let edits = doctor::recover_edits(&config).await.map_err(Failure::usage)?;
        let survey = tokio::select! {
            survey = doctor::examine(&config, timeout, &progress) => {
                Some((survey.map_err(Failure::usage)?, doctor::sandbox(&config).await, edits))
            }
            () = stop.cancelled() => None,
        };
        if let Some(line) = &line {
            line.clear();
        }
        Ok::<_, Failure>(survey)
    })??;
    let Some((survey, sandbox, edits)) = examined else { return Ok(ExitCode::from(INTERRUPTED)) };
    let complete = !survey.languages.iter().any(LanguageReport::needs_server);
    if doctor.json {
        let mut report = json!(survey);
        report["complete"] = json!(complete);
        report["sandbox"] = json!(sandbox);
        report["edits"] = json!(edits);
        report["secrets"] = json!(doctor::secrets(&config));
        report["policy"] = json!(doctor::broken_policy(&config));
        terminal::print_json(&report)?;
    } else {
        let workspace = WorkspaceFolders::open(&config.folders).map_err(Failure::environment)?;
        let mut text = format!("{}\n\nsandbox of commands: {sandbox}", render(&survey, &workspace).trim_end());
        for edit in &edits {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\nedits: {edit}");
        }
        for problem in doctor::secrets(&config) {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\nsecrets: {problem}");
        }
        if let Some(broken) = doctor::broken_policy(&config) {
            let _ = write!(text, "\npolicy: broken, so nothing is allowed but looking: {broken}");
        }
        terminal::print(&text)?;
    }
    if doctor.fix {
        return block_on(async {
            let stop = on_interrupt()?;
            tokio::select! {
                fixed = fix(&config, &survey, doctor.yes) => fixed,
                () = stop.cancelled() => Ok(ExitCode::from(INTERRUPTED)),
            }
        })?;
    }
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::from(NEGATIVE) })
}

fn render(survey: &Survey, workspace: &WorkspaceFolders) -> String {
    let mut text = String::new();
    if survey.languages.is_empty() {
        text.push_str("no file of a language that zubi knows a server for\n");
    }
    let is_unused_auxiliary = |language: &&LanguageReport| language.auxiliary && servers_to_list(language).is_empty();
    for language in survey.languages.iter().filter(|language| !is_unused_auxiliary(language)) {
        let files = pluralize(language.files, "file");
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{} · {files}", language.language);
        for server in servers_to_list(language) {
            write_server(&mut text, server, workspace);
        }
        text.push('\n');
    }
    let auxiliaries: Vec<_> =
        survey.languages.iter().filter(is_unused_auxiliary).map(|language| language.language.as_str()).collect();
    if !auxiliaries.is_empty() {
        let _ = writeln!(text, "without a server, not needed for the code: {}", auxiliaries.join(", "));
    }
    if let Some(cut) = &survey.incomplete_reason {
        let _ = writeln!(text, "note: {cut}");
    }
    text
}

/// Selects the servers to list: all that were found; of the missing ones only the first, and only if no server works.
fn servers_to_list(language: &LanguageReport) -> Vec<&ServerReport> {
    let mut missing = 0;
    language
        .servers
        .iter()
        .filter(|server| match server.state {
            ServerState::Missing { .. } => {
                missing += 1;
                language.needs_server() && missing == 1
            }
            _ => true,
        })
        .collect()
}

fn write_server(text: &mut String, server: &ServerReport, workspace: &WorkspaceFolders) {
    let tier = if server.tested { "" } else { "  (listed, not tested by zubi)" };
    let version = server.version.as_deref().unwrap_or_default();
    let path = server.path.as_ref().map(|path| format!("  {path}")).unwrap_or_default();
    let head = |mark: &str| format!("  {mark} {} {version}{path}{tier}", server.title).trim_end().to_owned();
    let _ = match &server.state {
        ServerState::Works { abilities, projects, omitted_projects, .. } => {
            let _ = writeln!(text, "{}", head("+"));
            if let Some(sandbox) = &server.sandbox {
                let _ = writeln!(text, "      sandbox: {sandbox}");
            }
            for project in projects {
                write_project(text, project, projects.len() > 1, workspace);
            }
            if *omitted_projects > 0 {
                let _ = writeln!(text, "      {} not examined", pluralize(*omitted_projects, "further project"));
            }
            writeln!(text, "      {}", abilities.join(", "))
        }
        ServerState::Failed { why, hint } => {
            writeln!(text, "{}\n      failed: {why}\n      {hint}", head("!"))
        }
        ServerState::NotAllowed { hint } => {
            writeln!(text, "{}\n      not started: the folder is not trusted\n      {hint}", head("!"))
        }
        ServerState::Missing { why, install } => {
            let _ = writeln!(text, "  - {}: {why}{tier}", server.title);
            install.iter().try_for_each(|way| writeln!(text, "      install it with {}: {}", way.how, way.command))
        }
    };
}

/// Writes the readiness of a server in a project, and the limits of its answers with their cures.
fn write_project(text: &mut String, project: &ProjectReport, is_named: bool, workspace: &WorkspaceFolders) {
    let name = if is_named { format!("in `{}`: ", workspace.display(&project.root)) } else { String::new() };
    let indent = if is_named { "        " } else { "      " };
    // Writing to a `String` cannot fail.
    let _ = match project.ready_ms {
        Some(ms) => {
            let seconds = Duration::from_millis(ms).as_secs_f64();
            writeln!(text, "      {name}{} after {seconds:.1} s", project.readiness)
        }
        None if project.readiness == "failed" => writeln!(text, "      {name}failed"),
        None => writeln!(text, "      {name}still {}: try a larger --wait", project.readiness),
    };
    for LimitReport { kind, text: reason, cure } in &project.limits {
        let label = if kind.is_gap() { "answers may be incomplete" } else { "note" };
        let _ = writeln!(text, "{indent}{label}: {reason}");
        // A server's own report already contains its cure.
        if let Some(cure) = cure.as_ref().filter(|cure| !reason.contains(cure.as_str())) {
            let _ = writeln!(text, "{indent}  run: {cure}");
        }
    }
}

/// Installs the first missing server of every language without one, if its install command can run here.
async fn fix(config: &HostConfig, survey: &Survey, skip_confirmation: bool) -> Result<ExitCode, Failure> {
    let mut all_well = true;
    for language in survey.languages.iter().filter(|language| language.needs_server()) {
        let missing = language.servers.iter().find_map(|server| match &server.state {
            ServerState::Missing { install, .. } => Some((server, install)),
            _ => None,
        });
        let Some((server, ways)) = missing else {
            all_well = false;
            continue;
        };
        let Some((way, (program, arguments))) = ways.iter().find_map(|way| Some((way, doctor::runnable(config, way)?)))
        else {
            terminal::print_err(&format!("{}: no installer for it on this machine; see above", server.title));
            all_well = false;
            continue;
        };
        if !skip_confirmation && !confirm(&way.command).await? {
            all_well = false;
            continue;
        }
        terminal::print_err(&way.command);
        let installed = doctor::install(config, program, arguments, &terminal::print_err).await;
        if !installed.map_err(Failure::environment)? {
            terminal::print_err(&format!("`{}` failed", way.command));
            all_well = false;
        }
    }
    terminal::print_err("run `zubi doctor` to see what works now");
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::from(NEGATIVE) })
}

async fn confirm(command: &str) -> Result<bool, Failure> {
    terminal::print_err(&format!("run `{command}`? [y/N]"));
    // On a separate thread, so that Ctrl-C is handled meanwhile.
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    let line = read.await.map_err(Failure::environment)?.map_err(Failure::environment)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
