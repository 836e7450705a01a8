//! A language server, and the declarations that it reports for open files.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use camino::Utf8Path;
use serde_json::{Value, json};
use zubi_tests::zubi::environment;

use crate::corpus::SourceCopy;
use crate::recall::{ReportedDeclaration, is_name, last_part};

/// A language server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerProgram {
    pub(crate) name: &'static str,
    /// The components that it needs on PATH; see `cargo xtask setup`.
    pub(crate) components: &'static [&'static str],
    /// The program and its arguments.
    pub(crate) command: &'static [&'static str],
}

/// The maximum wait for a response.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(3);

/// The numbers in LSP's `SymbolKind` of classes, functions and methods: class, method, constructor, enum, interface,
/// function, struct.
const KINDS: [u64; 7] = [5, 6, 9, 10, 11, 12, 23];

/// A running server.
struct ServerConnection {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    last_id: u64,
}

/// Returns the classes, functions and methods that a server reports for the files of a corpus.
pub(crate) fn declarations(
    program: &ServerProgram,
    language: &str,
    sources: &SourceCopy,
) -> Result<BTreeSet<ReportedDeclaration>> {
    let mut server = ServerConnection::open(program, sources)?;
    let mut reported = BTreeSet::new();
    let is_script = matches!(language, "typescript" | "javascript");
    for file in &sources.files {
        let text = sources.text(file);
        let uri = format!("file://{}", sources.root().join(file));
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        server.notify("textDocument/didOpen", &json!({ "textDocument": document }))?;
        let symbols = server.request("textDocument/documentSymbol", &json!({ "textDocument": { "uri": uri } }))?;
        add_symbols(file, &symbols, is_script, &mut reported);
        server.notify("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }))?;
    }
    Ok(reported)
}

fn add_symbols(file: &Utf8Path, symbols: &Value, is_script: bool, reported: &mut BTreeSet<ReportedDeclaration>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        let range =
            if symbol["location"].is_object() { &symbol["location"]["range"] } else { &symbol["selectionRange"] };
        let line = range["start"]["line"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or_default() + 1;
        let name = symbol["name"].as_str().unwrap_or_default();
        // Servers describe functions without a name: `<function>`, `map() callback`, `default`.
        let is_described = name.starts_with('<') || name.contains(") callback") || name == "default" && is_script;
        let name = last_part(name);
        if symbol["kind"].as_u64().is_some_and(|kind| KINDS.contains(&kind)) && is_name(&name) && !is_described {
            reported.insert(ReportedDeclaration { file: file.to_owned(), line, name });
        }
        add_symbols(file, &symbol["children"], is_script, reported);
    }
}

impl ServerConnection {
    fn open(program: &ServerProgram, sources: &SourceCopy) -> Result<Self> {
        let environment = environment(&sources.project, program.components);
        let path = environment.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value.as_str());
        let (name, arguments) = program.command.split_first().context("a server has a program")?;
        let mut directories = path.split(':').map(|directory| Utf8Path::new(directory).join(name));
        let executable = directories.find(|file| file.is_file()).with_context(|| format!("{name} is not set up"))?;
        let mut command = Command::new(executable);
        command.args(arguments).env_clear().envs(environment).current_dir(sources.root());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("{name} does not start"))?;
        let (input, output) = (child.stdin.take().context("piped")?, child.stdout.take().context("piped")?);
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = receive(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut server = Self { child, input, messages, last_id: 0 };
        let uri = format!("file://{}", sources.root());
        let capabilities = json!({
            "textDocument": { "documentSymbol": {
                "hierarchicalDocumentSymbolSupport": true,
                "symbolKind": { "valueSet": (1..=26).collect::<Vec<_>>() },
            } },
            "workspace": { "configuration": true, "workspaceFolders": true },
        });
        server.request(
            "initialize",
            &json!({
                "processId": std::process::id(),
                "rootUri": uri,
                "rootPath": sources.root(),
                "workspaceFolders": [{ "uri": uri, "name": "sources" }],
                "capabilities": capabilities,
            }),
        )?;
        server.notify("initialized", &json!({}))?;
        Ok(server)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        self.input.flush().context("the server closed its input")
    }

    fn notify(&mut self, method: &str, params: &Value) -> Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Sends a request and waits for its result. Answers the server's requests with the defaults.
    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut message = self.messages.recv_timeout(ANSWER_TIMEOUT).context("the server does not answer")?;
            match (message["method"].as_str(), message.get("id")) {
                (Some(asked), Some(request_id)) => {
                    let items = message["params"]["items"].as_array().map_or(0, Vec::len);
                    let result =
                        if asked == "workspace/configuration" { json!(vec![Value::Null; items]) } else { Value::Null };
                    let reply = json!({ "jsonrpc": "2.0", "id": request_id, "result": result });
                    self.send(&reply)?;
                }
                (None, Some(response_id)) if response_id.as_u64() == Some(id) => {
                    if let Some(error) = message["error"]["message"].as_str() {
                        bail!("{method} {}: {error}", params["textDocument"]["uri"]);
                    }
                    return Ok(message["result"].take());
                }
                _ => {}
            }
        }
    }
}

impl Drop for ServerConnection {
    fn drop(&mut self) {
        // The server may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn receive(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse().ok()?,
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
