//! Python environments: each server gets that of the project, and answers name it where it matters.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, also in a helper; files and programs are those of a user"
)]

use std::process::Command;

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::zubi::Start;
use zubi_tests::{Project, Zubi, tools};

/// Creates a virtual environment with one package: a module with the function `send`.
pub(super) fn install(project: &Project, environment: &str, package: &str) {
    let directory = project.root().join(environment);
    let created = Command::new(tools::python()).args(["-m", "venv", "--without-pip", directory.as_str()]).status();
    assert!(created.expect("Python starts").success());
    add_package(project, environment, package);
}

/// Adds a package to the environment.
pub(super) fn add_package(project: &Project, environment: &str, package: &str) {
    let libraries = project.root().join(environment).join("lib");
    let library = libraries.read_dir_utf8().expect("it has libraries").next().expect("one").expect("readable");
    let packages = library.path().join("site-packages").join(package);
    let packages = packages.strip_prefix(project.root()).expect("in the project");
    project.write(&format!("{packages}/__init__.py"), "def send(cents: int) -> bool:\n    return cents > 0\n");
    project.write(&format!("{packages}/py.typed"), "");
}

/// Adds a program that uses a package.
fn add_program(project: &Project, path: &str, package: &str) {
    project.write(path, &format!("from {package} import send\n\n\ndef run() -> bool:\n    return send(1)\n"));
}

/// A project below its environment, and two services with one environment each, one of them without a project file.
fn services() -> Project {
    let project = Project::empty();
    project.write(".gitignore", ".venv\nvenv\n");
    install(&project, ".venv", "shopkit");
    project.write("shop/pyproject.toml", "[project]\nname = \"shop\"\nversion = \"0\"\n");
    add_program(&project, "shop/app.py", "shopkit");
    install(&project, "services/mail/venv", "mailkit");
    add_program(&project, "services/mail/app.py", "mailkit");
    install(&project, "services/bill/.venv", "billkit");
    project.write("services/bill/requirements.txt", "billkit\n");
    add_program(&project, "services/bill/src/app.py", "billkit");
    project
}

/// Finds the packages of all projects with a server, in one session.
async fn check(servers: &[&str]) {
    let project = services();
    let zubi = Zubi::start(&project, servers).await;
    for (file, environment) in [
        ("shop/app.py", ".venv/lib/"),
        ("services/mail/app.py", "services/mail/venv/lib/"),
        ("services/bill/src/app.py", "services/bill/.venv/lib/"),
    ] {
        let definition = zubi.call_stable("lsp_definition", json!({ "at": format!("{file}:5 send") })).await;
        assert!(definition.contains(environment), "{file}: {definition}");
        let problems = zubi.call_stable("lsp_diagnostics", json!({ "path": file })).await;
        assert!(problems.starts_with("no problems"), "{file}: {problems}");
        assert!(!problems.contains("packages"), "the environment does not matter: {problems}");
    }
}

#[tokio::test]
async fn pyright_uses_the_nearest_environment() {
    check(&["node", "pyright"]).await;
}

#[tokio::test]
async fn basedpyright_uses_the_nearest_environment() {
    check(&["node", "basedpyright"]).await;
}

#[tokio::test]
async fn ty_uses_the_nearest_environment() {
    check(&["ty"]).await;
}

#[tokio::test]
async fn pyrefly_uses_the_nearest_environment() {
    check(&["pyrefly"]).await;
}

#[tokio::test]
async fn zuban_uses_the_nearest_environment() {
    check(&["zuban"]).await;
}

#[tokio::test]
async fn jedi_uses_the_nearest_environment() {
    check(&["jedi-language-server"]).await;
}

#[tokio::test]
async fn an_unresolved_import_names_the_environment() {
    let project = Project::empty();
    project.write("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"0\"\n");
    add_program(&project, "app.py", "shopkit");
    project.write("other.py", "n: int = \"one\"\n");
    let zubi = Zubi::start(&project, &["node", "pyright"]).await;
    let diagnostics = |path: &'static str| zubi.call_stable("lsp_diagnostics", json!({ "path": path }));
    assert_snapshot!(diagnostics("app.py").await, @r#"
    1 error in `app.py`; snapshot d-1
    app.py
      1:6  error: Import "shopkit" could not be resolved  [Pyright reportMissingImports]
    [pyright · ready · no virtual environment: packages of the system's Python]
    "#);
    // The environment is created while the server runs.
    install(&project, ".venv", "otherkit");
    assert_snapshot!(diagnostics("app.py").await, @r#"
    1 error in `app.py`; snapshot d-2
    app.py
      1:6  error: Import "shopkit" could not be resolved  [Pyright reportMissingImports]
    [pyright · ready · packages of `.venv`]
    "#);
    assert_snapshot!(diagnostics("other.py").await, @r#"
    1 error in `other.py`; snapshot d-3
    other.py
      1:10  error: Type "Literal['one']" is not assignable to declared type "int"
            "Literal['one']" is not assignable to "int"  [Pyright reportAssignmentType]
    [pyright · ready]
    "#);
    // The project's own choice is stronger, and then zubi does not claim that there is no environment.
    install(&project, "tools/e", "shopkit");
    project.write(
        "pyproject.toml",
        "[project]\nname = \"shop\"\nversion = \"0\"\n[tool.pyright]\nvenvPath = \"tools\"\nvenv = \"e\"\n",
    );
    std::fs::remove_dir_all(project.root().join(".venv")).unwrap();
    assert_snapshot!(diagnostics("app.py").await, @"
    no problems in `app.py`; snapshot d-4
    [pyright · ready]
    ");
    add_program(&project, "lost.py", "lostkit");
    assert_snapshot!(diagnostics("lost.py").await, @r#"
    1 error in `lost.py`; snapshot d-5
    lost.py
      1:6  error: Import "lostkit" could not be resolved  [Pyright reportMissingImports]
    [pyright · ready · packages of the environment that pyproject.toml names]
    "#);
}

/// Poetry creates environments outside the project by default.
#[tokio::test]
async fn the_environment_of_poetry_is_found() {
    let project = Project::empty();
    project.write("pyproject.toml", "[tool.poetry]\nname = \"Shop\"\n");
    add_program(&project, "app.py", "shopkit");
    let hash = "import base64, hashlib, sys; print(base64.urlsafe_b64encode(hashlib.sha256(sys.argv[1].encode()).digest()).decode()[:8])";
    let hash =
        Command::new(tools::python()).args(["-c", hash, project.root().as_str()]).output().expect("Python starts");
    let hash = String::from_utf8(hash.stdout).expect("letters");
    let store = project.home().join("cache/pypoetry/virtualenvs");
    std::fs::create_dir_all(&store).expect("directories");
    install(&project, "e", "shopkit");
    std::fs::rename(project.root().join("e"), store.join(format!("shop-{}-py3.11", hash.trim()))).expect("one disk");
    let zubi = Zubi::start(&project, &["node", "pyright"]).await;
    let definition = zubi.call_stable("lsp_definition", json!({ "at": "app.py:5 send" })).await;
    assert!(definition.contains("pypoetry"), "{definition}");
}

#[tokio::test]
async fn an_untrusted_interpreter_does_not_run() {
    for server in ["pyright", "basedpyright"] {
        let project = Project::empty();
        install(&project, ".venv", "shopkit");
        for name in ["python", "python3"] {
            let interpreter = project.root().join(".venv/bin").join(name);
            std::fs::remove_file(&interpreter).unwrap();
            project.install(interpreter.as_str(), "#!/bin/sh\ntouch ran\n");
        }
        add_program(&project, "app.py", "shopkit");
        add_program(&project, "lost.py", "lostkit");
        let components = ["node", server];
        let zubi = Start::new(&project, &components).without_trust().mcp().await;
        let definition = zubi.call_stable("lsp_definition", json!({ "at": "app.py:5 send" })).await;
        assert!(definition.contains(".venv/lib/"), "{definition}");
        let problems = zubi.call_stable("lsp_diagnostics", json!({ "path": "lost.py" })).await;
        insta::allow_duplicates! { assert_snapshot!(problems.lines().last().unwrap().replace(server, "SERVER"), @"[SERVER · ready · packages of `.venv` · restricted, because the folder is not trusted: it does not run the project's Python interpreter]"); }
        let files = project.everything();
        assert!(!files.iter().any(|(path, _)| path.ends_with("ran")), "the interpreter ran");
    }
}

/// A limit holds for the document that the question is about.
#[tokio::test]
async fn limits_are_those_of_the_document() {
    let project = Project::empty();
    project.write("package-lock.json", "{}");
    project.write("packages/shop/tsconfig.json", r#"{ "compilerOptions": { "noEmit": true } }"#);
    project.write("packages/shop/src/shop.ts", "export const price = 1;\n");
    project.write("packages/shop/src/other.ts", "export function other(price: number) { return price; }\n");
    project.write("scripts/run.ts", "export const run = 2;\n");
    project.write("scripts/other.ts", "export function other(run: number) { return run; }\n");
    let zubi = Zubi::start(&project, &["node", "typescript"]).await;
    for path in ["packages/shop/src/shop.ts", "scripts/run.ts", "packages/shop/src/shop.ts"] {
        let problems = zubi.call_stable("lsp_diagnostics", json!({ "path": path })).await;
        assert_eq!(problems.contains("no tsconfig.json"), path == "scripts/run.ts", "{path}: {problems}");
    }
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "packages/shop/src/shop.ts:1 price" })).await, @"
    at packages/shop/src/shop.ts:1:14 price
    1 reference to `price` in 1 file
    packages/shop/src/shop.ts
      1:14  export const price = 1;  (declaration)
    2 further word matches in code (other symbols of the name): includeText=true
    [typescript · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "scripts/run.ts:1 run" })).await, @"
    at scripts/run.ts:1:14 run
    1 reference to `run` in 1 file
    scripts/run.ts
      1:14  export const run = 2;  (declaration)
    2 further word matches in code (other symbols of the name): includeText=true
    [typescript · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "packages/shop/src/shop.ts:1 price" })).await, @"
    at packages/shop/src/shop.ts:1:14 price
    1 reference to `price` in 1 file
    packages/shop/src/shop.ts
      1:14  export const price = 1;  (declaration)
    2 further word matches in code (other symbols of the name): includeText=true
    [typescript · ready]
    ");
}
