//! `zubi index`: the state of the workspace's index, and commands that build or delete it.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::json;
use zubi_base::text::{display_size, pluralize};
use zubi_cli::failure::{Failure, INTERRUPTED};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal::{self, ProgressLine};
use zubi_host::HostConfig;
use zubi_host::index::{self, BuildError, FolderIndexError, FolderIndexStatus};
use zubi_tool_api::cx::ProgressSink as _;

use crate::cli::{IndexArgs, IndexCommand};
use crate::session::CliSession;

pub(super) fn run(session: &CliSession, command: &IndexCommand) -> Result<ExitCode, Failure> {
    let config = session.config()?;
    match command {
        IndexCommand::Status(args) => status(&config, args),
        IndexCommand::Build(args) => build(&config, args),
        IndexCommand::Clear(args) => clear(&config, args),
    }
}

fn status(config: &HostConfig, args: &IndexArgs) -> Result<ExitCode, Failure> {
    let folders = block_on(index::status(config))?.map_err(Failure::usage)?;
    print_status(config, args, &folders)
}

fn print_status(config: &HostConfig, args: &IndexArgs, folders: &[FolderIndexStatus]) -> Result<ExitCode, Failure> {
    let setting = &config.settings.index;
    if args.json {
        terminal::print_json(&json!({ "enabled": setting.value, "folders": folders }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = Vec::new();
    if !setting.value {
        lines.push(format!("`index = false` ({}): no host uses or updates the index", setting.source));
    }
    lines.extend(folders.iter().map(describe));
    terminal::print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn describe(index: &FolderIndexStatus) -> String {
    let folder = &index.folder;
    if index.bytes == 0 {
        return format!("{folder}\n  no index yet: `zubi index build`, or the first request of an agent, makes it");
    }
    let state = match index.state.as_str() {
        "stored" => "up to date as of the last host; the next one compares it with the files",
        "ready" if index.is_updated => "ready",
        other => other,
    };
    let parsed = index.files.saturating_sub(index.undeclared + index.without_language + index.unparsed);
    let mut text =
        format!("{folder}\n  {state}\n  words of {}, declarations of {parsed}", pluralize(index.files, "file"));
    // Writing to a `String` cannot fail.
    if index.without_language > 0 {
        let _ = write!(text, "; {} in languages that zubi does not parse", index.without_language);
    }
    if index.unparsed > 0 {
        let _ = write!(text, "; {} too large, or rejected by the parser", index.unparsed);
    }
    let _ = write!(text, "\n  {}", size(index.bytes));
    if let Some(store) = &index.store {
        let _ = write!(text, " in {store}");
    }
    text
}

fn build(config: &HostConfig, args: &IndexArgs) -> Result<ExitCode, Failure> {
    if !config.settings.index.value {
        return Err(Failure::usage(format!("the index is off: `index = false` ({})", config.settings.index.source))
            .hint("Remove the setting, or set `index = true`."));
    }
    let built = block_on(async {
        let stop = on_interrupt()?;
        let line = ProgressLine::new();
        let progress = |state: &zubi_host::index::IndexState| {
            if let Some(line) = &line {
                line.report(None, &format!("index: {state}"));
            }
        };
        let built = index::build(config, &stop, &progress).await;
        if let Some(line) = &line {
            line.clear();
        }
        Ok::<_, Failure>(built)
    })??;
    match built {
        Ok(folders) => print_status(config, args, &folders),
        Err(FolderIndexError::Build { error: BuildError::Cancelled, .. }) => {
            terminal::print_err("stopped; the next build continues from here");
            Ok(ExitCode::from(INTERRUPTED))
        }
        Err(error) => Err(failure(&error)),
    }
}

fn clear(config: &HostConfig, args: &IndexArgs) -> Result<ExitCode, Failure> {
    let cleared = block_on(index::clear(config))?.map_err(|error| failure(&error))?;
    if args.json {
        let folders: Vec<_> =
            cleared.iter().map(|(folder, bytes)| json!({ "folder": folder, "deletedBytes": bytes })).collect();
        terminal::print_json(&json!({ "folders": folders }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let describe = |(folder, bytes): &(camino::Utf8PathBuf, u64)| match bytes {
        0 => format!("{folder}: there was no index"),
        bytes => format!("{folder}: deleted {}", size(*bytes)),
    };
    terminal::print(&cleared.iter().map(describe).collect::<Vec<_>>().join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a size with a unit: stores of small projects have less than a megabyte.
fn size(bytes: u64) -> String {
    if bytes < 1_000_000 { format!("{} kB", bytes.div_ceil(1_000)) } else { display_size(bytes) }
}

fn failure(error: &FolderIndexError) -> Failure {
    match error {
        FolderIndexError::Build { error: BuildError::Locked, .. } => Failure::environment(error)
            .hint("A running host updates it by itself: `zubi status` shows its progress, `zubi stop` stops a daemon."),
        FolderIndexError::Build { .. } => Failure::environment(error),
        FolderIndexError::Host(_) => Failure::usage(error),
    }
}
