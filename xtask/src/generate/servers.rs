//! The page of the language servers, from the catalogue's own files.
//!
//! The files are read as data, because xtask links no part of the product.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use camino::Utf8PathBuf;
use toml::{Table, Value};

use super::NOTICE;
use crate::paths;

/// Renders the page.
pub(super) fn page() -> Result<String> {
    let mut rows = Vec::new();
    for file in files()? {
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
        let table: Table = text.parse().with_context(|| format!("{file} is not valid TOML"))?;
        rows.extend(list(&table, "server").iter().filter_map(Value::as_table).cloned());
    }
    render(&rows)
}

/// The catalogue's files, sorted by name.
fn files() -> Result<Vec<Utf8PathBuf>> {
    let servers = paths::ROOT.join("crates/zubi-lsp-client");
    let mut files = vec![servers.join("catalogue.toml")];
    for directory in [servers.join("catalogue"), servers.join("catalogue/listed")] {
        let mut here = Vec::new();
        for entry in directory.read_dir_utf8().with_context(|| format!("cannot list {directory}"))? {
            let path = entry?.into_path();
            if path.extension() == Some("toml") {
                here.push(path);
            }
        }
        here.sort();
        files.extend(here);
    }
    Ok(files)
}

fn render(rows: &[Table]) -> Result<String> {
    let mut page = format!("{NOTICE}# Language servers\n\n");
    page.push_str(
        "zubi looks for these programs on PATH, in `node_modules/.bin` and in `.venv/bin`, for the languages that occur in \
         the workspace. If several servers for one language and purpose are installed, the first row answers. Your own rows, and \
         changes to these, go into `~/.config/zubi/servers.toml`; the form is that of \
         `crates/zubi-lsp-client/catalogue.toml`.\n\n\
         In an untrusted folder zubi does not start a server that could execute code of the project, or restricts it; \
         `zubi trust` allows it. Every server runs in a [sandbox](../guide/sandbox.md#language-servers).\n",
    );
    for (title, introduction, tested) in [
        ("Tested", "zubi's own tests run these.", true),
        (
            "Known",
            "Described from their documentation; no test runs them. If zubi knows no readiness signal, answers say that \
             their completeness is unknown. Servers that are off need `enabled = true` in a row of your own.",
            false,
        ),
    ] {
        let is_in_section = |row: &&Table| row.get("tested").and_then(Value::as_bool).unwrap_or(false) == tested;
        let here: Vec<&Table> = rows.iter().filter(is_in_section).collect();
        write!(page, "\n## {title}\n\n{introduction} {} servers.\n\n", here.len())?;
        page.push_str("| server | languages | before the folder is trusted | in the sandbox, besides caches of its own | install |\n|---|---|---|---|---|\n");
        for row in here {
            let languages: Vec<_> = list(row, "languages").iter().filter_map(|language| language.get("id")).collect();
            let languages: Vec<_> = languages.into_iter().filter_map(Value::as_str).collect();
            let install = list(row, "install").first().and_then(|install| install.get("command"));
            let off = if row.get("enabled").and_then(Value::as_bool) == Some(false) { " (off)" } else { "" };
            writeln!(
                page,
                "| `{}`{off} | {} | {} | {} | {} |",
                text(row, "id"),
                languages.join(", "),
                untrusted_treatment(row),
                access(row),
                install.and_then(Value::as_str).map(command).unwrap_or_default(),
            )?;
        }
    }
    Ok(page)
}

/// Describes what the server may do in the sandbox.
fn access(row: &Table) -> String {
    let Some(access) = row.get("access").and_then(Value::as_table) else { return String::new() };
    let project = ["builds", "files"].into_iter().flat_map(|key| list(access, key));
    let project = project.filter_map(|path| path.get("path").and_then(Value::as_str));
    let paths = project.chain(list(access, "writes").iter().filter_map(Value::as_str));
    let paths: Vec<_> = paths.map(|path| format!("`{path}`")).collect();
    let writes = (!paths.is_empty()).then(|| format!("writes {}", paths.join(", ")));
    let network = access.get("network").and_then(Value::as_str);
    let network = network.map(|purpose| format!("network if you allow it, {}", cell(purpose)));
    writes.into_iter().chain(network).collect::<Vec<_>>().join("; ")
}

/// Describes how zubi treats the server in an untrusted folder.
fn untrusted_treatment(row: &Table) -> String {
    match row.get("untrusted") {
        Some(Value::String(rule)) if rule == "run" => "runs".to_owned(),
        Some(Value::Table(_)) => format!("restricted: not {}", cell(text(row, "runs"))),
        _ => format!("does not run: it would run {}", cell(text(row, "runs"))),
    }
}

/// Renders a command as code, an address as text.
fn command(text: &str) -> String {
    if text.contains("https://") && !text.starts_with("cargo ") { cell(text) } else { format!("`{}`", cell(text)) }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn text<'a>(row: &'a Table, field: &str) -> &'a str {
    row.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(table: &'a Table, field: &str) -> &'a [Value] {
    table.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{list, render};
    use toml::{Table, Value};

    #[test]
    fn a_row_becomes_a_line() {
        let table: Table = r#"
            [[server]]
            id = "one"
            tested = true
            untrusted = { restricted = {} }
            runs = "a | b"
            languages = [{ id = "x" }, { id = "y" }]
            install = [{ how = "npm", command = "npm install one" }, { how = "pip", command = "pip install one" }]

            [[server]]
            id = "two"
            enabled = false
            untrusted = "never"
            runs = "its plug-ins"
            languages = [{ id = "z" }]
            install = [{ how = "release", command = "download from https://two.example" }]
        "#
        .parse()
        .unwrap();
        let rows: Vec<Table> = list(&table, "server").iter().filter_map(Value::as_table).cloned().collect();
        let page = render(&rows).unwrap();
        let lines: Vec<_> = page.lines().filter(|line| line.starts_with('|') || line.starts_with("##")).collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        ## Tested
        | server | languages | before the folder is trusted | in the sandbox, besides caches of its own | install |
        |---|---|---|---|---|
        | `one` | x, y | restricted: not a \| b |  | `npm install one` |
        ## Known
        | server | languages | before the folder is trusted | in the sandbox, besides caches of its own | install |
        |---|---|---|---|---|
        | `two` (off) | z | does not run: it would run its plug-ins |  | download from https://two.example |
        ");
    }
}
