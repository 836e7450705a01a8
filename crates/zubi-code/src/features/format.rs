//! Plans the formatting of a document.

use camino::Utf8Path;
use serde_json::json;
use zubi_base::endpoint::{DocumentRef, EndpointError};
use zubi_base::lsp;

use crate::edit::{EditError, Plan};
use crate::error::CodeError;
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::status::QualifiedAnswer;

/// LSP's formatting options; zubi derives missing ones from the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormatOptions {
    pub tab_size: Option<u32>,
    pub insert_spaces: Option<bool>,
}

impl CodeQuery<'_> {
    /// Plans the formatting of a whole document; returns `None` if it is already formatted.
    pub async fn format(
        &self,
        path: &Utf8Path,
        options: &FormatOptions,
    ) -> Result<QualifiedAnswer<Option<Plan>>, CodeError> {
        let reference = DocumentRef::new(path);
        let method = "textDocument/formatting";
        let ready = self.ready_for(&reference, method, "format this file", ReadinessLevel::File).await;
        let mut ready = ready.map_err(|error| name_formatters(error, path))?;
        // A second formatter would undo the first one's work.
        ready.endpoints.truncate(1);
        let document = self.document(path).await?;
        let cx = self.request_cx().for_document(&reference);
        let (tab_size, insert_spaces) = indentation(&document.text);
        let params = json!({
            "textDocument": { "uri": reference.uri() },
            "options": {
                "tabSize": options.tab_size.unwrap_or(tab_size),
                "insertSpaces": options.insert_spaces.unwrap_or(insert_spaces),
            },
        });
        let mut replies = self.request_all(&ready, method, &cx, |_| params.clone()).await?;
        let Some(reply) = replies.replies.pop() else {
            return Ok(QualifiedAnswer { value: None, status: replies.status });
        };
        let edits = serde_json::from_value::<Option<Vec<lsp::TextEdit>>>(reply.result).map_err(|error| {
            EndpointError::Protocol {
                endpoint: reply.endpoint.id().clone(),
                message: format!("its formatting is not a list of edits: {error}"),
            }
        })?;
        let edits = edits.unwrap_or_default();
        if edits.is_empty() {
            return Ok(QualifiedAnswer { value: None, status: replies.status });
        }
        let title = format!("format `{}`", self.workspace().display(path));
        let encoding = reply.endpoint.encoding();
        let value = match self.intel.edits.plan_text_edits(&title, path, edits, encoding, &reply.endpoint.id().0).await
        {
            Ok(plan) => Some(plan),
            // Some formatters return the whole text even if nothing changes.
            Err(EditError::Nothing) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(QualifiedAnswer { value, status: replies.status })
    }
}

/// The formatters of languages whose servers have none, by extensions. zubi starts the first one as a server, if its hint
/// says so.
const FORMATTERS: &[(&[&str], &str)] = &[
    (
        &["py", "pyi"],
        "No formatter for Python is installed. With `ruff` on the PATH zubi formats by its server; `black`, `autopep8` and `yapf` are commands to run yourself.",
    ),
    (
        &[
            "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "css", "scss", "html", "md", "yaml",
            "yml",
        ],
        "The server has no formatter. Run `prettier --write` or `biome format --write` of the project, if it has one.",
    ),
    (&["sh", "bash"], "bash-language-server formats with `shfmt`: install it."),
    (&["lua"], "Run `stylua`, if the project uses it."),
    (&["php"], "Run `php-cs-fixer fix` or `pint` of the project, if it has one."),
    (&["rb"], "Run `rubocop -A`, if the project uses it."),
    (&["sql"], "Run `sqlfluff format` or `pg_format`, if the project uses it."),
    (&["proto"], "With `buf` on the PATH zubi formats by its server; `clang-format` is a command to run yourself."),
];

/// Replaces the error for an unsupported request by one that names the formatters of the language.
fn name_formatters(error: CodeError, path: &Utf8Path) -> CodeError {
    let CodeError::Unsupported { servers, operation, nearest } = error else { return error };
    let extension = path.extension().unwrap_or_default();
    match FORMATTERS.iter().find(|(extensions, _)| extensions.contains(&extension)) {
        Some((_, hint)) => CodeError::Incapable { servers, operation, hint },
        None => CodeError::Unsupported { servers, operation, nearest },
    }
}

/// Derives the tab size, and whether to indent with spaces, from the first 2,000 lines.
fn indentation(text: &str) -> (u32, bool) {
    let mut smallest: Option<usize> = None;
    for line in text.lines().take(2_000) {
        if line.starts_with('\t') {
            return (4, false);
        }
        let spaces = line.len() - line.trim_start_matches(' ').len();
        if spaces >= 2 && !line.trim().is_empty() {
            smallest = Some(smallest.map_or(spaces, |smallest| smallest.min(spaces)));
        }
    }
    let size = smallest.and_then(|spaces| u32::try_from(spaces).ok()).filter(|size| *size <= 8).unwrap_or(4);
    (size, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_is_detected_from_the_text() {
        assert_eq!(indentation("fn f() {\n    x\n}\n"), (4, true));
        assert_eq!(indentation("a:\n  b:\n    c\n"), (2, true));
        assert_eq!(indentation("a {\n\tb\n}\n"), (4, false));
        assert_eq!(indentation(""), (4, true));
    }
}
