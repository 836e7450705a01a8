//! Checks of the registry and of the tools' descriptions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use zubi_tool_api::schema::{self, ArgumentChecker};

use super::{CheckFinding, CheckOutcome, CheckProblem, VerifyContext};

const REMEDY: &str = "Correct the file that declares the tool; a built-in tool with a problem is a defect of zubi.";

/// Checks that names are unique and valid on the wire, and that no tool was left out.
pub(super) async fn names(context: Arc<VerifyContext>) -> CheckOutcome {
    let registry = context.host.registry();
    registry.prepare().await;
    let problems = registry.problems();
    if let Some(first) = problems.first() {
        return Err(CheckProblem::new(first.clone(), REMEDY));
    }
    let mut toolsets: BTreeMap<String, usize> = BTreeMap::new();
    for tool in registry.all_tools() {
        *toolsets.entry(tool.spec().toolset.clone()).or_default() += 1;
    }
    Ok(CheckFinding::Facts(json!({ "tools": toolsets.values().sum::<usize>(), "toolsets": toolsets })))
}

/// Checks that every tool describes itself and each of its parameters, within the limits of clients.
pub(super) fn definitions(context: &VerifyContext) -> CheckOutcome {
    let tools = context.host.registry().all_tools();
    for tool in &tools {
        if let Some(problem) = schema::problems(tool.spec()).first() {
            return Err(CheckProblem::new(format!("{}: {problem}", tool.spec().id), REMEDY));
        }
    }
    Ok(CheckFinding::Facts(json!({ "checked": tools.len() })))
}

/// Checks that every tool's input is a JSON Schema, and that its examples satisfy it.
pub(super) fn schemas(context: &VerifyContext) -> CheckOutcome {
    let tools = context.host.registry().all_tools();
    let mut examples = 0;
    for spec in tools.iter().map(|tool| tool.spec()) {
        let checker =
            ArgumentChecker::new(spec).map_err(|error| CheckProblem::new(format!("{}: {error}", spec.id), REMEDY))?;
        for example in &spec.examples {
            checker
                .check(spec, example.args.clone())
                .map_err(|error| CheckProblem::new(format!("{}: {}", spec.id, error.render(&spec.id)), REMEDY))?;
            examples += 1;
        }
    }
    Ok(CheckFinding::Facts(json!({ "schemas": tools.len(), "examples": examples })))
}
