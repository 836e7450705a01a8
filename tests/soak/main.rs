//! A long conversation in three languages whose servers are killed again and again: every answer is explained, answers
//! marked as complete are equal, no process is left, and memory does not grow.
//!
//! `ZUBI_SOAK_CALLS` sets the number of calls; the test prints its figures at the end.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test; the number of calls comes from whoever runs it, who reads the figures"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use zubi_tests::{Answer, Project, Zubi, processes};

/// The default number of calls.
const CALLS: usize = 5_000;

/// The number of calls for each killed server.
const CALLS_FOR_EACH_DEATH: u64 = 25;

/// The maximum time for which a process may outlive zubi.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The processes to kill, by a part of their command line.
const VICTIMS: [&str; 3] = ["ty server", "clangd", "gopls"];

/// A small random number generator (xorshift), so that a run can be repeated exactly.
struct Dice(u64);

impl Dice {
    fn next_below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let at = usize::try_from(self.next_below(items.len() as u64)).expect("a small number");
        &items[at]
    }
}

/// Creates one workspace from three fixtures.
fn project() -> Project {
    let project = Project::fixture("cpp");
    for (folder, fixture) in [("py", "python"), ("go", "go")] {
        for (path, bytes) in Project::fixture(fixture).everything() {
            project.write(&format!("{folder}/{path}"), &String::from_utf8(bytes).expect("UTF-8"));
        }
    }
    project
}

fn queries() -> Vec<(&'static str, Value)> {
    let positions = [
        ("py/shapes/shape.py", "py/shapes/shape.py:35 total_area", "py/shapes/report.py:10 total_area", "whole_area"),
        ("src/shape.cc", "src/shape.cc:9 total_area", "src/report.cc:9 total_area", "whole_area"),
        ("go/shape/shape.go", "go/shape/shape.go:31 TotalArea", "go/report/report.go:10 TotalArea", "WholeArea"),
    ];
    let mut queries = Vec::new();
    for (file, declared, used, new_name) in positions {
        queries.extend([
            ("lsp_document_symbols", json!({ "path": file })),
            ("lsp_hover", json!({ "at": declared })),
            ("lsp_definition", json!({ "at": used })),
            ("lsp_references", json!({ "at": declared })),
            ("lsp_references", json!({ "at": used, "format": "json" })),
            ("lsp_rename_symbol", json!({ "at": declared, "newName": new_name })),
            ("lsp_diagnostics", json!({ "path": file })),
            ("lsp_hover", json!({ "at": format!("{file}:9999:1") })),
        ]);
    }
    queries.push(("lsp_workspace_symbols", json!({ "query": "Circle" })));
    queries
}

/// Whether an answer is well formed: an error in one of three forms with a next step, or a text with a status line.
fn is_explained(answer: &Answer) -> bool {
    let text = answer.text.trim_end();
    if answer.is_error {
        let has_known_form = ["Invalid input: ", "Error in ", "Failed to "].iter().any(|form| text.starts_with(form));
        return has_known_form && text.lines().count() > 1;
    }
    let json = serde_json::from_str::<Value>(text).is_ok_and(|answer| answer["status"].is_object());
    json || text.lines().last().is_some_and(|line| line.starts_with('[') && line.ends_with(']'))
}

/// Whether an answer is marked as possibly incomplete.
fn is_marked(answer: &Answer) -> bool {
    ["may be incomplete", "completeness unknown", "\"complete\":false", "\"complete\":null"]
        .iter()
        .any(|mark| answer.text.contains(mark))
}

/// Kills a running server, if any: the process itself or its supervisor.
fn kill_one(dice: &mut Dice, zubi: u32) -> bool {
    let name = dice.one_of(&VICTIMS);
    let mut family = processes::find_by_command(name);
    family.retain(|process| process.pid.unsigned_abs() != zubi);
    if family.is_empty() {
        return false;
    }
    processes::kill(dice.one_of(&family));
    true
}

#[tokio::test]
async fn long_session_with_dying_servers() {
    processes::adopt_orphans();
    let calls = std::env::var("ZUBI_SOAK_CALLS").ok().and_then(|calls| calls.parse().ok()).unwrap_or(CALLS);
    let project = project();
    let before = project.everything();
    let zubi = Zubi::start(&project, &["ty", "clangd", "go", "gopls"]).await;
    let queries = queries();
    let mut dice = Dice(0x5eed_0f50_a4c0_ffee);
    // The first unmarked answer to each query; every other unmarked answer must equal it.
    let mut answers = BTreeMap::<String, String>::new();
    let mut marked = 0;
    let (mut deaths, mut errors, mut longest) = (0, BTreeMap::<String, usize>::new(), Duration::ZERO);
    // The peak memory in each half, in bytes.
    let mut peaks = [0, 0];
    let start = Instant::now();
    let mut done = 0;
    while done < calls {
        let [one, other] = [dice.one_of(&queries).clone(), dice.one_of(&queries).clone()];
        // Polled last, after both requests have been sent.
        let death = async {
            if dice.next_below(CALLS_FOR_EACH_DEATH) == 0 && kill_one(&mut dice, zubi.pid()) {
                deaths += 1;
            }
        };
        let (first, second, ()) =
            tokio::join!(zubi.call(one.0, one.1.clone()), zubi.call(other.0, other.1.clone()), death);
        for ((tool, arguments), answer) in [(one, first), (other, second)] {
            assert!(is_explained(&answer), "call {done}, {tool} {arguments}:\n{}", answer.text);
            // Snapshots of diagnostics have their own numbers.
            if !answer.is_error && !is_marked(&answer) && tool != "lsp_diagnostics" {
                let known = answers.entry(format!("{tool} {arguments}")).or_insert_with(|| answer.text.clone());
                assert_eq!(*known, answer.text, "call {done}, {tool} {arguments}: an unmarked answer differs");
            }
            marked += usize::from(!answer.is_error && is_marked(&answer));
            if answer.is_error {
                let first = answer.text.lines().next().unwrap_or_default().to_owned();
                *errors.entry(first).or_default() += 1;
            }
            longest = longest.max(answer.elapsed);
            let resident = processes::resident_bytes(zubi.pid()).expect("zubi runs");
            let peak = &mut peaks[usize::from(done >= calls / 2)];
            *peak = resident.max(*peak);
            done += 1;
        }
    }
    let [first, second] = peaks.map(|bytes| bytes >> 10);
    println!(
        "{done} calls in {:?}, longest {longest:?}; {deaths} deaths; {marked} marked; memory {first} and {second} KiB",
        start.elapsed()
    );
    for (error, count) in &errors {
        println!("{count:5} × {error}");
    }
    assert!(deaths > 0, "no server died");
    assert!(second <= first + first / 5, "memory grew from {first} to {second} KiB");
    assert_eq!(project.everything(), before, "files changed");
    assert_eq!(zubi.close().await, Some(0));
    let alive = processes::nothing_left_within(EXIT_TIMEOUT);
    alive.unwrap_or_else(|alive| panic!("still running after {EXIT_TIMEOUT:?}: {alive:?}"));
}
