//! Rename plans: each edit replaces the name only, a plan covers the server's own references, and none leaves the
//! worktree or the rules of the language.

use serde_json::json;
use zubi_tests::zubi::text;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn an_edit_of_more_than_the_name_preserves_the_rest() {
    let modules = ("buf.yaml", "version: v2\nmodules:\n  - path: types\n  - path: jobs\n");
    let css = ("base.css", ".card { color: red; }\n.my-card { color: red; }\n");
    let column = ("types/acme/col/v1/type.proto", "syntax = \"proto3\";\npackage acme.col.v1;\nmessage Column {}\n");
    let job = (
        "jobs/acme/job/v1/job.proto",
        "syntax = \"proto3\";\npackage acme.job.v1;\nimport \"acme/col/v1/type.proto\";\nmessage Job { repeated acme.col.v1.Column columns = 1; }\n",
    );
    let price = ("price.lua", "local M = {}\n\nfunction M.show(cents)\n  return cents\nend\n\nreturn M\n");
    let main = ("main.lua", "local price = require(\"price\")\nprint(price.show(3), price[\"show\"](4))\n");
    for (servers, files, at, new_name, expected) in [
        (&["node", "vscode-langservers"][..], &[css][..], "base.css:1 card", "tile", &["+.tile { color"][..]),
        (&["node", "vscode-langservers"], &[css], "base.css:2 my-card", "tile", &["+.tile { color"]),
        (&["node", "vscode-langservers"], &[css], "base.css:1 card", ".tile", &["+.tile { color"]),
        (
            &["buf"],
            &[modules, column, job],
            "types/acme/col/v1/type.proto:3 Column",
            "Field",
            &["+message Field {}", "repeated acme.col.v1.Field columns"],
        ),
        (
            &["emmylua"],
            &[price, main],
            "price.lua:3 show",
            "display",
            &["+function M.display(", "+print(price.display(3), price[\"display\"](4))"],
        ),
    ] {
        let project = Project::empty();
        for (path, text) in files {
            project.write(path, text);
        }
        let zubi = Zubi::start(&project, servers).await;
        let answer = zubi.call_stable("lsp_rename_symbol", json!({ "at": at, "newName": new_name })).await;
        for line in expected {
            assert!(answer.contains(line), "{at}: {answer}");
        }
        let note = "the server replaces more than the name in 1 edit: zubi preserves the rest";
        assert_eq!(answer.contains(note), !new_name.starts_with('.'), "{at}: {answer}");
    }
}

/// pyright 1.1 loses the files below a folder with a question mark; bash-language-server 5 follows a computed path only
/// for references.
#[tokio::test]
async fn a_plan_without_the_servers_own_references_is_partial() {
    let project = Project::empty();
    project.write("qu?/n/pyproject.toml", "[project]\nname = \"p\"\nversion = \"0\"\n");
    project.write("qu?/n/base.py", "def gauge(x: int) -> int:\n    return x\n");
    project.write("qu?/n/use.py", "from base import gauge\n\ngauge(1)\n");
    let zubi = Zubi::start(&project, &["node", "pyright"]).await;
    let answer = zubi.call_stable("lsp_rename_symbol", json!({ "symbol": "gauge", "newName": "meter" })).await;
    let mark = "the server's rename leaves 2 uses that its references list: qu?/n/use.py:1:18, qu?/n/use.py:3:1";
    assert!(answer.contains(mark), "{answer}");

    let project = Project::empty();
    project.write("lib/log.sh", "log_line() { echo \"$1\"; }\nlog_line zero\n");
    project.write("run.sh", "source \"$(dirname \"$0\")/lib/log.sh\"\nlog_line one\n");
    let zubi = Zubi::start(&project, &["node", "bash-language-server"]).await;
    let before = project.everything();
    let rename = json!({ "uri": "lib/log.sh", "originalName": "log_line", "newName": "say_line" });
    let answer = zubi.call_refused("rename_symbol", rename).await;
    let mark = "uses would be left: the server's rename leaves 1 use that its references list: run.sh:2:1";
    assert!(answer.contains(mark), "{answer}");
    assert_eq!(project.everything(), before);
}

#[tokio::test]
async fn a_nested_worktree_is_a_workspace_of_its_own() {
    for servers in [&["ty"][..], &["node", "pyright"]] {
        let project = Project::empty();
        let feature = ".claude/worktrees/feature";
        project.write(".git/worktrees/feature/commondir", "../..\n");
        project.write(&format!("{feature}/.git"), &format!("gitdir: {}/.git/worktrees/feature\n", project.root()));
        for tree in [".", feature] {
            project.write(&format!("{tree}/pyproject.toml"), "[project]\nname = \"p\"\nversion = \"0\"\n");
            project.write(&format!("{tree}/b.py"), "def area(w: int) -> int:\n    return w\n");
            project.write(&format!("{tree}/a.py"), "from b import area\n\narea(1)\n");
        }
        // A submodule is a part of the project.
        project.write("sub/.git", "gitdir: ../.git/modules/sub\n");
        project.write("sub/c.py", "from b import area\n\narea(2)\n");
        let zubi = Zubi::start(&project, servers).await;
        let main = zubi.call_stable("lsp_references", json!({ "symbol": "area" })).await;
        assert!(
            main.contains("\n5 references to `area` in 3 files\n") && main.contains("sub/c.py"),
            "{servers:?}: {main}"
        );
        assert!(!main.contains("further word match") && !main.contains("\n.claude"), "{servers:?}: {main}");
        let own = json!({ "symbol": "area", "path": feature });
        let answer = zubi.call_stable("lsp_references", own.clone()).await;
        assert!(answer.contains("\n3 references to `area` in 2 files\n"), "{servers:?}: {answer}");
        assert!(!answer.contains("\na.py\n") && !answer.contains("further word match"), "{servers:?}: {answer}");

        let rename = json!({ "uri": "b.py", "originalName": "area", "newName": "size" });
        let answer = text(&zubi.result("rename_symbol", rename).await);
        assert!(answer.contains("in 3 files\n") && answer.contains("problems: no change"), "{servers:?}: {answer}");
        assert!(project.read(&format!("{feature}/a.py")).contains("area(1)"), "{servers:?}: {answer}");
        assert!(project.read("sub/c.py").contains("size(2)"), "{servers:?}: {answer}");

        // The worktree's own server learns of the changes there.
        project.write(&format!("{feature}/d.py"), "from b import area\n\narea(3)\n");
        let answer = zubi.call_stable("lsp_references", own).await;
        assert!(answer.contains("\n5 references to `area` in 3 files\n"), "{servers:?}: {answer}");
    }
}

#[tokio::test]
async fn reserved_words_are_no_names() {
    let python = Project::empty();
    python.write("g.py", "one = 1\n");
    let zubi = Zubi::start(&python, &["node", "pyright"]).await;
    let rename = |new_name: &str| json!({ "symbol": "one", "newName": new_name });
    insta::assert_snapshot!(zubi.call_refused("lsp_rename_symbol", rename("class")).await, @"
    Invalid input: newName: `class` is a reserved word of the language (python)
    Give an identifier of the language.
    ");
    assert!(zubi.call_stable("lsp_rename_symbol", rename("match")).await.contains("+match = 1"));

    let scripts = Project::empty();
    scripts.write("tsconfig.json", "{}\n");
    scripts.write("g.ts", "export const one = 1;\nexport class Store {\n  remove() {}\n}\nnew Store().remove();\n");
    let zubi = Zubi::start(&scripts, &["node", "typescript"]).await;
    insta::assert_snapshot!(zubi.call_refused("lsp_rename_symbol", rename("class")).await, @"
    Invalid input: newName: `class` is a reserved word of the language (typescript)
    Give an identifier of the language.
    ");
    let member = json!({ "symbol": "Store/remove", "newName": "delete" });
    assert!(zubi.call_stable("lsp_rename_symbol", member).await.contains("+new Store().delete();"));
}

#[tokio::test]
async fn another_modules_server_is_asked_whether_a_go_name_may_be_unexported() {
    let project = Project::empty();
    project.write("lib/go.mod", "module example.test/lib\n\ngo 1.24\n");
    project.write("lib/lib.go", "package lib\n\nfunc Make() int { return 1 }\n");
    project.write(
        "main/go.mod",
        "module example.test/main\n\ngo 1.24\n\nrequire example.test/lib v0.0.0\n\nreplace example.test/lib => ../lib\n",
    );
    project
        .write("main/main.go", "package main\n\nimport \"example.test/lib\"\n\nfunc main() { println(lib.Make()) }\n");
    let zubi = Zubi::start(&project, &["go", "gopls"]).await;
    let rename = |new_name: &str| json!({ "uri": "lib/lib.go", "originalName": "Make", "newName": new_name });
    insta::assert_snapshot!(zubi.call_refused("rename_symbol", rename("build")).await, @r#"
    Failed to rename the symbol: uses would be left: 1 use in main will not be renamed: gopls declines: lib/lib.go:3:6: renaming "Make" to "build" would make it unexported main/main.go:5:27: breaking references from packages such as "example.test/main"
    Nothing was changed. `lsp_references` with includeText=true lists the uses. If they may stay, pass allowPartial=true, or apply_edit {"plan":"p-[plan]"}.
    "#);
    let answer = text(&zubi.result("rename_symbol", rename("Build")).await);
    assert!(answer.contains("in 2 files\n"), "{answer}");
}

const MORE_CLASSES: &str = r#"from typing import Protocol


def local_classes():
    class One:
        def start(self): return 1

    class Two:
        def start(self): return 2

    return One().start() + Two().start()


class First:
    def stop(self): return 1


class Second:
    def stop(self): return 2


class Both(
    First,  # adds names (see = docs)
    Second,
):
    def stop(self): return 3


Alias = First


class ByAlias(Alias):
    def stop(self): return 4


try:
    import json

    class Pool:
        def submit(self): return 5
except ImportError:
    class Pool:
        def submit(self): return 6


class HasSize(Protocol):
    def size(self) -> int: ...


class Box:
    def size(self) -> int: return 7
"#;

/// The position of a rename, parts of its plan, and whether it has a mark.
const RELATED: &[(&str, &[&str], bool)] = &[
    ("more.py:6 start", &["+        def other_name(self): return 1", " One().other_name() + Two().start()"], false),
    (
        "more.py:15 stop",
        &[
            "+    def other_name(self): return 1",
            "+    def other_name(self): return 2",
            "+    def other_name(self): return 3",
            "+    def other_name(self): return 4",
        ],
        false,
    ),
    (
        "more.py:39 submit",
        &["+        def other_name(self): return 5", "+        def other_name(self): return 6"],
        false,
    ),
    ("more.py:51 size", &["may implement a protocol with `size` without naming it: more.py:47:9"], true),
];

/// Servers of Python rename one definition and what resolves to it.
#[tokio::test]
async fn overrides_and_other_branches_are_renamed_together() {
    for servers in [&["ty"][..], &["node", "pyright"], &["pyrefly"], &["zuban"]] {
        let project = Project::empty();
        project.write("pyproject.toml", "[project]\nname = \"p\"\nversion = \"0\"\n");
        project.write("more.py", MORE_CLASSES);
        project.write("shape.py", "class Shape:\n    def area(self) -> int:\n        return 0\n");
        project.write("middle.py", "import shape\n\n\nclass Middle(shape.Shape):\n    pass\n");
        project.write(
            "leaf.py",
            "from middle import Middle\n\n\nclass Leaf(Middle):\n    def area(self) -> int:\n        return 1\n",
        );
        project.write("other.py", "class Other:\n    def area(self) -> int:\n        return 2\n");
        project.write("use.py", "from leaf import Leaf\nfrom other import Other\n\nLeaf().area()\nOther().area()\n");
        let branch = "import sys\n\nif sys.platform == \"win32\":\n    def speed() -> int:\n        return 1\nelse:\n    def speed() -> int:\n        return 2\n\n\nspeed()\n";
        project.write("branch.py", branch);
        let worker =
            "import threading\n\n\nclass Worker(threading.Thread):\n    def run(self) -> None:\n        pass\n";
        project.write("worker.py", worker);
        let zubi = Zubi::start(&project, servers).await;
        for symbol in ["Shape/area", "Leaf/area"] {
            let rename = json!({ "symbol": symbol, "newName": "extent" });
            let answer = zubi.call_stable("lsp_rename_symbol", rename).await;
            for line in ["+Leaf().extent()", " Other().area()", "in 3 files"] {
                assert!(answer.contains(line), "{servers:?}, {symbol}: {answer}");
            }
            assert!(!answer.contains("may be incomplete"), "{servers:?}, {symbol}: {answer}");
        }
        let rename = json!({ "at": "branch.py:11 speed", "newName": "pace" });
        let answer = zubi.call_stable("lsp_rename_symbol", rename).await;
        let is_whole = answer.contains("+    def pace() -> int:\n         return 1") && answer.contains("+pace()");
        let mark = "1 definition will not be renamed: branch.py:4:9 (the same scope)";
        assert!(is_whole || answer.contains(mark), "{servers:?}: {answer}");
        for (at, lines, is_marked) in RELATED {
            let answer = zubi.call_stable("lsp_rename_symbol", json!({ "at": at, "newName": "other_name" })).await;
            let has_mark = answer.contains("may be incomplete");
            let is_right = lines.iter().all(|line| answer.contains(line)) && has_mark == *is_marked;
            assert!(is_right, "{servers:?}, {at}: {answer}");
        }
        let rename = json!({ "symbol": "Worker/run", "newName": "work" });
        let answer = zubi.call_stable("lsp_rename_symbol", rename).await;
        assert!(answer.contains("a base class that the rename does not reach defines it: "), "{servers:?}: {answer}");
    }
}
