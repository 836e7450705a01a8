//! The editor channel of the real program: the test is the editor.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::zubi::environment;
use zubi_tests::{Project, tools};

/// A connection to a running `zubi lsp`. The test runner ends a test that waits for a message that does not come.
struct Editor {
    zubi: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Editor {
    #[expect(clippy::disallowed_methods, reason = "the program under test")]
    fn open(project: &Project) -> Self {
        let mut command = Command::new(tools::zubi());
        command.current_dir(project.home()).env_clear().envs(environment(project, &[]));
        let pid = std::process::id().to_string();
        command.args(["lsp", "--stdio", "--clientProcessId", &pid]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut zubi = command.spawn().expect("zubi starts");
        let (input, output) = (zubi.stdin.take().expect("piped"), zubi.stdout.take().expect("piped"));
        let mut editor = Self { zubi, input, output: BufReader::new(output) };
        let folder = json!({ "uri": format!("file://{}", project.root()), "name": "project" });
        let params = json!({
            "capabilities": { "textDocument": { "diagnostic": {} } },
            "initializationOptions": { "zubi": { "editorProtocol": 1 } },
            "workspaceFolders": [folder],
        });
        editor.send(&json!({ "id": 0, "method": "initialize", "params": params }));
        assert_eq!(editor.receive()["result"]["serverInfo"]["name"], "zubi");
        editor.send(&json!({ "method": "initialized", "params": {} }));
        editor
    }

    fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = "2.0".into();
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("zubi reads");
        self.input.flush().expect("zubi reads");
    }

    fn receive(&mut self) -> Value {
        let mut length = None;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("zubi writes") > 0, "zubi has ended");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().ok(),
                None if line == "\r\n" => break,
                None => {}
            }
        }
        let mut body = vec![0; length.expect("a length")];
        self.output.read_exact(&mut body).expect("zubi writes");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn close(mut self) -> Option<i32> {
        self.send(&json!({ "id": 1000, "method": "shutdown" }));
        assert_eq!(self.receive()["id"], 1000);
        self.send(&json!({ "method": "exit" }));
        self.zubi.wait().expect("zubi ends").code()
    }
}

#[test]
fn a_tool_is_answered_by_the_editor() {
    let project = Project::fixture("typescript");
    project.write("use.ts", "import { Circle } from './circle';\nnew Circle();\n");
    project.write("circle.ts", "export class Circle {}\n");
    let mut editor = Editor::open(&project);
    let params = json!({ "id": "lsp_definition", "args": { "at": "use.ts:2:5" } });
    editor.send(&json!({ "id": 1, "method": "zubi/tools/call", "params": params }));
    let asked = editor.receive();
    assert_eq!(
        (&asked["method"], &asked["params"]["method"]),
        (&json!("zubi/editor/request"), &json!("textDocument/definition"))
    );
    let range = json!({ "start": { "line": 0, "character": 13 }, "end": { "line": 0, "character": 19 } });
    let uri = format!("file://{}/circle.ts", project.root());
    editor.send(&json!({ "id": asked["id"], "result": [{ "uri": uri, "range": range }] }));
    let answer = editor.receive();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(1), &json!(false)));
    assert_snapshot!(answer["result"]["text"].as_str().expect("a text"), @"
    at use.ts:2:5 Circle
    1 definition of `Circle`
    circle.ts
      1:14  export class Circle {}
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
    assert_eq!(editor.close(), Some(0));
}
