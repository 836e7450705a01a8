//! Fixes of a manifest, as edits of its text.
//!
//! A fix edits the text, so that comments and layout stay. It is offered only after verification: the new text must
//! read like the old one, except for the intended change.

use camino::Utf8Path;
use dlang_model::{DiagnosticData, ModelCode, ModelDiagnostic};
use dlang_syntax::Severity;
use text_size::{TextRange, TextSize};

use super::{Manifest, Purpose, Source, is_owner_and_repo, read};
use crate::fix::{Fix, FixAction};
use crate::yaml::{self, MappingEntry, YamlNode, YamlValue};

/// The maximum size of a manifest to fix, in bytes: each fix is verified by reading the text again.
pub const MAX_FIXED_BYTES: usize = 256 * 1024;

/// The placeholder for an unknown ref.
const SAMPLE_REF: &str = "v1.0.0";

/// Returns the fixes of a diagnostic of a manifest. `text` is the diagnosed text, and `path` its file.
pub fn fixes(path: &Utf8Path, text: &str, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    let DiagnosticData::Key(key) = &diagnostic.data else { return Vec::new() };
    let fix = match diagnostic.code {
        ModelCode::ImportMissingRef => add_reference(path, text, key),
        ModelCode::ManifestPathAliasMissingAtPrefix => rename_alias(path, text, key, diagnostic.range),
        _ => None,
    };
    fix.into_iter().collect()
}

/// Adds a dependency that an import names. A key that does not have the form `owner/repo` gets a placeholder as its
/// source. Returns `None` if the text has no suitable position for it, or already has the key.
pub fn add_dependency(path: &Utf8Path, text: &str, key: &str) -> Option<Fix> {
    let tree = parse(text)?;
    let lines: Vec<String> = if is_owner_and_repo(key) {
        vec![format!("ref: {SAMPLE_REF}")]
    } else {
        vec![format!("source: owner/{}", source_for(key)), format!("ref: {SAMPLE_REF}")]
    };
    let key_text = quote_key(key);
    let block = |indent: &str| {
        let rows: Vec<String> = lines.iter().map(|line| format!("{indent}  {line}\n")).collect();
        format!("{indent}{key_text}:\n{}", rows.concat())
    };
    let flow = format!("{key_text}: {{{}}}", lines.join(", "));
    let root = tree.root.as_ref();
    let section = root.and_then(|root| root.get("dependencies"));
    let (range, new) = match (section, section.map(|section| &section.value.value)) {
        (Some(section), Some(YamlValue::Null)) if section.value.range.is_empty() => {
            end_of_line(text, section.key_range.end(), &block("  "))
        }
        (Some(section), Some(YamlValue::Mapping { entries, flow: true })) => {
            // After the opening brace, a comma after the last entry does not interfere.
            let at = TextRange::empty(section.value.range.start() + TextSize::of('{'));
            (at, if entries.is_empty() { flow } else { format!("{flow}, ") })
        }
        (Some(section), Some(YamlValue::Mapping { entries, flow: false })) => {
            let indent = indent_of(text, entries.first()?)?;
            end_of_line(text, content_end(&section.value).unwrap_or(section.key_range.end()), &block(indent))
        }
        (Some(_), _) => return None,
        (None, _) if root.is_none_or(|root| matches!(root.value, YamlValue::Mapping { flow: false, .. })) => {
            end_of_line(text, TextSize::of(text), &format!("dependencies:\n{}", block("  ")))
        }
        (None, _) => return None,
    };
    let is_expected = |old: &Manifest, new: &Manifest| {
        new.dependencies.len() == old.dependencies.len() + 1
            && new.dependencies.iter().any(|it| it.key == key && it.source.is_ok())
    };
    let title = format!("Add '{}' to the dependencies in model.yaml", yaml::quote_excerpt(key));
    verify_fix(path, text, range, new, is_expected, title, true)
}

/// Creates a manifest with a dependency, for a folder without a manifest.
pub fn create(path: &Utf8Path, key: &str) -> Fix {
    let text = match add_dependency(path, "", key).map(|fix| fix.action) {
        Some(FixAction::Edit { text, .. }) => text,
        _ => "dependencies:\n".to_owned(),
    };
    Fix {
        title: format!("Create model.yaml with the dependency '{}'", yaml::quote_excerpt(key)),
        preferred: true,
        action: FixAction::Create { path: path.to_owned(), text },
    }
}

fn add_reference(path: &Utf8Path, text: &str, key: &str) -> Option<Fix> {
    let tree = parse(text)?;
    let row = tree.root.as_ref()?.get("dependencies")?.value.get(key)?;
    let line = format!("ref: {SAMPLE_REF}");
    let (range, new) = match &row.value.value {
        YamlValue::Null if row.value.range.is_empty() => (after_colon(text, row.key_range)?, format!(" {SAMPLE_REF}")),
        YamlValue::Null | YamlValue::Scalar(_) => (row.value.range, SAMPLE_REF.to_owned()),
        YamlValue::Mapping { entries, flow } => match entries.iter().find(|part| part.key == "ref") {
            Some(part) if part.value.range.is_empty() => (after_colon(text, part.key_range)?, format!(" {SAMPLE_REF}")),
            Some(part) => (part.value.range, SAMPLE_REF.to_owned()),
            None if *flow => {
                let at = TextRange::empty(row.value.range.start() + TextSize::of('{'));
                (at, if entries.is_empty() { line } else { format!("{line}, ") })
            }
            None => {
                let first = entries.first()?;
                let indent = indent_of(text, first)?;
                (TextRange::empty(first.key_range.start()), format!("{line}\n{indent}"))
            }
        },
        YamlValue::Sequence(_) | YamlValue::Refused => return None,
    };
    let is_expected = |_: &Manifest, new: &Manifest| {
        let mut same = new.dependencies.iter().filter(|dependency| dependency.key == key);
        same.next().is_some_and(|it| matches!(&it.source, Ok(Source::Git { reference, .. }) if reference == SAMPLE_REF))
    };
    verify_fix(path, text, range, new, is_expected, format!("Add a git ref to '{}'", yaml::quote_excerpt(key)), false)
}

fn rename_alias(path: &Utf8Path, text: &str, key: &str, range: TextRange) -> Option<Fix> {
    let name = format!("@{key}");
    let is_expected = |_: &Manifest, new: &Manifest| new.aliases.iter().any(|alias| alias.key == name);
    verify_fix(
        path,
        text,
        range,
        quote_key(&name),
        is_expected,
        format!("Rename to '{}'", yaml::quote_excerpt(&name)),
        true,
    )
}

/// Returns the fix if the new text has the intended content and no new errors.
fn verify_fix(
    path: &Utf8Path,
    text: &str,
    range: TextRange,
    new: String,
    is_expected: impl Fn(&Manifest, &Manifest) -> bool,
    title: String,
    preferred: bool,
) -> Option<Fix> {
    let new = if text.contains("\r\n") { new.replace('\n', "\r\n") } else { new };
    let before = text.get(..range.start().into())?;
    let after = text.get(range.end().into()..)?;
    let (old_read, new_read) = (read(text, Purpose::Use), read(&format!("{before}{new}{after}"), Purpose::Use));
    let is_valid = new_read.manifest.complete
        && new_read.diagnostics.len() <= old_read.diagnostics.len()
        && errors(&new_read.diagnostics) <= errors(&old_read.diagnostics)
        && is_expected(&old_read.manifest, &new_read.manifest);
    is_valid.then(|| Fix { title, preferred, action: FixAction::Edit { path: path.to_owned(), range, text: new } })
}

fn errors(diagnostics: &[ModelDiagnostic]) -> usize {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity() == Severity::Error).count()
}

/// Parses a text that can be edited: complete, and small enough to verify an edit.
fn parse(text: &str) -> Option<yaml::Yaml> {
    (text.len() <= MAX_FIXED_BYTES).then(|| yaml::parse(text)).filter(|tree| tree.complete)
}

/// Returns the position after the line of an offset, and whole lines to insert there.
fn end_of_line(text: &str, offset: TextSize, lines: &str) -> (TextRange, String) {
    let rest = text.get(offset.into()..).unwrap_or_default();
    let to_end = |bytes: usize| offset + TextSize::new(u32::try_from(bytes).unwrap_or_default());
    match rest.find('\n') {
        Some(at) => (TextRange::empty(to_end(at + 1)), lines.to_owned()),
        None if text.is_empty() || text.ends_with('\n') => (TextRange::empty(TextSize::of(text)), lines.to_owned()),
        // The last line has no line end, so the inserted lines begin with one and omit their own.
        None => (TextRange::empty(TextSize::of(text)), format!("\n{}", lines.trim_end_matches('\n'))),
    }
}

/// Returns the position after the colon of a key without a value.
fn after_colon(text: &str, key: TextRange) -> Option<TextRange> {
    let rest = text.get(key.end().into()..)?;
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let at = key.end() + TextSize::new(u32::try_from(blank).ok()?) + TextSize::of(':');
    rest.trim_start_matches([' ', '\t']).starts_with(':').then_some(TextRange::empty(at))
}

/// Returns the end of the last word of a value: the range of a collection in block style reaches to the beginning of
/// what follows.
fn content_end(node: &YamlNode) -> Option<TextSize> {
    match &node.value {
        YamlValue::Mapping { flow: true, .. } | YamlValue::Scalar(_) | YamlValue::Null | YamlValue::Refused => {
            Some(node.range.end())
        }
        YamlValue::Mapping { entries, .. } => {
            let last = entries.last()?;
            Some(content_end(&last.value).unwrap_or_default().max(last.key_range.end()))
        }
        YamlValue::Sequence(items) => items.last().and_then(|item| content_end(item)).or(Some(node.range.end())),
    }
}

/// Returns the blanks before an entry that is first on its line.
fn indent_of<'t>(text: &'t str, entry: &MappingEntry) -> Option<&'t str> {
    let before = text.get(..entry.key_range.start().into())?;
    let line = before.rsplit('\n').next()?.trim_start_matches('\u{feff}');
    line.bytes().all(|byte| byte == b' ').then_some(line)
}

/// Formats a key for YAML: in quotes unless it is an unambiguous word.
fn quote_key(key: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let is_word = key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(is_plain);
    if is_word && !matches!(key.to_ascii_lowercase().as_str(), "null" | "true" | "false" | "yes" | "no" | "on" | "off")
    {
        return key.to_owned();
    }
    let mut text = String::from('"');
    for c in key.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.extend(["\\u", &format!("{:04X}", u32::from(c))]),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// Returns a repository, named after the last part of a key.
fn source_for(key: &str) -> String {
    let part = key.rsplit('/').next().unwrap_or_default();
    let name: String = part.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    if name.is_empty() { "repo".to_owned() } else { name }
}

#[cfg(test)]
mod tests;
