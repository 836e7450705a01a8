//! A language server with a fixed response time that answers concurrent requests concurrently. This program itself is
//! the server.

use std::io::{BufReader, Write as _, stdin, stdout};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use zubi_tests::Project;

use crate::wire::{Framing, message};

/// The argument that makes this program the server; the response time in milliseconds follows.
pub(crate) const ARGUMENT: &str = "__delay";

/// Configures it as the server of `*.delayed` files, and writes one such file.
pub(super) fn install(project: &Project, delay: Duration) -> Result<()> {
    let program = std::env::current_exe().context("this program")?;
    let (program, delay) = (json!(program), delay.as_millis());
    let row = format!(
        "[[server]]\nid = \"delayed\"\ntitle = \"delayed\"\ncommand = {program}\nargs = [\"{ARGUMENT}\", \"{delay}\"]\n\
         version_args = []\nlanguages = [{{ id = \"delayed\", extensions = [\"delayed\"] }}]\nuntrusted = \"run\"\n\
         readiness = \"initialized\"\n"
    );
    let config = project.home().join("config/zubi");
    std::fs::create_dir_all(&config).context("the user's configuration")?;
    std::fs::write(config.join("servers.toml"), row).context("the user's catalogue")?;
    project.write("a.delayed", "alpha beta\n");
    Ok(())
}

/// Serves on stdin and stdout until the input ends.
pub(crate) fn serve(delay: &str) -> Result<()> {
    let delay = Duration::from_millis(delay.parse().context("a time in milliseconds")?);
    let output = Arc::new(Mutex::new(stdout()));
    let mut input = BufReader::new(stdin());
    while let Some(text) = message(&mut input, Framing::Headers) {
        let message: Value = serde_json::from_slice(&text).context("JSON")?;
        let Some(id) = message.get("id").filter(|id| !id.is_null()).cloned() else {
            if message["method"] == "exit" {
                return Ok(());
            }
            continue;
        };
        let is_question = message["method"].as_str().is_some_and(|method| method.starts_with("textDocument/"));
        let output = Arc::clone(&output);
        thread::spawn(move || {
            if is_question {
                thread::sleep(delay);
            }
            let reply = json!({ "jsonrpc": "2.0", "id": id, "result": answer(&message) }).to_string();
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            // The client may have disconnected.
            drop(write!(output, "Content-Length: {}\r\n\r\n{reply}", reply.len()).and_then(|()| output.flush()));
        });
    }
    Ok(())
}

fn answer(message: &Value) -> Value {
    match message["method"].as_str() {
        Some("initialize") => json!({ "capabilities": { "hoverProvider": true, "textDocumentSync": 1 } }),
        Some("textDocument/hover") => json!({ "contents": { "kind": "plaintext", "value": "after a while" } }),
        _ => Value::Null,
    }
}
