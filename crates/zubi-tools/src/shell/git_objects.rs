//! Objects of a git repository that a command names by their hash. The hash of a commit is harmless; that of a blob prints a
//! file without its path, so perhaps credentials.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use data_encoding::HEXLOWER;
use flate2::read::ZlibDecoder;
use zubi_base::fs::open_no_follow;

/// The minimum length of an abbreviated hash (git-config(1), `core.abbrev`).
const MIN_HASH: usize = 4;
/// The length of a SHA-1 in bytes.
const HASH: usize = 20;
/// The maximum number of bases that are followed from one object.
const MAX_DELTAS: usize = 64;
/// The type of a commit in a pack (git-scm.com/docs/pack-format).
const COMMIT: u8 = 1;
const OFFSET_DELTA: u8 = 6;
const REFERENCE_DELTA: u8 = 7;

/// Returns the reason why a command that prints objects needs approval: a word may be the hash of something other than a
/// commit.
pub(super) fn problem(commands: &[Vec<String>], directory: &Utf8Path, roots: &[Utf8PathBuf]) -> Option<String> {
    let prints = |argv: &&Vec<String>| {
        super::git_start::is_git(argv) && argv.iter().any(|word| matches!(word.as_str(), "show" | "diff" | "cat-file"))
    };
    let words = commands.iter().filter(prints).flat_map(|argv| argv.iter().skip(1).take_while(|word| *word != "--"));
    let mut hashes = words.filter(|word| !word.starts_with('-')).flat_map(|word| find_hashes(word));
    let git = super::git_start::folders_above(directory, roots).map(|path| path.join(".git")).find(|git| git.is_dir());
    let hash = hashes.find(|hash| !git.as_deref().is_some_and(|git| names_only_commits(git, hash)))?;
    Some(format!("`{hash}` may be the hash of a file's contents"))
}

/// Returns the parts of a word that git reads as the hash of an object. `abc^0` and `abc~1` are commits, and `abc:x` is a file
/// with a name.
fn find_hashes(word: &str) -> impl Iterator<Item = &str> {
    let sides = word.split("..").map(|side| side.trim_start_matches(['.', '^']));
    let sides =
        sides.filter(|side| !side.contains(['~', ':']) && !side.ends_with("^{commit}") && !side.ends_with("^0"));
    let bases = sides.filter_map(|side| side.split(['^', '@']).next());
    // `git describe` writes the hash behind a tag.
    let bases = bases.map(|base| base.rsplit_once("-g").map_or(base, |(_, hash)| hash));
    bases
        .filter(|base| (MIN_HASH..=2 * HASH).contains(&base.len()) && base.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns whether at least one object has a hash with this beginning, and all of them are commits.
fn names_only_commits(git: &Utf8Path, prefix: &str) -> bool {
    let prefix = prefix.to_ascii_lowercase();
    let objects = git.join("objects");
    let loose = find_loose(&objects, &prefix);
    let packs = objects.join("pack").read_dir_utf8().into_iter().flatten().flatten();
    let indices: Vec<Utf8PathBuf> =
        packs.map(|entry| entry.path().to_owned()).filter(|path| path.extension() == Some("idx")).collect();
    let packed = indices.iter().flat_map(|index| find_packed(index, &prefix).unwrap_or_else(|| vec![false]));
    let found: Vec<bool> = loose.into_iter().chain(packed).collect();
    !found.is_empty() && found.into_iter().all(|is_commit| is_commit)
}

/// Returns for each object in a file of its own whether it is a commit.
fn find_loose(objects: &Utf8Path, prefix: &str) -> Vec<bool> {
    let Some((folder, rest)) = prefix.split_at_checked(2) else { return Vec::new() };
    let entries = objects.join(folder).read_dir_utf8().into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().starts_with(rest)).map(|entry| is_loose_commit(entry.path())).collect()
}

fn is_loose_commit(path: &Utf8Path) -> bool {
    let mut header = [0; 7];
    open_no_follow(path).is_ok_and(|file| ZlibDecoder::new(file).read_exact(&mut header).is_ok())
        && header == *b"commit "
}

/// Returns for each object of a pack whether it is a commit; `None` if the files are not understood.
fn find_packed(index: &Utf8Path, prefix: &str) -> Option<Vec<bool>> {
    let pack = Pack::open(index)?;
    pack.find(prefix)?.into_iter().map(|offset| pack.is_commit(offset)).collect()
}

/// A pack with its index of version 2.
struct Pack {
    index: File,
    objects: File,
    count: usize,
}

impl Pack {
    fn open(path: &Utf8Path) -> Option<Self> {
        let index = open_no_follow(path).ok()?;
        let objects = open_no_follow(&path.with_extension("pack")).ok()?;
        let mut header = [0; 8];
        index.read_exact_at(&mut header, 0).ok()?;
        let mut opened = Self { index, objects, count: 0 };
        opened.count = opened.fan_out(255)?;
        (header == [0xff, b't', b'O', b'c', 0, 0, 0, 2]).then_some(opened)
    }

    fn number(&self, at: usize) -> Option<usize> {
        let mut bytes = [0; 4];
        self.index.read_exact_at(&mut bytes, u64::try_from(at).ok()?).ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    }

    /// Returns the number of objects whose first byte is at most this.
    fn fan_out(&self, first: usize) -> Option<usize> {
        self.number(8 + 4 * first)
    }

    /// Returns the offsets of the objects whose hash has this beginning.
    fn find(&self, prefix: &str) -> Option<Vec<usize>> {
        let first = usize::from_str_radix(prefix.get(..2)?, 16).ok()?;
        let from = first.checked_sub(1).map_or(Some(0), |before| self.fan_out(before))?;
        let until = self.fan_out(first)?.min(self.count);
        let names = 8 + 4 * 256;
        let mut bytes = vec![0; until.checked_sub(from)?.checked_mul(HASH)?];
        self.index.read_exact_at(&mut bytes, u64::try_from(names + from * HASH).ok()?).ok()?;
        let mut offsets = Vec::new();
        for (at, hash) in bytes.chunks_exact(HASH).enumerate() {
            if HEXLOWER.encode(hash).starts_with(prefix) {
                // Behind the hashes are as many check sums, then the offsets. The highest bit refers to a table of long ones.
                let offset = self.number(names + self.count * (HASH + 4) + 4 * (from + at))?;
                let is_long = offset & 0x8000_0000 != 0;
                offsets.push(if is_long { return None } else { offset });
            }
        }
        Some(offsets)
    }

    /// Returns whether the object at an offset is a commit, also through the objects from which it differs.
    fn is_commit(&self, mut offset: usize) -> Option<bool> {
        for _ in 0..MAX_DELTAS {
            let mut bytes = [0; 64];
            let length = self.objects.read_at(&mut bytes, u64::try_from(offset).ok()?).ok()?;
            let bytes = bytes.get(..length)?;
            let kind = bytes.first()? >> 4 & 7;
            let size = bytes.iter().position(|byte| byte & 0x80 == 0)? + 1;
            match kind {
                OFFSET_DELTA => offset = offset.checked_sub(read_distance(bytes.get(size..)?)?)?,
                REFERENCE_DELTA => {
                    let hash = HEXLOWER.encode(bytes.get(size..size + HASH)?);
                    offset = *self.find(&hash)?.first()?;
                }
                kind => return Some(kind == COMMIT),
            }
        }
        None
    }
}

/// Reads how far before a delta its base is.
fn read_distance(bytes: &[u8]) -> Option<usize> {
    let mut distance = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        distance =
            distance.checked_add(usize::from(at > 0))?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(distance);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_found_in_revisions() {
        for (word, expected) in [
            ("abcd123", "abcd123"),
            ("abc1..def2", "abc1 def2"),
            ("abc1...HEAD", "abc1"),
            ("^abc1", "abc1"),
            ("abcd^{tree}", "abcd"),
            ("abcd^", "abcd"),
            ("v1.0-3-gabcdef1", "abcdef1"),
            ("abcd~1", ""),
            ("abcd^0", ""),
            ("abcd^{commit}", ""),
            ("abcd:src/a.rs", ""),
            ("HEAD", ""),
            ("main..dev", ""),
            ("abc", ""),
        ] {
            assert_eq!(find_hashes(word).collect::<Vec<_>>().join(" "), expected, "{word}");
        }
    }

    #[test]
    fn distances_have_any_number_of_bytes() {
        assert_eq!(read_distance(&[0x05]), Some(5));
        assert_eq!(read_distance(&[0x80, 0x00]), Some(128));
        assert_eq!(read_distance(&[0x80, 0x80, 0x01]), Some(16_513));
        assert_eq!(read_distance(&[0x80]), None);
    }
}
