//! A project, a scripted model, the program, and its events as a text.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use zubi_tests::hosts::HostsProject;
use zubi_tests::models::{self, Dialect, Server, Turn};
use zubi_tests::{Project, processes};

/// The key that the server requires and the program must not print.
pub(crate) const KEY: &str = "sk-scripted-0123456789";

/// The time limit of each of these steps, on a busy machine.
pub(crate) const STEP_TIMEOUT: Duration = Duration::from_secs(30);

/// A trusted project with `notes.txt`, and a model that follows a script.
pub(crate) struct Scene {
    pub(crate) fixture: HostsProject,
    server: Server,
}

/// The output of the program.
pub(crate) struct ProgramOutput {
    pub(crate) events: Vec<Value>,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Scene {
    pub(crate) fn new(turns: Vec<Turn>) -> Self {
        Self::with_keys(turns, "")
    }

    /// A scene with more keys in the model's section of `zubi.toml`.
    pub(crate) fn with_keys(turns: Vec<Turn>, keys: &str) -> Self {
        let project = Project::empty();
        project.write("notes.txt", "one\ntwo\n");
        let server = Server::start(Dialect::OpenAiChat, KEY, turns);
        let section = models::configuration(Dialect::OpenAiChat, &server);
        let config = project.home().join("config/zubi");
        std::fs::create_dir_all(&config).expect("a new directory");
        let model = format!("model = \"scripted/{}\"\n{section}{keys}\n", models::MODEL);
        std::fs::write(config.join("zubi.toml"), model).expect("a new file");
        Self { fixture: HostsProject::new(project, &[]), server }
    }

    /// The command `zubi agent` with these arguments.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.fixture.command();
        command.arg("agent").args(words).env("SCRIPTED_KEY", KEY).stdin(Stdio::null());
        command
    }

    /// Gives the agent a task and waits until it ends.
    pub(crate) fn run(&self, words: &[&str]) -> ProgramOutput {
        self.start(&[&["run", "Do it.", "--json"], words].concat()).wait()
    }

    /// Starts `zubi agent` with these arguments; its stdout contains events.
    pub(crate) fn start(&self, words: &[&str]) -> RunningProgram {
        let mut command = self.command(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("zubi starts");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        RunningProgram { child, stdout, events: Vec::new() }
    }

    /// The number of requests to the model so far.
    pub(crate) fn request_count(&self) -> usize {
        self.server.requests().len()
    }

    /// Checks that every request to the model matched the script, that the script is finished, and that no process is
    /// left.
    pub(crate) fn finish(self) {
        self.server.finish();
        assert_no_processes_left();
    }
}

/// Asserts that no process of a test is left, including those that a call has started.
pub(crate) fn assert_no_processes_left() {
    let outcome = processes::nothing_left_within(STEP_TIMEOUT);
    assert!(outcome.is_ok(), "still running: {outcome:#?}");
}

/// A program whose events are read one by one.
pub(crate) struct RunningProgram {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) events: Vec<Value>,
}

impl RunningProgram {
    /// The next event; `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("stdout is text");
        let event: Value = serde_json::from_str(line.trim_end()).ok()?;
        self.events.push(event.clone());
        Some(event)
    }

    /// Reads events until one is of this type.
    pub(crate) fn read_until(&mut self, kind: &str) -> Value {
        loop {
            let Some(event) = self.next() else { panic!("no `{kind}`:\n{}", transcript(&self.events)) };
            if event["type"] == kind {
                return event;
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("it runs");
    }

    /// Reads the remaining events and waits for the end.
    pub(crate) fn wait(mut self) -> ProgramOutput {
        while self.next().is_some() {}
        let mut stderr = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("stderr is text");
        let code = self.child.wait().expect("it ends").code();
        assert!(!stderr.contains(KEY), "the key is shown: {stderr}");
        ProgramOutput { events: self.events, stderr, code }
    }
}

impl ProgramOutput {
    /// Returns the events, the exit code and stderr as a text.
    pub(crate) fn transcript(&self) -> String {
        let code = self.code.map_or_else(|| "killed".to_owned(), |code| format!("exit {code}"));
        format!("{}\n{code}\n{}", transcript(&self.events), self.stderr).trim_end().to_owned()
    }
}

/// Runs a task with a scripted model and returns the events as a text, one line per event. Fails if the script is not
/// finished or a process is left.
pub(crate) fn check(turns: Vec<Turn>, words: &[&str]) -> String {
    let scene = Scene::new(turns);
    let outcome = scene.run(words);
    let transcript = outcome.transcript();
    let root = scene.fixture.project.root().to_string();
    scene.finish();
    transcript.replace(&root, "[project]")
}

/// Renders events as a text, without values that differ from run to run. Checks that events are numbered without gaps
/// and that the deltas of a text add up to the text.
pub(crate) fn transcript(events: &[Value]) -> String {
    let mut lines = Vec::new();
    let mut streamed = String::new();
    let mut seq = None;
    for event in events {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let first = |name: &str| text(name).lines().next().unwrap_or_default().to_owned();
        let kind = text("type");
        let is_stored = !matches!(kind.as_str(), "text" | "thought" | "progress");
        let number = event["seq"].as_u64().expect("an event is numbered");
        if let Some(last) = seq.replace(number) {
            assert_eq!(number, last + u64::from(is_stored), "a gap before {event}");
        }
        lines.push(match kind.as_str() {
            "text" => {
                let offset = usize::try_from(event["offset"].as_u64().expect("a number")).expect("a small one");
                assert_eq!(offset, streamed.encode_utf16().count(), "not after {streamed:?}: {event}");
                streamed.push_str(&text("text"));
                continue;
            }
            "began" | "thought" | "progress" => continue,
            "iteration" => {
                streamed.clear();
                continue;
            }
            "asked" => format!("> {}", text("text")),
            "answered" => {
                let full_text = event["said"]["text"].as_str().unwrap_or_default();
                assert!(full_text == streamed || streamed.is_empty(), "streamed {streamed:?}, full text {full_text:?}");
                let calls = event["said"]["calls"].as_array().into_iter().flatten();
                let calls: Vec<String> = calls
                    .map(|call| format!(" + {} {}", call["tool"].as_str().unwrap_or_default(), call["arguments"]))
                    .collect();
                let stopped = if event["interrupted"] == true { " (interrupted)" } else { "" };
                format!("{full_text:?}{}{stopped}", calls.concat())
            }
            "calling" => format!("→ {}", text("summary")),
            "result" if event["failure"].is_null() => format!("= {}", first("text")),
            "result" => format!("✗ {}: {}", text("failure"), first("text")),
            "question" => format!("? {}", event["request"]["why"].as_str().unwrap_or_default()),
            "decision" => format!("! {} by {}", event["answer"], text("by")),
            "retrying" => {
                streamed.clear();
                format!("retrying after {}: {}", text("kind"), text("message"))
            }
            "compacted" => format!(
                "compacted: {} pruned, summary {:?}",
                event["pruned"].as_array().map_or(0, Vec::len),
                text("summary")
            ),
            "notice" => format!("notice: {}", text("text")),
            "ended" => {
                let data = if event["data"].is_null() { String::new() } else { format!(" data {}", event["data"]) };
                let problem = event["problem"].as_str().map(|it| format!("\n  {it}")).unwrap_or_default();
                format!("ended {}: {:?}{data}{problem}", text("reason"), text("text"))
            }
            other => format!("{other} {event}"),
        });
    }
    lines.join("\n")
}
