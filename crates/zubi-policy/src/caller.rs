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

/// The restrictions of the caller's session, which apply in addition to the policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Whether tools with an effect above [`crate::Effect::Plan`] are hidden and refused.
    pub read_only: bool,
    /// Filters for toolsets, each a list of patterns ([`crate::filter`]). A tool must pass all of them.
    pub toolsets: Vec<Vec<String>>,
    /// Filters for tool ids, in the same format.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub surface: Surface,
    /// Name and version that the client sent, for the audit log.
    pub client: Option<String>,
    /// Number of the session. Its approvals are valid only there. A process with a single session uses 0.
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
