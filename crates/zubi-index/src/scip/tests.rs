//! Tests on small folders: files, SCIP files from a notation, and those of real indexers.
#![expect(clippy::string_slice, reason = "a test that cuts a character should fail")]

pub(super) mod conformance;
mod faults;
pub(super) mod git;
mod hostile;
pub(super) mod notation;
mod producers;
#[path = "../../../../fuzz/replay.rs"]
mod replay;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::FixedClock;
use zubi_base::fs;
use zubi_base::text::{BOM, DiskText};
use zubi_code::exact_index::{
    ExactAnswer, ExactContent, ExactIndex, ExactIndexError, ExactQuery, ExactRole, ExactTarget,
};

use self::conformance::ConformanceStore;
use super::{CommitFiles, ImportReport, ImportRequest, ScipImportError, ScipIndex, ScipLimits};

/// A folder with files.
pub(super) struct Folder {
    pub(super) root: Utf8PathBuf,
    pub(super) cache: Utf8PathBuf,
    _directory: TempDir,
}

impl Folder {
    /// Creates files: a line `//- PATH` precedes the text of each.
    pub(super) fn new(files: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let folder = Self { root: base.join("project"), cache: base.join("cache"), _directory: directory };
        std::fs::create_dir(&folder.root).unwrap();
        for part in files.split("//- ").skip(1) {
            let (path, text) = part.split_once('\n').unwrap();
            folder.write(path, text);
        }
        folder
    }

    pub(super) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> Utf8PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write_atomic(&path, text.as_ref()).unwrap();
        path
    }

    /// Writes a SCIP file from the notation of [`notation::index`] outside the project, and returns a request for it.
    pub(super) fn request(&self, notation: &str) -> ImportRequest {
        self.request_of_bytes(&notation::index(notation))
    }

    pub(super) fn request_of_bytes(&self, bytes: &[u8]) -> ImportRequest {
        let file = self.root.with_file_name("data.scip");
        fs::write_atomic(&file, bytes).unwrap();
        ImportRequest { file, folder: self.root.clone(), commit: None }
    }

    pub(super) fn index(&self) -> ScipIndex {
        self.index_with(ScipLimits::default())
    }

    pub(super) fn index_with(&self, limits: ScipLimits) -> ScipIndex {
        let clock = FixedClock(Duration::from_secs(1_000));
        ScipIndex::new(&self.root, Some(&self.cache), limits, Arc::new(clock))
    }
}

/// Returns the files of a commit as git prints them.
pub(super) fn commit(files: &[(&str, &str)]) -> CommitFiles {
    let mut output = String::new();
    for (path, text) in files {
        write!(output, "100644 blob {:?}\t{path}\0", super::BlobId::from_bytes(text.as_bytes())).unwrap();
    }
    CommitFiles::parse(&"ab".repeat(20), "", output.as_bytes()).unwrap()
}

#[async_trait]
impl ConformanceStore for ScipIndex {
    fn index(&self) -> &dyn ExactIndex {
        self
    }

    async fn import(&self, request: &ImportRequest) -> Result<ImportReport, ScipImportError> {
        Self::import(self, request, &DiskText, &CancellationToken::new(), &|_| {}).await
    }
}

/// Imports a file, and renders the report or the error.
pub(super) async fn import(folder: &Folder, store: &dyn ConformanceStore, request: &ImportRequest) -> String {
    match store.import(request).await {
        Ok(report) => {
            let ImportReport { import, documents, exact, occurrences, local, invalid, skipped } = report;
            let mut text = format!(
                "{} {}: {documents} documents, {exact} exact, {occurrences} occurrences",
                import.tool, import.version
            );
            for (number, name) in [(local, "local"), (invalid, "invalid")] {
                if number > 0 {
                    write!(text, ", {number} {name}").unwrap();
                }
            }
            for entry in skipped {
                write!(text, "\n{} {} ({})", entry.count, entry.reason.describe(), entry.example).unwrap();
            }
            text
        }
        Err(error) => error.to_string().replace(folder.root.parent().unwrap().as_str(), "…"),
    }
}

/// A position as `PATH:LINE:TEXT`: the first character of a text that is once on a 1-based line.
fn target(folder: &Folder, text: &str) -> ExactTarget {
    let Some((path, place)) = text.split_once(':') else { return ExactTarget::Name(text.to_owned()) };
    let Some((line, word)) = place.split_once(':') else { return ExactTarget::Name(text.to_owned()) };
    let Ok(line) = line.parse::<usize>() else { return ExactTarget::Name(text.to_owned()) };
    let path = folder.root.join(path);
    let source = fs::read_text(&path).unwrap();
    let source = source.strip_prefix(BOM).unwrap_or(&source);
    let start: usize = source.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let offset = start + source[start..].find(word).unwrap();
    ExactTarget::Position { path, offset }
}

/// Renders the occurrences of a symbol: `PATH:LINE text` for each location.
pub(super) async fn find(folder: &Folder, index: &dyn ExactIndex, role: ExactRole, text: &str) -> String {
    find_up_to(folder, index, role, text, 100).await
}

pub(super) async fn find_up_to(
    folder: &Folder,
    index: &dyn ExactIndex,
    role: ExactRole,
    text: &str,
    limit: usize,
) -> String {
    let query = ExactQuery { target: target(folder, text), role, limit };
    match index.find(&query, &DiskText).await {
        Ok(answer) => render(folder, &answer),
        Err(ExactIndexError::Store(error)) => format!("store: {error}"),
        Err(error) => error.to_string().replace(folder.root.as_str(), "…"),
    }
}

pub(super) fn render(folder: &Folder, answer: &ExactAnswer) -> String {
    let names = |index: usize| {
        let symbol = &answer.symbols[index];
        symbol.containers.iter().chain([&symbol.name]).map(String::as_str).collect::<Vec<_>>().join("/")
    };
    let mut lines = Vec::new();
    for document in &answer.documents {
        let path = document.path.strip_prefix(&folder.root).unwrap();
        match &document.content {
            ExactContent::Changed(number) => lines.push(format!("{path} changed ({number})")),
            ExactContent::Exact(locations) => {
                let text = fs::read_text(&document.path).unwrap();
                let text = text.strip_prefix(BOM).unwrap_or(&text);
                for location in locations {
                    assert_eq!(text[..location.range.start].matches('\n').count(), location.line as usize);
                    let flags = [
                        (location.is_definition, " definition"),
                        (location.is_write, " write"),
                        (location.is_import, " import"),
                    ];
                    let flags: String = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect();
                    let slice = text[location.range.clone()].replace('\n', "⏎");
                    lines.push(format!("{path}:{} {slice} = {}{flags}", location.line + 1, names(location.symbol)));
                }
            }
        }
    }
    if answer.has_more {
        lines.push("more".to_owned());
    }
    for import in &answer.imports {
        let commit = import.commit.as_deref().map_or("no commit", |id| &id[..7]);
        let (exact, changed) = (answer.exact_documents(), answer.changed_documents());
        lines.push(format!("[{} {} {commit}: {exact} exact, {changed} changed]", import.tool, import.version));
    }
    if lines.is_empty() {
        return format!("{} symbols, no documents", answer.symbols.len());
    }
    lines.join("\n")
}

/// Renders the state of all imports.
pub(super) async fn status(folder: &Folder, index: &dyn ExactIndex) -> String {
    let states = index.status(&DiskText).await.unwrap();
    let line = |state: zubi_code::exact_index::ExactImportStatus| {
        let path = state.folder.strip_prefix(&folder.root).unwrap();
        let languages: Vec<String> = state.languages.iter().map(|(name, number)| format!("{name} {number}")).collect();
        format!(
            "{}/{path}: {} documents, {} exact, {} changed, {} unchecked; {}; {} s",
            state.import.tool,
            state.documents,
            state.exact,
            state.changed,
            state.unchecked,
            languages.join(", "),
            state.age.as_secs()
        )
    };
    states.into_iter().map(line).collect::<Vec<_>>().join("\n")
}
