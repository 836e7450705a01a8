//! Checks that no answer is empty or partial without an explanation, from the first millisecond of a cold start and
//! after changes of files, and that a ready server's answer is not marked.

mod broken;
mod changes;

use std::time::Duration;

use serde_json::{Value, json};
use zubi_tests::{Answer, Project, Zubi};

/// The number of repetitions of each cold start, to find races.
const STARTS: usize = 3;

/// The number in the line `5 references to …`.
fn count(answer: &Answer) -> usize {
    let number = |line: &str| line.split_once(" reference")?.0.replace(',', "").parse().ok();
    answer.text.lines().find_map(number).unwrap_or_else(|| panic!("no count in\n{}", answer.text))
}

/// Whether the status line marks the answer as possibly incomplete.
fn is_marked(answer: &Answer) -> bool {
    let status = answer.text.lines().last().unwrap_or_default();
    assert!(status.starts_with('[') && status.ends_with(']'), "no status line in\n{}", answer.text);
    status.contains("may be incomplete") || status.contains("completeness unknown")
}

/// Whether an answer consists of matches of the word, and says so.
fn is_text_search(answer: &Answer) -> bool {
    let status = answer.text.lines().last().unwrap_or_default();
    answer.text.contains(" word matches of ") && status.contains("text search: names only")
}

/// Whether an answer is that of a ready server: without a mark, or with the one about code that the server does not read.
fn is_ready(answer: &Answer, unread: Option<&str>) -> bool {
    match unread {
        None => !is_marked(answer),
        Some(unread) => {
            let status = answer.text.lines().last().unwrap_or_default();
            let mark = |end: &str| status.contains(&format!(" · ready · may be incomplete: {unread}{end}"));
            mark("]") || mark(" · ")
        }
    }
}

/// Makes concurrent calls from the first millisecond on, with different time-outs: every answer is complete or marked.
/// Once the server is ready, every answer is complete, and has no mark but the one about code that the server does not
/// read on this machine (`unread`).
async fn check_cold_start(
    published: &str,
    components: &[&str],
    arguments: Value,
    min_count: usize,
    unread: Option<&str>,
) {
    for start in 0..STARTS {
        let project = Project::copy_published(published);
        let zubi = Zubi::start(&project, components).await;
        let query = |wait: Option<u64>| {
            let mut arguments = arguments.clone();
            if let Some(wait) = wait {
                arguments["waitMs"] = json!(wait);
            }
            Box::pin(zubi.call("lsp_references", arguments))
        };
        let (at_once, after_200_ms, after_1_s, after_2500_ms, after_120_s) =
            tokio::join!(query(Some(0)), query(Some(200)), query(Some(1000)), query(Some(2500)), query(Some(120_000)));
        let ready = query(None).await;
        assert!(is_ready(&ready, unread), "the mark of a ready server's answer:\n{}", ready.text);
        let true_count = count(&ready);
        assert!(true_count >= min_count, "only {true_count} references");
        assert!(is_ready(&after_120_s, unread), "the mark of an answer that waited:\n{}", after_120_s.text);
        for answer in [at_once, after_200_ms, after_1_s, after_2500_ms, after_120_s] {
            if answer.is_error || is_text_search(&answer) {
                continue; // says why, and is not an answer about references
            }
            let is_honest = is_marked(&answer) && !is_ready(&answer, unread) || count(&answer) == true_count;
            assert!(is_honest, "start {start}: an unmarked partial answer, {true_count} exist:\n{}", answer.text);
        }
    }
}

#[tokio::test]
async fn cold_rust_analyzer() {
    let arguments = json!({ "symbol": "Command", "path": "src/builder/command.rs", "limit": 1 });
    let unread = "`Command` also occurs in src/macros.rs (1: `cfg(feature = \"cargo\")`)";
    check_cold_start("clap_builder", &["rust-analyzer"], arguments, 200, Some(unread)).await;
}

#[tokio::test]
async fn cold_clangd() {
    let arguments = json!({ "at": "include/leveldb/slice.h:28 Slice", "limit": 1 });
    let unread = "`Slice` also occurs in db/db_bench.cc (7: conditional `#if defined(__linux)`)";
    check_cold_start("leveldb", &["clangd"], arguments, 400, Some(unread)).await;
}

#[tokio::test]
async fn cold_pyright() {
    let arguments = json!({ "symbol": "Console", "path": "rich/console.py", "limit": 1 });
    // The file raises an error on other systems than Windows, so pyright does not analyse the rest.
    let unread = "`Console` also occurs in rich/_win32_console.py (2: the server does not resolve its import)";
    check_cold_start("rich", &["node", "pyright"], arguments, 200, Some(unread)).await;
}

#[tokio::test]
async fn cold_basedpyright() {
    let arguments = json!({ "symbol": "Console", "path": "rich/console.py", "limit": 1 });
    check_cold_start("rich", &["node", "basedpyright"], arguments, 200, None).await;
}

/// Projects, the components on PATH, and a symbol without uses.
const READY: &[(&str, &[&str], &str)] = &[
    ("rust", &["rust-analyzer"], "forgotten"),
    ("cpp", &["clangd"], "forgotten"),
    ("go", &["go", "gopls"], "Forgotten"),
    ("python", &["ty"], "forgotten"),
    ("python", &["node", "pyright"], "forgotten"),
    ("typescript", &["node", "typescript"], "forgotten"),
    ("typescript", &["node", "typescript-language-server"], "forgotten"),
    ("python", &["node", "basedpyright"], "forgotten"),
    ("typescript", &["node", "vtsls"], "forgotten"),
    ("shell", &["node", "bash-language-server"], "forgotten"),
    ("lua", &["emmylua"], "forgotten"),
    ("proto", &["buf"], "Forgotten"),
];

#[tokio::test]
async fn zero_results_of_a_ready_server_are_not_marked() {
    for (fixture, components, symbol) in READY {
        let project = Project::fixture(fixture);
        let zubi = Zubi::start(&project, components).await;
        let arguments = json!({ "symbol": symbol, "includeDeclaration": false });
        zubi.call_stable("lsp_references", arguments.clone()).await;
        let answer = zubi.call("lsp_references", arguments).await;
        assert_eq!(count(&answer), 0, "{components:?}:\n{}", answer.text);
        assert!(!is_marked(&answer), "{components:?}:\n{}", answer.text);
        assert!(answer.elapsed < Duration::from_secs(2), "{components:?} took {:?}", answer.elapsed);
    }
}

/// Two more uses of a symbol, in a file that does not exist yet.
struct AddedUses {
    fixture: &'static str,
    components: &'static [&'static str],
    symbol: &'static str,
    file: &'static str,
    text: &'static str,
    /// The file that must declare a new file in this language, and the text to insert before a line of it.
    declared: Option<(&'static str, &'static str)>,
}

const IN_PYTHON: &str = "import shapes.shape\n\nADDED = [shapes.shape.Circle(1.0), shapes.shape.Circle(2.0)]\n";
const IN_TYPESCRIPT: &str =
    "import * as shape from \"./shape.js\";\n\nexport const added = [new shape.Circle(1), new shape.Circle(2)];\n";

const ADDED: &[AddedUses] = &[
    AddedUses {
        fixture: "rust",
        components: &["rust-analyzer"],
        symbol: "Circle",
        file: "src/added.rs",
        text: "pub fn added() -> crate::shape::Circle {\n    crate::shape::Circle { radius: 4.0 }\n}\n",
        declared: Some(("src/lib.rs", "pub mod added;\n")),
    },
    AddedUses {
        fixture: "cpp",
        components: &["clangd"],
        symbol: "Circle",
        file: "src/added.cc",
        text: "#include \"shape.h\"\n\nshapes::Circle added(1.0);\nshapes::Circle more(2.0);\n",
        declared: None,
    },
    AddedUses {
        fixture: "go",
        components: &["go", "gopls"],
        symbol: "Circle",
        file: "report/added.go",
        text: "package report\n\nimport \"example.com/shapes/shape\"\n\nvar Added = []shape.Circle{shape.Circle{}}\n",
        declared: None,
    },
    AddedUses {
        fixture: "python",
        components: &["ty"],
        symbol: "Circle",
        file: "shapes/added.py",
        text: IN_PYTHON,
        declared: None,
    },
    AddedUses {
        fixture: "python",
        components: &["node", "pyright"],
        symbol: "Circle",
        file: "shapes/added.py",
        text: IN_PYTHON,
        declared: None,
    },
    AddedUses {
        fixture: "typescript",
        components: &["node", "typescript"],
        symbol: "Circle",
        file: "src/added.ts",
        text: IN_TYPESCRIPT,
        declared: None,
    },
    AddedUses {
        fixture: "typescript",
        components: &["node", "typescript-language-server"],
        symbol: "Circle",
        file: "src/added.ts",
        text: IN_TYPESCRIPT,
        declared: None,
    },
    AddedUses {
        fixture: "python",
        components: &["node", "basedpyright"],
        symbol: "Circle",
        file: "shapes/added.py",
        text: IN_PYTHON,
        declared: None,
    },
    AddedUses {
        fixture: "python",
        components: &["pyrefly"],
        symbol: "Circle",
        file: "shapes/added.py",
        text: IN_PYTHON,
        declared: None,
    },
    AddedUses {
        fixture: "python",
        components: &["zuban"],
        symbol: "Circle",
        file: "shapes/added.py",
        text: IN_PYTHON,
        declared: None,
    },
    AddedUses {
        fixture: "python",
        components: &["jedi-language-server"],
        symbol: "Circle",
        file: "shapes/added.py",
        text: IN_PYTHON,
        declared: None,
    },
    AddedUses {
        fixture: "typescript",
        components: &["node", "vtsls"],
        symbol: "Circle",
        file: "src/added.ts",
        text: IN_TYPESCRIPT,
        declared: None,
    },
    AddedUses {
        fixture: "php",
        components: &["node", "intelephense"],
        symbol: "Circle",
        file: "src/added.php",
        text: "<?php\n\nnamespace Shapes;\n\n$added = [new Circle(1.0), new Circle(2.0)];\n",
        declared: None,
    },
    AddedUses {
        fixture: "shell",
        components: &["node", "bash-language-server"],
        symbol: "rectangle_area",
        file: "added.sh",
        text: "#!/usr/bin/env bash\nsource ./shapes.sh\nrectangle_area 3 3\nrectangle_area 4 4\n",
        declared: None,
    },
    AddedUses {
        fixture: "lua",
        components: &["emmylua"],
        symbol: "total_area",
        file: "added.lua",
        text: "local shape = require(\"shape\")\nprint(shape.total_area(), 1)\nprint(shape.total_area(), 2)\n",
        declared: None,
    },
    AddedUses {
        fixture: "proto",
        components: &["buf"],
        symbol: "Circle",
        file: "shapes/v1/added.proto",
        text: "syntax = \"proto3\";\n\npackage shapes.v1;\n\nimport \"shapes/v1/shape.proto\";\n\n\
               message Added {\n  Circle first = 1;\n  Circle second = 2;\n}\n",
        declared: None,
    },
];

#[tokio::test]
async fn the_next_answer_has_seen_what_happened_on_disk() {
    for AddedUses { fixture, components, symbol, file, text, declared } in ADDED {
        let project = Project::fixture(fixture);
        let zubi = Zubi::start(&project, components).await;
        let references = async || {
            let answer = zubi.call("lsp_references", json!({ "symbol": symbol })).await;
            // The answers of a server that does not report its readiness are always marked.
            let marked = is_marked(&answer) && !answer.text.contains("gives no readiness signal");
            assert!(!answer.is_error && !marked, "{components:?}:\n{}", answer.text);
            count(&answer)
        };
        let before = references().await;
        project.write(file, text);
        if let Some((declaring, line)) = declared {
            project.write(declaring, &format!("{}{line}", project.read(declaring)));
        }
        assert_eq!(references().await, before + 2, "{components:?}: a new file");
        let (start, end) = text.rsplit_once(symbol).expect("a use");
        project.write(file, &format!("{start}Rectangle{end}"));
        assert_eq!(references().await, before + 1, "{components:?}: a changed file");
        if declared.is_none() {
            let renamed = file.replace("added", "moved");
            std::fs::rename(project.root().join(file), project.root().join(&renamed)).expect("renamed");
            assert_eq!(references().await, before + 1, "{components:?}: a renamed file");
            std::fs::remove_file(project.root().join(&renamed)).expect("deleted");
            assert_eq!(references().await, before, "{components:?}: a deleted file");
        }
    }
}
