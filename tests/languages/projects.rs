//! Several projects in one workspace: each server knows one project, but an answer must cover all of them.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::zubi::Start;
use zubi_tests::{Project, Zubi, processes};

/// Three Python projects: `core`, `app` (which uses `core`) and `tools` (which has a symbol of the same name).
fn python_monorepo(app_settings: &str) -> Project {
    let project = Project::empty();
    for name in ["core", "app", "tools"] {
        project.write(&format!("{name}/pyproject.toml"), &format!("[project]\nname = \"{name}\"\n"));
        project.write(&format!("{name}/{name}/__init__.py"), "");
    }
    project.write("core/core/shape.py", "def area(x: float) -> float:\n    return x\n");
    project.write("app/app/main.py", "from core.shape import area\n\nprint(area(1))\n");
    project.write("app/pyproject.toml", &format!("[project]\nname = \"app\"\n\n{app_settings}\n"));
    project.write("tools/tools/other.py", "def area() -> str:\n    return \"another\"\n\n\narea()\n");
    project
}

#[tokio::test]
async fn uses_in_another_python_project_are_found_by_pyright() {
    let project = python_monorepo("[tool.pyright]\nextraPaths = [\"../core\"]");
    let zubi = Zubi::start(&project, &["node", "pyright"]).await;
    // zubi starts three servers for the first answer, which equals every later one.
    let references = json!({ "symbol": "area", "path": "core" });
    let first = zubi.call_stable("lsp_references", references.clone()).await;
    assert_snapshot!(first, @"
    at core/core/shape.py:1:5 area (function)
    3 references to `area` in 2 files
    app/app/main.py
      1:24  from core.shape import area
      3:7  print(area(1))
    core/core/shape.py
      1:5  def area(x: float) -> float:  (declaration)
    2 further word matches in code (other symbols of the name): includeText=true
    [pyright · ready]
    ");
    assert_eq!(zubi.call_stable("lsp_references", references).await, first);
    assert_snapshot!(zubi.call_stable("lsp_definition", json!({ "at": "app/app/main.py:3 area" })).await, @"
    at app/app/main.py:3:7 area
    1 definition of `area`
    core/core/shape.py
      1:5  def area(x: float) -> float:
    [pyright · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "area" })).await, @"
    2 symbols matching `area`
      function area  core/core/shape.py:1:5  def area(x: float) -> float:
      function area  tools/tools/other.py:1:5  def area() -> str:
    [pyright · ready]
    ");
    let hierarchy = json!({ "symbol": "area", "path": "core", "direction": "incoming" });
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", hierarchy).await, @"
    at core/core/shape.py:1:5 area (function)
    no callers of `area`
    function area  core/core/shape.py:1:5  def area(x: float) -> float:
    [pyright · ready · may be incomplete: `area` also occurs in app, tools: `lsp_references` looks there · no virtual environment: packages of the system's Python]
    ");
    // One server's rename does not reach the other project; the plan must report that.
    let rename = json!({ "symbol": "area", "path": "core", "newName": "surface" });
    assert_snapshot!(zubi.call_stable("lsp_rename_symbol", rename).await, @r#"
    at core/core/shape.py:1:5 area (function)
    plan p-[plan]: rename `area` to `surface`, 3 edits in 2 files; nothing is written yet
    note: 2 edits at references in app: the server renames only in its own project
    diff --git a/app/app/main.py b/app/app/main.py
    --- a/app/app/main.py
    +++ b/app/app/main.py
    @@ -1,3 +1,3 @@
    -from core.shape import area
    +from core.shape import surface
     
    -print(area(1))
    +print(surface(1))
    diff --git a/core/core/shape.py b/core/core/shape.py
    --- a/core/core/shape.py
    +++ b/core/core/shape.py
    @@ -1,2 +1,2 @@
    -def area(x: float) -> float:
    +def surface(x: float) -> float:
         return x
    apply_edit {"plan":"p-[plan]"} writes it
    [pyright · ready]
    "#);
    assert_eq!(count_servers("pyright-langserver"), 3);
}

#[tokio::test]
async fn uses_in_another_python_project_are_found_by_ty() {
    let project = python_monorepo("[tool.ty.environment]\nextra-paths = [\"../core\"]");
    let zubi = Zubi::start(&project, &["ty"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "area", "path": "core" })).await, @"
    at core/core/shape.py:1:5 area (function)
    3 references to `area` in 2 files
    app/app/main.py
      1:24  from core.shape import area
      3:7  print(area(1))
    core/core/shape.py
      1:5  def area(x: float) -> float:  (declaration)
    2 further word matches in code (other symbols of the name): includeText=true
    [ty · ready]
    ");
}

#[tokio::test]
async fn a_new_use_in_another_project_is_found_at_once() {
    let project = python_monorepo("[tool.ty.environment]\nextra-paths = [\"../core\"]");
    let zubi = Zubi::start(&project, &["ty"]).await;
    zubi.call_stable("lsp_references", json!({ "symbol": "area", "path": "core" })).await;
    project.write("app/app/late.py", "from core import shape\n\nshape.area(2)\n");
    let answer = zubi.call_stable("lsp_references", json!({ "symbol": "area", "path": "core" })).await;
    assert!(answer.contains("app/app/late.py\n  3:7  shape.area(2)"), "{answer}");
}

#[tokio::test]
async fn uses_in_other_go_modules_are_found() {
    let project = Project::empty();
    let module = |name: &str, more: &str| format!("module example.com/{name}\n\ngo 1.24\n{more}");
    let needs_core = "\nrequire example.com/core v0.0.0\n\nreplace example.com/core => ";
    project.write("core/go.mod", &module("core", ""));
    project.write(
        "core/core.go",
        "package core\n\ntype Shape interface{ Area() int }\n\nfunc Sum(s Shape) int { return s.Area() }\n",
    );
    // A module inside another module does not belong to it.
    project.write("core/inner/go.mod", &module("inner", &format!("{needs_core}../\n")));
    project.write(
        "core/inner/inner.go",
        "package inner\n\nimport \"example.com/core\"\n\ntype Square struct{}\n\nfunc (Square) Area() int { return 4 }\n\nvar Four = core.Sum(Square{})\n\nvar _ core.Shape = Square{}\n",
    );
    project.write("app/go.mod", &module("app", &format!("{needs_core}../core\n")));
    project.write(
        "app/main.go",
        "package main\n\nimport \"example.com/core\"\n\nfunc main() { println(core.Sum(nil)) }\n",
    );
    let zubi = Zubi::start(&project, &["go", "gopls"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Sum" })).await, @"
    at core/core.go:5:6 Sum (function)
    3 references to `Sum` in 3 files
    app/main.go
      5:28  func main() { println(core.Sum(nil)) }
    core/core.go
      5:6  func Sum(s Shape) int { return s.Area() }  (declaration)
    core/inner/inner.go
      9:17  var Four = core.Sum(Square{})
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_implementations", json!({ "symbol": "Shape" })).await, @"
    at core/core.go:3:6 Shape (interface)
    1 implementation of `Shape`
    core/inner/inner.go
      5:6  type Square struct{}
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Square" })).await, @"
    2 symbols matching `Square`
      struct Square  core/inner/inner.go:5:6  in example.com/inner
      method Square.Area  core/inner/inner.go:7:15  in example.com/inner  func (Square) Area() int { return 4 }
    [gopls · ready]
    ");
}

#[tokio::test]
async fn uses_in_another_package_of_a_node_workspace_are_found() {
    let project = Project::empty();
    project.write("package.json", r#"{ "private": true, "workspaces": ["packages/*"] }"#);
    project.write("package-lock.json", r#"{ "lockfileVersion": 3 }"#);
    let settings = r#"{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler" } }"#;
    for name in ["core", "app"] {
        project.write(&format!("packages/{name}/package.json"), &format!("{{ \"name\": \"{name}\" }}"));
        project.write(&format!("packages/{name}/tsconfig.json"), settings);
    }
    project.write("packages/core/src/core.ts", "export function area(x: number) {\n  return x;\n}\n");
    project.write("packages/app/src/main.ts", "import { area } from \"../../core/src/core\";\n\narea(1);\n");
    let zubi = Zubi::start(&project, &["typescript"]).await;
    let latest = zubi.call_stable("lsp_references", json!({ "symbol": "area" })).await;
    assert_snapshot!(latest, @r#"
    at packages/core/src/core.ts:1:17 area (function)
    3 references to `area` in 2 files
    packages/app/src/main.ts
      1:10  import { area } from "../../core/src/core";
      3:1  area(1);
    packages/core/src/core.ts
      1:17  export function area(x: number) {  (declaration)
    [typescript · ready]
    "#);
    // Without this, the session would answer from the servers that it finds.
    zubi.close().await;
    let zubi = Zubi::start(&project, &["node", "typescript-language-server"]).await;
    let older = zubi.call_stable("lsp_references", json!({ "symbol": "area" })).await;
    assert_eq!(older, latest.replace("[typescript ", "[typescript-language-server "));
}

#[tokio::test]
async fn projects_of_other_languages_inside_a_rust_package_have_their_own_servers() {
    let project = Project::fixture("rust");
    project.write("python/pyproject.toml", "[project]\nname = \"bindings\"\n");
    project.write(
        "python/bindings.py",
        "def total_area(first, second, scale):\n    return scale\n\n\ntotal_area(1, 2, 3)\n",
    );
    // A package that uses this one but is not a member of its workspace.
    project.write(
        "bench/Cargo.toml",
        "[package]\nname = \"bench\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\nshapes = { path = \"..\" }\n",
    );
    project.write(
        "bench/src/lib.rs",
        "pub fn measure(one: &shapes::shape::Circle) -> f64 {\n    shapes::shape::total_area(one, one, 1.0)\n}\n",
    );
    // Another one without dependencies; its symbol of the same name is another symbol.
    project.write(
        "apart/Cargo.toml",
        "[package]\nname = \"apart\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
    );
    project.write("apart/src/lib.rs", "pub fn total_area() {}\n");
    project.git(&["init", "--quiet"]);
    let untracked = project.git(&["status", "--porcelain", "--untracked-files=all"]);
    let zubi = Zubi::start(&project, &["rust-analyzer", "ty"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "total_area", "path": "src" })).await, @"
    at src/shape.rs:34:8 total_area (function)
    4 references to `total_area` in 3 files
    bench/src/lib.rs
      2:20  shapes::shape::total_area(one, one, 1.0)
    src/report.rs
      3:20  use crate::shape::{total_area, Circle, Rectangle, Shape};
      9:29  /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
    src/shape.rs
      34:8  pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64 {  (declaration)
    2 further word matches: 1 in comments or strings, 1 in code (other symbols of the name): includeText=true
    [rust-analyzer · ready]
    ");
    // One server reads the package and the bench, and none of its builds leaves a file that git does not ignore.
    assert_eq!(count_servers("rust-analyzer"), 1, "{:?}", processes::descendants());
    assert_eq!(project.git(&["status", "--porcelain", "--untracked-files=all"]), untracked);
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "total_area", "path": "python" })).await, @"
    at python/bindings.py:1:5 total_area (function)
    2 references to `total_area` in 1 file
    python/bindings.py
      1:5  def total_area(first, second, scale):  (declaration)
      5:1  total_area(1, 2, 3)
    [ty · ready]
    ");
}

/// The number of processes of a server, without the supervisors, whose command lines are nearly the same, and without
/// rust-analyzer's process for macros.
fn count_servers(command: &str) -> usize {
    let is_server = |process: &processes::Process| {
        !process.command.contains("__child") && !process.command.contains("proc-macro-srv")
    };
    processes::find_by_command(command).iter().filter(|process| is_server(process)).count()
}

#[tokio::test]
async fn several_folders_are_one_workspace() {
    let project = python_monorepo("[tool.ty.environment]\nextra-paths = [\"../core\"]");
    project.replace("tools/tools/other.py", "area()\n", "nowhere()\n");
    let folders = ["--workspace", "core", "--workspace", "app", "--workspace", "tools", "--trust"];
    let zubi = Start::new(&project, &["ty"]).arguments(&folders).mcp().await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "area", "path": "core/core/shape.py" })).await, @"
    at core/core/shape.py:1:5 area (function)
    3 references to `area` in 2 files
    app/app/main.py
      1:24  from core.shape import area
      3:7  print(area(1))
    core/core/shape.py
      1:5  def area(x: float) -> float:  (declaration)
    1 further word match in code (other symbols of the name): includeText=true
    [ty · ready]
    ");
    // zubi searches every folder, not only the first one with the language.
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "area" })).await, @"
    2 symbols matching `area`
      function area  core/core/shape.py:1:5  def area(x: float) -> float:
      function area  tools/tools/other.py:1:5  def area() -> str:
    [ty · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({})).await, @"
    1 error in 6 files; snapshot d-1
    tools/tools/other.py
      5:1  error: Name `nowhere` used when not defined  [ty unresolved-reference]
    [ty · ready · no virtual environment: installed packages may be unknown]
    ");
}

#[tokio::test]
async fn a_search_of_too_many_projects_reports_the_omitted_ones() {
    let project = Project::empty();
    // A second search starts four further servers, with and without `allProjects`.
    for number in 1..=9 {
        project.write(&format!("p{number}/pyproject.toml"), "[project]\nname = \"p\"\n");
        project.write(&format!("p{number}/m.py"), &format!("def alpha_in_{number}(): ...\n"));
    }
    let zubi = Zubi::start(&project, &["ty"]).await;
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "alpha_in" })).await, @"
    4 symbols matching `alpha_in`
      function alpha_in_1  p1/m.py:1:5
      function alpha_in_2  p2/m.py:1:5
      function alpha_in_3  p3/m.py:1:5
      function alpha_in_9  p9/m.py:1:5
    [ty · ready · may be incomplete: 5 further projects of ty were not queried: allProjects=true]
    ");
    let all = json!({ "query": "alpha_in", "allProjects": true });
    let answer = zubi.call_stable("lsp_workspace_symbols", all).await;
    assert!(answer.starts_with("9 symbols matching") && answer.ends_with("[ty · ready]"), "{answer}");
}

#[tokio::test]
async fn the_caller_decides_whether_many_projects_are_queried() {
    let project = Project::empty();
    project.write("core/pyproject.toml", "[project]\nname = \"core\"\n");
    project.write("core/core/shape.py", "def area(x: float) -> float:\n    return x\n");
    // A second question starts four further servers, with and without `allProjects`.
    for number in 1..=9 {
        let settings =
            format!("[project]\nname = \"app{number}\"\n\n[tool.ty.environment]\nextra-paths = [\"../core\"]\n");
        project.write(&format!("app{number}/pyproject.toml"), &settings);
        project.write(&format!("app{number}/main.py"), "from core.shape import area\n\nprint(area(1))\n");
    }
    let zubi = Zubi::start(&project, &["ty"]).await;
    let at = "core/core/shape.py:1 area";
    let some = zubi.call_stable("lsp_references", json!({ "at": at })).await;
    let mark = "may be incomplete: `area` also occurs in app5, app6, app7, 2 more (not queried; allProjects=true";
    assert!(some.contains("\n9 references to `area` in 5 files\n") && some.contains(mark), "{some}");
    let all = zubi.call_stable("lsp_references", json!({ "at": at, "allProjects": true })).await;
    assert!(all.contains("\n19 references to `area` in 10 files\n") && all.ends_with("[ty · ready]"), "{all}");
}

/// One process reads all packages of a workspace, so their number has no limit.
#[tokio::test]
async fn every_package_that_typescript_reads_is_queried() {
    check_packages(&["typescript"], true).await;
}

#[tokio::test]
async fn every_package_that_typescript_language_server_reads_is_queried() {
    check_packages(&["node", "typescript-language-server"], false).await;
}

async fn check_packages(components: &[&str], knows_callers: bool) {
    let project = Project::empty();
    project.write("package.json", r#"{ "private": true, "workspaces": ["packages/*"] }"#);
    project.write("package-lock.json", r#"{ "lockfileVersion": 3 }"#);
    let package = |name: &str, text: &str| {
        let settings =
            r#"{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler" } }"#;
        project.write(&format!("packages/{name}/tsconfig.json"), settings);
        project.write(&format!("packages/{name}/src/main.ts"), text);
    };
    let (class, function) =
        ("export class Base {\n  size() {}\n}\n", "export function area(x: number) {\n  return x;\n}\n");
    package("core", &format!("export interface Shape {{}}\n{class}{function}"));
    for number in 1..=7 {
        let classes = "class Square implements Shape {}\nclass Large extends Base {\n  override size() {}\n}\n";
        let import = "import { type Shape, area, Base } from \"../../core/src/main\";\n";
        package(&format!("app{number}"), &format!("{import}\n{classes}area(1);\n"));
    }
    let questions = [
        ("lsp_rename_symbol", json!({ "symbol": "area", "newName": "surface" }), "15 edits in 8 files"),
        ("lsp_references", json!({ "symbol": "area" }), "\n15 references to `area` in 8 files\n"),
        ("lsp_implementations", json!({ "symbol": "Shape" }), "\n7 implementations of `Shape`\n"),
        ("lsp_implementations", json!({ "symbol": "Base/size" }), "\n8 implementations of `size`\n"),
        ("lsp_call_hierarchy", json!({ "symbol": "area", "direction": "incoming" }), "\n7 callers of `area`\n"),
    ];
    for (tool, arguments, expected) in &questions {
        // A server that runs has read the packages of the question before.
        let zubi = Zubi::start(&project, components).await;
        let answer = zubi.call_stable(tool, arguments.clone()).await;
        let is_complete = knows_callers || *tool != "lsp_call_hierarchy";
        let state = (answer.contains(expected), answer.contains("incomplete"));
        assert_eq!(state, (is_complete, !is_complete), "{answer}");
        zubi.close().await;
    }
}

#[tokio::test]
async fn typescript_finds_implementations_in_every_layout_of_packages() {
    check_implementations(&["typescript"]).await;
}

#[tokio::test]
async fn typescript_language_server_finds_implementations_in_every_layout_of_packages() {
    check_implementations(&["node", "typescript-language-server"]).await;
}

#[tokio::test]
async fn vtsls_finds_implementations_in_every_layout_of_packages() {
    check_implementations(&["node", "vtsls"]).await;
}

/// TypeScript's servers look for implementations in the project of the document.
async fn check_implementations(components: &[&str]) {
    let options = r#""compilerOptions": { "strict": true, "composite": true, "module": "esnext", "moduleResolution": "bundler" }"#;
    let shape = "export interface Shape {}\nexport class Base {\n  size() {}\n}\n";
    let square = |core: &str| {
        format!(
            "import {{ type Shape, Base }} from \"{core}\";\n\nexport class Square implements Shape {{}}\n\
             export class Large extends Base {{\n  override size() {{}}\n}}\n\
             export class Small extends Base {{\n  override size() {{}}\n}}\n"
        )
    };
    let separate = Project::empty();
    let nested = Project::empty();
    let outer = Project::empty();
    let chain = Project::empty();
    for project in [&separate, &nested, &outer, &chain] {
        project.write("packages/core/tsconfig.json", &format!("{{ {options} }}"));
        project.write("packages/core/src/main.ts", shape);
    }
    for project in [&nested, &outer, &chain] {
        project.write("package-lock.json", r#"{ "lockfileVersion": 3 }"#);
    }
    // A package without a lock file above it has a server of its own.
    separate.write("packages/app/package.json", "{}");
    separate.write("packages/app/tsconfig.json", &format!("{{ {options} }}"));
    separate.write("packages/app/src/main.ts", &square("../../core/src/main"));
    separate.write("packages/other/tsconfig.json", &format!("{{ {options} }}"));
    let namesake = "// Base\nexport interface Shape {}\nexport class Circle implements Shape {}\n";
    separate.write("packages/other/src/main.ts", namesake);
    // One directory with two projects: the first file only uses the interface.
    let both =
        r#"{ "files": [], "references": [{ "path": "./tsconfig.app.json" }, { "path": "./tsconfig.spec.json" }] }"#;
    nested.write("packages/app/tsconfig.json", both);
    let files = |files: &str| format!("{{ {options}, {files} }}");
    nested.write("packages/app/tsconfig.app.json", &files(r#""include": ["src"], "exclude": ["src/**/*.spec.ts"]"#));
    nested.write("packages/app/tsconfig.spec.json", &files(r#""include": ["src/**/*.spec.ts"]"#));
    nested.write(
        "packages/app/src/app.ts",
        "import type { Shape } from \"../../core/src/main\";\n\nexport let a: Shape;\n",
    );
    nested.write("packages/app/src/main.spec.ts", &square("../../core/src/main"));
    // A project above the others.
    outer.write("tsconfig.json", &files(r#""include": ["src"]"#));
    outer.write("src/main.ts", &square("../packages/core/src/main"));
    // Nothing in the last package names the interface.
    chain.write("packages/mid/tsconfig.json", &format!("{{ {options} }}"));
    chain.write("packages/top/tsconfig.json", &format!("{{ {options} }}"));
    let mid = "import { type Shape, Base } from \"../../core/src/main\";\n\nexport class Mid extends Base implements Shape {}\n";
    chain.write("packages/mid/src/main.ts", mid);
    let top = "import {\n  Mid as Middle,\n} from \"../../mid/src/main\";\n\n\
               export class Top extends Middle {\n  override size() {}\n}\n\
               export class Other extends Middle {\n  override size() {}\n}\n";
    chain.write("packages/top/src/main.ts", top);
    let layouts = [("separate", &separate, 1), ("nested", &nested, 1), ("outer", &outer, 1), ("chain", &chain, 3)];
    for (layout, project, shapes) in layouts {
        let zubi = Zubi::start(project, components).await;
        for (symbol, number) in [("Shape", shapes), ("Base/size", 3)] {
            let plural = if number == 1 { "" } else { "s" };
            let expected = format!("\n{number} implementation{plural} of");
            let question = json!({ "symbol": symbol, "path": "packages/core/src/main.ts" });
            let answer = zubi.call_stable("lsp_implementations", question).await;
            assert!(answer.contains(&expected) && !answer.contains("incomplete"), "{layout}: {answer}");
        }
        zubi.close().await;
    }
}

/// The servers of other languages cannot declare the symbol.
#[tokio::test]
async fn absent_servers_of_other_languages_are_not_in_the_status() {
    let project = Project::empty();
    project.write("shape.py", "def area() -> int:\n    return 1\n\n\narea()\n");
    project.write("draw.cpp", "int draw() {\n  return 1;\n}\n");
    let zubi = Zubi::start(&project, &["ty"]).await;
    for tool in ["lsp_definition", "lsp_references", "lsp_hover"] {
        let answer = zubi.call_stable(tool, json!({ "symbol": "area" })).await;
        assert!(answer.ends_with("[ty · ready]"), "{answer}");
    }
}

/// A configuration that only references others.
#[tokio::test]
async fn a_typescript_solution_has_one_server() {
    let project = Project::empty();
    let references =
        |paths: &[&str]| json!(paths.iter().map(|path| json!({ "path": path })).collect::<Vec<_>>()).to_string();
    let solution = references(&["packages/core", "packages/api", "packages/web"]);
    project.write("tsconfig.json", &format!("{{ \"files\": [], \"references\": {solution} }}"));
    let package = |name: &str, text: &str| {
        let own = references(if name == "core" { &[] } else { &["../core"] });
        let options =
            r#"{ "composite": true, "strict": true, "rootDir": "src", "outDir": "out", "module": "nodenext" }"#;
        let settings = format!("{{ \"compilerOptions\": {options}, \"include\": [\"src\"], \"references\": {own} }}");
        project.write(&format!("packages/{name}/tsconfig.json"), &settings);
        project.write(&format!("packages/{name}/package.json"), r#"{ "type": "module" }"#);
        project.write(&format!("packages/{name}/src/main.ts"), text);
    };
    package("core", "export function area(x: number): number {\n  return x;\n}\n");
    for name in ["api", "web"] {
        package(name, "import { area } from \"../../core/src/main.js\";\n\nexport const n = area(1);\n");
    }
    for (components, process) in
        [(&["typescript"][..], "--lsp"), (&["node", "typescript-language-server"], "typescript-language-server")]
    {
        let zubi = Zubi::start(&project, components).await;
        zubi.call_stable("lsp_hover", json!({ "at": "packages/core/src/main.ts:1 area" })).await;
        let count = count_servers(process);
        // The declaration comes first: its server has not seen a file of the other packages.
        let rename = json!({ "at": "packages/core/src/main.ts:1 area", "newName": "surface" });
        let plan = zubi.call_stable("lsp_rename_symbol", rename).await;
        assert!(plan.contains("5 edits in 3 files") && !plan.contains("incomplete"), "{components:?}: {plan}");
        let at = json!({ "at": "packages/core/src/main.ts:1 area" });
        let found = zubi.call_stable("lsp_references", at).await;
        let is_complete = found.contains("\n5 references to `area` in 3 files\n") && !found.contains("incomplete");
        assert!(is_complete, "{components:?}: {found}");
        assert_eq!(count_servers(process), count, "{components:?}: {:?}", processes::descendants());
        zubi.close().await;
    }
}

#[tokio::test]
async fn a_repository_in_a_folder_of_repositories_is_a_project() {
    let project = Project::empty();
    for name in ["a", "b"] {
        project.write(&format!("{name}/.git/HEAD"), "ref: refs/heads/main\n");
    }
    project.write("a/user.php", "<?php\nfunction user() { return bee(); }\n");
    project.write("b/b.php", "<?php\nfunction bee() { return 1; }\nbee();\n");
    let zubi = Zubi::start(&project, &["node", "intelephense"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "bee", "path": "b/b.php" })).await, @r"
    at b/b.php:2:10 bee (function)
    3 references to `bee` in 2 files
    a/user.php
      2:26  function user() { return bee(); }
    b/b.php
      2:10  function bee() { return 1; }  (declaration)
      3:1  bee();
    [intelephense · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "user" })).await, @"
    1 symbol matching `user`
      function user  a/user.php:2:10  function user() { return bee(); }
    [intelephense · ready]
    ");
}

#[tokio::test]
async fn uses_elsewhere_do_not_hide_unread_files() {
    let project = Project::empty();
    for name in ["a", "b"] {
        project.write(&format!("{name}/.clangd"), "\n");
    }
    project.write("a/a.h", "int alpha(void);\n");
    project.write("a/a.c", "#include \"a.h\"\nint alpha(void) { return 1; }\n");
    // The file is not in any compilation database, so clangd has not read it.
    project.write("a/zz.c", "#include \"a.h\"\nint zz(void) { return alpha(); }\n");
    project.write("b/bb.c", "#include \"../a/a.h\"\nint bb(void) { return alpha() + alpha() + alpha(); }\n");
    let zubi = Zubi::start(&project, &["clangd"]).await;
    // The other clangd may have read its file by then; in either case this one has not read all of its own.
    let answer = zubi.call_stable("lsp_references", json!({ "symbol": "alpha", "path": "a/a.c" })).await;
    let is_complete = answer.contains("6 references");
    let is_marked = answer.contains("completeness unknown") || answer.contains("may be incomplete");
    assert!(is_complete || is_marked, "{answer}");
    assert!(!answer.contains("other symbols"), "{answer}");
}

#[tokio::test]
async fn foreign_symbols_are_not_counted_as_own() {
    let project = Project::empty();
    for (name, text) in
        [("p1", "func Alpha() int { return 1 }"), ("p3", "// Gamma is not Alpha.\nfunc Gamma() int { return 2 }")]
    {
        project.write(&format!("{name}/go.mod"), &format!("module example.com/{name}\n\ngo 1.21\n"));
        project.write(&format!("{name}/a.go"), &format!("package {name}\n\n{text}\n"));
    }
    let zubi = Zubi::start(&project, &["gopls", "go"]).await;
    let symbols = async || zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Alpha" })).await;
    let before = symbols().await;
    zubi.call_stable("lsp_references", json!({ "symbol": "Alpha", "path": "p1/a.go" })).await;
    assert_eq!(symbols().await, before);
}
