//! Checks of zubi's environment: settings, folders, the state directory, and the workspace's language servers.

use std::time::Duration;

use serde_json::json;
use zubi_base::owner_only;
use zubi_tool_api::audit::AuditFile;

use super::check::{CheckFinding, CheckOutcome, CheckProblem, VerifyContext, fail};
use crate::doctor::{self, ServerState};
use crate::local::{HostConfig, LocalHost};

/// The time-out for a language server to become ready.
const SERVER_TIMEOUT: Duration = Duration::from_mins(1);

/// Checks that the settings are readable and that all names in them exist.
pub(super) fn configuration(config: &HostConfig, host: &LocalHost) -> CheckOutcome {
    let misspellings = host.unknown_names(config);
    if let Some(first) = misspellings.first() {
        return fail(first.clone(), "Correct the name in the file.");
    }
    if let Some(broken) = host.registry().policy().broken() {
        let hint = "Fix the rule; until then the policy allows only reads. `zubi policy list` shows the same error.";
        return fail(format!("the policy is broken, and therefore closed: {broken}"), hint);
    }
    let ignored: Vec<String> = config.settings.ignored.iter().map(ToString::to_string).collect();
    Ok(CheckFinding::Facts(json!({ "ignored": ignored })))
}

pub(super) fn workspace(context: &VerifyContext) -> CheckOutcome {
    let folders = context.host.workspace().folders();
    let mut paths = Vec::new();
    for folder in folders {
        let entries = folder.path.read_dir_utf8().map_err(|error| {
            CheckProblem::new(
                format!("`{}` cannot be read: {error}", folder.path),
                "Give your user permission to read it.",
            )
        })?;
        paths.push(json!({
            "path": folder.path,
            "entries": entries.count(),
            "trusted": context.config.trust.folder(&folder.path),
        }));
    }
    Ok(CheckFinding::Facts(json!({ "folders": paths })))
}

/// Checks that files can be written, read and removed, as for trust and plans, and that the audit log can be appended
/// to; the log may have another owner and other permissions than the files next to it.
pub(super) fn environment(context: &VerifyContext) -> CheckOutcome {
    const TEXT: &[u8] = b"zubi verify";
    let directory = &context.config.state_dir;
    let path = directory.join(format!("verify-{}.tmp", std::process::id()));
    let tried = owner_only::create_directory(directory).and_then(|()| {
        owner_only::write_atomic(&path, TEXT)?;
        let content = owner_only::read(&path, 1024);
        let is_private = owner_only::owner_only(&path);
        std::fs::remove_file(&path)?;
        Ok((content?, is_private?))
    });
    match tried {
        Ok((content, true)) if content == TEXT => match AuditFile::new(directory).probe() {
            Ok(log) => Ok(CheckFinding::Facts(json!({ "path": directory, "auditLog": log }))),
            Err(error) => {
                let hint = "Move it away, or make it yours to write: no call is recorded until then.";
                fail(format!("the audit log in `{directory}/audit` cannot be written: {error}"), hint)
            }
        },
        Ok(_) => {
            let error =
                format!("data read from `{directory}` differs from the data written, or other users can write there");
            fail(error, "Set `XDG_STATE_HOME` to a directory that only your user can access.")
        }
        Err(error) => {
            let hint =
                "Set `XDG_STATE_HOME` to a writable directory: zubi stores plans, trust and the audit log there.";
            fail(format!("`{directory}` cannot be used: {error}"), hint)
        }
    }
}

/// Checks that every installed language server of the workspace's languages starts and becomes ready. A server that is
/// not installed is only a warning: the workspace may not need answers about that language.
pub(super) async fn servers(context: &VerifyContext) -> CheckOutcome {
    let survey = doctor::examine(&context.config, SERVER_TIMEOUT, &|_| {}).await.map_err(|error| {
        CheckProblem::new(error.to_string(), "Correct the rows of your own language servers (`servers.toml`).")
    })?;
    let (mut working, mut warnings) = (Vec::new(), Vec::new());
    for language in &survey.languages {
        for server in &language.servers {
            match &server.state {
                ServerState::Works { .. } => working.push(server.id.clone()),
                ServerState::Failed { why, hint } => {
                    return fail(format!("{} does not work: {why}", server.title), hint.clone());
                }
                ServerState::NotAllowed { hint } => warnings.push(format!("{} may not run: {hint}", server.title)),
                ServerState::Missing { .. } => {}
            }
        }
        if language.needs_server() {
            warnings.push(format!("no server for {}; `zubi doctor` says what to install", language.language));
        }
    }
    if working.is_empty() && warnings.is_empty() {
        return Ok(CheckFinding::Nothing("no file here has a language that zubi knows a server for"));
    }
    working.dedup();
    Ok(CheckFinding::Facts(json!({ "working": working, "warnings": warnings })))
}
