//! Order and uniqueness of tools, restrictions, and every way in which a call can end.

mod approvals;

use async_trait::async_trait;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use zubi_base::clock::FixedClock;

use super::*;
use crate::audit::AuditRecord;
use crate::cx::{ApprovalAnswer, ApprovalRequest, Approver, Caller, ToolCx};
use crate::footprint::Footprint;
use crate::output::ToolOutput;
use crate::testing::{cx, spec};

/// The behaviour of a test tool during a call.
#[derive(Clone)]
enum ToolBehavior {
    Answers(&'static str),
    Panics,
    PanicsInFootprint,
    /// Waits until it is cancelled, then returns and sets the flag.
    WaitsForCancel(Arc<AtomicBool>),
    /// Never returns, cancelled or not.
    Hangs,
    Fails,
}

struct TestTool(ToolSpec, ToolBehavior);

#[async_trait]
impl Tool for TestTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn footprint(&self, _args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        assert!(!matches!(self.1, ToolBehavior::PanicsInFootprint), "no footprint");
        Ok(Footprint::from_effect(self.0.effect))
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        match &self.1 {
            ToolBehavior::Answers(text) => {
                Ok(ToolOutput::text(format!("{text}{}", args["text"].as_str().unwrap_or_default())))
            }
            ToolBehavior::Panics => panic!("index out of range"),
            ToolBehavior::PanicsInFootprint => unreachable!(),
            ToolBehavior::WaitsForCancel(is_notified) => {
                cx.cancel.cancelled().await;
                is_notified.store(true, Ordering::SeqCst);
                Err(ToolError::operation_failed("wait", "cancelled", "-"))
            }
            ToolBehavior::Hangs => std::future::pending().await,
            ToolBehavior::Fails => {
                Err(ToolError::operation_failed("look", "the \u{1b}[31mserver is gone", "Call again."))
            }
        }
    }
}

struct TestProvider {
    id: ProviderId,
    tools: Mutex<Vec<Arc<dyn Tool>>>,
    changes: watch::Sender<u64>,
}

impl ToolProvider for TestProvider {
    fn id(&self) -> &ProviderId {
        &self.id
    }
    fn name(&self) -> &str {
        &self.id.0
    }
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.lock().unwrap().clone()
    }
    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

fn tool(id: &str, effect: Effect, behavior: ToolBehavior) -> Arc<dyn Tool> {
    Arc::new(TestTool(spec(id, effect), behavior))
}

fn provider(id: &str, tools: Vec<Arc<dyn Tool>>) -> Arc<TestProvider> {
    Arc::new(TestProvider { id: ProviderId(id.into()), tools: Mutex::new(tools), changes: watch::Sender::new(0) })
}

#[derive(Default)]
struct Records(Mutex<Vec<AuditRecord>>);

impl AuditSink for Records {
    fn record(&self, record: &AuditRecord) {
        self.0.lock().unwrap().push(record.clone());
    }
}

struct Fixture {
    registry: Registry,
    records: Arc<Records>,
}

fn registry(providers: Vec<Arc<TestProvider>>) -> Fixture {
    let records = Arc::new(Records::default());
    let registry = Registry::new(RegistryConfig {
        providers: providers.into_iter().map(|provider| provider as Arc<dyn ToolProvider>).collect(),
        policy: Policy::default(),
        audit: Arc::clone(&records) as Arc<dyn AuditSink>,
        clock: Arc::new(FixedClock(Duration::from_secs(1))),
        restrictions: Restrictions::default(),
    });
    Fixture { registry, records }
}

fn single_tool(effect: Effect, behavior: ToolBehavior) -> Fixture {
    registry(vec![provider("p", vec![tool("test.tool", effect, behavior)])])
}

fn ids(registry: &Registry, restrictions: &Restrictions) -> Vec<String> {
    registry.list(restrictions).iter().map(|tool| tool.spec().id.clone()).collect()
}

/// Returns the output or error of one call as a surface shows it, then the decision and outcome in the audit record.
async fn check(fixture: &Fixture, name: &str, args: Value, cx: ToolCx) -> String {
    let answer = match fixture.registry.call(name, args, cx).await {
        Ok(output) => output.render(),
        Err(CallError::Unknown { name, reason, .. }) => return format!("unknown {name}: {reason}"),
        Err(CallError::Tool { id, error }) => error.render(&id),
    };
    let records = fixture.records.0.lock().unwrap();
    let record = records.last().unwrap();
    format!("{answer}\n({}, {})", record.decision, record.outcome)
}

/// X4: one id, one tool, both listed and called. X34: names are valid wire names.
#[tokio::test]
async fn order_is_fixed_and_names_are_unique() {
    let first = provider(
        "first",
        vec![
            tool("b.b", Effect::Read, ToolBehavior::Answers("")),
            tool("a.a", Effect::Read, ToolBehavior::Answers("")),
        ],
    );
    let second = provider(
        "second",
        vec![
            tool("b_b", Effect::Read, ToolBehavior::Answers("")),
            tool("9up", Effect::Read, ToolBehavior::Answers("")),
            tool("c", Effect::Read, ToolBehavior::Answers("from second")),
        ],
    );
    let fixture = registry(vec![first, Arc::clone(&second)]);
    let unrestricted = Restrictions::default();
    assert_eq!(ids(&fixture.registry, &unrestricted), ["b.b", "a.a", "c"]);
    assert_snapshot!(fixture.registry.problems().join("\n"), @"
    tool `b_b` of second is left out: `b_b` is taken
    tool `9up` of second is left out: `9up` is not a valid wire name
    ");
    assert_eq!(fixture.registry.find("b_b", &unrestricted).unwrap().spec().id, "b.b", "a wire name finds its tool");

    second.tools.lock().unwrap().push(tool("d", Effect::Read, ToolBehavior::Answers("")));
    assert_eq!(ids(&fixture.registry, &unrestricted).len(), 3, "the list is cached until a change is announced");
    second.changes.send_modify(|count| *count += 1);
    assert_eq!(ids(&fixture.registry, &unrestricted), ["b.b", "a.a", "c", "d"]);
}

/// X3: listed tools can be called, from the moment a provider is added until it is removed, and after it changes its
/// list.
#[tokio::test]
async fn providers_can_be_added_and_removed() {
    let fixture = registry(vec![provider("first", vec![tool("a.a", Effect::Read, ToolBehavior::Answers("a"))])]);
    let registry = &fixture.registry;
    let unrestricted = Restrictions::default();
    let call = async |name: &str| check(&fixture, name, json!({}), cx()).await;
    let later = provider("later", vec![tool("b.b", Effect::Read, ToolBehavior::Answers("b"))]);
    assert!(call("b.b").await.starts_with("unknown b.b"));
    registry.add(Arc::clone(&later) as Arc<dyn ToolProvider>).unwrap();
    assert_eq!(ids(registry, &unrestricted), ["a.a", "b.b"]);
    assert_eq!(call("b_b").await, "b\n(allow, ok)");
    assert!(registry.add(provider("later", Vec::new())).is_err(), "an id twice");

    later.tools.lock().unwrap().push(tool("b.c", Effect::Read, ToolBehavior::Answers("c")));
    later.changes.send_modify(|count| *count += 1);
    assert_eq!(ids(registry, &unrestricted), ["a.a", "b.b", "b.c"]);
    assert_eq!(call("b.c").await, "c\n(allow, ok)");

    assert!(registry.remove(&ProviderId("later".into())));
    assert!(!registry.remove(&ProviderId("later".into())), "it is gone already");
    assert_eq!(ids(registry, &unrestricted), ["a.a"]);
    assert!(call("b.b").await.starts_with("unknown b.b"));
}

#[tokio::test]
async fn restricted_tools_are_unlisted_and_rejected() {
    let fixture = registry(vec![provider(
        "p",
        vec![
            tool("read.a", Effect::Read, ToolBehavior::Answers("a")),
            tool("edit.b", Effect::Write, ToolBehavior::Answers("b")),
        ],
    )]);
    let list = |text: &[&str]| text.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
    for (restrictions, expected) in [
        (Restrictions { read_only: true, ..Restrictions::default() }, vec!["read.a"]),
        (Restrictions { toolsets: vec![list(&["edit"])], ..Restrictions::default() }, vec!["edit.b"]),
        (Restrictions { tools: vec![list(&["!edit.*"])], ..Restrictions::default() }, vec!["read.a"]),
        (Restrictions { tools: vec![list(&["edit"])], read_only: true, ..Restrictions::default() }, vec![]),
    ] {
        assert_eq!(ids(&fixture.registry, &restrictions), expected, "{restrictions:?}");
        let caller = Caller { restrictions, ..(*cx().caller).clone() };
        for name in ["read.a", "edit_b"] {
            let cx = ToolCx { caller: Arc::new(caller.clone()), ..cx() };
            let is_callable = fixture.registry.call(name, json!({}), cx).await.is_ok();
            assert_eq!(is_callable, expected.iter().any(|id| id.replace('.', "_") == name.replace('.', "_")), "{name}");
        }
    }
}

/// F3: a session that can plan an edit can also apply it and take it back.
#[test]
fn tools_that_apply_plans_come_with_those_that_plan() {
    let tools = [
        ("lsp.plan", Effect::Plan),
        ("lsp.read", Effect::Read),
        ("edit.apply", Effect::Write),
        ("tools.call", Effect::Plan),
    ];
    let tools = tools.map(|(id, effect)| tool(id, effect, ToolBehavior::Answers("")));
    let fixture = registry(vec![provider("p", tools.into())]);
    let list = |names: &[&str]| vec![names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()];
    let toolsets = |names: &[&str]| Restrictions { toolsets: list(names), ..Restrictions::default() };
    let only = |names: &[&str]| Restrictions { tools: list(names), ..Restrictions::default() };
    for (restrictions, expected) in [
        (toolsets(&["lsp"]), vec!["lsp.plan", "lsp.read", "edit.apply"]),
        (toolsets(&["lsp", "!edit"]), vec!["lsp.plan", "lsp.read"]),
        (Restrictions { read_only: true, ..toolsets(&["lsp"]) }, vec!["lsp.plan", "lsp.read"]),
        (only(&["lsp.plan"]), vec!["lsp.plan", "edit.apply"]),
        (only(&["lsp.plan", "!edit.apply"]), vec!["lsp.plan"]),
        (only(&["lsp.read"]), vec!["lsp.read"]),
        // It calls other tools, and plans nothing itself.
        (toolsets(&["tools"]), vec!["tools.call"]),
    ] {
        assert_eq!(ids(&fixture.registry, &restrictions), expected, "{restrictions:?}");
    }
}

#[tokio::test]
async fn ends_of_calls() {
    let answers = single_tool(Effect::Read, ToolBehavior::Answers("hello \u{202e}"));
    assert_snapshot!(check(&answers, "test_tool", json!({"text": "you"}), cx()).await, @"
    hello you
    (allow, ok)
    ");
    assert_snapshot!(check(&answers, "test.tool", json!({"txt": "you"}), cx()).await, @"
    Invalid input: txt: no such parameter; did you mean `text`?
    test.tool takes text (string).
    (none, invalid_input)
    ");
    assert_snapshot!(check(&answers, "tool", json!({}), cx()).await, @"unknown tool: there is no such tool; did you mean `test.tool`?");
    assert_snapshot!(check(&answers, "xyzzy", json!({}), cx()).await, @"unknown xyzzy: there is no such tool");
    assert_snapshot!(check(&single_tool(Effect::Read, ToolBehavior::Fails), "test.tool", json!({}), cx()).await, @"
    Failed to look: the [31mserver is gone
    Call again.
    (allow, failed)
    ");
    assert_snapshot!(check(&single_tool(Effect::Read, ToolBehavior::Panics), "test.tool", json!({}), cx()).await, @"
    Error in test.tool: it panicked: index out of range
    This is a defect of zubi; the log on stderr has the details.
    (allow, fatal)
    ");
    assert_snapshot!(check(&single_tool(Effect::Read, ToolBehavior::PanicsInFootprint), "test.tool", json!({}), cx()).await, @"
    Error in test.tool: it panicked: no footprint
    This is a defect of zubi; the log on stderr has the details.
    (none, fatal)
    ");
}

#[tokio::test]
async fn tools_are_notified_of_cancellation_and_timeout() {
    let notified = Arc::new(AtomicBool::new(false));
    let fixture = single_tool(Effect::Read, ToolBehavior::WaitsForCancel(Arc::clone(&notified)));
    let cx_cancelled = cx();
    cx_cancelled.cancel.cancel();
    assert_snapshot!(check(&fixture, "test.tool", json!({}), cx_cancelled).await, @"
    Error in test.tool: the call was cancelled
    Call again if the answer is still wanted.
    (allow, cancelled)
    ");
    assert!(notified.swap(false, Ordering::SeqCst));
    let expired_cx = ToolCx { deadline: std::time::Instant::now(), ..cx() };
    assert_snapshot!(check(&fixture, "test.tool", json!({}), expired_cx).await, @"
    Error in test.tool: no answer within 0 s
    Narrow the query, or call again; `zubi serve --detach` leaves servers running between commands.
    (allow, timed_out)
    ");
    assert!(notified.load(Ordering::SeqCst));
    let expired_cx = ToolCx { deadline: std::time::Instant::now(), ..cx() };
    assert_snapshot!(check(&single_tool(Effect::Read, ToolBehavior::Hangs), "test.tool", json!({}), expired_cx).await, @"
    Error in test.tool: no answer within 0 s
    Narrow the query, or call again; `zubi serve --detach` leaves servers running between commands.
    (allow, timed_out)
    ");
    // A write is not stopped halfway, so it is not reported as failed.
    let expired_cx = ToolCx { deadline: std::time::Instant::now(), ..cx() };
    assert_snapshot!(check(&single_tool(Effect::Write, ToolBehavior::Hangs), "test.tool", json!({}), expired_cx).await, @"
    Error in test.tool: it was cancelled after it had begun, and may still run to its end
    Look at what it has changed before calling again.
    (allow, timed_out)
    ");
}

#[tokio::test]
async fn dropping_a_call_cancels_the_tool() {
    let notified = Arc::new(AtomicBool::new(false));
    let fixture = single_tool(Effect::Write, ToolBehavior::WaitsForCancel(Arc::clone(&notified)));
    let call = fixture.registry.call("test.tool", json!({}), cx());
    // Polled once, so that the tool runs, then dropped.
    assert!(tokio::time::timeout(Duration::ZERO, call).await.is_err());
    tokio::time::timeout(Duration::from_secs(10), async {
        while !notified.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
}

/// An approver that always gives the same answer, and counts the requests.
struct FixedApprover(ApprovalAnswer, std::sync::atomic::AtomicUsize);

#[async_trait]
impl Approver for FixedApprover {
    async fn request_approval(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.clone()
    }
}

#[tokio::test]
async fn required_approval_is_granted_or_refused() {
    let fixture = single_tool(Effect::Execute, ToolBehavior::Answers("done"));
    assert_snapshot!(check(&fixture, "test.tool", json!({}), cx()).await, @r#"
    Failed to run test.tool: it runs something whose effect cannot be known, and no one can approve it here
    The user can allow it with `allow = ["test.tool"]` in zubi.toml.
    (deny, approval_unavailable)
    "#);
    let fixed_approver = |answer| Arc::new(FixedApprover(answer, 0.into()));
    let with_approver =
        |approver: &Arc<FixedApprover>| ToolCx { approver: Arc::clone(approver) as Arc<dyn Approver>, ..cx() };
    assert_snapshot!(check(&fixture, "test.tool", json!({}), with_approver(&fixed_approver(ApprovalAnswer::Deny { text: None }))).await, @"
    Failed to run test.tool: the user denied it (it runs something whose effect cannot be known)
    Do not call it again for this; let the user decide what to do instead.
    (deny, denied)
    ");
    let once_approver = fixed_approver(ApprovalAnswer::allow_once());
    assert_snapshot!(check(&fixture, "test.tool", json!({}), with_approver(&once_approver)).await, @"
    done
    (approved, ok)
    ");
    let session = fixed_approver(ApprovalAnswer::Allow { option: 1, arguments: None });
    assert_snapshot!(check(&fixture, "test.tool", json!({}), with_approver(&session)).await, @"
    done
    (approved, ok)
    ");
    assert_snapshot!(check(&fixture, "test.tool", json!({}), with_approver(&session)).await, @"
    done
    (allow, ok)
    ");
    assert_eq!((once_approver.1.load(Ordering::SeqCst), session.1.load(Ordering::SeqCst)), (1, 1));
}
