//! Everything that lives as long as a call: progress, approval requests, cancellation, and the end of either side.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use zubi_base::rpc::ConnectionError;
use zubi_host::{CallRequest, RemoteHost, ToolService as _};
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalScope, Approver, Caller, NoApprover};

use crate::world::{PATIENCE, Person, World, circumstances, request};

#[tokio::test(flavor = "multi_thread")]
async fn the_person_behind_a_client_is_asked_and_his_answer_counts() {
    let world = World::new(&[], "[[policy]]\naction = 'ask'\ntools = ['file.write']\nreason = 'look at it'\n");
    let remote = world.remote().await;
    let write = |content: &str| request("file.write", json!({ "path": "new.txt", "content": content }));
    let no = Person::with_answer(ApprovalAnswer::Deny { text: Some("not today".to_owned()) });
    let answer = remote.call(write("one"), circumstances(Arc::clone(&no) as _)).await.unwrap();
    assert!(answer.text.contains("not today"), "{}", answer.text);
    assert!(!world.root.join("work/new.txt").exists());
    let question = no.asked.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap();
    assert_eq!((question.tool.as_str(), question.footprint.writes.len()), ("file.write", 1));
    assert!(question.why.contains("look at it") && !question.options.is_empty(), "{question:?}");

    // The user may edit the arguments; the edited ones are used.
    let edited = json!({ "path": "new.txt", "content": "edited" });
    let yes = Person::with_answer(ApprovalAnswer::Allow { option: 0, arguments: Some(edited) });
    let answer = remote.call(write("two"), circumstances(yes)).await.unwrap();
    assert_eq!(answer.failure, None, "{}", answer.text);
    assert_eq!(std::fs::read_to_string(world.root.join("work/new.txt")).unwrap(), "edited");

    let answer = remote.call(write("three"), circumstances(Arc::new(NoApprover))).await.unwrap();
    assert_eq!(answer.failure, Some(zubi_tool_api::Code::ApprovalUnavailable), "{}", answer.text);
}

/// An approval for the session by the user behind one client does not hold for the user behind another client or a
/// later one.
#[tokio::test(flavor = "multi_thread")]
async fn a_yes_for_the_session_ends_with_the_connection_and_is_for_no_other() {
    let world = World::new(&[], "");
    // Files that control other programs are not written without approval.
    let write = || request("file.write", json!({ "path": ".vscode/tasks.json", "content": "{}" }));
    let call = async |client: &RemoteHost, approver: Arc<dyn Approver>| {
        client.call(write(), circumstances(approver)).await.unwrap().failure
    };
    let nobody = || Arc::new(NoApprover);
    let refused = Some(zubi_tool_api::Code::ApprovalUnavailable);
    let (first, second) = (world.remote().await, world.remote().await);
    let person = Person::with_answer(ApprovalAnswer::Allow { option: 1, arguments: None });
    assert_eq!(call(&first, Arc::clone(&person) as _).await, None);
    let question = person.asked.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap();
    assert_eq!(question.options[1].scope, ApprovalScope::Session);
    assert_eq!(call(&first, nobody()).await, None, "the person has said yes for the session");
    assert_eq!(call(&second, nobody()).await, refused, "another client's person has said nothing");
    let own = world.host.call(write(), circumstances(nobody())).await.unwrap();
    assert_eq!(own.failure, refused, "the host's own session is another one too");

    drop(first);
    let mut connected = world.shared.client_count();
    tokio::time::timeout(PATIENCE, connected.wait_for(|count| *count == 1)).await.unwrap().unwrap();
    assert_eq!(call(&world.remote().await, nobody()).await, refused, "who comes later gets nothing of it");
}

/// One client may represent several users: an approval in one conversation does not hold in the others.
#[tokio::test(flavor = "multi_thread")]
async fn a_yes_in_one_conversation_is_none_in_another_over_the_same_connection() {
    let world = World::new(&[], "");
    let remote = world.remote().await;
    let call = async |session: u64, approver: Arc<dyn Approver>| {
        let write = request("file.write", json!({ "path": ".vscode/tasks.json", "content": "{}" }));
        let caller = Arc::new(Caller { session, ..(*write.caller).clone() });
        remote.call(CallRequest { caller, ..write }, circumstances(approver)).await.unwrap().failure
    };
    let nobody = || Arc::new(NoApprover);
    let refused = Some(zubi_tool_api::Code::ApprovalUnavailable);
    assert_eq!(call(7, Person::with_answer(ApprovalAnswer::Allow { option: 1, arguments: None })).await, None);
    assert_eq!(call(7, nobody()).await, None, "the person has said yes for the session");
    for other in [0, 1, 2, 8, u64::MAX] {
        assert_eq!(call(other, nobody()).await, refused, "session {other} is another one");
    }
}

/// A client that claims to prompt for approval, and answers nonsense, has denied the call.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_none_is_no_yes() {
    let world = World::new(&[], "[[policy]]\naction = 'ask'\ntools = ['file.write']\n");
    let client = world.client(|_, _| json!({ "yes": "of course" })).await;
    let arguments = json!({ "path": "new.txt", "content": "x" });
    let params = json!({ "tool": "file.write", "arguments": arguments, "asks": true, "token": 1 });
    let answer = client.request("tools/call", params).await.unwrap();
    assert_eq!(answer["isError"], true, "{answer}");
    assert!(!world.root.join("work/new.txt").exists());
}

/// Restrictions for one call of a client do not affect other calls, and a slow call does not delay others.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_is_taken_back_and_delays_nobody() {
    let world = World::new(&[], "[[policy]]\naction = 'ask'\ntools = ['file.write']\n");
    let asked = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&asked);
    let client = world
        .client(move |_, _| {
            *counted.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            json!("Unavailable")
        })
        .await;
    let remote = world.remote().await;
    let waits = circumstances(Arc::new(NeverAnswers));
    let cancel = waits.cancel.clone();
    let write = request("file.write", json!({ "path": "new.txt", "content": "x" }));
    let waiting = tokio::spawn(async move { remote.call(write, waits).await.map(|answer| answer.failure) });
    for _ in 0..20 {
        client.request("ping", json!(null)).await.unwrap();
    }
    cancel.cancel();
    let begun = Instant::now();
    let answer = tokio::time::timeout(PATIENCE, waiting).await.unwrap().unwrap().unwrap();
    assert_eq!(answer, Some(zubi_tool_api::Code::Cancelled));
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(!world.root.join("work/new.txt").exists());
    assert_eq!(*asked.lock().unwrap_or_else(PoisonError::into_inner), 0, "another client was asked");
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
async fn when_the_host_closes_its_doors_clients_hear_it() {
    let world = World::new(&[], "");
    let client = world.client(|_, _| json!(null)).await;
    assert_eq!(*world.shared.client_count().borrow(), 1);
    world.shared.close().await;
    let lost = client.request("ping", json!(null)).await.unwrap_err();
    assert!(matches!(lost, ConnectionError::Closed { .. }), "{lost:?}");
    assert_eq!(*world.shared.client_count().borrow(), 0);
    let names: Vec<_> = world.root.join("run").read_dir_utf8().unwrap().flatten().collect();
    assert!(names.is_empty(), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_says_of_itself_is_in_the_status() {
    let world = World::new(&[], "");
    let client = world.client(|_, _| json!(null)).await;
    let told = json!({ "protocol": 1, "client": "an\u{1b}[31magent\n1", "pid": 12 });
    let info = client.request("host/info", told).await.unwrap();
    assert_eq!((info["kind"].as_str(), info["trusted"].as_bool()), (Some("front"), Some(true)), "{info}");
    let status = client.request("host/status", json!(null)).await.unwrap();
    let one = &status["clients"][0];
    assert_eq!((one["over"].as_str(), one["pid"].as_u64()), (Some("socket"), Some(u64::from(std::process::id()))));
    let name = one["client"].as_str().unwrap();
    assert!(name.contains("agent") && !name.contains(['\u{1b}', '\n']), "{name:?}");
    let refused = client.request_error("host/info", json!({ "protocol": 2 })).await;
    insta::assert_snapshot!(refused, @"-32602 [protocol]: this host (zubi 0.1.0) speaks version 1 of the protocol, not 2");
    let refused = client.request_error("host/shutdown", json!(null)).await;
    insta::assert_snapshot!(refused, @"-32600: only a daemon ends when it is asked to; this host is of the kind `front`");
}
