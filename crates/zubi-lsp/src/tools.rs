//! `zubi/tools/list` and `zubi/tools/call`: the tools, as every surface has them.
//!
//! The host that has them is made for the folders that the editor has open. When it opens others another host is made, and
//! the one before ends as soon as nobody asks it any more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use camino::Utf8PathBuf;
use dlang_server::{Answer, MethodTable, RequestError, Responder, from_value};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zubi_host::{CallAnswer, CallRequest, Circumstances, NoHost, ToolService};
use zubi_tools::cx::{Caller, NoProgress, NobodyToAsk, ProgressSink, Restrictions, Surface};
use zubi_tools::progress::Throttled;

use crate::progress::ToClient;
use crate::view::Told;
use crate::{Make, Wanted};

/// The longest a call may take if nobody cancels it; tools' own time-outs are shorter.
const PATIENCE: Duration = Duration::from_mins(10);

/// The tools of one connection.
pub(crate) struct Tools {
    runtime: Handle,
    make: Arc<Make>,
    /// The one for the folders that are open now.
    host: Mutex<Arc<Host>>,
    /// The ends of those before it.
    ends: TaskTracker,
    /// What the editor has told without being asked.
    told: Arc<Told>,
    caller: Arc<Caller>,
}

/// A host, once it is made.
struct Host {
    wanted: Wanted,
    service: OnceCell<Result<Arc<dyn ToolService>, String>>,
    /// The questions to it that are not over.
    questions: TaskTracker,
}

impl Host {
    fn new(wanted: Wanted) -> Arc<Self> {
        Arc::new(Self { wanted, service: OnceCell::new(), questions: TaskTracker::new() })
    }

    async fn shutdown(&self) {
        if let Some(Ok(service)) = self.service.get() {
            service.shutdown().await;
        }
    }
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
    let (list, call, folders, told) =
        (Arc::clone(tools), Arc::clone(tools), Arc::clone(tools), Arc::clone(&tools.told));
    MethodTable::new()
        .start("zubi/tools/list", move |_, responder| {
            list.begin(|tools, host| async move { responder.answer(tools.list(&host).await) });
        })
        .start("zubi/tools/call", move |params, responder| {
            call.begin(|tools, host| async move {
                let answer = match from_value(&params) {
                    Ok(params) => tools.call(&host, params, &responder).await,
                    Err(error) => Err(error),
                };
                responder.answer(answer);
            });
        })
        .hear("zubi/editor/didChange", move |params| {
            if let Err(error) = told.did_change(&params) {
                tracing::warn!("zubi/editor/didChange cannot be read: {error}");
            }
        })
        .hear_folders(move |open| folders.open(open))
}

impl Tools {
    pub(crate) fn new(
        runtime: Handle,
        make: Arc<Make>,
        wanted: Wanted,
        told: Arc<Told>,
        client: Option<String>,
    ) -> Self {
        // What writes would write to disk, under texts that the editor may have changed and not saved. Edits that go through
        // the editor need messages that the channel does not have yet; until then there are plans, and nothing that applies
        // them.
        let restrictions = Restrictions { read_only: true, ..Restrictions::default() };
        let caller = Arc::new(Caller { surface: Surface::Editor, client, session: 0, restrictions });
        Self { runtime, make, host: Mutex::new(Host::new(wanted)), ends: TaskTracker::new(), told, caller }
    }

    /// Makes the host for the folders that are open now, if none is yet; returns at once.
    pub(crate) fn make(self: &Arc<Self>) {
        self.begin(|tools, host| async move {
            // Of several changes of folders that come together the last one counts.
            if Arc::ptr_eq(&tools.current(), &host)
                && let Err(error) = tools.service(&host).await
            {
                tracing::warn!("{error}");
            }
        });
    }

    /// Begins a question to the host for the folders that are open now, and returns at once.
    fn begin<Asked>(self: &Arc<Self>, ask: impl FnOnce(Arc<Self>, Arc<Host>) -> Asked)
    where
        Asked: Future<Output = ()> + Send + 'static,
    {
        let current = self.current();
        // Before the lock is given back, so that a host is not ended between being found and being asked.
        let question = current.questions.track_future(ask(Arc::clone(self), Arc::clone(&current)));
        drop(current);
        self.runtime.spawn(question);
    }

    /// The editor has these folders open now. Returns at once.
    fn open(self: &Arc<Self>, folders: &[Utf8PathBuf]) {
        self.told.open_folders(folders);
        let mut current = self.current();
        if current.wanted.folders == folders {
            return;
        }
        let wanted = Wanted { folders: folders.to_vec(), ..current.wanted.clone() };
        let before = std::mem::replace(&mut *current, Host::new(wanted));
        drop(current);
        before.questions.close();
        self.runtime.spawn(self.ends.track_future(async move {
            before.questions.wait().await;
            before.shutdown().await;
        }));
        self.make();
    }

    fn current(&self) -> MutexGuard<'_, Arc<Host>> {
        self.host.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a host consists of; who comes first makes it.
    async fn service<'host>(&self, host: &'host Host) -> Result<&'host Arc<dyn ToolService>, RequestError> {
        let made = host.service.get_or_init(|| async {
            let (make, wanted) = (Arc::clone(&self.make), host.wanted.clone());
            // It reads configuration from disk.
            match self.runtime.spawn_blocking(move || make(wanted)).await {
                Ok(made) => made,
                Err(error) => Err(format!("making the host failed: {error}")),
            }
        });
        made.await.as_ref().map_err(|why| RequestError::Failed(format!("Failed to start zubi's tools: {why}")))
    }

    async fn list(&self, host: &Host) -> Answer {
        let specs = self.service(host).await?.list(&self.caller.restrictions).await;
        let specs = specs.map_err(|error| RequestError::Failed(format!("{error}\n{}", NoHost::NEXT)))?;
        Ok(json!({ "tools": specs.iter().map(|spec| spec.to_json()).collect::<Vec<_>>() }))
    }

    async fn call(&self, host: &Host, params: CallParams, responder: &Responder) -> Answer {
        let cancel = CancellationToken::new();
        let given_up = cancel.clone();
        responder.cancel().on_cancel(move || given_up.cancel());
        let service = self.service(host).await?;
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
            Ok(CallAnswer { text, failure: None, .. }) => Ok(json!({ "text": text, "isError": false })),
            Ok(CallAnswer { text, failure: Some(code), .. }) => {
                Ok(json!({ "text": text, "isError": true, "code": code }))
            }
            Err(unknown) => Err(RequestError::InvalidParams { field: "id".to_owned(), message: unknown.to_string() }),
        }
    }

    /// Ends all hosts. Returns when nothing is left.
    pub(crate) async fn shutdown(&self) {
        self.ends.close();
        let host = Arc::clone(&self.current());
        tokio::join!(self.ends.wait(), host.shutdown());
    }
}
