//! The benchmark of DomainLang, run as `cargo xtask bench -- model`: the program `dlang` as a process, and the
//! workspace inside this process, on a model of 2,000 bounded contexts and on one ten times as large
//! ([`large_example`]).
//!
//! The floor of a cold start is measured in the same interleaved rounds: one process only reads the files, another also
//! parses them. The files are in the page cache. callgrind counts the instructions, which hardly depend on the load of
//! the machine; use them to compare two versions. The figures of DomainLang's original tools were measured once, on
//! another busy machine, and show the order of magnitude.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a program that measures: it prints its figures, reads its own clock and starts what it measures"
)]

mod callgrind;
mod cost;
mod floor;
mod questions;
mod table;

use anyhow::{Context as _, Result, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use large_example::Size;

use cost::{Cost, Samples};
use table::{Row, Table};

const USAGE: &str = "usage: dlang-bench [--quick] [--valgrind PROGRAM]";

/// A model with ten times as many areas.
const TEN_TIMES: Size = Size { areas: 10 * Size::MEASURED.areas, contexts: Size::MEASURED.contexts };

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // This program starts itself with the first three.
    match words.as_slice() {
        ["__cost", program, rest @ ..] => return cost::run(program, rest),
        ["__read", folder] => return floor::read(Utf8Path::new(folder)),
        ["__parse", folder] => return floor::parse(Utf8Path::new(folder)),
        ["__ask", folder, areas, rounds] => {
            let size = Size { areas: areas.parse()?, ..Size::MEASURED };
            return questions::run(Utf8Path::new(folder), size, rounds.parse()?);
        }
        _ => {}
    }
    let mut quick = false;
    let mut valgrind = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--quick" => quick = true,
            "--valgrind" => valgrind = Some(*rest.next().context(USAGE)?),
            "--help" | "-h" => {
                println!("{USAGE}");
                return Ok(());
            }
            _ => bail!("unknown argument `{word}`\n{USAGE}"),
        }
    }
    let bench = ModelBench::new()?;
    println!("DomainLang on large models; load average {}", load_average());
    let mut table = Table::default();
    let rounds = if quick { [3, 1] } else { [15, 5] };
    for (size, rounds) in [Size::MEASURED, TEN_TIMES].into_iter().zip(rounds) {
        bench.measure(size, rounds, valgrind.filter(|_| size == Size::MEASURED), &mut table)?;
    }
    println!("\nload average {}\n\n{}", load_average(), table.render());
    Ok(())
}

/// A figure computed from the costs of several runs.
type Figure = fn(&Samples) -> f64;

/// The programs under test, and the folder of the models.
struct ModelBench {
    current_exe: Utf8PathBuf,
    dlang: Utf8PathBuf,
    models: Utf8PathBuf,
}

impl ModelBench {
    fn new() -> Result<Self> {
        let own = Utf8PathBuf::try_from(std::env::current_exe()?)?;
        let folder = own.parent().context("this program lies in no folder")?;
        let dlang = folder.join("dlang");
        ensure!(dlang.is_file(), "there is no `dlang` beside this program; `cargo xtask bench -- model` builds both");
        Ok(Self { dlang, models: folder.join("models"), current_exe: own })
    }

    fn measure(&self, size: Size, rounds: usize, valgrind: Option<&str>, table: &mut Table) -> Result<()> {
        let Size { areas, contexts } = size;
        let folder = self.models.join(format!("{areas}x{contexts}"));
        let (files, bytes) = large_example::write(folder.as_std_path(), size)?;
        println!("\n── {} contexts in {files} files, {:.1} MB", areas * contexts, bytes as f64 / 1e6);
        self.cold(size, &folder, rounds, table)?;
        if let Some(valgrind) = valgrind {
            let million =
                callgrind::instructions(valgrind, &self.dlang, &["validate", folder.as_str(), "--json"])? / 1e6;
            table.push(size, Row { unit: "million instructions", ..Row::new("cold validate", million) });
        }
        let rounds = rounds.to_string();
        let answer = cost::measure(
            &self.current_exe,
            &self.current_exe,
            &["__ask", folder.as_str(), &areas.to_string(), &rounds],
        )?;
        for (question, milliseconds) in questions::read(&answer.output)? {
            table.push(size, Row::new(&question, milliseconds));
        }
        Ok(())
    }

    /// Measures a cold `dlang validate` and its two floors.
    fn cold(&self, size: Size, folder: &Utf8Path, rounds: usize, table: &mut Table) -> Result<()> {
        let (mut dlang, mut read, mut parse) = (Samples::default(), Samples::default(), Samples::default());
        for _ in 0..rounds {
            let cost = cost::measure(&self.current_exe, &self.dlang, &["validate", folder.as_str(), "--json"])?;
            check(&cost, size)?;
            dlang.push(&cost);
            read.push(&cost::measure(&self.current_exe, &self.current_exe, &["__read", folder.as_str()])?);
            parse.push(&cost::measure(&self.current_exe, &self.current_exe, &["__parse", folder.as_str()])?);
        }
        let figures: [(&str, Figure); 3] =
            [("ms", Samples::wall), ("ms of CPU", Samples::cpu), ("MB at most", Samples::memory)];
        for (unit, figure) in figures {
            let floor = Some(figure(&parse));
            table.push(size, Row { unit, floor, ..Row::new("cold validate", figure(&dlang)) });
            table.push(size, Row { unit, ..Row::new("… reading and parsing alone", figure(&parse)) });
            table.push(size, Row { unit, ..Row::new("… reading alone", figure(&read)) });
        }
        Ok(())
    }
}

/// Checks an answer against the generated model: the time of a wrong answer is meaningless.
fn check(cost: &Cost, size: Size) -> Result<()> {
    let answer: serde_json::Value =
        serde_json::from_str(&cost.output).context("`dlang validate --json` printed invalid JSON")?;
    let contexts = size.areas * size.contexts;
    ensure!(
        answer["valid"] == true && answer["bcCount"] == contexts && answer["warnings"] == serde_json::json!([]),
        "the answer is not that of the model: {}",
        cost.output.chars().take(300).collect::<String>()
    );
    Ok(())
}

/// The machine's load average over the last minute.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_owned()
}
