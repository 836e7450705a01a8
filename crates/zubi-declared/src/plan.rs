//! Compiled form of a tool: its templates are parsed once, when the file is loaded. Calls parse nothing, and templates
//! that cannot be quoted are rejected before any call.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::FxHashSet;
use serde_json::Value;
use zubi_base::env;
use zubi_exec::template::{
    Argument, ArgumentKind, Escaping, MAX_TEMPLATE, Severity as TemplateSeverity, Template, TemplateNames,
};
use zubi_policy::shell;

use super::definition::ResolvedDefinition;
use super::format::{HttpMethod, ShellKind, ToolExecution};
use super::functions;
use super::json_tree::{JsonMember, JsonNode};
use super::problem::{ProblemSeverity, ToolFileProblem};

/// Reason why a command cannot run without an editor, as a clause.
pub(super) const NO_EDITOR: &str = "it is a command of the editor, and no editor is connected";

/// Names that templates of a file may use, and the file's text for locations.
pub(super) struct TemplateScope<'a> {
    /// Text of the file.
    pub(super) text: &'a str,
    pub(super) variables: &'a [(String, String)],
    /// Names in the user's table `env`.
    pub(super) secrets: &'a [String],
}

/// A tool ready to run.
#[derive(Debug, Clone)]
pub struct ToolPlan {
    pub execution: Execution,
    /// Variables of the file that the tool uses.
    pub variables: BTreeSet<String>,
    /// Arguments that the tool uses; `None` means all.
    arguments: Option<BTreeSet<String>>,
    /// Names of the secrets that the tool uses.
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
        method: HttpMethod,
        url: Template,
        headers: Vec<(String, Template)>,
        body: Option<Template>,
    },
    Inline {
        code: String,
    },
    /// A function that a client of this host may have registered.
    Function {
        handler: String,
    },
    /// A command of the editor, if one is connected.
    Command {
        command: String,
        /// Arguments as written in the file; if empty, the command receives the tool's arguments as one object.
        args: Vec<Value>,
    },
    /// A part of the tool is invalid and reported as a problem; it never runs.
    Broken,
}

impl ToolPlan {
    pub(super) fn new(
        definition: &ResolvedDefinition,
        scope: &TemplateScope<'_>,
        problems: &mut Vec<ToolFileProblem>,
    ) -> Self {
        let node = definition.node.get("execution");
        let mut reader = PlanBuilder::new(definition, scope, problems);
        let mut all_arguments = false;
        let execution = node.map_or(Execution::Broken, |node| {
            let execution = match &definition.tool.execution {
                ToolExecution::Shell(shell) => reader.shell(node, shell.shell),
                ToolExecution::Http(http) => {
                    all_arguments = http.body.is_none() && !matches!(http.method, HttpMethod::Get | HttpMethod::Head);
                    reader.http(node, http.method)
                }
                ToolExecution::Inline(inline) => {
                    for (name, ..) in definition.parameters_with_required() {
                        if mentions(&inline.code, name) || !names_members_only(&inline.code) {
                            reader.arguments.insert(name.to_owned());
                        }
                    }
                    reader.check_code(node).map(|()| Execution::Inline { code: inline.code.clone() })
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

    /// Returns whether any part of the tool uses an argument.
    pub(super) fn uses(&self, argument: &str) -> bool {
        self.arguments.as_ref().is_none_or(|used| used.contains(argument))
    }

    /// Returns the reason why the tool cannot run here, for its description.
    pub fn unavailable(&self) -> Option<&'static str> {
        match &self.execution {
            // A static view of the file has neither an editor nor functions.
            Execution::Command { .. } => Some(NO_EDITOR),
            Execution::Function { .. } => Some(functions::NOT_REGISTERED),
            _ => None,
        }
    }
}

/// Returns whether code uses `args` only as `args.name` or `args["name"]`, never whole.
fn names_members_only(code: &str) -> bool {
    code.match_indices("args").all(|(at, word)| {
        let after = code.get(at + word.len()..).unwrap_or_default().trim_start();
        after.starts_with(['.', '[', '?']) || after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

/// Compiles the templates of one tool.
struct PlanBuilder<'a> {
    scope: &'a TemplateScope<'a>,
    problems: &'a mut Vec<ToolFileProblem>,
    names: TemplateNames,
    variables: BTreeSet<String>,
    arguments: BTreeSet<String>,
    secrets: BTreeSet<String>,
}

impl<'a> PlanBuilder<'a> {
    fn new(
        definition: &ResolvedDefinition,
        scope: &'a TemplateScope<'a>,
        problems: &'a mut Vec<ToolFileProblem>,
    ) -> Self {
        let arguments = definition.parameters_with_required().map(|(name, schema, required)| {
            let required = required || schema.get("default").is_some();
            (name.to_owned(), Argument { kind: argument_kind(schema), required })
        });
        let names = TemplateNames {
            arguments: arguments.collect(),
            variables: scope.variables.iter().cloned().collect::<BTreeMap<_, _>>(),
            environment: BTreeSet::new(),
        };
        let (variables, arguments, secrets) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        Self { scope, problems, names, variables, arguments, secrets }
    }

    fn shell(&mut self, node: &JsonNode, shell: ShellKind) -> Option<Execution> {
        let script = self.template(node.get("script")?, Escaping::Shell);
        let directory = node.get("cwd").map(|node| self.template(node, Escaping::Path));
        let environment = self.table(node.get("env"), Escaping::Path);
        for member in node.get("env").map(JsonNode::members).unwrap_or_default() {
            // These variables affect what the shell runs, whatever the script contains.
            let is_loader = member.name.starts_with("LD_")
                || matches!(member.name.as_str(), "PATH" | "IFS" | "ENV" | "BASH_ENV" | "SHELLOPTS" | "BASHOPTS");
            if !env::is_name(&member.name) || is_loader {
                let message = format!("`{}` cannot be set here", super::validate::truncate(&member.name));
                let hint = "Use letters, digits and `_`; choose programs in the script itself.";
                self.problems.push(ToolFileProblem::error(
                    "environment-name",
                    member.name_range.clone(),
                    message,
                    hint,
                ));
                continue;
            }
            let templates = environment.iter().flatten();
            let mut matching = templates.filter(|(name, _)| *name == member.name);
            if shell::selects_commands(&member.name) && matching.any(|(_, template)| template.accepts_any_text()) {
                let message =
                    format!("programs execute the value of `{}`, and an argument would control it", member.name);
                let hint = "Write a fixed value, or restrict the argument with `enum`.";
                self.problems.push(ToolFileProblem::error(
                    "environment-command",
                    member.value.range.clone(),
                    message,
                    hint,
                ));
            }
        }
        let directory = match directory {
            Some(directory) => Some(directory?),
            None => None,
        };
        Some(Execution::Shell { script: script?, shell, directory, environment: environment? })
    }

    fn http(&mut self, node: &JsonNode, method: HttpMethod) -> Option<Execution> {
        let url = self.template(node.get("url")?, Escaping::Url);
        let headers = self.table(node.get("headers"), Escaping::Header);
        let mut content_type = String::new();
        let mut names = FxHashSet::default();
        for member in node.get("headers").map(JsonNode::members).unwrap_or_default() {
            if !names.insert(member.name.to_ascii_lowercase()) {
                let message = format!("duplicate header `{}`", super::validate::truncate(&member.name));
                let hint = "Header names are case-insensitive; remove one.";
                self.problems.push(ToolFileProblem::error("header-name", member.name_range.clone(), message, hint));
            }
            let template =
                headers.iter().flatten().find(|(name, _)| *name == member.name).map(|(_, template)| template);
            if let Some(template) = template.filter(|template| template.accepts_any_text()) {
                self.check_header(member, template);
            }
            if member.name.eq_ignore_ascii_case("content-type") {
                content_type = member.value.as_str().unwrap_or_default().to_ascii_lowercase();
            }
            // RFC 9110, 5.6.2: token.
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if member.name.is_empty() || !member.name.bytes().all(is_token) {
                let message = format!("`{}` is not a valid header name", super::validate::truncate(&member.name));
                self.problems.push(ToolFileProblem::error(
                    "header-name",
                    member.name_range.clone(),
                    message,
                    "Use letters, digits and `-`.",
                ));
            }
        }
        let escaping = if content_type.is_empty() || content_type.contains("json") {
            Escaping::Json
        } else if content_type.contains("x-www-form-urlencoded") {
            Escaping::Form
        } else {
            Escaping::Text
        };
        let body = match node.get("body") {
            Some(body) => {
                if matches!(method, HttpMethod::Get | HttpMethod::Head) {
                    let message = format!("a {} request cannot have a body", method.name());
                    self.problems.push(ToolFileProblem::error(
                        "body",
                        body.range.clone(),
                        message,
                        "Choose another `method`, or remove the body.",
                    ));
                }
                let template = self.template(body, escaping)?;
                if escaping == Escaping::Text && template.accepts_any_text() && !template.is_one_value() {
                    let message = "the quoting of values in a body of this `Content-Type` is unknown";
                    let hint = "Use JSON or a form, or make one argument the whole body (`\"body\": \"$name\"`).";
                    self.problems.push(ToolFileProblem::error("body", body.range.clone(), message, hint));
                }
                Some(template)
            }
            None => None,
        };
        Some(Execution::Http { method, url: url?, headers: headers?, body })
    }

    /// Checks a header whose value contains an unrestricted argument.
    fn check_header(&mut self, member: &JsonMember, template: &Template) {
        // Headers that control how the rest of the request is parsed or routed.
        const CONTROL_HEADERS: &[&str] = &[
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "host",
            "transfer-encoding",
            "upgrade",
        ];
        let name = member.name.to_ascii_lowercase();
        let (message, hint) = if CONTROL_HEADERS.contains(&name.as_str()) {
            let message = format!("an argument would control the header `{}`", super::validate::truncate(&member.name));
            (message, "Write a fixed value, or restrict the argument with `enum`.")
        } else if name == "cookie" && template.is_one_value() {
            ("an argument could add any number of cookies".to_owned(), "Fix the cookie's name: `user=$name`.")
        } else {
            return;
        };
        self.problems.push(ToolFileProblem::error("header", member.value.range.clone(), message, hint));
    }

    fn check_code(&mut self, node: &JsonNode) -> Option<()> {
        let code = node.get("code")?;
        let text = code.as_str()?;
        if text.len() > MAX_TEMPLATE {
            let message = format!("the code has more than {MAX_TEMPLATE} bytes");
            self.problems.push(ToolFileProblem::error(
                "too-large",
                code.range.clone(),
                message,
                "Split it into several tools.",
            ));
            return None;
        }
        // Code is not a template, because `${…}` in backquotes is JavaScript's own syntax. Report only placeholders of
        // the tool format, which nothing would replace.
        for name in ["${env:", "${arg:", "${workspaceFolder}"] {
            if let Some(at) = text.find(name) {
                let range = code.range_in_file(self.scope.text, at..at + name.len());
                let hint = "Code is not a template: arguments are in `args`, and secrets are not available.";
                self.problems.push(ToolFileProblem::error(
                    "template",
                    range,
                    format!("`{name}` has no effect in code"),
                    hint,
                ));
            }
        }
        Some(())
    }

    /// Compiles a table of templates; `None` if one of them is invalid.
    fn table(&mut self, node: Option<&JsonNode>, escaping: Escaping) -> Option<Vec<(String, Template)>> {
        let members = node.map(JsonNode::members).unwrap_or_default();
        // Compile all templates first, to report all problems.
        let compiled: Vec<_> =
            members.iter().map(|member| (member.name.clone(), self.template(&member.value, escaping))).collect();
        compiled.into_iter().map(|(name, template)| Some((name, template?))).collect()
    }

    fn template(&mut self, node: &JsonNode, escaping: Escaping) -> Option<Template> {
        let text = node.as_str()?;
        // Secrets differ between machines, but a template must be valid or invalid on all of them.
        self.names.environment = secret_placeholders(text).map(|(name, _)| name.to_owned()).collect();
        for (name, range) in secret_placeholders(text) {
            if !self.scope.secrets.iter().any(|secret| secret == name) {
                let message = format!("the secret `{name}` is not set on this machine; calls fail until it is");
                let hint = format!("Add it to your own zubi.toml: `[env]` `{name} = {{ file = \"…\" }}`.");
                let range = node.range_in_file(self.scope.text, range);
                self.problems.push(ToolFileProblem::warning("missing-secret", range, message, hint));
            }
        }
        let (template, issues) = match Template::parse(text, escaping, &self.names) {
            Ok(template) => {
                let found = template.warnings().to_vec();
                (Some(template), found)
            }
            Err(found) => (None, found),
        };
        for problem in issues {
            let severity = match problem.severity {
                TemplateSeverity::Error => ProblemSeverity::Error,
                TemplateSeverity::Warning => ProblemSeverity::Warning,
            };
            // The message contains the hint after a semicolon.
            let (message, hint) = problem.message.split_once("; ").unwrap_or((&problem.message, ""));
            let range = node.range_in_file(self.scope.text, problem.range);
            self.problems.push(ToolFileProblem {
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

/// Returns the `${env:NAME}` placeholders in a text: name and byte range.
fn secret_placeholders(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    const PREFIX: &str = "${env:";
    text.match_indices(PREFIX).filter_map(|(at, _)| {
        let from = at + PREFIX.len();
        let (name, _) = text.get(from..)?.split_once('}')?;
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then_some((name, at..from + name.len() + 1))
    })
}

fn argument_kind(schema: &Value) -> ArgumentKind {
    if schema.get("enum").is_some() && schema.get("type").and_then(Value::as_str) == Some("string") {
        return ArgumentKind::Choice;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => ArgumentKind::Text,
        Some("integer" | "number") => ArgumentKind::Number,
        Some("boolean") => ArgumentKind::Boolean,
        Some("array") => ArgumentKind::Array,
        Some("object") => ArgumentKind::Object,
        _ => ArgumentKind::Any,
    }
}

/// Returns whether JavaScript code mentions a name as a whole word.
fn mentions(code: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    code.match_indices(name).any(|(at, _)| {
        let before = code.get(..at).and_then(|text| text.chars().next_back());
        let after = code.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}
