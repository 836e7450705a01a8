//! The report is complete in spite of any error.

use std::sync::Arc;

use serde_json::json;
use zubi_base::clock::SystemClock;
use zubi_base::config::Layers;
use zubi_base::process::Spawner;
use zubi_base::trust::{Trust, TrustStore};

use super::*;

fn config(root: &camino::Utf8Path) -> HostConfig {
    let (work, state) = (root.join("work"), root.join("state"));
    std::fs::create_dir_all(&work).unwrap();
    HostConfig {
        folders: vec![work],
        state_dir: state.clone(),
        cache_dir: None,
        settings: Layers::default().resolve(),
        trust: Trust::new(TrustStore::new(&state), false),
        spawner: Spawner::direct(),
        user_catalogue: None,
        search_path: None,
        kind: zubi_ipc::wire::host::HostKind::InProcess,
        clock: Arc::new(SystemClock),
    }
}

/// Returns the checks that did not pass, each with its message.
async fn check(config: Result<HostConfig, String>) -> Vec<String> {
    let checks = verify(config, &|_| {}).await;
    assert_eq!(checks.len(), CHECKS.len() + 1);
    let summarize = |check: &VerifyCheck| {
        let why = check.details.get("error").or_else(|| check.details.get("reason"));
        format!("{} {:?}: {}", check.id, check.status, why.and_then(Value::as_str).unwrap_or("?"))
    };
    checks.iter().filter(|check| check.status != CheckStatus::Passed).map(summarize).collect()
}

fn temp_root() -> (tempfile::TempDir, camino::Utf8PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(directory.path()).unwrap()).unwrap();
    (directory, root)
}

#[tokio::test]
async fn a_healthy_workspace_passes_or_skips_with_a_reason() {
    let (_guard, root) = temp_root();
    insta::assert_snapshot!(check(Ok(config(&root))).await.join("\n"), @"
    extension-manifest Skipped: the workspace is not the folder of a VS Code extension
    extension-files Skipped: the workspace is not the folder of a VS Code extension
    extension-types Skipped: the workspace is not the folder of a VS Code extension
    extension-packaging Skipped: the workspace is not the folder of a VS Code extension
    language-servers Skipped: no file here has a language that zubi knows a server for
    ");
}

/// Returns the results of the extension checks for these files and a manifest with these additional fields.
async fn extension(fields: Value, files: &[&str]) -> String {
    let (_guard, root) = temp_root();
    let config = config(&root);
    let mut manifest = json!({
        "name": "a", "version": "1.0.0", "publisher": "b", "engines": { "vscode": "^1.101.0" }, "main": "./dist/a.cjs",
    });
    manifest.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let types = "export interface ToolDefinition {}\nexport interface ToolProvider {}\nexport type ToolHandler = 1;\nexport interface ToolResult {}\n";
    for file in ["dist/a.cjs", "README.md", ".vscodeignore", "api/a.d.ts"].iter().chain(files) {
        let file = root.join("work").join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&file, types.as_bytes()).unwrap();
    }
    zubi_base::fs::write_atomic(&root.join("work/package.json"), manifest.to_string().as_bytes()).unwrap();
    let messages = check(Ok(config)).await;
    messages.into_iter().filter(|line| line.starts_with("extension-")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_valid_extension_passes() {
    insta::assert_snapshot!(extension(json!({}), &[]).await, @"");
}

#[tokio::test]
async fn extension_problems_are_reported() {
    let duplicate_commands = json!([{ "command": "a.b", "title": "B" }, { "command": "a.b", "title": "C" }]);
    insta::assert_snapshot!(extension(json!({ "contributes": { "commands": duplicate_commands } }), &[]).await, @"extension-manifest Failed: the command `a.b` is listed twice in package.json");
    let tool = json!([{ "name": "t", "displayName": "T" }]);
    insta::assert_snapshot!(extension(json!({ "contributes": { "languageModelTools": tool } }), &[]).await, @"extension-manifest Failed: the language model tool `t` has no `modelDescription`");
    insta::assert_snapshot!(extension(json!({ "main": "./dist/other.cjs", "publisher": "" }), &[]).await, @"
    extension-files Failed: package.json names `./dist/other.cjs`, and there is no such file
    extension-packaging Failed: package.json has no `publisher`
    ");
    insta::assert_snapshot!(extension(json!({ "main": "../other.cjs" }), &[]).await, @"extension-files Failed: package.json names `../other.cjs`, outside of the folder");
    let validation = json!([{ "fileMatch": "*", "url": "./x.schema.json" }]);
    insta::assert_snapshot!(extension(json!({ "contributes": { "jsonValidation": validation } }), &["x.schema.json"]).await, @"extension-files Failed: `./x.schema.json`: expected value at line 1 column 1");
}

#[tokio::test]
async fn an_invalid_configuration_still_gives_a_report() {
    let messages = check(Err("zubi.toml:1:1: unknown setting `x`".to_owned())).await;
    assert_eq!(messages[0], "configuration Failed: zubi.toml:1:1: unknown setting `x`");
    assert!(
        messages[1..].iter().all(|line| line.ends_with("Skipped: the configuration cannot be used")),
        "{messages:?}"
    );
}

#[tokio::test]
async fn a_state_directory_that_cannot_be_used_fails() {
    let (_guard, root) = temp_root();
    let broken = HostConfig { state_dir: root.join("work"), ..config(&root) };
    // A file in place of the directory.
    std::fs::remove_dir(&broken.state_dir).unwrap();
    std::os::unix::fs::symlink("/dev/null", &broken.state_dir).unwrap();
    let broken = HostConfig { folders: vec![root.clone()], ..broken };
    let messages = check(Ok(broken)).await;
    assert!(messages.iter().any(|line| line.starts_with("state Failed: ")), "{messages:?}");
}

/// The directory is usable, but not its audit log.
#[tokio::test]
async fn an_audit_log_that_cannot_be_written_fails() {
    use std::os::unix::fs::PermissionsExt as _;
    type Spoil = fn(&camino::Utf8Path);
    let table: [(&str, Spoil); 5] = [
        ("is a directory", |log| std::fs::create_dir(log).unwrap()),
        ("links are not followed", |log| std::os::unix::fs::symlink("/dev/null", log).unwrap()),
        ("a pipe", |log| rustix::fs::mkfifoat(rustix::fs::CWD, log.as_str(), 0o600.into()).unwrap()),
        ("others may write it", |log| {
            zubi_base::owner_only::write_atomic(log, b"").unwrap();
            std::fs::set_permissions(log, std::fs::Permissions::from_mode(0o622)).unwrap();
        }),
        ("an older one is a directory", |log| std::fs::create_dir(log.with_file_name("audit.2.jsonl")).unwrap()),
    ];
    for (name, spoil) in table {
        let (_guard, root) = temp_root();
        let config = config(&root);
        std::fs::create_dir_all(root.join("state/audit")).unwrap();
        spoil(&root.join("state/audit/audit.jsonl"));
        let messages = check(Ok(config)).await;
        let failed: Vec<_> = messages.iter().filter(|line| line.contains("Failed")).collect();
        let expected = format!("state Failed: the audit log in `{root}/state/audit` cannot be written: ");
        assert!(failed.len() == 1 && failed[0].starts_with(&expected), "{name}: {messages:?}");
    }
}

#[tokio::test]
async fn a_panicking_check_fails() {
    let outcome = run_guarded(async { panic!("on purpose") }.boxed_local()).await;
    assert_eq!(outcome.err().unwrap().error, "the check panicked");
}

#[test]
fn the_report_has_the_specified_format() {
    let outcome = [
        Ok(CheckFinding::Facts(json!({ "tools": 3 }))),
        Err(CheckProblem::new("no", "Do.")),
        Ok(CheckFinding::Nothing("none")),
    ];
    let checks: Vec<VerifyCheck> =
        outcome.into_iter().map(|outcome| create_check("a", "A check", outcome, Duration::from_millis(7))).collect();
    assert_eq!(
        report(&checks, "2026-01-02T03:04:05Z").to_string(),
        r#"{"timestamp":"2026-01-02T03:04:05Z","success":false,"summary":{"passed":1,"failed":1,"skipped":1},"checks":[{"id":"a","name":"A check","status":"passed","durationMs":7,"tools":3},{"id":"a","name":"A check","status":"failed","durationMs":7,"error":"no","hint":"Do."},{"id":"a","name":"A check","status":"skipped","durationMs":7,"reason":"none"}]}"#
    );
}
