//! Seven small tests of the path of every call, on a separate registry with one tool that repeats a text.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::text::DiskText;
use zubi_policy::Policy;
use zubi_tool_api::audit::NoAudit;
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface};
use zubi_tool_api::registry::{CallError, Registry, RegistryConfig};
use zubi_tool_api::{
    Approval, Effect, Exposure, ProviderId, Tool, ToolCx, ToolError, ToolOutput, ToolProvider, ToolSpec,
};

use super::check::{CheckFinding, CheckOutcome, VerifyContext, fail};

/// The id of the test provider.
const PROVIDER: &str = "verify";

/// The id of the test tool.
const ECHO: &str = "verify.echo";

type Test = Result<(), String>;

/// Runs the seven self-tests and reports the first that fails.
pub(super) async fn run_all(context: &VerifyContext) -> CheckOutcome {
    let mut passed = Vec::new();
    for (name, outcome) in [
        ("a registry is made", creation(context)),
        ("a provider's tools are registered", registration(context)),
        ("a tool runs", execution(context).await),
        ("a provider that has gone takes its tools with it", disposal(context)),
        ("a provider is added once", provider(context)),
        ("an unknown tool is reported", unknown_tool(context).await),
        ("a tool has the format that models accept", model_format(context)),
    ] {
        if let Err(why) = outcome {
            return fail(format!("{name}: {why}"), "This is a defect of zubi; please report it.");
        }
        passed.push(name);
    }
    Ok(CheckFinding::Facts(json!({ "passed": passed.len(), "failed": 0, "tests": passed })))
}

fn require(holds: bool, what: &str) -> Test {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

fn registry(context: &VerifyContext, providers: Vec<Arc<dyn ToolProvider>>) -> Registry {
    Registry::new(RegistryConfig {
        providers,
        policy: Policy::default(),
        audit: Arc::new(NoAudit),
        clock: Arc::clone(&context.config.clock),
        restrictions: Restrictions::default(),
    })
}

fn creation(context: &VerifyContext) -> Test {
    require(registry(context, Vec::new()).all_tools().is_empty(), "it is not empty")
}

fn registration(context: &VerifyContext) -> Test {
    let registry = registry(context, Vec::new());
    registry.add(Echoes::provider(1)).map_err(|error| error.to_string())?;
    require(registry.list(&Restrictions::default()).len() == 1, "the tool is not listed")?;
    require(registry.problems().is_empty(), "there are problems")
}

async fn execution(context: &VerifyContext) -> Test {
    let registry = registry(context, vec![Echoes::provider(1)]);
    let answer = registry.call(ECHO, json!({ "text": "hello" }), cx(context)).await;
    match answer {
        Ok(output) => require(output.text == "hello", "it returns something else"),
        Err(error) => Err(format!("{error:?}")),
    }
}

fn disposal(context: &VerifyContext) -> Test {
    let registry = registry(context, vec![Echoes::provider(1)]);
    require(registry.all_tools().len() == 1, "the tool is not there")?;
    require(registry.remove(&ProviderId(PROVIDER.into())), "the provider is not found")?;
    require(registry.all_tools().is_empty(), "the tool is still there")
}

fn provider(context: &VerifyContext) -> Test {
    let registry = registry(context, vec![Echoes::provider(1)]);
    require(registry.add(Echoes::provider(1)).is_err(), "it is added twice")?;
    require(registry.all_tools().len() == 1, "one tool is there twice")
}

async fn unknown_tool(context: &VerifyContext) -> Test {
    let registry = registry(context, vec![Echoes::provider(1)]);
    match registry.call("verify.ecko", Value::Null, cx(context)).await {
        Err(CallError::Unknown { reason: why, .. }) => {
            require(why.contains(ECHO), "the error does not suggest the nearest name")
        }
        other => Err(format!("{other:?}")),
    }
}

fn model_format(context: &VerifyContext) -> Test {
    let registry = registry(context, vec![Echoes::provider(1)]);
    let tools = registry.all_tools();
    let data = tools.first().map(|tool| tool.spec().to_json()).unwrap_or_default();
    // Model APIs accept letters, digits, `_` and `-` in a function's name.
    let name = data["name"].as_str().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    require(!name.is_empty() && name.len() <= 64 && name.chars().all(is_plain), "its name is not valid")?;
    require(data["inputSchema"]["type"] == "object", "its input is not an object")
}

fn cx(context: &VerifyContext) -> ToolCx {
    ToolCx {
        cancel: CancellationToken::new(),
        deadline: Instant::now() + Duration::from_secs(20),
        progress: Arc::new(NoProgress),
        token_budget: None,
        nesting: 0,
        caller: Arc::new(Caller {
            surface: Surface::CommandLine,
            client: None,
            session: 0,
            restrictions: Restrictions::default(),
        }),
        approver: Arc::new(NoApprover),
        workspace: Arc::clone(context.host.workspace()),
        text_source: Arc::new(DiskText),
    }
}

/// A provider with a configurable number of test tools.
struct Echoes {
    id: ProviderId,
    count: watch::Sender<u64>,
}

impl Echoes {
    fn new(count: u64) -> Self {
        Self { id: ProviderId(PROVIDER.into()), count: watch::Sender::new(count) }
    }

    fn provider(count: u64) -> Arc<dyn ToolProvider> {
        Arc::new(Self::new(count))
    }
}

impl ToolProvider for Echoes {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn name(&self) -> &'static str {
        "Self tests"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        (0..*self.count.borrow()).map(|_| Arc::new(Echo::new()) as Arc<dyn Tool>).collect()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }
}

/// A tool that repeats a text.
struct Echo(ToolSpec);

impl Echo {
    fn new() -> Self {
        let input = json!({
            "type": "object",
            "properties": { "text": { "type": "string", "description": "The text to repeat" } },
            "required": ["text"],
        });
        Self(ToolSpec {
            id: ECHO.to_owned(),
            title: "Repeat".to_owned(),
            description: "Repeats a text.".to_owned(),
            input: input.as_object().cloned().unwrap_or_default(),
            examples: Vec::new(),
            notes: String::new(),
            effect: Effect::Read,
            toolset: "verify".to_owned(),
            exposure: Exposure::Direct,
            approval: Approval::ByEffect,
            timeout: Duration::from_secs(10),
            category: "Verify".to_owned(),
            tags: Vec::new(),
            icon: None,
        })
    }
}

#[async_trait]
impl Tool for Echo {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, args: Value, _cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(args["text"].as_str().unwrap_or_default()))
    }
}
