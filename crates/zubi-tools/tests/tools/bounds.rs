//! Limits of the file tools: omitted files and accepted sizes.

use serde_json::json;

use crate::files::{PROJECT, Session};

/// A client that has read a part may change that part, but not replace the rest.
#[tokio::test]
async fn a_partial_read_does_not_permit_replacing_the_file() {
    let session = Session::new(PROJECT);
    session.raw("file.read", json!({ "path": "src/a.rs", "endLine": 1 })).await;
    let new_file = json!({ "path": "src/a.rs", "content": "// nothing else\n" });
    insta::assert_snapshot!(session.call("file.write", new_file.clone()).await, @r#"
    Failed to write the file: `src/a.rs` exists and was not read completely here; nothing was written
    Read it first with file.read {"path":"src/a.rs"}, or pass overwrite: true to replace it unread.
    "#);
    let answer = session.raw("file.edit", json!({ "path": "src/a.rs", "old": "World", "new": "zubi" })).await;
    assert!(answer.contains("1 replacement: written"), "{answer}");
    assert!(
        session.raw("file.write", new_file.clone()).await.contains("completely"),
        "an edit does not count as reading the rest"
    );
    session.raw("file.read", json!({ "path": "src/a.rs" })).await;
    session.raw("file.read", json!({ "path": "src/a.rs", "startLine": 2 })).await;
    assert!(session.raw("file.write", new_file).await.contains(": written"), "the whole file has been read");
}

/// Reading credential files by name requires approval; a search skips them and reports their number.
#[tokio::test]
async fn a_search_skips_credentials() {
    let session = Session::new("//- a.txt\nTOKEN\n//- .env\nTOKEN=1\n//- keys/.ssh/id_rsa\nTOKEN\n");
    insta::assert_snapshot!(session.call("file.search", json!({ "query": "TOKEN" })).await, @"
    1 line matches `TOKEN` in 1 file
    a.txt
      1:1  TOKEN
    [disk · 1 file searched · 2 files with credentials skipped]
    ");
    insta::assert_snapshot!(session.call("file.search", json!({ "query": "TOKEN", "path": "keys" })).await, @"
    no line matches `TOKEN`
    [disk · 0 files searched · 1 file with credentials skipped]
    ");
    for (tool, arguments) in [
        ("file.search", json!({ "query": "TOKEN", "path": ".env" })),
        ("lsp_references", json!({ "at": ".env:1:2" })),
        ("lsp_document_symbols", json!({ "path": ".env" })),
    ] {
        let answer = session.call(tool, arguments).await.replace(tool, "[tool]");
        insta::allow_duplicates! {
            insta::assert_snapshot!(answer, @r#"
            Failed to run [tool]: it reads [root]/.env (credentials are stored there), and no one can approve it here
            The user can allow it in zubi.toml with
            [[policy]]
            action = "allow"
            tools = ["[tool]"]
            read = ["[root]/.env"]
            "#);
        }
    }
}

/// File tools accept whole files; other texts are cut at 20,000 characters.
#[tokio::test]
async fn whole_files_are_accepted() {
    let session = Session::new(PROJECT);
    let line = "0123456789\n".repeat(100_000);
    let answer = session.raw("file.write", json!({ "path": "large.txt", "content": line })).await;
    assert!(answer.starts_with("write large.txt: created"), "{answer}");
    let edit = json!({ "path": "large.txt", "edits": [{ "old": line, "new": line.to_lowercase() + "end" }] });
    let answer = session.raw("file.edit", edit).await;
    assert!(answer.contains("1 replacement: written"), "{answer}");
    let answer = session.raw("file.edit", json!({ "path": "large.txt", "old": line + "end", "new": "x" })).await;
    assert!(answer.contains("1 replacement: written"), "{answer}");
    assert_eq!(session.bytes("large.txt"), b"x");
}

#[tokio::test]
async fn no_file_is_created_below_a_hundred_new_folders() {
    let session = Session::new(PROJECT);
    let path = format!("{}/f.txt", vec!["d"; 100].join("/"));
    insta::assert_snapshot!(session.call("file.write", json!({ "path": path, "content": "x" })).await.replace(&path, "[path]"), @"
    Failed to write the file: `[path]`: that would make 100 new folders, more than 32 at once
    Check the path with file.list.
    ");
}

/// The policy judges a delegated call once, under the name of the called tool, and suggests only rules that would allow
/// it.
#[tokio::test]
async fn a_delegated_call_is_judged_as_itself() {
    let session = Session::new("//- .env\nTOKEN=1\n");
    let call = json!({ "tool": "file.read", "arguments": { "path": ".env" } });
    insta::assert_snapshot!(session.call("zubi_call_tool", call.clone()).await, @r#"
    Failed to run file.read: it reads [root]/.env (credentials are stored there), and no one can approve it here
    The user can allow it in zubi.toml with
    [[policy]]
    action = "allow"
    tools = ["file.read"]
    read = ["[root]/.env"]
    "#);
    assert_eq!(session.call("zubi_call_read_tool", call.clone()).await, session.call("zubi_call_tool", call).await);
    assert_eq!(
        session.call("file.read", json!({ "path": ".env" })).await,
        session.call("zubi_call_tool", json!({ "tool": "file.read", "arguments": { "path": ".env" } })).await
    );
}
