//! `dlang validate --watch`, until Ctrl-C.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::check::Sandbox;

/// A process that is killed when the test ends, even if the test fails.
struct RunningWatch(Child);

impl Drop for RunningWatch {
    fn drop(&mut self) {
        // The process has already ended, unless the test failed.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the program under test, which has to be talked to while it runs")]
fn watch_revalidates_on_change_and_ends_with_ctrl_c() {
    let sandbox = Sandbox::new("//- a.dlang\nDomain D { vision: \"v\" }\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_dlang"));
    command.current_dir(&sandbox.root).env_clear().args(["validate", "--watch", "--json"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut watching = RunningWatch(child);
    let mut answers = BufReader::new(watching.0.stdout.take().unwrap()).lines();
    let mut next = || answers.next().unwrap().unwrap();
    assert!(next().contains("\"warnings\":[]"));
    sandbox.write("a.dlang", "Domain D\n");
    assert!(next().contains("missing a vision"));
    sandbox.write("sub/b.dlang", "Team T\nTeam T\n");
    while !next().contains("Duplicate element: 'T'") {}
    kill_process(Pid::from_child(&watching.0), Signal::INT).unwrap();
    assert_eq!(watching.0.wait().unwrap().code(), Some(130));
}

/// As with `| head -1`: without a reader for a later answer, dlang ends.
#[test]
#[expect(clippy::disallowed_methods, reason = "the program under test, which has to be talked to while it runs")]
fn watch_ends_when_its_reader_closes() {
    let sandbox = Sandbox::new("//- a.dlang\nDomain D { vision: \"v\" }\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_dlang"));
    command.current_dir(&sandbox.root).env_clear().args(["validate", "--watch", "--json"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut watching = RunningWatch(child);
    let mut answers = BufReader::new(watching.0.stdout.take().unwrap()).lines();
    assert!(answers.next().unwrap().unwrap().contains("\"valid\":true"));
    drop(answers);
    assert_eq!(watching.0.wait().unwrap().code(), Some(0));
}
