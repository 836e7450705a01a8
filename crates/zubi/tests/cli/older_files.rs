//! Files that an older program wrote (commit c9a53c4, before types and fields were renamed) still load: conversations,
//! trust, configuration, approvals, plans, a journal, a discovery file, the audit log.
//!
//! The fixtures are that program's own output. `[WORK]` and `[STATE]` in them are the directories of the sandbox.

use serde_json::Value;
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_base::text::ContentHash;
use zubi_ipc::discovery;

use crate::check::Sandbox;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../fixtures/c9a53c4/", $name))
    };
}

/// The conversation of the fixture.
const CONVERSATION: &str = "01a214e2c863-c8dc1aff9add8f84";

/// A sandbox with the sources of the older program's workspace, and a method that adds its other files.
struct OlderFiles {
    sandbox: Sandbox,
    work_dir: String,
    /// The hash of the workspace's path, which is part of file names.
    hash: String,
}

impl OlderFiles {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let work_dir = format!("{}/work", sandbox.root());
        let hash = ContentHash::from_bytes(work_dir.as_bytes()).0;
        let files = Self { sandbox, work_dir, hash };
        files.add("work/.zubi.toml", fixture!("workspace.toml"));
        files.add("work/.vscode/agent-tools.json", fixture!("agent-tools.json"));
        files.add("work/shop.dlang", fixture!("shop.dlang"));
        files.add("work/map.dlang", fixture!("map.dlang"));
        files.add("work/notes.txt", "one\ntwo\n");
        files.add(&format!("state/zubi/trust/{}.json", files.hash), fixture!("trust.json"));
        for text in [fixture!("workspace.toml"), fixture!("agent-tools.json")] {
            let hash = ContentHash::from_bytes(text.as_bytes()).0;
            files.add(&format!("state/zubi/trust/contents/{hash}"), text);
        }
        files
    }

    fn add(&self, path: &str, text: &str) {
        let text = text.replace("[WORK]", &self.work_dir).replace("[STATE]", &format!("{}/state", self.sandbox.root()));
        self.sandbox.write(path, &text);
        self.sandbox.private(path);
    }

    fn with_configuration(self) -> Self {
        self.add("config/zubi/zubi.toml", fixture!("zubi.toml"));
        self.add("config/zubi/servers.toml", fixture!("servers.toml"));
        self.add("config/zubi/tracker-token", "not-a-secret-of-anybody\n");
        self.add("state/zubi/approvals/always.toml", fixture!("approvals-always.toml"));
        self.add(&format!("state/zubi/approvals/{}.toml", self.hash), fixture!("approvals-workspace.toml"));
        self
    }

    fn with_conversation(self) -> Self {
        let directory = self.hash.get(..16).unwrap();
        self.add(&format!("state/zubi/sessions/{directory}/{CONVERSATION}.jsonl"), fixture!("conversation.jsonl"));
        self
    }

    fn with_plan(self, id: &str, text: &str) -> Self {
        let now = SystemClock.now().as_secs();
        self.add(&format!("state/zubi/plans/{id}.json"), &text.replace("\"[NOW]\"", &now.to_string()));
        self
    }

    /// The output on stdout of a command that succeeds.
    fn run(&self, words: &[&str]) -> String {
        let output = self.sandbox.zubi().args(words).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap().replace(&self.work_dir, "[WORK]");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert_eq!(output.status.code(), Some(0), "{words:?}: {stdout}{stderr}");
        assert!(!stderr.contains("warning"), "{words:?}: {stderr}");
        stdout
    }

    fn run_json(&self, words: &[&str]) -> Value {
        serde_json::from_str(&self.run(words)).unwrap()
    }
}

#[test]
fn a_conversation_is_listed_shown_exported_and_resumed() {
    let files = OlderFiles::new().with_conversation();
    let listed = files.run_json(&["agent", "list", "--json"]);
    let row = &listed["conversations"][0];
    assert_eq!((&row["id"], &row["title"]), (&CONVERSATION.into(), &"Count the lines.".into()));
    assert_eq!((&row["turns"], &row["model"]), (&3.into(), &"mock".into()));
    assert!(files.run(&["agent", "list", "--search", "greet"]).contains("Greet: Ada"));
    insta::assert_snapshot!(files.run(&["agent", "show", CONVERSATION]), @"
    > Count the lines.

    I look.
    → Read a file: notes.txt
    → Run a command: wc -l notes.txt
      ? approval required: it runs `wc -l notes.txt`
      ✓ allowed: terminal
    → Run a command: sort notes.txt
      ? approval required: it runs `sort notes.txt`
      ✓ allowed: terminal
    → Run a command: uniq notes.txt
      ? approval required: it runs `uniq notes.txt`
      ✓ allowed: terminal
    → Run a command: rm notes.txt
      ✗ Failed to run shell.run: it runs `rm notes.txt` (nothing is removed here); the rule stands at [WORK]/.zubi.toml:3
    It has two lines.
    · 2 answers · 5 calls · 330 tokens · 0.4 s

    > Count again.

    ! busy; retrying in 2 s (try 1 failed)
    I greet first.
    → Greet: Ada
      | echo hello 'Ada'
    ! the key is not valid. Check the key of this provider: `zubi agent models` says where it was found.
    · 2 answers · 1 call · 2.2 s

    > list files

    I list the files.
    → List files
    `file_list` answered:

    8 files in .
    .vscode/agent-tools.json
    .zubi.toml
    fail.yaml
    map.dlang
    notes.txt
    play.yaml
    shop.dlang
    src/lib.rs
    [disk · nothing ignored]
    · 2 answers · 1 call · 646 tokens · 0.1 s
    ");
    assert_eq!(files.run(&["agent", "export", CONVERSATION]), fixture!("exported.yaml"));

    let task = "read the file \"notes.txt\"";
    files.run(&["agent", "resume", CONVERSATION, task, "--model", "mock"]);
    let shown = files.run(&["agent", "show", CONVERSATION, "--json"]);
    let parse = |text: &str| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
    let (events, older) = (parse(&shown), parse(fixture!("conversation.jsonl")));
    for (event, older) in events.iter().zip(&older) {
        assert_eq!(event, older);
    }
    // The events of a turn have the same types and fields as before.
    let shape = |event: &Value| event.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let turn = |events: &[Value]| events.iter().map(|event| (event["type"].clone(), shape(event))).collect::<Vec<_>>();
    assert_eq!(turn(&events[older.len()..]), turn(&older[older.len() - 8..]));
}

/// An exported scenario works in place of a model.
#[test]
fn an_exported_scenario_is_played() {
    let files = OlderFiles::new();
    files.add("work/exported.yaml", fixture!("exported.yaml"));
    let allow = ["--auto-approve", "shell.run"];
    let answer =
        files.run(&[&["agent", "run", "--model", "mock:exported.yaml", "Count the lines."], &allow[..]].concat());
    assert_eq!(answer, "It has two lines.\n");
}

#[test]
fn trust_in_a_folder_and_its_files_counts() {
    let files = OlderFiles::new();
    assert_eq!(files.run(&["trust", "--list"]), "[WORK]\n");
    assert!(files.run(&["call", "workspace_greet", "--name", "Ada"]).starts_with("hello Ada\n"));
    // Only a trusted file may allow tools.
    assert!(files.run(&["policy", "list"]).contains("allow = [\"domainlang_get\"]"));
    // A file whose content has changed is no longer trusted, and zubi shows the trusted content.
    files.add("work/.vscode/agent-tools.json", &fixture!("agent-tools.json").replace("hello", "goodbye"));
    let changed = files.run(&["trust", "--diff"]);
    assert!(changed.contains("changed: [WORK]/.vscode/agent-tools.json\n"), "{changed}");
    assert!(changed.contains("echo hello $name\"\n") && changed.contains("echo goodbye $name\"\n"), "{changed}");
}

#[test]
fn every_setting_and_approval_counts() {
    let files = OlderFiles::new().with_configuration();
    let rules = files.run(&["policy", "list"]).replace(&files.sandbox.root(), "[ROOT]").replace(&files.hash, "[HASH]");
    insta::assert_snapshot!(rules, @r#"
    [WORK]/.zubi.toml:3
      action = "deny"
      command = ["rm", "*"]
    [ROOT]/config/zubi/zubi.toml:8
      action = "allow"
      tools = ["shell.run"]
      command = ["git", "status|log|diff", "*"]
    [ROOT]/config/zubi/zubi.toml:16
      action = "ask"
      read = ["private/**"]
      hosts = ["example.com:443"]
      secrets = ["TRACKER_TOKEN"]
    [ROOT]/config/zubi/zubi.toml:22
      action = "deny"
      write = ["generated/**"]
    [ROOT]/state/zubi/approvals/[HASH].toml:3
      action = "allow"
      tools = ["shell.run"]
      command = ["uniq", "notes.txt", "*"]
    [ROOT]/state/zubi/approvals/always.toml:3
      action = "allow"
      tools = ["shell.run"]
      command = ["sort", "notes.txt", "*"]
    `[WORK]/.zubi.toml`
      allow = ["domainlang_get"]
    "#);
    let models = files.run_json(&["agent", "models", "--json"]);
    assert_eq!(models["default"], "local/qwen3");
    let ids: Vec<&Value> = models["models"].as_array().unwrap().iter().map(|model| &model["id"]).collect();
    assert_eq!(ids, ["local/qwen3", "local/qwen3-coder", "mock"]);
    let tools = files.run(&["tools", "list"]);
    assert!(!tools.contains("file.getCurrent") && !tools.contains("get_setting"), "{tools}");
    for (command, decision) in [("sort notes.txt", "allow"), ("uniq notes.txt", "allow"), ("rm notes.txt", "deny")] {
        let explained = files.sandbox.check(&["policy", "explain", "--shell", command]);
        assert!(explained.contains(decision), "{explained}");
    }
}

#[test]
fn a_plan_is_applied() {
    let files = OlderFiles::new().with_plan("p-pr52gqzjif", fixture!("plan-planned.json"));
    files.run(&["call", "apply_edit", "--plan", "p-pr52gqzjif"]);
    assert_eq!(files.sandbox.read("work/shop.dlang"), fixture!("shop.dlang").replace("Orders", "Ordering"));
    assert_eq!(files.sandbox.read("work/map.dlang"), fixture!("map.dlang").replace("Orders", "Ordering"));
}

#[test]
fn an_applied_plan_is_undone() {
    let files = OlderFiles::new().with_plan("p-rgc3s4bld5", fixture!("plan-applied.json"));
    files.run(&["call", "undo_edit", "--plan", "p-rgc3s4bld5"]);
    assert_eq!(files.sandbox.read("work/shop.dlang"), fixture!("shop.dlang").replace("Invoicing", "Billing"));
    assert_eq!(files.sandbox.read("work/map.dlang"), fixture!("map.dlang").replace("Invoicing", "Billing"));
}

/// The journal belongs to a process that was killed after it wrote the first of two files.
#[test]
fn a_half_done_change_is_reverted() {
    let files = OlderFiles::new().with_plan("p-pr52gqzjif", fixture!("plan-planned.json"));
    files.add("work/map.dlang", fixture!("half-map.dlang"));
    files.add("state/zubi/journal/p-ldyx4khkns.journal", fixture!("half.journal"));
    files.run(&["call", "apply_edit", "--plan", "p-pr52gqzjif"]);
    assert_eq!(files.sandbox.read("work/map.dlang"), fixture!("map.dlang").replace("Orders", "Ordering"));
    assert!(!files.sandbox.exists("state/zubi/journal/p-ldyx4khkns.journal"));
}

/// The host of the discovery file has ended, so it is found and does not answer. The record names this process, which
/// is alive.
#[test]
fn a_discovery_file_is_found() {
    let files = OlderFiles::new();
    let pid = std::process::id();
    let text = fixture!("discovery.json")
        .replace("\"[PID]\"", &pid.to_string())
        .replace("\"[STARTED]\"", &discovery::process_start(pid).unwrap().to_string())
        .replace("[BOOT]", &discovery::boot_id().unwrap())
        .replace("[NAMESPACE]", &discovery::pid_namespace().unwrap());
    files.add("state/zubi/run/uorizsk5chy7ao43.json", &text);
    files.sandbox.private_directory("state/zubi/run");
    let status = files.run_json(&["status", "--json"]);
    let host = &status["unreachable"][0];
    assert_eq!((&host["pid"], &host["kind"]), (&pid.into(), &"daemon".into()), "{status}");
    assert_eq!(host["workspaceFolders"][0], "[WORK]");
}

/// A new record has the fields of the older ones, in the same order.
#[test]
fn the_audit_log_is_continued() {
    let files = OlderFiles::new();
    files.add("state/zubi/audit/audit.jsonl", fixture!("audit.jsonl"));
    files.run(&["agent", "run", "--model", "mock", "read the file \"notes.txt\""]);
    let log = files.sandbox.read("state/zubi/audit/audit.jsonl");
    let records: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), fixture!("audit.jsonl").lines().count() + 1);
    let fields = |record: &Value| record.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(records.last().unwrap()), fields(&records[0]));
    assert_eq!((&records.last().unwrap()["surface"], &records[0]["surface"]), (&"agent".into(), &"agent".into()));
}
