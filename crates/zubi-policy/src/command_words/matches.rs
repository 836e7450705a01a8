//! The files that match a glob pattern now.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials;

use super::{is_glob, may_become};

/// The maximum number of matches. A pattern with more may match anything.
const MAX_MATCHES: usize = 2000;

/// Returns whether no match of a pattern below a folder is a location of credentials, or begins like an option.
pub(super) fn have_no_credentials(pattern: &Utf8Path, base: &Utf8Path) -> bool {
    let Ok(relative) = pattern.strip_prefix(base) else { return false };
    if !base.is_dir() {
        return false;
    }
    let Some(matches) = expand_below(base, relative) else { return false };
    let is_option = |path: &Utf8PathBuf| {
        relative.as_str().starts_with(['*', '?', '['])
            && path.strip_prefix(base).is_ok_and(|path| path.as_str().starts_with('-'))
    };
    !matches.iter().any(|path| credentials::is_credential_path(path) || is_option(path))
}

/// Returns the paths to which a path with patterns expands, the path itself if it has none; `None` if these are too many, or
/// not known.
pub(crate) fn expand(pattern: &Utf8Path) -> Option<Vec<Utf8PathBuf>> {
    expand_below(Utf8Path::new(""), pattern)
}

/// Returns the paths to which a path with patterns expands below a folder; `None` as for [`expand`].
fn expand_below(folder: &Utf8Path, pattern: &Utf8Path) -> Option<Vec<Utf8PathBuf>> {
    let mut matches = vec![folder.to_owned()];
    for name in pattern.components().map(|name| name.as_str()) {
        // Some shells match any folders with `**`.
        if name.contains("**") {
            return None;
        }
        matches = if is_glob(name) {
            matches.iter().flat_map(|folder| find_in(folder, name)).take(MAX_MATCHES + 1).collect()
        } else {
            matches.into_iter().map(|folder| folder.join(name)).collect()
        };
        if matches.len() > MAX_MATCHES {
            return None;
        }
    }
    Some(matches)
}

/// Returns the entries of a folder that a name with patterns matches. `*` and `?` match no dot at the beginning.
fn find_in(folder: &Utf8Path, name: &str) -> Vec<Utf8PathBuf> {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    let is_match = |entry: &str| may_become(name, entry) && (!entry.starts_with('.') || !name.starts_with(['*', '?']));
    entries.filter(|entry| is_match(entry.file_name())).map(|entry| entry.path().to_owned()).collect()
}
