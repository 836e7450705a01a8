//! Requests and answers over each API, against a scripted server.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;
use scripted_models::{Dialect, End, Expect, ScriptedReply, Server, Stop, Turn};
use serde_json::{Value, json};

use super::*;
use crate::keys::ApiKey;
use crate::message::{AssistantMessage, PromptMessage, ToolCall, ToolResult};
use crate::provider::ProviderTimeouts;
use crate::{AnswerDelta, ToolDefinition};

mod endings;
mod requests;

const KEY: &str = "a-key-that-is-secret";
const NATIVE: [Dialect; 4] = [Dialect::Responses, Dialect::Anthropic, Dialect::Gemini, Dialect::Ollama];

fn config(dialect: Dialect, server: &Server) -> ProviderConfig {
    ProviderConfig {
        provider: dialect.name().to_owned(),
        api: match dialect {
            Dialect::OpenAiChat => Api::OpenaiChat,
            Dialect::Responses => Api::OpenaiResponses,
            Dialect::Anthropic => Api::Anthropic,
            Dialect::Gemini => Api::Gemini,
            Dialect::Ollama => Api::Ollama,
        },
        url: Url::parse(&server.url()).unwrap(),
        key: Some(ApiKey::new(KEY, "a test")),
        key_header: None,
        headers: HeaderMap::new(),
        query: BTreeMap::new(),
        context: None,
        models: Vec::new(),
        timeouts: ProviderTimeouts {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(20),
            ..ProviderTimeouts::default()
        },
    }
}

fn user_message(text: &str) -> PromptMessage {
    PromptMessage::User { text: text.to_owned() }
}

fn tool_definitions() -> Vec<ToolDefinition> {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" }, "kinds": { "type": "array", "items":
        { "type": "string", "enum": ["a", "b"] } } }, "required": ["path"], "additionalProperties": false });
    let name = "file_read".to_owned();
    vec![ToolDefinition { name, description: "Reads a file.".to_owned(), schema }]
}

/// Sends a request to one model, and checks that the deltas add up to the returned answer.
async fn query_model(
    config: ProviderConfig,
    model: &str,
    messages: &[PromptMessage],
) -> Result<ModelAnswer, ModelError> {
    let model = GenaiProvider::new(config).open(model).await?;
    let received = Mutex::new((String::new(), String::new()));
    let on_delta = |delta: AnswerDelta| {
        let mut received = received.lock().unwrap();
        match delta {
            AnswerDelta::Text(text) => received.0.push_str(&text),
            AnswerDelta::Reasoning(text) => received.1.push_str(&text),
        }
    };
    let tools = tool_definitions();
    let prompt = Prompt { system: "Be brief.", messages, tools: &tools, max_output: None };
    let answer = model.answer(prompt, &on_delta).await?;
    assert_eq!(*received.lock().unwrap(), (answer.message.text.clone(), answer.message.reasoning.clone()));
    Ok(answer)
}

/// Returns the answer of a server with these turns.
async fn serve_and_query(dialect: Dialect, turn: Turn) -> Result<ModelAnswer, ModelError> {
    let server = Server::start(dialect, KEY, vec![turn]);
    let answer = query_model(config(dialect, &server), "scripted", &[user_message("Hello")]).await;
    server.finish();
    answer
}

fn scripted_answer() -> ScriptedReply {
    ScriptedReply::text("Ich sehe: “größer”, 😀. ")
        .with_reasoning("Let me see. ", Some("c2lnbmF0dXJl"))
        .call("file_read", json!({ "path": "a “b” 😀.md", "deep": { "list": [1, null, "\n"] } }))
        .call("file_list", json!({}))
        .usage(100, 20, 60)
}

/// Returns an answer without the ids of its calls, which are the provider's or random.
fn without_ids(mut answer: ModelAnswer) -> ModelAnswer {
    for (at, call) in answer.message.calls.iter_mut().enumerate() {
        assert!(!call.id.is_empty());
        call.id = format!("{at}");
    }
    answer
}

#[tokio::test]
async fn all_apis_return_the_same_answer() {
    for dialect in NATIVE {
        let answer = without_ids(serve_and_query(dialect, Turn::reply(scripted_answer())).await.unwrap());
        assert_eq!(answer.message.text, "Ich sehe: “größer”, 😀. ", "{dialect:?}");
        assert_eq!(answer.message.reasoning, "Let me see. ", "{dialect:?}");
        let path = json!({ "path": "a “b” 😀.md", "deep": { "list": [1, null, "\n"] } });
        let call =
            |id: &str, tool: &str, arguments: Value| ToolCall { id: id.to_owned(), tool: tool.to_owned(), arguments };
        let calls = vec![call("0", "file_read", path), call("1", "file_list", json!({}))];
        assert_eq!(answer.message.calls, calls, "{dialect:?}");
        let cached = if dialect == Dialect::Ollama { 0 } else { 60 };
        assert_eq!(answer.usage, crate::message::TokenUsage { input: 100, output: 20, cached }, "{dialect:?}");
        assert_eq!(answer.stop, super::super::FinishReason::Finished, "{dialect:?}");
        assert_eq!(answer.message.native.is_some(), dialect != Dialect::Ollama, "{dialect:?}");
    }
}

#[tokio::test]
async fn the_answer_does_not_depend_on_how_the_bytes_are_split() {
    for dialect in NATIVE {
        let complete = without_ids(serve_and_query(dialect, Turn::reply(scripted_answer())).await.unwrap());
        for split in [1, 2, 3, 5, 64] {
            for end in [End::Done, End::Close] {
                let split_answer =
                    serve_and_query(dialect, Turn::reply(scripted_answer()).split(split).end(end)).await.unwrap();
                assert_eq!(without_ids(split_answer), complete, "{dialect:?} {split}");
            }
        }
    }
}

#[tokio::test]
async fn finish_reasons_are_mapped() {
    for dialect in NATIVE {
        for (stop, expected) in [
            (Stop::Finished, crate::FinishReason::Finished),
            (Stop::Length, crate::FinishReason::Length),
            (Stop::Filtered, crate::FinishReason::Filtered),
        ] {
            if dialect == Dialect::Ollama && stop == Stop::Filtered {
                // This API has no field for it.
                continue;
            }
            let answer = serve_and_query(dialect, Turn::reply(ScriptedReply::text("So ").stop(stop))).await.unwrap();
            assert_eq!((answer.stop, answer.message.text.as_str()), (expected, "So "), "{dialect:?}");
        }
    }
}

#[tokio::test]
async fn provider_specific_data_is_sent_only_to_its_provider() {
    let thinking = json!({ "type": "thinking", "thinking": "Let me see. ", "signature": "c2lnbmF0dXJl" });
    let reasoning = json!({ "type": "reasoning", "encrypted_content": "c2lnbmF0dXJl", "summary": [] });
    for (dialect, pointer, value) in [
        (Dialect::Anthropic, "/messages/1/content/0", thinking),
        (Dialect::Responses, "/input/1", reasoning),
        (Dialect::Gemini, "/contents/1/parts/1/thoughtSignature", json!("c2lnbmF0dXJl")),
    ] {
        let second_turn = Turn::reply(ScriptedReply::text("Yes.")).expect(Expect::Equals(pointer, value));
        let server = Server::start(
            dialect,
            KEY,
            vec![Turn::reply(scripted_answer()), second_turn, Turn::reply(ScriptedReply::text("Yes."))],
        );
        let first = query_model(config(dialect, &server), "scripted", &[user_message("Hello")]).await.unwrap();
        let mut messages = vec![user_message("Hello"), PromptMessage::Assistant(first.message.clone())];
        messages.extend(first.message.calls.iter().map(|call| {
            let (call, tool, text) = (call.id.clone(), call.tool.clone(), "tea".to_owned());
            PromptMessage::Tool(ToolResult { call, tool, text, is_error: false })
        }));
        query_model(config(dialect, &server), "scripted", &messages).await.unwrap();
        // Another model of the same provider cannot read it.
        query_model(config(dialect, &server), "another", &messages).await.unwrap();
        let last = server.requests().pop().unwrap();
        assert!(!last.body.to_string().contains("c2lnbmF0dXJl"), "{dialect:?}: {}", last.body);
        server.finish();
    }
}

#[tokio::test]
async fn ids_are_made_unique() {
    for dialect in NATIVE {
        // The script's ids are the same in each answer.
        let server = Server::start(dialect, KEY, vec![Turn::reply(scripted_answer()), Turn::reply(scripted_answer())]);
        let first = query_model(config(dialect, &server), "scripted", &[user_message("Hello")]).await.unwrap().message;
        let second = [user_message("Hello"), PromptMessage::Assistant(first.clone())];
        let second = query_model(config(dialect, &server), "scripted", &second).await.unwrap().message;
        let ids: Vec<String> = first.calls.into_iter().chain(second.calls).map(|call| call.id).collect();
        let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), 4, "{dialect:?} {ids:?}");
        server.finish();
    }
}

#[tokio::test]
async fn models_are_listed() {
    for dialect in NATIVE {
        let server = Server::start(dialect, KEY, Vec::new());
        let mut config = config(dialect, &server);
        let listed = GenaiProvider::new(config.clone()).models().await.unwrap();
        let ids: Vec<&str> = listed.iter().map(|model| model.id.as_str()).collect();
        assert_eq!(ids, [format!("{}/scripted", dialect.name())]);
        config.models = vec!["mine".to_owned()];
        assert_eq!(GenaiProvider::new(config).models().await.unwrap()[0].name, "mine");
        server.finish();
    }
}
