//! What a tool does, with its templates read: made once when the file is loaded, so that nothing is parsed in a call, and
//! what cannot be quoted is refused before anybody calls.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::FxHashSet;
use serde_json::Value;
use zubi_base::env;
use zubi_run::template::{Argument, Kind, MAX_TEMPLATE, Names, Severity as TemplateSeverity, Escaping, Template};
use zubi_tools::shell;

use super::definition::Definition;
use super::execute::command;
use super::format::{Method, ShellKind, ToolExecution};
use super::functions;
use super::lint;
use super::problem::{Problem, Severity};
use super::tree::{Member, Node};

/// What the templates of a file may name, and where they stand.
pub(super) struct Scope<'a> {
    /// The text of the file.
    pub(super) text: &'a str,
    pub(super) variables: &'a [(String, String)],
    /// Names that the user's table `env` has.
    pub(super) secrets: &'a [String],
}

/// A tool that is ready to run.
#[derive(Debug, Clone)]
pub struct Plan {
    pub execution: Execution,
    /// Variables of the file that it uses.
    pub variables: BTreeSet<String>,
    /// Arguments that it uses; `None`: all.
    arguments: Option<BTreeSet<String>>,
    /// Names of the secrets that it uses.
    pub secrets: BTreeSet<String>,
}

#[derive(Debug, Clone)]
pub enum Execution {
    Shell {
        script: Template,
        shell: ShellKind,
        directory: Option<Template>,
        environment: Vec<(String, Template)>,
    },
    Http {
        method: Method,
        url: Template,
        headers: Vec<(String, Template)>,
        body: Option<Template>,
    },
    Inline {
        code: String,
    },
    /// What a client of this host has registered under this name, if anybody has.
    Function {
        handler: String,
    },
    /// A command of the editor, if one is connected.
    Command {
        command: String,
        /// As they stand in the file; without any the command gets the tool's arguments as one object.
        args: Vec<Value>,
    },
    /// A part of it could not be read, which is told; it never runs.
    Broken,
}

impl Plan {
    pub(super) fn new(definition: &Definition, scope: &Scope<'_>, problems: &mut Vec<Problem>) -> Self {
        let node = definition.node.get("execution");
        let mut reader = Reader::new(definition, scope, problems);
        let mut all_arguments = false;
        let execution = node.map_or(Execution::Broken, |node| {
            let execution = match &definition.tool.execution {
                ToolExecution::Shell(shell) => reader.shell(node, shell.shell),
                ToolExecution::Http(http) => {
                    all_arguments = http.body.is_none() && !matches!(http.method, Method::Get | Method::Head);
                    reader.http(node, http.method)
                }
                ToolExecution::Inline(inline) => {
                    for (name, ..) in definition.arguments() {
                        if lint::mentions(&inline.code, name) || !names_members_only(&inline.code) {
                            reader.arguments.insert(name.to_owned());
                        }
                    }
                    reader.code(node).map(|()| Execution::Inline { code: inline.code.clone() })
                }
                ToolExecution::Command(command) => {
                    let words = command.args.iter().filter_map(Value::as_str);
                    reader.arguments.extend(words.filter_map(|word| word.strip_prefix('$')).map(str::to_owned));
                    all_arguments = command.args.is_empty();
                    Some(Execution::Command { command: command.command.clone(), args: command.args.clone() })
                }
                ToolExecution::Function(function) => {
                    all_arguments = true;
                    Some(Execution::Function { handler: function.handler.clone() })
                }
            };
            execution.unwrap_or(Execution::Broken)
        });
        Self {
            execution,
            variables: reader.variables,
            arguments: (!all_arguments).then_some(reader.arguments),
            secrets: reader.secrets,
        }
    }

    /// Whether anything uses an argument.
    pub(super) fn uses(&self, argument: &str) -> bool {
        self.arguments.as_ref().is_none_or(|used| used.contains(argument))
    }

    /// Why it cannot run here, for its description.
    pub fn unavailable(&self) -> Option<&'static str> {
        match &self.execution {
            // Who looks at a file sees no host.
            Execution::Command { .. } => Some(command::NO_EDITOR),
            Execution::Function { .. } => Some(functions::NOBODY),
            _ => None,
        }
    }
}

/// Whether code uses `args` only as `args.name` or `args["name"]`, never whole.
fn names_members_only(code: &str) -> bool {
    code.match_indices("args").all(|(at, word)| {
        let after = code.get(at + word.len()..).unwrap_or_default().trim_start();
        after.starts_with(['.', '[', '?']) || after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

/// Reads the templates of one tool.
struct Reader<'a> {
    scope: &'a Scope<'a>,
    problems: &'a mut Vec<Problem>,
    names: Names,
    variables: BTreeSet<String>,
    arguments: BTreeSet<String>,
    secrets: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    fn new(definition: &Definition, scope: &'a Scope<'a>, problems: &'a mut Vec<Problem>) -> Self {
        let arguments = definition.arguments().map(|(name, schema, required)| {
            let required = required || schema.get("default").is_some();
            (name.to_owned(), Argument { kind: kind_of(schema), required })
        });
        let names = Names {
            arguments: arguments.collect(),
            variables: scope.variables.iter().cloned().collect::<BTreeMap<_, _>>(),
            environment: BTreeSet::new(),
        };
        let (variables, arguments, secrets) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        Self { scope, problems, names, variables, arguments, secrets }
    }

    fn shell(&mut self, node: &Node, shell: ShellKind) -> Option<Execution> {
        let script = self.template(node.get("script")?, Escaping::Shell);
        let directory = node.get("cwd").map(|node| self.template(node, Escaping::Path));
        let environment = self.table(node.get("env"), Escaping::Path);
        for member in node.get("env").map(Node::members).unwrap_or_default() {
            // These decide what the shell runs, whatever the script says.
            let is_loader = member.name.starts_with("LD_")
                || matches!(member.name.as_str(), "PATH" | "IFS" | "ENV" | "BASH_ENV" | "SHELLOPTS" | "BASHOPTS");
            if !env::is_name(&member.name) || is_loader {
                let what = format!("`{}` cannot be set here", super::shape::truncate(&member.name));
                let hint = "Letters, digits and `_`; what decides which program runs belongs into the script.";
                self.problems.push(Problem::error("environment-name", member.name_range.clone(), what, hint));
                continue;
            }
            let templates = environment.iter().flatten();
            let mut of_this = templates.filter(|(name, _)| *name == member.name);
            if shell::chooses_commands(&member.name) && of_this.any(|(_, template)| template.takes_any_text()) {
                let what = format!("programs run what `{}` says, and an argument would decide it", member.name);
                let hint = "Write the value, or take one of a list (`enum`).";
                self.problems.push(Problem::error("environment-command", member.value.range.clone(), what, hint));
            }
        }
        let directory = match directory {
            Some(directory) => Some(directory?),
            None => None,
        };
        Some(Execution::Shell { script: script?, shell, directory, environment: environment? })
    }

    fn http(&mut self, node: &Node, method: Method) -> Option<Execution> {
        let url = self.template(node.get("url")?, Escaping::Url);
        let headers = self.table(node.get("headers"), Escaping::Header);
        let mut content_type = String::new();
        let mut names = FxHashSet::default();
        for member in node.get("headers").map(Node::members).unwrap_or_default() {
            if !names.insert(member.name.to_ascii_lowercase()) {
                let what = format!("the header `{}` stands twice", super::shape::truncate(&member.name));
                let hint = "Capital and small letters are the same here; keep one.";
                self.problems.push(Problem::error("header-name", member.name_range.clone(), what, hint));
            }
            let template =
                headers.iter().flatten().find(|(name, _)| *name == member.name).map(|(_, template)| template);
            if let Some(template) = template.filter(|template| template.takes_any_text()) {
                self.header(member, template);
            }
            if member.name.eq_ignore_ascii_case("content-type") {
                content_type = member.value.as_str().unwrap_or_default().to_ascii_lowercase();
            }
            // RFC 9110, 5.6.2: a token.
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if member.name.is_empty() || !member.name.bytes().all(is_token) {
                let what = format!("`{}` is no name of a header", super::shape::truncate(&member.name));
                self.problems.push(Problem::error(
                    "header-name",
                    member.name_range.clone(),
                    what,
                    "Letters, digits and `-`.",
                ));
            }
        }
        let sink = if content_type.is_empty() || content_type.contains("json") {
            Escaping::Json
        } else if content_type.contains("x-www-form-urlencoded") {
            Escaping::Form
        } else {
            Escaping::Text
        };
        let body = match node.get("body") {
            Some(body) => {
                if matches!(method, Method::Get | Method::Head) {
                    let what = format!("a {} request has no body", method.name());
                    self.problems.push(Problem::error(
                        "body",
                        body.range.clone(),
                        what,
                        "Choose another `method`, or take it out.",
                    ));
                }
                let template = self.template(body, sink)?;
                if sink == Escaping::Text && template.takes_any_text() && !template.is_one_value() {
                    let what = "nothing says how a value is quoted in a body of this `Content-Type`";
                    let hint = "Make it JSON or a form, or let one argument be the whole body (`\"body\": \"$name\"`).";
                    self.problems.push(Problem::error("body", body.range.clone(), what, hint));
                }
                Some(template)
            }
            None => None,
        };
        Some(Execution::Http { method, url: url?, headers: headers?, body })
    }

    /// A header in which an argument stands that may be any text.
    fn header(&mut self, member: &Member, template: &Template) {
        // What says how the rest of the request is read, or by whom.
        const FRAMES: &[&str] = &[
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "host",
            "transfer-encoding",
            "upgrade",
        ];
        let name = member.name.to_ascii_lowercase();
        let (what, hint) = if FRAMES.contains(&name.as_str()) {
            let what = format!("an argument would decide the header `{}`", super::shape::truncate(&member.name));
            (what, "Write the value, or take one of a list (`enum`).")
        } else if name == "cookie" && template.is_one_value() {
            ("an argument would be any number of cookies".to_owned(), "Write the cookie's name: `user=$name`.")
        } else {
            return;
        };
        self.problems.push(Problem::error("header", member.value.range.clone(), what, hint));
    }

    fn code(&mut self, node: &Node) -> Option<()> {
        let code = node.get("code")?;
        let text = code.as_str()?;
        if text.len() > MAX_TEMPLATE {
            let what = format!("the code has more than {MAX_TEMPLATE} bytes");
            self.problems.push(Problem::error("too-large", code.range.clone(), what, "Make it several tools."));
            return None;
        }
        // `${…}` is JavaScript's own between backquotes, so code is no template; only what looks like the format's own
        // placeholders, which would never be replaced, is told.
        for name in ["${env:", "${arg:", "${workspaceFolder}"] {
            if let Some(at) = text.find(name) {
                let range = code.place_in(self.scope.text, at..at + name.len());
                let hint = "Code is no template: arguments are in `args`, and secrets do not reach it.";
                self.problems.push(Problem::error("template", range, format!("`{name}` stands in code"), hint));
            }
        }
        Some(())
    }

    /// A table of templates; `None` when one of them is broken.
    fn table(&mut self, node: Option<&Node>, sink: Escaping) -> Option<Vec<(String, Template)>> {
        let members = node.map(Node::members).unwrap_or_default();
        // All are read, so that all that is wrong is told.
        let read: Vec<_> = members.iter().map(|it| (it.name.clone(), self.template(&it.value, sink))).collect();
        read.into_iter().map(|(name, template)| Some((name, template?))).collect()
    }

    fn template(&mut self, node: &Node, sink: Escaping) -> Option<Template> {
        let text = node.as_str()?;
        // Which secrets a machine has differs; whether a template is sound does not.
        self.names.environment = environment_names(text).map(|(name, _)| name.to_owned()).collect();
        for (name, range) in environment_names(text) {
            if !self.scope.secrets.iter().any(|known| known == name) {
                let what = format!("the secret `{name}` is not set on this machine; calls fail until it is");
                let hint = format!("Add it to your own zubi.toml: `[env]` `{name} = {{ file = \"…\" }}`.");
                let place = node.place_in(self.scope.text, range);
                self.problems.push(Problem::warning("missing-secret", place, what, hint));
            }
        }
        let (template, found) = match Template::parse(text, sink, &self.names) {
            Ok(template) => {
                let found = template.warnings().to_vec();
                (Some(template), found)
            }
            Err(found) => (None, found),
        };
        for problem in found {
            let severity = match problem.severity {
                TemplateSeverity::Error => Severity::Error,
                TemplateSeverity::Warning => Severity::Warning,
            };
            // The message says what to do as well, after a semicolon.
            let (message, hint) = problem.message.split_once("; ").unwrap_or((&problem.message, ""));
            let range = node.place_in(self.scope.text, problem.range);
            self.problems.push(Problem {
                severity,
                code: "template",
                range,
                message: message.to_owned(),
                hint: hint.to_owned(),
            });
        }
        let template = template?;
        self.variables.extend(template.variables().into_iter().map(str::to_owned));
        self.arguments.extend(template.arguments().into_iter().map(str::to_owned));
        self.secrets.extend(template.secrets().into_iter().map(str::to_owned));
        Some(template)
    }
}

/// What stands as `${env:NAME}` in a text.
fn environment_names(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    const OPEN: &str = "${env:";
    text.match_indices(OPEN).filter_map(|(at, _)| {
        let from = at + OPEN.len();
        let (name, _) = text.get(from..)?.split_once('}')?;
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then_some((name, at..from + name.len() + 1))
    })
}

fn kind_of(schema: &Value) -> Kind {
    if schema.get("enum").is_some() && schema.get("type").and_then(Value::as_str) == Some("string") {
        return Kind::Choice;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Kind::Text,
        Some("integer" | "number") => Kind::Number,
        Some("boolean") => Kind::Boolean,
        Some("array") => Kind::Array,
        Some("object") => Kind::Object,
        _ => Kind::Any,
    }
}
