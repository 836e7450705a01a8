//! The requests after each edit.

use anyhow::Result;
use large_example::Size;
use serde_json::{Value, json};
use zubi_tests::Project;

use super::edits::{self, Edit, Kind};
use super::server::Program;

/// A request whose response is a difference to the previous response.
pub(crate) const TOKENS_DELTA: &str = "textDocument/semanticTokens/full/delta";

/// The request that calls a tool; only `zubi lsp` supports it.
pub(crate) const TOOL: &str = "zubi/tools/call";

/// A request to the server.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) title: String,
    pub(crate) method: &'static str,
    /// The parameters without the edit, and with it.
    pub(crate) params: [Value; 2],
    /// Whether the edit changes the answer.
    pub(crate) depends_on_edit: bool,
}

impl Question {
    pub(crate) fn is_for(&self, program: Program) -> bool {
        program == Program::Zubi || self.method != TOOL
    }
}

fn question(title: &str, method: &'static str, params: Value, depends_on_edit: bool) -> Question {
    Question { title: title.to_owned(), method, params: [params.clone(), params], depends_on_edit }
}

/// Returns the requests after an edit: those of tools, and those of editors about the open document.
pub(crate) fn questions_after(edit: &Edit, project: &Project, size: Size) -> Result<Vec<Question>> {
    let mut questions = model_questions(edit, size);
    let document = json!({ "uri": format!("file://{}", project.root().join(&edit.file)) });
    let diagnostics = |depends_on_edit| {
        question(
            "diagnostics of the document",
            "textDocument/diagnostic",
            json!({ "textDocument": document }),
            depends_on_edit,
        )
    };
    if edit.kind == Kind::Body && !edit.is_shared() {
        let text = project.read(&edit.file);
        questions.extend(editor_questions(edit, &document, &text)?);
        questions.extend(tool_questions(edit, &text)?);
        questions.push(diagnostics(false));
    } else if edit.kind == Kind::Rename && !edit.is_shared() {
        questions.push(diagnostics(true));
    }
    Ok(questions)
}

/// Returns the requests about the model. The kind of the edit decides which answers it changes.
fn model_questions(edit: &Edit, size: Size) -> Vec<Question> {
    let is_rename = edit.kind == Kind::Rename;
    let element_question = |title: &str, method| Question {
        params: edit.subject.clone().map(|fqn| json!({ "fqn": fqn })),
        ..question(title, method, Value::Null, true)
    };
    let contexts = size.areas * size.contexts;
    vec![
        question("validate", "domainlang/validate", json!({}), is_rename),
        // A renamed context loses its relationships.
        question("get, the summary", "domainlang/get", json!({}), is_rename && !edit.is_shared()),
        element_question("get, one element", "domainlang/get"),
        element_question("explain", "domainlang/explain"),
        question("list teams", "domainlang/list", json!({ "type": "teams" }), is_rename && edit.is_shared()),
        question(
            &format!("list {contexts} contexts"),
            "domainlang/list",
            json!({ "type": "bcs" }),
            is_rename || !edit.is_shared(),
        ),
    ]
}

/// The beginning of the edited context's declaration.
fn head(edit: &Edit) -> String {
    format!("BoundedContext {}", edit.subject[0].rsplit('.').next().unwrap_or_default())
}

/// Returns tool calls: DomainLang's own requests, and a code tool that is built on them.
fn tool_questions(edit: &Edit, text: &str) -> Result<Vec<Question>> {
    let (line, column) = edits::line_and_character(text, edits::offset_after(text, &[&head(edit), " by "])?);
    let at = format!("{}:{}:{}", edit.file, line + 1, column + 1);
    let call = |title: &str, tool, args: Value, depends_on_edit| {
        question(&format!("tool `{tool}`{title}"), TOOL, json!({ "id": tool, "args": args }), depends_on_edit)
    };
    Ok(vec![
        call(", one element", "domainlang_get", json!({ "fqn": edit.subject[0] }), true),
        call(", the summary", "domainlang_get", json!({}), false),
        call("", "domainlang_validate", json!({}), false),
        call(" of a team", "lsp_definition", json!({ "at": at }), false),
    ])
}

fn editor_questions(edit: &Edit, document: &Value, text: &str) -> Result<Vec<Question>> {
    let head = head(edit);
    let at = |fragments: &[&str]| -> Result<Value> {
        let (line, character) = edits::line_and_character(text, edits::offset_after(text, fragments)?);
        Ok(json!({ "textDocument": document, "position": { "line": line, "character": character } }))
    };
    let document_params = json!({ "textDocument": document });
    Ok(vec![
        question("completion of a team", "textDocument/completion", at(&[&head, " by "])?, false),
        question("hover", "textDocument/hover", at(&[&head])?, true),
        question("symbols of the document", "textDocument/documentSymbol", document_params.clone(), true),
        question("semantic tokens, the difference", TOKENS_DELTA, document_params, true),
    ])
}
