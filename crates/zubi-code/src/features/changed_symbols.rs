//! The declarations that a change of the files touches: between two revisions, or since one.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials;
use zubi_base::text::{BOM, list_first, pluralize};
use zubi_syntax::{MAX_TEXT_BYTES, SyntaxOutline};

use crate::error::CodeError;
use crate::features::changed_symbols::comparison::DeclaredText;
use crate::file_role::FileRole;
use crate::markup::clean_line;
use crate::query::CodeQuery;
use crate::status::{AnswerSource, AnswerStatus, QualifiedAnswer};
use crate::symbol_index::WordFiles;
use crate::version_control::{
    FileDifference, FileVersion, RevisionRange, TreeComparison, VersionControl, VersionControlError, VersionId,
    VersionedKind,
};

mod comparison;
mod renames;

pub use comparison::{ChangedDeclaration, DeclarationChange};

/// The time limit of reading and parsing the versions.
const TIME: Duration = Duration::from_secs(20);

/// The number of files whose stored versions are read at once, each of at most [`MAX_TEXT_BYTES`].
const FILES_AT_ONCE: usize = 64;

/// The maximum number of declarations in an answer.
const MAX_DECLARATIONS: usize = 20_000;

/// The maximum number of declarations whose mentions are counted.
const MAX_COUNTED: usize = 200;

/// The maximum number of files that a note names.
const MAX_NAMED: usize = 3;

/// The declarations that differ between two states of the files.
#[derive(Debug, Default)]
pub struct ChangedSymbols {
    /// The files, most important first: sources before tests and generated files.
    pub files: Vec<FileSymbolChanges>,
    /// The states, one for each repository: the hash of the old commit, and of the new one unless it is the present files.
    pub states: Vec<(VersionId, Option<VersionId>)>,
}

/// The declarations that differ in one file.
#[derive(Debug)]
pub struct FileSymbolChanges {
    /// The path as answers show it; the old one of a removed file.
    pub display_path: String,
    /// The old path of a moved file.
    pub old_display_path: Option<String>,
    /// How the file itself differs; a moved file is changed.
    pub change: DeclarationChange,
    /// Most important first.
    pub declarations: Vec<ChangedDeclaration>,
    /// The numbers of other files that mention the names of the declarations, in the same order; `None` if not counted.
    pub mentions: Vec<Option<usize>>,
    /// Whether the text outside of all declarations differs.
    pub is_changed_outside: bool,
    /// The reason why the declarations are unknown.
    pub unknown: Option<String>,
    role: FileRole,
}

/// The text of one version, or the reason why its declarations are unknown.
type VersionText = Result<Arc<str>, String>;

/// The marks of an answer.
#[derive(Default)]
struct Remarks {
    with_errors: Vec<String>,
    cut: Vec<String>,
    /// The number of files with other bytes and equal lines.
    equal: usize,
}

impl CodeQuery<'_> {
    /// Returns the declarations that differ. Fails if no folder of the workspace is in a repository with these revisions.
    pub async fn changed_symbols(&self, range: &RevisionRange) -> Result<QualifiedAnswer<ChangedSymbols>, CodeError> {
        let Some(git) = self.intel.version_control.clone() else {
            return Err(VersionControlError::NotInstalled.into());
        };
        let mut status = AnswerStatus::from_source(AnswerSource::Syntax, Vec::new());
        let mut changed = ChangedSymbols::default();
        let mut remarks = Remarks::default();
        let until = self.cx.deadline.min(Instant::now() + TIME);
        for comparison in self.comparisons(git.as_ref(), range, &mut status).await? {
            changed.states.push((comparison.from.clone(), comparison.to.clone()));
            if comparison.omitted > 0 {
                let files = pluralize(comparison.omitted, "changed file");
                status.mark_incomplete(format!("{files} left out; compare closer revisions"));
            }
            self.compare_files(git.as_ref(), &comparison, until, &mut changed, &mut remarks, &mut status).await?;
        }
        self.count_mentions(&mut changed).await;
        changed.files.sort_by(|a, b| a.importance().cmp(&b.importance()));
        remarks.add_to(&mut status);
        Ok(QualifiedAnswer { value: changed, status })
    }

    /// Compares the trees of each folder of the workspace.
    async fn comparisons(
        &self,
        git: &dyn VersionControl,
        range: &RevisionRange,
        status: &mut AnswerStatus,
    ) -> Result<Vec<TreeComparison>, CodeError> {
        let unsaved = if range.to.is_none() { self.intel.texts.unsaved_texts() } else { BTreeMap::new() };
        let roots = self.workspace().roots();
        let is_nested = |root: &Utf8PathBuf| roots.iter().any(|other| other != root && root.starts_with(other));
        let (mut comparisons, mut failures) = (Vec::new(), Vec::new());
        for root in roots.iter().filter(|root| !is_nested(root)) {
            let edited: Vec<Utf8PathBuf> = unsaved.keys().filter(|path| path.starts_with(root)).cloned().collect();
            let compared = tokio::select! {
                compared = git.compare(root, range, &edited) => compared,
                () = self.cx.cancel.cancelled() => Err(VersionControlError::Failure("cancelled".to_owned())),
            };
            match compared {
                Ok(comparison) => comparisons.push(comparison),
                Err(error) => failures.push((root, error)),
            }
        }
        if comparisons.is_empty()
            && let Some((_, error)) = failures.pop()
        {
            return Err(error.into());
        }
        for (root, error) in failures {
            status.mark_incomplete(format!("{}: {error}", self.workspace().display(root)));
        }
        Ok(comparisons)
    }

    /// Compares the versions of the files of one repository.
    async fn compare_files(
        &self,
        git: &dyn VersionControl,
        comparison: &TreeComparison,
        until: Instant,
        changed: &mut ChangedSymbols,
        remarks: &mut Remarks,
        status: &mut AnswerStatus,
    ) -> Result<(), CodeError> {
        let files = self.find_renames(git, comparison).await?;
        let mut count: usize = changed.files.iter().map(|file| file.declarations.len()).sum();
        for (chunk, start) in files.chunks(FILES_AT_ONCE).zip((0..).step_by(FILES_AT_ONCE)) {
            let is_late = Instant::now() >= until || self.cx.cancel.is_cancelled();
            if is_late || count >= MAX_DECLARATIONS {
                let limit = if is_late { "20 s" } else { "20,000 declarations" };
                let rest = pluralize(files.len() - start, "changed file");
                status.mark_incomplete(format!("{rest} left out after {limit}; compare closer revisions"));
                break;
            }
            let versions: Vec<Option<&FileVersion>> =
                chunk.iter().flat_map(|file| [file.old.as_ref(), file.new.as_ref()]).collect();
            let texts = self.version_texts(git, &comparison.repository, &versions).await?;
            for (file, texts) in chunk.iter().zip(texts.chunks(2)) {
                let [old, new] = texts else { continue };
                if let Some(file) = self.compare_file(file, old.as_ref(), new.as_ref(), remarks).await {
                    count += file.declarations.len();
                    changed.files.push(file);
                }
            }
        }
        Ok(())
    }

    /// Joins removed and added files with similar texts to moved ones.
    async fn find_renames(
        &self,
        git: &dyn VersionControl,
        comparison: &TreeComparison,
    ) -> Result<Vec<FileDifference>, CodeError> {
        let (removed, added) = renames::candidates(&comparison.files);
        if removed.is_empty() || added.is_empty() {
            return Ok(comparison.files.clone());
        }
        let versions: Vec<Option<&FileVersion>> = removed
            .iter()
            .filter_map(|at| comparison.files.get(*at)?.old.as_ref())
            .chain(added.iter().filter_map(|at| comparison.files.get(*at)?.new.as_ref()))
            .map(Some)
            .collect();
        let mut texts = self.version_texts(git, &comparison.repository, &versions).await?;
        let new_texts = texts.split_off(removed.len().min(texts.len()));
        let text = |text: Option<VersionText>| text.and_then(Result::ok);
        let olds: Vec<_> = removed.into_iter().zip(texts.into_iter().map(text)).collect();
        let news: Vec<_> = added.into_iter().zip(new_texts.into_iter().map(text)).collect();
        Ok(renames::join(&comparison.files, &renames::pairs(&olds, &news)))
    }

    /// Reads versions of files, those in the repository at once.
    async fn version_texts(
        &self,
        git: &dyn VersionControl,
        repository: &Utf8Path,
        versions: &[Option<&FileVersion>],
    ) -> Result<Vec<Option<VersionText>>, CodeError> {
        let readable = |version: &&FileVersion| self.unreadable_reason(version).is_none();
        let ids: Vec<VersionId> =
            versions.iter().flatten().filter(|it| readable(it)).filter_map(|version| version.id.clone()).collect();
        let stored = if ids.is_empty() { Vec::new() } else { git.read_versions(repository, &ids).await? };
        let mut stored = stored.into_iter();
        let mut texts = Vec::with_capacity(versions.len());
        for version in versions {
            let Some(version) = version else {
                texts.push(None);
                continue;
            };
            let text = match (self.unreadable_reason(version), &version.id) {
                (Some(reason), _) => Err(reason),
                (None, Some(_)) => decode(stored.next().flatten()),
                (None, None) => match self.intel.texts.read(&version.path).await {
                    Ok(source) => Ok(source.text),
                    Err(error) => Err(error.to_string()),
                },
            };
            texts.push(Some(text));
        }
        Ok(texts)
    }

    /// Returns the reason why the declarations of a version are unknown without its text.
    fn unreadable_reason(&self, version: &FileVersion) -> Option<String> {
        let name = version.path.file_name().unwrap_or_default();
        match version.kind {
            VersionedKind::Submodule => Some("a submodule".to_owned()),
            VersionedKind::Link => Some("a symbolic link".to_owned()),
            VersionedKind::File if credentials::is_credential_path(&version.path) => {
                Some("it may hold credentials".to_owned())
            }
            VersionedKind::File if !self.intel.parser.has_language(name) => {
                Some("zubi cannot parse its language".to_owned())
            }
            VersionedKind::File if version.bytes > MAX_TEXT_BYTES as u64 => {
                Some(format!("too large to parse: {} KiB", version.bytes / 1024))
            }
            VersionedKind::File => None,
        }
    }

    /// Compares the versions of one file. Returns `None` if they do not differ.
    async fn compare_file(
        &self,
        file: &FileDifference,
        old: Option<&VersionText>,
        new: Option<&VersionText>,
        remarks: &mut Remarks,
    ) -> Option<FileSymbolChanges> {
        let display = |path: &Utf8Path| clean_line(&self.workspace().display(path));
        let path = file.path();
        let is_moved = file.old.as_ref().is_some_and(|old| old.path != path);
        let mut changes = FileSymbolChanges {
            display_path: display(path),
            old_display_path: file.old.as_ref().filter(|_| is_moved).map(|old| display(&old.path)),
            change: match (&file.old, &file.new) {
                (None, _) => DeclarationChange::Added,
                (_, None) => DeclarationChange::Removed,
                _ => DeclarationChange::Changed,
            },
            declarations: Vec::new(),
            mentions: Vec::new(),
            is_changed_outside: false,
            unknown: None,
            role: FileRole::from_path(Utf8Path::new(&display(path))),
        };
        let empty: Arc<str> = Arc::from("");
        let (old, new) = match (old.unwrap_or(&Ok(Arc::clone(&empty))), new.unwrap_or(&Ok(empty))) {
            (Ok(old), Ok(new)) => (Arc::clone(old), Arc::clone(new)),
            (Err(reason), _) | (_, Err(reason)) => {
                changes.unknown = Some(clean_line(reason));
                return Some(changes);
            }
        };
        if !is_moved && changes.change == DeclarationChange::Changed && old.lines().eq(new.lines()) {
            remarks.equal += 1;
            return None;
        }
        let old_path = file.old.as_ref().map_or(path, |old| &old.path);
        let is_present = file.new.as_ref().is_some_and(|new| new.id.is_none());
        let outlines = match self.outline_version(old_path, &old, false).await {
            Ok(old) => self.outline_version(path, &new, is_present).await.map(|new| (old, new)),
            Err(reason) => Err(reason),
        };
        let (old_outline, new_outline) = match outlines {
            Ok(outlines) => outlines,
            Err(reason) => {
                changes.unknown = Some(reason);
                return Some(changes);
            }
        };
        if old_outline.has_errors || new_outline.has_errors {
            remarks.with_errors.push(changes.display_path.clone());
        }
        if old_outline.is_cut || new_outline.is_cut {
            remarks.cut.push(changes.display_path.clone());
        }
        let old = DeclaredText { text: &old, outline: &old_outline };
        let new = DeclaredText { text: &new, outline: &new_outline };
        (changes.declarations, changes.is_changed_outside) = comparison::compare(&old, &new);
        Some(changes)
    }

    /// Parses a version; `is_present` if its text is that of the file now.
    async fn outline_version(
        &self,
        path: &Utf8Path,
        text: &Arc<str>,
        is_present: bool,
    ) -> Result<Arc<SyntaxOutline>, String> {
        if text.is_empty() {
            return Ok(Arc::default());
        }
        let parsed = if is_present { self.parse_outline(path, text).await } else { None };
        match parsed {
            Some(parsed) => parsed,
            None => self.intel.parser.outline(path.file_name().unwrap_or_default(), text).await.map(Arc::new),
        }
        .map_err(|error| clean_line(&error.to_string()))
    }

    /// Counts the other files that mention the changed and removed declarations, if the index has all words.
    async fn count_mentions(&self, changed: &mut ChangedSymbols) {
        let index = self.intel.index.clone();
        let mut counted: BTreeMap<String, Option<usize>> = BTreeMap::new();
        for file in &mut changed.files {
            for declaration in &file.declarations {
                let is_used = declaration.change != DeclarationChange::Added && declaration.rank == 0;
                let Some(index) = index.as_ref().filter(|_| is_used) else {
                    file.mentions.push(None);
                    continue;
                };
                let count = match counted.get(&declaration.word) {
                    Some(count) => *count,
                    None if counted.len() >= MAX_COUNTED => None,
                    None => {
                        let count = match index.files_with(&declaration.word).await {
                            Ok(WordFiles::Files { texts, .. }) => Some(texts.len()),
                            _ => None,
                        };
                        counted.insert(declaration.word.clone(), count);
                        count
                    }
                };
                // The declaring file mentions it too, unless the declaration is removed.
                let own = usize::from(declaration.change == DeclarationChange::Changed);
                file.mentions.push(count.map(|count| count.saturating_sub(own)));
            }
        }
    }
}

impl FileSymbolChanges {
    /// Returns the number of files that mention a declaration.
    pub fn mentions_of(&self, index: usize) -> Option<usize> {
        self.mentions.get(index).copied().flatten()
    }

    /// Returns the order of files; the least is the most important.
    fn importance(&self) -> (FileRole, bool, Reverse<usize>, &str) {
        let has_code = self.declarations.iter().any(|it| it.rank < 3);
        let mentions = self.mentions.iter().flatten().copied().max().unwrap_or_default();
        (self.role, !has_code, Reverse(mentions), &self.display_path)
    }
}

impl Remarks {
    fn add_to(self, status: &mut AnswerStatus) {
        if !self.cut.is_empty() {
            status.notes.push(crate::text_fallback::cut_note(&list_first(self.cut, MAX_NAMED)));
        }
        if !self.with_errors.is_empty() {
            let names = list_first(self.with_errors, MAX_NAMED);
            status.notes.push(format!("syntax errors, so declarations may be missing: {names}"));
        }
        if self.equal > 0 {
            status.notes.push(format!("{} with equal lines", pluralize(self.equal, "file")));
        }
    }
}

/// Decodes a stored version.
fn decode(bytes: Option<Vec<u8>>) -> VersionText {
    let bytes = bytes.ok_or_else(|| "the repository does not have this version".to_owned())?;
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let text = text.ok_or_else(|| "not UTF-8 text".to_owned())?;
    Ok(Arc::from(text.strip_prefix(BOM).unwrap_or(&text)))
}
