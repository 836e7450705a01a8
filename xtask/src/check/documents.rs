//! Rules about the Markdown documents: relative links lead to files, and every page of the book is in its summary.

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use crate::place;

const BOOK: &str = "docs/src";

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

#[cfg(test)]
mod tests {
    use super::links;

    #[test]
    fn only_relative_targets_outside_code_count() {
        let text = "[a](b.md#part) and [c](https://example.invalid) [d](#here)\n```\n[x](y.md)\n```\n[e](../f/g.md)\n";
        assert_eq!(links(text), ["b.md", "../f/g.md"]);
    }
}
