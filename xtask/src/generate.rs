//! `cargo xtask generate`: the reference pages that the programs themselves describe, so that they stay up to date.
//!
//! The page of the tools comes from `zubi tools list --json`, that is, from the registry of every surface; the page of
//! the command lines from their help; the protocol's from `zubi ipc --schema`; that of the language servers from the
//! catalogue. The manifest of the VS Code extension takes its tools' schemas from the registry too.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::fresh::{self, Fresh};
use crate::{paths, run, test};

mod extension;
mod ipc;
mod servers;
mod typescript;

const NOTICE: &str = "<!-- Written by `cargo xtask generate` from the program itself; change it there. -->\n\n";

/// Builds the programs and writes the pages.
pub(crate) fn write() -> Result<()> {
    test::build()?;
    fresh::write(&pages()?)
}

/// Fails if a page on disk differs from the output of [`write()`].
pub(crate) fn check() -> Result<String> {
    fresh::check(&pages()?, "cargo xtask generate")
}

fn pages() -> Result<Vec<Fresh>> {
    let tools: Value =
        serde_json::from_str(&tool_list()?).context("the output of `zubi tools list --json` is not valid JSON")?;
    let codes: Value = serde_json::from_str(&zubi(&["tools", "codes", "--json"])?)
        .context("the output of `zubi tools codes --json` is not valid JSON")?;
    let protocol = zubi(&["ipc", "--schema"])?;
    let reference = paths::ROOT.join("docs/src/reference");
    Ok(vec![
        Fresh { file: reference.join("tools.md"), text: tools_page(&tools)? },
        Fresh { file: reference.join("error-codes.md"), text: codes_page(&codes)? },
        Fresh { file: reference.join("command-line.md"), text: command_line_page()? },
        Fresh { file: reference.join("servers.md"), text: servers::page()? },
        Fresh { file: reference.join("ipc.md"), text: ipc::page(&protocol)? },
        Fresh { file: paths::ROOT.join("docs/ipc.schema.json"), text: protocol },
        Fresh {
            file: paths::ROOT.join("editors/vscode/schemas/agent-tools.schema.json"),
            text: zubi(&["tools", "schema"])?,
        },
        Fresh {
            file: paths::ROOT.join("editors/vscode/src/protocol.ts"),
            text: typescript::module(&zubi(&["lsp", "--schema"])?)?,
        },
        extension::manifest(tools.as_array().context("the tool list is not an array")?)?,
    ])
}

/// The output of `zubi` with these arguments.
fn zubi(arguments: &[&str]) -> Result<String> {
    program("zubi", arguments)
}

/// The output of `zubi tools list --json` with all tools. The name of the server is an example, since the list connects to
/// nothing.
fn tool_list() -> Result<String> {
    let mut command = run::command(paths::target().join("debug/zubi").as_str());
    run::quiet(command.env("ZUBI_TEAM_INDEX", "host=db.example").args(["tools", "list", "--json"]))
}

/// The output of one of the two programs. The caller has built the workspace: `cargo run -p zubi` would compile the
/// shared dependencies again, with the features of that package alone.
fn program(name: &str, arguments: &[&str]) -> Result<String> {
    run::quiet(run::command(paths::target().join("debug").join(name).as_str()).args(arguments))
}

/// The help of all commands of both programs.
fn command_line_page() -> Result<String> {
    let mut page = format!("{NOTICE}# Command line\n");
    for name in ["zubi", "dlang"] {
        let mut pending = vec![name.to_owned()];
        while let Some(command) = pending.pop() {
            let words: Vec<&str> = command.split(' ').skip(1).chain(["--help"]).collect();
            let help = program(name, &words)?;
            let level = if words.len() == 1 { "##" } else { "###" };
            write!(page, "\n{level} `{command}`\n\n```text\n{}\n```\n", help.trim_end())?;
            let commands = help.split_once("\nCommands:\n").map(|(_, rest)| rest).unwrap_or_default();
            let names =
                commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
            let mut names: Vec<_> = names.filter(|name| *name != "help").collect();
            names.reverse();
            pending.extend(names.into_iter().map(|name| format!("{command} {name}")));
        }
    }
    Ok(page)
}

fn tools_page(tools: &Value) -> Result<String> {
    let tools = tools.as_array().context("the tool list is not an array")?;
    let mut page = format!("{NOTICE}# Tools\n");
    // Parameters that are the same for every tool are described once.
    let mut common = BTreeMap::new();
    for tool in tools {
        let field = |name: &str| tool[name].as_str().unwrap_or_default();
        write!(page, "\n## `{}`\n\n{}\n\n", field("id"), field("description"))?;
        writeln!(
            page,
            "Effect: {} · toolset: {} · exposure: {}\n",
            field("effect"),
            field("toolset"),
            field("exposure")
        )?;
        let schema = &tool["inputSchema"];
        let properties = schema["properties"].as_object().into_iter().flatten();
        let (shared, own): (Vec<_>, Vec<_>) = properties.partition(|(_, property)| property["x-common"] == true);
        common.extend(shared);
        page.push_str(&parameters(own, &schema["required"])?);
        for example in tool["examples"].as_array().into_iter().flatten() {
            let title = example["title"].as_str().unwrap_or_default();
            write!(page, "\n{title}\n\n```json\n{}\n```\n", example["arguments"])?;
        }
    }
    if !common.is_empty() {
        page.push_str("\n## Parameters of every tool where they make sense\n\n");
        page.push_str(&parameters(common, &Value::Null)?);
    }
    Ok(page)
}

/// The page of error codes.
fn codes_page(codes: &Value) -> Result<String> {
    let mut page = format!(
        "{NOTICE}# Codes of failures\n\n\
        A call that fails says why in its text, whose wording may change, and by a code, whose name and meaning do not.\n\
        `zubi call --json` prints the code as `{{\"error\": {{\"code\", \"message\"}}}}`, the editor channel answers it as `code`, the audit\n\
        log has it as `outcome`. Over MCP a failure is its text, marked with `isError`; an unknown tool is the error -32602.\n\n\
        | code | what it means | what to do | `zubi call` exits with |\n|---|---|---|---|\n"
    );
    for code in codes.as_array().context("the list of codes is not an array")? {
        let field = |name: &str| code[name].as_str().unwrap_or_default();
        writeln!(page, "| `{}` | {} | {} | {} |", field("code"), field("meaning"), field("nextStep"), code["exit"])?;
    }
    Ok(page)
}

/// A table of an object schema's properties.
fn parameters<'a>(properties: impl IntoIterator<Item = (&'a String, &'a Value)>, required: &Value) -> Result<String> {
    let mut rows = String::new();
    for (name, property) in properties {
        let kind = match (&property["type"], property["enum"].as_array()) {
            (_, Some(values)) => values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(" "),
            (Value::String(kind), None) => kind.clone(),
            (other, None) => other.to_string(),
        };
        let is_required = required.as_array().is_some_and(|names| names.iter().any(|n| n == name));
        let meaning = property["description"].as_str().unwrap_or_default().replace('|', "\\|").replace('\n', " ");
        writeln!(rows, "| `{name}`{} | {kind} | {meaning} |", if is_required { " (required)" } else { "" })?;
    }
    if rows.is_empty() {
        return Ok("No parameters.\n".to_owned());
    }
    Ok(format!("| parameter | type | meaning |\n|---|---|---|\n{rows}"))
}

#[cfg(test)]
mod tests {
    use super::tools_page;
    use serde_json::json;

    #[test]
    fn a_tool_becomes_a_section_with_its_parameters() {
        let tools = json!([{
            "id": "lsp_example", "description": "Says where.", "effect": "read", "toolset": "lsp",
            "exposure": "direct",
            "inputSchema": { "type": "object", "required": ["path"], "properties": {
                "path": { "type": "string", "description": "A file | a folder." },
                "format": { "type": "string", "enum": ["text", "json"], "description": "Shape.", "x-common": true }
            } },
            "examples": [{ "title": "Where?", "arguments": { "path": "a.rs" } }]
        }]);
        insta::assert_snapshot!(tools_page(&tools).unwrap(), @r#"
        <!-- Written by `cargo xtask generate` from the program itself; change it there. -->

        # Tools

        ## `lsp_example`

        Says where.

        Effect: read · toolset: lsp · exposure: direct

        | parameter | type | meaning |
        |---|---|---|
        | `path` (required) | string | A file \| a folder. |

        Where?

        ```json
        {"path":"a.rs"}
        ```

        ## Parameters of every tool where they make sense

        | parameter | type | meaning |
        |---|---|---|
        | `format` | `"text"` `"json"` | Shape. |
        "#);
    }
}
