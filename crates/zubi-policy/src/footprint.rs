//! The footprint of a call: its effects, computed before it runs.

use camino::Utf8PathBuf;
use serde_json::Value;

use crate::spec::Effect;

/// The effects of one call, on which the policy decides. A tool's name alone never decides.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Footprint {
    /// The strongest effect of this call, which may be weaker than the tool's strongest effect.
    pub effect: Option<Effect>,
    /// Absolute paths that the call reads.
    pub reads: Vec<Utf8PathBuf>,
    pub writes: Vec<Utf8PathBuf>,
    /// Whether the call shows contents of files below the folders in `reads`.
    #[serde(skip)]
    pub is_search: bool,
    /// The glob that selects the files of a search; all files without one.
    #[serde(skip)]
    pub search_pattern: Option<String>,
    /// Programs with their arguments.
    pub commands: Vec<Vec<String>>,
    /// Programs without a slash that only start another command (`env`, `timeout`).
    #[serde(skip)]
    pub wrappers: Vec<String>,
    /// Hosts that the call reaches, as `host:port`.
    pub hosts: Vec<String>,
    /// Names of the secrets that the call receives.
    pub secrets: Vec<String>,
    /// Reasons why the effects of the call cannot be determined, one clause each ("`$(date)` is worked out only when it
    /// runs"). If there is any, the call requires approval, whatever rules allow the rest.
    pub unresolved: Vec<String>,
    /// The absolute path of the directory in which commands run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<Utf8PathBuf>,
    /// A description of the sandbox for the user: "Landlock and seccomp: writes only below the workspace".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// Whether the user has reviewed the tool: its file is trusted by the hash of its content. If zubi cannot prompt
    /// the user, the prompt that the client shows before each call is then sufficient.
    #[serde(rename = "vouched", skip_serializing_if = "std::ops::Not::not")]
    pub is_reviewed: bool,
    /// Whether the tool itself accepts only values that cannot select a program. It may then write files that can name
    /// programs (`.vscode/settings.json`) without approval. Only for tools that refuse every other value.
    #[serde(skip)]
    pub checked: bool,
    /// Whether git starts without the programs that a repository's configuration names, in the workspace's own
    /// repository.
    #[serde(skip)]
    pub is_git_hardened: bool,
    /// The call that this call makes and that the rest of the footprint describes. The policy judges that call when it
    /// is made, and prompts for it then.
    #[serde(skip)]
    pub delegated_call: Option<DelegatedCall>,
    /// A preview of the changes or of the data that the call sends, for the approval prompt: a unified diff, or the
    /// body of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// A call that another call makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegatedCall {
    pub tool: String,
    pub arguments: Value,
}

impl Footprint {
    pub fn from_effect(effect: Effect) -> Self {
        Self { effect: Some(effect), ..Self::default() }
    }

    /// Returns whether the footprints have the same effects. The texts for the user ([`Self::preview`],
    /// [`Self::sandbox`]) may differ.
    pub fn covers(&self, other: &Self) -> bool {
        let without_display = |footprint: &Self| Self { preview: None, sandbox: None, ..footprint.clone() };
        without_display(self) == without_display(other)
    }
}
