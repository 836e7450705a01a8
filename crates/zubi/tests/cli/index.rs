//! `zubi index`: the state, the build and the deletion of an index without a host.

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::Value;

use crate::check::Sandbox;

/// Runs a command. Sizes and the name of the store depend on the machine.
fn check(sandbox: &Sandbox, words: &[&str]) -> String {
    let mut text = String::new();
    for line in sandbox.check(words).lines() {
        let line = match (line.find(" in [PLACE]/cache/"), line.split_once("deleted ")) {
            (Some(_), _) => "  SIZE in [PLACE]/cache/STORE",
            (_, Some((before, _))) => &format!("{before}deleted SIZE"),
            _ => line,
        };
        let _ = writeln!(text, "{line}");
    }
    text
}

fn status(sandbox: &Sandbox) -> Value {
    let output = sandbox.zubi().args(["index", "status", "--json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).expect("one JSON value")
}

#[test]
fn an_index_is_built_and_deleted() {
    let sandbox = Sandbox::new();
    sandbox.write("work/shop.py", "class Order:\n    pass\n");
    sandbox.write("work/notes.unknown", "Order\n");
    assert_snapshot!(check(&sandbox, &["index", "status"]), @"
    exit 0
    --- stdout
    [PLACE]/work
      no index yet: `zubi index build`, or the first request of an agent, makes it
    ");
    assert_snapshot!(check(&sandbox, &["index", "build"]), @"
    exit 0
    --- stdout
    [PLACE]/work
      ready
      words of 3 files, declarations of 2; 1 in languages that zubi does not parse
      SIZE in [PLACE]/cache/STORE
    ");
    assert_snapshot!(check(&sandbox, &["index", "status"]), @"
    exit 0
    --- stdout
    [PLACE]/work
      up to date as of the last host; the next one compares it with the files
      words of 3 files, declarations of 2; 1 in languages that zubi does not parse
      SIZE in [PLACE]/cache/STORE
    ");
    let found = status(&sandbox);
    assert_eq!(found.pointer("/folders/0/files"), Some(&3.into()), "{found}");
    assert_snapshot!(check(&sandbox, &["index", "clear"]), @"
    exit 0
    --- stdout
    [PLACE]/work: deleted SIZE
    ");
    assert_snapshot!(check(&sandbox, &["index", "clear"]), @"
    exit 0
    --- stdout
    [PLACE]/work: there was no index
    ");
    assert_eq!(status(&sandbox).pointer("/folders/0/bytes"), Some(&0.into()));
    let output = sandbox.zubi().args(["index", "build", "--json"]).output().unwrap();
    let built: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    let [words, all] = ["words", "all"].map(|part| built["seconds"][part].as_f64().expect("a duration"));
    assert!(0.0 < words && words <= all, "{built}");
}

#[test]
fn an_index_that_is_off_or_in_use_is_not_built() {
    let sandbox = Sandbox::new();
    sandbox.write("work/.zubi.toml", "index = false\n");
    assert_snapshot!(check(&sandbox, &["index", "build"]), @"
    exit 2
    --- stderr
    error: the index is off: `index = false` (`[PLACE]/work/.zubi.toml`)
    hint: Remove the setting, or set `index = true`.
    ");
    assert_snapshot!(check(&sandbox, &["index", "status"]), @"
    exit 0
    --- stdout
    `index = false` (`[PLACE]/work/.zubi.toml`): no host uses or updates the index
    [PLACE]/work
      no index yet: `zubi index build`, or the first request of an agent, makes it
    ");
    sandbox.write("work/.zubi.toml", "");
    let store = status(&sandbox).pointer("/folders/0/store").and_then(Value::as_str).unwrap().to_owned();
    let lock = camino::Utf8PathBuf::from(store).with_extension("lock");
    zubi_base::owner_only::create_directory(lock.parent().unwrap()).unwrap();
    let host = zubi_base::owner_only::lock(&lock).unwrap();
    assert!(host.is_some());
    assert_snapshot!(check(&sandbox, &["index", "build"]), @r#"
    exit 3
    --- stderr
    error: [PLACE]/work: another zubi process updates the index of this folder
    hint: A running host updates it by itself: `zubi status` shows its progress, `zubi stop` stops a daemon.
    "#);
    assert_snapshot!(check(&sandbox, &["index", "clear"]), @"
    exit 3
    --- stderr
    error: [PLACE]/work: another zubi process updates the index of this folder
    hint: A running host updates it by itself: `zubi status` shows its progress, `zubi stop` stops a daemon.
    ");
}

#[test]
fn an_interrupted_build_continues_later() {
    let sandbox = Sandbox::new();
    for file in 0..60 {
        let text = (0..2_000).fold(String::new(), |mut text, number| {
            let _ = writeln!(text, "def function_{number}(): pass");
            text
        });
        sandbox.write(&format!("work/file_{file}.py"), &text);
    }
    let store = status(&sandbox).pointer("/folders/0/store").and_then(Value::as_str).unwrap().to_owned();
    let mut build = sandbox.process();
    build.args(["index", "build"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let build = build.spawn().unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    while !std::fs::exists(&store).unwrap() {
        assert!(Instant::now() < deadline, "the store is created");
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_child(&build);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = build.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "stopped; the next build continues from here\n");
    assert_snapshot!(check(&sandbox, &["index", "build"]), @"
    exit 0
    --- stdout
    [PLACE]/work
      ready
      words of 61 files, declarations of 61
      SIZE in [PLACE]/cache/STORE
    ");
}

/// Returns the number of files in the index.
fn indexed_files(sandbox: &Sandbox) -> Option<u64> {
    let output = sandbox.check(&["index", "build"]);
    assert!(output.starts_with("exit 0"), "{output}");
    status(sandbox).pointer("/folders/0/files").and_then(Value::as_u64)
}

#[test]
fn rules_of_the_user_leave_files_out() {
    let sandbox = Sandbox::new();
    sandbox.write("work/made.py", "made = 1\n");
    assert_eq!(indexed_files(&sandbox), Some(2));
    let rules = sandbox.path("home/rules");
    sandbox.write("home/.gitconfig", &format!("[core]\n\texcludesFile = {}\n", rules.display()));
    assert_eq!(indexed_files(&sandbox), Some(2), "the file does not exist");
    sandbox.write("home/rules", "made.py\n");
    assert_eq!(indexed_files(&sandbox), Some(1));
    // Without a name in git's configuration, the rules are in its default place.
    sandbox.write("home/.gitconfig", "");
    assert_eq!(indexed_files(&sandbox), Some(2));
    sandbox.write("config/git/ignore", "*.py\n");
    assert_eq!(indexed_files(&sandbox), Some(1));
}

#[test]
fn a_home_directory_that_is_a_link_has_no_index() {
    let sandbox = Sandbox::new();
    sandbox.link("work", "linked-home");
    let build = |home: &str| {
        let mut command = sandbox.zubi();
        command.env("HOME", sandbox.path(home)).args(["index", "build"]);
        sandbox.show(&mut command)
    };
    assert_snapshot!(build("linked-home"), @"
    exit 2
    --- stderr
    error: zubi makes no index of `[PLACE]/work`: open the folder of a project
    ");
    assert_eq!(build("linked-home"), build("work"));
}

#[test]
fn an_answer_of_the_model_names_files_that_no_server_reads() {
    let sandbox = Sandbox::new();
    sandbox.write("work/shop.dlang", "Domain Order { vision: \"Sell\" }\n");
    sandbox.write("work/order.py", "class Order:\n    pass\n\nclass Invoice:\n    pass\n");
    sandbox.write("work/notes.unknown", "Order and Receipt\n");
    // A host that answers before its index is complete has another source for the names: the outlines of files.
    check(&sandbox, &["index", "build"]);
    let search = |name: &str| check(&sandbox, &["call", "lsp_workspace_symbols", "--query", name, "--wait", "ready"]);
    for (name, expected) in [
        ("Order", &["shop.dlang:1:8", "order.py:1:7", "domainlang + "][..]),
        ("Invoice", &["order.py:4:7", "syntax only"]),
        ("Receipt", &["0 symbols", "may be incomplete", "notes.unknown"]),
        ("Absent", &["0 symbols", "syntax only", "`pyright-langserver` is not installed"]),
    ] {
        let answer = search(name);
        assert!(expected.iter().all(|part| answer.contains(part)), "{name}: {answer}");
    }
}

#[test]
fn a_large_data_file_does_not_mark_an_answer_about_code() {
    let sandbox = Sandbox::new();
    sandbox.write("work/order.py", "class Order:\n    pass\n");
    let lines = (0..20_000).map(|number| format!("\"key{number}\": \"Order Receipt\"")).collect::<Vec<_>>();
    sandbox.write("work/data.json", &format!("{{{}}}\n", lines.join(",\n")));
    check(&sandbox, &["index", "build"]);
    let found = check(&sandbox, &["call", "lsp_workspace_symbols", "--query", "Order"]);
    assert!(found.contains("order.py") && !found.contains("may be incomplete"), "{found}");
    // It may have the only declaration of this name.
    let found = check(&sandbox, &["call", "lsp_workspace_symbols", "--query", "Receipt"]);
    assert!(found.contains("data.json") && found.contains("may be incomplete"), "{found}");
}
