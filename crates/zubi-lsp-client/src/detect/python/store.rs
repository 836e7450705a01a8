//! Environments outside a project: where Poetry and Hatch create them by default.
//!
//! Both derive the directory from the project's name and path (observed with Poetry 2 and Hatch 1):
//! `{cache}/pypoetry/virtualenvs/{name}-{hash}-py3.13`, and `{data}/hatch/env/virtual/{name}/{hash}/{name}`.

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest as _, Sha256};
use zubi_base::fs;

use super::PythonSearch;

/// Returns the directories in which the environment of a project may be, the best first. Reads small files.
pub(super) fn candidates(project: &Utf8Path, search: &PythonSearch) -> Vec<Utf8PathBuf> {
    let existing = |store: &Option<Utf8PathBuf>| store.clone().filter(|store| store.is_dir());
    let (poetry, hatch) = (existing(&search.poetry), existing(&search.hatch));
    if poetry.is_none() && hatch.is_none() {
        return Vec::new();
    }
    let Some(name) = name_of(project) else { return Vec::new() };
    let hash = hash_of(project);
    let mut found = poetry.map(|store| of_poetry(&store, &format!("{name}-{hash}"))).unwrap_or_default();
    found.extend(hatch.map(|store| store.join(&name).join(hash).join(&name)));
    found
}

/// Returns Poetry's environments of a project: that of `poetry env use`, then the one with the newest Python.
fn of_poetry(store: &Utf8Path, key: &str) -> Vec<Utf8PathBuf> {
    let chosen = fs::read_text(&store.join("envs.toml")).ok().and_then(|text| {
        let table: toml::Table = text.parse().ok()?;
        Some(store.join(format!("{key}-py{}", table.get(key)?.get("minor")?.as_str()?)))
    });
    let entries = store.read_dir_utf8().into_iter().flatten().flatten();
    let mut others: Vec<(Vec<u32>, Utf8PathBuf)> = entries
        .filter_map(|entry| {
            let version = entry.file_name().strip_prefix(key)?.strip_prefix("-py")?;
            let version = version.split('.').map(|part| part.parse().unwrap_or_default()).collect();
            Some((version, entry.into_path()))
        })
        .collect();
    others.sort_unstable_by(|left, right| right.cmp(left));
    chosen.into_iter().chain(others.into_iter().map(|(_, path)| path)).collect()
}

/// Returns the normalized name of a project (Python Packaging User Guide, "Names and normalization").
fn name_of(project: &Utf8Path) -> Option<String> {
    let manifest: toml::Table = fs::read_text(&project.join("pyproject.toml")).ok()?.parse().ok()?;
    let own = manifest.get("project").and_then(|table| table.get("name"));
    let of_poetry = || manifest.get("tool")?.get("poetry")?.get("name");
    let name = own.or_else(of_poetry)?.as_str()?;
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    // The name becomes a part of a path.
    name.chars().all(|character| character.is_ascii_alphanumeric() || character == '-').then_some(name)
}

/// Returns the first eight characters of the SHA-256 of a path, in the URL-safe form of Base64 (RFC 4648, section 5).
fn hash_of(project: &Utf8Path) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let bits = Sha256::digest(project.as_str()).iter().take(6).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    let characters = (0..8).rev().map(|number| ALPHABET[usize::try_from(bits >> (6 * number) & 63).unwrap_or(0)]);
    characters.map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_searched_by_name_and_path() {
        // As both programs printed it for this path.
        assert_eq!(hash_of(Utf8Path::new("/tmp/h/f3w/pmproj")), "htfifKDa");
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let write = |path: &str, text: &str| {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write_atomic(&root.join(path), text.as_bytes()).unwrap();
        };
        let project = root.join("w");
        let hash = hash_of(&project);
        let check = || {
            let search = PythonSearch {
                poetry: Some(root.join("poetry")),
                hatch: Some(root.join("hatch")),
                ..PythonSearch::default()
            };
            let found = candidates(&project, &search);
            let relative = |path: &Utf8PathBuf| path.strip_prefix(&root).unwrap().as_str().replace(&hash, "HASH");
            found.iter().map(relative).collect::<Vec<_>>().join(" ")
        };
        write("w/pyproject.toml", "[tool.poetry]\nname = \"My.Shop_x\"");
        assert_eq!(check(), "");
        for version in ["3.9", "3.11"] {
            write(&format!("poetry/my-shop-x-{hash}-py{version}/pyvenv.cfg"), "");
        }
        write("poetry/my-shop-x-another-py3.13/pyvenv.cfg", "");
        assert_eq!(check(), "poetry/my-shop-x-HASH-py3.11 poetry/my-shop-x-HASH-py3.9");
        write("poetry/envs.toml", &format!("[my-shop-x-{hash}]\nminor = \"3.9\""));
        write("hatch/x", "");
        write("w/pyproject.toml", "[project]\nname = \"my--shop-X\"");
        insta::assert_snapshot!(check(), @"poetry/my-shop-x-HASH-py3.9 poetry/my-shop-x-HASH-py3.11 poetry/my-shop-x-HASH-py3.9 hatch/my-shop-x/HASH/my-shop-x");
        write("w/pyproject.toml", "[project]\nname = \"../x\"");
        assert_eq!(check(), "");
    }
}
