//! `dlang fmt`: formats models. A file is replaced atomically or left unchanged; a file with several hard links is
//! overwritten in place, so that it remains one file.

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_ide::format::format;
use dlang_syntax::{DiagnosticCode as _, Parse, Severity};
use dlang_workspace::files::{Bounds, CACHE, DiskFiles, EXTENSION, Files as _, Kind, ReadError, WalkGap};
use dlang_workspace::workspace::MAX_MODEL_BYTES;
use dlang_workspace::workspace::PositionFinder;
use serde_json::{Value, json};
use zubi_base::text::pluralize;
use zubi_cli::failure::{ENVIRONMENT, Failure, NEGATIVE, USAGE};
use zubi_cli::terminal;

use crate::cli::Fmt;
use crate::excerpt::{self, ExcerptPosition};
use crate::interrupt::Interrupt;
use crate::output::{DlangOutput, Mode};
use crate::path_error;

pub(super) fn run(output: &DlangOutput, arguments: &Fmt) -> Result<ExitCode, Failure> {
    if arguments.stdin { format_stdin(output, arguments) } else { format_files(output, arguments) }
}

/// The result of formatting one text.
enum FormatOutcome {
    /// The text is already formatted.
    Unchanged,
    Changed(String),
    /// The text has syntax errors.
    Refused(Parse),
}

fn outcome(text: &str) -> FormatOutcome {
    let parse = dlang_syntax::parse(text);
    match format(&parse) {
        Ok(formatted) if formatted.edits.is_empty() => FormatOutcome::Unchanged,
        Ok(formatted) => FormatOutcome::Changed(formatted.text),
        Err(_) => FormatOutcome::Refused(parse),
    }
}

fn format_stdin(output: &DlangOutput, arguments: &Fmt) -> Result<ExitCode, Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin().take(MAX_MODEL_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::environment(format!("cannot read stdin: {error}")))?;
    if bytes.len() > MAX_MODEL_BYTES {
        return Err(Failure::usage(format!("stdin is larger than {MAX_MODEL_BYTES} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format!("stdin is not UTF-8 text (byte {at})")).hint("DomainLang files must be UTF-8.")
    })?;
    let (formatted, is_changed) = match outcome(&text) {
        FormatOutcome::Refused(parse) => return refuse_stdin(output, &text, &parse),
        FormatOutcome::Unchanged => (text, false),
        FormatOutcome::Changed(formatted) => (formatted, true),
    };
    if output.mode == Mode::Json {
        terminal::print_json(&json!({ "success": true, "changed": is_changed, "text": formatted }))?;
    } else if !arguments.check {
        terminal::print_exact(&formatted)?;
    }
    Ok(ExitCode::from(if arguments.check && is_changed { NEGATIVE } else { 0 }))
}

fn refuse_stdin(output: &DlangOutput, text: &str, parse: &Parse) -> Result<ExitCode, Failure> {
    let errors = report_syntax_errors(output, "<stdin>", text, parse);
    if output.mode == Mode::Json {
        terminal::print_json(&json!({ "success": false, "error": "stdin has syntax errors", "errors": errors }))?;
    }
    terminal::print_err(&format!("error: stdin has {}", pluralize(errors.len(), "syntax error")));
    Ok(ExitCode::from(USAGE))
}

fn format_files(output: &DlangOutput, arguments: &Fmt) -> Result<ExitCode, Failure> {
    let interrupt = Interrupt::listen()?;
    let (files, cuts) = files(output, &arguments.paths)?;
    let mut report = FormatReport { files: files.len(), ..FormatReport::default() };
    for (path, reason) in cuts {
        // There may be models that were not checked.
        let display_path = output.show(&path).to_owned();
        report.fail(&display_path, &format!("`{display_path}`: {reason}"), ENVIRONMENT);
    }
    for path in &files {
        // Only between two files, so that no file is left half formatted.
        if interrupt.is_requested() {
            return Ok(Interrupt::code());
        }
        format_file(output, arguments, path, &mut report)?;
    }
    interrupt.disarm();
    report.print(output, arguments)?;
    Ok(ExitCode::from(report.code(arguments)))
}

fn format_file(
    output: &DlangOutput,
    arguments: &Fmt,
    path: &Utf8Path,
    report: &mut FormatReport,
) -> Result<(), Failure> {
    let display_path = output.show(path).to_owned();
    let text = match DiskFiles.read_text(path, MAX_MODEL_BYTES) {
        Ok(text) => text,
        Err(error) => {
            let is_invalid = matches!(error, ReadError::NotUtf8 { .. } | ReadError::TooLarge { .. });
            let code = if is_invalid { USAGE } else { ENVIRONMENT };
            report.fail(&display_path, &format!("cannot format `{display_path}`: {error}"), code);
            return Ok(());
        }
    };
    match outcome(&text) {
        FormatOutcome::Unchanged => {}
        FormatOutcome::Refused(parse) => {
            let errors = report_syntax_errors(output, &display_path, &text, &parse);
            report.refused.push(json!({ "file": display_path, "errors": errors }));
            report.exit_code = report.exit_code.max(USAGE);
        }
        FormatOutcome::Changed(formatted) => {
            if !arguments.check
                && let Err(error) = zubi_base::fs::write_preserving_links(path, formatted.as_bytes())
            {
                report.fail(&display_path, &format!("cannot write `{display_path}`: {error}"), ENVIRONMENT);
                return Ok(());
            }
            if output.mode != Mode::Json {
                terminal::print(&display_path)?;
            }
            report.changed.push(display_path);
        }
    }
    Ok(())
}

/// The result of formatting all files.
#[derive(Debug, Default)]
struct FormatReport {
    files: usize,
    changed: Vec<String>,
    /// Files with syntax errors, with the errors.
    refused: Vec<Value>,
    /// Files that could not be read or written, and paths that were skipped.
    failed: Vec<Value>,
    /// The highest exit code so far.
    exit_code: u8,
}

impl FormatReport {
    /// Records a file that could not be formatted, or a folder that was skipped.
    fn fail(&mut self, display_path: &str, error: &str, code: u8) {
        terminal::print_err(&format!("error: {error}"));
        self.failed.push(json!({ "file": display_path, "error": error }));
        self.exit_code = self.exit_code.max(code);
    }

    fn code(&self, arguments: &Fmt) -> u8 {
        if self.exit_code == 0 && arguments.check && !self.changed.is_empty() { NEGATIVE } else { self.exit_code }
    }

    fn print(&self, output: &DlangOutput, arguments: &Fmt) -> Result<(), Failure> {
        if output.mode == Mode::Json {
            return terminal::print_json(&json!({
                "success": self.code(arguments) == 0,
                "fileCount": self.files,
                "changed": self.changed,
                "refused": self.refused,
                "failed": self.failed,
            }));
        }
        if output.mode == Mode::Rich {
            let verb = if arguments.check { "would change" } else { "changed" };
            let refused = match self.refused.len() {
                0 => String::new(),
                number => format!("; unchanged because of syntax errors: {number}"),
            };
            terminal::print_err(&format!(
                "{verb}: {} of {}{refused}",
                self.changed.len(),
                pluralize(self.files, "file")
            ));
        }
        Ok(())
    }
}

/// A path that was skipped, and the reason.
type SkippedPath = (Utf8PathBuf, String);

/// Returns the files to format, sorted and unique, and the paths that were skipped.
fn files(output: &DlangOutput, paths: &[Utf8PathBuf]) -> Result<(BTreeSet<Utf8PathBuf>, Vec<SkippedPath>), Failure> {
    let is_cached = |path: &Utf8Path| path.components().any(|part| part.as_str() == CACHE);
    let (mut files, mut skipped) = (BTreeSet::new(), Vec::new());
    let default = [Utf8PathBuf::from(".")];
    for path_argument in if paths.is_empty() { &default } else { paths } {
        let path = output.absolute(path_argument);
        // A link may also lead into the cache.
        if is_cached(&path) || DiskFiles.canonical(&path).is_some_and(|path| is_cached(&path)) {
            return Err(Failure::usage(format!("`{path_argument}` is in the package cache, which is not formatted"))
                .hint("Format a package in its own repository."));
        }
        match DiskFiles.kind(&path) {
            Some(Kind::Directory) => {
                path_error::ensure_readable_dir(path_argument, &path)?;
                let walk = DiskFiles.walk(&path, Bounds::default());
                files.extend(walk.files.into_iter().filter(|file| file.extension() == Some(EXTENSION)));
                skipped.extend(walk.skipped.into_iter().filter_map(|cut| skip_reason(output, &path, cut)));
            }
            Some(Kind::File) if path.extension() == Some(EXTENSION) => _ = files.insert(path),
            Some(_) => return Err(path_error::wrong_extension(path_argument)),
            None => return Err(path_error::not_found(path_argument)),
        }
    }
    Ok((files, skipped))
}

/// Returns a skipped path and the reason, if the path may contain models. A [`WalkGap::PassedOver`] contains none; a
/// warning reports it at once.
fn skip_reason(output: &DlangOutput, folder: &Utf8Path, cut: WalkGap) -> Option<SkippedPath> {
    Some(match cut {
        WalkGap::Entries(count) => {
            (folder.to_owned(), format!("only the first {count} files and folders were scanned"))
        }
        WalkGap::Depth(path) => (path, "not scanned: nested too deep".to_owned()),
        WalkGap::Unreadable { path, reason } => (path, format!("not scanned: {reason}")),
        WalkGap::Unlisted(count) => (folder.to_owned(), format!("{count} further locations were not scanned")),
        WalkGap::PassedOver { path, kind } => {
            terminal::print_err(&format!("warning: `{}` is {kind}", output.show(&path)));
            return None;
        }
    })
}

/// Prints the syntax errors of a text to stderr, and returns them as JSON.
fn report_syntax_errors(output: &DlangOutput, display_path: &str, text: &str, parse: &Parse) -> Vec<Value> {
    let style = output.on_stderr();
    let mut errors = Vec::new();
    let position_finder = PositionFinder::new(text);
    for diagnostic in parse.diagnostics().iter().filter(|it| it.severity() == Severity::Error) {
        let range = std::ops::Range::<usize>::from(diagnostic.range);
        let start = position_finder.position(diagnostic.range.start());
        let (line, column) = (start.line, start.column);
        let message = diagnostic.text();
        let position = ExcerptPosition { path: display_path, text: Some(text), range, start };
        let code = diagnostic.code.as_str();
        match output.mode {
            Mode::Quiet => terminal::print_err(&format!("{display_path}:{line}:{column}: error: {message}")),
            Mode::Rich | Mode::Json => {
                terminal::print_err_styled(&format!("{}\n", excerpt::render(diagnostic, &position, &[], style)));
            }
        }
        errors.push(json!({ "message": message, "code": code, "line": line, "column": column }));
    }
    errors
}
