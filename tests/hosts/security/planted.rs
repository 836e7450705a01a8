//! Traps that another user has set where zubi looks for hosts: zubi trusts no trap and writes nothing through one.

use std::fmt::Write as _;
use std::os::unix::fs::{chown, lchown, symlink};
use std::os::unix::net::UnixListener;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::hosts::{Daemon, HostsProject, STEP_TIMEOUT, eventually};
use zubi_tests::{Project, processes};

use super::{INSTANCE, advertisement, base, set_mode};
use crate::raw::{OTHER_UID, PeerUser};

/// The content of files outside, which must not change.
const SENTINEL: &str = "as it was\n";

/// A function that sets a trap; the second path is a file outside of the run directory.
type SetTrap = fn(&Utf8Path, &Utf8Path);

/// Traps in, or in place of, the run directory, and the number of lines that a session prints about each. The directory
/// exists, is empty, and belongs to the user.
const DIRECTORY_TRAPS: &[(&str, SetTrap, usize)] = &[
    ("the directory is writable for all", |run, _| set_mode(run, 0o777), 0),
    ("the directory is sticky, as /tmp", |run, _| set_mode(run, 0o1777), 0),
    ("others can list the directory", |run, _| set_mode(run, 0o755), 0),
    ("the directory is somebody else's", |run, _| change_owner(run), 2),
    (
        "the directory is a link",
        |run, outside| {
            std::fs::remove_dir(run).expect("it is empty");
            symlink(outside.parent().expect("a directory"), run).expect("a link");
        },
        2,
    ),
    (
        "the directory is a file",
        |run, _| {
            std::fs::remove_dir(run).expect("it is empty");
            std::fs::write(run, "").expect("a file");
        },
        2,
    ),
];

fn change_owner(path: &Utf8Path) {
    lchown(path, Some(OTHER_UID), Some(OTHER_UID)).expect("root may");
}

/// A project with a trap.
struct PlantedWorld {
    fixture: HostsProject,
    outside: Utf8PathBuf,
}

impl PlantedWorld {
    fn new() -> Self {
        let fixture = HostsProject::new(Project::empty(), &[]);
        let (run, outside) = (fixture.run_directory(), base(&fixture).join("outside/file"));
        std::fs::create_dir_all(&run).expect("a directory");
        set_mode(&run, 0o700);
        std::fs::create_dir(outside.parent().expect("a parent")).expect("a directory");
        std::fs::write(&outside, SENTINEL).expect("a file");
        Self { fixture, outside }
    }

    /// Returns the output of a command, without the paths of this run.
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.fixture.run(arguments);
        let text = [output.stdout.as_slice(), &output.stderr].concat();
        let text = String::from_utf8_lossy(&text).replace(base(&self.fixture).as_str(), "[base]");
        let code = output.status.code().map_or("none".to_owned(), |code| code.to_string());
        text.lines()
            .fold(format!("  zubi {}: exit {code}\n", arguments.join(" ")), |text, line| text + "    " + line + "\n")
    }

    /// Checks that nothing outside has changed.
    fn check_outside(&self, name: &str) {
        assert_eq!(std::fs::read(&self.outside).expect("it is there"), SENTINEL.as_bytes(), "{name}");
        let count = self.outside.parent().expect("a directory").read_dir_utf8().expect("a directory").count();
        assert_eq!(count, 1, "{name}: another file was created next to it");
    }
}

#[test]
fn a_directory_controlled_by_others_is_not_used() {
    let mut report = String::new();
    for (name, set_trap, lines) in DIRECTORY_TRAPS {
        let planted = PlantedWorld::new();
        set_trap(&planted.fixture.run_directory(), &planted.outside);
        let status = planted.run(&["status"]);
        // zubi restricts the permissions of its own directory; with a foreign one it serves no client.
        let mut agent = planted.fixture.agent(&[]);
        assert!(agent.tools().contains(&"lsp_definition".to_owned()));
        let stderr = eventually("the session has printed its warnings", STEP_TIMEOUT, || {
            let stderr = agent.stderr_text();
            (stderr.lines().count() >= *lines).then_some(stderr)
        });
        assert!(agent.close().success());
        writeln!(report, "{name}\n{status}  zubi mcp: {lines} warnings").expect("a text");
        for line in stderr.lines() {
            writeln!(report, "    {}", line.replace(base(&planted.fixture).as_str(), "[base]")).expect("a text");
        }
        planted.check_outside(name);
    }
    assert_snapshot!(report, @"
    the directory is writable for all
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run`: it is open to others (mode 777); make it yours alone: `chmod 700 [base]/home/state/zubi/run`
      zubi mcp: 0 warnings
    the directory is sticky, as /tmp
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run`: it is open to others (mode 777); make it yours alone: `chmod 700 [base]/home/state/zubi/run`
      zubi mcp: 0 warnings
    others can list the directory
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run`: it is open to others (mode 755); make it yours alone: `chmod 700 [base]/home/state/zubi/run`
      zubi mcp: 0 warnings
    the directory is somebody else's
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run`: it belongs to another user; remove it, or set `XDG_RUNTIME_DIR` to a directory of yours
      zubi mcp: 2 warnings
        warning: this process does not share its language servers: `[base]/home/state/zubi/run` cannot be used: it belongs to another user; remove it, or set `XDG_RUNTIME_DIR` to a directory of yours
        warning: `[base]/home/state/zubi/run` is not believed: it belongs to another user; remove it, or set `XDG_RUNTIME_DIR` to a directory of yours
    the directory is a link
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run`: it is not a directory of its own; remove it
      zubi mcp: 2 warnings
        warning: this process does not share its language servers: `[base]/home/state/zubi/run` cannot be used: it is not a directory of its own; remove it
        warning: `[base]/home/state/zubi/run` is not believed: it is not a directory of its own; remove it
    the directory is a file
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run`: it is not a directory of its own; remove it
      zubi mcp: 2 warnings
        warning: this process does not share its language servers: `[base]/home/state/zubi/run` cannot be used: it is not a directory of its own; remove it
        warning: `[base]/home/state/zubi/run` is not believed: it is not a directory of its own; remove it
    ");
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

/// Traps in the run directory: changes of a file with the name of a host's file.
const FILE_TRAPS: &[(&str, SetTrap)] = &[
    ("somebody else's file", |file, _| change_owner(file)),
    ("a file that others can read", |file, _| set_mode(file, 0o644)),
    ("a file that others can write", |file, _| set_mode(file, 0o606)),
    ("a link to a file", |file, outside| {
        // A file that zubi would trust in the run directory, instead of the sentinel.
        let moved = outside.with_file_name("../away");
        std::fs::rename(file, &moved).expect("a file");
        symlink(&moved, file).expect("a link");
    }),
    ("a link to nothing", |file, outside| {
        std::fs::remove_file(file).expect("a file");
        symlink(outside.with_file_name("nothing"), file).expect("a link");
    }),
    ("somebody else's link", |file, outside| {
        std::fs::remove_file(file).expect("a file");
        symlink(outside, file).expect("a link");
        change_owner(file);
    }),
    ("a pipe", |file, _| {
        std::fs::remove_file(file).expect("a file");
        PeerUser::Owner.shell("mkfifo -m 600 \"$1\"", file).expect("a pipe");
    }),
    ("a directory", |file, _| {
        std::fs::remove_file(file).expect("a file");
        std::fs::create_dir(file).expect("a directory");
        set_mode(file, 0o700);
    }),
    ("a socket of somebody else", |file, _| {
        let socket = file.with_extension("sock");
        drop(UnixListener::bind(&socket).expect("a socket"));
        change_owner(&socket);
    }),
    ("a link to a socket", |file, outside| {
        let real_socket = outside.with_file_name("../real.sock");
        drop(UnixListener::bind(&real_socket).expect("a socket"));
        symlink(&real_socket, file.with_extension("sock")).expect("a link");
    }),
    ("a link in place of the socket", |file, outside| {
        symlink(outside, file.with_extension("sock")).expect("a link");
    }),
];

#[test]
fn planted_files_and_sockets_are_rejected() {
    let mut report = String::new();
    for (name, set_trap) in FILE_TRAPS {
        let planted = PlantedWorld::new();
        let file = planted.fixture.run_directory().join(INSTANCE).with_extension("json");
        std::fs::write(&file, advertisement(&planted.fixture, INSTANCE).to_string()).expect("a file");
        set_mode(&file, 0o600);
        set_trap(&file, &planted.outside);
        let status = planted.run(&["status"]).replace(&std::process::id().to_string(), "[pid]");
        writeln!(report, "{name}\n{}", status.trim_end()).expect("a text");
        // A session still works and is the host.
        let mut agent = planted.fixture.agent(&[]);
        assert!(agent.tools().contains(&"lsp_definition".to_owned()), "{name}");
        let own = eventually("the agent is a host", STEP_TIMEOUT, || {
            let hosts = planted.fixture.status()["hosts"].clone();
            hosts.as_array().filter(|hosts| hosts.len() == 1).cloned()
        });
        assert_eq!(own[0]["pid"], agent.pid(), "{name}");
        assert!(agent.close().success());
        planted.check_outside(name);
    }
    assert_snapshot!(report, @"
    somebody else's file
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`: it belongs to another user; remove it
    a file that others can read
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`: it is open to others (mode 644); make it yours alone: `chmod 600 [base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`
    a file that others can write
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`: it is open to others (mode 606); make it yours alone: `chmod 600 [base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`
    a link to a file
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`: it is a link; remove it
    a link to nothing
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`: it is a link; remove it
    somebody else's link
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`: it is a link; remove it
    a pipe
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`: it is not a plain file; remove it
    a directory
      zubi status: exit 0
        no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
        warning: ignoring `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`: it is not a plain file; remove it
    a socket of somebody else
      zubi status: exit 0
        daemon · process [pid] · [base]/project
          does not answer: refusing to use `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.sock`: it is not a socket of this user
    a link to a socket
      zubi status: exit 0
        daemon · process [pid] · [base]/project
          does not answer: refusing to use `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.sock`: it is not a socket of this user
    a link in place of the socket
      zubi status: exit 0
        daemon · process [pid] · [base]/project
          does not answer: refusing to use `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.sock`: it is not a socket of this user
    ");
}

#[test]
fn lock_and_log_are_not_written_through_a_link() {
    let planted = PlantedWorld::new();
    let fixture = &planted.fixture;
    // The lock's name is predictable.
    let daemon = fixture.daemon(&[]);
    let run = fixture.run_directory();
    let locks: Vec<_> = run.read_dir_utf8().expect("a directory").flatten().collect();
    let lock = locks
        .iter()
        .map(camino::Utf8DirEntry::path)
        .find(|path| path.extension() == Some("lock"))
        .expect("a lock")
        .to_owned();
    drop(daemon);
    std::fs::remove_file(&lock).expect("a file");
    symlink(&planted.outside, &lock).expect("a link");
    assert_snapshot!(planted.run(&["serve"]).replace(lock.file_name().expect("a name"), "[lock]"), @"
    zubi serve: exit 3
      error: `[base]/home/state/zubi/run` cannot be used: `[base]/home/state/zubi/run/[lock]`: it is a link; remove it
      hint: Make that directory accessible only to you, or set XDG_RUNTIME_DIR or XDG_STATE_HOME to another one.
    ");
    std::fs::remove_file(&lock).expect("a link");
    // The log's name is predictable too.
    assert!(fixture.run(&["serve", "--detach"]).status.success());
    assert!(fixture.run(&["stop"]).status.success());
    let state = fixture.project.home().join("state/zubi");
    let mut names = state.read_dir_utf8().expect("a directory").flatten();
    let log = names.find(|entry| entry.file_name().starts_with("serve-")).expect("a log").path().to_owned();
    std::fs::remove_file(&log).expect("a file");
    symlink(&planted.outside, &log).expect("a link");
    assert_snapshot!(planted.run(&["serve", "--detach"]).replace(log.file_name().expect("a name"), "[log]"), @"
    zubi serve --detach: exit 3
      error: `[base]/home/state/zubi/[log]` cannot be written: Too many levels of symbolic links (os error 40)
      hint: It is a link, and is not written through; remove it.
    ");
    planted.check_outside("links");
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

type Change = fn(&Utf8Path);

/// Runtime directories of a session, and whether zubi finds hosts there.
const RUNTIME: &[(&str, u32, Change, bool)] = &[
    ("ours alone", 0o700, |_| {}, true),
    ("others may look", 0o755, |_| {}, true),
    ("the group may write", 0o770, |_| {}, false),
    ("all may write", 0o777, |_| {}, false),
    ("all may write, sticky", 0o1777, |_| {}, false),
    ("somebody else's", 0o700, change_owner, false),
    ("somebody else's, open", 0o777, change_owner, false),
];

#[test]
fn a_session_directory_of_another_user_is_not_used() {
    let fixture = HostsProject::new(Project::empty(), &[]);
    for (index, (name, mode, change, used)) in RUNTIME.iter().enumerate() {
        let runtime = base(&fixture).join(format!("runtime{index}"));
        std::fs::create_dir(&runtime).expect("a directory");
        set_mode(&runtime, *mode);
        change(&runtime);
        let mut command = fixture.command();
        command.env("XDG_RUNTIME_DIR", &runtime);
        let daemon = Daemon::start(command, &[]);
        let inside = runtime.join("zubi").is_dir();
        assert_eq!((inside, fixture.files().is_empty()), (*used, *used), "{name}");
        drop(daemon);
        // The file of a killed host remains until a process reads it.
        assert_eq!(fixture.status()["hosts"], json!([]));
    }
    chown(fixture.run_directory(), None, None).expect("the last case did not use the directory");
    processes::nothing_left_within(Duration::from_secs(10)).expect("nothing is left");
}
