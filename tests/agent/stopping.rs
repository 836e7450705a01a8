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

use crate::harness::{RunningProgram, STEP_TIMEOUT, Scene, nothing_is_left};

/// Interrupts a turn at `moment` and resumes it; returns the events of both as a text.
fn check(turns: Vec<Turn>, moment: impl FnOnce(&Scene, &mut RunningProgram)) -> String {
    let scene = Scene::new(turns);
    let mut running = scene.start(&["run", "Do it.", "--json"]);
    moment(&scene, &mut running);
    running.signal(Signal::INT);
    let stopped = running.wait();
    nothing_is_left();
    let resumed = scene.start(&["resume", "--json"]).wait();
    let both = format!("{}\n--- resumed\n{}", stopped.story(), resumed.story());
    scene.finish();
    both
}

#[test]
fn while_the_model_speaks() {
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
fn before_the_first_token() {
    let turns = vec![Turn::raw(200, "").end(End::Stall), Turn::reply(ScriptedReply::text("Yes?"))];
    let story = check(turns, |scene, running| {
        running.read_until("iteration");
        eventually("the model is asked", STEP_TIMEOUT, || (scene.request_count() == 1).then_some(()));
    });
    assert_snapshot!(story, @r#"
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
fn while_its_output_is_not_read() {
    let scene = Scene::new(vec![Turn::reply(ScriptedReply::text(&"long ".repeat(40_000)))]);
    let mut command = scene.command(&["run", "Do it.", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("zubi starts");
    let unread = child.stdout.take().expect("piped");
    let is_full = || (rustix::io::ioctl_fionread(&unread).expect("a pipe") > 60_000).then_some(());
    eventually("the pipe is full", STEP_TIMEOUT, is_full);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, Signal::TERM).expect("it runs");
    let ended = eventually("it ends", STEP_TIMEOUT, || child.try_wait().expect("it can be waited for"));
    assert_eq!(ended.code(), Some(130));
    drop(unread);
    scene.finish();
}

/// The reader of stdout has exited: the turn is cancelled, and its events so far are stored.
fn unread(words: &[&str]) -> String {
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
    nothing_is_left();
    let end = stored.last().expect("events");
    let id = stored.first().and_then(|began| began["conversation"].as_str()).expect("an id");
    let stderr = stderr.replace(id, "[ID]");
    format!("exit {:?}\n{stderr}kept: {} {}", ended.code(), end["type"], end["reason"])
}

#[test]
fn with_a_closed_output_pipe() {
    assert_snapshot!(unread(&["--json"]), @r#"
    exit Some(1)
    Output closed: stopping the turn.
    kept: "ended" "stopped"
    "#);
    assert_snapshot!(unread(&[]), @r#"
    exit Some(1)
    Output closed: stopping the turn.
    ! Stopped.
      The turn was stopped.
      Calls made: none.
      The remaining work is not known.
    hint: `zubi agent resume [ID]` resumes it.
    kept: "ended" "stopped"
    "#);
}

#[test]
fn while_its_output_finds_no_room() {
    let scene = Scene::new(vec![Turn::reply(ScriptedReply::text("Yes."))]);
    let mut command = scene.command(&["run", "Do it.", "--json"]);
    let full = File::options().write(true).open("/dev/full").expect("Linux has it");
    let output = command.stdout(full).stderr(Stdio::piped()).output().expect("zubi starts");
    nothing_is_left();
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
fn while_a_call_runs_with_children() {
    let turns = vec![
        Turn::reply(
            ScriptedReply::text("")
                .call("shell_run", json!({ "command": "sleep 1234 & sleep 1234; wait", "timeoutMs": 600_000 })),
        ),
        Turn::reply(ScriptedReply::text("It was stopped.")),
    ];
    let story = check(turns, |_, running| {
        running.read_until("calling");
        eventually("the command runs", STEP_TIMEOUT, || {
            let children =
                processes::find_by_command("sleep 1234").into_iter().filter(|it| it.command == "sleep 1234").count();
            (children == 2).then_some(())
        });
    });
    assert_snapshot!(story, @r#"
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
fn during_the_retry_delay() {
    let turns = vec![Turn::refuses(529, "busy").header("Retry-After", "90"), Turn::reply(ScriptedReply::text("Yes."))];
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
