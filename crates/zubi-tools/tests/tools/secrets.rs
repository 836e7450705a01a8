//! Secrets in files whose names do not indicate credentials.

use serde_json::json;

use crate::files::Session;

const PROJECT: &str = "\
//- deploy.py
token = \"ghp_abcdefghijklmnopqrstuvwxyz0123456789\"
key = \"\"\"
-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASC
BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj
-----END PRIVATE KEY-----
\"\"\"
run(token, key)
";

#[tokio::test]
async fn answers_have_no_secrets() {
    let session = Session::new(PROJECT);
    insta::assert_snapshot!(session.call("file.read", json!({ "path": "deploy.py" })).await, @r#"
    token = "(redacted)"
    key = """
    (redacted)
    """
    run(token, key)
    [disk · sha  · lines 1–8 of 8 · redacted: 1 github-token, 1 private-key; the user can show a kind with `show-secrets`]
    "#);
    // The rest of a key has no shape of its own.
    insta::assert_snapshot!(session.call("file.read", json!({ "path": "deploy.py", "startLine": 5 })).await, @r#"
    (redacted)
    (redacted)
    """
    run(token, key)
    [disk · sha  · lines 5–8 of 8 · it begins in a private key]
    "#);
    insta::assert_snapshot!(session.call("file.search", json!({ "query": "BEGIN|token", "context": 2 })).await, @r#"
    3 lines match `BEGIN|token` in 1 file
    deploy.py
      1:1  token = "(redacted)"
      2-  key = """
      3:6  (redacted)
      7-  """
      8:5  run(token, key)
    [disk · 1 file searched · redacted: 1 github-token, 1 private-key; the user can show a kind with `show-secrets`]
    "#);
    insta::assert_snapshot!(session.call("file.write", json!({ "path": "deploy.py", "content": "token = \"(redacted)\"\n", "overwrite": true })).await, @"
    Failed to write the file: the edit would overwrite a secret in `deploy.py` with `(redacted)`, which zubi shows in its place
    Nothing was changed. Edit only the text around the secret, with `file.edit`.
    ");
    insta::assert_snapshot!(session.call("file.edit", json!({ "path": "deploy.py", "old": "run(token, key)", "new": "run(key, token)" })).await, @r#"
    edit deploy.py, 1 replacement: written
    diff --git a/deploy.py b/deploy.py
    --- a/deploy.py
    +++ b/deploy.py
    @@ -5,4 +5,4 @@
     (redacted)
     """
    -run(token, key)
    +run(key, token)
    undo_edit {"plan":"p-…"} undoes it
    [disk · sha  · redacted: 1 private-key; the user can show a kind with `show-secrets`]
    "#);
}

#[tokio::test]
async fn a_search_shows_no_line_of_a_key() {
    let session = Session::new(PROJECT);
    for query in ["BKcw", "7VJTUt9Us8cKj"] {
        let found = session.call("file.search", json!({ "query": query, "context": 1 })).await;
        assert!(found.contains("(redacted: a line of a private key)"), "{found}");
        assert!(!found.contains("BKcwgg") && !found.contains("IBADAN"), "{found}");
    }
    let listed = "//- deploy.js\nconst key = [\"-----BEGIN PRIVATE KEY-----\",\n  \"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\",\n  \"-----END PRIVATE KEY-----\"];\n";
    let found = Session::new(listed).call("file.search", json!({ "query": "BEGIN", "context": 1 })).await;
    assert!(found.contains("(redacted: a line of a private key)") && !found.contains("IBADAN"), "{found}");
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let account = format!(
        "//- account.json\n{{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{}{key}\\n-----END PRIVATE KEY-----\\n\"}}\n",
        format!("{key}\\n").repeat(9)
    );
    let found =
        Session::new(&account).call("file.search", json!({ "query": "Us8cKj\\n-----END", "regex": false })).await;
    assert!(found.contains("(redacted)") && !found.contains("KcwggSj"), "{found}");
}
