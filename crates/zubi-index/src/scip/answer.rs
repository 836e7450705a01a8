//! Answers from stored data and present texts. No position is in an answer unless its text has the stored content.

use std::collections::BTreeMap;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use zubi_base::text::{SourceText, TextSource};
use zubi_code::exact_index::{
    ExactAnswer, ExactContent, ExactDocument, ExactImportStatus, ExactIndexError, ExactLocation, ExactQuery, ExactRole,
    ExactSymbol, ExactTarget,
};
use zubi_code::locate::NamePath;

use super::codec::{self, StoredOccurrence};
use super::commit::BlobId;
use super::document::RelationBits;
use super::import::exact_import;
use super::index::age;
use super::position::{ColumnUnit, DocumentText};
use super::store::{DocumentPage, DocumentRow, ImportRow, MonikerRow, OccurrenceStore, RelationDirection};
use super::symbol::ScipSymbol;
use crate::store::kind;

/// The maximum number of symbols of an answer.
const MAX_SYMBOLS: usize = 1_000;

/// The number of documents in memory at a time.
const PAGE: usize = 32;

/// The folder of a query.
pub(super) struct QueryFolder<'a> {
    pub(super) root: &'a Utf8Path,
    pub(super) now: Duration,
    pub(super) checked_documents: usize,
}

/// The reason why there is no answer.
enum AnswerFailure {
    /// The store has a value that no import writes. The text says where.
    Damaged(String),
    /// Any other reason.
    Index(ExactIndexError),
}

impl From<ExactIndexError> for AnswerFailure {
    fn from(error: ExactIndexError) -> Self {
        Self::Index(error)
    }
}

/// Returns the occurrences of a symbol. Deletes the data if they are damaged.
pub(super) async fn find(
    store: &dyn OccurrenceStore,
    folder: &QueryFolder<'_>,
    query: &ExactQuery,
    texts: &dyn TextSource,
) -> Result<ExactAnswer, ExactIndexError> {
    match find_undamaged(store, folder, query, texts).await {
        Ok(answer) => Ok(answer),
        Err(AnswerFailure::Index(error)) => Err(error),
        Err(AnswerFailure::Damaged(reason)) => {
            store.discard().await;
            Err(ExactIndexError::Store(reason))
        }
    }
}

async fn find_undamaged(
    store: &dyn OccurrenceStore,
    folder: &QueryFolder<'_>,
    query: &ExactQuery,
    texts: &dyn TextSource,
) -> Result<ExactAnswer, AnswerFailure> {
    let mut imports = store.imports().await?;
    if imports.is_empty() {
        return Err(ExactIndexError::NothingImported.into());
    }
    let (targets, mut has_more) = match &query.target {
        ExactTarget::Position { path, offset } => {
            let ids = symbols_at(store, folder, path, *offset, texts).await?;
            (store.monikers(&ids).await?, false)
        }
        ExactTarget::Name(name) => symbols_named(store, name).await?,
    };
    let ids: Vec<i64> = targets.iter().map(|row| row.id).collect();
    let (searched, definitions) = match query.role {
        ExactRole::Definitions => {
            (with_related(store, &ids, RelationBits::DEFINITION, &[RelationDirection::ToTargets]).await?, true)
        }
        ExactRole::References => {
            let bits = RelationBits::REFERENCE | RelationBits::DEFINITION;
            let both = [RelationDirection::ToTargets, RelationDirection::FromTargets];
            (with_related(store, &ids, bits, &both).await?, false)
        }
        ExactRole::Implementations => {
            let bits = RelationBits::IMPLEMENTATION;
            (store.find_related(&ids, bits, RelationDirection::FromTargets, MAX_SYMBOLS).await?, true)
        }
    };
    has_more |= searched.len() >= MAX_SYMBOLS;
    let mut symbols: Vec<i64> = ids.clone();
    symbols.extend(searched.iter().filter(|id| !ids.contains(id)));
    let others = store.monikers(symbols.get(ids.len()..).unwrap_or_default()).await?;
    let mut collector = Collector {
        root: folder.root,
        limit: query.limit,
        symbols: targets.iter().chain(&others).map(|row| row.id).zip(0..).collect(),
        searched: &searched,
        definitions,
        documents: BTreeMap::new(),
        locations: 0,
        has_more,
    };
    let mut page = DocumentPage { monikers: searched.clone(), definitions, after: None, limit: PAGE };
    while !page.monikers.is_empty() {
        let rows = store.documents_with(&page).await?;
        let is_last = rows.len() < PAGE;
        page.after = rows.last().map(|row| (row.path.clone(), row.import));
        let mut is_full = false;
        for row in &rows {
            is_full = !collector.add(row, texts).await?;
            if is_full {
                break;
            }
        }
        if is_last || is_full {
            break;
        }
        tokio::task::yield_now().await;
    }
    let symbols = targets.iter().chain(&others).map(symbol).collect::<Result<_, _>>()?;
    if collector.documents.values().any(|(id, _)| !imports.iter().any(|row| row.id == *id)) {
        // An import has ended meanwhile.
        imports.extend(store.imports().await?);
    }
    Ok(collector.answer(symbols, &imports))
}

/// Adds the symbols that have a relation to some.
async fn with_related(
    store: &dyn OccurrenceStore,
    ids: &[i64],
    bits: u8,
    directions: &[RelationDirection],
) -> Result<Vec<i64>, ExactIndexError> {
    let mut all = ids.to_vec();
    for direction in directions {
        all.extend(store.find_related(ids, bits, *direction, MAX_SYMBOLS).await?);
    }
    all.sort_unstable();
    all.dedup();
    all.truncate(MAX_SYMBOLS);
    Ok(all)
}

/// Returns the symbols at a position: those of the shortest name there.
async fn symbols_at(
    store: &dyn OccurrenceStore,
    folder: &QueryFolder<'_>,
    path: &Utf8Path,
    offset: usize,
    texts: &dyn TextSource,
) -> Result<Vec<i64>, AnswerFailure> {
    let unknown = || ExactIndexError::UnknownDocument(path.to_owned());
    let relative = path.strip_prefix(folder.root).map_err(|_| unknown())?;
    let rows = store.documents_at(relative.as_str()).await?;
    if rows.is_empty() {
        return Err(unknown().into());
    }
    let source = texts.read(path).await.map_err(|error| ExactIndexError::Unreadable(error.to_string()))?;
    let mut is_exact = false;
    let mut found: Vec<(bool, usize, i64)> = Vec::new();
    for row in &rows {
        let Some(occurrences) = present_occurrences(row, &source)? else { continue };
        is_exact = true;
        let text = DocumentText::new(&source.text, source.bom, ColumnUnit::from_code(row.unit));
        for occurrence in occurrences.iter().filter(|occurrence| occurrence.range.is_name()) {
            let Some(range) = text.convert(occurrence.range) else { continue };
            if range.start <= offset && offset <= range.end && text.has_whole_words(&range) {
                found.push((offset == range.end, range.len(), occurrence.moniker));
            }
        }
    }
    if !is_exact {
        return Err(ExactIndexError::ChangedDocument(path.to_owned()).into());
    }
    let Some(best) = found.iter().map(|(is_end, length, _)| (*is_end, *length)).min() else {
        return Err(ExactIndexError::NoSymbol { path: path.to_owned(), offset }.into());
    };
    let mut ids: Vec<i64> = found.iter().filter(|(end, length, _)| (*end, *length) == best).map(|it| it.2).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Returns the symbols with a name path, and whether there may be more.
async fn symbols_named(store: &dyn OccurrenceStore, name: &str) -> Result<(Vec<MonikerRow>, bool), ExactIndexError> {
    let Some(path) = NamePath::parse(name) else { return Ok((Vec::new(), false)) };
    let mut rows = store.monikers_named(path.last(), MAX_SYMBOLS).await?;
    let has_more = rows.len() >= MAX_SYMBOLS;
    rows.retain(|row| {
        let Some(symbol) = ScipSymbol::parse(&row.text) else { return false };
        let containers = symbol.containers();
        let above: Vec<&str> = containers.iter().map(String::as_str).collect();
        path.matches(&above, symbol.name(), Utf8Path::new(row.definition.as_deref().unwrap_or_default()))
    });
    Ok((rows, has_more))
}

/// Returns the occurrences of a document, or `None` if the text has other content.
fn present_occurrences(row: &DocumentRow, source: &SourceText) -> Result<Option<Vec<StoredOccurrence>>, AnswerFailure> {
    if !BlobId::from_stored(&row.hash).is_some_and(|id| id.matches(&source.bytes())) {
        return Ok(None);
    }
    let occurrences = codec::decode(&row.occurrences);
    occurrences.map(Some).map_err(|error| AnswerFailure::Damaged(format!("`{}` is damaged: {error}", row.path)))
}

fn symbol(row: &MonikerRow) -> Result<ExactSymbol, AnswerFailure> {
    let damaged = |reason: &str| AnswerFailure::Damaged(format!("the symbol `{}` is damaged: {reason}", row.text));
    let symbol = ScipSymbol::parse(&row.text).ok_or_else(|| damaged("its grammar"))?;
    let kind = row.kind.map(kind::from_code).transpose().map_err(|_| damaged("its kind"))?;
    Ok(ExactSymbol {
        moniker: row.text.clone(),
        name: symbol.name().to_owned(),
        containers: symbol.containers(),
        kind,
        package: symbol.package,
    })
}

/// The documents of an answer so far.
struct Collector<'a> {
    root: &'a Utf8Path,
    limit: usize,
    /// The index of each symbol in the answer.
    symbols: FxHashMap<i64, usize>,
    /// The symbols whose occurrences are needed; sorted.
    searched: &'a [i64],
    definitions: bool,
    /// The content and the id of the import.
    documents: BTreeMap<String, (i64, ExactContent)>,
    locations: usize,
    has_more: bool,
}

impl Collector<'_> {
    /// Adds the occurrences in a document. Returns whether the answer can have more.
    async fn add(&mut self, row: &DocumentRow, texts: &dyn TextSource) -> Result<bool, AnswerFailure> {
        let known = self.documents.contains_key(&row.path);
        if !known && self.documents.len() >= self.limit || self.locations >= self.limit {
            self.has_more = true;
            return Ok(false);
        }
        let content = match texts.read(&self.root.join(&row.path)).await {
            Ok(source) => self.content(row, &source)?,
            Err(_) => ExactContent::Changed(row.count),
        };
        match (self.documents.get_mut(&row.path), content) {
            (None, ExactContent::Exact(locations)) if locations.is_empty() => {}
            (None, content) => {
                self.documents.insert(row.path.clone(), (row.import, content));
            }
            // The data of two producers, or of two folders with the same file.
            (Some((_, ExactContent::Exact(known))), ExactContent::Exact(more)) => {
                known.extend(more);
                known.sort_by_key(sort_key);
                known.dedup();
            }
            (Some(known), ExactContent::Exact(more)) => *known = (row.import, ExactContent::Exact(more)),
            (Some(_), ExactContent::Changed(_)) => {}
        }
        let count = |(_, content): &(i64, ExactContent)| match content {
            ExactContent::Exact(locations) => locations.len(),
            ExactContent::Changed(_) => 0,
        };
        self.locations = self.documents.values().map(count).sum();
        Ok(true)
    }

    fn content(&mut self, row: &DocumentRow, source: &SourceText) -> Result<ExactContent, AnswerFailure> {
        let Some(occurrences) = present_occurrences(row, source)? else { return Ok(ExactContent::Changed(row.count)) };
        let text = DocumentText::new(&source.text, source.bom, ColumnUnit::from_code(row.unit));
        let mut locations = Vec::new();
        for occurrence in occurrences {
            let is_wanted = self.searched.binary_search(&occurrence.moniker).is_ok()
                && occurrence.roles.is_definition() == self.definitions;
            let Some(symbol) = self.symbols.get(&occurrence.moniker).copied().filter(|_| is_wanted) else { continue };
            let Some(range) = text.convert(occurrence.range) else {
                if text.is_uncertain(occurrence.range) {
                    self.has_more = true;
                    continue;
                }
                // The producer has read another content than that of the commit.
                return Ok(ExactContent::Changed(row.count));
            };
            if occurrence.range.is_name() {
                if !text.has_whole_words(&range) {
                    return Ok(ExactContent::Changed(row.count));
                }
                // rust-analyzer lists the spaces around an operator.
                if text.slice(&range).trim().is_empty() {
                    continue;
                }
            }
            locations.push(ExactLocation {
                line: text.line(range.start),
                range,
                symbol,
                is_definition: occurrence.roles.is_definition(),
                is_write: occurrence.roles.is_write(),
                is_import: occurrence.roles.is_import(),
            });
        }
        locations.sort_by_key(sort_key);
        let rest = self.limit.saturating_sub(self.locations);
        if locations.len() > rest {
            self.has_more = true;
            locations.truncate(rest);
        }
        Ok(ExactContent::Exact(locations))
    }

    fn answer(self, symbols: Vec<ExactSymbol>, imports: &[ImportRow]) -> ExactAnswer {
        let mut answer = ExactAnswer { symbols, has_more: self.has_more, ..ExactAnswer::default() };
        let mut used: Vec<i64> = Vec::new();
        for (path, (id, content)) in self.documents {
            let Some(row) = imports.iter().find(|row| row.id == id) else {
                // Its import began and was replaced meanwhile.
                answer.has_more = true;
                continue;
            };
            let known = used.iter().position(|known| *known == id);
            let import = known.unwrap_or(used.len());
            if known.is_none() {
                used.push(id);
                answer.imports.push(exact_import(row));
            }
            answer.documents.push(ExactDocument { path: self.root.join(path), import, content });
        }
        answer
    }
}

fn sort_key(location: &ExactLocation) -> (usize, usize, usize) {
    (location.range.start, location.range.end, location.symbol)
}

/// Returns those of some files whose present texts are not in the data.
pub(super) async fn find_uncovered(
    store: &dyn OccurrenceStore,
    folder: &QueryFolder<'_>,
    paths: &[Utf8PathBuf],
    texts: &dyn TextSource,
) -> Result<Vec<Utf8PathBuf>, ExactIndexError> {
    let mut uncovered = Vec::new();
    for path in paths {
        let rows = match path.strip_prefix(folder.root) {
            Ok(relative) => store.documents_at(relative.as_str()).await?,
            Err(_) => Vec::new(),
        };
        let is_covered = !rows.is_empty()
            && texts.read(path).await.is_ok_and(|source| {
                let bytes = source.bytes();
                rows.iter().any(|row| BlobId::from_stored(&row.hash).is_some_and(|id| id.matches(&bytes)))
            });
        if !is_covered {
            uncovered.push(path.clone());
        }
    }
    Ok(uncovered)
}

/// Returns the states of all imports.
pub(super) async fn status(
    store: &dyn OccurrenceStore,
    folder: &QueryFolder<'_>,
    texts: &dyn TextSource,
) -> Result<Vec<ExactImportStatus>, ExactIndexError> {
    let mut rest = folder.checked_documents;
    let mut states = Vec::new();
    for row in store.imports().await? {
        let import = exact_import(&row);
        let mut state = ExactImportStatus {
            age: age(folder.now, import.imported_at),
            import,
            file: Utf8PathBuf::from(&row.file),
            folder: if row.folder.is_empty() { folder.root.to_owned() } else { folder.root.join(&row.folder) },
            documents: 0,
            exact: 0,
            changed: 0,
            unchecked: 0,
            languages: Vec::new(),
        };
        let mut languages: BTreeMap<String, usize> = BTreeMap::new();
        let mut after = String::new();
        loop {
            let documents = store.documents_after(row.id, &after, PAGE).await?;
            let Some(last) = documents.last() else { break };
            after.clone_from(&last.path);
            for document in documents {
                state.documents += 1;
                *languages.entry(document.language).or_default() += 1;
                if rest == 0 {
                    state.unchecked += 1;
                    continue;
                }
                rest -= 1;
                let id = BlobId::from_stored(&document.hash);
                let is_exact = match (id, texts.read(&folder.root.join(&document.path)).await) {
                    (Some(id), Ok(source)) => id.matches(&source.bytes()),
                    _ => false,
                };
                if is_exact {
                    state.exact += 1;
                } else {
                    state.changed += 1;
                }
            }
            tokio::task::yield_now().await;
        }
        state.languages = languages.into_iter().collect();
        states.push(state);
    }
    Ok(states)
}
