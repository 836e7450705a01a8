//! The footprint of a call: its effects, computed before it runs.

use camino::Utf8PathBuf;
use serde_json::Value;

use crate::spec::Effect;

/// The effects of one call. The policy decides on this, never on a tool's name alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Footprint {
    /// The strongest effect of this call; may be below what the tool can do at its worst.
    pub effect: Option<Effect>,
    /// Absolute paths.
    pub reads: Vec<Utf8PathBuf>,
    pub writes: Vec<Utf8PathBuf>,
    /// Programs with their arguments.
    pub commands: Vec<Vec<String>>,
    /// `host:port`.
    pub hosts: Vec<String>,
    /// Names of secrets the call would see.
    pub secrets: Vec<String>,
    /// Why the effects of the call cannot be determined, one clause each ("`$(date)` is worked out only when it runs").
    /// If this is not empty, the call requires approval, whatever allows the rest.
    pub unresolved: Vec<String>,
    /// The directory in which commands run; absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<Utf8PathBuf>,
    /// The sandbox that holds what is run, in the words of a person: "Landlock and seccomp: writes only below the workspace".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// Whether a person has reviewed the tool: it comes from a file that is trusted by the hash of its content. If zubi
    /// cannot prompt anyone, the prompt that the client shows its user before each call is then enough.
    #[serde(rename = "vouched", skip_serializing_if = "std::ops::Not::not")]
    pub is_reviewed: bool,
    /// The tool itself holds what it writes to values that decide about no program: files that may name programs
    /// (`.vscode/settings.json`) are written without a question then. Only for tools that refuse everything else.
    #[serde(skip)]
    pub checked: bool,
    /// The call that this one makes in turn and that the rest of the footprint describes. The policy judges that call,
    /// and requires approval for it, when it is made.
    #[serde(skip)]
    pub delegated_call: Option<DelegatedCall>,
    /// A preview of the changes or of the data that the call sends, for the approval prompt: a unified diff, a
    /// request's body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// A call that another one makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegatedCall {
    pub tool: String,
    pub arguments: Value,
}

impl Footprint {
    pub fn from_effect(effect: Effect) -> Self {
        Self { effect: Some(effect), ..Self::default() }
    }

    /// Whether it has the same effects as `other`. The text that a person sees ([`Self::preview`], the words
    /// about the sandbox) may differ.
    pub fn covers(&self, other: &Self) -> bool {
        let without_display = |footprint: &Self| Self { preview: None, sandbox: None, ..footprint.clone() };
        without_display(self) == without_display(other)
    }
}
