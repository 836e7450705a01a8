//! `zubi verify`: a report in every case, and an exit code.

use serde_json::{Value, json};

use crate::check::Sandbox;
use crate::stdio::initialize;

/// The report, with the output on stderr.
fn verify(sandbox: &Sandbox) -> (Value, String, i32) {
    let output = sandbox.zubi().arg("verify").output().unwrap();
    let report = serde_json::from_slice(&output.stdout).expect("one JSON object on stdout");
    (report, String::from_utf8(output.stderr).unwrap(), output.status.code().unwrap())
}

fn failed_checks(report: &Value) -> Vec<&str> {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().filter(|check| check["status"] == "failed").map(|check| check["id"].as_str().unwrap()).collect()
}

#[test]
fn working_installation() {
    let sandbox = Sandbox::new();
    let (report, stderr, code) = verify(&sandbox);
    assert_eq!((failed_checks(&report), code), (vec![], 0), "{stderr}");
    assert_eq!(report["success"], true);
    let checks = report["checks"].as_array().unwrap();
    let count = |status: &str| checks.iter().filter(|check| check["status"] == status).count();
    assert_eq!(report["summary"]["passed"], count("passed"));
    assert_eq!(report["summary"]["skipped"], count("skipped"));
    let timestamp = report["timestamp"].as_str().unwrap();
    assert!(timestamp.len() == 24 && timestamp.ends_with('Z') && timestamp.contains('T'), "{timestamp}");
    let self_tests = checks.iter().find(|check| check["id"] == "self-tests").unwrap();
    assert_eq!((&self_tests["passed"], &self_tests["failed"]), (&7.into(), &0.into()));
    assert!(stderr.contains("✅ Workspace folders"), "{stderr}");
}

#[test]
fn report_with_broken_configuration() {
    let sandbox = Sandbox::new();
    sandbox.write("config/zubi/zubi.toml", "read-onyl = true\n");
    let (report, stderr, code) = verify(&sandbox);
    assert_eq!((failed_checks(&report), code), (vec!["configuration"], 1), "{stderr}");
    assert_eq!(report["success"], false);
    let error = report["checks"][0]["error"].as_str().unwrap();
    assert!(error.contains("did you mean `read-only`?"), "{error}");
    assert!(stderr.contains("❌ Configuration: "), "{stderr}");
}

/// If the stored approvals cannot be read, zubi does not know the grants, and the policy fails closed.
#[test]
fn report_is_printed_without_writable_state() {
    let sandbox = Sandbox::new();
    let output = sandbox.zubi().arg("verify").env("XDG_STATE_HOME", "/dev/null").output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((failed_checks(&report), output.status.code()), (vec!["configuration", "state"], Some(1)));
}

#[test]
fn report_without_a_home() {
    let sandbox = Sandbox::new();
    let output = sandbox.zubi().arg("verify").env_remove("HOME").env_remove("XDG_STATE_HOME").output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["summary"].as_object().unwrap().len(), 3, "{report}");
}

/// zubi cannot record calls, so `verify` fails. Calls still work, with one warning that they are not logged.
#[test]
fn unwritable_audit_log() {
    let sandbox = Sandbox::new();
    sandbox.directory("state/zubi/audit/audit.jsonl");
    let (report, stderr, code) = verify(&sandbox);
    assert_eq!((failed_checks(&report), code), (vec!["state"], 1), "{stderr}");
    assert!(stderr.contains("audit.jsonl"), "{stderr}");
    let call = |id: u64| {
        let params = json!({"name": "lsp_hover", "arguments": {"at": "src/absent.rs:1:1"}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let messages: Vec<String> = [initialize(), call(2), call(3), call(4)].iter().map(Value::to_string).collect();
    let output = sandbox.zubi().arg("mcp").write_stdin(messages.join("\n") + "\n").output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 4);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr.matches("cannot write the audit log").count(), 1, "{stderr}");
}
