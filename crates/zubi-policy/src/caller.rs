//! The caller of a tool: its surface, its session, and the restrictions of that session.

/// The surface that a call came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    Mcp,
    CommandLine,
    Editor,
    Ipc,
    Agent,
}

/// The restrictions of the caller's session, which apply whatever the policy says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Tools with an effect above [`crate::Effect::Plan`] are absent from lists and refused.
    pub read_only: bool,
    /// Filters over toolsets, each a list of patterns ([`crate::filter`]): only what passes all of them exists for the caller.
    pub toolsets: Vec<Vec<String>>,
    /// Filters over ids of tools, likewise.
    pub tools: Vec<Vec<String>>,
}

impl Restrictions {
    /// Combines two restrictions; a tool must pass both.
    #[must_use]
    pub fn combine(&self, other: &Self) -> Self {
        Self {
            read_only: self.read_only || other.read_only,
            toolsets: [self.toolsets.as_slice(), &other.toolsets].concat(),
            tools: [self.tools.as_slice(), &other.tools].concat(),
        }
    }
}

/// The caller of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub surface: Surface,
    /// Name and version as the client gave them, for the audit log.
    pub client: Option<String>,
    /// The session's number; approvals for the session are valid only there. 0 is the only session of this process.
    pub session: u64,
    pub restrictions: Restrictions,
}

/// How long an approval is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalScope {
    Once,
    Session,
    Workspace,
    Always,
}
