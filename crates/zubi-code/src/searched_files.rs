//! The files that a search for a word reads: those that can contain it by the index, or all.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::walk::{self, WalkOptions};
use zubi_base::worktree;

use crate::query::CodeQuery;
use crate::symbol_index::WordFiles;

/// The source files that a search for a word reads. Both forms lead to the same result.
#[derive(Debug, Clone)]
pub enum SearchedFiles {
    /// All source files below directories.
    Below(Vec<Utf8PathBuf>),
    /// These files. The others cannot contain the word.
    Listed(Vec<Utf8PathBuf>),
}

impl SearchedFiles {
    /// Returns the absolute paths.
    pub fn paths(&self) -> Box<dyn Iterator<Item = Utf8PathBuf> + '_> {
        match self {
            Self::Below(roots) => Box::new(roots.iter().flat_map(|root| walk::files(root, WalkOptions::default()))),
            Self::Listed(files) => Box::new(files.iter().cloned()),
        }
    }
}

impl CodeQuery<'_> {
    /// Returns the files below `roots` that a search for a word must read, from the index if it has all of them.
    /// `is_code` selects those that are not UTF-8 text.
    pub(crate) async fn searched_files(
        &self,
        roots: Vec<Utf8PathBuf>,
        word: &str,
        is_code: impl Fn(&Utf8Path) -> bool,
    ) -> SearchedFiles {
        match self.listed_files(&roots, word, is_code).await {
            Some(files) => SearchedFiles::Listed(files),
            None => SearchedFiles::Below(roots),
        }
    }

    /// Returns the files below `roots`, and others, that can contain a word by the index; `None` without an index of them.
    pub(crate) async fn indexed_files(&self, roots: &[Utf8PathBuf], word: &str) -> Option<WordFiles> {
        let index = self.intel.index.as_ref()?;
        let folders = self.workspace().roots();
        if !roots.iter().all(|root| is_indexed(root, &folders)) {
            return None;
        }
        // An index that fails has written why to the log.
        index.files_with(word).await.ok()
    }

    async fn listed_files(
        &self,
        roots: &[Utf8PathBuf],
        word: &str,
        is_code: impl Fn(&Utf8Path) -> bool,
    ) -> Option<Vec<Utf8PathBuf>> {
        let WordFiles::Files { texts, unread, others } = self.indexed_files(roots, word).await? else { return None };
        let folders = self.workspace().roots();
        let others = others.into_iter().filter(|path| is_code(path));
        let mut files: Vec<_> = texts.into_iter().chain(unread).chain(others).collect();
        // The index knows the files on disk.
        let unsaved: Vec<_> = self.intel.texts.unsaved_texts().into_keys().filter(|path| path.is_file()).collect();
        for folder in &folders {
            let own: Vec<_> = unsaved.iter().filter(|path| path.starts_with(folder)).cloned().collect();
            if !own.is_empty() {
                let omitted = walk::find_omitted(folder, own.iter().cloned());
                files.extend(own.into_iter().filter(|path| !omitted.contains(path) && !is_in_worktree(path, folder)));
            }
        }
        files.retain(|path| roots.iter().any(|root| path.starts_with(root)));
        files.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        files.dedup();
        Some(files)
    }
}

/// Whether the index of a folder has the sources below a directory: a walk of the directory itself does not skip it even if
/// the folder's rules ignore it.
fn is_indexed(directory: &Utf8Path, folders: &[Utf8PathBuf]) -> bool {
    folders.iter().any(|folder| {
        directory == folder
            || directory.starts_with(folder)
                && !is_in_worktree(directory, folder)
                && walk::find_omitted(folder, [directory.to_owned()]).is_empty()
    })
}

fn is_in_worktree(path: &Utf8Path, folder: &Utf8Path) -> bool {
    worktree::nested_worktree_of(path, folder).is_some()
}
