//! Errors of planning, applying and undoing an edit, each with a hint.

use zubi_base::text::SinkError;

/// The reason why an edit was not planned, applied or undone, with display paths. Nothing was changed, except in some
/// cases of [`EditError::Sink`].
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The edit is invalid LSP; `reason` is a clause.
    #[error("the server's edit is not a workspace edit: {reason}")]
    Malformed { reason: String },
    #[error("the server wants to change `{uri}`, which is not a local file")]
    NotAFile { uri: String },
    #[error("the server wants to change `{path}`, which is outside the workspace")]
    Outside { path: String },
    #[error("`{path}` belongs to git or to zubi's own settings, which no edit may touch")]
    Protected { path: String },
    #[error("the server wants to change `{path}`, which does not exist")]
    Missing { path: String },
    #[error("the server wants to create `{path}`, which already exists")]
    Exists { path: String },
    /// A file operation that is impossible in the current state; `reason` is a clause.
    #[error("`{path}` cannot be changed as the server wants: {reason}")]
    Impossible { path: String, reason: String },
    #[error("`{path}` cannot be edited: {reason}")]
    Unreadable { path: String, reason: String },
    /// Positions are 1-based.
    #[error("two edits of `{path}` overlap: one at {first} and one at {second}")]
    Overlap { path: String, first: String, second: String },
    #[error("an edit of `{path}` begins on line {line}, but the file has {lines} lines: it was made for another text")]
    BeyondEnd { path: String, line: u64, lines: u32 },
    #[error("an edit of `{path}` cuts a character in two at {position}: the server counts columns in another unit")]
    CutsCharacter { path: String, position: String },
    #[error("the edit is for version {requested} of `{path}`, but the editor has version {current}")]
    Version { path: String, requested: i32, current: i32 },
    #[error("the edit of `{path}` is a snippet with placeholders, which zubi does not support")]
    Snippet { path: String },
    #[error(
        "several servers want to change `{path}` and one of them also moves files, so their edits cannot be combined"
    )]
    Disagree { path: String },
    #[error("the edit is too large: {reason}")]
    TooLarge { reason: String },
    /// An edit of a rename; `position` is `path:line:column`, 1-based.
    #[error("the server's edit at {position} replaces `{replaced}` with the new name, but the name is `{old}`")]
    NotTheName { position: String, replaced: String, old: String },
    #[error(
        "the edit would overwrite a secret in `{path}` with `{}`, which zubi shows in its place",
        zubi_base::secret_shape::REDACTED
    )]
    Redacted { path: String },
    #[error("the edit changes nothing")]
    Nothing,

    #[error("`{input}` is neither a plan (`p-…`) nor an action (`a-…`)")]
    NotAnId { input: String },
    #[error("there is no `{id}` here; it is older than 24 hours or was never made")]
    Unknown { id: String },
    #[error("`{id}` belongs to another workspace, `{workspace}`")]
    OtherWorkspace { id: String, workspace: String },
    #[error("`{id}` cannot be read back: {reason}")]
    Damaged { id: String, reason: String },
    #[error("`{id}` is already applied")]
    AlreadyApplied { id: String },
    #[error("`{id}` is not applied, so there is nothing to undo")]
    NotApplied { id: String },

    #[error("`{path}` changed since the plan was made; nothing was written")]
    Changed { path: String },
    #[error("`{path}` changed since `{id}` was applied; nothing was undone")]
    ChangedSinceApply { id: String, path: String },
    #[error("{} ({})", .0, sink_outcome(.0))]
    Sink(SinkError),
    #[error("another zubi is applying an edit and did not finish within {seconds} s; nothing was written")]
    Busy { seconds: u64 },
    /// zubi could not read or write its own records.
    #[error("{context}: {reason}")]
    State { context: String, reason: String },
}

fn sink_outcome(error: &SinkError) -> &'static str {
    match error {
        SinkError::Stuck { .. } => "every other file is as before",
        SinkError::Doubtful { .. } => "look at the files in the editor, and take back there what is not wanted",
        SinkError::Io { .. } => "whatever had been written before was put back",
        SinkError::Changed { .. }
        | SinkError::Exists { .. }
        | SinkError::ReadOnly { .. }
        | SinkError::Refused { .. } => "nothing was written",
    }
}

impl EditError {
    /// Returns the next step, in a sentence or two.
    pub fn hint(&self) -> String {
        match self {
            Self::NotAFile { .. } | Self::Outside { .. } => {
                "Nothing was planned. Make the change by hand in the files that may be edited.".to_owned()
            }
            Self::Protected { .. } => "Nothing was changed. The user must change this file.".to_owned(),
            Self::Missing { .. } | Self::BeyondEnd { .. } | Self::Version { .. } | Self::CutsCharacter { .. } => {
                "Retry: the server may have answered for an older state of the file.".to_owned()
            }
            Self::Exists { .. } | Self::Impossible { .. } => "Move or remove what is there, then retry.".to_owned(),
            Self::Malformed { .. }
            | Self::Unreadable { .. }
            | Self::Snippet { .. }
            | Self::Disagree { .. }
            | Self::Overlap { .. } => {
                "Nothing was planned. Make this change by hand, or request a smaller one.".to_owned()
            }
            Self::NotTheName { .. } => {
                "Nothing was planned. Rename the uses that `lsp_references` lists by hand.".to_owned()
            }
            Self::Redacted { .. } => {
                "Nothing was changed. Edit only the text around the secret, with `file.edit`.".to_owned()
            }
            Self::TooLarge { .. } => "Request a smaller change, for instance in fewer files.".to_owned(),
            Self::Nothing => "There is nothing to apply.".to_owned(),
            Self::NotAnId { .. } => {
                "Give the `plan` or `action` exactly as the tool that made it printed it.".to_owned()
            }
            Self::Unknown { .. } | Self::Damaged { .. } | Self::Changed { .. } => {
                "Make the plan again with the tool that made it, look at the new diff, then apply that.".to_owned()
            }
            Self::OtherWorkspace { .. } => "Make the plan again in this workspace.".to_owned(),
            Self::AlreadyApplied { id } => format!("To take it back: `undo_edit` with `{id}`."),
            Self::NotApplied { id } => format!("To make the change: `apply_edit` with `{id}`."),
            Self::ChangedSinceApply { .. } => {
                "Undo would overwrite the later change. Take that back first, or undo by hand.".to_owned()
            }
            Self::Sink(SinkError::Changed { .. } | SinkError::Exists { .. }) => {
                "Make the plan again, look at the new diff, then apply that.".to_owned()
            }
            Self::Sink(SinkError::ReadOnly { .. }) => {
                "If it may be changed, make it writable (`chmod u+w`), then apply again.".to_owned()
            }
            Self::Sink(SinkError::Io { .. }) => {
                "See that the file and its directory can be written, then apply again.".to_owned()
            }
            Self::Sink(SinkError::Stuck { .. }) => {
                "See that the named files can be written; zubi then restores them at the next call.".to_owned()
            }
            Self::Sink(SinkError::Doubtful { .. }) => {
                "Read the files before changing anything else in them.".to_owned()
            }
            Self::Sink(SinkError::Refused { .. }) => "Look at the editor's own message, then apply again.".to_owned(),
            Self::Busy { .. } => "Apply again in a moment.".to_owned(),
            Self::State { .. } => "See that zubi's state directory can be written and has space.".to_owned(),
        }
    }
}
