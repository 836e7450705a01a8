//! Tests of the tasks that follow changes, on real folders with the parser in this process.

use tempfile::TempDir;
use zubi_base::fs;
use zubi_code::syntax::{DirectParser, PatternAnswer, PatternSearchError, SyntaxError};
use zubi_syntax::{SyntaxLanguage, SyntaxLayout, SyntaxOutline, TextExtent};

use super::*;

const DEADLINE: Duration = Duration::from_secs(30);

/// Folders with their index, and a cache directory beside them.
struct Workspace {
    base: Utf8PathBuf,
    index: Arc<WorkspaceIndex>,
    _directory: TempDir,
}

fn open(base: &Utf8Path, folders: &[&str]) -> Arc<WorkspaceIndex> {
    let folders: Vec<_> = folders.iter().map(|folder| base.join(folder)).collect();
    let parser: Arc<dyn SyntaxParser> = Arc::new(DirectParser);
    let (cache, home) = (base.join("cache"), base.join("home"));
    WorkspaceIndex::new(&folders, Some(&cache), Some(&home), &parser, IndexLimits::default())
}

impl Workspace {
    fn new(folders: &[&str], files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for folder in folders {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        let index = open(&base, folders);
        let workspace = Self { base, index, _directory: directory };
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace
    }

    fn write(&self, path: &str, text: &str) -> Utf8PathBuf {
        let path = self.base.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write_atomic(&path, text.as_bytes()).unwrap();
        path
    }

    /// Writes another text into a file that has the time of its modification from before.
    fn write_in_time(&self, path: &str, text: &str) -> Utf8PathBuf {
        let modified = std::fs::metadata(self.base.join(path)).unwrap().modified().unwrap();
        let path = self.write(path, text);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        path
    }

    async fn start(&self) {
        self.index.start();
        wait_until_built(&self.index).await;
    }

    async fn search(&self, name: &str) -> String {
        let query = SymbolQuery { text: name.to_owned(), ..SymbolQuery::default() };
        let found = self.index.search(&query, 10).await.unwrap();
        let show = |path: &Utf8Path| path.strip_prefix(&self.base).unwrap().to_string();
        let mut lines: Vec<_> = found.hits.iter().map(|hit| format!("{}:{}", show(&hit.path), hit.line + 1)).collect();
        if !found.is_complete {
            lines.push("incomplete".to_owned());
        }
        lines.join(" ")
    }

    async fn files_with(&self, word: &str) -> String {
        match self.index.files_with(word).await {
            // The store may be deleted at this moment.
            Ok(WordFiles::Unknown) | Err(_) => "unknown".to_owned(),
            Ok(WordFiles::Files { texts: files, .. }) => {
                let show = |path: &Utf8PathBuf| path.strip_prefix(&self.base).unwrap().to_string();
                files.iter().map(show).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

async fn wait_until_built(index: &WorkspaceIndex) {
    let mut changes = index.changes();
    let built = changes.wait_for(IndexState::has_all_declarations);
    tokio::time::timeout(DEADLINE, built).await.expect("the index is built in time").unwrap();
    let ended = async {
        for folder in &index.folders {
            // The end of a build is followed by another report.
            let mut reads = folder.reads();
            while folder.is_building() {
                reads.changed().await.unwrap();
            }
        }
    };
    tokio::time::timeout(DEADLINE, ended).await.expect("the build ends in time");
}

#[tokio::test]
async fn folders_are_searched_together_and_follow_reports() {
    let workspace = Workspace::new(
        &["a", "b"],
        &[("a/one.py", "def shared():\n    pass\n"), ("b/two.py", "\nclass Shared:\n    pass\n")],
    );
    assert_eq!(workspace.files_with("shared").await, "unknown");
    workspace.start().await;
    assert_eq!(workspace.search("shared").await, "a/one.py:1 b/two.py:2");
    assert_eq!(workspace.files_with("shared").await, "a/one.py");
    let path = workspace.write("b/two.py", "\n\nclass Shared:\n    pass\n\nshared = 1\n");
    workspace.index.report(vec![path]);
    assert_eq!(workspace.search("Shared").await, "b/two.py:3 a/one.py:1 b/two.py:6");
    assert_eq!(workspace.files_with("shared").await, "a/one.py b/two.py");
    std::fs::remove_file(workspace.base.join("a/one.py")).unwrap();
    workspace.index.report(vec![workspace.base.join("a/one.py")]);
    assert_eq!(workspace.search("shared").await, "b/two.py:6 b/two.py:3");
}

#[tokio::test]
async fn a_change_of_the_same_size_and_time_is_read() {
    let workspace = Workspace::new(&["a"], &[("a/one.py", "def first(): pass\n")]);
    workspace.start().await;
    let path = workspace.write_in_time("a/one.py", "def other(): pass\n");
    workspace.index.report(vec![path]);
    assert_eq!(workspace.search("other").await, "a/one.py:1");
    assert_eq!(workspace.search("first").await, "");
    assert_eq!(workspace.files_with("first").await, "");
}

#[tokio::test]
async fn an_index_of_another_process_is_taken_over_when_it_ends() {
    let workspace = Workspace::new(&["a"], &[("a/one.py", "def first(): pass\n")]);
    workspace.start().await;
    // Two hosts in one process: the lock is that of an open file.
    let second = open(&workspace.base, &["a"]);
    second.start();
    let mut changes = second.changes();
    let locked = changes.wait_for(|state| state.problem.is_some());
    tokio::time::timeout(DEADLINE, locked).await.expect("the lock is noticed").unwrap();
    assert_eq!(second.files_with("first").await.unwrap(), WordFiles::Unknown);
    let query = SymbolQuery { text: "first".to_owned(), ..SymbolQuery::default() };
    let found = second.search(&query, 10).await.unwrap();
    assert_eq!((found.hits.len(), found.is_complete), (1, false));
    let Workspace { base, index, _directory } = workspace;
    drop(index);
    let path = base.join("a/one.py");
    fs::write_atomic(&path, b"def second(): pass\n").unwrap();
    second.report(vec![path]);
    let query = SymbolQuery { text: "second".to_owned(), ..SymbolQuery::default() };
    let take_over = async {
        // Each query may lead to another attempt.
        while !second.search(&query, 10).await.is_ok_and(|found| found.is_complete && found.hits.len() == 1) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(DEADLINE, take_over).await.expect("the second index is updated");
}

#[tokio::test]
async fn a_deleted_store_is_built_again() {
    let workspace = Workspace::new(&["a"], &[("a/one.py", "def first(): pass\n")]);
    workspace.start().await;
    std::fs::remove_dir_all(workspace.base.join("cache/index")).unwrap();
    let path = workspace.write("a/two.py", "def second(): pass\n");
    workspace.index.report(vec![path]);
    let rebuilt = async {
        while workspace.files_with("first").await != "a/one.py" {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(DEADLINE, rebuilt).await.expect("the index is built again");
    wait_until_built(&workspace.index).await;
    assert_eq!(workspace.search("second").await, "a/two.py:1");
}

#[tokio::test]
async fn the_home_directory_has_no_index() {
    let workspace = Workspace::new(&["home", "home/project"], &[("home/project/one.py", "def first(): pass\n")]);
    workspace.index.start();
    let state = workspace.index.state();
    assert!(state.problem.is_some_and(|problem| problem.contains("makes no index of")), "home");
    assert_eq!(workspace.files_with("first").await, "unknown");
    let path = workspace.base.join("home/project/one.py");
    workspace.index.report(vec![path; 10]);
    assert_eq!(workspace.index.folders.first().unwrap().state().unread, 0, "its changes are not stored");
}

#[tokio::test]
async fn a_replaced_folder_is_marked() {
    let workspace = Workspace::new(&["a"], &[("a/one.py", "def first(): pass\n")]);
    workspace.start().await;
    std::fs::rename(workspace.base.join("a"), workspace.base.join("b")).unwrap();
    assert_eq!(workspace.files_with("first").await, "unknown");
    // As it was before, but zubi has not watched it meanwhile.
    std::fs::rename(workspace.base.join("b"), workspace.base.join("a")).unwrap();
    assert_eq!(workspace.files_with("first").await, "unknown");
    assert_eq!(workspace.search("first").await, "a/one.py:1 incomplete");
    assert!(workspace.index.state().problem.unwrap().contains("was removed or replaced"));
}

#[tokio::test]
async fn a_store_of_another_host_in_place_of_a_deleted_one_is_noticed() {
    let workspace = Workspace::new(&["a"], &[("a/one.py", "def first(): pass\n")]);
    workspace.start().await;
    std::fs::remove_dir_all(workspace.base.join("cache/index")).unwrap();
    let second = open(&workspace.base, &["a"]);
    second.start();
    wait_until_built(&second).await;
    let path = workspace.write("a/two.py", "def second(): pass\n");
    workspace.index.report(vec![path]);
    let noticed = async {
        while workspace.files_with("second").await != "unknown" {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(DEADLINE, noticed).await.expect("the other store is noticed");
    assert!(workspace.search("second").await.ends_with("incomplete"));
}

#[tokio::test]
async fn a_change_without_a_host_is_noticed_by_the_next_one() {
    let workspace = Workspace::new(&["a"], &[("a/one.py", "def first(): pass\n")]);
    workspace.start().await;
    workspace.write_in_time("a/one.py", "def other(): pass\n");
    let index = open(&workspace.base, &["a"]);
    let mut next = workspace;
    // The first index releases its lock.
    drop(std::mem::replace(&mut next.index, index));
    let built = async {
        next.index.start();
        let mut changes = next.index.changes();
        while !next.index.state().has_all_declarations() {
            // A query leads to another attempt if the lock was not released yet.
            drop(next.index.files_with("first").await);
            drop(tokio::time::timeout(UPDATE_WAIT, changes.changed()).await);
        }
    };
    tokio::time::timeout(DEADLINE, built).await.expect("the next index is built");
    assert_eq!(next.search("other").await, "a/one.py:1");
    assert_eq!(next.files_with("first").await, "");
}

#[tokio::test]
async fn changed_rules_of_git_are_noticed() {
    let workspace = Workspace::new(
        &["a"],
        &[("a/.git/info/exclude", "x/\n"), ("a/x/one.py", "def first(): pass\n"), ("a/two.py", "")],
    );
    workspace.start().await;
    assert_eq!(workspace.files_with("first").await, "");
    workspace.write("a/.git/info/exclude", "");
    let noticed = async {
        while workspace.files_with("first").await != "a/x/one.py" {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(DEADLINE, noticed).await.expect("the rules are noticed");
}

#[tokio::test]
async fn a_project_file_beside_a_directory_decides_whether_it_has_sources() {
    let workspace = Workspace::new(&["a"], &[("a/target/one.py", "def first(): pass\n"), ("a/two.py", "")]);
    workspace.start().await;
    assert_eq!(workspace.files_with("first").await, "a/target/one.py");
    let path = workspace.write("a/Cargo.toml", "");
    workspace.index.report(vec![path.clone()]);
    assert_eq!(workspace.files_with("first").await, "");
    assert_eq!(workspace.search("first").await, "");
    std::fs::remove_file(&path).unwrap();
    workspace.index.report(vec![path]);
    assert_eq!(workspace.files_with("first").await, "a/target/one.py");
}

#[tokio::test]
async fn a_home_directory_that_is_a_link_has_no_index() {
    let directory = tempfile::tempdir().unwrap();
    let base = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
    let (real, link) = (base.join("users/name"), base.join("home"));
    std::fs::create_dir_all(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let parser: Arc<dyn SyntaxParser> = Arc::new(DirectParser);
    let open = |folder: &Utf8Path, home: &Utf8Path| {
        let cache = base.join("cache");
        WorkspaceIndex::new(&[folder.to_owned()], Some(&cache), Some(home), &parser, IndexLimits::default())
    };
    // The workspace's folder has no links.
    for folder in [real.as_path(), base.as_path()] {
        assert!(
            open(folder, &link).state().problem.is_some_and(|problem| problem.contains("makes no index")),
            "{folder}"
        );
    }
    assert_eq!(open(&real.join("project"), &link).state().problem, None);
}

/// A parser that a test can pause.
struct PausedParser {
    is_paused: watch::Sender<bool>,
}

#[async_trait]
impl SyntaxParser for PausedParser {
    fn has_language(&self, file_name: &str) -> bool {
        DirectParser.has_language(file_name)
    }

    async fn outline(&self, file_name: &str, text: &Arc<str>) -> Result<SyntaxOutline, SyntaxError> {
        drop(self.is_paused.subscribe().wait_for(|is_paused| !is_paused).await);
        DirectParser.outline(file_name, text).await
    }

    async fn layout(&self, file_name: &str, extent: TextExtent, text: &Arc<str>) -> Result<SyntaxLayout, SyntaxError> {
        DirectParser.layout(file_name, extent, text).await
    }

    async fn find_matches(
        &self,
        language: &'static SyntaxLanguage,
        search: &zubi_code::syntax::NodeSearch,
        text: &Arc<str>,
    ) -> Result<PatternAnswer, PatternSearchError> {
        DirectParser.find_matches(language, search, text).await
    }
}

/// An answer has several queries, of which only the first waits.
#[tokio::test]
async fn a_long_update_delays_one_query_and_marks_all() {
    let mut workspace = Workspace::new(&["a"], &[("a/one.py", "def first(): pass\n")]);
    let parser = Arc::new(PausedParser { is_paused: watch::Sender::new(false) });
    let (as_parser, cache) = (Arc::clone(&parser) as Arc<dyn SyntaxParser>, workspace.base.join("cache"));
    let folders = [workspace.base.join("a")];
    workspace.index = WorkspaceIndex::new(&folders, Some(&cache), None, &as_parser, IndexLimits::default());
    workspace.start().await;
    parser.is_paused.send_replace(true);
    let path = workspace.write("a/two.py", "def second(): pass\n");
    workspace.index.report(vec![path.clone()]);
    let started = std::time::Instant::now();
    assert_eq!(workspace.search("second").await, "incomplete");
    let first = started.elapsed();
    assert!(first >= UPDATE_WAIT, "{first:?}");
    for _ in 0..20 {
        assert_eq!(workspace.search("second").await, "incomplete");
        assert_eq!(workspace.files_with("second").await, "unknown");
    }
    // If each of the forty waited, they would take twice as long.
    let all = started.elapsed();
    assert!(all < first + UPDATE_WAIT * 20, "{all:?}");
    parser.is_paused.send_replace(false);
    wait_until_built(&workspace.index).await;
    assert_eq!(workspace.search("second").await, "a/two.py:1");
    // The next change is awaited again.
    let path = workspace.write("a/two.py", "def third(): pass\n");
    workspace.index.report(vec![path]);
    assert_eq!(workspace.search("third").await, "a/two.py:1");
}

#[tokio::test]
async fn a_comparison_that_no_request_awaits_marks_answers() {
    let workspace = Workspace::new(&["a"], &[("a/one.py", "def first(): pass\n")]);
    workspace.start().await;
    workspace.index.begin_comparison();
    assert_eq!(workspace.search("first").await, "a/one.py:1 incomplete");
    assert_eq!(workspace.files_with("first").await, "unknown");
    let reason = "many files have changed, and zubi has not compared them all yet";
    assert_eq!(workspace.index.state().problem.as_deref(), Some(reason));
    workspace.index.end_comparison();
    assert_eq!(workspace.search("first").await, "a/one.py:1");
}
