//! The second declaration of a symbol that is declared in two files: a stub and its module, a declaration file and its
//! script. Servers connect the two in one direction only, or not at all.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::uri;

use super::{NamePath, ResolvedTarget};
use crate::features::locations::RawLocation;
use crate::query::CodeQuery;

/// Endings of file names that declare the same symbols.
const PAIRS: &[(&str, &str)] =
    &[(".pyi", ".py"), (".d.ts", ".js"), (".d.mts", ".mjs"), (".d.cts", ".cjs"), (".d.ts", ".jsx"), (".mli", ".ml")];

/// Returns the existing file that declares the same symbols.
fn paired_file(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let name = path.file_name()?;
    let names = PAIRS.iter().flat_map(|(one, other)| [(one, other), (other, one)]);
    names
        .filter_map(|(own, other)| Some(path.with_file_name(format!("{}{other}", name.strip_suffix(own)?))))
        .find(|path| path.is_file())
}

impl CodeQuery<'_> {
    /// Returns the declaration of the target in the paired file of one of its declarations, which are at the target or
    /// among `known`, unless that file is among `known`. Declarations correspond if they have the same name path.
    pub(crate) async fn counterpart(&self, at: &ResolvedTarget, known: &[RawLocation]) -> Option<ResolvedTarget> {
        let name = NamePath::parse(at.name.as_deref()?)?;
        let mut files: BTreeMap<Utf8PathBuf, Vec<&RawLocation>> = BTreeMap::from([(at.path.clone(), Vec::new())]);
        // Servers group locations by file, so zubi parses each URI once per group.
        for group in known.chunk_by(|one, next| one.location.uri == next.location.uri) {
            let path = group.first().and_then(|found| uri::to_path(&found.location.uri));
            files.entry(path?).or_default().extend(group);
        }
        for (path, found) in &files {
            let Some(pair) = paired_file(path).filter(|pair| self.workspace().contains(pair)) else { continue };
            if files.get(&pair).is_some_and(|found| !found.is_empty()) {
                continue;
            }
            let document = self.document(path).await.ok()?;
            let start = |found: &&RawLocation| document.index.from_lsp(found.location.range.start, found.encoding);
            let mut offsets: Vec<_> = found.iter().map(start).collect();
            offsets.extend((*path == at.path).then_some(at.offset));
            let outline = self.declared_in(path).await.ok()?;
            let own = self.filter_symbols(path, &outline.value, &name).await.ok()?;
            let Some(own) = own.into_iter().find(|own| offsets.contains(&own.selection.start())) else { continue };
            let outline = self.declared_in(&pair).await.ok()?;
            let others = self.filter_symbols(&pair, &outline.value, &NamePath::parse(&own.name_path)?).await.ok()?;
            let Some(other) = others.into_iter().next() else { continue };
            let document = self.document(&pair).await.ok()?;
            return Some(self.resolved_target(pair, &document, other.selection.start(), None));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_in_both_directions() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        for name in ["a.py", "a.pyi", "b.js", "b.d.ts", "c.py", "d.d.ts"] {
            zubi_base::fs::write_atomic(&root.join(name), b"").unwrap();
        }
        let check = |name: &str| paired_file(&root.join(name)).and_then(|pair| pair.file_name().map(str::to_owned));
        let pairs = ["a.py", "a.pyi", "b.js", "b.d.ts", "c.py", "d.d.ts"].map(|name| check(name).unwrap_or_default());
        assert_eq!(pairs, ["a.pyi", "a.py", "b.d.ts", "b.js", "", ""]);
    }
}
