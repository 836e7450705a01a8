//! zubi's own program: what it starts ends with it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use zubi_base::process::CommandSpec;

use super::{Bench, Found, Outcome, Problem};

/// A program that every system has and that ends at once.
const TRUE: &str = "/bin/true";

/// A child is started as language servers and commands are, and ends.
pub(super) async fn supervisor(bench: Arc<Bench>) -> Outcome {
    let spec = CommandSpec::new(TRUE, bench.host.workspace().root());
    let output = bench.config.spawner.output(&spec, 1024, Duration::from_secs(20)).await;
    let hint =
        "Start zubi by the path of its executable; a program that was replaced while it ran cannot start itself.";
    match output {
        Ok(output) if output.status.success() => {
            Ok(Found::Facts(json!({ "version": env!("CARGO_PKG_VERSION"), "started": TRUE })))
        }
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Err(Problem::new(format!("a child ended with {}: {said}", output.status), hint))
        }
        Err(error) => Err(Problem::new(format!("no child can be started: {error}"), hint)),
    }
}
