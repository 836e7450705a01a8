//! Checks that zubi works on this machine, for `zubi verify` and for programs that read its report.
//!
//! [`CHECKS`] is the table of all checks. A check that panics counts as failed, and one whose precondition failed is
//! skipped with the reason, so that the report is always complete.

mod check;
mod environment;
mod extension;
mod program;
mod self_tests;
mod tools;

use std::future::ready;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use serde_json::{Map, Value, json};
use zubi_base::clock::milliseconds;

use self::check::{CheckFinding, CheckOutcome, CheckProblem, VerifyContext, fail};
use crate::local::{HostConfig, LocalHost};

/// The time-out of each check.
const TIMEOUT: Duration = Duration::from_mins(5);

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    Passed,
    Failed,
    Skipped,
}

/// One check and its outcome.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyCheck {
    /// The stable id for programs.
    pub id: &'static str,
    /// The name for users.
    pub name: &'static str,
    pub status: CheckStatus,
    pub duration_ms: u64,
    /// The result of the check: `error` and `hint` after a failure, `reason` if the check was skipped.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// A check with its id and its name.
type CheckEntry = (&'static str, &'static str, for<'a> fn(&'a VerifyContext) -> LocalBoxFuture<'a, CheckOutcome>);

/// All checks except that of the configuration, without which the others are skipped.
const CHECKS: &[CheckEntry] = &[
    ("workspace", "Workspace folders", |context| ready(environment::workspace(context)).boxed_local()),
    ("state", "State directory", |context| ready(environment::environment(context)).boxed_local()),
    ("program", "Program and its supervisor", |context| program::supervisor(context).boxed_local()),
    ("sandbox", "Sandbox of commands", |context| program::sandbox(context).boxed_local()),
    ("self-tests", "Self tests", |context| self_tests::run_all(context).boxed_local()),
    ("registry", "Tool registry", |context| tools::names(context).boxed_local()),
    ("tool-definitions", "Tool definitions", |context| ready(tools::definitions(context)).boxed_local()),
    ("tool-schemas", "Tool schemas", |context| ready(tools::schemas(context)).boxed_local()),
    ("interfaces", "Interfaces", |context| tools::exports(context).boxed_local()),
    ("resources", "Resources", |context| tools::resources(context).boxed_local()),
    ("extension-manifest", "Manifest of the VS Code extension", |context| {
        ready(extension::manifest(context)).boxed_local()
    }),
    ("extension-files", "Files of the VS Code extension", |context| ready(extension::files(context)).boxed_local()),
    ("extension-types", "Types of the VS Code extension", |context| ready(extension::types(context)).boxed_local()),
    ("extension-packaging", "Packaging of the VS Code extension", |context| {
        ready(extension::check_packaging(context)).boxed_local()
    }),
    ("language-servers", "Language servers", |context| environment::servers(context).boxed_local()),
];

/// Runs all checks. `config` is the loaded configuration, or the reason why it is unusable; `progress` is called after
/// each check.
pub async fn verify(
    config: Result<HostConfig, String>,
    progress: &(dyn Fn(&VerifyCheck) + Send + Sync),
) -> Vec<VerifyCheck> {
    let started = Instant::now();
    let host_result = config.and_then(|config| {
        let host = LocalHost::new(&config).map_err(|error| error.to_string())?;
        Ok((config, host))
    });
    let mut checks = Vec::new();
    let (outcome, context) = match host_result {
        Ok((config, host)) => (environment::configuration(&config, &host), Some(VerifyContext { config, host })),
        Err(error) => (fail(error, "Correct the file, or move it away, and verify again."), None),
    };
    let mut add = |check: VerifyCheck| {
        progress(&check);
        checks.push(check);
    };
    add(create_check("configuration", "Configuration", outcome, started.elapsed()));
    for (id, name, run) in CHECKS {
        let started = Instant::now();
        let outcome = match &context {
            None => Ok(CheckFinding::Nothing("the configuration cannot be used")),
            Some(context) => run_guarded(run(context)).await,
        };
        add(create_check(id, name, outcome, started.elapsed()));
    }
    if let Some(context) = context {
        use crate::service::ToolService as _;
        context.host.shutdown().await;
    }
    checks
}

async fn run_guarded(check: LocalBoxFuture<'_, CheckOutcome>) -> CheckOutcome {
    const DEFECT: &str = "This is a defect of zubi; the log on stderr has the details.";
    match tokio::time::timeout(TIMEOUT, AssertUnwindSafe(check).catch_unwind()).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => fail("the check panicked", DEFECT),
        Err(_) => fail(format!("the check did not end within {} s", TIMEOUT.as_secs()), DEFECT),
    }
}

fn create_check(id: &'static str, name: &'static str, outcome: CheckOutcome, elapsed: Duration) -> VerifyCheck {
    let (status, details) = match outcome {
        Ok(CheckFinding::Facts(facts)) => (CheckStatus::Passed, facts),
        Ok(CheckFinding::Nothing(reason)) => (CheckStatus::Skipped, json!({ "reason": reason })),
        Err(CheckProblem { error, hint }) => (CheckStatus::Failed, json!({ "error": error, "hint": hint })),
    };
    let details = if let Value::Object(details) = details { details } else { Map::new() };
    VerifyCheck { id, name, status, duration_ms: milliseconds(elapsed), details }
}

/// Returns the report that `zubi verify` prints. `timestamp` is ISO 8601.
pub fn report(checks: &[VerifyCheck], timestamp: &str) -> Value {
    let count = |status| checks.iter().filter(|check| check.status == status).count();
    json!({
        "timestamp": timestamp,
        "success": count(CheckStatus::Failed) == 0,
        "summary": {
            "passed": count(CheckStatus::Passed),
            "failed": count(CheckStatus::Failed),
            "skipped": count(CheckStatus::Skipped),
        },
        "checks": checks,
    })
}

#[cfg(test)]
mod tests;
