//! Answers of each file tool to a model, and attempts to misuse them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use zubi_code::testing::Toy;
use zubi_tool_api::cx::{Caller, Restrictions, Surface};
use zubi_tool_api::registry::Registry;

use crate::support::{call_in, cx, registry, without_ids};

pub(crate) const PROJECT: &str = "\
//- src/a.rs
fn main() {
    greet(\"World\");
}

fn greet(name: &str) {
    println!(\"Hello, {name}\");
}
//- src/deep/er/still/b.rs
// greet
//- .gitignore
made/
//- made/x.rs
fn greet() {}
//- node_modules/p/index.js
greet()
//- notes.txt
Greetings
";

/// A project with one registry, which records the files that were read.
pub(crate) struct Session {
    pub(crate) toy: Toy,
    registry: Arc<Registry>,
}

impl Session {
    pub(crate) fn new(fixture: &str) -> Self {
        let toy = Toy::new(fixture);
        let registry = registry(&toy);
        Self { toy, registry }
    }

    pub(crate) async fn raw(&self, tool: &str, args: Value) -> String {
        call_in(&self.registry, tool, args, cx(&self.toy, Restrictions::default())).await
    }

    /// Calls a tool and returns the answer without hashes, which depend on file contents.
    pub(crate) async fn call(&self, tool: &str, args: Value) -> String {
        let text = without_ids(&self.raw(tool, args).await).replace(self.toy.root.as_str(), "[root]");
        let mut normalized = String::new();
        for part in text.split_inclusive("sha ") {
            let digit_count = part.bytes().take_while(u8::is_ascii_hexdigit).count();
            normalized.push_str(if digit_count == 12 { &part[12..] } else { part });
        }
        normalized
    }

    pub(crate) fn write(&self, path: &str, text: &[u8]) {
        let path = self.toy.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&path, text).unwrap();
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.toy.root.join(path)).unwrap()
    }
}

async fn check(tool: &str, args: Value) -> String {
    Session::new(PROJECT).call(tool, args).await
}

#[tokio::test]
async fn read() {
    insta::assert_snapshot!(check("file.read", json!({ "path": "src/a.rs", "startLine": 5, "endLine": 6 })).await, @r#"
    fn greet(name: &str) {
        println!("Hello, {name}");
    [disk · sha  · lines 5–6 of 7]
    "#);
    insta::assert_snapshot!(check("file.read", json!({ "path": "notes.txt" })).await, @"
    Greetings
    [disk · sha  · lines 1–1 of 1]
    ");
    insta::assert_snapshot!(check("file.read", json!({ "path": "src/a.rs", "startLine": 9 })).await, @"
    Invalid input: startLine: `src/a.rs` has 7 lines
    Give a startLine up to 7.
    ");
    insta::assert_snapshot!(check("file.read", json!({ "path": "src/a.rs", "startLine": 3, "endLine": 2 })).await, @"
    Invalid input: endLine: it is before startLine, 3
    Give an endLine that is not before startLine.
    ");
    insta::assert_snapshot!(check("file.read", json!({ "path": "src" })).await, @"
    Failed to read the file: `src` is a directory
    `file.list` shows its files.
    ");
    insta::assert_snapshot!(check("file.read", json!({ "path": "absent.rs" })).await, @"
    Invalid input: path: `absent.rs` does not exist in the workspace; paths are relative to `[root]`
    `file.list` shows existing files; `file.search` finds text.
    ");
    let session = Session::new(PROJECT);
    session.write("binary", b"text\0more");
    insta::assert_snapshot!(session.call("file.read", json!({ "path": "binary" })).await, @"
    Failed to read the file: `binary` is binary, or text in another encoding than UTF-8
    Use another program for this format.
    ");
    session.write("empty", b"");
    insta::assert_snapshot!(session.call("file.read", json!({ "path": "empty" })).await, @"[disk · sha  · 0 lines]");
    session.write("hidden", "a\u{202e}b\r\n".as_bytes());
    insta::assert_snapshot!(session.call("file.read", json!({ "path": "hidden" })).await, @"
    ab
    [disk · sha  · lines 1–1 of 1 · 1 invisible characters not shown]
    ");
    session.write("long", format!("{}\n{}", "x".repeat(5_000), "y\n".repeat(40_000)).as_bytes());
    let answer = session.call("file.read", json!({ "path": "long", "endLine": 40_000 })).await;
    assert!(answer.len() < 52_000, "{}", answer.len());
    let tail: Vec<&str> = answer.lines().rev().take(2).collect();
    insta::assert_snapshot!(tail.join("\n"), @r#"
    [disk · sha  · lines 1–23989 of 40001]
    … cut: 16011 more lines; continue with file.read {"path":"long","startLine":23990,"endLine":40000}
    "#);
    assert!(answer.lines().next().unwrap().ends_with("… 3000 more characters"));
}

#[tokio::test]
async fn write() {
    let session = Session::new(PROJECT);
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "new/folder/x.txt", "content": "one\n" })).await, @r#"
    write new/folder/x.txt: created
    diff --git a/new/folder/x.txt b/new/folder/x.txt
    new file
    --- /dev/null
    +++ b/new/folder/x.txt
    @@ -0,0 +1 @@
    +one
    undo_edit {"plan":"p-…"} undoes it
    [disk · sha ]
    "#);
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "notes.txt", "content": "x" })).await, @r#"
    Failed to write the file: `notes.txt` exists and was not read completely here; nothing was written
    Read it first with file.read {"path":"notes.txt"}, or pass overwrite: true to replace it unread.
    "#);
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "notes.txt", "content": "x\n", "overwrite": true })).await, @r#"
    write notes.txt: written
    diff --git a/notes.txt b/notes.txt
    --- a/notes.txt
    +++ b/notes.txt
    @@ -1 +1 @@
    -Greetings
    +x
    undo_edit {"plan":"p-…"} undoes it
    [disk · sha ]
    "#);
    // A session knows the files it has written.
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "notes.txt", "content": "y\n" })).await, @r#"
    write notes.txt: written
    diff --git a/notes.txt b/notes.txt
    --- a/notes.txt
    +++ b/notes.txt
    @@ -1 +1 @@
    -x
    +y
    undo_edit {"plan":"p-…"} undoes it
    [disk · sha ]
    "#);
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "notes.txt", "content": "y\n" })).await, @"
    notes.txt already has exactly this text; nothing was written
    [disk · sha ]
    ");
    session.write("notes.txt", b"somebody else's\n");
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "notes.txt", "content": "z", "overwrite": true })).await, @r#"
    Failed to write the file: `notes.txt` changed since it was read here; nothing was written
    Read it again with file.read {"path":"notes.txt"}, then repeat the call for the present text.
    "#);
    session.raw("file.read", json!({ "path": "notes.txt" })).await;
    session.raw("file.write", json!({ "path": "notes.txt", "content": "z" })).await;
    assert_eq!(session.bytes("notes.txt"), b"z");
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "notes.txt", "content": "a", "expected": "0123456789ab" })).await, @r#"
    Failed to write the file: `notes.txt` does not have the hash 0123456789ab; nothing was written
    Read it again with file.read {"path":"notes.txt"}, then repeat the call for the present text.
    "#);
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "absent", "content": "a", "expected": "0123456789ab" })).await, @"
    Invalid input: expected: `absent` does not exist
    Omit `expected` to create it.
    ");
    insta::assert_snapshot!(session.call("file.write", json!({ "path": ".git/hooks/pre-commit", "content": "evil" })).await, @"
    Failed to write the file: `.git/hooks/pre-commit` belongs to git or to zubi's own settings, which no edit may touch
    Nothing was changed. The user must change this file.
    ");
    insta::assert_snapshot!(session.call("file.write", json!({ "path": ".zubi.toml", "content": "evil" })).await, @"
    Failed to write the file: `.zubi.toml` belongs to git or to zubi's own settings, which no edit may touch
    Nothing was changed. The user must change this file.
    ");
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "src", "content": "x" })).await, @"
    Failed to write the file: `src` is a directory
    `file.list` shows its files.
    ");
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "src/a.rs/b", "content": "x" })).await, @"
    Invalid input: path: `src/a.rs/b` cannot be there: `src/a.rs` is a file, no folder
    Name that file, or another folder; `file.list` shows existing files.
    ");
}

#[tokio::test]
async fn reads_are_recorded_per_client() {
    let session = Session::new(PROJECT);
    session.raw("file.read", json!({ "path": "notes.txt" })).await;
    let mut other = cx(&session.toy, Restrictions::default());
    other.caller = Arc::new(Caller { client: Some("another".to_owned()), ..Caller::clone(&other.caller) });
    let answer = call_in(&session.registry, "file.write", json!({ "path": "notes.txt", "content": "x" }), other).await;
    assert!(answer.contains("was not read completely here"), "{answer}");
}

#[tokio::test]
async fn writing_preserves_mode_and_line_ends() {
    use std::os::unix::fs::PermissionsExt as _;
    let session = Session::new(PROJECT);
    session.write("run.sh", "\u{feff}a\r\nb\r\n".as_bytes());
    let path = session.toy.root.join("run.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    session.raw("file.read", json!({ "path": "run.sh" })).await;
    let answer = session.call("file.write", json!({ "path": "run.sh", "content": "c\nd\n" })).await;
    assert!(answer.contains("note: its lines still end in CRLF"), "{answer}");
    assert_eq!(session.bytes("run.sh"), "\u{feff}c\r\nd\r\n".as_bytes());
    session.raw("file.edit", json!({ "path": "run.sh", "old": "c\nd", "new": "e\nf" })).await;
    assert_eq!(session.bytes("run.sh"), "\u{feff}e\r\nf\r\n".as_bytes());
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, 0o750);
}

#[tokio::test]
async fn edit() {
    let session = Session::new(PROJECT);
    insta::assert_snapshot!(session.call("file.edit", json!({ "path": "src/a.rs", "old": "\"World\"", "new": "\"zubi\"" })).await, @r#"
    edit src/a.rs, 1 replacement: written
    diff --git a/src/a.rs b/src/a.rs
    --- a/src/a.rs
    +++ b/src/a.rs
    @@ -1,5 +1,5 @@
     fn main() {
    -    greet("World");
    +    greet("zubi");
     }
     
     fn greet(name: &str) {
    undo_edit {"plan":"p-…"} undoes it
    [disk · sha ]
    "#);
    insta::assert_snapshot!(session.call("file.edit", json!({ "path": "src/a.rs", "old": "greet", "new": "hail" })).await, @"
    Invalid input: old: it occurs 2 times in `src/a.rs`, on lines 2, 5
    Nothing was written. Include more surrounding text, or pass replaceAll: true.
    ");
    insta::assert_snapshot!(session.call("file.edit", json!({ "path": "src/a.rs", "old": "greet", "new": "hail", "replaceAll": true })).await, @r#"
    edit src/a.rs, 2 replacements: written
    diff --git a/src/a.rs b/src/a.rs
    --- a/src/a.rs
    +++ b/src/a.rs
    @@ -1,7 +1,7 @@
     fn main() {
    -    greet("zubi");
    +    hail("zubi");
     }
     
    -fn greet(name: &str) {
    +fn hail(name: &str) {
         println!("Hello, {name}");
     }
    undo_edit {"plan":"p-…"} undoes it
    [disk · sha ]
    "#);
    insta::assert_snapshot!(session.call("file.edit", json!({ "path": "src/a.rs", "edits": [{ "old": "fn main", "new": "fn start" }, { "old": "nowhere(", "new": "x" }] })).await, @"
    Invalid input: edits[1].old: not in `src/a.rs`
    Nothing was written. Read the lines with file.read, and pass `old` exactly as written there.
    ");
    assert!(String::from_utf8(session.bytes("src/a.rs")).unwrap().contains("fn main"), "all or none");
    insta::assert_snapshot!(session.call("file.edit", json!({ "path": "src/a.rs" })).await, @r#"
    Invalid input: old: missing
    Give `old` and `new`, or a list in `edits`: [{"old": …, "new": …}].
    "#);
    insta::assert_snapshot!(session.call("file.edit", json!({ "path": "src/a.rs", "edits": [] })).await, @r#"
    Invalid input: edits: the list is empty
    Give `old` and `new`, or a list in `edits`: [{"old": …, "new": …}].
    "#);
    session.write("src/a.rs", b"fn other() {}\n");
    insta::assert_snapshot!(session.call("file.edit", json!({ "path": "src/a.rs", "old": "other", "new": "x" })).await, @r#"
    Failed to edit the file: `src/a.rs` changed since it was read here; nothing was written
    Read it again with file.read {"path":"src/a.rs"}, then repeat the call for the present text.
    "#);
}

#[tokio::test]
async fn list() {
    insta::assert_snapshot!(check("file.list", json!({})).await, @"
    3 files in .
    .gitignore
    notes.txt
    src/a.rs
    1 folder at level 3 not opened (src/deep/er/, …): raise `maxDepth`
    [disk · 2 ignored or generated not listed]
    ");
    insta::assert_snapshot!(check("file.list", json!({ "pattern": "*.rs" })).await, @"
    2 files in .
    src/a.rs
    src/deep/er/still/b.rs
    [disk · 2 ignored or generated not listed]
    ");
    insta::assert_snapshot!(check("file.list", json!({ "path": "src", "pattern": "deep/**" })).await, @"
    1 file in src
    src/deep/er/still/b.rs
    [disk · nothing ignored]
    ");
    insta::assert_snapshot!(check("file.list", json!({ "path": "made" })).await, @"
    1 file in made
    made/x.rs
    [disk · nothing ignored]
    ");
    insta::assert_snapshot!(check("file.list", json!({ "limit": 1 })).await, @"
    3 files in .
    .gitignore
    … 2 more: narrow `pattern` or `path`, or raise `limit`
    1 folder at level 3 not opened (src/deep/er/, …): raise `maxDepth`
    [disk · 2 ignored or generated not listed]
    ");
    insta::assert_snapshot!(check("file.list", json!({ "path": "notes.txt" })).await, @r#"
    Invalid input: path: `notes.txt` is not a folder
    file.read {"path":"notes.txt"} reads it.
    "#);
    insta::assert_snapshot!(check("file.list", json!({ "pattern": "a[" })).await, @"
    Invalid input: pattern: error parsing glob '**/a[': unclosed character class; missing ']'
    Patterns are like `*.rs`, `src/**/*.ts` or `*.{md,txt}`.
    ");
}

#[tokio::test]
async fn search() {
    insta::assert_snapshot!(check("file.search", json!({ "query": "greet" })).await, @r#"
    4 lines match `greet` in 3 files
    notes.txt
      1:1  Greetings
    src/a.rs
      2:5  greet("World");
      5:4  fn greet(name: &str) {
    src/deep/er/still/b.rs
      1:4  // greet
    [disk · 4 files searched]
    "#);
    insta::assert_snapshot!(check("file.search", json!({ "query": "Greet" })).await, @"
    1 line matches `Greet` in 1 file
    notes.txt
      1:1  Greetings
    [disk · 4 files searched]
    ");
    insta::assert_snapshot!(check("file.search", json!({ "query": "greet\\(\\w+", "context": 1, "pattern": "*.rs" })).await, @r#"
    1 line matches `greet\(\w+` in 1 file
    src/a.rs
      4-  
      5:4  fn greet(name: &str) {
      6-  println!("Hello, {name}");
    [disk · 2 files searched]
    "#);
    insta::assert_snapshot!(check("file.search", json!({ "query": "greet(", "regex": false, "path": "src/a.rs", "maxResults": 1 })).await, @r#"
    2 lines match `greet(` in 1 file
    src/a.rs
      2:5  greet("World");
    … 1 more: narrow `pattern`, `path` or `query`, or raise `maxResults`
    [disk · 1 file searched]
    "#);
    insta::assert_snapshot!(check("file.search", json!({ "query": "greet(" })).await, @"
    Invalid input: query: regex parse error:
        (?:greet()
        ^
    error: unclosed group
    Pass regex: false to search for plain text, or correct the expression (Rust's syntax; no look-around, no back-references).
    ");
    insta::assert_snapshot!(check("file.search", json!({ "query": "absent" })).await, @"
    no line matches `absent`
    [disk · 4 files searched]
    ");
    let session = Session::new(PROJECT);
    session.write("data.bin", b"greet\0greet");
    insta::assert_snapshot!(session.call("file.search", json!({ "query": "^greet" })).await, @"
    1 line matches `^greet` in 1 file
    notes.txt
      1:1  Greetings
    [disk · 4 files searched · 1 binary file skipped]
    ");
}

#[tokio::test]
async fn get_current_needs_an_editor() {
    insta::assert_snapshot!(check("file.getCurrent", json!({})).await, @"
    Failed to read the active editor: no editor is connected here
    Ask the user for the path and use file.read, or for running zubi from the editor.
    ");
}

/// known-defects: X18
/// String comparison would accept `/work-evil` as part of `/work`, and unresolved symlinks would lead anywhere.
#[tokio::test]
async fn paths_outside_the_workspace_are_rejected() {
    let session = Session::new(PROJECT);
    let parent = session.toy.root.parent().unwrap();
    let outside_folder = parent.join("project-evil");
    std::fs::create_dir_all(&outside_folder).unwrap();
    zubi_base::fs::write_atomic(&outside_folder.join("secret.txt"), b"greet secret").unwrap();
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, session.toy.root.join(name)).unwrap();
    link(outside_folder.as_str(), "folder");
    link(outside_folder.join("secret.txt").as_str(), "file");
    link(outside_folder.join("new.txt").as_str(), "dangling");
    let outside_paths = [
        format!("{outside_folder}/secret.txt"),
        "../project-evil/secret.txt".to_owned(),
        "src/../../project-evil/secret.txt".to_owned(),
        "folder/secret.txt".to_owned(),
        "file".to_owned(),
        format!("file://{outside_folder}/secret.txt"),
        "/proc/self/environ".to_owned(),
        "/etc/passwd".to_owned(),
    ];
    for path in &outside_paths {
        for (tool, args) in [
            ("file.read", json!({ "path": path })),
            ("file.write", json!({ "path": path, "content": "x", "overwrite": true })),
            ("file.edit", json!({ "path": path, "old": "secret", "new": "x" })),
            ("file.list", json!({ "path": path })),
            ("file.search", json!({ "path": path, "query": "." })),
        ] {
            let answer = session.raw(tool, args).await;
            assert!(
                answer.starts_with("Invalid input: path: ") && answer.contains("outside the workspace"),
                "{tool} {path}: {answer}"
            );
        }
    }
    for path in ["dangling", "folder/new.txt", "../project-evil/new.txt"] {
        let answer = session.raw("file.write", json!({ "path": path, "content": "x" })).await;
        assert!(answer.starts_with("Invalid input: path: "), "{path}: {answer}");
    }
    assert!(!outside_folder.join("new.txt").exists());
    let found = session.raw("file.search", json!({ "query": "secret" })).await;
    assert!(found.starts_with("no line matches"), "links are not followed: {found}");
    assert_eq!(std::fs::read(outside_folder.join("secret.txt")).unwrap(), b"greet secret");
}

#[tokio::test]
async fn hostile_arguments_fail_quickly() {
    let session = Session::new(PROJECT);
    let fifo = session.toy.root.join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, fifo.as_std_path(), rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    let long = "a".repeat(1 << 20);
    let started = Instant::now();
    for path in [
        "",
        "a\0b",
        "a\nb",
        &long,
        "-rf",
        "--",
        "\u{202e}",
        "pipe",
        "~",
        "$HOME",
        "file://other/x",
        "http://x/y",
        "%00",
    ] {
        for (tool, args) in [
            ("file.read", json!({ "path": path })),
            ("file.edit", json!({ "path": path, "old": "x", "new": "y" })),
            ("file.search", json!({ "path": path, "query": "x" })),
            ("file.list", json!({ "path": path })),
        ] {
            let answer = session.raw(tool, args).await;
            let is_expected =
                ["Invalid input: ", "Failed to ", "no line matches"].iter().any(|start| answer.starts_with(start));
            // Without a path, these tools answer for the workspace.
            let is_absent = path.is_empty() && matches!(tool, "file.list" | "file.search");
            assert!((is_expected || is_absent) && answer.len() < 2_000, "{tool} {path:.20}: {answer:.300}");
        }
    }
    for path in ["", "a\0b", "a\nb", &long, "pipe", "http://x/y"] {
        let answer = session.raw("file.write", json!({ "path": path, "content": "x", "overwrite": true })).await;
        assert!(answer.starts_with("Invalid input: ") || answer.starts_with("Failed to "), "{path:.20}: {answer:.300}");
    }
    let answer = session.raw("file.write", json!({ "path": "-rf", "content": "a dash is a name" })).await;
    assert!(answer.starts_with("write -rf: created"), "{answer}");
    let answer = session.raw("file.write", json!({ "path": "nul", "content": "a\0b" })).await;
    assert!(answer.starts_with("Failed to write the file: "), "{answer}");
    for query in [long.as_str(), "(((((((((((", "\\p{Greek}{1000}{1000}", "(a|b|ab)*bc"] {
        let answer = session.raw("file.search", json!({ "query": query })).await;
        assert!(
            answer.starts_with("Invalid input: query: ") || answer.starts_with("no line matches"),
            "{query:.20}: {answer:.300}"
        );
    }
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_read_only_session_has_no_writing_tools() {
    let session = Session::new(PROJECT);
    let mut read_only_cx = cx(&session.toy, Restrictions::default());
    let restrictions = Restrictions { read_only: true, ..Restrictions::default() };
    read_only_cx.caller = Arc::new(Caller { surface: Surface::Mcp, client: None, session: 0, restrictions });
    let answer = call_in(&session.registry, "file.write", json!({ "path": "x", "content": "" }), read_only_cx).await;
    assert!(answer.starts_with("unknown tool file.write"), "{answer}");
}

#[test]
fn every_write_can_be_undone() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 24, ..ProptestConfig::default() });
    let strategy = (".{0,40}", "[a-z]{1,4}", ".{0,12}", any::<bool>());
    let result = runner.run(&strategy, |(context, old, new, crlf)| {
        runtime.block_on(async {
            let session = Session::new("//- f.txt\n");
            let end = if crlf { "\r\n" } else { "\n" };
            let text = format!("{}{end}{old}{end}", context.replace('\0', ""));
            session.write("f.txt", text.as_bytes());
            let new = new.replace('\0', "");
            let args = json!({ "path": "f.txt", "old": old, "new": new, "replaceAll": true });
            let answer = session.raw("file.edit", args).await;
            let plan = answer.split("\"plan\":\"").nth(1).and_then(|rest| rest.get(..12));
            if let Some(plan) = plan {
                prop_assert_ne!(session.bytes("f.txt"), text.as_bytes());
                session.raw("undo_edit", json!({ "plan": plan })).await;
            } else {
                prop_assert!(old == new, "{}", answer);
            }
            prop_assert_eq!(session.bytes("f.txt"), text.as_bytes());
            Ok(())
        })
    });
    result.unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    /// Reading a file range by range, as the answers suggest, returns the file.
    #[test]
    fn ranges_return_the_requested_lines(lines in prop::collection::vec("[a-z ]{0,20}[a-z]", 1..30), start in 1_usize..30, length in 0_usize..30) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let session = Session::new("//- f.txt\n");
        session.write("f.txt", lines.join("\n").as_bytes());
        let end = start + length;
        let answer = runtime.block_on(session.raw("file.read", json!({ "path": "f.txt", "startLine": start, "endLine": end })));
        if start > lines.len() {
            prop_assert!(answer.starts_with("Invalid input: startLine: "), "{}", answer);
        } else {
            let expected = &lines[start - 1..end.min(lines.len())];
            let read: Vec<&str> = answer.lines().collect();
            prop_assert_eq!(&read[..read.len() - 1], expected);
        }
    }
}
