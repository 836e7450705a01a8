//! The options that an editor's user has set for the host next to the editor.

use std::collections::BTreeMap;

use zubi_base::env;
use zubi_tool_api::cx::Restrictions;

/// The maximum number of entries of a list or table, and the maximum size of one entry in bytes.
const MAX_ENTRIES: usize = 1_000;
const MAX_BYTES: usize = 64 * 1024;

/// Settings of an editor that apply to its host, for every client.
#[derive(Clone, PartialEq, Eq)]
pub struct EditorOptions {
    /// Whether the editor's user trusts the open folders. If not, zubi trusts nothing in them, even if its records do.
    pub is_trusted: bool,
    /// Allows every call that would need approval; a denied call stays denied.
    pub auto_approve: bool,
    /// Patterns of the tools to provide; if empty, all.
    tool_filter: Vec<String>,
    /// Values for declared tools, which take precedence over the user's file.
    env: BTreeMap<String, String>,
    /// Commands of the editor that others may run in addition to the usual ones.
    commands: Vec<String>,
}

impl Default for EditorOptions {
    /// Returns the options of a user who has set none.
    fn default() -> Self {
        let (tool_filter, env, commands) = Default::default();
        Self { is_trusted: true, auto_approve: false, tool_filter, env, commands }
    }
}

impl EditorOptions {
    /// The values to redact.
    pub fn secrets(&self) -> Vec<String> {
        self.env.values().cloned().collect()
    }

    /// Adds the lists, without invalid items.
    #[must_use]
    pub fn with_lists(
        self,
        tool_filter: impl IntoIterator<Item = String>,
        env: impl IntoIterator<Item = (String, String)>,
        commands: impl IntoIterator<Item = String>,
    ) -> Self {
        let fits = |text: &String| !text.trim().is_empty() && text.len() <= MAX_BYTES;
        let list = |items: &mut dyn Iterator<Item = String>| items.filter(fits).take(MAX_ENTRIES).collect();
        let is_value = |(name, value): &(String, String)| {
            let fits = env::is_name(name) && fits(value) && !value.contains('\0');
            if !fits {
                tracing::warn!("the editor's setting `zubi.env` has a value that cannot be used: {name:?}");
            }
            fits
        };
        Self {
            tool_filter: list(&mut tool_filter.into_iter()),
            env: env.into_iter().filter(is_value).take(MAX_ENTRIES).collect(),
            commands: list(&mut commands.into_iter()),
            ..self
        }
    }

    pub(crate) fn restrictions(&self) -> Restrictions {
        let tools = if self.tool_filter.is_empty() { Vec::new() } else { vec![self.tool_filter.clone()] };
        Restrictions { tools, ..Restrictions::default() }
    }

    pub(crate) fn env(&self) -> impl Iterator<Item = (String, String)> {
        self.env.iter().map(|(name, value)| (name.clone(), value.clone()))
    }

    pub(crate) fn commands(&self) -> &[String] {
        &self.commands
    }
}
