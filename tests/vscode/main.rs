//! The VS Code extension in a real VS Code: the language model tools, called as a language model's client calls them.
//!
//! The cases are in `editors/vscode/tests/real/suite`; the lists here say which of them have to have run.

use std::os::unix::fs::DirBuilderExt as _;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::hosts::{Place, eventually};
use zubi_tests::vscode::Editor;
use zubi_tests::{Agent, Project, tools, vscode};

/// How long a window may take to open or to close.
const WINDOW: Duration = Duration::from_mins(2);

/// DomainLang models, good ones and bad ones, beside a project in TypeScript.
fn project() -> Project {
    let project = Project::empty();
    for (from, to) in [
        ("examples/shop", "shop"),
        ("examples/bank", "bank"),
        ("tests/fixtures/domainlang", "broken"),
        ("tests/fixtures/typescript", "web"),
    ] {
        project.add(from, to);
    }
    project
}

#[test]
fn the_tools_answer_in_a_real_editor() {
    assert_snapshot!(vscode::run("answers", &project(), &tools::zubi()), @"
    ok      the five tools are offered to language models
    ok      domainlang_validate answers for the workspace and for one file
    ok      domainlang_list lists and filters
    ok      domainlang_get finds an element, and counts without one
    ok      domainlang_explain explains, and says what it does not know
    ok      an input that cannot be answered is told in a text
    ok      a call that was given up ends with a text
    ok      text that is typed and not saved is in the very next answer
    ok      lsp_definition answers for a TypeScript file through the editor
    ok      errors and warnings of domainlang_validate are the editor's, in every file
    ok      the tools start no process besides the language server
    ok      text that is not saved, and what is wrong with it, is seen by the tool editor
    ok      a file that is not open is opened to be validated, and not shown
    ok      another process asks the editor, and runs what is allowed and nothing else
    ok      a server that stopped is told in a text, and starting it again helps
    ");
}

#[test]
fn a_server_that_says_nothing_is_started_again() {
    let project = project();
    // The first time it runs it says nothing and hears no goodbye.
    let script = format!(
        "#!/bin/sh\n\
         if [ -e \"$0.pid\" ]; then exec '{}' \"$@\"; fi\n\
         echo $$ > \"$0.new\"\n\
         mv \"$0.new\" \"$0.pid\"\n\
         exec tail -f /dev/null > /dev/null\n",
        tools::zubi()
    );
    project.install("zubi-later", &script);
    let program = project.home().join("bin/zubi-later");
    assert_snapshot!(vscode::run("silent", &project, &program), @"ok      a server that says nothing is ended when it is started again, and who waits for it is answered");
}

#[test]
fn without_the_program_the_tools_say_so() {
    let nowhere = tools::ROOT.join("no/such/program");
    assert_snapshot!(vscode::run("missing", &project(), &nowhere), @"ok      without the program every tool says so in a text");
}

/// Whether the host of this kind has this process among its clients.
fn asks(place: &Place, kind: &str, agent: u32) -> bool {
    let status = place.status();
    let host = status["hosts"].as_array().and_then(|hosts| hosts.iter().find(|host| host["kind"] == kind));
    let clients = host.and_then(|host| host["clients"].as_array()).map(Vec::as_slice).unwrap_or_default();
    clients.iter().any(|client| client["pid"] == agent)
}

#[test]
fn an_agent_goes_from_a_daemon_to_the_window_and_back() {
    let place = Place::new(project(), &["node"]);
    // The server of the window makes its user's runtime directory where it is not there, and then hosts are found there.
    let runtime = place.project.home().join("run");
    std::fs::DirBuilder::new().mode(0o700).create(runtime).expect("a new directory");
    let daemon = place.daemon(&[]);
    let mut agent = place.agent(&[]);
    let seen = |agent: &mut Agent| agent.ask("editor", &json!({ "command": "open_files" }));
    assert!(seen(&mut agent).contains("no editor"));
    assert!(asks(&place, "daemon", agent.pid()));
    place.project.write("agent.pid", &agent.pid().to_string());
    let others = [daemon.pid(), agent.pid()];
    let told = std::thread::scope(|scope| {
        let window =
            scope.spawn(|| Editor::new(&place.project, &tools::zubi()).window("", "beside").beside(&others).run());
        eventually("the agent sees what is not saved in the window", WINDOW, || {
            let text = seen(&mut agent);
            (text.contains("web/src/shape.ts") && text.contains("not saved")).then_some(())
        });
        place.project.write("agent.seen", "seen");
        window.join().expect("the window")
    });
    assert_snapshot!(told, @"ok      an agent that has asked a daemon asks this window as long as it is open");
    eventually("the agent asks the daemon again", WINDOW, || {
        (seen(&mut agent).contains("no editor") && asks(&place, "daemon", agent.pid())).then_some(())
    });
    assert!(agent.close().success());
}
