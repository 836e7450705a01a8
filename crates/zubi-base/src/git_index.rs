//! The index of a git repository: the paths of its tracked files (git-scm.com/docs/index-format).

use camino::{Utf8Path, Utf8PathBuf};

use crate::fs::{self, ReadError};

/// Finds the repository that contains a directory: its work tree and its index.
pub fn find_index(directory: &Utf8Path) -> Option<(Utf8PathBuf, Utf8PathBuf)> {
    directory.ancestors().find_map(|folder| {
        let git = folder.join(".git");
        if git.is_dir() {
            return Some((folder.to_owned(), git.join("index")));
        }
        // A work tree of another repository has its index there.
        let text = fs::read_text(&git).ok()?;
        let target = text.strip_prefix("gitdir:")?.trim();
        Some((folder.to_owned(), folder.join(target).join("index")))
    })
}

/// Returns the tracked paths, relative to the work tree, and empty ones for names that are not UTF-8. `None` if the file is
/// not understood: an index in two files, or a later format.
pub fn tracked_paths(index: &Utf8Path) -> Option<Vec<String>> {
    match fs::read_bytes(index) {
        // The lengths of SHA-1 and SHA-256.
        Ok(bytes) => [20, 32].into_iter().find_map(|hash| parse(&bytes, hash)),
        Err(ReadError::NotFound { .. }) => Some(Vec::new()),
        Err(_) => None,
    }
}

fn parse(bytes: &[u8], hash: usize) -> Option<Vec<String>> {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let version = number(4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut paths, mut name) = (12, Vec::new(), Vec::new());
    for _ in 0..number(8)? {
        let entry = at;
        // Ten numbers, the hash of the object, and flags; the bit of extended flags is followed by more of them.
        at += 40 + hash;
        let is_extended = bytes.get(at)? & 0x40 != 0;
        at += if is_extended { 4 } else { 2 };
        if version == 4 {
            name.truncate(name.len().checked_sub(read_offset(bytes, &mut at)?)?);
        } else {
            name.clear();
        }
        let length = bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(bytes.get(at..at + length)?);
        at += length + 1;
        if version < 4 {
            // One to eight zeros fill the entry to a multiple of eight bytes.
            at = entry + (at - entry).next_multiple_of(8);
        }
        paths.push(std::str::from_utf8(&name).map(str::to_owned).unwrap_or_default());
    }
    // Behind the entries are extensions and the hash of the file; `link` names another part of the index.
    while at + hash < bytes.len() {
        if bytes.get(at..at + 4)? == b"link" {
            return None;
        }
        at += 8 + usize::try_from(number(at + 4)?).ok()?;
    }
    (at + hash == bytes.len()).then_some(paths)
}

/// Reads the number of bytes that an entry of version 4 removes from the previous name.
fn read_offset(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes an index as git does, with this padding and name for each entry.
    fn index(version: u8, entries: &[&[u8]], extension: &[u8]) -> Vec<u8> {
        let mut bytes =
            [b"DIRC".as_slice(), &[0, 0, 0, version], &[0, 0, 0, u8::try_from(entries.len()).unwrap()]].concat();
        for entry in entries {
            let start = bytes.len();
            bytes.extend([1; 60]);
            bytes.extend([0, 3]);
            bytes.extend(*entry);
            bytes.push(0);
            while version < 4 && (bytes.len() - start) % 8 != 0 {
                bytes.push(0);
            }
        }
        bytes.extend(extension);
        bytes.extend([7; 20]);
        bytes
    }

    #[test]
    fn tracked_paths_are_read_in_each_version() {
        let names = |bytes: &[u8]| [20, 32].into_iter().find_map(|hash| parse(bytes, hash));
        let expected = Some(vec![".env".to_owned(), "src/long-name.rs".to_owned()]);
        assert_eq!(names(&index(2, &[b".env", b"src/long-name.rs"], b"TREE\0\0\0\x01x")), expected);
        assert_eq!(names(&index(4, &[b"\0.env", b"\x04src/long-name.rs"], b"")), expected);
        assert_eq!(names(&index(2, &[], b"")), Some(Vec::new()));
        // An index in two files, a later version, and one that ends too early.
        for other in
            [index(2, &[b"a"], b"link\0\0\0\x01x"), index(5, &[b"a"], b""), index(2, &[b"a"], b"")[..80].to_vec()]
        {
            assert_eq!(names(&other), None);
        }
        assert_eq!(tracked_paths("/nonexistent/index".into()), Some(Vec::new()));
    }
}
