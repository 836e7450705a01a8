//! Checks that every answer of a server says that the project's configuration is broken, with the reason, and no longer
//! says so after the repair.

use serde_json::json;
use zubi_tests::{Project, Zubi};

/// A file with its text.
type File = (&'static str, &'static str);

struct BrokenConfiguration {
    components: &'static [&'static str],
    files: &'static [File],
    broken: File,
    /// The text of the repaired file.
    repaired: &'static str,
    document: &'static str,
    /// The declaration of a symbol; `None` if the server only reports diagnostics.
    at: Option<&'static str>,
    /// Parts of the mark: the effect, which differs from that of other marks, the reason, and the cure.
    mark: &'static [&'static str],
}

const PYTHON: &[File] =
    &[("lib/shop.py", "def price(n: int) -> int:\n    return n\n"), ("app.py", "from shop import price\n\nprice(1)\n")];

const fn python(
    components: &'static [&'static str],
    broken: &'static str,
    repaired: &'static str,
    mark: &'static [&'static str],
) -> BrokenConfiguration {
    let broken = ("pyproject.toml", broken);
    let at = Some("lib/shop.py:1 price");
    BrokenConfiguration { components, files: PYTHON, broken, repaired, document: "app.py", at, mark }
}

/// The user is in no file list of a broken configuration, and its import is unresolved without the setting `paths`.
const TYPESCRIPT: &[File] = &[
    ("package.json", "{ \"type\": \"module\" }\n"),
    ("src/shop.ts", "export function price(n: number): number {\n  return n;\n}\n"),
    ("src/app.ts", "import { price } from \"@app/shop\";\nprice(1);\n"),
];
const TSCONFIG: &str = r#"{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true, "paths": { "@app/*": ["./src/*"] } } }"#;

const fn typescript(
    components: &'static [&'static str],
    broken: &'static str,
    mark: &'static [&'static str],
) -> BrokenConfiguration {
    BrokenConfiguration {
        components,
        files: TYPESCRIPT,
        broken: ("tsconfig.json", broken),
        repaired: TSCONFIG,
        document: "src/app.ts",
        at: Some("src/shop.ts:1 price"),
        mark,
    }
}

const SYNTAX_ERROR: &str = "{ \"compilerOptions\": { \"strict\": true, } \"include\": }";
const SYNTAX_MARK: &[&str] = &["`tsconfig.json` has a syntax error, so settings are missing"];
const MISSING_BASE: &str = r#"{ "extends": "./base.json", "compilerOptions": { "noEmit": true } }"#;
const MISSING_BASE_MARK: &[&str] = &["`tsconfig.json` extends `./base.json`, which does not exist"];

const RUST: &[File] = &[
    ("a/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("a/src/lib.rs", "mod app;\n\npub fn price(n: u32) -> u32 {\n    n\n}\n"),
    ("a/src/app.rs", "pub fn run() -> u32 {\n    crate::price(1)\n}\n"),
];

const fn rust(broken: &'static str, mark: &'static [&'static str]) -> BrokenConfiguration {
    BrokenConfiguration {
        components: &["rust-analyzer"],
        files: RUST,
        broken: ("Cargo.toml", broken),
        repaired: "[workspace]\nresolver = \"2\"\nmembers = [\"a\"]\n",
        document: "a/src/app.rs",
        at: Some("a/src/lib.rs:3 price"),
        mark,
    }
}

const BROKEN: &[BrokenConfiguration] = &[
    python(
        &["node", "pyright"],
        "[tool.pyright\nextraPaths = [\"lib\"]\n",
        "[tool.pyright]\nextraPaths = [\"lib\"]\n",
        &["pyright: the configuration is not used", "could not be parsed"],
    ),
    python(
        &["node", "basedpyright"],
        "[tool.basedpyright\nextraPaths = [\"lib\"]\n",
        "[tool.basedpyright]\nextraPaths = [\"lib\"]\n",
        &["basedpyright: the configuration is not used", "could not be parsed"],
    ),
    python(
        &["ty"],
        "[tool.ty.environment\nextra-paths = [\"lib\"]\n",
        "[tool.ty.environment]\nextra-paths = [\"lib\"]\n",
        &["ty: the configuration is not used", "(`ty check`)"],
    ),
    BrokenConfiguration {
        components: &["ruff"],
        files: PYTHON,
        broken: ("ruff.toml", "line-length = \n"),
        repaired: "line-length = 100\n",
        document: "app.py",
        at: None,
        mark: &["ruff: the configuration is not used", "(`ruff check`)"],
    },
    typescript(&["node", "typescript"], SYNTAX_ERROR, SYNTAX_MARK),
    typescript(&["node", "typescript"], MISSING_BASE, MISSING_BASE_MARK),
    typescript(&["node", "typescript-language-server"], SYNTAX_ERROR, SYNTAX_MARK),
    typescript(&["node", "typescript-language-server"], MISSING_BASE, MISSING_BASE_MARK),
    typescript(&["node", "vtsls"], SYNTAX_ERROR, SYNTAX_MARK),
    typescript(&["node", "vtsls"], MISSING_BASE, MISSING_BASE_MARK),
    BrokenConfiguration {
        components: &["clangd"],
        files: &[
            ("inc/shop.h", "inline int price(int n) { return n; }\n"),
            ("app.cc", "#include \"shop.h\"\nint n = price(1);\n"),
        ],
        broken: ("compile_commands.json", "[{ \"directory\": \".\""),
        repaired: r#"[{ "directory": ".", "file": "app.cc", "arguments": ["c++", "-Iinc", "-c", "app.cc"] }]"#,
        document: "app.cc",
        at: Some("inc/shop.h:1 price"),
        mark: &["compile_commands.json cannot be read", "other files are not read"],
    },
    rust(
        "[workspace]\nmembers = [\"a\", \"missing\"]\n",
        &["Failed to load workspaces: failed to load manifest for workspace member", "(`cargo metadata`)"],
    ),
    rust("[workspace\nmembers = [\"a\"]\n", &["Failed to load workspaces: unclosed table", "(`cargo metadata`)"]),
];

/// Asserts that all answers have the mark, or that none has it.
async fn check_answers(zubi: &Zubi, row: &BrokenConfiguration, is_broken: bool) {
    let BrokenConfiguration { components, document, at, mark, .. } = row;
    let mut questions = vec![("lsp_diagnostics", json!({ "path": document }))];
    if let Some(at) = at {
        questions.push(("lsp_references", json!({ "at": at })));
        questions.push(("lsp_rename_symbol", json!({ "at": at, "newName": "cost" })));
    }
    for (tool, arguments) in questions {
        let answer = zubi.call(tool, arguments).await.text;
        // The first part; a server may report something else afterwards.
        let parts = if is_broken { mark } else { mark.get(..1).unwrap_or_default() };
        for part in parts {
            let context = format!("{components:?}, {tool}, broken: {is_broken}, `{part}`");
            assert_eq!(answer.contains(part), is_broken, "{context}:\n{answer}");
        }
    }
}

async fn check_all(servers: &[&str]) {
    let is_own = |row: &&BrokenConfiguration| row.components.iter().any(|component| servers.contains(component));
    for row in BROKEN.iter().filter(is_own) {
        let project = Project::empty();
        for (file, text) in row.files.iter().chain([&row.broken]) {
            project.write(file, text);
        }
        let zubi = Zubi::start(&project, row.components).await;
        check_answers(&zubi, row, true).await;
        project.write(row.broken.0, row.repaired);
        check_answers(&zubi, row, false).await;
    }
}

#[tokio::test]
async fn a_broken_configuration_of_python_is_in_every_answer() {
    check_all(&["pyright", "basedpyright", "ty", "ruff"]).await;
}

#[tokio::test]
async fn a_broken_configuration_of_typescript_is_in_every_answer() {
    check_all(&["typescript", "typescript-language-server", "vtsls"]).await;
}

#[tokio::test]
async fn a_broken_compilation_database_is_in_every_answer() {
    check_all(&["clangd"]).await;
}

#[tokio::test]
async fn a_broken_workspace_of_cargo_is_in_every_answer_with_the_reason() {
    check_all(&["rust-analyzer"]).await;
}

/// TypeScript up to 6 switches off the language service of a project with more than 20 MB of JavaScript.
#[tokio::test]
async fn a_language_service_that_is_off_is_in_every_answer() {
    let project = Project::empty();
    project.write("tsconfig.json", r#"{ "compilerOptions": { "allowJs": true, "noEmit": true }, "include": ["src"] }"#);
    project.write("src/area.ts", "export function area(x: number) {\n  return x;\n}\n");
    project.write("src/use.ts", "import { area } from \"./area\";\n\narea(\"1\");\n");
    let line = "export const filler = \"a line of a bundle that a program has written\";\n";
    for number in 0..22 {
        project.write(&format!("src/bundle{number}.js"), &line.repeat(1024 * 1024 / line.len()));
    }
    for components in [&["node", "typescript-language-server"], &["node", "vtsls"]] {
        let zubi = Zubi::start(&project, components).await;
        let callers = ("lsp_call_hierarchy", json!({ "at": "src/area.ts:1 area", "direction": "incoming" }));
        let diagnostics = ("lsp_diagnostics", json!({ "path": "src/use.ts" }));
        let hover = ("lsp_hover", json!({ "at": "src/use.ts:3 area" }));
        for (tool, arguments) in [diagnostics, callers, hover] {
            let answer = zubi.call_stable(tool, arguments).await;
            let mark = "the language service of `tsconfig.json` is off";
            assert!(answer.contains(mark) && answer.contains("disableSizeLimit"), "{components:?} {tool}: {answer}");
        }
        let error = zubi.call_refused("lsp_references", json!({ "at": "src/area.ts:1 area" })).await;
        assert_eq!(error.matches("is off").count(), 1, "{components:?}: {error}");
        assert!(!error.contains("    at "), "{components:?}: {error}");
        zubi.close().await;
    }
}
