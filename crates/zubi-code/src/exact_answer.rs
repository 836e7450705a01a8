//! Answers from imported exact data ([`crate::exact_index`]), for requests that no server can answer.
//!
//! The data cover what their producer has read, so they only add to an answer: without an exact location, zubi searches the
//! texts instead.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextRange, size};
use zubi_base::sync::lock;
use zubi_base::text::{list_first, pluralize};
use zubi_base::uri;
use zubi_syntax::SyntaxLanguage;

use crate::exact_index::{
    ExactAnswer, ExactContent, ExactDocument, ExactIndex, ExactIndexError, ExactLocation, ExactQuery, ExactRole,
    ExactTarget,
};
use crate::features::index_search::is_data_file;
use crate::features::locations::{RawLocation, Relation};
use crate::locate::ResolvedTarget;
use crate::markup::clean_line;
use crate::query::{CodeQuery, SourceDocument};
use crate::status::{AnswerSource, AnswerStatus, ExactCoverage, QualifiedAnswer};
use crate::text_search;

/// The time limit of the queries of an answer.
const QUERY_TIME: Duration = Duration::from_secs(3);

/// The maximum number of locations, and of files, in an answer.
const MAX_LOCATIONS: usize = 2_000;

/// The maximum number of files whose coverage an answer compares, and that its mark names.
const MAX_COMPARED: usize = 200;
const MAX_NAMED: usize = 3;

/// The length of a commit's id in an answer.
const SHORT_ID: usize = 7;

/// References from imported data alone, beside the answer of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExactReferences {
    /// The origins; see [`ExactCoverage::origins`].
    pub origins: Vec<String>,
    /// Sorted by path and line; not empty.
    pub locations: Vec<RawLocation>,
}

/// The answers of an index.
struct FoundData {
    answers: Vec<ExactAnswer>,
    note: Option<String>,
}

impl CodeQuery<'_> {
    /// Returns the locations in imported data; `None` if they have no exact one. In files that have changed since the
    /// import, the matches of the name are marked as text. Adds a note to `notes` for each store that does not answer.
    pub(crate) async fn exact_locations(
        &self,
        at: &ResolvedTarget,
        relation: Relation,
        notes: &mut Vec<String>,
    ) -> Option<QualifiedAnswer<Vec<RawLocation>>> {
        let role = match relation {
            Relation::Definition => ExactRole::Definitions,
            Relation::References { .. } => ExactRole::References,
            Relation::Implementations => ExactRole::Implementations,
            Relation::TypeDefinition => return None,
        };
        let until = self.cx.deadline.min(Instant::now() + QUERY_TIME);
        for index in &self.intel.exact {
            let found = self.find_exact(index.as_ref(), at, role, relation);
            match tokio::time::timeout_at(until.into(), found).await {
                Ok(Ok(Some(found))) => {
                    if let Some(mut answer) = self.to_exact_locations(found, at, relation).await {
                        self.mark_uncovered(index.as_ref(), at, relation, &mut answer).await;
                        return Some(answer);
                    }
                }
                // The data of another folder may cover the document.
                Ok(Ok(None)) => {}
                Ok(Err(error)) => add_failure(notes, &error),
                Err(_) => {
                    add_note(notes, slow_note());
                    return None;
                }
            }
        }
        None
    }

    /// Names the imports that have failed, if their data describe the file of a position.
    pub(crate) async fn add_failed_imports(&self, at: &ResolvedTarget, status: &mut AnswerStatus) {
        for index in &self.intel.exact {
            for failure in index.failed_imports().await.iter().filter(|failure| at.path.starts_with(&failure.folder)) {
                let file = clean_line(&self.workspace().display(&failure.file));
                status.notes.push(format!("exact data of `{file}` were not imported: {}", clean_line(&failure.reason)));
            }
        }
    }

    /// Marks an answer about every use of a name if files mention the name whose present texts are not in the data.
    async fn mark_uncovered(
        &self,
        index: &dyn ExactIndex,
        at: &ResolvedTarget,
        relation: Relation,
        answer: &mut QualifiedAnswer<Vec<RawLocation>>,
    ) {
        let (Some(name), Relation::References { .. } | Relation::Implementations) = (&at.name, relation) else {
            return;
        };
        let status = &mut answer.status;
        let searched = self.search_words(name, None).await;
        self.mark_cut_search(searched.cut, status);
        self.mark_unread_files(name, None, status).await;
        // The answer has the matches in its files.
        let answered: BTreeSet<_> = answer.value.iter().filter_map(|found| uri::to_path(&found.location.uri)).collect();
        let is_code = |path: &Utf8PathBuf| {
            path.file_name().and_then(SyntaxLanguage::from_file_name).is_some() && !is_data_file(path)
        };
        let mut mentions: Vec<_> = searched.files.into_iter().map(|(path, _)| path).collect();
        mentions.retain(|path| is_code(path) && !answered.contains(path));
        let unchecked = mentions.split_off(mentions.len().min(MAX_COMPARED));
        let texts = self.intel.texts.as_ref();
        let compared = index.find_uncovered(&mentions, texts);
        let until = self.cx.deadline.min(Instant::now() + QUERY_TIME);
        match tokio::time::timeout_at(until.into(), compared).await {
            Ok(Ok(uncovered)) if uncovered.is_empty() => {}
            Ok(Ok(uncovered)) => {
                let files = list_first(uncovered.iter().map(|path| self.workspace().display(path)), MAX_NAMED);
                status.mark_incomplete(format!("`{name}` also occurs in files that the data do not cover: {files}"));
            }
            Ok(Err(_)) | Err(_) => status.mark_incomplete(format!(
                "zubi did not find out whether the data cover {} with `{name}`",
                pluralize(mentions.len(), "other file")
            )),
        }
        if !unchecked.is_empty() {
            let files = pluralize(unchecked.len(), "more file");
            status.mark_incomplete(format!("`{name}` also occurs in {files}, which the data may not cover"));
        }
    }

    /// Returns the references in files of the projects that no server has answered about. `answered` are those of the
    /// servers. Adds a note to `notes` for each store that does not answer.
    pub(crate) async fn exact_references_elsewhere(
        &self,
        at: &ResolvedTarget,
        answered: &[RawLocation],
        notes: &mut Vec<String>,
    ) -> Option<ExactReferences> {
        let projects = lock(&self.unqueried).clone();
        if projects.is_empty() {
            return None;
        }
        let until = self.cx.deadline.min(Instant::now() + QUERY_TIME);
        let find = async {
            for index in &self.intel.exact {
                let relation = Relation::References { include_declaration: false };
                match self.find_exact(index.as_ref(), at, ExactRole::References, relation).await {
                    Ok(Some(found)) => return Some(found),
                    Ok(None) => {}
                    Err(error) => add_failure(notes, &error),
                }
            }
            None
        };
        let Ok(found) = tokio::time::timeout_at(until.into(), find).await else {
            add_note(notes, slow_note());
            return None;
        };
        let found = found?;
        let answered: BTreeSet<_> = answered.iter().filter_map(|found| uri::to_path(&found.location.uri)).collect();
        let mut locations = Vec::new();
        let documents = found.answers.iter().flat_map(|answer| &answer.documents);
        for document in documents.filter(|document| !answered.contains(&document.path)).take(MAX_COMPARED) {
            let ExactContent::Exact(exact) = &document.content else { continue };
            let files = vec![document.path.clone()];
            let method = "textDocument/references";
            let own = self.intel.router.other_projects(&at.reference, method, files).await;
            if own.iter().any(|own| projects.iter().any(|project| project.root == own.root)) {
                let relation = Relation::References { include_declaration: true };
                locations.extend(self.to_raw_locations(document, exact, relation).await.unwrap_or_default());
            }
        }
        self.sort(&mut locations).await;
        locations.truncate(MAX_LOCATIONS);
        (!locations.is_empty()).then(|| ExactReferences { origins: origins(&found.answers), locations })
    }

    async fn find_exact(
        &self,
        index: &dyn ExactIndex,
        at: &ResolvedTarget,
        role: ExactRole,
        relation: Relation,
    ) -> Result<Option<FoundData>, ExactIndexError> {
        let texts = self.intel.texts.as_ref();
        let position = ExactTarget::Position { path: at.path.clone(), offset: at.offset.into() };
        let mut query = ExactQuery { target: position, role, limit: MAX_LOCATIONS };
        let (found, changed_name) = match (index.find(&query, texts).await, &at.name) {
            (Err(ExactIndexError::ChangedDocument(_)), Some(name)) => {
                query.target = ExactTarget::Name(name.clone());
                (index.find(&query, texts).await?, Some(name))
            }
            (found, _) => (found?, None),
        };
        if !has_location(&found) {
            return Ok(None);
        }
        let mut found = FoundData { answers: vec![found], note: None };
        let with_declarations = matches!(relation, Relation::References { include_declaration: true });
        if with_declarations || changed_name.is_some() {
            // The definitions, or for a definition in other files, the uses in the file of the position.
            query.role = if role == ExactRole::Definitions { ExactRole::References } else { ExactRole::Definitions };
            found.answers.push(index.find(&query, texts).await?);
        }
        if let Some(name) = changed_name {
            if !is_only_symbol(&found.answers, name, &at.path) {
                return Ok(None);
            }
            let file = self.workspace().display(&at.path);
            found.note =
                Some(format!("`{file}` has changed since the import: this is the only `{name}` of the data in it"));
            if !with_declarations {
                found.answers.truncate(1);
            }
        }
        Ok(Some(found))
    }

    async fn to_exact_locations(
        &self,
        found: FoundData,
        at: &ResolvedTarget,
        relation: Relation,
    ) -> Option<QualifiedAnswer<Vec<RawLocation>>> {
        let mut locations = Vec::new();
        // Whether a file is exact.
        let mut files: BTreeMap<&Utf8Path, bool> = BTreeMap::new();
        let documents = || found.answers.iter().flat_map(|answer| &answer.documents);
        for document in documents() {
            let exact = match &document.content {
                ExactContent::Exact(exact) => self.to_raw_locations(document, exact, relation).await,
                ExactContent::Changed(_) => None,
            };
            *files.entry(&document.path).or_insert(true) &= exact.is_some();
            locations.extend(exact.unwrap_or_default());
        }
        if locations.is_empty() {
            return None;
        }
        for (path, _) in files.iter().filter(|(_, is_exact)| !**is_exact) {
            if let Some(name) = &at.name {
                locations.extend(self.word_locations(path, name, relation).await);
            }
        }
        let start = |one: &RawLocation| (one.location.range.start.line, one.location.range.start.character);
        locations.sort_by(|a, b| {
            let flags = |one: &RawLocation| (one.text_only, !one.declaration);
            let place = a.display_path.cmp(&b.display_path).then_with(|| start(a).cmp(&start(b)));
            place.then_with(|| flags(a).cmp(&flags(b)))
        });
        locations.dedup_by(|one, other| one.display_path == other.display_path && start(one) == start(other));
        let mut status = AnswerStatus::from_source(AnswerSource::Exact, Vec::new());
        if locations.len() > MAX_LOCATIONS || found.answers.iter().any(|answer| answer.has_more) {
            locations.truncate(MAX_LOCATIONS);
            status.notes.push("a part of the data is left out, so there may be more".to_owned());
        }
        status.notes.extend(found.note);
        let exact = files.values().filter(|is_exact| **is_exact).count();
        status.exact = Some(ExactCoverage { origins: origins(&found.answers), exact, changed: files.len() - exact });
        Some(QualifiedAnswer { value: locations, status })
    }

    /// Converts the locations in a document; `None` if its text has changed after the index has read it.
    async fn to_raw_locations(
        &self,
        exact: &ExactDocument,
        locations: &[ExactLocation],
        relation: Relation,
    ) -> Option<Vec<RawLocation>> {
        let document = self.document(&exact.path).await.ok()?;
        let convert = |found: &ExactLocation| {
            document.text.get(found.range.clone())?;
            let range = TextRange::new(size(found.range.start), size(found.range.end));
            let mut range = document.index.range_to_lsp(range, Encoding::Utf8);
            if range.start.line != found.line {
                return None;
            }
            // The definition of a module is its whole file.
            if range.end.line != range.start.line {
                range.end = range.start;
            }
            let declaration = found.is_definition && matches!(relation, Relation::References { .. });
            Some(RawLocation { declaration, ..self.exact_location(&exact.path, range) })
        };
        locations.iter().map(convert).collect()
    }

    /// Returns the matches of a name in a file that has changed since the import, as far as they can have the relation.
    async fn word_locations(&self, path: &Utf8Path, name: &str, relation: Relation) -> Vec<RawLocation> {
        // A file that is gone has none.
        let Ok(document) = self.document(path).await else { return Vec::new() };
        let declared = self.declared_ranges(path, &document, name).await;
        let is_included = |range: &TextRange| match relation {
            Relation::References { include_declaration } => include_declaration || !declared.contains(range),
            _ => declared.contains(range),
        };
        let ranges = text_search::occurrences(&document.text, name);
        let ranges = ranges.map(|start| TextRange::at(size(start), size(name.len()))).filter(is_included);
        ranges.map(|range| self.word_location(path, &document, range)).collect()
    }

    fn word_location(&self, path: &Utf8Path, document: &SourceDocument, range: TextRange) -> RawLocation {
        let range = document.index.range_to_lsp(range, Encoding::Utf8);
        RawLocation { text_only: true, ..self.exact_location(path, range) }
    }

    fn exact_location(&self, path: &Utf8Path, range: lsp::Range) -> RawLocation {
        let location = lsp::Location { uri: uri::from_path(path), range };
        let (display_path, external) = self.display_location(&location);
        let encoding = Encoding::Utf8;
        RawLocation { location, encoding, display_path, external, declaration: false, text_only: false }
    }
}

/// Adds a note about a team's store that does not answer. Other failures are only in the log, because the servers or the
/// texts have an answer.
fn add_failure(notes: &mut Vec<String>, error: &ExactIndexError) {
    match error {
        ExactIndexError::Unreachable(_) | ExactIndexError::Unusable(_) => add_note(notes, error.to_string()),
        ExactIndexError::Store(_) => tracing::warn!(%error, "no exact answer"),
        error => tracing::debug!(%error, "no exact answer"),
    }
}

/// Adds a note, once.
fn add_note(notes: &mut Vec<String>, note: String) {
    tracing::debug!("{note}");
    if !notes.contains(&note) {
        notes.push(note);
    }
}

fn slow_note() -> String {
    format!("the imported data did not answer within {} s", QUERY_TIME.as_secs())
}

/// Whether an answer has an exact location.
fn has_location(answer: &ExactAnswer) -> bool {
    let is_exact =
        |document: &ExactDocument| matches!(&document.content, ExactContent::Exact(locations) if !locations.is_empty());
    answer.documents.iter().any(is_exact)
}

/// Whether the data have one symbol of a name, and it occurs in a file.
fn is_only_symbol(answers: &[ExactAnswer], name: &str, path: &Utf8Path) -> bool {
    let symbols = answers.iter().flat_map(|answer| &answer.symbols).filter(|symbol| symbol.name == name);
    let monikers: BTreeSet<&str> = symbols.map(|symbol| symbol.moniker.as_str()).collect();
    let mut documents = answers.iter().flat_map(|answer| &answer.documents);
    monikers.len() == 1 && documents.any(|document| document.path == path)
}

/// Returns the origins of the data as an answer names them.
fn origins(answers: &[ExactAnswer]) -> Vec<String> {
    let mut origins: Vec<String> = Vec::new();
    for import in answers.iter().flat_map(|answer| &answer.imports) {
        let origin = match &import.commit {
            Some(commit) => commit.chars().take(SHORT_ID).collect(),
            None => import.tool.clone(),
        };
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    origins
}
