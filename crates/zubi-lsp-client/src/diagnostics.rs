//! The diagnostics of one server, published or pulled, and whether they belong to the current text.
//!
//! This module stores the diagnostics; the endpoint sends requests and waits. A publication with a version belongs to
//! that version. For servers that send no version (typescript-language-server), the first publication after the text
//! counts as current: LSP gives no better sign.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde::Deserialize as _;
use serde_json::Value;
use tokio::sync::watch;
use zubi_base::lsp::{Diagnostic, Uri};

use crate::size_estimate::estimated_size;

/// The maximum number of documents stored for one server. Servers that check whole projects publish one for each file.
const MAX_DOCUMENTS: usize = 20_000;

/// The limits for the diagnostics stored for one document: their number, and their memory in bytes.
const MAX_ITEMS: usize = 2_000;
const MAX_ITEMS_WEIGHT: usize = 2 * 1024 * 1024;

/// The memory limit for all published diagnostics, in bytes. Above it, zubi drops those of documents that were never
/// opened, because no request was about them.
const MAX_UNREQUESTED_WEIGHT: usize = 32 * 1024 * 1024;

/// The diagnostics of all documents, by one server.
#[derive(Debug)]
pub(crate) struct DiagnosticsStore {
    documents: Mutex<FxHashMap<Utf8PathBuf, DiagnosticsEntry>>,
    /// The memory of all published diagnostics, in bytes. Changed under the lock of `documents`.
    total_weight: AtomicUsize,
    /// The number of publications, to notify tasks that wait for one.
    publications: watch::Sender<u64>,
    /// Whether the server is known to include the version in every publication about an open document.
    names_versions: bool,
    /// The number of changes of any file that were delivered to the server.
    changes: AtomicU64,
    /// The number of runs of the server's check that have begun.
    check_runs: AtomicU64,
}

#[derive(Debug, Default)]
struct DiagnosticsEntry {
    pushed: Vec<Diagnostic>,
    /// The memory that `pushed` takes up, in bytes.
    weight: usize,
    /// Whether `pushed` belongs to the text that was sent last.
    push_is_current: bool,
    /// Whether the last publication had the version of its text.
    push_names_version: bool,
    /// The version sent last; `None` when the document was never opened.
    sent: Option<i32>,
    /// The number of delivered changes when that version was sent.
    sent_after: u64,
    /// The pulled diagnostics by provider.
    pulled: FxHashMap<Option<String>, PulledReport>,
    /// The run of the check in which the last publication came.
    check_run: u64,
    /// More diagnostics that were published in the same run before the last ones.
    overtaken: Option<Vec<Diagnostic>>,
}

impl DiagnosticsEntry {
    /// Compares the diagnostics of a new publication with those before it in the same run of a check. Without a check, all
    /// publications are in run 0 and are not compared.
    fn note_order(&mut self, items: &[Diagnostic], run: u64) {
        if self.check_run != run {
            self.check_run = run;
            self.overtaken = None;
        } else if run > 0 {
            let covers = |all: &[Diagnostic], part: &[Diagnostic]| part.iter().all(|item| all.contains(item));
            if self.overtaken.as_ref().is_some_and(|more| covers(items, more)) {
                self.overtaken = None;
            } else if self.overtaken.is_none() && items.len() < self.pushed.len() && covers(&self.pushed, items) {
                self.overtaken = Some(self.pushed.clone());
            }
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct PulledReport {
    pub(crate) result_id: Option<String>,
    items: Vec<Diagnostic>,
}

/// The diagnostics published for a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct PublishedReport {
    pub(crate) items: Vec<Diagnostic>,
    /// Whether the diagnostics belong to the last text sent.
    pub(crate) current: bool,
    /// Whether the server named the text's version. A server that does not may publish in parts, the first of them
    /// empty.
    pub(crate) names_version: bool,
}

impl Default for DiagnosticsStore {
    fn default() -> Self {
        Self::new(false)
    }
}

impl DiagnosticsStore {
    /// Creates the store of a server. `names_versions`: whether the server includes the version in every publication
    /// about an open document.
    pub(crate) fn new(names_versions: bool) -> Self {
        Self {
            documents: Mutex::default(),
            total_weight: AtomicUsize::new(0),
            publications: watch::Sender::new(0),
            names_versions,
            changes: AtomicU64::new(0),
            check_runs: AtomicU64::new(0),
        }
    }

    fn documents(&self) -> MutexGuard<'_, FxHashMap<Utf8PathBuf, DiagnosticsEntry>> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a text will be sent; earlier publications do not belong to it. Call this before queuing the
    /// message.
    pub(crate) fn expect(&self, path: &Utf8Path, version: i32) {
        let mut documents = self.documents();
        let entry = documents.entry(path.to_owned()).or_default();
        entry.sent = Some(version);
        entry.sent_after = self.changes.load(Ordering::Acquire);
        entry.push_is_current = false;
    }

    /// Records that a change of a file is about to be delivered. The published diagnostics of every document are from
    /// before it.
    pub(crate) fn mark_changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether a change of another file was delivered after the document's text was sent. A publication for that text
    /// may then be from before the change.
    pub(crate) fn is_outdated(&self, path: &Utf8Path) -> bool {
        let changes = self.changes.load(Ordering::Acquire);
        self.documents().get(path).is_some_and(|entry| entry.sent.is_some() && entry.sent_after < changes)
    }

    /// Records that a run of the server's check begins.
    pub(crate) fn begin_check_run(&self) {
        self.check_runs.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether the last publication about a document lacks diagnostics of an earlier one in the same run of the check. A
    /// run only adds diagnostics to those that it has found, so an older publication has come last: rust-analyzer (1.96)
    /// sends them from several threads.
    pub(crate) fn is_overtaken(&self, path: &Utf8Path) -> bool {
        let run = self.check_runs.load(Ordering::Acquire);
        self.documents().get(path).is_some_and(|entry| entry.check_run == run && entry.overtaken.is_some())
    }

    /// Handles the params of `textDocument/publishDiagnostics`. An empty publication counts like any other.
    pub(crate) fn publish(&self, params: &Value) {
        let Some(path) = params.get("uri").and_then(Value::as_str).and_then(path_of) else { return };
        let (items, weight) = items(params.get("diagnostics"));
        let version = params.get("version").and_then(Value::as_i64);
        {
            let mut documents = self.documents();
            if documents.len() >= MAX_DOCUMENTS && !documents.contains_key(&path) {
                tracing::debug!(%path, "diagnostics of too many documents");
                return;
            }
            let previous = documents.get(&path);
            let total_weight = self.total_weight.load(Ordering::Relaxed) - previous.map_or(0, |entry| entry.weight);
            if previous.is_none_or(|entry| entry.sent.is_none()) && total_weight + weight > MAX_UNREQUESTED_WEIGHT {
                tracing::debug!(%path, "too many diagnostics of documents that were not opened");
                documents.remove(&path);
                self.total_weight.store(total_weight, Ordering::Relaxed);
                return;
            }
            let entry = documents.entry(path).or_default();
            let belongs = match (version, entry.sent) {
                (Some(version), Some(sent)) => version >= i64::from(sent),
                // These diagnostics come from reading the project; a publication about the opened text would have its
                // version.
                (None, Some(_)) if self.names_versions => false,
                _ => true,
            };
            // An older text's diagnostics must not hide newer ones.
            if belongs || !entry.push_is_current {
                entry.note_order(&items, self.check_runs.load(Ordering::Acquire));
                entry.pushed = items;
                entry.weight = weight;
                self.total_weight.store(total_weight + weight, Ordering::Relaxed);
                entry.push_is_current = belongs;
                entry.push_names_version = version.is_some();
            }
        }
        self.publications.send_modify(|count| *count += 1);
    }

    /// Returns a receiver of publications.
    pub(crate) fn publications(&self) -> watch::Receiver<u64> {
        self.publications.subscribe()
    }

    pub(crate) fn published_report(&self, path: &Utf8Path) -> PublishedReport {
        self.documents()
            .get(path)
            .map(|entry| PublishedReport {
                items: entry.pushed.clone(),
                current: entry.push_is_current,
                names_version: entry.push_names_version,
            })
            .unwrap_or_default()
    }

    /// Returns the last pulled report. Its result id is sent with the next pull.
    pub(crate) fn pulled_report(&self, path: &Utf8Path, provider: Option<&String>) -> PulledReport {
        let documents = self.documents();
        documents.get(path).and_then(|entry| entry.pulled.get(&provider.cloned())).cloned().unwrap_or_default()
    }

    /// Stores a `DocumentDiagnosticReport`, with the reports of related documents. Returns the document's diagnostics;
    /// `None` when the report is neither full nor unchanged. `previous` is the report whose result id was sent: the
    /// store may have lost it, because the server invalidated all reports before it answered.
    pub(crate) fn take_report(
        &self,
        path: &Utf8Path,
        provider: Option<&String>,
        previous: &PulledReport,
        report: &Value,
    ) -> Option<Vec<Diagnostic>> {
        let related = report.get("relatedDocuments").and_then(Value::as_object);
        for (uri, report) in related.into_iter().flatten().take(MAX_DOCUMENTS) {
            if let Some(path) = path_of(uri) {
                let known = self.pulled_report(&path, provider);
                self.take_one(&path, provider, &known, report);
            }
        }
        self.take_one(path, provider, previous, report)
    }

    fn take_one(
        &self,
        path: &Utf8Path,
        provider: Option<&String>,
        previous: &PulledReport,
        report: &Value,
    ) -> Option<Vec<Diagnostic>> {
        let result_id = report.get("resultId").and_then(Value::as_str).map(str::to_owned);
        let mut documents = self.documents();
        if documents.len() >= MAX_DOCUMENTS && !documents.contains_key(path) {
            return Some(items(report.get("items")).0);
        }
        let pulled = documents.entry(path.to_owned()).or_default().pulled.entry(provider.cloned()).or_default();
        match report.get("kind").and_then(Value::as_str) {
            Some("unchanged") => {
                let result_id = result_id.or_else(|| previous.result_id.clone());
                *pulled = PulledReport { result_id, items: previous.items.clone() };
                Some(pulled.items.clone())
            }
            // The kind is required, but some servers leave it out.
            Some("full") | None if report.get("items").is_some() => {
                *pulled = PulledReport { result_id, items: items(report.get("items")).0 };
                Some(pulled.items.clone())
            }
            _ => None,
        }
    }

    /// Handles the server's request to pull all diagnostics again.
    pub(crate) fn invalidate(&self) {
        // Every entry alike, so the order does not matter.
        self.documents().values_mut().for_each(|entry| entry.pulled = FxHashMap::default());
    }

    /// Removes a deleted document.
    pub(crate) fn remove(&self, path: &Utf8Path) {
        let mut documents = self.documents();
        if let Some(entry) = documents.remove(path) {
            self.total_weight.fetch_sub(entry.weight, Ordering::Relaxed);
        }
    }
}

fn path_of(uri: &str) -> Option<Utf8PathBuf> {
    zubi_base::uri::to_path(&Uri(uri.to_owned()))
}

/// Returns the diagnostics that can be read, and their memory in bytes; skips those that cannot.
fn items(list: Option<&Value>) -> (Vec<Diagnostic>, usize) {
    let list = list.and_then(Value::as_array).into_iter().flatten().take(MAX_ITEMS);
    let mut weight = 0;
    let items = list
        .take_while(|item| {
            weight += estimated_size(item);
            weight <= MAX_ITEMS_WEIGHT
        })
        .filter_map(|item| Diagnostic::deserialize(item).ok())
        .collect();
    (items, weight)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn publication(version: Option<i32>, messages: &[&str]) -> Value {
        json!({ "uri": "file:///w/a.rs", "version": version, "diagnostics": diagnostics(messages) })
    }

    fn diagnostics(messages: &[&str]) -> Vec<Value> {
        let position = json!({ "line": 0, "character": 0 });
        messages
            .iter()
            .map(|text| json!({ "range": { "start": position, "end": position }, "message": text }))
            .collect()
    }

    fn show(store: &DiagnosticsStore) -> String {
        let pushed = store.published_report(Utf8Path::new("/w/a.rs"));
        let messages: Vec<_> =
            pushed.items.iter().map(|item| serde_json::to_value(item).unwrap()["message"].to_string()).collect();
        format!("{} {}", messages.join(","), if pushed.current { "current" } else { "old" })
    }

    #[test]
    fn publications_belong_to_the_version_they_name() {
        let store = DiagnosticsStore::default();
        let path = Utf8Path::new("/w/a.rs");
        store.publish(&publication(None, &["before it was opened"]));
        insta::assert_snapshot!(show(&store), @r#""before it was opened" current"#);
        store.expect(path, 1);
        insta::assert_snapshot!(show(&store), @r#""before it was opened" old"#);
        store.publish(&publication(Some(1), &["one"]));
        store.expect(path, 2);
        store.publish(&publication(Some(1), &["late"]));
        insta::assert_snapshot!(show(&store), @r#""late" old"#);
        store.publish(&publication(Some(2), &[]));
        insta::assert_snapshot!(show(&store), @" current");
        store.publish(&publication(Some(1), &["later still"]));
        insta::assert_snapshot!(show(&store), @" current");
        store.expect(path, 3);
        store.publish(&publication(None, &["without a version"]));
        insta::assert_snapshot!(show(&store), @r#""without a version" current"#);
    }

    #[test]
    fn a_change_of_another_file_outdates_publications() {
        let store = DiagnosticsStore::default();
        let path = Utf8Path::new("/w/a.rs");
        store.mark_changed();
        store.expect(path, 1);
        store.publish(&publication(Some(1), &["one"]));
        assert!(!store.is_outdated(path));
        store.mark_changed();
        assert!(store.is_outdated(path));
        store.publish(&publication(Some(1), &["perhaps computed before"]));
        assert!(store.is_outdated(path));
        store.expect(path, 2);
        assert!(!store.is_outdated(path));
        assert!(!store.is_outdated(Utf8Path::new("/w/other.rs")));
    }

    #[test]
    fn a_flood_is_bounded_and_does_not_affect_opened_documents() {
        let store = DiagnosticsStore::default();
        let opened = Utf8Path::new("/w/a.rs");
        store.expect(opened, 1);
        let megabyte = "x".repeat(1024 * 1024);
        for number in 0..100 {
            let publication =
                json!({ "uri": format!("file:///w/{number}.rs"), "diagnostics": diagnostics(&[megabyte.as_str(); 9]) });
            store.publish(&publication);
        }
        let total_weight = store.total_weight.load(Ordering::Relaxed);
        assert!(
            (MAX_UNREQUESTED_WEIGHT / 2..=MAX_UNREQUESTED_WEIGHT + MAX_ITEMS_WEIGHT).contains(&total_weight),
            "{total_weight}"
        );
        store.publish(&publication(Some(1), &["opened"]));
        insta::assert_snapshot!(show(&store), @r#""opened" current"#);
        // Withdrawn diagnostics free memory.
        for number in 0..100 {
            store.publish(&json!({ "uri": format!("file:///w/{number}.rs"), "diagnostics": [] }));
        }
        assert!(store.total_weight.load(Ordering::Relaxed) < 1024);
    }

    #[test]
    fn publications_without_a_version_are_not_current() {
        let store = DiagnosticsStore::new(true);
        store.expect(Utf8Path::new("/w/a.rs"), 1);
        store.publish(&publication(None, &["while reading"]));
        insta::assert_snapshot!(show(&store), @r#""while reading" old"#);
        store.publish(&publication(Some(1), &["one"]));
        insta::assert_snapshot!(show(&store), @r#""one" current"#);
    }

    #[test]
    fn unchanged_reports_repeat_the_last_pull() {
        let store = DiagnosticsStore::default();
        let (path, provider) = (Utf8Path::new("/w/a.rs"), Some("ty".to_owned()));
        let full = json!({
            "kind": "full", "resultId": "1", "items": diagnostics(&["one"]),
            "relatedDocuments": { "file:///w/b.rs": { "kind": "full", "items": diagnostics(&["other"]), "resultId": "2" } },
        });
        let none = PulledReport::default();
        let result_id = |path: &str, provider| store.pulled_report(Utf8Path::new(path), provider).result_id;
        assert_eq!(store.take_report(path, provider.as_ref(), &none, &full).unwrap().len(), 1);
        assert_eq!(result_id("/w/a.rs", provider.as_ref()).as_deref(), Some("1"));
        assert_eq!(result_id("/w/b.rs", provider.as_ref()).as_deref(), Some("2"));
        assert_eq!(result_id("/w/a.rs", None), None);
        let unchanged = json!({ "kind": "unchanged", "resultId": "3" });
        let previous = store.pulled_report(path, provider.as_ref());
        assert_eq!(store.take_report(path, provider.as_ref(), &previous, &unchanged).unwrap().len(), 1);
        assert_eq!(result_id("/w/a.rs", provider.as_ref()).as_deref(), Some("3"));
        let previous = store.pulled_report(path, provider.as_ref());
        store.invalidate();
        assert_eq!(result_id("/w/a.rs", provider.as_ref()), None);
        // The server invalidated all reports between the request and its answer (ty 0.0.104).
        assert_eq!(store.take_report(path, provider.as_ref(), &previous, &unchanged).unwrap().len(), 1);
        assert_eq!(store.take_report(path, None, &none, &json!({ "kind": "strange" })), None);
    }

    #[test]
    fn unreadable_diagnostics_are_skipped() {
        let mut list = diagnostics(&["good"]);
        list.push(json!({ "message": 3 }));
        assert_eq!(items(Some(&Value::Array(list))).0.len(), 1);
    }
}
