//! Existing paths that cannot be resolved: the error states the actual reason, not "missing" or "outside".

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::files::Session;

/// Returns the answers of each file tool about one path.
async fn check(path: &str) -> String {
    let session = Session::new("//- a.txt\ntext\n//- sub/b.txt\ntext\n");
    for (target, link) in [("gone", "dangling"), ("circle", "circle"), ("a.txt", "to-a")] {
        std::os::unix::fs::symlink(target, session.toy.root.join(link)).unwrap();
    }
    let calls: [(&str, Value); 5] = [
        ("file.read", json!({ "path": path })),
        ("file.write", json!({ "path": path, "content": "x", "overwrite": true })),
        ("file.edit", json!({ "path": path, "old": "text", "new": "x" })),
        ("file.list", json!({ "path": path })),
        ("file.search", json!({ "path": path, "query": "text" })),
    ];
    // Equal answers are grouped.
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (tool, arguments) in calls {
        let answer = session.call(tool, arguments).await;
        match groups.iter_mut().find(|(text, _)| *text == answer) {
            Some((_, tools)) => tools.push(tool),
            None => groups.push((answer, vec![tool])),
        }
    }
    assert_eq!(session.bytes("a.txt"), b"text\n", "nothing was written");
    assert!(!session.toy.root.join("gone").exists(), "nothing was created");
    groups.iter().fold(String::new(), |mut text, (answer, tools)| {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{}:\n{answer}", tools.join(", "));
        text
    })
}

#[tokio::test]
async fn dangling_links_are_reported() {
    insta::assert_snapshot!(check("dangling").await, @"
    file.read, file.write, file.edit, file.list, file.search:
    Invalid input: path: `dangling` leads nowhere: `dangling` is a symbolic link to `gone`, which does not exist
    zubi does not read or write through such a link. Name the file itself, or fix or remove the link.
    ");
    insta::assert_snapshot!(check("dangling/x").await, @"
    file.read, file.write, file.edit, file.list, file.search:
    Invalid input: path: `dangling/x` leads nowhere: `dangling` is a symbolic link to `gone`, which does not exist
    zubi does not read or write through such a link. Name the file itself, or fix or remove the link.
    ");
    insta::assert_snapshot!(check("circle").await, @"
    file.read, file.write, file.edit, file.list, file.search:
    Invalid input: path: `circle` leads nowhere: `circle` is a symbolic link to `circle`, which leads in a circle
    zubi does not read or write through such a link. Name the file itself, or fix or remove the link.
    ");
}

#[tokio::test]
async fn a_file_used_as_a_folder() {
    insta::assert_snapshot!(check("a.txt/x").await, @"
    file.read, file.write, file.edit, file.list, file.search:
    Invalid input: path: `a.txt/x` cannot be there: `a.txt` is a file, no folder
    Name that file, or another folder; `file.list` shows existing files.
    ");
    insta::assert_snapshot!(check("to-a/x").await, @"
    file.read, file.write, file.edit, file.list, file.search:
    Invalid input: path: `to-a/x` cannot be there: `to-a` is a file, no folder
    Name that file, or another folder; `file.list` shows existing files.
    ");
    insta::assert_snapshot!(check("a.txt/").await, @"
    file.read, file.write, file.edit, file.list, file.search:
    Invalid input: path: `a.txt/` cannot be there: `a.txt` is a file, no folder
    Name that file, or another folder; `file.list` shows existing files.
    ");
}

/// Names may contain any character: invisible ones are escaped, cannot forge lines, and are accepted as input.
#[tokio::test]
async fn names_with_invisible_characters() {
    let session = Session::new("//- a.txt\ntext\n");
    for name in ["gnp\u{202e}txt.exe", "one\n9 files in .", "\u{1b}[2Jclear"] {
        session.write(name, b"text\n");
    }
    insta::assert_snapshot!(session.call("file.list", json!({})).await, @r#"
    4 files in .
    \u{1b}[2Jclear
    a.txt
    gnp\u{202e}txt.exe
    one\n9 files in .
    [disk · nothing ignored]
    "#);
    insta::assert_snapshot!(session.call("file.search", json!({ "query": "text" })).await, @r#"
    4 lines match `text` in 4 files
    \u{1b}[2Jclear
      1:1  text
    a.txt
      1:1  text
    gnp\u{202e}txt.exe
      1:1  text
    one\n9 files in .
      1:1  text
    [disk · 4 files searched]
    "#);
    insta::assert_snapshot!(session.call("file.read", json!({ "path": "gnp\\u{202e}txt.exe", "startLine": 9 })).await, @r#"
    Invalid input: startLine: `gnp\u{202e}txt.exe` has 1 lines
    Give a startLine up to 1.
    "#);
    insta::assert_snapshot!(session.call("file.edit", json!({ "path": "one\\n9 files in .", "old": "text", "new": "new" })).await, @r#"
    edit one\n9 files in ., 1 replacement: written
    diff --git a/one\n9 files in . b/one\n9 files in .
    --- a/one\n9 files in .
    +++ b/one\n9 files in .
    @@ -1 +1 @@
    -text
    +new
    undo_edit {"plan":"p-…"} undoes it
    [disk · sha ]
    "#);
    assert_eq!(session.bytes("one\n9 files in ."), b"new\n");
    insta::assert_snapshot!(session.call("file.read", json!({ "path": "one\n9 files in ." })).await, @"
    Invalid input: path: it contains control characters
    Give a path relative to the workspace folder, as answers print it.
    ");
}
