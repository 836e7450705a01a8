//! Rules for the Markdown documents: relative links must point to files, every page of the book must be in its summary,
//! and the tests that a page names must exist.

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use crate::paths;

const BOOK: &str = "docs/src";

/// Pages with tables whose last column names the tests that prove a row's claim.
const CLAIMS: &[&str] = &[
    "SECURITY.md",
    "docs/src/reference/complaints.md",
    "docs/src/reference/domainlang-compatibility.md",
    "docs/src/reference/known-defects.md",
];

pub(crate) fn check(files: &[Utf8PathBuf]) -> Result<String> {
    let pages: Vec<_> =
        files.iter().filter(|file| file.extension() == Some("md") && !file.starts_with("tests/fixtures")).collect();
    let mut problems = Vec::new();
    for page in &pages {
        let text = std::fs::read_to_string(paths::ROOT.join(page)).with_context(|| format!("cannot read {page}"))?;
        let directory = page.parent().unwrap_or(Utf8Path::new(""));
        for link in links(&text) {
            if !paths::ROOT.join(directory).join(link).exists() {
                problems.push(format!("{page}: the link `{link}` points to nothing"));
            }
        }
    }
    problems.extend(outside_the_summary(&pages)?);
    problems.extend(unknown_tests(files)?);
    if problems.is_empty() { Ok(format!("{} pages", pages.len())) } else { bail!("{}", problems.join("\n")) }
}

/// Extracts the relative targets of inline links, without fragments. Ignores fenced code blocks.
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
    let summary = paths::ROOT.join(BOOK).join("SUMMARY.md");
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
    let mut texts = Vec::new();
    for page in CLAIMS {
        let file = paths::ROOT.join(page);
        texts.push((page, std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?));
    }
    let mut unknown: Vec<_> =
        texts.iter().flat_map(|(page, text)| named_tests(text).into_iter().map(move |test| (page, test))).collect();
    for file in files.iter().filter(|file| file.extension() == Some("rs")) {
        let source = std::fs::read_to_string(paths::ROOT.join(file)).with_context(|| format!("cannot read {file}"))?;
        unknown.retain(|(_, test)| !has_test(file, &source, test));
    }
    Ok(unknown.into_iter().map(|(page, test)| format!("{page}: there is no test `{test}`")).collect())
}

/// Whether a source has a test of this name. The part before the last `::` names the innermost modules of the test;
/// tests inside a file are in its module `tests`.
fn has_test(file: &Utf8Path, source: &str, test: &str) -> bool {
    let (modules, name) = test.rsplit_once("::").unwrap_or(("", test));
    let own = format!("::{}", file.with_extension("").as_str().replace('/', "::"));
    let is_there = [own.clone(), format!("{own}::tests")].iter().any(|own| own.ends_with(&format!("::{modules}")));
    (modules.is_empty() || is_there) && source.contains(&format!("fn {name}("))
}

/// The names in backticks in the last column of tables whose last heading is in [`HEADINGS`].
fn named_tests(text: &str) -> Vec<&str> {
    let last_column = |line: &'_ str| -> Option<(usize, usize)> {
        let row = line.strip_prefix('|')?.trim_end().strip_suffix('|')?;
        Some((1 + row.rfind('|')? + 1, 1 + row.len()))
    };
    let mut names = Vec::new();
    let mut is_about_tests = None;
    for line in text.lines() {
        let Some(cell) = last_column(line).and_then(|(from, to)| line.get(from..to)) else {
            is_about_tests = None;
            continue;
        };
        // The first row of a table contains its headings.
        if *is_about_tests.get_or_insert_with(|| HEADINGS.contains(&cell.trim())) {
            names.extend(cell.split('`').skip(1).step_by(2));
        }
    }
    names
}

/// Headings of a last column that names tests.
const HEADINGS: &[&str] = &["checked by"];

#[cfg(test)]
mod tests {
    use super::{has_test, links, named_tests};
    use camino::Utf8Path;

    #[test]
    fn tests_are_named_in_the_last_column() {
        let text = "| a | `no` | checked by |\n|--|--|--|\n| 1 | `no` | `one`, `two` |\n| 2 | | |\n`no`\n\n| a |\n|--|\n| `no` |\n";
        assert_eq!(named_tests(text), ["one", "two"]);
    }

    #[test]
    fn a_test_is_named_with_enough_modules_to_be_unique() {
        let file = Utf8Path::new("crates/a/src/format/tests.rs");
        for name in ["ranges", "tests::ranges", "format::tests::ranges", "src::format::tests::ranges"] {
            assert!(has_test(file, "fn ranges() {}", name), "{name}");
        }
        for name in ["range", "format::ranges", "mat::tests::ranges", "ranges::tests"] {
            assert!(!has_test(file, "fn ranges() {}", name), "{name}");
        }
        assert!(has_test(Utf8Path::new("a/yaml.rs"), "mod tests { fn quoted() {} }", "yaml::tests::quoted"));
    }

    #[test]
    fn only_relative_targets_outside_code_count() {
        let text = "[a](b.md#part) and [c](https://example.invalid) [d](#here)\n```\n[x](y.md)\n```\n[e](../f/g.md)\n";
        assert_eq!(links(text), ["b.md", "../f/g.md"]);
    }
}
