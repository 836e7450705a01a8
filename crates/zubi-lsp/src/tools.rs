//! `zubi/tools/list` and `zubi/tools/call`: the tools, as every surface has them.

use std::sync::Arc;
use std::time::Duration;

use dlang_server::{Answer, MethodTable, RequestError, Responder, from_value};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OnceCell};
use tokio_util::sync::CancellationToken;
use zubi_host::{CallRequest, Circumstances, ToolService};
use zubi_tools::cx::{Caller, NoProgress, NobodyToAsk, ProgressSink, Restrictions, Surface};
use zubi_tools::progress::Throttled;

use crate::progress::ToClient;
use crate::{Make, Wanted};

/// The longest a call may take if nobody cancels it; tools' own time-outs are shorter.
const PATIENCE: Duration = Duration::from_mins(10);

/// The tools of one connection.
pub(crate) struct Tools {
    runtime: Handle,
    make: Arc<Make>,
    /// Taken when the host is made.
    wanted: Mutex<Option<Wanted>>,
    service: OnceCell<Result<Arc<dyn ToolService>, String>>,
    caller: Arc<Caller>,
}

/// A call, as the client asks for it.
#[derive(Deserialize)]
struct CallParams {
    /// Id or wire name of the tool.
    id: String,
    #[serde(default)]
    args: Value,
    /// Where progress goes.
    token: Option<Value>,
    /// Upper bound of the text, in tokens.
    budget: Option<usize>,
}

/// The methods over these tools.
pub(crate) fn methods(tools: &Arc<Tools>) -> MethodTable {
    let (list, call) = (Arc::clone(tools), Arc::clone(tools));
    MethodTable::new()
        .start("zubi/tools/list", move |_, responder| {
            let tools = Arc::clone(&list);
            list.runtime.spawn(async move { responder.answer(tools.list().await) });
        })
        .start("zubi/tools/call", move |params, responder| {
            let tools = Arc::clone(&call);
            call.runtime.spawn(async move {
                let answer = match from_value(&params) {
                    Ok(params) => tools.call(params, &responder).await,
                    Err(error) => Err(error),
                };
                responder.answer(answer);
            });
        })
}

impl Tools {
    pub(crate) fn new(runtime: Handle, make: Arc<Make>, wanted: Wanted, client: Option<String>) -> Self {
        // What writes would write to disk, under texts that the editor may have changed and not saved. Edits that go through
        // the editor need messages that the channel does not have yet; until then there are plans, and nothing that applies
        // them.
        let restrictions = Restrictions { read_only: true, ..Restrictions::default() };
        let caller = Arc::new(Caller { surface: Surface::Editor, client, restrictions });
        Self { runtime, make, wanted: Mutex::new(Some(wanted)), service: OnceCell::new(), caller }
    }

    /// The host, which the first question makes.
    async fn service(&self) -> Result<&Arc<dyn ToolService>, RequestError> {
        let made = self.service.get_or_init(|| async {
            let Some(wanted) = self.wanted.lock().await.take() else { return Err("there is no host".to_owned()) };
            let make = Arc::clone(&self.make);
            // It reads configuration from disk.
            match self.runtime.spawn_blocking(move || make(wanted)).await {
                Ok(made) => made,
                Err(error) => Err(format!("making the host failed: {error}")),
            }
        });
        made.await.as_ref().map_err(|why| RequestError::Failed(format!("Failed to start zubi's tools: {why}")))
    }

    async fn list(&self) -> Answer {
        let specs = self.service().await?.list(&self.caller.restrictions).await;
        Ok(json!({ "tools": specs.iter().map(|spec| spec.to_json()).collect::<Vec<_>>() }))
    }

    async fn call(&self, params: CallParams, responder: &Responder) -> Answer {
        let cancel = CancellationToken::new();
        let given_up = cancel.clone();
        responder.cancel().on_cancel(move || given_up.cancel());
        let service = self.service().await?;
        let shown =
            params.token.map(|token| Arc::new(ToClient::new(responder.client().clone(), token, params.id.clone())));
        let progress: Arc<dyn ProgressSink> = match &shown {
            Some(shown) => Arc::new(Throttled::new(Arc::clone(shown) as Arc<dyn ProgressSink>)),
            None => Arc::new(NoProgress),
        };
        let request = CallRequest {
            tool: params.id,
            arguments: params.args,
            caller: Arc::clone(&self.caller),
            token_budget: params.budget,
        };
        let circumstances = Circumstances { cancel, progress, approver: Arc::new(NobodyToAsk), patience: PATIENCE };
        let answer = service.call(request, circumstances).await;
        if let Some(shown) = shown {
            shown.end();
        }
        match answer {
            Ok(answer) => Ok(json!({ "text": answer.text, "isError": answer.failure.is_some() })),
            Err(unknown) => Err(RequestError::InvalidParams { field: "id".to_owned(), message: unknown.to_string() }),
        }
    }

    pub(crate) async fn shutdown(&self) {
        if let Some(Ok(service)) = self.service.get() {
            service.shutdown().await;
        }
    }
}
