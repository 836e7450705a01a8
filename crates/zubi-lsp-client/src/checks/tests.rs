//! Tests of `checks`.

use std::fmt::Write as _;

use insta::assert_snapshot;

use super::*;

/// Runs a script: events with their times in milliseconds. Returns the stage after each step.
fn run(script: &[(u64, &str)]) -> String {
    run_with(BackgroundCheck { lasts_at_least_ms: 10, ..crate::testing::checker() }, script)
}

fn run_with(checker: BackgroundCheck, script: &[(u64, &str)]) -> String {
    let start = Instant::now();
    let checks = Checks::new(Some(checker));
    let mut stages = String::new();
    for (at, step) in script {
        let now = start + Duration::from_millis(*at);
        match step.split_once(' ').unwrap_or((step, "")) {
            ("loaded", _) => checks.loading(false, now),
            ("loading", _) => checks.loading(true, now),
            ("saved", _) => checks.on_saved(now),
            ("begin", token) => checks.progress(token, Some("begin"), now),
            ("end", token) => checks.progress(token, Some("end"), now),
            ("requested", _) => drop(checks.take_request(now)),
            ("given-up", _) => {
                let CheckState::Due { since } = checks.stage() else { panic!("nothing is due") };
                checks.give_up(since);
            }
            other => panic!("unknown step {other:?}"),
        }
        let stage = match checks.stage() {
            CheckState::Due { since } => format!("due since {}", since.duration_since(start).as_millis()),
            stage => format!("{stage:?}").to_lowercase(),
        };
        let outdated = if checks.is_outdated() { ", outdated" } else { "" };
        writeln!(stages, "{at:4} {step:14} → {stage}{outdated}").unwrap();
    }
    stages
}

#[test]
fn check_runs_after_loading_and_after_saving() {
    let script = [
        (0, "begin other/0"),
        (10, "loaded"),
        (20, "begin check/0"),
        (40, "end check/0"),
        (100, "saved"),
        (101, "saved"),
        (110, "begin check/0"),
        (120, "begin check/1"),
        (160, "end check/0"),
        (170, "end check/1"),
        (200, "loading"),
        (210, "loaded"),
    ];
    assert_snapshot!(run(&script), @"
      0 begin other/0  → loading
     10 loaded         → due since 10
     20 begin check/0  → running
     40 end check/0    → settled
    100 saved          → due since 100, outdated
    101 saved          → due since 100, outdated
    110 begin check/0  → running, outdated
    120 begin check/1  → running, outdated
    160 end check/0    → running, outdated
    170 end check/1    → settled
    200 loading        → loading
    210 loaded         → due since 210
    ");
}

#[test]
fn a_check_on_request_runs_once_for_each_change() {
    let checker = BackgroundCheck { request: Some("check/run".to_owned()), ..crate::testing::checker() };
    let script = [
        (0, "requested"),
        (10, "loaded"),
        (20, "requested"),
        (30, "requested"),
        (40, "begin check/0"),
        (50, "requested"),
        (60, "saved"),
        (70, "end check/0"),
        (80, "requested"),
        (90, "begin check/0"),
        (100, "end check/0"),
        (110, "requested"),
        (120, "saved"),
        (130, "requested"),
        (140, "given-up"),
    ];
    assert_snapshot!(run_with(checker, &script), @"
      0 requested      → loading, outdated
     10 loaded         → settled, outdated
     20 requested      → due since 20, outdated
     30 requested      → due since 20, outdated
     40 begin check/0  → running, outdated
     50 requested      → running, outdated
     60 saved          → running, outdated
     70 end check/0    → settled, outdated
     80 requested      → due since 80, outdated
     90 begin check/0  → running, outdated
    100 end check/0    → settled
    110 requested      → settled
    120 saved          → settled, outdated
    130 requested      → due since 130, outdated
    140 given-up       → settled, outdated
    ");
}

#[test]
fn end_of_a_cancelled_run_does_not_settle_the_check() {
    let saved_during_run = [
        (0, "loaded"),
        (10, "begin check/0"),
        (20, "saved"),
        (30, "end check/0"),
        (90, "begin check/0"),
        (190, "end check/0"),
    ];
    assert_snapshot!(run(&saved_during_run), @"
      0 loaded         → due since 0
     10 begin check/0  → running
     20 saved          → running, outdated
     30 end check/0    → due since 30, outdated
     90 begin check/0  → running, outdated
    190 end check/0    → settled
    ");
    let saved_before_run = [
        (0, "loaded"),
        (10, "begin check/0"),
        (40, "end check/0"),
        (100, "saved"),
        (200, "saved"),
        (210, "begin check/0"),
        (230, "end check/0"),
        (290, "begin check/0"),
        (390, "end check/0"),
    ];
    assert_snapshot!(run(&saved_before_run), @"
      0 loaded         → due since 0
     10 begin check/0  → running
     40 end check/0    → settled
    100 saved          → due since 100, outdated
    200 saved          → due since 200, outdated
    210 begin check/0  → running, outdated
    230 end check/0    → due since 230, outdated
    290 begin check/0  → running, outdated
    390 end check/0    → settled
    ");
}

#[test]
fn a_single_run_may_cover_save_and_reload() {
    let script = [
        (0, "loaded"),
        (10, "begin check/0"),
        (40, "end check/0"),
        (100, "saved"),
        (140, "loading"),
        (800, "loaded"),
        (870, "begin check/0"),
        (990, "end check/0"),
        (2990, "given-up"),
    ];
    assert_snapshot!(run(&script), @"
       0 loaded         → due since 0
      10 begin check/0  → running
      40 end check/0    → settled
     100 saved          → due since 100, outdated
     140 loading        → loading, outdated
     800 loaded         → due since 800, outdated
     870 begin check/0  → running, outdated
     990 end check/0    → due since 990, outdated
    2990 given-up       → settled
    ");
}

#[test]
fn run_that_ends_at_once_counts_as_cancelled() {
    let script =
        [(0, "loaded"), (60, "begin check/0"), (60, "end check/0"), (120, "begin check/0"), (300, "end check/0")];
    assert_snapshot!(run(&script), @"
      0 loaded         → due since 0
     60 begin check/0  → running
     60 end check/0    → due since 60
    120 begin check/0  → running
    300 end check/0    → settled
    ");
}

#[test]
fn check_that_never_begins_is_awaited_once() {
    let script = [
        (0, "loaded"),
        (50, "given-up"),
        (60, "saved"),
        (70, "begin check/0"),
        (80, "saved"),
        (90, "end check/0"),
        (95, "given-up"),
        (99, "saved"),
    ];
    assert_snapshot!(run(&script), @"
     0 loaded         → due since 0
    50 given-up       → settled
    60 saved          → settled, outdated
    70 begin check/0  → running, outdated
    80 saved          → running, outdated
    90 end check/0    → due since 90, outdated
    95 given-up       → settled, outdated
    99 saved          → due since 99, outdated
    ");
}
