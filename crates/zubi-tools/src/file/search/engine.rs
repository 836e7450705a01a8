//! Search engine with ripgrep's crates on all processors. Counts all matching lines and stores the first ones.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader};
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch};
use ignore::{ParallelVisitor, ParallelVisitorBuilder, WalkState};
use tokio_util::sync::CancellationToken;
use zubi_base::secret_shape::{self, KEY_LINE, KeyLines, SecretCounts, ShownSecrets};
use zubi_base::walk::{self, WalkOptions};
use zubi_base::{credentials, fs};

use crate::file::glob::GlobPattern;

/// Longest query in bytes.
const MAX_QUERY: usize = 10_000;
/// Size limits of a compiled expression and of its state table, in bytes: `\w{9999}{999}` is rejected, not compiled.
const MAX_COMPILED: usize = 10 << 20;
const MAX_STATES: usize = 64 << 20;
/// Longest searched line in bytes. A file with a longer line counts as unreadable.
const MAX_LINE: usize = 8 << 20;
/// Maximum number of characters shown of a line, around the match.
const MAX_EXCERPT: usize = 240;
/// The end of the first line of every private key in PEM.
const KEY_MARK: &[u8] = b"PRIVATE KEY-----";
/// Characters shown before the match.
const BEFORE_MATCH: usize = 60;

pub(crate) struct SearchQuery {
    pub(crate) text: String,
    pub(crate) is_regex: bool,
    /// `None`: case-insensitive unless the query has a capital letter.
    pub(crate) case_sensitive: Option<bool>,
    pub(crate) context: usize,
    pub(crate) pattern: Option<GlobPattern>,
}

impl SearchQuery {
    /// Compiles the expression. The error is a clause.
    pub(crate) fn matcher(&self) -> Result<RegexMatcher, String> {
        if self.text.is_empty() || self.text.len() > MAX_QUERY {
            return Err(format!("it is empty or longer than {MAX_QUERY} bytes"));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(!self.is_regex)
            .multi_line(true)
            .line_terminator(Some(b'\n'))
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_STATES);
        match self.case_sensitive {
            Some(sensitive) => builder.case_insensitive(!sensitive),
            None => builder.case_smart(true),
        };
        builder.build(&self.text).map_err(|error| error.to_string().chars().take(400).collect())
    }
}

pub(crate) struct SearchLimits {
    /// Maximum number of lines that the answer shows.
    pub(crate) limit: usize,
    pub(crate) cancel: CancellationToken,
    pub(crate) deadline: Instant,
}

impl SearchLimits {
    fn is_exceeded(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.deadline
    }
}

#[derive(Debug, Default)]
pub(crate) struct SearchFindings {
    /// Files with matches by path, so that answers are deterministic; only the first files have lines.
    pub(crate) files: BTreeMap<Utf8PathBuf, Vec<MatchedLine>>,
    /// Number of all matching lines, stored or not.
    pub(crate) lines: usize,
    pub(crate) searched: usize,
    pub(crate) binary: usize,
    pub(crate) unreadable: usize,
    /// Files skipped because they contain credentials.
    pub(crate) credentials: usize,
    /// Files searched in the unsaved text of an editor.
    pub(crate) unsaved: usize,
    /// Whether the search ended at a limit.
    pub(crate) is_incomplete: bool,
}

/// A matching line. Numbers and columns (in characters) are 1-based.
#[derive(Debug)]
pub(crate) struct MatchedLine {
    pub(crate) number: u64,
    pub(crate) column: usize,
    pub(crate) text: String,
    pub(crate) before: Vec<(u64, String)>,
    pub(crate) after: Vec<(u64, String)>,
}

/// Searches files and everything below folders. Blocks this thread and uses others until the search ends.
pub(crate) fn search(
    roots: &[Utf8PathBuf],
    query: &SearchQuery,
    matcher: &RegexMatcher,
    unsaved: &BTreeMap<Utf8PathBuf, Arc<str>>,
    bounds: &SearchLimits,
) -> SearchFindings {
    let state = SearchState {
        query,
        matcher,
        unsaved,
        limits: bounds,
        found: Mutex::default(),
        searched: AtomicUsize::new(0),
        binary: AtomicUsize::new(0),
        unreadable: AtomicUsize::new(0),
        credentials: AtomicUsize::new(0),
        unsaved_files: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
    };
    for root in roots {
        if root.is_dir() {
            let mut walk = walk::builder(root, WalkOptions { worktrees: true, ..WalkOptions::default() });
            walk.threads(0);
            walk.build_parallel().visit(&mut WorkerFactory { shared: &state, root });
        } else {
            Worker::new(&state, root).search_file(root);
        }
    }
    let mut findings = state.found.into_inner().unwrap_or_else(PoisonError::into_inner).findings;
    findings.searched = state.searched.into_inner();
    findings.binary = state.binary.into_inner();
    findings.unreadable = state.unreadable.into_inner();
    findings.credentials = state.credentials.into_inner();
    findings.unsaved = state.unsaved_files.into_inner();
    findings.is_incomplete = state.stopped.into_inner();
    findings
}

/// State shared by all threads.
struct SearchState<'a> {
    query: &'a SearchQuery,
    matcher: &'a RegexMatcher,
    unsaved: &'a BTreeMap<Utf8PathBuf, Arc<str>>,
    limits: &'a SearchLimits,
    found: Mutex<PendingFindings>,
    searched: AtomicUsize,
    binary: AtomicUsize,
    unreadable: AtomicUsize,
    credentials: AtomicUsize,
    unsaved_files: AtomicUsize,
    stopped: AtomicBool,
}

impl SearchState<'_> {
    fn lock_findings(&self) -> MutexGuard<'_, PendingFindings> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the answer may still show lines of a file.
    fn may_show(&self, path: &Utf8Path) -> bool {
        self.lock_findings().may_show(path)
    }
}

/// Findings during the search. Files arrive in any order.
#[derive(Default)]
struct PendingFindings {
    findings: SearchFindings,
    /// Stored lines of all files.
    lines: usize,
    /// Last file whose lines are shown: the files up to this one fill the answer.
    last_shown: Option<Utf8PathBuf>,
}

impl PendingFindings {
    fn may_show(&self, path: &Utf8Path) -> bool {
        self.last_shown.as_deref().is_none_or(|last| path <= last)
    }

    fn add(&mut self, path: Utf8PathBuf, total: usize, mut matched_lines: Vec<MatchedLine>, limit: usize) {
        if !self.may_show(&path) {
            matched_lines.clear();
        }
        self.findings.lines += total;
        self.lines += matched_lines.len();
        self.findings.files.insert(path, matched_lines);
        // Answers list files by path, so drop the lines of the last files once earlier files fill the answer.
        while self.lines >= limit {
            let until = self.last_shown.as_ref().map_or(Bound::Unbounded, Bound::Included);
            let shown_files = self.findings.files.range_mut::<Utf8PathBuf, _>((Bound::Unbounded, until));
            let Some((path, lines)) = shown_files.rev().find(|(_, lines)| !lines.is_empty()) else { break };
            if self.lines - lines.len() < limit {
                self.last_shown = Some(path.clone());
                break;
            }
            self.lines -= lines.len();
            lines.clear();
        }
    }
}

struct WorkerFactory<'s> {
    shared: &'s SearchState<'s>,
    root: &'s Utf8Path,
}

impl<'s> ParallelVisitorBuilder<'s> for WorkerFactory<'s> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        Box::new(Worker::new(self.shared, self.root))
    }
}

/// One thread of a search, with its buffers.
struct Worker<'s> {
    shared: &'s SearchState<'s>,
    root: &'s Utf8Path,
    matcher: RegexMatcher,
    searcher: Searcher,
}

impl ParallelVisitor for Worker<'_> {
    fn visit(&mut self, entry: Result<ignore::DirEntry, ignore::Error>) -> WalkState {
        if self.shared.limits.is_exceeded() {
            self.shared.stopped.store(true, Ordering::Relaxed);
            return WalkState::Quit;
        }
        let Ok(entry) = entry else {
            self.shared.unreadable.fetch_add(1, Ordering::Relaxed);
            return WalkState::Continue;
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return WalkState::Continue;
        }
        if let Ok(path) = Utf8PathBuf::from_path_buf(entry.into_path()) {
            // Reading such a file requires approval, which covers only named paths. A search in a named credential
            // directory has been approved.
            if credentials::is_credential_path(&path) && !credentials::is_credential_path(self.root) {
                self.shared.credentials.fetch_add(1, Ordering::Relaxed);
                return WalkState::Continue;
            }
            self.search_file(&path);
        } else {
            // No argument could name this file.
            self.shared.unreadable.fetch_add(1, Ordering::Relaxed);
        }
        WalkState::Continue
    }
}

impl<'s> Worker<'s> {
    fn new(shared: &'s SearchState<'s>, root: &'s Utf8Path) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .before_context(shared.query.context)
            .after_context(shared.query.context)
            .heap_limit(Some(MAX_LINE))
            .build();
        Self { shared, root, matcher: shared.matcher.clone(), searcher }
    }

    fn search_file(&mut self, path: &Utf8Path) {
        let relative = path.strip_prefix(self.root).ok().filter(|relative| !relative.as_str().is_empty());
        // The pattern applies to the name of a file given as the root.
        let relative = relative.unwrap_or_else(|| Utf8Path::new(path.file_name().unwrap_or_default()));
        if self.shared.query.pattern.as_ref().is_some_and(|pattern| !pattern.matches(relative)) {
            return;
        }
        let mut sink = LineCollector {
            matcher: &self.matcher,
            bounds: self.shared.limits,
            max_stored: if self.shared.may_show(path) { self.shared.limits.limit } else { 0 },
            total: 0,
            matched_lines: Vec::new(),
            pending: Vec::new(),
            is_binary: false,
            is_stopped: false,
        };
        let searched = if let Some(text) = self.shared.unsaved.get(path) {
            self.shared.unsaved_files.fetch_add(1, Ordering::Relaxed);
            self.searcher.search_slice(&self.matcher, text.as_bytes(), &mut sink)
        } else {
            fs::open_no_follow(path).and_then(|file| {
                if !file.metadata()?.is_file() {
                    return Err(std::io::Error::other("no longer a regular file"));
                }
                self.searcher.search_file(&self.matcher, &file, &mut sink)
            })
        };
        if sink.is_stopped {
            self.shared.stopped.store(true, Ordering::Relaxed);
        }
        if searched.is_err() {
            self.shared.unreadable.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if sink.is_binary {
            self.shared.binary.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if sink.total > 0 && path != self.root && credentials::has_private_key(path) {
            self.shared.credentials.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.shared.searched.fetch_add(1, Ordering::Relaxed);
        if sink.total > 0 {
            let mut matched_lines = sink.matched_lines;
            self.redact_keys(path, &mut matched_lines);
            let mut found = self.shared.lock_findings();
            found.add(path.to_owned(), sink.total, matched_lines, self.shared.limits.limit);
        }
    }
}

impl Worker<'_> {
    /// Replaces the lines inside private keys, except those of a key that is shown from its first line on: by that line,
    /// the registry recognizes the key. Reads the file again only if a line may be one.
    fn redact_keys(&self, path: &Utf8Path, lines: &mut [MatchedLine]) {
        let is_suspicious = |line: &MatchedLine| line.texts().any(|(_, text)| secret_shape::may_be_key_line(text));
        if !lines.iter().any(is_suspicious) {
            return;
        }
        let inside = match self.shared.unsaved.get(path) {
            Some(text) => key_lines(text.as_bytes()),
            None => fs::open_no_follow(path).and_then(|file| key_lines(BufReader::new(file))),
        };
        let shown: BTreeSet<u64> = lines.iter().flat_map(MatchedLine::texts).map(|(number, _)| number).collect();
        for (number, text) in lines.iter_mut().flat_map(MatchedLine::texts_mut) {
            let is_key = match &inside {
                Ok(inside) => inside.get(&number).is_some_and(|first| {
                    first.is_none_or(|first| (first..number).any(|before| !shown.contains(&before)))
                }),
                // Nothing that may be a key is shown of a file that cannot be read again.
                Err(_) => secret_shape::may_be_key_line(text),
            };
            if is_key {
                KEY_LINE.clone_into(text);
            }
        }
    }
}

/// Returns the numbers of the lines inside private keys, with that of the key's first line if an excerpt leaves that line
/// as it is.
fn key_lines(text: impl BufRead) -> io::Result<BTreeMap<u64, Option<u64>>> {
    let (mut keys, mut inside, mut first) = (KeyLines::default(), BTreeMap::new(), None);
    for (line, number) in text.split(b'\n').zip(1..) {
        let line = line?;
        if keys.is_next_inside(&String::from_utf8_lossy(&line)) {
            inside.insert(number, first);
        } else {
            first = key_after_mark(&line).is_none().then_some(number);
        }
    }
    Ok(inside)
}

/// Returns what follows the end of a private key's first line in the same line, if anything does.
fn key_after_mark(line: &[u8]) -> Option<&[u8]> {
    let mark = line.windows(KEY_MARK.len()).position(|part| part == KEY_MARK)?;
    line.get(mark + KEY_MARK.len()..).map(<[u8]>::trim_ascii).filter(|rest| !rest.is_empty())
}

impl MatchedLine {
    /// Returns the line and those around it, with their numbers.
    fn texts(&self) -> impl Iterator<Item = (u64, &String)> {
        let around = self.before.iter().chain(&self.after).map(|(number, text)| (*number, text));
        around.chain([(self.number, &self.text)])
    }

    fn texts_mut(&mut self) -> impl Iterator<Item = (u64, &mut String)> {
        let around = self.before.iter_mut().chain(&mut self.after).map(|(number, text)| (*number, text));
        around.chain([(self.number, &mut self.text)])
    }
}

/// Collects the matching lines of one file.
struct LineCollector<'a> {
    matcher: &'a RegexMatcher,
    bounds: &'a SearchLimits,
    /// Number of lines to store for this file; further lines are only counted.
    max_stored: usize,
    total: usize,
    matched_lines: Vec<MatchedLine>,
    /// Context before the next match.
    pending: Vec<(u64, String)>,
    is_binary: bool,
    is_stopped: bool,
}

impl Sink for LineCollector<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.total += 1;
        if self.matched_lines.len() < self.max_stored {
            let bytes = found.bytes();
            let start = self.matcher.find(bytes).ok().flatten().map_or(0, |found| found.start());
            let (column, text) = excerpt(bytes, start);
            let before = std::mem::take(&mut self.pending);
            let number = found.line_number().unwrap_or_default();
            self.matched_lines.push(MatchedLine { number, column, text, before, after: Vec::new() });
        }
        // One file may have millions of matches; reading the clock for each would cost as much as finding it.
        self.is_stopped = self.total.is_multiple_of(1_000) && self.bounds.is_exceeded();
        Ok(!self.is_stopped)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> Result<bool, Self::Error> {
        let line = || (context.line_number().unwrap_or_default(), excerpt(context.bytes(), 0).1);
        match context.kind() {
            // Context after the last stored line must not contain further matches.
            SinkContextKind::After if self.total == self.matched_lines.len() => {
                if let Some(last) = self.matched_lines.last_mut() {
                    last.after.push(line());
                }
            }
            SinkContextKind::Before if self.matched_lines.len() < self.max_stored => self.pending.push(line()),
            _ => {}
        }
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, _offset: u64) -> Result<bool, Self::Error> {
        self.is_binary = true;
        Ok(false)
    }
}

/// Returns the match's 1-based column in characters and the shown part of the line.
fn excerpt(line: &[u8], start: usize) -> (usize, String) {
    let before = String::from_utf8_lossy(line.get(..start).unwrap_or_default());
    if key_after_mark(line).is_some() {
        // An excerpt may begin inside a key that is in one line.
        let (mut counts, shown) = (SecretCounts::default(), ShownSecrets::default());
        let text = secret_shape::redact(&String::from_utf8_lossy(line), &shown, &mut counts);
        return (before.chars().count() + 1, text.trim().chars().take(MAX_EXCERPT).collect());
    }
    let column = before.chars().count();
    // Bounded, because a line may have millions of bytes.
    let rest = line.get(start..).unwrap_or_default();
    let rest = String::from_utf8_lossy(rest.get(..rest.len().min(4 * MAX_EXCERPT)).unwrap_or_default());
    if column + rest.chars().count() <= MAX_EXCERPT {
        return (column + 1, format!("{before}{rest}").trim().to_owned());
    }
    let skipped = column.saturating_sub(BEFORE_MATCH);
    let excerpt: String = before.chars().skip(skipped).chain(rest.chars()).take(MAX_EXCERPT).collect();
    let dots = if skipped > 0 { "…" } else { "" };
    (column + 1, format!("{dots}{}…", excerpt.trim()))
}

#[cfg(test)]
mod tests;
