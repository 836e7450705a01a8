//! Accepted connections: both transports, requests in both directions, limits, shutdown.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::ConnectionError;
use zubi_ipc::client::ConnectError;
use zubi_ipc::discovery::DiscoveryRecord;
use zubi_ipc::listener::{ConnectionLimits, Transport};

use crate::world::{EVENT_TIMEOUT, request, within_timeout, world, world_with};

#[tokio::test]
async fn a_client_finds_a_host_and_both_sides_send_requests() {
    let world = world();
    assert_eq!(world.run.read().hosts, std::slice::from_ref(&world.advertisement));
    let by_socket = world.connect().await.unwrap();
    let by_port = world.connect_port().await.unwrap();
    for connection in [&by_socket, &by_port] {
        assert_eq!(request(connection, "echo", json!({"a": "ä€😀"})).await, Ok(json!({"a": "ä€😀"})));
        let unknown = request(connection, "unknown", Value::Null).await;
        assert!(matches!(unknown, Err(ConnectionError::Response { code: -32601, .. })), "{unknown:?}");
    }
    let peers = world.log.peers.lock().unwrap().clone();
    let [(first, to_first), (second, to_second)] = peers.as_slice() else { panic!("{}", peers.len()) };
    assert_eq!((first.channel, first.pid), (Transport::Socket, Some(std::process::id())));
    assert_eq!((second.channel, second.pid), (Transport::Port, None));
    assert_ne!(first.id, second.id);
    for connection in [to_first, to_second] {
        assert_eq!(request(connection, "ask", json!([1])).await, Ok(json!({"asked": [1]})));
    }
    drop((by_socket, by_port));
    world.wait_for_connections(0).await;
    assert_eq!(*world.log.disconnect_reasons.lock().unwrap(), ["it closed its output"; 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_requests_are_answered_in_any_order() {
    let mut world = world();
    let connections = join_all((0..5).map(|_| world.connect())).await;
    let requests: Vec<_> = connections
        .into_iter()
        .enumerate()
        .flat_map(|(client, connection)| {
            let connection = connection.unwrap();
            (0..20).map(move |n| {
                let connection = connection.clone();
                tokio::spawn(async move { (n, client, request(&connection, "hold", json!([client, n])).await) })
            })
        })
        .collect();
    let mut pending = Vec::new();
    for _ in 0..100 {
        pending.push(world.next_pending_request().await);
    }
    for (params, responder) in pending.into_iter().rev() {
        responder.answer(Ok(params));
    }
    for answer in join_all(requests).await {
        let (n, client, answer) = answer.unwrap();
        assert_eq!(answer, Ok(json!([client, n])));
    }
}

#[tokio::test]
async fn either_side_cancels_a_request() {
    let mut world = world();
    let connection = world.connect().await.unwrap();
    let cancel = CancellationToken::new();
    let running = {
        let (connection, cancel) = (connection.clone(), cancel.clone());
        tokio::spawn(
            async move { connection.request("hold", Value::Null, &cancel, Instant::now() + EVENT_TIMEOUT).await },
        )
    };
    let (_, responder) = world.next_pending_request().await;
    cancel.cancel();
    within_timeout(responder.cancel().cancelled()).await;
    assert_eq!(running.await.unwrap(), Err(ConnectionError::Cancelled));

    let to_client = world.log.peers.lock().unwrap()[0].1.clone();
    let timed_out = to_client.request("wait", Value::Null, &CancellationToken::new(), Instant::now()).await;
    assert!(matches!(timed_out, Err(ConnectionError::TimedOut { .. })), "{timed_out:?}");
    // Responses without a pending request are ignored.
    responder.answer(Ok(Value::Null));
    assert_eq!(request(&connection, "echo", json!(1)).await, Ok(json!(1)));
}

#[tokio::test]
async fn a_disconnected_client_cancels_its_requests() {
    let mut world = world();
    let connection = world.connect().await.unwrap();
    let running = tokio::spawn(async move { request(&connection, "hold", Value::Null).await });
    let (_, responder) = world.next_pending_request().await;
    running.abort();
    within_timeout(responder.cancel().cancelled()).await;
    world.wait_for_connections(0).await;
}

#[tokio::test]
async fn an_oversized_frame_is_rejected_and_the_next_is_answered() {
    let world = world();
    let mut raw = world.open_socket().await;
    let long = "x".repeat(9 * 1024 * 1024);
    raw.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"echo\",\"params\":\"{long}\"}}\n").as_bytes()).await;
    assert_snapshot!(raw.line().await, @r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"a message has 9437236 bytes, more than the 8388608 that are read"}}"#);
    raw.write(b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"echo\",\"params\":\"short\"}\n").await;
    assert_snapshot!(raw.line().await, @r#"{"jsonrpc":"2.0","id":8,"result":"short"}"#);
}

#[tokio::test]
async fn a_frame_may_be_cut_at_every_byte() {
    let world = world();
    let mut raw = world.open_socket().await;
    let request_text = r#"{"jsonrpc":"2.0","id":"ä€😀","method":"echo","params":{"k€y":"😀"}}"#;
    let line = format!("{request_text}\n");
    for cut in 0..=line.len() {
        raw.write(&line.as_bytes()[..cut]).await;
        tokio::task::yield_now().await;
        raw.write(&line.as_bytes()[cut..]).await;
        assert_eq!(raw.line().await, r#"{"jsonrpc":"2.0","id":"ä€😀","result":{"k€y":"😀"}}"#, "cut at {cut}");
    }
}

#[tokio::test]
async fn a_client_that_never_reads_loses_only_its_own_connection() {
    let world = world();
    let other = world.connect().await.unwrap();
    let mut raw = world.open_socket().await;
    let request_text =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":\"{}\"}}\n", "x".repeat(1_000_000));
    let writes = async {
        use tokio::io::AsyncWriteExt as _;
        while raw.0.write_all(request_text.as_bytes()).await.is_ok() {}
    };
    within_timeout(writes).await;
    world.wait_for_connections(1).await;
    assert_snapshot!(world.log.disconnect_reasons.lock().unwrap()[0], @"the peer does not read its input: more than 16777216 bytes wait to be written");
    assert_eq!(request(&other, "echo", json!(1)).await, Ok(json!(1)));
}

#[tokio::test]
async fn the_65th_connection_is_refused() {
    let world = world();
    let mut connections = Vec::new();
    for n in 0..64 {
        connections.push(if n % 4 == 0 { world.connect_port().await } else { world.connect().await }.unwrap());
    }
    assert_snapshot!(world.open_socket().await.rest().await, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"this host already has 64 connections, which is its limit; close one"}}"#);
    let refused = |why: Result<_, ConnectError>| why.map(|_: zubi_base::rpc::Connection| ()).unwrap_err();
    assert_snapshot!(refused(world.connect().await), @"the host refuses the connection: this host already has 64 connections, which is its limit; close one");
    assert_snapshot!(refused(world.connect_port().await), @"the host refuses the connection: this host already has 64 connections, which is its limit; close one");
    assert_eq!(world.connection_count(), 64);
    // A connection that ends frees its slot.
    drop(connections.pop());
    world.wait_for_connections(63).await;
    // The slot is freed a moment after the connection's end is reported.
    let reconnected = async {
        loop {
            match world.connect().await {
                Err(ConnectError::Refused { .. }) => tokio::task::yield_now().await,
                connected => return connected.unwrap(),
            }
        }
    };
    let reconnected = within_timeout(reconnected).await;
    assert_eq!(request(&reconnected, "echo", json!(1)).await, Ok(json!(1)));
}

#[tokio::test]
async fn a_thousand_connections_leave_the_host_alive() {
    let world = world();
    let mut raws = Vec::new();
    for n in 0..1_000 {
        let mut raw = world.open_socket().await;
        if n < 64 {
            raw.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await;
            assert!(raw.line().await.contains("result"));
            raws.push(raw);
        } else {
            assert!(raw.rest().await.contains("64 connections"), "{n}");
        }
    }
    assert_eq!(world.connection_count(), 64);
    raws[0].write(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n").await;
    assert!(raws[0].line().await.contains("\"id\":2"));
}

#[tokio::test]
async fn an_idle_port_connection_is_closed_and_a_waiting_one_is_not() {
    let mut world = world_with(ConnectionLimits { idle: Duration::from_millis(300), ..ConnectionLimits::default() });
    let socket = world.connect().await.unwrap();
    let waiting = world.connect_port().await.unwrap();
    let running = tokio::spawn(async move { request(&waiting, "hold", json!(7)).await });
    let (_, responder) = world.next_pending_request().await;
    let idle = world.connect_port().await.unwrap();
    let mut closed = idle.closed_reason();
    within_timeout(closed.wait_for(Option::is_some)).await.unwrap();
    world.wait_for_connections(2).await;
    assert_snapshot!(world.log.disconnect_reasons.lock().unwrap()[0], @"idle for too long");
    responder.answer(Ok(json!("there")));
    assert_eq!(running.await.unwrap(), Ok(json!("there")));
    assert_eq!(request(&socket, "echo", json!(1)).await, Ok(json!(1)));
}

#[tokio::test]
async fn shutdown_sends_available_answers_and_removes_the_socket() {
    let mut world = world();
    let connection = world.connect().await.unwrap();
    let by_port = world.connect_port().await.unwrap();
    let running = tokio::spawn(async move { request(&connection, "hold", Value::Null).await });
    let waiting = tokio::spawn(async move { request(&by_port, "hold", Value::Null).await });
    let (_, first) = world.next_pending_request().await;
    let (_, second) = world.next_pending_request().await;
    first.answer(Ok(json!("just in time")));
    world.stop.cancel();
    within_timeout(&mut world.server).await.unwrap();
    let (one, other) = (running.await.unwrap(), waiting.await.unwrap());
    let answered = [&one, &other].into_iter().filter(|answer| **answer == Ok(json!("just in time"))).count();
    assert_eq!(answered, 1, "{one:?} {other:?}");
    assert!(second.cancel().is_cancelled());
    assert_eq!(*world.log.disconnect_reasons.lock().unwrap(), ["the host ends"; 2]);
    assert!(!world.socket().exists());
    let error = world.connect().await.unwrap_err();
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
    let error = world.connect_port().await.unwrap_err();
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
}

#[tokio::test]
async fn an_aborted_host_closes_its_connections() {
    let world = world();
    let connection = world.connect().await.unwrap();
    world.server.abort();
    within_timeout(connection.closed_reason().wait_for(Option::is_some)).await.unwrap();
    assert!(world.server.await.unwrap_err().is_cancelled());
}

#[tokio::test]
async fn a_host_of_another_version_is_reported() {
    let world = world();
    let other = DiscoveryRecord { version: 9, ..world.advertisement.clone() };
    let error = zubi_ipc::client::connect(&other, std::sync::Arc::new(crate::world::Client), EVENT_TIMEOUT).await;
    assert_snapshot!(error.unwrap_err(), @"the host speaks version 9 of the protocol, and this zubi 1; update the older one");
}
