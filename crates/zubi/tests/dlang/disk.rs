//! Unusual contents of a disk.

use std::fmt::Write as _;

use insta::assert_snapshot;

use crate::check::{Sandbox, check};

#[test]
fn invalid_utf8_is_reported() {
    let sandbox = Sandbox::new("");
    sandbox.write("a.dlang", b"Team A\n// caf\xe9\nTeam B\n");
    assert_snapshot!(sandbox.check("validate"), @"
    exit 1
    --- stdout
    error[file-not-utf8]: The file cannot be read: it is not UTF-8 text (byte 13).
     --> a.dlang:2:7
      |
    2 | // caf�
      |       ^
      |
      = help: Save it as UTF-8. Until then U+FFFD replaces invalid bytes.

    1 file, 0 domains, 0 bounded contexts: 1 error
    ");
    assert_snapshot!(sandbox.check("query teams -q"), @"
    exit 0
    --- stdout
    A
    B
    --- stderr
    warning: the answer may be incomplete (files that cannot be read: 1)
    hint: `dlang validate` shows them.
    ");
    assert_snapshot!(sandbox.check("fmt"), @"
    exit 2
    --- stderr
    error: cannot format `a.dlang`: it is not UTF-8 text (byte 13)
    changed: 0 of 1 file
    ");
}

#[test]
fn circular_links() {
    let circle = "//- loop.dlang -> loop.dlang\n//- sub/up -> ..\n//- sub/a.dlang\nTeam A\n";
    assert_snapshot!(check(circle, "validate loop.dlang --json"), @r#"
    exit 3
    --- stdout
    {"success":false,"error":"cannot read `loop.dlang`: Too many levels of symbolic links (os error 40)","hints":["Check its permissions, and that links lead to existing files."]}
    --- stderr
    error: cannot read `loop.dlang`: Too many levels of symbolic links (os error 40)
    hint: Check its permissions, and that links lead to existing files.
    "#);
    assert_snapshot!(check(circle, "validate"), @"
    exit 0
    --- stdout
    info[file-passed-over]: It is named like a model and is a link that leads nowhere.
    --> loop.dlang
     = help: Let .gitignore leave it out, or put a model there.

    1 file, 0 domains, 0 bounded contexts: 1 remark
    ");
    assert_snapshot!(check(circle, "query teams -q"), @"
    exit 0
    --- stdout
    A
    ");
}

/// An entry that is not a regular file never blocks.
#[test]
fn pipes_and_folders_named_like_models() {
    let sandbox = Sandbox::new("//- folder.dlang/a.dlang\nTeam A\n//- b.dlang\nimport \"./pipe.dlang\"\n");
    rustix::fs::mkfifoat(rustix::fs::CWD, sandbox.root.join("pipe.dlang").as_std_path(), rustix::fs::Mode::RUSR)
        .unwrap();
    assert_snapshot!(sandbox.check("validate pipe.dlang"), @"
    exit 2
    --- stderr
    error: `pipe.dlang` is neither a file nor a folder
    ");
    assert_snapshot!(sandbox.check("validate -q"), @"
    exit 1
    --- stdout
    b.dlang:1:8: error: Cannot resolve import './pipe.dlang'.
    Hint: Check that the file exists and the path is correct.: Check that the file exists and the path is correct.
    ");
    assert_snapshot!(sandbox.check("query teams folder.dlang -q"), @"
    exit 0
    --- stdout
    A
    ");
    assert_snapshot!(sandbox.check("fmt pipe.dlang"), @"
    exit 2
    --- stderr
    error: `pipe.dlang` is neither a file nor a folder
    ");
}

#[test]
fn large_files() {
    let sandbox = Sandbox::new("");
    let mut text = String::new();
    let comment = "x".repeat(500);
    for number in 0..20_000 {
        writeln!(text, "Classification Number{number}    // {comment}").unwrap();
    }
    text.push_str("Domain D { vision: \"v\" type: Nope }\n");
    assert!(text.len() > 10 * 1024 * 1024);
    sandbox.write("large.dlang", &text);
    assert_snapshot!(sandbox.check("validate"), @r#"
    exit 1
    --- stdout
    error[linking-error]: Could not resolve reference to Classification named 'Nope'.
         --> large.dlang:20001:30
          |
    20001 | Domain D { vision: "v" type: Nope }
          |                              ^^^^

    1 file, 1 domain, 0 bounded contexts: 1 error
    "#);
    assert_snapshot!(sandbox.check("query classifications --count"), @"
    exit 0
    --- stdout
    20000
    --- stderr
    warning: the answer may be incomplete (unresolved references: 1)
    hint: `dlang validate` shows them.
    ");
    assert_snapshot!(sandbox.check("query domains --json"), @r#"
    exit 0
    --- stdout
    {"entityType":"domains","count":1,"results":[{"name":"D","fqn":"D","vision":"v"}]}
    --- stderr
    warning: the answer may be incomplete (unresolved references: 1)
    hint: `dlang validate` shows them.
    "#);
}

/// The file is larger than the limit. Its declarations are unknown, and the output says so.
#[test]
fn unreadable_files() {
    let sandbox = Sandbox::new("//- a.dlang\nimport \"./huge.dlang\"\nTeam A\n");
    std::fs::File::create(sandbox.root.join("huge.dlang")).unwrap().set_len(65 * 1024 * 1024).unwrap();
    assert_snapshot!(sandbox.check("validate a.dlang"), @"
    exit 1
    --- stdout
    error[file-unreadable]: The file cannot be read: it has more than 67108864 bytes.
     --> huge.dlang:1:1
      |
    1 |
      | ^
      |
      = help: Models of up to 64 MiB are read. Split it.

    2 files, 0 domains, 0 bounded contexts: 1 error
    ");
    assert_snapshot!(sandbox.check("query teams -q"), @"
    exit 0
    --- stdout
    A
    --- stderr
    warning: the answer may be incomplete (files that cannot be read: 1)
    hint: `dlang validate` shows them.
    ");
    assert_snapshot!(sandbox.check("fmt huge.dlang"), @"
    exit 2
    --- stderr
    error: cannot format `huge.dlang`: it has more than 67108864 bytes
    changed: 0 of 1 file
    ");
}

/// Ten thousand namespaces inside each other, and as many errors.
#[test]
fn files_with_unusual_content() {
    let sandbox = Sandbox::new("");
    sandbox.write("deep.dlang", "Namespace N {".repeat(10_000));
    sandbox.write("errors.dlang", "Domain {\n".repeat(10_000));
    let validated = sandbox.dlang().args(["validate", "-q"]).output().unwrap();
    assert_eq!(validated.status.code(), Some(1));
    let lines = String::from_utf8(validated.stdout).unwrap();
    assert!(lines.lines().any(|line| line.starts_with("deep.dlang:")), "{lines}");
    assert!(lines.lines().any(|line| line.starts_with("errors.dlang:")), "{lines}");
    assert_eq!(sandbox.dlang().arg("fmt").output().unwrap().status.code(), Some(2));
}

/// Text and names never reach the terminal as control sequences.
#[test]
fn control_characters_are_escaped() {
    let name = "\u{1b}]0;x\u{7}\u{7f}\u{9b}.dlang";
    let sandbox = Sandbox::new(&format!("//- {name}\nDomain D {{ vision: \"\u{1b}[31m\u{9b}2J\" type: \u{1b} }}\n"));
    // A warning contains the name of a domain without a vision, and the file's name before it.
    sandbox.write(&format!("warned/{name}"), "Domain D\n");
    sandbox.write(&format!("changed/{name}"), "Team   A\n");
    sandbox.write(
        "manifest/model.yaml",
        "dependencies:\n  \"\\e[31m\\x9b/a\": \"v\\e1\"\n  \"\\e[2J\": [x]\n\"\\e[3J\": 1\n",
    );
    let lines = [
        "validate",
        "validate -q",
        "validate --json",
        "query domains",
        "query domains -q",
        "query domains --json",
        "query domains --format yaml",
        "get D",
        "explain D",
        "explain D --json",
        "fmt -q",
        "fmt",
        "fmt --json",
        "fmt --check changed -q",
        "fmt --check changed --json",
        "validate warned -q",
        "validate warned",
        "install manifest",
        "install manifest -q",
        "install manifest --json",
    ];
    let lines = lines.map(|line| line.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let named =
        [vec!["validate"], vec!["validate", "--json"], vec!["fmt"], vec!["init"], vec!["init", "-q"], vec!["get", "D"]];
    let named = named.map(|mut words| {
        words.push("\u{1b}[31m\u{9b}");
        words.into_iter().map(str::to_owned).collect::<Vec<_>>()
    });
    for words in lines.iter().chain(&named) {
        let output = sandbox.show(sandbox.dlang().args(words));
        assert!(!output.contains(|c: char| c.is_control() && c != '\n'), "{words:?}: {output:?}");
    }
    let output = check("//- a.dlang\nDomain D { vision: \"\u{9b}\u{7f}\" }", "query domains --json");
    assert!(output.contains(r#""vision":"\u009b\u007f""#), "{output}");
}

/// An unreadable folder must not be reported as empty.
#[test]
fn unreadable_folders() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new("//- shut/a.dlang\nTeam A\n//- open.dlang\nTeam B\n");
    let shut = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(sandbox.root.join("shut"), permissions).unwrap();
    };
    shut(0o000);
    std::fs::set_permissions(&sandbox.root, std::fs::Permissions::from_mode(0o755)).unwrap();
    let answers =
        ["validate shut", "query teams shut --json", "fmt shut", "query teams -q", "fmt --check", "fmt --check --json"]
            .map(|line| format!("{line}: {}", sandbox.check_as_unprivileged_user(line)));
    shut(0o755);
    assert_snapshot!(answers.join("\n\n"), @r#"
    validate shut: exit 3
    --- stderr
    error: cannot read `shut`: Permission denied (os error 13)
    hint: Check its permissions, and that links lead to existing files.

    query teams shut --json: exit 3
    --- stdout
    {"success":false,"error":"cannot read `shut`: Permission denied (os error 13)","hints":["Check its permissions, and that links lead to existing files."]}
    --- stderr
    error: cannot read `shut`: Permission denied (os error 13)
    hint: Check its permissions, and that links lead to existing files.

    fmt shut: exit 3
    --- stderr
    error: cannot read `shut`: Permission denied (os error 13)
    hint: Check its permissions, and that links lead to existing files.

    query teams -q: exit 0
    --- stdout
    B
    --- stderr
    warning: the answer may be incomplete (locations that were not scanned: 1)
    hint: `dlang validate` shows them.

    fmt --check: exit 3
    --- stderr
    error: `shut`: not scanned: permission denied
    would change: 0 of 1 file

    fmt --check --json: exit 3
    --- stdout
    {"success":false,"fileCount":1,"changed":[],"refused":[],"failed":[{"file":"shut","error":"`shut`: not scanned: permission denied"}]}
    --- stderr
    error: `shut`: not scanned: permission denied
    "#);
}
