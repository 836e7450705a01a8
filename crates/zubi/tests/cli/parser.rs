//! Files are parsed in a process of their own, `zubi __parse`: a text that ends or blocks it costs only its own file.

use std::sync::Arc;
use std::time::Duration;

use zubi_base::process::{Spawner, descendants};
use zubi_exec::sandbox::{Level, Sandbox};
use zubi_index::parser::{ParserConfig, ParserProcess, SyntaxParser as _};

const ZUBI: &str = env!("CARGO_BIN_EXE_zubi");

fn sandbox() -> Sandbox {
    Sandbox::new(Spawner::with_supervisor(ZUBI), None, None)
}

fn parser(config: ParserConfig) -> ParserProcess {
    ParserProcess::new(Spawner::with_supervisor(ZUBI), Arc::new(sandbox()), config).unwrap()
}

/// The names that a text declares, or the reason why it has no outline.
async fn outline(parser: &ParserProcess, file_name: &str, text: &str) -> Result<Vec<String>, String> {
    let outline = parser.outline(file_name, &Arc::from(text)).await.map_err(|error| error.to_string())?;
    Ok(outline.declarations.into_iter().map(|declaration| declaration.name).collect())
}

#[tokio::test]
async fn texts_are_parsed_by_at_most_two_children() {
    let parser = parser(ParserConfig::default());
    let (rust, python) =
        tokio::join!(outline(&parser, "a.rs", "fn é() {}"), outline(&parser, "b.py", "class Rate:\n    pass\n"));
    assert_eq!((rust, python), (Ok(vec!["é".to_owned()]), Ok(vec!["Rate".to_owned()])));
    for number in 0..8 {
        outline(&parser, "a.rs", &format!("fn f{number}() {{}}")).await.unwrap();
    }
    // One or two children, each under its supervisor.
    assert!(matches!(descendants(std::process::id()).len(), 2 | 4));
    drop(parser);
    for _ in 0..1_000 {
        if descendants(std::process::id()).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the child of a dropped parser runs");
}

/// The child restricts itself before it reads a text.
#[tokio::test]
async fn the_process_is_confined() {
    let parser = parser(ParserConfig::default());
    outline(&parser, "a.rs", "").await.unwrap();
    let pid = *descendants(std::process::id()).last().unwrap();
    let status = String::from_utf8(std::fs::read(format!("/proc/{pid}/status")).unwrap()).unwrap();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    let (_, level) = sandbox().for_scripts(ZUBI.into()).await.unwrap();
    println!("the process of the parser is held by {}", level.name());
    if level >= Level::LandlockSeccomp {
        assert_eq!((field("NoNewPrivs:"), field("Seccomp:"), field("Seccomp_filters:")), ("1", "2", "4"), "{status}");
    }
    let stat = String::from_utf8(std::fs::read(format!("/proc/{pid}/stat")).unwrap()).unwrap();
    // The state is the first field after the name in parentheses, the nice value the 17th (proc_pid_stat(5)).
    let nice: i32 = stat.rsplit_once(") ").unwrap().1.split(' ').nth(16).unwrap().parse().unwrap();
    // The process under test may have a low priority of its own.
    assert!(nice >= 10, "{stat}");
}

/// Texts that exceed a limit, and the child's end, cost one file each.
#[tokio::test]
async fn a_text_that_ends_the_process_is_named_and_not_tried_again() {
    // Enough for the program, too little for the tree of a large text.
    let small = ParserConfig { memory: 160 * 1024 * 1024, ..ParserConfig::default() };
    let parser = parser(small);
    let large = "a = [".repeat(200_000 / 5);
    let first = outline(&parser, "a.py", &large).await;
    let reason = first.clone().unwrap_err();
    assert!(reason.starts_with("the parser ended at this text") || reason.starts_with("parsing"), "{reason}");
    let running = descendants(std::process::id());
    // The second attempt starts nothing.
    assert_eq!(outline(&parser, "a.py", &large).await, first);
    assert_eq!(descendants(std::process::id()), running);
    assert_eq!(outline(&parser, "b.py", "def price(): pass\n").await, Ok(vec!["price".to_owned()]));
}

#[tokio::test]
async fn a_parse_that_takes_too_long_ends() {
    let parser = parser(ParserConfig { time: Duration::ZERO, ..ParserConfig::default() });
    let text = "fn price() { let x = 1; }\n".repeat(8_000);
    let reason = outline(&parser, "a.rs", &text).await.unwrap_err();
    assert!(reason.starts_with("parsing"), "{reason}");
}

#[tokio::test]
async fn a_killed_process_is_replaced() {
    let parser = parser(ParserConfig::default());
    outline(&parser, "a.rs", "").await.unwrap();
    let pid = *descendants(std::process::id()).last().unwrap();
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    assert_eq!(outline(&parser, "b.rs", "fn one() {}").await, Ok(vec!["one".to_owned()]));
    assert_eq!(outline(&parser, "c.rs", "fn two() {}").await, Ok(vec!["two".to_owned()]));
}
