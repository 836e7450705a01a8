//! Requests diagnostics, and the state of a project, from tsserver through its language server.
//!
//! This module has the form of the request and the response; [`crate::endpoint`] sends it. tsserver finds a file's
//! diagnostics in three steps (syntax, types, suggestions). typescript-language-server publishes after each of them
//! without a version, so the last publication is unknown. It also forwards requests of tsserver's protocol as a
//! command. The response to a `…Sync` request (TypeScript, `protocol.d.ts`) has all diagnostics of one step for the
//! last text sent.

use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::lsp::Diagnostic;

/// The requests, one for each step.
pub(crate) const STEPS: [&str; 3] =
    ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];

/// The maximum number of diagnostics of one step.
const MAX_ITEMS: usize = 2_000;

/// Returns the params of `workspace/executeCommand` for one step.
pub(crate) fn request_params(command: &str, step: &str, document: &str) -> Value {
    json!({ "command": command, "arguments": [step, { "file": document }] })
}

/// The request about the project of a file.
pub(crate) const PROJECT_INFO: &str = "projectInfo";

/// tsserver's `ProjectInfo`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProjectInfo {
    /// The path of the configuration file, or a name in its place.
    config_file_name: String,
    #[serde(default)]
    language_service_disabled: bool,
}

/// Returns the name of a project whose language service is off, from the response to [`PROJECT_INFO`]. tsserver switches
/// it off if the files of the project that are not TypeScript have more than 20 MiB (`maxProgramSizeForNonTsFiles`): then
/// most answers are about the opened files only.
pub(crate) fn disabled_project(mut result: Value) -> Option<String> {
    let info = serde_json::from_value::<ProjectInfo>(result.get_mut("body")?.take()).ok()?;
    info.language_service_disabled.then_some(info.config_file_name)
}

/// tsserver's response. Only the body matters: a failed request fails the command.
#[derive(Deserialize)]
struct TsResponse {
    body: Vec<Value>,
}

/// tsserver's `Diagnostic`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TsDiagnostic {
    start: TsLocation,
    end: TsLocation,
    text: String,
    category: String,
    code: Option<i64>,
    source: Option<String>,
    #[serde(default)]
    reports_unnecessary: Option<Value>,
    #[serde(default)]
    reports_deprecated: Option<Value>,
}

/// A 1-based line; `offset` is 1-based in UTF-16 units.
#[derive(Deserialize)]
struct TsLocation {
    line: u32,
    offset: u32,
}

impl TsLocation {
    fn to_lsp(&self) -> Value {
        json!({ "line": self.line.saturating_sub(1), "character": self.offset.saturating_sub(1) })
    }
}

/// Converts the diagnostics of one step to LSP's form; `None` if the value is not a response of tsserver. Skips a
/// diagnostic that cannot be read.
pub(crate) fn answer(result: Value) -> Option<Vec<Diagnostic>> {
    let response = serde_json::from_value::<TsResponse>(result).ok()?;
    Some(response.body.into_iter().take(MAX_ITEMS).filter_map(diagnostic).collect())
}

fn diagnostic(ts_diagnostic: Value) -> Option<Diagnostic> {
    let ts_diagnostic = serde_json::from_value::<TsDiagnostic>(ts_diagnostic).ok()?;
    let is_set =
        |flag: &Option<Value>| flag.as_ref().is_some_and(|flag| !matches!(flag, Value::Null | Value::Bool(false)));
    // The numbers are LSP's `DiagnosticTag`.
    let tags: Vec<u8> = [(&ts_diagnostic.reports_unnecessary, 1), (&ts_diagnostic.reports_deprecated, 2)]
        .into_iter()
        .filter_map(|(flag, tag)| is_set(flag).then_some(tag))
        .collect();
    let mut diagnostic = json!({
        "range": { "start": ts_diagnostic.start.to_lsp(), "end": ts_diagnostic.end.to_lsp() },
        "message": ts_diagnostic.text,
        // LSP's `DiagnosticSeverity`; a category other than warning and suggestion counts as an error, as in the
        // language server.
        "severity": match ts_diagnostic.category.as_str() { "warning" => 2, "suggestion" => 4, _ => 1 },
        "source": ts_diagnostic.source.as_deref().unwrap_or("typescript"),
    });
    if let Some(code) = ts_diagnostic.code {
        diagnostic["code"] = json!(code);
    }
    if !tags.is_empty() {
        diagnostic["tags"] = json!(tags);
    }
    serde_json::from_value(diagnostic).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_converted_to_lsp() {
        let at = |line: i32, offset: i32| json!({ "line": line, "offset": offset });
        let body = json!([
            { "start": at(3, 14), "end": at(3, 23), "text": "Cannot find name 'R'.", "code": 2304, "category": "error" },
            { "start": at(1, 1), "end": at(1, 2), "text": "unused", "code": 6133, "category": "suggestion",
              "reportsUnnecessary": {}, "source": "ts-plugin" },
            { "start": at(-1, 0), "text": 7 },
        ]);
        let read = answer(json!({ "type": "response", "success": true, "body": body })).unwrap();
        let diagnostics: Vec<_> = read.iter().map(|item| serde_json::to_string(item).unwrap()).collect();
        insta::assert_snapshot!(diagnostics.join("\n"), @r#"
        {"range":{"start":{"line":2,"character":13},"end":{"line":2,"character":22}},"severity":1,"code":2304,"source":"typescript","message":"Cannot find name 'R'."}
        {"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"severity":4,"code":6133,"source":"ts-plugin","message":"unused","tags":[1]}
        "#);
        assert_eq!(answer(json!("NoServer")), None);
        assert_eq!(answer(Value::Null), None);
    }
}
