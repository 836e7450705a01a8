//! zubi's side: starts the child, sends it texts, and ends it if it does not answer.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::{Hash as _, Hasher as _};
use std::io;
use std::ops::Range;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::Utf8PathBuf;
use rustc_hash::FxHashMap;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Semaphore;
use zubi_base::process::{Child, ChildEnvironment, CommandSpec, Spawner, read_error_output};
use zubi_base::sync::lock;
use zubi_code::syntax::{NodeSearch, PatternAnswer, PatternSearchError};
use zubi_exec::sandbox::Sandbox;
use zubi_syntax::{
    MAX_PATTERN_BYTES, MAX_TEXT_BYTES, Notebook, OutlineError, PatternError, SyntaxLanguage, SyntaxLayout,
    SyntaxOutline, TextExtent,
};

use super::{
    CHILD_ARGUMENT, MAX_ANSWER, MAX_CHILDREN, ParseAnswer, ParseJob, PatternSearch, SyntaxError, SyntaxParser,
};

/// The time in addition to the child's own limit before it is ended: some grammars do not check the limit while they
/// recover from an error.
const GRACE: Duration = Duration::from_secs(1);

/// The time without a job after which the child ends.
const IDLE: Duration = Duration::from_mins(1);

/// The time in which such a text is not tried again. A busy machine may have been the reason.
const REJECTION: Duration = Duration::from_mins(10);

/// The maximum number of texts that are not tried again.
const MAX_REJECTED: usize = 1_000;

/// The limits of the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParserConfig {
    /// The time limit of one parse.
    pub time: Duration,
    /// The maximum address space of the child in bytes. A syntax tree takes 10 to 20 times as much as its text.
    pub memory: u64,
}

impl Default for ParserConfig {
    fn default() -> Self {
        Self { time: Duration::from_secs(2), memory: 512 * 1024 * 1024 }
    }
}

/// Parses texts in children, [`MAX_CHILDREN`] at the same time. A child starts with a text for which no other one is free, and
/// the children end when all are idle.
#[derive(Clone)]
pub struct ParserProcess {
    state: Arc<ParserState>,
}

struct ParserState {
    spawner: Spawner,
    /// zubi's own program.
    executable: Utf8PathBuf,
    sandbox: Arc<Sandbox>,
    config: ParserConfig,
    /// One permit for each text in a child.
    permits: Semaphore,
    idle: Mutex<IdleChildren>,
    /// The texts, by hash, that ended or blocked a child, with the reason.
    rejected: Mutex<FxHashMap<u64, (Instant, String)>>,
}

/// The children between two jobs.
#[derive(Default)]
struct IdleChildren {
    running: Vec<RunningParser>,
    /// The number of jobs so far, by which the timer notices further ones.
    jobs: u64,
    has_timer: bool,
}

struct RunningParser {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    child: Child,
}

impl ParserProcess {
    /// Returns `None` if the spawner does not know zubi's own program. Starts nothing.
    pub fn new(spawner: Spawner, sandbox: Arc<Sandbox>, config: ParserConfig) -> Option<Self> {
        let executable = spawner.executable()?.to_owned();
        let (permits, idle, rejected) = (Semaphore::new(MAX_CHILDREN), Mutex::default(), Mutex::default());
        Some(Self { state: Arc::new(ParserState { spawner, executable, sandbox, config, permits, idle, rejected }) })
    }
}

#[async_trait]
impl SyntaxParser for ParserProcess {
    async fn outline(&self, file_name: &str, text: &Arc<str>) -> Result<SyntaxOutline, SyntaxError> {
        if !Notebook::is_notebook(file_name) {
            return to_outline(self.run(JobKind::outline(file_name, &[]), text).await?);
        }
        // The reader of notebooks is not a grammar, and leaves out everything but the code.
        let notebook = Notebook::parse(text).map_err(|error| SyntaxError(error.to_string()))?;
        let cells = notebook.cells();
        if cells.is_empty() {
            return Ok(notebook.to_file(SyntaxOutline::default()));
        }
        let code = Arc::from(notebook.parsed_code());
        let outline = to_outline(self.run(JobKind::outline(notebook.language().id, &cells), &code).await?)?;
        Ok(notebook.to_file(outline))
    }

    async fn layout(&self, file_name: &str, extent: TextExtent, text: &Arc<str>) -> Result<SyntaxLayout, SyntaxError> {
        match self.run(JobKind { layout: Some(extent), ..JobKind::outline(file_name, &[]) }, text).await? {
            ParseAnswer::Layout(layout) => Ok(layout),
            answer => Err(to_error(answer)),
        }
    }

    async fn find_matches(
        &self,
        language: &'static SyntaxLanguage,
        search: &NodeSearch,
        text: &Arc<str>,
    ) -> Result<PatternAnswer, PatternSearchError> {
        if search.pattern.len() + search.kind.as_ref().map_or(0, String::len) > MAX_PATTERN_BYTES {
            return Err(PatternSearchError::Pattern(PatternError::TooLarge.to_string()));
        }
        let search = PatternSearch { language: language.id.to_owned(), search: search.clone() };
        let kind = JobKind { search: Some(search), ..JobKind::default() };
        match self.run(kind, text).await.map_err(PatternSearchError::Text)? {
            ParseAnswer::Matches(answer) => Ok(answer),
            ParseAnswer::Invalid(reason) => Err(PatternSearchError::Pattern(reason)),
            answer => Err(PatternSearchError::Text(to_error(answer))),
        }
    }
}

/// The parts of a [`ParseJob`] that say what to return for a text.
#[derive(Default)]
struct JobKind<'a> {
    name: &'a str,
    cells: &'a [Range<usize>],
    layout: Option<TextExtent>,
    search: Option<PatternSearch>,
}

impl<'a> JobKind<'a> {
    fn outline(name: &'a str, cells: &'a [Range<usize>]) -> Self {
        Self { name, cells, ..Self::default() }
    }
}

fn to_outline(answer: ParseAnswer) -> Result<SyntaxOutline, SyntaxError> {
    match answer {
        ParseAnswer::Outline(outline) => Ok(outline),
        answer => Err(to_error(answer)),
    }
}

/// Returns the error of an answer that is not the result of its job.
fn to_error(answer: ParseAnswer) -> SyntaxError {
    match answer {
        ParseAnswer::Failure(reason) | ParseAnswer::Invalid(reason) => SyntaxError(reason),
        ParseAnswer::Outline(_) | ParseAnswer::Layout(_) | ParseAnswer::Matches(_) => {
            SyntaxError("the parser answered another job".to_owned())
        }
    }
}

impl ParserProcess {
    /// Sends a job to the child, and remembers a text that ends or blocks it.
    async fn run(&self, kind: JobKind<'_>, text: &Arc<str>) -> Result<ParseAnswer, SyntaxError> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(SyntaxError(OutlineError::TooLarge { bytes: text.len() }.to_string()));
        }
        let key = key_of(&kind, text);
        if let Some((at, reason)) = lock(&self.state.rejected).get(&key)
            && at.elapsed() < REJECTION
        {
            return Err(SyntaxError(reason.clone()));
        }
        let time = self.state.config.time;
        let job = ParseJob {
            name: kind.name.to_owned(),
            bytes: text.len(),
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            cells: kind.cells.to_vec(),
            layout: kind.layout,
            search: kind.search,
        };
        let _permit = self.state.permits.acquire().await.map_err(start_error)?;
        // If the caller drops this future, the child is dropped too: it would answer the next job with this result.
        let mut running = lock(&self.state.idle).running.pop();
        let reason = loop {
            let is_reused = running.is_some();
            let mut parser = match running.take() {
                Some(parser) => parser,
                None => self.state.start().await.map_err(start_error)?,
            };
            match tokio::time::timeout(time + GRACE, parser.parse(&job, text)).await {
                Ok(Ok(answer)) => {
                    self.state.add_idle(parser);
                    // The time limit is for this text only; the child is as good as before.
                    if let ParseAnswer::Failure(reason) = &answer {
                        self.state.reject(key, reason);
                    }
                    return Ok(answer);
                }
                // The child may have ended before this text, for instance because the system had too little memory.
                Ok(Err(_)) if is_reused => {}
                Ok(Err(error)) => match parser.end().await {
                    // A child that cannot be confined exits before it reads a text.
                    Some((status, stderr)) if status.code() == Some(1) => return Err(start_error(stderr)),
                    Some((status, _)) => break format!("the parser ended at this text ({status})"),
                    None => break format!("the parser ended at this text ({error})"),
                },
                Err(_) => {
                    // Without a grace period: it does not read its input.
                    drop(parser.child.end(Duration::ZERO).await);
                    break format!("parsing took longer than {} s", time.as_secs_f32());
                }
            }
        };
        tracing::warn!(file = job.name, %reason, "a text was not parsed");
        self.state.reject(key, &reason);
        Err(SyntaxError(reason))
    }
}

fn start_error(reason: impl std::fmt::Display) -> SyntaxError {
    SyntaxError(format!("the parser does not start: {reason}"))
}

impl ParserState {
    /// Records that a text ended or blocked a child.
    fn reject(&self, key: u64, reason: &str) {
        let mut rejected = lock(&self.rejected);
        if rejected.len() >= MAX_REJECTED {
            rejected.clear();
        }
        rejected.insert(key, (Instant::now(), reason.to_owned()));
    }

    async fn start(&self) -> io::Result<RunningParser> {
        let confined = self.sandbox.for_scripts(&self.executable).await;
        let (mut confinement, _) = confined.map_err(io::Error::other)?;
        confinement.limits.memory = Some(self.config.memory);
        let mut spec = CommandSpec::new(self.executable.clone(), "/");
        spec.args = vec![CHILD_ARGUMENT.to_owned(), serde_json::to_string(&confinement.backends)?];
        spec.environment = ChildEnvironment::from_allowed(std::iter::empty::<(OsString, OsString)>());
        spec.confinement = Some(confinement);
        let mut child = self.spawner.spawn(&spec)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(RunningParser { input, output: BufReader::new(output), child })
    }

    /// Adds a child that has done its job, and ends all idle ones after a time without a job.
    fn add_idle(self: &Arc<Self>, parser: RunningParser) {
        let mut idle = lock(&self.idle);
        idle.running.push(parser);
        idle.jobs += 1;
        if std::mem::replace(&mut idle.has_timer, true) {
            return;
        }
        let (state, mut jobs) = (Arc::downgrade(self), idle.jobs);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(IDLE).await;
                let Some(state) = state.upgrade() else { return };
                let mut idle = lock(&state.idle);
                if idle.jobs == jobs {
                    idle.has_timer = false;
                    let ended = std::mem::take(&mut idle.running);
                    drop(idle);
                    drop(ended);
                    return;
                }
                jobs = idle.jobs;
            }
        });
    }
}

impl RunningParser {
    /// Ends the child; returns its status and its error output.
    async fn end(mut self) -> Option<(ExitStatus, String)> {
        // An open input would delay the end.
        drop(self.input);
        let stderr = self.child.stderr.take();
        let status = self.child.end(Duration::from_millis(100)).await.ok()?;
        Some((status, read_error_output(stderr).await))
    }

    async fn parse(&mut self, job: &ParseJob, text: &str) -> io::Result<ParseAnswer> {
        let mut message = serde_json::to_vec(job)?;
        message.push(b'\n');
        message.extend(text.as_bytes());
        self.input.write_all(&message).await?;
        self.input.flush().await?;
        let mut line = Vec::new();
        (&mut self.output).take(MAX_ANSWER).read_until(b'\n', &mut line).await?;
        if line.last() != Some(&b'\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(serde_json::from_slice(&line)?)
    }
}

fn key_of(kind: &JobKind<'_>, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind.name, kind.layout, &kind.search, text).hash(&mut hasher);
    hasher.finish()
}
