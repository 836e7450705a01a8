//! The uses of a symbol in all repositories that the role of the connection may see.

use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8Path;
use futures_util::TryStreamExt as _;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use zubi_base::credentials::is_credential_path;
use zubi_code::exact_index::ExactIndexError;
use zubi_code::locate::NamePath;
use zubi_code::symbol_uses::{DocumentUses, SymbolUseIndex, SymbolUses, UseQuery};

use super::connection::{TeamDatabase, check_schema};
use super::error::TeamIndexError;
use super::{MAX_OCCURRENCES, moniker_id};
use crate::scip::codec;
use crate::scip::document::{has_normal_form, printable};
use crate::scip::symbol::ScipSymbol;

/// The maximum number of symbols with the name. Versions of a package have different ones.
const MAX_SYMBOLS: usize = 2_000;

/// The maximum number of documents of an answer.
const MAX_DOCUMENTS: usize = 2_000;

/// The time limit of a query, with all its statements.
const TIMEOUT: Duration = Duration::from_secs(10);

impl TeamDatabase {
    /// Returns the uses and definitions of a symbol in the newest snapshots.
    pub async fn find_uses(&self, query: &UseQuery) -> Result<SymbolUses, TeamIndexError> {
        tokio::time::timeout(TIMEOUT, self.find_uses_without_limit(query))
            .await
            .map_err(|_| TeamIndexError::TimeLimit)?
    }

    async fn find_uses_without_limit(&self, query: &UseQuery) -> Result<SymbolUses, TeamIndexError> {
        let client = self.begin_reading().await?;
        check_schema(&client).await?;
        let symbols: BTreeMap<i64, String> = if query.symbol.contains('\0') {
            BTreeMap::new()
        } else if ScipSymbol::parse(&query.symbol).is_some() {
            [(moniker_id(&query.symbol), query.symbol.clone())].into()
        } else if let Some(path) = NamePath::parse(&query.symbol) {
            let statement =
                client.prepare_cached("SELECT DISTINCT id, text FROM zubi.moniker WHERE name = $1 LIMIT $2").await?;
            let limit = i64::try_from(MAX_SYMBOLS).unwrap_or(i64::MAX);
            let mut symbols = BTreeMap::new();
            for row in client.query(&statement, &[&path.last(), &limit]).await? {
                let (id, text): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
                // Another id would be that of another symbol.
                if moniker_id(&text) == id && has_path(&text, &path) {
                    symbols.insert(id, text);
                }
            }
            symbols
        } else {
            BTreeMap::new()
        };
        let ids: Vec<i64> = symbols.keys().copied().collect();
        let statement = client
            .prepare_cached(
                // The data are joined after the limit, so that they are not sorted with the rows.
                "SELECT f.name, f.path, f.commit_id, f.committed_at, f.tool,
                    CASE WHEN length(b.occurrences) <= $3 THEN b.occurrences END
                 FROM (
                    SELECT r.name, d.path, s.id, s.repository, s.commit_id, s.committed_at, s.tool, d.blob
                    FROM (SELECT DISTINCT repository, blob FROM zubi.moniker_blob WHERE moniker = ANY($1)) AS found
                    JOIN zubi.snapshot s ON s.repository = found.repository AND s.is_newest
                    JOIN zubi.document d ON d.blob = found.blob AND d.snapshot = s.id
                    JOIN zubi.repository r ON r.id = found.repository
                    WHERE $2::text IS NULL OR r.name = $2
                    ORDER BY r.name, d.path, s.id LIMIT $4
                 ) AS f JOIN zubi.blob b ON b.id = f.blob AND b.repository = f.repository
                 ORDER BY f.name, f.path, f.id",
            )
            .await?;
        let size = i32::try_from(MAX_OCCURRENCES).unwrap_or(i32::MAX);
        let limit = i64::try_from(MAX_DOCUMENTS).unwrap_or(i64::MAX).saturating_add(1);
        let parameters: [&(dyn ToSql + Sync); 4] = [&ids, &query.repository, &size, &limit];
        let mut page = UsePage::new(query, symbols.len() >= MAX_SYMBOLS);
        {
            // One document after the other, so that not all are in memory. The stream ends before the transaction, since the
            // connection waits until its rows are read or it is dropped.
            let mut rows = pin!(client.query_raw(&statement, parameters).await?);
            while let Some(row) = rows.try_next().await? {
                if !page.add(&row, &symbols)? {
                    break;
                }
            }
        }
        client.commit().await?;
        let mut uses = page.uses;
        uses.symbols = symbols.into_values().map(|symbol| printable_symbol(&symbol)).collect();
        uses.symbols.sort_unstable();
        Ok(uses)
    }
}

/// The documents of an answer, from the first line that the query does not skip.
struct UsePage {
    uses: SymbolUses,
    /// The number of rows.
    documents: usize,
    /// The number of lines that are still to skip, and of those that have room.
    skipped: usize,
    rest: usize,
    /// The start of the next page.
    next: usize,
}

impl UsePage {
    fn new(query: &UseQuery, has_more: bool) -> Self {
        let uses = SymbolUses { has_more, ..SymbolUses::default() };
        let next = query.start.saturating_add(query.limit);
        Self { uses, documents: 0, skipped: query.start, rest: query.limit, next }
    }

    /// Adds a document. Returns whether another one may have room.
    fn add(&mut self, row: &Row, symbols: &BTreeMap<i64, String>) -> Result<bool, TeamIndexError> {
        self.documents += 1;
        let path: String = row.try_get(1)?;
        let occurrences: Option<&[u8]> = row.try_get(5)?;
        let occurrences = occurrences.and_then(|bytes| codec::decode(bytes).ok());
        let (Some(occurrences), true) = (occurrences, has_normal_form(&path)) else {
            return Err(TeamIndexError::Damaged("a document is invalid".to_owned()));
        };
        // Further rows may follow the last one that the query returns, whatever its path is.
        if self.documents <= MAX_DOCUMENTS && is_credential_path(path.as_ref()) {
            return Ok(true);
        }
        if self.rest == 0 || self.documents > MAX_DOCUMENTS {
            self.uses.has_more = true;
            self.uses.next = (self.rest == 0).then_some(self.next);
            return Ok(false);
        }
        let mut document = DocumentUses {
            repository: printable(row.try_get(0)?),
            path,
            commit: printable(row.try_get(2)?),
            committed_at: Duration::from_secs(u64::try_from(row.try_get::<_, i64>(3)?).unwrap_or_default()),
            tool: printable(row.try_get(4)?),
            lines: Vec::new(),
            definitions: Vec::new(),
        };
        for one in occurrences.iter().filter(|one| symbols.contains_key(&one.moniker)) {
            let lines = if one.roles.is_definition() { &mut document.definitions } else { &mut document.lines };
            let line = one.range.line.saturating_add(1);
            // Occurrences are sorted by their positions.
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        if self.skipped > 0 {
            // An answer before has had the definitions.
            document.definitions.clear();
            let known = self.skipped.min(document.lines.len());
            document.lines.drain(..known);
            self.skipped -= known;
            if document.lines.is_empty() {
                return Ok(true);
            }
        }
        if document.lines.len() > self.rest {
            (self.uses.has_more, self.uses.next) = (true, Some(self.next));
            document.lines.truncate(self.rest);
        }
        self.rest -= document.lines.len();
        self.uses.documents.push(document);
        Ok(true)
    }
}

#[async_trait]
impl SymbolUseIndex for TeamDatabase {
    async fn find_uses(&self, query: &UseQuery) -> Result<SymbolUses, ExactIndexError> {
        Ok(Self::find_uses(self, query).await?)
    }
}

fn has_path(text: &str, path: &NamePath) -> bool {
    let Some(symbol) = ScipSymbol::parse(text) else { return false };
    let containers = symbol.containers();
    let above: Vec<&str> = containers.iter().map(String::as_str).collect();
    path.matches(&above, symbol.name(), Utf8Path::new(""))
}

fn printable_symbol(symbol: &str) -> String {
    symbol.chars().filter(|character| !character.is_control()).collect()
}
