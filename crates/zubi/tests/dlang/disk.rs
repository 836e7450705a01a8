//! What a disk may hold besides models.

use std::fmt::Write as _;

use insta::assert_snapshot;

use crate::check::{Place, check};

#[test]
fn texts_that_are_not_utf8() {
    let place = Place::new("");
    place.write("a.dlang", b"Team A\n// caf\xe9\nTeam B\n");
    assert_snapshot!(place.check("validate"), @"
    exit 1
    --- stdout
    error[file-not-utf8]: The file cannot be read: it is not UTF-8 text (byte 13).
     --> a.dlang:2:7
      |
    2 | // caf�
      |       ^
      |
      = help: Save it as UTF-8. Until then what is no character is read as U+FFFD.

    1 file, 0 domains, 0 bounded contexts: 1 error
    ");
    assert_snapshot!(place.check("query teams -q"), @"
    exit 0
    --- stdout
    A
    B
    --- stderr
    warning: the answer may lack something (files that cannot be read: 1)
    hint: `dlang validate` shows them.
    ");
    assert_snapshot!(place.check("fmt"), @"
    exit 2
    --- stderr
    error: cannot format `a.dlang`: it is not UTF-8 text (byte 13)
    changed: 0 of 1 file
    ");
}

#[test]
fn links_in_a_circle() {
    let circle = "//- loop.dlang -> loop.dlang\n//- sub/up -> ..\n//- sub/a.dlang\nTeam A\n";
    assert_snapshot!(check(circle, "validate loop.dlang --json"), @r#"
    exit 3
    --- stdout
    {"success":false,"error":"cannot read `loop.dlang`: Too many levels of symbolic links (os error 40)","hints":["See that it can be read by you, and that links lead somewhere."]}
    --- stderr
    error: cannot read `loop.dlang`: Too many levels of symbolic links (os error 40)
    hint: See that it can be read by you, and that links lead somewhere.
    "#);
    assert_snapshot!(check(circle, "validate"), @"
    exit 0
    --- stdout
    1 file, 0 domains, 0 bounded contexts: nothing is wrong
    ");
    assert_snapshot!(check(circle, "query teams -q"), @"
    exit 0
    --- stdout
    A
    ");
}

/// What is no file is never waited for.
#[test]
fn pipes_and_folders_named_like_models() {
    let place = Place::new("//- folder.dlang/a.dlang\nTeam A\n//- b.dlang\nimport \"./pipe.dlang\"\n");
    rustix::fs::mkfifoat(rustix::fs::CWD, place.root.join("pipe.dlang").as_std_path(), rustix::fs::Mode::RUSR).unwrap();
    assert_snapshot!(place.check("validate pipe.dlang"), @"
    exit 2
    --- stderr
    error: `pipe.dlang` is neither a file nor a folder
    ");
    assert_snapshot!(place.check("validate -q"), @"
    exit 1
    --- stdout
    b.dlang:1:8: error: Cannot resolve import './pipe.dlang'.
    Hint: Check that the file exists and the path is correct.: Check that the file exists and the path is correct.
    ");
    assert_snapshot!(place.check("query teams folder.dlang -q"), @"
    exit 0
    --- stdout
    A
    ");
    assert_snapshot!(place.check("fmt pipe.dlang"), @"
    exit 2
    --- stderr
    error: `pipe.dlang` is neither a file nor a folder
    ");
}

#[test]
fn large_files() {
    let place = Place::new("");
    let mut text = String::new();
    let comment = "x".repeat(500);
    for number in 0..20_000 {
        writeln!(text, "Classification Number{number}    // {comment}").unwrap();
    }
    text.push_str("Domain D { vision: \"v\" type: Nope }\n");
    assert!(text.len() > 10 * 1024 * 1024);
    place.write("large.dlang", &text);
    assert_snapshot!(place.check("validate"), @r#"
    exit 1
    --- stdout
    error[linking-error]: Could not resolve reference to Classification named 'Nope'.
         --> large.dlang:20001:30
          |
    20001 | Domain D { vision: "v" type: Nope }
          |                              ^^^^

    1 file, 1 domain, 0 bounded contexts: 1 error
    "#);
    assert_snapshot!(place.check("query classifications --count"), @"
    exit 0
    --- stdout
    20000
    ");
    assert_snapshot!(place.check("query domains --json"), @r#"
    exit 0
    --- stdout
    {"entityType":"domains","count":1,"results":[{"name":"D","fqn":"D","vision":"v"}]}
    "#);
}

/// More than is read. What the file declares is not known, and that is said.
#[test]
fn files_that_cannot_be_read() {
    let place = Place::new("//- a.dlang\nimport \"./huge.dlang\"\nTeam A\n");
    std::fs::File::create(place.root.join("huge.dlang")).unwrap().set_len(65 * 1024 * 1024).unwrap();
    assert_snapshot!(place.check("validate a.dlang"), @"
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
    assert_snapshot!(place.check("query teams -q"), @"
    exit 0
    --- stdout
    A
    --- stderr
    warning: the answer may lack something (files that cannot be read: 1)
    hint: `dlang validate` shows them.
    ");
    assert_snapshot!(place.check("fmt huge.dlang"), @"
    exit 2
    --- stderr
    error: cannot format `huge.dlang`: it has more than 67108864 bytes
    changed: 0 of 1 file
    ");
}

/// Ten thousand namespaces inside each other, and as many errors.
#[test]
fn absurd_files() {
    let place = Place::new("");
    place.write("deep.dlang", "Namespace N {".repeat(10_000));
    place.write("errors.dlang", "Domain {\n".repeat(10_000));
    let validated = place.dlang().args(["validate", "-q"]).output().unwrap();
    assert_eq!(validated.status.code(), Some(1));
    let lines = String::from_utf8(validated.stdout).unwrap();
    assert!(lines.lines().any(|line| line.starts_with("deep.dlang:")), "{lines}");
    assert!(lines.lines().any(|line| line.starts_with("errors.dlang:")), "{lines}");
    assert_eq!(place.dlang().arg("fmt").output().unwrap().status.code(), Some(2));
}

/// What a text says never reaches the terminal as a command to it.
#[test]
fn control_characters_are_not_obeyed() {
    let place = Place::new("//- \u{1b}]0;x\u{7}.dlang\nDomain D { vision: \"\u{1b}[31m\u{9b}2J\" type: \u{1b} }\n");
    for line in ["validate", "validate -q", "query domains", "query domains --format yaml", "explain D"] {
        let shown = place.check(line);
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{line}: {shown:?}");
    }
}
