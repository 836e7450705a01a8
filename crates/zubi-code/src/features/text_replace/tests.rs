//! Replacements in the files of a workspace: plans, choices, errors, and the bytes that they leave unchanged.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::edit::replace::NearPosition;
use crate::testing::Toy;

const FILES: &str = "\
//- src/a.py
def load(name):
    return name
load('x'); load('y')
//- src/b.py
from a import load
//- notes.md
load 🙂 load
//- .env
load=secret
//- .gitignore
/made
//- made/c.py
load()
";

fn pattern(text: &str, replacement: &str, is_regex: bool) -> Result<ReplacePattern, String> {
    if is_regex {
        ReplacePattern::regex(text, replacement).map_err(|(field, problem)| format!("{field}: {problem}"))
    } else {
        ReplacePattern::literal_text(text, replacement)
    }
}

async fn replace(
    toy: &Toy,
    [text, replacement, glob]: [&str; 3],
    is_regex: bool,
    chosen: Option<&str>,
) -> Result<PatternReplacement, CodeError> {
    let query = toy.intel.query(Toy::cx()).await;
    let pattern = pattern(text, replacement, is_regex).map_err(|problem| CodeError::input("pattern", problem, ""))?;
    let selection = query.select_files_to_replace(glob)?;
    let chosen = chosen.map(|chosen| OccurrenceNumbers::parse([chosen]).unwrap());
    query.replace_in_files(ReplaceQuery { pattern, selection, chosen }).await
}

async fn check(toy: &Toy, arguments: [&str; 3], is_regex: bool, chosen: Option<&str>) -> String {
    let found = match replace(toy, arguments, is_regex, chosen).await {
        Ok(found) => found,
        Err(error) => return format!("{error}\n{}", error.hint()).replace(toy.root.as_str(), "[root]"),
    };
    let PatternReplacement { plan, occurrences, total, searched, omissions } = found;
    let mut text = format!("{}: {} of {total}, {searched} searched\n", plan.title, plan.edit_count);
    for occurrence in occurrences {
        let ReplacedOccurrence { number, display_path, line, column, before, after } = occurrence;
        writeln!(text, "{number} {display_path}:{line}:{column} {before} -> {after}").unwrap();
    }
    for note in omissions.notes.iter().chain(&omissions.gap).chain(&plan.notes) {
        writeln!(text, "note: {note}").unwrap();
    }
    text
}

#[tokio::test]
async fn occurrences_are_numbered_and_chosen() {
    let toy = Toy::new(FILES);
    fs::write_atomic(&toy.root.join("src/image.png"), b"\x89PNG\0\0load").unwrap();
    fs::write_atomic(&toy.root.join("src/latin.py"), b"# caf\xe9 load").unwrap();
    fs::write_atomic(&toy.root.join("src/other.py"), b"# caf\xe9").unwrap();
    let all = ["load", "read", "."];
    insta::assert_snapshot!(check(&toy, all, false, None).await, @"
    replace `load` by `read`: 6 of 6, 4 searched
    1 notes.md:1:1 load 🙂 load -> read 🙂 load
    2 notes.md:1:8 load 🙂 load -> load 🙂 read
    3 src/a.py:1:5 def load(name): -> def read(name):
    4 src/a.py:3:1 load('x'); load('y') -> read('x'); load('y')
    5 src/a.py:3:12 load('x'); load('y') -> load('x'); read('y')
    6 src/b.py:1:15 from a import load -> from a import read
    note: binary, not searched: src/image.png
    note: left out 1 file that may hold credentials
    note: not searched: `src/latin.py` (not UTF-8)
    ");
    insta::assert_snapshot!(check(&toy, all, false, Some("2-3,6")).await, @"
    replace `load` by `read`: 3 of 6, 4 searched
    2 notes.md:1:8 load 🙂 load -> load 🙂 read
    3 src/a.py:1:5 def load(name): -> def read(name):
    6 src/b.py:1:15 from a import load -> from a import read
    note: binary, not searched: src/image.png
    note: left out 1 file that may hold credentials
    note: not searched: `src/latin.py` (not UTF-8)
    ");
    insta::assert_snapshot!(check(&toy, all, false, Some("3,9")).await, @"
    occurrences: there is no number 9: the numbers are 1 to 6
    Call it without `occurrences` to list all.
    ");
    insta::assert_snapshot!(check(&toy, ["load", "read", "*.py"], false, None).await, @"
    replace `load` by `read`: 4 of 4, 2 searched
    1 src/a.py:1:5 def load(name): -> def read(name):
    2 src/a.py:3:1 load('x'); load('y') -> read('x'); load('y')
    3 src/a.py:3:12 load('x'); load('y') -> load('x'); read('y')
    4 src/b.py:1:15 from a import load -> from a import read
    note: not searched: `src/latin.py` (not UTF-8)
    ");
    insta::assert_snapshot!(check(&toy, [r"load\('(\w)'\)", "read(\"$1\")", "src"], true, None).await, @r#"
    replace `load\('(\w)'\)` by `read("$1")`: 2 of 2, 2 searched
    1 src/a.py:3:1 load('x'); load('y') -> read("x"); load('y')
    2 src/a.py:3:12 load('x'); load('y') -> load('x'); read("y")
    note: binary, not searched: src/image.png
    note: not searched: `src/latin.py` (not UTF-8), `src/other.py` (not UTF-8)
    "#);
    insta::assert_snapshot!(check(&toy, ["name):\n    return name", "x):\n    return x", "src/*.py"], false, None).await, @"
    replace `name): return name` by `x): return x`: 1 of 1, 2 searched
    1 src/a.py:1:10 def load(name):⏎    return name -> def load(x):⏎    return x
    note: not searched: `src/latin.py` (not UTF-8), `src/other.py` (not UTF-8)
    ");
    // The empty text after the last line end is not a line.
    insta::assert_snapshot!(check(&toy, ["^", "# ", "src/b.py"], true, None).await, @"
    replace `^` by `#`: 1 of 1, 1 searched
    1 src/b.py:1:1 from a import load -> # from a import load
    ");
    insta::assert_snapshot!(check(&toy, [r"^(\w+)", "$1", "src/b.py"], true, None).await, @"
    pattern: no occurrence in 1 file; 1 match already equal to the replacement
    Check the pattern, upper and lower case, and the files; `file.search` finds text.
    ");
    insta::assert_snapshot!(check(&toy, [r"\bload\(", "read(", "src"], false, None).await, @"
    pattern: no occurrence in 2 files; binary, not searched: src/image.png
    The pattern is searched as plain text; pass regex: true if it is a regular expression.
    ");
    insta::assert_snapshot!(check(&toy, ["absent", "x", "notes.md"], false, None).await, @"
    pattern: no occurrence in 1 file
    Check the pattern, upper and lower case, and the files; `file.search` finds text.
    ");
    insta::assert_snapshot!(check(&toy, ["load", "x", "nowhere"], false, None).await, @"
    glob: `nowhere` does not exist in the workspace; paths are relative to `[root]`
    Name a file or folder of the workspace, or a pattern such as `src/**/*.rs` or `*.md`.
    ");
    insta::assert_snapshot!(check(&toy, ["load", "x", "[a"], false, None).await, @"
    glob: unclosed character class; missing ']'
    A pattern such as `src/**/*.rs` is relative to the workspace: `*` matches within a name, `**` any folders, `[[]` a bracket.
    ");
    insta::assert_snapshot!(check(&toy, ["load", "x", "made"], false, None).await, @"
    replace `load` by `x`: 1 of 1, 1 searched
    1 made/c.py:1:1 load() -> x()
    note: git ignores `made/c.py`: a build may write such files again
    ");
    insta::assert_snapshot!(check(&toy, ["load", "x", ".env"], false, None).await, @"
    pattern: no occurrence in 0 files; left out 1 file that may hold credentials
    Check the pattern, upper and lower case, and the files; `file.search` finds text.
    ");
    insta::assert_snapshot!(check(&toy, ["", "x", "*.py"], false, None).await, @"pattern: it is empty or longer than 10000 bytes");
}

#[tokio::test]
async fn occurrences_are_limited() {
    let toy = Toy::new("//- a.txt\n");
    fs::write_atomic(&toy.root.join("a.txt"), "a".repeat(MAX_OCCURRENCES + 1).as_bytes()).unwrap();
    insta::assert_snapshot!(check(&toy, ["a", "b", "."], false, None).await, @"
    pattern: it occurs more than 10000 times
    Name fewer files, or give a longer pattern.
    ");
    insta::assert_snapshot!(check(&toy, ["a+", &"$0".repeat(10_000), "."], true, None).await, @"
    replacement: `a.txt` would become too large
    Make a smaller change.
    ");
    // An excerpt shows a limited part of a long line.
    let text = format!("{0}x{0}", "é".repeat(500));
    fs::write_atomic(&toy.root.join("a.txt"), text.as_bytes()).unwrap();
    let found = replace(&toy, ["x", &"y\n".repeat(500), "."], false, None).await.unwrap();
    let [ReplacedOccurrence { before, after, .. }] = found.occurrences.as_slice() else { panic!("one occurrence") };
    assert_eq!(before, &format!("…{0}x{0}…", "é".repeat(MAX_BESIDE)));
    assert_eq!(after.chars().count(), MAX_SHOWN + 2 * MAX_BESIDE + 3, "{after}");
}

async fn edit(toy: &Toy, edits: &[(&str, &str, &str, Option<usize>)]) -> String {
    let edits: Vec<_> = edits
        .iter()
        .map(|(path, old, new, line)| {
            let near = line.filter(|line| *line > 0).map(|line| NearPosition { line, column: None });
            let (old, new, every) = ((*old).to_owned(), (*new).to_owned(), *line == Some(0));
            FileReplacement { path: (*path).to_owned(), replacement: TextReplacement { old, new, every, near } }
        })
        .collect();
    let query = toy.intel.query(Toy::cx()).await;
    match query.edit_files(&edits).await {
        Ok(plan) => format!("{}\n{}", plan.title, plan.diff),
        Err(error) => format!("{error}\n{}", error.hint()).replace(toy.root.as_str(), "[root]"),
    }
}

#[tokio::test]
async fn edits_of_several_files_are_one_plan() {
    let toy = Toy::new(FILES);
    fs::write_atomic(&toy.root.join("src/latin.py"), b"caf\xe9").unwrap();
    let edits = [
        ("src/b.py", "load", "read", None),
        ("src/a.py", "load", "read", Some(3)),
        ("./src/a.py", "name", "path", Some(0)),
    ];
    insta::assert_snapshot!(edit(&toy, &[edits[0], edits[2]]).await, @"
    edit src/a.py, src/b.py
    diff --git a/src/a.py b/src/a.py
    --- a/src/a.py
    +++ b/src/a.py
    @@ -1,3 +1,3 @@
    -def load(name):
    -    return name
    +def load(path):
    +    return path
     load('x'); load('y')
    diff --git a/src/b.py b/src/b.py
    --- a/src/b.py
    +++ b/src/b.py
    @@ -1 +1 @@
    -from a import load
    +from a import read
    ");
    insta::assert_snapshot!(edit(&toy, &edits).await, @"
    edits: edits[1].old: in `src/a.py`, the occurrences at 3:1 and 3:12 are equally near to the position
    Nothing is planned. Give old exactly as in the file, with all: true for every occurrence, or at: a line for the nearest one.
    ");
    insta::assert_snapshot!(edit(&toy, &[edits[0], ("src/a.py", "return nam\n", "", None), ("../x", "a", "", None), ("src", "a", "", None), ("src/latin.py", "a", "", None)]).await, @"
    edits: 4 of 5 edits cannot be made:
    edits[1].old: not in `src/a.py`; the nearest lines are
      2:     return name
    edits[2].path: `../x` does not exist in the workspace; paths are relative to `[root]`
    edits[3].path: `src` is a folder
    edits[4].path: `src/latin.py` is binary, or in another encoding than UTF-8
    Nothing is planned. Give old exactly as in the file, with all: true for every occurrence, or at: a line for the nearest one.
    ");
    insta::assert_snapshot!(edit(&toy, &[("notes.md", "load 🙂  load", "", None)]).await, @"
    edits: edits[0].old: not in `notes.md`, except with other white space; the text from line 1 is
    load 🙂 load
    Nothing is planned. Give old exactly as in the file, with all: true for every occurrence, or at: a line for the nearest one.
    ");
    insta::assert_snapshot!(edit(&toy, &[]).await, @"
    edits: there must be 1 to 1000 edits
    Split them over several calls.
    ");
    insta::assert_snapshot!(edit(&toy, &[("made/c.py", "load", "read", None)]).await, @"
    edit made/c.py
    diff --git a/made/c.py b/made/c.py
    --- a/made/c.py
    +++ b/made/c.py
    @@ -1 +1 @@
    -load()
    +read()
    ");
    insta::assert_snapshot!(edit(&toy, &[("src/b.py", "load", "\0", None)]).await, @"
    `src/b.py` cannot be changed as the server wants: the new text holds a NUL character, so it would no longer be text
    Move or remove what is there, then retry.
    ");
}

#[test]
fn numbers() {
    let check = |text: &str| {
        let numbers = OccurrenceNumbers::parse([text])?;
        let chosen = (1..12).filter(|number| numbers.contains(*number)).map(|number| number.to_string());
        Ok::<_, String>(format!("{} beyond 5: {:?}", chosen.collect::<Vec<_>>().join(" "), numbers.beyond(5)))
    };
    for (text, expected) in [
        ("1-3,7", "1 2 3 7 beyond 5: Some(7)"),
        (" 4 - 9 , 2,5-6,", "2 4 5 6 7 8 9 beyond 5: Some(6)"),
        ("3", "3 beyond 5: None"),
    ] {
        assert_eq!(check(text).as_deref(), Ok(expected), "{text}");
    }
    for text in ["", ",", "0", "3-1", "a", "1-2-3", "-1", "99999999999999999999"] {
        assert!(check(text).is_err(), "{text}");
    }
    assert!(OccurrenceNumbers::parse(["1", "2-3"]).is_ok_and(|numbers| numbers.contains(3)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A replacement changes the occurrences and no other byte, and an undo restores all.
    #[test]
    fn undo_restores_every_byte(
        bom: bool,
        text in "([abx é🙂]|\r|\n|\r\n){0,30}",
        old in "[abx]|x\n|\nx",
        new in "([ab]|\n){0,4}",
        chosen in proptest::option::of(1..4_usize),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let toy = Toy::new("//- a.txt\n//- b.txt\nx\n");
            let file = toy.root.join("a.txt");
            let before = format!("{}{text}", if bom { "\u{feff}" } else { "" });
            fs::write_atomic(&file, before.as_bytes()).unwrap();
            let chosen = chosen.map(|chosen| chosen.to_string());
            let Ok(found) = replace(&toy, [&old, &new, "."], false, chosen.as_deref()).await else { return Ok(()) };
            prop_assert_eq!(fs::read_text(&file).unwrap(), before.clone());
            toy.intel.edits().apply(&found.plan.id).await.unwrap();
            let after = fs::read_text(&file).unwrap();
            prop_assert_eq!(after.starts_with('\u{feff}'), bom);
            if chosen.is_none() {
                // A carriage return before a new line feed is a CRLF then.
                let lines = |text: &str| {
                    let mut text = text.to_owned();
                    while text.contains("\r\n") {
                        text = text.replace("\r\n", "\n");
                    }
                    text
                };
                let expected = before.replace("\r\n", "\n").replace(&old, &new);
                prop_assert_eq!(lines(&after), lines(&expected));
            }
            toy.intel.edits().undo(&found.plan.id).await.unwrap();
            prop_assert_eq!(fs::read_text(&file).unwrap(), before);
            Ok(())
        })?;
    }
}
