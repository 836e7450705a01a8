//! Roles: a reader sees its repositories and changes nothing; a writer writes to its own.

use insta::assert_snapshot;
use zubi_code::exact_index::ExactRole::References;
use zubi_code::symbol_uses::UseQuery;

use super::super::TeamIndexError;
use super::{TeamFolder, database, server};
use crate::scip::ScipImportError;
use crate::scip::tests::{Folder, find};

const ROLES: &str = "
CREATE ROLE reader LOGIN IN ROLE zubi_reader; CREATE ROLE everyone LOGIN IN ROLE zubi_reader;
CREATE ROLE writer LOGIN IN ROLE zubi_writer; CREATE ROLE group_a NOLOGIN; CREATE ROLE member LOGIN IN ROLE zubi_reader, group_a;
CREATE ROLE newcomer LOGIN IN ROLE zubi_reader; CREATE ROLE outsider LOGIN;
INSERT INTO zubi.access VALUES ('reader', 'a', false), ('everyone', '*', false), ('writer', 'b', true),
    ('writer', 'c', false), ('group_a', 'a', false)";

#[tokio::test]
async fn a_role_sees_only_its_repositories() {
    let (mut server, admin) = server().await;
    server.admin(ROLES).await;
    let folder = Folder::new("//- a.py\nold = new\n");
    let import = folder.request("doc a.py\ndef 1:0-3 a/old.\nref 1:6-9 b/new.\na/old. implements b/new.");
    for repository in ["a", "b"] {
        TeamFolder::new(&admin, &folder.root, repository).push(&import).await.unwrap();
    }
    let mut lines = Vec::new();
    for role in ["reader", "member", "everyone", "writer", "newcomer", "outsider"] {
        let database = database(&server, role);
        for repository in ["a", "b"] {
            let team = TeamFolder::new(&database, &folder.root, repository);
            let found = find(&folder, &team, References, "new").await;
            lines.push(format!("{role} {repository}: {}", found.lines().next().unwrap()));
        }
        let query = UseQuery { symbol: "new".to_owned(), repository: None, start: 0, limit: 10 };
        let uses = database.find_uses(&query).await.unwrap_or_default();
        let repositories: Vec<_> = uses.documents.iter().map(|document| document.repository.as_str()).collect();
        lines.push(format!("{role} uses: {} symbols in {repositories:?}", uses.symbols.len()));
    }
    assert_snapshot!(lines.join("\n"), @r#"
    reader a: a.py:1 new = b/new
    reader b: no exact data of this folder are imported; `zubi index import FILE` imports a SCIP file
    reader uses: 1 symbols in ["a"]
    member a: a.py:1 new = b/new
    member b: no exact data of this folder are imported; `zubi index import FILE` imports a SCIP file
    member uses: 1 symbols in ["a"]
    everyone a: a.py:1 new = b/new
    everyone b: a.py:1 new = b/new
    everyone uses: 1 symbols in ["a", "b"]
    writer a: no exact data of this folder are imported; `zubi index import FILE` imports a SCIP file
    writer b: a.py:1 new = b/new
    writer uses: 1 symbols in ["b"]
    newcomer a: no exact data of this folder are imported; `zubi index import FILE` imports a SCIP file
    newcomer b: no exact data of this folder are imported; `zubi index import FILE` imports a SCIP file
    newcomer uses: 0 symbols in []
    outsider a: team index unusable: the role of the connection may not do this; an administrator grants `zubi_reader` or `zubi_writer` and adds a row to `zubi.access`
    outsider b: team index unusable: the role of the connection may not do this; an administrator grants `zubi_reader` or `zubi_writer` and adds a row to `zubi.access`
    outsider uses: 0 symbols in []
    "#);

    // Nor with SQL of their own.
    let counts = ["repository", "snapshot", "blob", "document", "moniker", "moniker_blob", "relation", "access"]
        .map(|table| format!("(SELECT count(*) FROM zubi.{table})"))
        .join(", ");
    for (role, expected) in [
        ("reader", "1|1|1|1|2|2|1|1"),
        ("everyone", "2|2|2|2|4|4|2|1"),
        ("newcomer", "0|0|0|0|0|0|0|0"),
        ("writer", "1|1|1|1|2|2|1|2"),
    ] {
        assert_eq!(server.sql(role, &format!("SELECT {counts}")).await.as_deref(), Ok(expected), "{role}");
    }
    server.stop().await;
}

#[tokio::test]
async fn only_a_writer_writes_and_only_to_its_repositories() {
    let (mut server, admin) = server().await;
    server.admin(ROLES).await;
    let folder = Folder::new("//- a.py\nold = new\n");
    let import = folder.request("doc a.py\ndef 1:0-3 a/old.\nref 1:6-9 b/new.");
    TeamFolder::new(&admin, &folder.root, "a").push(&import).await.unwrap();
    let writer = database(&server, "writer");
    assert!(TeamFolder::new(&writer, &folder.root, "b").push(&import).await.unwrap().is_new);
    let import = folder.request("doc a.py\ndef 1:0-3 a/other.");
    for (role, repository) in [
        ("reader", "a"),
        ("everyone", "new"),
        ("newcomer", "a"),
        ("outsider", "a"),
        ("writer", "a"),
        ("writer", "c"),
        ("writer", "new"),
    ] {
        let database = database(&server, role);
        let pushed = TeamFolder::new(&database, &folder.root, repository).push(&import).await;
        assert!(
            matches!(pushed, Err(ScipImportError::Team(TeamIndexError::Forbidden))),
            "{role} {repository}: {pushed:?}"
        );
    }
    for (role, sql) in [
        ("reader", "DELETE FROM zubi.snapshot"),
        ("reader", "INSERT INTO zubi.access VALUES ('reader', '*', true)"),
        ("reader", "UPDATE zubi.version SET version = 2"),
        ("reader", "CREATE TABLE zubi.own ()"),
        ("writer", "INSERT INTO zubi.access VALUES ('writer', '*', true)"),
        ("writer", "UPDATE zubi.repository SET name = 'b2' WHERE name = 'b'"),
        ("writer", "INSERT INTO zubi.moniker (id, repository, text) SELECT 1, 1, 'x'"),
    ] {
        let error = server.sql(role, sql).await.unwrap_err();
        assert!(error.contains("permission denied") || error.contains("row-level security"), "{role} {sql}: {error}");
    }
    // Rows that a writer does not see are not there.
    server.sql("writer", "DELETE FROM zubi.snapshot; DELETE FROM zubi.blob").await.unwrap();
    let rest = server.admin("SELECT r.name, (SELECT count(*) FROM zubi.snapshot s WHERE s.repository = r.id) FROM zubi.repository r ORDER BY 1").await;
    assert_snapshot!(rest, @r"
    a|1
    b|0
    ");
    server.stop().await;
}
