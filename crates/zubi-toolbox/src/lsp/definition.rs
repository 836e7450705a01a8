//! `lsp_definition`: where a symbol is declared, with its source.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::features::locations::Relation;
use zubi_code::locate::Snap;
use zubi_code::{CodeError, Question};
use zubi_tools::Effect;

use crate::lsp::arguments::{Paging, Target};
use crate::lsp::code_tool::{About, CodeTool, Reply};
use crate::lsp::view::{View, count, hit_json, resolved_json};

pub(crate) struct Definition;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: Target,
    /// Source lines around it
    context: Option<u32>,
}

/// More lines than this are a file to read, not context.
pub(crate) const MAX_CONTEXT: u32 = 50;

#[async_trait]
impl CodeTool for Definition {
    const ABOUT: About = About {
        id: "lsp_definition",
        title: "Go to definition",
        description: "Where a symbol is defined, libraries included: path:line:col and the source line. Resolves imports, overloads and inheritance as the compiler does.",
        operation: "find the definition",
        effect: Effect::Read,
        toolset: "lsp",
        tags: &["definition", "declaration", "go to", "symbol"],
        example: || ("Where is Console.print defined?", json!({ "symbol": "Console/print", "context": 3 })),
    };
    type Input = Input;

    async fn answer(question: &Question<'_>, input: Input, view: &View) -> Result<Reply, CodeError> {
        let at = question.resolve(&input.target.input(), Snap::Identifier).await?;
        let context = input.context.unwrap_or(0).min(MAX_CONTEXT);
        let found = question.locations(&at, Relation::Definition).await?;
        let (list, hits) = view.hits(question, &found.value, context, &Paging::default()).await?;
        let mut text = at.header();
        let name = at.name.as_deref().unwrap_or("this place");
        // Writing to a `String` cannot fail.
        let _ = match found.value.len() {
            0 => writeln!(
                text,
                "\nno definition of `{name}`: the server knows none (a keyword, a literal, or code it cannot resolve)"
            ),
            total => writeln!(text, "\n{} of `{name}`", count(total, "definition")),
        };
        text.push_str(&list.text);
        let mut status = found.status;
        status.merge(at.status.clone());
        let data = view.data(|| {
            let items: Vec<_> = hits.iter().map(hit_json).collect();
            json!({ "resolved": resolved_json(&at), "items": items, "total": found.value.len() })
        });
        Ok(Reply { text, data, status, truncated: list.truncated })
    }
}
