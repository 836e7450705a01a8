//! Servers that a client rejects: a socket or a port of another process.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream, UnixListener};
use zubi_ipc::client::{self, ConnectError};

use crate::world::{Client, EVENT_TIMEOUT, Raw, advertisement, directory, soon};

const TOKEN: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Connects to a port that `host` serves and returns the error.
async fn at_port<F: Future<Output = ()> + Send>(host: impl FnOnce(Raw<TcpStream>) -> F + Send) -> ConnectError {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let hosting = async {
        let (stream, _) = listener.accept().await.unwrap();
        host(Raw(BufReader::new(stream))).await;
    };
    let connecting = client::connect_port(port, TOKEN, Arc::new(Client), EVENT_TIMEOUT);
    let (connected, ()) = soon(async { tokio::join!(connecting, hosting) }).await;
    match connected.map(drop).unwrap_err() {
        ConnectError::NotProved { why, .. } => ConnectError::NotProved { port: 1, why },
        other => other,
    }
}

fn nonce() -> Vec<u8> {
    format!("{{\"nonce\":\"{}\"}}\n", "a".repeat(64)).into_bytes()
}

#[tokio::test]
async fn a_host_that_does_not_begin_as_one_is_not_believed() {
    for greeting in
        ["HTTP/1.1 400 Bad Request\r\n\r\n", "", "{}\n", "{\"nonce\":\"1\"}\n", "[]\n", "\n", "{\"nonce\":7}\n"]
    {
        let error = at_port(async |mut host: Raw<TcpStream>| host.write(greeting.as_bytes()).await).await;
        assert!(matches!(error, ConnectError::NotProved { .. }), "{greeting:?}: {error}");
    }
    let endless = format!("{{\"nonce\":\"{}", "a".repeat(10_000));
    assert_snapshot!(at_port(async |mut host: Raw<TcpStream>| host.write(endless.as_bytes()).await).await, @"the server at port 1 does not prove that it is the host: it does not speak the protocol");
}

#[tokio::test]
async fn a_host_that_cannot_prove_itself_is_not_believed() {
    let answer_with = async |answer: fn(Value) -> Value| {
        at_port(async move |mut host: Raw<TcpStream>| {
            host.write(&nonce()).await;
            let request: Value = serde_json::from_str(&host.line().await).unwrap();
            assert_eq!(request["method"], "authenticate");
            assert!(!request.to_string().contains(TOKEN), "the token never crosses the wire");
            host.write(format!("{}\n", answer(request)).as_bytes()).await;
        })
        .await
    };
    let wrong = |_| json!({ "jsonrpc": "2.0", "id": 1, "result": { "proof": "0".repeat(64) } });
    assert_snapshot!(answer_with(wrong).await, @"the server at port 1 does not prove that it is the host: its proof is wrong");
    let thrown_back =
        |request: Value| json!({ "jsonrpc": "2.0", "id": 1, "result": { "proof": request["params"]["proof"] } });
    assert_snapshot!(answer_with(thrown_back).await, @"the server at port 1 does not prove that it is the host: its proof is wrong");
    assert_snapshot!(answer_with(|_| json!({ "jsonrpc": "2.0", "id": 1, "result": {} })).await, @"the server at port 1 does not prove that it is the host: it answers without a proof");
    assert_snapshot!(answer_with(|_| json!({ "jsonrpc": "2.0", "id": 1, "method": "ask" })).await, @"the server at port 1 does not prove that it is the host: it does not answer the request");
    let refused = |_| json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32000, "message": "no" } });
    assert_snapshot!(answer_with(refused).await, @"the host refuses the connection: no");
}

#[tokio::test]
async fn an_unresponsive_host_times_out() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let timeout = Duration::from_millis(50);
    let error = client::connect_port(port, TOKEN, Arc::new(Client), timeout).await.unwrap_err();
    assert_eq!(error, ConnectError::TimedOut { after: timeout });
    let error = client::connect_port(port, "no token", Arc::new(Client), timeout).await.unwrap_err();
    assert!(matches!(error, ConnectError::NotProved { .. }), "{error}");
    drop(listener);
    let error = client::connect_port(port, TOKEN, Arc::new(Client), EVENT_TIMEOUT).await.unwrap_err();
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");

    // The same over a socket: a stopped process still has its accept queue.
    let (_guard, root) = directory();
    let socket = root.join("x.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let error = at_socket(&socket, timeout).await;
    assert_eq!(error, ConnectError::TimedOut { after: timeout });
    let letting_go = async { drop(listener.accept().await.unwrap()) };
    // The connection that timed out is still in the queue, so two are to accept.
    let (error, (), ()) = tokio::join!(at_socket(&socket, EVENT_TIMEOUT), letting_go, async {
        drop(listener.accept().await.unwrap());
    });
    assert!(matches!(error, ConnectError::Disconnected { .. }), "{error}");
}

async fn at_socket(socket: &Utf8Path, timeout: Duration) -> ConnectError {
    let found = advertisement(Some(socket.to_owned()), None, TOKEN);
    client::connect(&found, Arc::new(Client), timeout).await.map(drop).unwrap_err()
}

#[tokio::test]
async fn what_is_not_our_socket_is_not_opened() {
    let (_guard, root) = directory();
    let error_text = |error: ConnectError| error.to_string().replace(root.as_str(), "[root]");
    let socket = root.join("x.sock");
    assert_snapshot!(error_text(at_socket(&socket, EVENT_TIMEOUT).await), @"cannot connect to `[root]/x.sock`: No such file or directory (os error 2)");
    drop(UnixListener::bind(&socket).unwrap());
    assert_snapshot!(error_text(at_socket(&socket, EVENT_TIMEOUT).await), @"cannot connect to `[root]/x.sock`: Connection refused (os error 111)");
    let link = root.join("link.sock");
    symlink(&socket, &link).unwrap();
    assert_snapshot!(error_text(at_socket(&link, EVENT_TIMEOUT).await), @"refusing to use `[root]/link.sock`: it is not a socket of this user");
    let plain = root.join("plain.sock");
    zubi_base::owner_only::write_atomic(&plain, b"").unwrap();
    assert_snapshot!(error_text(at_socket(&plain, EVENT_TIMEOUT).await), @"refusing to use `[root]/plain.sock`: it is not a socket of this user");
    let none = client::connect(&advertisement(None, Some(1), TOKEN), Arc::new(Client), EVENT_TIMEOUT).await;
    assert_eq!(none.unwrap_err(), ConnectError::NoSocket);
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&socket, Some(65_534), None).unwrap();
        assert_snapshot!(error_text(at_socket(&socket, EVENT_TIMEOUT).await), @"refusing to use `[root]/x.sock`: it is not a socket of this user");
    }
}
