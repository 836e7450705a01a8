//! Checks of the interfaces for other programs: tools under both of their names, and readable resources.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface};

use super::{CheckFinding, CheckOutcome, CheckProblem, VerifyContext};
use crate::service::{CallContext, HostError, ToolService as _};

const DEFECT: &str = "This is a defect of zubi; please report it.";

/// Checks that each listed tool is found by its id and by its wire name, and can be exported as data for other
/// programs.
pub(super) async fn exports(context: Arc<VerifyContext>) -> CheckOutcome {
    let everyone = Restrictions::default();
    let specs = context.host.list(&everyone).await.map_err(|error| CheckProblem::new(error.to_string(), DEFECT))?;
    for spec in &specs {
        for name in [spec.id.clone(), spec.wire_name()] {
            let found = context.host.find(&name, &everyone).await;
            if found.as_ref().map(|found| &found.id) != Ok(&spec.id) {
                return Err(CheckProblem::new(format!("`{name}` is listed and not found as itself"), DEFECT));
            }
        }
        let data = spec.to_json();
        if ["id", "name", "description", "inputSchema", "effect"].iter().any(|key| data.get(key).is_none()) {
            return Err(CheckProblem::new(format!("`{}` is incomplete as data", spec.id), DEFECT));
        }
    }
    Ok(CheckFinding::Facts(json!({ "listed": specs.len() })))
}

pub(super) async fn resources(context: Arc<VerifyContext>) -> CheckOutcome {
    let mut read = Vec::new();
    for spec in context.host.resources().await.map_err(|error| CheckProblem::new(error.to_string(), DEFECT))? {
        let caller = Arc::new(Caller {
            surface: Surface::CommandLine,
            client: None,
            session: 0,
            restrictions: Restrictions::default(),
        });
        let circumstances = CallContext {
            cancel: CancellationToken::new(),
            progress: Arc::new(NoProgress),
            approver: Arc::new(NoApprover),
            timeout: Duration::from_secs(30),
        };
        match context.host.read_resource(&spec.uri, &caller, &circumstances).await {
            Ok(_) => read.push(spec.uri),
            Err(HostError::UnknownResource { .. }) => {
                return Err(CheckProblem::new(format!("`{}` is listed and not found", spec.uri), DEFECT));
            }
            Err(why) => {
                return Err(CheckProblem::new(
                    format!("`{}` cannot be read: {why}", spec.uri),
                    "Fix the reported cause.",
                ));
            }
        }
    }
    Ok(CheckFinding::Facts(json!({ "resources": read })))
}
