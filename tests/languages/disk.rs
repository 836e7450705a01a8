//! Changes by other programs while the servers run: packages that come and go, links, whole directories, and
//! the flags of a compiler. The next answer is right without a pause.

#![expect(clippy::expect_used, reason = "a failed expectation is a failed test, also in a helper")]

use std::os::unix::fs::symlink;

use serde_json::json;
use zubi_tests::{Project, Zubi};

use super::environments::{add_package, install};

const PYTHON_SERVERS: &[&[&str]] =
    &[&["ty"], &["node", "pyright"], &["node", "basedpyright"], &["pyrefly"], &["zuban"]];

const TYPESCRIPT_SERVERS: &[&[&str]] = &[&["typescript"], &["node", "typescript-language-server"], &["node", "vtsls"]];

/// Returns the number of errors in a file and the answer.
async fn errors(zubi: &Zubi, path: &str) -> (usize, String) {
    let answer = zubi.call_stable("lsp_diagnostics", json!({ "path": path })).await;
    (answer.lines().filter(|line| line.contains("  error: ")).count(), answer)
}

/// Asserts that a file has one error, and that it is about a type.
async fn assert_type_error(zubi: &Zubi, path: &str, servers: &[&str]) {
    let (count, answer) = errors(zubi, path).await;
    let is_about_type = answer.contains("assign") || answer.contains("Argument") || answer.contains("argument");
    assert!(count == 1 && is_about_type, "{servers:?}: {answer}");
}

/// Asserts that a file has one error, and that it is about an import.
async fn assert_import_error(zubi: &Zubi, path: &str, servers: &[&str]) {
    let (count, answer) = errors(zubi, path).await;
    let is_about_import = ["resolve", "Cannot find", "could not find"].iter().any(|text| answer.contains(text));
    assert!(count == 1 && is_about_import, "{servers:?}: {answer}");
}

async fn assert_no_error(zubi: &Zubi, path: &str, servers: &[&str]) {
    let (count, answer) = errors(zubi, path).await;
    assert!(count == 0 && answer.starts_with("no problems"), "{servers:?}: {answer}");
}

#[tokio::test]
async fn python_packages_that_are_installed_and_removed_are_noticed() {
    for servers in PYTHON_SERVERS {
        let project = Project::empty();
        project.write(".gitignore", ".venv\n");
        project.write("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"0\"\n");
        install(&project, ".venv", "other");
        project.write("app.py", "from lately import send\n\nn: str = send(1)\n");
        let zubi = Zubi::start(&project, servers).await;
        assert_import_error(&zubi, "app.py", servers).await;
        add_package(&project, ".venv", "lately");
        assert_type_error(&zubi, "app.py", servers).await;
        // The text changes too: the server must not repeat an older answer.
        project.replace("app.py", "n: str", "\nn: str");
        assert_type_error(&zubi, "app.py", servers).await;
        let libraries = project.root().join(".venv/lib");
        let library = libraries.read_dir_utf8().unwrap().next().unwrap().unwrap();
        let package = library.path().join("site-packages/lately");
        std::fs::remove_dir_all(&package).unwrap();
        assert_import_error(&zubi, "app.py", servers).await;
    }
}

/// The servers register the directories of packages; the workspace does not contain these.
#[tokio::test]
async fn python_packages_outside_the_workspace_are_noticed() {
    for (servers, settings) in [
        (&["ty"][..], "[tool.ty.environment]\npython = \"../outside\"\n"),
        (&["node", "pyright"], "[tool.pyright]\nvenvPath = \"..\"\nvenv = \"outside\"\n"),
    ] {
        let project = Project::empty();
        project.write("pyproject.toml", &format!("[project]\nname = \"shop\"\nversion = \"0\"\n{settings}"));
        install(&project, "../outside", "other");
        project.write("app.py", "from lately import send\n\nn: str = send(1)\n");
        let zubi = Zubi::start(&project, servers).await;
        assert_import_error(&zubi, "app.py", servers).await;
        add_package(&project, "../outside", "lately");
        assert_type_error(&zubi, "app.py", servers).await;
    }
}

fn typescript_project() -> Project {
    let project = Project::empty();
    project.write(".gitignore", "node_modules\n");
    project.write("package.json", "{ \"type\": \"module\" }\n");
    let options = json!({ "strict": true, "module": "nodenext", "target": "es2022", "noEmit": true });
    project.write("tsconfig.json", &json!({ "compilerOptions": options }).to_string());
    project
}

fn add_module(project: &Project, name: &str, version: &str, declared: &str) {
    let package = json!({ "name": name, "version": version, "type": "module", "types": "index.d.ts" });
    project.write(&format!("node_modules/{name}/package.json"), &package.to_string());
    project.write(&format!("node_modules/{name}/index.d.ts"), &format!("export declare const VALUE: {declared};\n"));
}

#[tokio::test]
async fn typescript_packages_that_are_installed_replaced_and_removed_are_noticed() {
    for servers in TYPESCRIPT_SERVERS {
        for name in ["lately", "@scope/lately"] {
            let project = typescript_project();
            project.write("a.ts", &format!("import {{ VALUE }} from \"{name}\";\nexport const n: string = VALUE;\n"));
            let zubi = Zubi::start(&project, servers).await;
            assert_import_error(&zubi, "a.ts", servers).await;
            add_module(&project, name, "1.0.0", "number");
            assert_type_error(&zubi, "a.ts", servers).await;
            std::fs::remove_dir_all(project.root().join("node_modules").join(name)).unwrap();
            add_module(&project, name, "2.0.0", "string");
            assert_no_error(&zubi, "a.ts", servers).await;
            std::fs::remove_dir_all(project.root().join("node_modules")).unwrap();
            assert_import_error(&zubi, "a.ts", servers).await;
        }
    }
}

/// As package managers replace and remove packages that were there before the server started.
#[tokio::test]
async fn typescript_packages_of_before_that_are_replaced_and_removed_are_noticed() {
    for servers in TYPESCRIPT_SERVERS {
        let project = typescript_project();
        project.write("a.ts", "import { VALUE } from \"early\";\nexport const n: string = VALUE;\n");
        add_module(&project, "early", "1.0.0", "number");
        let zubi = Zubi::start(&project, servers).await;
        assert_type_error(&zubi, "a.ts", servers).await;
        std::fs::remove_dir_all(project.root().join("node_modules/early")).unwrap();
        add_module(&project, "early", "2.0.0", "string");
        assert_no_error(&zubi, "a.ts", servers).await;
        std::fs::remove_dir_all(project.root().join("node_modules/early")).unwrap();
        assert_import_error(&zubi, "a.ts", servers).await;
    }
}

#[tokio::test]
async fn a_python_package_reached_through_a_link_is_not_outdated() {
    for servers in PYTHON_SERVERS {
        let project = Project::empty();
        project.write("common/util.py", "def slug(t: str) -> str:\n    return t\n");
        project.write("services/alpha/pyproject.toml", "[project]\nname = \"alpha\"\nversion = \"0\"\n");
        project.write("services/alpha/main.py", "from common.util import slug\n\n_ = slug(\"a\")\n");
        symlink("../../common", project.root().join("services/alpha/common")).unwrap();
        let zubi = Zubi::start(&project, servers).await;
        assert_no_error(&zubi, "services/alpha/main.py", servers).await;
        project.write("common/util.py", "def slug(t: int) -> str:\n    return str(t)\n");
        assert_type_error(&zubi, "services/alpha/main.py", servers).await;
    }
}

#[tokio::test]
async fn a_typescript_directory_reached_through_a_link_is_neither_outdated_nor_left_out() {
    for servers in TYPESCRIPT_SERVERS {
        let project = Project::empty();
        project.write("common/util.ts", "export function slug(t: string): string { return t; }\n");
        let options = json!({ "strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true });
        project.write("services/alpha/tsconfig.json", &json!({ "compilerOptions": options }).to_string());
        project.write("services/alpha/main.ts", "import { slug } from \"./common/util\";\nslug(\"a\");\n");
        symlink("../../common", project.root().join("services/alpha/common")).unwrap();
        let zubi = Zubi::start(&project, servers).await;
        assert_no_error(&zubi, "services/alpha/main.ts", servers).await;
        project.write("common/util.ts", "export function slug(t: number): string { return String(t); }\n");
        assert_type_error(&zubi, "services/alpha/main.ts", servers).await;
        // No tsconfig.json is above the declaration. TypeScript 7 then reports only that file by itself.
        let references = zubi.call_stable("lsp_references", json!({ "symbol": "slug" })).await;
        assert!(references.contains("3 references to `slug` in 2 files"), "{servers:?}: {references}");
        assert!(!references.contains("may be incomplete"), "{servers:?}: {references}");
        let rename = json!({ "symbol": "slug", "newName": "slugify" });
        let plan = zubi.call_stable("lsp_rename_symbol", rename).await;
        if servers == &["typescript"] {
            // At the uses, it renames only the name of the import.
            let mark = "services/alpha/main.ts (2: the server resolves it to this symbol, but does not report it)";
            assert!(plan.contains(mark), "{plan}");
        } else {
            assert!(plan.contains("3 edits in 2 files"), "{servers:?}: {plan}");
            assert!(!plan.contains("may be incomplete"), "{servers:?}: {plan}");
        }
    }
}

#[tokio::test]
async fn a_directory_that_comes_and_goes_is_noticed() {
    for servers in PYTHON_SERVERS {
        let project = Project::empty();
        project.write("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"0\"\n");
        project.write("a.py", "from pkg.late import late\n\nn: int = late(1)\n");
        let zubi = Zubi::start(&project, servers).await;
        assert_import_error(&zubi, "a.py", servers).await;
        project.write("pkg/late.py", "def late(x: int) -> int:\n    return x\n");
        assert_no_error(&zubi, "a.py", servers).await;
        let references = zubi.call_stable("lsp_references", json!({ "symbol": "late" })).await;
        assert!(references.contains("3 references"), "{servers:?}: {references}");
        std::fs::remove_dir_all(project.root().join("pkg")).unwrap();
        assert_import_error(&zubi, "a.py", servers).await;
        // Moved into the project as a whole.
        project.write("../outside/late.py", "def late(x: int) -> int:\n    return x\n");
        std::fs::rename(project.root().join("../outside"), project.root().join("pkg")).unwrap();
        assert_no_error(&zubi, "a.py", servers).await;
    }
}

const CLANGD: &[&str] = &["clangd"];

/// A program whose header is found only with the flag `-Iinc`.
fn cpp_project() -> Project {
    let project = Project::empty();
    project.write(".gitignore", "build\nout\n");
    project.write("inc/g.h", "int g(int x);\n");
    project.write("src/g.cc", "#include \"g.h\"\nint g(int x) { return x; }\n");
    project.write("src/main.cc", "#include \"g.h\"\nint main() { return g(1); }\n");
    // The folder is the project's directory even without flags.
    std::fs::create_dir(project.root().join(".git")).expect("a new directory");
    project
}

fn database(project: &Project, flag: &str) -> String {
    let command =
        |file: &str| json!({ "directory": project.root(), "file": file, "arguments": ["c++", flag, "-c", file] });
    json!([command("src/g.cc"), command("src/main.cc")]).to_string()
}

/// Asserts that clangd has, or has not, the flag.
async fn assert_flags(zubi: &Zubi, is_right: bool) {
    let (count, answer) = errors(zubi, "src/main.cc").await;
    assert_eq!(count > 0, !is_right, "{answer}");
    assert!(!answer.contains("no compile_commands.json"), "{answer}");
    if is_right {
        let references = zubi.call_stable("lsp_references", json!({ "symbol": "g" })).await;
        assert!(references.contains("3 references"), "{references}");
    }
}

#[tokio::test]
async fn clangd_reads_a_compilation_database_that_comes_changes_and_goes() {
    // In an ignored directory; as a link to one; at the root.
    for (path, link) in [
        ("build/compile_commands.json", None),
        ("out/compile_commands.json", Some("compile_commands.json")),
        ("compile_commands.json", None),
    ] {
        let project = cpp_project();
        if let Some(link) = link {
            symlink(path, project.root().join(link)).unwrap();
        }
        let zubi = Zubi::start(&project, CLANGD).await;
        let (count, answer) = errors(&zubi, "src/main.cc").await;
        assert!(count > 0 && answer.contains("no compile_commands.json"), "{path}: {answer}");
        project.write(path, &database(&project, "-Iinc"));
        assert_flags(&zubi, true).await;
        project.write(path, &database(&project, "-Iother"));
        assert_flags(&zubi, false).await;
        project.write(path, &database(&project, "-Iinc"));
        assert_flags(&zubi, true).await;
        std::fs::remove_file(project.root().join(path)).unwrap();
        let (count, answer) = errors(&zubi, "src/main.cc").await;
        assert!(count > 0 && answer.contains("no compile_commands.json"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn clangd_reads_flags_of_other_files_that_come_and_change() {
    for (path, right, wrong) in [
        ("compile_flags.txt", "-Iinc\n", "-Iother\n"),
        (".clangd", "CompileFlags:\n  Add: [-I../inc, -Iinc]\n", "CompileFlags:\n  Add: [-Iother]\n"),
    ] {
        let project = cpp_project();
        let zubi = Zubi::start(&project, CLANGD).await;
        assert!(errors(&zubi, "src/main.cc").await.0 > 0);
        let right = right.replace("-Iinc", &format!("-I{}", project.root().join("inc")));
        for (text, has_errors) in [(right.as_str(), false), (wrong, true), (right.as_str(), false)] {
            project.write(path, text);
            let (count, answer) = errors(&zubi, "src/main.cc").await;
            assert_eq!(count > 0, has_errors, "{path}: {answer}");
        }
    }
}
