//! Unauthenticated connections to the port: browsers, guessers, and clients that occupy slots.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;
use zubi_ipc::auth::{Bytes32, HandshakeRole, compute_proof};
use zubi_ipc::listener::ConnectionLimits;

use crate::world::{World, within_timeout, world, world_with};

/// The first line of a client that knows `token`.
fn authenticate(token: &str, nonce: &str) -> String {
    let bytes = |text: &str| Bytes32::from_hex(text).unwrap();
    let ours = Bytes32::random().unwrap();
    let proof = compute_proof(bytes(token), HandshakeRole::Client, bytes(nonce), ours);
    let params = json!({ "nonce": ours, "proof": proof });
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": params }))
}

const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"params\":{}}\n";

/// Everything that the host sends after the nonce in reply to `input`.
async fn response_to(world: &World, input: &[u8]) -> String {
    let (mut raw, _) = world.open_port().await;
    raw.write(input).await;
    raw.rest().await
}

#[tokio::test]
async fn a_browser_page_gets_no_response_and_has_no_effect() {
    let world = world();
    let valid = authenticate(&world.advertisement.token, &"0".repeat(64));
    // A page's POST request: the host must read no part of the body, not even valid messages.
    let post = format!(
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: https://example.com\r\nContent-Type: text/plain\r\n\
         Content-Length: {}\r\n\r\n{PING}{valid}{PING}",
        world.port(),
        2 * PING.len() + valid.len(),
    );
    assert_eq!(response_to(&world, post.as_bytes()).await, "");
    // Without a request line: a proxy may have cut off the headers.
    for input in ["GET / HTTP/1.1\r\n\r\n", "\r\n", "\u{feff}{}\n", " {}\n", "\x16\x03\x01\x02"] {
        assert_eq!(response_to(&world, input.as_bytes()).await, "", "{input:?}");
    }
    assert_eq!((world.connection_count(), world.requests()), (0, 0));
}

#[tokio::test]
async fn a_connection_without_a_proof_gets_no_response() {
    let world = world();
    let nonce = "0".repeat(64);
    let proof = json!({ "nonce": nonce, "proof": nonce });
    let notification = json!({ "jsonrpc": "2.0", "method": "authenticate", "params": proof });
    let old = json!({ "jsonrpc": "1.0", "id": 1, "method": "authenticate", "params": proof });
    let bare = json!({ "jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": {} });
    let short =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": { "nonce": nonce, "proof": "0" } });
    let token = json!({ "jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": { "token": world.advertisement.token } });
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}", "x".repeat(5_000));
    for input in [PING.to_owned(), "{}\n".to_owned(), "{\n".to_owned(), long]
        .into_iter()
        .chain([notification, old, bare, short, token].map(|message| format!("{message}\n")))
    {
        assert_eq!(response_to(&world, format!("{input}{PING}").as_bytes()).await, "", "{input}");
    }
    assert_eq!((world.connection_count(), world.requests()), (0, 0));
}

#[tokio::test]
async fn a_wrong_proof_is_refused() {
    let world = world();
    let (mut raw, nonce) = world.open_port().await;
    let invalid = authenticate(&"0".repeat(64), &nonce);
    raw.write(format!("{invalid}{PING}").as_bytes()).await;
    assert_snapshot!(raw.rest().await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"the proof is wrong: read the discovery file of this host again"}}"#);

    // A replayed proof is rejected.
    let (mut raw, nonce) = world.open_port().await;
    let valid = authenticate(&world.advertisement.token, &nonce);
    raw.write(valid.as_bytes()).await;
    assert!(raw.line().await.contains("\"result\":{\"proof\":"));
    let (mut other, second_nonce) = world.open_port().await;
    assert_ne!(second_nonce, nonce);
    other.write(format!("{valid}{PING}").as_bytes()).await;
    assert!(other.rest().await.contains("-32000"));
    world.wait_for_connections(1).await;
    assert_eq!((world.connection_count(), world.requests()), (1, 0));
    // A connection authenticates once only.
    raw.write(valid.as_bytes()).await;
    assert!(raw.line().await.contains("-32601"));
}

#[tokio::test]
async fn data_sent_right_after_the_proof_is_not_lost() {
    let world = world();
    let (mut raw, nonce) = world.open_port().await;
    raw.write(format!("{}{PING}", authenticate(&world.advertisement.token, &nonce)).as_bytes()).await;
    assert!(raw.line().await.contains("\"proof\""));
    assert_snapshot!(raw.line().await, @r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
}

#[tokio::test]
async fn unauthenticated_connections_are_limited_and_time_out() {
    let world = world_with(ConnectionLimits { handshake: Duration::from_millis(500), ..ConnectionLimits::default() });
    let mut pending = Vec::new();
    for _ in 0..16 {
        pending.push(world.open_port().await.0);
    }
    // Half a line does not extend the time-out.
    for raw in &mut pending[..2] {
        raw.write(b"{\"jsonrpc\":").await;
    }
    // One more connection takes the oldest one's slot; a client that authenticates takes the next slot and frees it.
    let (mut newest, _) = world.open_port().await;
    assert_eq!(pending.remove(0).rest().await, "");
    drop(within_timeout(world.connect_port()).await.unwrap());
    assert_eq!(pending.remove(0).rest().await, "");
    drop(within_timeout(world.connect_port()).await.unwrap());
    newest.write(b"{").await;
    // Socket connections are not delayed meanwhile.
    drop(world.connect().await.unwrap());
    for mut raw in pending {
        assert_eq!(raw.rest().await, "");
    }
    assert_eq!(newest.rest().await, "");
}
