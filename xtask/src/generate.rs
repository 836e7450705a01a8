//! `cargo xtask generate`: the reference pages that are written by the program itself, so that they cannot drift.
//!
//! The page of the tools comes from `zubi tools list --json`, that is from the registry every surface uses.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use camino::Utf8PathBuf;
use serde_json::Value;

use crate::{place, run};

const NOTICE: &str = "<!-- Written by `cargo xtask generate`; edit the tool's own description instead. -->\n\n";

/// A page and its fresh content.
struct Page {
    file: Utf8PathBuf,
    text: String,
}

/// Writes the pages.
pub(crate) fn write() -> Result<()> {
    for page in pages()? {
        std::fs::write(&page.file, &page.text).with_context(|| format!("cannot write {}", page.file))?;
        println!("   wrote {}", page.file.strip_prefix(&*place::ROOT).unwrap_or(&page.file));
    }
    Ok(())
}

/// Fails when a page on disk is not what would be written.
pub(crate) fn check() -> Result<String> {
    let pages = pages()?;
    let stale: Vec<_> = pages
        .iter()
        .filter(|page| std::fs::read_to_string(&page.file).unwrap_or_default() != page.text)
        .map(|page| format!("{} is not fresh: run `cargo xtask generate`", page.file))
        .collect();
    if stale.is_empty() { Ok(format!("{} pages", pages.len())) } else { bail!("{}", stale.join("\n")) }
}

fn pages() -> Result<Vec<Page>> {
    let mut list = run::cargo();
    list.args(["run", "--quiet", "--locked", "--package", "zubi", "--", "tools", "list", "--json"]);
    let tools: Value = serde_json::from_str(&run::quiet(&mut list)?).context("`zubi tools list --json` is no JSON")?;
    Ok(vec![Page { file: place::ROOT.join("docs/src/reference/tools.md"), text: tools_page(&tools)? }])
}

fn tools_page(tools: &Value) -> Result<String> {
    let tools = tools.as_array().or_else(|| tools["tools"].as_array()).context("the tool list is no array")?;
    let mut page = format!("{NOTICE}# Tools\n");
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
        page.push_str(&parameters(&tool["input"])?);
        if !field("notes").is_empty() {
            write!(page, "\n{}\n", field("notes"))?;
        }
    }
    Ok(page)
}

/// A table of the properties of an object schema.
fn parameters(schema: &Value) -> Result<String> {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else {
        return Ok("No parameters.\n".to_owned());
    };
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
    let mut table = "| parameter | type | meaning |\n|---|---|---|\n".to_owned();
    for (name, property) in properties {
        let kind = match (&property["type"], property["enum"].as_array()) {
            (_, Some(values)) => values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(" "),
            (Value::String(kind), None) => kind.clone(),
            (other, None) => other.to_string(),
        };
        let must = if required(name) { " (required)" } else { "" };
        let meaning = property["description"].as_str().unwrap_or_default().replace('|', "\\|").replace('\n', " ");
        writeln!(table, "| `{name}`{must} | {kind} | {meaning} |")?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::tools_page;
    use serde_json::json;

    #[test]
    fn a_tool_becomes_a_section_with_its_parameters() {
        let tools = json!([{
            "id": "lsp_example", "description": "Says where.", "effect": "read", "toolset": "lsp",
            "exposure": "direct", "notes": "",
            "input": { "type": "object", "required": ["path"], "properties": {
                "path": { "type": "string", "description": "A file | a folder." },
                "format": { "type": "string", "enum": ["text", "json"], "description": "Shape." }
            } }
        }]);
        insta::assert_snapshot!(tools_page(&tools).unwrap(), @r#"
        <!-- Written by `cargo xtask generate`; edit the tool's own description instead. -->

        # Tools

        ## `lsp_example`

        Says where.

        Effect: read · toolset: lsp · exposure: direct

        | parameter | type | meaning |
        |---|---|---|
        | `path` (required) | string | A file \| a folder. |
        | `format` | `"text"` `"json"` | Shape. |
        "#);
    }
}
