//! Whether zubi works here: real checks with a result for each, for `zubi verify` and for programs that read it.
//!
//! [`CHECKS`] is the table. A check that panics has failed like any other, and one that cannot be made because an
//! earlier one failed is skipped and says why; so there is always a whole report.

mod environment;
mod extension;
mod interfaces;
mod program;
mod registry;
mod self_tests;

use std::future::ready;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::local::{HostConfig, LocalHost};

/// The time limit of each check.
const TIMEOUT: Duration = Duration::from_mins(5);

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Passed,
    Failed,
    Skipped,
}

/// One check and its outcome.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// The stable id, for programs.
    pub id: &'static str,
    /// The name, for people.
    pub name: &'static str,
    pub status: Status,
    pub duration_ms: u64,
    /// The result of the check: `error` and `hint` after a failure, `reason` if the check was skipped.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// The result of a check: facts, or an error and its hint.
type Outcome = Result<CheckFinding, Problem>;

enum CheckFinding {
    Facts(Value),
    /// There is nothing to check here, for this reason.
    Nothing(&'static str),
}

struct Problem {
    error: String,
    hint: String,
}

impl Problem {
    fn new(error: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { error: error.into(), hint: hint.into() }
    }
}

/// The objects that the checks examine.
struct VerifyContext {
    config: HostConfig,
    host: Arc<LocalHost>,
}

struct Entry {
    id: &'static str,
    name: &'static str,
    run: fn(Arc<VerifyContext>) -> LocalBoxFuture<'static, Outcome>,
}

/// Every check except that of the configuration, which decides whether there is anything to check.
const CHECKS: &[Entry] = &[
    Entry {
        id: "workspace",
        name: "Workspace folders",
        run: |bench| ready(environment::workspace(&bench)).boxed_local(),
    },
    Entry { id: "state", name: "State directory", run: |bench| ready(environment::environment(&bench)).boxed_local() },
    Entry { id: "program", name: "Program and its supervisor", run: |bench| program::supervisor(bench).boxed_local() },
    Entry { id: "sandbox", name: "Sandbox of commands", run: |bench| program::sandbox(bench).boxed_local() },
    Entry { id: "self-tests", name: "Self tests", run: |bench| self_tests::all(bench).boxed_local() },
    Entry { id: "registry", name: "Tool registry", run: |bench| registry::names(bench).boxed_local() },
    Entry {
        id: "tool-definitions",
        name: "Tool definitions",
        run: |bench| ready(registry::definitions(&bench)).boxed_local(),
    },
    Entry { id: "tool-schemas", name: "Tool schemas", run: |bench| ready(registry::schemas(&bench)).boxed_local() },
    Entry { id: "interfaces", name: "Interfaces", run: |bench| interfaces::exports(bench).boxed_local() },
    Entry { id: "resources", name: "Resources", run: |bench| interfaces::resources(bench).boxed_local() },
    Entry {
        id: "extension-manifest",
        name: "Manifest of the VS Code extension",
        run: |bench| ready(extension::manifest(&bench)).boxed_local(),
    },
    Entry {
        id: "extension-files",
        name: "Files of the VS Code extension",
        run: |bench| ready(extension::files(&bench)).boxed_local(),
    },
    Entry {
        id: "extension-types",
        name: "Types of the VS Code extension",
        run: |bench| ready(extension::types(&bench)).boxed_local(),
    },
    Entry {
        id: "extension-packaging",
        name: "Packaging of the VS Code extension",
        run: |bench| ready(extension::check_packaging(&bench)).boxed_local(),
    },
    Entry { id: "language-servers", name: "Language servers", run: |bench| environment::servers(bench).boxed_local() },
];

/// Runs all checks. `config` is the loaded configuration, or why it cannot be used; `progress` is called after each
/// check.
pub async fn verify(config: Result<HostConfig, String>, progress: &(dyn Fn(&Check) + Send + Sync)) -> Vec<Check> {
    let started = Instant::now();
    let made = config.and_then(|config| {
        let host = LocalHost::new(&config).map_err(|error| error.to_string())?;
        Ok((config, host))
    });
    let mut checks = Vec::new();
    let (outcome, bench) = match made {
        Ok((config, host)) => {
            let found = environment::configuration(&config, &host);
            (found, Some(Arc::new(VerifyContext { config, host: Arc::new(host) })))
        }
        Err(error) => (Err(Problem::new(error, "Correct the file, or move it away, and verify again.")), None),
    };
    let mut add = |check: Check| {
        progress(&check);
        checks.push(check);
    };
    add(made_of("configuration", "Configuration", outcome, started.elapsed()));
    for entry in CHECKS {
        let started = Instant::now();
        let outcome = match &bench {
            None => Ok(CheckFinding::Nothing("the configuration cannot be used")),
            Some(bench) => run_guarded((entry.run)(Arc::clone(bench))).await,
        };
        add(made_of(entry.id, entry.name, outcome, started.elapsed()));
    }
    if let Some(bench) = bench {
        use crate::service::ToolService as _;
        bench.host.shutdown().await;
    }
    checks
}

async fn run_guarded(check: LocalBoxFuture<'static, Outcome>) -> Outcome {
    const DEFECT: &str = "This is a defect of zubi; the log on stderr has the details.";
    match tokio::time::timeout(TIMEOUT, AssertUnwindSafe(check).catch_unwind()).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Err(Problem::new("the check panicked", DEFECT)),
        Err(_) => Err(Problem::new(format!("the check did not end within {} s", TIMEOUT.as_secs()), DEFECT)),
    }
}

fn made_of(id: &'static str, name: &'static str, outcome: Outcome, took: Duration) -> Check {
    let (status, details) = match outcome {
        Ok(CheckFinding::Facts(facts)) => (Status::Passed, facts),
        Ok(CheckFinding::Nothing(reason)) => (Status::Skipped, json!({ "reason": reason })),
        Err(Problem { error, hint }) => (Status::Failed, json!({ "error": error, "hint": hint })),
    };
    let details = if let Value::Object(details) = details { details } else { Map::new() };
    Check { id, name, status, duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX), details }
}

/// The report that `zubi verify` prints. `timestamp` is ISO 8601.
pub fn report(checks: &[Check], timestamp: &str) -> Value {
    let count = |status| checks.iter().filter(|check| check.status == status).count();
    json!({
        "timestamp": timestamp,
        "success": count(Status::Failed) == 0,
        "summary": {
            "passed": count(Status::Passed),
            "failed": count(Status::Failed),
            "skipped": count(Status::Skipped),
        },
        "checks": checks,
    })
}

#[cfg(test)]
mod tests;
