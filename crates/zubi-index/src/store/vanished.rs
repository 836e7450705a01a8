//! Removal of the stores of folders that no longer exist.

use std::io;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::owner_only;

use super::database::{self, DIRECTORY, NAME_LENGTH};

/// The time since the last change of a store after which it can be removed: a folder may return, such as a branch's worktree.
const MIN_AGE: Duration = Duration::from_hours(30 * 24);

/// The maximum number of files in the directory that one call looks at.
const MAX_FILES: usize = 10_000;

/// Removes the stores in zubi's cache directory whose folder does not exist, and that no program has changed for 30 days. A store
/// that a process updates stays, and so does one whose folder may be on a medium that is not mounted: a folder is absent for
/// sure only if its parent is a directory with other entries. Returns the folders.
pub fn remove_vanished(cache: &Utf8Path, now: SystemTime) -> Vec<Utf8PathBuf> {
    let Ok(entries) = cache.join(DIRECTORY).read_dir_utf8() else { return Vec::new() };
    let paths = entries.take(MAX_FILES).flatten().map(camino::Utf8DirEntry::into_path);
    let mut removed: Vec<_> = paths.filter_map(|path| remove_if_vanished(&path, now)).collect();
    removed.sort();
    removed.dedup();
    removed
}

/// Removes one store if its folder has vanished. Returns the folder.
fn remove_if_vanished(path: &Utf8Path, now: SystemTime) -> Option<Utf8PathBuf> {
    let (name, suffix) = path.file_name()?.split_once('.')?;
    let is_name = name.len() == NAME_LENGTH && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_store = is_name && suffix.rsplit('.').next() == Some("db");
    if !is_store || !owner_only::owner_only(path).ok()? || !is_old(path, now) {
        return None;
    }
    // A process that updates the store has the lock, and none can begin before this call ends.
    let _lock = owner_only::lock(&path.with_extension("lock")).ok()??;
    if !is_old(path, now) {
        return None;
    }
    let root = database::stored_root(path)?;
    // Another file with such a name is not a store of zubi.
    if database::store_name(&root) != name || !is_absent(&root) {
        return None;
    }
    tracing::info!(store = %path, folder = %root, "removing the index of a folder that no longer exists");
    match database::remove_files(path) {
        Ok(()) => Some(root),
        Err(error) => {
            tracing::warn!(store = %path, %error, "the index of a folder that no longer exists cannot be removed");
            None
        }
    }
}

/// Whether no program has changed a store for the minimum time. A time in the future is not old.
fn is_old(path: &Utf8Path, now: SystemTime) -> bool {
    let age = |suffix: &str| {
        let changed = std::fs::symlink_metadata(format!("{path}{suffix}")).and_then(|metadata| metadata.modified());
        match changed {
            Ok(changed) => now.duration_since(changed).unwrap_or(Duration::ZERO),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !suffix.is_empty() => Duration::MAX,
            Err(_) => Duration::ZERO,
        }
    };
    age("").min(age("-wal")) >= MIN_AGE
}

/// Whether a folder does not exist although its medium is there. The directory at which a medium is mounted is usually empty
/// without it.
fn is_absent(root: &Utf8Path) -> bool {
    let is_missing = matches!(std::fs::symlink_metadata(root), Err(error) if error.kind() == io::ErrorKind::NotFound);
    let mut siblings = root.parent().and_then(|parent| std::fs::read_dir(parent).ok());
    is_missing && siblings.as_mut().is_some_and(|siblings| siblings.any(|entry| entry.is_ok()))
}

#[cfg(test)]
mod tests {
    use zubi_base::fs;

    use super::*;
    use crate::index::tests::Fixture;

    /// Returns the time a number of days after the last change of a store.
    fn time_after(store: &Utf8Path, days: u64) -> SystemTime {
        std::fs::metadata(store).unwrap().modified().unwrap() + Duration::from_hours(24 * days)
    }

    /// Builds the index of a folder, runs `change` with the folder, and returns whether its store exists after a removal at a
    /// number of days after the build.
    async fn check(days: u64, change: impl FnOnce(&Utf8Path)) -> bool {
        let fixture = Fixture::with_built_index("//- a.rs\nfn a() {}\n").await;
        let (store, cache) = (fixture.index.store_path().unwrap().to_owned(), fixture.cache().to_owned());
        fixture.end_index();
        change(&fixture.root);
        remove_vanished(&cache, time_after(&store, days));
        store.exists()
    }

    fn remove(root: &Utf8Path) {
        std::fs::remove_dir_all(root).unwrap();
    }

    #[tokio::test]
    async fn only_old_stores_of_absent_folders_are_removed() {
        assert!(!check(31, remove).await);
        assert!(check(29, remove).await, "too young");
        assert!(check(31, |_| {}).await, "the folder exists");
        assert!(check(0, remove).await);
    }

    #[tokio::test]
    async fn an_absent_or_empty_parent_proves_nothing() {
        let index = |parent: &Utf8Path| {
            let root = parent.join("project");
            std::fs::create_dir_all(&root).unwrap();
            root
        };
        for (leaves_sibling, leaves_parent, is_removed) in
            [(true, true, true), (false, true, false), (false, false, false)]
        {
            let fixture = Fixture::new("");
            let parent = fixture.root.join("mount");
            let root = index(&parent);
            if leaves_sibling {
                std::fs::create_dir(parent.join("other")).unwrap();
            }
            let store = fixture.build_other(&root).await;
            std::fs::remove_dir_all(if leaves_parent { &root } else { &parent }).unwrap();
            let removed = remove_vanished(fixture.cache(), time_after(&store, 31));
            assert_eq!((removed.len() == 1, store.exists()), (is_removed, !is_removed));
        }
    }

    #[tokio::test]
    async fn stores_in_use_and_foreign_files_stay() {
        let fixture = Fixture::with_built_index("//- a.rs\nfn a() {}\n").await;
        let store = fixture.index.store_path().unwrap().to_owned();
        remove(&fixture.root);
        let later = time_after(&store, 32);
        assert!(remove_vanished(fixture.cache(), later).is_empty(), "the index has the lock");
        fixture.end_index();
        // A copy has the folder of the other store.
        let directory = store.parent().unwrap();
        let foreign = directory.join("0123456789abcdef0123456789abcdef.db");
        std::fs::copy(&store, &foreign).unwrap();
        let damaged = directory.join("ffffffffffffffffffffffffffffffff.db");
        fs::write_atomic(&damaged, b"no database").unwrap();
        fs::write_atomic(&directory.join("notes.db"), b"mine").unwrap();
        assert_eq!(remove_vanished(fixture.cache(), later), [fixture.root.as_path()]);
        assert_eq!([store.exists(), foreign.exists(), damaged.exists()], [false, true, true]);
        assert!(directory.join("notes.db").exists());
    }
}
