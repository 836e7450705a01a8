//! The messages with which zubi initializes a server, recorded once for each subject. A server that received other
//! capabilities works differently (one that cannot register file changes watches the project itself) and would not be a
//! valid floor.

use std::collections::BTreeMap;
use std::io::BufReader;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use zubi_tests::Project;
use zubi_tests::zubi::environment;

use crate::lsp::Question;
use crate::mcp::Zubi;
use crate::subject::Subject;
use crate::wire::{Framing, message};

/// The recorded start of a session, for replay in another copy of the project.
#[derive(Debug, Clone)]
pub(crate) struct Introduction {
    /// The params of `initialize`.
    initialize: Value,
    /// The results of `workspace/configuration`, by section.
    settings: BTreeMap<String, Value>,
    /// The params of `workspace/didChangeConfiguration`, if zubi sent it.
    changed: Option<Value>,
    /// The home directory of the recorded copy.
    home: String,
    root: String,
}

impl Introduction {
    /// Records the messages of one zubi request: a program between zubi and the server copies both directions.
    pub(crate) fn record(subject: &Subject) -> Result<Self> {
        let project = subject.copy();
        let position = subject.positions(&project)?.remove(0);
        let environment = environment(&project, subject.components);
        let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_str());
        let words = subject.server_command(path.unwrap_or_default())?;
        let (program, command) = words.first().zip(subject.command.first()).context("a server has a program")?;
        let (sent, received) = (project.home().join("sent"), project.home().join("received"));
        project.install(command, &format!("#!/bin/sh\ntee -a '{sent}' | '{program}' \"$@\" | tee -a '{received}'\n"));
        Zubi::trust(&project)?;
        let mut zubi = Zubi::start(&project, subject.components)?;
        zubi.request(Question::Hover, &position)?;
        drop(zubi);
        let read = |file| -> Result<Vec<Value>> {
            let bytes = std::fs::read(file).with_context(|| format!("{command} was not started from PATH"))?;
            let mut input = BufReader::new(bytes.as_slice());
            let texts = std::iter::from_fn(|| message(&mut input, Framing::Headers));
            Ok(texts.filter_map(|text| serde_json::from_slice(&text).ok()).collect())
        };
        // The recording begins with the program's version output, which looks like an unknown header.
        let (sent, received) = (read(&sent)?, read(&received)?);
        let params = |method: &str| sent.iter().find(|message| message["method"] == method).map(|it| &it["params"]);
        let initialize = params("initialize").with_context(|| format!("{command} was not initialized"))?.clone();
        let mut settings = BTreeMap::new();
        for request in received.iter().filter(|message| message["method"] == "workspace/configuration") {
            let reply = sent.iter().find(|message| message["method"].is_null() && message["id"] == request["id"]);
            let items = request["params"]["items"].as_array().into_iter().flatten();
            let values = reply.and_then(|reply| reply["result"].as_array()).into_iter().flatten();
            for (item, value) in items.zip(values) {
                settings.insert(section(item), value.clone());
            }
        }
        Ok(Self {
            initialize,
            settings,
            changed: params("workspace/didChangeConfiguration").cloned(),
            home: project.home().to_string(),
            root: project.root().to_string(),
        })
    }

    /// Adapts this introduction to another copy of the project and to this process.
    pub(crate) fn for_copy(&self, project: &Project) -> Self {
        let moved = |value: &Value| {
            let text = value.to_string().replace(&self.root, project.root().as_str());
            // Paths of temporary directories need no JSON escapes, so the text stays valid JSON.
            serde_json::from_str(&text.replace(&self.home, project.home().as_str())).unwrap_or(Value::Null)
        };
        let mut initialize: Value = moved(&self.initialize);
        initialize["processId"] = json!(std::process::id());
        Self {
            initialize,
            settings: self.settings.iter().map(|(section, value)| (section.clone(), moved(value))).collect(),
            changed: self.changed.as_ref().map(moved),
            home: project.home().to_string(),
            root: project.root().to_string(),
        }
    }

    pub(crate) fn initialize(&self) -> &Value {
        &self.initialize
    }

    pub(crate) fn changed_file(&self) -> Option<&Value> {
        self.changed.as_ref()
    }

    /// The result for a request of the server.
    pub(crate) fn serve(&self, method: &str, params: &Value) -> Option<Value> {
        match method {
            "workspace/configuration" => {
                let items = params["items"].as_array().into_iter().flatten();
                Some(items.map(|item| self.settings.get(&section(item)).cloned().unwrap_or_default()).collect())
            }
            "client/registerCapability" | "client/unregisterCapability" | "window/workDoneProgress/create" => {
                Some(Value::Null)
            }
            refresh if refresh.ends_with("/refresh") => Some(Value::Null),
            _ => None,
        }
    }
}

fn section(item: &Value) -> String {
    item["section"].as_str().unwrap_or_default().to_owned()
}
