//! Checks of zubi's own program: its child processes end with it.

use std::time::Duration;

use serde_json::json;
use zubi_base::process::CommandSpec;
use zubi_exec::sandbox::Level;

use super::check::{CheckFinding, CheckOutcome, VerifyContext, fail};
use crate::local::exec;

/// A program that exists on every system and ends at once.
const TRUE: &str = "/bin/true";

/// Checks that a child starts as language servers and commands do, and ends.
pub(super) async fn supervisor(context: &VerifyContext) -> CheckOutcome {
    let spec = CommandSpec::new(TRUE, context.host.workspace().root());
    let output = context.config.spawner.output(&spec, 1024, Duration::from_secs(20)).await;
    let hint =
        "Start zubi by the path of its executable; a program that was replaced while it ran cannot start itself.";
    match output {
        Ok(output) if output.status.success() => {
            Ok(CheckFinding::Facts(json!({ "version": env!("CARGO_PKG_VERSION"), "started": TRUE })))
        }
        Ok(output) => {
            let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            fail(format!("a child ended with {}: {stderr}", output.status), hint)
        }
        Err(error) => fail(format!("no child can be started: {error}"), hint),
    }
}

/// Tests the sandbox of commands with a confined child. Missing backends are only a warning: they are not a defect of
/// zubi, and every answer names the confinement that was used.
pub(super) async fn sandbox(context: &VerifyContext) -> CheckOutcome {
    let sandbox = exec::sandbox(&context.config);
    let confinement = match sandbox.probe().await {
        Ok(confinement) => confinement,
        Err(error) => {
            let warning = format!("commands are refused: {error}");
            return Ok(CheckFinding::Facts(json!({ "level": null, "warnings": [warning] })));
        }
    };
    let missing = confinement.missing_backends.join("; ");
    let warnings = match confinement.level {
        Level::LandlockSeccomp | Level::Bubblewrap => Vec::new(),
        level => vec![format!("commands are confined by {} only: {missing}", level.name())],
    };
    Ok(CheckFinding::Facts(json!({
        "level": confinement.level.name(),
        "landlockAbi": confinement.landlock_abi,
        "whyNotHigher": confinement.missing_backends,
        "warnings": warnings,
    })))
}
