//! The declarations of many files at once, by their syntax: no server has to open them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobMatcher};
use zubi_base::credentials;
use zubi_base::text::pluralize;
use zubi_base::walk::{self, WalkOptions};

use crate::error::CodeError;
use crate::outline::OutlineSymbol;
use crate::query::{CodeQuery, SourceDocument};
use crate::status::{AnswerSource, AnswerStatus, Completeness, QualifiedAnswer};
use crate::syntax::to_symbols;

/// The maximum number of files in one answer.
const MAX_FILES: usize = 500;

/// The time limit of parsing them.
const PARSE_TIME: Duration = Duration::from_secs(5);

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
    /// A pattern for paths relative to a folder of the workspace, such as `src/**/*.rs`.
    Pattern(Box<GlobMatcher>),
}

impl CodeQuery<'_> {
    /// Parses the argument of a tool: the path of a file or folder, or a pattern with `*`, `?`, `[…]` or `{…}`.
    pub fn select_files(&self, argument: &str) -> Result<FileSelection, CodeError> {
        let path = match self.resolve_path(argument) {
            Ok(path) if path.is_dir() => return Ok(FileSelection::Folder(path)),
            // Names of files may contain the characters of patterns: `[slug].tsx`.
            Ok(path) if path.is_file() || !is_pattern(argument) => return Ok(FileSelection::File(path)),
            Err(error) if !is_pattern(argument) => return Err(error.into()),
            _ => argument,
        };
        let pattern = GlobBuilder::new(path.trim_start_matches("./")).literal_separator(true).build();
        let pattern = pattern.map_err(|error| {
            let hint = "Use a pattern such as `src/**/*.rs`: `*` matches within a name, `**` any folders.";
            CodeError::input("path", error.kind().to_string(), hint)
        })?;
        Ok(FileSelection::Pattern(Box::new(pattern.compile_matcher())))
    }

    /// Returns the outlines of all files of a selection that declare something, sorted by path.
    pub async fn outlines(&self, selection: FileSelection) -> Result<QualifiedAnswer<Vec<FileOutline>>, CodeError> {
        let files = self.list_files(selection).await;
        if files.is_empty() {
            let hint = "Ignored and generated files are left out. `*` matches within a name, `**` any folders.";
            return Err(CodeError::input("path", "no file of the workspace matches", hint));
        }
        let mut status = AnswerStatus::from_source(AnswerSource::Syntax, Vec::new());
        let until = self.cx.deadline.min(Instant::now() + PARSE_TIME);
        let (mut outlines, mut unparsed, mut with_errors) = (Vec::new(), Vec::new(), Vec::new());
        let (mut parsed, mut others) = (0, 0);
        for path in &files {
            let display_path = self.workspace().display(path);
            if parsed >= MAX_FILES || Instant::now() >= until {
                status.completeness = Completeness::Partial {
                    reason: format!("{parsed} of {} were read; name a smaller folder", pluralize(files.len(), "file")),
                };
                break;
            }
            // The file was removed after the search, or is no text.
            let Ok(document) = self.document(path).await else { continue };
            let symbols = if path.extension() == Some(DOMAIN_LANGUAGE) {
                self.declared_in(path).await.map(|outline| outline.value.clone()).unwrap_or_default()
            } else {
                match self.parse_outline(path, &document.text).await {
                    Some(Ok(outline)) => {
                        if outline.has_errors {
                            with_errors.push(display_path.clone());
                        }
                        to_symbols(&outline, &document.text)
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
            let names = zubi_base::text::list_first(with_errors, MAX_NAMED);
            status.notes.push(format!("syntax errors, so declarations may be missing: {names}"));
        }
        if !unparsed.is_empty() {
            status.notes.push(format!("not parsed: {}", zubi_base::text::list_first(unparsed, MAX_NAMED)));
        }
        if others > 0 {
            status.notes.push(format!("{} in languages that zubi cannot parse", pluralize(others, "file")));
        }
        Ok(QualifiedAnswer { value: outlines, status })
    }

    /// Lists the sources of a selection, sorted by path.
    pub(crate) async fn list_files(&self, selection: FileSelection) -> Vec<Utf8PathBuf> {
        let workspace = Arc::clone(&self.intel.workspace);
        let list = move || {
            let roots = match &selection {
                FileSelection::File(path) | FileSelection::Folder(path) => vec![path.clone()],
                FileSelection::Workspace | FileSelection::Pattern(_) => workspace.roots(),
            };
            let is_selected = |path: &Utf8PathBuf, root: &Utf8Path| match &selection {
                FileSelection::Pattern(pattern) => path.strip_prefix(root).is_ok_and(|path| pattern.is_match(path)),
                _ => true,
            };
            let mut files = Vec::new();
            for root in &roots {
                let found = walk::files(root, WalkOptions { sorted: true, ..WalkOptions::default() });
                files.extend(found.filter(|path| is_selected(path, root) && !credentials::is_credential_path(path)));
            }
            files
        };
        // A large folder takes longer than other tasks of this thread may wait.
        tokio::task::spawn_blocking(list).await.unwrap_or_default()
    }
}

fn is_pattern(argument: &str) -> bool {
    argument.contains(['*', '?', '[', '{'])
}
