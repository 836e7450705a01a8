//! The faults of the server, one name for each.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::library;
use crate::steered;
use crate::wire::{self, frame, send};

/// A size in bytes that no client should accept.
const GIGABYTE: usize = 1 << 30;

/// The number of answered queries about code before the fatal one.
const ANSWERS_BEFORE_CRASH: u32 = 2;

/// The reaction to one request.
pub(crate) enum Reaction {
    Send(Value),
    /// Sends these bytes instead of an answer.
    Bytes(Vec<u8>),
    Silent,
    /// Sends half of the answer, and then the process ends.
    HalfThenEnd(Value),
    End,
    /// Stops reading without ending the process.
    Deaf,
}

/// A fault and its state.
pub(crate) struct Fault {
    name: &'static str,
    /// The number of queries about code so far.
    request_count: u32,
}

/// The names of all faults.
const NAMES: &[&str] = &[
    "none",
    "crash-at-start",
    "silent-at-start",
    "noise-only",
    "noise-between",
    "stderr-flood",
    "crash-in-answer",
    "crash-at-every-third",
    "hang",
    "closes-output",
    "flood",
    "ask-flood",
    "ask-deaf",
    "huge-frame",
    "huge-announced",
    "many-values",
    "wrong-ids",
    "lost-ids",
    "late-registration",
    "no-capabilities",
    "unregisters",
    "foreign-uris",
    "edit-outside",
    "edit-through-link",
    "edit-overlap",
    "unasked-edit",
    "not-utf8",
    "ready-never",
    "ready-early",
    "ready-twice",
    "deep",
    "wrong-types",
    "fat",
    "library",
    "library-own",
    "library-silent",
    "library-large",
    "library-wrong",
    "library-empty",
    "steered",
];

/// Waits forever without reading or writing.
pub(crate) fn park() -> ! {
    loop {
        thread::park();
    }
}

/// Repeats an action on a separate thread until a pipe is closed.
fn spawn_loop(mut work: impl FnMut(u64) -> io::Result<()> + Send + 'static) {
    thread::spawn(move || {
        let mut number = 0;
        while work(number).is_ok() {
            number += 1;
        }
    });
}

impl Fault {
    pub(crate) fn find(name: &str) -> io::Result<Self> {
        let entry = NAMES.iter().find(|entry| **entry == name);
        let name = entry.ok_or_else(|| io::Error::other(format!("there is no fault `{name}`")))?;
        Ok(Self { name, request_count: 0 })
    }

    /// Runs before any input is read. `Some` ends the process with this code.
    pub(crate) fn at_start(&self) -> io::Result<Option<u8>> {
        match self.name {
            "crash-at-start" => {
                // A file beside the workspace counts the starts; the server's row allows it to write there.
                let mut starts = OpenOptions::new().create(true).append(true).open("../records/starts")?;
                writeln!(starts, "started")?;
                writeln!(io::stderr(), "cannot load its data")?;
                return Ok(Some(3));
            }
            "silent-at-start" => park(),
            "noise-only" => loop {
                // Equal lines, so that the text looks the same wherever it is cut.
                wire::write(&b"!\n".repeat(1000))?;
            },
            "noise-between" => wire::write(b"Welcome! Content-Length: soon\n")?,
            "stderr-flood" => spawn_loop(|number| writeln!(io::stderr(), "{number} {}", "x".repeat(200))),
            _ => {}
        }
        Ok(None)
    }

    /// Handles a notification.
    pub(crate) fn notify(&self, method: &str) -> io::Result<()> {
        if self.name == "steered" { steered::record_method(method) } else { Ok(()) }
    }

    /// Runs after the handshake.
    pub(crate) fn after_handshake(&self) -> io::Result<()> {
        let progress = |kind: &str| {
            let value = json!({ "kind": kind, "title": "Indexing" });
            send(&json!({ "jsonrpc": "2.0", "method": "$/progress", "params": { "token": "index", "value": value } }))
        };
        match self.name {
            "flood" => spawn_loop(flood),
            "ask-flood" => spawn_loop(request),
            "late-registration" => {
                thread::spawn(|| {
                    // The fault of this server is a late answer.
                    thread::sleep(Duration::from_millis(300));
                    register("client/registerCapability")
                });
            }
            "unregisters" => register("client/registerCapability")?,
            "ready-never" => progress("begin")?,
            "ready-early" => {
                progress("end")?;
                progress("begin")?;
                progress("end")?;
            }
            "ready-twice" => {
                for kind in ["begin", "end", "end", "begin", "end"] {
                    progress(kind)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reacts to a request whose correct answer is `reply`.
    pub(crate) fn answer(&mut self, method: &str, params: &Value, id: &Value, reply: Value) -> io::Result<Reaction> {
        if self.name == "noise-between" {
            wire::write(b"\x1b[31mthinking about Content-Length\x1b[0m\r\n\r\n")?;
        }
        if self.name.starts_with("library") {
            if self.name == "library-silent" && method == "workspace/textDocumentContent" {
                return Ok(Reaction::Silent);
            }
            return Ok(Reaction::Send(library::answer(self.name, method, &reply).unwrap_or(reply)));
        }
        if self.name == "steered" {
            steered::record_method(method)?;
            if steered::is_withheld(method) {
                return Ok(Reaction::Silent);
            }
            return Ok(Reaction::Send(match (method, reply.pointer("/documentChanges/0/edits/0/range")) {
                ("textDocument/rename", Some(word)) => steered::rename_everywhere(params, word)?,
                _ => reply,
            }));
        }
        if method == "initialize" {
            let has_no_capabilities = ["late-registration", "no-capabilities", "unregisters"].contains(&self.name);
            let capabilities = json!({ "textDocumentSync": 1 });
            return Ok(Reaction::Send(if has_no_capabilities {
                json!({ "capabilities": capabilities })
            } else {
                reply
            }));
        }
        if !method.starts_with("textDocument/") {
            return Ok(if self.name == "hang" { Reaction::Silent } else { Reaction::Send(reply) });
        }
        self.request_count += 1;
        Ok(match self.name {
            "crash-in-answer" => Reaction::HalfThenEnd(reply),
            "crash-at-every-third" if self.request_count > ANSWERS_BEFORE_CRASH => Reaction::End,
            "hang" => Reaction::Silent,
            "closes-output" => {
                rustix::stdio::dup2_stdout(File::open("/dev/null")?)?;
                Reaction::Deaf
            }
            "ask-deaf" => {
                spawn_loop(request);
                Reaction::Deaf
            }
            "huge-frame" => {
                wire::write(format!("Content-Length: {GIGABYTE}\r\n\r\n").as_bytes())?;
                let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":\"");
                wire::write(head.as_bytes())?;
                let mut remaining = GIGABYTE - head.len();
                let chunk = vec![b' '; 1 << 20];
                while remaining > 0 {
                    let part = chunk.get(..remaining.min(chunk.len())).unwrap_or_default();
                    wire::write(part)?;
                    remaining -= part.len();
                }
                Reaction::Silent
            }
            "huge-announced" => {
                Reaction::Bytes(format!("Content-Length: {GIGABYTE}\r\n\r\n{{\"id\":{id},").into_bytes())
            }
            "many-values" => {
                let zeros = "0,".repeat(30 << 20);
                Reaction::Bytes(frame(format!("{{\"id\":{id},\"result\":[{zeros}0]}}").as_bytes()))
            }
            "wrong-ids" => {
                for wrong_id in [json!(1_000_000), json!("no number"), json!(-1), Value::Null, json!({ "id": id })] {
                    send(&json!({ "jsonrpc": "2.0", "id": wrong_id, "result": "for nobody" }))?;
                }
                send(&json!({ "jsonrpc": "2.0", "id": id, "result": reply }))?;
                Reaction::Send(json!({ "contents": "said twice" }))
            }
            "lost-ids" => {
                send(&json!({ "jsonrpc": "2.0", "id": 1_000_000, "result": reply }))?;
                Reaction::Silent
            }
            "unregisters" => {
                register("client/unregisterCapability")?;
                Reaction::Send(reply)
            }
            "foreign-uris" => Reaction::Send(foreign_locations(method, reply)),
            "edit-outside" | "edit-through-link" | "edit-overlap" => self.edit(method, params, reply),
            "unasked-edit" => {
                let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default();
                let edit =
                    json!({ "changes": { uri: [insertion(0, "unasked")], outside(uri): [insertion(0, "unasked")] } });
                send(
                    &json!({ "jsonrpc": "2.0", "id": "edit", "method": "workspace/applyEdit", "params": { "edit": edit } }),
                )?;
                Reaction::Send(reply)
            }
            "not-utf8" => {
                let mut body = format!("{{\"id\":{id},\"result\":{{\"contents\":\"a \\ud800").into_bytes();
                body.extend_from_slice(b"\xff\xfe\xc0 word\"}}");
                Reaction::Bytes(frame(&body))
            }
            "deep" => {
                let body = format!("{{\"id\":{id},\"result\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
                Reaction::Bytes(frame(body.as_bytes()))
            }
            "wrong-types" => Reaction::Send(json!("a word")),
            "fat" => {
                // Written, so that the memory is really resident.
                let memory: &'static [u8] = vec![1; 300 << 20].leak();
                writeln!(io::stderr(), "{} bytes are held", memory.len())?;
                park()
            }
            _ => Reaction::Send(reply),
        })
    }

    /// Answers a rename with an edit that zubi must not carry out; answers all other requests correctly.
    fn edit(&self, method: &str, params: &Value, reply: Value) -> Reaction {
        if method != "textDocument/rename" {
            return Reaction::Send(reply);
        }
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default();
        let other = match self.name {
            "edit-outside" => outside(uri),
            "edit-through-link" => uri.replace("a.hostile", "link/secret.txt"),
            _ => uri.to_owned(),
        };
        let long = json!({ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 5 } }, "newText": "x" });
        let edits = if other == uri { json!([long, insertion(2, "y")]) } else { json!([insertion(0, "x")]) };
        Reaction::Send(json!({ "changes": { other: edits } }))
    }
}

/// The URI of a file next to the workspace.
fn outside(uri: &str) -> String {
    uri.replace("project/a.hostile", "outside.txt")
}

fn insertion(character: u32, text: &str) -> Value {
    let position = json!({ "line": 0, "character": character });
    json!({ "range": { "start": position, "end": position }, "newText": text })
}

/// Returns locations of all kinds that are not files of the workspace.
fn foreign_locations(method: &str, reply: Value) -> Value {
    if !matches!(method, "textDocument/definition" | "textDocument/references") {
        return reply;
    }
    let range = json!({ "start": { "line": 6, "character": 2 }, "end": { "line": 6, "character": 3 } });
    let uris = [
        "http://example.com/a.hostile?x=1",
        "jdt://contents/java.base/java.lang/String.class",
        "file://host/share/a.hostile",
        "file:///%ZZ%00/a.hostile",
        "file:///%FF%FE",
        "file:///dev/zero",
        "file:///proc/kmsg",
        "file:///nowhere/at/all.hostile",
        "",
        "\u{1b}[31m\u{202e}",
    ];
    uris.iter().map(|uri| json!({ "uri": uri, "range": range })).collect()
}

fn register(method: &str) -> io::Result<()> {
    let one = json!([{ "id": "hover", "method": "textDocument/hover", "registerOptions": {} }]);
    // Both names of the list, because the protocol misspells the second.
    let params = json!({ "registrations": one, "unregisterations": one });
    send(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }))
}

/// Sends one round of unsolicited notifications.
fn flood(number: u64) -> io::Result<()> {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } });
    let problem = json!({ "range": range, "message": "bad ".repeat(200), "data": "x".repeat(200) });
    let problems = json!({ "uri": format!("file:///flood/{number}"), "diagnostics": vec![problem; 20] });
    let progress = json!({ "token": number, "value": { "kind": "begin", "title": "Indexing".repeat(100) } });
    for (method, params) in [
        ("textDocument/publishDiagnostics", problems),
        ("window/logMessage", json!({ "type": 3, "message": "log ".repeat(500) })),
        ("$/progress", progress),
        ("hostile/own", json!({ "number": number })),
    ] {
        send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))?;
    }
    Ok(())
}

/// Sends one request to zubi.
fn request(number: u64) -> io::Result<()> {
    let items = vec![json!({ "section": "" }); 100];
    let params = json!({ "items": items });
    send(&json!({ "jsonrpc": "2.0", "id": number, "method": "workspace/configuration", "params": params }))
}
