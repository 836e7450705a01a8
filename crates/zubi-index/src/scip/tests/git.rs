//! Imports for a commit of a real repository.

use std::time::Duration;

use insta::assert_snapshot;
use zubi_base::process::{CommandSpec, Spawner};
use zubi_code::exact_index::ExactRole::{Definitions, References};

use super::{Folder, find, import, status};
use crate::scip::CommitFiles;

/// Runs git in the folder, and returns its output.
pub(in crate::scip) async fn git(folder: &Folder, arguments: &[&str]) -> Vec<u8> {
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    let spec = CommandSpec::new("/usr/bin/env", folder.root.clone())
        .args(["git"])
        .args(identity)
        .args(arguments.iter().copied());
    let output = Spawner::direct().output(&spec, 1 << 20, Duration::from_mins(1)).await.unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    output.stdout
}

pub(in crate::scip) async fn text(folder: &Folder, arguments: &[&str]) -> String {
    String::from_utf8(git(folder, arguments).await).unwrap().trim().to_owned()
}

/// Imports data for a commit of a repository with these ids, and renders the answers before and after changes of files.
async fn answers(format: &str) -> String {
    let folder = Folder::new("//- app/a.py\none = 1\n//- app/sub dir/ä.py\nprint(one)\n//- b.py\none = 2\n");
    git(&folder, &["init", "--quiet", &["--object-format=", format].concat()]).await;
    git(&folder, &["add", "."]).await;
    git(&folder, &["commit", "--quiet", "--message=first"]).await;
    let id = text(&folder, &["rev-parse", "HEAD"]).await;
    // The data describe the commit, whatever the files are at the import.
    folder.write("app/a.py", "# later\none = 1\n");
    let output = git(&folder, &["ls-tree", "-r", "-z", "--full-tree", &id]).await;
    let mut request = folder.request("doc a.py\ndef 1:0-3 a/one.\ndoc sub dir/ä.py\nref 1:6-9 a/one.\ndoc b.py");
    request.folder = folder.root.join("app");
    request.commit = Some(CommitFiles::parse(&id, "app/", &output).unwrap());
    let index = folder.index();
    let mut lines = vec![import(&folder, &index, &request).await];
    lines.push(find(&folder, &index, Definitions, "one").await);
    lines.push(find(&folder, &index, References, "one").await);
    lines.push(status(&folder, &index).await);
    git(&folder, &["checkout", "--quiet", "--", "."]).await;
    lines.push(find(&folder, &index, Definitions, "one").await);
    // Another commit with the same files has the same ids of contents.
    git(&folder, &["commit", "--quiet", "--allow-empty", "--message=second"]).await;
    lines.push(status(&folder, &index).await);
    lines.join("\n").replace(&id[..7], "COMMIT")
}

#[tokio::test]
async fn documents_are_exact_while_their_files_are_those_of_the_commit() {
    let expected = answers("sha1").await;
    assert_snapshot!(expected, @r"
    test 1: 2 documents, 2 exact, 2 occurrences
    1 not in the commit (b.py)
    app/a.py changed (1)
    [test 1 COMMIT: 0 exact, 1 changed]
    app/sub dir/ä.py:1 one = a/one
    [test 1 COMMIT: 1 exact, 0 changed]
    test/app: 2 documents, 1 exact, 1 changed, 0 unchecked; python 2; 0 s
    app/a.py:1 one = a/one definition
    [test 1 COMMIT: 1 exact, 0 changed]
    test/app: 2 documents, 2 exact, 0 changed, 0 unchecked; python 2; 0 s
    ");
    assert_eq!(answers("sha256").await, expected);
}
