//! The files that a build parses first, because a question is about them.

use std::collections::VecDeque;
use std::sync::Mutex;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::sync::lock;

/// The maximum number of files and folders that wait. Those of earlier questions are removed first.
const MAX_WAITING: usize = 256;

/// The files and folders of recent questions, last question first.
#[derive(Debug, Default)]
pub(crate) struct PreferredFiles(Mutex<VecDeque<Utf8PathBuf>>);

impl PreferredFiles {
    /// Adds the files and folders of a question, by their paths in the folder, in front of those of earlier ones.
    pub(crate) fn add<'a>(&self, paths: impl DoubleEndedIterator<Item = &'a Utf8Path>) {
        let mut waiting = lock(&self.0);
        for path in paths.rev() {
            waiting.retain(|other| other != path);
            waiting.push_front(path.to_owned());
        }
        waiting.truncate(MAX_WAITING);
    }

    /// Removes and returns the next one.
    pub(crate) fn take(&self) -> Option<Utf8PathBuf> {
        lock(&self.0).pop_front()
    }

    /// Returns one whose files are not all parsed yet.
    pub(crate) fn put_back(&self, path: Utf8PathBuf) {
        lock(&self.0).push_front(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_last_question_are_first() {
        let preferred = PreferredFiles::default();
        for question in [&["a.rs", "b.rs"][..], &["src", "b.rs"]] {
            preferred.add(question.iter().map(Utf8Path::new));
        }
        let taken: Vec<_> = std::iter::from_fn(|| preferred.take()).collect();
        assert_eq!(taken, ["src", "b.rs", "a.rs"]);
    }

    #[test]
    fn files_of_earlier_questions_are_limited() {
        let preferred = PreferredFiles::default();
        let names: Vec<_> = (0..1_000).map(|at| format!("{at}.rs")).collect();
        preferred.add(names.iter().map(Utf8Path::new));
        assert_eq!(std::iter::from_fn(|| preferred.take()).count(), MAX_WAITING);
    }
}
