//! The declarations of many files at once, by their syntax: no server has to open them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet};
use zubi_base::credentials;
use zubi_base::text::{list_first, pluralize};
use zubi_base::walk::{self, WalkOptions};
use zubi_base::workspace::WorkspaceFolders;

use crate::error::CodeError;
use crate::outline::OutlineSymbol;
use crate::query::{CodeQuery, SourceDocument};
use crate::status::{AnswerSource, AnswerStatus, Completeness, QualifiedAnswer};
use crate::syntax::to_symbols;
use crate::text_fallback::cut_note;

/// The maximum number of files in one answer.
const MAX_FILES: usize = 500;

/// The time limit of parsing them.
const PARSE_TIME: Duration = Duration::from_secs(5);

/// The maximum length of a pattern in bytes.
const MAX_PATTERN: usize = 500;

const PATTERN_HINT: &str = "A pattern such as `src/**/*.rs` is relative to the workspace: `*` matches within a name, `**` any folders, `[[]` a bracket.";

/// The maximum number of files that a note names.
const MAX_NAMED: usize = 3;

/// The extension of DomainLang, whose parser is an endpoint in zubi's own process.
const DOMAIN_LANGUAGE: &str = "dlang";

/// The outline of one file.
#[derive(Debug)]
pub struct FileOutline {
    /// The path as answers show it.
    pub display_path: String,
    /// The text to which the symbols' ranges refer.
    pub document: Arc<SourceDocument>,
    pub symbols: Vec<OutlineSymbol>,
}

/// The files that an argument names: all, one, those below a folder, or those that match a pattern.
#[derive(Debug, Clone)]
pub enum FileSelection {
    /// All sources of the workspace.
    Workspace,
    File(Utf8PathBuf),
    Folder(Utf8PathBuf),
    /// A pattern for paths as answers show them, or relative to a folder of the workspace: `src/**/*.rs`.
    Pattern(Box<GlobSet>),
}

impl FileSelection {
    /// Whether it has a file of a workspace's folder.
    pub(crate) fn contains(&self, path: &Utf8Path, root: &Utf8Path, workspace: &WorkspaceFolders) -> bool {
        match self {
            Self::Workspace => true,
            Self::File(selected) | Self::Folder(selected) => path.starts_with(selected),
            Self::Pattern(pattern) => {
                path.strip_prefix(root).is_ok_and(|path| pattern.is_match(path))
                    || pattern.is_match(workspace.display(path))
            }
        }
    }
}

/// The files of a selection.
#[derive(Debug, Default)]
pub(crate) struct SelectedFiles {
    /// Sorted by path.
    pub(crate) files: Vec<Utf8PathBuf>,
    /// The number of files that may hold credentials, which zubi does not read.
    pub(crate) credentials: usize,
}

impl SelectedFiles {
    /// Returns a note about the files that are left out.
    pub(crate) fn note(&self) -> Option<String> {
        let count = self.credentials;
        (count > 0).then(|| format!("left out {} that may hold credentials", pluralize(count, "file")))
    }
}

impl CodeQuery<'_> {
    /// Parses the argument of a tool: the path of a file or folder, or a pattern with `*`, `?`, `[…]` or `{…}`.
    pub fn select_files(&self, argument: &str) -> Result<FileSelection, CodeError> {
        let selection = self.parse_selection(argument)?;
        if let FileSelection::File(path) | FileSelection::Folder(path) = &selection {
            self.prefer_in_index(&[path]);
        }
        Ok(selection)
    }

    fn parse_selection(&self, argument: &str) -> Result<FileSelection, CodeError> {
        match self.resolve_path(argument) {
            Ok(path) if path.is_dir() => return Ok(FileSelection::Folder(path)),
            // Names of files may contain the characters of patterns: `[slug].tsx`.
            Ok(path) if path.is_file() || !is_pattern(argument) => return Ok(FileSelection::File(path)),
            Err(error) if !is_pattern(argument) => return Err(error.into()),
            _ => {}
        }
        let invalid = |reason: String| CodeError::input("path", reason, PATTERN_HINT);
        if argument.len() > MAX_PATTERN {
            return Err(invalid(format!("the pattern has more than {MAX_PATTERN} bytes")));
        }
        let roots = self.workspace().roots();
        let pattern = roots.iter().find_map(|root| argument.strip_prefix(root.as_str())?.strip_prefix('/'));
        let pattern = pattern.unwrap_or(argument).trim_start_matches("./");
        let pattern = GlobBuilder::new(pattern).literal_separator(true).build();
        let pattern = pattern.map_err(|error| invalid(error.kind().to_string()))?;
        // A set reports a pattern that is too complex; a matcher alone would panic.
        let pattern = GlobSet::builder().add(pattern).build().map_err(|error| invalid(error.kind().to_string()))?;
        Ok(FileSelection::Pattern(Box::new(pattern)))
    }

    /// Returns the outlines of all files of a selection that declare something, sorted by path.
    pub async fn outlines(&self, selection: FileSelection) -> Result<QualifiedAnswer<Vec<FileOutline>>, CodeError> {
        let selected = self.list_files(selection).await;
        let files = &selected.files;
        if files.is_empty() {
            let hint = match selected.note() {
                Some(note) => format!("{note}. {PATTERN_HINT}"),
                None => format!("Ignored and generated files are left out. {PATTERN_HINT}"),
            };
            return Err(CodeError::input("path", "no file of the workspace matches", hint));
        }
        let mut status = AnswerStatus::from_source(AnswerSource::Syntax, Vec::new());
        let until = self.cx.deadline.min(Instant::now() + PARSE_TIME);
        let (mut outlines, mut unparsed, mut with_errors) = (Vec::new(), Vec::new(), Vec::new());
        let (mut cut, mut parsed, mut others) = (Vec::new(), 0, 0);
        for (index, path) in files.iter().enumerate() {
            let display_path = self.workspace().display(path);
            if parsed >= MAX_FILES || Instant::now() >= until {
                let rest = pluralize(files.len() - index, "file");
                status.completeness = Completeness::Partial {
                    reason: format!("{rest} from `{display_path}` on were not read; name a smaller folder"),
                };
                break;
            }
            let document = match self.document(path).await {
                Ok(document) => document,
                Err(error) => {
                    unparsed.push(format!("{display_path} ({error})"));
                    continue;
                }
            };
            let symbols = if path.extension() == Some(DOMAIN_LANGUAGE) {
                self.declared_in(path).await.map(|outline| outline.value.clone()).unwrap_or_default()
            } else {
                match self.parse_outline(path, &document.text).await {
                    Some(Ok(outline)) => {
                        if outline.has_errors {
                            with_errors.push(display_path.clone());
                        }
                        if outline.is_cut {
                            cut.push(display_path.clone());
                        }
                        to_symbols(&outline, &document.text, document.notebook(path))
                    }
                    Some(Err(error)) => {
                        unparsed.push(format!("{display_path} ({error})"));
                        continue;
                    }
                    None => {
                        others += 1;
                        continue;
                    }
                }
            };
            parsed += 1;
            if !symbols.is_empty() {
                outlines.push(FileOutline { display_path, document, symbols });
            }
        }
        if !with_errors.is_empty() {
            let names = list_first(with_errors, MAX_NAMED);
            status.notes.push(format!("syntax errors, so declarations may be missing: {names}"));
        }
        if !cut.is_empty() {
            status.notes.push(cut_note(&list_first(cut, MAX_NAMED)));
        }
        if !unparsed.is_empty() {
            status.notes.push(format!("not parsed: {}", list_first(unparsed, MAX_NAMED)));
        }
        if others > 0 {
            status.notes.push(format!("{} in languages that zubi cannot parse", pluralize(others, "file")));
        }
        status.notes.extend(selected.note());
        Ok(QualifiedAnswer { value: outlines, status })
    }

    /// Lists the sources of a selection.
    pub(crate) async fn list_files(&self, selection: FileSelection) -> SelectedFiles {
        let workspace = Arc::clone(&self.intel.workspace);
        let list = move || {
            let roots = match &selection {
                FileSelection::File(path) | FileSelection::Folder(path) => vec![path.clone()],
                FileSelection::Workspace | FileSelection::Pattern(_) => workspace.roots(),
            };
            let mut files = Vec::new();
            for root in &roots {
                let found = walk::files(root, WalkOptions { sorted: true, ..WalkOptions::default() });
                files.extend(found.filter(|path| selection.contains(path, root, &workspace)));
            }
            // One folder of the workspace may contain another.
            files.sort();
            files.dedup();
            let all = files.len();
            files.retain(|path| !credentials::is_credential_path(path));
            SelectedFiles { credentials: all - files.len(), files }
        };
        // A large folder takes longer than other tasks of this thread may wait.
        tokio::task::spawn_blocking(list).await.unwrap_or_default()
    }
}

pub(crate) fn is_pattern(argument: &str) -> bool {
    argument.contains(['*', '?', '[', '{'])
}
