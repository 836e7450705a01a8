//! The index without a language server: its build against `ctags` and `rg`, its answers, and the same search by a bare
//! language server in the same run.
//!
//! The tree is Home Assistant (10,916 Python files), or a copy of the folder on the command line. The names of the
//! queries are those that `ctags` finds, evenly spread. The aims are for two free cores.

mod names;
mod store;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use camino::Utf8Path;
use serde_json::{Value, json};
use zubi_tests::zubi::Start;
use zubi_tests::{Project, processes, tools};

use crate::introduction::Introduction;
use crate::lsp::Server;
use crate::mcp::Zubi;
use crate::stats::{self, Samples};
use crate::subject::{Depth, Ready, Subject};
use crate::table::{Aim, Row, Table};

use names::{Name, Query};

/// The bare server. Its symbol search reads the whole tree for each query.
const SUBJECT: Subject = Subject {
    name: "homeassistant",
    title: "Home Assistant (Python)",
    depth: Depth::Cold,
    project: "homeassistant",
    server: "pyright",
    components: &["node", "pyright"],
    command: &["pyright-langserver", "--stdio"],
    language: "python",
    ready: Ready::Log("Found "),
    symbols: &[("homeassistant/core.py", "class HomeAssistant")],
    at_least: 0,
    new_file: ("", ""),
    declared: None,
};

/// The longest build of an index.
const BUILD_TIMEOUT: Duration = Duration::from_mins(10);

/// The pause between two looks at a process's memory.
const MEMORY_INTERVAL: Duration = Duration::from_millis(20);

/// The numbers of builds, of queries of each kind, and of changed files in a short and in a full run.
const SHORT: Rounds = Rounds { builds: 1, queries: 40, changes: 20 };
const FULL: Rounds = Rounds { builds: 3, queries: 400, changes: 100 };

struct Rounds {
    builds: usize,
    queries: usize,
    changes: usize,
}

/// Runs all measurements; `arguments` select many rounds or few, and another tree.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let (mut rounds, mut folder) = (FULL, None);
    for argument in arguments {
        match argument.as_str() {
            "--quick" => rounds = SHORT,
            flag if flag.starts_with('-') => bail!("usage: zubi-bench {} [--quick] [FOLDER]", crate::INDEX),
            path => folder = Some(Utf8Path::new(path).canonicalize_utf8().with_context(|| path.to_owned())?),
        }
    }
    processes::adopt_orphans();
    println!("the index; load average {}", stats::load_average());
    let project = match &folder {
        Some(folder) => Project::copy_directory(folder),
        None => Project::copy_published(SUBJECT.project),
    };
    let mut table = Table::default();
    let names = builds(&mut table, &project, &rounds)?;
    first_outline(&mut table, &project, &names)?;
    store::queries(&mut table, &build(&project)?.status, &names::spread(&names, rounds.queries))?;
    answers(&mut table, &project, &names, &rounds)?;
    if folder.is_none() {
        bare_server(&mut table, &project, &names)?;
    }
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}

fn row(label: impl Into<String>, zubi: f64, unit: &'static str, aim: Option<Aim>) -> Row {
    Row { label: label.into(), zubi, floor: None, unit, aim, note: String::new() }
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// One build of the index.
struct Build {
    words: f64,
    all: f64,
    peak_bytes: u64,
    status: Value,
}

/// Runs `zubi index build` to its end.
fn build(project: &Project) -> Result<Build> {
    let mut command = Start::new(project, &[]).command();
    command.args(["index", "build", "--json"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn().context("zubi starts")?;
    let mut peak_bytes = 0;
    while child.try_wait()?.is_none() {
        ensure!(started.elapsed() < BUILD_TIMEOUT, "no index within {} s", BUILD_TIMEOUT.as_secs());
        peak_bytes = processes::peak_bytes(child.id()).unwrap_or(0).max(peak_bytes);
        std::thread::sleep(MEMORY_INTERVAL);
    }
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "zubi index build: {}", output.status);
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let time = |part: &str| answer["seconds"][part].as_f64().context("the build reports its times");
    Ok(Build { words: time("words")?, all: time("all")?, peak_bytes, status: answer["folders"][0].clone() })
}

/// Measures builds from nothing and over an unchanged tree. Returns the names that the other questions use.
fn builds(table: &mut Table, project: &Project, rounds: &Rounds) -> Result<Vec<Name>> {
    let ctags = tools::program("ctags", "ctags");
    let rg = tools::program("ripgrep", "rg");
    let (mut words, mut all, mut warm) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tagged, mut searched) = (Vec::new(), Vec::new());
    let (mut peak, mut names, mut status) = (0, Vec::new(), Value::Null);
    for _ in 0..rounds.builds {
        let started = Instant::now();
        let search = Command::new(&rg)
            .args(["--no-config", "--files-with-matches", "--word-regexp", "zubi_never_seen", "."])
            .current_dir(project.root())
            .output()
            .context("rg starts")?;
        searched.push(seconds(started.elapsed()));
        ensure!(search.stdout.is_empty(), "rg finds a word that no file has");
        let started = Instant::now();
        let tags = Command::new(&ctags)
            .args(["--recurse", "--fields=k", "--sort=no", "-f", "-", "."])
            .current_dir(project.root())
            .stderr(Stdio::null())
            .output()
            .context("ctags starts")?;
        tagged.push(seconds(started.elapsed()));
        names = names::read(&String::from_utf8_lossy(&tags.stdout));
        let cleared = Start::new(project, &[]).command().args(["index", "clear"]).output().context("zubi starts")?;
        ensure!(cleared.status.success(), "zubi index clear: {}", String::from_utf8_lossy(&cleared.stderr));
        let cold = build(project)?;
        words.push(cold.words);
        all.push(cold.all);
        peak = peak.max(cold.peak_bytes);
        warm.push(build(project)?.all);
        status = cold.status;
    }
    ensure!(!names.is_empty(), "ctags finds no declaration");
    let files = status["files"].as_u64().unwrap_or(0);
    let note = format!("{files} files, {} declarations by ctags", names.len());
    let searched = median(searched);
    table.push(Row {
        label: "words of all files, against one search by `rg`".to_owned(),
        zubi: median(words),
        floor: Some(searched),
        unit: "s",
        aim: Some(Aim::AtMost(1.5)),
        note: note.clone(),
    });
    table.push(Row {
        label: "words and declarations of all files, against `ctags`".to_owned(),
        zubi: median(all),
        floor: Some(median(tagged)),
        unit: "s",
        aim: Some(Aim::AtMost(7.0)),
        note,
    });
    table.push(row("comparison of an unchanged tree with its index", median(warm), "s", Some(Aim::AtMost(0.2))));
    table.push(row(
        "peak memory while building, without the parser",
        stats::mebibytes(peak)?,
        "MiB",
        Some(Aim::AtMost(60.0)),
    ));
    let sources = source_bytes(project.root())?;
    let store = status["bytes"].as_u64().unwrap_or(0);
    table.push(Row {
        label: "size of the index, against the sources".to_owned(),
        zubi: stats::mebibytes(store)?,
        floor: Some(stats::mebibytes(sources)?),
        unit: "MiB",
        aim: Some(Aim::Times(1.1)),
        note: String::new(),
    });
    Ok(names)
}

fn source_bytes(directory: &Utf8Path) -> Result<u64> {
    let mut total = 0;
    for entry in directory.read_dir_utf8()? {
        let entry = entry?;
        let kind = entry.file_type()?;
        total += if kind.is_dir() { source_bytes(entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(total)
}

/// Measures the first outline in a tree without an index, from the start of the process.
fn first_outline(table: &mut Table, project: &Project, names: &[Name]) -> Result<()> {
    let cleared = Start::new(project, &[]).command().args(["index", "clear"]).output().context("zubi starts")?;
    ensure!(cleared.status.success(), "zubi index clear: {}", String::from_utf8_lossy(&cleared.stderr));
    let name = names.first().context("a name")?;
    let mut zubi = Zubi::start(project, &[])?;
    zubi.call("lsp_document_symbols", &json!({ "path": name.file }))?;
    let elapsed = zubi.wire.started.elapsed();
    table.push(row(
        "start → outline of a file in a tree without an index",
        stats::milliseconds(elapsed),
        "ms",
        Some(Aim::AtMost(100.0)),
    ));
    Ok(())
}

/// Measures the answers of a running zubi from a complete index, and its memory.
fn answers(table: &mut Table, project: &Project, names: &[Name], rounds: &Rounds) -> Result<()> {
    let mut zubi = Zubi::start(project, &[])?;
    let first = names::spread(names, 1).first().map(|name| Query::Exact.text(name)).context("a name")?;
    zubi.call("lsp_workspace_symbols", &json!({ "query": first }))?;
    table.push(row(
        "start → first symbol search with an index",
        stats::milliseconds(zubi.wire.started.elapsed()),
        "ms",
        Some(Aim::AtMost(200.0)),
    ));
    let sample = names::spread(names, rounds.queries);
    for kind in Query::ALL {
        let mut samples = Samples::default();
        let mut missed = 0;
        for name in &sample {
            let arguments = json!({ "query": kind.text(name), "limit": 200 });
            let answer = zubi.call("lsp_workspace_symbols", &arguments)?;
            samples.push(answer.reply.elapsed);
            missed += usize::from(kind == Query::Exact && answer.text.starts_with("0 "));
        }
        ensure!(missed == 0, "{missed} of {} exact names are not found", sample.len());
        for percent in [50, 95] {
            let label = format!("answer of zubi: symbol search, {}, p{percent} of {}", kind.title(), sample.len());
            table.push(row(label, samples.percentile(percent), "ms", None));
        }
    }
    let mut outlines = Samples::default();
    for name in &sample {
        outlines.push(zubi.call("lsp_document_symbols", &json!({ "path": name.file }))?.reply.elapsed);
    }
    for percent in [50, 95] {
        let label = format!("answer of zubi: outline of a file, p{percent} of {}", sample.len());
        table.push(row(label, outlines.percentile(percent), "ms", None));
    }
    changes(table, project, &mut zubi, rounds)?;
    let bytes = processes::resident_bytes(zubi.wire.pid()).context("zubi runs")?;
    table.push(row("resident memory of zubi itself, after all queries", stats::mebibytes(bytes)?, "MiB", None));
    Ok(())
}

/// Measures the time from a change on disk to the first answer that contains it.
fn changes(table: &mut Table, project: &Project, zubi: &mut Zubi, rounds: &Rounds) -> Result<()> {
    let mut samples = Samples::default();
    for round in 0..rounds.changes {
        let name = format!("zubi_bench_{round}_function");
        let written = Instant::now();
        project.write("zubi_bench.py", &format!("def {name}():\n    pass\n"));
        loop {
            let answer = zubi.call("lsp_workspace_symbols", &json!({ "query": name }))?;
            if answer.text.contains("zubi_bench.py:1:") {
                break;
            }
            ensure!(written.elapsed() < BUILD_TIMEOUT, "a changed file is never found: {}", answer.text);
        }
        samples.push(written.elapsed());
    }
    for percent in [50, 95] {
        let aim = (percent == 95).then_some(Aim::AtMost(15.0));
        let label = format!("changed file → answer with its new symbol, p{percent} of {}", rounds.changes);
        table.push(row(label, samples.percentile(percent), "ms", aim));
    }
    Ok(())
}

/// Measures the symbol search of a bare server: the first one from its start, and later ones.
fn bare_server(table: &mut Table, project: &Project, names: &[Name]) -> Result<()> {
    let introduction = Introduction::record(&SUBJECT)?;
    let mut server = Server::start(&SUBJECT, &introduction, project)?;
    let file = SUBJECT.symbols.first().map(|(file, _)| *file).context("the subject has a symbol")?;
    server.wait_until_ready(file)?;
    let mut samples = Samples::default();
    let mut cold = None;
    for name in names::spread(names, 6) {
        samples.push(server.request_of_workspace("workspace/symbol", &json!({ "query": name.text }))?.elapsed);
        cold.get_or_insert_with(|| server.start_time().elapsed());
    }
    let bare = |label: &str, milliseconds: f64| Row {
        label: label.to_owned(),
        zubi: 0.0,
        floor: Some(milliseconds),
        unit: "ms",
        aim: None,
        note: "zubi: see above".to_owned(),
    };
    table.push(bare("bare pyright: start → first symbol search", cold.map_or(0.0, stats::milliseconds)));
    table.push(bare("bare pyright: symbol search, p50 of 6", samples.percentile(50)));
    Ok(())
}
