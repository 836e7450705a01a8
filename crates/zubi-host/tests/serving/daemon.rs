//! A daemon's start and end.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_host::{ClientPolicy, Daemon, DaemonConfig, DaemonEnd, DaemonError};
use zubi_ipc::client;
use zubi_ipc::discovery::RunDirectory;
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::HostEnvironment;

use crate::world::{TEST_TIMEOUT, World};

/// The idle time-out of a daemon. The test also waits much longer and checks that no client was disconnected.
const IDLE: Duration = Duration::from_millis(50);
const MUCH_LATER: Duration = Duration::from_secs(1);

fn config(world: &World, idle: Option<Duration>) -> DaemonConfig {
    DaemonConfig {
        folders: vec![world.root.join("work")],
        run: world.root.join("daemons"),
        environment: HostEnvironment::default(),
        port: PortChoice::None,
        client_policy: ClientPolicy::default(),
        idle,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_daemon_ends() {
    let world = World::new(&[], "");
    let daemon = Daemon::open(Arc::clone(&world.host), config(&world, Some(IDLE))).await.unwrap();
    let record = RunDirectory::open(world.root.join("daemons"), false).unwrap().read().hosts.pop().unwrap();
    let received = world.client(|_, _| Value::Null).await.received;
    let connection = client::connect(&record, received, TEST_TIMEOUT).await.unwrap();
    assert!(
        tokio::time::timeout(MUCH_LATER, daemon.wait_for_shutdown()).await.is_err(),
        "ended while a client was connected"
    );
    connection.close("done");
    assert_eq!(tokio::time::timeout(TEST_TIMEOUT, daemon.wait_for_shutdown()).await.unwrap(), DaemonEnd::Idle);
    daemon.end().await;
    let remaining: Vec<_> = world.root.join("daemons").read_dir_utf8().unwrap().flatten().collect();
    assert!(remaining.iter().all(|entry| entry.path().extension() == Some("lock")), "{remaining:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_daemon_runs_and_it_ends_on_request() {
    let world = World::new(&[], "");
    let daemon = Daemon::open(Arc::clone(&world.host), config(&world, None)).await.unwrap();
    let second = Daemon::open(Arc::clone(&world.host), config(&world, None)).await;
    assert!(matches!(second, Err(DaemonError::Exists { pid }) if pid == std::process::id()));
    let record = RunDirectory::open(world.root.join("daemons"), false).unwrap().read().hosts.pop().unwrap();
    let received = world.client(|_, _| Value::Null).await.received;
    let connection = client::connect(&record, received, TEST_TIMEOUT).await.unwrap();
    let no_cancel = CancellationToken::new();
    let deadline = std::time::Instant::now() + TEST_TIMEOUT;
    assert_eq!(connection.request("host/shutdown", Value::Null, &no_cancel, deadline).await.unwrap(), json!(true));
    assert_eq!(tokio::time::timeout(TEST_TIMEOUT, daemon.wait_for_shutdown()).await.unwrap(), DaemonEnd::Requested);
    daemon.end().await;
}
