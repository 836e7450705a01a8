//! A workspace in two languages: a correct server serves Python, and only the server with a fault serves the other.

use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use zubi_tests::{Project, Zubi, processes};

/// The time limit of one call. The rows give the server two seconds for a request and for its start; the rest is for
/// zubi's own work and clean-up on a busy machine.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// The peak memory that zubi may use, in bytes.
const MEMORY_LIMIT: u64 = 250 * 1024 * 1024;

/// The time for which a test observes a fault without an end.
const OBSERVATION_TIME: Duration = Duration::from_secs(4);

/// The maximum time for which a process may outlive zubi.
const EXIT_TIMEOUT: Duration = Duration::from_secs(3);

/// A query that any server can answer.
pub(crate) fn hover() -> (&'static str, Value) {
    ("lsp_hover", json!({ "at": "a.hostile:1:1" }))
}

/// A running zubi whose workspace has a server with a fault.
pub(crate) struct FaultyServer {
    pub(crate) project: Project,
    pub(crate) zubi: Zubi,
    before: Vec<(Utf8PathBuf, Vec<u8>)>,
}

impl FaultyServer {
    /// Starts zubi with the server that has this fault; `row` is appended to the server's row in the user's catalogue.
    pub(crate) async fn with_fault(fault: &str, row: &str) -> Self {
        processes::adopt_orphans();
        let project = Project::fixture("python");
        project.write("a.hostile", "alpha beta\n");
        let outside = project.root().parent().expect("a directory of the test's own").join("outside");
        std::fs::create_dir(&outside).expect("a new directory");
        for file in [outside.join("secret.txt"), outside.with_extension("txt")] {
            std::fs::write(file, "outside\n").expect("a new file");
        }
        std::os::unix::fs::symlink(&outside, project.root().join("link")).expect("a new link");
        let config = project.home().join("config/zubi");
        std::fs::create_dir_all(&config).expect("directories");
        std::fs::create_dir(records(&project)).expect("a new directory");
        std::fs::write(config.join("servers.toml"), catalogue(fault, row, &records(&project))).expect("a new file");
        let before = list_files(&project);
        let zubi = Zubi::start(&project, &["ty"]).await;
        Self { project, zubi, before }
    }

    /// The directory outside the workspace that the server may write.
    pub(crate) fn records(&self) -> Utf8PathBuf {
        records(&self.project)
    }

    /// Makes a call within [`CALL_TIMEOUT`].
    pub(crate) async fn call_text(&self, (tool, arguments): (&str, Value)) -> String {
        let answer = self.zubi.call(tool, arguments).await;
        assert!(answer.elapsed < CALL_TIMEOUT, "{tool} took {:?}:\n{}", answer.elapsed, answer.text);
        let first_line = answer.text.lines().next().unwrap_or_default();
        if answer.is_error {
            let has_known_prefix =
                ["Invalid input: ", "Error in ", "Failed to "].iter().any(|prefix| first_line.starts_with(prefix));
            assert!(
                has_known_prefix && answer.text.lines().count() > 1,
                "an error without a known prefix or without a hint:\n{}",
                answer.text
            );
        }
        let parent = self.project.root().parent().expect("a parent");
        mask_restart_delay(&answer.text)
            .replace(env!("CARGO_BIN_EXE_hostile"), "[hostile]")
            .replace(parent.as_str(), "[beside]")
    }

    /// Checks the properties that hold after any behaviour of the server; then ends everything.
    pub(crate) async fn end(self) {
        let other_answer = self.zubi.call("lsp_hover", json!({ "at": "shapes/shape.py:35 total_area" })).await;
        assert!(
            !other_answer.is_error && other_answer.text.ends_with("[ty · ready]"),
            "the other server:\n{}",
            other_answer.text
        );
        assert!(other_answer.elapsed < CALL_TIMEOUT, "the other server took {:?}", other_answer.elapsed);
        let peak = processes::peak_bytes(self.zubi.pid()).expect("zubi runs");
        assert!(peak < MEMORY_LIMIT, "zubi used {} MB", peak >> 20);
        assert_eq!(list_files(&self.project), self.before, "files changed");
        assert_eq!(self.zubi.close().await, Some(0));
        let remaining = processes::nothing_left_within(EXIT_TIMEOUT);
        remaining.unwrap_or_else(|remaining| panic!("still running after {EXIT_TIMEOUT:?}: {remaining:?}"));
    }
}

/// Makes these calls to a server with a fault, one after the other, and checks the properties that must hold
/// afterwards.
pub(crate) async fn run_calls(fault: &str, row: &str, calls: &[(&str, Value)]) -> String {
    let server = FaultyServer::with_fault(fault, row).await;
    let mut texts = Vec::new();
    for call in calls {
        texts.push(server.call_text(call.clone()).await);
    }
    server.end().await;
    texts.join("\n────\n")
}

/// Repeats a call to a server that never stops its activity. Every answer must be the same.
pub(crate) async fn query_repeatedly(fault: &str) -> String {
    // The server's activity slows down every process on the machine.
    let server = FaultyServer::with_fault(fault, "timeouts = { request_ms = 10000 }").await;
    let first = server.call_text(hover()).await;
    let start = Instant::now();
    while start.elapsed() < OBSERVATION_TIME {
        assert_eq!(server.call_text(hover()).await, first);
    }
    server.end().await;
    first
}

/// The files of the project, and the files beside it that must not change.
fn list_files(project: &Project) -> Vec<(Utf8PathBuf, Vec<u8>)> {
    let mut files = project.everything();
    let outside = project.root().parent().expect("a parent").join("outside.txt");
    files.push((outside.clone(), std::fs::read(outside).expect("readable")));
    files
}

/// Returns the announced pause before the next start, in seconds.
pub(crate) fn restart_delay(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once(RESTART_DELAY_TEXT)?;
    rest.split_once(" s;")?.0.parse().ok()
}

const RESTART_DELAY_TEXT: &str = "is started again only after ";

/// Masks the pause, which depends on the elapsed time.
fn mask_restart_delay(text: &str) -> String {
    match restart_delay(text) {
        Some(seconds) => {
            text.replace(&format!("{RESTART_DELAY_TEXT}{seconds} s;"), &format!("{RESTART_DELAY_TEXT}[pause] s;"))
        }
        None => text.to_owned(),
    }
}

fn catalogue(fault: &str, row: &str, records: &Utf8Path) -> String {
    let program = env!("CARGO_BIN_EXE_hostile");
    format!(
        "[[server]]\n\
         id = \"hostile\"\n\
         title = \"hostile\"\n\
         command = \"{program}\"\n\
         args = [\"{fault}\"]\n\
         version_args = []\n\
         languages = [{{ id = \"hostile\", extensions = [\"hostile\"] }}]\n\
         untrusted = \"run\"\n\
         access = {{ writes = [\"{records}\"] }}\n\
         {}\n\
         {}\n\
         {row}\n",
        default_field(row, "readiness", "\"initialized\""),
        default_field(row, "timeouts", "{ initialize_ms = 2000, request_ms = 2000, shutdown_ms = 300 }"),
    )
}

fn records(project: &Project) -> Utf8PathBuf {
    project.root().parent().expect("a directory of the test's own").join("records")
}

/// A default field, unless the row has it already.
fn default_field(row: &str, field: &str, value: &str) -> String {
    if row.contains(field) { String::new() } else { format!("{field} = {value}") }
}
