//! Tests on small folders with the parser in this process.

mod faults;
mod files;
mod model;
mod queries;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use zubi_base::fs;
use zubi_base::text::BOM;
use zubi_code::symbol_index::{IndexState, SymbolHits, SymbolIndex as _, SymbolQuery, WordFiles};
use zubi_code::syntax::DirectParser;

use crate::{IndexLimits, LocalIndex};

/// A folder with its index, and a cache directory beside it.
pub(crate) struct Fixture {
    pub(crate) root: Utf8PathBuf,
    cache: Utf8PathBuf,
    pub(crate) index: LocalIndex,
    _directory: TempDir,
}

impl Fixture {
    /// Creates files: a line `//- PATH` precedes the text of each.
    pub(crate) fn new(files: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let (root, cache) = (base.join("project"), base.join("cache"));
        std::fs::create_dir(&root).unwrap();
        let index = open(&root, &cache);
        let fixture = Self { root, cache, index, _directory: directory };
        for part in files.split("//- ").skip(1) {
            let (path, text) = part.split_once('\n').unwrap();
            fixture.write(path, text);
        }
        fixture
    }

    /// As [`Self::new`], with a built index.
    pub(crate) async fn with_built_index(files: &str) -> Self {
        let fixture = Self::new(files);
        fixture.build().await;
        fixture
    }

    pub(crate) fn cache(&self) -> &Utf8Path {
        &self.cache
    }

    /// Ends the index of this process, with its lock.
    pub(crate) fn end_index(&self) {
        self.index.close();
    }

    /// Builds the index of another folder in the same cache directory and ends it. Returns its store.
    pub(crate) async fn build_other(&self, root: &Utf8Path) -> Utf8PathBuf {
        let index = open(root, &self.cache);
        index.build(&CancellationToken::new()).await.unwrap();
        index.store_path().unwrap().to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write_atomic(&path, text.as_ref()).unwrap();
    }

    pub(super) async fn build(&self) {
        self.index.build(&CancellationToken::new()).await.unwrap();
    }

    pub(crate) async fn update(&self, paths: &[&str]) {
        let paths = paths.iter().map(|path| self.root.join(path)).collect();
        self.index.update(paths, &CancellationToken::new()).await.unwrap();
    }

    pub(super) fn state(&self) -> IndexState {
        self.index.state()
    }

    /// Renders hits as `PATH:LINE kind Container/name (match)`, with lines from 1.
    pub(super) fn render(&self, hits: &SymbolHits) -> String {
        let mut lines: Vec<String> = Vec::new();
        for hit in &hits.hits {
            let path = hit.path.strip_prefix(&self.root).unwrap();
            let names: Vec<&str> = hit.containers.iter().chain([&hit.name]).map(String::as_str).collect();
            let kind = hit.kind.lsp_name();
            lines.push(format!("{path}:{} {kind} {} ({:?})", hit.line + 1, names.join("/"), hit.name_match));
            let text = fs::read_text(&hit.path).unwrap();
            assert!(hit.matches_text(&text));
            let text = text.strip_prefix(BOM).unwrap_or(&text);
            let name = text.get(hit.name_range.clone()).unwrap();
            assert!(hit.name.contains(name), "{name} {}", hit.name);
            let before = text.get(..hit.name_range.start).unwrap();
            assert_eq!(before.matches('\n').count(), hit.line as usize);
        }
        if hits.has_more {
            lines.push("more".to_owned());
        }
        if !hits.is_complete {
            lines.push("incomplete".to_owned());
        }
        lines.join("\n")
    }

    pub(super) async fn search(&self, text: &str) -> String {
        let query = SymbolQuery { text: text.to_owned(), ..SymbolQuery::default() };
        self.render(&self.index.search(&query, 20).await.unwrap())
    }

    pub(super) async fn files_with(&self, word: &str) -> String {
        match self.index.files_with(word).await.unwrap() {
            WordFiles::Unknown => "unknown".to_owned(),
            WordFiles::Files { mut texts, unread, .. } => {
                texts.extend(unread);
                texts.sort();
                let files = texts;
                let relative = files.iter().map(|path| path.strip_prefix(&self.root).unwrap().to_string());
                relative.collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Renders the whole content of the store without ids.
    pub(super) async fn dump(&self) -> String {
        dump(&self.index, &self.root).await
    }

    /// Renders the content of a new store of the present files.
    pub(super) async fn fresh_dump(&self) -> String {
        let cache = tempfile::tempdir().unwrap();
        let index = open(&self.root, Utf8Path::from_path(cache.path()).unwrap());
        index.build(&CancellationToken::new()).await.unwrap();
        dump(&index, &self.root).await
    }
}

/// Returns an index with the parser in this process.
pub(super) fn open(root: &Utf8Path, cache: &Utf8Path) -> LocalIndex {
    LocalIndex::new(root, Some(cache), Arc::new(DirectParser), IndexLimits::default())
}

async fn dump(index: &LocalIndex, root: &Utf8Path) -> String {
    let connection = Connection::open(index.store_path().unwrap()).unwrap();
    let mut words: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    {
        let sql = "SELECT word, posting.files, base FROM posting JOIN segment ON segment.id = segment";
        let mut statement = connection.prepare(sql).unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let list: Vec<u8> = row.get(1).unwrap();
            for id in crate::store::postings::decode_ids(row.get(2).unwrap(), &list).unwrap() {
                words.entry(id).or_default().push(row.get(0).unwrap());
            }
        }
        let mut statement = connection.prepare("SELECT file, words FROM live").unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let keys: Vec<u8> = row.get(1).unwrap();
            let keys = crate::store::postings::decode_keys(&keys).unwrap();
            words.insert(row.get(0).unwrap(), keys.map(u64::cast_signed).collect());
        }
    }
    for sql in [
        "SELECT count(*) FROM tag WHERE file NOT IN (SELECT id FROM file)",
        "SELECT count(*) FROM live WHERE file NOT IN (SELECT id FROM file WHERE segment = 0)",
        "SELECT count(*) FROM posting WHERE segment NOT IN (SELECT id FROM segment)",
        "SELECT count(*) FROM segment WHERE files - dead != (SELECT count(*) FROM file WHERE segment = segment.id)",
    ] {
        assert_eq!(connection.query_row(sql, [], |row| row.get::<_, i64>(0)), Ok(0), "{sql}");
    }
    let sql = "SELECT id, path, size, changed_ns, hex(hash), content, flags FROM file ORDER BY path";
    let mut statement = connection.prepare(sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut text = String::new();
    while let Some(row) = rows.next().unwrap() {
        let path: String = row.get(1).unwrap();
        let columns: (i64, i64, Option<String>, i64, i64) =
            (row.get(2).unwrap(), row.get(3).unwrap(), row.get(4).unwrap(), row.get(5).unwrap(), row.get(6).unwrap());
        let outline = index.outline(&root.join(&path)).await.unwrap();
        let mut words = words.remove(&row.get(0).unwrap()).unwrap_or_default();
        words.sort_unstable();
        writeln!(text, "{path} {columns:?} {words:?} {outline:?}").unwrap();
    }
    text
}
