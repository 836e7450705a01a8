//! The confinement of servers: the project for which a server starts, and the confined command.
//!
//! This crate says what a server needs ([`ServerAccess`]); an implementation of [`ServerSandbox`] knows the machine and
//! the user's settings.

use std::fmt;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::process::CommandSpec;

use crate::catalogue::ServerAccess;

/// A server in a project, as far as its confinement depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerProject {
    /// The server's id.
    pub server: String,
    /// The project's directory.
    pub root: Utf8PathBuf,
    pub access: ServerAccess,
}

/// A command that is ready to start.
#[derive(Debug)]
pub struct ServerCommand {
    pub command: CommandSpec,
    /// The temporary directory of the process, which is removed when this is dropped.
    pub temporary: Option<tempfile::TempDir>,
}

impl From<CommandSpec> for ServerCommand {
    fn from(command: CommandSpec) -> Self {
        Self { command, temporary: None }
    }
}

impl ServerCommand {
    /// Whether the process is confined. It then sees no other process, not even zubi.
    pub fn is_confined(&self) -> bool {
        self.command.confinement.is_some()
    }
}

/// Confines servers.
#[async_trait]
pub trait ServerSandbox: fmt::Debug + Send + Sync {
    /// Returns the command of a server, confined as far as the machine can and the user wants.
    ///
    /// # Errors
    /// If nothing may run, because the machine lacks what the user demands, or it is not known at present.
    async fn confine(&self, command: CommandSpec, project: &ServerProject) -> Result<ServerCommand, String>;

    /// Returns the command of a server that only prints its version, confined without any permission of its row.
    ///
    /// # Errors
    /// As for [`Self::confine`].
    async fn confine_probe(&self, command: CommandSpec, server: &str) -> Result<ServerCommand, String> {
        let root: &Utf8Path = &command.directory;
        let project =
            ServerProject { server: server.to_owned(), root: root.to_owned(), access: ServerAccess::for_probes() };
        self.confine(command, &project).await
    }

    /// Describes for users in one line what a server may do.
    async fn describe(&self, project: &ServerProject) -> String;
}
