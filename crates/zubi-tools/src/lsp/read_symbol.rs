//! `read_symbol`: the source of symbols by their names.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::text::pluralize;
use zubi_code::features::symbol_source::{SourceLine, SourcePart, SymbolSource};
use zubi_code::locate::TargetInput;
use zubi_code::{AnswerStatus, CodeError, CodeQuery};

use crate::adapter::ToolMeta;
use crate::file::read::write_line;
use crate::lsp::arguments::{PagingArgs, WaitArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::OutputBudget;

pub(crate) struct ReadSymbol;

/// The maximum number of symbols in one call.
const MAX_SYMBOLS: usize = 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Name or Type/method
    #[schemars(extend("x-aliases" = ["name", "name_path", "namePath"]))]
    symbol: Option<String>,
    /// Several
    symbols: Option<Vec<String>>,
    /// File or folder
    path: Option<String>,
    /// path:line in it
    at: Option<String>,
    /// Default summary
    part: Option<Part>,
    #[serde(flatten)]
    paging: PagingArgs,
    #[serde(flatten)]
    wait: WaitArgs,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Part {
    Summary,
    Signature,
    Doc,
    Body,
    All,
}

impl Input {
    fn targets(&self) -> Result<Vec<TargetInput>, CodeError> {
        let names = self.symbol.iter().chain(self.symbols.iter().flatten());
        let target = |symbol: &String| TargetInput {
            symbol: Some(symbol.clone()),
            path: self.path.clone(),
            ..TargetInput::default()
        };
        let mut targets: Vec<_> = names.map(target).collect();
        targets.extend(self.at.clone().map(|at| TargetInput { at: Some(at), ..TargetInput::default() }));
        match targets.len() {
            0 => Err(CodeError::input(
                "symbol",
                "missing",
                "Pass symbol: \"Type/method\", symbols: [\"A\", \"B\"], or at: \"src/lib.rs:12\".",
            )),
            count if count > MAX_SYMBOLS => Err(CodeError::input(
                "symbols",
                format!("{count} symbols are too many"),
                format!("Pass at most {MAX_SYMBOLS}."),
            )),
            _ => Ok(targets),
        }
    }
}

/// One line of the answer.
#[derive(Clone, Copy)]
enum Row<'a> {
    /// A line of a source; `None` if the source has no lines.
    Line(&'a SymbolSource, Option<&'a SourceLine>),
    /// A symbol without a source, with the reason and the next step.
    Failure(&'a str),
}

#[async_trait]
impl CodeTool for ReadSymbol {
    const META: ToolMeta = ToolMeta {
        id: "read_symbol",
        title: "Read symbols",
        description: "Source of symbols by name, with line numbers.",
        tags: &["body", "source of function", "read function", "show me", "definition text"],
        listed: &["cursor"],
        example: || ("Read a method", json!({ "symbol": "Console/print" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "read the symbol";
    type Input = Input;

    fn may_use_index(input: &Input) -> bool {
        input.wait.may_use_index()
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let part = match input.part {
            None | Some(Part::Summary) => SourcePart::Summary,
            Some(Part::Signature) => SourcePart::Signature,
            Some(Part::Doc) => SourcePart::Doc,
            Some(Part::Body) => SourcePart::Body,
            Some(Part::All) => SourcePart::All,
        };
        let targets = input.targets()?;
        let mut status = AnswerStatus::default();
        let mut found: Vec<Result<SymbolSource, String>> = Vec::new();
        for target in &targets {
            match query.symbol_sources(target, part).await {
                Ok(answer) => {
                    status.merge(answer.status);
                    found.extend(answer.value.into_iter().map(Ok));
                }
                Err(error) if targets.len() == 1 => return Err(error),
                // The other symbols are still worth an answer.
                Err(error) => found.push(Err(format!("{error}\n{}", error.hint()))),
            }
        }
        let mut rows = Vec::new();
        for source in &found {
            match source {
                Ok(source) if source.lines.is_empty() => rows.push(Row::Line(source, None)),
                Ok(source) => rows.extend(source.lines.iter().map(|line| Row::Line(source, Some(line)))),
                Err(error) => rows.push(Row::Failure(error)),
            }
        }
        let list = view.list(&rows, &input.paging, |text, previous, row| write_row(text, previous, row))?;
        let data = view.data(|| {
            let mut items: Vec<Value> = Vec::new();
            let mut previous = None;
            for row in rows.get(list.range).unwrap_or_default() {
                if is_new_source(previous, row) {
                    items.push(match row {
                        Row::Failure(error) => json!({ "error": error }),
                        Row::Line(source, _) => json!({ "name": source.name, "kind": source.kind,
                                                        "path": source.display_path, "lines": [] }),
                    });
                }
                let lines = items.last_mut().and_then(|item| item["lines"].as_array_mut());
                if let (Row::Line(_, Some(line)), Some(lines)) = (row, lines) {
                    lines.push(match line {
                        SourceLine::Shown { number, text } => json!({ "line": number, "text": text }),
                        SourceLine::Omitted(count) => json!({ "omitted": count }),
                    });
                }
                previous = Some(row);
            }
            json!({ "items": items, "total": found.len() })
        });
        Ok(CodeAnswer { text: list.text, data, status, truncated: list.truncated })
    }
}

/// Whether a row begins another source than the previous one.
fn is_new_source(previous: Option<&Row<'_>>, row: &Row<'_>) -> bool {
    match (previous, row) {
        (Some(Row::Line(previous, _)), Row::Line(source, _)) => !std::ptr::eq(*previous, *source),
        _ => true,
    }
}

/// Returns the number of digits of the largest line number. Padding beyond it would cost a token in each line.
fn number_width(source: &SymbolSource) -> usize {
    let last = source.lines.iter().rev().find_map(|line| match line {
        SourceLine::Shown { number, .. } => Some(*number),
        SourceLine::Omitted(_) => None,
    });
    last.and_then(u32::checked_ilog10).map_or(1, |digits| digits as usize + 1)
}

fn write_row(text: &mut String, previous: Option<&Row<'_>>, row: &Row<'_>) {
    // Writing to a `String` cannot fail.
    let _ = match row {
        Row::Failure(error) => writeln!(text, "{error}"),
        Row::Line(source, None) => {
            writeln!(text, "{}  {} {}  has no such part", source.display_path, source.kind, source.name)
        }
        Row::Line(source, Some(line)) => {
            if is_new_source(previous, row) {
                let number = match line {
                    SourceLine::Shown { number, .. } => format!(":{number}"),
                    SourceLine::Omitted(_) => String::new(),
                };
                let _ = writeln!(text, "{}{number}  {} {}", source.display_path, source.kind, source.name);
            }
            let width = number_width(source);
            match line {
                SourceLine::Shown { number, text: line } => {
                    let _ = write!(text, "{number:>width$}  ");
                    // As in the file: an edit may use the line as its `old` text.
                    write_line(text, line);
                    Ok(())
                }
                SourceLine::Omitted(count) => {
                    writeln!(text, "{:width$}  … {}", "", pluralize(*count as usize, "line"))
                }
            }
        }
    };
}
