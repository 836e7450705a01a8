//! The lifetime of a server: it ends when it is idle or uses too much memory, and restarts when it dies at once.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use zubi_tests::processes;

use crate::harness::{CALL_TIMEOUT, FaultyServer, hover, restart_delay, run_calls};

/// The running servers with a fault; each has a supervisor with nearly the same command line as its parent.
fn running_servers() -> Vec<processes::Process> {
    let program = env!("CARGO_BIN_EXE_hostile");
    processes::descendants().into_iter().filter(|process| process.command.starts_with(program)).collect()
}

#[tokio::test]
async fn an_idle_server_is_stopped_and_restarted() {
    let server = FaultyServer::with_fault("none", "idle_ms = 2000").await;
    let first = server.call_text(hover()).await;
    let before = running_servers();
    assert_eq!(before.len(), 1, "{before:?}");
    let ended = processes::watch(before.clone()).ended_within(CALL_TIMEOUT);
    ended.unwrap_or_else(|remaining| panic!("without requests for {CALL_TIMEOUT:?}, it still runs: {remaining:?}"));
    assert_eq!(server.call_text(hover()).await, first);
    let after = running_servers();
    assert_ne!(before, after, "the server was not restarted");
    assert_snapshot!(first, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
    server.end().await;
}

#[tokio::test]
async fn a_server_over_its_memory_limit_is_stopped_and_reported() {
    let row = "max_memory_mb = 200\ntimeouts = { request_ms = 20000 }";
    assert_snapshot!(run_calls("fat", row, &[hover()]).await, @"
    Failed to explain the symbol: hostile is not running: it used more than 200 MB of memory and was ended; `max_memory_mb` in servers.toml allows more; it wrote: 314572800 bytes are held
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ");
}

#[tokio::test]
async fn a_crashing_server_is_restarted_with_increasing_delays() {
    let server = FaultyServer::with_fault("crash-at-start", "").await;
    let file = server.records().join("starts");
    let starts = || std::fs::read_to_string(&file).unwrap_or_default().lines().count();
    let start = Instant::now();
    let mut call_count = 0;
    // The first two starts are immediate, the third follows after a second, the fourth after two more.
    while starts() < 4 {
        server.call_text(hover()).await;
        call_count += 1;
        assert!(start.elapsed() < CALL_TIMEOUT, "it was started {} times in {call_count} calls", starts());
    }
    assert!(start.elapsed() > Duration::from_secs(3), "four starts in {:?}", start.elapsed());
    assert!(call_count > 10, "{call_count} calls");
    server.end().await;
}

#[tokio::test]
async fn the_restart_delay_is_reported() {
    let server = FaultyServer::with_fault("crash-at-start", "").await;
    let file = server.records().join("starts");
    let starts = || std::fs::read_to_string(&file).unwrap_or_default().lines().count();
    let start = Instant::now();
    let mut longest = 0;
    for expected_starts in [2, 3, 4] {
        while starts() < expected_starts {
            server.call_text(hover()).await;
            assert!(start.elapsed() < CALL_TIMEOUT, "it was started {} times", starts());
        }
        let (tool, arguments) = hover();
        let reported_at = Instant::now();
        let answer = server.zubi.call(tool, arguments).await.text;
        let seconds = restart_delay(&answer).unwrap_or_else(|| panic!("no restart delay is reported:\n{answer}"));
        let before = starts();
        while starts() == before {
            server.call_text(hover()).await;
            assert!(start.elapsed() < CALL_TIMEOUT, "it was not started again after {seconds} s");
        }
        // The announced pause is rounded up.
        assert!(
            reported_at.elapsed() + Duration::from_secs(1) >= Duration::from_secs(seconds),
            "{seconds} s were reported"
        );
        longest = longest.max(seconds);
    }
    assert!(longest >= 2, "the delays do not grow: {longest} s");
    server.end().await;
}
