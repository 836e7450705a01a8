//! Tests of `watch`.

use insta::assert_snapshot;

use super::*;

struct Fixture {
    _workspace: tempfile::TempDir,
    state: tempfile::TempDir,
    root: Utf8PathBuf,
    watcher: FileWatcher,
}

impl Fixture {
    fn new(files: &[&str]) -> Self {
        let (workspace, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = zubi_base::fs::canonical(Utf8Path::from_path(workspace.path()).unwrap()).unwrap();
        for file in files {
            write(&root.join(file), "old");
        }
        let watcher =
            FileWatcher::start(std::slice::from_ref(&root), interests(), Utf8Path::from_path(state.path()).unwrap());
        Self { _workspace: workspace, state, root, watcher }
    }

    fn write(&self, name: &str, text: &str) {
        write(&self.root.join(name), text);
    }

    async fn refresh(&self) -> String {
        let refreshed = self.watcher.refresh().await;
        assert_eq!(refreshed.note, None);
        let line = |change: &WatchedFileChange| {
            format!("{:?} {}", change.kind, change.path.strip_prefix(&self.root).unwrap_or(&change.path))
        };
        refreshed.changes.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn interests() -> WatchInterests {
    WatchInterests { project_files: ["Cargo.lock".to_owned(), "package.json".to_owned()].into_iter().collect() }
}

fn write(path: &Utf8Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), text.as_bytes()).unwrap();
}

#[tokio::test]
async fn each_file_change_is_reported_once() {
    let fixture = Fixture::new(&["a.rs", "b.rs", "sub/c.rs"]);
    assert_eq!(fixture.refresh().await, "");
    fixture.write("a.rs", "new");
    fixture.write("sub/d.rs", "x");
    std::fs::remove_file(fixture.root.join("b.rs")).unwrap();
    assert_snapshot!(fixture.refresh().await, @"
    Changed a.rs
    Deleted b.rs
    Created sub/d.rs
    ");
    assert_eq!(fixture.refresh().await, "");
}

#[tokio::test]
async fn an_editors_rename_over_a_file_is_a_change() {
    let fixture = Fixture::new(&["a.rs"]);
    zubi_base::fs::write_atomic(&fixture.root.join("a.rs"), b"new").unwrap();
    assert_snapshot!(fixture.refresh().await, @"Changed a.rs");
}

#[tokio::test]
async fn new_directories_are_scanned_and_watched() {
    let fixture = Fixture::new(&["a.rs"]);
    fixture.write("new/deep/b.rs", "x");
    assert_snapshot!(fixture.refresh().await, @"
    Created new
    Created new/deep
    Created new/deep/b.rs
    ");
    fixture.write("new/deep/b.rs", "y");
    fixture.write("new/c.rs", "y");
    assert_snapshot!(fixture.refresh().await, @"
    Created new/c.rs
    Changed new/deep/b.rs
    ");
    std::fs::remove_dir_all(fixture.root.join("new")).unwrap();
    assert_snapshot!(fixture.refresh().await, @"
    Deleted new
    Deleted new/c.rs
    Deleted new/deep
    Deleted new/deep/b.rs
    ");
}

#[tokio::test]
async fn a_directory_recreated_between_requests_is_watched() {
    let fixture = Fixture::new(&["sub/a.rs", "sub/b.rs"]);
    std::fs::remove_dir_all(fixture.root.join("sub")).unwrap();
    fixture.write("sub/a.rs", "new");
    assert_snapshot!(fixture.refresh().await, @"
    Changed sub/a.rs
    Deleted sub/b.rs
    ");
    fixture.write("sub/b.rs", "new");
    assert_snapshot!(fixture.refresh().await, @"Created sub/b.rs");
}

#[tokio::test]
async fn a_renamed_directory_moves_its_files() {
    let fixture = Fixture::new(&["one/a.rs", "one/deep/b.rs", "one-more/c.rs"]);
    std::fs::rename(fixture.root.join("one"), fixture.root.join("two")).unwrap();
    assert_snapshot!(fixture.refresh().await, @"
    Deleted one
    Deleted one/a.rs
    Deleted one/deep
    Deleted one/deep/b.rs
    Created two
    Created two/a.rs
    Created two/deep
    Created two/deep/b.rs
    ");
    fixture.write("two/deep/b.rs", "new");
    assert_snapshot!(fixture.refresh().await, @"Changed two/deep/b.rs");
}

#[tokio::test]
async fn ignored_files_are_not_reported() {
    let fixture = Fixture::new(&["Cargo.toml", "src/a.rs"]);
    fixture.write(".gitignore", "build/\n*.log\n");
    fixture.refresh().await;
    fixture.write("build/out.rs", "x");
    fixture.write("src/a.log", "x");
    fixture.write("target/debug/b.rs", "x");
    fixture.write("node_modules/.cache/index.js", "x");
    fixture.write(".git/index", "x");
    fixture.write("src/b.rs", "x");
    assert_snapshot!(fixture.refresh().await, @"
    Created node_modules
    Created src/b.rs
    ");
    // The rules change: the files that they no longer hide become visible.
    fixture.write(".gitignore", "*.log\n");
    assert_snapshot!(fixture.refresh().await, @"
    Changed .gitignore
    Created build
    Created build/out.rs
    ");
    fixture.write("build/out.rs", "y");
    assert_snapshot!(fixture.refresh().await, @"Changed build/out.rs");
}

#[tokio::test]
async fn a_worktree_is_watched_once_a_server_works_in_it() {
    let fixture = Fixture::new(&["a.rs", ".git/worktrees/x/commondir"]);
    fixture.write("wt/x/.git", &format!("gitdir: {}/.git/worktrees/x", fixture.root));
    fixture.write("wt/x/a.rs", "old");
    assert_snapshot!(fixture.refresh().await, @"Created wt");
    fixture.watcher.watch_worktree(&fixture.root.join("wt/x"));
    assert_eq!(fixture.refresh().await, "");
    fixture.write("wt/x/a.rs", "new");
    fixture.write("wt/x/b.rs", "new");
    // Makes the next examination compare everything.
    fixture.write(".ignore", "");
    assert_snapshot!(fixture.refresh().await, @"
    Created .ignore
    Changed wt/x/a.rs
    Created wt/x/b.rs
    ");
    std::fs::remove_dir_all(fixture.root.join("wt/x")).unwrap();
    assert_snapshot!(fixture.refresh().await, @"
    Deleted wt/x
    Deleted wt/x/.git
    Deleted wt/x/a.rs
    Deleted wt/x/b.rs
    ");
}

#[tokio::test]
async fn the_barrier_orders_a_thousand_files() {
    let fixture = Fixture::new(&["a.rs"]);
    for number in 0..1000 {
        fixture.write(&format!("many/{}/{number}.rs", number % 10), "x");
    }
    let refreshed = fixture.watcher.refresh().await;
    assert_eq!(refreshed.note, None);
    assert_eq!(refreshed.changes.len(), 1000 + 11, "with the directories");
    for number in 0..1000 {
        fixture.write(&format!("many/{}/{number}.rs", number % 10), "y");
    }
    let refreshed = fixture.watcher.refresh().await;
    assert_eq!(refreshed.changes.len(), 1000);
    assert!(refreshed.changes.iter().all(|change| change.kind == ChangeKind::Changed));
}

#[tokio::test]
async fn lost_events_and_a_failed_watcher_cause_a_comparison() {
    let fixture = Fixture::new(&["a.rs", "b.rs"]);
    {
        let mut record = lock(&fixture.watcher.record);
        record.watcher = None;
        record.failure = Some("no watches left".to_owned());
    }
    fixture.write("a.rs", "newer");
    fixture.write("c.rs", "x");
    std::fs::remove_file(fixture.root.join("b.rs")).unwrap();
    let refreshed = fixture.watcher.refresh().await;
    assert_eq!(refreshed.note.as_deref(), Some("no watches left: files were compared one by one"));
    assert_eq!(
        refreshed.changes.iter().map(|change| change.kind).collect::<Vec<_>>(),
        [ChangeKind::Changed, ChangeKind::Deleted, ChangeKind::Created]
    );
}

/// A watcher that accepts a limited number of directories and then returns the system's error for a reached limit.
struct LimitedWatcher {
    watcher: notify::RecommendedWatcher,
    remaining: Arc<AtomicU64>,
}

impl Watcher for LimitedWatcher {
    fn new<F: notify::EventHandler>(_handler: F, _config: notify::Config) -> notify::Result<Self> {
        unreachable!("the tests make it themselves")
    }

    fn watch(&mut self, path: &std::path::Path, mode: RecursiveMode) -> notify::Result<()> {
        if self.remaining.fetch_update(Ordering::AcqRel, Ordering::Acquire, |limit| limit.checked_sub(1)).is_err() {
            return Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch).add_path(path.to_owned()));
        }
        self.watcher.watch(path, mode)
    }

    fn unwatch(&mut self, path: &std::path::Path) -> notify::Result<()> {
        self.watcher.unwatch(path)
    }

    fn kind() -> notify::WatcherKind {
        notify::WatcherKind::Inotify
    }
}

/// Creates a workspace with three directories, of which a limited number may be watched, the barrier's among them.
fn limited_workspace(limit: u64) -> (Fixture, Arc<AtomicU64>) {
    let mut fixture = Fixture::new(&["a.rs", "one/b.rs", "two/c.rs"]);
    let limit = Arc::new(AtomicU64::new(limit));
    let state = Utf8Path::from_path(fixture.state.path()).unwrap();
    fixture.watcher = FileWatcher::start_with(std::slice::from_ref(&fixture.root), interests(), state, |handler| {
        let watcher = notify::recommended_watcher(handler)?;
        Ok(Box::new(LimitedWatcher { watcher, remaining: Arc::clone(&limit) }))
    });
    (fixture, limit)
}

async fn changes_and_note(fixture: &Fixture) -> (usize, String) {
    let refreshed = fixture.watcher.refresh().await;
    (refreshed.changes.len(), refreshed.note.unwrap_or_default())
}

const REACHED: &str =
    "the limit of watched directories (fs.inotify.max_user_watches) is reached: files were compared one by one";

#[tokio::test]
async fn reaching_the_watch_limit_falls_back_to_comparison_and_is_reported() {
    for allowed in [0, 1, 2, 3] {
        let (fixture, _limit) = limited_workspace(allowed);
        for text in ["first", "second one"] {
            fixture.write("a.rs", text);
            fixture.write("two/c.rs", text);
            let (changes, note) = changes_and_note(&fixture).await;
            assert_eq!(changes, 2, "{allowed} directories may be watched");
            assert_eq!(note, REACHED);
        }
    }
}

#[tokio::test]
async fn a_limit_that_is_no_longer_reached_is_not_reported() {
    let (fixture, limit) = limited_workspace(2);
    fixture.write("two/c.rs", "new");
    assert_eq!(changes_and_note(&fixture).await, (1, REACHED.to_owned()));
    limit.store(100, Ordering::Release);
    // The request that finds the limit raised still had to compare.
    assert_eq!(changes_and_note(&fixture).await, (0, REACHED.to_owned()));
    fixture.write("two/c.rs", "newer than that");
    assert_eq!(changes_and_note(&fixture).await, (1, String::new()));
}

#[tokio::test]
async fn without_a_watcher_files_are_compared_and_the_reason_is_reported() {
    let mut fixture = Fixture::new(&["a.rs"]);
    let state = Utf8Path::from_path(fixture.state.path()).unwrap();
    for (error, reason) in [
        (rustix::io::Errno::MFILE, "the limit of watchers (fs.inotify.max_user_instances) or of open files is reached"),
        (rustix::io::Errno::NOMEM, "files cannot be watched (Cannot allocate memory (os error 12))"),
    ] {
        fixture.watcher = FileWatcher::start_with(std::slice::from_ref(&fixture.root), interests(), state, |_| {
            Err(notify::Error::io(std::io::Error::from(error)))
        });
        fixture.write("a.rs", &format!("{error} and more"));
        assert_eq!(changes_and_note(&fixture).await, (1, format!("{reason}: files were compared one by one")));
    }
}

#[tokio::test]
async fn too_many_marks_turn_into_a_comparison() {
    let marks = Marks { marked: Mutex::default(), barrier: watch::Sender::new(0) };
    for number in 0..=MAX_MARKED {
        let event = notify::Event::new(EventKind::Any).add_path(format!("/w/{number}").into());
        marks.on_event(Ok(event), std::path::Path::new("/barrier"));
    }
    let marked = lock(&marks.marked);
    assert!(marked.compare_all && marked.paths.len() == 1);
}

fn link(fixture: &Fixture, target: &str, link: &str) {
    let link = fixture.root.join(link);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, link).unwrap();
}

impl Fixture {
    fn restart(&mut self) {
        let state = Utf8Path::from_path(self.state.path()).unwrap();
        self.watcher = FileWatcher::start(std::slice::from_ref(&self.root), interests(), state);
    }

    fn remove(&self, name: &str) {
        let path = self.root.join(name);
        if path.is_dir() && !path.is_symlink() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[tokio::test]
async fn a_change_is_reported_under_every_path_of_a_linked_directory() {
    let mut fixture = Fixture::new(&["common/util.py", "alpha/main.py"]);
    link(&fixture, "../common", "alpha/common");
    link(&fixture, "..", "alpha/self");
    fixture.restart();
    fixture.write("common/util.py", "new");
    fixture.write("common/sub/more.py", "new");
    assert_snapshot!(fixture.refresh().await, @"
    Created alpha/common/sub
    Created alpha/common/sub/more.py
    Changed alpha/common/util.py
    Created common/sub
    Created common/sub/more.py
    Changed common/util.py
    ");
    // A link that comes, leads elsewhere, and goes.
    link(&fixture, "../common", "beta/common");
    assert_snapshot!(fixture.refresh().await, @"
    Created beta
    Created beta/common
    Created beta/common/sub
    Created beta/common/sub/more.py
    Created beta/common/util.py
    ");
    fixture.remove("beta/common");
    link(&fixture, "../alpha", "beta/common");
    assert_snapshot!(fixture.refresh().await, @"
    Changed beta/common
    Created beta/common/main.py
    Deleted beta/common/sub
    Deleted beta/common/sub/more.py
    Deleted beta/common/util.py
    ");
    fixture.remove("beta/common");
    assert_snapshot!(fixture.refresh().await, @"
    Deleted beta/common
    Deleted beta/common/main.py
    ");
    fixture.remove("common");
    assert_snapshot!(fixture.refresh().await, @"
    Deleted alpha/common
    Deleted alpha/common/sub
    Deleted alpha/common/sub/more.py
    Deleted alpha/common/util.py
    Deleted common
    Deleted common/sub
    Deleted common/sub/more.py
    Deleted common/util.py
    ");
}

#[tokio::test]
async fn targets_of_links_outside_the_folder_and_in_ignored_directories_are_watched() {
    let mut fixture = Fixture::new(&["a.py", "real.py"]);
    let outside = tempfile::tempdir().unwrap();
    let outside = zubi_base::fs::canonical(Utf8Path::from_path(outside.path()).unwrap()).unwrap();
    write(&outside.join("deep/x.py"), "old");
    fixture.write(".gitignore", "build\n");
    link(&fixture, outside.as_str(), "lib");
    link(&fixture, "real.py", "alias.py");
    link(&fixture, "build/flags.json", "flags.json");
    fixture.restart();
    write(&outside.join("deep/x.py"), "new");
    write(&outside.join("deep/y.py"), "new");
    fixture.write("real.py", "new");
    let inside = |text: String| {
        let text = text.replace(outside.as_str(), "OUTSIDE");
        let mut lines: Vec<_> = text.lines().collect();
        // The name of the temporary directory decides its place.
        lines.sort_by_key(|line| line.split(' ').nth(1));
        lines.join("\n")
    };
    assert_snapshot!(inside(fixture.refresh().await), @"
    Changed OUTSIDE/deep/x.py
    Created OUTSIDE/deep/y.py
    Changed alias.py
    Changed lib/deep/x.py
    Created lib/deep/y.py
    Changed real.py
    ");
    assert_eq!(fixture.refresh().await, "");
    // The target of a link that led nowhere comes.
    fixture.write("build/other.json", "x");
    fixture.refresh().await;
    fixture.write("build/flags.json", "x");
    assert_snapshot!(fixture.refresh().await, @"
    Created build/flags.json
    Created flags.json
    ");
    fixture.write("build/flags.json", "y");
    assert_snapshot!(fixture.refresh().await, @"
    Changed build/flags.json
    Changed flags.json
    ");
}

#[tokio::test]
async fn packages_that_come_and_go_are_reported() {
    let mut fixture = Fixture::new(&["package.json", "node_modules/old/index.d.ts", "node_modules/@s/old/index.d.ts"]);
    fixture.write(".gitignore", ".venv\nnode_modules\nCargo.lock\n");
    fixture.write(".venv/pyvenv.cfg", "");
    fixture.write(".venv/lib/python3.11/site-packages/old/__init__.py", "");
    fixture.restart();
    fixture.write("node_modules/new/index.d.ts", "x");
    fixture.write("node_modules/.package-lock.json", "x");
    fixture.write("node_modules/@s/new/index.d.ts", "x");
    fixture.write("node_modules/@t/new/index.d.ts", "x");
    fixture.write(".venv/lib/python3.11/site-packages/new/__init__.py", "x");
    fixture.write(".venv/lib/python3.11/site-packages/six.py", "x");
    fixture.write("Cargo.lock", "x");
    assert_snapshot!(fixture.refresh().await, @"
    Created .venv/lib/python3.11/site-packages/new
    Created .venv/lib/python3.11/site-packages/new/__init__.py
    Created .venv/lib/python3.11/site-packages/six.py
    Created Cargo.lock
    Created node_modules/@s/new
    Created node_modules/@s/new/index.d.ts
    Created node_modules/@t
    Created node_modules/@t/new
    Created node_modules/@t/new/index.d.ts
    Created node_modules/new
    Created node_modules/new/index.d.ts
    ");
    // An installation that continues, and one that replaces a package.
    fixture.write("node_modules/new/lib/more.d.ts", "x");
    fixture.remove("node_modules/old");
    fixture.write("node_modules/old/index.d.ts", "newer");
    fixture.remove("node_modules/@s/new");
    fixture.remove(".venv/lib/python3.11/site-packages/old");
    assert_snapshot!(fixture.refresh().await, @"
    Deleted .venv/lib/python3.11/site-packages/old
    Deleted node_modules/@s/new
    Deleted node_modules/@s/new/index.d.ts
    Created node_modules/new/lib
    Created node_modules/new/lib/more.d.ts
    Changed node_modules/old
    Changed node_modules/old/index.d.ts
    ");
    // The new directory is watched, too.
    fixture.write("node_modules/old/index.d.ts", "newest");
    fixture.write("node_modules/old/more.d.ts", "x");
    assert_snapshot!(fixture.refresh().await, @"
    Changed node_modules/old/index.d.ts
    Created node_modules/old/more.d.ts
    ");
    fixture.remove("node_modules/old");
    fixture.write("node_modules/old/index.d.ts", "last");
    assert_snapshot!(fixture.refresh().await, @"
    Changed node_modules/old
    Changed node_modules/old/index.d.ts
    Deleted node_modules/old/more.d.ts
    ");
    fixture.write("node_modules/old/index.d.ts", "very last");
    assert_snapshot!(fixture.refresh().await, @"
    Changed node_modules/old/index.d.ts
    ");
    fixture.remove("node_modules");
    fixture.remove(".venv");
    fixture.refresh().await;
    fixture.write("node_modules/again/index.d.ts", "x");
    fixture.write(".venv/lib/python3.12/site-packages/again.py", "x");
    assert_snapshot!(fixture.refresh().await, @"
    Created .venv/lib/python3.12/site-packages
    Created .venv/lib/python3.12/site-packages/again.py
    Created node_modules
    Created node_modules/again
    Created node_modules/again/index.d.ts
    ");
    let counts = fixture.watcher.counts();
    assert!(counts.packages <= 8 && counts.unwatched == 0, "{counts:?}");
    // An examination of many files must not delay `zubi status`.
    let _examination = zubi_base::sync::lock(&fixture.watcher.record);
    assert_eq!(fixture.watcher.counts(), counts);
}

#[tokio::test]
async fn a_package_that_is_a_link_into_the_workspace_is_another_path_of_it() {
    let mut fixture = Fixture::new(&["package.json", "packages/util/index.ts", "node_modules/other/index.js"]);
    link(&fixture, "../packages/util", "node_modules/util");
    fixture.restart();
    fixture.write("packages/util/index.ts", "new");
    assert_snapshot!(fixture.refresh().await, @"
    Changed node_modules/util/index.ts
    Changed packages/util/index.ts
    ");
}

/// The paths of a directory are those directly after it: a search for its end must not read those of all others.
#[test]
fn paths_below_a_directory_follow_it() {
    let paths = ["a", "a-b/c", "a/b", "a/b/c", "a.b", "ab/c", "b"].map(|path| (Utf8PathBuf::from(path), 0));
    let paths = std::collections::BTreeMap::from(paths);
    let below = |directory: &str| record::paths_under(&paths, Utf8Path::new(directory));
    assert_eq!(below("a"), ["a", "a/b", "a/b/c"]);
    assert_eq!(below("a/b"), ["a/b", "a/b/c"]);
    assert!(below("a-").is_empty() && below("z").is_empty());
}
