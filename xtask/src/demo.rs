//! `cargo xtask demo`: from a fresh checkout to answers in one command. First `dlang` on the example models and zubi's
//! own agent on one of them, without any download; then zubi with a real language server.

use std::time::Instant;

use anyhow::Result;

use crate::{paths, run, setup};

/// Questions about the example models, each with the arguments of `dlang` that answer it.
const QUESTIONS: &[(&str, &[&str])] = &[
    ("Is the model of the bank sound?", &["validate", "examples/bank"]),
    ("And that of the shop?", &["validate", "examples/shop"]),
    ("Which bounded contexts are there for lending?", &["query", "bcs", "examples/bank", "--domain", "Lending"]),
    ("Who protects itself with an anti-corruption layer?", &["query", "rels", "examples/bank", "--pattern", "ACL"]),
    ("What is the ledger?", &["explain", "Bank.Accounts.Ledger", "examples/bank"]),
    ("The same kind of thing for a program:", &["get", "Direct-Debit", "examples/bank"]),
    ("Is everything formatted?", &["fmt", "--check", "examples/shop", "examples/bank"]),
];

/// The arguments of zubi for the agent, which runs in `examples/bank`.
const AGENT: &[&[&str]] = &[
    &["agent", "run", "--model", "mock:../scenarios/bank.yaml", "Which parts of payments have no team?"],
    &["agent", "replay", "../scenarios/bank.yaml"],
];

/// Builds both programs and the demo's MCP client, queries the examples with `dlang`, then installs the smallest real
/// language server and runs the client against zubi.
pub(crate) fn run() -> Result<()> {
    println!("1. zubi, dlang, and an MCP client");
    let start = Instant::now();
    // The development profile builds in a third of the time, and the answers are just as fast.
    run::loud(run::cargo().args(["build", "--locked", "--package", "zubi", "--package", "zubi-tests", "--bins"]))?;
    println!("   built in {:.1} s", start.elapsed().as_secs_f64());
    println!("\n2. questions about the example models in DomainLang");
    for (question, arguments) in QUESTIONS {
        print_answer(question, arguments)?;
    }
    println!("\n3. zubi's own agent, with a scenario in place of a model");
    agent()?;
    println!("\n4. a real language server");
    setup::run(&["ty".to_owned()])?;
    println!("\n5. questions about a project in Python");
    run::loud(&mut run::command(paths::target().join("debug/zubi-demo").as_str()))
}

/// Runs the agent with a recorded scenario as its model and real tool calls, then replays its calls. The conversation
/// is stored below `target`, not among the user's.
fn agent() -> Result<()> {
    for arguments in AGENT {
        println!("\n  $ zubi {}", arguments.join(" "));
        let mut command = run::command(paths::target().join("debug/zubi").as_str());
        let state = paths::target().join("demo");
        command
            .current_dir(paths::ROOT.join("examples/bank"))
            .env("XDG_STATE_HOME", &state)
            .env("XDG_CACHE_HOME", &state);
        run::loud(command.args(["--host", "own"]).args(*arguments))?;
    }
    Ok(())
}

/// Prints a question, the command that answers it, and the whole answer. A negative answer ends the demo.
fn print_answer(question: &str, arguments: &[&str]) -> Result<()> {
    println!("\n● {question}\n  $ dlang {}", arguments.join(" "));
    let start = Instant::now();
    let answer = run::quiet(run::command(paths::target().join("debug/dlang").as_str()).args(arguments))?;
    let duration = start.elapsed();
    for line in answer.lines() {
        println!("  │ {line}");
    }
    if answer.is_empty() {
        println!("  │ (no word, exit code 0)");
    }
    println!("  └ {:.1} ms", duration.as_secs_f64() * 1e3);
    Ok(())
}
