//! The build and the update of an index. Both compare files with the store by size and time, and read the changed ones.
//!
//! The first pass stores the words of each changed file, in transactions that each become one segment. The second pass parses
//! the files that the first has marked, a batch at a time: while the parser has one batch, the thread of the store writes the
//! batch before it and reads the one after it. A batch begins with the files that questions are about ([`preferred`]). A pass
//! that ends early loses only its last transaction.

pub(crate) mod preferred;
pub(crate) mod source;

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::{StreamExt as _, stream};
use rustc_hash::FxHashSet;
use tokio_util::sync::CancellationToken;
use zubi_base::walk::{self, WalkOptions};
use zubi_base::{credentials, worktree};
use zubi_code::symbol_index::{IndexPhase, TextHash};
use zubi_code::syntax::SyntaxError;
use zubi_syntax::SyntaxOutline;

use crate::index::FolderIndex;
use crate::store::IndexStoreError;
use crate::store::record::{FileStamp, join_stored};
use crate::store::writer::{FileEntry, StoreWriter};

/// The maximum number of files that the first pass compares in one transaction.
const MAX_COMPARED: usize = 4_096;

/// The maximum number and size of the texts that the second pass reads together.
const MAX_BATCH: usize = 64;
const MAX_BATCH_BYTES: usize = 1024 * 1024;

/// The maximum number of files of a question that one batch reads. They are small, so that the next question waits little.
const MAX_PREFERRED: usize = 4;

/// The number of texts that the parser receives at the same time. It has as many children.
const PARSES: usize = crate::parser::MAX_CHILDREN;

/// The number of failed parses, without one that succeeds, after which a probe shows whether the texts are the reason.
const MAX_FAILURES: usize = 16;

/// Files with rules about the sources in their directory, or by whose existence it has other sources.
const RULE_FILES: &[&str] = &[".gitignore", ".ignore", "CACHEDIR.TAG", "pyvenv.cfg", ".git"];

/// The reason why a build or an update ended early.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The caller cancelled. The content so far is stored.
    #[error("the build was cancelled")]
    Cancelled,
    /// Another process updates the index.
    #[error("another zubi process updates the index of this folder")]
    Locked,
    /// The store was damaged and is deleted.
    #[error("the index was damaged; the next build creates it again")]
    Damaged,
    /// The store cannot be written.
    #[error("the index cannot be stored: {0}")]
    Store(String),
    /// The folder cannot be read.
    #[error("the folder cannot be read: {0}")]
    Folder(std::io::Error),
    /// The parser does not work.
    #[error("the index has no declarations, because the parser fails: {0}")]
    Parser(String),
}

/// A text of the second pass.
struct PendingText {
    id: i64,
    file_name: String,
    hash: TextHash,
    text: Arc<str>,
}

struct ParsedText {
    pending: PendingText,
    outline: Result<SyntaxOutline, SyntaxError>,
}

/// The files that the second pass parses, by their ids.
pub(crate) enum PendingFiles {
    /// All marked files after an id.
    After(i64),
    /// The marked files among some, last first.
    Among(Vec<i64>),
}

/// The next texts of the second pass.
#[derive(Default)]
struct Batch {
    texts: Vec<PendingText>,
    /// The files that have changed since the first pass.
    changed: Vec<Utf8PathBuf>,
    /// The files after this batch; `None` after the end.
    rest: Option<PendingFiles>,
}

/// Compares all files of a folder with the store, and stores the words of the changed ones. Returns the ids of the new rows.
pub(crate) fn check_folder(
    shared: &FolderIndex,
    folder: &Utf8Path,
    cancel: &CancellationToken,
) -> Result<Vec<i64>, BuildError> {
    let Ok(relative) = folder.strip_prefix(&shared.root) else { return Ok(Vec::new()) };
    let last = shared.with_writer(|writer| writer.last_id())?;
    let mut seen = FxHashSet::default();
    let mut beyond_limit = 0;
    let mut entries = walk::entries(folder, WalkOptions::default())
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    loop {
        let mut compared = 0;
        let has_more = shared.with_writer(|writer| {
            writer.transaction(|writer| {
                for entry in entries.by_ref() {
                    let (Some(path), Ok(metadata)) = (Utf8Path::from_path(entry.path()), entry.metadata()) else {
                        continue;
                    };
                    match check_file(writer, &shared.root, path, source::stamp_of(&metadata)) {
                        Ok(id) => seen.extend(id),
                        Err(IndexStoreError::Limit(_)) => beyond_limit += 1,
                        Err(error) => return Err(error),
                    }
                    compared += 1;
                    if compared >= MAX_COMPARED || writer.is_full() || cancel.is_cancelled() {
                        return Ok(true);
                    }
                }
                Ok(false)
            })
        })?;
        shared.publish(|state| {
            if let IndexPhase::Words { done } = &mut state.phase {
                *done += compared;
            }
        });
        if cancel.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
        if !has_more {
            break;
        }
    }
    shared.with_writer(|writer| {
        writer.transaction(|writer| {
            // Files with larger ids were added meanwhile.
            writer.remove_below(relative.as_str(), last, |id| seen.contains(&id))
        })
    })?;
    shared.publish(|state| state.omitted.beyond_limit += beyond_limit);
    let mut added: Vec<i64> = seen.into_iter().filter(|id| *id > last).collect();
    added.sort_unstable();
    Ok(added)
}

/// Compares a file with the store. `stamp` is that of the regular file on disk if an equal stamp proves that the file has
/// not changed. Returns the id of its row.
fn check_file(
    writer: &mut StoreWriter,
    root: &Utf8Path,
    path: &Utf8Path,
    stamp: Option<FileStamp>,
) -> Result<Option<i64>, IndexStoreError> {
    let Ok(relative) = path.strip_prefix(root) else { return Ok(None) };
    if credentials::is_credential_path(path) && !credentials::is_credential_path(root) {
        return Ok(None);
    }
    let row = writer.find(relative.as_str())?;
    if let Some(row) = row.as_ref().filter(|row| Some(row.stamp) == stamp) {
        return Ok(Some(row.id));
    }
    let Some(file) = source::read(path) else {
        if let Some(row) = row {
            writer.remove(&row)?;
        }
        return Ok(None);
    };
    let hash = file.text.as_deref().map(TextHash::from_text);
    if let Some(row) = &row
        && row.hash == hash
        && (hash.is_some() || row.content == file.content)
    {
        writer.set_stamp(row.id, file.stamp)?;
        return Ok(Some(row.id));
    }
    let entry = FileEntry {
        path: relative.as_str(),
        stamp: file.stamp,
        content: file.content,
        text: file.text.as_deref().zip(hash),
    };
    writer.add(&entry, row.as_ref()).map(Some)
}

/// Compares some files and folders with the store, which may have been added, changed, removed or replaced. Returns the ids
/// of their rows, among them all new ones.
pub(crate) fn check_paths(
    shared: &FolderIndex,
    paths: &[Utf8PathBuf],
    cancel: &CancellationToken,
) -> Result<Vec<i64>, BuildError> {
    let mut checked = Vec::new();
    let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
    for path in paths.iter().filter(|path| path.starts_with(&shared.root)) {
        // Such a file decides which other files are sources.
        if path.file_name().is_some_and(|name| RULE_FILES.contains(&name) || walk::is_project_marker(name))
            && let Some(parent) = path.parent()
        {
            folders.insert(parent.to_owned());
        }
        match std::fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                folders.insert(path.clone());
                // The folder may have replaced a file.
                files.insert(path.clone());
            }
            _ => {
                files.insert(path.clone());
            }
        }
    }
    let unknown = shared.with_writer(|writer| {
        let mut unknown = Vec::new();
        for path in &files {
            let relative = path.strip_prefix(&shared.root).unwrap_or(path);
            if writer.find(relative.as_str())?.is_none() {
                unknown.push(path.clone());
            }
        }
        Ok(unknown)
    })?;
    let omitted = walk::find_omitted(&shared.root, unknown.into_iter().chain(folders.iter().cloned()));
    let is_omitted = |path: &Utf8PathBuf| {
        omitted.contains(path) || *path != shared.root && worktree::nested_worktree_of(path, &shared.root).is_some()
    };
    let mut files = files.into_iter().peekable();
    while files.peek().is_some() {
        // Each transaction makes a segment, and many small ones would have to be merged.
        let beyond_limit = shared.with_writer(|writer| {
            writer.transaction(|writer| {
                let (mut beyond_limit, mut compared) = (0, 0);
                while let Some(path) = files.next_if(|_| compared < MAX_COMPARED && !writer.is_full()) {
                    match check_path(writer, shared, &path, is_omitted(&path)) {
                        Err(IndexStoreError::Limit(_)) => beyond_limit += 1,
                        id => checked.extend(id?),
                    }
                    compared += 1;
                    if cancel.is_cancelled() {
                        break;
                    }
                }
                Ok(beyond_limit)
            })
        })?;
        if beyond_limit > 0 {
            shared.with_writer(|writer| writer.set_complete(false))?;
            shared.publish(|state| state.omitted.beyond_limit += beyond_limit);
        }
        if cancel.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
    }
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        if is_omitted(folder) {
            // A file in it may be the reason, such as the `.git` of a worktree.
            remove_below(shared, folder)?;
        } else {
            checked.extend(check_folder(shared, folder, cancel)?);
        }
    }
    shared.publish(|_| {});
    Ok(checked)
}

fn remove_below(shared: &FolderIndex, folder: &Utf8Path) -> Result<(), BuildError> {
    let relative = folder.strip_prefix(&shared.root).unwrap_or(folder);
    shared
        .with_writer(|writer| writer.transaction(|writer| writer.remove_below(relative.as_str(), i64::MAX, |_| false)))
}

fn check_path(
    writer: &mut StoreWriter,
    shared: &FolderIndex,
    path: &Utf8Path,
    is_omitted: bool,
) -> Result<Option<i64>, IndexStoreError> {
    let relative = path.strip_prefix(&shared.root).unwrap_or(path);
    let metadata = std::fs::symlink_metadata(path).ok();
    let is_file = metadata.as_ref().is_some_and(std::fs::Metadata::is_file);
    let is_folder = metadata.is_some_and(|metadata| metadata.is_dir());
    let mut id = None;
    if is_file && !is_omitted {
        // A program may have written the file within the resolution of its time, with the same size.
        id = check_file(writer, &shared.root, path, None)?;
    } else if !relative.as_str().is_empty()
        && let Some(row) = writer.find(relative.as_str())?
    {
        writer.remove(&row)?;
    }
    // Only a folder has files below it.
    if !is_folder || is_omitted {
        writer.remove_below(relative.as_str(), i64::MAX, |_| false)?;
    }
    Ok(id)
}

/// Parses files that the first pass has marked. Returns the files that have changed since that pass.
pub(crate) async fn declare(
    shared: &Arc<FolderIndex>,
    files: PendingFiles,
    cancel: &CancellationToken,
) -> Result<Vec<Utf8PathBuf>, BuildError> {
    let mut changed = Vec::new();
    let mut batch = shared.run_blocking(move |shared| read_batch(shared, files, &[])).await?;
    let mut parsed = Vec::new();
    // The last failures: a parser that does not start fails as well, which says nothing about the texts.
    let mut failed: Vec<ParsedText> = Vec::new();
    loop {
        let rest = batch.rest.take();
        changed.append(&mut batch.changed);
        let failures = failed.iter().map(|text| text.pending.id);
        let unwritten: Vec<i64> = batch.texts.iter().map(|pending| pending.id).chain(failures).collect();
        let write = shared.run_blocking(move |shared| {
            write_batch(shared, &parsed)?;
            rest.map(|rest| read_batch(shared, rest, &unwritten)).transpose()
        });
        let (next, mut texts) = tokio::join!(write, parse(shared, std::mem::take(&mut batch.texts)));
        if cancel.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
        let failures = texts.iter().rev().take_while(|text| text.outline.is_err()).count();
        let later = texts.split_off(texts.len() - failures);
        parsed = if texts.is_empty() { Vec::new() } else { std::mem::take(&mut failed) };
        parsed.append(&mut texts);
        failed.extend(later);
        let next = next?;
        if failed.len() >= MAX_FAILURES || next.is_none() && !failed.is_empty() {
            check_parser(shared).await?;
            parsed.append(&mut failed);
        }
        match next {
            Some(next) => batch = next,
            None if parsed.is_empty() => return Ok(changed),
            None => batch = Batch::default(),
        }
    }
}

/// Fails if the parser does not parse a text without mistakes.
async fn check_parser(shared: &FolderIndex) -> Result<(), BuildError> {
    let parsed = shared.parser.outline("probe.json", &Arc::from("{}")).await;
    parsed.map(drop).map_err(|error| BuildError::Parser(error.to_string()))
}

async fn parse(shared: &FolderIndex, texts: Vec<PendingText>) -> Vec<ParsedText> {
    let parse = async |pending: PendingText| {
        let outline = shared.parser.outline(&pending.file_name, &pending.text).await;
        ParsedText { pending, outline }
    };
    // In the order in which they are parsed, so that no child waits for a large text of another one.
    stream::iter(texts).map(parse).buffer_unordered(PARSES).collect().await
}

/// Reads the next texts. The files in `unwritten` are parsed, or are being parsed, and not written yet.
fn read_batch(shared: &FolderIndex, files: PendingFiles, unwritten: &[i64]) -> Result<Batch, BuildError> {
    let mut batch = Batch::default();
    let (rows, mut others) = match files {
        PendingFiles::After(after) => {
            let preferred = preferred_rows(shared, unwritten)?;
            if !preferred.is_empty() {
                read_rows(shared, preferred, &[], &mut batch)?;
                batch.rest = Some(PendingFiles::After(after));
                return Ok(batch);
            }
            (shared.with_writer(|writer| writer.pending_files(after, MAX_BATCH))?, None)
        }
        PendingFiles::Among(mut ids) => {
            let next = ids.split_off(ids.len().saturating_sub(MAX_BATCH));
            let find = |writer: &mut StoreWriter| {
                let rows = next.iter().rev().filter_map(|id| writer.pending_file(*id).transpose());
                let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
                rows.dedup_by_key(|(id, ..)| *id);
                Ok(rows)
            };
            (shared.with_writer(find)?, Some(ids))
        }
    };
    let (last, unread) = read_rows(shared, rows, unwritten, &mut batch)?;
    batch.rest = match &mut others {
        Some(ids) => {
            ids.extend(unread.into_iter().rev().map(|(id, ..)| id));
            others.filter(|ids| !ids.is_empty()).map(PendingFiles::Among)
        }
        None => last.map(PendingFiles::After),
    };
    Ok(batch)
}

/// The id, the path in the folder and the hash of a file that is not parsed.
type PendingRow = (i64, String, TextHash);

/// Returns the next files that questions are about and that are not parsed.
fn preferred_rows(shared: &FolderIndex, unwritten: &[i64]) -> Result<Vec<PendingRow>, BuildError> {
    while let Some(path) = shared.preferred.take() {
        let limit = MAX_PREFERRED + unwritten.len();
        let mut rows = shared.with_writer(|writer| writer.pending_below(path.as_str(), limit))?;
        let has_more = rows.len() >= limit;
        rows.retain(|(id, ..)| !unwritten.contains(id));
        rows.truncate(MAX_PREFERRED);
        if has_more {
            shared.preferred.put_back(path);
        }
        if !rows.is_empty() {
            return Ok(rows);
        }
    }
    Ok(Vec::new())
}

/// Reads the texts of files until they have a size, without those in `unwritten`. Returns the id of the last one and the
/// unread files.
fn read_rows(
    shared: &FolderIndex,
    rows: Vec<PendingRow>,
    unwritten: &[i64],
    batch: &mut Batch,
) -> Result<(Option<i64>, Vec<PendingRow>), BuildError> {
    let (mut bytes, mut last) = (0, None);
    let mut rows = rows.into_iter();
    while bytes < MAX_BATCH_BYTES
        && let Some((id, path, hash)) = rows.next()
    {
        last = Some(id);
        if unwritten.contains(&id) {
            continue;
        }
        // The writer deletes a damaged store.
        let path = shared.with_writer(|_| join_stored(&shared.root, &path))?;
        let text = source::read(&path).and_then(|file| file.text).filter(|text| TextHash::from_text(text) == hash);
        match (text, path.file_name()) {
            (Some(text), Some(file_name)) => {
                bytes += text.len();
                batch.texts.push(PendingText { id, file_name: file_name.to_owned(), hash, text: text.into() });
            }
            _ => batch.changed.push(path),
        }
    }
    Ok((last, rows.collect()))
}

fn write_batch(shared: &FolderIndex, parsed: &[ParsedText]) -> Result<(), BuildError> {
    if parsed.is_empty() {
        return Ok(());
    }
    shared.with_writer(|writer| {
        writer.transaction(|writer| {
            for ParsedText { pending, outline } in parsed {
                writer.declare(pending.id, pending.hash, outline.as_ref().ok(), &pending.text)?;
            }
            Ok(())
        })
    })?;
    shared.publish(|_| {});
    Ok(())
}
