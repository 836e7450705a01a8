//! `zubi index`: the state of the workspace's index, and commands that build or delete it.

mod team;

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;
use zubi_base::sync::lock;
use zubi_base::text::{display_age, display_size, ellipsize, pluralize};
use zubi_cli::failure::{Failure, INTERRUPTED};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal::{self, ProgressLine};
use zubi_host::HostConfig;
use zubi_host::index::{
    self, BuildError, FolderIndexError, FolderIndexStatus, ImportReport, ImportSource, ImportStatus, IndexPhase,
    ScipImportError,
};
use zubi_tool_api::cx::ProgressSink as _;

use crate::cli::index::{ImportArgs, IndexArgs, IndexCommand};
use crate::session::CliSession;

pub(super) fn run(session: &CliSession, command: &IndexCommand) -> Result<ExitCode, Failure> {
    let config = session.config()?;
    match command {
        IndexCommand::Status(args) => status(&config, args),
        IndexCommand::Build(args) => build(&config, args),
        IndexCommand::Import(args) => import(&config, args),
        IndexCommand::Push(args) => team::push(&config, args),
        IndexCommand::Uses(args) => team::find_uses(&config, args),
        IndexCommand::Clear(args) => clear(&config, args),
    }
}

fn status(config: &HostConfig, args: &IndexArgs) -> Result<ExitCode, Failure> {
    let folders = block_on(index::status(config))?.map_err(Failure::usage)?;
    print_status(config, args, &folders, None)
}

/// The durations of a build, from its start.
struct BuildTimes {
    /// Until the words of all files were stored: answers can find files by words from then on.
    words: Duration,
    all: Duration,
}

fn print_status(
    config: &HostConfig,
    args: &IndexArgs,
    folders: &[FolderIndexStatus],
    built: Option<BuildTimes>,
) -> Result<ExitCode, Failure> {
    let setting = &config.settings.index;
    if args.json {
        let mut status = json!({ "enabled": setting.value, "folders": folders });
        if let Some(times) = built {
            status["seconds"] = json!({ "words": times.words.as_secs_f64(), "all": times.all.as_secs_f64() });
        }
        terminal::print_json(&status)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = Vec::new();
    if !setting.value {
        lines.push(format!("`index = false` ({}): no host uses or updates the index", setting.source));
    }
    for folder in folders {
        lines.push(describe(folder));
        lines.extend(folder.imports.iter().map(describe_import));
        let is_failed = |file: &Utf8PathBuf| folder.failed_imports.iter().any(|failed| failed.file == *file);
        lines.extend(folder.failed_imports.iter().map(|failed| {
            let (file, age) = (&failed.file, display_age(failed.age_seconds));
            format!("  {file}: not imported {age} ago: {}", failed.reason)
        }));
        lines.extend(folder.pending_imports.iter().filter(|file| !is_failed(file)).map(|file| {
            format!("  {file}: not imported; the next host imports it, or `zubi index import` says why it cannot")
        }));
        lines.extend(folder.import_error.iter().map(|error| format!("  {error}")));
        lines.extend(folder.team.as_ref().map(team::describe_status));
    }
    terminal::print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn describe(index: &FolderIndexStatus) -> String {
    let folder = &index.folder;
    if index.bytes == 0 {
        return format!("{folder}\n  no index yet: `zubi index build`, or the first request of an agent, makes it");
    }
    let state = match index.state.as_str() {
        "stored" if index.undeclared > 0 => "unfinished; the next host, or `zubi index build`, continues",
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

fn describe_import(import: &ImportStatus) -> String {
    let mut text = format!("  {} {}", import.tool, import.version).trim_end().to_owned();
    // Writing to a `String` cannot fail.
    if let Some(commit) = &import.commit {
        let _ = write!(text, " of commit {}", ellipsize(commit, 7).trim_end_matches('…'));
    }
    let _ = write!(text, ", imported {} ago from {}", display_age(import.age_seconds), import.file);
    let languages: Vec<_> = import.languages.iter().map(|(language, number)| format!("{language} {number}")).collect();
    let documents = pluralize(import.documents, "document");
    let _ = write!(text, "\n    {documents} ({}), {} exact now", languages.join(", "), import.exact);
    if import.changed > 0 {
        let _ = write!(text, ", {} changed since", import.changed);
    }
    if import.unchecked > 0 {
        let _ = write!(text, ", {} not compared", import.unchecked);
    }
    text
}

fn import(config: &HostConfig, args: &ImportArgs) -> Result<ExitCode, Failure> {
    let current = zubi_cli::current_directory()?;
    let source = ImportSource {
        file: current.join(&args.file),
        folder: args.folder.as_ref().map(|folder| current.join(folder)),
        commit: args.commit.clone(),
    };
    let imported = block_on(async {
        let stop = on_interrupt()?;
        let line = ProgressLine::new();
        let progress = |step: index::ImportProgress| report_progress(line.as_ref(), "import", step);
        let imported = index::import(config, &source, &stop, &progress).await;
        if let Some(line) = &line {
            line.clear();
        }
        Ok::<_, Failure>(imported)
    })??;
    match imported {
        Ok((folder, report)) => print_report(args, &folder, &report),
        Err(FolderIndexError::Import(ScipImportError::Cancelled)) => {
            terminal::print_err("stopped; the former data remain");
            Ok(ExitCode::from(INTERRUPTED))
        }
        Err(error) => Err(failure(&error)),
    }
}

fn print_report(args: &ImportArgs, folder: &Utf8Path, report: &ImportReport) -> Result<ExitCode, Failure> {
    let origin = &report.import;
    if args.json {
        let skipped: Vec<_> = report
            .skipped
            .iter()
            .map(|one| json!({ "reason": one.reason.describe(), "documents": one.count, "example": one.example }))
            .collect();
        terminal::print_json(&json!({
            "folder": folder,
            "tool": origin.tool,
            "version": origin.version,
            "commit": origin.commit,
            "documents": report.documents,
            "exact": report.exact,
            "occurrences": report.occurrences,
            "localOccurrences": report.local,
            "invalidOccurrences": report.invalid,
            "skipped": skipped,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{folder}\n  {}", describe_report(report));
    if report.exact < report.documents && origin.commit.is_none() {
        let rest = pluralize(report.documents - report.exact, "document");
        let _ = write!(
            text,
            "\n  {rest} do not fit the present files; pass `--commit REV` if the indexer has read a commit"
        );
    }
    terminal::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn report_progress(line: Option<&ProgressLine>, name: &str, step: index::ImportProgress) {
    if let Some(line) = line {
        let (bytes, total) = (display_size(step.bytes), display_size(step.total_bytes));
        line.report(None, &format!("{name}: {}, {bytes} of {total}", pluralize(step.documents, "document")));
    }
}

/// Renders the documents of an import.
fn describe_report(report: &ImportReport) -> String {
    let tool = format!("{} {}", report.import.tool, report.import.version);
    let documents = pluralize(report.documents, "document");
    let mut text = format!("{}: {documents}, {} exact", tool.trim_end(), report.exact);
    // Writing to a `String` cannot fail.
    let _ = write!(text, "; {} of symbols", pluralize(report.occurrences, "occurrence"));
    if report.invalid > 0 {
        let _ = write!(text, ", {} invalid ones left out", report.invalid);
    }
    for one in &report.skipped {
        let documents = pluralize(one.count, "document");
        let _ = write!(text, "\n  skipped {documents} {}: {}", one.reason.describe(), one.example);
    }
    text
}

fn build(config: &HostConfig, args: &IndexArgs) -> Result<ExitCode, Failure> {
    if !config.settings.index.value {
        return Err(Failure::usage(format!("the index is off: `index = false` ({})", config.settings.index.source))
            .hint("Remove the setting, or set `index = true`."));
    }
    let started = Instant::now();
    // The last moment at which a folder's first pass, which reads words, has ended.
    let words_read = Mutex::new(None);
    let built = block_on(async {
        let stop = on_interrupt()?;
        let line = ProgressLine::new();
        let progress = |state: &index::IndexState| {
            let mut words_read = lock(&words_read);
            match state.phase {
                IndexPhase::Unchecked | IndexPhase::Words { .. } => *words_read = None,
                IndexPhase::Declarations | IndexPhase::Ready => {
                    words_read.get_or_insert_with(|| started.elapsed());
                }
            }
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
        Ok(folders) => {
            let seconds = started.elapsed();
            let words = lock(&words_read).unwrap_or(seconds);
            print_status(config, args, &folders, Some(BuildTimes { words, all: seconds }))
        }
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
    let describe = |(folder, bytes): &(Utf8PathBuf, u64)| match bytes {
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
        FolderIndexError::Import(ScipImportError::Locked | ScipImportError::Store(_)) => Failure::environment(error),
        FolderIndexError::Commit(_) => Failure::usage(error)
            .hint("`git log` lists the commits. Without `--commit`, zubi compares the data with the files."),
        FolderIndexError::Import(ScipImportError::Team(_)) | FolderIndexError::Team(_) => Failure::environment(error),
        FolderIndexError::NoFolder(_) => Failure::usage(error).hint("Pass the folder: `--folder DIR`."),
        FolderIndexError::NotFolder(_) => Failure::usage(error).hint("Pass a folder of the workspace: `--folder DIR`."),
        FolderIndexError::Host(_)
        | FolderIndexError::Import(_)
        | FolderIndexError::NoTeam
        | FolderIndexError::TeamSetting(_)
        | FolderIndexError::NoRepositoryName => Failure::usage(error),
    }
}
