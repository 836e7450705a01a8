//! The language of a file, according to the catalogue.

use std::io::Read as _;
use std::sync::Arc;

use camino::Utf8Path;
use rustc_hash::FxHashMap;

use crate::catalogue::Catalogue;

/// The number of bytes of a file that are read for its first line. Linux itself reads 256 of a `#!` line (execve(2)).
const FIRST_LINE_BYTES: u64 = 256;

/// Look-up tables made from a catalogue. If two rows disagree, the first one in the file counts.
#[derive(Debug, Clone, Default)]
pub struct Languages {
    file_names: FxHashMap<String, Arc<str>>,
    extensions: FxHashMap<String, Arc<str>>,
    interpreters: FxHashMap<String, Arc<str>>,
}

impl Languages {
    pub fn from_catalogue(catalogue: &Catalogue) -> Self {
        let mut languages = Self::default();
        for language in catalogue.rows().flat_map(|row| &row.languages) {
            let id: Arc<str> = language.id.as_str().into();
            let enter = |table: &mut FxHashMap<String, Arc<str>>, key: String| {
                table.entry(key).or_insert_with(|| Arc::clone(&id));
            };
            for name in &language.file_names {
                enter(&mut languages.file_names, name.clone());
            }
            for extension in &language.extensions {
                enter(&mut languages.extensions, extension.to_lowercase());
            }
            for interpreter in &language.shebangs {
                enter(&mut languages.interpreters, interpreter.clone());
            }
        }
        languages
    }

    /// Returns the language (LSP's id) by the file's name alone; the file need not exist.
    pub fn for_path(&self, path: &Utf8Path) -> Option<&Arc<str>> {
        let name = path.file_name()?;
        self.file_names.get(name).or_else(|| {
            let extension = path.extension()?;
            // Almost every extension is in lower case already.
            self.extensions.get(extension).or_else(|| self.extensions.get(&extension.to_lowercase()))
        })
    }

    /// Returns the language by the file's name or, for a file without an extension, by the interpreter in its first
    /// line.
    pub fn for_file(&self, path: &Utf8Path) -> Option<&Arc<str>> {
        self.for_path(path).or_else(|| {
            if path.extension().is_some() || !path.is_file() {
                return None;
            }
            let mut head = Vec::new();
            std::fs::File::open(path).ok()?.take(FIRST_LINE_BYTES).read_to_end(&mut head).ok()?;
            let text = String::from_utf8_lossy(&head);
            self.interpreters.get(interpreter(text.lines().next()?)?)
        })
    }
}

/// Returns the interpreter in `#!/usr/bin/python3 -u`, `#!/usr/bin/env python3` or `#!/usr/bin/env -S node --flag`: a
/// name without directory.
fn interpreter(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix("#!")?.split_ascii_whitespace();
    let program = base_name(words.next()?);
    if program != "env" {
        return Some(program);
    }
    // Options and `NAME=value` come before the program.
    words.find(|word| !word.starts_with('-') && !word.contains('=')).map(base_name)
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name() {
        let languages = Languages::from_catalogue(Catalogue::builtin());
        for (path, expected) in [
            ("a/lib.rs", Some("rust")),
            ("LIB.RS", Some("rust")),
            ("a.b.test.tsx", Some("typescriptreact")),
            ("x.h", Some("cpp")),
            ("x.c", Some("c")),
            ("go.mod", Some("go.mod")),
            ("a/Dockerfile", Some("dockerfile")),
            ("CMakeLists.txt", Some("cmake")),
            ("other.mod", None),
            ("Makefile", None),
            (".rs", None),
            ("rs", None),
        ] {
            assert_eq!(languages.for_path(Utf8Path::new(path)).map(AsRef::as_ref), expected, "{path}");
        }
    }

    #[test]
    fn by_first_line() {
        let languages = Languages::from_catalogue(Catalogue::builtin());
        let directory = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(directory.path()).unwrap().join("tool");
        for (text, expected) in [
            ("#!/usr/bin/env python3\nprint()", Some("python")),
            ("#!/usr/bin/python3 -u", Some("python")),
            ("#! /usr/bin/env -S A=1 node --harmony\r\n", Some("javascript")),
            ("#!/bin/sh\n", Some("shellscript")),
            ("#!/usr/bin/awk -f\n", None),
            ("#!\n", None),
            ("print()", None),
            ("", None),
        ] {
            zubi_base::fs::write_atomic(&path, text.as_bytes()).unwrap();
            assert_eq!(languages.for_file(&path).map(AsRef::as_ref), expected, "{text:?}");
        }
        assert_eq!(languages.for_file(Utf8Path::new("/no/such/file")), None);
        assert_eq!(languages.for_file(Utf8Path::new("/")), None);
    }
}
