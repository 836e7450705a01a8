//! `zubi index push` and `zubi index uses`, with a real PostgreSQL server: one process after the other, killed ones, and
//! answers from the team's data.

use camino::Utf8Path;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::check::Sandbox;
use crate::postgres::PostgresServer;
use crate::stdio::{converse_as, initialize};

/// A git repository in the workspace with the files of the data, and the data outside of it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for part in include_str!("data/python.txt").split("//- ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap();
        sandbox.write(&format!("work/{path}"), text);
    }
    let file = sandbox.path("data.scip");
    zubi_base::fs::write_atomic(Utf8Path::from_path(&file).unwrap(), include_bytes!("data/python.scip")).unwrap();
    git(&sandbox, &["init", "--quiet", "--initial-branch=main"]);
    git(&sandbox, &["remote", "add", "origin", "https://user:hunter2@git.example/team/shapes.git"]);
    commit(&sandbox);
    sandbox
}

#[expect(clippy::disallowed_methods, reason = "a test's fixture")]
fn git(sandbox: &Sandbox, words: &[&str]) {
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
    let mut command = std::process::Command::new("git");
    command.args(identity).args(words).current_dir(sandbox.path("work")).env_clear();
    command.env("PATH", "/usr/bin:/bin").env("HOME", sandbox.path("home"));
    for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
        command.env(name, "2026-01-01T00:00:00Z");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn commit(sandbox: &Sandbox) {
    git(sandbox, &["add", "--all"]);
    git(sandbox, &["commit", "--quiet", "--message=x"]);
}

/// Runs a command with the team's database; replaces the times.
fn check(sandbox: &Sandbox, connection: &str, words: &[&str]) -> String {
    let output = sandbox.show(sandbox.zubi().env("ZUBI_TEAM_INDEX", connection).args(words));
    let lines = output.lines().map(|line| {
        if line.contains(" in [PLACE]/cache/") {
            return "  SIZE in [PLACE]/cache/STORE".to_owned();
        }
        let line =
            line.split_once(", pushed ").map_or(line.to_owned(), |(before, _)| [before, ", pushed TIME"].concat());
        let age = line.split_once(", committed ");
        age.map_or(line.clone(), |(before, _)| [before, ", committed TIME"].concat())
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pushed_commit_answers_in_every_clone() {
    let mut server = PostgresServer::start().await;
    let connection = server.connection("postgres");
    let sandbox = sandbox();
    let run = |words: &[&str]| check(&sandbox, &connection, words);
    assert_snapshot!(run(&["index", "push", "../data.scip"]), @"
    exit 3
    --- stderr
    error: the team index cannot be changed: the database has no tables of zubi; `zubi index push --create-schema` creates them
    ");
    assert_snapshot!(run(&["index", "push", "../data.scip", "--create-schema"]), @"
    exit 0
    --- stdout
    git.example/team/shapes at 1f8400b
      scip-python 0.6.6: 2 documents, 2 exact; 48 occurrences of symbols
    ");
    assert_snapshot!(run(&["index", "push", "../data.scip"]), @"
    exit 0
    --- stdout
    git.example/team/shapes at 1f8400b: the database has these data already
      scip-python 0.6.6: 2 documents, 2 exact; 48 occurrences of symbols
    ");
    assert_snapshot!(run(&["index", "status"]), @"
    exit 0
    --- stdout
    [PLACE]/work
      no index yet: `zubi index build`, or the first request of an agent, makes it
      team index: git.example/team/shapes at 1f8400b by scip-python 0.6.6, pushed TIME
    ");
    assert_snapshot!(run(&["call", "lsp_references", "--at", "shapes.py:18:5"]), @r#"
    exit 0
    --- stdout
    at shapes.py:18:5 total
    4 references to `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:34  LABEL = "Fläche 😀"; print(LABEL, total([Square(2.0), Square(3.0)]))
      4:9  größe = total([]); print("😀", größe)
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [scip 1f8400b · 2 files exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(run(&["index", "uses", "Shape/area"]), @"
    exit 0
    --- stdout
    1 use of `Shape/area` in 1 file
    git.example/team/shapes at 1f8400b, committed TIME
      shapes.py:7  (definition)
      shapes.py:20
    [scip · the newest pushed commit of each repository, not the present files]
    ");
    assert_snapshot!(run(&["index", "uses", "nothing", "--json"]), @r#"
    exit 0
    --- stdout
    {"source":"scip","symbols":[],"documents":[],"hasMore":false}
    "#);

    // A later commit, and a file that is not saved in git.
    sandbox.write("work/app.py", "from shapes import Square, total\n\nprint(total([Square(1.0)]))\n");
    commit(&sandbox);
    assert_snapshot!(run(&["index", "status"]), @"
    exit 0
    --- stdout
    [PLACE]/work
      up to date as of the last host; the next one compares it with the files
      words of 3 files, declarations of 3
      SIZE in [PLACE]/cache/STORE
      team index: git.example/team/shapes at 1f8400b by scip-python 0.6.6, 1 commit before HEAD, pushed TIME
    ");
    assert_snapshot!(run(&["call", "lsp_references", "--at", "shapes.py:10:7"]), @"
    exit 0
    --- stdout
    at shapes.py:10:7 Square
    3 word matches of `Square` in 2 files
    app.py
      1:20  from shapes import Square, total
      3:14  print(total([Square(1.0)]))
    shapes.py
      10:7  class Square(Shape):  (declaration)
    [text search: names only · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    ");
    assert_snapshot!(run(&["call", "lsp_definition", "--at", "app.py:3:7"]), @"
    exit 0
    --- stdout
    at app.py:3:7 total
    1 definition of `total`
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:
    [scip 1f8400b · 1 file exact · `app.py` has changed since the import: this is the only `total` of the data in it · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    ");

    // The answer of the files, while the server is away.
    server.stop().await;
    assert_snapshot!(run(&["call", "lsp_references", "--at", "shapes.py:18:5"]), @"
    exit 0
    --- stdout
    at shapes.py:18:5 total
    3 word matches of `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:7  print(total([Square(1.0)]))
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [text search: names only · team index unreachable: no connection to the server: its socket does not exist · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    ");
    assert_snapshot!(run(&["index", "uses", "Shape/area"]), @"
    exit 3
    --- stderr
    error: no connection to the server: its socket does not exist
    ");
    assert_snapshot!(run(&["index", "status"]), @"
    exit 0
    --- stdout
    [PLACE]/work
      up to date as of the last host; the next one compares it with the files
      words of 3 files, declarations of 3
      SIZE in [PLACE]/cache/STORE
      team index: no connection to the server: its socket does not exist
    ");
    server.start_again().await;
    assert_snapshot!(run(&["index", "uses", "Shape/area", "--limit", "1"]), @"
    exit 0
    --- stdout
    1 use of `Shape/area` in 1 file
    git.example/team/shapes at 1f8400b, committed TIME
      shapes.py:7  (definition)
      shapes.py:20
    [scip · the newest pushed commit of each repository, not the present files]
    ");
    server.stop().await;
}

/// Lists the tools and calls `team_uses` over MCP, all in one process. Returns the list and the texts.
fn call_over_mcp(sandbox: &Sandbox, connection: &str, calls: &[Value]) -> (Value, Vec<String>) {
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let calls = calls.iter().zip(3..).map(|(arguments, id)| {
        let params = json!({"name": "team_uses", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    });
    let messages: Vec<Value> = [initialize(), list].into_iter().chain(calls).collect();
    let mut lines = converse_as(sandbox.zubi().env("ZUBI_TEAM_INDEX", connection), &messages);
    lines.sort_by_key(|line| line["id"].as_u64());
    let text = |line: &Value| {
        let result = &line["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let age = text.split_once(", committed ").and_then(|(_, rest)| rest.split_once(" ago")).map(|(age, _)| age);
        let text = age.map_or(text.to_owned(), |age| text.replace(&format!("committed {age} ago"), "committed TIME"));
        if result["isError"] == true { format!("error: {text}") } else { text }
    };
    (lines[1]["result"]["tools"].clone(), lines[2..].iter().map(text).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_finds_the_uses_in_all_repositories() {
    let mut server = PostgresServer::start().await;
    let connection = server.connection("postgres");
    let sandbox = sandbox();
    for repository in ["git.example/team/shapes", "git.example/team/zoo"] {
        let push = ["index", "push", "../data.scip", "--create-schema", "--repository", repository];
        let pushed = check(&sandbox, &connection, &push);
        assert!(pushed.starts_with("exit 0"), "{pushed}");
    }
    let (tools, texts) = call_over_mcp(
        &sandbox,
        &connection,
        &[
            json!({"symbol": "Shape/area"}),
            json!({"symbol": "total", "limit": 2}),
            json!({"symbol": "total", "limit": 2, "cursor": "2", "repository": "git.example/team/shapes"}),
            json!({"symbol": "total", "maxTokens": 100}),
            json!({"symbol": "nothing"}),
            json!({"symbol": "total", "cursor": "x"}),
        ],
    );
    assert_snapshot!(texts.join("\n\n"), @r#"
    2 uses of `Shape/area` in 2 files
    git.example/team/shapes at 1f8400b, committed TIME
      shapes.py:7  (definition)
      shapes.py:20
    git.example/team/zoo at 1f8400b, committed TIME
      shapes.py:7  (definition)
      shapes.py:20
    [scip · the newest pushed commit of each repository, not the present files]

    2 uses of `total` in 1 file
    git.example/team/shapes at 1f8400b, committed TIME
      app.py:1
      app.py:3
    [scip · the newest pushed commit of each repository, not the present files · more are left out: pass cursor "2", or repository]

    1 more use of `total` in 2 files
    git.example/team/shapes at 1f8400b, committed TIME
      app.py:4
      shapes.py:18  (definition)
    [scip · the newest pushed commit of each repository, not the present files]

    6 uses of `total` in 4 files
    git.example/team/shapes at 1f8400b, committed TIME
      app.py:1
      app.py:3
      app.py:4
      shapes.py:18  (definition)
    git.example/team/zoo at 1f8400b, committed TIME
      app.py:1
      app.py:3
      app.py:4
      shapes.py:18  (definition)
    [scip · the newest pushed commit of each repository, not the present files]

    the data have no use of `nothing`
    [scip · the newest pushed commit of each repository, not the present files · the symbol is not in them, which does not prove that it has no uses]

    error: Invalid input: cursor: not a cursor
    Pass the cursor from the cut answer, or omit it.
    "#);
    let find = |tools: &Value| tools.as_array().unwrap().iter().find(|tool| tool["name"] == "team_uses").cloned();
    let tool = find(&tools).unwrap();
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_snapshot!(tool["inputSchema"], @r#"{"type":"object","properties":{"symbol":{"type":"string","description":"A name, Type/method, or a whole SCIP symbol","minLength":1},"repository":{"type":"string","description":"Only this one: host/path, as in an answer"}},"required":["symbol"]}"#);

    // The data are those of the command.
    let json = |words: &[&str]| -> Value {
        let output = sandbox.zubi().env("ZUBI_TEAM_INDEX", &connection).args(words).output().unwrap();
        let mut data: Value = serde_json::from_slice(&output.stdout).unwrap();
        for document in data["documents"].as_array_mut().unwrap() {
            document["commitAgeSeconds"] = Value::Null;
        }
        data
    };
    let mut called = json(&["call", "team_uses", "--symbol", "total", "--json"]);
    assert_eq!(called.as_object_mut().unwrap().remove("cursor"), Some(Value::Null));
    assert_eq!(called, json(&["index", "uses", "total", "--json"]));

    // Without a server, and without a team's index.
    server.stop().await;
    let (with_team, texts) = call_over_mcp(&sandbox, &connection, &[json!({"symbol": "total"})]);
    assert_eq!(find(&with_team), Some(tool));
    assert_snapshot!(texts.join("\n"), @"
    error: Failed to search the team's repositories: team index unreachable: no connection to the server: its socket does not exist
    Call team_uses again later; `zubi index status` shows the state of the team's index. lsp_references searches this workspace without it.
    ");
    let (without_team, texts) = call_over_mcp(&sandbox, "", &[json!({"symbol": "total"})]);
    let mut others = with_team;
    others.as_array_mut().unwrap().retain(|tool| tool["name"] != "team_uses");
    assert_eq!(without_team, others);
    assert_eq!(texts, [""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_push_leaves_nothing() {
    let mut server = PostgresServer::start().await;
    let connection = server.connection("postgres");
    let sandbox = sandbox();
    let push = ["index", "push", "../data.scip", "--create-schema", "--repository", "git.example/other"];
    let first = check(&sandbox, &connection, &push);
    assert!(first.starts_with("exit 0"), "{first}");
    let mut session = server.session("postgres");
    session.run("BEGIN").await;
    session.run("LOCK TABLE zubi.document IN ACCESS EXCLUSIVE MODE").await;
    let mut process = sandbox.process();
    process.args(["index", "push", "../data.scip"]).env("ZUBI_TEAM_INDEX", &connection);
    let mut process = process.spawn().unwrap();
    // All but its last rows are written.
    server.wait_for_log("still waiting for RowExclusiveLock").await;
    process.kill().unwrap();
    process.wait().unwrap();
    session.run("COMMIT").await;
    server.wait_for_log("connection to client lost").await;
    assert_eq!(server.admin("SELECT r.name, s.repository IS NULL FROM zubi.repository r LEFT JOIN zubi.snapshot s ON s.repository = r.id").await, "git.example/other|f");
    let again = check(&sandbox, &connection, &["index", "push", "../data.scip"]);
    assert!(again.starts_with("exit 0") && !again.contains("already"), "{again}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_connection_string_is_the_users_and_never_shown() {
    let mut server = PostgresServer::start().await;
    let sandbox = sandbox();
    let call = ["call", "lsp_references", "--at", "shapes.py:18:5"];
    let mut outputs = String::new();
    for connection in [
        "host=127.0.0.1 port=9 user=hunter2 password=hunter2 dbname=hunter2",
        "postgresql://hunter2:hunter2@127.0.0.1:9/hunter2?sslmode=require",
        "hunter2",
        "host=/hunter2 hunter2=1",
    ] {
        for words in [&["index", "push", "../data.scip"][..], &["index", "uses", "total"], &["index", "status"], &call]
        {
            let mut command = sandbox.zubi();
            command.args(words).env("ZUBI_TEAM_INDEX", connection).env("ZUBI_LOG", "trace");
            outputs.push_str(&sandbox.show(&mut command));
        }
    }
    assert!(outputs.contains("team index") && !outputs.contains("hunter2"), "{outputs}");

    // The setting of the user's file, and of a file that it names.
    let connection = server.connection("postgres");
    sandbox.write("config/zubi/zubi.toml", "team-index = { file = 'team' }\n");
    sandbox.write("config/zubi/team", &format!("{connection} password=hunter2\n"));
    let push = ["index", "push", "../data.scip", "--create-schema"];
    assert_snapshot!(sandbox.check(&push), @"
    exit 2
    --- stderr
    error: the setting `team-index` cannot be used: `[PLACE]/config/zubi/team` is open to others (mode 644); make it yours alone: `chmod 600 [PLACE]/config/zubi/team`
    ");
    sandbox.private("config/zubi/team");
    let pushed = sandbox.check(&push);
    assert!(pushed.starts_with("exit 0"), "{pushed}");
    // A workspace can neither choose a server nor a file.
    sandbox.write("config/zubi/zubi.toml", "");
    sandbox.write("work/.zubi.toml", &format!("team-index = \"{connection}\"\n"));
    sandbox.trust();
    assert_snapshot!(sandbox.check(&push), @"
    exit 2
    --- stderr
    warning: `team-index` in `[PLACE]/work/.zubi.toml` has no effect: it belongs in your own zubi.toml
    error: no team index is configured; set `ZUBI_TEAM_INDEX`, or `team-index` in your own zubi.toml
    ");
    server.stop().await;
}
