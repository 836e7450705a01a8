//! `dlang validate`: reports the diagnostics of a model, once or again after every change.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use dlang_syntax::Severity;
use dlang_workspace::queries::{self, Validation};
use dlang_workspace::watch::{WakeReason, Watcher};
use dlang_workspace::workspace::LinePosition;
use dlang_workspace::{Workspace, WorkspaceSnapshot};
use zubi_base::text::pluralize;
use zubi_cli::failure::{Failure, NEGATIVE};
use zubi_cli::terminal;

use crate::cli::Validate;
use crate::excerpt;
use crate::load::{self, LoadResult};
use crate::output::{DlangOutput, Mode};

/// The maximum wait before a watch checks the files without a notification: some file systems send none.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// The interval at which a watch checks whether its stdout is closed.
const PIPE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn run(output: &DlangOutput, arguments: &Validate) -> Result<ExitCode, Failure> {
    let mut workspace = match load::load(output, &arguments.path)? {
        LoadResult::Interrupted(code) => return Ok(code),
        LoadResult::Complete(workspace) => workspace,
    };
    if arguments.watch { watch(output, arguments, &mut workspace) } else { answer(output, arguments, &workspace) }
}

fn answer(output: &DlangOutput, arguments: &Validate, workspace: &Workspace) -> Result<ExitCode, Failure> {
    let snapshot = workspace.snapshot();
    if load::file_count(&snapshot)? == 0 {
        return Err(load::no_models(&arguments.path));
    }
    let validation = queries::validate(&snapshot, None).map_err(Failure::environment)?;
    match output.mode {
        Mode::Json => terminal::print_json(&validation.to_json(&snapshot))?,
        Mode::Quiet => print_lines(output, &validation)?,
        Mode::Rich => print_excerpts(output, &snapshot, &validation)?,
    }
    let is_denied = arguments.deny_warnings && validation.count(Severity::Warning) > 0;
    Ok(ExitCode::from(if is_denied || !validation.is_valid() { NEGATIVE } else { 0 }))
}

/// Validates again after every change, until Ctrl-C ends the process or stdout is closed.
fn watch(output: &DlangOutput, arguments: &Validate, workspace: &mut Workspace) -> Result<ExitCode, Failure> {
    let mut watcher = Watcher::new().map_err(Failure::environment)?;
    loop {
        // Before the answer, so that no change after it is missed.
        if let Err(error) = watcher.follow(workspace.folders()) {
            terminal::print_err(&format!("warning: {error}; changes there are noticed within a minute"));
        }
        let code = match answer(output, arguments, workspace) {
            Ok(code) => code,
            // All models may be gone for a moment, while another version is checked out.
            Err(failure) => failure.report(),
        };
        if terminal::is_broken_pipe() {
            return Ok(code);
        }
        terminal::print_err("watching; press Ctrl-C to stop");
        loop {
            let wake_reason = wait(&mut watcher);
            if terminal::is_broken_pipe() {
                return Ok(code);
            }
            if workspace.refresh() {
                break;
            }
            if wake_reason == WakeReason::Changed {
                // A created or removed folder changes what to watch, even if no model changed.
                watcher.follow(workspace.folders()).ok();
            }
        }
    }
}

/// Waits until the next check is due or stdout is closed.
fn wait(watcher: &mut Watcher) -> WakeReason {
    let start = Instant::now();
    loop {
        let wake_reason = watcher.wait(PIPE_CHECK_INTERVAL);
        if wake_reason == WakeReason::Changed || start.elapsed() >= MAX_WAIT || terminal::is_broken_pipe() {
            return wake_reason;
        }
    }
}

/// Prints errors, then warnings, in the format of DomainLang's TypeScript CLI: warnings without their column.
fn print_lines(output: &DlangOutput, validation: &Validation) -> Result<(), Failure> {
    let select = |severity| validation.problems.iter().filter(move |problem| problem.diagnostic.severity() == severity);
    for problem in select(Severity::Error) {
        let (path, LinePosition { line, column }) = (output.show(&problem.path), problem.start);
        terminal::print(&format!("{path}:{line}:{column}: error: {}", problem.diagnostic.text()))?;
    }
    for problem in select(Severity::Warning) {
        terminal::print(&format!(
            "{}:{}: warning: {}",
            output.show(&problem.path),
            problem.start.line,
            problem.diagnostic.text()
        ))?;
    }
    Ok(())
}

fn print_excerpts(output: &DlangOutput, snapshot: &WorkspaceSnapshot, validation: &Validation) -> Result<(), Failure> {
    let style = output.on_stdout();
    let mut texts = ExcerptTexts { snapshot, read: BTreeMap::new() };
    for problem in &validation.problems {
        let text = texts.text_of(&problem.path)?;
        let related = problem.diagnostic.related.iter().map(|it| &it.location);
        let related_texts =
            related.map(|it| Ok((it, texts.text_of(&it.path)?))).collect::<Result<Vec<_>, Failure>>()?;
        let related: Vec<_> = related_texts
            .iter()
            .map(|(it, text)| excerpt_position(output, &it.path, text.as_deref(), it.range.into(), it.start))
            .collect();
        let range = problem.diagnostic.range.into();
        let position = excerpt_position(output, &problem.path, text.as_deref(), range, problem.start);
        terminal::print_styled(&excerpt::render(&problem.diagnostic, &position, &related, style))?;
        terminal::print("")?;
    }
    terminal::print(&summary(validation))
}

fn excerpt_position<'a>(
    output: &DlangOutput,
    path: &'a Utf8Path,
    text: Option<&'a str>,
    range: std::ops::Range<usize>,
    start: LinePosition,
) -> excerpt::ExcerptPosition<'a> {
    excerpt::ExcerptPosition { path: output.show(path), text, range, start }
}

/// Formats the last line: how much was checked, and the number of diagnostics.
fn summary(validation: &Validation) -> String {
    let number =
        |severity, one| Some(validation.count(severity)).filter(|number| *number > 0).map(|it| pluralize(it, one));
    let remarks = validation.count(Severity::Info) + validation.count(Severity::Hint);
    let found: Vec<String> = [
        number(Severity::Error, "error"),
        number(Severity::Warning, "warning"),
        (remarks > 0).then(|| pluralize(remarks, "remark")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let found = if found.is_empty() { "no problems".to_owned() } else { found.join(", ") };
    let checked = [
        pluralize(validation.files, "file"),
        pluralize(validation.domains, "domain"),
        pluralize(validation.contexts, "bounded context"),
    ];
    format!("{}: {found}", checked.join(", "))
}

/// The texts for excerpts, each fetched once.
struct ExcerptTexts<'a> {
    snapshot: &'a WorkspaceSnapshot,
    read: BTreeMap<Utf8PathBuf, Option<Arc<str>>>,
}

impl ExcerptTexts<'_> {
    fn text_of(&mut self, path: &Utf8Path) -> Result<Option<Arc<str>>, Failure> {
        if let Some(cached) = self.read.get(path) {
            return Ok(cached.clone());
        }
        let text = match self.snapshot.file(path).map_err(Failure::environment)? {
            Some(file) => Some(self.snapshot.query(|db| Arc::from(file.text(db))).map_err(Failure::environment)?),
            None => self.snapshot.own_text(path).map(|own| Arc::from(own.text)),
        };
        self.read.insert(path.to_owned(), text.clone());
        Ok(text)
    }
}
