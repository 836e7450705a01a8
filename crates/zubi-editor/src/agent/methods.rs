//! The methods of the agent: requests of the chat view, tasks of extensions, and deltas of the editor's models.

use std::sync::Arc;

use dlang_server::{MethodTable, from_value};

use super::{SURFACE, request_failed};
use crate::tools::ConnectionTools;
use crate::wire::agent::AgentRequestParams;
use crate::wire::{AGENT_REQUEST, AGENT_RUN, MODEL_DELTA};

/// Adds the methods of the agent of these tools, if there is one, to the table.
pub(crate) fn methods(tools: &Arc<ConnectionTools>, methods: MethodTable) -> MethodTable {
    let Some(agent) = &tools.agent else { return methods };
    let (request_tools, task_tools, task_agent, models) =
        (Arc::clone(tools), Arc::clone(tools), Arc::clone(agent), agent.models.clone());
    let methods = methods
        .start(AGENT_REQUEST, move |params, responder| {
            request_tools.begin(|tools, host| async move {
                let answer = async {
                    let AgentRequestParams { method, params } = from_value(&params)?;
                    let chat = tools.chat(&host).await?;
                    chat.request(&method, params, SURFACE).await.map_err(|error| request_failed(&error))
                };
                responder.answer(answer.await);
            });
        })
        .start(AGENT_RUN, move |params, responder| {
            let agent = Arc::clone(&task_agent);
            task_tools.begin(|tools, host| async move {
                let answer = async {
                    let params = from_value(&params)?;
                    let chat = tools.chat(&host).await?;
                    agent.run(chat, params, &responder).await
                };
                let answer = answer.await;
                responder.answer(answer);
            });
        });
    match models {
        Some(models) => methods.on_notification(MODEL_DELTA, move |params| models.handle_delta(params)),
        None => methods,
    }
}
