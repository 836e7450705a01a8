//! The compilers that check the result of a task: a change must not add a diagnostic.

use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;
use zubi_tests::zubi::environment;
use zubi_tests::{Project, tools};

use super::peers::components;

/// The compiler of a project, and its number of errors in the published sources.
pub(super) struct Compiler {
    is_typescript: bool,
    errors: usize,
}

impl Compiler {
    /// Counts the errors of a published project.
    pub(super) fn for_project(source: &str) -> Result<Self> {
        let mut compiler = Self { is_typescript: source == "rxjs", errors: 0 };
        compiler.errors = compiler.errors(&Project::copy_published(source))?.len();
        Ok(compiler)
    }

    /// Returns what the compiler finds in a project after a task.
    pub(super) fn mistake(&self, project: &Project) -> Result<Option<String>> {
        let errors = self.errors(project)?;
        let is_right = errors.len() == self.errors;
        let last = errors.last().map(String::as_str).unwrap_or_default();
        Ok((!is_right).then(|| format!("{} errors, {} in the published sources: {last}", errors.len(), self.errors)))
    }

    fn errors(&self, project: &Project) -> Result<Vec<String>> {
        let run = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            command.args(arguments).current_dir(project.root()).env_clear();
            let output = command.envs(environment(project, &components("shell"))).output();
            output.with_context(|| format!("{program} starts"))
        };
        if self.is_typescript {
            let output = run(tools::program("typescript", "tsc").as_str(), &["--noEmit", "--pretty", "false"])?;
            let text = String::from_utf8_lossy(&output.stdout);
            return Ok(text.lines().filter(|line| line.contains("): error TS")).map(str::to_owned).collect());
        }
        let output = run(tools::program("pyright", "pyright").as_str(), &["--outputjson", "rich"])?;
        let report: Value = serde_json::from_slice(&output.stdout).context("pyright prints JSON")?;
        let diagnostics = report["generalDiagnostics"].as_array().context("pyright lists diagnostics")?;
        let errors = diagnostics.iter().filter(|it| it["severity"] == "error");
        let mut errors: Vec<String> = errors.map(|it| it["message"].to_string()).collect();
        let compiled = run(tools::python(), &["-m", "compileall", "-q", "rich"])?;
        if !compiled.status.success() {
            errors.push(String::from_utf8_lossy(&[compiled.stdout, compiled.stderr].concat()).into_owned());
        }
        Ok(errors)
    }
}
