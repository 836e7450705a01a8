//! `cargo xtask picture`: the picture in the README, an SVG of a terminal with a real run of `zubi call` on a copy of
//! `examples/lending`.

use std::fmt::Write as _;

use anstyle_svg::Term;
use anyhow::{Context as _, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};

use crate::{paths, run, setup, test};

/// The path of the picture, relative to the root.
const FILE: &str = "docs/src/images/terminal.svg";

/// The width of the terminal in characters.
const COLUMNS: usize = 100;

/// The id of the plan in the picture, because real ids are random.
const PLAN: &str = "p-k4mz7wq2xh";

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const GREEN: &str = "\u{1b}[32m";
const RED: &str = "\u{1b}[31m";
const CYAN: &str = "\u{1b}[36m";
const RESET: &str = "\u{1b}[0m";

/// Runs the commands and writes the picture.
pub(crate) fn write() -> Result<()> {
    setup::run(&["ty".to_owned()])?;
    test::build()?;
    let project = paths::target().join("picture");
    copy(&paths::ROOT.join("examples/lending"), &project)?;
    let mut screen = String::new();
    let rename = ["call", "lsp_rename_symbol", "--symbol", "Desk.take_back", "--newName", "accept"];
    let planned = zubi(&project, &rename, &mut screen, None)?;
    let plan = planned.split(|c: char| !c.is_alphanumeric() && c != '-').find(|word| word.starts_with("p-"));
    let plan = plan.context("the answer names no plan")?.to_owned();
    zubi(&project, &["call", "apply_edit", "--plan", &plan], &mut screen, Some(&plan))?;
    zubi(&project, &["call", "undo_edit", "--plan", &plan], &mut screen, Some(&plan))?;
    let screen = screen.replace(&plan, PLAN);
    let svg = Term::new().min_width_px(COLUMNS * 9).render_svg(&screen);
    let file = paths::ROOT.join(FILE);
    std::fs::create_dir_all(file.parent().unwrap_or(&paths::ROOT))?;
    std::fs::write(&file, svg).with_context(|| format!("cannot write {file}"))?;
    println!("   wrote {FILE}");
    Ok(())
}

/// Runs a command in the project and appends it and its coloured output to the screen. Returns the plain output.
fn zubi(project: &Utf8Path, arguments: &[&str], screen: &mut String, plan: Option<&str>) -> Result<String> {
    let mut command = run::command(paths::target().join("debug/zubi").as_str());
    let path = std::env::var("PATH").unwrap_or_default();
    command.current_dir(project).args(["--host", "own"]).args(arguments);
    command.env("PATH", format!("{}:{path}", paths::tools().join("bin/ty")));
    let own = paths::target().join("picture-state");
    command.env("XDG_STATE_HOME", &own).env("XDG_CACHE_HOME", &own);
    let output = run::quiet(&mut command)?;
    ensure!(plan.is_none_or(|plan| arguments.contains(&plan)), "the command names another plan");
    writeln!(screen, "{GREEN}${RESET} {BOLD}zubi {}{RESET}", arguments.join(" "))?;
    for line in output.lines() {
        let colour = match line {
            _ if line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") => DIM,
            _ if line.starts_with('+') => GREEN,
            _ if line.starts_with('-') => RED,
            _ if line.starts_with("@@") || line.starts_with('[') => CYAN,
            _ => "",
        };
        let text: String = line.chars().take(COLUMNS).collect();
        writeln!(screen, "{colour}{text}{RESET}")?;
    }
    screen.push('\n');
    Ok(output)
}

/// Copies a directory, replacing an older copy.
fn copy(from: &Utf8Path, to: &Utf8Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    let mut directories: Vec<(Utf8PathBuf, Utf8PathBuf)> = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = directories.pop() {
        std::fs::create_dir_all(&to)?;
        for entry in from.read_dir_utf8().with_context(|| format!("cannot list {from}"))? {
            let entry = entry?;
            let target = to.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                directories.push((entry.path().to_owned(), target));
            } else {
                std::fs::copy(entry.path(), target)?;
            }
        }
    }
    Ok(())
}
