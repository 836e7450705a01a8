//! Events during a call: progress, approval requests, cancellation, and the end of either side.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use zubi_base::rpc::ConnectionError;
use zubi_host::{CallRequest, RemoteHost, ToolService as _};
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalScope, Approver, Caller, NoApprover};

use crate::world::{FakeUser, TEST_TIMEOUT, World, call_context, request};

#[tokio::test(flavor = "multi_thread")]
async fn the_user_of_a_client_is_prompted_and_the_answer_applies() {
    let world = World::new(&[], "[[policy]]\naction = 'ask'\ntools = ['file.write']\nreason = 'look at it'\n");
    let remote = world.remote().await;
    let write = |content: &str| request("file.write", json!({ "path": "new.txt", "content": content }));
    let denier = FakeUser::with_answer(ApprovalAnswer::Deny { text: Some("not today".to_owned()) });
    let answer = remote.call(&write("one"), &call_context(Arc::clone(&denier) as _)).await.unwrap();
    assert!(answer.text.contains("not today"), "{}", answer.text);
    assert!(!world.root.join("work/new.txt").exists());
    let question = denier.requests.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap();
    assert_eq!((question.tool.as_str(), question.footprint.writes.len()), ("file.write", 1));
    assert!(question.reason.contains("look at it") && !question.options.is_empty(), "{question:?}");

    // The user may edit the arguments; the call then uses the edited ones.
    let edited = json!({ "path": "new.txt", "content": "edited" });
    let approver = FakeUser::with_answer(ApprovalAnswer::Allow { option: 0, arguments: Some(edited) });
    let answer = remote.call(&write("two"), &call_context(approver)).await.unwrap();
    assert_eq!(answer.failure, None, "{}", answer.text);
    assert_eq!(std::fs::read_to_string(world.root.join("work/new.txt")).unwrap(), "edited");

    let answer = remote.call(&write("three"), &call_context(Arc::new(NoApprover))).await.unwrap();
    assert_eq!(answer.failure, Some(zubi_tool_api::ErrorCode::ApprovalUnavailable), "{}", answer.text);
}

/// An approval for the session by the user behind one client does not hold for the user behind another client or a
/// later one.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_approval_ends_with_its_connection() {
    let world = World::new(&[], "");
    // Writing files that control other programs requires approval.
    let write = || request("file.write", json!({ "path": ".vscode/tasks.json", "content": "{}" }));
    let call = async |client: &RemoteHost, approver: Arc<dyn Approver>| {
        client.call(&write(), &call_context(approver)).await.unwrap().failure
    };
    let no_approver = || Arc::new(NoApprover);
    let refused = Some(zubi_tool_api::ErrorCode::ApprovalUnavailable);
    let (first, second) = (world.remote().await, world.remote().await);
    let user = FakeUser::with_answer(ApprovalAnswer::Allow { option: 1, arguments: None });
    assert_eq!(call(&first, Arc::clone(&user) as _).await, None);
    let question = user.requests.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap();
    assert_eq!(question.options[1].scope, ApprovalScope::Session);
    assert_eq!(call(&first, no_approver()).await, None, "approved for the session");
    assert_eq!(call(&second, no_approver()).await, refused, "not approved for another client");
    let own = world.host.call(&write(), &call_context(no_approver())).await.unwrap();
    assert_eq!(own.failure, refused, "not approved for the host's own session");

    drop(first);
    let mut connected = world.published.client_count();
    tokio::time::timeout(TEST_TIMEOUT, connected.wait_for(|count| *count == 1)).await.unwrap().unwrap();
    assert_eq!(call(&world.remote().await, no_approver()).await, refused, "not approved for a later client");
}

/// One client may represent several users: an approval in one conversation does not hold in the others.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_approval_is_limited_to_its_conversation() {
    let world = World::new(&[], "");
    let remote = world.remote().await;
    let call = async |session: u64, approver: Arc<dyn Approver>| {
        let write = request("file.write", json!({ "path": ".vscode/tasks.json", "content": "{}" }));
        let caller = Arc::new(Caller { session, ..(*write.caller).clone() });
        remote.call(&CallRequest { caller, ..write }, &call_context(approver)).await.unwrap().failure
    };
    let no_approver = || Arc::new(NoApprover);
    let refused = Some(zubi_tool_api::ErrorCode::ApprovalUnavailable);
    assert_eq!(call(7, FakeUser::with_answer(ApprovalAnswer::Allow { option: 1, arguments: None })).await, None);
    assert_eq!(call(7, no_approver()).await, None, "approved for the session");
    for other in [0, 1, 2, 8, u64::MAX] {
        assert_eq!(call(other, no_approver()).await, refused, "not approved for session {other}");
    }
}

/// A client that declares approval prompts and returns an invalid answer has denied the call.
#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_answer_is_a_denial() {
    let world = World::new(&[], "[[policy]]\naction = 'ask'\ntools = ['file.write']\n");
    let client = world.client(|_, _| json!({ "yes": "of course" })).await;
    let arguments = json!({ "path": "new.txt", "content": "x" });
    let params = json!({ "tool": "file.write", "arguments": arguments, "asks": true, "token": 1 });
    let answer = client.request("tools/call", params).await.unwrap();
    assert_eq!(answer["isError"], true, "{answer}");
    assert!(!world.root.join("work/new.txt").exists());
}

/// Restrictions of one call do not affect other calls of the client, and a slow call does not delay others.
#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_call_can_be_cancelled_and_delays_no_others() {
    let world = World::new(&[], "[[policy]]\naction = 'ask'\ntools = ['file.write']\n");
    let prompt_count = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&prompt_count);
    let client = world
        .client(move |_, _| {
            *counter.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            json!("Unavailable")
        })
        .await;
    let remote = world.remote().await;
    let context = call_context(Arc::new(NeverAnswers));
    let cancel = context.cancel.clone();
    let write = request("file.write", json!({ "path": "new.txt", "content": "x" }));
    let running = tokio::spawn(async move { remote.call(&write, &context).await.map(|answer| answer.failure) });
    for _ in 0..20 {
        client.request("ping", json!(null)).await.unwrap();
    }
    cancel.cancel();
    let started = Instant::now();
    let answer = tokio::time::timeout(TEST_TIMEOUT, running).await.unwrap().unwrap().unwrap();
    assert_eq!(answer, Some(zubi_tool_api::ErrorCode::Cancelled));
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(!world.root.join("work/new.txt").exists());
    assert_eq!(*prompt_count.lock().unwrap_or_else(PoisonError::into_inner), 0, "another client was prompted");
}

/// A user who never answers.
struct NeverAnswers;

#[async_trait::async_trait]
impl zubi_tool_api::cx::Approver for NeverAnswers {
    async fn request_approval(&self, _request: zubi_tool_api::cx::ApprovalRequest) -> ApprovalAnswer {
        std::future::pending().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_are_disconnected_when_the_host_closes() {
    let world = World::new(&[], "");
    let client = world.client(|_, _| json!(null)).await;
    assert_eq!(*world.published.client_count().borrow(), 1);
    world.published.close().await;
    let error = client.request("ping", json!(null)).await.unwrap_err();
    assert!(matches!(error, ConnectionError::Closed { .. }), "{error:?}");
    assert_eq!(*world.published.client_count().borrow(), 0);
    let names: Vec<_> = world.root.join("run").read_dir_utf8().unwrap().flatten().collect();
    assert!(names.is_empty(), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn client_details_are_in_the_status() {
    let world = World::new(&[], "");
    let client = world.client(|_, _| json!(null)).await;
    let params = json!({ "protocol": 1, "client": "an\u{1b}[31magent\n1", "pid": 12 });
    let info = client.request("host/info", params).await.unwrap();
    assert_eq!((info["kind"].as_str(), info["trusted"].as_bool()), (Some("front"), Some(true)), "{info}");
    let status = client.request("host/status", json!(null)).await.unwrap();
    let one = &status["clients"][0];
    assert_eq!((one["over"].as_str(), one["pid"].as_u64()), (Some("socket"), Some(u64::from(std::process::id()))));
    let name = one["client"].as_str().unwrap();
    assert!(name.contains("agent") && !name.contains(['\u{1b}', '\n']), "{name:?}");
    let refused = client.request_error("host/info", json!({ "protocol": 2 })).await;
    insta::assert_snapshot!(refused, @"-32602 [protocol]: this host (zubi 0.1.0) speaks version 1 of the protocol, not 2");
    let refused = client.request_error("host/shutdown", json!(null)).await;
    insta::assert_snapshot!(refused, @"-32600: only a daemon ends on request; this host is of the kind `agent`");
}
