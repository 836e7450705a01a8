//! All declared names with the files that use them, in one pass over the tables.

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::Connection;
use rustc_hash::{FxHashMap, FxHashSet};
use zubi_code::symbol_index::{DeclaredNames, NameDeclaration, NameSelection, NameUses, is_trait_implementation};
use zubi_syntax::DeclarationKind;

use super::reader::StoreReader;
use super::record::join_stored;
use super::{IndexStoreError, kind, postings};

/// The limits of an answer, which has 8 bytes for each declaration and 4 for each use.
struct NameLimits {
    /// The maximum number of names.
    names: usize,
    /// The maximum number of declarations.
    declarations: usize,
    /// The maximum number of uses.
    uses: usize,
}

const LIMITS: NameLimits = NameLimits { names: 2_000_000, declarations: 4_000_000, uses: 16_000_000 };

/// The files with declarations.
struct DeclaringFiles {
    /// Sorted by path.
    paths: Vec<Utf8PathBuf>,
    /// The index of the path by the id of the file.
    indexes: FxHashMap<i64, u32>,
}

/// The words whose files are needed, with the index of their name, sorted.
type WantedWords = Vec<(u64, u32)>;

impl StoreReader {
    /// Returns the declared names of some kinds, and the files that can use them.
    pub(crate) fn declared_names(
        &self,
        root: &Utf8Path,
        selection: &NameSelection,
    ) -> Result<DeclaredNames, IndexStoreError> {
        read_names(self.connection(), root, selection, &LIMITS)
    }
}

fn read_names(
    connection: &Connection,
    root: &Utf8Path,
    selection: &NameSelection,
    limits: &NameLimits,
) -> Result<DeclaredNames, IndexStoreError> {
    let files = read_files(connection, root)?;
    let (mut names, mut has_more) = read_declarations(connection, &files, selection, limits)?;
    names.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    has_more |= add_users(connection, &files, &mut names, selection, limits.uses)?;
    Ok(DeclaredNames { files: files.paths, names, has_more, is_complete: false })
}

fn read_files(connection: &Connection, root: &Utf8Path) -> Result<DeclaringFiles, IndexStoreError> {
    // SQLite compares the bytes of texts.
    let mut statement = connection.prepare_cached("SELECT id, path FROM file WHERE content = 1 ORDER BY path")?;
    let mut files = DeclaringFiles { paths: Vec::new(), indexes: FxHashMap::default() };
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let path = row.get_ref(1)?.as_str().map_err(|_| IndexStoreError::Damaged("an invalid path"))?;
        let index = u32::try_from(files.paths.len()).map_err(|_| IndexStoreError::Damaged("too many files"))?;
        files.indexes.insert(row.get(0)?, index);
        files.paths.push(join_stored(root, path)?);
    }
    Ok(files)
}

/// The numbers of the members of traits' implementations by name, kind and file.
type TraitMembers = FxHashMap<(i64, u32, i64), u32>;

/// Counts the members of traits' implementations. Reads the declarations in the order of the files, if there are such
/// implementations at all.
fn count_trait_members(connection: &Connection, codes: &[u32]) -> Result<TraitMembers, IndexStoreError> {
    let mut members = TraitMembers::default();
    let implementation = kind::code_of(DeclarationKind::Implementation);
    let mut any = connection.prepare_cached("SELECT 1 FROM tag WHERE kind = ?1 LIMIT 1")?;
    if !any.exists([implementation])? {
        return Ok(members);
    }
    let mut tags = connection.prepare_cached(
        "SELECT tag.file, tag.ord, tag.parent, tag.kind, tag.name, spelling.text FROM tag
         LEFT JOIN spelling ON tag.kind = ?1 AND spelling.id = tag.spelling
         WHERE tag.kind = ?1 OR tag.parent IS NOT NULL ORDER BY tag.file, tag.ord",
    )?;
    // Those of the present file.
    let (mut present, mut implementations) = (None, FxHashSet::default());
    let mut rows = tags.query([implementation])?;
    while let Some(row) = rows.next()? {
        let (file, ord, parent): (i64, i64, Option<i64>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if present != Some(file) {
            present = Some(file);
            implementations.clear();
        }
        let code: u32 = row.get(3)?;
        if code == implementation {
            let name: Option<String> = row.get(5)?;
            if name.is_some_and(|name| is_trait_implementation(DeclarationKind::Implementation, &name)) {
                implementations.insert(ord);
            }
        } else if codes.contains(&code) && parent.is_some_and(|parent| implementations.contains(&parent)) {
            *members.entry((row.get(4)?, code, file)).or_default() += 1;
        }
    }
    Ok(members)
}

/// Reads the declarations by name, and the names; returns whether a limit omitted some.
fn read_declarations(
    connection: &Connection,
    files: &DeclaringFiles,
    selection: &NameSelection,
    limits: &NameLimits,
) -> Result<(Vec<NameUses>, bool), IndexStoreError> {
    let codes: Vec<u32> = selection.kinds.iter().map(|kind| kind::code_of(*kind)).collect();
    let mut members = count_trait_members(connection, &codes)?;
    // In the order of the index `tag_name`, which has all columns.
    let mut tags = connection.prepare_cached("SELECT name, kind, file FROM tag ORDER BY name, kind, file")?;
    let mut texts = connection.prepare_cached("SELECT text FROM name WHERE id = ?1")?;
    let mut names: Vec<NameUses> = Vec::new();
    let (mut last, mut count) = (None, 0);
    let mut rows = tags.query([])?;
    while let Some(row) = rows.next()? {
        let (name, code): (i64, u32) = (row.get(0)?, row.get(1)?);
        let id: i64 = row.get(2)?;
        let Some(file) = files.indexes.get(&id).copied().filter(|_| codes.contains(&code)) else { continue };
        if let Some(rest) = members.get_mut(&(name, code, id)).filter(|rest| **rest > 0) {
            *rest -= 1;
            continue;
        }
        if last != Some(name) {
            if names.len() >= limits.names || count >= limits.declarations {
                return Ok((sort_names(names), true));
            }
            last = Some(name);
            let name = texts.query_row([name], |row| row.get(0))?;
            names.push(NameUses { name, declarations: Vec::new(), users: Vec::new() });
        }
        let declaration = NameDeclaration { file, kind: kind::from_code(code)? };
        if let Some(uses) = names.last_mut()
            && uses.declarations.last() != Some(&declaration)
        {
            uses.declarations.push(declaration);
            count += 1;
        }
    }
    Ok((sort_names(names), false))
}

fn sort_names(mut names: Vec<NameUses>) -> Vec<NameUses> {
    for uses in &mut names {
        // Stable: the kinds of a file have the order of their codes.
        uses.declarations.sort_by_key(|declaration| declaration.file);
    }
    names
}

/// Adds the files that use the names; returns whether the limit omitted some.
fn add_users(
    connection: &Connection,
    files: &DeclaringFiles,
    names: &mut [NameUses],
    selection: &NameSelection,
    limit: usize,
) -> Result<bool, IndexStoreError> {
    let wanted = wanted_words(names, selection);
    let mut count = 0;
    // Returns whether there is room for more.
    let mut add = |name: u32, users: &[i64]| {
        if let Some(uses) = names.get_mut(name as usize) {
            let known = users.iter().filter_map(|id| files.indexes.get(id).copied());
            let before = uses.users.len();
            uses.users.extend(known);
            count += uses.users.len() - before;
        }
        count <= limit
    };
    let mut is_cut = false;
    // Both the rows of a segment and the wanted words are sorted.
    let mut statement = connection.prepare_cached(
        "SELECT segment.id, segment.base, posting.word, posting.files FROM segment
         JOIN posting ON posting.segment = segment.id ORDER BY segment.id, posting.word",
    )?;
    let (mut segment, mut at) = (None, 0);
    let mut rows = statement.query([])?;
    'rows: while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        if segment != Some(id) {
            (segment, at) = (Some(id), 0);
        }
        let word = row.get::<_, i64>(2)?.cast_unsigned();
        while wanted.get(at).is_some_and(|(key, _)| *key < word) {
            at += 1;
        }
        if wanted.get(at).is_none_or(|(key, _)| *key != word) {
            continue;
        }
        let list = row.get_ref(3)?.as_blob().map_err(|_| IndexStoreError::Damaged("an invalid list of files"))?;
        let ids = postings::decode_ids(row.get(1)?, list)?;
        for (_, name) in wanted.iter().skip(at).take_while(|(key, _)| *key == word) {
            if !add(*name, &ids) {
                is_cut = true;
                break 'rows;
            }
        }
    }
    let mut live = connection.prepare_cached("SELECT file, words FROM live ORDER BY file")?;
    let mut rows = live.query([])?;
    'live: while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let words = row.get_ref(1)?.as_blob().map_err(|_| IndexStoreError::Damaged("an invalid list of words"))?;
        for word in postings::decode_keys(words)? {
            let start = wanted.partition_point(|(key, _)| *key < word);
            for (_, name) in wanted.iter().skip(start).take_while(|(key, _)| *key == word) {
                if !add(*name, &[id]) {
                    is_cut = true;
                    break 'live;
                }
            }
        }
    }
    for uses in names {
        uses.users.sort_unstable();
        uses.users.dedup();
    }
    Ok(is_cut)
}

/// Returns the words of the names that few files declare. Other names have no users.
fn wanted_words(names: &[NameUses], selection: &NameSelection) -> WantedWords {
    let mut wanted = WantedWords::new();
    for (uses, index) in names.iter().zip(0_u32..) {
        let declaring = uses.declarations.chunk_by(|a, b| a.file == b.file).count();
        let mut words = zubi_syntax::words(&uses.name);
        let is_word = words.next().is_some_and(|word| word.text == uses.name);
        if is_word && declaring <= selection.max_declaring_files {
            wanted.push((postings::word_key(&uses.name), index));
        }
    }
    wanted.sort_unstable();
    wanted
}

#[cfg(test)]
mod tests;
