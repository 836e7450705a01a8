//! The demo: starts `zubi mcp` on a copy of the example project, calls its tools over MCP, and prints each call, the
//! whole answer and the time. `cargo xtask demo` starts it.
#![expect(clippy::print_stdout, reason = "showing is its purpose")]

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use zubi_tests::zubi::{id, text};
use zubi_tests::{Project, Zubi};

#[tokio::main]
async fn main() -> Result<()> {
    let project = Project::example("lending");
    let before = project.everything();
    println!("$ cd examples/lending && zubi mcp        (a copy of it, with `ty` on PATH)");
    let start = Instant::now();
    let zubi = Zubi::start(&project, &["ty"]).await;
    let server = zubi.server();
    let name = server.server_info.as_ref().map(|info| format!("{} {}", info.name, info.version)).unwrap_or_default();
    let tools = zubi.tools().await;
    println!("  connected to {name} in {}; it offers {} tools", milliseconds(start.elapsed()), tools.len());

    print_answer(&zubi, "What is in this file?", "lsp_document_symbols", json!({ "path": "lending/desk.py" })).await?;
    let at = "lending/desk.py:26 find";
    print_answer(&zubi, "Where is the `find` that line 26 calls?", "lsp_definition", json!({ "at": at })).await?;
    print_answer(&zubi, "Who uses it?", "lsp_references", json!({ "symbol": "Catalogue.find" })).await?;
    print_answer(&zubi, "What does it take to borrow?", "lsp_hover", json!({ "symbol": "Member.may_borrow" })).await?;
    let rename = json!({ "symbol": "Desk.take_back", "newName": "accept" });
    let plan = print_answer(&zubi, "Rename a method: what would change?", "lsp_rename_symbol", rename).await?;
    let plan = id(&plan, "p-").context("the answer names a plan")?;
    ensure!(project.everything() == before, "planning a rename changed a file");
    print_answer(&zubi, "Do it.", "apply_edit", json!({ "plan": plan })).await?;
    ensure!(project.everything() != before, "applying the plan changed nothing");
    print_answer(&zubi, "Take it back.", "undo_edit", json!({ "plan": plan })).await?;
    ensure!(project.everything() == before, "undo did not restore every byte");
    println!("\nEvery file is byte for byte as it was.");

    let start = Instant::now();
    zubi.close().await;
    println!("Closed the connection; zubi and its servers were gone {} later.", milliseconds(start.elapsed()));
    Ok(())
}

/// Makes one call, prints it with its answer, and returns the answer unchanged.
async fn print_answer(zubi: &Zubi, question: &str, tool: &str, arguments: Value) -> Result<String> {
    println!("\n● {question}\n  {tool} {arguments}");
    let start = Instant::now();
    let result = zubi.result(tool, arguments).await;
    let elapsed = start.elapsed();
    let answer = text(&result);
    for line in answer.lines() {
        println!("  │ {line}");
    }
    println!("  └ {}", milliseconds(elapsed));
    ensure!(result.is_error != Some(true), "{tool} failed");
    Ok(answer)
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}
