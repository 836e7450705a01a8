//! Six fixed tasks over zubi, over other bridges and with a shell alone: the calls, bytes and tokens that a model sends
//! and receives, and whether the result compiles.
//!
//! The steps of each model are data (`bench/tasks/*.json`): the shortest way that the tools of its column allow, for a
//! model that knows them. A task ends when its model has seen that the change adds no diagnostic. Every column may use a
//! shell ([`script::Step`]). Tokens are those of o200k; the list of tools and the instructions, which every conversation
//! pays once, have a column of their own.

mod checks;
mod peers;
mod script;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde_json::json;
use tiktoken_rs::CoreBPE;
use zubi_tests::{Project, processes};

use self::checks::Compiler;
use self::peers::{PEERS, Peer, Session};
use self::script::{Step, TaskScript};
use crate::stats;

/// The page of the book with the results.
const PAGE: &str = "docs/src/reference/task-tokens.md";

/// The tokens, bytes and calls of a task in one column.
#[derive(Debug, Clone, Default)]
struct Cost {
    calls: usize,
    sent_bytes: usize,
    received_bytes: usize,
    sent: usize,
    received: usize,
    /// The first difference between the expected result and the actual one.
    mistake: Option<String>,
}

impl Cost {
    fn tokens(&self) -> usize {
        self.sent + self.received
    }
}

/// Runs all tasks, or the named ones in the named columns; prints the tables and writes them to the book.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    processes::adopt_orphans();
    let is_verbose = arguments.iter().any(|argument| argument == "--verbose");
    let named: Vec<&str> = arguments.iter().map(String::as_str).filter(|name| !name.starts_with("--")).collect();
    let is_selected = |name: &str, all: &[&str]| {
        let mine: Vec<&&str> = named.iter().filter(|named| all.contains(named)).collect();
        mine.is_empty() || mine.contains(&&name)
    };
    let tokens = tiktoken_rs::o200k_base().context("the tokens of o200k")?;
    let scripts = TaskScript::read_all()?;
    let titles: Vec<&str> = scripts.iter().map(|script| script.name.as_str()).collect();
    let columns: Vec<&str> = PEERS.iter().map(|peer| peer.name).collect();
    let peers: Vec<&Peer> = PEERS.iter().filter(|peer| is_selected(peer.name, &columns)).collect();
    println!("tasks; load average {}", stats::load_average());
    let mut table = TaskTable { columns: peers.iter().map(|peer| peer.name).collect(), ..TaskTable::default() };
    for peer in &peers {
        table.lists.push(list_tokens(peer, &tokens)?);
    }
    let mut compilers: BTreeMap<&str, Compiler> = BTreeMap::new();
    for script in scripts.iter().filter(|script| is_selected(&script.name, &titles)) {
        let compiler = match compilers.entry(script.source.as_str()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Compiler::for_project(&script.source)?),
        };
        let mut costs = Vec::new();
        for peer in &peers {
            let cost = match script.steps(peer.name) {
                None => None,
                Some(steps) => Some(cost_of(script, peer, steps, compiler, &tokens, is_verbose)?),
            };
            costs.push(cost);
        }
        table.rows.push((script.title.clone(), script.note.clone(), costs));
    }
    let text = table.render();
    println!("\n{text}");
    if named.is_empty() {
        let page = zubi_tests::tools::ROOT.join(PAGE);
        std::fs::write(&page, format!("{HEAD}\n{text}")).with_context(|| format!("cannot write {page}"))?;
    }
    Ok(())
}

/// The tokens of a server's list of tools and of its instructions; for the shell, those of its own three tools.
fn list_tokens(peer: &Peer, tokens: &CoreBPE) -> Result<usize> {
    let project = Project::copy_published("rich");
    let text = match Session::start(peer, &project, "rich")? {
        Some(session) => session.description().to_owned(),
        None => script::shell_tools().to_string(),
    };
    Ok(tokens.encode_ordinary(&text).len())
}

/// Plays the steps of a column on a fresh copy of the project.
fn cost_of(
    script: &TaskScript,
    peer: &Peer,
    steps: &[Step],
    compiler: &Compiler,
    tokens: &CoreBPE,
    is_verbose: bool,
) -> Result<Cost> {
    let project = script.project();
    let mut session =
        if steps.iter().any(Step::is_call) { Session::start(peer, &project, &script.source)? } else { None };
    if let Some(session) = &mut session {
        session.warm_up()?;
    }
    let mut cost = Cost::default();
    let (mut results, mut plan) = (String::new(), None);
    for step in steps {
        let step = step.fill(&project, plan.as_deref());
        let result = step.run(session.as_mut(), &project)?;
        plan = zubi_tests::zubi::id(&result, "p-").or(plan);
        let sent = step.as_sent().to_string();
        if is_verbose {
            println!("──── {} · {} → {sent}\n{result}", script.name, peer.name);
        }
        cost.calls += 1;
        cost.sent_bytes += sent.len();
        cost.received_bytes += result.len();
        cost.sent += tokens.encode_ordinary(&sent).len();
        cost.received += tokens.encode_ordinary(&result).len();
        results.push_str(&result);
        results.push('\n');
    }
    drop(session);
    // Some servers leave processes for a later session.
    processes::descendants().iter().for_each(processes::kill);
    cost.mistake = script.mistake(&project, &results);
    if script.changes_files() && cost.mistake.is_none() {
        cost.mistake = compiler.mistake(&project)?;
    }
    if let Some(mistake) = &cost.mistake {
        println!("{} · {}: {mistake}", script.name, peer.name);
    }
    Ok(cost)
}

/// The results of all tasks and columns.
#[derive(Default)]
struct TaskTable {
    columns: Vec<&'static str>,
    /// The tokens of each column's list of tools.
    lists: Vec<usize>,
    /// Title, note and the cost in each column.
    rows: Vec<(String, String, Vec<Option<Cost>>)>,
}

impl TaskTable {
    fn render(&self) -> String {
        let cells = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut head = vec!["task".to_owned()];
        head.extend(self.columns.iter().map(|name| (*name).to_owned()));
        let mut text = "Tokens sent and received, and in parentheses the calls:\n\n".to_owned();
        text.push_str(&cells(head.clone()));
        text.push_str(&cells(
            std::iter::once("---".to_owned()).chain(self.columns.iter().map(|_| "--:".to_owned())).collect(),
        ));
        for (title, _, costs) in &self.rows {
            let fewest = costs.iter().flatten().filter(|cost| cost.mistake.is_none()).map(Cost::tokens).min();
            let cell = |cost: &Option<Cost>| match cost {
                None => "–".to_owned(),
                Some(cost) => {
                    let (tokens, calls) = (cost.tokens(), cost.calls);
                    let figure = if Some(tokens) == fewest { format!("**{tokens}**") } else { tokens.to_string() };
                    format!("{figure} ({calls}){}", if cost.mistake.is_some() { " wrong" } else { "" })
                }
            };
            text.push_str(&cells(std::iter::once(title.clone()).chain(costs.iter().map(cell)).collect()));
        }
        let lists = self.lists.iter().map(usize::to_string);
        text.push_str(&cells(
            std::iter::once("list of tools and instructions, once".to_owned()).chain(lists).collect(),
        ));
        text.push_str("\nBytes sent and received:\n\n");
        text.push_str(&cells(head));
        text.push_str(&cells(
            std::iter::once("---".to_owned()).chain(self.columns.iter().map(|_| "--:".to_owned())).collect(),
        ));
        for (title, _, costs) in &self.rows {
            let cell = |cost: &Option<Cost>| {
                cost.as_ref().map_or("–".to_owned(), |cost| format!("{} + {}", cost.sent_bytes, cost.received_bytes))
            };
            text.push_str(&cells(std::iter::once(title.clone()).chain(costs.iter().map(cell)).collect()));
        }
        text.push('\n');
        for (title, note, costs) in &self.rows {
            let _infallible = writeln!(text, "- **{title}**: {note}");
            for (name, mistake) in
                self.columns.iter().zip(costs).filter_map(|(name, cost)| Some((name, cost.as_ref()?.mistake.as_ref()?)))
            {
                let _infallible = writeln!(text, "  {name} is wrong: {mistake}.");
            }
        }
        text
    }
}

/// The beginning of the page.
const HEAD: &str = "\
<!-- By `cargo xtask bench -- tasks`. Do not edit. -->

# Tokens for a task

Six tasks on published projects (rich 14.3.4, rxjs 7.8.2), with the shortest steps that the tools of each column allow.
The steps are in `bench/tasks`. Every task begins with loaded servers and ends when the model has seen that the change
adds no diagnostic; then a compiler checks the project. The shell has ripgrep, sed and the compilers; its model knows the
numbers of the lines that it reads. Tokens are those of o200k.
";

/// The arguments of a call, as a model sends them.
fn as_call(name: &str, arguments: &serde_json::Value) -> serde_json::Value {
    json!({ "name": name, "arguments": arguments })
}
