//! `cargo xtask demo`: from a fresh checkout to answers in one command.

use std::time::Instant;

use anyhow::Result;

use crate::{place, run, setup};

/// Fetches the smallest real language server, builds zubi and the demo's MCP client, and lets them talk.
pub(crate) fn run() -> Result<()> {
    println!("1. a real language server");
    setup::run(&["ty".to_owned()])?;
    println!("\n2. zubi and an MCP client");
    let start = Instant::now();
    // The development profile: it is built in a third of the time, and the answers come just as quickly.
    run::loud(run::cargo().args(["build", "--locked", "--package", "zubi", "--package", "zubi-tests", "--bins"]))?;
    println!("   built in {:.1} s", start.elapsed().as_secs_f64());
    println!("\n3. questions");
    run::loud(&mut run::command(place::target().join("debug/zubi-demo").as_str()))
}
