//! Matches of a name that a server does not report: proven to be another symbol, or a mark with the reason.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::{Project, Zubi};

/// Removes the messages of rust-analyzer about the toolchain, which depend on the machine.
fn without_toolchain(answer: &str) -> String {
    let line = |line: &str| match line.split_once(" · rust-analyzer: ") {
        Some((status, _)) => format!("{status}]"),
        None => line.to_owned(),
    };
    answer.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the answer about references of a symbol in a file, without the listed places.
async fn references(zubi: &Zubi, path: &str, symbol: &str) -> String {
    let answer = zubi.call_stable("lsp_references", json!({ "path": path, "symbol": symbol })).await;
    let is_shown = |line: &&str| !line.starts_with(' ') && !line.starts_with("at ");
    without_toolchain(&answer.lines().filter(is_shown).collect::<Vec<_>>().join("\n"))
}

/// Returns the status line of the plan of a rename.
async fn rename_status(zubi: &Zubi, path: &str, symbol: &str) -> String {
    // The case of the first letter decides in Go who sees a name.
    let arguments = json!({ "path": path, "symbol": symbol, "newName": format!("{symbol}2") });
    let answer = zubi.call_stable("lsp_rename_symbol", arguments).await;
    without_toolchain(answer.lines().last().unwrap_or_default())
}

#[tokio::test]
async fn rust_files_in_no_module_tree_and_bodies_of_macros() {
    let project = Project::empty();
    project.write("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    project.write("Cargo.lock", "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n");
    project.write(
        "src/lib.rs",
        "mod other;\nmod late;\npub use late::late;\npub fn weigh(n: u32) -> u32 { n }\npub fn emit(n: u32) -> u32 { n }\npub fn area(n: u32) -> u32 { n }\n\
         #[macro_export]\nmacro_rules! log { ($x:expr) => { $crate::emit($x) }; }\npub fn f() -> u32 { log!(1) + emit(2) }\n",
    );
    project.write("src/lost.rs", "pub fn from_lost() -> u32 { crate::weigh(3) }\n");
    project.write(
        "src/other.rs",
        "pub struct Square;\nimpl Square {\n    pub fn area(&self) -> u32 { 1 }\n}\npub fn g(s: &Square) -> u32 { s.area() }\n",
    );
    project.write("src/late.rs", "pub fn late() {}\n");
    let zubi = Zubi::start(&project, &["rust-analyzer"]).await;
    // The module of the same name begins on the same line.
    assert_snapshot!(references(&zubi, "src/late.rs", "late").await, @"
    2 references to `late` in 2 files
    src/late.rs
    src/lib.rs
    2 further word matches in code (other symbols of the name): includeText=true
    [rust-analyzer · ready]
    ");
    assert_snapshot!(references(&zubi, "src/lib.rs", "weigh").await, @"
    1 reference to `weigh` in 1 file
    src/lib.rs
    1 further word match in code that no server has read: includeText=true
    [rust-analyzer · ready · may be incomplete: `weigh` also occurs in src/lost.rs (1: in no module tree)]
    ");
    assert_snapshot!(rename_status(&zubi, "src/lib.rs", "weigh").await, @"[rust-analyzer · ready · may be incomplete: `weigh` also occurs in src/lost.rs (1: in no module tree)]");
    assert_snapshot!(references(&zubi, "src/lib.rs", "emit").await, @"
    2 references to `emit` in 1 file
    src/lib.rs
    1 further word match in code that no server has read: includeText=true
    [rust-analyzer · ready · may be incomplete: `emit` also occurs in src/lib.rs (1: in the body of `log!`)]
    ");
    assert_snapshot!(rename_status(&zubi, "src/lib.rs", "emit").await, @"[rust-analyzer · ready · may be incomplete: `emit` also occurs in src/lib.rs (1: in the body of `log!`)]");
    // rust-analyzer reads the other file, where the name is another symbol's.
    assert_snapshot!(references(&zubi, "src/lib.rs", "area").await, @"
    1 reference to `area` in 1 file
    src/lib.rs
    2 further word matches in code (other symbols of the name): includeText=true
    [rust-analyzer · ready]
    ");
    let lost = zubi.call_stable("lsp_references", json!({ "at": "src/lost.rs:1 weigh" })).await;
    assert_snapshot!(without_toolchain(&lost), @"
    at src/lost.rs:1:36 weigh
    0 references to `weigh` in 0 files
    2 further word matches: 1 in code that the server does not confirm, 1 in code that no server has read: includeText=true
    [rust-analyzer · ready · may be incomplete: `weigh` also occurs in src/lib.rs (1: the server does not resolve the queried one), src/lost.rs (1: in no module tree)]
    ");
}

#[tokio::test]
async fn files_that_ty_excludes() {
    let project = Project::empty();
    project
        .write("pyproject.toml", "[project]\nname = \"x\"\nversion = \"0\"\n[tool.ty.src]\nexclude = [\"legacy\"]\n");
    project.write("base.py", "def fee(x: int) -> int:\n    return x\n\n\ndef tax(x: int) -> int:\n    return x\n");
    project.write("use.py", "from base import fee, tax\n\nfee(1)\ntax(1)\n");
    project.write("legacy/old.py", "from base import fee\n\nfee(2)\n\n\nclass Bill:\n    tax = 1\n\n\nBill.tax\n");
    project.write("names.py", "__all__ = [\"tax\"]\n\n\ndef f(x, y: int) -> None:\n    x.fee(y)\n");
    let zubi = Zubi::start(&project, &["ty"]).await;
    assert_snapshot!(references(&zubi, "base.py", "fee").await, @"
    5 references to `fee` in 3 files
    base.py
    legacy/old.py
    use.py
    1 further word match in code that the server does not resolve: includeText=true
    [ty · ready · the server does not know whether these are `fee`: names.py:5]
    ");
    assert_snapshot!(rename_status(&zubi, "base.py", "fee").await, @"[ty · ready · may be incomplete: `fee` also occurs in legacy/old.py (2: excluded by `pyproject.toml`) · the server does not know whether these are `fee`: names.py:5]");
    let answer = zubi.call("lsp_diagnostics", json!({ "path": "legacy/old.py" })).await;
    assert!(
        answer.text.ends_with("may be incomplete: ty does not check files that are excluded by `pyproject.toml`]"),
        "{}",
        answer.text
    );
    // Another symbol in the excluded file does not mark the answer.
    assert_snapshot!(references(&zubi, "base.py", "tax").await, @"
    3 references to `tax` in 2 files
    base.py
    use.py
    3 further word matches: 1 in strings that may look it up, 2 in code (other symbols of the name): includeText=true
    [ty · ready · `tax` is also in strings that may look it up: names.py:1]
    ");
}

#[tokio::test]
async fn directories_that_the_go_command_ignores() {
    let project = Project::empty();
    project.write("go.mod", "module example.test/a\n\ngo 1.24\n");
    project.write("src/base.go", "package src\n\nfunc Fee(x int) int { return x }\n");
    for directory in ["_attic", ".ci", "testdata"] {
        project
            .write(&format!("{directory}/x.go"), "package x\n\nimport \"example.test/a/src\"\n\nvar V = src.Fee(1)\n");
    }
    project.write("src/old.go", "// +build integration\n\npackage src\n\nvar W = Fee(2)\n");
    project
        .write("other/other.go", "package other\n\ntype T struct{}\n\nfunc (T) Fee() {}\n\nfunc f(t T) { t.Fee() }\n");
    let zubi = Zubi::start(&project, &["go", "gopls"]).await;
    assert_snapshot!(rename_status(&zubi, "src/base.go", "Fee").await, @"[gopls · ready · may be incomplete: `Fee` also occurs in src/old.go (1: build constraint `integration`)]");
    // gopls reports the uses in files that zubi has opened to check them.
    assert_snapshot!(references(&zubi, "src/base.go", "Fee").await, @"
    4 references to `Fee` in 4 files
    .ci/x.go
    _attic/x.go
    src/base.go
    testdata/x.go
    3 further word matches: 2 in code (other symbols of the name), 1 in code that no server has read: includeText=true
    [gopls · ready · may be incomplete: `Fee` also occurs in src/old.go (1: build constraint `integration`)]
    ");
}

#[tokio::test]
async fn folders_that_pyright_leaves_out() {
    let project = Project::empty();
    project.write("pyproject.toml", "[project]\nname = \"x\"\nversion = \"0\"\n");
    project.write("base.py", "def fee(x: int) -> int:\n    return x\n");
    project.write("use.py", "from base import fee\n\nfee(1)\n");
    project.write(".ci/tool.py", "from base import fee\n\nfee(2)\n");
    project.write("other.py", "class Bill:\n    def fee(self) -> None: ...\n\n\nBill().fee()\n");
    let zubi = Zubi::start(&project, &["node", "pyright"]).await;
    assert_snapshot!(rename_status(&zubi, "base.py", "fee").await, @"[pyright · ready · may be incomplete: the server's rename leaves 2 uses that its references list: .ci/tool.py:1:18, .ci/tool.py:3:1]");
    assert_snapshot!(references(&zubi, "base.py", "fee").await, @"
    5 references to `fee` in 3 files
    .ci/tool.py
    base.py
    use.py
    2 further word matches in code (other symbols of the name): includeText=true
    [pyright · ready]
    ");
}

#[tokio::test]
async fn names_of_other_stylesheets_and_pages() {
    let project = Project::empty();
    project.write("base.css", ":root { --brand: red; }\n.card { color: var(--brand); }\n.card-title { color: red; }\n");
    project.write("page.css", "@import \"base.css\";\n.page { color: var(--brand); }\n.card-title { color: blue; }\n");
    project.write("index.html", "<div class=\"card-title\">card</div>\n");
    let zubi = Zubi::start(&project, &["node", "vscode-langservers"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "base.css:1 --brand" })).await, @"
    at base.css:1:11 brand
    2 references to `brand` in 1 file
    base.css
      1:9  :root { --brand: red; }  (declaration)
      2:20  .card { color: var(--brand); }
    1 further word match in code that the server does not confirm: includeText=true
    [vscode-css-language-server · ready · may be incomplete: `brand` also occurs in page.css (1: the server does not resolve it)]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "base.css:2 card" })).await, @"
    at base.css:2:2 card
    1 reference to `card` in 1 file
    base.css
      2:2  .card { color: var(--brand); }
    2 further word matches in code (other symbols of the name): includeText=true
    [vscode-css-language-server · ready]
    ");
}
