//! The parameters for running a server.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use zubi_base::endpoint::Caveats;
use zubi_base::process::CommandSpec;
use zubi_base::workspace::WorkspaceFolders;

use super::RetentionPolicy;
use crate::catalogue::{ServerAccess, VirtualDocuments};
use crate::sandbox::ServerProject;
use crate::session::SessionSpec;

/// The parameters for running one server in one root.
#[derive(Debug, Clone)]
pub struct LaunchSpec {
    pub spec: SessionSpec,
    pub command: CommandSpec,
    /// The permissions in the sandbox.
    pub access: ServerAccess,
    pub workspace: Arc<WorkspaceFolders>,
    /// Commands that `workspace/executeCommand` may run without approval.
    pub allowed_commands: Vec<String>,
    /// LSP methods whose answer is only about the project of the request's document.
    pub per_project: Vec<String>,
    /// The time limit for one request, whatever its caller allows.
    pub request_timeout: Duration,
    pub retention: RetentionPolicy,
    /// How the server returns the texts of documents that are not files.
    pub virtual_documents: Option<VirtualDocuments>,
    /// The caveats of its answers about the first document, as far as they are known before the server runs.
    pub caveats: Caveats,
    /// Commands that cure what the server reports about its own state, by a part of its message.
    pub cures: BTreeMap<String, String>,
}

impl LaunchSpec {
    /// The server in its project, for the sandbox.
    pub(crate) fn project(&self) -> ServerProject {
        ServerProject {
            server: self.spec.name.to_string(),
            root: self.spec.folder.path.clone(),
            access: self.access.clone(),
        }
    }
}
