//! Everything that trusting a tool lets in, for the person who is about to: what it runs, word for word, with whatever goes
//! along, and what it says of itself to models.

use std::collections::BTreeMap;

use serde_json::Value;
use zubi_base::visible::{on_lines, on_one_line};

use super::definition::Definition;
use super::format::{EditorCommand, FileAccess, Http, SandboxDeclaration, Shell, ShellKind, ToolExecution};
use super::load::LoadedFile;

/// What a file's variables are, and each of its tools. One line each, nothing in them that a terminal would obey or a reader
/// not see.
pub fn of_file(file: &LoadedFile) -> Vec<String> {
    let mut lines = Vec::new();
    let used = |name: &String| file.tools.iter().any(|tool| tool.plan.variables.contains(name));
    for (name, value) in file.variables.iter().filter(|(name, _)| used(name)) {
        lines.push(format!("variable {name}: {}", one_line(value)));
    }
    for tool in &file.tools {
        lines.extend(of_tool(&tool.definition));
    }
    lines
}

fn of_tool(definition: &Definition) -> Vec<String> {
    let asks = if definition.requires_approval { "asks before each call" } else { "does not ask by itself" };
    let mut lines = vec![format!("{} ({}), {asks}:", definition.id, definition.kind())];
    let mut tell = |name: &str, text: &str| {
        // What stands on one line is told on one; a text of several is set off.
        if text.trim_end().contains('\n') {
            lines.push(format!("  {name}:"));
            lines.extend(text.trim_end().split('\n').map(|line| format!("    {}", on_lines(line))));
        } else {
            lines.push(format!("  {name}: {}", on_lines(text.trim_end())));
        }
    };
    match &definition.tool.execution {
        ToolExecution::Shell(Shell { script, shell, cwd, env }) => {
            tell(if *shell == ShellKind::Bash { "bash" } else { "sh" }, script);
            if let Some(cwd) = cwd {
                tell("in", cwd);
            }
            table(&mut tell, "environment", env);
        }
        ToolExecution::Http(Http { url, method, headers, body }) => {
            tell(method.name(), url);
            table(&mut tell, "header", headers);
            if let Some(body) = body {
                tell("body", body);
            }
        }
        ToolExecution::Inline(inline) => tell("JavaScript", &inline.code),
        ToolExecution::Command(EditorCommand { command, args }) => {
            tell("command", command);
            if !args.is_empty() {
                tell("arguments", &Value::Array(args.clone()).to_string());
            }
        }
        ToolExecution::Function(function) => tell("function", &function.handler),
    }
    if let Some(sandbox) = &definition.tool.sandbox {
        for (name, value) in beyond_default(sandbox) {
            tell(name, &value);
        }
    }
    tell("says to models", &definition.tool.description);
    for (name, schema, _) in definition.arguments() {
        if let Some(says) = schema.get("description").and_then(Value::as_str) {
            tell(&format!("argument {name}"), says);
        }
    }
    lines
}

fn table(tell: &mut impl FnMut(&str, &str), what: &str, values: &BTreeMap<String, String>) {
    for (name, value) in values {
        tell(&format!("{what} {}", on_one_line(name)), value);
    }
}

/// What a tool may touch, where it does not leave that to the default.
fn beyond_default(sandbox: &SandboxDeclaration) -> Vec<(&'static str, String)> {
    let SandboxDeclaration { fs, net, exec, env } = sandbox;
    let FileAccess { read, write } = fs.clone().unwrap_or_default();
    let all =
        [("may read", &read), ("may write", &write), ("may reach", net), ("may execute", exec), ("is let see", env)];
    let told = |list: &Vec<String>| if list.is_empty() { "nothing".to_owned() } else { list.join(", ") };
    all.into_iter().filter_map(|(name, list)| Some((name, told(list.as_ref()?)))).collect()
}

fn one_line(text: &str) -> String {
    on_one_line(text).into_owned()
}
