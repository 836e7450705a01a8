//! `zubi index push` and `zubi index uses`: the exact data that a team shares.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::json;
use zubi_base::text::{display_age, pluralize};
use zubi_cli::failure::{Failure, INTERRUPTED};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal::{self, ProgressLine};
use zubi_host::HostConfig;
use zubi_host::index::{FolderIndexError, ImportProgress, ScipImportError};
use zubi_host::team_index::{self, PushReport, PushSource, TeamStatus, UseQuery};

use super::{describe_report, failure, report_progress};
use crate::cli::index::{PushArgs, UsesArgs};

pub(super) fn push(config: &HostConfig, args: &PushArgs) -> Result<ExitCode, Failure> {
    let current = zubi_cli::current_directory()?;
    let source = PushSource {
        file: current.join(&args.file),
        folder: args.folder.as_ref().map(|folder| current.join(folder)),
        commit: args.commit.clone(),
        repository: args.repository.clone(),
        creates_schema: args.create_schema,
        snapshots: args.snapshots,
    };
    let pushed = block_on(async {
        let stop = on_interrupt()?;
        let line = ProgressLine::new();
        let progress = |step: ImportProgress| report_progress(line.as_ref(), "push", step);
        let pushed = team_index::push(config, &source, &stop, &progress).await;
        if let Some(line) = &line {
            line.clear();
        }
        Ok::<_, Failure>(pushed)
    })??;
    match pushed {
        Ok((repository, report)) => print_report(args, &repository, &report),
        Err(FolderIndexError::Import(ScipImportError::Cancelled)) => {
            terminal::print_err("stopped; the database is unchanged");
            Ok(ExitCode::from(INTERRUPTED))
        }
        Err(error) => Err(failure(&error)),
    }
}

fn print_report(args: &PushArgs, repository: &str, report: &PushReport) -> Result<ExitCode, Failure> {
    let PushReport { import, is_new, removed } = report;
    let commit = import.import.commit.as_deref().unwrap_or_default();
    if args.json {
        terminal::print_json(&json!({
            "repository": repository,
            "commit": commit,
            "new": is_new,
            "removedSnapshots": removed,
            "tool": import.import.tool,
            "version": import.import.version,
            "documents": import.documents,
            "occurrences": import.occurrences,
            "invalidOccurrences": import.invalid,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{repository} at {}", short(commit));
    // Writing to a `String` cannot fail.
    if !is_new {
        text.push_str(": the database has these data already");
    }
    let _ = write!(text, "\n  {}", describe_report(import));
    if *removed > 0 {
        let removed = usize::try_from(*removed).unwrap_or(usize::MAX);
        let _ = write!(text, "\n  removed {} of the folder", pluralize(removed, "older snapshot"));
    }
    terminal::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn find_uses(config: &HostConfig, args: &UsesArgs) -> Result<ExitCode, Failure> {
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let query = UseQuery { symbol: args.symbol.clone(), repository: args.repository.clone(), start: 0, limit };
    let uses = block_on(team_index::find_uses(config, &query))?.map_err(|error| failure(&error))?;
    let now = config.clock.now();
    if args.json {
        terminal::print_json(&uses.to_json(now))?;
    } else {
        terminal::print(&uses.describe(&query, now, "pass `--repository` or `--limit`"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Renders the team's data for a folder.
pub(super) fn describe_status(status: &TeamStatus) -> String {
    if let Some(error) = &status.error {
        // The store's own errors begin so.
        let prefixes = ["team index unreachable: ", "team index unusable: "];
        let error = prefixes.iter().find_map(|prefix| error.strip_prefix(prefix)).unwrap_or(error);
        return format!("  team index: {error}");
    }
    let repository = status.repository.as_deref().unwrap_or_default();
    if status.snapshots.is_empty() {
        return format!("  team index: no data of {repository} for HEAD or the commits before it");
    }
    let describe = |snapshot: &team_index::TeamSnapshotStatus| {
        let tool = format!("{} {}", snapshot.tool, snapshot.version);
        let distance = match snapshot.distance {
            0 => String::new(),
            number => format!(", {} before HEAD", pluralize(number, "commit")),
        };
        let age = display_age(snapshot.age_seconds);
        format!(
            "  team index: {repository} at {} by {}{distance}, pushed {age} ago",
            short(&snapshot.commit),
            tool.trim_end()
        )
    };
    status.snapshots.iter().map(describe).collect::<Vec<_>>().join("\n")
}

/// The beginning of a commit's id.
fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}
