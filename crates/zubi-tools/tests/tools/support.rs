//! Tool calls over the toy language.

use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use dlang_workspace::files::{Bounds, DiskFiles, Files, Kind, ReadError, SharedFiles, Stamp, Walk};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::SystemClock;
use zubi_base::text::DiskText;
use zubi_code::testing::Toy;
use zubi_policy::Policy;
use zubi_tool_api::ToolProvider;
use zubi_tool_api::audit::{AuditSink, NoAudit};
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface, ToolCx};
use zubi_tool_api::filter::ToolFilter;
use zubi_tool_api::registry::{CallError, Registry, RegistryConfig};
use zubi_tools::domainlang::{self, DomainExposure, DomainModel};
use zubi_tools::tools::RegistryHandle;
use zubi_tools::{editor, file, lsp, refactor, settings, tools};

use crate::editor_state::service;
use crate::mentions;

/// Two small files.
pub(crate) const SHAPES: &str = "\
//- shapes.toy
class Shape
  def area
  def name
class Square
  def area # area of a square
let unit
//- app.toy
use Shape
  print area unit
# naïve: unit
let élan → unit
";

/// Creates a registry of all tools, as a host does.
pub(crate) fn registry(toy: &Toy) -> Arc<Registry> {
    restricted_registry(toy, Restrictions::default(), Arc::new(NoAudit))
}

/// Creates a registry with restrictions for all sessions.
pub(crate) fn restricted_registry(toy: &Toy, restrictions: Restrictions, audit: Arc<dyn AuditSink>) -> Arc<Registry> {
    Arc::new_cyclic(|registry| {
        let calls = RegistryHandle::default();
        calls.connect(Weak::clone(registry));
        Registry::new(RegistryConfig {
            providers: vec![
                lsp::provider(&toy.intel),
                domainlang(toy),
                file::provider(&toy.intel),
                lsp::overview_provider(&toy.intel),
                refactor::provider(&toy.intel),
                refactor::text_provider(&toy.intel, &calls),
                settings::provider(&toy.intel),
                editor::provider(&service(toy, None)),
                tools::provider(registry),
            ],
            policy: Policy::new(ToolFilter::default()),
            audit,
            clock: Arc::new(SystemClock),
            restrictions,
        })
    })
}

/// Creates the DomainLang tools over the models of a fixture.
pub(crate) fn domainlang(toy: &Toy) -> Arc<dyn ToolProvider> {
    let folders = toy.intel.workspace().roots().into_iter().map(domainlang::Root::Folder).collect();
    let model = Arc::new(DomainModel::new(Arc::new(DiskFiles), folders));
    domainlang::provider(&model, DomainExposure::IfModelsExist)
}

/// Creates the context of a call by a session with these restrictions.
pub(crate) fn cx(toy: &Toy, restrictions: Restrictions) -> ToolCx {
    ToolCx {
        cancel: CancellationToken::new(),
        deadline: Instant::now() + Duration::from_mins(1),
        progress: Arc::new(NoProgress),
        token_budget: None,
        nesting: 0,
        caller: Arc::new(Caller { surface: Surface::Mcp, client: None, session: 0, restrictions }),
        approver: Arc::new(NoApprover),
        workspace: Arc::clone(toy.intel.workspace()),
        text_source: Arc::new(DiskText),
    }
}

/// Calls a tool and returns the answer or the error.
pub(crate) async fn call(toy: &Toy, tool: &str, args: Value) -> String {
    call_in(&registry(toy), tool, args, cx(toy, Restrictions::default())).await
}

/// Calls a tool in a given registry and returns the answer or the error. Every argument that it names is in the schema
/// of the tool as lists show it.
pub(crate) async fn call_in(registry: &Registry, tool: &str, args: Value, cx: ToolCx) -> String {
    let text = match registry.call(tool, args.clone(), cx).await {
        Ok(output) => output.render(),
        Err(CallError::Tool { id, error }) => error.render(&id),
        Err(CallError::Unknown { name, reason: why, .. }) => return format!("unknown tool {name}: {why}"),
    };
    let missing = mentions::find_unlisted(registry, tool, &args, &text);
    assert!(missing.is_empty(), "{tool} names {missing:?}, which its listed schema has not:\n{text}");
    text
}

/// Calls a tool on a fixture and returns the whole answer. Plan ids are random and shown as `p-…`.
pub(crate) async fn check(fixture: &str, tool: &str, args: Value) -> String {
    let toy = Toy::new(fixture);
    let parent = toy.root.parent().unwrap().as_str();
    without_ids(&call(&toy, tool, args).await).replace(toy.root.as_str(), "[root]").replace(parent, "[beside]")
}

/// Replaces the random ids of plans and actions.
pub(crate) fn without_ids(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("p-").into_iter().chain(rest.find("a-")).min() {
        let id: usize = rest[at + 2..].chars().take_while(char::is_ascii_alphanumeric).count();
        out.push_str(&rest[..at + 2]);
        rest = &rest[at + 2..];
        if id == 10 {
            out.push('…');
            rest = &rest[id..];
        }
    }
    out + rest
}

/// Creates a disk that signals the start of each read and waits until the test continues.
pub(crate) fn blocking_files(started: mpsc::Sender<()>, resume: mpsc::Receiver<()>) -> SharedFiles {
    Arc::new(BlockingFiles { disk: DiskFiles, started, resume: Mutex::new(resume) })
}

struct BlockingFiles {
    disk: DiskFiles,
    started: mpsc::Sender<()>,
    resume: Mutex<mpsc::Receiver<()>>,
}

impl Files for BlockingFiles {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        self.disk.kind(path)
    }
    fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError> {
        self.started.send(()).ok();
        // The channel is closed when the test ends.
        self.resume.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        self.disk.read(path, max)
    }
    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.disk.canonical(path)
    }
    fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
        self.disk.stamp(path)
    }
    fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk {
        self.disk.walk(folder, bounds)
    }
}

/// Returns the id of the plan in an answer.
pub(crate) fn plan_of(answer: &str) -> &str {
    answer.split("plan\":\"").nth(1).and_then(|rest| rest.get(..12)).unwrap()
}
