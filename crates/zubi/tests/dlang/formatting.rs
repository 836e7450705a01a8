//! `dlang fmt`.

use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;

use crate::check::{Sandbox, check};

const FILES: &str = "\
//- messy.dlang
Team   A
//- neat.dlang
Team A
//- broken.dlang
Team   B
Domain {
//- .dlang/packages/a/b/1234567/index.dlang
Team   P
//- ignored/x.dlang
Team   I
//- .gitignore
ignored/
";

#[test]
fn only_valid_files_are_formatted() {
    let sandbox = Sandbox::new(FILES);
    let path = sandbox.root.join("messy.dlang");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert_snapshot!(sandbox.check("fmt"), @"
    exit 2
    --- stdout
    messy.dlang
    --- stderr
    error[expected-token]: Expecting token of type 'ID' but found `{`.
     --> broken.dlang:2:8
      |
    2 | Domain {
      |        ^

    error[expected-token]: Expecting token of type '}' but found end of file.
     --> broken.dlang:2:9
      |
    2 | Domain {
      |         ^

    changed: 1 of 3 files; unchanged because of syntax errors: 1
    ");
    assert_eq!(sandbox.read("messy.dlang"), "Team A\n");
    assert_eq!(sandbox.read("broken.dlang"), "Team   B\nDomain {\n");
    assert_eq!(sandbox.read(".dlang/packages/a/b/1234567/index.dlang"), "Team   P\n");
    assert_eq!(sandbox.read("ignored/x.dlang"), "Team   I\n");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(sandbox.check("fmt messy.dlang neat.dlang -q"), "exit 0");
}

#[test]
fn checking_writes_nothing() {
    let sandbox = Sandbox::new(FILES);
    assert_snapshot!(sandbox.check("fmt --check messy.dlang neat.dlang"), @"
    exit 1
    --- stdout
    messy.dlang
    --- stderr
    would change: 1 of 2 files
    ");
    assert_snapshot!(sandbox.check("fmt --check --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"fileCount":3,"changed":["messy.dlang"],"refused":[{"file":"broken.dlang","errors":[{"message":"Expecting token of type 'ID' but found `{`.","code":"expected-token","line":2,"column":8},{"message":"Expecting token of type '}' but found end of file.","code":"expected-token","line":2,"column":9}]}],"failed":[]}
    --- stderr
    error[expected-token]: Expecting token of type 'ID' but found `{`.
     --> broken.dlang:2:8
      |
    2 | Domain {
      |        ^

    error[expected-token]: Expecting token of type '}' but found end of file.
     --> broken.dlang:2:9
      |
    2 | Domain {
      |         ^
    "#);
    assert_eq!(sandbox.check("fmt --check neat.dlang -q"), "exit 0");
    assert_eq!(sandbox.read("messy.dlang"), "Team   A\n");
}

#[test]
fn what_is_not_formatted() {
    assert_snapshot!(check(FILES, "fmt .dlang"), @"
    exit 2
    --- stderr
    error: `.dlang` is in the package cache, which is not formatted
    hint: Format a package in its own repository.
    ");
    assert_snapshot!(check(FILES, "fmt neat.dlang .gitignore"), @"
    exit 2
    --- stderr
    error: Invalid file extension. Expected: .dlang
    hint: `.gitignore` is not a DomainLang file.
    ");
    assert_snapshot!(check("//- in -> .dlang/x\n//- .dlang/x/a.dlang\nTeam   A\n", "fmt in/a.dlang"), @"
    exit 2
    --- stderr
    error: `in/a.dlang` is in the package cache, which is not formatted
    hint: Format a package in its own repository.
    ");
}

/// A link stays a link; dlang formats its target.
#[test]
fn links() {
    let sandbox = Sandbox::new("//- a.dlang -> b/real.dlang\n//- b/real.dlang\nTeam   A\n");
    assert_eq!(sandbox.check("fmt a.dlang -q"), "exit 0\n--- stdout\na.dlang");
    assert!(sandbox.root.join("a.dlang").is_symlink());
    assert_eq!(sandbox.read("b/real.dlang"), "Team A\n");
}

#[test]
fn from_stdin() {
    let sandbox = Sandbox::new("");
    let run = |line: &str, text: &[u8]| {
        sandbox.show(sandbox.dlang().args(line.split_whitespace()).write_stdin(text.to_vec()))
    };
    assert_snapshot!(run("fmt --stdin", b"Team   A"), @"
    exit 0
    --- stdout
    Team A
    ");
    assert_snapshot!(run("fmt --stdin --json", b"Team   A"), @r#"
    exit 0
    --- stdout
    {"success":true,"changed":true,"text":"Team A\n"}
    "#);
    assert_snapshot!(run("fmt --stdin --check", b"Team   A"), @"
    exit 1
    ");
    assert_eq!(run("fmt --stdin --check", b"Team A\n"), "exit 0");
    assert_snapshot!(run("fmt --stdin", b"Domain {"), @"
    exit 2
    --- stderr
    error[expected-token]: Expecting token of type 'ID' but found `{`.
     --> <stdin>:1:8
      |
    1 | Domain {
      |        ^

    error[expected-token]: Expecting token of type '}' but found end of file.
     --> <stdin>:1:9
      |
    1 | Domain {
      |         ^

    error: stdin has 2 syntax errors
    ");
    assert_snapshot!(run("fmt --stdin --json", b"\xff"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"stdin is not UTF-8 text (byte 0)","hints":["DomainLang files must be UTF-8."]}
    --- stderr
    error: stdin is not UTF-8 text (byte 0)
    hint: DomainLang files must be UTF-8.
    "#);
    assert_snapshot!(run("fmt --stdin a.dlang", b""), @"
    exit 2
    --- stderr
    error: the argument '--stdin' cannot be used with '[PATHS]...'

    Usage: dlang fmt --stdin [PATHS]...

    For more information, try '--help'.
    ");
}

/// Formatting preserves hard links and the owner of a file.
#[test]
fn hard_links_and_owners_are_preserved() {
    use std::os::unix::fs::MetadataExt as _;
    let sandbox = Sandbox::new("//- a.dlang\nTeam      A\n//- b.dlang\nTeam   B\n");
    std::fs::hard_link(sandbox.root.join("a.dlang"), sandbox.root.join("other.txt")).unwrap();
    // A user who may not change a file's owner can still format files, and their links stay.
    std::os::unix::fs::chown(sandbox.root.join("b.dlang"), Some(65_533), Some(65_532)).ok();
    let before = std::fs::metadata(sandbox.root.join("b.dlang")).unwrap();
    assert_eq!(sandbox.check("fmt -q"), "exit 0\n--- stdout\na.dlang\nb.dlang");
    assert_eq!(sandbox.read("a.dlang"), "Team A\n");
    assert_eq!(sandbox.read("other.txt"), "Team A\n");
    assert_eq!(std::fs::metadata(sandbox.root.join("a.dlang")).unwrap().nlink(), 2);
    let after = std::fs::metadata(sandbox.root.join("b.dlang")).unwrap();
    assert_eq!((after.uid(), after.gid(), after.mode()), (before.uid(), before.gid(), before.mode()));
    assert_eq!(sandbox.read("b.dlang"), "Team B\n");
}

/// dlang does not report files as formatted that it has not scanned.
#[test]
fn skipped_folders_are_reported() {
    let sandbox = Sandbox::new("//- a.dlang\nTeam A\n");
    sandbox.write(&format!("{}/b.dlang", "d/".repeat(70)), "Team   B\n");
    let check = |line| sandbox.check(line).replace(&"d/".repeat(63), "…/");
    assert_snapshot!(check("fmt --check"), @"
    exit 3
    --- stderr
    error: `…/d`: not scanned: nested too deep
    would change: 0 of 1 file
    ");
    assert_snapshot!(check("fmt --check --json"), @r#"
    exit 3
    --- stdout
    {"success":false,"fileCount":1,"changed":[],"refused":[],"failed":[{"file":"…/d","error":"`…/d`: not scanned: nested too deep"}]}
    --- stderr
    error: `…/d`: not scanned: nested too deep
    "#);
}
