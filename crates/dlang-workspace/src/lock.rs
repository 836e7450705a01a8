//! `model.lock`: the commit of each repository, and its differences from the manifest.
//!
//! The reader is as lenient as that of DomainLang's original tools: it skips an incomplete entry and uses the others.
//! It returns skipped entries as data and as diagnostics.

use std::collections::{BTreeMap, BTreeSet};

use dlang_model::{DiagnosticData, ModelCode, ModelDiagnostic};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use text_size::{TextRange, TextSize};

use crate::diagnostic::DiagnosticCollector;
use crate::files::ReadError;
use crate::manifest::{Manifest, Source};
use crate::yaml::quote_excerpt;

/// The maximum size of a lock, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The supported version of locks.
pub const VERSION: &str = "1";

/// The content of `model.lock`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// The version; "1" if it is missing.
    pub version: String,
    /// Entries by repository, `owner/repo`.
    pub entries: BTreeMap<String, LockEntry>,
}

impl Default for Lock {
    fn default() -> Self {
        Self { version: VERSION.to_owned(), entries: BTreeMap::new() }
    }
}

/// An entry of the lock. All strings except the commit are unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockEntry {
    pub key_range: TextRange,
    pub reference: String,
    pub reference_kind: ReferenceKind,
    /// The URL of the archive.
    pub resolved: String,
    /// The commit: 7 to 40 hexadecimal digits.
    pub commit: String,
    pub integrity: Option<String>,
}

impl LockEntry {
    /// Whether the entry was made for this ref. A commit may be abbreviated.
    pub(crate) fn is_for(&self, reference: &str) -> bool {
        self.reference == reference || reference.len() >= 7 && self.commit.starts_with(reference)
    }
}

/// The kind of an entry's ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceKind {
    Tag,
    Branch,
    /// A commit; also used if the type is missing.
    Commit,
}

/// A skipped entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedEntry {
    pub repository: String,
    pub key_range: TextRange,
    pub reason: String,
}

/// A lock, its skipped entries, and its diagnostics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedLock {
    pub lock: Lock,
    pub skipped: Vec<SkippedEntry>,
    /// In text order, including those of skipped entries.
    pub diagnostics: Vec<ModelDiagnostic>,
}

/// Reads the text of a lock.
pub fn read(text: &str) -> ParsedLock {
    if text.len() > MAX_BYTES {
        return unreadable(&ReadError::TooLarge { max: MAX_BYTES });
    }
    let mut reader = Reader { text, parsed: ParsedLock::default(), sink: DiagnosticCollector::default() };
    let json = text.trim_start_matches('\u{feff}');
    match serde_json::from_str::<Rows<'_>>(json) {
        Ok(rows) => reader.top(&rows),
        Err(error) => reader.invalid(json, &error),
    }
    ParsedLock { diagnostics: reader.sink.finish(), ..reader.parsed }
}

/// Returns the result for a lock that exists and cannot be read.
pub fn unreadable(why: &ReadError) -> ParsedLock {
    let text = format!("model.lock cannot be read: {why}.");
    let diagnostic = ModelDiagnostic::new(TextRange::default(), ModelCode::LockUnreadable, text)
        .hint("It counts as empty until it can.");
    ParsedLock { diagnostics: vec![diagnostic], ..ParsedLock::default() }
}

/// Differences between manifest and lock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockMismatch {
    /// With ranges in `model.yaml`.
    pub in_manifest: Vec<ModelDiagnostic>,
    /// With ranges in `model.lock`.
    pub in_lock: Vec<ModelDiagnostic>,
}

/// Compares a lock with its manifest. Imports resolve by the lock, whatever the differences.
pub fn disagreements(manifest: &Manifest, lock: &Lock) -> LockMismatch {
    let hint = "'dlang install' says how to bring model.lock up to date.";
    let (mut in_manifest, mut in_lock) = (DiagnosticCollector::default(), DiagnosticCollector::default());
    let mut required = BTreeSet::new();
    // Equals `Manifest::reference`, without a search per dependency: a hostile manifest may have many of both.
    let overrides: BTreeMap<&str, &str> =
        manifest.overrides.iter().rev().map(|row| (row.repository.as_str(), row.reference.as_str())).collect();
    for dependency in &manifest.dependencies {
        let key = dependency.key.as_str();
        let (repository, reference, range) = match &dependency.source {
            Ok(Source::Git { repository, reference, reference_range }) => {
                (repository, *overrides.get(repository.as_str()).unwrap_or(&reference.as_str()), *reference_range)
            }
            Ok(Source::Path(_)) => continue,
            // The ref of this dependency is unknown, so its entry does not count as unused.
            Err(_) => {
                required.insert(key);
                continue;
            }
        };
        required.insert(repository);
        let Some(locked) = lock.entries.get(repository) else {
            let text = format!("Dependency '{}' is not in model.lock.", quote_excerpt(key));
            in_manifest.push(
                ModelDiagnostic::new(dependency.key_range, ModelCode::LockMissingEntry, text)
                    .hint(hint)
                    .data(DiagnosticData::Key(key.into())),
            );
            continue;
        };
        if !locked.is_for(reference) {
            let text = format!(
                "Dependency '{}' has ref '{}', and model.lock has '{}'.",
                quote_excerpt(key),
                quote_excerpt(reference),
                quote_excerpt(&locked.reference)
            );
            in_manifest.push(
                ModelDiagnostic::new(range, ModelCode::LockRefMismatch, text)
                    .hint(hint)
                    .data(DiagnosticData::Key(key.into())),
            );
        }
    }
    if manifest.complete {
        for (repository, locked) in
            lock.entries.iter().filter(|(repository, _)| !required.contains(repository.as_str()))
        {
            let text = format!("No dependency in model.yaml uses '{}'.", quote_excerpt(repository));
            in_lock.push(
                ModelDiagnostic::new(locked.key_range, ModelCode::LockUnusedEntry, text)
                    .hint(hint)
                    .data(DiagnosticData::Key(repository.into())),
            );
        }
    }
    LockMismatch { in_manifest: in_manifest.finish(), in_lock: in_lock.finish() }
}

struct Reader<'t> {
    text: &'t str,
    parsed: ParsedLock,
    sink: DiagnosticCollector,
}

impl<'t> Reader<'t> {
    fn top(&mut self, rows: &Rows<'t>) {
        for (key, value) in &rows.0 {
            match text_of(key).as_deref() {
                Some("version") => match serde_json::from_str(value.get()) {
                    Ok(version) => {
                        self.parsed.lock.version = version;
                        self.check_version(self.range(key));
                    }
                    Err(_) => self.report(self.range(key), "'version' must be text."),
                },
                Some("dependencies") => match serde_json::from_str::<Rows<'t>>(value.get()) {
                    Ok(rows) => self.dependencies(&rows),
                    Err(_) => self.report(self.range(key), "'dependencies' must be an object."),
                },
                _ => {}
            }
        }
    }

    /// Checks the version. Entries of another version may have another meaning; they are read as if they had this one.
    fn check_version(&mut self, range: TextRange) {
        let version = &self.parsed.lock.version;
        if version != VERSION {
            let text = format!(
                "model.lock has version '{}', and '{VERSION}' is the one that is known.",
                quote_excerpt(version)
            );
            let hint = "It is read as if it had that one. See that what wrote it and this program are of one age.";
            self.sink.push(ModelDiagnostic::new(range, ModelCode::LockUnknownVersion, text).hint(hint));
        }
    }

    fn dependencies(&mut self, rows: &Rows<'t>) {
        for (key, value) in &rows.0 {
            let (range, repository) = (self.range(key), text_of(key).unwrap_or_default());
            match entry(range, value) {
                Ok(entry) => {
                    // As in other JSON readers, the last one counts.
                    if let Some(before) = self.parsed.lock.entries.insert(repository.clone(), entry) {
                        self.skip(&repository, before.key_range, "it is there again below".to_owned());
                    }
                }
                Err(why) => self.skip(&repository, range, why),
            }
        }
    }

    fn skip(&mut self, repository: &str, key_range: TextRange, why: String) {
        let text = format!("The entry '{}' of model.lock is passed over: {why}.", quote_excerpt(repository));
        let hint = "Write it again; 'dlang install' prints the expected content.";
        self.sink.push(
            ModelDiagnostic::new(key_range, ModelCode::LockEntrySkipped, text)
                .hint(hint)
                .data(DiagnosticData::Key(repository.into())),
        );
        self.parsed.skipped.push(SkippedEntry { repository: repository.to_owned(), key_range, reason: why });
    }

    fn report(&mut self, range: TextRange, text: &str) {
        self.sink.push(
            ModelDiagnostic::new(range, ModelCode::LockInvalid, text)
                .hint("Write it again; 'dlang install' prints the expected content."),
        );
    }

    fn invalid(&mut self, json: &str, error: &serde_json::Error) {
        let line_start = match error.line().checked_sub(2) {
            None => 0,
            Some(before) => json.match_indices('\n').nth(before).map_or(json.len(), |(at, _)| at + 1),
        };
        let at = line_start.saturating_add(error.column().saturating_sub(1)).min(json.len());
        let start = json.floor_char_boundary(at);
        let length = json.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let mark = self.text.len() - json.len();
        // The reader's message ends with the position, which the range already has.
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or_default();
        self.report(
            TextRange::at(size(mark + start), size(length)),
            &format!("model.lock is not a valid lock: {reason}."),
        );
    }

    /// Returns the range of a part of the text.
    fn range(&self, part: &'t RawValue) -> TextRange {
        let start = part.get().as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        let end = start.saturating_add(part.get().len());
        if self.text.get(start..end).is_some() { TextRange::new(size(start), size(end)) } else { TextRange::default() }
    }
}

fn size(bytes: usize) -> TextSize {
    TextSize::new(u32::try_from(bytes).unwrap_or(u32::MAX))
}

fn text_of(key: &RawValue) -> Option<String> {
    serde_json::from_str(key.get()).ok()
}

/// Reads an entry, or returns the reason why it is not valid.
fn entry(key_range: TextRange, value: &RawValue) -> Result<LockEntry, String> {
    let rows = serde_json::from_str::<Rows<'_>>(value.get()).map_err(|_| "it is not an object".to_owned())?;
    let find = |name: &str| rows.0.iter().rev().find(|(key, _)| text_of(key).as_deref() == Some(name));
    let text = |name: &str| find(name).and_then(|(_, value)| serde_json::from_str::<String>(value.get()).ok());
    let needed = |name: &str| text(name).ok_or_else(|| format!("it has no text '{name}'"));
    let (reference, resolved, commit) = (needed("ref")?, needed("resolved")?, needed("commit")?);
    if !(7..=40).contains(&commit.len()) || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("its commit is not 7 to 40 hexadecimal digits".to_owned());
    }
    let reference_kind = match text("refType").as_deref() {
        Some("tag") => ReferenceKind::Tag,
        Some("branch") => ReferenceKind::Branch,
        _ => ReferenceKind::Commit,
    };
    Ok(LockEntry { key_range, reference, reference_kind, resolved, commit, integrity: text("integrity") })
}

/// The rows of an object in text order, as raw values, so that each has a range.
struct Rows<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for Rows<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(&'de RawValue, &'de RawValue)>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = map.next_entry()? {
                    rows.push(row);
                }
                Ok(rows)
            }
        }
        deserializer.deserialize_map(Collect).map(Rows)
    }
}

#[cfg(test)]
mod tests;
