//! Both eras of the protocol, message by message.

use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};

use crate::client::{Client, modern};

#[tokio::test]
async fn the_old_handshake_agrees_on_each_version() {
    for (requested, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = Client::connect();
        let params =
            json!({"protocolVersion": requested, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = client.request(1, "initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{requested}");
    }
}

#[tokio::test]
async fn the_old_era() {
    let mut client = Client::connect();
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let mut answer = client.request(1, "initialize", params).await;
    let instructions = answer["result"]["instructions"].take();
    let instructions = instructions.as_str().unwrap();
    assert!(instructions.len() <= 2048, "{} bytes", instructions.len());
    assert_snapshot!(answer, @r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{},"tools":{}},"serverInfo":{"name":"zubi","version":"0.1.0"},"instructions":null}}"#);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    assert_snapshot!(client.request(2, "ping", json!({})).await, @r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    assert_json_snapshot!(client.request(3, "tools/list", json!({})).await["result"]["tools"][0], @r#"
    {
      "name": "test_echo",
      "title": "Test test.echo",
      "description": "Does one thing.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "text": {
            "type": "string",
            "description": "What to say."
          },
          "count": {
            "type": "integer",
            "description": "How often."
          }
        }
      },
      "annotations": {
        "readOnlyHint": true,
        "destructiveHint": false,
        "idempotentHint": true,
        "openWorldHint": false
      },
      "icons": [
        {
          "src": "data:image/webp;base64,UklGRh4AAABXRUJQVlA4TBIAAAAvBoABEKhgd2o//+GIRCIeGBg="
        }
      ],
      "_meta": {
        "anthropic/searchHint": "Test"
      }
    }
    "#);
    assert_snapshot!(client.call(4, "test_echo", json!({"text": "hi"})).await, @r#"{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"you said hi\n[test · ready]"}]}}"#);
}

#[tokio::test]
async fn the_stateless_era() {
    let mut client = Client::connect();
    let mut answer = client.request(1, "server/discover", modern(json!({}))).await;
    assert!(answer["result"]["instructions"].take().is_string());
    assert_snapshot!(answer, @r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"],"capabilities":{"resources":{},"tools":{}},"instructions":null,"ttlMs":3600000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"zubi","version":"0.1.0"}}}}"#);
    let list = client.request(2, "tools/list", modern(json!({}))).await;
    let without_tools = |mut list: Value| {
        list["result"]["tools"] = Value::Null;
        list
    };
    assert_snapshot!(without_tools(list), @r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","ttlMs":3600000,"cacheScope":"private","tools":null}}"#);
    assert_snapshot!(client.request(3, "tools/call", modern(json!({"name": "test_echo", "arguments": {"text": "hi"}}))).await, @r#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"you said hi\n[test · ready]"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"zubi","version":"0.1.0"}}}}"#);
    assert_snapshot!(client.request(4, "ping", modern(json!({}))).await, @r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"unknown method `ping`; this server has tools/list, tools/call, resources/list, resources/read and resources/templates/list"}}"#);
    assert_snapshot!(client.request(5, "tools/list", json!({})).await, @r#"{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"request _meta is missing or has malformed required fields: io.modelcontextprotocol/protocolVersion, io.modelcontextprotocol/clientCapabilities"}}"#);
    let mut other = modern(json!({}));
    other["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    assert_snapshot!(client.request(6, "tools/list", other).await, @r#"{"jsonrpc":"2.0","id":6,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2031-01-01","supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]}}}"#);
}

#[tokio::test]
async fn the_tool_list_is_fixed_and_has_all_hints() {
    let mut client = Client::new_initialized().await;
    let first = client.request(1, "tools/list", json!({})).await;
    let second = client.request(1, "tools/list", json!({})).await;
    assert_eq!(first.to_string(), second.to_string());
    let tools = first["result"]["tools"].as_array().unwrap();
    let lines: Vec<String> = tools
        .iter()
        .map(|tool| {
            assert!(tool.get("outputSchema").is_none());
            format!("{}: {}", tool["name"].as_str().unwrap(), tool["annotations"])
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    test_echo: {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
    test_fail: {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
    test_panic: {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}
    test_wait: {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
    test_progress: {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
    test_run: {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}
    test_vouched: {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}
    zubi_find_tools: {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
    zubi_call_read_tool: {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
    zubi_call_tool: {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}
    "#);
}

/// F9: a client that defers the tools of its servers does not see those behind `zubi_find_tools`.
#[tokio::test]
async fn a_client_that_searches_tools_gets_all_of_them() {
    let meta_tools = ["zubi_find_tools", "zubi_call_read_tool", "zubi_call_tool"];
    for (client_name, searches) in
        [("claude-code", true), ("qwen-code-mcp-client", true), ("qwen-cli-mcp-client-zubi", true), ("cline", false)]
    {
        let mut client = Client::connect();
        let handshake = client.initialize_as(client_name, json!({})).await;
        let list = client.request(1, "tools/list", json!({})).await;
        let tools = list["result"]["tools"].as_array().unwrap().clone();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names.contains(&"test_deferred"), searches, "{client_name}: {names:?}");
        assert_eq!(tools[0]["inputSchema"]["properties"].get("maxTokens").is_some(), searches, "{client_name}");
        let instructions = handshake["result"]["instructions"].as_str().unwrap();
        for meta_tool in meta_tools {
            assert_eq!(names.contains(&meta_tool), !searches, "{client_name}: {names:?}");
            assert_eq!(instructions.contains(meta_tool), !searches, "{client_name}: {instructions}");
        }
        for tool in tools {
            assert_eq!(tool["_meta"].as_object().unwrap().len(), 1, "{tool}");
            let icon = tool["icons"][0]["src"].as_str().unwrap();
            assert!(icon.starts_with("data:image/webp;base64,") && icon.len() < 100, "{icon}");
            assert!(tool["title"].is_string() && tool["annotations"].as_object().unwrap().len() == 4, "{tool}");
        }
    }
}

#[tokio::test]
async fn resources() {
    let mut client = Client::new_initialized().await;
    assert_snapshot!(client.request(1, "resources/list", json!({})).await["result"], @r#"{"ttlMs":3600000,"resources":[{"uri":"test://whole","name":"whole","description":"What is whole.","mimeType":"text/markdown"},{"uri":"test://broken","name":"broken","description":"What is broken.","mimeType":"text/markdown"}]}"#);
    assert_snapshot!(client.request(2, "resources/templates/list", json!({})).await["result"], @r#"{"ttlMs":3600000,"resourceTemplates":[]}"#);
    assert_snapshot!(client.request(3, "resources/read", json!({"uri": "test://whole"})).await["result"], @r#"{"ttlMs":3600000,"contents":[{"uri":"test://whole","mimeType":"text/markdown","text":"the text of test://whole"}]}"#);
    assert_snapshot!(client.request(4, "resources/read", json!({"uri": "test://broken"})).await["error"], @r#"{"code":-32603,"message":"Failed to read it: it is broken\nMend it."}"#);
    assert_snapshot!(client.request(5, "resources/read", json!({"uri": "test://absent"})).await["error"], @r#"{"code":-32002,"message":"there is no resource `test://absent`","data":{"uri":"test://absent"}}"#);
    assert_snapshot!(client.request(6, "resources/read", json!({})).await["error"], @r#"{"code":-32602,"message":"the parameters of `resources/read` are not what the protocol says"}"#);
    let mut client = Client::connect();
    let list = client.request(1, "resources/list", modern(json!({}))).await;
    assert_snapshot!(list["result"], @r#"{"resultType":"complete","ttlMs":3600000,"cacheScope":"private","resources":[{"uri":"test://whole","name":"whole","description":"What is whole.","mimeType":"text/markdown"},{"uri":"test://broken","name":"broken","description":"What is broken.","mimeType":"text/markdown"}]}"#);
    let read = client.request(2, "resources/read", modern(json!({"uri": "test://whole"}))).await;
    assert_snapshot!(read["result"], @r#"{"resultType":"complete","ttlMs":3600000,"cacheScope":"private","contents":[{"uri":"test://whole","mimeType":"text/markdown","text":"the text of test://whole"}]}"#);
    let absent = client.request(3, "resources/read", modern(json!({"uri": "test://absent"}))).await;
    assert_snapshot!(absent["error"], @r#"{"code":-32602,"message":"there is no resource `test://absent`","data":{"uri":"test://absent"}}"#);
}
