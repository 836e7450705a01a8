//! Tools with one behaviour each: answer, fail, panic, report progress, wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use zubi_tool_api::spec::{Approval, Effect, Example, Exposure};
use zubi_tool_api::{
    Footprint, OutputStatus, ProviderId, Resource, ResourceSpec, ResourceText, Tool, ToolCx, ToolError, ToolOutput,
    ToolProvider, ToolSpec,
};

/// Signals between the tests and the tools.
#[derive(Default)]
pub(crate) struct Signals {
    /// A waiting tool has started.
    pub(crate) started: Notify,
    /// Lets a waiting tool answer.
    pub(crate) resume: Notify,
    /// A waiting tool has noticed its cancellation.
    pub(crate) cancelled: Notify,
    /// The number of runs of `test.run`.
    pub(crate) runs: AtomicUsize,
}

struct TestTool {
    spec: ToolSpec,
    signals: Arc<Signals>,
}

#[async_trait]
impl Tool for TestTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn footprint(&self, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let footprint = Footprint::from_effect(self.spec.effect);
        Ok(match self.spec.id.as_str() {
            // A command that prints its text, in a directory, with a secret.
            "test.run" => Footprint {
                commands: vec![vec!["say".to_owned(), args["text"].as_str().unwrap_or_default().to_owned()]],
                directory: Some("/w".into()),
                secrets: vec!["TOKEN".to_owned()],
                ..footprint
            },
            "test.vouched" => Footprint { is_reviewed: true, ..footprint },
            _ => footprint,
        })
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let text = args["text"].as_str().unwrap_or("nothing").to_owned();
        if self.spec.id == "test.run" {
            self.signals.runs.fetch_add(1, Ordering::Relaxed);
        }
        match self.spec.id.as_str() {
            "test.fail" => Err(ToolError::operation_failed("look it up", "the server is gone", "Ask again.")),
            "test.panic" => panic!("{text}"),
            id if id == "test.wait" || (id == "test.run" && text == "wait") => {
                self.signals.started.notify_one();
                tokio::select! {
                    () = self.signals.resume.notified() => Ok(ToolOutput::text("went on")),
                    () = cx.cancel.cancelled() => {
                        self.signals.cancelled.notify_one();
                        Err(ToolError::operation_failed("wait", "cancelled", "-"))
                    }
                }
            }
            "test.progress" => {
                // Reports out of order, and more than a client needs, until the test has received enough.
                let resumed = self.signals.resume.notified();
                tokio::pin!(resumed);
                for step in 0_u32.. {
                    cx.progress.report(Some(f64::from(step % 7) / 10.0), &format!("step {step}"));
                    tokio::select! {
                        () = &mut resumed => break,
                        () = tokio::task::yield_now() => {}
                    }
                }
                cx.progress.report(Some(1.0), "done");
                Ok(ToolOutput::text("finished"))
            }
            _ => Ok(ToolOutput {
                text: format!("you said {text}"),
                data: Some(args),
                status: Some(OutputStatus {
                    endpoint: "test".to_owned(),
                    readiness: "ready".to_owned(),
                    complete: Some(true),
                    note: None,
                }),
                truncated: None,
            }),
        }
    }
}

pub(crate) struct TestTools {
    id: ProviderId,
    tools: Vec<Arc<dyn Tool>>,
    changes: watch::Sender<u64>,
}

pub(crate) fn provider(signals: &Arc<Signals>) -> Arc<dyn ToolProvider> {
    let tool = |id: &str, effect| -> Arc<dyn Tool> {
        let input = json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What to say."},
                "count": {"type": "integer", "minimum": 0, "description": "How often."},
                "maxTokens": {"type": "integer", "description": "Common to all.", "x-common": true},
            },
        });
        let spec = ToolSpec {
            id: id.to_owned(),
            title: format!("Test {id}"),
            description: "Does one thing.".to_owned(),
            input: input.as_object().unwrap().clone(),
            examples: vec![Example { title: "say".to_owned(), args: json!({"text": "hi"}) }],
            notes: String::new(),
            effect,
            toolset: "test".to_owned(),
            exposure: if id == "test.deferred" { Exposure::Deferred } else { Exposure::Direct },
            approval: Approval::ByEffect,
            timeout: Duration::from_mins(1),
            category: "test".to_owned(),
            tags: Vec::new(),
            icon: None,
        };
        Arc::new(TestTool { spec, signals: Arc::clone(signals) })
    };
    let tools = vec![
        tool("test.echo", Effect::Read),
        tool("test.fail", Effect::Plan),
        tool("test.panic", Effect::Write),
        tool("test.wait", Effect::Read),
        tool("test.progress", Effect::Read),
        tool("test.run", Effect::Execute),
        tool("test.vouched", Effect::Execute),
        tool("test.deferred", Effect::Read),
    ];
    Arc::new(TestTools { id: ProviderId("test".into()), tools, changes: watch::Sender::new(0) })
}

impl ToolProvider for TestTools {
    fn id(&self) -> &ProviderId {
        &self.id
    }
    fn name(&self) -> &'static str {
        "Test tools"
    }
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.clone()
    }
    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

/// A resource that may be unreadable.
struct TestResource(ResourceSpec);

#[async_trait]
impl Resource for TestResource {
    fn spec(&self) -> &ResourceSpec {
        &self.0
    }

    async fn read(&self, uri: &str, _cx: &ToolCx) -> Result<ResourceText, ToolError> {
        if uri == "test://broken" {
            return Err(ToolError::operation_failed("read it", "it is broken", "Mend it."));
        }
        Ok(ResourceText { mime_type: self.0.mime_type.clone(), text: format!("the text of {uri}") })
    }
}

pub(crate) fn resources() -> Vec<Arc<dyn Resource>> {
    let resource = |name: &str| -> Arc<dyn Resource> {
        Arc::new(TestResource(ResourceSpec {
            uri: format!("test://{name}"),
            name: name.to_owned(),
            description: format!("What is {name}."),
            mime_type: "text/markdown".to_owned(),
        }))
    };
    vec![resource("whole"), resource("broken")]
}
