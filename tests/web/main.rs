//! The chat page of the real `zubi web`, in a real Chromium, with a model server that follows a script.
//!
//! The cases are in `editors/vscode/tests/web`, because the packages that drive Chromium are the extension's. This test
//! provides a project, a `zubi` and a model, and compares the results.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, also in a helper; files and programs are those of a user"
)]

use std::process::Command;

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::models::{self, Dialect, End, Expect, ScriptedReply, Server, Turn};
use zubi_tests::{Project, tools, zubi};

/// The deadline of a group of cases on a small machine, in seconds.
const DEADLINE_SECONDS: u32 = 150;
const KEY: &str = "a-key-that-opens-nothing";

/// A shop with a catalogue, and some files to read.
fn project() -> Project {
    let project = Project::empty();
    project.write("catalogue.md", "# Catalogue\n\n- tea\n- milk\n");
    for name in ["prices", "opening", "staff", "suppliers", "returns", "history"] {
        project.write(&format!("{name}.md"), &format!("# About {name}\n"));
    }
    project
}

/// Runs a group of cases; returns one line per case, with its details below.
fn run(group: &str, project: &Project, server: &Server) -> String {
    let home = project.home();
    let environment: Vec<(String, String)> = zubi::environment(project, &["node"])
        .into_iter()
        .chain([("SCRIPTED_KEY".to_owned(), KEY.to_owned())])
        .collect();
    let configuration = home.join("config/zubi/zubi.toml");
    std::fs::create_dir_all(configuration.parent().expect("it has one")).expect("a new directory");
    std::fs::write(&configuration, models::configuration(Dialect::OpenAiChat, server)).expect("a new file");
    let config = home.join("web.json");
    let fields = json!({
        "chromium": tools::program("chromium", "chromium"),
        "program": tools::zubi(),
        "flags": ["--host", "own", "--trust", "--model", format!("scripted/{}", models::MODEL)],
        "group": group,
        "shots": tools::ROOT.join("target/screenshots"),
        "deadline": DEADLINE_SECONDS,
    });
    std::fs::write(&config, fields.to_string()).expect("a new file");
    assert!(tools::directory("vscode-extension").is_dir(), "run `cargo xtask setup --only vscode-extension`");
    let outcome = Command::new(tools::program("node", "node"))
        .arg(tools::ROOT.join("editors/vscode/tests/web/host.ts"))
        .arg(&config)
        .current_dir(project.root())
        .env_clear()
        .envs(environment)
        .output()
        .expect("node starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&outcome.stdout), String::from_utf8_lossy(&outcome.stderr));
    assert!(outcome.status.success(), "{}\n{stdout}\n{stderr}", outcome.status);
    let stdout = stdout.replace("landlock+seccomp: ", "LEVEL: ").replace("bubblewrap: ", "LEVEL: ");
    stdout.replace(", sees no other process", "").replace(project.root().as_str(), "PROJECT")
}

fn read(path: &str) -> serde_json::Value {
    json!({ "path": path })
}

/// The model's first answer, which reads more files than a group shows at once.
fn file_reads_reply() -> ScriptedReply {
    let reply = ScriptedReply::text("I look at the files first.").with_reasoning("The person wants cake.", None);
    let files = ["catalogue", "prices", "opening", "staff", "suppliers", "returns", "history"];
    files.iter().fold(reply, |reply, name| reply.call("file_read", read(&format!("{name}.md"))))
}

#[test]
fn a_complete_task() {
    let project = project();
    let edit = json!({ "path": "catalogue.md", "old": "- tea\n", "new": "- tea\n- cake\n" });
    let server = Server::start(
        Dialect::OpenAiChat,
        KEY,
        vec![
            Turn::reply(file_reads_reply().usage(1200, 80, 0)),
            Turn::reply(ScriptedReply::default().call("file_edit", edit).usage(1500, 40, 1200)),
            Turn::reply(ScriptedReply::default().call("shell_run", json!({ "command": "zgrep -c tea catalogue.md" }))),
            Turn::reply(ScriptedReply::default().call("shell_run", json!({ "command": "zgrep -c cake catalogue.md" }))),
            Turn::reply(ScriptedReply::text("**Done**: cake is in the catalogue.").usage(1700, 20, 1500)),
            Turn::reply(ScriptedReply::text("Once upon a time there was a shop.")).cut_after("time").end(End::Stall),
            Turn::reply(ScriptedReply::text("They lived happily."))
                .expect(Expect::Contains("/messages", "Go on.".to_owned())),
            Turn::reply(ScriptedReply::default().call("shell_run", json!({ "command": "zgrep -c . catalogue.md" }))),
            Turn::reply(ScriptedReply::text("It says three.")),
            Turn::reply(ScriptedReply::default().call("shell_run", json!({ "command": "rm -r *" }))),
            Turn::reply(ScriptedReply::text("I keep the tea."))
                .expect(Expect::Outcome("Never that."))
                .expect(Expect::Contains("/messages", "But keep the tea.".to_owned())),
        ],
    );
    assert_snapshot!(run("task", &project, &server), @r#"
    ok      the answer streams in, thoughts are collapsed, and read-only calls are grouped
    ok      a diff marks the changes with labels as well as colours
    ok      the approval prompt for a command shows all its effects
    - 'form "Allow this call? Run a command: zgrep -c tea catalogue.md"':
      - 'heading "Allow this call? Run a command: zgrep -c tea catalogue.md" [level=3]'
      - paragraph:
        - text: It runs
        - code: zgrep -c tea catalogue.md
        - text: .
      - term: command
      - definition: zgrep -c tea catalogue.md
      - term: Runs
      - definition:
        - code: zgrep -c tea catalogue.md
      - term: Directory
      - definition:
        - code: PROJECT
      - term: Sandbox
      - definition: "LEVEL: writes only below the workspace, no credential stores, no network"
      - term: Effect
      - definition: runs a program with unknown effects
      - term: Tool
      - definition: shell.run
      - term: Rule
      - definition: No rule matches; such calls require approval by default.
      - group: Edit the arguments
      - group "How long the approval lasts":
        - text: How long the approval lasts
        - radio "this call" [checked]
        - text: this call
        - radio "exactly zgrep -c tea catalogue.md (shell.run), for this session · would have allowed no other recent call"
        - text: exactly
        - code: zgrep -c tea catalogue.md
        - text: (shell.run), for this session · would have allowed no other recent call
        - radio "zgrep with any arguments (shell.run), for this session · would have allowed no other recent call"
        - code: zgrep
        - text: with any arguments (shell.run), for this session · would have allowed no other recent call
        - radio "zgrep with any arguments (shell.run), always in this workspace · would have allowed no other recent call"
        - code: zgrep
        - text: with any arguments (shell.run), always in this workspace · would have allowed no other recent call
        - radio "zgrep with any arguments (shell.run), always and everywhere · would have allowed no other recent call"
        - code: zgrep
        - text: with any arguments (shell.run), always and everywhere · would have allowed no other recent call
      - button "Allow"
      - button "Deny"
      - text: Reason for the denial
      - textbox "Reason for the denial":
        - /placeholder: Reason for the denial (optional)
    ok      a second tab shows the same conversation
    ok      the page does not send invalid arguments
    ok      a command allowed for the session runs with edited arguments and needs no second approval
            ✓ Edit a file: catalogue.md done
            ✓ Run a command, with other arguments done Allowed for this session, on this page
            ✓ Run a command: zgrep -c cake catalogue.md done
    ok      the page shows the tokens, iterations and calls of the turn
    ok      Escape stops a turn, and the text so far remains
    ok      the page reports that zubi does not answer
    ok      the conversation resumes after a restart of zubi
    ok      the keyboard alone can search, open a conversation, send a message and allow a call
    ok      the model receives the reason for a denial and the message sent meanwhile
    ok      the page shows the end of a conversation of ten thousand events, and the rest on demand
    ok      the user renames, exports and deletes a conversation
    "#);
    server.finish();
}

#[test]
fn tools_are_called_manually() {
    let server = Server::start(Dialect::OpenAiChat, KEY, Vec::new());
    assert_snapshot!(run("inspector", &project(), &server), @r#"
    ok      the search finds a tool, and a form built from its schema calls it
    - form "Call Read a file":
      - text: path (required)
      - textbox "path (required)": catalogue.md
      - text: Path in the workspace, or file:// URI startLine
      - textbox "startLine": "3"
      - text: First line, 1-based; default 1 endLine
      - textbox "endLine"
      - text: Last line, 1-based, inclusive; default the end
      - checkbox "Write the arguments as JSON"
      - text: Write the arguments as JSON
      - button "Call"
    ok      the form does not send invalid values
    ok      a list of objects has nested fields
    ok      a denied command does not run
    ok      stopping a call closes its approval prompt
    ok      Escape returns to the conversation
    "#);
}

#[test]
fn unauthorized_clients_are_refused() {
    let server = Server::start(Dialect::OpenAiChat, KEY, Vec::new());
    assert_snapshot!(run("guarded", &project(), &server), @"
    ok      a page without a valid token shows only how to get one
    ok      the page removes the token from its address, and a reload works without it
    ok      zubi refuses a page of another origin, even with the token
    ok      zubi refuses requests with another host, another origin or a wrong token
            as the page: 200
            evil host: 403
            foreign origin: 403
            wrong token: 401
    ");
}

#[test]
fn the_page_matches_its_snapshot() {
    let project = project();
    let edit = json!({ "path": "catalogue.md", "old": "- tea\n- milk\n", "new": "- oolong tea\n- milk\n- cake\n" });
    let done = "The catalogue has **cake** now, and the shop works.\n\n## What I did\n\n1. Read `catalogue.md` and what is \
        around it.\n2. Put the entry in:\n\n```md\n- cake\n```\n\nSee [the format](https://example.org/format) for more.";
    let server = Server::start(
        Dialect::OpenAiChat,
        KEY,
        vec![
            Turn::reply(file_reads_reply().usage(1200, 80, 0)),
            Turn::reply(ScriptedReply::default().call("file_edit", edit).call("file_read", read("nowhere.md")).usage(1500, 40, 1200)),
            Turn::reply(ScriptedReply::text("Now I try it.").call(
                "shell_run",
                json!({ "command": "for file in *.md; do grep --count '^- ' \"$file\"; done | sort --numeric-sort > counts.txt" }),
            )),
            Turn::reply(ScriptedReply::text(done).usage(1700, 20, 1500)),
        ],
    );
    assert_snapshot!(run("look", &project, &server), @r##"
    ok      a conversation with an approval prompt
    ok      a completed conversation
    ok      a tool in the inspector
    ok      roles and names of the whole page
    - banner:
      - heading "zubi" [level=1]
      - text: project
      - navigation "Views":
        - button "Chat"
        - button "Tools"
    - navigation "Conversations":
      - button "New conversation"
      - text: Search in conversations
      - searchbox "Search in conversations"
      - status
      - list "Conversations, the latest first":
        - listitem:
          - button "Put cake into the catalogue and see whether the shop still works. AGO"
    - main:
      - region "Put cake into the catalogue and see whether the shop still works.":
        - heading "Put cake into the catalogue and see whether the shop still works." [level=2]
        - text: 4,540 tokens, 4,540 in this turn
        - group "This conversation":
          - button "Rename"
          - button "Export"
          - button "Delete"
        - log "Conversation":
          - article "You": Put cake into the catalogue and see whether the shop still works.
          - article "zubi":
            - group: Thoughts
            - paragraph: I look at the files first.
          - group "7 read-only calls":
            - button "2 more"
            - group: "Read a file: opening.md done"
            - group: "Read a file: staff.md done"
            - group: "Read a file: suppliers.md done"
            - group: "Read a file: returns.md done"
            - group: "Read a file: history.md done"
          - group: "Edit a file: catalogue.md done"
          - 'figure "catalogue.md: changed, 2 lines added, 1 removed"':
            - text: catalogue.md changed +2 −1
            - group "Changes of catalogue.md":
              - table:
                - 'row "1 1 # Catalogue"':
                  - cell "1"
                  - cell "1"
                  - cell
                  - cell "# Catalogue"
                - row "2 2":
                  - cell "2"
                  - cell "2"
                  - cell
                  - cell
                - row "3 removed - tea":
                  - cell "3"
                  - cell
                  - cell "removed": −
                  - cell "- tea"
                - row "3 added - oolong tea":
                  - cell
                  - cell "3"
                  - cell "added": +
                  - cell "- oolong tea"
                - row "4 4 - milk":
                  - cell "4"
                  - cell "4"
                  - cell
                  - cell "- milk"
                - row "5 added - cake":
                  - cell
                  - cell "5"
                  - cell "added": +
                  - cell "- cake"
          - group: "Read a file: nowhere.md failed · invalid input"
          - article "zubi":
            - paragraph: Now I try it.
          - group: "Run a command: for file in *.md; do grep --count '^- ' \"$file\"; done | sort --numeric-sort > co… done Allowed once, on this page"
          - article "zubi":
            - paragraph:
              - text: The catalogue has
              - strong: cake
              - text: now, and the shop works.
            - heading "What I did" [level=4]
            - list:
              - listitem:
                - text: Read
                - code: catalogue.md
                - text: and what is around it.
              - listitem: "Put the entry in:"
            - text: md
            - button "Copy this code": Copy
            - code: "- cake"
            - paragraph:
              - text: See
              - link "the format":
                - /url: https://example.org/format
              - text: (example.org) for more.
          - paragraph:
            - strong: Done
            - text: · 4,540 tokens (4,400 in, 140 out) · 4 iterations · 10 calls
      - form "Message":
        - text: Message to zubi
        - textbox "Message to zubi":
          - /placeholder: Describe a task…
        - text: Model
        - combobox "Model"
        - group: More (6)
        - button "Send"
    - alert
    "##);
    server.finish();
}
