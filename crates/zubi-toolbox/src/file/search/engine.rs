//! Search engine: ripgrep's crates on all processors. Counts all matching lines, stores the first ones.

use std::collections::BTreeMap;
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
use zubi_base::walk::{self, WalkOptions};
use zubi_base::{credentials, fs};

use crate::file::glob::Pattern;

/// Longest query in bytes.
const MAX_QUERY: usize = 10_000;
/// Size limits of a compiled expression and of its state table, in bytes: `\w{9999}{999}` is rejected, not compiled.
const MAX_COMPILED: usize = 10 << 20;
const MAX_STATES: usize = 64 << 20;
/// Longest searched line in bytes. A file with a longer line counts as unreadable.
const MAX_LINE: usize = 8 << 20;
/// Most characters shown of a line, around the match.
const MAX_SHOWN: usize = 240;
/// Characters shown before the match.
const BEFORE_MATCH: usize = 60;

/// A search query.
pub(crate) struct Query {
    pub(crate) text: String,
    pub(crate) is_regex: bool,
    /// `None`: case-insensitive unless the query has a capital letter.
    pub(crate) case_sensitive: Option<bool>,
    pub(crate) context: usize,
    pub(crate) pattern: Option<Pattern>,
}

impl Query {
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

/// Limits of a search.
pub(crate) struct Bounds {
    /// Most lines that the answer shows.
    pub(crate) limit: usize,
    pub(crate) cancel: CancellationToken,
    pub(crate) deadline: Instant,
}

impl Bounds {
    fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.deadline
    }
}

/// Results of a search.
#[derive(Debug, Default)]
pub(crate) struct SearchFindings {
    /// Files with matches by path, so that answers are deterministic; only the first files have lines.
    pub(crate) files: BTreeMap<Utf8PathBuf, Vec<Line>>,
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
    pub(crate) stopped: bool,
}

/// A matching line. Numbers and columns (in characters) are 1-based.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) number: u64,
    pub(crate) column: usize,
    pub(crate) text: String,
    pub(crate) before: Vec<(u64, String)>,
    pub(crate) after: Vec<(u64, String)>,
}

/// Searches files and everything below folders. Blocks this thread and uses others until it is done.
pub(crate) fn search(
    roots: &[Utf8PathBuf],
    query: &Query,
    matcher: &RegexMatcher,
    unsaved: &BTreeMap<Utf8PathBuf, Arc<str>>,
    bounds: &Bounds,
) -> SearchFindings {
    let shared = SearchState {
        query,
        matcher,
        unsaved,
        bounds,
        found: Mutex::default(),
        searched: AtomicUsize::new(0),
        binary: AtomicUsize::new(0),
        unreadable: AtomicUsize::new(0),
        credentials: AtomicUsize::new(0),
        of_editor: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
    };
    for root in roots {
        if root.is_dir() {
            let mut walk = walk::builder(root, WalkOptions::default());
            walk.threads(0);
            walk.build_parallel().visit(&mut Workers { shared: &shared, root });
        } else {
            Worker::new(&shared, root).file(root);
        }
    }
    let mut found = shared.found.into_inner().unwrap_or_else(PoisonError::into_inner).found;
    found.searched = shared.searched.into_inner();
    found.binary = shared.binary.into_inner();
    found.unreadable = shared.unreadable.into_inner();
    found.credentials = shared.credentials.into_inner();
    found.unsaved = shared.of_editor.into_inner();
    found.stopped = shared.stopped.into_inner();
    found
}

/// State shared by all threads.
struct SearchState<'a> {
    query: &'a Query,
    matcher: &'a RegexMatcher,
    unsaved: &'a BTreeMap<Utf8PathBuf, Arc<str>>,
    bounds: &'a Bounds,
    found: Mutex<Kept>,
    searched: AtomicUsize,
    binary: AtomicUsize,
    unreadable: AtomicUsize,
    credentials: AtomicUsize,
    of_editor: AtomicUsize,
    stopped: AtomicBool,
}

impl SearchState<'_> {
    fn lock_findings(&self) -> MutexGuard<'_, Kept> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether lines of a file can still become part of the answer.
    fn will_show(&self, path: &Utf8Path) -> bool {
        self.lock_findings().will_show(path)
    }
}

/// Findings while files arrive, in any order.
#[derive(Default)]
struct Kept {
    found: SearchFindings,
    /// Stored lines of all files.
    lines: usize,
    /// Last file whose lines are shown: the files up to this one fill the answer.
    full_with: Option<Utf8PathBuf>,
}

impl Kept {
    fn will_show(&self, path: &Utf8Path) -> bool {
        self.full_with.as_deref().is_none_or(|last| path <= last)
    }

    fn add(&mut self, path: Utf8PathBuf, total: usize, mut kept: Vec<Line>, limit: usize) {
        if !self.will_show(&path) {
            kept.clear();
        }
        self.found.lines += total;
        self.lines += kept.len();
        self.found.files.insert(path, kept);
        // Answers list files by path: lines of the last files are dropped once earlier files fill the answer.
        while self.lines >= limit {
            let until = self.full_with.as_ref().map_or(Bound::Unbounded, Bound::Included);
            let shown = self.found.files.range_mut::<Utf8PathBuf, _>((Bound::Unbounded, until));
            let Some((path, lines)) = shown.rev().find(|(_, lines)| !lines.is_empty()) else { break };
            if self.lines - lines.len() < limit {
                self.full_with = Some(path.clone());
                break;
            }
            self.lines -= lines.len();
            lines.clear();
        }
    }
}

struct Workers<'s> {
    shared: &'s SearchState<'s>,
    root: &'s Utf8Path,
}

impl<'s> ParallelVisitorBuilder<'s> for Workers<'s> {
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
        if self.shared.bounds.is_over() {
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
            // Reading such a file requires approval, and an approval covers only named paths. A search in a named
            // credential directory has been approved.
            if credentials::is_credential_path(&path) && !credentials::is_credential_path(self.root) {
                self.shared.credentials.fetch_add(1, Ordering::Relaxed);
                return WalkState::Continue;
            }
            self.file(&path);
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

    fn file(&mut self, path: &Utf8Path) {
        let relative = path.strip_prefix(self.root).ok().filter(|relative| !relative.as_str().is_empty());
        // The pattern applies to the name of a file given as the root.
        let relative = relative.unwrap_or_else(|| Utf8Path::new(path.file_name().unwrap_or_default()));
        if self.shared.query.pattern.as_ref().is_some_and(|pattern| !pattern.matches(relative)) {
            return;
        }
        let mut sink = Lines {
            matcher: &self.matcher,
            bounds: self.shared.bounds,
            keep: if self.shared.will_show(path) { self.shared.bounds.limit } else { 0 },
            total: 0,
            kept: Vec::new(),
            pending: Vec::new(),
            is_binary: false,
            is_over: false,
        };
        let searched = if let Some(text) = self.shared.unsaved.get(path) {
            self.shared.of_editor.fetch_add(1, Ordering::Relaxed);
            self.searcher.search_slice(&self.matcher, text.as_bytes(), &mut sink)
        } else {
            fs::open_no_follow(path).and_then(|file| {
                if !file.metadata()?.is_file() {
                    return Err(std::io::Error::other("no longer a regular file"));
                }
                self.searcher.search_file(&self.matcher, &file, &mut sink)
            })
        };
        if sink.is_over {
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
        self.shared.searched.fetch_add(1, Ordering::Relaxed);
        if sink.total > 0 {
            let mut found = self.shared.lock_findings();
            found.add(path.to_owned(), sink.total, sink.kept, self.shared.bounds.limit);
        }
    }
}

/// Collects the matching lines of one file.
struct Lines<'a> {
    matcher: &'a RegexMatcher,
    bounds: &'a Bounds,
    /// Number of lines to store for this file; further lines are only counted.
    keep: usize,
    total: usize,
    kept: Vec<Line>,
    /// Context before a match that has not arrived yet.
    pending: Vec<(u64, String)>,
    is_binary: bool,
    is_over: bool,
}

impl Sink for Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.total += 1;
        if self.kept.len() < self.keep {
            let bytes = found.bytes();
            let start = self.matcher.find(bytes).ok().flatten().map_or(0, |found| found.start());
            let (column, text) = excerpt(bytes, start);
            let before = std::mem::take(&mut self.pending);
            let number = found.line_number().unwrap_or_default();
            self.kept.push(Line { number, column, text, before, after: Vec::new() });
        }
        // One file may have millions of matches; reading the clock for each would cost as much as finding it.
        self.is_over = self.total.is_multiple_of(1_000) && self.bounds.is_over();
        Ok(!self.is_over)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> Result<bool, Self::Error> {
        let line = || (context.line_number().unwrap_or_default(), excerpt(context.bytes(), 0).1);
        match context.kind() {
            // Context after the last stored line must not contain further matches.
            SinkContextKind::After if self.total == self.kept.len() => {
                if let Some(last) = self.kept.last_mut() {
                    last.after.push(line());
                }
            }
            SinkContextKind::Before if self.kept.len() < self.keep => self.pending.push(line()),
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
    let column = before.chars().count();
    // Bounded, because a line may have millions of bytes.
    let rest = line.get(start..).unwrap_or_default();
    let rest = String::from_utf8_lossy(rest.get(..rest.len().min(4 * MAX_SHOWN)).unwrap_or_default());
    if column + rest.chars().count() <= MAX_SHOWN {
        return (column + 1, format!("{before}{rest}").trim().to_owned());
    }
    let skipped = column.saturating_sub(BEFORE_MATCH);
    let shown: String = before.chars().skip(skipped).chain(rest.chars()).take(MAX_SHOWN).collect();
    let dots = if skipped > 0 { "…" } else { "" };
    (column + 1, format!("{dots}{}…", shown.trim()))
}

#[cfg(test)]
mod tests;
