//! A workspace with content for every kind of tool, and a host over it.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::SystemClock;
use zubi_base::config::{Layers, SecretEntry};
use zubi_base::process::Spawner;
use zubi_base::trust::{Trust, TrustStore};
use zubi_host::{CallAnswer, CallContext, CallRequest, HostConfig, LocalHost, ToolService as _};
use zubi_tool_api::cx::{Approver, Caller, NoApprover, NoProgress, Restrictions, Surface};

/// A file outside the workspace that must be unchanged after all calls.
const OUTSIDE_FILE: &str = "work-beside/kept.txt";

pub(crate) struct Sandbox {
    directory: tempfile::TempDir,
    pub(crate) config: HostConfig,
    pub(crate) host: LocalHost,
}

const FILES: &[(&str, &str)] = &[
    ("work/src/lib.rs", "pub fn parse(input: &str) -> usize {\n    input.len()\n}\n"),
    ("work/notes.md", "# Notes\n\nparse is in src/lib.rs\n"),
    ("work/model/shop.dlang", "Domain Sales {}\nbc Orders for Sales {\n    description: \"Takes orders\"\n}\n"),
    (OUTSIDE_FILE, "kept\n"),
];

impl Sandbox {
    #[expect(clippy::disallowed_methods, reason = "a test's fixture, not a file of the product")]
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in FILES {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let state = root.join("state");
        let mut settings = Layers::default().resolve();
        // A server that does not answer, so that there is the tool for it.
        settings.team_index = Some(SecretEntry::Value("host=127.0.0.1 port=9 user=any connect_timeout=1".to_owned()));
        settings.env_source = Some(root.join("zubi.toml"));
        let config = HostConfig {
            folders: vec![root.join("work")],
            state_dir: state.clone(),
            cache_dir: None,
            settings,
            // Trusts the folder's own files, so that the tests call the tools that they declare.
            trust: Trust::new(TrustStore::new(&state), true),
            spawner: Spawner::with_supervisor(env!("CARGO_BIN_EXE_zubi")),
            user_catalogue: None,
            // No language server is on this path, so the tools answer without one.
            search_path: Some("/usr/bin:/bin".into()),
            kind: zubi_host::HostKind::InProcess,
            clock: Arc::new(SystemClock),
        };
        let host = LocalHost::new(&config).unwrap();
        Self { directory, config, host }
    }

    pub(crate) fn root(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.directory.path().to_owned()).unwrap()
    }

    /// Calls a tool as an agent would without an approver.
    pub(crate) async fn call(&self, tool: &str, arguments: Value, cancel: CancellationToken) -> CallAnswer {
        self.call_with_approver(tool, arguments, cancel, Arc::new(NoApprover)).await
    }

    pub(crate) async fn call_with_approver(
        &self,
        tool: &str,
        arguments: Value,
        cancel: CancellationToken,
        approver: Arc<dyn Approver>,
    ) -> CallAnswer {
        let caller = Caller { surface: Surface::Mcp, client: None, session: 0, restrictions: Restrictions::default() };
        let request = CallRequest { tool: tool.to_owned(), arguments, caller: Arc::new(caller), token_budget: None };
        let timeout = Duration::from_secs(20);
        let context = CallContext { cancel, progress: Arc::new(NoProgress), approver, timeout };
        self.host.call(&request, &context).await.unwrap_or_else(|unknown| panic!("{unknown}"))
    }

    /// Removes injected files after a call that requested a command: running that command is not an injection.
    pub(crate) fn remove_injection_files(&self) {
        for directory in ["work", "work/src"] {
            fs::remove_file(self.root().join(directory).join(crate::arguments::INJECTED_FILE)).ok();
        }
    }

    /// Checks that files outside the workspace are unchanged and that no hostile argument has created a file.
    pub(crate) fn assert_unharmed(&self) {
        let beside = self.root().join(OUTSIDE_FILE);
        assert_eq!(zubi_base::fs::read_text(&beside).unwrap(), "kept\n");
        assert_eq!(
            fs::read_dir(beside.parent().unwrap()).unwrap().count(),
            1,
            "something was written beside the workspace"
        );
        for entry in fs::read_dir(self.root()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(["work", "work-beside", "state"].contains(&name.as_str()), "`{name}` was created");
        }
        for directory in [self.root().join("work"), "/tmp".into()] {
            assert!(!directory.join(crate::arguments::INJECTED_FILE).exists(), "an argument was run as a command");
        }
    }
}

/// An approver that approves every request once.
pub(crate) struct ApproveAll;

#[async_trait]
impl Approver for ApproveAll {
    async fn request_approval(&self, request: zubi_tool_api::cx::ApprovalRequest) -> zubi_tool_api::cx::ApprovalAnswer {
        drop(request);
        zubi_tool_api::cx::ApprovalAnswer::allow_once()
    }
}
