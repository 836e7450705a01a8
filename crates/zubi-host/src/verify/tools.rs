//! Checks of the tools' descriptions and of the interfaces for other programs: tools under both of their names, and
//! readable resources.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use zubi_tool_api::ToolSpec;
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface};
use zubi_tool_api::schema::{self, ArgumentChecker};

use super::check::{CheckFinding, CheckOutcome, CheckProblem, VerifyContext, fail};
use crate::service::{CallContext, ToolService as _};

const REMEDY: &str = "Correct the file that declares the tool; a built-in tool with a problem is a defect of zubi.";

const DEFECT: &str = "This is a defect of zubi; please report it.";

/// Checks that names are unique and valid on the wire, and that no tool was omitted.
pub(super) async fn names(context: &VerifyContext) -> CheckOutcome {
    let registry = context.host.registry();
    registry.prepare().await;
    if let Some(first) = registry.problems().first() {
        return fail(first, REMEDY);
    }
    let mut toolsets: BTreeMap<String, usize> = BTreeMap::new();
    for tool in registry.all_tools() {
        *toolsets.entry(tool.spec().toolset.clone()).or_default() += 1;
    }
    Ok(CheckFinding::Facts(json!({ "tools": toolsets.values().sum::<usize>(), "toolsets": toolsets })))
}

/// Checks that every tool describes itself and each of its parameters, within the limits of clients.
pub(super) fn definitions(context: &VerifyContext) -> CheckOutcome {
    let checked = check_each(context, |spec| schema::problems(spec).into_iter().next().map_or(Ok(()), Err))?;
    Ok(CheckFinding::Facts(json!({ "checked": checked })))
}

/// Checks that every tool's input is a JSON Schema, and that its examples satisfy it.
pub(super) fn schemas(context: &VerifyContext) -> CheckOutcome {
    let mut examples = 0;
    let schemas = check_each(context, |spec| {
        let checker = ArgumentChecker::new(spec)?;
        examples += spec.examples.len();
        let mut arguments = spec.examples.iter().map(|example| checker.check(spec, example.args.clone()));
        arguments.try_for_each(|checked| checked.map(drop)).map_err(|error| error.render(&spec.id))
    })?;
    Ok(CheckFinding::Facts(json!({ "schemas": schemas, "examples": examples })))
}

/// Checks every tool and returns their number.
fn check_each(
    context: &VerifyContext,
    mut check: impl FnMut(&ToolSpec) -> Result<(), String>,
) -> Result<usize, CheckProblem> {
    let tools = context.host.registry().all_tools();
    for spec in tools.iter().map(|tool| tool.spec()) {
        check(spec).map_err(|problem| CheckProblem::new(format!("{}: {problem}", spec.id), REMEDY))?;
    }
    Ok(tools.len())
}

/// Checks that each listed tool is found by its id and by its wire name, and can be exported as data for other
/// programs.
pub(super) async fn exports(context: &VerifyContext) -> CheckOutcome {
    let everyone = Restrictions::default();
    let specs = context.host.list(&everyone).await.map_err(|error| CheckProblem::new(error.to_string(), DEFECT))?;
    for spec in &specs {
        for name in [spec.id.clone(), spec.wire_name()] {
            let matched = context.host.find(&name, &everyone).await;
            if matched.as_ref().map(|matched| &matched.id) != Ok(&spec.id) {
                return fail(format!("`{name}` is listed and not found as itself"), DEFECT);
            }
        }
        let data = spec.to_json();
        if ["id", "name", "description", "inputSchema", "effect"].iter().any(|key| data.get(key).is_none()) {
            return fail(format!("`{}` is incomplete as data", spec.id), DEFECT);
        }
    }
    Ok(CheckFinding::Facts(json!({ "listed": specs.len() })))
}

pub(super) async fn resources(context: &VerifyContext) -> CheckOutcome {
    let mut read = Vec::new();
    for spec in context.host.resources().await.map_err(|error| CheckProblem::new(error.to_string(), DEFECT))? {
        let caller = Arc::new(Caller {
            surface: Surface::CommandLine,
            client: None,
            session: 0,
            restrictions: Restrictions::default(),
        });
        let call_context = CallContext {
            cancel: CancellationToken::new(),
            progress: Arc::new(NoProgress),
            approver: Arc::new(NoApprover),
            timeout: Duration::from_secs(30),
        };
        match context.host.read_resource(&spec.uri, &caller, &call_context).await {
            Ok(_) => read.push(spec.uri),
            Err(error) => return fail(format!("`{}` cannot be read: {error}", spec.uri), "Fix the reported cause."),
        }
    }
    Ok(CheckFinding::Facts(json!({ "resources": read })))
}
