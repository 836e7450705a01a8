//! The index of conversations: the summaries for the list, and the words to search for. Every query updates it from the
//! files, and rebuilds it if it is missing, broken or of another version. Several processes use it at the same time.

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::time::{Duration, Instant};
use zubi_base::escape::printable;
use zubi_base::owner_only;

use super::read::{self, Reading};
use super::store::ConversationDir;
use super::summary::ConversationSummary;
use super::{OpenError, id};
use crate::event::{AgentEvent, EventKind};

/// The version of the tables below.
const VERSION: i64 = 1;
/// How long to wait for another process that writes to the index.
const BUSY_TIMEOUT: Duration = Duration::from_secs(3);
/// The time between two attempts to turn on the write-ahead log.
const BUSY_PAUSE: Duration = Duration::from_millis(5);
/// The maximum indexed length of one event, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// The maximum number of words in a query; more are ignored.
const MAX_WORDS: usize = 16;
/// The maximum length of a word, in characters; the rest is ignored.
const MAX_WORD: usize = 64;

/// The tables. `bytes` is the length of the indexed part of the file, `seen` the file's length at that time. A row with
/// words of a conversation has its number in the upper 32 bits of the row number, so that one range covers them all.
const TABLES: &str = "
CREATE TABLE conversations (
    number INTEGER PRIMARY KEY,
    place TEXT NOT NULL,
    id TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    digest TEXT NOT NULL,
    UNIQUE (place, id)
) STRICT;
CREATE VIRTUAL TABLE said USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO said (said, rank) VALUES ('secure-delete', 1);
";

/// A list of conversations.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SearchPage {
    pub(crate) conversations: Vec<ConversationRow>,
    /// The number of conversations beyond the limit.
    pub(crate) more: usize,
    /// Why the index could not be used, and the next step.
    pub(crate) problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConversationRow {
    pub(crate) id: String,
    pub(crate) digest: ConversationSummary,
    /// The text in which the words were found.
    pub(crate) excerpt: Option<String>,
}

/// Why the index cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
    #[error("{0}")]
    File(#[from] std::io::Error),
}

/// A search query in FTS5 syntax. The user's text is always quoted and never read as FTS5 syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FtsQuery {
    All,
    Words(Vec<String>),
}

impl FtsQuery {
    pub(crate) fn parse(text: Option<&str>) -> Self {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Self::All };
        let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).take(MAX_WORDS);
        let quoted = |word: &str| {
            let word: String = word.chars().filter(|c| *c != '\0').take(MAX_WORD).collect();
            format!("\"{}\"", word.replace('"', "\"\""))
        };
        let mut words: Vec<String> = words.map(quoted).collect();
        // The user may still be typing the last word.
        if let Some(last) = words.last_mut()
            && !text.ends_with(char::is_whitespace)
        {
            last.push('*');
        }
        Self::Words(words)
    }
}

/// Returns the path of the index, whether the file exists or not.
pub(crate) fn path(dir: &ConversationDir) -> Utf8PathBuf {
    dir.sessions.join("index.db")
}

/// Queries the stored index. If the index is broken, removes it and tries once more.
pub(crate) fn on_disk(dir: &ConversationDir, query: &FtsQuery, limit: usize) -> Result<SearchPage, IndexError> {
    let path = path(dir);
    let run_query = || find(&mut open(&path)?, dir, query, limit);
    match run_query() {
        Err(IndexError::Database(error)) if is_broken(&error) => {
            tracing::info!("rebuilding the index of conversations: {error}");
            remove(&path)?;
            run_query()
        }
        answer => answer,
    }
}

/// Runs the query on an index in memory, which exists only for this query.
pub(crate) fn in_memory(dir: &ConversationDir, query: &FtsQuery, limit: usize) -> Result<SearchPage, OpenError> {
    let unusable = |error: &dyn std::fmt::Display| OpenError::Unusable(format!("they cannot be listed: {error}"));
    let mut connection = Connection::open_in_memory().map_err(|error| unusable(&error))?;
    prepare(&mut connection).map_err(|error| unusable(&error))?;
    find(&mut connection, dir, query, limit).map_err(|error| unusable(&error))
}

/// Removes deleted conversations from the index. If that fails, removes the whole index.
pub(crate) fn remove_index(dir: &ConversationDir) {
    let path = path(dir);
    let forget = || update(&mut open(&path)?, dir);
    if let Err(error) = forget() {
        tracing::warn!("removing the index of conversations, because it cannot be updated: {error}");
        if let Err(error) = remove(&path) {
            tracing::warn!("`{path}` still holds words of a conversation that was deleted; remove it: {error}");
        }
    }
}

fn open(path: &Utf8Path) -> Result<Connection, IndexError> {
    // Creates the file for this user alone; SQLite gives its additional files the same permissions.
    drop(owner_only::open_append(path)?);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(zubi_base::fs::canonical(path)?, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    enter_wal_mode(&connection)?;
    connection.pragma_update(None, "synchronous", "normal")?;
    // Overwrite deleted text, so that it does not remain in free pages.
    connection.pragma_update(None, "secure_delete", true)?;
    prepare(&mut connection)?;
    Ok(connection)
}

/// Turns on the write-ahead log. SQLite does not wait for another connection that does the same at this moment
/// (`SQLITE_BUSY` in spite of the time-out).
fn enter_wal_mode(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < deadline => {
                std::thread::sleep(BUSY_PAUSE);
            }
            result => return result,
        }
    }
}

/// Creates the tables, unless those of this version exist.
fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    let version =
        |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    if version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have created the tables meanwhile.
    if version(&transaction)? != VERSION {
        transaction.execute_batch("DROP TABLE IF EXISTS conversations; DROP TABLE IF EXISTS said;")?;
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

/// Whether the error means that the file is broken, not that another process uses it or that the disk is full.
fn is_broken(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
        }
        // The stored values do not have the types that this version writes.
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..) => true,
        _ => false,
    }
}

fn remove(path: &Utf8Path) -> std::io::Result<()> {
    for name in ["", "-wal", "-shm"] {
        match std::fs::remove_file(Utf8PathBuf::from(format!("{path}{name}"))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn find(
    connection: &mut Connection,
    dir: &ConversationDir,
    query: &FtsQuery,
    limit: usize,
) -> Result<SearchPage, IndexError> {
    update(connection, dir)?;
    let words = match query {
        FtsQuery::All => &[][..],
        // The query contains no searchable word.
        FtsQuery::Words(words) if words.is_empty() => return Ok(SearchPage::default()),
        FtsQuery::Words(words) => words,
    };
    let has = |at: usize| format!(" AND number IN (SELECT rowid >> 32 FROM said WHERE said MATCH ?{})", at + 2);
    let has_all: String = (0..words.len()).map(has).collect();
    let sql = format!(
        "SELECT number, id, digest FROM conversations WHERE place = ?1{has_all} ORDER BY updated DESC, id DESC"
    );
    let mut statement = connection.prepare(&sql)?;
    let parameters = std::iter::once(&dir.name).chain(words);
    let mut rows = statement.query(rusqlite::params_from_iter(parameters))?;
    let mut found = SearchPage::default();
    while let Some(row) = rows.next()? {
        if found.conversations.len() >= limit {
            found.more += 1;
            continue;
        }
        let number: i64 = row.get(0)?;
        let digest = digest(&row.get::<_, String>(2)?)?;
        let excerpt = if words.is_empty() { None } else { snippet(connection, number, words)? };
        found.conversations.push(ConversationRow { id: row.get(1)?, digest, excerpt });
    }
    Ok(found)
}

fn snippet(connection: &Connection, number: i64, words: &[String]) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT snippet(said, 0, '', '', '…', 16) FROM said WHERE said MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rank LIMIT 1",
    )?;
    let (first, last) = numbers(number);
    let text =
        statement.query_row(params![words.join(" OR "), first, last], |row| row.get::<_, String>(0)).optional()?;
    let one_line = |text: String| printable(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned();
    Ok(text.map(one_line))
}

/// Returns the range of rows with a conversation's words.
fn numbers(number: i64) -> (i64, i64) {
    (number << 32, (number << 32) | 0xffff_ffff)
}

fn digest(text: &str) -> rusqlite::Result<ConversationSummary> {
    let conversion_error =
        |error| rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, Box::new(error));
    serde_json::from_str(text).map_err(conversion_error)
}

/// Updates the index from the files.
fn update(connection: &mut Connection, dir: &ConversationDir) -> Result<(), IndexError> {
    remove_deleted_workspaces(connection, dir)?;
    let files = dir.files()?;
    let mut indexed = std::collections::BTreeMap::new();
    {
        let mut statement = connection.prepare("SELECT id, seen, number FROM conversations WHERE place = ?1")?;
        let mut rows = statement.query([&dir.name])?;
        while let Some(row) = rows.next()? {
            indexed.insert(row.get::<_, String>(0)?, (row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
        }
    }
    for (id, (_, number)) in &indexed {
        if !files.contains_key(id) {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            drop_row(&transaction, *number)?;
            transaction.commit()?;
        }
    }
    for (id, length) in &files {
        if indexed.get(id).is_none_or(|(seen, _)| u64::try_from(*seen) != Ok(*length)) {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            index_file(&transaction, dir, id)?;
            transaction.commit()?;
        }
    }
    Ok(())
}

/// Removes the rows of workspaces whose directory was deleted.
fn remove_deleted_workspaces(connection: &mut Connection, dir: &ConversationDir) -> Result<(), IndexError> {
    let text = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
    let workspaces: Vec<String> = connection
        .prepare("SELECT DISTINCT place FROM conversations")?
        .query_map([], text)?
        .collect::<Result<_, _>>()?;
    let deleted: Vec<String> =
        workspaces.into_iter().filter(|workspace| !dir.sessions.join(workspace).exists()).collect();
    if deleted.is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for workspace in deleted {
        let numbers: Vec<i64> = transaction
            .prepare("SELECT number FROM conversations WHERE place = ?1")?
            .query_map([workspace], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for number in numbers {
            drop_row(&transaction, number)?;
        }
    }
    Ok(transaction.commit()?)
}

fn drop_row(transaction: &Transaction<'_>, number: i64) -> rusqlite::Result<()> {
    let (first, last) = numbers(number);
    transaction.execute("DELETE FROM said WHERE rowid BETWEEN ?1 AND ?2", [first, last])?;
    transaction.execute("DELETE FROM conversations WHERE number = ?1", [number])?;
    Ok(())
}

/// Adds a file's new events to the index.
fn index_file(transaction: &Transaction<'_>, dir: &ConversationDir, id: &str) -> Result<(), IndexError> {
    let mut statement =
        transaction.prepare_cached("SELECT number, bytes, digest FROM conversations WHERE place = ?1 AND id = ?2")?;
    let row = statement
        .query_row([&dir.name, id], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?)))
        .optional()?;
    let indexed = match row {
        Some((number, bytes, text)) => Some((number, u64::try_from(bytes).unwrap_or_default(), digest(&text)?)),
        None => None,
    };
    let Ok(path) = dir.path(id) else { return Ok(()) };
    let mut file = match owner_only::open_existing(&path, false) {
        Ok(file) => file,
        // The conversation was deleted meanwhile.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let length = file.metadata()?.len();
    let reading = match &indexed {
        Some((_, bytes, digest)) if *bytes <= length && digest.seq > 0 => read::read(&mut file, *bytes, digest.seq),
        _ => Err(OpenError::Elsewhere),
    };
    let (number, mut digest, reading) = match (indexed, reading) {
        // The new events begin where the indexed part ends, or there are no new events.
        (Some((number, bytes, digest)), Ok(reading)) if !reading.events.is_empty() || reading.length == bytes => {
            (Some(number), digest, reading)
        }
        (known, _) => {
            if let Some((number, ..)) = known {
                drop_row(transaction, number)?;
            }
            match read::read(&mut file, 0, 0) {
                Ok(reading) => (None, ConversationSummary::default(), reading),
                Err(error) => (None, unreadable(id, &error), Reading::unreadable(length)),
            }
        }
    };
    for event in &reading.events {
        digest.apply(event);
    }
    let text =
        serde_json::to_string(&digest).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let (bytes, seen, updated) = (integer(reading.valid_length), integer(reading.length), integer(digest.updated));
    let number = match number {
        Some(number) => {
            transaction.execute(
                "UPDATE conversations SET bytes = ?2, seen = ?3, updated = ?4, digest = ?5 WHERE number = ?1",
                params![number, bytes, seen, updated, text],
            )?;
            number
        }
        None => {
            transaction.execute(
                "INSERT INTO conversations (place, id, bytes, seen, updated, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![dir.name, id, bytes, seen, updated, text],
            )?;
            transaction.last_insert_rowid()
        }
    };
    let mut insert = transaction.prepare_cached("INSERT INTO said (rowid, text) VALUES (?1, ?2)")?;
    for event in &reading.events {
        if let Some(words) = words(event) {
            insert.execute(params![numbers(number).0 | (integer(event.seq) & 0xffff_ffff), words])?;
        }
    }
    Ok(())
}

/// Returns the list entry for a file that cannot be read.
pub(super) fn unreadable(id: &str, error: &OpenError) -> ConversationSummary {
    let created = id::created_at(id);
    ConversationSummary {
        created,
        updated: created,
        title: format!("(cannot be opened: {error})"),
        ..ConversationSummary::default()
    }
}

/// Returns the searchable text of an event.
fn words(event: &AgentEvent) -> Option<&str> {
    let text = match &event.kind {
        EventKind::UserMessage { text, .. } => text,
        EventKind::Answered { message, .. } => &message.text,
        EventKind::Calling { summary, .. } => summary,
        EventKind::Titled { title } => title,
        _ => return None,
    };
    let text = text.get(..text.floor_char_boundary(MAX_TEXT))?;
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests;
