//! All declared names of an index with the files that use them: the input of a map of the workspace.

use camino::Utf8PathBuf;
use zubi_syntax::DeclarationKind;

/// The declarations that [`super::SymbolIndex::declared_names`] returns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameSelection {
    /// The kinds of the declarations.
    pub kinds: Vec<DeclarationKind>,
    /// The maximum number of files that declare a name whose users are listed. More frequent names have no users.
    pub max_declaring_files: usize,
}

/// The declared names of an index, with the files that declare and use them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredNames {
    /// The absolute paths of the files whose declarations the index has, sorted by their bytes.
    pub files: Vec<Utf8PathBuf>,
    /// The names, sorted.
    pub names: Vec<NameUses>,
    /// Whether the limits of the index omitted names or users.
    pub has_more: bool,
    /// Whether the index has read and parsed all files that it can parse.
    pub is_complete: bool,
}

/// A declared name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameUses {
    /// The name without qualifiers.
    pub name: String,
    /// The declarations, sorted, one for each kind in each file. The members of a trait's implementation are not among them:
    /// their names are those of the trait, so their uses say nothing about this file.
    pub declarations: Vec<NameDeclaration>,
    /// The files that can contain the name as a word, sorted, as indexes in [`DeclaredNames::files`]. Empty for a name that
    /// is not one word, and for one above [`NameSelection::max_declaring_files`].
    pub users: Vec<u32>,
}

/// The declarations of a name with one kind in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameDeclaration {
    /// The index of the file in [`DeclaredNames::files`].
    pub file: u32,
    /// The kind.
    pub kind: DeclarationKind,
}

/// Whether a declaration with this kind and name implements a trait for a type: `impl Iterator for Lines`.
pub fn is_trait_implementation(kind: DeclarationKind, name: &str) -> bool {
    kind == DeclarationKind::Implementation && name.contains(" for ")
}

impl DeclaredNames {
    /// Joins the names of the indexes of several folders. A file of two folders is that of the first.
    pub fn join(parts: Vec<Self>) -> Self {
        let mut parts = parts;
        if parts.len() == 1
            && let Some(only) = parts.pop()
        {
            return only;
        }
        let mut files: Vec<Utf8PathBuf> = parts.iter().flat_map(|part| part.files.iter().cloned()).collect();
        files.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        files.dedup();
        let mut joined = Self { is_complete: true, ..Self::default() };
        let mut names: Vec<NameUses> = Vec::new();
        for part in parts {
            joined.has_more |= part.has_more;
            joined.is_complete &= part.is_complete;
            let find = |path: &Utf8PathBuf| files.partition_point(|known| known.as_str() < path.as_str());
            let indexes: Vec<u32> =
                part.files.iter().map(|path| u32::try_from(find(path)).unwrap_or(u32::MAX)).collect();
            let to_joined = |file: u32| indexes.get(file as usize).copied();
            names.extend(part.names.into_iter().map(|uses| {
                NameUses {
                    declarations: uses
                        .declarations
                        .into_iter()
                        .filter_map(|it| Some(NameDeclaration { file: to_joined(it.file)?, ..it }))
                        .collect(),
                    users: uses.users.into_iter().filter_map(to_joined).collect(),
                    ..uses
                }
            }));
        }
        // Stable, so that the declarations of the first folder come first.
        names.sort_by(|a, b| a.name.cmp(&b.name));
        for uses in names {
            match joined.names.last_mut().filter(|last| last.name == uses.name) {
                Some(last) => {
                    let is_new = |it: &NameDeclaration| !last.declarations.contains(it);
                    let added: Vec<NameDeclaration> = uses.declarations.into_iter().filter(is_new).collect();
                    last.declarations.extend(added);
                    last.declarations.sort_by_key(|it| it.file);
                    last.users.extend(uses.users);
                    last.users.sort_unstable();
                    last.users.dedup();
                }
                None => joined.names.push(uses),
            }
        }
        Self { files, ..joined }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(files: &[&str], names: &[(&str, &[u32], &[u32])]) -> DeclaredNames {
        let declaration = |file: &u32| NameDeclaration { file: *file, kind: DeclarationKind::Class };
        DeclaredNames {
            files: files.iter().map(Utf8PathBuf::from).collect(),
            names: names
                .iter()
                .map(|(name, declared, users)| NameUses {
                    name: (*name).to_owned(),
                    declarations: declared.iter().map(declaration).collect(),
                    users: users.to_vec(),
                })
                .collect(),
            has_more: false,
            is_complete: true,
        }
    }

    #[test]
    fn folders_are_joined() {
        let joined = DeclaredNames::join(vec![
            part(&["/b/x", "/b/y"], &[("Shape", &[0], &[0, 1]), ("Unit", &[1], &[])]),
            part(&["/a/z", "/b/y"], &[("Shape", &[0], &[0, 1])]),
        ]);
        let expected = part(&["/a/z", "/b/x", "/b/y"], &[("Shape", &[0, 1], &[0, 1, 2]), ("Unit", &[2], &[])]);
        assert_eq!(joined, expected);
        assert_eq!(DeclaredNames::join(vec![expected.clone()]), expected);
        assert!(DeclaredNames::join(Vec::new()).files.is_empty());
    }
}
