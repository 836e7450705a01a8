//! The data of a task: its project, the steps of each column, and what its result must have.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_tests::zubi::environment;
use zubi_tests::{Project, tools};

use super::as_call;
use super::peers::{Session, components};

/// A task.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskScript {
    pub(super) name: String,
    pub(super) title: String,
    /// The published project.
    pub(super) source: String,
    /// Changes before the task: a mistake that it must find.
    #[serde(default)]
    before: Vec<TextChange>,
    /// Texts that the results of the steps must contain.
    #[serde(default)]
    facts: Vec<String>,
    /// Files with a text that they must contain afterwards.
    #[serde(default)]
    present: BTreeMap<String, String>,
    /// Files and folders with a text that no file of them may contain afterwards.
    #[serde(default)]
    absent: BTreeMap<String, String>,
    columns: BTreeMap<String, ColumnSteps>,
    /// The explanation of the figures.
    pub(super) note: String,
}

/// A change of a file.
#[derive(Debug, Clone, Deserialize)]
struct TextChange {
    path: String,
    old: String,
    new: String,
}

/// The steps of a column, or the name of the column whose steps it shares.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum ColumnSteps {
    Shared(String),
    Own(Vec<Step>),
}

/// One call of a model.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Step {
    /// A tool of the column's MCP server.
    Call(String, Value),
    /// A command of the shell.
    Shell(String),
    /// Lines of a file: path, first line, number of lines.
    Read(String, usize, usize),
    /// Replaces a text that occurs once: path, old and new text.
    Edit(String, String, String),
}

impl TaskScript {
    /// Reads all tasks, in the order of their files' names.
    pub(super) fn read_all() -> Result<Vec<Self>> {
        let folder = tools::ROOT.join("bench/tasks");
        let mut files: Vec<_> = folder.read_dir_utf8()?.flatten().map(|entry| entry.path().to_owned()).collect();
        files.sort();
        let read = |file: &camino::Utf8PathBuf| {
            let text = std::fs::read_to_string(file)?;
            serde_json::from_str(&text).with_context(|| format!("{file} is not a task"))
        };
        files.iter().map(read).collect()
    }

    /// A fresh copy of the project, with the changes before the task.
    pub(super) fn project(&self) -> Project {
        let project = Project::copy_published(&self.source);
        for TextChange { path, old, new } in &self.before {
            project.replace(path, old, new);
        }
        project
    }

    /// Whether the task changes files.
    pub(super) fn changes_files(&self) -> bool {
        !self.present.is_empty()
    }

    /// The steps of a column.
    pub(super) fn steps(&self, column: &str) -> Option<&[Step]> {
        match self.columns.get(column)? {
            ColumnSteps::Shared(other) => self.steps(other),
            ColumnSteps::Own(steps) => Some(steps),
        }
    }

    /// Returns the first difference from the expected result, apart from what a compiler finds.
    pub(super) fn mistake(&self, project: &Project, results: &str) -> Option<String> {
        if let Some(fact) = self.facts.iter().find(|fact| !results.contains(*fact)) {
            return Some(format!("`{fact}` is in no result"));
        }
        let files = project.everything();
        let has = |path: &str, text: &str| {
            let mut below = files.iter().filter(|(file, _)| file.starts_with(path));
            below.any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(text))
        };
        let lacking = self.present.iter().find(|(path, text)| !has(path, text));
        let left = self.absent.iter().find(|(path, text)| has(path, text));
        lacking
            .map(|(path, text)| format!("`{text}` is not in {path}"))
            .or(left.map(|(path, text)| format!("`{text}` is still in {path}")))
    }
}

impl Step {
    pub(super) fn is_call(&self) -> bool {
        matches!(self, Self::Call(..))
    }

    /// The step with the project's root and the last plan in the place of `${project}` and `${plan}`.
    pub(super) fn fill(&self, project: &Project, plan: Option<&str>) -> Self {
        let fill = |text: &str| {
            text.replace("${project}", project.root().as_str()).replace("${plan}", plan.unwrap_or_default())
        };
        match self {
            Self::Call(name, arguments) => Self::Call(name.clone(), fill_texts(arguments, &fill)),
            Self::Shell(command) => Self::Shell(fill(command)),
            other => other.clone(),
        }
    }

    /// The call as a model sends it.
    pub(super) fn as_sent(&self) -> Value {
        match self {
            Self::Call(name, arguments) => as_call(name, arguments),
            Self::Shell(command) => as_call("shell", &json!({ "command": command })),
            Self::Read(path, first, count) => as_call("read", &json!({ "path": path, "line": first, "lines": count })),
            Self::Edit(path, old, new) => as_call("edit", &json!({ "path": path, "old": old, "new": new })),
        }
    }

    /// Runs the step and returns the text that the model receives.
    pub(super) fn run(&self, session: Option<&mut Session>, project: &Project) -> Result<String> {
        match self {
            Self::Call(name, arguments) => session.context("the column has no server")?.call(name, arguments),
            Self::Shell(command) => shell(command, project),
            Self::Read(path, first, count) => Ok(read_lines(&project.read(path), *first, *count)),
            Self::Edit(path, old, new) => {
                let text = project.read(path);
                if text.matches(old.as_str()).count() != 1 {
                    bail!("`{old}` does not occur once in {path}");
                }
                project.write(path, &text.replacen(old.as_str(), new, 1));
                Ok(format!("{path} is changed"))
            }
        }
    }
}

/// The definitions of the shell's tools.
pub(super) fn shell_tools() -> Value {
    let tool = |name: &str, description: &str, properties: Value| {
        json!({ "name": name, "description": description,
                "inputSchema": { "type": "object", "properties": properties } })
    };
    json!([
        tool("shell", "Runs a command in the project.", json!({ "command": { "type": "string" } })),
        tool(
            "read",
            "Returns lines of a file with their numbers.",
            json!({ "path": { "type": "string" }, "line": { "type": "integer" }, "lines": { "type": "integer" } }),
        ),
        tool(
            "edit",
            "Replaces a text that occurs once in a file.",
            json!({ "path": { "type": "string" }, "old": { "type": "string" }, "new": { "type": "string" } }),
        ),
    ])
}

/// Applies a function to every text in a value.
fn fill_texts(value: &Value, fill: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => fill(text).into(),
        Value::Array(values) => values.iter().map(|value| fill_texts(value, fill)).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), fill_texts(value, fill))).collect(),
        other => other.clone(),
    }
}

fn shell(command: &str, project: &Project) -> Result<String> {
    let mut shell = Command::new("/bin/bash");
    shell.args(["-c", command]).current_dir(project.root()).env_clear();
    let output = shell.envs(environment(project, &components("shell"))).output().context("bash starts")?;
    let text = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn read_lines(text: &str, first: usize, count: usize) -> String {
    let numbered = text.lines().zip(1..).skip(first.saturating_sub(1)).take(count);
    numbered
        .map(|(line, number)| [number.to_string(), "\t".to_owned(), line.to_owned(), "\n".to_owned()].concat())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::TaskScript;

    #[test]
    fn every_task_has_steps_in_each_column() {
        let scripts = TaskScript::read_all().expect("the tasks");
        assert_eq!(scripts.len(), 6);
        for script in &scripts {
            for column in ["zubi", "agent-lsp", "serena", "shell"] {
                assert!(script.steps(column).is_some_and(|steps| !steps.is_empty()), "{} {column}", script.name);
            }
        }
    }
}
