//! Answers of each DomainLang tool to a model: exactly its JSON.

use std::sync::Arc;
use std::sync::mpsc;

use dlang_workspace::files::DiskFiles;
use serde_json::{Value, json};
use zubi_base::clock::SystemClock;
use zubi_code::testing::Toy;
use zubi_policy::Policy;
use zubi_tool_api::audit::NoAudit;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::filter::ToolFilter;
use zubi_tool_api::registry::{Registry, RegistryConfig};
use zubi_tool_api::{Exposure, ToolProvider};
use zubi_tools::domainlang::{self, DomainExposure, DomainModel, Root};

use crate::support::{blocking_files, call, call_in, check, cx, registry};

/// A model of two files, and a separate file.
const SHOP: &str = r#"
//- shop/sales.dlang
import "./pay.dlang"
Domain Sales { vision: "Everybody finds a book" }
Classification Core
Team Crew
Namespace Shop {
    bc Orders for Sales as Core by Crew {
        description: "Takes orders"
        relationships { this [OHS] -> [CF] Billing }
        terminology { term Order: "What somebody buys" }
    }
    cmap Overview { contains Orders, Billing }
}
//- shop/pay.dlang
bc Billing for Salse
//- alone.dlang
Domain Alone { vision: "v" }
//- readme.txt
no model
"#;

#[tokio::test]
async fn validate() {
    insta::assert_snapshot!(check(SHOP, "domainlang_validate", json!({})).await, @r#"{"valid":false,"fileCount":3,"domainCount":2,"bcCount":2,"errors":[{"severity":1,"message":"Could not resolve reference to Domain named 'Salse'.","code":"linking-error","file":"shop/pay.dlang","line":1,"column":16}],"warnings":[{"severity":2,"message":"Bounded Context 'Billing' is missing a description.","code":"bounded-context-no-description","file":"shop/pay.dlang","line":1,"column":1}],"infoCount":1}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_validate", json!({ "file": "alone.dlang" })).await, @r#"{"valid":true,"fileCount":3,"domainCount":2,"bcCount":2,"errors":[],"warnings":[],"infoCount":0}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_validate", json!({ "file": "shop/pay.dlang" })).await, @r#"{"valid":false,"fileCount":3,"domainCount":2,"bcCount":2,"errors":[{"severity":1,"message":"Could not resolve reference to Domain named 'Salse'.","code":"linking-error","file":"shop/pay.dlang","line":1,"column":16}],"warnings":[{"severity":2,"message":"Bounded Context 'Billing' is missing a description.","code":"bounded-context-no-description","file":"shop/pay.dlang","line":1,"column":1}],"infoCount":0}"#);
    let toy = Toy::new(SHOP);
    let uri = format!("file://{}/shop/pay.dlang", toy.root);
    let by_uri = call(&toy, "domainlang_validate", json!({ "file": uri })).await;
    assert_eq!(by_uri, call(&toy, "domainlang_validate", json!({ "file": "shop/pay.dlang" })).await);
    insta::assert_snapshot!(check(SHOP, "domainlang_validate", json!({ "file": "pay.dlang" })).await, @"
    Invalid input: file: `pay.dlang` is not part of the workspace; did you mean `shop/pay.dlang`?
    Correct the argument and call again.
    ");
    insta::assert_snapshot!(check(SHOP, "domainlang_validate", json!({ "file": "readme.txt" })).await, @"
    Invalid input: file: `readme.txt` is not part of the workspace; name a file of the workspace, or leave `file` out to validate all of it
    Correct the argument and call again.
    ");
}

#[tokio::test]
async fn list() {
    insta::assert_snapshot!(check(SHOP, "domainlang_list", json!({ "type": "contexts", "team": "Crew" })).await, @r#"{"entityType":"bcs","count":1,"results":[{"name":"Orders","fqn":"Shop.Orders","domain":"Sales","description":"Takes orders","classification":"Core","team":"Crew"}]}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_list", json!({ "type": "rels", "pattern": "ohs" })).await, @r#"{"entityType":"relationships","count":1,"results":[{"name":"Orders -> Billing","left":"Orders","right":"Billing","type":"directional","kind":"UpstreamDownstream","arrow":"->","leftPatterns":"OpenHostService","rightPatterns":"Conformist"}]}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_list", json!({ "type": "teams", "detail": "full" })).await, @r#"{"entityType":"teams","count":1,"results":[{"$type":"Team","name":"Crew","fqn":"Crew"}]}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_list", json!({ "type": "teams", "team": "Crew" })).await, @"
    Invalid input: team: does not filter teams. Filters for teams: name, fqn.
    Correct the argument and call again.
    ");
    insta::assert_snapshot!(check(SHOP, "domainlang_list", json!({ "type": "things" })).await, @"
    Invalid input: type: unknown type 'things'. Use one of domains, bcs, bounded-contexts, contexts, teams, classifications, relationships, rels, context-maps, cmaps, domain-maps, dmaps.
    Correct the argument and call again.
    ");
    insta::assert_snapshot!(check(SHOP, "domainlang_list", json!({ "type": "bcs", "detail": "all" })).await, @"
    Invalid input: detail: unknown detail 'all'. Use row or full.
    Correct the argument and call again.
    ");
    insta::assert_snapshot!(check(SHOP, "domainlang_list", json!({})).await, @r#"
    Invalid input: type: is required
    `type` (string): domains, bcs, teams, classifications, relationships, context-maps or domain-maps Example: {"type":"bcs","domain":"Sales"}
    "#);
}

#[tokio::test]
async fn get() {
    insta::assert_snapshot!(check(SHOP, "domainlang_get", json!({})).await, @r#"{"summary":{"fileCount":3,"domainCount":2,"boundedContextCount":2,"teamCount":1,"classificationCount":1,"contextMapCount":1,"domainMapCount":0,"namespaceCount":1,"relationshipCount":1,"classificationBreakdown":{"Core":1}}}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_get", json!({ "fqn": "Alone" })).await, @r#"{"found":true,"element":{"$type":"Domain","name":"Alone","vision":"v","fqn":"Alone"}}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_get", json!({ "fqn": "Shop.Order" })).await, @r#"{"found":false,"fqn":"Shop.Order","suggestions":["Shop.Orders"]}"#);
}

#[tokio::test]
async fn explain() {
    insta::assert_snapshot!(check(SHOP, "domainlang_explain", json!({ "fqn": "Sales.Orders" })).await, @r#"{"fqn":"Sales.Orders","type":"BoundedContext","explanation":"🎯 **(bounded context) Shop.Orders**\n\n```domain-lang\nBoundedContext Orders for Sales as Core by Crew\n```\n\nTakes orders\n\n---\n\n📁 **Domain:** Sales\n🔖 **Classification:** Core\n👥 **Team:** Crew\n\n**Relationships:**\n- Shop.Orders → Billing [OHS] → [CF]\n\n**Terminology:**\n- `Order`: What somebody buys","resolvedFqn":"Shop.Orders"}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_explain", json!({ "fqn": "Nothing" })).await, @r#"{"fqn":"Nothing","type":null,"explanation":null,"error":"Element 'Nothing' not found","suggestions":[]}"#);
}

#[tokio::test]
async fn search() {
    insta::assert_snapshot!(check(SHOP, "domainlang_search", json!({ "query": "buys", "limit": 1 })).await, @r#"{"query":"buys","count":1,"total":1,"results":[{"type":"BoundedContext","name":"Orders","fqn":"Shop.Orders","file":"shop/sales.dlang","line":6,"matches":[{"field":"term","name":"Order","text":"What somebody buys"}]}]}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_search", json!({ "query": "…" })).await, @"
    Invalid input: query: has no word. Use a few words of what is looked for.
    Correct the argument and call again.
    ");
}

#[tokio::test]
async fn diagram() {
    insta::assert_snapshot!(check(SHOP, "domainlang_diagram", json!({ "fqn": "Overview" })).await, @r#"{"fqn":"Overview","type":"ContextMap","format":"mermaid","diagram":"---\ntitle: \"Shop.Overview\"\n---\nflowchart LR\n  subgraph g0[\"Sales\"]\n    n0[\"Orders\"]\n  end\n  n1[\"Billing\"]\n  n0 -->|\"U [OHS] → D [CF]\"| n1\n","resolvedFqn":"Shop.Overview"}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_diagram", json!({ "fqn": "Overveiw", "format": "plantuml" })).await, @r#"{"fqn":"Overveiw","type":null,"format":"plantuml","diagram":null,"error":"Map 'Overveiw' not found","suggestions":["Shop.Overview"]}"#);
    insta::assert_snapshot!(check(SHOP, "domainlang_diagram", json!({ "fqn": "Overview", "format": "svg" })).await, @"
    Invalid input: format: unknown format 'svg'. Use mermaid or plantuml.
    Correct the argument and call again.
    ");
}

#[tokio::test]
async fn paths_and_texts_replace_the_workspace_models() {
    let summary = async |arguments: Value| check(SHOP, "domainlang_get", arguments).await;
    let files = |answer: &str| {
        let answer: Value = serde_json::from_str(answer).unwrap();
        answer["summary"]["fileCount"].as_u64().unwrap()
    };
    assert_eq!(files(&summary(json!({})).await), 3);
    assert_eq!(files(&summary(json!({ "path": "shop" })).await), 2);
    assert_eq!(files(&summary(json!({ "path": "shop/pay.dlang" })).await), 1);
    assert_eq!(files(&summary(json!({ "path": "shop/sales.dlang" })).await), 2, "imported files are included");
    assert_eq!(files(&summary(json!({ "text": "Domain X { vision: \"v\" }" })).await), 1);
    insta::assert_snapshot!(summary(json!({ "text": "Team A", "path": "shop" })).await, @"
    Invalid input: text: it is queried by itself, so omit `path`
    Correct the argument and call again.
    ");
    insta::assert_snapshot!(check(SHOP, "domainlang_validate", json!({ "text": "Team A", "file": "other.dlang" })).await, @"
    Invalid input: text: it is queried by itself, so omit `file`
    Correct the argument and call again.
    ");
    let broken = json!({ "text": "import \"./pay.dlang\"\nDomain" });
    insta::assert_snapshot!(check(SHOP, "domainlang_validate", broken).await, @r#"{"valid":false,"fileCount":1,"domainCount":1,"bcCount":0,"errors":[{"severity":1,"message":"Expecting token of type 'ID' but found end of file.","code":"expected-token","file":"text.dlang","line":2,"column":7},{"severity":1,"message":"Cannot resolve import './pay.dlang'.\nHint: Check that the file exists and the path is correct.: Check that the file exists and the path is correct.","code":"import-unresolved","file":"text.dlang","line":1,"column":8}],"warnings":[],"infoCount":0}"#);
    insta::assert_snapshot!(summary(json!({ "path": "nowhere" })).await, @"
    Invalid input: path: `nowhere` does not exist in the workspace; paths are relative to `[root]`
    Give a path relative to the workspace folder, or omit `path` to query the whole workspace.
    ");
    insta::assert_snapshot!(summary(json!({ "path": "../secret" })).await, @"
    Invalid input: path: `../secret` does not exist in the workspace; paths are relative to `[root]`
    Give a path relative to the workspace folder, or omit `path` to query the whole workspace.
    ");
    insta::assert_snapshot!(summary(json!({ "path": "readme.txt" })).await, @"
    Invalid input: path: [root]/readme.txt is not a DomainLang file: its name does not end in .dlang
    Name a folder, or a file that ends in .dlang.
    ");
}

#[tokio::test]
async fn a_workspace_without_models() {
    insta::assert_snapshot!(check("//- a.toy\n", "domainlang_validate", json!({})).await, @r#"{"valid":true,"fileCount":0,"domainCount":0,"bcCount":0,"errors":[],"warnings":[],"infoCount":0}"#);
}

#[tokio::test]
async fn every_query_sees_the_current_files() {
    let toy = Toy::new(SHOP);
    let registry = registry(&toy);
    let domain_names = async || {
        let cx = cx(&toy, Restrictions::default());
        let answer = call_in(&registry, "domainlang_list", json!({ "type": "domains" }), cx).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["results"].as_array().unwrap().iter().map(|row| row["name"].to_string()).collect::<String>()
    };
    assert_eq!(domain_names().await, "\"Alone\"\"Sales\"");
    zubi_base::fs::write_atomic(&toy.root.join("alone.dlang"), b"Domain Lonely { vision: \"other\" }").unwrap();
    assert_eq!(domain_names().await, "\"Lonely\"\"Sales\"");
    zubi_base::fs::write_atomic(&toy.root.join("new.dlang"), b"Domain New { vision: \"v\" }").unwrap();
    assert_eq!(domain_names().await, "\"Lonely\"\"New\"\"Sales\"");
    std::fs::remove_file(toy.root.join("alone.dlang")).unwrap();
    assert_eq!(domain_names().await, "\"New\"\"Sales\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_queries_while_files_change() {
    let toy = Arc::new(Toy::new(SHOP));
    let registry = registry(&toy);
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (toy, registry) = (Arc::clone(&toy), Arc::clone(&registry));
        tasks.spawn(async move {
            let path = toy.root.join(format!("new{number}.dlang"));
            zubi_base::fs::write_atomic(&path, format!("Team New{number}").as_bytes()).unwrap();
            let arguments = json!({ "fqn": format!("New{number}") });
            call_in(&registry, "domainlang_get", arguments, cx(&toy, Restrictions::default())).await
        });
    }
    for answer in tasks.join_all().await {
        assert!(answer.starts_with(r#"{"found":true"#), "{answer}");
    }
}

/// Paused clock: time advances as soon as all tasks wait.
#[tokio::test(start_paused = true)]
async fn a_loading_model_is_not_reported_as_empty() {
    let toy = Toy::new(SHOP);
    let (reading_started, wait_for_start) = mpsc::channel();
    let (resume, wait) = mpsc::channel();
    let model = Arc::new(DomainModel::new(blocking_files(reading_started, wait), vec![Root::Folder(toy.root.clone())]));
    let registry = registry_of(domainlang::provider(&model, DomainExposure::All));
    let query = || call_in(&registry, "domainlang_get", json!({}), cx(&toy, Restrictions::default()));
    let first = query().await;
    assert!(first.starts_with(r#"{"error":"workspace is loading","progress":{"loaded":0,"#), "{first}");
    wait_for_start.recv().unwrap();
    insta::assert_snapshot!(query().await, @r#"{"error":"workspace is loading","progress":{"loaded":0,"total":3}}"#);
    // A cancelled call ends at once and does not affect the others.
    let cancelled_cx = cx(&toy, Restrictions::default());
    cancelled_cx.cancel.cancel();
    let cancelled = call_in(&registry, "domainlang_get", json!({}), cancelled_cx).await;
    assert!(cancelled.contains("cancelled"), "{cancelled}");
    drop(resume);
    tokio::time::resume();
    assert!(query().await.starts_with(r#"{"summary":{"fileCount":3,"#));
}

#[tokio::test]
async fn a_folder_may_appear_later() {
    let toy = Toy::new(SHOP);
    let folder = toy.root.join("later");
    let model = Arc::new(DomainModel::new(Arc::new(DiskFiles), vec![Root::Folder(folder.clone())]));
    let registry = registry_of(domainlang::provider(&model, DomainExposure::All));
    let query = || call_in(&registry, "domainlang_get", json!({}), cx(&toy, Restrictions::default()));
    let text = query().await.replace(toy.root.as_str(), "[root]");
    insta::assert_snapshot!(text, @"
    Failed to load the model: [root]/later does not exist
    Check that it exists, then call again.
    ");
    std::fs::create_dir(&folder).unwrap();
    assert!(query().await.starts_with(r#"{"summary":{"fileCount":0,"#), "the next query tries again");
}

/// Creates a registry with only these tools.
fn registry_of(provider: Arc<dyn ToolProvider>) -> Registry {
    Registry::new(RegistryConfig {
        providers: vec![provider],
        policy: Policy::new(ToolFilter::default()),
        audit: Arc::new(NoAudit),
        clock: Arc::new(SystemClock),
        restrictions: Restrictions::default(),
    })
}

#[tokio::test]
async fn direct_tools_depend_on_models() {
    let listed = async |fixture: &str, exposure: DomainExposure| {
        let toy = Toy::new(fixture);
        let model = Arc::new(DomainModel::new(Arc::new(DiskFiles), vec![Root::Folder(toy.root.clone())]));
        let registry = registry_of(domainlang::provider(&model, exposure));
        registry.prepare().await;
        // Later files do not change the list.
        zubi_base::fs::write_atomic(&toy.root.join("later.dlang"), b"").unwrap();
        registry.prepare().await;
        let tools = registry.list(&Restrictions::default());
        assert_eq!(tools.len(), 6, "zubi_find_tools finds the others");
        let direct = tools.iter().filter(|tool| tool.spec().exposure == Exposure::Direct);
        direct.map(|tool| tool.spec().id.clone()).collect::<Vec<_>>().join(" ")
    };
    insta::assert_snapshot!(listed(SHOP, DomainExposure::IfModelsExist).await, @"domainlang_validate");
    insta::assert_snapshot!(listed("//- a.toy\n", DomainExposure::IfModelsExist).await, @"");
    insta::assert_snapshot!(listed("//- a.toy\n", DomainExposure::All).await, @"domainlang_validate domainlang_list domainlang_get domainlang_explain domainlang_search domainlang_diagram");
}
