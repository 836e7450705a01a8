//! Queries. A reader sees the state of the store at the beginning of a query, whatever the writer does meanwhile.

use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Row};
use zubi_code::locate::NamePath;
use zubi_code::symbol_index::{IndexedOutline, NameMatch, SymbolHit, SymbolHits, SymbolQuery, TextHash};
use zubi_syntax::{Declaration, SyntaxLanguage, SyntaxOutline};

use super::database::{self, StoreFile};
use super::known_files::{KnownFiles, StoredFile};
use super::names::{MatchingName, NameTable};
use super::record::{FileCounts, join_stored};
use super::{IndexStoreError, kind, postings};

/// The maximum number of declarations that one query reads.
const MAX_READ: usize = 20_000;

/// The maximum number of declarations with equal names that one query ranks.
const MAX_RANKED: usize = 1_000;

/// The number of declarations with similar names that one query ranks, per declaration in its answer. The shortest names
/// come first.
const RANKED_PER_HIT: usize = 4;

/// Answers queries from one connection.
pub(crate) struct StoreReader {
    connection: Connection,
    names: NameTable,
    files: KnownFiles,
    /// The identity of the file, which another process may delete and create again.
    identity: Option<FileIdentity>,
}

/// A row of `tag`.
struct TagRow {
    file: i64,
    parent: Option<u32>,
    spelling: Option<String>,
    line: u32,
    range: Range<usize>,
    name_range: Range<usize>,
}

/// A tag that matches a query.
struct Candidate {
    id: i64,
    file: Arc<StoredFile>,
    /// The position among the declarations of the file.
    ord: u32,
    /// The code of the kind.
    code: u32,
    name: Arc<str>,
    name_match: NameMatch,
}

impl StoreReader {
    pub(crate) fn open(file: &StoreFile) -> Result<Self, IndexStoreError> {
        // Before the connection: if the file is replaced in between, the next query opens the new one.
        let identity = identity_of(&file.path);
        let connection = file.open_for_reading()?;
        Ok(Self { connection, names: NameTable::default(), files: KnownFiles::default(), identity })
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whether the file is still the one that the reader has opened.
    pub(crate) fn is_current(&self, file: &StoreFile) -> bool {
        self.identity.is_some() && self.identity == identity_of(&file.path)
    }

    /// Runs a query in one state of the store.
    pub(crate) fn query<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, IndexStoreError>,
    ) -> Result<T, IndexStoreError> {
        self.connection.execute_batch("BEGIN")?;
        let answer = self.files.begin(&self.connection).and_then(|()| run(self));
        self.connection.execute_batch("COMMIT").ok();
        answer
    }

    /// Checks the structure of all pages, which takes about 5 ms per megabyte.
    pub(crate) fn check_pages(&self) -> Result<(), IndexStoreError> {
        let verdict: String = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if verdict == "ok" { Ok(()) } else { Err(IndexStoreError::Damaged("it failed SQLite's check")) }
    }

    /// Whether the last build of another process is complete.
    pub(crate) fn is_complete(&self) -> Result<bool, IndexStoreError> {
        Ok(database::read_meta(&self.connection, "complete")?.as_deref() == Some("1"))
    }

    /// Returns the numbers of files.
    pub(crate) fn counts(&self) -> Result<FileCounts, IndexStoreError> {
        super::writer::read_counts(&self.connection)
    }

    /// Searches for names and parts of names.
    pub(crate) fn search(
        &mut self,
        root: &Utf8Path,
        query: &SymbolQuery,
        limit: usize,
    ) -> Result<SymbolHits, IndexStoreError> {
        self.names.load(&self.connection)?;
        self.files.load(&self.connection)?;
        let Some(pattern) = NamePath::parse(&query.text) else { return Ok(SymbolHits::default()) };
        let mut names = self.names.find(pattern.last());
        if names.is_empty() {
            names = self.names.find_typos(pattern.last());
        }
        self.collect(root, query, &pattern, &names, limit)
    }

    /// Searches for one exact name.
    pub(crate) fn declarations(
        &mut self,
        root: &Utf8Path,
        name: &str,
        limit: usize,
    ) -> Result<SymbolHits, IndexStoreError> {
        let Some(pattern) = NamePath::parse(name) else { return Ok(SymbolHits::default()) };
        let id = self
            .connection
            .prepare_cached("SELECT id FROM name WHERE text = ?1")?
            .query_row([pattern.last()], |row| row.get(0))
            .optional()?;
        let Some(id) = id else { return Ok(SymbolHits::default()) };
        let names = [MatchingName { id, name_match: NameMatch::OtherCase, length: 0 }];
        self.collect(root, &SymbolQuery { text: name.to_owned(), ..SymbolQuery::default() }, &pattern, &names, limit)
    }

    /// Returns the best declarations with some names, which are sorted by their match.
    fn collect(
        &mut self,
        root: &Utf8Path,
        query: &SymbolQuery,
        pattern: &NamePath,
        names: &[MatchingName],
        limit: usize,
    ) -> Result<SymbolHits, IndexStoreError> {
        let Self { connection, files, .. } = self;
        let codes = (!query.kinds.is_empty()).then(|| kind::codes_of_lsp_names(&query.kinds));
        let folder = match query.path.as_deref().map(|path| path.strip_prefix(root)) {
            None => "",
            Some(Ok(folder)) => folder.as_str(),
            // No file of the index is there.
            Some(Err(_)) => return Ok(SymbolHits::default()),
        };
        let mut text = connection.prepare_cached("SELECT text FROM name WHERE id = ?1")?;
        let mut tags = connection.prepare_cached(TAGS_BY_NAME)?;
        let mut candidates: Vec<Candidate> = Vec::new();
        let (mut read, mut has_more) = (0, false);
        let mut complete_match = None;
        'names: for name in names {
            // Names of the next match are needed only if those before are not enough.
            if complete_match != Some(name.name_match) {
                if candidates.len() > limit {
                    has_more = true;
                    break;
                }
                complete_match = Some(name.name_match);
            }
            // A name may be unused by now.
            let Some(text) = text.query_row([name.id], |row| row.get::<_, String>(0)).optional()? else { continue };
            let name_match = match name.name_match {
                NameMatch::OtherCase if text == pattern.last() => NameMatch::Exact,
                other => other,
            };
            // The qualifiers must match exactly, whatever the match of the name.
            let qualified = Some(format!("{}/{text}", pattern.qualifiers().join("/")))
                .filter(|_| !pattern.qualifiers().is_empty())
                .and_then(|path| NamePath::parse(&path));
            let max_ranked = match name_match {
                NameMatch::Exact | NameMatch::OtherCase => MAX_RANKED.max(limit + 1),
                _ => (limit + 1).saturating_mul(RANKED_PER_HIT),
            };
            let text: Arc<str> = text.into();
            let mut rows = tags.query([name.id])?;
            while let Some(row) = rows.next()? {
                read += 1;
                if read > MAX_READ || candidates.len() >= max_ranked {
                    has_more = true;
                    break 'names;
                }
                let (id, ord, code) = (row.get(0)?, row.get(1)?, row.get(2)?);
                if codes.as_ref().is_some_and(|codes| !codes.contains(&code)) {
                    continue;
                }
                let file = files
                    .get_declaring(connection, id)?
                    .ok_or(IndexStoreError::Damaged("a declaration without a file"))?;
                let path = file.path.as_str();
                let is_selected = query.files.is_all() || query.files.admits(&join_stored(root, path)?);
                if !is_selected || !is_below(path, folder) || !has_language(path, query.language.as_deref()) {
                    continue;
                }
                if let Some(qualified) = &qualified {
                    let mut statements = HitStatements::prepare(connection)?;
                    let tag = statements.find(id, ord)?;
                    let above = statements.containers(&tag)?;
                    let above: Vec<&str> = above.iter().map(String::as_str).collect();
                    if !qualified.matches(&above, tag.spelling.as_deref().unwrap_or(&text), Utf8Path::new(path)) {
                        continue;
                    }
                }
                candidates.push(Candidate { id, file, ord, code, name: Arc::clone(&text), name_match });
            }
        }
        candidates.sort_by(|a, b| a.rank().cmp(&b.rank()));
        has_more |= candidates.len() > limit;
        candidates.truncate(limit);
        let mut statements = HitStatements::prepare(connection)?;
        let hits =
            candidates.into_iter().map(|found| found.read_hit(&mut statements, root)).collect::<Result<_, _>>()?;
        Ok(SymbolHits { hits, has_more, is_complete: false })
    }

    /// Returns the outline of a file, given by its path relative to the folder.
    pub(crate) fn outline(&self, path: &str) -> Result<Option<IndexedOutline>, IndexStoreError> {
        let found = self
            .connection
            .prepare_cached("SELECT id, hash, flags FROM file WHERE path = ?1 AND content = 1")?
            .query_row([path], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, i64>(2)?)))
            .optional()?;
        let Some((file, hash, flags)) = found else { return Ok(None) };
        let mut statement = self.connection.prepare_cached(
            "SELECT coalesce(spelling.text, name.text), kind, parent, start, length, name_at, name_length, signature_at,
             signature_length, doc_start, doc_length FROM tag JOIN name ON name.id = tag.name
             LEFT JOIN spelling ON spelling.id = tag.spelling WHERE file = ?1 ORDER BY ord",
        )?;
        let mut rows = statement.query([file])?;
        let mut declarations = Vec::new();
        while let Some(row) = rows.next()? {
            let start = offset(row, 3)?;
            let doc: (Option<u32>, Option<u32>) = (row.get(9)?, row.get(10)?);
            let parent = row.get::<_, Option<u32>>(2)?.map(|parent| parent as usize);
            if parent.is_some_and(|parent| parent >= declarations.len()) {
                return Err(IndexStoreError::Damaged("a parent after its member"));
            }
            declarations.push(Declaration {
                name: row.get(0)?,
                kind: kind::from_code(row.get(1)?)?,
                name_range: range(start + offset(row, 5)?, offset(row, 6)?),
                range: range(start, offset(row, 4)?),
                signature: range(start + offset(row, 7)?, offset(row, 8)?),
                doc: doc.0.zip(doc.1).map(|(start, length)| range(start as usize, length as usize)),
                parent,
            });
        }
        let outline = SyntaxOutline { declarations, has_errors: flags & 1 != 0, is_cut: flags & 2 != 0 };
        Ok(Some(IndexedOutline { outline, hash: TextHash(hash) }))
    }

    /// Returns the files of [`PossibleFiles`]: texts that contain all words of `word` or whose words are not stored, and
    /// files that are not text. Returns `None` if `word` contains no words.
    pub(crate) fn files_with(&mut self, root: &Utf8Path, word: &str) -> Result<Option<PossibleFiles>, IndexStoreError> {
        let keys = postings::word_keys(word);
        let Some((first, others)) = keys.split_first() else { return Ok(None) };
        let mut ids = postings::files_of(&self.connection, *first)?;
        for key in others {
            let files = postings::files_of(&self.connection, *key)?;
            ids.retain(|id| files.binary_search(id).is_ok());
        }
        let mut files = Vec::with_capacity(ids.len());
        for id in ids {
            // The list may have deleted files.
            files.extend(self.files.get(&self.connection, id)?);
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let texts: Vec<_> = files.iter().map(|file| join_stored(root, &file.path)).collect::<Result<_, _>>()?;
        let too_large = self.paths(root, "SELECT path FROM file WHERE content = 5")?;
        // In a string of JSON, an escape for a line break can precede a word: `\nword`.
        // SQLite would read all paths, because the index of the notebooks does not have them.
        let notebooks =
            self.paths(root, "SELECT path FROM file INDEXED BY file_notebook WHERE substr(path, -6) = '.ipynb'")?;
        let mut unread = sort_paths(too_large.into_iter().chain(notebooks).collect());
        unread.retain(|path| texts.binary_search_by(|known| known.as_str().cmp(path.as_str())).is_err());
        let others = self.paths(root, "SELECT path FROM file WHERE content = 6")?;
        Ok(Some(PossibleFiles { texts, unread, others: sort_paths(others) }))
    }

    fn paths(&self, root: &Utf8Path, query: &str) -> Result<Vec<Utf8PathBuf>, IndexStoreError> {
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|path| join_stored(root, &path?)).collect()
    }
}

/// The files of [`zubi_code::symbol_index::WordFiles::Files`].
pub(crate) struct PossibleFiles {
    pub(crate) texts: Vec<Utf8PathBuf>,
    pub(crate) unread: Vec<Utf8PathBuf>,
    pub(crate) others: Vec<Utf8PathBuf>,
}

fn sort_paths(mut paths: Vec<Utf8PathBuf>) -> Vec<Utf8PathBuf> {
    // Comparing components would take longer than all the rest.
    paths.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
    paths.dedup();
    paths
}

/// Tags in the order of their kinds, by the index alone.
const TAGS_BY_NAME: &str = "SELECT file, ord, kind FROM tag WHERE name = ?1 ORDER BY kind";

/// The statements that read a declaration and those around it.
struct HitStatements<'a> {
    tag: CachedStatement<'a>,
    container: CachedStatement<'a>,
}

impl<'a> HitStatements<'a> {
    fn prepare(connection: &'a Connection) -> Result<Self, IndexStoreError> {
        Ok(Self {
            tag: connection.prepare_cached(
                "SELECT parent, spelling.text, line, start, length, name_at, name_length FROM tag
                 LEFT JOIN spelling ON spelling.id = tag.spelling WHERE file = ?1 AND ord = ?2",
            )?,
            container: connection.prepare_cached(
                "SELECT coalesce(spelling.text, name.text), parent FROM tag JOIN name ON name.id = tag.name
                 LEFT JOIN spelling ON spelling.id = tag.spelling WHERE file = ?1 AND ord = ?2",
            )?,
        })
    }

    fn find(&mut self, file: i64, ord: u32) -> Result<TagRow, IndexStoreError> {
        let read = |row: &Row<'_>| {
            let start = offset(row, 3)?;
            Ok(TagRow {
                file,
                parent: row.get(0)?,
                spelling: row.get(1)?,
                line: row.get(2)?,
                range: range(start, offset(row, 4)?),
                name_range: range(start + offset(row, 5)?, offset(row, 6)?),
            })
        };
        Ok(self.tag.query_row((file, ord), read)?)
    }

    /// Returns the names of the declarations around a tag, outermost first.
    fn containers(&mut self, tag: &TagRow) -> Result<Vec<String>, IndexStoreError> {
        let mut names = Vec::new();
        let mut parent = tag.parent;
        while let Some(ord) = parent {
            // A damaged store may have a circle.
            if names.len() > zubi_syntax::MAX_DEPTH {
                return Err(IndexStoreError::Damaged("a circle of declarations"));
            }
            let (name, next) =
                self.container.query_row((tag.file, ord), |row| Ok((row.get(0)?, row.get::<_, Option<u32>>(1)?)))?;
            names.push(name);
            parent = next;
        }
        names.reverse();
        Ok(names)
    }
}

impl Candidate {
    fn rank(&self) -> (NameMatch, u8, usize, &str, u32) {
        let path = self.file.path.as_str();
        (self.name_match, kind::rank_of(self.code), path.len(), path, self.ord)
    }

    fn read_hit(&self, statements: &mut HitStatements<'_>, root: &Utf8Path) -> Result<SymbolHit, IndexStoreError> {
        let tag = statements.find(self.id, self.ord)?;
        Ok(SymbolHit {
            path: join_stored(root, &self.file.path)?,
            containers: statements.containers(&tag)?,
            name: tag.spelling.unwrap_or_else(|| self.name.to_string()),
            kind: kind::from_code(self.code)?,
            name_range: tag.name_range,
            range: tag.range,
            line: tag.line,
            name_match: self.name_match,
            hash: self.file.hash.ok_or(IndexStoreError::Damaged("declarations of a file without words"))?,
        })
    }
}

fn offset(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    row.get::<_, u32>(column).map(|offset| offset as usize)
}

fn range(start: usize, length: usize) -> Range<usize> {
    start..start + length
}

/// Whether a path is a folder, `""` for all, or in it.
fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn has_language(path: &str, language: Option<&str>) -> bool {
    language.is_none_or(|id| {
        let name = path.rsplit('/').next().unwrap_or_default();
        SyntaxLanguage::from_file_name(name).is_some_and(|language| language.id == id)
    })
}

/// The inode and the time of creation of a file: file systems use inodes again.
pub(crate) type FileIdentity = (u64, Option<std::time::SystemTime>);

#[cfg(unix)]
pub(crate) fn identity_of(path: &Utf8Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.ino(), metadata.created().ok()))
}

#[cfg(not(unix))]
pub(crate) fn identity_of(path: &Utf8Path) -> Option<FileIdentity> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((0, metadata.created().ok()))
}
