//! Servers that stop, locks, other tables, and rows that no push writes.

use insta::assert_snapshot;
use zubi_code::exact_index::ExactRole::{Definitions, References};
use zubi_code::symbol_uses::{SymbolUses, UseQuery};

use super::super::{TeamDatabase, TeamIndexError};
use super::{PostgresServer, TeamFolder, database, server};
use crate::scip::tests::{Folder, find};

const DATA: &str = "doc a.py\ndef 1:0-3 a/old.\nref 1:6-9 b/new.";

#[tokio::test]
async fn a_server_that_restarts_is_used_again() {
    let (mut server, database) = server().await;
    let folder = Folder::new("//- a.py\nold = new\n");
    let team = TeamFolder::new(&database, &folder.root, "a");
    team.push(&folder.request(DATA)).await.unwrap();
    let before = find(&folder, &team, References, "new").await;
    assert_snapshot!(before, @"
    a.py:1 new = b/new
    [test 1 no commit: 1 exact, 0 changed]
    ");
    for _ in 0..2 {
        server.stop().await;
        let error = find(&folder, &team, References, "new").await;
        assert_eq!(error, "team index unreachable: no connection to the server: its socket does not exist");
        server.start_again().await;
        assert_eq!(find(&folder, &team, References, "new").await, before);
    }
    // An administrator ends the connections of a running server.
    server.admin("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'zubi'").await;
    assert_eq!(find(&folder, &team, References, "new").await, before);
    server.stop().await;
}

#[tokio::test]
async fn a_lock_ends_the_question_in_time() {
    let (mut server, database) = server().await;
    let folder = Folder::new("//- a.py\nold = new\n");
    let team = TeamFolder::new(&database, &folder.root, "a");
    team.push(&folder.request(DATA)).await.unwrap();
    let before = find(&folder, &team, References, "new").await;
    let mut session = server.session("postgres");
    session.run("BEGIN").await;
    session.run("LOCK TABLE zubi.snapshot IN ACCESS EXCLUSIVE MODE").await;
    assert_snapshot!(find(&folder, &team, References, "new").await, @"team index unreachable: another connection locks the data, such as a push to this repository; try again when it has finished");
    session.run("COMMIT").await;
    assert_eq!(find(&folder, &team, References, "new").await, before);
    // A push does not disturb readers.
    session.run("BEGIN").await;
    session.run("SELECT pg_advisory_xact_lock(x'7a756269'::int, 1)").await;
    session.run("DELETE FROM zubi.snapshot").await;
    assert_eq!(find(&folder, &team, References, "new").await, before);
    session.run("ROLLBACK").await;
    server.stop().await;
}

#[tokio::test]
async fn other_tables_and_unknown_databases_are_named() {
    let mut server = PostgresServer::start().await;
    let folder = Folder::new("//- a.py\nold = new\n");
    let database = database(&server, "postgres");
    let team = TeamFolder::new(&database, &folder.root, "a");
    let mut errors = vec![find(&folder, &team, References, "new").await];
    let import = folder.request(DATA);
    let mut request = team.push_request(&import);
    request.creates_schema = false;
    errors.push(super::push(&database, &request).await.unwrap_err().to_string());
    request.creates_schema = true;
    assert!(super::push(&database, &request).await.unwrap().is_new);
    assert!(!super::push(&database, &request).await.unwrap().is_new);
    server.admin("UPDATE zubi.version SET version = 7").await;
    errors.push(find(&folder, &team, References, "new").await);
    errors.push(super::push(&database, &request).await.unwrap_err().to_string());
    let connection = server.connection("postgres");
    for connection in [
        connection.replace("dbname=postgres", "dbname=hunter2"),
        connection.replace("user=postgres", "user=hunter2"),
        connection.replace("host=", "host=/hunter2"),
        "host=127.0.0.1 port=9 user=hunter2 password=hunter2".to_owned(),
        "postgresql://hunter2:hunter2@hunter2.invalid/hunter2".to_owned(),
    ] {
        let database = TeamDatabase::new(&connection, "the test").unwrap();
        let query = UseQuery { symbol: "new".to_owned(), repository: None, start: 0, limit: 10 };
        errors.push(database.find_uses(&query).await.unwrap_err().to_string());
    }
    assert_snapshot!(errors.join("\n"), @"
    team index unusable: the database has no tables of zubi; `zubi index push --create-schema` creates them
    the team index cannot be changed: the database has no tables of zubi; `zubi index push --create-schema` creates them
    team index unusable: the tables are those of version 7, and this zubi needs version 1
    the team index cannot be changed: the tables are those of version 7, and this zubi needs version 1
    the server has no such database
    the server refuses the user or the password of the connection string
    no connection to the server: its socket does not exist
    no connection to the server: connection refused
    no connection to the server: its host is unknown, or there is no network
    ");
    server.stop().await;
}

#[tokio::test]
async fn rows_that_no_push_writes_are_refused() {
    let (mut server, database) = server().await;
    let folder = Folder::new("//- a.py\nold = new\n");
    folder.write("../secret.py", "old = new\n");
    let team = TeamFolder::new(&database, &folder.root, "a");
    team.push(&folder.request(DATA)).await.unwrap();
    let query = UseQuery { symbol: "old".to_owned(), repository: None, start: 0, limit: 10 };
    let mut lines = Vec::new();
    for (change, revert) in [
        ("UPDATE zubi.document SET path = '../secret.py'", "UPDATE zubi.document SET path = 'a.py'"),
        ("UPDATE zubi.document SET path = '/etc/passwd'", "UPDATE zubi.document SET path = 'a.py'"),
        ("UPDATE zubi.document SET path = 'a' || chr(27) || '[2J'", "UPDATE zubi.document SET path = 'a.py'"),
        ("UPDATE zubi.blob SET unit = -1", "UPDATE zubi.blob SET unit = 0"),
        ("UPDATE zubi.snapshot SET folder = '../..'", "UPDATE zubi.snapshot SET folder = ''"),
        (
            "UPDATE zubi.moniker SET text = 'test . p 1 a/other.' WHERE name = 'old'",
            "UPDATE zubi.moniker SET text = 'test . p 1 a/old.' WHERE name = 'old'",
        ),
        ("UPDATE zubi.moniker_blob SET n = -5", "UPDATE zubi.moniker_blob SET n = 1"),
        ("UPDATE zubi.blob SET occurrences = substr(occurrences, 1, 7)", ""),
    ] {
        server.admin(change).await;
        lines.push(change.chars().take(50).collect::<String>());
        lines.push(find(&folder, &team, Definitions, "old").await);
        lines.push(match database.find_uses(&query).await {
            Ok(uses) => format!("{} documents", uses.documents.len()),
            Err(error) => error.to_string(),
        });
        if !revert.is_empty() {
            server.admin(revert).await;
        }
    }
    assert_snapshot!(lines.join("\n"), @"
    UPDATE zubi.document SET path = '../secret.py'
    team index unusable: the data are damaged: a document has an invalid path
    the data are damaged: a document is invalid
    UPDATE zubi.document SET path = '/etc/passwd'
    team index unusable: the data are damaged: a document has an invalid path
    the data are damaged: a document is invalid
    UPDATE zubi.document SET path = 'a' || chr(27) || 
    team index unusable: the data are damaged: a document has an invalid path
    the data are damaged: a document is invalid
    UPDATE zubi.blob SET unit = -1
    team index unusable: the data are damaged: a number is out of its range
    1 documents
    UPDATE zubi.snapshot SET folder = '../..'
    team index unusable: the data are damaged: a snapshot has an invalid folder
    1 documents
    UPDATE zubi.moniker SET text = 'test . p 1 a/other
    team index unusable: the data are damaged: a symbol has the id of another one
    0 documents
    UPDATE zubi.moniker_blob SET n = -5
    team index unusable: the data are damaged: a number is out of its range
    1 documents
    UPDATE zubi.blob SET occurrences = substr(occurren
    store: `a.py` is damaged: it ends inside a value
    the data are damaged: a document is invalid
    ");
    assert_eq!(
        database.find_uses(&UseQuery { symbol: "a\0".to_owned(), ..query }).await.unwrap(),
        SymbolUses::default()
    );
    assert!(matches!(TeamDatabase::new("x", "`team-index`").unwrap_err(), TeamIndexError::ConnectionString(_)));
    server.stop().await;
}
