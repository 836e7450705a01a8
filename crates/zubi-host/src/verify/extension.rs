//! Checks of a VS Code extension, if the workspace is the folder of one: finds errors that the editor would refuse, and
//! missing files, before the extension is packaged.

use camino::Utf8Path;
use serde_json::{Value, json};
use zubi_base::fs;

use super::check::{CheckFinding, CheckOutcome, CheckProblem, VerifyContext, fail};

/// The reason to skip these checks in any other folder.
const NO_EXTENSION: &str = "the workspace is not the folder of a VS Code extension";

/// The required fields of an extension's manifest.
const NEEDED: [&str; 5] = ["name", "version", "publisher", "engines", "main"];

/// The types of the interface for other extensions.
const TYPES: [&str; 4] = ["ToolDefinition", "ToolProvider", "ToolHandler", "ToolResult"];

/// Runs a check of the folder and its manifest; skips it if this is not the folder of an extension.
fn check(context: &VerifyContext, run_check: fn(&Utf8Path, &Value) -> CheckOutcome) -> CheckOutcome {
    let root = context.host.workspace().root();
    let Ok(text) = fs::read_text(&root.join("package.json")) else { return Ok(CheckFinding::Nothing(NO_EXTENSION)) };
    let manifest: Value = serde_json::from_str(&text)
        .map_err(|error| CheckProblem::new(format!("package.json is not valid JSON: {error}"), "Correct it there."))?;
    if manifest.pointer("/engines/vscode").is_none() {
        return Ok(CheckFinding::Nothing(NO_EXTENSION));
    }
    run_check(root, &manifest)
}

fn list<'a>(manifest: &'a Value, pointer: &str) -> &'a [Value] {
    manifest.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Checks that the manifest is complete, and that its contributions have unique names and can be displayed.
pub(super) fn manifest(context: &VerifyContext) -> CheckOutcome {
    check(context, |_, manifest| {
        if let Some(field) = NEEDED.iter().find(|field| manifest.get(**field).is_none()) {
            return fail(format!("package.json has no `{field}`"), "Add it.");
        }
        let (commands, tools) =
            (list(manifest, "/contributes/commands"), list(manifest, "/contributes/languageModelTools"));
        for (what, entries, name, needed) in [
            ("command", commands, "command", ["title"].as_slice()),
            ("language model tool", tools, "name", &["displayName", "modelDescription"]),
        ] {
            let mut names = Vec::new();
            for entry in entries {
                let Some(name) = entry.get(name).and_then(Value::as_str) else {
                    return fail(format!("a {what} in package.json has no `{name}`"), "Add it.");
                };
                if names.contains(&name) {
                    return fail(format!("the {what} `{name}` is listed twice in package.json"), "Remove one.");
                }
                if let Some(missing) = needed.iter().find(|field| entry.get(**field).is_none()) {
                    return fail(format!("the {what} `{name}` has no `{missing}`"), "Add it in package.json.");
                }
                names.push(name);
            }
        }
        Ok(CheckFinding::Facts(json!({ "commands": commands.len(), "languageModelTools": tools.len() })))
    })
}

/// Checks that the extension has been built, and that all files in the manifest exist.
pub(super) fn files(context: &VerifyContext) -> CheckOutcome {
    check(context, |root, manifest| {
        let text = |field: &str| manifest.get(field).and_then(Value::as_str);
        let mut file_names: Vec<&str> = text("main").into_iter().chain(text("icon")).collect();
        for (entries, field) in [
            ("/contributes/grammars", "path"),
            ("/contributes/languages", "configuration"),
            ("/contributes/jsonValidation", "url"),
        ] {
            file_names.extend(list(manifest, entries).iter().filter_map(|entry| entry.get(field)?.as_str()));
        }
        for file in file_names.iter().filter(|file| !file.contains("://")) {
            if Utf8Path::new(file).is_absolute() || file.split('/').any(|part| part == "..") {
                return fail(format!("package.json names `{file}`, outside of the folder"), "Correct it.");
            }
            if !root.join(file).is_file() {
                let is_built = text("main") == Some(*file);
                let hint = if is_built { "Build it: `npm run build`." } else { "Add it, or correct package.json." };
                return fail(format!("package.json names `{file}`, and there is no such file"), hint);
            }
        }
        for schema in file_names.iter().filter(|file| file.ends_with(".schema.json")) {
            let text = fs::read_text(&root.join(schema))
                .map_err(|error| CheckProblem::new(error.to_string(), "Fix the file."))?;
            let schema_of = |error: String| CheckProblem::new(format!("`{schema}`: {error}"), "Correct the schema.");
            let value: Value = serde_json::from_str(&text).map_err(|error| schema_of(error.to_string()))?;
            if !value.get("$schema").is_some_and(Value::is_string) {
                return Err(schema_of("it does not say that it is a JSON Schema (`$schema`)".to_owned()));
            }
        }
        Ok(CheckFinding::Facts(json!({ "files": file_names })))
    })
}

/// Checks that other extensions find the types of the interface.
pub(super) fn types(context: &VerifyContext) -> CheckOutcome {
    check(context, |root, _| {
        let directory = root.join("api");
        let Ok(entries) = directory.read_dir_utf8() else {
            return Ok(CheckFinding::Nothing("the extension has no `api` for others"));
        };
        let files = entries.flatten().map(camino::Utf8DirEntry::into_path);
        let files = files.filter(|path| path.as_str().ends_with(".d.ts"));
        let text: String = files.filter_map(|path| fs::read_text(&path).ok()).collect();
        let is_exported =
            |name: &str| ["interface", "type"].iter().any(|kind| text.contains(&format!("export {kind} {name}")));
        if let Some(name) = TYPES.iter().find(|name| !is_exported(name)) {
            return fail(format!("no `.d.ts` in `api` exports `{name}`"), "Export it: others program against it.");
        }
        Ok(CheckFinding::Facts(json!({ "exports": TYPES })))
    })
}

/// Checks that a marketplace would accept the extension.
pub(super) fn check_packaging(context: &VerifyContext) -> CheckOutcome {
    check(context, |root, manifest| {
        let publisher = manifest.get("publisher").and_then(Value::as_str).unwrap_or_default();
        if publisher.is_empty() {
            return fail("package.json has no `publisher`", "Add the name that it is published under.");
        }
        let is_there = |name: &str| root.join(name).is_file();
        if !is_there("README.md") {
            return fail("there is no README.md", "Write one: it is the extension's page.");
        }
        if !is_there(".vscodeignore") && manifest.get("files").is_none() {
            let hint = "List the files of the package: `**`, then `!dist/…`.";
            return fail("everything in the folder would be packaged", hint);
        }
        Ok(CheckFinding::Facts(json!({ "publisher": publisher })))
    })
}
