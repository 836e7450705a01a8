//! Checks that diagnostics are of now after a change of another file or of the configuration, at the first question,
//! and that every answer of a server that could not load its project says so.

use serde_json::json;
use zubi_tests::zubi::Start;
use zubi_tests::{Answer, Project, Zubi};

/// Two files of which one uses the other, and a text of the other that breaks the use.
struct Dependency {
    components: &'static [&'static str],
    /// Files in addition to the two, such as a configuration.
    others: &'static [(&'static str, &'static str)],
    using: (&'static str, &'static str),
    used: (&'static str, &'static str),
    broken: &'static str,
}

const PYTHON_USING: (&str, &str) = ("a.py", "from b import area\n\nn: int = area(1)\n");
const PYTHON_USED: (&str, &str) = ("b.py", "def area(w: int) -> int:\n    return w\n");
const PYTHON_BROKEN: &str = "def area(w: str) -> int:\n    return len(w)\n";
const TYPESCRIPT_CONFIGURATION: &[(&str, &str)] = &[(
    "tsconfig.json",
    r#"{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true } }"#,
)];
const TYPESCRIPT_USED: (&str, &str) = ("b.ts", "export function area(w: number): number { return w; }\n");
const TYPESCRIPT_BROKEN: &str = "export function area(w: string): number { return w.length; }\n";

const fn python(components: &'static [&'static str]) -> Dependency {
    Dependency { components, others: &[], using: PYTHON_USING, used: PYTHON_USED, broken: PYTHON_BROKEN }
}

const fn typescript(components: &'static [&'static str]) -> Dependency {
    Dependency {
        components,
        others: TYPESCRIPT_CONFIGURATION,
        using: ("a.ts", "import { area } from \"./b\";\nexport const n: number = area(1);\n"),
        used: TYPESCRIPT_USED,
        broken: TYPESCRIPT_BROKEN,
    }
}

const DEPENDENCIES: &[Dependency] = &[
    Dependency {
        components: &["go", "gopls"],
        others: &[("go.mod", "module example.test/a\n\ngo 1.24\n")],
        using: ("a.go", "package main\n\nfunc main() { println(area(1)) }\n"),
        used: ("b.go", "package main\n\nfunc area(w int) int { return w }\n"),
        broken: "package main\n\nfunc area(w, h int) int { return w * h }\n",
    },
    Dependency {
        components: &["clangd"],
        others: &[("compile_flags.txt", "-std=c++17\n")],
        using: ("a.cc", "#include \"b.h\"\nint n = area(1);\n"),
        used: ("b.h", "inline int area(int w) { return w; }\n"),
        broken: "inline int area(int w, int h) { return w * h; }\n",
    },
    // A fragment in no language.
    Dependency {
        components: &["clangd"],
        others: &[("compile_flags.txt", "-std=c++17\n")],
        using: ("a.cc", "#include \"b.inc\"\nint n = area(1);\n"),
        used: ("b.inc", "inline int area(int w) { return w; }\n"),
        broken: "inline int area(int w, int h) { return w * h; }\n",
    },
    python(&["node", "pyright"]),
    python(&["node", "basedpyright"]),
    python(&["ty"]),
    python(&["pyrefly"]),
    python(&["zuban"]),
    typescript(&["node", "typescript"]),
    typescript(&["node", "typescript-language-server"]),
    typescript(&["node", "vtsls"]),
    Dependency {
        components: &["node", "svelte-language-server"],
        others: TYPESCRIPT_CONFIGURATION,
        using: (
            "A.svelte",
            "<script lang=\"ts\">\n  import { area } from \"./b\";\n  const n: number = area(1);\n</script>\n<p>{n}</p>\n",
        ),
        used: TYPESCRIPT_USED,
        broken: TYPESCRIPT_BROKEN,
    },
    Dependency {
        components: &["node", "intelephense"],
        others: &[("composer.json", "{}\n")],
        using: ("a.php", "<?php\n$n = area(1);\n"),
        used: ("b.php", "<?php\nfunction area(int $w): int { return $w; }\n"),
        broken: "<?php\nfunction area(int $w, int $h): int { return $w * $h; }\n",
    },
    Dependency {
        components: &["buf"],
        others: &[("buf.yaml", "version: v2\nlint:\n  use: [IMPORT_NO_PUBLIC]\n")],
        using: (
            "a.proto",
            "syntax = \"proto3\";\npackage x;\nimport \"b.proto\";\nmessage Use {\n  Area area = 1;\n}\n",
        ),
        used: ("b.proto", "syntax = \"proto3\";\npackage x;\nmessage Area {}\n"),
        broken: "syntax = \"proto3\";\npackage x;\nmessage Other {}\n",
    },
    Dependency {
        components: &["node", "yaml-language-server"],
        others: &[],
        using: ("a.yaml", "# yaml-language-server: $schema=./b.schema.json\nn: 1\n"),
        used: ("b.schema.json", r#"{ "type": "object", "properties": { "n": { "type": "number" } } }"#),
        broken: r#"{ "type": "object", "properties": { "n": { "type": "string" } } }"#,
    },
    Dependency {
        components: &["node", "vscode-langservers"],
        others: &[],
        using: ("a.json", "{ \"$schema\": \"./b.schema.json\", \"n\": 1 }\n"),
        used: ("b.schema.json", r#"{ "type": "object", "properties": { "n": { "type": "number" } } }"#),
        broken: r#"{ "type": "object", "properties": { "n": { "type": "string" } } }"#,
    },
    Dependency {
        components: &["tombi"],
        others: &[],
        using: ("a.toml", "#:schema ./b.schema.json\n\nn = 1\n"),
        used: ("b.schema.json", r#"{ "type": "object", "properties": { "n": { "type": "number" } } }"#),
        broken: r#"{ "type": "object", "properties": { "n": { "type": "string" } } }"#,
    },
];

/// Returns whether an answer has a diagnostic that is more than a hint; an answer that is marked as possibly outdated
/// fails the test.
fn has_problem(answer: &Answer, components: &[&str]) -> bool {
    assert!(!answer.is_error, "{components:?}:\n{}", answer.text);
    assert!(!answer.text.contains("may be from before"), "{components:?}:\n{}", answer.text);
    answer.text.contains("error: ") || answer.text.contains("warning: ")
}

#[tokio::test]
async fn diagnostics_follow_changes_of_other_files() {
    for Dependency { components, others, using, used, broken } in DEPENDENCIES {
        let project = Project::empty();
        for (file, text) in others.iter().chain([using, used]) {
            project.write(file, text);
        }
        let zubi = Zubi::start(&project, components).await;
        let diagnose = async || {
            let answer = zubi.call("lsp_diagnostics", json!({ "path": using.0 })).await;
            has_problem(&answer, components)
        };
        assert!(!diagnose().await, "{components:?}: at first");
        for round in 0..3 {
            project.write(used.0, broken);
            assert!(diagnose().await, "{components:?}: broken, round {round}");
            project.write(used.0, used.1);
            assert!(!diagnose().await, "{components:?}: repaired, round {round}");
        }
    }
}

/// A configuration without and with a rule that `import nope` violates.
const CONFIGURATIONS: &[(&[&str], &str, &str, &str)] = &[
    (
        &["node", "pyright"],
        "pyrightconfig.json",
        r#"{ "reportMissingImports": "none" }"#,
        r#"{ "reportMissingImports": "error" }"#,
    ),
    (
        &["node", "basedpyright"],
        "pyproject.toml",
        "[tool.basedpyright]\nreportMissingImports = \"none\"\nreportUnusedImport = \"none\"\n",
        "[tool.basedpyright]\nreportMissingImports = \"error\"\nreportUnusedImport = \"none\"\n",
    ),
    (&["ty"], "ty.toml", "[rules]\nunresolved-import = \"ignore\"\n", "[rules]\nunresolved-import = \"error\"\n"),
    (&["pyrefly"], "pyrefly.toml", "[errors]\nmissing-import = false\n", "[errors]\nmissing-import = true\n"),
];

#[tokio::test]
async fn diagnostics_follow_the_configuration() {
    for (components, file, without, with) in CONFIGURATIONS {
        let project = Project::empty();
        project.write("a.py", "import nope\n");
        project.write(file, without);
        let zubi = Zubi::start(&project, components).await;
        let diagnose = async || {
            let answer = zubi.call("lsp_diagnostics", json!({ "path": "a.py", "severity": "error" })).await;
            has_problem(&answer, components)
        };
        assert!(!diagnose().await, "{components:?}: at first");
        for round in 0..2 {
            project.write(file, with);
            assert!(diagnose().await, "{components:?}: with the rule, round {round}");
            project.write(file, without);
            assert!(!diagnose().await, "{components:?}: without the rule, round {round}");
        }
    }
}

/// pyright ignores a new pyrightconfig.json if it has read a pyproject.toml; zubi then starts it again.
#[tokio::test]
async fn a_configuration_that_the_server_ignores_counts() {
    let project = Project::empty();
    project.write("a.py", "import nope\n");
    project.write("pyproject.toml", "[tool.pyright]\nreportMissingImports = \"error\"\n");
    let components = &["node", "pyright"];
    let zubi = Zubi::start(&project, components).await;
    let diagnose = async || {
        let answer = zubi.call("lsp_diagnostics", json!({ "path": "a.py", "severity": "error" })).await;
        has_problem(&answer, components)
    };
    assert!(diagnose().await);
    project.write("pyrightconfig.json", r#"{ "reportMissingImports": "none" }"#);
    assert!(!diagnose().await);
}

#[tokio::test]
async fn every_answer_says_why_a_go_workspace_was_not_loaded() {
    let project = Project::empty();
    project.write("go.work", "go 1.99\n\nuse (\n\t./a\n\t./b\n)\n");
    for module in ["a", "b"] {
        project.write(&format!("{module}/go.mod"), &format!("module example.test/{module}\n\ngo 1.24\n"));
    }
    project.write("a/a.go", "package a\n\n// Start starts.\nfunc Start() int { return 1 }\n");
    project.write("b/main.go", "package main\n\nimport \"example.test/a\"\n\nfunc main() { println(a.Start()) }\n");
    // The tests' own flags exclude go.work.
    let zubi = Start::new(&project, &["go", "gopls"]).without_variable("GOFLAGS").mcp().await;
    for (tool, arguments) in [
        ("lsp_document_symbols", json!({ "path": "a/a.go" })),
        ("lsp_workspace_symbols", json!({ "query": "Start" })),
        ("lsp_references", json!({ "symbol": "Start" })),
        ("lsp_definition", json!({ "at": "b/main.go:5 Start" })),
        ("lsp_diagnostics", json!({ "path": "a/a.go" })),
    ] {
        let answer = zubi.call(tool, arguments).await.text;
        let reason = "the workspace could not be loaded: go.work requires go >= 1.99";
        assert!(answer.contains(reason), "{tool}: {answer}");
    }
    // gopls reports the old reason until it ends.
    project.write("go.work", "go 1.24\n\nuse (\n\t./a\n\t./b\n)\n");
    let found = zubi.call_stable("lsp_references", json!({ "symbol": "Start" })).await;
    assert!(found.contains("2 references") && !found.contains("incomplete"), "{found}");
}

/// gopls writes no log about it, and reports it only while a document is open.
#[tokio::test]
async fn an_invalid_go_mod_is_the_answer() {
    let project = Project::empty();
    project.write("go.mod", "module example.test/a\n\ngoo 1.24\n");
    project.write("a.go", "package a\n\nfunc Start() int { return 1 }\n");
    let zubi = Zubi::start(&project, &["go", "gopls"]).await;
    let found = zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Start" })).await;
    assert!(found.contains("could not be loaded: [project]/go.mod:3: unknown directive: goo"), "{found}");
    project.write("go.mod", "module example.test/a\n\ngo 1.24\n");
    let found = zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Start" })).await;
    assert!(found.contains("1 symbol matching") && !found.contains("incomplete"), "{found}");
}
