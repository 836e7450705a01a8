//! A foreign client, the official library's, shows prompts to its user in both eras.

use std::sync::{Arc, Mutex};

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use zubi_mcp::ElicitationMode;

use crate::client::{ServedPair, with_deadline};

/// The user of a client, who answers every form in the same way.
#[derive(Clone)]
struct User {
    answer: Option<Value>,
    prompts: Arc<Mutex<Vec<String>>>,
    shows_forms: bool,
}

impl ClientHandler for User {
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let form = serde_json::to_value(&request).unwrap();
        self.prompts.lock().unwrap().push(form["message"].as_str().unwrap().to_owned());
        Ok(match &self.answer {
            Some(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content.clone()),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }

    fn get_info(&self) -> ClientConfig {
        let capabilities = json!({"elicitation": {"form": {}}});
        let capabilities = if self.shows_forms { capabilities } else { json!({}) };
        let capabilities: ClientCapabilities = serde_json::from_value(capabilities).unwrap();
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }
}

#[tokio::test]
async fn an_official_client_prompts_its_user_in_both_eras() {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    for lifecycle in [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }] {
        for (shows_forms, answer, expected) in [
            (true, Some(json!({"answer": "yes: this call"})), "you said hi\n[test · ready]"),
            (true, None, "Failed to run test.run: the user denied it (it runs `say hi`)"),
            (false, None, "Failed to run test.run: it runs `say hi`, and no one can approve it here"),
        ] {
            let server = ServedPair::new(ElicitationMode::default());
            let user = User { answer, prompts: Arc::default(), shows_forms };
            let connected = user.clone().serve_with_lifecycle((server.read, server.write), lifecycle.clone());
            let client = with_deadline("the handshake", connected).await.unwrap();
            let arguments = json!({"text": "hi"}).as_object().cloned().unwrap();
            let call = CallToolRequestParams::new("test_run").with_arguments(arguments);
            let answer = with_deadline("the answer", client.call_tool(call)).await.unwrap();
            let answer = serde_json::to_value(&answer).unwrap();
            let text = answer["content"][0]["text"].as_str().unwrap();
            assert!(text.starts_with(expected), "{lifecycle:?}: {text}");
            let prompts = user.prompts.lock().unwrap().clone();
            assert_eq!(prompts.len(), usize::from(shows_forms), "{prompts:?}");
            assert!(prompts.iter().all(|form| form.contains("command    say hi")), "{prompts:?}");
            with_deadline("the end", client.cancel()).await.unwrap();
        }
    }
}
