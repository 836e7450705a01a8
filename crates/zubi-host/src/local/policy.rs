//! The policy of a host: the rules of the configuration files, earlier approvals, and the store of new ones.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zubi_base::config::{SettingSource, file};
use zubi_base::owner_only;
use zubi_base::text::ContentHash;
use zubi_base::workspace::WorkspaceFolders;
use zubi_policy::rule::{CompiledRule, RuleText};
use zubi_policy::{Policy, PolicyPaths, RuleStore};
use zubi_tool_api::cx::ApprovalScope;
use zubi_tool_api::filter::ToolFilter;

use super::config::HostConfig;

/// The maximum size of a file with approvals, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Reads the policy when a host starts.
pub(crate) fn for_workspace(config: &HostConfig, workspace: &WorkspaceFolders) -> Policy {
    let store = Answers::new(&config.state_dir, workspace);
    let paths = policy_paths(config, workspace);
    let (mut rules, mut unread): (Vec<(Value, String)>, _) = (Vec::new(), None);
    for sourced in &config.settings.policy {
        let source = match &sourced.source {
            SettingSource::User(path) | SettingSource::Workspace(path) => format!("{path}:{}", sourced.rule.line),
            other => other.to_string(),
        };
        let mut rule = sourced.rule.rule.clone();
        // A file that is not trusted with its present content may only narrow. Its text must reach neither a model nor
        // the user in an approval prompt; the error about an invalid rule would repeat it.
        if !sourced.trusted {
            if let Value::Object(rule) = &mut rule {
                rule.remove("reason");
            }
            if CompiledRule::read(&rule, &source, &paths).is_err() {
                unread = unread.or_else(|| {
                    Some(format!("{source}: the rule is not understood (run `zubi trust` on the file to see why)"))
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
    let policy = Policy::from_rules(allow, rules, paths).with_store(Arc::new(store));
    match unread {
        Some(why) => policy.deny_with_reason(why),
        None => policy,
    }
}

fn policy_paths(config: &HostConfig, workspace: &WorkspaceFolders) -> PolicyPaths {
    let resolved = |path: &Utf8Path| zubi_base::fs::canonical_for_creation(path).unwrap_or_else(|_| path.to_owned());
    let home = zubi_base::env::home().map(|home| resolved(&home));
    let search_path = config.search_path.as_deref().map(std::env::split_paths).into_iter().flatten();
    let search_path = search_path.filter_map(|path| Utf8PathBuf::from_path_buf(path).ok()).collect();
    let zubi_directories = super::exec::zubi_paths(config);
    PolicyPaths { roots: workspace.roots(), home, zubi_directories, search_path, ..PolicyPaths::default() }
}

/// Approvals that outlast a session: one file for all workspaces, and one for each.
#[derive(Debug)]
struct Answers {
    directory: Utf8PathBuf,
    workspace: Utf8PathBuf,
    write_lock: Mutex<()>,
}

impl Answers {
    fn new(state: &Utf8Path, workspace: &WorkspaceFolders) -> Self {
        let directory = state.join("approvals");
        let key = ContentHash::from_bytes(workspace.root().as_str().as_bytes()).0;
        Self { workspace: directory.join(format!("{key}.toml")), directory, write_lock: Mutex::default() }
    }

    fn path(&self, scope: ApprovalScope) -> Utf8PathBuf {
        if scope == ApprovalScope::Always { self.directory.join("always.toml") } else { self.workspace.clone() }
    }

    /// Reads the rules of one file. If this fails, returns a single invalid rule, which makes the policy allow only
    /// reads: zubi does not guess the content of the file.
    fn read(&self, scope: ApprovalScope) -> Vec<(Value, String)> {
        let path = self.path(scope);
        let broken = |why: String| vec![(Value::String(why), path.to_string())];
        let bytes = match owner_only::read(&path, MAX_BYTES) {
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
        let _guard = self.write_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.path(scope);
        owner_only::create_directory(&self.directory).map_err(|error| error.to_string())?;
        let mut text = match owner_only::read(&path, MAX_BYTES) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8"))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                "# Approvals given at a prompt of zubi. Delete a rule to be prompted again.\n".to_owned()
            }
            Err(error) => return Err(error.to_string()),
        };
        let rule = rule.to_toml();
        if text.contains(&rule) {
            return Ok(());
        }
        write!(text, "\n{rule}\n").map_err(|error| error.to_string())?;
        owner_only::write_atomic(&path, text.as_bytes()).map_err(|error| error.to_string())
    }
}
