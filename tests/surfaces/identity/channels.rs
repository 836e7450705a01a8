//! The channels for queries about a model. Each normalizes its answers: the answer as compact JSON, or the first line
//! of the error.

use camino::Utf8PathBuf;
use serde_json::{Map, Value, json};
use zubi_tests::zubi::{Start, text};
use zubi_tests::{LanguageServer, Project, Zubi};

use super::inputs::Question;

/// The reply of a channel: the answer, or the error.
pub(super) type ChannelReply = Result<String, String>;

/// A channel.
pub(super) enum Channel<'a> {
    /// The requests `domainlang/*` of a language server.
    Requests(LanguageServer),
    /// The tools of an editor over its connection to `zubi lsp`.
    Tools(LanguageServer),
    /// The tools of an MCP server.
    Mcp(Box<Zubi>),
    /// `zubi call --json`, a process per query, with these arguments.
    Call(Start<'a>, Vec<&'a str>),
    /// `dlang --json`, a process per query.
    Dlang(Start<'a>, &'a Project),
}

/// The properties without an option in the commands of `dlang`, by tool. If a command gets the option, the test fails
/// until the line here is removed.
pub(super) const UNSUPPORTED: [(&str, &str); 5] = [
    // `dlang validate FILE` checks the file and all its imports; the rest of a workspace matters only in editors.
    ("domainlang_validate", "file"),
    // A shell has files or pipes for texts; only `dlang fmt` reads a pipe.
    ("domainlang_validate", "text"),
    ("domainlang_list", "text"),
    ("domainlang_get", "text"),
    ("domainlang_explain", "text"),
];

/// The arguments with which `zubi` selects a workspace of these folders. Empty without folders: the directory is the
/// workspace then.
pub(super) fn arguments(folders: &[Utf8PathBuf]) -> Vec<&str> {
    folders.iter().flat_map(|folder| ["--workspace", folder.as_str()]).collect()
}

/// The channels with one process for all queries, by name, except the one with which the others are compared. Without
/// folders they query the project; channels that take one path do not support several folders.
pub(super) async fn persistent_channels<'a>(
    project: &'a Project,
    folders: &[Utf8PathBuf],
) -> Vec<(&'static str, Channel<'a>)> {
    // One channel of each kind starts in another directory, so that the test detects paths that depend on the
    // directory.
    let (zubi, other_directory) = (Start::new(project, &[]), Start::dlang(project).directory(project.home()));
    let mut channels = vec![
        ("zubi lsp", Channel::Requests(language_server(&zubi, project, folders))),
        ("dlang lsp", Channel::Requests(language_server(&other_directory, project, folders))),
        ("zubi/tools/call", Channel::Tools(language_server(&zubi, project, folders))),
    ];
    if folders.is_empty() {
        let root = [project.root().as_str()];
        channels.push(("dlang mcp", Channel::Mcp(other_directory.clone().arguments(&root).mcp().await.into())));
    }
    channels
}

/// The channels with a process per query.
pub(super) fn per_call_channels<'a>(
    project: &'a Project,
    folders: &'a [Utf8PathBuf],
) -> Vec<(&'static str, Channel<'a>)> {
    let mut channels = vec![("zubi call", Channel::Call(Start::new(project, &[]), arguments(folders)))];
    if folders.is_empty() {
        let dlang = Start::dlang(project);
        channels.push(("dlang", Channel::Dlang(dlang.clone(), project)));
        channels.push(("dlang elsewhere", Channel::Dlang(dlang.directory(project.home()), project)));
    }
    channels
}

fn language_server(start: &Start<'_>, project: &Project, folders: &[Utf8PathBuf]) -> LanguageServer {
    let mut command = start.command();
    command.args(["lsp", "--stdio"]);
    let root = [project.root().to_owned()];
    let folders = if folders.is_empty() { &root } else { folders };
    let folder = |path: &Utf8PathBuf| json!({ "uri": format!("file://{path}"), "name": "project" });
    let folders: Vec<Value> = folders.iter().map(folder).collect();
    let params = json!({
        "capabilities": { "textDocument": { "diagnostic": {} } },
        "initializationOptions": { "zubi": { "editorProtocol": 1 } },
        "workspaceFolders": folders,
    });
    LanguageServer::open(command, &params).0
}

impl Channel<'_> {
    /// Whether the channel supports the query.
    pub(super) fn supports(&self, question: &Question) -> bool {
        match self {
            Self::Requests(_) | Self::Tools(_) | Self::Mcp(_) | Self::Call(..) => true,
            Self::Dlang(_, project) => command_arguments(question, project).is_some(),
        }
    }

    /// Sends a query if the channel supports it.
    pub(super) async fn query(&mut self, question: &Question) -> ChannelReply {
        match self {
            Self::Requests(server) => query_server(server, question),
            Self::Tools(server) => call_tool(server, question),
            Self::Mcp(server) => {
                let result = server.result(&question.tool, question.input.clone().into()).await;
                to_reply(result.is_error == Some(true), &text(&result))
            }
            Self::Call(start, arguments) => call(start, arguments, question),
            Self::Dlang(start, project) => {
                let command_arguments =
                    command_arguments(question, project).unwrap_or_else(|| panic!("no arguments for {question}"));
                dlang(start, question, &command_arguments)
            }
        }
    }
}

/// The further lines of an error are the hint, whose words differ between surfaces.
fn to_reply(is_error: bool, text: &str) -> ChannelReply {
    if is_error { Err(text.lines().next().unwrap_or_default().to_owned()) } else { Ok(text.to_owned()) }
}

fn query_server(server: &mut LanguageServer, question: &Question) -> ChannelReply {
    let method = question.tool.replacen('_', "/", 1);
    let answer = server.request(&method, &question.input.clone().into());
    match answer.get("error") {
        Some(error) => to_reply(true, error["message"].as_str().expect("a message")),
        None => Ok(answer["result"].to_string()),
    }
}

fn call_tool(server: &mut LanguageServer, question: &Question) -> ChannelReply {
    let params = json!({ "id": question.tool, "args": question.input });
    let answer = server.request("zubi/tools/call", &params);
    let result = answer.get("result").unwrap_or_else(|| panic!("{question}: {answer}"));
    to_reply(result["isError"] == true, result["text"].as_str().expect("a text"))
}

fn call(start: &Start<'_>, arguments: &[&str], question: &Question) -> ChannelReply {
    let input = Value::from(question.input.clone()).to_string();
    let command_arguments = [&["call"], arguments, &[&question.tool, "--json", "--input", &input]].concat();
    let (printed, code) = run(start, &command_arguments);
    let json: Value = serde_json::from_str(&printed).expect("`zubi call --json` prints JSON");
    let failure = json.pointer("/error/message").and_then(Value::as_str);
    assert_eq!(code, if failure.is_some() { 2 } else { 0 }, "the exit code of {question}");
    failure.map_or(Ok(printed), |failure| to_reply(true, failure))
}

/// The exit code is part of the answer: 0, 1 if the answer is negative, 2 if the query is invalid.
fn dlang(start: &Start<'_>, question: &Question, command_arguments: &[String]) -> ChannelReply {
    let command_arguments: Vec<&str> = command_arguments.iter().map(String::as_str).collect();
    let (printed, code) = run(start, &command_arguments);
    let json: Value = serde_json::from_str(&printed).expect("`dlang --json` prints JSON");
    if json["success"] == false {
        assert_eq!(code, 2, "the exit code of {question}");
        return Err(strip_cli_form(json["error"].as_str().expect("an error")));
    }
    let is_negative = json["valid"] == false || json["found"] == false || json.get("explanation") == Some(&Value::Null);
    assert_eq!(code, i32::from(is_negative), "the exit code of {question}");
    Ok(printed)
}

/// Removes the parts of an error that only the command line has: `--domain: …` for a filter, and clap's prefix before
/// the reason why it rejects a value.
fn strip_cli_form(error: &str) -> String {
    let argument = error.strip_prefix("invalid value '").and_then(|rest| rest.split_once("' for '<"));
    let reason = argument.and_then(|(_, rest)| rest.split_once(">': "));
    let reason = reason.map(|(argument, reason)| format!("{}: {reason}", argument.to_lowercase()));
    format!("Invalid input: {}", reason.as_deref().or(error.strip_prefix("--")).unwrap_or(error))
}

/// Returns the output of a command without the last line feed, and its exit code.
fn run(start: &Start<'_>, command_arguments: &[&str]) -> (String, i32) {
    let output = start.command().args(command_arguments).output().expect("the program starts");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let printed = printed.strip_suffix('\n').unwrap_or_else(|| panic!("{command_arguments:?} printed {printed:?}"));
    (printed.to_owned(), output.status.code().expect("an exit code"))
}

/// The query as arguments of the command line, if it can express the query.
fn command_arguments(question: &Question, project: &Project) -> Option<Vec<String>> {
    let Question { tool, input } = question;
    let is_unsupported = |name: &String| UNSUPPORTED.contains(&(tool.as_str(), name.as_str()));
    // On the command line every value is a text.
    if input.keys().any(is_unsupported) || !input.values().all(Value::is_string) {
        return None;
    }
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    // A path on the command line may be anywhere, so one outside the workspace gets another error, or none.
    let path = project.root().join(text("path").unwrap_or("."));
    let path = path.canonicalize_utf8().ok().filter(|path| path.starts_with(project.root()))?;
    let mut command_arguments = vec![subcommand(tool).to_owned(), "--json".to_owned()];
    let positional = match tool.as_str() {
        "domainlang_validate" => Vec::new(),
        "domainlang_list" => {
            for (name, value) in filters(input) {
                command_arguments.push(format!("--{name}={value}"));
            }
            match text("detail") {
                None | Some("row") => {}
                Some("full") => command_arguments.push("--full".to_owned()),
                // A flag is either present or not.
                Some(_) => return None,
            }
            vec![text("type")?]
        }
        "domainlang_get" => text("fqn").into_iter().collect(),
        // clap reports a missing argument with its own text.
        _ => vec![text("fqn")?],
    };
    command_arguments.push("--".to_owned());
    command_arguments.extend(positional.into_iter().map(str::to_owned));
    command_arguments.push(path.into_string());
    Some(command_arguments)
}

/// The command that corresponds to a tool.
pub(super) fn subcommand(tool: &str) -> &'static str {
    match tool {
        "domainlang_validate" => "validate",
        "domainlang_list" => "query",
        "domainlang_get" => "get",
        "domainlang_explain" => "explain",
        other => panic!("no command of `dlang` is known for {other}"),
    }
}

fn filters(input: &Map<String, Value>) -> impl Iterator<Item = (&String, &str)> {
    let is_filter = |name: &str| !matches!(name, "type" | "detail" | "path");
    input.iter().filter(move |(name, _)| is_filter(name)).filter_map(|(name, value)| Some((name, value.as_str()?)))
}
