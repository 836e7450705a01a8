//! Ctrl-C at any moment: the turn ends at once, no process is left, the events so far are stored, and the conversation
//! can be resumed.

use std::fs::File;
use std::io::Read as _;
use std::process::Stdio;

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use zubi_tests::hosts::eventually;
use zubi_tests::models::{End, Expect, ScriptedReply, Turn};
use zubi_tests::processes;

use crate::harness::{RunningProgram, STEP_TIMEOUT, Scene, assert_no_processes_left};

/// Interrupts a turn after `wait_for_moment` and resumes it; returns the events of both as a text.
fn check(turns: Vec<Turn>, wait_for_moment: impl FnOnce(&Scene, &mut RunningProgram)) -> String {
    let scene = Scene::new(turns);
    let mut running = scene.start(&["run", "Do it.", "--json"]);
    wait_for_moment(&scene, &mut running);
    running.signal(Signal::INT);
    let stopped = running.wait();
    assert_no_processes_left();
    let resumed = scene.start(&["resume", "--json"]).wait();
    let transcript = format!("{}\n--- resumed\n{}", stopped.transcript(), resumed.transcript());
    scene.finish();
    transcript
}

#[test]
fn interruption_while_the_model_streams() {
    let turns = vec![
        Turn::reply(ScriptedReply::text("One two three.")).cut_after("two").end(End::Stall),
        Turn::reply(ScriptedReply::text("Three.")).expect(Expect::Contains("/messages", "One".to_owned())),
    ];
    assert_snapshot!(check(turns, |_, running| drop(running.read_until("text"))), @r#"
    > Do it.
    "One " (interrupted)
    ended stopped: "The turn was stopped.\nCalls made: none.\nThe last words of the model: One\nThe remaining work is not known."
    exit 130
    --- resumed
    > Continue where you left off.
    "Three."
    ended completed: "Three."
    exit 0
    "#);
}

#[test]
fn interruption_before_the_first_token() {
    let turns = vec![Turn::raw(200, "").end(End::Stall), Turn::reply(ScriptedReply::text("Yes?"))];
    let transcript = check(turns, |scene, running| {
        running.read_until("iteration");
        eventually("the model receives a request", STEP_TIMEOUT, || (scene.request_count() == 1).then_some(()));
    });
    assert_snapshot!(transcript, @r#"
    > Do it.
    ended stopped: "The turn was stopped.\nCalls made: none.\nThe remaining work is not known."
    exit 130
    --- resumed
    > Continue where you left off.
    "Yes?"
    ended completed: "Yes?"
    exit 0
    "#);
}

/// A full stdout pipe blocks the program, which still reacts to an interruption.
#[test]
fn termination_while_stdout_is_blocked() {
    let scene = Scene::new(vec![Turn::reply(ScriptedReply::text(&"long ".repeat(40_000)))]);
    let mut command = scene.command(&["run", "Do it.", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("zubi starts");
    let stdout = child.stdout.take().expect("piped");
    let is_full = || (rustix::io::ioctl_fionread(&stdout).expect("a pipe") > 60_000).then_some(());
    eventually("the pipe is full", STEP_TIMEOUT, is_full);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, Signal::TERM).expect("it runs");
    let ended = eventually("it ends", STEP_TIMEOUT, || child.try_wait().expect("it can be waited for"));
    assert_eq!(ended.code(), Some(130));
    drop(stdout);
    scene.finish();
}

/// Closes the reader of stdout: the turn is cancelled, and its events so far are stored.
fn run_with_closed_stdout(words: &[&str]) -> String {
    let scene = Scene::new(vec![Turn::raw(200, "").end(End::Stall)]);
    let mut command = scene.command(&[&["run", "Do it."], words].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("zubi starts");
    drop(child.stdout.take());
    let ended = eventually("it ends", STEP_TIMEOUT, || child.try_wait().expect("it can be waited for"));
    let mut stderr = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("stderr is text");
    let stored: Vec<Value> = {
        let output = scene.command(&["show", "--json"]).output().expect("zubi starts");
        let lines = String::from_utf8(output.stdout).expect("text");
        lines.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
    };
    assert_no_processes_left();
    let end = stored.last().expect("events");
    let id = stored.first().and_then(|first| first["conversation"].as_str()).expect("an id");
    let stderr = stderr.replace(id, "[ID]");
    format!("exit {:?}\n{stderr}stored: {} {}", ended.code(), end["type"], end["reason"])
}

#[test]
fn closed_stdout_stops_the_turn() {
    assert_snapshot!(run_with_closed_stdout(&["--json"]), @r#"
    exit Some(1)
    Output closed: stopping the turn.
    stored: "ended" "stopped"
    "#);
    assert_snapshot!(run_with_closed_stdout(&[]), @r#"
    exit Some(1)
    Output closed: stopping the turn.
    ! Stopped.
      The turn was stopped.
      Calls made: none.
      The remaining work is not known.
    hint: `zubi agent resume [ID]` resumes it.
    stored: "ended" "stopped"
    "#);
}

#[test]
fn a_full_stdout_device_is_reported() {
    let scene = Scene::new(vec![Turn::reply(ScriptedReply::text("Yes."))]);
    let mut command = scene.command(&["run", "Do it.", "--json"]);
    let full = File::options().write(true).open("/dev/full").expect("Linux has it");
    let output = command.stdout(full).stderr(Stdio::piped()).output().expect("zubi starts");
    assert_no_processes_left();
    let stderr = String::from_utf8(output.stderr).expect("text");
    let list = scene.command(&["list", "--json"]).output().expect("zubi starts");
    let list: Value = serde_json::from_slice(&list.stdout).expect("a list");
    let id = list["conversations"][0]["id"].as_str().expect("an id");
    assert_snapshot!(format!("exit {:?}\n{}", output.status.code(), stderr.replace(id, "[ID]")), @"
    exit Some(3)
    error: cannot write to stdout: No space left on device (os error 28)
    hint: Free some space, or redirect the output.
    hint: The conversation is saved: `zubi agent show [ID]` prints it, `zubi agent resume [ID]` resumes it.
    ");
}

#[test]
fn interruption_ends_child_processes() {
    let turns = vec![
        Turn::reply(
            ScriptedReply::text("")
                .call("shell_run", json!({ "command": "sleep 1234 & sleep 1234; wait", "timeoutMs": 600_000 })),
        ),
        Turn::reply(ScriptedReply::text("It was stopped.")),
    ];
    let transcript = check(turns, |_, running| {
        running.read_until("calling");
        eventually("the command runs", STEP_TIMEOUT, || {
            let children =
                processes::find_by_command("sleep 1234").into_iter().filter(|it| it.command == "sleep 1234").count();
            (children == 2).then_some(())
        });
    });
    assert_snapshot!(transcript, @r#"
    > Do it.
    "" + shell_run {"command":"sleep 1234 & sleep 1234; wait","timeoutMs":600000}
    → Run a command: sleep 1234 & sleep 1234; wait
    ✗ cancelled: (no output)
    ended stopped: "The turn was stopped.\nCalls made: shell.run 1 (1 failed).\nThe remaining work is not known."
    exit 130
    --- resumed
    > Continue where you left off.
    "It was stopped."
    ended completed: "It was stopped."
    exit 0
    "#);
}

#[test]
fn interruption_during_the_retry_delay() {
    let turns = vec![Turn::refusal(529, "busy").header("Retry-After", "90"), Turn::reply(ScriptedReply::text("Yes."))];
    assert_snapshot!(check(turns, |_, running| drop(running.read_until("retrying"))), @r#"
    > Do it.
    retrying after overloaded: scripted answers 529: busy
    ended stopped: "The turn was stopped.\nCalls made: none.\nThe remaining work is not known."
    exit 130
    --- resumed
    > Continue where you left off.
    "Yes."
    ended completed: "Yes."
    exit 0
    "#);
}
