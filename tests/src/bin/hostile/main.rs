//! A language server that misbehaves on purpose, as its first argument says. The tests in `faults` run it as the server
//! of their own language.
//!
//! Apart from that fault, it answers every request correctly, so that a test sees only the effect of the fault.

mod faults;
mod library;
mod steered;
mod wire;

use std::io::{self, BufReader};
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::faults::{Fault, Reaction};
use crate::wire::{frame_message, read_message, send};

fn main() -> ExitCode {
    match serve() {
        Ok(code) => ExitCode::from(code),
        // zubi closed a pipe, which ends the server.
        Err(_) => ExitCode::SUCCESS,
    }
}

/// Answers until the input ends. The exit code depends on the fault.
fn serve() -> io::Result<u8> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut fault = Fault::find(&name)?;
    if let Some(code) = fault.at_start()? {
        return Ok(code);
    }
    let mut input = BufReader::new(io::stdin());
    while let Some(message) = read_message(&mut input)? {
        let (Some(method), id) = (message.get("method").and_then(Value::as_str), message.get("id")) else { continue };
        let params = message.get("params").unwrap_or(&Value::Null);
        let Some(id) = id else {
            fault.notify(method)?;
            match method {
                "initialized" => fault.after_handshake()?,
                "exit" => return Ok(0),
                _ => {}
            }
            continue;
        };
        let answer = valid_answer(method, params);
        match fault.answer(method, params, id, answer)? {
            Reaction::Send(answer) => send(&json!({ "jsonrpc": "2.0", "id": id, "result": answer }))?,
            Reaction::Bytes(bytes) => wire::write(&bytes)?,
            Reaction::Silent => {}
            Reaction::HalfThenEnd(answer) => {
                let message_frame = frame_message(&json!({ "jsonrpc": "2.0", "id": id, "result": answer }));
                wire::write(message_frame.get(..message_frame.len() / 2).unwrap_or_default())?;
                return Ok(7);
            }
            Reaction::End => return Ok(7),
            Reaction::Deaf => faults::park(),
        }
    }
    Ok(0)
}

/// The answers of a correct server for this language, in which every document consists of one word in its first line.
fn valid_answer(method: &str, params: &Value) -> Value {
    let uri = params.pointer("/textDocument/uri").cloned().unwrap_or_default();
    let word = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 5 } });
    match method {
        "initialize" => json!({ "capabilities": capabilities(), "serverInfo": { "name": "hostile" } }),
        "textDocument/hover" => json!({ "contents": "a word" }),
        "textDocument/documentSymbol" => {
            json!([{ "name": "alpha", "kind": 12, "range": word, "selectionRange": word }])
        }
        "textDocument/definition" => json!({ "uri": uri, "range": word }),
        "textDocument/references" => json!([{ "uri": uri, "range": word }]),
        "textDocument/rename" => {
            let edit = json!({ "range": word, "newText": params.get("newName") });
            json!({ "documentChanges": [{ "textDocument": { "uri": uri, "version": null }, "edits": [edit] }] })
        }
        "textDocument/completion" => json!([{ "label": "alpha" }]),
        "textDocument/signatureHelp" => json!({ "signatures": [{ "label": "alpha(beta)" }] }),
        "textDocument/codeAction" => json!([]),
        "textDocument/diagnostic" => json!({ "kind": "full", "items": [] }),
        _ => Value::Null,
    }
}

fn capabilities() -> Value {
    json!({
        "textDocumentSync": 1,
        "hoverProvider": true,
        "documentSymbolProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "renameProvider": true,
        "documentFormattingProvider": true,
        "completionProvider": {},
        "signatureHelpProvider": {},
        "codeActionProvider": true,
        "diagnosticProvider": { "interFileDependencies": false, "workspaceDiagnostics": false },
    })
}
