//! Declared tools as a surface calls them: with hostile values in every position that takes a value, with misbehaving
//! programs, and with secrets that come back in another encoding.
//!
//! The binary has its own `main` because it is also the supervisor of the programs that it runs, and the JavaScript
//! process. All tests run as the current user. If that is root, they run a second time as the user `nobody`, in a copy
//! of this program that this user cannot read.

#![expect(clippy::needless_pass_by_value, reason = "JSON is written where it is used: `call(…, json!(…))`")]
#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test from its first line to its last; the lints know only functions marked as tests"
)]

mod faults;
mod http;
mod secrets;
mod shell;
mod world;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use zubi_base::process::{SUPERVISOR_ARGUMENT, supervise};
use zubi_exec::script;

use crate::world::World;

type Test = fn(&World);

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    if first.as_deref().is_some_and(|first| first == SUPERVISOR_ARGUMENT) {
        return supervise(args);
    }
    if first.as_deref().is_some_and(|first| first == script::CHILD_ARGUMENT) {
        let run = script::child::run_in_child(args.next(), std::io::stdin().lock(), std::io::stdout());
        return run.inspect_err(|error| eprintln!("{error}")).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    libtest_mimic::run(&Arguments::from_args(), trials()).exit_code()
}

fn trials() -> Vec<Trial> {
    let table: Vec<(&'static str, Test)> =
        [shell::TESTS, http::TESTS, faults::TESTS, secrets::TESTS].into_iter().flatten().copied().collect();
    let count = table.len();
    let trial = |(name, test): (&'static str, Test)| {
        Trial::test(name, move || {
            test(&World::new());
            Ok::<(), Failed>(())
        })
    };
    let mut trials: Vec<Trial> = table.into_iter().map(trial).collect();
    if rustix::process::geteuid().is_root() {
        trials.push(Trial::test("unprivileged", move || {
            run_as_user_nobody(count);
            Ok(())
        }));
    }
    trials
}

/// Runs everything a second time, as the user `nobody`.
fn run_as_user_nobody(count: usize) {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let copy = directory.path().join("declared");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    // The check for left-over processes covers all processes that this program has started, so it runs alone.
    let passes: [&[&str]; 2] = [&["faults::", "--test-threads", "1"], &["--skip", "faults::"]];
    let mut report = String::new();
    for arguments in passes {
        #[expect(clippy::disallowed_methods, reason = "these tests play the person who runs zubi")]
        let output = std::process::Command::new("setpriv")
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .arg(&copy)
            .args(arguments)
            .env("TMPDIR", "/tmp")
            .output()
            .expect("setpriv is part of util-linux");
        report += &String::from_utf8_lossy(&output.stdout);
        report += &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{report}");
    }
    eprintln!("{report}");
    assert_eq!(report.matches("... ok").count(), count, "{report}");
}
