//! Approvals: which calls they allow, for how long, and the effect of edited arguments.

use insta::assert_snapshot;
use serde_json::json;

use super::*;
use crate::cx::ApprovalScope;
use zubi_policy::rule::{Action, RuleText};
use zubi_policy::{ApprovalOption, PolicyPaths, RuleStore};

mod only_rules;

/// A tool that takes its argument `text` as a shell command.
struct Shell(ToolSpec);

#[async_trait]
impl Tool for Shell {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn footprint(&self, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let reading = zubi_policy::shell::read(args["text"].as_str().unwrap_or_default(), "/w".into());
        Ok(Footprint {
            commands: reading.commands,
            writes: reading.writes,
            unresolved: reading.unresolved,
            directory: Some("/w".into()),
            ..Footprint::from_effect(Effect::Execute)
        })
    }

    async fn call(&self, args: Value, _cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(format!("ran {}", args["text"].as_str().unwrap_or_default())))
    }
}

/// A store that holds its rules in memory.
#[derive(Debug, Default)]
struct MemoryRuleStore {
    rules: Mutex<Vec<(ApprovalScope, RuleText)>>,
    /// Whether the store refuses more rules.
    full: Mutex<bool>,
}

impl RuleStore for MemoryRuleStore {
    fn store(&self, scope: ApprovalScope, rule: &RuleText) -> Result<(), String> {
        if *self.full.lock().unwrap() {
            return Err("the disk is full".to_owned());
        }
        self.rules.lock().unwrap().push((scope, rule.clone()));
        Ok(())
    }
}

/// An approver that returns its answers in order, and records the requests.
struct Person {
    answers: Mutex<VecDeque<ApprovalAnswer>>,
    questions: Mutex<Vec<ApprovalRequest>>,
}

#[async_trait]
impl Approver for Person {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        self.questions.lock().unwrap().push(request);
        self.answers.lock().unwrap().pop_front().unwrap_or(ApprovalAnswer::Unavailable)
    }
}

/// A session with the given rules and those stored before, with an approver and a store for new rules.
struct Session {
    fixture: Fixture,
    rule_store: Arc<MemoryRuleStore>,
    person: Arc<Person>,
}

impl Session {
    fn new(rules: &[Value]) -> Self {
        let rule_store = Arc::new(MemoryRuleStore::default());
        let policy_paths = PolicyPaths { roots: vec!["/w".into()], ..PolicyPaths::default() };
        let rules = rules.iter().enumerate().map(|(at, rule)| (rule, format!("zubi.toml:{}", at + 1)));
        let policy = Policy::from_rules(ToolFilter::default(), rules, policy_paths);
        assert_eq!(policy.broken(), None);
        let tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(Shell(spec("shell.run", Effect::Execute))),
            Arc::new(Shell(spec("other.run", Effect::Execute))),
        ];
        let records = Arc::new(Records::default());
        let registry = Registry::new(RegistryConfig {
            providers: vec![provider("p", tools)],
            policy: policy.with_store(Arc::clone(&rule_store) as Arc<dyn RuleStore>),
            audit: Arc::clone(&records) as Arc<dyn AuditSink>,
            clock: Arc::new(FixedClock(Duration::from_secs(1))),
            restrictions: Restrictions::default(),
        });
        let person = Arc::new(Person { answers: Mutex::default(), questions: Mutex::default() });
        Self { fixture: Fixture { registry, records }, rule_store, person }
    }

    /// Returns the session that follows this one, with the rules that were stored for this scope.
    fn next_session(&self, scope: ApprovalScope) -> Self {
        let stored_rules = self.rule_store.rules.lock().unwrap();
        let rules = stored_rules.iter().filter(|(stored_scope, _)| *stored_scope == scope).map(|(_, rule)| json!(rule));
        Self::new(&rules.collect::<Vec<_>>())
    }

    fn queue_answer(&self, answer: ApprovalAnswer) {
        self.person.answers.lock().unwrap().push_back(answer);
    }

    async fn call_of(&self, tool: &str, text: &str) -> String {
        self.call_in(0, tool, text).await
    }

    async fn call_in(&self, session: u64, tool: &str, text: &str) -> String {
        let cx = ToolCx { approver: Arc::clone(&self.person) as Arc<dyn Approver>, ..session_cx(session) };
        check(&self.fixture, tool, json!({ "text": text }), cx).await
    }

    async fn call(&self, text: &str) -> String {
        self.call_of("shell.run", text).await
    }

    /// Returns whether a call would run without a prompt.
    fn is_allowed(&self, tool: &str, text: &str) -> bool {
        self.is_allowed_in(0, tool, text)
    }

    fn is_allowed_in(&self, session: u64, tool: &str, text: &str) -> bool {
        let policy_check =
            self.fixture.registry.check_policy(tool, json!({ "text": text }), &session_cx(session)).unwrap();
        policy_check.decision.action == Action::Allow
    }

    /// Returns the options of the last prompt.
    fn offered_options(&self) -> Vec<ApprovalOption> {
        self.person.questions.lock().unwrap().last().unwrap().options.clone()
    }
}

/// Creates the context of a call in the session of this number.
fn session_cx(session: u64) -> ToolCx {
    let cx = cx();
    ToolCx { caller: Arc::new(Caller { session, ..(*cx.caller).clone() }), ..cx }
}

fn allow_option(option: usize) -> ApprovalAnswer {
    ApprovalAnswer::Allow { option, arguments: None }
}

fn allow_edited(text: &str) -> ApprovalAnswer {
    ApprovalAnswer::Allow { option: 0, arguments: Some(json!({ "text": text })) }
}

/// X28: each scope allows the named calls, for its duration, and of that tool only.
#[tokio::test]
async fn approvals_apply_for_their_scope() {
    let session = Session::new(&[]);
    session.call("cargo test origin").await;
    let scopes: Vec<String> =
        session.offered_options().iter().map(|option| format!("{:?}: {}", option.scope, option.label)).collect();
    assert_snapshot!(scopes.join("\n"), @"
    Once: this call
    Session: exactly `cargo test origin` (shell.run), for this session
    Session: `cargo test` with any arguments that run, load or write nothing else (shell.run), for this session
    Workspace: `cargo test` with any arguments that run, load or write nothing else (shell.run), always in this workspace
    Always: `cargo test` with any arguments that run, load or write nothing else (shell.run), always and everywhere
    ");

    // The calls that run without a prompt in this session, then in the next one here, then in the next one elsewhere.
    for (option, this_session, next_in_workspace, next_elsewhere) in [
        (0, [false, false, false], [false; 3], [false; 3]),
        (1, [true, false, false], [false; 3], [false; 3]),
        (2, [true, true, false], [false; 3], [false; 3]),
        (3, [true, true, false], [true, true, false], [false; 3]),
        (4, [true, true, false], [false; 3], [true, true, false]),
    ] {
        let session = Session::new(&[]);
        session.queue_answer(allow_option(option));
        assert_eq!(session.call("cargo test origin").await, "ran cargo test origin\n(approved, ok)");
        let is_allowed = |session: &Session| {
            ["cargo test origin", "cargo test --release other", "cargo build"]
                .map(|text| session.is_allowed("shell.run", text))
        };
        assert_eq!(is_allowed(&session), this_session, "option {option}, this session");
        assert!(
            !session.is_allowed("other.run", "cargo test origin"),
            "option {option}: an approval applies to one tool"
        );
        assert_eq!(
            is_allowed(&session.next_session(ApprovalScope::Workspace)),
            next_in_workspace,
            "option {option}, this workspace"
        );
        assert_eq!(
            is_allowed(&session.next_session(ApprovalScope::Always)),
            next_elsewhere,
            "option {option}, everywhere"
        );
    }
}

/// One host serves many sessions: a rule for one session does not prevent prompts in the others.
#[tokio::test]
async fn session_approvals_apply_only_in_their_session() {
    // The sessions 0 to 2 that run it without a prompt after the approval in session 1, and after that session has
    // ended.
    for (option, during, after) in [
        (0, [false; 3], [false; 3]),
        (1, [false, true, false], [false; 3]),
        (2, [false, true, false], [false; 3]),
        (3, [true; 3], [true; 3]),
        (4, [true; 3], [true; 3]),
    ] {
        let host = Session::new(&[]);
        host.queue_answer(allow_option(option));
        assert_eq!(host.call_in(1, "shell.run", "cargo test").await, "ran cargo test\n(approved, ok)");
        let allowed_sessions = || [0, 1, 2].map(|session| host.is_allowed_in(session, "shell.run", "cargo test"));
        assert_eq!(allowed_sessions(), during, "option {option}");
        let shared_rules = usize::from(after[0]);
        assert_eq!(
            host.fixture.registry.policy().rules().len(),
            shared_rules,
            "option {option}: the rules of all sessions"
        );
        host.fixture.registry.end_session(2);
        assert_eq!(allowed_sessions(), during, "option {option}: the end of another session changes nothing");
        host.fixture.registry.end_session(1);
        assert_eq!(allowed_sessions(), after, "option {option}: the session has ended");
    }
}

/// A rule that cannot be written to a file does not reach other sessions in another way.
#[tokio::test]
async fn unstorable_approvals_apply_only_in_their_session() {
    let host = Session::new(&[]);
    *host.rule_store.full.lock().unwrap() = true;
    host.queue_answer(allow_option(4));
    host.call_in(1, "shell.run", "cargo test origin").await;
    assert_eq!([1, 2].map(|session| host.is_allowed_in(session, "shell.run", "cargo test origin")), [true, false]);
}

/// A prompt does not show the calls of other sessions.
#[tokio::test]
async fn prompts_list_only_calls_of_their_session() {
    let host = Session::new(&[]);
    for (session, text) in [(1, "cargo test one"), (2, "cargo test two"), (3, "cargo test three")] {
        host.queue_answer(allow_option(0));
        host.call_in(session, "shell.run", text).await;
    }
    let affected_calls = async |session| {
        host.call_in(session, "shell.run", "cargo test").await;
        host.offered_options().into_iter().flat_map(|option| option.would_also_allow).collect::<Vec<_>>()
    };
    for (session, text) in [(1, "one"), (2, "two")] {
        let affected = affected_calls(session).await;
        let expected = format!("shell.run: cargo test {text}");
        assert!(
            !affected.is_empty() && affected.iter().all(|call| *call == expected),
            "session {session}: {affected:?}"
        );
    }
    host.fixture.registry.end_session(2);
    assert!(affected_calls(2).await.is_empty(), "the calls of an ended session are deleted");
}

/// X28: before the user answers, the prompt shows which earlier calls the rule would also have allowed.
#[tokio::test]
async fn prompts_list_what_else_an_answer_allows() {
    let session = Session::new(&[]);
    for text in ["cargo test origin", "cargo test --release", "cargo build", "make"] {
        session.queue_answer(allow_option(0));
        session.call(text).await;
    }
    session.call("cargo test other").await;
    let options: Vec<String> = session
        .offered_options()
        .iter()
        .map(|option| format!("{}: {:?}", option.label, option.would_also_allow))
        .collect();
    assert_snapshot!(options.join("\n"), @r#"
    this call: []
    exactly `cargo test other` (shell.run), for this session: []
    `cargo test` with any arguments that run, load or write nothing else (shell.run), for this session: ["shell.run: cargo test --release", "shell.run: cargo test origin"]
    `cargo test` with any arguments that run, load or write nothing else (shell.run), always in this workspace: ["shell.run: cargo test --release", "shell.run: cargo test origin"]
    `cargo test` with any arguments that run, load or write nothing else (shell.run), always and everywhere: ["shell.run: cargo test --release", "shell.run: cargo test origin"]
    "#);
    // A call whose effect is unknown can be allowed once only.
    session.call("cargo test $X").await;
    assert_eq!(session.offered_options().len(), 1);
    // No prefix of an interpreter's arguments determines the effect, so the rule is for this exact text.
    session.call("python3 -c 'print(1)'").await;
    assert!(
        session.offered_options().iter().all(|option| !option.label.contains("any arguments")),
        "{:?}",
        session.offered_options()
    );
}

#[tokio::test]
async fn edited_arguments_are_validated_and_judged_again() {
    let deny = json!({"action": "deny", "command": ["rm"], "reason": "nothing is removed"});
    let allow = json!({"action": "allow", "command": ["ls", "*"]});
    let session = Session::new(&[deny, allow]);
    // An allowed edit runs without another prompt.
    session.queue_answer(allow_edited("ls -l"));
    assert_snapshot!(session.call("make").await, @r#"
    The user changed the arguments to {"text":"ls -l"}.
    ran ls -l
    (allow, ok)
    "#);
    // Denied arguments are denied, even if the user wrote them.
    session.queue_answer(allow_edited("make; rm x"));
    assert_snapshot!(session.call("make").await, @r#"
    Failed to run shell.run: it runs `rm x` (nothing is removed); see the rule at zubi.toml:1
    The user changed the arguments to {"text":"make; rm x"}.
    Do it another way, or let the user decide: `zubi policy explain` shows which rule denies it.
    (deny, denied)
    "#);
    // Arguments that need approval lead to a second prompt, which shows the new ones.
    session.queue_answer(allow_edited("make clean"));
    session.queue_answer(allow_option(0));
    assert_snapshot!(session.call("make").await, @r#"
    The user changed the arguments to {"text":"make clean"}.
    ran make clean
    (approved, ok)
    "#);
    let questions: Vec<String> =
        session.person.questions.lock().unwrap().iter().map(|question| question.reason.clone()).collect();
    assert_eq!(questions.last().unwrap(), "it runs `make clean`");
    // The record contains the arguments that ran, not the requested ones.
    let arguments = session.fixture.records.0.lock().unwrap().last().unwrap().arguments.clone();
    assert_eq!(arguments, json!({"text": "make clean"}));
    // Invalid arguments are reported.
    session.queue_answer(ApprovalAnswer::Allow { option: 0, arguments: Some(json!({"txt": "x"})) });
    assert_snapshot!(session.call("make").await, @r#"
    Invalid input: txt: no such parameter; did you mean `text`?
    The user changed the arguments to {"txt":"x"}.
    shell.run takes text (string).
    (deny, invalid_input)
    "#);
    // An approval for the session applies to the arguments shown, not to the edited ones.
    session.queue_answer(ApprovalAnswer::Allow { option: 1, arguments: Some(json!({"text": "make other"})) });
    session.queue_answer(allow_option(0));
    session.call("make").await;
    assert!(!session.is_allowed("shell.run", "make") && !session.is_allowed("shell.run", "make other"));
    // The number of edits is limited.
    for number in 0..20 {
        session.queue_answer(allow_edited(&format!("make {number}")));
    }
    assert_snapshot!(session.call("make").await, @r#"
    Failed to run shell.run: the arguments were edited too often
    The user changed the arguments to {"text":"make 8"}.
    Let the user decide what to do instead.
    (deny, denied)
    "#);
}

/// X28: the model receives the user's text from a denial.
#[tokio::test]
async fn ends_of_approval_prompts() {
    let session = Session::new(&[json!({"action": "ask", "command": ["make"], "reason": "it takes an hour"})]);
    session.queue_answer(ApprovalAnswer::Deny { text: Some(" use ninja \n".to_owned()) });
    assert_snapshot!(session.call("make").await, @"
    Failed to run shell.run: the user denied it (it runs `make` (it takes an hour)); they say: use ninja
    Do not call it again for this; let the user decide what to do instead.
    (deny, denied)
    ");
    assert_eq!(session.person.questions.lock().unwrap()[0].rule.as_deref(), Some("zubi.toml:1"));
    session.queue_answer(ApprovalAnswer::Unanswered { reason: "nobody answered within 300 s".to_owned() });
    assert_snapshot!(session.call("make").await, @"
    Failed to run shell.run: it needs the user's approval (it runs `make` (it takes an hour)), and nobody answered within 300 s
    Check with the user whether to do it, then call it again.
    (deny, denied)
    ");
}

/// An approver that never answers.
struct Away;

#[async_trait]
impl Approver for Away {
    async fn request_approval(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        std::future::pending().await
    }
}

/// X26: a call that is cancelled during the approval prompt ends at once.
#[tokio::test]
async fn a_cancelled_call_does_not_wait_for_an_answer() {
    let session = Session::new(&[]);
    let cx = ToolCx { approver: Arc::new(Away), ..cx() };
    let cancel = cx.cancel.clone();
    let call = check(&session.fixture, "shell.run", json!({"text": "make"}), cx);
    let cancelled = async {
        // The call reaches the prompt first.
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let (answer, ()) = tokio::join!(call, cancelled);
    assert_snapshot!(answer, @"
    Error in shell.run: the call was cancelled
    Call again if the answer is still wanted.
    (deny, cancelled)
    ");
}

/// Rules from the files of the user and of the workspace: order has no effect, and `deny` beats `ask` beats `allow`.
#[tokio::test]
async fn deny_beats_ask_beats_allow_across_files() {
    let allow = json!({"action": "allow", "command": ["git", "*"]});
    let ask = json!({"action": "ask", "command": ["git", "fetch|push"]});
    let deny = json!({"action": "deny", "command": ["git", "push"]});
    let mut rules = [allow, ask, deny];
    for _ in 0..2 {
        rules.reverse();
        let session = Session::new(&rules);
        let action = |text: &str| {
            let policy_check =
                session.fixture.registry.check_policy("shell.run", json!({ "text": text }), &cx()).unwrap();
            policy_check.decision.action
        };
        assert_eq!(
            (action("git log"), action("git fetch"), action("git push")),
            (Action::Allow, Action::Ask, Action::Deny)
        );
        // An approval for the session does not override a denial.
        session.queue_answer(allow_option(2));
        session.call("git fetch").await;
        assert_eq!(
            (action("git fetch"), action("git fetch; git push")),
            (Action::Ask, Action::Deny),
            "an `ask` rule still applies after an approval"
        );
    }
}

/// Values that the user marks as secret reach no model, whichever tool returns them.
#[tokio::test]
async fn answers_omit_user_secrets() {
    let mut session = Session::new(&[json!({"action": "allow", "tools": ["shell.run"], "command": ["echo", "*"]})]);
    let registry = std::mem::replace(&mut session.fixture.registry, Session::new(&[]).fixture.registry);
    session.fixture.registry = registry.with_redactor(Redactor::new(["correct horse".to_owned()]));
    assert_snapshot!(session.call("echo 'correct horse' ghp_abcdefghijklmnopqrstuvwxyz012345").await, @"
    ran echo '(redacted)' (redacted)
    [redacted: 1 env-secret, 1 github-token; the user can show a kind with `show-secrets`]
    (allow, ok)
    ");
    assert_snapshot!(session.call_of("shell.run", "'correct horse'").await, @r#"
    Failed to run shell.run: it runs `(redacted)`, and no one can approve it here
    The user can allow it in zubi.toml with
    [[policy]]
    action = "allow"
    tools = ["shell.run"]
    command = ["(redacted)"]
    (deny, approval_unavailable)
    "#);
}

/// A tool that another version may replace, and whose footprint changes.
struct ReplaceableTool {
    spec: ToolSpec,
    version: Arc<Mutex<&'static str>>,
    writes: Arc<Mutex<&'static str>>,
}

#[async_trait]
impl Tool for ReplaceableTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn version(&self) -> Option<String> {
        Some((*self.version.lock().unwrap()).to_owned())
    }

    fn footprint(&self, _args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let writes = *self.writes.lock().unwrap();
        let writes = Some(writes.into()).filter(|_| !writes.is_empty());
        Ok(Footprint { writes: writes.into_iter().collect(), ..Footprint::from_effect(Effect::Execute) })
    }

    async fn call(&self, _args: Value, _cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("ran".to_owned()))
    }
}

/// An approver that runs a function before each answer.
struct ActingApprover<F>(ApprovalAnswer, F);

#[async_trait]
impl<F: Fn() + Send + Sync> Approver for ActingApprover<F> {
    async fn request_approval(&self, _request: ApprovalRequest) -> ApprovalAnswer {
        (self.1)();
        self.0.clone()
    }
}

#[tokio::test]
async fn approval_covers_only_the_prompted_call() {
    let version = Arc::new(Mutex::new("1"));
    let writes = Arc::new(Mutex::new(""));
    let spec = spec("other.run", Effect::Execute);
    let tool = ReplaceableTool { spec, version: Arc::clone(&version), writes: Arc::clone(&writes) };
    let fixture = registry(vec![provider("p", vec![Arc::new(tool)])]);
    let call = async |answer: ApprovalAnswer, action: Box<dyn Fn() + Send + Sync>| {
        let cx = ToolCx { approver: Arc::new(ActingApprover(answer, action)), ..cx() };
        check(&fixture, "other.run", json!({}), cx).await
    };
    assert_snapshot!(call(allow_option(0), Box::new(|| {})).await, @"
    ran
    (approved, ok)
    ");
    let swap = Arc::clone(&writes);
    assert_snapshot!(call(allow_option(0), Box::new(move || *swap.lock().unwrap() = "/elsewhere/b")).await, @"
    Failed to run other.run: what it would touch has changed during the approval prompt
    Call it again: the new approval prompt shows what it would touch now.
    (deny, failed)
    ");
    *writes.lock().unwrap() = "";
    // For the session; then the tool is replaced by another version.
    assert!(call(allow_option(1), Box::new(|| {})).await.starts_with("ran"));
    let call_unattended = || call(ApprovalAnswer::Unavailable, Box::new(|| {}));
    assert!(call_unattended().await.starts_with("ran"));
    *version.lock().unwrap() = "2";
    assert!(call_unattended().await.contains("no one can approve it here"));
    *version.lock().unwrap() = "1";
    assert!(call_unattended().await.contains("no one can approve it here"), "a discarded approval does not return");
}
