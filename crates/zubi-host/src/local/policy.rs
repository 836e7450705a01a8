//! The policy of a host: the rules of the configuration files, what people answered before, and where new answers go.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zubi_base::config::{Source, file};
use zubi_base::owner_only;
use zubi_base::text::ContentHash;
use zubi_base::workspace::Workspace;
use zubi_tool_api::cx::ApprovalScope;
use zubi_tool_api::filter::ToolFilter;
use zubi_policy::rule::{Rule, RuleText};
use zubi_policy::{PolicyPaths, Policy, RuleStore};

use super::HostConfig;

/// The largest file of answers, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// The rules in force when a host starts.
pub(crate) fn for_workspace(config: &HostConfig, workspace: &Workspace) -> Policy {
    let store = Answers::new(&config.state_dir, workspace);
    let places = places(config, workspace);
    let (mut rules, mut unread): (Vec<(Value, String)>, _) = (Vec::new(), None);
    for sourced in &config.settings.policy {
        let source = match &sourced.source {
            Source::User(path) | Source::Workspace(path) => format!("{path}:{}", sourced.rule.line),
            other => other.to_string(),
        };
        let mut rule = sourced.rule.rule.clone();
        // A file that nobody has trusted as it is now may narrow what is allowed; its words reach neither a model nor the
        // person who is asked, and the error about a rule that is not understood would repeat them as well.
        if !sourced.trusted {
            if let Value::Object(rule) = &mut rule {
                rule.remove("reason");
            }
            if Rule::read(&rule, &source, &places).is_err() {
                unread = unread.or_else(|| {
                    Some(format!("{source}: the rule is not understood (`zubi trust` the file to be told why)"))
                });
                continue;
            }
        }
        rules.push((rule, source));
    }
    for scope in [ApprovalScope::Workspace, ApprovalScope::Always] {
        rules.extend(store.read(scope));
    }
    let allow = ToolFilter::new(config.settings.allow.value.iter().map(String::as_str));
    let rules = rules.iter().map(|(value, source)| (value, source.clone()));
    let policy = Policy::from_rules(allow, rules, places).with_store(Arc::new(store));
    match unread {
        Some(why) => policy.deny_with_reason(why),
        None => policy,
    }
}

fn places(config: &HostConfig, workspace: &Workspace) -> PolicyPaths {
    let resolved = |path: &Utf8Path| zubi_base::fs::canonical_for_creation(path).unwrap_or_else(|_| path.to_owned());
    let home = zubi_base::env::home().map(|home| resolved(&home));
    PolicyPaths { roots: workspace.roots(), home, own: super::exec::zubi_paths(config) }
}

/// What people allowed beyond a session: one file for every workspace, one for each.
#[derive(Debug)]
struct Answers {
    directory: Utf8PathBuf,
    workspace: Utf8PathBuf,
    writing: Mutex<()>,
}

impl Answers {
    fn new(state: &Utf8Path, workspace: &Workspace) -> Self {
        let directory = state.join("approvals");
        let key = ContentHash::from_bytes(workspace.root().as_str().as_bytes()).0;
        Self { workspace: directory.join(format!("{key}.toml")), directory, writing: Mutex::default() }
    }

    fn path(&self, scope: ApprovalScope) -> Utf8PathBuf {
        if scope == ApprovalScope::Always { self.directory.join("always.toml") } else { self.workspace.clone() }
    }

    /// The rules of one file. One that cannot be read gives a rule that cannot either, which closes the policy: what
    /// somebody else wrote there is not to be guessed at.
    fn read(&self, scope: ApprovalScope) -> Vec<(Value, String)> {
        let path = self.path(scope);
        let broken = |why: String| vec![(Value::String(why), path.to_string())];
        let bytes = match private::read(&path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => return broken(error.to_string()),
        };
        let Ok(text) = String::from_utf8(bytes) else { return broken("not UTF-8".to_owned()) };
        match file::parse(&text, &path) {
            Ok(layer) => layer.policy.into_iter().map(|rule| (rule.rule, format!("{path}:{}", rule.line))).collect(),
            Err(error) => broken(error.to_string()),
        }
    }
}

impl RuleStore for Answers {
    fn store(&self, scope: ApprovalScope, rule: &RuleText) -> Result<(), String> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.path(scope);
        private::create_directory(&self.directory).map_err(|error| error.to_string())?;
        let mut text = match private::read(&path, MAX_BYTES) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8"))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                "# What was allowed when zubi asked. Delete a rule to be asked again.\n".to_owned()
            }
            Err(error) => return Err(error.to_string()),
        };
        let rule = rule.to_toml();
        if text.contains(&rule) {
            return Ok(());
        }
        write!(text, "\n{rule}\n").map_err(|error| error.to_string())?;
        private::write_atomic(&path, text.as_bytes()).map_err(|error| error.to_string())
    }
}
