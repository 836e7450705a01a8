//! Comparisons in real repositories.

#![expect(clippy::disallowed_methods, reason = "a test prepares its repositories with the user's git")]

mod hostile;

use std::fmt::Write as _;

use tempfile::TempDir;
use zubi_base::fs;

use super::*;

/// A repository with the user's git, in a home directory of its own.
struct Repository {
    root: Utf8PathBuf,
    git: GitRepositories,
    _directory: TempDir,
}

fn find_git() -> Utf8PathBuf {
    zubi_exec::program::find("git", std::env::var_os("PATH").as_deref()).into_iter().next().expect("git is installed")
}

impl Repository {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        let sandbox = Arc::new(Sandbox::new(Spawner::direct(), None, None));
        let git = GitRepositories::new(find_git(), Spawner::direct(), sandbox);
        let repository = Self { root, git, _directory: directory };
        repository.run(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    /// Runs git without the user's settings.
    fn run(&self, arguments: &[&str]) -> String {
        Self::run_in(&self.root, arguments)
    }

    fn run_in(directory: &Utf8Path, arguments: &[&str]) -> String {
        let mut command = std::process::Command::new(find_git());
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"];
        command.args(identity).args(arguments).current_dir(directory).env_clear();
        command.env("HOME", "/nonexistent").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write_atomic(&path, text.as_bytes()).unwrap();
    }

    /// Writes files and commits everything.
    fn commit(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            self.write(path, text);
        }
        self.run(&["add", "--all"]);
        self.run(&["commit", "--quiet", "--allow-empty", "--message=x"]);
    }

    async fn compare(&self, from: &str, to: Option<&str>) -> Result<TreeComparison, VersionControlError> {
        self.git.compare(&self.root, &RevisionRange::parse(from, to).unwrap(), &[]).await
    }

    async fn check(&self, from: &str, to: Option<&str>) -> String {
        match self.compare(from, to).await {
            Ok(comparison) => render(&comparison),
            Err(error) => error.to_string().replace(self.root.as_str(), "[root]"),
        }
    }
}

/// Renders each difference as `OLD -> NEW`.
fn render(comparison: &TreeComparison) -> String {
    let version = |version: &Option<FileVersion>| match version {
        None => "none".to_owned(),
        Some(it) => {
            let path = it.path.strip_prefix(&comparison.repository).unwrap();
            let place = if it.id.is_some() { "stored" } else { "present" };
            format!("{path} ({:?}, {place}, {})", it.kind, it.bytes)
        }
    };
    let mut text = String::new();
    for file in &comparison.files {
        writeln!(text, "{} -> {}", version(&file.old), version(&file.new)).unwrap();
    }
    text
}

/// A repository with a branch: `main` changes `a.py` after `topic` began, and `topic` has changes of its own.
fn create_branches() -> Repository {
    let repository = Repository::new();
    repository.commit(&[("a.py", "a = 1\n"), ("src/b.py", "b = 1\n"), ("gone.py", "x\n"), (".gitignore", "out/\n")]);
    repository.run(&["branch", "topic"]);
    repository.commit(&[("a.py", "a = 2\n")]);
    repository.run(&["checkout", "--quiet", "topic"]);
    std::fs::remove_file(repository.root.join("gone.py")).unwrap();
    repository.commit(&[("src/b.py", "b = 2\n"), ("src/c.py", "c\n")]);
    repository
}

#[tokio::test]
async fn revisions_are_compared() {
    let repository = create_branches();
    insta::assert_snapshot!(repository.check("main", Some("topic")).await, @"
    a.py (File, stored, 6) -> a.py (File, stored, 6)
    gone.py (File, stored, 2) -> none
    src/b.py (File, stored, 6) -> src/b.py (File, stored, 6)
    none -> src/c.py (File, stored, 2)
    ");
    insta::assert_snapshot!(repository.check("main...topic", None).await, @"
    gone.py (File, stored, 2) -> none
    src/b.py (File, stored, 6) -> src/b.py (File, stored, 6)
    none -> src/c.py (File, stored, 2)
    ");
    assert_eq!(repository.check("topic", Some("topic")).await, "");
}

#[tokio::test]
async fn present_files_are_compared() {
    let repository = create_branches();
    assert_eq!(repository.check("HEAD", None).await, "");
    // The same size, other content, and a time that does not show it.
    repository.write("a.py", "a = 3\n");
    repository.write("new.py", "new\n");
    repository.write("out/ignored.py", "x\n");
    repository.write("größe 'x'.py", "x\n");
    std::fs::remove_file(repository.root.join("src/c.py")).unwrap();
    insta::assert_snapshot!(repository.check("HEAD", None).await, @"
    a.py (File, stored, 6) -> a.py (File, present, 6)
    none -> größe 'x'.py (File, present, 2)
    none -> new.py (File, present, 4)
    src/c.py (File, stored, 2) -> none
    ");
    insta::assert_snapshot!(repository.check("main...", None).await, @"
    a.py (File, stored, 6) -> a.py (File, present, 6)
    gone.py (File, stored, 2) -> none
    none -> größe 'x'.py (File, present, 2)
    none -> new.py (File, present, 4)
    src/b.py (File, stored, 6) -> src/b.py (File, present, 6)
    ");
    // Files of a folder in the repository.
    let src = repository.root.join("src");
    let range = RevisionRange::parse("HEAD", None).unwrap();
    let edited = [src.join("b.py")];
    let comparison = repository.git.compare(&src, &range, &edited).await.unwrap();
    insta::assert_snapshot!(render(&comparison), @"
    src/b.py (File, stored, 6) -> src/b.py (File, present, 6)
    src/c.py (File, stored, 2) -> none
    ");
}

#[tokio::test]
async fn stored_versions_are_read() {
    let repository = create_branches();
    let comparison = repository.compare("main", Some("topic")).await.unwrap();
    let versions = comparison.files.iter().flat_map(|file| [file.old.as_ref(), file.new.as_ref()]).flatten();
    let mut ids: Vec<VersionId> = versions.filter_map(|version| version.id.clone()).collect();
    ids.insert(1, VersionId::parse(&"0".repeat(40)).unwrap());
    let texts = repository.git.read_versions(&repository.root, &ids).await.unwrap();
    let texts: Vec<_> = texts.into_iter().map(|text| text.map(|text| String::from_utf8(text).unwrap())).collect();
    insta::assert_debug_snapshot!(texts, @r#"
    [
        Some(
            "a = 2\n",
        ),
        None,
        Some(
            "a = 1\n",
        ),
        Some(
            "x\n",
        ),
        Some(
            "b = 1\n",
        ),
        Some(
            "b = 2\n",
        ),
        Some(
            "c\n",
        ),
    ]
    "#);
}

#[tokio::test]
async fn special_files_have_their_kind() {
    let repository = Repository::new();
    let library = repository.root.with_file_name("library");
    Repository::run_in(repository.root.parent().unwrap(), &["clone", "--quiet", repository.root.as_str(), "library"]);
    Repository::run_in(&library, &["commit", "--quiet", "--allow-empty", "--message=x"]);
    repository.commit(&[("a.py", "a\n")]);
    repository.run(&["submodule", "--quiet", "add", library.as_str(), "lib"]);
    std::os::unix::fs::symlink("a.py", repository.root.join("link.py")).unwrap();
    repository.write("lib/inside.py", "x\n");
    insta::assert_snapshot!(repository.check("HEAD", None).await, @"none -> .gitmodules (File, present, 61)");
    repository.commit(&[]);
    insta::assert_snapshot!(repository.check("HEAD~1", Some("HEAD")).await, @"
    none -> .gitmodules (File, stored, 61)
    none -> lib (Submodule, stored, 0)
    none -> link.py (Link, stored, 4)
    ");
    assert_eq!(repository.check("HEAD", None).await, "");
}

#[tokio::test]
async fn a_linked_worktree_is_a_repository() {
    let repository = create_branches();
    let worktree = repository.root.with_file_name("worktree");
    repository.run(&["worktree", "add", "--quiet", worktree.as_str(), "main"]);
    let range = RevisionRange::parse("topic", None).unwrap();
    let comparison = repository.git.compare(&worktree, &range, &[]).await.unwrap();
    insta::assert_snapshot!(render(&comparison), @"
    a.py (File, stored, 6) -> a.py (File, present, 6)
    none -> gone.py (File, present, 2)
    src/b.py (File, stored, 6) -> src/b.py (File, present, 6)
    src/c.py (File, stored, 2) -> none
    ");
}

#[tokio::test]
async fn a_sparse_checkout_removes_nothing() {
    let repository = create_branches();
    repository.commit(&[("docs/d.py", "d\n")]);
    repository.run(&["sparse-checkout", "set", "src"]);
    assert!(!repository.root.join("docs").exists());
    assert_eq!(repository.check("HEAD", None).await, "");
}

#[tokio::test]
async fn errors_name_the_revision() {
    let repository = create_branches();
    repository.run(&["checkout", "--quiet", "--orphan", "other"]);
    repository.commit(&[]);
    insta::assert_snapshot!(repository.check("unknown", None).await, @"the repository has no revision `unknown`");
    insta::assert_snapshot!(repository.check("main", Some("HEAD^{tree}")).await, @"git cannot compare the files: HEAD^{tree}^{commit}: expected commit type, but the object dereferences to tree type");
    insta::assert_snapshot!(repository.check("main...", None).await, @"`main` and `HEAD` have no common commit");
    let range = RevisionRange::parse("main", None).unwrap();
    let outside = repository.git.compare(Utf8Path::new("/"), &range, &[]).await.unwrap_err();
    insta::assert_snapshot!(outside, @"`/` is not in a git repository");
    std::fs::remove_file(repository.root.join(".git/HEAD")).unwrap();
    insta::assert_snapshot!(repository.check("main", None).await, @"git cannot compare the files: not a git repository: '[root]/.git'");
}

#[test]
fn objects_are_parsed() {
    let id = "0".repeat(40);
    let parse = |text: String, count| {
        let objects = parse_objects(text.as_bytes(), count).ok()?;
        Some(objects.into_iter().map(|it| it.map(|it| String::from_utf8(it).unwrap())).collect::<Vec<_>>())
    };
    let text = format!("{id} blob 3\na\nb\n{id} missing\n{id} blob 0\n\n");
    assert_eq!(parse(text, 3), Some(vec![Some("a\nb".to_owned()), None, Some(String::new())]));
    for text in ["", "x", "x\n", "a blob 9\nb\n", "a blob -1\nb\n", "a tree 1\nb\n", "a blob 18446744073709551615\nb\n"]
    {
        assert_eq!(parse(text.to_owned(), 1), None, "{text}");
    }
}
