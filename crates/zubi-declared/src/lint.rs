//! Warnings about tools that work but could work better: texts too short for a model, unused parameters and variables,
//! tools with near-identical descriptions.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use zubi_base::{escape, secret};

use super::definition::{NAMESPACE, ResolvedDefinition};
use super::json_tree::JsonNode;
use super::loaded::DeclaredTools;
use super::plan::ToolPlan;
use super::problem::ToolFileProblem;

/// Minimum characters of a useful description.
const MIN_DESCRIPTION_CHARS: usize = 20;
/// Characters of a description that clients show.
const DISPLAYED_CHARS: usize = 300;
/// Maximum description size in bytes.
const MAX_DESCRIPTION: usize = 1024;
/// Maximum number of tools that are compared with each other, because the time is quadratic.
const MAX_COMPARED_TOOLS: usize = 300;
/// Jaccard index of two descriptions from which they count as alike.
const SIMILAR_JACCARD: f64 = 0.8;
/// Jaccard index for two tools of one family.
const EQUAL_JACCARD: f64 = 0.95;

/// Lints one tool.
pub(super) fn lint_tool(definition: &ResolvedDefinition, plan: &ToolPlan, problems: &mut Vec<ToolFileProblem>) {
    lint_description(definition, problems);
    let parameters = definition.node.get_path(&["parameters", "properties"]).map(JsonNode::members).unwrap_or_default();
    for parameter in parameters {
        let range = parameter.name_range.clone();
        let text = parameter.value.get("description").and_then(JsonNode::as_str).unwrap_or_default();
        if text.trim().is_empty() {
            let message = format!("the parameter `{}` has no description", parameter.name);
            let hint = "Describe it with an example: the model sees nothing else.";
            problems.push(ToolFileProblem::warning("parameter-description", range.clone(), message, hint));
        }
        if !plan.uses(&parameter.name) {
            let message = format!("nothing uses the parameter `{}`", parameter.name);
            let hint = format!("Use `${}`, or remove the parameter.", parameter.name);
            problems.push(ToolFileProblem::warning("unused-parameter", range, message, hint));
        }
    }
}

fn lint_description(definition: &ResolvedDefinition, problems: &mut Vec<ToolFileProblem>) {
    let Some(node) = definition.node.get("description") else { return };
    let text = definition.tool.description.trim();
    let range = || node.range.clone();
    if text.len() > MAX_DESCRIPTION {
        let message = format!("the description has {} bytes, more than {MAX_DESCRIPTION}", text.len());
        problems.push(ToolFileProblem::error(
            "description-long",
            range(),
            message,
            "Clients truncate longer texts; shorten it.",
        ));
    }
    if text.chars().count() < MIN_DESCRIPTION_CHARS || text.eq_ignore_ascii_case(definition.tool.name.trim()) {
        let hint = "Describe the result and when to use the tool: the model chooses by this text alone.";
        problems.push(ToolFileProblem::warning("description-short", range(), "the description is too short", hint));
    }
    let head: String = text.chars().take(DISPLAYED_CHARS).collect();
    if head.len() < text.len() && !head.contains(". ") && !head.contains(".\n") {
        let message = format!("no sentence of the description ends within its first {DISPLAYED_CHARS} characters");
        problems.push(ToolFileProblem::warning(
            "description-head",
            range(),
            message,
            "Some clients show only that; put the main point first.",
        ));
    }
}

/// Reports invisible characters in a tool's texts, so that a model reads exactly what users read. `execution` and
/// `tests` are not texts for models; the trust report shows them with every such character escaped.
pub(super) fn check_invisible(tool: &JsonNode, text: &str, problems: &mut Vec<ToolFileProblem>) {
    for member in tool.members().iter().filter(|member| !matches!(member.name.as_str(), "execution" | "tests")) {
        check_invisible_in(&member.value, text, problems);
    }
}

fn check_invisible_in(node: &JsonNode, text: &str, problems: &mut Vec<ToolFileProblem>) {
    let mut report = |c: char, position| {
        let message = format!("an invisible character (U+{:04X})", u32::from(c));
        problems.push(ToolFileProblem::error(
            "hidden",
            position,
            message,
            "Remove it: users cannot see it, but models read it.",
        ));
    };
    if let Some((at, c)) = node.as_str().and_then(first_hidden) {
        report(c, node.range_in_file(text, at..at + c.len_utf8()));
    }
    for member in node.members() {
        if let Some((_, c)) = first_hidden(&member.name) {
            report(c, member.name_range.clone());
        }
    }
    node.items().iter().for_each(|item| check_invisible_in(item, text, problems));
    node.members().iter().for_each(|member| check_invisible_in(&member.value, text, problems));
}

/// Returns the first invisible character and its byte offset. A single variation selector or joiner after a non-ASCII
/// character is allowed, because emoji (`⚠️`) and some scripts need it; a run of them is not.
fn first_hidden(text: &str) -> Option<(usize, char)> {
    let mut before = None;
    text.char_indices().find(|(_, c)| {
        let before = before.replace(*c);
        let may_follow = before.is_some_and(|before: char| !before.is_ascii() && !escape::is_hidden(before));
        let is_legitimate = escape::is_script_joiner(*c) && may_follow;
        escape::is_hidden(*c) && !matches!(c, '\n' | '\t') && !is_legitimate
    })
}

/// Reports unused variables of a file, and variables that look like secrets.
pub(super) fn lint_variables(root: &JsonNode, used: &FxHashSet<String>, problems: &mut Vec<ToolFileProblem>) {
    for variable in root.get("variables").map(JsonNode::members).unwrap_or_default() {
        let range = variable.name_range.clone();
        if !used.contains(&variable.name) {
            let message = format!("no tool uses the variable `{}`", variable.name);
            let hint = format!("Use `${{{}}}`, or remove the variable.", variable.name);
            problems.push(ToolFileProblem::warning("unused-variable", range.clone(), message, hint));
        }
        if secret::is_secret_name(&variable.name) {
            let message =
                format!("the variable `{}` looks like a secret, which does not belong in this file", variable.name);
            let hint =
                format!("Write `${{env:{0}}}` instead, and `[env]` `{0} = …` in your own zubi.toml.", variable.name);
            problems.push(ToolFileProblem::warning("secret-in-file", range, message, hint));
        }
    }
}

/// Reports tools with nearly the same description, because a model cannot choose between them.
pub(super) fn lint_overlaps(loaded: &mut DeclaredTools) {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).map(str::to_lowercase).collect()
    };
    let mut earlier: Vec<(BTreeSet<String>, String)> = Vec::new();
    for file in &mut loaded.files {
        let mut problems = Vec::new();
        for tool in &file.tools {
            let definition = &tool.definition;
            if earlier.len() >= MAX_COMPARED_TOOLS {
                break;
            }
            let own_words = words(&definition.tool.description);
            let other = earlier.iter().find(|(other, id)| {
                let is_family = family(id).is_some() && family(id) == family(&definition.id);
                let bound = if is_family { EQUAL_JACCARD } else { SIMILAR_JACCARD };
                jaccard(&own_words, other) >= bound
            });
            if let (Some((_, other)), Some(node)) = (other, definition.node.get("description")) {
                let message = format!("the description is nearly the same as that of `{other}`");
                let hint = "Explain in both when to use which.";
                problems.push(ToolFileProblem::warning("description-overlap", node.range.clone(), message, hint));
            }
            earlier.push((own_words, definition.id.clone()));
        }
        file.add_problems(problems);
    }
}

/// Returns the id without its last word: tools that share it form a family and describe the same subject.
fn family(id: &str) -> Option<&str> {
    let tool_name = id.strip_prefix(NAMESPACE).and_then(|rest| rest.strip_prefix('.')).unwrap_or(id);
    tool_name.rsplit_once(['.', '_']).map(|(head, _)| head)
}

/// Returns the Jaccard index of two word sets.
#[expect(clippy::cast_precision_loss, reason = "a description has a few hundred words")]
fn jaccard(left: &BTreeSet<String>, right: &BTreeSet<String>) -> f64 {
    let all = left.union(right).count();
    if all == 0 { 0.0 } else { left.intersection(right).count() as f64 / all as f64 }
}
