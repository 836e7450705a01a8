//! Texts that programs treat differently: characters that two units of UTF-16 encode, byte-order marks, line ends, and
//! large files.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::zubi::text;
use zubi_tests::{Project, Zubi};

const PYPROJECT: &str = "[project]\nname = \"a\"\nversion = \"0\"\n";

#[tokio::test]
async fn columns_of_servers_that_count_characters() {
    let project = Project::empty();
    project.write(
        "g.lua",
        "local s = \"😀é\" local function wide(x) return x end\nlocal t = \"👩‍👩‍👧\"; wide(1); local u = \"日本𝒳\"; wide(2)\n",
    );
    project.write(
        "g.f90",
        "program p\n  print *, '😀é'; call wide(1)\n  print *, '日本𝒳'; call wide(2)\ncontains\n  subroutine wide(x)\n    integer :: x\n  end subroutine wide\nend program p\n",
    );
    let zubi = Zubi::start(&project, &["emmylua", "fortls"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "g.lua:2 wide(2)" })).await, @r#"
    at g.lua:2:46 wide
    3 references to `wide` in 1 file
    g.lua
      1:31  local s = "😀é" local function wide(x) return x end  (declaration)
      2:20  local t = "👩‍👩‍👧"; wide(1); local u = "日本𝒳"; wide(2)
      2:46  local t = "👩‍👩‍👧"; wide(1); local u = "日本𝒳"; wide(2)
    [emmylua_ls · ready]
    "#);
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "g.f90:3 wide" })).await, @r#"
    at g.f90:3:24 wide
    4 references to `wide` in 1 file
    g.f90
      2:23  print *, '😀é'; call wide(1)
      3:24  print *, '日本𝒳'; call wide(2)
      5:14  subroutine wide(x)  (declaration)
      7:18  end subroutine wide
    [fortls · ready]
    "#);
    let rename = json!({ "uri": "g.lua", "originalName": "wide", "newName": "narrow" });
    let renamed = text(&zubi.result("rename_symbol", rename).await);
    assert_eq!(project.read("g.lua").matches("narrow").count(), 3, "{renamed}");
    assert!(!project.read("g.lua").contains("wide"), "{renamed}");
}

#[tokio::test]
async fn byte_order_marks_do_not_shift_columns() {
    let project = Project::empty();
    project.write("pyproject.toml", PYPROJECT);
    project.write("g.py", "\u{feff}def gauge(x: int) -> int: return x\r\nk: str = gauge(1)\r\n");
    project.write("u.py", "\u{feff}from g import gauge; gauge(\"no\")\n");
    project.write("g.h", "\u{feff}int level(int x) { return x; }\n");
    project.write("u.cc", "\u{feff}#include \"g.h\"\nint a = level(1);\n");
    let commands = json!([{ "directory": project.root(), "file": "u.cc", "arguments": ["c++", "-c", "u.cc"] }]);
    project.write("compile_commands.json", &commands.to_string());
    for servers in [&["ty", "clangd"][..], &["node", "pyright"]] {
        let zubi = Zubi::start(&project, servers).await;
        for at in ["g.py:1:5", "u.py:1:15"] {
            let answer = zubi.call_stable("lsp_references", json!({ "at": at })).await;
            let (_, places) = answer.split_once('\n').unwrap();
            assert!(
                places.starts_with("4 references to `gauge` in 2 files\ng.py\n  1:5  "),
                "{servers:?} {at}: {answer}"
            );
            assert!(places.contains("\nu.py\n  1:15  ") && places.contains("\n  1:22  "), "{servers:?} {at}: {answer}");
            assert!(answer.ends_with(" · ready]") && !answer.contains("further"), "{servers:?} {at}: {answer}");
        }
        if servers.contains(&"clangd") {
            let answer = zubi.call_stable("lsp_references", json!({ "at": "u.cc:2 level" })).await;
            assert!(answer.contains("\ng.h\n  1:5  int level"), "{answer}");
            assert!(answer.ends_with("[clangd · ready]") && !answer.contains("further"), "{answer}");
        }
    }
}

#[tokio::test]
async fn positions_after_a_lone_carriage_return_are_marked() {
    let project = Project::empty();
    project.write("pyproject.toml", PYPROJECT);
    project.write("g.py", "def gauge(x: int) -> int:\r\n\treturn x\r\n# one\rgauge(1)\nif 1:\n\tgauge(2)\r\n");
    project.write("first.py", "def start(): pass\nstart()\n# one\rx = 1\n");
    let zubi = Zubi::start(&project, &["ty"]).await;
    let mark = "`g.py` has carriage returns without line feeds, which servers count differently: positions after line 3 may be wrong until its line ends are converted";
    let calls = [
        ("lsp_references", json!({ "symbol": "gauge" })),
        ("lsp_document_symbols", json!({ "path": "g.py" })),
        ("lsp_hover", json!({ "at": "g.py:5 gauge" })),
    ];
    for (tool, arguments) in calls {
        let answer = zubi.call_stable(tool, arguments).await;
        let is_late = tool != "lsp_document_symbols";
        assert_eq!(answer.contains(mark), is_late, "{tool}: {answer}");
        assert!(!answer.contains("other symbols"), "{tool}: {answer}");
    }
    let answer = zubi.call_stable("lsp_references", json!({ "symbol": "start" })).await;
    assert!(answer.ends_with("[ty · ready]"), "{answer}");
}

#[tokio::test]
async fn large_files_are_checked_or_named() {
    let project = Project::empty();
    project.write("pyproject.toml", PYPROJECT);
    project.write("g.py", "def gauge(x: int) -> int:\n    return x\n");
    project.write("u.py", "x: str = 1\n");
    let padding = "# padding padding padding padding padding padding padding\n".repeat(100_000);
    // Below the size that zubi reads, and above it.
    project.write("big.py", &format!("{padding}y: str = 2\n"));
    project.write("huge.py", &format!("{padding}{padding}from g import gauge\ngauge(\"\")\n"));
    let zubi = Zubi::start(&project, &["ty"]).await;
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({})).await, @r#"
    2 errors in 3 files; snapshot d-1
    big.py
      100001:10  error: Object of type `Literal[2]` is not assignable to `str`: Incompatible value of type `Literal[2]`  [ty invalid-assignment]
    u.py
      1:10  error: Object of type `Literal[1]` is not assignable to `str`: Incompatible value of type `Literal[1]`  [ty invalid-assignment]
    [ty · ready · may be incomplete: `huge.py` could not be checked (it has 11600030 bytes, more than the 8388608 that are read as source text) · no virtual environment: installed packages may be unknown]
    "#);
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "gauge" })).await, @r#"
    at g.py:1:5 gauge (function)
    3 references to `gauge` in 2 files
    g.py
      1:5  def gauge(x: int) -> int:  (declaration)
    huge.py
      200001:15  (not shown: the file has 12 MB)
      200002:1  (not shown: the file has 12 MB)
    [ty · ready]
    "#);
}
