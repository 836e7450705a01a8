//! `zubi tools check --test`: runs the tests in tool files.

use std::process::ExitCode;
use std::sync::Arc;

use camino::Utf8Path;
use serde_json::{Value, json};
use zubi_base::nearest::nearest;
use zubi_base::text::pluralize;
use zubi_cli::failure::{ENVIRONMENT, Failure, INTERRUPTED, NEGATIVE};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal::{self, ProgressLine};
use zubi_declared::testing::{TestResult, TestStatus};
use zubi_declared::{DeclaredTools, LoadedFile, LoadedTool, TrustState};
use zubi_host::LocalHost;
use zubi_tool_api::cx::ProgressSink as _;
use zubi_tool_api::progress::ThrottledProgress;

use super::check::untrusted_reason;
use crate::commands::end::end;
use crate::session::CliSession;

/// The result of all tests.
pub(super) struct TestReport {
    outcomes: Vec<TestResult>,
    /// Whether Ctrl-C ended the run.
    interrupted: bool,
    /// The number of chosen tools without tests.
    untested: usize,
    /// The number of files that were skipped because they are not trusted.
    refused: usize,
}

/// Runs the tests of these tools, or of all tools if none is named, and reports each result as its test ends.
pub(super) fn run(
    session: &CliSession,
    loaded: &DeclaredTools,
    ids: &[String],
    json: bool,
) -> Result<TestReport, Failure> {
    let selected = select_tools(loaded, ids)?;
    let refused: Vec<&LoadedFile> =
        loaded.untrusted_files().filter(|file| selected.iter().any(|(other, _)| other.path == file.path)).collect();
    let trusted: Vec<_> = selected.iter().filter(|(file, _)| file.trust == TrustState::Trusted).collect();
    let cases = |(file, tool): &&(&LoadedFile, &LoadedTool)| file.test_cases(tool).len();
    let (total, untested) =
        (trusted.iter().map(cases).sum::<usize>(), trusted.iter().filter(|it| cases(it) == 0).count());
    let mut report = TestReport { outcomes: Vec::new(), interrupted: false, untested, refused: refused.len() };
    if total == 0 {
        return Ok(report);
    }
    let config = session.config()?;
    let host = LocalHost::new(&config).map_err(Failure::usage)?;
    block_on(async {
        let interrupted = on_interrupt()?;
        let test_context = host.test_context(&config).await;
        let line = ProgressLine::new().map(Arc::new);
        let progress = line.clone().map(|line| ThrottledProgress::new(line));
        'files: for (file, tool) in trusted {
            for case in file.test_cases(tool) {
                if let Some(progress) = &progress {
                    progress.report(Some(fraction(report.outcomes.len(), total)), &case.to_string());
                }
                let outcome = test_context.run(file, tool, &case, &interrupted).await;
                if let Some(line) = &line {
                    line.clear();
                }
                if interrupted.is_cancelled() {
                    report.interrupted = true;
                    break 'files;
                }
                if !json {
                    terminal::print(&outcome.render())?;
                }
                report.outcomes.push(outcome);
            }
        }
        end(&host).await;
        Ok(report)
    })?
}

#[expect(clippy::cast_precision_loss, reason = "a progress line shows whole percents")]
fn fraction(done: usize, total: usize) -> f64 {
    done as f64 / total.max(1) as f64
}

/// Returns the chosen tools, each with its file.
fn select_tools<'a>(
    loaded: &'a DeclaredTools,
    ids: &[String],
) -> Result<Vec<(&'a LoadedFile, &'a LoadedTool)>, Failure> {
    if ids.is_empty() {
        return Ok(loaded.files.iter().flat_map(|file| file.tools.iter().map(move |tool| (file, tool))).collect());
    }
    ids.iter().map(|id| loaded.find(id).or_else(|| find_at(loaded, id)).ok_or_else(|| no_tool(loaded, id))).collect()
}

/// Returns the tool at a location `FILE:LINE`.
fn find_at<'a>(loaded: &'a DeclaredTools, location: &str) -> Option<(&'a LoadedFile, &'a LoadedTool)> {
    let (path, line) = location.rsplit_once(':')?;
    // The file itself is not resolved if it is a link, because tools in links are not loaded.
    let path = zubi_cli::current_directory().ok()?.join(path);
    let path = zubi_base::fs::canonical(path.parent()?).ok()?.join(path.file_name()?);
    let file = loaded.files.iter().find(|file| file.path == path)?;
    file.tool_at(line.parse().ok()?).map(|tool| (file, tool))
}

/// Returns the error for an id that no tool of the files has.
pub(super) fn no_tool(loaded: &DeclaredTools, id: &str) -> Failure {
    let ids: Vec<&str> =
        loaded.files.iter().flat_map(|file| &file.tools).map(|tool| tool.definition.id.as_str()).collect();
    let near = nearest(id, ids.iter().copied(), 3);
    let message = format!("this workspace declares no usable tool `{id}`");
    let hint = match near.as_slice() {
        _ if Utf8Path::new(id).extension() == Some("json") => {
            "Files go before `--test`; ids of tools go after it.".to_owned()
        }
        [] if ids.is_empty() => {
            "`zubi tools init` writes a first tool file; `zubi tools check` says what is wrong with one.".to_owned()
        }
        [] => format!("Usable tools: {}. `zubi tools check` reports the errors in others.", ids.join(", ")),
        near => format!("Did you mean {}? `zubi tools check` reports the errors in others.", near.join(", ")),
    };
    Failure::usage(message).hint(hint)
}

impl TestReport {
    fn count(&self, is: impl Fn(&TestStatus) -> bool) -> usize {
        self.outcomes.iter().filter(|outcome| is(&outcome.status)).count()
    }

    fn counts(&self) -> (usize, usize, usize) {
        let passed = self.count(|verdict| matches!(verdict, TestStatus::Passed));
        let skipped = self.count(|verdict| matches!(verdict, TestStatus::Skipped { .. }));
        (passed, self.outcomes.len() - passed - skipped, skipped)
    }

    /// Prints the counts, including skipped files.
    pub(super) fn print_summary(&self, loaded: &DeclaredTools) {
        if self.refused > 0 {
            for file in loaded.untrusted_files() {
                terminal::print_err(&untrusted_reason(file));
            }
            terminal::print_err("error: tests run code, so the tests of an untrusted file do not run");
        }
        let (passed, failed, skipped) = self.counts();
        let mut counted =
            vec![format!("{}: {passed} passed", pluralize(self.outcomes.len(), "test")), format!("{failed} failed")];
        if skipped > 0 {
            counted.push(format!("{skipped} skipped"));
        }
        if self.untested > 0 {
            counted.push(format!("{} without tests", pluralize(self.untested, "tool")));
        }
        if self.interrupted {
            counted.push("interrupted".to_owned());
        }
        terminal::print_err(&counted.join(", "));
    }

    pub(super) fn to_json(&self) -> Value {
        let (passed, failed, skipped) = self.counts();
        json!({
            "passed": passed, "failed": failed, "skipped": skipped,
            "toolsWithoutTests": self.untested, "filesNotTrusted": self.refused, "interrupted": self.interrupted,
            "results": self.outcomes.iter().map(TestResult::to_json).collect::<Vec<_>>(),
        })
    }

    /// Returns the exit code, if the tests determine it.
    pub(super) fn exit(&self) -> Option<ExitCode> {
        if self.interrupted {
            Some(ExitCode::from(INTERRUPTED))
        } else if self.outcomes.iter().any(TestResult::is_failure) {
            Some(ExitCode::from(NEGATIVE))
        } else if self.refused > 0 {
            Some(ExitCode::from(ENVIRONMENT))
        } else {
            None
        }
    }
}
