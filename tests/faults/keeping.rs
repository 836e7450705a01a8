//! The lifetime of a server: it ends when it is idle or uses too much memory, and returns when it dies at once.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use zubi_tests::processes;

use crate::harness::{BOUND, FaultyServer, face, hover, pause};

/// The running servers with a fault; each is below a supervisor with nearly the same command line.
fn running_servers() -> Vec<processes::Process> {
    let program = env!("CARGO_BIN_EXE_hostile");
    processes::descendants().into_iter().filter(|process| process.command.starts_with(program)).collect()
}

#[tokio::test]
async fn an_idle_server_is_stopped_and_restarted() {
    let faced = FaultyServer::with_vice("none", "idle_ms = 2000").await;
    let first = faced.call_text(hover()).await;
    let before = running_servers();
    assert_eq!(before.len(), 1, "{before:?}");
    let ended = processes::watch(before.clone()).ended_within(BOUND);
    ended.unwrap_or_else(|left| panic!("nobody asked for {BOUND:?}, and it still runs: {left:?}"));
    assert_eq!(faced.call_text(hover()).await, first);
    let after = running_servers();
    assert_ne!(before, after, "it is another process");
    assert_snapshot!(first, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
    faced.end().await;
}

#[tokio::test]
async fn a_server_over_its_memory_limit_is_stopped_and_reported() {
    let row = "max_memory_mb = 200\ntimeouts = { request_ms = 20000 }";
    assert_snapshot!(face("fat", row, &[hover()]).await, @"
    Failed to explain the symbol: hostile is not running: it used more than 200 MB of memory and was ended; `max_memory_mb` in servers.toml allows more; it wrote: 314572800 bytes are held
    it failed several times in a row and is started again only after [pause] s; retry the request then
    ");
}

#[tokio::test]
async fn one_that_dies_at_once_is_neither_started_without_pause_nor_given_up_for_ever() {
    let faced = FaultyServer::with_vice("crash-at-start", "").await;
    let file = faced.project.root().parent().expect("a parent").join("starts");
    let starts = || std::fs::read_to_string(&file).unwrap_or_default().lines().count();
    let start = Instant::now();
    let mut questions = 0;
    // Two starts come at once, the third a second later, the fourth two seconds after that.
    while starts() < 4 {
        faced.call_text(hover()).await;
        questions += 1;
        assert!(start.elapsed() < BOUND, "it was started {} times in {questions} questions", starts());
    }
    assert!(start.elapsed() > Duration::from_secs(3), "four starts in {:?}", start.elapsed());
    assert!(questions > 10, "{questions} questions");
    faced.end().await;
}

#[tokio::test]
async fn the_restart_delay_is_reported() {
    let faced = FaultyServer::with_vice("crash-at-start", "").await;
    let file = faced.project.root().parent().expect("a parent").join("starts");
    let starts = || std::fs::read_to_string(&file).unwrap_or_default().lines().count();
    let start = Instant::now();
    let mut longest = 0;
    for expected_starts in [2, 3, 4] {
        while starts() < expected_starts {
            faced.call_text(hover()).await;
            assert!(start.elapsed() < BOUND, "it was started {} times", starts());
        }
        let (tool, arguments) = hover();
        let reported_at = Instant::now();
        let answer = faced.zubi.call(tool, arguments).await.text;
        let seconds = pause(&answer).unwrap_or_else(|| panic!("no pause is told:\n{answer}"));
        let before = starts();
        while starts() == before {
            faced.call_text(hover()).await;
            assert!(start.elapsed() < BOUND, "it was not started again after {seconds} s");
        }
        // The announced pause is rounded up.
        assert!(
            reported_at.elapsed() + Duration::from_secs(1) >= Duration::from_secs(seconds),
            "{seconds} s were told"
        );
        longest = longest.max(seconds);
    }
    assert!(longest >= 2, "the pauses grow: {longest} s");
    faced.end().await;
}
