//! The request to each provider: the same conversation in the provider's own format.

use super::*;

/// A conversation with every feature that providers treat differently.
fn conversation() -> Vec<PromptMessage> {
    let call = |id: &str, arguments: Value| ToolCall { id: id.to_owned(), tool: "file_read".to_owned(), arguments };
    let tool_result = |id: &str, text: &str, is_error: bool| {
        let (call, tool, text) = (id.to_owned(), "file_read".to_owned(), text.to_owned());
        PromptMessage::Tool(ToolResult { call, tool, text, is_error })
    };
    let calls = vec![call("call#file_read#1", json!({ "path": "a.md" })), call("two", json!("{\"path\": "))];
    vec![
        user_message("Before."),
        user_message("What is in a.md?"),
        user_message("  "),
        PromptMessage::Assistant(AssistantMessage { text: "\n".to_owned(), calls, ..AssistantMessage::default() }),
        tool_result("call#file_read#1", "tea", false),
        tool_result("two", "Invalid input: no object", true),
        user_message("Be quick."),
        PromptMessage::Assistant(AssistantMessage {
            text: "Tea.".to_owned(),
            reasoning: "Hm.".to_owned(),
            ..AssistantMessage::default()
        }),
        user_message("Thanks."),
    ]
}

/// Returns the body of the request without the parts that all share.
async fn check(dialect: Dialect) -> String {
    let turn = Turn::reply(ScriptedReply::text("Yes.")).expect(Expect::Tools(vec!["file_read"]));
    let server = Server::start(dialect, KEY, vec![turn]);
    query_model(config(dialect, &server), "scripted", &conversation()).await.unwrap();
    let mut body = server.requests()[0].body.clone();
    server.finish();
    let tools = body.as_object_mut().unwrap().remove("tools").unwrap();
    let mut lines = vec![format!("tools {tools}")];
    for (name, value) in body.as_object().unwrap() {
        match value.as_array() {
            Some(list) => lines.extend(list.iter().map(|item| format!("{name} {item}"))),
            None => lines.push(format!("{name} {value}")),
        }
    }
    lines.join("\n")
}

#[tokio::test]
async fn anthropic() {
    insta::assert_snapshot!(check(Dialect::Anthropic).await, @r#"
    tools [{"name":"file_read","input_schema":{"type":"object","properties":{"path":{"type":"string"},"kinds":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["path"],"additionalProperties":false},"description":"Reads a file."}]
    model "scripted"
    stream true
    system "Be brief."
    max_tokens 64000
    messages {"role":"user","content":"Before.\n\nWhat is in a.md?"}
    messages {"role":"assistant","content":[{"type":"tool_use","id":"call_63616c6c2366696c655f726561642331","name":"file_read","input":{"path":"a.md"}},{"type":"tool_use","id":"two","name":"file_read","input":{"invalid":"{\"path\": "}}]}
    messages {"role":"user","content":[{"type":"tool_result","content":"tea","tool_use_id":"call_63616c6c2366696c655f726561642331"},{"type":"tool_result","tool_use_id":"two","content":"Invalid input: no object","is_error":true},{"type":"text","text":"Be quick."}]}
    messages {"role":"assistant","content":"Tea."}
    messages {"role":"user","content":[{"type":"text","text":"Thanks.","cache_control":{"type":"ephemeral"}}]}
    "#);
}

#[tokio::test]
async fn gemini() {
    insta::assert_snapshot!(check(Dialect::Gemini).await, @r#"
    tools [{"functionDeclarations":[{"name":"file_read","description":"Reads a file.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"},"kinds":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["path"],"additionalProperties":false}}]}]
    generationConfig {"thinkingConfig":{"includeThoughts":true}}
    systemInstruction {"parts":[{"text":"Be brief."}]}
    contents {"role":"user","parts":[{"text":"Before."}]}
    contents {"role":"user","parts":[{"text":"What is in a.md?"}]}
    contents {"role":"model","parts":[{"functionCall":{"name":"file_read","args":{"path":"a.md"}}},{"functionCall":{"id":"two","name":"file_read","args":{"invalid":"{\"path\": "}}}]}
    contents {"role":"user","parts":[{"functionResponse":{"name":"file_read","response":{"name":"file_read","content":"tea"}}},{"functionResponse":{"name":"file_read","response":{"name":"file_read","content":"Invalid input: no object"},"id":"two"}}]}
    contents {"role":"user","parts":[{"text":"Be quick."}]}
    contents {"role":"model","parts":[{"text":"Tea."}]}
    contents {"role":"user","parts":[{"text":"Thanks."}]}
    "#);
}

#[tokio::test]
async fn ollama() {
    insta::assert_snapshot!(check(Dialect::Ollama).await, @r#"
    tools [{"type":"function","function":{"name":"file_read","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"},"kinds":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["path"],"additionalProperties":false}}}]
    model "scripted"
    messages {"role":"system","content":"Be brief."}
    messages {"role":"user","content":"Before."}
    messages {"role":"user","content":"What is in a.md?"}
    messages {"role":"assistant","content":"\n","tool_calls":[{"function":{"name":"file_read","arguments":{"path":"a.md"}}},{"function":{"name":"file_read","arguments":{"invalid":"{\"path\": "}}}]}
    messages {"role":"tool","tool_name":"file_read","content":"tea"}
    messages {"role":"tool","tool_name":"file_read","content":"Invalid input: no object"}
    messages {"role":"user","content":"Be quick."}
    messages {"role":"assistant","content":"Tea."}
    messages {"role":"user","content":"Thanks."}
    stream true
    options {"num_ctx":32000}
    "#);
}

#[tokio::test]
async fn ollama_receives_the_context_size() {
    for (configured, expected) in [(None, scripted_models::CONTEXT), (Some(50_000), 50_000)] {
        let turn = Turn::reply(ScriptedReply::text("Yes.")).expect(Expect::Equals("/options/num_ctx", json!(expected)));
        let server = Server::start(Dialect::Ollama, KEY, vec![turn]);
        let config = ProviderConfig { context: configured, ..config(Dialect::Ollama, &server) };
        let model = GenaiProvider::new(config.clone()).open("scripted").await.unwrap();
        assert_eq!(model.info().context, Some(expected));
        query_model(config, "scripted", &[user_message("Hello")]).await.unwrap();
        server.finish();
    }
}

#[tokio::test]
async fn responses() {
    insta::assert_snapshot!(check(Dialect::Responses).await, @r#"
    tools [{"type":"function","name":"file_read","parameters":{"type":"object","properties":{"path":{"type":"string"},"kinds":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["path"],"additionalProperties":false},"description":"Reads a file.","strict":false}]
    store false
    model "scripted"
    stream true
    instructions "Be brief."
    reasoning {"summary":"detailed"}
    include "reasoning.encrypted_content"
    input {"role":"user","content":"Before."}
    input {"role":"user","content":"What is in a.md?"}
    input {"type":"function_call","call_id":"call_63616c6c2366696c655f726561642331","name":"file_read","arguments":"{\"path\":\"a.md\"}"}
    input {"type":"function_call","call_id":"two","name":"file_read","arguments":"{\"invalid\":\"{\\\"path\\\": \"}"}
    input {"type":"function_call_output","call_id":"call_63616c6c2366696c655f726561642331","output":"tea"}
    input {"type":"function_call_output","call_id":"two","output":"Invalid input: no object"}
    input {"role":"user","content":"Be quick."}
    input {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Tea."}]}
    input {"role":"user","content":"Thanks."}
    "#);
}

#[tokio::test]
async fn model_names_are_sent_unchanged() {
    for dialect in NATIVE {
        for name in ["gpt-5.1-codex-max", "claude-sonnet-4-5-high", "a::b"] {
            let server = Server::start(dialect, KEY, vec![Turn::reply(ScriptedReply::text("Yes."))]);
            query_model(config(dialect, &server), name, &[user_message("Hello")]).await.unwrap();
            let request = server.requests().pop().unwrap();
            let sent = if dialect == Dialect::Gemini { json!(request.path) } else { request.body["model"].clone() };
            assert!(sent.as_str().unwrap().contains(name), "{dialect:?} {name}: {sent}");
            assert!(
                !request.body.to_string().contains("effort") && !request.body.to_string().contains("thinkingBudget")
            );
            server.finish();
        }
        let server = Server::start(dialect, KEY, Vec::new());
        for name in ["", "../other", "a\nb"] {
            assert_eq!(
                query_model(config(dialect, &server), name, &[user_message("x")]).await.unwrap_err().kind,
                ErrorKind::NotConfigured
            );
        }
    }
}

#[tokio::test]
async fn address_headers_and_key_come_from_the_configuration() {
    for dialect in NATIVE {
        let expected = Turn::reply(ScriptedReply::text("Yes."))
            .expect(Expect::Header("x-of-mine", "1".to_owned()))
            .expect(Expect::Header("x-gateway", "a-key-for-it".to_owned()));
        // The script itself checks the usual header.
        let server = Server::start(dialect, "", vec![expected]);
        let mut config = config(dialect, &server);
        config.headers.insert("x-of-mine", HeaderValue::from_static("1"));
        config.key_header = Some(HeaderName::from_static("x-gateway"));
        config.key = Some(ApiKey::new("a-key-for-it", "a test"));
        config.query.insert("api-version".to_owned(), "7".to_owned());
        query_model(config, "scripted", &[user_message("Hello")]).await.unwrap();
        let request = server.requests().pop().unwrap();
        assert!(request.query.contains("api-version=7"), "{}", request.query);
        let others = request.headers.iter().filter(|(name, value)| name != "x-gateway" && value.contains("a-key"));
        assert_eq!(others.count(), 0, "{:?}", request.headers);
        server.finish();
    }
}

#[tokio::test]
async fn reasoning_is_not_requested_from_a_model_without_it() {
    for (dialect, words, pointer) in [
        (
            Dialect::Responses,
            "Unsupported parameter: 'reasoning.summary' is not supported with this model.",
            "/reasoning",
        ),
        (Dialect::Gemini, "Thinking is not enabled for models/gemini-1", "/generationConfig/thinkingConfig"),
    ] {
        let refused = Turn::refusal(400, words).expect(Expect::Contains(pointer, String::new()));
        let plain = || Turn::reply(ScriptedReply::text("Yes.")).expect(Expect::Lacks(pointer));
        let server = Server::start(dialect, KEY, vec![refused, plain(), plain()]);
        let model = GenaiProvider::new(config(dialect, &server)).open("scripted").await.unwrap();
        for _ in 0..2 {
            let messages = [user_message("Hello")];
            let prompt = Prompt { system: "", messages: &messages, tools: &[], max_output: Some(500) };
            assert_eq!(model.answer(prompt, &|_| {}).await.unwrap().message.text, "Yes.");
        }
        server.finish();
        // An unrelated error is reported unchanged.
        let server = Server::start(dialect, KEY, vec![Turn::refusal(400, words), Turn::refusal(400, "no")]);
        let error = query_model(config(dialect, &server), "scripted", &[user_message("Hello")]).await.unwrap_err();
        assert!(error.message.contains(words), "{error}");
        server.finish();
    }
}
