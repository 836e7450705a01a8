//! `zubi tools check`: checks the files in which a workspace declares tools.

use std::process::ExitCode;

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use zubi_base::escape::on_lines;
use zubi_base::text::pluralize;
use zubi_base::workspace::WorkspaceFolders;
use zubi_cli::failure::{Failure, NEGATIVE};
use zubi_cli::terminal;
use zubi_declared::{DeclaredTools, LoadedFile, LocatedProblem, MAIN_FILE, ProblemSeverity, TrustState};

use super::test;
use crate::cli::CheckTools;
use crate::session::CliSession;

pub(super) fn run(session: &CliSession, check: &CheckTools) -> Result<ExitCode, Failure> {
    let workspace = WorkspaceFolders::open(&session.folders).map_err(Failure::usage)?;
    let loaded = load(session, &workspace, check)?;
    let tests = match &check.test {
        // Problems come first, as without tests: they say more about an invalid tool than its failed tests.
        Some(ids) => {
            if !check.json {
                show_problems(&loaded)?;
            }
            Some(test::run(session, &loaded, ids, check.json)?)
        }
        None => None,
    };
    let count = |severity| loaded.problems().filter(|located| located.problem.severity == severity).count();
    let (errors, warnings) = (count(ProblemSeverity::Error), count(ProblemSeverity::Warning));
    if check.json {
        let files: Vec<Value> = loaded.files.iter().map(|file| describe(file, &workspace)).collect();
        let mut report = json!({ "files": files, "errors": errors, "warnings": warnings });
        if let (Some(tests), Some(object)) = (&tests, report.as_object_mut()) {
            object.insert("tests".to_owned(), tests.to_json());
        }
        terminal::print_json(&report)?;
    } else {
        if tests.is_none() {
            show_problems(&loaded)?;
            show_quarantined(&loaded, &workspace)?;
        }
        let tools: usize = loaded.files.iter().map(|file| file.tools.len()).sum();
        let counted = [
            pluralize(loaded.files.len(), "file"),
            pluralize(tools, "tool"),
            pluralize(errors, "error"),
            pluralize(warnings, "warning"),
        ];
        terminal::print_err(&counted.join(", "));
        if loaded.files.is_empty() {
            terminal::print_err(next(&workspace));
        }
        if let Some(tests) = &tests {
            tests.print_summary(&loaded);
        }
    }
    let has_problems = errors > 0 || (check.deny_warnings && warnings > 0);
    let test_exit = tests.as_ref().and_then(test::TestReport::exit);
    Ok(if has_problems { ExitCode::from(NEGATIVE) } else { test_exit.unwrap_or(ExitCode::SUCCESS) })
}

/// Returns the hint for a workspace without tool files.
fn next(workspace: &WorkspaceFolders) -> &'static str {
    let directory = |file: &str| workspace.root().join(file).parent().map(ToOwned::to_owned);
    let is_link = |path: Utf8PathBuf| zubi_base::fs::canonical(&path).is_ok_and(|path| !workspace.contains(&path));
    if directory(MAIN_FILE).is_some_and(is_link) {
        "`.vscode` is a link to outside the workspace, and zubi does not follow it for tool files: make it a directory."
    } else {
        "`zubi tools init` creates a first tool file."
    }
}

fn load(session: &CliSession, workspace: &WorkspaceFolders, check: &CheckTools) -> Result<DeclaredTools, Failure> {
    let trust = session.trust();
    // Other commands report invalid settings; tool files can be checked without valid settings.
    let secrets: Vec<String> = match session.config() {
        Ok(config) => config.settings.env.into_keys().collect(),
        Err(error) => {
            terminal::print_err(&format!("warning: without the settings: {}", error.text()));
            Vec::new()
        }
    };
    if check.files.is_empty() {
        return Ok(zubi_declared::load(workspace, &trust, &secrets));
    }
    let current = zubi_cli::current_directory()?;
    let mut files = Vec::new();
    for file in &check.files {
        let path = current.join(file);
        // The directory's links are resolved, so that the file has the path by which it is trusted; the loader checks
        // whether the file itself is a link.
        let resolved = match (path.parent().map(zubi_base::fs::canonical), path.file_name()) {
            (Some(Ok(directory)), Some(name)) => directory.join(name),
            _ => path,
        };
        if std::fs::symlink_metadata(&resolved).is_err() {
            return Err(Failure::usage(format!("file not found: `{file}`")));
        }
        files.push(resolved);
    }
    Ok(zubi_declared::load_files(workspace, &files, &trust, &secrets))
}

fn show_problems(loaded: &DeclaredTools) -> Result<(), Failure> {
    loaded.problems().try_for_each(|located| terminal::print(&located.render()))
}

fn show_quarantined(loaded: &DeclaredTools, workspace: &WorkspaceFolders) -> Result<(), Failure> {
    for file in loaded.untrusted_files() {
        terminal::print(&untrusted_reason(file))?;
        if let Some(diff) = file.diff(workspace) {
            terminal::print(&on_lines(diff.trim_end()))?;
        }
    }
    Ok(())
}

/// Explains why the tools of a file are ignored, with a hint.
pub(super) fn untrusted_reason(file: &LoadedFile) -> String {
    let reason = file.trust.reason().unwrap_or("is trusted");
    let (tools, verb) = (pluralize(file.tools.len(), "tool"), if file.tools.len() == 1 { "is" } else { "are" });
    let next = match file.trust {
        TrustState::Changed { .. } => "`zubi trust --diff` shows the changes, `zubi trust` trusts them",
        _ => "`zubi trust --diff` shows what it would run, `zubi trust` trusts it",
    };
    format!("{}: note: the file {reason}, so its {tools} {verb} ignored\n  {next}", file.display_path)
}

fn describe(file: &LoadedFile, workspace: &WorkspaceFolders) -> Value {
    json!({
        "file": file.display_path,
        "standing": file.trust.as_str(),
        "diff": file.diff(workspace),
        "tools": file.tools.iter().map(|tool| tool.definition.to_json()).collect::<Vec<_>>(),
        "problems": file.problems.iter().map(LocatedProblem::to_json).collect::<Vec<_>>(),
    })
}
