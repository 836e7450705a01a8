//! `dlang mcp` as a process: its lists, the answer of each tool, and the page about the syntax.

use serde_json::{Value, json};

use crate::check::Sandbox;

const SHOP: &str = r#"
//- shop/sales.dlang
import "./pay.dlang"
Domain Sales { vision: "Everybody finds a book" }
Namespace Shop {
    bc Orders for Sales {
        description: "Takes orders"
        relationships { this [OHS] -> [CF] Billing }
    }
    cmap Overview { contains Orders, Billing }
}
//- shop/pay.dlang
bc Billing for Sales { description: "Sends invoices" }
//- other.dlang
Team Others
"#;

/// The responses of a server of this path to these requests, each a method and its parameters.
fn converse(sandbox: &Sandbox, path: &str, requests: &[(&str, Value)]) -> Vec<Value> {
    let start =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let first = [("initialize", start)];
    let all = first.iter().chain(requests).zip(1..).map(|((method, params), id)| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    });
    let input: Vec<String> = all.collect();
    let output = sandbox.dlang().args(["mcp", path]).write_stdin(input.concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut answers: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Concurrent calls answer in any order.
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers
}

/// The text of each call's answer about the shop.
fn call_tools(path: &str, calls: &[(&str, Value)]) -> Vec<String> {
    call_tools_in(&Sandbox::new(SHOP), path, calls)
}

/// The text of each call's answer.
fn call_tools_in(sandbox: &Sandbox, path: &str, calls: &[(&str, Value)]) -> Vec<String> {
    let requests: Vec<(&str, Value)> =
        calls.iter().map(|(name, arguments)| ("tools/call", json!({"name": name, "arguments": arguments}))).collect();
    let answers = converse(sandbox, path, &requests);
    let text = |answer: &Value| answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    answers.iter().skip(1).map(text).collect()
}

#[test]
fn server_lists_tools_and_resources() {
    let sandbox = Sandbox::new(SHOP);
    let read = json!({"uri": "domainlang://syntax-reference"});
    let requests = [("tools/list", json!({})), ("resources/list", json!({})), ("resources/read", read)];
    let answers = converse(&sandbox, ".", &requests);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "domainlang");
    assert!(answers[0]["result"]["instructions"].as_str().unwrap().len() <= 2048);
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = ["validate", "list", "get", "explain", "search", "diagram"].map(|name| format!("domainlang_{name}"));
    assert_eq!(names, expected);
    assert_eq!(answers[2]["result"]["resources"][0]["uri"], "domainlang://syntax-reference");
    let page = &answers[3]["result"]["contents"][0];
    assert_eq!(page["mimeType"], "text/markdown");
    assert!(page["text"].as_str().unwrap().contains("BoundedContext"));
}

#[test]
fn a_folder() {
    let answers = call_tools(
        ".",
        &[
            ("domainlang_validate", json!({})),
            ("domainlang_list", json!({"type": "bcs", "domain": "Sales"})),
            ("domainlang_get", json!({})),
            ("domainlang_explain", json!({"fqn": "Billing"})),
            ("domainlang_search", json!({"query": "invoice"})),
            ("domainlang_diagram", json!({"fqn": "Shop.Overview"})),
            ("domainlang_list", json!({"type": "things"})),
        ],
    );
    insta::assert_snapshot!(answers.join("\n"), @r#"
    {"valid":false,"fileCount":3,"domainCount":1,"bcCount":2,"errors":[{"severity":1,"message":"Could not resolve reference to Domain named 'Sales'.","code":"linking-error","file":"shop/pay.dlang","line":1,"column":16}],"warnings":[],"infoCount":1}
    {"entityType":"bcs","count":1,"results":[{"name":"Orders","fqn":"Shop.Orders","domain":"Sales","description":"Takes orders"}]}
    {"summary":{"fileCount":3,"domainCount":1,"boundedContextCount":2,"teamCount":1,"classificationCount":0,"contextMapCount":1,"domainMapCount":0,"namespaceCount":1,"relationshipCount":1,"classificationBreakdown":{}}}
    {"fqn":"Billing","type":"BoundedContext","explanation":"🎯 **(bounded context) Billing**\n\n```domain-lang\nBoundedContext Billing for Sales\n```\n\nSends invoices\n\n---\n\n📁 **Domain:** Sales *(not found)*"}
    {"query":"invoice","count":1,"total":1,"results":[{"type":"BoundedContext","name":"Billing","fqn":"Billing","file":"shop/pay.dlang","line":1,"matches":[{"field":"description","text":"Sends invoices"}]}]}
    {"fqn":"Shop.Overview","type":"ContextMap","format":"mermaid","diagram":"---\ntitle: \"Shop.Overview\"\n---\nflowchart LR\n  subgraph g0[\"Sales\"]\n    n0[\"Orders\"]\n  end\n  n1[\"Billing\"]\n  n0 -->|\"U [OHS] → D [CF]\"| n1\n"}
    Invalid input: type: unknown type 'things'. Use one of domains, bcs, bounded-contexts, contexts, teams, classifications, relationships, rels, context-maps, cmaps, domain-maps, dmaps.
    Correct the argument and call again.
    "#);
}

/// An agent receives the same text that the command prints.
#[test]
fn command_and_mcp_return_the_same_answer() {
    let sandbox = Sandbox::new(SHOP);
    for (tool, arguments, line) in [
        ("domainlang_validate", json!({}), "validate --json"),
        ("domainlang_list", json!({"type": "rels"}), "query rels --json"),
        ("domainlang_list", json!({"type": "bcs", "detail": "full"}), "query bcs --full"),
        ("domainlang_get", json!({"fqn": "Shop.Orders"}), "get Shop.Orders"),
        ("domainlang_explain", json!({"fqn": "Sales.Orders"}), "explain Sales.Orders --json"),
    ] {
        let printed = sandbox.dlang().args(line.split(' ')).output().unwrap().stdout;
        let printed: Value = serde_json::from_slice(&printed).unwrap();
        assert_eq!(call_tools(".", &[(tool, arguments)]), [printed.to_string()], "{line}");
    }
}

#[test]
fn a_file_and_a_text() {
    let count = |answer: &String| {
        let answer: Value = serde_json::from_str(answer).unwrap();
        answer["summary"]["fileCount"].as_u64().unwrap()
    };
    let get = "domainlang_get";
    let in_folder =
        call_tools(".", &[(get, json!({})), (get, json!({"path": "shop"})), (get, json!({"text": "Team T"}))]);
    assert_eq!(in_folder.iter().map(count).collect::<Vec<_>>(), [3, 2, 1]);
    let file_answers = call_tools("shop/sales.dlang", &[(get, json!({})), (get, json!({"path": "pay.dlang"}))]);
    assert_eq!(file_answers.iter().map(count).collect::<Vec<_>>(), [2, 1]);
}

/// Queries to the server of one file: about that file, about another file, and about a text.
#[test]
fn every_tool_accepts_path_and_text() {
    let mut calls = Vec::new();
    for scope in [json!({}), json!({"path": "pay.dlang"}), json!({"text": "bc Billing { description: \"d\" }"})] {
        for (tool, mut arguments) in [
            ("domainlang_validate", json!({})),
            ("domainlang_list", json!({"type": "bcs"})),
            ("domainlang_get", json!({})),
            ("domainlang_explain", json!({"fqn": "Billing"})),
        ] {
            arguments.as_object_mut().unwrap().extend(scope.as_object().unwrap().clone());
            calls.push((tool, arguments));
        }
    }
    insta::assert_snapshot!(call_tools("shop/sales.dlang", &calls).join("\n"), @r#"
    {"valid":false,"fileCount":2,"domainCount":1,"bcCount":2,"errors":[{"severity":1,"message":"Could not resolve reference to Domain named 'Sales'.","code":"linking-error","file":"pay.dlang","line":1,"column":16}],"warnings":[],"infoCount":1}
    {"entityType":"bcs","count":2,"results":[{"name":"Billing","fqn":"Billing","description":"Sends invoices"},{"name":"Orders","fqn":"Shop.Orders","domain":"Sales","description":"Takes orders"}]}
    {"summary":{"fileCount":2,"domainCount":1,"boundedContextCount":2,"teamCount":0,"classificationCount":0,"contextMapCount":1,"domainMapCount":0,"namespaceCount":1,"relationshipCount":1,"classificationBreakdown":{}}}
    {"fqn":"Billing","type":"BoundedContext","explanation":"🎯 **(bounded context) Billing**\n\n```domain-lang\nBoundedContext Billing for Sales\n```\n\nSends invoices\n\n---\n\n📁 **Domain:** Sales *(not found)*"}
    {"valid":false,"fileCount":1,"domainCount":0,"bcCount":1,"errors":[{"severity":1,"message":"Could not resolve reference to Domain named 'Sales'.","code":"linking-error","file":"pay.dlang","line":1,"column":16}],"warnings":[],"infoCount":0}
    {"entityType":"bcs","count":1,"results":[{"name":"Billing","fqn":"Billing","description":"Sends invoices"}]}
    {"summary":{"fileCount":1,"domainCount":0,"boundedContextCount":1,"teamCount":0,"classificationCount":0,"contextMapCount":0,"domainMapCount":0,"namespaceCount":0,"relationshipCount":0,"classificationBreakdown":{}}}
    {"fqn":"Billing","type":"BoundedContext","explanation":"🎯 **(bounded context) Billing**\n\n```domain-lang\nBoundedContext Billing for Sales\n```\n\nSends invoices\n\n---\n\n📁 **Domain:** Sales *(not found)*"}
    {"valid":true,"fileCount":1,"domainCount":0,"bcCount":1,"errors":[],"warnings":[{"severity":2,"message":"Bounded Context 'Billing' must belong to a domain. Use 'for DomainName'.","code":"bounded-context-no-domain","file":"text.dlang","line":1,"column":1}],"infoCount":0}
    {"entityType":"bcs","count":1,"results":[{"name":"Billing","fqn":"Billing","description":"d"}]}
    {"summary":{"fileCount":1,"domainCount":0,"boundedContextCount":1,"teamCount":0,"classificationCount":0,"contextMapCount":0,"domainMapCount":0,"namespaceCount":0,"relationshipCount":0,"classificationBreakdown":{}}}
    {"fqn":"Billing","type":"BoundedContext","explanation":"🎯 **(bounded context) Billing**\n\n```domain-lang\nBoundedContext Billing\n```\n\nd"}
    "#);
}

/// The paths in an answer are accepted as arguments, even if they begin at a manifest above the served file.
#[test]
fn reported_paths_are_accepted_as_arguments() {
    let sandbox =
        Sandbox::new("//- shop/model.yaml\nmodel:\n  name: shop\n//- shop/parts/sales.dlang\nTeam A\nTeam A\n");
    let served = "shop/parts/sales.dlang";
    let report: Value =
        serde_json::from_str(&call_tools_in(&sandbox, served, &[("domainlang_validate", json!({}))])[0]).unwrap();
    let reported_path = &report["errors"][0]["file"];
    assert_eq!(reported_path, "parts/sales.dlang");
    let calls = [
        ("domainlang_validate", json!({"file": reported_path})),
        ("domainlang_validate", json!({"path": reported_path})),
    ];
    for answer in call_tools_in(&sandbox, served, &calls) {
        assert_eq!(answer, report.to_string());
    }
}

#[test]
fn invalid_mcp_paths_are_refused() {
    let sandbox = Sandbox::new("//- notes.txt\n");
    insta::assert_snapshot!(sandbox.check("mcp nowhere"), @"
    exit 2
    --- stderr
    error: Path not found: nowhere
    hint: Pass a folder, or a file that ends in .dlang.
    ");
    insta::assert_snapshot!(sandbox.check("mcp notes.txt"), @"
    exit 2
    --- stderr
    error: Invalid file extension. Expected: .dlang
    hint: `notes.txt` is not a DomainLang file.
    ");
}
