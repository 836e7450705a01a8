//! Parallel calls, calls that require approval, and calls that are stopped.

use std::sync::Arc;

use camino::Utf8PathBuf;
use proptest::prelude::*;
use serde_json::{Value, json};
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest};
use zubi_tool_api::{Effect, Footprint};

use super::tools::{Provider, SharedState};
use super::world::{World, call, calls, text_reply, with_deadline};
use crate::event::EventKind;
use crate::journal::Journal;
use crate::questions::{ApproverFactory as _, Questions, auto_approve_rule};
use crate::run::schedule::CallAccess;
use zubi_models::message::ToolCall;

fn blocking_call(tool: &str, name: &str, paths: &[&str]) -> ToolCall {
    call(name, &format!("test_{tool}"), json!({"name": name, "touches": paths, "held": true}))
}

fn instant(tool: &str, name: &str) -> ToolCall {
    call(name, &format!("test_{tool}"), json!({"name": name}))
}

#[tokio::test]
async fn reading_calls_run_in_parallel_and_are_recorded_in_order() {
    let shared = SharedState::new();
    let answer =
        calls("", &[blocking_call("look", "a", &[]), blocking_call("look", "b", &[]), blocking_call("look", "c", &[])]);
    let mut world = World::with_tools(Provider::new(&shared), vec![answer, text_reply("done")]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    shared.wait_until_running(&["a", "b", "c"]).await;
    shared.release(&["c"]);
    shared.wait_until_running(&["a", "b"]).await;
    shared.release(&["a", "b"]);
    with_deadline("the end", turn).await.unwrap();
    insta::assert_snapshot!(world.render_events(), @r#"
    > go
    #1
    <  a=test_look{"name":"a","touches":[],"held":true} b=test_look{"name":"b","touches":[],"held":true} c=test_look{"name":"c","touches":[],"held":true}
      a Hold: a [Read]
      b Hold: b [Read]
      c Hold: c [Read]
      a = a was held
      b = b was held
      c = c was held
    #2
    < done
    = Completed after 2/3: done
    "#);
}

#[tokio::test]
async fn at_most_eight_calls_run_at_once() {
    let shared = SharedState::new();
    let names: Vec<String> = (0..12).map(|n| format!("c{n}")).collect();
    let all: Vec<ToolCall> = names.iter().map(|name| blocking_call("look", name, &[])).collect();
    let mut world = World::with_tools(Provider::new(&shared), vec![calls("", &all), text_reply("done")]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    shared.wait("eight run", |state| state.running.len() == 8).await;
    shared.release(&names.iter().map(String::as_str).collect::<Vec<_>>());
    with_deadline("the end", turn).await.unwrap();
    assert_eq!(shared.state.borrow().max_running, 8);
    assert_eq!(shared.state.borrow().ended.len(), 12);
}

#[tokio::test]
async fn conflicting_calls_wait_for_each_other() {
    let shared = SharedState::new();
    let answer = calls(
        "",
        &[
            blocking_call("write", "w1", &["a/x"]),
            blocking_call("write", "w2", &["b"]),
            blocking_call("look", "r1", &["c"]),
            // Inside a written path: this call and all later ones wait.
            blocking_call("look", "r2", &["a/x/y"]),
            blocking_call("look", "r3", &["d"]),
        ],
    );
    let mut world = World::with_tools(Provider::new(&shared), vec![answer, text_reply("done")]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    shared.wait_until_running(&["w1", "w2", "r1"]).await;
    shared.release(&["w1"]);
    shared.wait_until_running(&["w2", "r1", "r2", "r3"]).await;
    shared.release(&["w2", "r1", "r2", "r3"]);
    let ended = with_deadline("the end", turn).await.unwrap();
    assert_eq!(ended.calls, 5);
}

/// Answers the waiting approval prompt.
async fn answer(world: &World, answer: ApprovalAnswer) -> Value {
    let find_prompt = |kind: &EventKind| match kind {
        EventKind::Question { question, request, .. } => Some((question.clone(), request.clone())),
        _ => None,
    };
    let (question, request) = world.journal.wait("a question", find_prompt).await;
    world.questions.answer(&question, answer, "web").unwrap();
    request
}

#[tokio::test]
async fn approved_calls_run_alone_with_the_edited_arguments() {
    let shared = SharedState::new();
    let answers =
        vec![calls("", &[instant("look", "a"), instant("run", "b"), instant("look", "c")]), text_reply("done")];
    let mut world = World::with_tools(Provider::new(&shared), answers);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    let edited = ApprovalAnswer::Allow { option: 0, arguments: Some(json!({"name": "other"})) };
    answer(&world, edited).await;
    // The policy judges the edited arguments again, and requires approval for them.
    let second = |kind: &EventKind| match kind {
        EventKind::Question { question, request, .. } if question == "id-2" => Some(request["arguments"].to_string()),
        _ => None,
    };
    assert_eq!(world.journal.wait("the second question", second).await, r#"{"name":"other"}"#);
    world.questions.answer("id-2", ApprovalAnswer::allow_once(), "editor").unwrap();
    let unknown = world.questions.answer("id-2", ApprovalAnswer::allow_once(), "web").unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "no question `id-2` waits for an answer: it was answered, or its turn has ended. Open the conversation again."
    );
    with_deadline("the end", turn).await.unwrap();
    insta::assert_snapshot!(world.render_events(), @r#"
    > go
    #1
    <  a=test_look{"name":"a"} b=test_run{"name":"b"} c=test_look{"name":"c"}
      a Hold: a [Read]
      a = a was held
      b Hold: b [Execute]
      b ? id-1: it runs `hold b`
      id-1 = {"allow":{"option":0,"arguments":{"name":"other"}}} by web
      b ? id-2: it runs `hold other`
      id-2 = {"allow":{"option":0,"arguments":null}} by editor
      b = The user changed the arguments to {"name":"other"}. / other was held
      c Hold: c [Read]
      c = c was held
    #2
    < done
    = Completed after 2/3: done
    "#);
}

#[tokio::test]
async fn a_denial_is_reported_with_its_text() {
    let shared = SharedState::new();
    let mut world =
        World::with_tools(Provider::new(&shared), vec![calls("", &[instant("run", "a")]), text_reply("Then not.")]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    answer(&world, ApprovalAnswer::Deny { text: Some("not on a Friday".to_owned()) }).await;
    with_deadline("the end", turn).await.unwrap();
    insta::assert_snapshot!(world.render_events(), @r#"
    > go
    #1
    <  a=test_run{"name":"a"}
      a Hold: a [Execute]
      a ? id-1: it runs `hold a`
      id-1 = {"deny":{"text":"not on a Friday"}} by web
      a = Failed to run test.run: the user denied it (it runs `hold a`); they say: not on a Friday / Do not call it again for this; let the user decide what to do instead. (denied)
    #2
    < Then not.
    = Completed after 2/1: Then not.
    "#);
}

#[tokio::test]
async fn stopping_the_turn_withdraws_waiting_approval_prompts() {
    let shared = SharedState::new();
    let mut world =
        World::with_tools(Provider::new(&shared), vec![calls("", &[instant("run", "a"), instant("look", "b")])]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    world.journal.wait("a question", |kind| matches!(kind, EventKind::Question { .. }).then_some(())).await;
    world.stop.cancel();
    with_deadline("the end", turn).await.unwrap();
    assert_eq!(world.questions.open_count(), 0);
    insta::assert_snapshot!(world.render_events(), @r#"
    > go
    #1
    <  a=test_run{"name":"a"} b=test_look{"name":"b"}
      a Hold: a [Execute]
      a ? id-1: it runs `hold a`
      b Hold: b
      id-1 = {"unanswered":{"how":"the turn was stopped before they answered"}} by zubi
      a = Not made. The turn ended before the user answered the approval prompt. (cancelled)
      b = Not made. The turn was stopped. (cancelled)
    = Stopped after 1/2: The turn was stopped. / Calls made: none. / Calls requested but not made: 2. / The remaining work is not known.
    "#);
}

#[tokio::test]
async fn stopping_the_turn_cancels_running_calls() {
    let shared = SharedState::new();
    let answer = calls(
        "Both.",
        &[blocking_call("look", "a", &[]), blocking_call("write", "b", &["x"]), blocking_call("write", "c", &["x"])],
    );
    let mut world = World::with_tools(Provider::new(&shared), vec![answer]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    shared.wait_until_running(&["a"]).await;
    world.stop.cancel();
    with_deadline("the end", turn).await.unwrap();
    let state = shared.wait("nothing runs", |state| state.running.is_empty()).await;
    assert!(state.ended.values().all(|cancelled| *cancelled), "{state:?}");
    insta::assert_snapshot!(world.render_events(), @r#"
    > go
    #1
    < Both. a=test_look{"name":"a","touches":[],"held":true} b=test_write{"name":"b","touches":["x"],"held":true} c=test_write{"name":"c","touches":["x"],"held":true}
      a Hold: a [Read]
      b Hold: b
      c Hold: c
      a = Error in test.look: the call was cancelled / Call again if the answer is still wanted. (cancelled)
      b = Not made. The turn was stopped. (cancelled)
      c = Not made. The turn was stopped. (cancelled)
    = Stopped after 1/3: The turn was stopped. / Calls made: test.look 1 (1 failed). / Calls requested but not made: 2. / The last words of the model: Both. / The remaining work is not known.
    "#);
}

#[tokio::test]
async fn a_stopped_command_has_failed() {
    let shared = SharedState::new();
    let mut world =
        World::with_tools(Provider::new(&shared), vec![calls("", &[blocking_call("run", "a command", &[])])]);
    world.auto_approve(&["test.run:hold *"]);
    world.budgets.time = Some(std::time::Duration::from_millis(200));
    insta::assert_snapshot!(world.run("go").await, @r#"
    > go
    #1
    <  a command=test_run{"name":"a command","touches":[],"held":true}
      a command Hold: a command [Execute]
      a command ? id-1: it runs `hold a command`
      id-1 = {"allow":{"option":0,"arguments":null}} by --auto-approve
      a command = (no output) Any changes that it had already made remain. (cancelled)
    = Time after 1/1: The time limit of 0.2 s has passed. / Calls made: test.run 1 (1 failed). / The remaining work is not known.
      problem: The time limit of 0.2 s has passed. Send “continue” in this conversation, or raise the limit.
    "#);
}

#[tokio::test]
async fn the_time_limit_stops_running_calls() {
    let shared = SharedState::new();
    let mut world = World::with_tools(Provider::new(&shared), vec![calls("", &[blocking_call("write", "a", &["x"])])]);
    world.budgets.time = Some(std::time::Duration::from_millis(200));
    insta::assert_snapshot!(world.run("go").await, @r#"
    > go
    #1
    <  a=test_write{"name":"a","touches":["x"],"held":true}
      a Hold: a [Write]
      a = Error in test.write: the call was cancelled / Call again if the answer is still wanted. Any changes that it had already made remain. (cancelled)
    = Time after 1/1: The time limit of 0.2 s has passed. / Calls made: test.write 1 (1 failed). / The remaining work is not known.
      problem: The time limit of 0.2 s has passed. Send “continue” in this conversation, or raise the limit.
    "#);
}

#[tokio::test]
async fn dropping_the_turn_leaves_nothing_running() {
    let shared = SharedState::new();
    let answer = calls("", &[blocking_call("look", "a", &[]), blocking_call("look", "b", &[])]);
    let mut world = World::with_tools(Provider::new(&shared), vec![answer]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    shared.wait_until_running(&["a", "b"]).await;
    turn.abort();
    let state = shared.wait("nothing runs", |state| state.running.is_empty()).await;
    assert!(state.ended.values().all(|cancelled| *cancelled), "{state:?}");
}

#[tokio::test]
async fn a_new_tool_is_available_in_the_next_iteration() {
    let shared = SharedState::new();
    let answers = vec![
        calls("", &[instant("look", "a")]),
        calls("", &[call("n", "test_new", json!({"name": "n"}))]),
        text_reply("done"),
    ];
    let mut world = World::with_tools(Provider::new(&shared), answers);
    let shared_state = Arc::clone(&shared);
    world.set_before(move |count| {
        if count == 1 {
            shared_state.add_tool("test.new");
        }
    });
    world.run("go").await;
    let seen = world.model.received.lock().unwrap();
    let is_available: Vec<bool> = seen.iter().map(|seen| seen.tools.contains(&"test_new".to_owned())).collect();
    assert_eq!(is_available.first(), Some(&false));
    assert_eq!(is_available.last(), Some(&true), "{is_available:?}");
}

#[tokio::test]
async fn auto_approve_rules_do_not_cover_command_chains() {
    let shared = SharedState::new();
    let mut world =
        World::with_tools(Provider::new(&shared), vec![calls("", &[instant("run", "a")]), text_reply("done")]);
    world.auto_approve(&["test.run:hold *"]);
    insta::assert_snapshot!(world.run("go").await, @r#"
    > go
    #1
    <  a=test_run{"name":"a"}
      a Hold: a [Execute]
      a ? id-1: it runs `hold a`
      id-1 = {"allow":{"option":0,"arguments":null}} by --auto-approve
      a = a was held
    #2
    < done
    = Completed after 2/1: done
    "#);

    let chain = call("a", "shell_run", json!({"command": "cargo test --quiet && rm -rf x"}));
    let mut world = World::new(&[], vec![calls("", &[chain])]);
    world.auto_approve(&["shell.run:cargo test *"]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    // The call requires approval, and no rule answers.
    world.journal.wait("a question", |kind| matches!(kind, EventKind::Question { .. }).then_some(())).await;
    assert_eq!(world.questions.open_count(), 1);
    world.stop.cancel();
    with_deadline("the end", turn).await.unwrap();

    let single = call("a", "shell_run", json!({"command": "cargo test --quiet"}));
    let mut world = World::new(&[], vec![calls("", &[single]), text_reply("done")]);
    world.auto_approve(&["shell.run:cargo test *"]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    let surface = |kind: &EventKind| match kind {
        EventKind::Decision { surface, .. } => Some(surface.clone()),
        _ => None,
    };
    assert_eq!(world.journal.wait("a decision", surface).await, "--auto-approve");
    world.stop.cancel();
    with_deadline("the end", turn).await.unwrap();
}

/// For example, a host whose rules have just changed, or cannot be read any more.
#[tokio::test]
async fn a_prompt_for_an_unknown_reason_is_not_auto_approved() {
    let writes = |path: Utf8PathBuf| ApprovalRequest {
        tool: "file.write".to_owned(),
        reason: "it writes".to_owned(),
        rule: None,
        footprint: Footprint { writes: vec![path], ..Footprint::from_effect(Effect::Write) },
        arguments: json!({}),
        options: Vec::new(),
    };
    let world = World::new(&[], Vec::new());
    assert!(is_answered(&world, "file.write", writes("/elsewhere/a".into())).await);
    assert!(!is_answered(&world, "file.write", writes(world.root.join("work/a"))).await);
    let broken = World::with_settings("[[policy]]\naction = 'ask'\n");
    assert!(!is_answered(&broken, "file.write", writes("/elsewhere/a".into())).await);
}

/// The rules of a run do not decide about a call that the user's settings allow anyway.
#[tokio::test]
async fn rules_of_a_run_are_combined_with_the_settings() {
    let request = || ApprovalRequest {
        tool: "shell.run".to_owned(),
        reason: "it removes".to_owned(),
        rule: None,
        footprint: Footprint {
            commands: ["touch", "rm"].map(|program| vec![program.to_owned(), "a".to_owned()]).to_vec(),
            directory: Some("/work".into()),
            ..Footprint::from_effect(Effect::Execute)
        },
        arguments: json!({}),
        options: Vec::new(),
    };
    let ask_policy = "[[policy]]\naction = 'ask'\ncommand = ['rm']\n";
    let world = World::with_settings(&format!("allow = ['shell.run']\n{ask_policy}"));
    assert!(is_answered(&world, "shell.run:rm *", request()).await);
    assert!(!is_answered(&world, "shell.run:touch *", request()).await);
    assert!(!is_answered(&World::with_settings(ask_policy), "shell.run:rm *", request()).await);
}

/// Whether a rule of the run answers the approval prompt; no client does.
async fn is_answered(world: &World, rule: &str, request: ApprovalRequest) -> bool {
    let questions = Questions::new(Arc::clone(&world.service), &[auto_approve_rule(rule).unwrap()]).unwrap();
    world.stop.cancel();
    let journal = Arc::clone(&world.journal) as Arc<dyn Journal>;
    match questions.approver_for(1, "a", journal, world.stop.clone()).request_approval(request).await {
        ApprovalAnswer::Unanswered { .. } => false,
        answer => {
            assert_eq!(answer, ApprovalAnswer::allow_once());
            true
        }
    }
}

fn any_access() -> impl Strategy<Value = CallAccess> {
    let path = prop::sample::select(vec!["/w/a", "/w/a/b", "/w/ab", "/w/c", "/w"]);
    let paths = prop::collection::vec(path.prop_map(camino::Utf8PathBuf::from), 1..3);
    prop_oneof![
        Just(CallAccess::Reads(None)),
        paths.clone().prop_map(|paths| CallAccess::Reads(Some(paths))),
        paths.prop_map(CallAccess::Changes),
        Just(CallAccess::Alone),
    ]
}

proptest! {
    /// Two calls run at the same time only if no path that one changes contains, or is inside, a path of the other.
    #[test]
    fn only_independent_calls_run_together(one in any_access(), other in any_access()) {
        let components = |path: &camino::Utf8PathBuf| path.components().map(|it| it.to_string()).collect::<Vec<_>>();
        let overlap = |ours: &[camino::Utf8PathBuf], theirs: &[camino::Utf8PathBuf]| {
            ours.iter().any(|ours| {
                theirs.iter().any(|theirs| components(ours).iter().zip(&components(theirs)).all(|(ours, theirs)| ours == theirs))
            })
        };
        let expected = match (&one, &other) {
            (CallAccess::Alone, _) | (_, CallAccess::Alone) => true,
            (CallAccess::Reads(_), CallAccess::Reads(_)) => false,
            (CallAccess::Changes(_), CallAccess::Reads(None)) | (CallAccess::Reads(None), CallAccess::Changes(_)) => true,
            (CallAccess::Changes(ours), CallAccess::Changes(theirs) | CallAccess::Reads(Some(theirs))) => {
                overlap(ours, theirs)
            }
            (CallAccess::Reads(Some(ours)), CallAccess::Changes(theirs)) => overlap(ours, theirs),
        };
        prop_assert_eq!(one.conflicts(&other), expected);
        prop_assert_eq!(other.conflicts(&one), expected);
    }
}
