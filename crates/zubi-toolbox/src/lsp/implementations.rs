//! `lsp_implementations`: what implements an interface or overrides a method.

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
use crate::lsp::places::{self, Wanted};
use crate::lsp::view::View;

pub(crate) struct Implementations;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: Target,
    #[serde(flatten)]
    paging: Paging,
}

#[async_trait]
impl CodeTool for Implementations {
    const ABOUT: About = About {
        id: "lsp_implementations",
        title: "Find implementations",
        description: "What implements an interface, trait or abstract class, or overrides a method: path, line:col and source line of each.",
        operation: "find implementations",
        effect: Effect::Read,
        toolset: "lsp",
        tags: &["implementations", "implements", "overrides", "subclasses", "interface", "trait"],
        example: || ("What implements the trait Shape?", json!({ "symbol": "Shape" })),
    };
    type Input = Input;

    async fn answer(question: &Question<'_>, input: Input, view: &View) -> Result<Reply, CodeError> {
        let at = question.resolve(&input.target.input(), Snap::Identifier).await?;
        let wanted = Wanted {
            relation: Relation::Implementations,
            noun: "implementation",
            why_none: "nothing implements or overrides it, or it is nothing that can be implemented",
            context: None,
            paging: input.paging,
        };
        places::reply(question, view, &at, &wanted).await
    }
}
