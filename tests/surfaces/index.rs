//! The index of declarations and words: its answers without a server, while servers load, and after changes on disk.

use std::fmt::Write as _;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::hosts::{HostsProject, eventually};
use zubi_tests::zubi::Start;
use zubi_tests::{Project, Zubi};

/// The time limit for an index of a few files on a loaded machine.
const LIMIT: Duration = Duration::from_mins(1);

/// Runs `zubi` and returns its output.
fn run(project: &Project, arguments: &[&str]) -> String {
    let output = Start::new(project, &[]).command().args(arguments).output().expect("zubi starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Waits until the host's index has read all files.
fn wait_for_index(project: &Project) {
    eventually("the index is ready", LIMIT, || {
        let status: Value = serde_json::from_str(&run(project, &["status", "--json"])).expect("JSON");
        (status.pointer("/hosts/0/index/state").and_then(Value::as_str) == Some("ready")).then_some(())
    });
}

async fn symbols(zubi: &Zubi, query: &str) -> String {
    zubi.call_stable("lsp_workspace_symbols", json!({ "query": query })).await
}

#[tokio::test]
async fn names_without_a_server() {
    let project = Project::empty();
    project.write("src/shop.py", "class OrderBook:\n    def add_order(self, order):\n        return order\n");
    project.write("src/shop.ts", "export function addOrder(order: string): string { return order; }\n");
    project.write("src/old.pas", "procedure oldPascal;\n");
    let zubi = Zubi::start(&project, &[]).await.without_wait();
    symbols(&zubi, "OrderBook").await;
    wait_for_index(&project);
    let mut answers = String::new();
    for query in ["OrderBook", "order", "OrBo", "addordr", "OrderBook/add_order", "absent", "oldPascal"] {
        let answer = symbols(&zubi, query).await;
        // The rest of the line names the servers to install.
        let short = |line: &str| line.split(" · `").next().unwrap_or_default().trim_end_matches(']').to_owned();
        answers.extend(answer.lines().map(|line| format!("{}\n", short(line))));
    }
    assert_snapshot!(answers, @"
    1 symbol matching `OrderBook`
      class OrderBook  src/shop.py:1:7
    [index · syntax only, names not resolved · 1 of 1 file checked
    3 symbols matching `order`
      class OrderBook  src/shop.py:1:7
      function addOrder  src/shop.ts:1:17  export function addOrder(order: string): string { return order; }
      method add_order  src/shop.py:2:9  in OrderBook  def add_order(self, order):
    [index · syntax only, names not resolved · 2 of 2 files checked
    1 symbol matching `OrBo`
      class OrderBook  src/shop.py:1:7
    [index · syntax only, names not resolved · 1 of 1 file checked
    1 symbol matching `addordr`
      function addOrder  src/shop.ts:1:17  export function addOrder(order: string): string { return order; }
    [index · syntax only, names not resolved · 1 of 1 file checked · no name contains `addordr`: these are similar
    1 symbol matching `OrderBook/add_order`
      method add_order  src/shop.py:2:9  in OrderBook  def add_order(self, order):
    [index · syntax only, names not resolved · 1 of 1 file checked
    0 symbols matching `absent`
    [index · syntax only, names not resolved · searched the names of 3 files
    0 symbols matching `oldPascal`
    [index · syntax only, names not resolved · may be incomplete: these contain the name, and zubi does not know their language: src/old.pas · searched the names of 3 files
    ");
    // Changes of other programs are in the next answer.
    project.write("src/shop.py", "\n\nclass OrderBook:\n    pass\n\nclass OrderBooks:\n    pass\n");
    std::fs::remove_file(project.root().join("src/shop.ts")).unwrap();
    let answer = symbols(&zubi, "OrderBook").await;
    assert!(answer.contains("src/shop.py:3:7") && answer.contains("src/shop.py:6:7"), "{answer}");
    let answer = symbols(&zubi, "addOrder").await;
    assert!(answer.starts_with("0 symbols"), "{answer}");
    let answer = zubi.call_stable("lsp_workspace_symbols", json!({ "query": "OrderBooks", "format": "json" })).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer.pointer("/status/source"), Some(&json!("index")), "{answer}");
}

#[tokio::test]
async fn names_while_a_server_loads() {
    let project = Project::fixture("rust");
    run(&project, &["index", "build"]);
    let zubi = Zubi::start(&project, &["rust-analyzer"]).await.without_wait();
    // rust-analyzer needs seconds to load the standard library.
    let found = symbols(&zubi, "Circle").await;
    assert!(found.contains("[index · syntax only, names not resolved · 1 of 1 file checked"), "{found}");
    assert!(found.contains("wait: \"ready\""), "{found}");
    let read = zubi.call_stable("read_symbol", json!({ "symbol": "Circle" })).await;
    assert!(read.contains("pub struct Circle"), "{read}");
    let waited = json!({ "query": "Circle", "wait": "ready" });
    let waited = zubi.call_stable("lsp_workspace_symbols", waited).await;
    assert!(waited.contains("[rust-analyzer · ready"), "{waited}");
    // A ready server answers without being waited for.
    let ready = symbols(&zubi, "Circle").await;
    assert_eq!(ready, waited);
}

/// The answers of a ready server, with all changes that other programs make between them.
async fn answers_of_typescript(index: bool) -> String {
    let project = Project::fixture("typescript");
    if !index {
        project.write(".zubi.toml", "index = false\n");
    }
    let zubi = Zubi::start(&project, &["typescript"]).await;
    zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Circle", "wait": "ready" })).await;
    if index {
        wait_for_index(&project);
    }
    let mut all = String::new();
    let questions = [
        ("lsp_references", json!({ "symbol": "totalArea" })),
        ("lsp_references", json!({ "symbol": "Circle/area" })),
        ("lsp_definition", json!({ "at": "src/report.ts:8 totalArea" })),
        ("lsp_workspace_symbols", json!({ "query": "area" })),
        ("lsp_rename_symbol", json!({ "symbol": "Circle", "newName": "Disc" })),
        ("read_symbol", json!({ "symbol": "Rectangle" })),
        ("lsp_explain", json!({ "symbol": "totalArea" })),
    ];
    for text in ["", "import { totalArea } from \"./shape.js\";\nexport const size = totalArea;\n", "// totalArea\n"] {
        if !text.is_empty() {
            project.write("src/added.ts", text);
        }
        for (tool, arguments) in &questions {
            let answer = zubi.call(tool, arguments.clone()).await;
            let _ = writeln!(all, "──── {tool} {arguments}\n{}", answer.text);
        }
    }
    all
}

#[tokio::test]
async fn answers_of_a_ready_server_are_the_same_with_and_without_an_index() {
    let with = answers_of_typescript(true).await;
    let without = answers_of_typescript(false).await;
    assert_eq!(with, without);
}

/// A call that is cancelled while it reads the changes must not lose them.
#[test]
fn a_cancelled_call_loses_no_change() {
    let project = HostsProject::new(Project::empty(), &[]);
    project.project.write("a.py", "def first(): pass\n");
    let mut agent = project.agent(&[]);
    agent.initialize();
    agent.call_text("lsp_workspace_symbols", &json!({ "query": "first" }));
    wait_for_index(&project.project);
    for round in 0..20_u64 {
        let name = format!("added_{round}");
        for file in 0..20 {
            project.project.write(&format!("sub{round}/b{file}.py"), &format!("def {name}_{file}(): pass\n"));
        }
        let call = agent.begin_call("lsp_workspace_symbols", &json!({ "query": "first" }));
        // Each round cancels at another step of the call.
        std::thread::sleep(Duration::from_micros(150 * round));
        agent.cancel(call);
        let answer = agent.call_text("lsp_workspace_symbols", &json!({ "query": format!("{name}_19") }));
        assert!(answer.starts_with("1 symbol"), "{round}: {answer}");
    }
}

/// A call of each tool whose answers have a status.
const LABELLED: &[(&str, &str)] = &[
    ("lsp_definition", r#"{"symbol": "OrderBook"}"#),
    ("lsp_references", r#"{"symbol": "OrderBook"}"#),
    ("lsp_hover", r#"{"symbol": "OrderBook"}"#),
    ("lsp_completion", r#"{"at": "src/shop.py:1:7"}"#),
    ("lsp_workspace_symbols", r#"{"query": "Order"}"#),
    ("lsp_document_symbols", r#"{"path": "src"}"#),
    ("read_symbol", r#"{"symbol": "OrderBook"}"#),
    ("lsp_rename_symbol", r#"{"symbol": "OrderBook", "newName": "Book"}"#),
    ("lsp_code_actions", r#"{"symbol": "OrderBook"}"#),
    ("lsp_format_document", r#"{"path": "src/shop.py"}"#),
    ("lsp_signature_help", r#"{"at": "src/shop.py:2:9"}"#),
    ("lsp_diagnostics", r#"{"path": "src/shop.py"}"#),
    ("lsp_call_hierarchy", r#"{"symbol": "OrderBook/add_order"}"#),
    ("lsp_implementations", r#"{"symbol": "OrderBook"}"#),
    ("lsp_type_definition", r#"{"symbol": "OrderBook"}"#),
    ("lsp_type_hierarchy", r#"{"symbol": "OrderBook"}"#),
    ("lsp_explain", r#"{"symbol": "OrderBook"}"#),
    ("ast_search", r#"{"pattern": "return $X", "language": "python"}"#),
    ("repo_map", "{}"),
    ("changed_symbols", r#"{"from": "HEAD"}"#),
    ("ast_rewrite", r#"{"pattern": "return $X", "language": "python", "rewrite": "return ($X)"}"#),
];

/// Tools whose answers have a status and that change files, or have another meaning of `format`.
const OTHERS: &[&str] = &[
    "apply_edit",
    "undo_edit",
    "domainlang_diagram",
    "rename_file",
    "rename_symbol",
    "organize_imports",
    "edit_symbol",
    "edit_files",
    "replace_in_files",
    "editor",
];

/// No answer passes the index off as a server: its text has the label if, and only if, its data names the index.
#[tokio::test]
async fn every_answer_from_the_index_has_its_label() {
    let project = Project::empty();
    project.write("src/shop.py", "class OrderBook:\n    def add_order(self, order):\n        return order\n");
    project.git(&["init", "--quiet"]);
    project.git(&["add", "--all"]);
    project.git(&["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=x"]);
    let tools: Vec<Value> = serde_json::from_str(&run(&project, &["tools", "list", "--json"])).expect("JSON");
    let has_status = |tool: &&Value| tool.pointer("/inputSchema/properties/format").is_some();
    for id in tools.iter().filter(has_status).filter_map(|tool| tool["id"].as_str()) {
        assert!(LABELLED.iter().any(|(known, _)| *known == id) || OTHERS.contains(&id), "{id} is in no list");
    }
    let zubi = Zubi::start(&project, &[]).await.without_wait();
    symbols(&zubi, "OrderBook").await;
    wait_for_index(&project);
    let mut from_index = Vec::new();
    for (tool, arguments) in LABELLED {
        let mut arguments: Value = serde_json::from_str(arguments).expect("JSON");
        let text = zubi.call(tool, arguments.clone()).await.text;
        arguments["format"] = "json".into();
        let answer = zubi.call(tool, arguments).await.text;
        let source =
            serde_json::from_str::<Value>(&answer).ok().and_then(|data| data.pointer("/status/source").cloned());
        let is_from_index = source == Some(json!("index"));
        assert_eq!(
            is_from_index,
            text.contains("[index · syntax only, names not resolved"),
            "{tool}: {text}\n{answer}"
        );
        if is_from_index {
            from_index.push(*tool);
        }
    }
    assert_eq!(from_index, ["lsp_workspace_symbols", "repo_map"]);
}
