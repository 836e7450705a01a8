//! Rules about the Markdown documents: relative links lead to files, every page of the book is in its summary, and the
//! tests that a page names exist.

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use crate::place;

const BOOK: &str = "docs/src";

/// A table whose last column names the tests that show what a row claims.
const CLAIMS: &str = "docs/src/reference/complaints.md";

pub(crate) fn check(files: &[Utf8PathBuf]) -> Result<String> {
    let pages: Vec<_> =
        files.iter().filter(|file| file.extension() == Some("md") && !file.starts_with("tests/fixtures")).collect();
    let mut problems = Vec::new();
    for page in &pages {
        let text = std::fs::read_to_string(place::ROOT.join(page)).with_context(|| format!("cannot read {page}"))?;
        let directory = page.parent().unwrap_or(Utf8Path::new(""));
        for link in links(&text) {
            if !place::ROOT.join(directory).join(link).exists() {
                problems.push(format!("{page}: the link `{link}` leads nowhere"));
            }
        }
    }
    problems.extend(outside_the_summary(&pages)?);
    problems.extend(unknown_tests(files)?);
    if problems.is_empty() { Ok(format!("{} pages", pages.len())) } else { bail!("{}", problems.join("\n")) }
}

/// The relative targets of inline links, without their fragments. Code is not looked at: lines of fenced blocks and
/// words in backticks are taken out first.
fn links(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for (index, part) in line.split("](").enumerate() {
            let Some((target, _)) = part.split_once(')').filter(|_| index > 0) else { continue };
            let target = target.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
                found.push(target);
            }
        }
    }
    found
}

fn outside_the_summary(pages: &[&Utf8PathBuf]) -> Result<Vec<String>> {
    let summary = place::ROOT.join(BOOK).join("SUMMARY.md");
    let text = std::fs::read_to_string(&summary).with_context(|| format!("cannot read {summary}"))?;
    let listed = links(&text);
    Ok(pages
        .iter()
        .filter_map(|page| page.strip_prefix(BOOK).ok())
        .filter(|page| {
            *page != "SUMMARY.md" && !listed.iter().any(|link| link.trim_start_matches("./") == page.as_str())
        })
        .map(|page| format!("{BOOK}/{page} is not in the book's summary"))
        .collect())
}

fn unknown_tests(files: &[Utf8PathBuf]) -> Result<Vec<String>> {
    let page = place::ROOT.join(CLAIMS);
    let text = std::fs::read_to_string(&page).with_context(|| format!("cannot read {page}"))?;
    let mut unknown = named_tests(&text);
    for file in files.iter().filter(|file| file.extension() == Some("rs")) {
        let source = std::fs::read_to_string(place::ROOT.join(file)).with_context(|| format!("cannot read {file}"))?;
        unknown.retain(|test| !source.contains(&format!("fn {test}(")));
    }
    Ok(unknown.into_iter().map(|test| format!("{CLAIMS}: there is no test `{test}`")).collect())
}

/// What stands in backticks in the last column of a table.
fn named_tests(text: &str) -> Vec<&str> {
    let last_column = |line: &'_ str| -> Option<(usize, usize)> {
        let row = line.strip_prefix('|')?.trim_end().strip_suffix('|')?;
        Some((1 + row.rfind('|')? + 1, 1 + row.len()))
    };
    text.lines()
        .filter_map(|line| last_column(line).and_then(|(from, to)| line.get(from..to)))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{links, named_tests};

    #[test]
    fn tests_are_named_in_the_last_column() {
        let text = "| a | `no` | shown by |\n|--|--|--|\n| 1 | `no` | `one`, `two` |\n| 2 | | |\n`no`\n";
        assert_eq!(named_tests(text), ["one", "two"]);
    }

    #[test]
    fn only_relative_targets_outside_code_count() {
        let text = "[a](b.md#part) and [c](https://example.invalid) [d](#here)\n```\n[x](y.md)\n```\n[e](../f/g.md)\n";
        assert_eq!(links(text), ["b.md", "../f/g.md"]);
    }
}
