//! Renames that would leave uses, or touch files that a build writes.

use serde_json::json;
use zubi_tests::zubi::text;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn partial_rename_is_refused_unless_allowed() {
    let project = Project::empty();
    project.write("go.mod", "module example.test/a\n\ngo 1.24\n");
    project.write("store/store.go", "package store\n\nfunc Open(name string) int { return len(name) }\n");
    project.write("store/use_windows.go", "package store\n\nfunc use() int { return Open(\"x\") }\n");
    let zubi = Zubi::start(&project, &["go", "gopls"]).await;
    let before = project.everything();
    let mut rename = json!({ "uri": "store/store.go", "originalName": "Open", "newName": "Create" });
    insta::assert_snapshot!(zubi.call_refused("rename_symbol", rename.clone()).await, @r#"
    Failed to rename the symbol: uses would be left: `Open` also occurs in store/use_windows.go (1: only for windows, by its name)
    Nothing was changed. `lsp_references` with includeText=true lists the uses. If they may stay, pass allowPartial=true, or apply_edit {"plan":"p-[plan]"}.
    "#);
    assert_eq!(project.everything(), before);
    rename["allowPartial"] = json!(true);
    let answer = text(&zubi.result("rename_symbol", rename).await);
    assert!(answer.contains("store/store.go  written"), "{answer}");
    assert!(project.read("store/store.go").contains("func Create("));
}

/// Local variables, qualifiers and strings with the name of the symbol are other things.
#[tokio::test]
async fn complete_renames_are_applied_in_code_with_the_same_words() {
    let rename = async |project: &Project, servers: &[&str], uri: &str, old: &str, new: &str| {
        let zubi = Zubi::start(project, servers).await;
        let answer = zubi.call("rename_symbol", json!({ "uri": uri, "originalName": old, "newName": new })).await;
        assert!(!answer.is_error, "{servers:?}: {}", answer.text);
    };
    let project = Project::empty();
    project.write("tsconfig.json", "{ \"compilerOptions\": { \"strict\": true }, \"include\": [\"*.ts\"] }\n");
    project.write("item.ts", "export interface Item { name: string }\n");
    project.write(
        "cart.ts",
        "import { Item } from \"./item\";\n\nexport class Cart { total(): number { return 1; } }\n\
         export function total(cart: Cart): number { return cart.total(); }\n\
         export function read(s: Map<string, Item>, item: Item) {\n    const { name } = item;\n    \
         return `${s.get(\"name\")} ${name}` + s.get(name);\n}\n",
    );
    let typescript = &["node", "typescript"];
    rename(&project, typescript, "item.ts", "name", "title").await;
    assert!(project.read("cart.ts").contains("const { title: name } = item"), "{}", project.read("cart.ts"));
    rename(&project, typescript, "cart.ts", "Cart/total", "sum").await;
    assert!(project.read("cart.ts").contains("return cart.sum()"), "{}", project.read("cart.ts"));

    let project = Project::empty();
    project.write("go.mod", "module example.test/shop\n\ngo 1.24\n");
    project.write(
        "store/store.go",
        "package store\n\ntype Config struct{ store string }\n\n\
        func Open() Config { return Config{store: \"x\"} }\n",
    );
    project.write(
        "cmd/main.go",
        "package main\n\nimport \"example.test/shop/store\"\n\n\
        func main() { _ = store.Open(); _ = store.Open() }\n",
    );
    rename(&project, &["go", "gopls"], "store/store.go", "Config/store", "path").await;

    let project = Project::empty();
    project.write("pyproject.toml", "[project]\nname = \"p\"\nversion = \"0\"\n");
    project
        .write("store.py", "def keep(store: int, d: dict[str, int]) -> str:\n    return f\"{store} {d['store']}\"\n");
    project.write("use.py", "import store\nfrom store import keep\n\nkeep(1, {})\nstore.keep(2, {})\n");
    for servers in [&["ty"][..], &["node", "pyright"]] {
        project.write(
            "store.py",
            "def keep(store: int, d: dict[str, int]) -> str:\n    return f\"{store} {d['store']}\"\n",
        );
        rename(&project, servers, "store.py", "store", "shelf").await;
        assert!(project.read("store.py").contains("{shelf} {d['store']}"), "{}", project.read("store.py"));
    }
}

#[tokio::test]
async fn ignored_files_in_a_plan_are_named() {
    let project = Project::empty();
    project.write("pyproject.toml", "[project]\nname = \"p\"\nversion = \"0\"\n");
    project.write(".gitignore", "gen/\n");
    project.write("shape.py", "def area() -> int:\n    return 1\n");
    project.write("gen/use.py", "from shape import area\n\narea()\n");
    let zubi = Zubi::start(&project, &["node", "pyright"]).await;
    let rename = json!({ "symbol": "area", "newName": "surface" });
    let answer = zubi.call_stable("lsp_rename_symbol", rename).await;
    assert!(answer.contains("\nnote: git ignores `gen/use.py`: a build may write such files again\n"), "{answer}");
}

/// pyright renames no uses in a folder whose name begins with a dot.
#[tokio::test]
async fn files_that_mention_a_changed_name_are_compared() {
    let project = Project::empty();
    project.write("pyproject.toml", "[project]\nname = \"p\"\nversion = \"0\"\n");
    project.write("base.py", "def fee(x: int) -> int:\n    return x\n");
    project.write(".ci/tool.py", "from base import fee\n\nfee(2)\n");
    let zubi = Zubi::start(&project, &["node", "pyright"]).await;
    let rename = json!({ "uri": "base.py", "originalName": "fee", "newName": "toll", "allowPartial": true });
    let answer = text(&zubi.result("rename_symbol", rename).await);
    assert!(answer.contains("  base.py  written") && !answer.contains("tool.py  written"), "{answer}");
    assert!(answer.contains("\nproblems: 1 new (1 error)\nnew:\n  .ci/tool.py:1:18  error: "), "{answer}");
}

#[tokio::test]
async fn two_paths_of_a_file_are_one_symbol() {
    for servers in [&["node", "pyright"][..]] {
        let project = Project::empty();
        project.write("common/util.py", "def slug(t: str) -> str:\n    return t\n");
        project.write("app/pyproject.toml", "[project]\nname = \"app\"\nversion = \"0\"\n");
        project.write("app/main.py", "from common.util import slug\n\nslug(\"a\")\n");
        std::os::unix::fs::symlink("../common", project.root().join("app/common")).expect("a link");
        let zubi = Zubi::start(&project, servers).await;
        for at in ["app/main.py:3:1", "common/util.py:1:5", "app/common/util.py:1:5"] {
            let answer = zubi.call_stable("lsp_references", json!({ "at": at })).await;
            assert!(answer.contains("\n3 references to `slug` in 2 files\n"), "{servers:?} {at}: {answer}");
            assert!(!answer.contains("app/common/util.py\n"), "{servers:?} {at}: {answer}");
        }
        let rename = json!({ "uri": "app/common/util.py", "originalName": "slug", "newName": "slugify" });
        let answer = text(&zubi.result("rename_symbol", rename).await);
        assert!(answer.contains("in 2 files\n") && answer.contains("problems: no change"), "{answer}");
    }
}

/// The workspace is a subfolder of the project, so that imports from the project's root lead nowhere.
#[tokio::test]
async fn an_unresolved_import_is_no_other_symbol() {
    for servers in [&["node", "pyright"][..], &["ty"]] {
        let project = Project::empty();
        project.write("shape.py", "def area() -> int:\n    return 1\n");
        project.write("use.py", "from core.shape import area\n\narea()\n");
        project.write("other.py", "from elsewhere import area\n\narea()\n");
        let zubi = Zubi::start(&project, servers).await;
        let answer = zubi.call_stable("lsp_references", json!({ "symbol": "area", "path": "shape.py" })).await;
        assert!(
            answer.contains("`area` also occurs in use.py (2: the server does not resolve its import)"),
            "{servers:?}: {answer}"
        );
        assert!(
            answer.contains("2 in code that the server does not resolve, 2 in code that the server does not confirm"),
            "{servers:?}: {answer}"
        );
    }
}

#[tokio::test]
async fn candidates_show_their_source_and_raw_identifiers_are_found() {
    let project = Project::empty();
    project.write("Cargo.toml", "[package]\nname = \"r\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    project.write(
        "src/lib.rs",
        "pub struct Rate(u32);\nimpl From<&str> for Rate {\n    fn from(text: &str) -> Self { Rate(text.len() as u32) }\n}\nimpl From<u8> for Rate {\n    fn from(n: u8) -> Self { Rate(n.into()) }\n}\nimpl Rate {\n    pub fn r#match(&self) -> u32 { self.0 }\n}\npub fn f(rate: &Rate) -> u32 { rate.r#match() }\n",
    );
    let zubi = Zubi::start(&project, &["rust-analyzer"]).await;
    insta::assert_snapshot!(zubi.call_refused("lsp_references", json!({ "symbol": "Rate/from" })).await, @r#"
    Invalid input: symbol: `Rate/from` names 2 symbols
    Use one of:
      at: "src/lib.rs:3:8"   function at src/lib.rs:3:8  fn from(text: &str) -> Self { Rate(text.len() as u32) }  impl From<&str> for Rate
      at: "src/lib.rs:6:8"   function at src/lib.rs:6:8  fn from(n: u8) -> Self { Rate(n.into()) }  impl From<u8> for Rate
    "#);
    for symbol in ["Rate/match", "Rate::r#match"] {
        let answer = zubi.call_stable("lsp_references", json!({ "symbol": symbol })).await;
        assert!(answer.contains("\n2 references to `"), "{symbol}: {answer}");
    }
    let answer = zubi.call_stable("lsp_rename_symbol", json!({ "symbol": "f", "newName": "fn" })).await;
    assert!(answer.contains("rename `f` to `r#fn`"), "{answer}");
}
