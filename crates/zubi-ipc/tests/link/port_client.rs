//! A client of a host's port. The tests of `zubi-host` include this file; zubi itself connects to sockets only.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::{Connection, ConnectionOptions, PeerHandler};
use zubi_ipc::auth::{Bytes32, HandshakeRole, compute_proof, verify_proof};
use zubi_ipc::client::ConnectError;

/// Connects to the port, authenticates, and checks that the host does so too.
pub(crate) async fn connect(port: u16, token: &str, handler: Arc<dyn PeerHandler>) -> Result<Connection, ConnectError> {
    let unreachable =
        |error: std::io::Error| ConnectError::Unreachable { at: port.to_string(), why: error.to_string() };
    let (reader, mut writer) = TcpStream::connect(("127.0.0.1", port)).await.map_err(unreachable)?.into_split();
    let mut lines = BufReader::new(reader).lines();
    let message = |line: Option<String>| -> Result<Value, ConnectError> {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        match message["error"]["message"].as_str() {
            Some(why) => Err(ConnectError::Refused { why: why.to_owned() }),
            None => Ok(message),
        }
    };
    let bytes = |hex: &Value| Bytes32::from_hex(hex.as_str().unwrap()).unwrap();
    let challenge = message(lines.next_line().await.unwrap())?;
    let (token, host_nonce, client_nonce) =
        (Bytes32::from_hex(token).unwrap(), bytes(&challenge["nonce"]), Bytes32::random().unwrap());
    let params = json!({ "nonce": client_nonce, "proof": compute_proof(token, HandshakeRole::Client, host_nonce, client_nonce) });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": params });
    writer.write_all(format!("{request}\n").as_bytes()).await.unwrap();
    let answer = message(lines.next_line().await.unwrap())?;
    assert!(verify_proof(bytes(&answer["result"]["proof"]), token, HandshakeRole::Server, host_nonce, client_nonce));
    let connection = Connection::start(lines.into_inner(), writer, handler, ConnectionOptions::ipc());
    let deadline = Instant::now() + Duration::from_secs(20);
    connection.request("ping", Value::Null, &CancellationToken::new(), deadline).await.unwrap();
    Ok(connection)
}
