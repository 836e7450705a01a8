//! Servers that a client rejects: a socket of another process.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use insta::assert_snapshot;
use tokio::net::UnixListener;
use zubi_ipc::client::{self, ConnectError};

use crate::world::{Client, EVENT_TIMEOUT, advertisement, directory};

const TOKEN: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

#[tokio::test]
async fn an_unresponsive_host_times_out() {
    let timeout = Duration::from_millis(50);
    // A stopped process still has its accept queue.
    let (_guard, root) = directory();
    let socket = root.join("x.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let error = at_socket(&socket, timeout).await;
    assert_eq!(error, ConnectError::TimedOut { after: timeout });
    let closing = async { drop(listener.accept().await.unwrap()) };
    // The connection that timed out is still in the queue, so the server has to accept two.
    let (error, (), ()) = tokio::join!(at_socket(&socket, EVENT_TIMEOUT), closing, async {
        drop(listener.accept().await.unwrap());
    });
    assert!(matches!(error, ConnectError::Disconnected { .. }), "{error}");
}

async fn at_socket(socket: &Utf8Path, timeout: Duration) -> ConnectError {
    let record = advertisement(Some(socket.to_owned()), None, TOKEN);
    client::connect(&record, Arc::new(Client), timeout).await.map(drop).unwrap_err()
}

#[tokio::test]
async fn foreign_sockets_are_not_opened() {
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
