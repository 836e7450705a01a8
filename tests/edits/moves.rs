//! Files that move with their imports, and back again byte for byte.

use camino::Utf8Path;
use serde_json::json;
use zubi_tests::zubi::{id, text};
use zubi_tests::{Project, Zubi};

/// Moves a file, checks the text of an importer, and reverts the move.
async fn move_and_back(project: &Project, servers: &[&str], from: &str, to: &str, importer: &str, import: &str) {
    let zubi = Zubi::start(project, servers).await;
    let before = project.everything();
    let answer = text(&zubi.result("rename_file", json!({ "oldUri": from, "newUri": to })).await);
    assert!(project.root().join(to).is_file() && !project.root().join(from).exists(), "{answer}");
    assert!(project.read(importer).contains(import), "{answer}\n{}", project.read(importer));
    let plan = id(&answer, "p-").expect("an undo handle");
    let undone = text(&zubi.result("undo_edit", json!({ "plan": plan })).await);
    assert!(project.everything() == before, "{undone}");
}

#[tokio::test]
async fn typescript_imports_follow_a_file() {
    let project = Project::fixture("typescript");
    let servers = ["node", "typescript-language-server"];
    move_and_back(&project, &servers, "src/shape.ts", "src/lib/forms.ts", "src/report.ts", "\"./lib/forms.js\"").await;
}

#[tokio::test]
async fn domainlang_imports_follow_a_file() {
    let project = Project::empty();
    project.write("index.dlang", "import \"./sales.dlang\"\n\nbc Orders for Sales {\n}\n");
    project.write("sales.dlang", "Domain Sales {\n}\n");
    move_and_back(&project, &[], "sales.dlang", "domains/selling.dlang", "index.dlang", "./domains/selling.dlang")
        .await;
}

/// Moves a path that no server updates, checks the new diagnostics and the mentions, applies the plan of the mentions,
/// and checks that no diagnostic is left. Returns the answer of the move.
async fn move_with_mentions(project: &Project, servers: &[&str], from: &str, to: &str, expected: &[&str]) {
    let zubi = Zubi::start(project, servers).await;
    let answer = text(&zubi.result("rename_file", json!({ "oldUri": from, "newUri": to })).await);
    for part in expected {
        assert!(answer.contains(part), "{servers:?}: {part:?} is not in\n{answer}");
    }
    let plan = answer.rsplit("\"plan\":\"").next().and_then(|rest| rest.split('"').next()).expect("a second plan");
    zubi.result("apply_edit", json!({ "plan": plan })).await;
    let left = text(&zubi.result("lsp_diagnostics", json!({ "severity": "error" })).await);
    assert!(left.starts_with("no problems"), "{servers:?}: {left}");
}

#[tokio::test]
async fn mentions_of_a_python_module_are_planned() {
    for servers in [&["node", "pyright"][..], &["ty"]] {
        let project = Project::empty();
        project.write("pyproject.toml", "[project]\nname = \"p\"\nversion = \"0\"\n");
        project.write("pkg/__init__.py", "from .old import work as work\n");
        project.write("pkg/old.py", "def work() -> int:\n    return 1\n");
        project.write("main.py", "import pkg.old\nfrom pkg.old import work\n\nprint(work(), pkg.old.work())\n");
        // ty updates the imports, but not the uses behind `import pkg.old`.
        let expected: &[&str] = if servers == ["ty"] {
            &["  main.py:4:15  error", "\n1 mention of the old path left in 1 file: main.py (1)\n"]
        } else {
            &[
                "\nproblems: 3 new (3 errors)\nnew:\n",
                "  main.py:1:8  error",
                "  main.py:2:6  error",
                "  pkg/__init__.py:1:6  error",
                "\n4 mentions of the old path left in 2 files: main.py (3), pkg/__init__.py (1)\n",
            ]
        };
        move_with_mentions(&project, servers, "pkg/old.py", "pkg/fresh.py", expected).await;
        assert_eq!(
            project.read("main.py"),
            "import pkg.fresh\nfrom pkg.fresh import work\n\nprint(work(), pkg.fresh.work())\n"
        );
    }
}

#[tokio::test]
async fn mentions_of_a_go_package_are_planned() {
    let project = Project::empty();
    project.write("go.mod", "module example.test/m\n\ngo 1.24\n");
    project.write("old/old.go", "package old\n\nfunc Work() int { return 1 }\n");
    project.write("main.go", "package main\n\nimport \"example.test/m/old\"\n\nfunc main() { println(old.Work()) }\n");
    let expected = ["  main.go:3:8  error", "\n1 mention of the old path left in 1 file: main.go (1)\n"];
    move_with_mentions(&project, &["go", "gopls"], "old", "fresh", &expected).await;
}

#[tokio::test]
async fn mentions_of_a_header_are_planned() {
    let project = Project::empty();
    project.write("src/old.h", "inline int work() { return 1; }\n");
    project.write("main.cc", "#include \"src/old.h\"\nint n = work();\n");
    let entry = json!([{ "directory": project.root(), "file": "main.cc", "arguments": ["c++", "-c", "main.cc"] }]);
    project.write("compile_commands.json", &entry.to_string());
    let expected = [
        "\nnote: the folder `src` is empty now\n",
        "  main.cc:1:10  error",
        "\n1 mention of the old path left in 1 file: main.cc (1)\n",
    ];
    move_with_mentions(&project, &["clangd"], "src/old.h", "include/fresh.h", &expected).await;
}

#[tokio::test]
async fn a_rust_module_that_leaves_its_folder_is_planned() {
    let project = Project::empty();
    project.write("Cargo.toml", "[package]\nname = \"r\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    project.write("src/lib.rs", "pub mod old;\npub fn f() -> u32 { old::work() }\n");
    project.write("src/old.rs", "pub fn work() -> u32 { 1 }\n");
    let expected = ["\n1 mention of the old path left in 1 file: src/lib.rs (1)\n"];
    move_with_mentions(&project, &["rust-analyzer"], "src/old.rs", "src/parts/fresh.rs", &expected).await;
    assert!(project.read("src/lib.rs").starts_with("#[path = \"parts/fresh.rs\"]\npub mod old;\n"));
}

#[tokio::test]
async fn paths_in_strings_are_planned() {
    let project = Project::empty();
    let options =
        r#"{ "module": "esnext", "moduleResolution": "bundler", "noEmit": true, "paths": { "@app/*": ["./src/*"] } }"#;
    project.write("tsconfig.json", &format!("{{ \"compilerOptions\": {options}, \"include\": [\"src\"] }}"));
    project.write("src/state/app.ts", "export const app = 1;\n");
    project.write(
        "src/main.ts",
        "import { app } from \"@app/state/app\";\nexport const n = app;\nexport const s = \"@app/state/app\";\n",
    );
    for server in ["typescript", "typescript-language-server"] {
        let expected = ["problems: no change", "\n1 mention of the old path left in 1 file: src/main.ts (1)\n"];
        let (from, to) = if server == "typescript" { ("state", "model") } else { ("model", "state") };
        let (from, to) = (format!("src/{from}/app.ts"), format!("src/{to}/app.ts"));
        move_with_mentions(&project, &["node", server], &from, &to, &expected).await;
    }
    assert!(!project.read("src/main.ts").contains("@app/model"), "{}", project.read("src/main.ts"));
}

#[tokio::test]
async fn problems_of_a_moved_file_are_not_new() {
    let project = Project::empty();
    project.write("pyproject.toml", "[project]\nname = \"p\"\nversion = \"0\"\n");
    project.write("one/wrong.py", "x: int = \"text\"\n");
    for servers in [&["node", "pyright"][..], &["ty"]] {
        let zubi = Zubi::start(&project, servers).await;
        for (from, to) in [("one/wrong.py", "two/wrong.py"), ("two", "three"), ("three/wrong.py", "one/wrong.py")] {
            let answer = text(&zubi.result("rename_file", json!({ "oldUri": from, "newUri": to })).await);
            assert!(answer.contains("\nproblems: no change\n"), "{servers:?} {from}: {answer}");
            let file = Utf8Path::new(from).extension() == Some("py");
            assert_eq!(answer.contains("is empty now"), file, "{servers:?} {from}: {answer}");
            if let Some(folder) = from.strip_suffix("/wrong.py") {
                std::fs::remove_dir(project.root().join(folder)).expect("an empty folder");
            }
        }
    }
}
