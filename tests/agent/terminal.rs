//! The agent in a terminal: approval prompts and their answers, an interactive conversation, Ctrl-C as the terminal
//! sends it.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;
use zubi_tests::hosts::eventually;
use zubi_tests::models::{End, Expect, MODEL, ScriptedReply, Turn};
use zubi_tests::processes;

use crate::harness::{KEY, STEP_TIMEOUT, Scene};

/// A terminal with the program in it.
struct Terminal {
    screen: File,
    child: Child,
    /// The output so far, and the number of bytes that have been read.
    output: String,
    read_length: usize,
}

impl Terminal {
    fn open(scene: &Scene, words: &[&str]) -> Self {
        let screen = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal"));
        grantpt(&screen).expect("granted");
        unlockpt(&screen).expect("unlocked");
        let name = ptsname(&screen, Vec::new()).expect("a name");
        let other =
            File::options().read(true).write(true).open(name.to_str().expect("in UTF-8")).expect("its other end");
        let mut command = scene.command(words);
        let end = || Stdio::from(other.try_clone().expect("another handle"));
        command.stdin(end()).stdout(end()).stderr(end());
        // `setsid --ctty` makes it the program's controlling terminal, so that its interrupts reach the program.
        let mut controlled = std::process::Command::new("/usr/bin/setsid");
        controlled.args(["--ctty"]).arg(command.get_program()).args(command.get_args());
        controlled.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        controlled.current_dir(scene.fixture.project.root()).stdin(end()).stdout(end()).stderr(end());
        let child = controlled.spawn().expect("zubi starts");
        Self { screen, child, output: String::new(), read_length: 0 }
    }

    /// Waits until this text is on the screen, after the part that was already read.
    fn read_until(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            if let Some(at) = self.output.get(self.read_length..).and_then(|new| new.find(text)) {
                self.read_length += at + text.len();
                return;
            }
            let remaining = STEP_TIMEOUT.saturating_sub(start.elapsed());
            assert!(self.read(remaining), "no {text:?} on the screen:\n{}", self.output);
        }
    }

    /// Reads output for at most this time; returns whether there was any.
    fn read(&mut self, limit: Duration) -> bool {
        let limit = Timespec::try_from(limit).expect("a short time");
        let ready = poll(&mut [PollFd::new(&self.screen, PollFlags::IN)], Some(&limit));
        let mut buffer = [0; 4096];
        match ready {
            Ok(1..) => match self.screen.read(&mut buffer) {
                Ok(read @ 1..) => {
                    let text = String::from_utf8_lossy(buffer.get(..read).unwrap_or_default());
                    self.output.push_str(&text.replace("\r\n", "\n"));
                    true
                }
                // When the other end is closed, Linux returns an error.
                _ => false,
            },
            Err(rustix::io::Errno::INTR) => true,
            _ => false,
        }
    }

    fn type_text(&mut self, text: &str) {
        self.screen.write_all(text.as_bytes()).expect("somebody reads");
    }

    /// Waits for the end and returns the screen and the exit code.
    fn end(mut self) -> String {
        while self.read(STEP_TIMEOUT) {}
        let code = self.child.wait().expect("it ends").code();
        let screen: Vec<&str> = self.output.lines().filter(|line| !line.starts_with("· ")).collect();
        // Removes progress that was overwritten.
        let screen = screen.join("\n").split("\r\u{1b}[K").collect::<String>();
        // Both levels promise the same, and one thing more.
        let screen = screen.replace("landlock+seccomp: ", "LEVEL: ").replace("bubblewrap: ", "LEVEL: ");
        let screen = screen.replace(", sees no other process", "");
        format!("{screen}\nexit {}", code.map_or_else(|| "by a signal".to_owned(), |code| code.to_string()))
    }
}

const CTRL_C: &str = "\u{3}";

fn command_turn(command: &str) -> Turn {
    Turn::reply(ScriptedReply::text("I run it.").call("shell_run", json!({ "command": command })))
}

#[test]
fn an_approval_can_change_the_arguments() {
    let scene = Scene::new(vec![
        command_turn("python3 -c 'print(1)'"),
        Turn::reply(ScriptedReply::text("Two.")).expect(Expect::Outcome("2")),
    ]);
    let mut terminal = Terminal::open(&scene, &["run", "Do it."]);
    terminal.read_until("[n]: ");
    terminal.type_text("1 {broken\n");
    terminal.read_until("or n: ");
    terminal.type_text("1 {\"command\": \"echo 2\"}\n");
    assert_snapshot!(terminal.end().replace(scene.fixture.project.root().as_str(), "[project]"), @r#"
    I run it.
    → Run a command: python3 -c 'print(1)'

    shell.run wants to run: it runs `python3 -c print(1)`
      command    python3 -c print(1)
      in         [project]
      sandbox    LEVEL: writes only below the workspace, no credential stores, no network
      1) yes: this call
      2) yes: exactly `python3 -c print(1)` (shell.run), for this session
      3) yes: exactly `python3 -c print(1)` (shell.run), always in this workspace
      4) yes: exactly `python3 -c print(1)` (shell.run), always and everywhere
    Number, y for 1, or n and what to do instead; {…} behind a number: with these arguments [n]: 1 {broken
    Invalid JSON arguments: key must be a string at line 1 column 2. Try again, or n: 1 {"command": "echo 2"}
    Two.
    exit 0
    "#);
    scene.finish();
}

#[test]
fn a_denial_passes_its_reason_to_the_model() {
    let scene = Scene::new(vec![
        command_turn("python3 -c 'print(1)'"),
        Turn::reply(ScriptedReply::text("As you like.")).expect(Expect::Outcome("use echo")),
    ]);
    let mut terminal = Terminal::open(&scene, &["run", "Do it."]);
    terminal.read_until("[n]: ");
    terminal.type_text("n use echo\n");
    assert_snapshot!(terminal.end().replace(scene.fixture.project.root().as_str(), "[project]"), @"
    I run it.
    → Run a command: python3 -c 'print(1)'

    shell.run wants to run: it runs `python3 -c print(1)`
      command    python3 -c print(1)
      in         [project]
      sandbox    LEVEL: writes only below the workspace, no credential stores, no network
      1) yes: this call
      2) yes: exactly `python3 -c print(1)` (shell.run), for this session
      3) yes: exactly `python3 -c print(1)` (shell.run), always in this workspace
      4) yes: exactly `python3 -c print(1)` (shell.run), always and everywhere
    Number, y for 1, or n and what to do instead; {…} behind a number: with these arguments [n]: n use echo
      ✗ Failed to run shell.run: the user denied it (it runs `python3 -c print(1)`); they say: use echo
    As you like.
    exit 0
    ");
    scene.finish();
}

#[test]
fn ctrl_c_during_a_question_stops_the_turn() {
    let scene = Scene::new(vec![command_turn("python3 -c 'print(1)'"), Turn::reply(ScriptedReply::text("All right."))]);
    let mut terminal = Terminal::open(&scene, &["run", "Do it."]);
    terminal.read_until("[n]: ");
    terminal.type_text(CTRL_C);
    let screen = terminal.end();
    assert!(screen.contains("resume") && screen.ends_with("exit 130"), "{screen}");
    let resumed = scene.start(&["resume", "--json"]).wait();
    assert_eq!(resumed.code, Some(0), "{}", resumed.transcript());
    scene.finish();
}

#[test]
fn a_chat_streams_calls_stops_and_resumes() {
    let scene = Scene::new(vec![
        Turn::reply(
            ScriptedReply::text("I change it.")
                .call("file_edit", json!({ "path": "notes.txt", "old": "two", "new": "three" })),
        ),
        Turn::reply(ScriptedReply::text("Changed.")),
        Turn::reply(ScriptedReply::text("Let me think about this")).cut_after("think").end(End::Stall),
        Turn::reply(ScriptedReply::text("As I said."))
            .expect(Expect::Contains("/messages", "first line\\nsecond line".to_owned())),
    ]);
    let mut terminal = Terminal::open(&scene, &["chat"]);
    terminal.read_until("/help");
    terminal.read_until("> ");
    terminal.type_text("Change two.\n");
    terminal.read_until("Changed.");
    terminal.read_until("> ");
    terminal.type_text("first line\\\n");
    terminal.read_until("… ");
    terminal.type_text("second line\n");
    terminal.read_until("Let");
    terminal.type_text(CTRL_C);
    terminal.read_until("> ");
    terminal.type_text("Go on.\n");
    terminal.read_until("As I said.");
    terminal.read_until("> ");
    terminal.type_text("/new\n/list\n");
    terminal.read_until("Change two.");
    terminal.type_text("/quit\n");
    let screen = terminal.end();
    assert!(screen.ends_with("exit 0"), "{screen}");
    let missing: Vec<&str> = ["→ Edit", "-two", "+three"].into_iter().filter(|it| !screen.contains(it)).collect();
    assert!(missing.is_empty(), "not shown: {missing:?} in\n{screen}");
    scene.finish();
}

#[test]
fn a_second_ctrl_c_exits_immediately() {
    let scene = Scene::new(vec![Turn::raw(200, "").end(End::Stall)]);
    let mut terminal = Terminal::open(&scene, &["chat"]);
    terminal.read_until("> ");
    terminal.type_text("Hello.\n");
    eventually("the model receives a request", STEP_TIMEOUT, || (scene.request_count() == 1).then_some(()));
    terminal.type_text(CTRL_C);
    terminal.read_until("> ");
    terminal.type_text(CTRL_C);
    assert!(terminal.end().ends_with("exit 130"));
    scene.finish();
}

/// A scene with one more provider, which accepts requests and never answers.
fn scene_with_silent_provider(turns: Vec<Turn>) -> (Scene, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    listener.set_nonblocking(true).expect("it is not");
    (Scene::with_keys(turns, &format!("\n[models.silent]\nurl = 'http://{address}/v1'\n")), listener)
}

/// Accepts a request to that provider.
fn accept_request(listener: &TcpListener) -> TcpStream {
    eventually("the provider receives a request", STEP_TIMEOUT, || listener.accept().ok()).0
}

#[test]
fn piped_input_waits_for_the_selected_model() {
    let (scene, listener) = scene_with_silent_provider(Vec::new());
    let mut command = scene.command(&["chat"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"/model other\nOnly for the other.\n").expect("it reads");
    let _request = accept_request(&listener);
    interrupt(child);
    scene.finish();
}

#[test]
fn ctrl_c_cancels_the_wait_for_a_provider() {
    let (scene, listener) = scene_with_silent_provider(vec![Turn::reply(ScriptedReply::text("As before."))]);
    let mut terminal = Terminal::open(&scene, &["chat"]);
    let unchanged = format!("Still using scripted/{MODEL}");
    for (command, answer) in
        [("/model other\n", unchanged), ("/models\n", "Cancelled the query to the providers".to_owned())]
    {
        terminal.read_until("> ");
        terminal.type_text(command);
        let _request = accept_request(&listener);
        terminal.type_text(CTRL_C);
        terminal.read_until(&answer);
    }
    terminal.read_until("> ");
    terminal.type_text("Hello.\n");
    terminal.read_until("As before.");
    terminal.read_until("> ");
    terminal.type_text("/quit\n");
    let screen = terminal.end();
    assert!(screen.ends_with("exit 0"), "{screen}");
    scene.finish();
}

/// Starts `zubi web` with these arguments; stdout is a pipe.
fn web(scene: &Scene, words: &[&str]) -> Child {
    let mut command = scene.fixture.command();
    command.args(["web", "--no-open"]).args(words).env("SCRIPTED_KEY", KEY);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts")
}

/// Interrupts the process as Ctrl-C does, waits until it ends and returns the rest of stdout.
fn interrupt(mut child: Child) -> String {
    let zubi = processes::descendants().into_iter().find(|it| it.pid.unsigned_abs() == child.id()).expect("it runs");
    let pid = rustix::process::Pid::from_raw(zubi.pid).expect("an id");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let mut output = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut output).expect("stdout is text");
    }
    output
}

#[test]
fn the_page_is_served_until_ctrl_c() {
    let scene = Scene::new(Vec::new());
    let mut child = web(&scene, &[]);
    let mut line = String::new();
    let mut stdout = std::io::BufReader::new(child.stdout.take().expect("piped"));
    std::io::BufRead::read_line(&mut stdout, &mut line).expect("stdout is text");
    assert!(line.starts_with("http://127.0.0.1:") && line.contains("/#token="), "{line}");
    interrupt(child);
    scene.finish();
}

#[test]
fn ctrl_c_ends_the_page_while_a_provider_is_silent() {
    let (scene, listener) = scene_with_silent_provider(Vec::new());
    let child = web(&scene, &["--model", "other"]);
    let _request = accept_request(&listener);
    // No address was printed, because the program did not wait for the provider.
    assert_eq!(interrupt(child), "");
    scene.finish();
}
