//! `zubi index import`: exact data of a real indexer, their state, and answers from them without a server.
//!
//! `data/python.scip` is the output of scip-python for the files in `data/python.txt`.

use std::fs::File;
use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use insta::assert_snapshot;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;

use crate::check::Sandbox;

/// A workspace with the files of the data, and the data outside of it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for part in include_str!("data/python.txt").split("//- ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap();
        sandbox.write(&format!("work/{path}"), text);
    }
    write(&sandbox, "data.scip", include_bytes!("data/python.scip"));
    sandbox
}

fn write(sandbox: &Sandbox, path: &str, bytes: &[u8]) {
    let path = sandbox.path(path);
    zubi_base::fs::write_atomic(Utf8Path::from_path(&path).unwrap(), bytes).unwrap();
}

/// Runs a command; replaces the time since the import, and what depends on the machine.
fn check(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.check(words);
    let lines = output.lines().map(|line| match line.split_once(", imported ") {
        Some((before, after)) => format!("{before}, imported{}", after.split_once(" ago").unwrap().1),
        None if line.contains(" in [PLACE]/cache/") => "  SIZE in [PLACE]/cache/STORE".to_owned(),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn imported_data_answer_without_a_server() {
    let sandbox = sandbox();
    assert_snapshot!(check(&sandbox, &["index", "import", "../data.scip"]), @r#"
    exit 0
    --- stdout
    [PLACE]/work
      scip-python 0.6.6: 2 documents, 2 exact; 48 occurrences of symbols
    "#);
    assert_snapshot!(check(&sandbox, &["index", "status"]), @r#"
    exit 0
    --- stdout
    [PLACE]/work
      no index yet: `zubi index build`, or the first request of an agent, makes it
      scip-python 0.6.6, imported from [PLACE]/data.scip
        2 documents (python 2), 2 exact now
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:18:5"]), @r#"
    exit 0
    --- stdout
    at shapes.py:18:5 total
    4 references to `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:34  LABEL = "Fläche 😀"; print(LABEL, total([Square(2.0), Square(3.0)]))
      4:9  größe = total([]); print("😀", größe)
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [scip scip-python · 2 files exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--symbol", "total"]), @r#"
    exit 0
    --- stdout
    at shapes.py:18:5 total (function)
    4 references to `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:34  LABEL = "Fläche 😀"; print(LABEL, total([Square(2.0), Square(3.0)]))
      4:9  größe = total([]); print("😀", größe)
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [scip scip-python · 2 files exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_definition", "--at", "app.py:4:9"]), @r#"
    exit 0
    --- stdout
    at app.py:4:9 total
    1 definition of `total`
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:
    [scip scip-python · 1 file exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_implementations", "--symbol", "Shape/area"]), @r#"
    exit 0
    --- stdout
    at shapes.py:7:9 area (method)
    1 implementation of `area`
    shapes.py
      14:9  def area(self) -> float:
    [scip scip-python · 1 file exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    let output = sandbox.zubi().args(["call", "lsp_references", "--symbol", "total", "--json"]).output().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(answer.contains(r#""source": "scip""#) || answer.contains(r#""source":"scip""#), "{answer}");

    // The calls end before their index is built.
    check(&sandbox, &["index", "build"]);
    sandbox.write("work/app.py", "from shapes import Square, total\n\nprint(total([Square(1.0)]))\n");
    assert_snapshot!(check(&sandbox, &["index", "status"]), @r#"
    exit 0
    --- stdout
    [PLACE]/work
      up to date as of the last host; the next one compares it with the files
      words of 3 files, declarations of 3
      SIZE in [PLACE]/cache/STORE
      scip-python 0.6.6, imported from [PLACE]/data.scip
        2 documents (python 2), 1 exact now, 1 changed since
    "#);
    // No exact reference is left, so the texts answer.
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--symbol", "total"]), @r#"
    exit 0
    --- stdout
    at shapes.py:18:5 total (function)
    3 word matches of `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:7  print(total([Square(1.0)]))
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [text search: names only · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:10:7"]), @r#"
    exit 0
    --- stdout
    at shapes.py:10:7 Square
    3 word matches of `Square` in 2 files
    app.py
      1:20  from shapes import Square, total
      3:14  print(total([Square(1.0)]))
    shapes.py
      10:7  class Square(Shape):  (declaration)
    [text search: names only · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:5:7"]), @r#"
    exit 0
    --- stdout
    at shapes.py:5:7 Shape
    3 references to `Shape` in 1 file
    shapes.py
      5:7  class Shape(ABC):  (declaration)
      10:14  class Square(Shape):
      18:24  def total(shapes: list[Shape]) -> float:
    [scip scip-python · 1 file exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_definition", "--at", "app.py:3:7"]), @r#"
    exit 0
    --- stdout
    at app.py:3:7 total
    1 definition of `total`
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:
    [scip scip-python · 1 file exact · `app.py` has changed since the import: this is the only `total` of the data in it · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);

    // One of two files is exact.
    sandbox.write(
        "work/app.py",
        include_str!("data/python.txt").split("//- ").nth(1).unwrap().split_once('\n').unwrap().1,
    );
    let shapes = sandbox.read("work/shapes.py");
    sandbox.write(
        "work/shapes.py",
        &shapes.replace("\"\"\"Shapes.\"\"\"\n", "\"\"\"All shapes, and their total.\"\"\"\n"),
    );
    let output = check(&sandbox, &["call", "lsp_references", "--at", "app.py:4:9"]);
    assert!(output.contains("\n3 references and 2 word matches of `total` in 2 files\n"), "{output}");
    assert!(output.contains("\n[scip scip-python · 1 file exact, 1 changed since: name only · "), "{output}");

    let cleared = check(&sandbox, &["index", "clear"]);
    assert!(cleared.contains("deleted"), "{cleared}");
    let output = sandbox.zubi().args(["index", "status", "--json"]).output().unwrap();
    let state: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(state.pointer("/folders/0/imports"), Some(&Value::Array(Vec::new())), "{state}");
}

#[test]
fn refused_imports_say_what_to_do() {
    let sandbox = sandbox();
    write(&sandbox, "cut.scip", &include_bytes!("data/python.scip")[..3_000]);
    for (words, expected) in [
        (["absent.scip", "--folder", "."], "cannot read"),
        (["../cut.scip", "--folder", "."], "make it again with its indexer"),
        (["../data.scip", "--folder", "src"], "pass the folder in which the indexer ran"),
        (["../data.scip", "--folder", ".."], "pass a folder of the workspace"),
        (["../data.scip", "--folder", "absent"], "is not a folder"),
        (["../data.scip", "--commit", "HEAD"], "is not in a git repository"),
    ] {
        let output = check(&sandbox, &[&["index", "import"], &words[..]].concat());
        assert!(output.starts_with("exit 2") && output.contains(expected), "{words:?}: {output}");
    }
    let output = sandbox.check(&["index", "import", "../data.scip", "--commit=--output=x"]);
    assert!(output.starts_with("exit 2"), "{output}");
}

/// Runs git in the workspace, and returns its output.
fn git(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    let output = assert_cmd::Command::new("git")
        .current_dir(sandbox.path("work"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", sandbox.path("home"))
        .args(identity)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn data_of_a_commit_answer_with_its_id() {
    let sandbox = sandbox();
    git(&sandbox, &["init", "--quiet"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "--quiet", "--message=first"]);
    let id = git(&sandbox, &["rev-parse", "HEAD"]);
    let shown = |text: String| text.replace(&id, "[COMMIT]").replace(id.get(..7).unwrap(), "[SHORT]");
    // The data describe the commit, whatever the files are at the import.
    let app = sandbox.read("work/app.py");
    sandbox.write("work/app.py", &format!("{app}# total\n"));
    assert_snapshot!(shown(check(&sandbox, &["index", "import", "../data.scip", "--commit", "HEAD", "--json"])), @r#"
    exit 0
    --- stdout
    {"folder":"[PLACE]/work","tool":"scip-python","version":"0.6.6","commit":"[COMMIT]","documents":2,"exact":2,"occurrences":48,"localOccurrences":2,"invalidOccurrences":0,"skipped":[]}
    "#);
    assert_snapshot!(shown(check(&sandbox, &["index", "status"])), @"
    exit 0
    --- stdout
    [PLACE]/work
      no index yet: `zubi index build`, or the first request of an agent, makes it
      scip-python 0.6.6 of commit [SHORT], imported from [PLACE]/data.scip
        2 documents (python 2), 1 exact now, 1 changed since
    ");
    let output = check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:18:5"]);
    assert_snapshot!(shown(output), @r#"
    exit 0
    --- stdout
    at shapes.py:18:5 total
    5 word matches of `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:34  LABEL = "Fläche 😀"; print(LABEL, total([Square(2.0), Square(3.0)]))
      4:9  größe = total([]); print("😀", größe)
      5:3  # total
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [text search: names only · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    sandbox.write("work/app.py", &app);
    // The data do not cover this file.
    sandbox.write("work/later.py", "from shapes import total\n");
    let output = check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:18:5"]);
    assert_snapshot!(shown(output), @r#"
    exit 0
    --- stdout
    at shapes.py:18:5 total
    4 references to `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:34  LABEL = "Fläche 😀"; print(LABEL, total([Square(2.0), Square(3.0)]))
      4:9  größe = total([]); print("😀", größe)
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [scip [SHORT] · may be incomplete: `total` also occurs in files that the data do not cover: later.py · 2 files exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    let output = sandbox.zubi().args(["call", "lsp_references", "--at", "shapes.py:18:5", "--json"]).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer.pointer("/status/source"), Some(&"scip".into()), "{answer}");
    assert_eq!(answer.pointer("/total"), Some(&4.into()), "{answer}");
}

#[test]
fn data_that_a_host_cannot_import_are_named() {
    let sandbox = sandbox();
    write(&sandbox, "work/index.scip", &include_bytes!("data/python.scip")[..3_000]);
    let output = check(&sandbox, &["index", "status"]);
    assert!(output.contains("/index.scip: not imported; the next host imports it"), "{output}");
    let call = |arguments: &[&str]| check(&sandbox, &[&["call", "lsp_references"], arguments].concat());
    let reason = || {
        let output = sandbox.zubi().args(["index", "status", "--json"]).output().unwrap();
        let state: Value = serde_json::from_slice(&output.stdout).unwrap();
        let reason = state.pointer("/folders/0/failedImports/0/reason").and_then(Value::as_str);
        reason.map(|reason| reason.replace(&sandbox.root(), "[PLACE]"))
    };
    let deadline = Instant::now() + Duration::from_mins(1);
    // Each call is a host, which imports beside its answers.
    let reason = loop {
        call(&["--symbol", "total"]);
        if let Some(reason) = reason() {
            break reason;
        }
        assert!(Instant::now() < deadline, "a host records the failure");
    };
    assert!(reason.contains("make it again with its indexer"), "{reason}");
    let output = check(&sandbox, &["index", "status"]);
    assert!(
        output.contains("/index.scip: not imported ") && output.contains(" ago: ") && output.contains(&reason),
        "{output}"
    );
    let output = call(&["--symbol", "total"]);
    assert!(output.contains("exact data of `index.scip` were not imported: "), "{output}");
    check(&sandbox, &["index", "import", "../data.scip"]);
    let output = call(&["--symbol", "total"]);
    assert!(output.contains("[scip scip-python · 2 files exact · `") && !output.contains("not imported"), "{output}");
}

/// Encodes a field of a message.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = content.len();
    while length > 0x7f {
        bytes.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).unwrap());
    bytes.extend(content);
    bytes
}

/// Writes data of many documents, and their files.
fn write_large_data(sandbox: &Sandbox, documents: usize, symbols: usize) {
    let mut bytes = field(1, &field(2, &[field(1, b"test"), field(2, b"1")].concat()));
    for document in 0..documents {
        let name = format!("large/file_{document}.py");
        sandbox.write(&format!("work/{name}"), "one = 1\n");
        let mut message = field(1, name.as_bytes());
        for symbol in 0..symbols {
            let symbol = format!("test . p 1 file_{document}/part_{symbol}/one.");
            message.extend(field(2, &[field(1, &[0, 0, 3]), field(2, symbol.as_bytes()), vec![3 << 3, 1]].concat()));
        }
        bytes.extend(field(2, &message));
    }
    write(sandbox, "large.scip", &bytes);
}

/// Whether a folder has an import of a tool.
fn has_import(sandbox: &Sandbox, tool: &str) -> bool {
    let output = sandbox.zubi().args(["index", "status", "--json"]).output().unwrap();
    let state: Value = serde_json::from_slice(&output.stdout).unwrap();
    let imports = state.pointer("/folders/0/imports").and_then(Value::as_array).unwrap();
    imports.iter().any(|import| import["tool"] == tool)
}

/// A command whose stderr is a terminal.
struct TerminalCommand {
    child: std::process::Child,
    terminal: File,
    screen: String,
}

impl TerminalCommand {
    fn start(sandbox: &Sandbox, words: &[&str]) -> Self {
        let terminal = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap());
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let other_end = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        let mut command = sandbox.process();
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(other_end);
        // Only the child has the other end afterwards, so that end closes when the child ends.
        Self { child: command.spawn().unwrap(), terminal, screen: String::new() }
    }

    /// Reads until the screen has shown a text, or until the end.
    fn read_until(&mut self, text: &str) {
        let mut buffer = [0; 1024];
        while !self.screen.contains(text) {
            // When the other end is closed, Linux returns an error.
            let Ok(read @ 1..) = self.terminal.read(&mut buffer) else { return };
            self.screen.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
        }
    }

    /// Returns the lines that were on the screen, one after the other, and the output.
    fn end(mut self) -> (String, std::process::Output) {
        self.read_until("\0");
        let screen = self.screen.replace("\r\u{1b}[K", "\n").replace("\r\n", "\n");
        (screen, self.child.wait_with_output().unwrap())
    }
}

#[test]
fn an_interrupted_import_leaves_the_former_data() {
    let sandbox = sandbox();
    write_large_data(&sandbox, 600, 300);
    check(&sandbox, &["index", "import", "../data.scip"]);
    let mut import = TerminalCommand::start(&sandbox, &["index", "import", "../large.scip"]);
    import.read_until("import: 256 documents");
    let pid = rustix::process::Pid::from_child(&import.child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let (screen, output) = import.end();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(screen.ends_with("\nstopped; the former data remain\n"), "{screen}");
    assert!(has_import(&sandbox, "scip-python") && !has_import(&sandbox, "test"));
    let output = check(&sandbox, &["call", "lsp_references", "--symbol", "total"]);
    assert!(output.contains("[scip scip-python · 2 files exact"), "{output}");
}

#[test]
fn a_terminal_shows_the_progress_of_an_import() {
    let sandbox = sandbox();
    write_large_data(&sandbox, 300, 1);
    let (screen, output) = TerminalCommand::start(&sandbox, &["index", "import", "../large.scip"]).end();
    assert!(String::from_utf8_lossy(&output.stdout).contains("test 1: 300 documents, 300 exact"), "{output:?}");
    let lines = screen.split('\n').map(|line| line.split_once(", ").map_or(line, |(count, _)| count));
    // The last one removes the line.
    assert_eq!(lines.collect::<Vec<_>>(), ["", "import: 256 documents", "import: 300 documents", ""]);
}
