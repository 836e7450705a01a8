//! The content of records, redaction, and rotation.

use camino::Utf8Path;
use serde_json::json;

use super::*;

fn record(tool: &str, arguments: &Value) -> AuditRecord {
    AuditRecord {
        time: 1_700_000_000_000,
        surface: Surface::Mcp,
        client: Some("test 1".to_owned()),
        tool: tool.to_owned(),
        effect: Effect::Read,
        decision: "allow",
        outcome: "ok",
        duration_ms: 3,
        arguments: shorten(arguments, &["pin".to_owned()], &Redactor::default()),
        arguments_hash: ContentHash::from_bytes(arguments.to_string().as_bytes()),
    }
}

#[test]
fn secrets_and_long_values_are_not_written() {
    let arguments = json!({
        "query": "x".repeat(1000),
        "apiKey": "k", "GITHUB_TOKEN": "t", "pin": 1234, "max_tokens": 5,
        "nested": {"Authorization": "Bearer x", "deep": {"deeper": {"deepest": {"too": "deep"}}}},
        "list": vec![1; 30],
    });
    let shortened = shorten(&arguments, &["pin".to_owned()], &Redactor::default());
    let text = shortened.to_string();
    assert!(text.len() < 700, "{text}");
    for (pointer, expected) in [
        ("/apiKey", json!("(not logged)")),
        ("/GITHUB_TOKEN", json!("(not logged)")),
        ("/pin", json!("(not logged)")),
        ("/nested/Authorization", json!("(not logged)")),
        ("/max_tokens", json!(5)),
        ("/nested/deep/deeper/deepest", json!("…")),
        ("/list/20", json!("… (30 items)")),
    ] {
        assert_eq!(shortened.pointer(pointer), Some(&expected), "{pointer}");
    }
    assert!(shortened["query"].as_str().unwrap().ends_with("… (1000 characters)"));
}

#[test]
fn full_logs_are_rotated_and_the_oldest_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let state = Utf8Path::from_path(directory.path()).unwrap();
    let one_line = serde_json::to_vec(&record("t0", &json!({}))).unwrap().len() as u64 + 1;
    let log = AuditFile::with_limit(state, 2 * one_line);
    for number in 0..10 {
        log.record(&record(&format!("t{number}"), &json!({})));
    }
    let tools = |name: &str| -> Vec<String> {
        let text = zubi_base::fs::read_text(&state.join("audit").join(name)).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["tool"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(tools("audit.jsonl"), ["t8", "t9"]);
    assert_eq!(tools("audit.1.jsonl"), ["t6", "t7"]);
    assert_eq!(tools("audit.3.jsonl"), ["t2", "t3"]);
    assert!(tools("audit.4.jsonl").is_empty());
}

#[test]
fn a_record_on_disk() {
    let directory = tempfile::tempdir().unwrap();
    let state = Utf8Path::from_path(directory.path()).unwrap();
    AuditFile::new(state).record(&record("lsp_hover", &json!({"at": "src/lib.rs:1:2"})));
    let text = zubi_base::fs::read_text(&state.join("audit/audit.jsonl")).unwrap();
    insta::assert_snapshot!(text, @r#"{"time":1700000000000,"surface":"mcp","client":"test 1","tool":"lsp_hover","effect":"read","decision":"allow","outcome":"ok","durationMs":3,"arguments":{"at":"src/lib.rs:1:2"},"argumentsHash":"b8c12bbd4939102e248c0dc9c6b68e3eaa3d129b8f40ee915e74edab019662ca"}"#);
}

#[test]
fn a_link_in_place_of_the_log_is_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let state = Utf8Path::from_path(directory.path()).unwrap();
    std::fs::create_dir(state.join("audit")).unwrap();
    let target = state.join("victim");
    zubi_base::owner_only::write_atomic(&target, b"mine").unwrap();
    std::os::unix::fs::symlink(&target, state.join("audit/audit.jsonl")).unwrap();
    AuditFile::new(state).record(&record("t", &json!({})));
    assert_eq!(zubi_base::fs::read_text(&target).unwrap(), "mine");
}

/// A log is rotated by its size: no call and no client can empty it.
#[test]
fn records_have_a_maximum_size() {
    let repeated = |inner: Value| json!((0..20).map(|_| inner.clone()).collect::<Vec<_>>());
    let huge = repeated(repeated(repeated(json!("x".repeat(1_000)))));
    let mut record = record("t", &huge);
    record.client = Some(client(&format!("\u{202e}{}", "n".repeat(4_000_000))));
    let bytes = serde_json::to_string(&record).unwrap();
    assert!(bytes.len() < 40_000, "{}", bytes.len());
    assert!(
        bytes.contains(r#""client":"\\u{202e}nnn"#) && !bytes.contains('\u{202e}'),
        "invisible characters are escaped"
    );
    assert_eq!(client("Claude 1.0"), "Claude 1.0");
}

#[test]
fn arguments_of_approved_calls_are_read_from_all_logs() {
    let directory = tempfile::tempdir().unwrap();
    let file = AuditFile::with_limit(Utf8Path::from_path(directory.path()).unwrap(), 600);
    for (number, decision) in [(1, APPROVED), (2, "deny"), (3, CONFIRMED_BY_CLIENT), (4, "allow")] {
        file.record(&AuditRecord { decision, ..record("shell.run", &json!({"command": format!("c{number}")})) });
    }
    file.record(&AuditRecord { decision: APPROVED, ..record("other", &json!({"command": "x"})) });
    assert_eq!(file.approved_arguments("shell.run"), [json!({"command": "c1"}), json!({"command": "c3"})]);
}
