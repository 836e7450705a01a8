//! Removes the temporary files of interrupted writes. The caller holds the edit lock, so no other zubi writes there.

use std::collections::BTreeSet;

use camino::Utf8Path;
use zubi_base::fs;
use zubi_base::text::FileOperation;

use super::prepare::ReversibleStep;

/// The number of random characters in the name of a temporary file.
const RANDOM_CHARACTERS: usize = 6;

/// Removes the temporary files next to the targets of these steps.
pub(super) fn sweep_temporary<'a>(steps: impl Iterator<Item = &'a ReversibleStep>) {
    let directories: BTreeSet<_> = steps
        .flat_map(|step| std::iter::once(&step.operation).chain(&step.inverse))
        .filter(|operation| matches!(operation, FileOperation::Write { .. }))
        .filter_map(|operation| operation.path().parent())
        .collect();
    directories.into_iter().for_each(sweep_directory);
}

/// Removes the temporary files in a directory.
pub(super) fn sweep_directory(directory: &Utf8Path) {
    let Ok(entries) = directory.read_dir_utf8() else { return };
    for entry in entries.filter_map(Result::ok).filter(|entry| is_temporary(entry.file_name())) {
        // The change is restored even if a temporary file stays.
        if let Err(error) = std::fs::remove_file(entry.path()) {
            tracing::warn!(%error, path = %entry.path(), "a temporary file could not be removed");
        }
    }
}

/// Whether zubi gives such a name to the temporary files of its writes.
pub(super) fn is_temporary(name: &str) -> bool {
    let random = name.strip_prefix(fs::TEMPORARY_PREFIX).and_then(|rest| rest.strip_suffix(fs::TEMPORARY_SUFFIX));
    random.is_some_and(|random| {
        random.len() == RANDOM_CHARACTERS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
