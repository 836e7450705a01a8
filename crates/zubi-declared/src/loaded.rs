//! Loaded tool files: their tools, their problems, and whether the user has trusted their present content.

use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::position::TextIndex;
use zubi_base::text::ContentHash;
use zubi_base::workspace::{Folder, WorkspaceFolders};
use zubi_tool_api::spec;

use super::definition::{NAMESPACE, ResolvedDefinition};
use super::json_tree::JsonNode;
use super::plan::ToolPlan;
use super::problem::{LocatedProblem, ProblemSeverity, ToolFileProblem, line_and_column};

/// Maximum number of reported problems of one file. An arbitrary text can have as many problems as words.
const MAX_PROBLEMS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustState {
    /// The user has trusted exactly this content.
    Trusted,
    /// The user has not trusted any content of this file.
    New,
    /// The user has trusted another content; `before` is that content if zubi stored it.
    Changed { before: Option<String> },
    /// The folder is not trusted in the editor that has it open; this overrides any earlier trust.
    Withheld,
}

impl TrustState {
    /// Returns the state's id for programs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::New => "new",
            Self::Changed { .. } => "changed",
            Self::Withheld => "withheld",
        }
    }

    /// Returns the reason why the tools are left out, as a clause about the file; `None` if they are not.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Trusted => None,
            Self::New => Some("is not trusted"),
            Self::Changed { .. } => Some("has changed since it was trusted"),
            Self::Withheld => Some("is in a folder that is not trusted in the editor"),
        }
    }
}

/// A valid tool. Whether it may be used depends on its file's trust.
#[derive(Debug, Clone)]
pub struct LoadedTool {
    pub definition: ResolvedDefinition,
    pub plan: Arc<ToolPlan>,
}

/// One tool file.
#[derive(Debug, Clone)]
pub struct LoadedFile {
    pub path: Utf8PathBuf,
    /// Path relative to the workspace, for users.
    pub display_path: String,
    /// The workspace folder of the file.
    pub folder: Utf8PathBuf,
    pub hash: ContentHash,
    pub trust: TrustState,
    pub text: Arc<str>,
    pub variables: Vec<(String, String)>,
    pub tools: Vec<LoadedTool>,
    /// Full ids of tools with errors, which are not in `tools`.
    pub broken: Vec<String>,
    /// Problems in file order; truncated to `MAX_PROBLEMS` if there are more.
    pub problems: Vec<LocatedProblem>,
    /// Parsed JSON, if the file is entirely understood: valid JSON of this format's version.
    pub(super) root: Option<JsonNode>,
}

/// All tool files of a workspace.
#[derive(Debug, Clone, Default)]
pub struct DeclaredTools {
    pub files: Vec<LoadedFile>,
}

impl DeclaredTools {
    /// Returns all problems of all files.
    pub fn problems(&self) -> impl Iterator<Item = &LocatedProblem> {
        self.files.iter().flat_map(|file| &file.problems)
    }

    /// Finds a tool and its file by full id, by id without the namespace, or by wire name.
    pub fn find(&self, id: &str) -> Option<(&LoadedFile, &LoadedTool)> {
        let find = |file: &'_ LoadedFile| file.tools.iter().position(|tool| is_called(&tool.definition.id, id));
        self.files.iter().find_map(|file| Some((file, file.tools.get(find(file)?)?)))
    }

    /// Finds the file that has a tool with errors under this id (full, without the namespace, or wire name).
    pub fn find_broken(&self, id: &str) -> Option<&LoadedFile> {
        self.files.iter().find(|file| file.broken.iter().any(|broken| is_called(broken, id)))
    }

    /// Returns the files whose tools are left out because the user has not trusted them.
    pub fn untrusted_files(&self) -> impl Iterator<Item = &LoadedFile> {
        self.files.iter().filter(|file| file.trust != TrustState::Trusted && !file.tools.is_empty())
    }
}

impl LoadedFile {
    /// Creates an entry for a file whose content is not known yet.
    pub(super) fn without_content(workspace: &WorkspaceFolders, folder: &Folder, path: &Utf8Path) -> Self {
        Self {
            path: path.to_owned(),
            display_path: workspace.display(path),
            folder: folder.path.clone(),
            hash: ContentHash::from_bytes(b""),
            trust: TrustState::New,
            text: "".into(),
            variables: Vec::new(),
            tools: Vec::new(),
            broken: Vec::new(),
            problems: Vec::new(),
            root: None,
        }
    }

    /// Adds problems with their locations, in file order.
    pub(super) fn add_problems(&mut self, problems: impl IntoIterator<Item = ToolFileProblem>) {
        let mut problems: Vec<ToolFileProblem> = problems.into_iter().collect();
        problems.sort_by_key(|problem| problem.range.start);
        if problems.len() > MAX_PROBLEMS {
            // Count limits are always reported, because they explain the number of problems; errors go before warnings.
            let is_count = |problem: &ToolFileProblem| problem.code.starts_with("too-many");
            problems.sort_by_key(|problem| (!is_count(problem), problem.severity, problem.range.start));
            let more = problems.len() - MAX_PROBLEMS;
            problems.truncate(MAX_PROBLEMS);
            let last = problems.iter().map(|problem| &problem.range).max_by_key(|range| range.start);
            let last = last.cloned().unwrap_or(0..0);
            let message = format!("{more} further problems of this file are not listed");
            problems.push(ToolFileProblem::error("too-many-problems", last, message, "Fix those above first."));
        }
        let index = TextIndex::new(&self.text);
        let located = problems
            .into_iter()
            .map(|problem| LocatedProblem::new(&self.display_path, &self.path, &self.text, &index, problem));
        self.problems.extend(located);
        self.problems.sort_by_key(|entry| entry.problem.range.start);
        self.problems.dedup();
    }

    /// Returns the location of a tool's id: `file:line:column`, 1-based.
    pub fn location_of(&self, tool: &LoadedTool) -> String {
        self.location(&tool.definition.id_range)
    }

    /// Returns the tool at a 1-based line.
    pub fn tool_at(&self, line: usize) -> Option<&LoadedTool> {
        self.tools.iter().find(|tool| {
            let range = &tool.definition.node.range;
            let (first, last) = (self.line_and_column(range.start).0, self.line_and_column(range.end).0);
            (first..=last).contains(&line)
        })
    }

    fn location(&self, range: &Range<usize>) -> String {
        let (line, column) = self.line_and_column(range.start);
        format!("{}:{line}:{column}", self.display_path)
    }

    /// Returns the 1-based line and column of a byte offset.
    pub(super) fn line_and_column(&self, offset: usize) -> (usize, usize) {
        line_and_column(&self.text, &TextIndex::new(&self.text), offset)
    }

    /// Returns the bytes to trust: the content that was read, provided the whole file can be shown
    /// ([`super::trust_report`]). Content that cannot be shown cannot be trusted.
    pub fn trust_content(&self) -> Option<&[u8]> {
        self.root.is_some().then_some(self.text.as_bytes())
    }

    /// Returns the changes since the user trusted the file, as a unified diff. Returns `None` if nothing changed or if
    /// zubi did not store the earlier content.
    pub fn diff(&self, workspace: &WorkspaceFolders) -> Option<String> {
        match &self.trust {
            TrustState::Changed { before: Some(before) } => {
                // The user decides by this diff, so it must be complete.
                Some(zubi_code::edit::diff::text_diff(&self.path, Some(before), &self.text, workspace))
            }
            _ => None,
        }
    }

    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|entry| entry.problem.severity == ProblemSeverity::Error)
    }
}

/// Returns whether `name` refers to the tool with this id.
pub(super) fn is_called(id: &str, name: &str) -> bool {
    let local = id.strip_prefix(NAMESPACE).and_then(|rest| rest.strip_prefix('.'));
    local == Some(name) || spec::is_called(id, name)
}
