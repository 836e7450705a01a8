//! Rust: `#[cfg(…)]` on an item or a file.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use zubi_base::fs;

use super::{ExcludedPart, MACRO_BODY, Truth, config};
use crate::text_search;

/// The maximum depth of nested conditions.
const MAX_DEPTH: usize = 32;

/// Returns the conditional parts of a text: those of the whole file, then items, the inner ones first.
pub(super) fn excluded_parts(path: &Utf8Path, folder: &Utf8Path, text: &str) -> Vec<ExcludedPart> {
    // Read only if a condition needs them.
    let features = std::cell::LazyCell::new(|| default_features(path, folder));
    let mut parts = find_parts(text, &|feature| features.contains(feature));
    parts.extend(macro_bodies(text));
    parts
}

/// Returns the bodies of declarative macros, which rust-analyzer analyses only where they are expanded.
fn macro_bodies(text: &str) -> impl Iterator<Item = ExcludedPart> {
    text.match_indices("macro_rules!").filter_map(|(at, keyword)| {
        let head = at + keyword.len();
        let open = head + text.get(head..)?.find(['{', '(', '['])?;
        let name = text.get(head..open)?.trim();
        let mut depth = 0_usize;
        let length = text.get(open..)?.bytes().position(|byte| {
            match byte {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        let end = length.map_or(text.len(), |length| open + length + 1);
        let reason = format!("{MACRO_BODY} `{name}!`");
        Some(ExcludedPart { range: open..end, reason, hides_file: false })
    })
}

/// Returns the default features of the package that a file belongs to, with those that they enable.
fn default_features(path: &Utf8Path, folder: &Utf8Path) -> FxHashSet<String> {
    let mut enabled = FxHashSet::default();
    let manifest = config::nearest(path, folder, &["Cargo.toml"]).and_then(|manifest| fs::read_text(&manifest).ok());
    let Some(table) = manifest.and_then(|text| toml::from_str::<toml::Table>(&text).ok()?.remove("features")) else {
        return enabled;
    };
    let mut pending = vec!["default".to_owned()];
    while let Some(feature) = pending.pop() {
        let enables = table.get(&feature).and_then(toml::Value::as_array).into_iter().flatten();
        pending.extend(
            enables.filter_map(|name| name.as_str()).filter(|name| !enabled.contains(*name)).map(str::to_owned),
        );
        enabled.insert(feature);
    }
    enabled
}

/// Returns a clause if no file declares the module of this file: `mod name;`, a path attribute or `include!`.
pub(crate) fn unlinked_reason(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    let (stem, directory) = (path.file_stem()?, path.parent()?);
    if path.extension() != Some("rs") || directory.join("Cargo.toml").is_file() {
        return None;
    }
    // `a/mod.rs` is the module `a` of the directory above.
    let (module, parent) =
        if stem == "mod" { (directory.file_name()?, directory.parent()?) } else { (stem, directory) };
    if matches!(module, "lib" | "main") || matches!(parent.file_name(), Some("bin" | "tests" | "benches" | "examples"))
    {
        return None;
    }
    let is_declared = |text: String| {
        text_search::occurrences(&text, module).any(|at| {
            let before = text.get(..at).unwrap_or_default().trim_end();
            before.ends_with("mod") || before.ends_with(['"', '/'])
        })
    };
    let beside = std::fs::read_dir(parent).ok()?.flatten().map(|entry| entry.path());
    let above = parent.parent().filter(|above| above.starts_with(folder));
    let above = above.zip(parent.file_name()).map(|(above, name)| above.join(format!("{name}.rs")).into_std_path_buf());
    let sources = beside.chain(above).filter_map(|file| Utf8PathBuf::from_path_buf(file).ok());
    let mut sources = sources.filter(|file| file.extension() == Some("rs") && *file != *path);
    let is_linked = sources.any(|file| fs::read_text_in_place(&file).is_ok_and(is_declared));
    (!is_linked).then(|| "in no module tree".to_owned())
}

/// Whether a cargo feature is enabled.
type IsEnabled<'a> = &'a dyn Fn(&str) -> bool;

fn find_parts(text: &str, is_enabled: IsEnabled<'_>) -> Vec<ExcludedPart> {
    let mut parts = Vec::new();
    for (open, is_inner) in [("#![cfg(", true), ("#[cfg(", false)] {
        for (at, _) in text.rmatch_indices(open) {
            let begin = at + open.len();
            let Some(condition) = text.get(begin..).and_then(|rest| rest.get(..closing_offset(rest)?)) else {
                continue;
            };
            let value = evaluate(condition, is_enabled, MAX_DEPTH);
            let end = begin + condition.len();
            let range = if is_inner { Some(end..text.len()) } else { find_item(text, end) };
            if value != Truth::True
                && let Some(range) = range
            {
                let hides_file = is_inner && value == Truth::False;
                parts.push(ExcludedPart { range, reason: format!("`cfg({condition})`"), hides_file });
            }
        }
    }
    parts
}

/// Returns the offset of the parenthesis that closes an open one.
fn closing_offset(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Returns the range of the item after an attribute: to its first `;` or `,` outside brackets, or its closing brace.
fn find_item(text: &str, attribute_end: usize) -> Option<Range<usize>> {
    let begin = attribute_end + text.get(attribute_end..)?.find(']')? + 1;
    let mut depth = 0_usize;
    for (at, byte) in text.get(begin..)?.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' if depth <= 1 => return Some(begin..begin + at + 1),
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b';' | b',' if depth == 0 => return Some(begin..begin + at + 1),
            _ => {}
        }
    }
    Some(begin..text.len())
}

/// Evaluates a condition as rust-analyzer does by default: this system, with tests and debug assertions.
fn evaluate(condition: &str, is_enabled: IsEnabled<'_>, depth: usize) -> Truth {
    let condition = condition.trim();
    if depth == 0 {
        return Truth::Unknown;
    }
    for operator in ["all", "any", "not"] {
        let Some(rest) = condition.strip_prefix(operator).map(str::trim_start) else { continue };
        let Some(inner) = rest.strip_prefix('(').and_then(|inner| inner.get(..closing_offset(inner)?)) else {
            continue;
        };
        let mut values = parts(inner).map(|part| evaluate(part, is_enabled, depth - 1));
        return match operator {
            "all" => values.fold(Truth::True, Truth::combine_all),
            "any" => values.fold(Truth::False, Truth::combine_any),
            _ => values.next().map_or(Truth::Unknown, Truth::negate),
        };
    }
    let (name, expected) = match condition.split_once('=') {
        Some((name, expected)) => (name.trim(), Some(expected.trim().trim_matches('"'))),
        None => (condition, None),
    };
    match (name, expected) {
        ("test" | "debug_assertions", None) => Truth::True,
        ("unix", None) => cfg!(unix).into(),
        ("windows", None) => cfg!(windows).into(),
        ("target_os", Some(system)) => (system == std::env::consts::OS).into(),
        ("target_arch", Some(architecture)) => (architecture == std::env::consts::ARCH).into(),
        ("target_family", Some(family)) => (family == std::env::consts::FAMILY).into(),
        ("panic", Some(strategy)) => (strategy == "unwind").into(),
        ("feature", Some(feature)) if is_enabled(feature) => Truth::True,
        // Another package of the workspace may enable a feature; build scripts and flags set other conditions.
        _ => Truth::Unknown,
    }
}

/// Splits a list at the commas outside parentheses.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |character| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    })
    .filter(|part| !part.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exclusion::ExcludedParts;

    #[test]
    fn conditions_around_an_offset() {
        for (text, expected) in [
            ("fn a() { $ }", None),
            ("#[cfg(feature = \"x\")]\nfn a() { $ }", Some("`cfg(feature = \"x\")`")),
            ("#[cfg(feature = \"x\")]\nfn a() { }\nfn b() { $ }", None),
            ("#[cfg(feature = \"usual\")]\nfn a() { $ }", None),
            ("#[cfg(feature = \"x\")]\nuse a::$;", Some("`cfg(feature = \"x\")`")),
            ("#[cfg(feature = \"x\")]\nuse a::b;\nuse $;", None),
            ("#[cfg(test)]\nmod tests { $ }", None),
            ("#[cfg(not(test))]\nmod a { mod b { fn c() {} } $ }", Some("`cfg(not(test))`")),
            (
                "#![cfg(all(test, any(target_os = \"none\", loom)))]\n$",
                Some("`cfg(all(test, any(target_os = \"none\", loom)))`"),
            ),
            ("#![cfg(any(test, loom))]\n$", None),
            ("struct A { #[cfg(loom)] a: B, b: $ }", None),
            ("#[cfg(", None),
        ] {
            let offset = text.find('$').unwrap_or(text.len());
            let parts = ExcludedParts { parts: find_parts(text, &|feature| feature == "usual") };
            assert_eq!(parts.reason_at(offset), expected, "{text}");
        }
    }

    #[test]
    fn default_features_enable_others() {
        let directory = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let manifest = "[features]\ndefault = [\"a\", \"dep:x\"]\na = [\"b\", \"a\"]\nb = []\nc = []\n";
        zubi_base::fs::write_atomic(&root.join("Cargo.toml"), manifest.as_bytes()).unwrap();
        let features = default_features(&root.join("src/lib.rs"), &root);
        assert_eq!(["a", "b", "c"].map(|feature| features.contains(feature)), [true, true, false]);
    }
}
