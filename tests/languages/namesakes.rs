//! Matches of a name that a server does not report: proven to be another symbol, or a mark with the reason.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::{Project, Zubi};

/// Returns the answer about references of a symbol in a file, without the listed places.
async fn references(zubi: &Zubi, path: &str, symbol: &str) -> String {
    let answer = zubi.call_stable("lsp_references", json!({ "path": path, "symbol": symbol })).await;
    let is_shown = |line: &&str| !line.starts_with(' ') && !line.starts_with("at ");
    answer.lines().filter(is_shown).collect::<Vec<_>>().join("\n")
}

/// Returns the status line of the plan of a rename.
async fn rename_status(zubi: &Zubi, path: &str, symbol: &str) -> String {
    let arguments = json!({ "path": path, "symbol": symbol, "newName": "renamed" });
    let answer = zubi.call_stable("lsp_rename_symbol", arguments).await;
    answer.lines().last().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn rust_files_in_no_module_tree_and_bodies_of_macros() {
    let project = Project::empty();
    project.write("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    project.write("Cargo.lock", "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n");
    project.write(
        "src/lib.rs",
        "mod other;\npub fn weigh(n: u32) -> u32 { n }\npub fn emit(n: u32) -> u32 { n }\npub fn area(n: u32) -> u32 { n }\n\
         #[macro_export]\nmacro_rules! log { ($x:expr) => { $crate::emit($x) }; }\npub fn f() -> u32 { log!(1) + emit(2) }\n",
    );
    project.write("src/lost.rs", "pub fn from_lost() -> u32 { crate::weigh(3) }\n");
    project.write(
        "src/other.rs",
        "pub struct Square;\nimpl Square {\n    pub fn area(&self) -> u32 { 1 }\n}\npub fn g(s: &Square) -> u32 { s.area() }\n",
    );
    let zubi = Zubi::start(&project, &["rust-analyzer"]).await;
    assert_snapshot!(references(&zubi, "src/lib.rs", "weigh").await, @"");
    assert_snapshot!(rename_status(&zubi, "src/lib.rs", "weigh").await, @"");
    assert_snapshot!(references(&zubi, "src/lib.rs", "emit").await, @"");
    assert_snapshot!(rename_status(&zubi, "src/lib.rs", "emit").await, @"");
    // rust-analyzer reads the other file, where the name is another symbol's.
    assert_snapshot!(references(&zubi, "src/lib.rs", "area").await, @"");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "src/lost.rs:1 weigh" })).await, @"");
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
    assert_snapshot!(references(&zubi, "base.py", "fee").await, @"");
    assert_snapshot!(rename_status(&zubi, "base.py", "fee").await, @"");
    // Another symbol in the excluded file is no mark.
    assert_snapshot!(references(&zubi, "base.py", "tax").await, @"");
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
    assert_snapshot!(rename_status(&zubi, "src/base.go", "Fee").await, @"");
    // gopls reports the uses in files that zubi has opened to check them.
    assert_snapshot!(references(&zubi, "src/base.go", "Fee").await, @"");
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
    assert_snapshot!(rename_status(&zubi, "base.py", "fee").await, @"");
    assert_snapshot!(references(&zubi, "base.py", "fee").await, @"");
}

#[tokio::test]
async fn names_of_other_stylesheets_and_pages() {
    let project = Project::empty();
    project.write("base.css", ":root { --brand: red; }\n.card { color: var(--brand); }\n.card-title { color: red; }\n");
    project.write("page.css", "@import \"base.css\";\n.page { color: var(--brand); }\n.card-title { color: blue; }\n");
    project.write("index.html", "<div class=\"card-title\">card</div>\n");
    let zubi = Zubi::start(&project, &["node", "vscode-langservers"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "base.css:1 --brand" })).await, @"");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "base.css:2 card" })).await, @"");
}
