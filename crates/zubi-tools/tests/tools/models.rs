//! Code tools on DomainLang, without any language server.

use std::sync::{Arc, mpsc};

use async_trait::async_trait;
use dlang_workspace::files::{DiskFiles, SharedFiles};
use serde_json::{Value, json};
use zubi_base::clock::SystemClock;
use zubi_base::endpoint::{DocumentRef, EndpointSource, Endpoints, MissingServer, RequestCx};
use zubi_code::edit::DiskSink;
use zubi_code::testing::Toy;
use zubi_code::{CodeConfig, CodeIntel};
use zubi_policy::Policy;
use zubi_tool_api::audit::NoAudit;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::filter::ToolFilter;
use zubi_tool_api::registry::{Registry, RegistryConfig};
use zubi_tools::domainlang::{self, DomainModel, Root};
use zubi_tools::lsp;

use crate::support::{blocking_files, call_in, cx, without_ids};

/// A model of two files.
const SHOP: &str = r#"
//- shop/orders.dlang
import "./people.dlang"
Namespace Shop {
    bc Orders for Sales by Crew {
        description: "Takes orders"
        relationships { this [OHS] -> [CF] Billing }
        terminology { term Order: "What somebody buys" }
    }
}
//- shop/people.dlang
/** Selling books. */
Domain Sales { vision: "Everybody finds a book" }
Team Crew
bc Billing for Sales { description: "Sees money, 'naïve': Sales" }
//- readme.md
Sales
"#;

struct Models {
    toy: Toy,
    registry: Registry,
}

fn models(fixture: &str) -> Models {
    models_on(Arc::new(DiskFiles), fixture)
}

/// Like [`models`], on another disk.
fn models_on(files: SharedFiles, fixture: &str) -> Models {
    models_with_source(files, fixture, None)
}

/// Like [`models_on`], with an endpoint source that takes precedence over the model.
fn models_with_source(files: SharedFiles, fixture: &str, first: Option<Arc<dyn EndpointSource>>) -> Models {
    let toy = Toy::new(fixture);
    let workspace = Arc::clone(toy.intel.workspace());
    let model = Arc::new(DomainModel::new(files, workspace.roots().into_iter().map(Root::Folder).collect()));
    let state = toy.root.parent().unwrap().join("state of models");
    let intel = CodeIntel::new(CodeConfig {
        parser: Arc::new(zubi_code::syntax::DirectParser),
        index: None,
        exact: Vec::new(),
        version_control: None,
        workspace,
        sources: first.into_iter().chain([domainlang::endpoint_source(&model)]).collect(),
        texts: domainlang::texts(&model),
        sink: Arc::new(DiskSink::new(&state)),
        settings: None,
        state_dir: state,
        clock: Arc::new(SystemClock),
    });
    let registry = Registry::new(RegistryConfig {
        providers: vec![lsp::provider(&intel)],
        policy: Policy::new(ToolFilter::default()),
        audit: Arc::new(NoAudit),
        clock: Arc::new(SystemClock),
        restrictions: Restrictions::default(),
    });
    Models { toy, registry }
}

impl Models {
    async fn call(&self, tool: &str, arguments: Value) -> String {
        call_in(&self.registry, tool, arguments, cx(&self.toy, Restrictions::default())).await
    }
}

/// TypeScript's endpoint source without an installed server.
struct NoTypeScript;

impl NoTypeScript {
    fn missing_server() -> Endpoints {
        let reason = "no server for .ts".to_owned();
        let absent = MissingServer { subject: ".ts".to_owned(), reason, hint: "install one".to_owned() };
        Endpoints { absent: vec![absent], ..Endpoints::default() }
    }
}

#[async_trait]
impl EndpointSource for NoTypeScript {
    async fn for_document(&self, document: &DocumentRef, _method: &str, _cx: &RequestCx) -> Endpoints {
        if document.path.extension() == Some("ts") { Self::missing_server() } else { Endpoints::default() }
    }
    async fn for_workspace(&self, _method: &str, _cx: &RequestCx) -> Endpoints {
        Self::missing_server()
    }
    async fn refresh(&self, _cx: &RequestCx) -> Option<String> {
        None
    }
    fn file_changes(&self) -> Option<u64> {
        Some(0)
    }
    async fn shutdown(&self) {}
}

/// Returns a tool's answer in a workspace with TypeScript, which has no server.
async fn check_with_typescript(fixture: &str, tool: &str, arguments: Value) -> String {
    models_with_source(Arc::new(DiskFiles), fixture, Some(Arc::new(NoTypeScript))).call(tool, arguments).await
}

/// Returns a tool's answer; `$0` in the fixture marks the queried position.
async fn check(fixture: &str, tool: &str, mut arguments: Value) -> String {
    let models = models(fixture);
    if let Some(cursor) = &models.toy.cursor {
        arguments["at"] = cursor.clone().into();
    }
    without_ids(&models.call(tool, arguments).await).replace(models.toy.root.as_str(), "[root]")
}

#[tokio::test]
async fn locations() {
    insta::assert_snapshot!(check(SHOP, "lsp_definition", json!({ "at": "shop/orders.dlang:3:20" })).await, @r#"
    at shop/orders.dlang:3:19 Sales
    1 definition of `Sales`
    shop/people.dlang
      2:8  Domain Sales { vision: "Everybody finds a book" }
    [domainlang · ready]
    "#);
    insta::assert_snapshot!(check(SHOP, "lsp_references", json!({ "symbol": "Sales" })).await, @r#"
    at shop/people.dlang:2:8 Sales (namespace)
    3 references to `Sales` in 2 files
    shop/orders.dlang
      3:19  bc Orders for Sales by Crew {
    shop/people.dlang
      2:8  Domain Sales { vision: "Everybody finds a book" }  (declaration)
      4:16  bc Billing for Sales { description: "Sees money, 'naïve': Sales" }
    1 further word match in comments or strings: includeText=true
    [domainlang · ready]
    "#);
    insta::assert_snapshot!(check(SHOP, "lsp_hover", json!({ "symbol": "Shop/Orders" })).await, @"
    at shop/orders.dlang:3:8 Orders (package)
    ```domain-lang
    BoundedContext Orders for Sales by Crew
    ```
    🎯 **(bounded context) Shop.Orders**
    Takes orders

    ---

    📁 **Domain:** Sales
    👥 **Team:** Crew

    **Relationships:**
    - Shop.Orders → Billing [OHS] → [CF]

    **Terminology:**
    - `Order`: What somebody buys
    [domainlang · ready]
    ");
    insta::assert_snapshot!(check(SHOP, "lsp_document_symbols", json!({ "path": "shop/orders.dlang" })).await, @r#"
    6 symbols in `shop/orders.dlang`
      namespace Shop Shop  2-8  Namespace Shop {
        package Orders BC for Sales — Takes orders  3-7  bc Orders for Sales by Crew {
          object relationships 1 item  5  relationships { this [OHS] -> [CF] Billing }
            interface this → Billing  5
          object terminology 1 item  6  terminology { term Order: "What somebody buys" }
            field Order What somebody buys  6
    [domainlang · ready]
    "#);
    insta::assert_snapshot!(check(SHOP, "lsp_workspace_symbols", json!({ "query": "Ord" })).await, @"
    1 symbol matching `Ord`
      package Shop.Orders  shop/orders.dlang:3:8  bc Orders for Sales by Crew {
    [domainlang · ready]
    ");
}

#[tokio::test]
async fn rename_plan() {
    insta::assert_snapshot!(check(SHOP, "lsp_rename_symbol", json!({ "symbol": "Sales", "newName": "Selling" })).await, @r#"
    at shop/people.dlang:2:8 Sales (namespace)
    plan p-…: rename `Sales` to `Selling`, 3 edits in 2 files; nothing is written yet
    note: 2 mentions of `Sales` in comments, strings and documents (2 files) will stay: includeText=true
    diff --git a/shop/orders.dlang b/shop/orders.dlang
    --- a/shop/orders.dlang
    +++ b/shop/orders.dlang
    @@ -1,6 +1,6 @@
     import "./people.dlang"
     Namespace Shop {
    -    bc Orders for Sales by Crew {
    +    bc Orders for Selling by Crew {
             description: "Takes orders"
             relationships { this [OHS] -> [CF] Billing }
             terminology { term Order: "What somebody buys" }
    diff --git a/shop/people.dlang b/shop/people.dlang
    --- a/shop/people.dlang
    +++ b/shop/people.dlang
    @@ -1,4 +1,4 @@
     /** Selling books. */
    -Domain Sales { vision: "Everybody finds a book" }
    +Domain Selling { vision: "Everybody finds a book" }
     Team Crew
    -bc Billing for Sales { description: "Sees money, 'naïve': Sales" }
    +bc Billing for Selling { description: "Sees money, 'naïve': Sales" }
    apply_edit {"plan":"p-…"} writes it
    [domainlang · ready]
    "#);
    let fixture = "Team Crew\nDomain D { vision: \"v\" }\nbc A for $0\n";
    insta::assert_snapshot!(check(&format!("//- a.dlang\n{fixture}"), "lsp_completion", json!({})).await, @"
    at a.dlang:3:10
    1 completion
      D (folder)  Domain
    [domainlang · ready]
    ");
    let unformatted = "//- a.dlang\nDomain   D{vision:\"v\"}\n";
    insta::assert_snapshot!(check(unformatted, "lsp_format_document", json!({ "path": "a.dlang" })).await, @r#"
    plan p-…: format `a.dlang`, 5 edits in 1 file; nothing is written yet
    diff --git a/a.dlang b/a.dlang
    --- a/a.dlang
    +++ b/a.dlang
    @@ -1 +1 @@
    -Domain   D{vision:"v"}
    +Domain D { vision: "v" }
    apply_edit {"plan":"p-…"} writes it
    [domainlang · ready]
    "#);
    let misspelt = "//- a.dlang\nDomain Sales { vision: \"v\" }\nbc A for Salse { description: \"d\" }\n";
    insta::assert_snapshot!(check(misspelt, "lsp_code_actions", json!({ "path": "a.dlang" })).await, @r#"
    in a.dlang, whole file
    1 code action
      a-… Change to 'Sales' (quickfix): 1 edit in 1 file  preferred
        diff --git a/a.dlang b/a.dlang
        --- a/a.dlang
        +++ b/a.dlang
        @@ -1,2 +1,2 @@
         Domain Sales { vision: "v" }
        -bc A for Salse { description: "d" }
        +bc A for Sales { description: "d" }
    [domainlang · ready]
    "#);
}

#[tokio::test]
async fn problems() {
    let manifest = "//- model.yaml\nmodel: { version: x }\n//- a.dlang\nTeam A\n//- b/model.yaml\nlayers: 3\n";
    insta::assert_snapshot!(check(manifest, "lsp_diagnostics", json!({})).await, @r#"
    1 warning in 2 files; snapshot d-1
    model.yaml
      1:10  warning: Version 'x' is not valid SemVer format.
          Hint: Use SemVer format like "1.0.0" or "1.2.3-beta".  [domainlang manifest-model-invalid-version]
    [domainlang · ready]
    "#);
    insta::assert_snapshot!(check(manifest, "lsp_diagnostics", json!({ "path": "model.yaml" })).await, @r#"
    1 warning in `model.yaml`; snapshot d-1
    model.yaml
      1:10  warning: Version 'x' is not valid SemVer format.
          Hint: Use SemVer format like "1.0.0" or "1.2.3-beta".  [domainlang manifest-model-invalid-version]
    [domainlang · ready]
    "#);
    let foreign_manifest = "//- model.yaml\nlayers: 3\n";
    insta::assert_snapshot!(check(foreign_manifest, "lsp_diagnostics", json!({ "path": "model.yaml" })).await, @"
    Failed to check for diagnostics: no language server answers for this workspace: no file of a language with a catalogue row was found
    Run `zubi tools list` to see what works without a server, or start zubi in the project's folder.
    ");
    insta::assert_snapshot!(check(SHOP, "lsp_diagnostics", json!({})).await, @"
    no problems in 2 files; snapshot d-1
    [domainlang · ready]
    ");
    insta::assert_snapshot!(
        check("//- a.dlang\nbc A for Nobody\n", "lsp_diagnostics", json!({ "path": "a.dlang" })).await, @"
    1 error, 1 warning in `a.dlang`; snapshot d-1
    a.dlang
      1:10  error: Could not resolve reference to Domain named 'Nobody'.  [domain-lang linking-error]
      1:1  warning: Bounded Context 'A' is missing a description.  [domain-lang bounded-context-no-description]
    [domainlang · ready]
    ");
}

#[tokio::test]
async fn the_next_query_sees_a_change() {
    let models = models(SHOP);
    let rename = models.call("lsp_rename_symbol", json!({ "symbol": "Crew", "newName": "Gang" })).await;
    assert!(rename.contains("2 edits in 2 files"), "{rename}");
    let changed_text =
        "Domain Sales { vision: \"v\" }\nTeam Crew\nbc Billing for Sales by Crew { description: \"d\" }\n";
    zubi_base::fs::write_atomic(&models.toy.root.join("shop/people.dlang"), changed_text.as_bytes()).unwrap();
    let rename = models.call("lsp_rename_symbol", json!({ "symbol": "Crew", "newName": "Gang" })).await;
    assert!(rename.contains("3 edits in 2 files"), "{rename}");
    // After the edit the model has the written text.
    let plan = rename.lines().find_map(|line| line.strip_prefix("plan ")).unwrap();
    let plan = plan.split(':').next().unwrap();
    let applied = models.call("apply_edit", json!({ "plan": plan })).await;
    assert!(applied.starts_with("applied"), "{applied}");
    let references = models.call("lsp_references", json!({ "symbol": "Gang" })).await;
    assert!(references.contains("3 references to `Gang` in 2 files"), "{references}");
}

#[tokio::test]
async fn a_loading_model() {
    let (reading_started, wait_for_start) = mpsc::channel();
    let (resume, wait) = mpsc::channel();
    let models = models_on(blocking_files(reading_started, wait), SHOP);
    let query = |wait: u32| models.call("lsp_definition", json!({ "at": "shop/orders.dlang:3:20", "waitMs": wait }));
    insta::assert_snapshot!(query(0).await, @"
    Failed to find the definition: domainlang is still starting
    Call again in a moment: the server continues to load. `zubi serve --detach` leaves servers running between commands.
    ");
    wait_for_start.recv().unwrap();
    drop(resume);
    assert!(query(30_000).await.ends_with("[domainlang · ready]"));
}

#[tokio::test]
async fn a_missing_folder_appears_later() {
    let models = models(SHOP);
    let (moved, root) = (models.toy.root.parent().unwrap().join("away"), &models.toy.root);
    std::fs::rename(root, &moved).unwrap();
    insta::assert_snapshot!(models.call("lsp_workspace_symbols", json!({ "query": "Sales" })).await, @"
    Failed to search symbols: no language server answers for this workspace: no file of a language with a catalogue row was found
    Run `zubi tools list` to see what works without a server, or start zubi in the project's folder.
    ");
    std::fs::rename(&moved, root).unwrap();
    let found = models.call("lsp_hover", json!({ "at": "shop/orders.dlang:3:20" })).await;
    assert!(found.ends_with("[domainlang · ready]"), "{found}");
    let found = models.call("lsp_workspace_symbols", json!({ "query": "Sales" })).await;
    assert!(found.ends_with("[domainlang · ready]"), "{found}");
}

#[tokio::test]
async fn unanswered_queries_state_the_reason() {
    insta::assert_snapshot!(check(SHOP, "lsp_implementations", json!({ "symbol": "Sales" })).await, @"
    Failed to find implementations: domainlang cannot find implementations
    Use another request, or read the file.
    ");
    // Ignored files are not part of the model.
    let ignored = "//- .gitignore\nbuild\n//- build/a.dlang\nTeam A\n//- b.dlang\nTeam B\n";
    insta::assert_snapshot!(check(ignored, "lsp_definition", json!({ "at": "build/a.dlang:1:6" })).await, @"
    Failed to find the definition: `build/a.dlang` is not part of the model: it is ignored or outside the workspace folders, and nothing imports it
    Name a text file of the workspace.
    ");
    insta::assert_snapshot!(check(ignored, "lsp_diagnostics", json!({ "path": "build/a.dlang" })).await, @"
    Failed to check for diagnostics: `build/a.dlang` is not part of the model: it is ignored or outside the workspace folders, and nothing imports it
    Name a text file of the workspace.
    ");
    insta::assert_snapshot!(
        check("//- readme.md\nNo model\n", "lsp_workspace_symbols", json!({ "query": "No" })).await, @"
    0 symbols matching `No`
    [syntax only: names not resolved · without a server: exact names only, from the outlines of 1 file]
    ");
}

/// A model and code with common names. Text search covers the code, because its language has no server.
const CODE: &str = r#"
//- shop.dlang
Domain Sales { vision: "v" }
Namespace Shop {
    bc Orders for Sales { description: "d" }
    bc Billing for Sales { description: "d" }
}
//- src/orders.ts
// Sales of the shop.
export class Orders {
    billing(Billing: number) {}
}
//- readme.md
class Orders
class Billing
"#;

#[tokio::test]
async fn code_without_a_server_is_not_hidden_by_a_model() {
    let symbols =
        async |query: &str| check_with_typescript(CODE, "lsp_workspace_symbols", json!({ "query": query })).await;
    insta::assert_snapshot!(symbols("Orders").await, @r#"
    2 symbols matching `Orders`
      package Shop.Orders  shop.dlang:3:8  bc Orders for Sales { description: "d" }
      class Orders  src/orders.ts:2:14
    [domainlang + syntax only: names not resolved · ready · without a server: exact names only, from the outlines of 1 file · no server for .ts: install one]
    "#);
    let packages = json!({ "query": "Orders", "kind": "package" });
    insta::assert_snapshot!(check_with_typescript(CODE, "lsp_workspace_symbols", packages).await, @r#"
    1 symbol matching `Orders`
      package Shop.Orders  shop.dlang:3:8  bc Orders for Sales { description: "d" }
    [domainlang · ready · no server for .ts: install one]
    "#);
    let unknown = "//- notes.unknown\nReceipt\n";
    insta::assert_snapshot!(check_with_typescript(unknown, "lsp_workspace_symbols", json!({ "query": "Receipt" })).await, @"
    0 symbols matching `Receipt`
    [syntax only: names not resolved · may be incomplete: these contain the name, and zubi does not know their language: notes.unknown · without a server: exact names only, from the outlines of 1 file · no server for .ts: install one]
    ");
    let references =
        async |symbol: &str| check_with_typescript(CODE, "lsp_references", json!({ "symbol": symbol })).await;
    insta::assert_snapshot!(references("Orders").await, @r#"
    Invalid input: symbol: `Orders` names 2 symbols
    Use one of:
      symbol: "Shop/Orders"   package at shop.dlang:3:8  bc Orders for Sales { description: "d" }
      at: "src/orders.ts:2:14"   class at src/orders.ts:2:14  export class Orders {
    "#);
    insta::assert_snapshot!(references("Shop/Orders").await, @r#"
    at shop.dlang:3:8 Orders (package)
    1 reference to `Orders` in 1 file
    shop.dlang
      3:8  bc Orders for Sales { description: "d" }  (declaration)
    [domainlang · ready]
    "#);
}

#[tokio::test]
async fn text_search_without_results_is_not_mentioned() {
    // In TypeScript the words occur only in a comment and as a parameter.
    for query in ["Sales", "Billing"] {
        let with_code = check_with_typescript(CODE, "lsp_workspace_symbols", json!({ "query": query })).await;
        let model_only = check(CODE, "lsp_workspace_symbols", json!({ "query": query })).await;
        assert!(model_only.ends_with("[domainlang · ready]"), "{model_only}");
        assert_eq!(with_code, model_only.replace("ready]", "ready · no server for .ts: install one]"));
        let with_code = check_with_typescript(CODE, "lsp_references", json!({ "symbol": query })).await;
        let model_only = check(CODE, "lsp_references", json!({ "symbol": query })).await;
        assert!(model_only.ends_with("[domainlang · ready]"), "{model_only}");
        // The model's symbol was found, so a server of another language could add nothing.
        assert_eq!(with_code, model_only);
    }
    // Without missing servers, no text search runs.
    let answer = check(CODE, "lsp_workspace_symbols", json!({ "query": "Orders" })).await;
    insta::assert_snapshot!(answer, @r#"
    1 symbol matching `Orders`
      package Shop.Orders  shop.dlang:3:8  bc Orders for Sales { description: "d" }
    [domainlang · ready]
    "#);
}
