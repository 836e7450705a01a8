//! Workspace folders in git repositories, and the uses of a symbol in all of them.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use zubi_base::clock::FixedClock;
use zubi_base::process::{CommandSpec, Spawner};
use zubi_code::exact_index::ExactRole::{Definitions, References};
use zubi_code::symbol_uses::UseQuery;
use zubi_code::version_control::Revision;
use zubi_exec::sandbox::Sandbox;

use super::super::{TeamDatabase, TeamIndex};
use super::{NOW, PushRequest, push, server};
use crate::GitRepositories;
use crate::scip::tests::git::{git, text};
use crate::scip::tests::{Folder, find};

fn repositories() -> Arc<GitRepositories> {
    let program = zubi_exec::program::find("git", std::env::var_os("PATH").as_deref()).into_iter().next().unwrap();
    let sandbox = Arc::new(Sandbox::new(Spawner::direct(), None, None));
    Arc::new(GitRepositories::new(program, Spawner::direct(), sandbox))
}

/// Commits all files at a time. Returns the id.
async fn commit_all(folder: &Folder, seconds: &str) -> String {
    git(folder, &["add", "--all"]).await;
    let date = format!("GIT_COMMITTER_DATE=@{seconds} +0000");
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    let spec = CommandSpec::new("/usr/bin/env", folder.root.clone()).args([&date, "git"]).args(identity);
    let spec = spec.args(["commit", "--quiet", "--message=x"]);
    let output = Spawner::direct().output(&spec, 1 << 20, Duration::from_mins(1)).await.unwrap();
    assert!(output.status.success(), "{output:?}");
    text(folder, &["rev-parse", "HEAD"]).await
}

/// Pushes data for the folder's `HEAD`.
async fn push_head(database: &TeamDatabase, folder: &Folder, below: &str, repository: &str, data: &str) {
    let git = repositories();
    let mut import = folder.request(data);
    import.folder = if below.is_empty() { folder.root.clone() } else { folder.root.join(below) };
    let head = Revision::parse("HEAD").unwrap();
    import.commit = Some(git.commit_files(&import.folder, &head).await.unwrap());
    let committed_at = git.history(&folder.root, &head, 1).await.unwrap()[0].committed_at;
    let (root, repository) = (folder.root.clone(), repository.to_owned());
    let request = PushRequest { import, root, repository, committed_at, creates_schema: false, snapshots: 50 };
    assert!(push(database, &request).await.unwrap().is_new);
}

#[tokio::test]
async fn a_clone_has_the_data_of_its_nearest_ancestor() {
    let (mut server, database) = server().await;
    let folder = Folder::new("//- app/a.py\none = 1\n//- app/b.py\nprint(one)\n//- web/c.py\none\n");
    git(&folder, &["init", "--quiet"]).await;
    git(&folder, &["remote", "add", "origin", "https://user:hunter2@git.example/team/app.git"]).await;
    let name = "git.example/team/app";
    let first = commit_all(&folder, "1000").await;
    let data = "doc app/a.py\ndef 1:0-3 a/one.\ndoc app/b.py\nref 1:6-9 a/one.\ndoc web/c.py\nref 1:0-3 a/one.";
    push_head(&database, &folder, "", name, data).await;
    folder.write("app/a.py", "# two\none = 1\n");
    let second = commit_all(&folder, "2000").await;
    let index = |below: &str| {
        let root = if below.is_empty() { folder.root.clone() } else { folder.root.join(below) };
        TeamIndex::new(&root, Arc::clone(&database), repositories(), Arc::new(FixedClock(NOW)))
    };
    let show = |text: String| text.replace(&first[..7], "FIRST").replace(&second[..7], "SECOND");
    let whole = index("");
    // The commit has no snapshot of its own.
    assert_snapshot!(show(find(&folder, &whole, Definitions, "one").await), @"
    app/a.py changed (1)
    [test 1 FIRST: 0 exact, 1 changed]
    ");
    assert_snapshot!(show(find(&folder, &whole, References, "one").await), @"
    app/b.py:1 one = a/one
    web/c.py:1 one = a/one
    [test 1 FIRST: 2 exact, 0 changed]
    ");
    let (repository, snapshots) = whole.snapshots().await.unwrap();
    assert_eq!((repository.as_str(), snapshots.len(), snapshots[0].distance), (name, 1, 1));
    push_head(&database, &folder, "", name, &data.replace("def 1:0", "def 2:0")).await;
    assert_snapshot!(show(find(&folder, &whole, Definitions, "one").await), @"
    app/a.py:2 one = a/one definition
    [test 1 SECOND: 1 exact, 0 changed]
    ");
    assert_eq!(whole.snapshots().await.unwrap().1[0].distance, 0);
    // An unsaved change, and the commit before.
    folder.write("app/b.py", "one, one\n");
    assert_snapshot!(show(find(&folder, &whole, References, "one").await), @"
    app/b.py changed (1)
    web/c.py:1 one = a/one
    [test 1 SECOND: 1 exact, 1 changed]
    ");
    git(&folder, &["reset", "--quiet", "--hard", &first]).await;
    assert_snapshot!(show(find(&folder, &whole, Definitions, "one").await), @"
    app/a.py:1 one = a/one definition
    [test 1 FIRST: 1 exact, 0 changed]
    ");
    // A workspace folder below the repository has only its own documents.
    let below = index("app");
    assert_snapshot!(show(find(&folder, &below, References, "app/b.py:1:one").await), @"
    app/b.py:1 one = a/one
    [test 1 FIRST: 1 exact, 0 changed]
    ");
    // The data of a folder, and of another indexer, are beside those of the whole.
    push_head(&database, &folder, "web", name, "tool other 1\ndoc c.py\nref 1:0-3 a/one.").await;
    assert_snapshot!(show(find(&folder, &whole, References, "one").await), @"
    app/b.py:1 one = a/one
    web/c.py:1 one = a/one
    [test 1 FIRST: 2 exact, 0 changed]
    ");
    // Commits without an ancestor in the data have none.
    git(&folder, &["checkout", "--quiet", "--orphan", "other"]).await;
    commit_all(&folder, "3000").await;
    assert_snapshot!(find(&folder, &whole, References, "one").await, @"no exact data of this folder are imported; `zubi index import FILE` imports a SCIP file");
    git(&folder, &["remote", "set-url", "origin", "../local"]).await;
    assert_snapshot!(find(&folder, &whole, References, "one").await, @"the commit of the workspace folder is unknown: the repository has no remote `origin` on a server");
    server.stop().await;
}

#[tokio::test]
async fn the_uses_of_a_symbol_come_from_the_newest_snapshots_of_all_repositories() {
    let (mut server, database) = server().await;
    let library = Folder::new("//- lib.py\nclass Shape:\n    def area(self): ...\n");
    git(&library, &["init", "--quiet"]).await;
    commit_all(&library, "1000").await;
    push_head(
        &database,
        &library,
        "",
        "git.example/library",
        "doc lib.py\ndef 1:6-11 lib/Shape#\ndef 2:8-12 lib/Shape#area().",
    )
    .await;
    let app = Folder::new("//- app.py\nfrom lib import Shape\nShape().area(); Shape().area()\n");
    git(&app, &["init", "--quiet"]).await;
    commit_all(&app, "2000").await;
    let data = "doc app.py\nimport 1:16-21 lib/Shape#\nref 2:0-5 lib/Shape#\nref 2:8-12 lib/Shape#area().\nref 2:24-28 lib/Shape#area().";
    push_head(&database, &app, "", "git.example/app", data).await;
    app.write("app.py", "\n\nx.area()\n");
    let newest = commit_all(&app, "3000").await;
    push_head(&database, &app, "", "git.example/app", "doc app.py\nref 3:2-6 lib/Shape#area().").await;
    let check_page = async |symbol: &str, repository: Option<&str>, start: usize, limit: usize| {
        let repository = repository.map(str::to_owned);
        let uses = database.find_uses(&UseQuery { symbol: symbol.to_owned(), repository, start, limit }).await.unwrap();
        let documents = uses.documents.iter().map(|it| {
            let commit = if it.commit == newest { "newest" } else { "other" };
            let time = it.committed_at.as_secs();
            format!("{} {}: {:?}, defined {:?} ({commit}, {time})", it.repository, it.path, it.lines, it.definitions)
        });
        let more = uses.has_more.then(|| format!("more from {:?}", uses.next));
        uses.symbols.iter().cloned().chain(documents).chain(more).collect::<Vec<_>>().join("\n")
    };
    let check = |symbol, repository, limit| check_page(symbol, repository, 0, limit);
    assert_snapshot!(check("area", None, 10).await, @"
    test . p 1 lib/Shape#area().
    git.example/app app.py: [3], defined [] (newest, 3000)
    git.example/library lib.py: [], defined [2] (other, 1000)
    ");
    assert_snapshot!(check("Shape/area", Some("git.example/app"), 10).await, @"
    test . p 1 lib/Shape#area().
    git.example/app app.py: [3], defined [] (newest, 3000)
    ");
    assert_snapshot!(check("Other/area", None, 10).await, @"");
    assert_snapshot!(check("test . p 1 lib/Shape#", None, 10).await, @"
    test . p 1 lib/Shape#
    git.example/library lib.py: [], defined [1] (other, 1000)
    ");
    assert_snapshot!(check("test . p 1 lib/Shape#area().", None, 1).await, @"
    test . p 1 lib/Shape#area().
    git.example/app app.py: [3], defined [] (newest, 3000)
    more from Some(1)
    ");
    assert_snapshot!(check_page("area", None, 1, 1).await, @"
    test . p 1 lib/Shape#area().
    git.example/library lib.py: [], defined [2] (other, 1000)
    ");
    assert_snapshot!(check("area", None, 0).await, @"
    test . p 1 lib/Shape#area().
    more from Some(0)
    ");
    // More rows than the connection reads at once.
    let many: Vec<_> = (0..400).map(|number| format!("doc {number:03}.py\nref 1:0-4 lib/many().")).collect();
    for number in 0..400 {
        library.write(&format!("{number:03}.py"), "many\n");
    }
    commit_all(&library, "4000").await;
    push_head(&database, &library, "", "git.example/many", &many.join("\n")).await;
    assert_snapshot!(check_page("many", None, 397, 2).await, @"
    test . p 1 lib/many().
    git.example/many 397.py: [1], defined [] (other, 4000)
    git.example/many 398.py: [1], defined [] (other, 4000)
    more from Some(399)
    ");
    assert_snapshot!(check("many", None, 1).await, @"
    test . p 1 lib/many().
    git.example/many 000.py: [1], defined [] (other, 4000)
    more from Some(1)
    ");
    server.stop().await;
}
