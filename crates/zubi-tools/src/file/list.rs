//! `file.list`: the files below a folder, and the number of omitted entries.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::text::pluralize;
use zubi_base::walk::{self, WalkOptions};
use zubi_tool_api::{Footprint, OutputStatus, ToolCx, ToolError, ToolOutput, Truncation};

use super::file_tool::{FILE_TOOL, FileToolContext};
use super::glob::GlobPattern;
use super::paths;
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct ListFiles;

/// Default depth without a pattern, in path components: the top levels show the structure of a project.
const DEFAULT_DEPTH: usize = 3;
const DEFAULT_LIMIT: usize = 500;
const MAX_LIMIT: usize = 5_000;
/// Maximum number of entries visited.
const MAX_ENTRIES: usize = 300_000;
/// Maximum size of an answer, in bytes.
const MAX_BYTES: usize = 100_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Folder; default the workspace
    path: Option<String>,
    /// Glob below path: `*.rs` at any depth, `src/**/*.ts`
    pattern: Option<String>,
    /// Levels below path; default 3, with a pattern all
    #[serde(rename = "maxDepth")]
    #[schemars(range(min = 1, max = 100))]
    max_depth: Option<usize>,
    /// Maximum files listed; default 500
    #[schemars(range(min = 1, max = 5000))]
    limit: Option<usize>,
}

impl Input {
    fn folder(&self) -> &str {
        self.path.as_deref().unwrap_or(".")
    }
}

#[async_trait]
impl TypedTool for ListFiles {
    const META: ToolMeta = ToolMeta {
        id: "file.list",
        title: "List files",
        description: "Lists files of the workspace by path, optionally below a folder and by a glob pattern. Files ignored by .gitignore and generated ones (node_modules, target, .git) are counted, not listed; hidden files are listed.",
        notes: "To list an ignored folder, pass it as `path`.",
        tags: &["list files", "glob", "find files", "list a directory", "tree", "ls"],
        example: || ("All tests", json!({ "pattern": "tests/**/*.rs" })),
        ..FILE_TOOL
    };
    type Context = FileToolContext;
    type Input = Input;

    fn footprint(_files: &FileToolContext, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        Ok(Footprint { reads: vec![paths::resolve_existing(cx, "path", input.folder())?], ..Footprint::default() })
    }

    async fn run(_files: &FileToolContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let root = paths::resolve_existing(cx, "path", input.folder())?;
        let display_path = cx.workspace.display(&root);
        if !root.is_dir() {
            let hint = format!("file.read {} reads it.", json!({ "path": display_path }));
            return Err(ToolError::invalid("path", format!("`{display_path}` is not a folder"), hint));
        }
        let pattern = input.pattern.as_deref().map(GlobPattern::new).transpose()?;
        let depth = input.max_depth.or(pattern.is_none().then_some(DEFAULT_DEPTH));
        let (cancel, directory) = (cx.cancel.clone(), root.clone());
        let listing = tokio::task::spawn_blocking(move || walk(&directory, pattern.as_ref(), depth, &cancel));
        let listing = listing.await.map_err(|error| ToolError::Fatal(error.into()))?;
        let limit = input.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
        let budget = cx.byte_budget(MAX_BYTES);
        let prefix = |path: &Utf8Path| cx.workspace.display(&root.join(path));
        let total = listing.files.len();
        let mut text = format!("{} in {display_path}\n", pluralize(total, "file"));
        let mut listed = Vec::new();
        for (path, mark) in listing.files.iter().take(limit) {
            let name = prefix(path);
            if text.len() + name.len() + mark.len() >= budget {
                break;
            }
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{name}{mark}");
            listed.push(name);
        }
        let remaining = total - listed.len();
        let truncated = (remaining > 0).then_some(Truncation { shown: listed.len(), total, cursor: None });
        if remaining > 0 {
            let _ = writeln!(text, "… {remaining} more: narrow `pattern` or `path`, or raise `limit`");
        }
        if let (Some(depth), Some(folder)) = (depth, listing.deeper.first()) {
            let folders = pluralize(listing.deeper.len(), "folder");
            let folder = prefix(folder);
            let _ = writeln!(text, "{folders} at level {depth} not opened ({folder}/, …): raise `maxDepth`");
        }
        let status = OutputStatus {
            endpoint: "disk".to_owned(),
            readiness: listing.omissions(),
            complete: Some(truncated.is_none() && !listing.is_incomplete),
            note: None,
        };
        let data = json!({ "files": listed, "total": total, "ignored": listing.ignored });
        Ok(ToolOutput { text, data: Some(data), status: Some(status), truncated })
    }
}

/// Result of a walk. Paths are relative to its root.
#[derive(Default)]
struct FileListing {
    /// Each with a mark if it is not a regular file.
    files: Vec<(Utf8PathBuf, &'static str)>,
    /// Folders below the depth limit, which were not opened.
    deeper: Vec<Utf8PathBuf>,
    /// Entries left out by ignore rules; a folder counts as one.
    ignored: usize,
    /// Entries whose names are not UTF-8, which no argument can express.
    not_utf8: usize,
    is_incomplete: bool,
}

impl FileListing {
    fn omissions(&self) -> String {
        let mut parts = Vec::new();
        if self.ignored > 0 {
            parts.push(format!("{} ignored or generated not listed", self.ignored));
        }
        if self.not_utf8 > 0 {
            parts.push(format!("{} with names that are not UTF-8 not listed", self.not_utf8));
        }
        if self.is_incomplete {
            parts.push("stopped early: too many files, narrow `path`".to_owned());
        }
        if parts.is_empty() { "nothing ignored".to_owned() } else { parts.join(" · ") }
    }
}

fn walk(
    root: &Utf8Path,
    pattern: Option<&GlobPattern>,
    depth: Option<usize>,
    cancel: &CancellationToken,
) -> FileListing {
    let mut listing = FileListing::default();
    // Visited entries of each opened folder; the other entries of the folder are ignored ones.
    let mut visited: BTreeMap<std::path::PathBuf, usize> = BTreeMap::new();
    for (count, entry) in walk::entries(root, WalkOptions { depth, sorted: true, worktrees: true }).enumerate() {
        if count >= MAX_ENTRIES || cancel.is_cancelled() {
            listing.is_incomplete = true;
            break;
        }
        let is_directory = walk::is_directory(&entry);
        let is_too_deep = depth.is_some_and(|depth| entry.depth() >= depth);
        if is_directory && !is_too_deep {
            visited.entry(entry.path().to_owned()).or_default();
        }
        if entry.depth() == 0 {
            continue;
        }
        if let Some(parent) = entry.path().parent() {
            *visited.entry(parent.to_owned()).or_default() += 1;
        }
        let relative = entry.path().strip_prefix(root).ok().and_then(Utf8Path::from_path);
        let Some(relative) = relative else {
            listing.not_utf8 += 1;
            continue;
        };
        if is_directory {
            if is_too_deep {
                listing.deeper.push(relative.to_owned());
            }
        } else if pattern.is_none_or(|pattern| pattern.matches(relative)) {
            let mark = match entry.file_type() {
                Some(kind) if kind.is_file() => "",
                Some(kind) if kind.is_symlink() => " (link)",
                _ => " (not a regular file)",
            };
            listing.files.push((relative.to_owned(), mark));
        }
    }
    if !listing.is_incomplete {
        let entry_count = |folder: &std::path::Path| std::fs::read_dir(folder).map_or(0, Iterator::count);
        listing.ignored = visited.iter().map(|(folder, shown)| entry_count(folder).saturating_sub(*shown)).sum();
    }
    listing
}
