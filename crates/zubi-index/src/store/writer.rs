//! The changes of a store. One process has a writer, and the writer has the lock.

use std::fs::File;

use rusqlite::{Connection, OptionalExtension as _, params};
use rustc_hash::{FxHashMap, FxHashSet};
use zubi_code::locate::declared_segments;
use zubi_code::symbol_index::TextHash;
use zubi_syntax::{Declaration, SyntaxOutline};

use super::database::{self, StoreFile};
use super::postings::{self, WordPairs};
use super::record::{FileCounts, FileRow, FileStamp, StoredContent};
use super::{IndexStoreError, kind};
use crate::limits::IndexLimits;

/// The sizes of segments. They are small in tests, so that a few files have several.
struct SegmentSizes {
    /// The maximum number of words of a segment.
    pairs: usize,
    /// The maximum number of files of a segment.
    files: usize,
    /// The maximum number of files whose words a transaction writes to `live`.
    live_per_write: usize,
    /// The maximum number of files in `live`; more become a segment. A query reads them all.
    live: usize,
    /// The number of deleted files in a segment up to which it is not written again.
    dead: i64,
    /// The number of segments beyond one per 2,048 files from which two are merged.
    segments: usize,
}

const SIZES: SegmentSizes = if cfg!(test) {
    SegmentSizes { pairs: 500, files: 50, live_per_write: 1, live: 2, dead: 1, segments: 2 }
} else {
    SegmentSizes { pairs: 500_000, files: 4_096, live_per_write: 32, live: 512, dead: 32, segments: 12 }
};

/// The maximum number of names whose ids are in memory.
const MAX_NAMES: usize = 50_000;

/// Changes a store.
pub(crate) struct StoreWriter {
    connection: Connection,
    limits: IndexLimits,
    counts: FileCounts,
    /// The words of the transaction.
    open: Option<OpenSegment>,
    names: NameIds,
    spellings: NameIds,
    /// Whether the store is of an earlier process, and its pages have not been checked since.
    is_unchecked: bool,
    _lock: File,
}

struct OpenSegment {
    id: i64,
    files: Vec<i64>,
    words: WordPairs,
}

/// A file in the form of a row.
pub(crate) struct FileEntry<'a> {
    /// Relative to the folder.
    pub(crate) path: &'a str,
    pub(crate) stamp: FileStamp,
    pub(crate) content: StoredContent,
    /// The text and its hash, if the content has words.
    pub(crate) text: Option<(&'a str, TextHash)>,
}

impl StoreWriter {
    /// Opens the store, and creates it again if it is damaged.
    pub(crate) fn open(file: &StoreFile, lock: File, limits: IndexLimits) -> Result<Self, IndexStoreError> {
        let (connection, is_new) = file.open_for_writing()?;
        let counts = read_counts(&connection)?;
        let names = NameIds::new(
            "INSERT INTO name (text) VALUES (?1) ON CONFLICT DO NOTHING",
            "SELECT id FROM name WHERE text = ?1",
        );
        let spellings = NameIds::new(
            "INSERT INTO spelling (text) VALUES (?1) ON CONFLICT DO NOTHING",
            "SELECT id FROM spelling WHERE text = ?1",
        );
        Ok(Self { connection, limits, counts, open: None, names, spellings, is_unchecked: !is_new, _lock: lock })
    }

    /// Returns whether the pages of the store must be checked, once.
    pub(crate) fn take_unchecked(&mut self) -> bool {
        std::mem::take(&mut self.is_unchecked)
    }

    pub(crate) fn counts(&self) -> FileCounts {
        self.counts
    }

    /// Runs changes in a transaction, which has no effect if they fail.
    pub(crate) fn transaction<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, IndexStoreError>,
    ) -> Result<T, IndexStoreError> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let done = run(self).and_then(|value| {
            self.flush()?;
            self.connection.execute_batch("COMMIT")?;
            Ok(value)
        });
        if done.is_err() {
            // After some errors, such as a full disk, SQLite has ended the transaction itself.
            self.connection.execute_batch("ROLLBACK").ok();
            self.open = None;
            self.names.known.clear();
            self.spellings.known.clear();
            self.counts = read_counts(&self.connection)?;
        }
        done
    }

    /// Whether a transaction has enough words for a segment.
    pub(crate) fn is_full(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.words.len() >= SIZES.pairs || open.files.len() >= SIZES.files)
    }

    /// Records whether the content is that of the files as far as this process knows.
    pub(crate) fn set_complete(&self, is_complete: bool) -> Result<(), IndexStoreError> {
        Ok(database::write_meta(&self.connection, "complete", if is_complete { "1" } else { "0" })?)
    }

    pub(crate) fn find(&self, path: &str) -> Result<Option<FileRow>, IndexStoreError> {
        let sql = format!("SELECT {} FROM file WHERE path = ?1", FileRow::COLUMNS);
        Ok(self.connection.prepare_cached(&sql)?.query_row([path], FileRow::read).optional()?)
    }

    /// Returns the largest id of a file.
    pub(crate) fn last_id(&self) -> Result<i64, IndexStoreError> {
        Ok(self.connection.query_row("SELECT coalesce(max(id), 0) FROM file", [], |row| row.get(0))?)
    }

    /// Removes the files in a folder, `""` for all, whose id is at most `last`, except some.
    pub(crate) fn remove_below(
        &mut self,
        folder: &str,
        last: i64,
        is_retained: impl Fn(i64) -> bool,
    ) -> Result<(), IndexStoreError> {
        let condition = if folder.is_empty() { "?2 = ?3" } else { "path > ?2 AND path < ?3" };
        // `0` is the character after `/`.
        let (from, to) =
            if folder.is_empty() { Default::default() } else { (format!("{folder}/"), format!("{folder}0")) };
        let sql = format!("SELECT {} FROM file WHERE id <= ?1 AND {condition}", FileRow::COLUMNS);
        let mut removed = Vec::new();
        {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![last, from, to])?;
            while let Some(row) = rows.next()? {
                if !is_retained(row.get(0)?) {
                    removed.push(FileRow::read(row)?);
                }
            }
        }
        removed.iter().try_for_each(|row| self.remove(row))
    }

    /// Records that a file has other times and the same text.
    pub(crate) fn set_stamp(&self, file: i64, stamp: FileStamp) -> Result<(), IndexStoreError> {
        let mut statement =
            self.connection.prepare_cached("UPDATE file SET size = ?2, changed_ns = ?3 WHERE id = ?1")?;
        statement.execute((file, stamp.size, stamp.changed_ns))?;
        Ok(())
    }

    /// Removes a file with its declarations.
    pub(crate) fn remove(&mut self, row: &FileRow) -> Result<(), IndexStoreError> {
        let execute = |sql, id| self.connection.prepare_cached(sql)?.execute([id]);
        execute("DELETE FROM tag WHERE file = ?1", row.id)?;
        execute("DELETE FROM file WHERE id = ?1", row.id)?;
        if row.segment == 0 {
            execute("DELETE FROM live WHERE file = ?1", row.id)?;
        } else {
            execute("UPDATE segment SET dead = dead + 1 WHERE id = ?1", row.segment)?;
        }
        self.counts.remove(row.content);
        Ok(())
    }

    /// Adds a file, in place of the row `replaced`.
    pub(crate) fn add(&mut self, file: &FileEntry<'_>, replaced: Option<&FileRow>) -> Result<i64, IndexStoreError> {
        if let Some(row) = replaced {
            self.remove(row)?;
        } else if self.counts.total() >= self.limits.files {
            return Err(IndexStoreError::Limit(self.limits.files));
        }
        let segment = if file.text.is_some() { self.open_segment()? } else { 0 };
        let hash = file.text.map(|(_, hash)| hash.0);
        self.connection
            .prepare_cached(
                "INSERT INTO file (path, size, changed_ns, hash, content, flags, segment) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)",
            )?
            .execute((file.path, file.stamp.size, file.stamp.changed_ns, hash, file.content, segment))?;
        let id = self.connection.last_insert_rowid();
        self.counts.add(file.content, 1);
        if let (Some((text, _)), Some(open)) = (file.text, &mut self.open) {
            open.files.push(id);
            open.words.add(postings::word_keys(text), id);
        }
        Ok(id)
    }

    fn open_segment(&mut self) -> Result<i64, IndexStoreError> {
        if let Some(open) = &self.open {
            return Ok(open.id);
        }
        let id = new_segment(&self.connection)?;
        self.open = Some(OpenSegment { id, files: Vec::new(), words: WordPairs::default() });
        Ok(id)
    }

    /// Writes the words of the transaction: those of a few files to `live`, else a segment.
    fn flush(&mut self) -> Result<(), IndexStoreError> {
        let Some(OpenSegment { id, files, words }) = self.open.take() else { return Ok(()) };
        if files.len() > SIZES.live_per_write {
            let number = i64::try_from(files.len()).unwrap_or(i64::MAX);
            self.connection.execute("UPDATE segment SET files = ?2 WHERE id = ?1", [id, number])?;
            return words.write(&self.connection, id);
        }
        self.connection.execute("DELETE FROM segment WHERE id = ?1", [id])?;
        let mut keys: FxHashMap<i64, Vec<u64>> = words.into_files().into_iter().collect();
        let mut update = self.connection.prepare_cached("UPDATE file SET segment = 0 WHERE id = ?1")?;
        let mut insert = self.connection.prepare_cached("INSERT INTO live (file, words) VALUES (?1, ?2)")?;
        for file in files {
            // The file may have been replaced in the same transaction.
            if update.execute([file])? == 1 {
                insert.execute((file, postings::encode_keys(keys.remove(&file).unwrap_or_default())))?;
            }
        }
        Ok(())
    }

    /// Returns the files whose declarations are not parsed, from the first id after `after`.
    pub(crate) fn pending_files(
        &self,
        after: i64,
        limit: usize,
    ) -> Result<Vec<(i64, String, TextHash)>, IndexStoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, path, hash FROM file WHERE content = 0 AND id > ?1 ORDER BY id LIMIT ?2")?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, TextHash(row.get(2)?)));
        Ok(statement.query_map([after, limit], read)?.collect::<Result<_, _>>()?)
    }

    /// Returns a file, or files below a folder, whose declarations are not parsed, by their paths in the workspace folder.
    pub(crate) fn pending_below(
        &self,
        path: &str,
        limit: usize,
    ) -> Result<Vec<(i64, String, TextHash)>, IndexStoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, path, hash FROM file WHERE content = 0 AND (path = ?1 OR path > ?1 || '/' AND path < ?1 || '0') ORDER BY path LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, TextHash(row.get(2)?)));
        Ok(statement.query_map(rusqlite::params![path, limit], read)?.collect::<Result<_, _>>()?)
    }

    /// Returns a file if its declarations are not parsed.
    pub(crate) fn pending_file(&self, id: i64) -> Result<Option<(i64, String, TextHash)>, IndexStoreError> {
        let file = self.pending_files(id - 1, 1)?.pop();
        Ok(file.filter(|(found, ..)| *found == id))
    }

    /// Writes the declarations of a file, or that the parser rejected it (`None`), unless the file has changed meanwhile.
    pub(crate) fn declare(
        &mut self,
        file: i64,
        hash: TextHash,
        outline: Option<&SyntaxOutline>,
        text: &str,
    ) -> Result<(), IndexStoreError> {
        let content = if outline.is_some() { StoredContent::Declared } else { StoredContent::Failed };
        let flags = outline.map_or(0, |outline| i64::from(outline.has_errors) | i64::from(outline.is_cut) << 1);
        let changed = self
            .connection
            .prepare_cached("UPDATE file SET content = ?3, flags = ?4 WHERE id = ?1 AND hash = ?2 AND content = 0")?
            .execute((file, hash.0, content, flags))?;
        if changed == 0 {
            return Ok(());
        }
        self.counts.remove(StoredContent::Pending);
        self.counts.add(content, 1);
        let Some(outline) = outline else { return Ok(()) };
        let lines: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
        for (declaration, ord) in outline.declarations.iter().zip(0_u32..) {
            let line = lines.partition_point(|end| *end < declaration.name_range.start);
            self.write_tag(file, ord, declaration, line)?;
        }
        Ok(())
    }

    fn write_tag(&mut self, file: i64, ord: u32, tag: &Declaration, line: usize) -> Result<(), IndexStoreError> {
        // Most names are identifiers, for which the segments need no work.
        let is_plain = tag.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let segments = if is_plain { Vec::new() } else { declared_segments(&tag.name) };
        let last = segments.last().map_or(tag.name.as_str(), String::as_str);
        let name = self.names.get(&self.connection, last)?;
        let spelling = if last == tag.name { None } else { Some(self.spellings.get(&self.connection, &tag.name)?) };
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let start = tag.range.start;
        let relative =
            |range: &std::ops::Range<usize>| (number(range.start.saturating_sub(start)), number(range.len()));
        let (name_at, name_length) = relative(&tag.name_range);
        let (signature_at, signature_length) = relative(&tag.signature);
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO tag VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?;
        insert.execute(params![
            file,
            ord,
            name,
            spelling,
            kind::code_of(tag.kind),
            tag.parent.map(number),
            number(line),
            number(start),
            number(tag.range.len()),
            name_at,
            name_length,
            signature_at,
            signature_length,
            tag.doc.as_ref().map(|doc| number(doc.start)),
            tag.doc.as_ref().map(|doc| number(doc.len())),
        ])?;
        Ok(())
    }

    /// Does one step of the work that makes queries fast and the store small again: writes `live` or a segment with many
    /// deleted files again, or merges two segments. Returns whether there may be another step.
    pub(crate) fn tidy(&mut self) -> Result<bool, IndexStoreError> {
        let live: usize = self.connection.query_row("SELECT count(*) FROM live", [], |row| row.get(0)).map(to_usize)?;
        if live > SIZES.live {
            self.rewrite(&[0])?;
            return Ok(true);
        }
        let mut statement = self.connection.prepare_cached("SELECT id, files, dead FROM segment")?;
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let mut segments: Vec<(i64, i64, i64)> = statement.query_map([], read)?.collect::<Result<_, _>>()?;
        drop(statement);
        if let Some((id, ..)) = segments.iter().find(|(_, files, dead)| *dead > SIZES.dead && dead * 3 > *files) {
            self.rewrite(&[*id])?;
            self.remove_unused_names()?;
            return Ok(true);
        }
        if segments.len() > SIZES.segments + self.counts.total() / 2_048 {
            segments.sort_unstable_by_key(|(_, files, dead)| files - dead);
            let smallest: Vec<i64> = segments.iter().take(2).map(|(id, ..)| *id).collect();
            self.rewrite(&smallest)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Writes segments again as one; 0 is `live`.
    fn rewrite(&mut self, segments: &[i64]) -> Result<(), IndexStoreError> {
        self.transaction(|writer| {
            let connection = &writer.connection;
            let mut alive = FxHashSet::default();
            {
                let mut statement = connection.prepare_cached("SELECT id, segment FROM file WHERE hash IS NOT NULL")?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    if segments.contains(&row.get(1)?) {
                        alive.insert(row.get::<_, i64>(0)?);
                    }
                }
            }
            let mut words = WordPairs::default();
            for segment in segments {
                if *segment == 0 {
                    let mut statement = connection.prepare_cached("SELECT file, words FROM live")?;
                    let mut rows = statement.query([])?;
                    while let Some(row) = rows.next()? {
                        let keys = row.get::<_, Vec<u8>>(1)?;
                        words.add(postings::decode_keys(&keys)?, row.get(0)?);
                    }
                } else {
                    words.add_segment(connection, *segment, |id| alive.contains(&id))?;
                }
            }
            for segment in segments {
                connection.execute("DELETE FROM posting WHERE segment = ?1", [segment])?;
                connection.execute("DELETE FROM segment WHERE id = ?1", [segment])?;
                if *segment == 0 {
                    connection.execute("DELETE FROM live", [])?;
                }
            }
            if alive.is_empty() {
                return Ok(());
            }
            let id = new_segment(connection)?;
            let number = i64::try_from(alive.len()).unwrap_or(i64::MAX);
            connection.execute("UPDATE segment SET files = ?2 WHERE id = ?1", [id, number])?;
            let mut update = connection.prepare_cached("UPDATE file SET segment = ?2 WHERE id = ?1")?;
            let mut alive: Vec<i64> = alive.into_iter().collect();
            alive.sort_unstable();
            for file in alive {
                update.execute([file, id])?;
            }
            words.write(connection, id)
        })
    }

    fn remove_unused_names(&mut self) -> Result<(), IndexStoreError> {
        self.transaction(|writer| {
            writer.names.known.clear();
            writer.spellings.known.clear();
            writer.connection.execute_batch(
                "DELETE FROM name WHERE id NOT IN (SELECT name FROM tag);
                 DELETE FROM spelling WHERE id NOT IN (SELECT spelling FROM tag WHERE spelling IS NOT NULL);",
            )?;
            Ok(())
        })
    }
}

/// The ids of texts in a table, some of them in memory.
struct NameIds {
    insert: &'static str,
    select: &'static str,
    known: FxHashMap<String, i64>,
}

impl NameIds {
    fn new(insert: &'static str, select: &'static str) -> Self {
        Self { insert, select, known: FxHashMap::default() }
    }

    fn get(&mut self, connection: &Connection, text: &str) -> Result<i64, IndexStoreError> {
        if let Some(id) = self.known.get(text) {
            return Ok(*id);
        }
        let id = match connection.prepare_cached(self.select)?.query_row([text], |row| row.get(0)).optional()? {
            Some(id) => id,
            None => {
                connection.prepare_cached(self.insert)?.execute([text])?;
                connection.last_insert_rowid()
            }
        };
        if self.known.len() >= MAX_NAMES {
            self.known.clear();
        }
        self.known.insert(text.to_owned(), id);
        Ok(id)
    }
}

/// Adds a row for a segment. Its id is larger than all others, so that its rows follow theirs.
fn new_segment(connection: &Connection) -> Result<i64, IndexStoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO segment (id, base, files, dead) SELECT coalesce(max(id), 0) + 1, 0, 0, 0 FROM segment",
    )?;
    insert.execute([])?;
    Ok(connection.last_insert_rowid())
}

pub(crate) fn read_counts(connection: &Connection) -> Result<FileCounts, IndexStoreError> {
    let mut counts = FileCounts::default();
    let mut statement = connection.prepare_cached("SELECT content, count(*) FROM file GROUP BY content")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        counts.add(row.get(0)?, to_usize(row.get(1)?));
    }
    Ok(counts)
}

fn to_usize(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}
