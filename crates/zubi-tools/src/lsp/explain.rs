//! `lsp_explain`: all facts about one symbol in one answer, each part bounded.
//!
//! The answer omits parts that no server supports, and lists the failures of servers that do support a part.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::text::pluralize;
use zubi_code::features::annotations::InferredLine;
use zubi_code::features::hierarchy::{Direction, SymbolHierarchy};
use zubi_code::features::locations::{RawLocation, Relation};
use zubi_code::locate::PositionIntent;
use zubi_code::{AnswerStatus, CodeError, CodeQuery, QualifiedAnswer};
use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::TargetArgs;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::tree;
use crate::lsp::view::{OutputBudget, file_count, listed_location_json, location_json, resolved_json};

pub(crate) struct ExplainSymbol;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
}

/// Maximum number of items shown of each list.
const MAX_ITEMS: u32 = 5;
/// Source lines on either side of a definition.
const CONTEXT_LINES: u32 = 3;
/// Share of the answer for the documentation and for each list, in percent.
const DOCUMENTATION_PERCENT: usize = 30;
const LIST_PERCENT: usize = 15;
/// Share of the answer for lines with inferred types, in percent.
const TYPES_PERCENT: usize = 8;

#[async_trait]
impl CodeTool for ExplainSymbol {
    const META: ToolMeta = ToolMeta {
        id: "lsp_explain",
        title: "Explain a symbol",
        description: "One symbol in one answer: type and documentation, definition with source, number of references with the first few, implementations and callers. Use it before working on a symbol.",
        exposure: Exposure::Deferred,
        tags: &["explain", "overview", "summary", "understand", "what is", "everything about"],
        example: || ("Explain Console.print and list its users", json!({ "symbol": "Console/print" })),
        listed: &["maxTokens"],
        ..CODE_TOOL
    };
    const OPERATION: &str = "explain the symbol";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let at = query.resolve(&input.target.input(), PositionIntent::Identifier).await?;
        let (hover, definitions, types, lenses, references, implementations, callers) = tokio::join!(
            query.hover(&at),
            query.locations(&at, Relation::Definition),
            query.inferred_types(&at),
            query.lens_titles(&at),
            query.references(&at, false),
            query.locations(&at, Relation::Implementations),
            query.hierarchy(&at, Direction::Incoming, 1),
        );
        let mut builder = ExplainBuilder {
            query,
            view,
            text: at.header(),
            data: json!({ "resolved": resolved_json(&at) }),
            status: at.status.clone(),
            has_answer: false,
            failed: None,
        };
        builder.text.push('\n');
        builder.add_hover(hover);
        builder
            .add_locations("definition", "definitions", definitions, CONTEXT_LINES, "lsp_definition lists them")
            .await?;
        builder.add_types(types)?;
        builder.add_lenses(lenses);
        let references =
            references.map(|answer| QualifiedAnswer { value: answer.value.locations, status: answer.status });
        builder.add_locations("reference", "references", references, 0, "lsp_references lists them").await?;
        builder
            .add_locations("implementation", "implementations", implementations, 0, "lsp_implementations lists them")
            .await?;
        builder.add_callers(callers)?;
        // If every part failed, the first failure is the answer.
        if let (false, Some(error)) = (builder.has_answer, builder.failed) {
            return Err(error);
        }
        Ok(CodeAnswer { text: builder.text, data: view.data(|| builder.data), status: builder.status, truncated: None })
    }
}

/// The answer under construction.
struct ExplainBuilder<'a> {
    query: &'a CodeQuery<'a>,
    view: &'a OutputBudget,
    text: String,
    data: Value,
    status: AnswerStatus,
    /// Whether any part has an answer.
    has_answer: bool,
    failed: Option<CodeError>,
}

impl ExplainBuilder<'_> {
    /// Returns the part's value and merges its status; writes a failure into the answer and skips unsupported queries.
    fn record_part<T>(&mut self, part: &str, answer: Result<QualifiedAnswer<T>, CodeError>) -> Option<T> {
        match answer {
            Ok(answer) => {
                self.has_answer = true;
                self.status.merge(answer.status);
                Some(answer.value)
            }
            Err(error) => {
                if !error.is_unsupported() {
                    // Writing to a `String` cannot fail.
                    let _ = writeln!(self.text, "{part}: failed: {error}");
                    self.data[part] = json!({ "failed": error.to_string() });
                }
                // A failure is more informative than an unsupported query.
                if self.failed.as_ref().is_none_or(CodeError::is_unsupported) {
                    self.failed = Some(error);
                }
                None
            }
        }
    }

    /// Like [`Self::record_part`] for optional parts, which do not count as an answer by themselves and whose missing
    /// support is not reported.
    fn record_optional_part<T>(&mut self, part: &str, answer: Result<QualifiedAnswer<T>, CodeError>) -> Option<T> {
        let (given, failed) = (self.has_answer, self.failed.take());
        let value = match answer {
            Err(CodeError::NoEndpoint(_) | CodeError::Unparsed { .. }) => None,
            answer => self.record_part(part, answer),
        };
        (self.has_answer, self.failed) = (given, failed);
        value
    }

    fn add_hover(&mut self, answer: Result<QualifiedAnswer<Vec<String>>, CodeError>) {
        let Some(texts) = self.record_part("documentation", answer) else { return };
        let (block, _) = self.view.part(DOCUMENTATION_PERCENT).block(&texts.join("\n\n"));
        if block.is_empty() {
            self.text.push_str("no documentation\n");
        } else {
            let _ = writeln!(self.text, "{}", block.trim_end());
        }
        self.data["documentation"] = json!(block);
    }

    /// Adds the lines of the definition that have inferred types, if there are any.
    fn add_types(&mut self, answer: Result<QualifiedAnswer<Vec<InferredLine>>, CodeError>) -> Result<(), CodeError> {
        let Some(lines) = self.record_optional_part("inferred types", answer) else { return Ok(()) };
        if lines.is_empty() {
            return Ok(());
        }
        self.text.push_str("inferred types\n");
        let shown_lines = lines.get(..MAX_ITEMS as usize).unwrap_or(&lines);
        let list = self.view.part(TYPES_PERCENT).rows(shown_lines, "lsp_hover shows each type", |text, _, line| {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "  {:>5}  {}", line.line, line.text);
        })?;
        self.text.push_str(&list.text);
        if list.truncated.is_none() && lines.len() > shown_lines.len() {
            let _ = writeln!(self.text, "… {} more: lsp_hover shows each type", lines.len() - shown_lines.len());
        }
        let items: Vec<_> =
            shown_lines.iter().map(|line| json!({ "line": line.line - 1, "text": line.text })).collect();
        self.data["inferredTypes"] = json!({ "total": lines.len(), "items": items });
        Ok(())
    }

    fn add_lenses(&mut self, answer: Result<QualifiedAnswer<Vec<String>>, CodeError>) {
        let Some(titles) = self.record_optional_part("lenses", answer).filter(|titles| !titles.is_empty()) else {
            return;
        };
        let _ = writeln!(self.text, "code lenses: {}", titles.join(" · "));
        self.data["lenses"] = json!(titles);
    }

    async fn add_locations(
        &mut self,
        noun: &str,
        part: &str,
        answer: Result<QualifiedAnswer<Vec<RawLocation>>, CodeError>,
        context: u32,
        instead: &str,
    ) -> Result<(), CodeError> {
        let Some(locations) = self.record_part(part, answer) else { return Ok(()) };
        let view = self.view.part(LIST_PERCENT);
        let (list, hits) = view.first_locations(self.query, &locations, context, MAX_ITEMS, instead).await?;
        // A separate declaration is listed but does not count as a definition.
        let is_counted = |found: &&RawLocation| noun != "definition" || !found.declaration;
        let _ = match locations.iter().filter(is_counted).count() {
            0 => writeln!(self.text, "no {part}"),
            total => writeln!(self.text, "{} in {}", pluralize(total, noun), pluralize(file_count(&locations), "file")),
        };
        self.text.push_str(&list.text);
        let items: Vec<_> = hits.iter().map(listed_location_json).collect();
        self.data[part] = json!({ "total": locations.len(), "items": items });
        Ok(())
    }

    fn add_callers(&mut self, answer: Result<QualifiedAnswer<SymbolHierarchy>, CodeError>) -> Result<(), CodeError> {
        let Some(hierarchy) = self.record_part("callers", answer) else { return Ok(()) };
        // The symbol is not a function, so it has no callers.
        if hierarchy.roots.is_empty() {
            return Ok(());
        }
        let callers: Vec<_> = hierarchy.roots.iter().flat_map(|root| &root.children).cloned().collect();
        let mut rows = tree::flatten(&callers);
        rows.truncate(MAX_ITEMS as usize);
        let list = self.view.part(LIST_PERCENT).rows(&rows, "lsp_call_hierarchy lists them", |text, _, row| {
            text.push_str("  ");
            tree::write_row(text, Direction::Incoming, row);
        })?;
        let _ = match hierarchy.total {
            0 => writeln!(self.text, "no callers"),
            total => writeln!(self.text, "{}", pluralize(total, tree::relation_noun(Direction::Incoming))),
        };
        self.text.push_str(&list.text);
        if list.truncated.is_none() && callers.len() > rows.len() {
            let _ = writeln!(self.text, "… {} more: lsp_call_hierarchy lists them", callers.len() - rows.len());
        }
        let items: Vec<_> = callers.iter().take(rows.len()).map(|caller| location_json(&caller.location)).collect();
        self.data["callers"] = json!({ "total": hierarchy.total, "items": items });
        Ok(())
    }
}
