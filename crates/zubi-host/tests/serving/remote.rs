//! A host's answers over its socket are the same, byte for byte.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use zubi_host::{CallAnswer, ToolService};
use zubi_tool_api::cx::{Caller, NoApprover, Restrictions, Surface};

use crate::world::{World, call_context, request};

/// Renders an answer without durations and the random names of plans.
fn render_without_duration(answer: CallAnswer) -> String {
    format!("{:?}", CallAnswer { duration: Duration::ZERO, ..answer })
}

#[tokio::test(flavor = "multi_thread")]
async fn local_and_remote_answers_are_equal() {
    let settings = "[[policy]]\naction = 'deny'\ntools = ['file.delete']\nreason = 'nothing is deleted here'\n";
    let world = World::new(&[], settings);
    let remote = world.remote().await;
    let hosts: [&dyn ToolService; 2] = [world.host.as_ref(), &remote];
    for (tool, arguments) in [
        ("file.read", json!({ "path": "a.py" })),
        ("file.read", json!({ "path": "absent.py" })),
        ("file_read", json!({ "path": "../state" })),
        ("file.read", json!({ "paths": "a.py" })),
        ("domainlang_list", json!({ "type": "boundedContexts" })),
        ("domainlang_get", json!({ "fqn": "Sales" })),
        ("lsp_hover", json!({ "at": "a.py:1:5", "waitMs": 1 })),
        ("lsp_hover", json!({})),
        ("file.delete", json!({ "path": "a.py" })),
        ("zubi_find_tools", json!({ "query": "rename a file" })),
        ("zubi_call_read_tool", json!({ "tool": "file.write", "arguments": { "path": "x", "content": "" } })),
        ("editor", json!({ "command": "all_diagnostics" })),
        ("shell.run", json!({ "command": "true" })),
        ("no.such_tool", json!({})),
        ("file.raed", Value::Null),
    ] {
        let mut answers = Vec::new();
        for host in hosts {
            let answer = host.call(&request(tool, arguments.clone()), &call_context(Arc::new(NoApprover))).await;
            answers.push(answer.map(render_without_duration).map_err(|unknown| format!("{unknown:?}")));
        }
        assert_eq!(answers[0], answers[1], "{tool} {arguments}");
    }
    let read_only = Restrictions { read_only: true, tools: vec![vec!["!lsp_*".to_owned()]], ..Restrictions::default() };
    for restrictions in [Restrictions::default(), read_only] {
        let [local, remote_result] =
            [hosts[0].list(&restrictions).await.unwrap(), hosts[1].list(&restrictions).await.unwrap()];
        assert_eq!(format!("{local:?}"), format!("{remote_result:?}"));
        assert!(!local.is_empty());
        for name in ["file.write", "lsp_hover", "zubi_find_tools", "absent"] {
            let [local, remote_result] =
                [hosts[0].find(name, &restrictions).await, hosts[1].find(name, &restrictions).await];
            assert_eq!(format!("{local:?}"), format!("{remote_result:?}"), "{name}");
        }
    }
    for (tool, arguments) in [
        ("file.delete", json!({ "path": "a.py" })),
        ("shell.run", json!({ "command": "rm -rf x" })),
        ("file.write", json!({ "path": 3 })),
        ("absent", json!({})),
    ] {
        let [local, remote_result] = [
            hosts[0].explain(&request(tool, arguments.clone()), &call_context(Arc::new(NoApprover))).await,
            hosts[1].explain(&request(tool, arguments), &call_context(Arc::new(NoApprover))).await,
        ];
        let render = |result: &Result<_, _>| match result {
            Ok(explanation) => json!(explanation).to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(render(&local), render(&remote_result), "{tool}");
    }
    assert_eq!(hosts[0].policy().await, hosts[1].policy().await);
    assert_eq!(hosts[0].resources().await, hosts[1].resources().await);
    assert_eq!(hosts[0].describe(), hosts[1].describe());
    let caller =
        Arc::new(Caller { surface: Surface::Mcp, client: None, session: 0, restrictions: Restrictions::default() });
    let resources = hosts[0].resources().await.unwrap();
    assert!(!resources.is_empty());
    for uri in resources.iter().map(|resource| resource.uri.as_str()).chain(["none://such"]) {
        let [local, remote_result] = [
            hosts[0].read_resource(uri, &caller, &call_context(Arc::new(NoApprover))).await,
            hosts[1].read_resource(uri, &caller, &call_context(Arc::new(NoApprover))).await,
        ];
        assert_eq!(local, remote_result, "{uri}");
    }
}

/// Only a status line reports a difference, and only if programs are in other directories.
#[tokio::test(flavor = "multi_thread")]
async fn a_different_environment_is_reported_in_the_status_line() {
    let world = World::new(&[], "");
    let environment = zubi_host::environment::of_process(Some("/elsewhere".as_ref()), None);
    let remote = zubi_host::RemoteHost::attach(&world.record, "test 1", &environment).await.unwrap();
    let last_line = async |tool: &str, arguments: Value| {
        let answer = remote.call(&request(tool, arguments), &call_context(Arc::new(NoApprover))).await;
        answer.unwrap().text.lines().last().unwrap().to_owned()
    };
    insta::assert_snapshot!(last_line("editor", json!({ "command": "open_files" })).await, @"[no editor · no editor is connected, so no file is open in one · the host has another PATH]");
    insta::assert_snapshot!(last_line("domainlang_get", json!({})).await, @r#"{"summary":{"fileCount":1,"domainCount":1,"boundedContextCount":1,"teamCount":0,"classificationCount":0,"contextMapCount":0,"domainMapCount":0,"namespaceCount":0,"relationshipCount":0,"classificationBreakdown":{}}}"#);
}
