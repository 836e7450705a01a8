//! Pushes: once per commit and data, whatever happens to their process.

use insta::assert_snapshot;
use tokio_util::sync::CancellationToken;
use zubi_base::text::DiskText;
use zubi_code::exact_index::ExactRole::{Definitions, References};

use super::postgres::PostgresServer;
use super::{NOW, TeamFolder, database, push, server};
use crate::scip::ScipImportError;
use crate::scip::tests::{Folder, commit, find};

const FILES: &str = "//- a.py\nold = new\n";

/// Renders the number of rows of each table.
async fn rows(server: &PostgresServer) -> String {
    let tables = ["snapshot", "document", "blob", "moniker", "moniker_blob", "relation"];
    let counts: Vec<String> = tables.iter().map(|table| format!("(SELECT count(*) FROM zubi.{table})")).collect();
    let counts = server.admin(&format!("SELECT {}", counts.join(", "))).await;
    tables.iter().zip(counts.split('|')).map(|(table, count)| format!("{count} {table}")).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn a_commit_has_one_snapshot_of_the_same_data() {
    let (mut server, database) = server().await;
    let folder = Folder::new(FILES);
    let team = TeamFolder::new(&database, &folder.root, "git.example/a");
    let mut import = folder.request("doc a.py\ndef 1:0-3 a/old.\nref 1:6-9 b/new.\na/old. implements b/new.");
    import.commit = Some(commit(&[("a.py", "old = new\n")]));
    let first = team.push(&import).await.unwrap();
    assert_eq!((first.is_new, first.removed, first.import.documents), (true, 0, 1));
    let all = rows(&server).await;
    assert_snapshot!(all, @"1 snapshot, 1 document, 1 blob, 2 moniker, 2 moniker_blob, 1 relation");
    let again = team.push(&import).await.unwrap();
    assert_eq!((again.is_new, again.removed, again.import), (false, 0, first.import));
    assert_eq!(rows(&server).await, all);

    // Another commit with the same files shares their data.
    let mut request = team.push_request(&import);
    request.import.commit = Some(
        crate::scip::CommitFiles::parse(
            &"cd".repeat(20),
            "",
            format!("100644 blob {:?}\ta.py\0", crate::scip::BlobId::from_bytes(b"old = new\n")).as_bytes(),
        )
        .unwrap(),
    );
    request.committed_at = 600;
    push(&database, &request).await.unwrap();
    assert_snapshot!(rows(&server).await, @"2 snapshot, 2 document, 1 blob, 2 moniker, 2 moniker_blob, 1 relation");
    assert_snapshot!(server.admin("SELECT left(commit_id, 2), is_newest FROM zubi.snapshot ORDER BY id").await, @"
    ab|f
    cd|t
    ");

    // Other data of a commit replace those of the earlier push.
    let mut import = folder.request("tool test 2\ndoc a.py\ndef 1:0-3 a/other.");
    import.commit = Some(commit(&[("a.py", "old = new\n")]));
    let replaced = team.push(&import).await.unwrap();
    assert_eq!((replaced.is_new, replaced.removed), (true, 1));
    assert_snapshot!(rows(&server).await, @"2 snapshot, 2 document, 2 blob, 3 moniker, 3 moniker_blob, 1 relation");
    assert_snapshot!(server.admin("SELECT left(commit_id, 2), is_newest FROM zubi.snapshot ORDER BY committed_at").await, @"
    ab|f
    cd|t
    ");

    // Beyond the number of snapshots, the oldest commit goes with the data that only it has.
    request.snapshots = 1;
    request.committed_at = 700;
    request.import = folder.request("doc a.py\nref 1:6-9 b/new.");
    request.import.commit = Some(commit(&[("a.py", "old = new\n")]));
    let report = push(&database, &request).await.unwrap();
    assert_eq!((report.is_new, report.removed), (true, 2));
    assert_snapshot!(rows(&server).await, @"1 snapshot, 1 document, 1 blob, 1 moniker, 1 moniker_blob, 0 relation");
    assert_snapshot!(find(&folder, &team, References, "new").await, @"
    a.py:1 new = b/new
    [test 1 abababa: 1 exact, 0 changed]
    ");
    server.stop().await;
}

#[tokio::test]
async fn two_pushes_at_once_leave_one_snapshot() {
    let (mut server, one) = server().await;
    let folder = Folder::new(FILES);
    let import = folder.request("doc a.py\ndef 1:0-3 a/old.\nref 1:6-9 b/new.");
    let other = database(&server, "postgres");
    let folders = [TeamFolder::new(&one, &folder.root, "a"), TeamFolder::new(&other, &folder.root, "a")];
    let (first, second) = tokio::join!(folders[0].push(&import), folders[1].push(&import));
    let mut new = [first.unwrap().is_new, second.unwrap().is_new];
    new.sort_unstable();
    assert_eq!(new, [false, true]);
    assert_snapshot!(rows(&server).await, @"1 snapshot, 1 document, 1 blob, 2 moniker, 2 moniker_blob, 0 relation");
    server.stop().await;
}

#[tokio::test]
async fn a_push_that_fails_or_is_cancelled_leaves_nothing() {
    let (mut server, database) = server().await;
    let folder = Folder::new(FILES);
    let team = TeamFolder::new(&database, &folder.root, "a");
    let nothing = rows(&server).await;
    let import = folder.request("doc a.py\ndef 1:0-3 a/old.");
    let bytes = std::fs::read(&import.file).unwrap();
    folder.request_of_bytes(&bytes[..bytes.len() - 1]);
    assert!(matches!(team.push(&import).await, Err(ScipImportError::Malformed { .. })));
    assert_eq!(rows(&server).await, nothing);
    folder.request_of_bytes(&bytes);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let request = team.push_request(&import);
    let cancelled = database.push(&request, NOW, &DiskText, &cancel, &|_| {}).await;
    assert!(matches!(cancelled, Err(ScipImportError::Cancelled)), "{cancelled:?}");
    // A caller that is gone, while its push waits for a lock.
    let mut session = server.session("postgres");
    session.run("BEGIN").await;
    session.run("LOCK TABLE zubi.document IN ACCESS EXCLUSIVE MODE").await;
    let pushing = team.push(&import);
    tokio::select! {
        pushed = pushing => panic!("{pushed:?}"),
        () = server.wait_for_log("still waiting for RowExclusiveLock") => {}
    }
    session.run("COMMIT").await;
    assert_eq!(rows(&server).await, nothing);
    for repository in ["", "a*", "a\nb"] {
        let request = super::PushRequest { repository: repository.to_owned(), ..request.clone() };
        let refused = push(&database, &request).await;
        assert!(matches!(refused, Err(ScipImportError::Repository(_))), "{refused:?}");
    }
    team.push(&import).await.unwrap();
    assert_snapshot!(find(&folder, &team, Definitions, "old").await, @"
    a.py:1 old = a/old definition
    [test 1 no commit: 1 exact, 0 changed]
    ");
    server.stop().await;
}

#[tokio::test]
async fn odd_symbols_are_pushed_or_left_out() {
    let (mut server, database) = server().await;
    let folder = Folder::new(FILES);
    let team = TeamFolder::new(&database, &folder.root, "a");
    let long = "x".repeat(3_000);
    let data = format!("doc a.py\ndef 1:0-3 {long}.\nref 1:0-3 `a\0b`.\nref 1:6-9 `quote'\"\\`.");
    let mut import = folder.request(&data);
    import.commit = Some(commit(&[("a.py", "old = new\n")]));
    let report = team.push(&import).await.unwrap();
    assert_eq!((report.import.occurrences, report.import.invalid), (2, 1));
    assert_snapshot!(find(&folder, &team, Definitions, &long).await, @"0 symbols, no documents");
    assert_snapshot!(find(&folder, &team, Definitions, "a\0b").await, @"0 symbols, no documents");
    let found = find(&folder, &team, Definitions, "a.py:1:old").await;
    assert!(found.starts_with("a.py:1 old = xxx"), "{found}");
    server.stop().await;
}
