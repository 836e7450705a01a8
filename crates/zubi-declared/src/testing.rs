//! Runs the tests in tool files: each in its own directory, in the sandbox of a real call, with a mock server for HTTP
//! tools, and with answers from the file for tools that code calls.
//!
//! A test calls the tool through a registry, which validates the arguments, computes the footprint and redacts secrets
//! as for every caller. Only the environment differs, and no approval is required, because the user who starts the
//! tests has trusted the file.

mod compare;
pub(super) mod fakes;
pub(super) mod lint;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::clock::{SystemClock, milliseconds};
use zubi_base::config::Secrets;
use zubi_base::escape::on_lines;
use zubi_base::process::Spawner;
use zubi_base::text::DiskText;
use zubi_base::workspace::WorkspaceFolders;
use zubi_exec::http::SystemLookup;
use zubi_exec::job::Jobs;
use zubi_policy::rule::Action;
use zubi_policy::{Policy, PolicyPaths};
use zubi_tool_api::audit::NoAudit;
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface};
use zubi_tool_api::filter::ToolFilter;
use zubi_tool_api::registry::{CallError, Registry, RegistryConfig};
use zubi_tool_api::{ErrorCode, ToolCx, ToolSpec, spec};

use self::compare::{Actual, Mismatch};
use self::fakes::Fakes;
use super::declared_tool::DeclaredTool;
use super::execute::ExecutionContext;
use super::format::{ExpectedDecision, ToolTest};
use super::loaded::{LoadedFile, LoadedTool};
use super::problem::{LocatedProblem, ProblemSeverity};

/// Largest workspace file that is copied into a test's directory, in bytes.
const MAX_COPIED_BYTES: u64 = 8 * 1024 * 1024;

/// Time to wait after the tool's time-out, at which the call ends itself.
const TIMEOUT_GRACE: Duration = Duration::from_secs(5);

/// Services of the test runner.
pub struct TestContext {
    spawner: Spawner,
    jobs: Arc<Jobs>,
    /// Specifications of the host's tools: a fake accepts the same arguments as the real tool.
    specs: Vec<Arc<ToolSpec>>,
}

/// A test in a tool file, with its location.
#[derive(Debug, Clone)]
pub struct TestCase {
    pub tool: String,
    pub name: String,
    /// Path relative to the workspace, for users.
    pub file: String,
    pub line: usize,
    pub column: usize,
    index: usize,
}

#[derive(Debug, Clone)]
pub enum TestStatus {
    Passed,
    /// The test cannot run here, because its tool cannot.
    Skipped {
        reason: String,
    },
    /// Differences from the expectation; at least one.
    Failed(Vec<Mismatch>),
}

#[derive(Debug, Clone)]
pub struct TestResult {
    pub case: TestCase,
    pub status: TestStatus,
    pub duration: Duration,
}

impl LoadedFile {
    /// Returns the tests of one of the file's tools, in file order.
    pub fn test_cases(&self, tool: &LoadedTool) -> Vec<TestCase> {
        let nodes = tool.definition.node.get("tests").map(super::json_tree::JsonNode::items).unwrap_or_default();
        let tests = tool.definition.tool.tests.iter().zip(nodes).enumerate();
        let case = |(number, (test, node)): (usize, (&ToolTest, &super::json_tree::JsonNode))| {
            let (line, column) = self.line_and_column(node.range.start);
            let (tool, file) = (tool.definition.id.clone(), self.display_path.clone());
            TestCase { tool, name: test.name.clone(), file, line, column, index: number }
        };
        tests.map(case).collect()
    }

    /// Returns the first error in the test itself.
    fn test_problem(&self, tool: &LoadedTool, case: &TestCase) -> Option<&LocatedProblem> {
        let node = tool.definition.node.get("tests")?.items().get(case.index)?;
        let is_inside = |entry: &&LocatedProblem| node.range.contains(&entry.problem.range.start);
        self.problems.iter().filter(is_inside).find(|entry| entry.problem.severity == ProblemSeverity::Error)
    }
}

impl fmt::Display for TestCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.tool, self.name)
    }
}

impl TestResult {
    pub fn is_failure(&self) -> bool {
        matches!(self.status, TestStatus::Failed(_))
    }

    /// Renders `file:line:column: passed: <tool>: <name>`, with the differences on further lines.
    pub fn render(&self) -> String {
        let TestCase { file, line, column, .. } = &self.case;
        let head = |status: &str| on_lines(&format!("{file}:{line}:{column}: {status}: {}", self.case)).into_owned();
        match &self.status {
            TestStatus::Passed => head("passed"),
            TestStatus::Skipped { reason } => format!("{}\n  {reason}", head("skipped")),
            TestStatus::Failed(mismatches) => {
                let details = mismatches.iter().map(|mismatch| format!("\n{}", mismatch.render()));
                details.fold(head("failed"), |text, detail| text + &detail)
            }
        }
    }

    pub fn to_json(&self) -> Value {
        let TestCase { tool, name, file, line, column, .. } = &self.case;
        let (status, reason, mismatches) = match &self.status {
            TestStatus::Passed => ("passed", None, Vec::new()),
            TestStatus::Skipped { reason } => ("skipped", Some(reason), Vec::new()),
            TestStatus::Failed(mismatches) => ("failed", None, mismatches.iter().map(Mismatch::to_json).collect()),
        };
        let mut value = json!({
            "file": file, "line": line, "column": column, "tool": tool, "name": name, "status": status,
            "durationMs": milliseconds(self.duration), "mismatches": mismatches,
        });
        if let (Some(reason), Some(object)) = (reason, value.as_object_mut()) {
            object.insert("why".to_owned(), Value::String(reason.clone()));
        }
        value
    }
}

/// Reason why a test cannot start.
#[derive(Debug, thiserror::Error)]
enum SetUpError {
    #[error("cannot create the directory of the test: {0}")]
    Directory(std::io::Error),
    #[error("cannot write `{path}` into the directory of the test: {error}")]
    Fixture { path: String, error: std::io::Error },
    #[error("cannot copy `{path}` into the directory of the test: {error}")]
    Copy { path: String, error: std::io::Error },
    #[error("the answer in `http` is not a valid HTTP response: {0}")]
    Server(std::io::Error),
    #[error("`calls` names the unknown tool `{name}`")]
    NoTool { name: String },
}

impl TestContext {
    pub fn new(spawner: Spawner, jobs: Arc<Jobs>, specs: Vec<Arc<ToolSpec>>) -> Self {
        Self { spawner, jobs, specs }
    }

    /// Runs one test of a trusted file. Removes the test's directory and processes before it returns, or when the
    /// future is dropped.
    pub async fn run(
        &self,
        file: &LoadedFile,
        tool: &LoadedTool,
        case: &TestCase,
        cancel: &CancellationToken,
    ) -> TestResult {
        let started = Instant::now();
        let verdict = match (tool.definition.tool.tests.get(case.index), file.test_problem(tool, case)) {
            (_, Some(problem)) => TestStatus::Failed(vec![Mismatch::test_failure(&problem.problem.message)]),
            (None, _) => TestStatus::Skipped { reason: "the test no longer exists".to_owned() },
            (Some(test), None) => match self.run_test(file, tool, test, cancel).await {
                Ok(verdict) => verdict,
                Err(error) => TestStatus::Failed(vec![Mismatch::test_failure(error)]),
            },
        };
        TestResult { case: case.clone(), status: verdict, duration: started.elapsed() }
    }

    async fn run_test(
        &self,
        file: &LoadedFile,
        tool: &LoadedTool,
        test: &ToolTest,
        cancel: &CancellationToken,
    ) -> Result<TestStatus, SetUpError> {
        let scratch = tempfile::Builder::new().prefix("zubi-test-").tempdir().map_err(SetUpError::Directory)?;
        let root = directory(scratch.path()).map_err(SetUpError::Directory)?;
        copy_fixtures(&root, &file.folder, test)?;
        let fakes = Arc::new(Fakes::new(test).await.map_err(SetUpError::Server)?);
        let context = Arc::new(self.execution_context(test, &fakes));
        let tool_under_test = DeclaredTool::new(tool, root.clone(), Arc::clone(&context));
        if let Some(reason) = context.unavailable(&tool.plan.execution) {
            return Ok(TestStatus::Skipped { reason: reason.to_owned() });
        }
        let workspace = Arc::new(WorkspaceFolders::open(std::slice::from_ref(&root)).map_err(SetUpError::Directory)?);
        let fake_tools = self.fake_tools(test, &fakes)?;
        let registry = Arc::new(Registry::new(RegistryConfig {
            providers: fakes::providers(Arc::new(tool_under_test), fake_tools),
            policy: Policy::new(ToolFilter::default()).with_auto_approve(true),
            audit: Arc::new(NoAudit),
            clock: Arc::new(SystemClock),
            restrictions: Restrictions::default(),
        }));
        // The context was created above, so its registry is not set yet.
        drop(context.registry.set(Arc::downgrade(&registry)));
        let cx = call_context(&workspace, tool.definition.timeout, cancel);
        let args = Value::Object(test.args.clone());
        let decision = test.expect.decision.map(|_| decision(&registry, tool, &args, &cx, &root));
        let actual = if decision == Some(Ok(Action::Deny)) {
            Actual { output: None, error: None, exit: None, decision, requests: Vec::new(), missing_calls: Vec::new() }
        } else {
            let result = registry.call(&tool.definition.id, args, cx).await;
            let (output, error) = match result {
                Ok(output) => (Some(output), None),
                Err(CallError::Tool { id, error }) => (None, Some((error.code().to_string(), error.render(&id)))),
                Err(CallError::Unknown { name, reason, .. }) => {
                    (None, Some((ErrorCode::UnknownTool.to_string(), format!("{name}: {reason}"))))
                }
            };
            let (exit, requests, missing_calls) = (fakes.exit(), fakes.requests(), fakes.missing_calls());
            Actual { output, error, exit, decision, requests, missing_calls }
        };
        // Remove the directory now, because the process may exit after the last test.
        tokio::task::spawn_blocking(move || drop(scratch)).await.ok();
        let mismatches = compare::compare(tool, test, &actual);
        Ok(if mismatches.is_empty() { TestStatus::Passed } else { TestStatus::Failed(mismatches) })
    }

    fn execution_context(&self, test: &ToolTest, fakes: &Arc<Fakes>) -> ExecutionContext {
        let secrets = Secrets::from_values(test.env.clone());
        ExecutionContext {
            fakes: Some(Arc::clone(fakes)),
            ..ExecutionContext::new(secrets, &self.spawner, Arc::new(SystemLookup), Arc::clone(&self.jobs))
        }
    }

    /// Creates a fake for each tool that the test's code may call. A name without a real tool is an error: the test
    /// would pass although the real call would fail.
    fn fake_tools(&self, test: &ToolTest, fakes: &Arc<Fakes>) -> Result<Vec<fakes::FakeTool>, SetUpError> {
        let mut tools: Vec<fakes::FakeTool> = Vec::new();
        for call in &test.calls {
            let is_called = |spec: &&Arc<ToolSpec>| spec::is_called(&spec.id, &call.tool);
            let Some(spec) = self.specs.iter().find(is_called) else {
                return Err(SetUpError::NoTool { name: call.tool.clone() });
            };
            if tools.iter().all(|fake| fake.id() != spec.id) {
                tools.push(fakes::FakeTool::new(spec, Arc::clone(fakes)));
            }
        }
        Ok(tools)
    }
}

fn directory(path: &Path) -> std::io::Result<Utf8PathBuf> {
    let path = Utf8Path::from_path(path).ok_or_else(|| std::io::Error::other("its path is not UTF-8"))?;
    zubi_base::fs::canonical(path)
}

/// Copies the files of a test into its directory. The loader has rejected paths that leave it.
fn copy_fixtures(root: &Utf8Path, folder: &Utf8Path, test: &ToolTest) -> Result<(), SetUpError> {
    for (path, text) in &test.fixtures {
        let write = || {
            let target = path_inside(root, path)?;
            zubi_base::fs::write_atomic(&target, text.as_bytes())
        };
        write().map_err(|error| SetUpError::Fixture { path: path.clone(), error })?;
    }
    for path in &test.files {
        let copy = || {
            let from = zubi_base::fs::canonical(&folder.join(path))?;
            let metadata = std::fs::metadata(&from)?;
            if !from.starts_with(folder) || !metadata.is_file() {
                return Err(std::io::Error::other("it is not a file of the workspace"));
            }
            if metadata.len() > MAX_COPIED_BYTES {
                return Err(std::io::Error::other(format!("it has more than {MAX_COPIED_BYTES} bytes")));
            }
            // Copying preserves permissions: a script stays executable.
            std::fs::copy(&from, path_inside(root, path)?).map(drop)
        };
        copy().map_err(|error| SetUpError::Copy { path: path.clone(), error })?;
    }
    Ok(())
}

/// Returns a path inside the test's directory and creates its parent directories.
fn path_inside(root: &Utf8Path, path: &str) -> std::io::Result<Utf8PathBuf> {
    let target = root.join(path);
    if let Some(parent) = target.parent() {
        std::fs::create_dir_all(parent)?;
    }
    Ok(target)
}

fn call_context(workspace: &Arc<WorkspaceFolders>, timeout: Duration, cancel: &CancellationToken) -> ToolCx {
    let now = Instant::now();
    let caller =
        Caller { surface: Surface::CommandLine, client: None, session: 0, restrictions: Restrictions::default() };
    ToolCx {
        cancel: cancel.clone(),
        deadline: now.checked_add(timeout.saturating_add(TIMEOUT_GRACE)).unwrap_or(now),
        progress: Arc::new(NoProgress),
        token_budget: None,
        nesting: 0,
        caller: Arc::new(caller),
        approver: Arc::new(NoApprover),
        workspace: Arc::clone(workspace),
        text_source: Arc::new(DiskText),
    }
}

/// Returns the decision of the default rules.
fn decision(
    registry: &Registry,
    tool: &LoadedTool,
    args: &Value,
    cx: &ToolCx,
    root: &Utf8Path,
) -> Result<Action, String> {
    let footprint = registry.footprint(&tool.definition.id, args.clone(), cx).map_err(|error| match error {
        CallError::Tool { id, error } => error.render(&id),
        CallError::Unknown { name, reason, .. } => format!("{name}: {reason}"),
    })?;
    let paths = PolicyPaths { roots: vec![root.to_owned()], home: zubi_base::env::home(), ..PolicyPaths::default() };
    let policy = Policy::from_rules(ToolFilter::default(), std::iter::empty::<(&Value, String)>(), paths);
    Ok(policy.decide(&tool.definition.spec(None), &cx.caller, &footprint).action)
}

impl ExpectedDecision {
    fn action(self) -> Action {
        match self {
            Self::Allow => Action::Allow,
            Self::Ask => Action::Ask,
            Self::Deny => Action::Deny,
        }
    }
}
