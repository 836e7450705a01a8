//! The projects' roots that the present questions have computed.

use std::sync::Mutex;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use zubi_base::sync::lock;

use crate::catalogue::{RootRule, ServerEntry};
use crate::detect::project_root;

/// The roots of documents since the last question began. A question needs the root of one document about ten times, and
/// its computation reads manifests. The next question computes them again, because a marker may be new.
#[derive(Debug, Default)]
pub(super) struct RecentRoots(Mutex<QuestionRoots>);

#[derive(Debug, Default)]
struct QuestionRoots {
    /// The number of questions that have begun.
    question: u64,
    /// By the id of the server, and by document or directory.
    by_server: FxHashMap<String, FxHashMap<Utf8PathBuf, Utf8PathBuf>>,
}

impl RecentRoots {
    /// Like [`project_root`].
    pub(super) fn find(&self, row: &ServerEntry, document: &Utf8Path, folder: &Utf8Path) -> Utf8PathBuf {
        let key = match (row.root, document.parent()) {
            // Its configurations select single files.
            (RootRule::TypescriptSolution, _) | (_, None) => document,
            (_, Some(directory)) => directory,
        };
        let question = {
            let roots = lock(&self.0);
            if let Some(root) = roots.by_server.get(&row.id).and_then(|roots| roots.get(key)) {
                return root.clone();
            }
            roots.question
        };
        let root = project_root(row, document, folder);
        let mut roots = lock(&self.0);
        // Another question may have begun after a change that this root does not consider.
        if roots.question == question {
            roots.by_server.entry(row.id.clone()).or_default().insert(key.to_owned(), root.clone());
        }
        root
    }

    /// Removes all roots, because another question begins.
    pub(super) fn clear(&self) {
        let mut roots = lock(&self.0);
        roots.by_server.clear();
        roots.question += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    /// Returns the roots of documents before and after a configuration appears, and in the next question.
    fn check(server: &str, documents: [&str; 2], marker: &str, content: &str) -> String {
        let directory = tempfile::tempdir().unwrap();
        let folder = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for file in documents.iter().chain([&marker]) {
            std::fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        }
        let row = Catalogue::builtin().row(server).unwrap();
        let roots = RecentRoots::default();
        let find = || {
            let root = |document: &str| roots.find(row, &folder.join(document), &folder);
            let shown = documents.map(|document| format!("/{}", root(document).strip_prefix(&folder).unwrap()));
            shown.join(" ")
        };
        let first = find();
        zubi_base::fs::write_atomic(&folder.join(marker), content.as_bytes()).unwrap();
        let same = find();
        roots.clear();
        format!("{first}, {same}, {}", find())
    }

    #[test]
    fn the_next_question_computes_roots_again() {
        let both = "/ /, / /, /a /a";
        assert_eq!(check("pyright", ["a/x.py", "a/y.py"], "a/pyrightconfig.json", "{}"), both);
    }

    #[test]
    fn files_of_one_directory_have_roots_of_their_own_in_typescript() {
        let directory = tempfile::tempdir().unwrap();
        let folder = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        std::fs::create_dir_all(folder.join("core")).unwrap();
        let write = |path: &str, text: &str| zubi_base::fs::write_atomic(&folder.join(path), text.as_bytes()).unwrap();
        write("tsconfig.json", "{ \"include\": [\"core/a.ts\"] }");
        write("core/tsconfig.json", "{ \"references\": [] }");
        let row = Catalogue::builtin().row("typescript").unwrap();
        let roots = RecentRoots::default();
        for document in ["core/a.ts", "core/b.ts"].map(|document| folder.join(document)) {
            assert_eq!(roots.find(row, &document, &folder), project_root(row, &document, &folder), "{document}");
        }
        let found = lock(&roots.0).by_server[&row.id].len();
        assert_eq!(found, 2);
    }
}
