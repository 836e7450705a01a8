//! `repo_map`: the most important declarations of the workspace, as a tree by file.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::position::{Encoding, TextRange, size};
use zubi_base::text::pluralize;
use zubi_code::features::repo_map::{MapEntry, MapFile, RepoMapQuery};
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::{Exposure, Truncation};

use crate::adapter::ToolMeta;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::OutputBudget;

pub(crate) struct RepoMapTool;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Size of the map in tokens, default 2000
    #[schemars(range(min = 200, max = 20_000))]
    budget: Option<u32>,
    /// Paths, patterns (src/**/*.rs) or names of symbols that matter most
    #[schemars(length(max = 50))]
    focus: Option<Vec<String>>,
}

#[async_trait]
impl CodeTool for RepoMapTool {
    const META: ToolMeta = ToolMeta {
        id: "repo_map",
        title: "Map of the workspace",
        description: "The most important declarations of the workspace within a size: those that most files use, by the words of all files. As a tree by file with lines and signatures, without a server.",
        exposure: Exposure::Deferred,
        tags: &[
            "repository map",
            "overview",
            "architecture",
            "important symbols",
            "codebase summary",
            "where to start",
        ],
        example: || ("Find the foundations of the storage code", json!({ "budget": 1000, "focus": ["src/storage"] })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "map the workspace";
    type Input = Input;

    fn max_tokens(input: &Input) -> Option<u32> {
        input.budget
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let request = RepoMapQuery { focus: input.focus.unwrap_or_default(), bytes: view.body() };
        let answer = query.repo_map(&request).await?;
        let map = answer.value;
        let mut text = if map.files.is_empty() {
            "no declarations to show\n".to_owned()
        } else {
            let files = pluralize(map.file_count, "file");
            let names = pluralize(map.name_count, "name");
            format!("{} of {names}, in {} of {files}, most important files first\n", map.shown_names, map.files.len())
        };
        for file in &map.files {
            file.write(&mut text);
        }
        let data = view.data(|| {
            let items: Vec<_> = map.files.iter().map(file_json).collect();
            json!({ "items": items, "shown": map.shown_names, "total": map.name_count, "files": map.file_count })
        });
        let is_cut = map.shown_names < map.name_count;
        let truncated = is_cut.then_some(Truncation { shown: map.shown_names, total: map.name_count, cursor: None });
        Ok(CodeAnswer { text, data, status: answer.status, truncated })
    }
}

fn file_json(file: &MapFile) -> serde_json::Value {
    let entry = |entry: &MapEntry| {
        let range = TextRange::new(size(entry.name_range.start), size(entry.name_range.end));
        let range = file.document.index.range_to_lsp(range, Encoding::Utf16);
        let MapEntry { name, kind, line, depth, signature, .. } = entry;
        json!({ "name": name, "kind": kind, "line": line, "depth": depth, "signature": signature, "range": range })
    };
    json!({ "path": file.display_path, "declarations": file.entries.iter().map(entry).collect::<Vec<_>>() })
}
