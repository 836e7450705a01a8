//! Tools that use no server: `file.search` against `rg` on a large tree, a tool call against a bare message, and
//! JavaScript of a tool file against a `node` process for it, and a command in the sandbox against the same one alone.
//!
//! Both searches must find the same lines, in interleaved rounds. `rg` starts for each search, as when an agent runs it
//! in a shell; zubi is already running. `rg` prints every matching line; zubi counts all and prints some.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use zubi_tests::{Project, processes, tools};

use crate::mcp::Zubi;
use crate::stats::{self, Samples};
use crate::table::{Aim, Row, Table};

/// The tree: the number of folders, the files in each, and the bytes of each file; 100 MB in total.
const FOLDERS: usize = 100;
const FILES: usize = 100;
const FILE_BYTES: usize = 10_000;

/// The search patterns with their labels: rare and common, literal, case-insensitive, and a regular expression.
const SEARCHES: &[(&str, &str)] = &[
    ("a rare word", "Needle"),
    ("a rare word in any case", "needle"),
    ("an expression", "[a-z]+_needle\\(\\d+\\)"),
    ("an expression without a fixed part", "\\d{5,}\\)$"),
    ("a word on every third line", "Lantern"),
];

/// Words of the generated text; `generate` adds the rare ones separately.
const WORDS: &[&str] = &[
    "river", "stone", "harbour", "let", "return", "Lantern", "match", "winter", "copper", "signal", "orchard", "value",
    "index", "shape", "area", "window", "ledger", "motion", "copy", "border", "paper", "table", "garden", "window",
];

/// Runs all measurements; `arguments` select many rounds or few.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let quick = crate::is_quick(crate::TOOLS, arguments)?;
    processes::adopt_orphans();
    println!("tools that use no server; load average {}", stats::load_average());
    let mut table = Table::default();
    searches(&mut table, if quick { 5 } else { 21 })?;
    calls(&mut table, if quick { 200 } else { 2_000 })?;
    inline(&mut table, if quick { 20 } else { 200 })?;
    sandbox(&mut table, if quick { 20 } else { 200 })?;
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}

/// Measures `file.search` against `rg`.
fn searches(table: &mut Table, rounds: usize) -> Result<()> {
    let project = Project::empty();
    generate(project.root().as_std_path())?;
    let rg = tools::program("ripgrep", "rg");
    let mut zubi = Zubi::start(&project, &[])?;
    for (name, query) in SEARCHES {
        let (mut ours, mut theirs) = (Samples::default(), Samples::default());
        let mut lines = 0;
        for round in 0..=rounds {
            let arguments = json!({ "query": query });
            let reply = zubi.wire.request("tools/call", &json!({ "name": "file.search", "arguments": arguments }))?;
            let text = reply.result["content"][0]["text"].as_str().unwrap_or_default();
            let start = Instant::now();
            let output = Command::new(&rg)
                .args(["--no-config", "--color", "never", "--no-heading", "--line-number", "--column"])
                .args(["--hidden", "--no-require-git", "--smart-case", "--", query, "."])
                .current_dir(project.root())
                .output()
                .context("rg starts")?;
            let elapsed = start.elapsed();
            lines = String::from_utf8_lossy(&output.stdout).lines().count();
            ensure!(text.starts_with(&format!("{lines} line")), "rg finds {lines} lines of `{query}`, zubi: {text}");
            // The first round fills the caches of both.
            if round > 0 {
                ours.push(reply.elapsed);
                theirs.push(elapsed);
            }
        }
        table.push(Row {
            label: format!("file.search for {name}, against `rg`, p50 of {rounds}"),
            zubi: ours.percentile(50),
            floor: Some(theirs.percentile(50)),
            unit: "ms",
            aim: Some(Aim::Times(1.3)),
            note: format!("{lines} lines"),
        });
    }
    Ok(())
}

/// Measures a call of a trivial tool against `ping`. The difference is the cost of validation, footprint, policy, audit
/// and rendering.
fn calls(table: &mut Table, rounds: usize) -> Result<()> {
    let project = Project::empty();
    let mut zubi = Zubi::start(&project, &[])?;
    let call = json!({ "name": "get_setting", "arguments": { "key": "editor.tabSize" } });
    let (mut ours, mut bare) = (Samples::default(), Samples::default());
    for _ in 0..rounds {
        let reply = zubi.wire.request("tools/call", &call)?;
        ensure!(reply.result["isError"] != Value::Bool(true), "get_setting fails: {}", reply.result);
        ours.push(reply.elapsed);
        bare.push(zubi.wire.request("ping", &json!({}))?.elapsed);
    }
    for percent in [50, 95] {
        table.push(Row {
            label: format!("call of a trivial tool, against `ping`, p{percent} of {rounds}"),
            zubi: ours.percentile(percent),
            floor: Some(bare.percentile(percent)),
            unit: "ms",
            aim: Some(Aim::Adds(0.5)),
            note: String::new(),
        });
    }
    Ok(())
}

/// Measures a command in the sandbox (`shell.run`) against the same shell without zubi.
fn sandbox(table: &mut Table, rounds: usize) -> Result<()> {
    let project = Project::empty();
    project.write("a.txt", "text\n");
    project.write(".zubi.toml", "[[policy]]\naction = \"allow\"\ntools = [\"shell.run\"]\ncommand = [\"ls\"]\n");
    Zubi::trust(&project)?;
    let mut zubi = Zubi::start_with(&project, &[], &["--toolsets", "shell,tools"])?;
    let call =
        json!({ "name": "zubi_call_tool", "arguments": { "tool": "shell.run", "arguments": { "command": "ls" } } });
    let (mut ours, mut bare) = (Samples::default(), Samples::default());
    let mut level = String::new();
    for round in 0..=rounds {
        let reply = zubi.wire.request("tools/call", &call)?;
        let text = reply.result["content"][0]["text"].as_str().unwrap_or_default();
        ensure!(text.starts_with("a.txt\n"), "shell.run answers {text}");
        text.split(['[', '·']).nth(1).unwrap_or_default().trim().clone_into(&mut level);
        let start = Instant::now();
        let output = Command::new("bash").args(["-c", "ls"]).current_dir(project.root()).output();
        let output = output.context("bash starts")?;
        let elapsed = start.elapsed();
        ensure!(output.stdout == b"a.txt\n", "ls answers {}", String::from_utf8_lossy(&output.stdout));
        // The first round probes the sandbox.
        if round > 0 {
            ours.push(reply.elapsed);
            bare.push(elapsed);
        }
    }
    table.push(Row {
        label: format!("`ls` in the sandbox, against `bash -c ls`, p50 of {rounds}"),
        zubi: ours.percentile(50),
        floor: Some(bare.percentile(50)),
        unit: "ms",
        aim: Some(Aim::Adds(5.0)),
        note: level,
    });
    Ok(())
}

/// A tool file with a sum in JavaScript that runs without an approval prompt.
const TOOL_FILE: &str = r#"{"version": "1.0", "tools": [{
    "id": "sum", "name": "Add", "description": "Adds two numbers, for the benchmark.", "requiresApproval": false,
    "parameters": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    "execution": {"type": "inline", "code": "return args.a + args.b"}
}]}"#;
const ALLOWED: &str = "allow = [\"workspace.sum\"]\n";

/// Measures JavaScript of a tool file, which runs in a new confined process per call, against the same sum in a new
/// `node` process, as an agent without such a tool would run it in a shell.
fn inline(table: &mut Table, rounds: usize) -> Result<()> {
    let project = Project::empty();
    project.write(".vscode/agent-tools.json", TOOL_FILE);
    project.write(".zubi.toml", ALLOWED);
    Zubi::trust(&project)?;
    let node = tools::program("node", "node");
    let mut zubi = Zubi::start(&project, &[])?;
    let arguments = json!({ "tool": "workspace.sum", "arguments": { "a": 1, "b": 2 } });
    let call = json!({ "name": "zubi_call_tool", "arguments": arguments });
    let (mut ours, mut theirs) = (Samples::default(), Samples::default());
    for round in 0..=rounds {
        let reply = zubi.wire.request("tools/call", &call)?;
        let text = reply.result["content"][0]["text"].as_str().unwrap_or_default();
        ensure!(text.lines().next() == Some("3"), "workspace.sum answers {text}");
        let start = Instant::now();
        let output = Command::new(&node).args(["-e", "console.log(1 + 2)"]).output().context("node starts")?;
        let elapsed = start.elapsed();
        ensure!(output.stdout == b"3\n", "node answers {}", String::from_utf8_lossy(&output.stdout));
        if round > 0 {
            ours.push(reply.elapsed);
            theirs.push(elapsed);
        }
    }
    for percent in [50, 95] {
        table.push(Row {
            label: format!("call of JavaScript in a tool file, against starting `node`, p{percent} of {rounds}"),
            zubi: ours.percentile(percent),
            floor: Some(theirs.percentile(percent)),
            unit: "ms",
            aim: Some(Aim::Times(1.0)),
            note: String::new(),
        });
    }
    Ok(())
}

/// Writes the tree; its content is the same each time.
fn generate(root: &Path) -> Result<()> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |limit: usize| {
        // Marsaglia's xorshift with the first triple of shifts in the paper.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % limit as u64).unwrap_or_default()
    };
    for folder in 0..FOLDERS {
        let folder = root.join(format!("part{:02}/module{folder:03}", folder % 10));
        std::fs::create_dir_all(&folder).context("the tree's folders")?;
        for file in 0..FILES {
            let mut text = String::with_capacity(FILE_BYTES + 200);
            while text.len() < FILE_BYTES {
                text.push_str("    ");
                for _ in 0..4 + next(8) {
                    text.push_str(WORDS.get(next(WORDS.len())).unwrap_or(&"word"));
                    text.push(if next(5) == 0 { '(' } else { ' ' });
                }
                // About one line in 20,000 contains a searched word.
                if next(20_000) == 0 {
                    let _ = write!(text, "the_needle({}) Needle({})", next(1_000), 10_000 + next(1_000));
                }
                text.push('\n');
            }
            std::fs::write(folder.join(format!("file{file:03}.txt")), text).context("the tree's files")?;
        }
    }
    Ok(())
}
