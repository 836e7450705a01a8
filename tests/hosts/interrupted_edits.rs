//! Edits whose process is killed, or whose disk fails, while it writes: the files are all old or all new before the next
//! answer, which says what happened, or an answer names every other file and how to restore it.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use camino::Utf8PathBuf;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;
use zubi_tests::agent;
use zubi_tests::hosts::{HostsProject, STEP_TIMEOUT, eventually, pid};
use zubi_tests::{Agent, processes};

use crate::controlled::ControlledProject;
use crate::lockstep::Lockstep;
use crate::window::Window;

/// The number of files that the rename changes.
const FILES: usize = 46;
const OLD: &str = "alpha beta\n";
const NEW: &str = "omegaomegaomega beta\n";

/// The state of all files of the rename.
#[derive(Debug, PartialEq, Eq)]
enum FilesState {
    Old,
    New,
    Mixed(usize),
}

/// A project with a planned rename in many files, and a server that answers it.
struct RenameProject {
    controlled: ControlledProject,
    plan: String,
}

impl RenameProject {
    fn new() -> Self {
        let controlled = ControlledProject::new();
        std::fs::remove_file(controlled.0.project.root().join("a.hostile")).expect("the file of other tests");
        for file in files() {
            controlled.0.project.write(&file, OLD);
        }
        let mut agent = controlled.0.agent(&[]);
        let rename = json!({ "at": "f00.hostile:1:1", "newName": "omegaomegaomega" });
        let planned = agent.call_text("lsp_rename_symbol", &rename);
        let plan = zubi_tests::zubi::id(&planned, "p-").unwrap_or_else(|| panic!("no plan: {planned}"));
        assert!(planned.contains("46 edits in 46 files"), "{planned}");
        assert!(agent.close().success());
        Self { controlled, plan }
    }

    fn hosts(&self) -> &HostsProject {
        &self.controlled.0
    }

    fn state(&self) -> FilesState {
        let texts = files().map(|file| self.hosts().project.read(&file));
        let (old, new): (Vec<_>, Vec<_>) = texts.partition(|text| text == OLD);
        assert!(new.iter().all(|text| text == NEW), "{new:?}");
        match (old.len(), new.len()) {
            (_, 0) => FilesState::Old,
            (0, _) => FilesState::New,
            (_, new) => FilesState::Mixed(new),
        }
    }

    /// The files that an interrupted write leaves in the project or in zubi's state.
    fn remains(&self) -> Vec<Utf8PathBuf> {
        let state = self.hosts().project.home().join("state/zubi");
        let directories = [self.hosts().project.root().to_owned(), state.join("journal"), state.join("plans")];
        let entries = directories.iter().flat_map(|directory| directory.read_dir_utf8().expect("a directory"));
        let paths = entries.map(|entry| entry.expect("an entry").into_path());
        paths.filter(|path| matches!(path.extension(), Some("tmp" | "journal" | "recovered"))).collect()
    }

    fn apply(&self, agent: &mut Agent) -> u64 {
        agent.begin_call("apply_edit", &json!({ "plan": self.plan, "waitMs": 1 }))
    }

    /// The first answer of an agent. It needs no server.
    fn request_first(agent: &mut Agent) -> String {
        agent.call_text("find_tools", &json!({ "query": "rename" }))
    }

    /// Checks that a new process repairs the files before its first answer, says so once, and leaves nothing.
    fn check_repaired(&self, agent: &mut Agent, context: &str) -> FilesState {
        let first = Self::request_first(agent);
        let (state, note) = (self.state(), first.lines().next().unwrap_or_default());
        let expected = match state {
            FilesState::Old => "was interrupted and is undone",
            FilesState::New => "was complete before its process was ended",
            FilesState::Mixed(_) => panic!("{context}: {state:?}\n{first}"),
        };
        if state == FilesState::New && !note.starts_with("note: ") {
            // The edit had ended before the kill, and there was nothing left to repair.
            assert_eq!(self.remains(), Vec::<Utf8PathBuf>::new(), "{context}");
            return state;
        }
        assert!(note.starts_with("note: an edit (rename `alpha` to "), "{context}: {first}");
        assert!(note.contains(expected) && note.contains(&self.plan), "{context}: {first}");
        assert!(!Self::request_first(agent).contains("note: an edit"), "{context}: it is said once");
        assert_eq!(self.remains(), Vec::<Utf8PathBuf>::new(), "{context}");
        state
    }
}

fn files() -> impl Iterator<Item = String> {
    (0..FILES).map(|number| format!("f{number:02}.hostile"))
}

#[test]
fn a_kill_at_each_write_leaves_all_files_old_or_new() {
    let project = RenameProject::new();
    let (mut agent, mut log) = Lockstep::start(project.hosts().command());
    // One message before and one after each write.
    for messages in 1..=FILES * 2 {
        project.apply(&mut agent);
        assert!(log.advance(messages), "the edit has ended before message {messages}");
        agent.kill();
        let (next, next_log) = Lockstep::start(project.hosts().command());
        (agent, log) = (next, next_log);
        let state = project.check_repaired(&mut agent, &format!("after {messages} messages"));
        // The last message is the one before the edit is recorded as complete.
        assert!(state == FilesState::Old || messages >= FILES * 2 - 1, "after {messages} messages: {state:?}");
        if state == FilesState::New {
            break;
        }
    }
    log.release();
    if project.state() == FilesState::Old {
        let call = project.apply(&mut agent);
        let text = agent::text(&agent.answer(call)["result"]);
        assert!(text.starts_with("applied "), "{text}");
    }
    agent.call_text("undo_edit", &json!({ "plan": project.plan, "waitMs": 1 }));
    assert_eq!(project.state(), FilesState::Old);
    assert!(agent.close().success());
}

#[test]
fn a_kill_during_an_undo_leaves_the_edit() {
    let project = RenameProject::new();
    for messages in [1, 2, 31, 32, FILES * 2 - 2] {
        let (mut agent, mut log) = Lockstep::start(project.hosts().command());
        let undo = json!({ "plan": project.plan, "waitMs": 1 });
        project.apply(&mut agent);
        log.wait_for("committed", 0);
        agent.begin_call("undo_edit", &undo);
        assert!(log.advance(messages), "the undo has ended");
        agent.kill();
        let mut next = project.hosts().agent(&[]);
        let first = RenameProject::request_first(&mut next);
        assert!(first.starts_with("note: the undo of an edit (rename `alpha` to "), "{first}");
        assert_eq!(project.state(), FilesState::New, "after {messages} messages");
        next.call_text("undo_edit", &undo);
        assert_eq!((project.state(), project.remains()), (FilesState::Old, Vec::new()));
        assert!(next.close().success());
    }
}

#[test]
fn a_client_that_takes_over_repairs_the_files_and_reports_it() {
    let project = RenameProject::new();
    let (mut host, mut log) = Lockstep::start(project.hosts().command());
    RenameProject::request_first(&mut host);
    let mut client = project.hosts().agent(&[]);
    RenameProject::request_first(&mut client);
    assert_eq!(pid(&project.hosts().only_host()), host.pid());
    let call = project.apply(&mut client);
    log.wait_for("writes", 20);
    host.kill();
    let answer = client.answer(call);
    let text = agent::text(&answer["result"]);
    assert_eq!(project.state(), FilesState::Old, "{text}");
    assert!(text.contains("outcome unknown") && text.contains("was interrupted and is undone"), "{text}");
    assert_eq!(project.remains(), Vec::<Utf8PathBuf>::new());
    // The edit can be made now.
    let call = project.apply(&mut client);
    assert!(agent::text(&client.answer(call)["result"]).starts_with("applied "));
    assert_eq!(project.state(), FilesState::New);
    assert!(client.close().success());
}

#[test]
fn a_running_host_repairs_the_edit_of_a_killed_process() {
    let project = RenameProject::new();
    let daemon = project.hosts().daemon(&[]);
    let mut command = project.hosts().command();
    command.env("ZUBI_HOST", "own");
    let (mut other, mut log) = Lockstep::start(command);
    project.apply(&mut other);
    log.wait_for("writes", 30);
    other.kill();
    let mut agent = project.hosts().agent(&[]);
    assert_eq!(project.check_repaired(&mut agent, "in a daemon"), FilesState::Old);
    assert!(agent.close().success());
    drop(daemon);
}

#[test]
fn doctor_repairs_an_interrupted_edit() {
    let project = RenameProject::new();
    let (mut agent, mut log) = Lockstep::start(project.hosts().command());
    project.apply(&mut agent);
    log.wait_for("writes", 10);
    agent.kill();
    let output = project.hosts().run(&["doctor", "--wait", "5"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("\nedits: an edit (rename `alpha` to "), "{text}");
    assert!(text.contains("was interrupted and is undone"), "{text}");
    assert_eq!((project.state(), project.remains()), (FilesState::Old, Vec::new()));
    let again: serde_json::Value = serde_json::from_str(&project.hosts().output(&["doctor", "--json"])).expect("JSON");
    assert_eq!(again["edits"], json!([]));
}

#[test]
fn an_edit_of_an_editors_killed_host_is_undone_on_disk() {
    let project = RenameProject::new();
    for reopens in [true, false] {
        let mut window = Window::open_with_stuck_edits(project.hosts());
        window.report_saved_file("f20.hostile");
        let mut agent = project.hosts().agent(&[]);
        let call = project.apply(&mut agent);
        window.wait_for_edit();
        // The editor has not answered, so its file is old, and zubi has written the others.
        assert_eq!(project.state(), FilesState::Mixed(FILES - 1));
        if reopens {
            agent.kill();
            window.kill();
            let window = Window::open(project.hosts(), ".", "Window");
            let mut next = project.hosts().agent(&[]);
            assert_eq!(project.check_repaired(&mut next, "in the reopened editor"), FilesState::Old);
            assert!(next.close().success());
            window.close();
        } else {
            window.kill();
            let text = agent::text(&agent.answer(call)["result"]);
            assert_eq!(project.state(), FilesState::Old, "{text}");
            assert!(text.contains("is undone") && text.contains("unsaved text of `f20.hostile`"), "{text}");
            assert!(agent.close().success());
        }
        assert_eq!(project.remains(), Vec::<Utf8PathBuf>::new());
    }
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

/// A command that ignores SIGXFSZ, which the system sends at the limit of a file's size.
fn command_with_file_limit(hosts: &HostsProject) -> Command {
    let original = hosts.command();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(original.get_program());
    command.env_clear().current_dir(hosts.project.root());
    command.envs(original.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

fn limit_file_size(agent: &Agent, bytes: Option<u64>) {
    let pid = Pid::from_raw(i32::try_from(agent.pid()).expect("a process id"));
    prlimit(pid, Resource::Fsize, Rlimit { current: bytes, maximum: None }).expect("a limit");
}

#[test]
fn a_full_disk_leaves_all_files_old() {
    let project = RenameProject::new();
    // New texts do not fit, old ones do; then neither fits.
    for (limit, is_restored) in [(16, true), (4, false)] {
        let (mut agent, mut log) = Lockstep::start(command_with_file_limit(project.hosts()));
        let call = project.apply(&mut agent);
        log.wait_for("written", 20);
        limit_file_size(&agent, Some(limit));
        log.release();
        let text = agent::text(&agent.answer(call)["result"]);
        assert!(text.contains("File too large"), "{text}");
        if is_restored {
            assert!(text.contains("(whatever had been written before was put back)"), "{text}");
        } else {
            // The answer names exactly the other files.
            assert!(matches!(project.state(), FilesState::Mixed(_)), "{text}");
            for file in files() {
                let is_new = project.hosts().project.read(&file) == NEW;
                assert_eq!(text.contains(&format!("/{file}` (File too large")), is_new, "{file}: {text}");
            }
            assert!(text.contains("zubi tries again at the next call"), "{text}");
            limit_file_size(&agent, None);
            let first = eventually("the files are restored", STEP_TIMEOUT, || {
                let first = RenameProject::request_first(&mut agent);
                (project.state() == FilesState::Old).then_some(first)
            });
            assert!(first.contains("was interrupted and is undone"), "{first}");
        }
        assert_eq!((project.state(), project.remains()), (FilesState::Old, Vec::new()), "{text}");
        assert!(agent.close().success());
    }
}

/// A command whose process obeys the modes of files, also as root.
fn command_without_privileges(hosts: &HostsProject) -> Command {
    let original = hosts.command();
    if !rustix::process::geteuid().is_root() {
        return original;
    }
    let mut command = Command::new("setpriv");
    let capabilities = "--bounding-set=-dac_override,-dac_read_search";
    command.args(["--inh-caps=-dac_override,-dac_read_search", capabilities, "--"]).arg(original.get_program());
    command.env_clear().current_dir(hosts.project.root());
    command.envs(original.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

#[test]
fn a_read_only_folder_leaves_all_files_old() {
    let project = RenameProject::new();
    let root = project.hosts().project.root();
    let set_mode = |mode| std::fs::set_permissions(root, std::fs::Permissions::from_mode(mode)).expect("a mode");
    let mut agent = Agent::spawn(command_without_privileges(project.hosts()), &[]);
    RenameProject::request_first(&mut agent);
    set_mode(0o555);
    let call = project.apply(&mut agent);
    let text = agent::text(&agent.answer(call)["result"]);
    set_mode(0o755);
    assert!(text.contains("Permission denied"), "{text}");
    assert_eq!((project.state(), project.remains()), (FilesState::Old, Vec::new()), "{text}");
    assert!(agent.close().success());

    // The folder becomes read-only during the edit.
    let (mut agent, mut log) = Lockstep::start(command_without_privileges(project.hosts()));
    let call = project.apply(&mut agent);
    log.wait_for("written", 12);
    set_mode(0o555);
    log.release();
    let text = agent::text(&agent.answer(call)["result"]);
    for file in files() {
        let is_new = project.hosts().project.read(&file) == NEW;
        assert_eq!(text.contains(&format!("/{file}` (Permission denied")), is_new, "{file}: {text}");
    }
    agent.kill();
    set_mode(0o755);
    let mut next = project.hosts().agent(&[]);
    assert_eq!(project.check_repaired(&mut next, "once it can be written"), FilesState::Old);
    assert!(next.close().success());
}

#[test]
fn what_changed_after_the_kill_is_not_overwritten() {
    let project = RenameProject::new();
    let (mut agent, mut log) = Lockstep::start(project.hosts().command());
    project.apply(&mut agent);
    log.wait_for("written", 20);
    agent.kill();
    project.hosts().project.write("f03.hostile", "typed since\n");
    let mut next = project.hosts().agent(&[]);
    let first = RenameProject::request_first(&mut next);
    assert_eq!(project.hosts().project.read("f03.hostile"), "typed since\n");
    for file in files().filter(|file| file != "f03.hostile") {
        assert_eq!(project.hosts().project.read(&file), OLD, "{first}");
        assert!(!first.contains(&file), "{first}");
    }
    // The answer names the file and the copy of its old text.
    let copy = first.split("`f03.hostile` (changed since; its text before the edit is in `").nth(1);
    let copy = copy.and_then(|rest| rest.split('`').next()).unwrap_or_else(|| panic!("no copy: {first}"));
    assert_eq!(std::fs::read_to_string(copy).expect("a copy"), OLD);
    assert!(next.close().success());
}

#[test]
fn a_file_that_changes_during_the_edit_stops_it() {
    let project = RenameProject::new();
    let (mut agent, mut log) = Lockstep::start(project.hosts().command());
    let call = project.apply(&mut agent);
    log.wait_for("writes", 10);
    project.hosts().project.write("f40.hostile", "typed meanwhile\n");
    log.release();
    let text = agent::text(&agent.answer(call)["result"]);
    assert!(text.contains("`f40.hostile` changed since the plan was made; nothing was written"), "{text}");
    assert_eq!(project.hosts().project.read("f40.hostile"), "typed meanwhile\n");
    for file in files().filter(|file| file != "f40.hostile") {
        assert_eq!(project.hosts().project.read(&file), OLD, "{text}");
    }
    assert_eq!(project.remains(), Vec::<Utf8PathBuf>::new());
    assert!(agent.close().success());
}
