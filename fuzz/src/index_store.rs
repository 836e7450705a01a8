//! The body of the target for the store of an index. A test of `zubi-index` replays its corpus.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::types::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use zubi_code::symbol_index::{NameSelection, SymbolHits, SymbolIndex as _, SymbolQuery, WordFiles};
use zubi_code::syntax::DirectParser;
use zubi_index::{IndexLimits, LocalIndex};
use zubi_syntax::DeclarationKind;

/// The columns that a mutation of rows can change.
const COLUMNS: &[(&str, &str)] = &[
    ("file", "path"),
    ("file", "size"),
    ("file", "hash"),
    ("file", "content"),
    ("file", "flags"),
    ("file", "segment"),
    ("file", "id"),
    ("name", "text"),
    ("name", "id"),
    ("spelling", "text"),
    ("tag", "name"),
    ("tag", "spelling"),
    ("tag", "kind"),
    ("tag", "parent"),
    ("tag", "line"),
    ("tag", "start"),
    ("tag", "length"),
    ("tag", "name_at"),
    ("tag", "name_length"),
    ("tag", "signature_at"),
    ("tag", "signature_length"),
    ("tag", "doc_start"),
    ("tag", "doc_length"),
    ("tag", "ord"),
    ("tag", "file"),
    ("live", "words"),
    ("live", "file"),
    ("posting", "files"),
    ("posting", "word"),
    ("segment", "base"),
    ("segment", "files"),
    ("segment", "dead"),
    ("meta", "value"),
];

/// The files of the folder.
const FILES: &[(&str, &str)] = &[
    ("a.py", "class Shape:\n    \"\"\"A shape.\"\"\"\n    def area(self): pass\n"),
    ("src/lib.rs", "/// Adds.\npub fn first(left: u8) -> u8 { left }\nimpl Shape for u8 { fn area(&self) {} }\n"),
    ("notes.txt", "first Shape area\n"),
];

/// A folder with its index, which every input changes.
struct StoreFixture {
    root: Utf8PathBuf,
    cache: Utf8PathBuf,
    store: Utf8PathBuf,
    /// The sound store.
    bytes: Vec<u8>,
    runtime: tokio::runtime::Runtime,
    _directory: TempDir,
}

static FIXTURE: LazyLock<Mutex<StoreFixture>> = LazyLock::new(|| Mutex::new(StoreFixture::new()));

/// A number of a kind of damage, and its data: any bytes as the file, changed bytes of a sound file, or changed values of its
/// rows. Queries and the build return, no answer leads out of the folder, and the next build ends without an error.
pub fn index_store(bytes: &[u8]) {
    let Some((kind, data)) = bytes.split_first() else { return };
    let fixture = FIXTURE.lock().unwrap_or_else(PoisonError::into_inner);
    fixture.damage(*kind, data);
    fixture.runtime.block_on(fixture.check());
}

impl StoreFixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let base = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).expect("UTF-8")).expect("exists");
        let (root, cache) = (base.join("project"), base.join("cache"));
        for (path, text) in FILES {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("in the folder")).expect("a directory");
            zubi_base::fs::write_atomic(&path, text.as_bytes()).expect("a file");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let index = open(&root, &cache);
        runtime.block_on(index.build(&CancellationToken::new())).expect("the first build");
        let store = index.store_path().expect("a store").to_owned();
        drop(index);
        let bytes = std::fs::read(&store).expect("the store");
        Self { root, cache, store, bytes, runtime, _directory: directory }
    }

    /// Replaces the store by a damaged one.
    fn damage(&self, kind: u8, data: &[u8]) {
        for suffix in ["-wal", "-shm"] {
            std::fs::remove_file(format!("{}{suffix}", self.store)).ok();
        }
        let mut bytes = self.bytes.clone();
        match kind % 3 {
            0 => bytes = data.to_vec(),
            1 => {
                for patch in data.chunks_exact(4) {
                    let at = usize::from(patch[0]) << 16 | usize::from(patch[1]) << 8 | usize::from(patch[2]);
                    let length = bytes.len();
                    if let Some(byte) = bytes.get_mut(at % length.max(1)) {
                        *byte = patch[3];
                    }
                }
            }
            _ => {}
        }
        zubi_base::fs::write_atomic(&self.store, &bytes).expect("the damaged store");
        if kind % 3 == 2 {
            self.change_rows(data);
        }
    }

    /// Changes values of rows: the number of a column, the number of a row or 0 for all, the type and length of the value, and
    /// the value.
    fn change_rows(&self, mut data: &[u8]) {
        let connection = rusqlite::Connection::open(&self.store).expect("a sound store");
        while let [column, row, form, rest @ ..] = data {
            let length = usize::from(form >> 2).min(rest.len());
            let (value, rest) = rest.split_at(length);
            data = rest;
            let (table, column) = COLUMNS[usize::from(*column) % COLUMNS.len()];
            let value = match form & 3 {
                0 => Value::Null,
                1 => Value::Integer(value.iter().fold(-1, |number, byte| number << 8 | i64::from(*byte))),
                2 => Value::Text(String::from_utf8_lossy(value).into_owned()),
                _ => Value::Blob(value.to_vec()),
            };
            let condition = if *row == 0 {
                "1".to_owned()
            } else {
                format!("{column} = (SELECT {column} FROM {table} LIMIT 1 OFFSET {})", row - 1)
            };
            // The table refuses a value of another type.
            connection.execute(&format!("UPDATE OR IGNORE {table} SET {column} = ?1 WHERE {condition}"), [value]).ok();
        }
    }

    async fn check(&self) {
        let index = open(&self.root, &self.cache);
        self.query(&index).await;
        let cancel = CancellationToken::new();
        index.build(&cancel).await.expect("a damaged store is built again");
        self.query(&index).await;
        // Damage that only a query finds deletes the store.
        if index.build(&cancel).await.is_err() {
            index.build(&cancel).await.expect("a deleted store is built again");
        }
    }

    async fn query(&self, index: &LocalIndex) {
        for text in ["first", "Sha", "ar", "Shape/area", "frist"] {
            let query = SymbolQuery { text: text.to_owned(), ..SymbolQuery::default() };
            for hits in [index.search(&query, 20).await, index.declarations(text, 20).await].into_iter().flatten() {
                self.check_hits(&hits);
            }
            if let Ok(WordFiles::Files { texts, unread, others }) = index.files_with(text).await {
                texts.iter().chain(&unread).chain(&others).for_each(|path| self.check_path(path));
            }
        }
        for (path, _) in FILES {
            if let Ok(Some(indexed)) = index.outline(&self.root.join(path)).await {
                for (at, declaration) in indexed.outline.declarations.iter().enumerate() {
                    assert!(declaration.parent.is_none_or(|parent| parent < at), "the parent is later");
                    indexed.outline.above(at);
                }
            }
        }
        let selection = NameSelection { kinds: vec![DeclarationKind::Function], ..NameSelection::default() };
        if let Ok(names) = index.declared_names(&selection).await {
            names.files.iter().for_each(|path| self.check_path(path));
            let files = names.files.len();
            let is_file = |file: u32| usize::try_from(file).is_ok_and(|file| file < files);
            for name in &names.names {
                assert!(
                    name.users.iter().chain(name.declarations.iter().map(|one| &one.file)).all(|file| is_file(*file))
                );
            }
        }
    }

    fn check_hits(&self, hits: &SymbolHits) {
        for hit in &hits.hits {
            self.check_path(&hit.path);
            assert!(hit.name_range.start <= hit.name_range.end && hit.range.start <= hit.range.end, "{hit:?}");
        }
    }

    fn check_path(&self, path: &Utf8Path) {
        let is_inside = path.starts_with(&self.root) && !path.components().any(|part| part.as_str() == "..");
        assert!(is_inside, "{path} is outside the folder");
    }
}

fn open(root: &Utf8Path, cache: &Utf8Path) -> LocalIndex {
    LocalIndex::new(root, Some(cache), Arc::new(DirectParser), IndexLimits::default())
}
