//! Changes of a project's configuration while its server runs: files that decide how the server reads the project come,
//! change and go. The next answer is about the new configuration, without a pause, and so are its caveats.

#![expect(clippy::expect_used, reason = "a failed expectation is a failed test, also in a helper")]

use serde_json::json;
use zubi_tests::zubi::Start;
use zubi_tests::{Project, Zubi};

/// A file with its text.
type File = (&'static str, &'static str);

/// A change of the project, and the state that the next answers must report.
struct Step {
    written: &'static [File],
    removed: &'static [&'static str],
    /// Whether the document has an error.
    has_error: bool,
    /// The number of references to the symbol.
    references: usize,
}

struct Configuration {
    components: &'static [&'static str],
    files: &'static [File],
    document: &'static str,
    /// The declaration of a symbol, as `lsp_references` reads it.
    at: &'static str,
    /// The file without which answers have a caveat, and a part of that caveat.
    caveat: Option<File>,
    /// The states of the project, the first of them that of `files`.
    steps: &'static [Step],
}

const fn step(written: &'static [File], has_error: bool, references: usize) -> Step {
    Step { written, removed: &[], has_error, references }
}

const fn removal(removed: &'static [&'static str], has_error: bool, references: usize) -> Step {
    Step { written: &[], removed, has_error, references }
}

const GO: &[&str] = &["go", "gopls"];

const GO_MODULES: &[File] = &[
    ("a/go.mod", "module example.test/a\n\ngo 1.24\n"),
    ("a/a.go", "package a\n\n// Start starts.\nfunc Start() int { return 1 }\n"),
    ("b/go.mod", "module example.test/b\n\ngo 1.24\n"),
    ("b/main.go", "package main\n\nimport \"example.test/a\"\n\nfunc main() { println(a.Start()) }\n"),
];
const GO_WORK: File = ("go.work", "go 1.24\n\nuse (\n\t./a\n\t./b\n)\n");

const GO_PACKAGES: &[File] = &[
    ("sub/sub.go", "package sub\n\nfunc Start() int { return 1 }\n"),
    ("main.go", "package main\n\nimport \"example.test/x/sub\"\n\nfunc main() { println(sub.Start()) }\n"),
];
const GO_MOD: File = ("go.mod", "module example.test/x\n\ngo 1.24\n");

const RUST: &[&str] = &["rust-analyzer"];

const WITHOUT_FEATURE: File = (
    "Cargo.toml",
    "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[features]\ndefault = []\nextra = []\n",
);
const WITH_FEATURE: File = (
    "Cargo.toml",
    "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[features]\ndefault = [\"extra\"]\nextra = []\n",
);
const OPTIONAL_FUNCTION: File =
    ("src/lib.rs", "pub mod price;\n\npub fn run() -> i32 {\n    price::extra() + price::extra()\n}\n");
const OPTIONAL_DECLARATION: File = (
    "src/price.rs",
    "#[cfg(feature = \"extra\")]\npub fn extra() -> i32 {\n    1\n}\n\npub fn plain() -> i32 {\n    2\n}\n",
);

const ONE_MEMBER: File = ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"a\"]\n");
const TWO_MEMBERS: File = ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"a\", \"b\"]\n");
const FIRST_MEMBER: &[File] = &[
    ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"a\"]\n"),
    ("a/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("a/src/lib.rs", "pub fn start() -> i32 {\n    1\n}\n"),
];
const SECOND_MEMBER: &[File] = &[
    (
        "b/Cargo.toml",
        "[package]\nname = \"b\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\na = { path = \"../a\" }\n",
    ),
    ("b/src/lib.rs", "pub fn run() -> i32 {\n    a::start() + a::start()\n}\n"),
    TWO_MEMBERS,
];

const PYTHON: &[File] = &[
    ("shop.py", "import nope\n\n\ndef start() -> int:\n    return 1\n"),
    ("app.py", "from shop import start\n\nstart()\n"),
];

const fn python(components: &'static [&'static str], files: &'static [File], steps: &'static [Step]) -> Configuration {
    Configuration { components, files, document: "shop.py", at: "shop.py:4 start", caveat: None, steps }
}

const PYRIGHT_STEPS: &[Step] = &[
    step(&[], true, 3),
    step(&[("pyrightconfig.json", r#"{ "reportMissingImports": "none" }"#)], false, 3),
    step(&[("pyrightconfig.json", r#"{ "reportMissingImports": "error" }"#)], true, 3),
    step(&[("pyrightconfig.json", r#"{ "reportMissingImports": "none" }"#)], false, 3),
    removal(&["pyrightconfig.json"], true, 3),
];
const PYRIGHT_PROJECT_STEPS: &[Step] = &[
    step(&[], true, 3),
    step(&[("pyproject.toml", "[tool.pyright]\nreportMissingImports = \"none\"\n")], false, 3),
    step(&[("pyproject.toml", "[tool.pyright]\nreportMissingImports = \"error\"\n")], true, 3),
    step(&[("pyproject.toml", "[tool.pyright]\nreportMissingImports = \"none\"\n")], false, 3),
    removal(&["pyproject.toml"], true, 3),
];
const TY_STEPS: &[Step] = &[
    step(&[], true, 3),
    step(&[("ty.toml", "[rules]\nunresolved-import = \"ignore\"\n")], false, 3),
    step(&[("ty.toml", "[rules]\nunresolved-import = \"error\"\n")], true, 3),
    removal(&["ty.toml"], true, 3),
    step(&[("pyproject.toml", "[tool.ty.rules]\nunresolved-import = \"ignore\"\n")], false, 3),
    step(&[("pyproject.toml", "[tool.ty.rules]\nunresolved-import = \"error\"\n")], true, 3),
    step(&[("pyproject.toml", "[tool.ty.rules]\nunresolved-import = \"ignore\"\n")], false, 3),
    removal(&["pyproject.toml"], true, 3),
];
const PYREFLY_STEPS: &[Step] = &[
    step(&[], true, 3),
    step(&[("pyrefly.toml", "[errors]\nmissing-import = false\n")], false, 3),
    step(&[("pyrefly.toml", "[errors]\nmissing-import = true\n")], true, 3),
    removal(&["pyrefly.toml"], true, 3),
    step(&[("pyproject.toml", "[tool.pyrefly.errors]\nmissing-import = false\n")], false, 3),
    step(&[("pyproject.toml", "[tool.pyrefly.errors]\nmissing-import = true\n")], true, 3),
    step(&[("pyproject.toml", "[tool.pyrefly.errors]\nmissing-import = false\n")], false, 3),
    removal(&["pyproject.toml"], true, 3),
];

const TYPESCRIPT: &[File] = &[
    ("package.json", "{ \"type\": \"module\" }\n"),
    (
        "shop.ts",
        "export function start(n: number): number { const all = [n]; const first: number = all[0]; return first; }\n",
    ),
    ("app.ts", "import { start } from \"./shop.js\";\nstart(1);\n"),
];
const STRICT: &str = r#"{ "compilerOptions": { "strict": true, "noUncheckedIndexedAccess": true, "module": "nodenext", "target": "es2022", "noEmit": true } }"#;
const LENIENT: &str = r#"{ "compilerOptions": { "strict": true, "noUncheckedIndexedAccess": false, "module": "nodenext", "target": "es2022", "noEmit": true } }"#;

/// Without a configuration, the server reports uses in files that zubi has opened to check them.
const TYPESCRIPT_STEPS: &[Step] = &[
    step(&[], false, 3),
    step(&[("tsconfig.json", STRICT)], true, 3),
    step(&[("tsconfig.json", LENIENT)], false, 3),
    step(&[("base.json", STRICT), ("tsconfig.json", r#"{ "extends": "./base.json" }"#)], true, 3),
    step(&[("base.json", LENIENT)], false, 3),
    step(&[("base.json", STRICT)], true, 3),
    // The user is open by now.
    removal(&["tsconfig.json"], false, 3),
    step(&[("tsconfig.json", STRICT)], true, 3),
];

/// Without the steps in which a tsconfig.json comes: tsserver then answers from its inferred project for a while.
const TSSERVER_STEPS: &[Step] = &[
    step(&[("tsconfig.json", STRICT)], true, 3),
    step(&[("tsconfig.json", LENIENT)], false, 3),
    step(&[("base.json", STRICT), ("tsconfig.json", r#"{ "extends": "./base.json" }"#)], true, 3),
    step(&[("base.json", LENIENT)], false, 3),
    step(&[("base.json", STRICT)], true, 3),
];

const fn typescript(components: &'static [&'static str], steps: &'static [Step]) -> Configuration {
    Configuration { components, files: TYPESCRIPT, document: "shop.ts", at: "shop.ts:1 start", caveat: None, steps }
}

const CONFIGURATIONS: &[Configuration] = &[
    Configuration {
        components: GO,
        files: GO_MODULES,
        document: "b/main.go",
        at: "a/a.go:4 Start",
        caveat: None,
        steps: &[
            step(&[], true, 1),
            step(&[GO_WORK], false, 2),
            step(&[("go.work", "go 1.24\n\nuse ./b\n")], true, 1),
            step(&[GO_WORK], false, 2),
            removal(&["go.work"], true, 1),
        ],
    },
    Configuration {
        components: GO,
        files: GO_PACKAGES,
        document: "main.go",
        at: "sub/sub.go:3 Start",
        caveat: Some(("go.mod", "no go.mod")),
        steps: &[
            step(&[], true, 1),
            step(&[GO_MOD], false, 2),
            step(&[("go.mod", "module example.test/y\n\ngo 1.24\n")], true, 1),
            step(&[GO_MOD], false, 2),
            removal(&["go.mod"], true, 1),
            step(&[GO_MOD], false, 2),
        ],
    },
    Configuration {
        components: RUST,
        files: &[WITHOUT_FEATURE, OPTIONAL_FUNCTION, OPTIONAL_DECLARATION],
        document: "src/lib.rs",
        at: "src/lib.rs:3 run",
        caveat: None,
        steps: &[
            step(&[], true, 1),
            step(&[WITH_FEATURE], false, 1),
            step(&[WITHOUT_FEATURE], true, 1),
            step(&[WITH_FEATURE], false, 1),
        ],
    },
    Configuration {
        components: RUST,
        files: FIRST_MEMBER,
        document: "a/src/lib.rs",
        at: "a/src/lib.rs:1 start",
        caveat: None,
        steps: &[
            step(&[], false, 1),
            step(SECOND_MEMBER, false, 3),
            step(&[ONE_MEMBER], false, 1),
            step(&[TWO_MEMBERS], false, 3),
        ],
    },
    python(&["node", "pyright"], PYTHON, PYRIGHT_STEPS),
    python(&["node", "pyright"], PYTHON, PYRIGHT_PROJECT_STEPS),
    python(&["node", "basedpyright"], PYTHON, PYRIGHT_STEPS),
    python(&["ty"], PYTHON, TY_STEPS),
    python(&["pyrefly"], PYTHON, PYREFLY_STEPS),
    typescript(&["node", "typescript"], TYPESCRIPT_STEPS),
    typescript(&["node", "typescript-language-server"], TSSERVER_STEPS),
    typescript(&["node", "vtsls"], TSSERVER_STEPS),
];

/// The number in the line `5 references to …`.
fn count(answer: &str) -> Option<usize> {
    answer.lines().find_map(|line| line.split_once(" reference")?.0.parse().ok())
}

async fn check(configuration: &Configuration) {
    let Configuration { components, files, document, at, caveat, steps } = configuration;
    let project = Project::empty();
    for (file, text) in *files {
        project.write(file, text);
    }
    // The folder is the project's directory even without a configuration.
    std::fs::create_dir(project.root().join(".git")).expect("a new directory");
    // The tests' own flags exclude go.work.
    let zubi: Zubi = Start::new(&project, components).without_variable("GOFLAGS").mcp().await;
    let most = steps.iter().map(|step| step.references).max();
    for (number, Step { written, removed, has_error, references }) in steps.iter().enumerate() {
        for (file, text) in *written {
            project.write(file, text);
        }
        for file in *removed {
            std::fs::remove_file(project.root().join(file)).expect("it exists");
        }
        let diagnostics = json!({ "path": document, "severity": "error" });
        let diagnostics = zubi.call_stable("lsp_diagnostics", diagnostics).await;
        let context = format!("{components:?}, {document}, step {number}");
        assert_eq!(diagnostics.contains("  error: "), *has_error, "{context}:\n{diagnostics}");
        let found = zubi.call_stable("lsp_references", json!({ "at": at })).await;
        assert_eq!(count(&found), Some(*references), "{context}:\n{found}");
        if let Some((file, clause)) = caveat {
            // An answer that has every mention of the name is complete even without the file.
            let is_partial = !project.root().join(file).exists() && Some(*references) != most;
            assert_eq!(found.contains(clause), is_partial, "{context}:\n{found}");
        }
        assert!(!diagnostics.contains("may be from before"), "{context}:\n{diagnostics}");
    }
}

async fn check_all(server: &str) {
    for configuration in CONFIGURATIONS.iter().filter(|row| row.components.contains(&server)) {
        check(configuration).await;
    }
}

#[tokio::test]
async fn gopls_reads_a_changed_configuration() {
    check_all("gopls").await;
}

#[tokio::test]
async fn rust_analyzer_reads_a_changed_configuration() {
    check_all("rust-analyzer").await;
}

#[tokio::test]
async fn pyright_reads_a_changed_configuration() {
    check_all("pyright").await;
    check_all("basedpyright").await;
}

#[tokio::test]
async fn ty_and_pyrefly_read_a_changed_configuration() {
    check_all("ty").await;
    check_all("pyrefly").await;
}

#[tokio::test]
async fn typescript_servers_read_a_changed_configuration() {
    for server in ["typescript", "typescript-language-server", "vtsls"] {
        check_all(server).await;
    }
}
