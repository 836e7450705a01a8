//! `zubi verify`: checks that zubi works on this machine; one JSON report on stdout, one line per check on stderr.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_cli::failure::{Failure, INTERRUPTED, NEGATIVE};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal;
use zubi_host::verify::{CheckStatus, VerifyCheck, report, verify};

use crate::session::CliSession;

/// Always prints a report, because programs parse it.
pub(super) fn run(session: Result<&CliSession, &Failure>) -> Result<ExitCode, Failure> {
    let config = match session {
        Ok(session) => session.config().map_err(|failure| failure.text()),
        Err(failure) => Err(failure.text()),
    };
    let checks = catch_unwind(AssertUnwindSafe(|| {
        block_on(async {
            let interrupted = on_interrupt()?;
            tokio::select! {
                checks = verify(config, &print_check) => Ok(Some(checks)),
                () = interrupted.cancelled() => Ok::<_, Failure>(None),
            }
        })
    }));
    let timestamp = timestamp();
    let printed = match checks {
        Ok(Ok(Ok(Some(checks)))) => report(&checks, &timestamp),
        Ok(Ok(Ok(None))) => {
            terminal::print_json(&failure_report(&timestamp, "interrupted"))?;
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Ok(Ok(Err(failure)) | Err(failure)) => failure_report(&timestamp, &failure.text()),
        Err(_) => failure_report(&timestamp, "zubi panicked; the log on stderr has the details"),
    };
    terminal::print_json(&printed)?;
    Ok(if printed["success"] == true { ExitCode::SUCCESS } else { ExitCode::from(NEGATIVE) })
}

fn timestamp() -> String {
    let now = i64::try_from(SystemClock.now().as_millis()).unwrap_or_default();
    DateTime::from_timestamp_millis(now).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Returns the report of a failure before any check.
fn failure_report(timestamp: &str, error: &str) -> Value {
    json!({
        "timestamp": timestamp,
        "success": false,
        "summary": { "passed": 0, "failed": 1, "skipped": 0 },
        "checks": [{ "id": "verify", "name": "Verification", "status": "failed", "durationMs": 0, "error": error }],
    })
}

fn print_check(check: &VerifyCheck) {
    let text = |key: &str| check.details.get(key).and_then(Value::as_str).unwrap_or_default();
    terminal::print_err(&match check.status {
        CheckStatus::Passed => format!("✅ {} ({} ms)", check.name, check.duration_ms),
        CheckStatus::Failed => format!("❌ {}: {}\n   {}", check.name, text("error"), text("hint")),
        CheckStatus::Skipped => format!("➖ {}: {}", check.name, text("reason")),
    });
    let warnings = check.details.get("warnings").and_then(Value::as_array);
    for warning in warnings.into_iter().flatten().filter_map(Value::as_str) {
        terminal::print_err(&format!("   note: {warning}"));
    }
}
