//! A real VS Code with the extension of this repository.
//!
//! The cases run inside VS Code's extension host and are written in TypeScript (`editors/vscode/tests/real`). This
//! module provides a workspace, a `zubi` and a VS Code, and returns the results.

use std::process::Command;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value, json};

use crate::{Project, processes, tools, zubi};

/// The deadline of a window with all cases on a small machine; each case has its own limit within it.
const DEADLINE_SECONDS: u32 = 280;

/// Runs a group of cases on a project with this program as the language server; returns one line for each case.
///
/// # Panics
///
/// If a case failed or could not run, or if a process is left; the message has the whole output.
pub fn run(group: &str, project: &Project, server: &Utf8Path) -> String {
    Editor::new(project, server).window("", group).run()
}

/// The configuration of a VS Code and its windows.
#[derive(Debug)]
pub struct Editor<'a> {
    project: &'a Project,
    server: Utf8PathBuf,
    windows: Vec<(Utf8PathBuf, String)>,
    like_user: bool,
    vsix: Option<Utf8PathBuf>,
    untrusted: bool,
    extensions: Vec<&'static str>,
    settings: Map<String, Value>,
    excluded_pids: Vec<u32>,
    variables: Map<String, Value>,
}

impl<'a> Editor<'a> {
    /// Creates a VS Code without a window that runs as for its own tests: dialogs confirm themselves.
    pub fn new(project: &'a Project, server: &Utf8Path) -> Self {
        Self {
            project,
            server: server.to_owned(),
            windows: Vec::new(),
            like_user: false,
            vsix: None,
            untrusted: false,
            extensions: Vec::new(),
            settings: Map::new(),
            excluded_pids: Vec::new(),
            variables: Map::new(),
        }
    }

    /// Adds a window on a folder of the project (empty: the project itself) that runs this group of cases. All windows
    /// are open at the same time.
    #[must_use]
    pub fn window(mut self, folder: &str, group: &str) -> Self {
        let root = self.project.root();
        let folder = if folder.is_empty() { root.to_owned() } else { root.join(folder) };
        self.windows.push((folder, group.to_owned()));
        self
    }

    /// Runs VS Code as for a user: the extension is installed, dialogs are shown and wait for an answer.
    #[must_use]
    pub fn like_user(self) -> Self {
        Self { like_user: true, ..self }
    }

    /// Installs this package, without any other program.
    #[must_use]
    pub fn package(self, vsix: Utf8PathBuf) -> Self {
        Self { like_user: true, vsix: Some(vsix), ..self }
    }

    /// Opens the project in an untrusted folder, as a user would.
    #[must_use]
    pub fn without_trust(self) -> Self {
        Self { like_user: true, untrusted: true, ..self }
    }

    /// Adds another extension, by its name in `tests/real/assemble.ts`.
    #[must_use]
    pub fn extension(mut self, name: &'static str) -> Self {
        self.extensions.push(name);
        self
    }

    /// Adds language support for Python, which VS Code does not include.
    #[must_use]
    pub fn python(mut self) -> Self {
        // VS Code reads its extensions' PATH from a shell, so they cannot find the program on the test's PATH.
        let program = tools::directory("pyright").join("node_modules/pyright/langserver.index.js");
        self.variables.insert("ZUBI_TEST_PYRIGHT".to_owned(), json!(program));
        self.extension("python")
    }

    /// Adds a setting of the machine.
    #[must_use]
    pub fn setting(mut self, key: &str, value: Value) -> Self {
        self.settings.insert(key.to_owned(), value);
        self
    }

    /// Allows these processes of the test to stay; all others must end with VS Code.
    #[must_use]
    pub fn with_processes(mut self, others: &[u32]) -> Self {
        self.excluded_pids.extend(others);
        self
    }

    /// Runs all cases; returns one line for each.
    ///
    /// # Panics
    ///
    /// As [`run`].
    pub fn run(&self) -> String {
        processes::adopt_orphans();
        let (project, scratch) = (self.project, self.project.home().join("vscode"));
        let results = project.home().join("results.json");
        let config = project.home().join("config.json");
        std::fs::create_dir(&scratch).expect("a new directory");
        let windows: Vec<_> =
            self.windows.iter().map(|(folder, group)| json!({ "folder": folder, "group": group })).collect();
        let mut fields = json!({
            "vscode": tools::directory("vscode"),
            "chromium": tools::program("chromium", "chromium"),
            "server": self.server,
            "windows": windows,
            "likeUser": self.like_user,
            "untrusted": self.untrusted,
            "extensions": self.extensions,
            "variables": self.variables,
            "settings": self.settings,
            "scratch": scratch,
            "results": results,
            "shots": tools::ROOT.join("target/screenshots"),
            "deadline": DEADLINE_SECONDS,
        });
        if let Some(vsix) = &self.vsix {
            fields["vsix"] = json!(vsix);
        }
        std::fs::write(&config, fields.to_string()).expect("a new file");
        // The harness needs the extension's packages too: without them it could not report what is missing.
        assert!(tools::directory("vscode-extension").is_dir(), "run `cargo xtask setup --only vscode-extension`");
        let outcome = Command::new(tools::program("node", "node"))
            .arg(tools::ROOT.join("editors/vscode/tests/real/host.ts"))
            .arg(&config)
            .current_dir(project.root())
            .env_clear()
            .envs(zubi::environment(project, &["node"]))
            .output()
            .expect("node starts");
        let log = format!("{}{}", String::from_utf8_lossy(&outcome.stdout), String::from_utf8_lossy(&outcome.stderr));
        let exited = processes::nothing_left_except(&self.excluded_pids, Duration::from_secs(10));
        let cases = std::fs::read_to_string(&results).unwrap_or_else(|_| panic!("no case ran\n{log}"));
        let cases: Vec<Value> = serde_json::from_str(&cases).expect("a list of cases");
        print_times(&cases);
        let lines = cases.iter().map(line).collect::<Vec<_>>().join("\n");
        assert!(outcome.status.success(), "{log}\n\n{}\n{lines}", outcome.status);
        assert!(exited.is_ok(), "still running: {exited:?}");
        lines
    }
}

/// Prints the seconds of each case. nextest shows them for a failed test, and with `--success-output immediate`.
#[expect(clippy::print_stderr, reason = "the output of a test")]
fn print_times(cases: &[Value]) {
    for case in cases {
        let seconds = case["seconds"].as_f64().unwrap_or_default();
        eprintln!("{seconds:>5.1} s  {}", case["name"].as_str().unwrap_or_default());
    }
}

fn line(case: &Value) -> String {
    let name = case["name"].as_str().unwrap_or_default();
    match case["failure"].as_str() {
        None => format!("ok      {name}"),
        Some(failure) => format!("FAILED  {name}\n{failure}"),
    }
}
