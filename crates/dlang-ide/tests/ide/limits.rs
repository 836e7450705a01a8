//! Extreme sizes: deep nesting, long files. None may overflow a stack, and the time must be proportional.

use dlang_ide::format::format;
use dlang_ide::{references, rename, symbol_search};
use dlang_syntax::{MAX_NESTING, TextSize, parse};

use crate::invariants::{check_features, check_format};
use crate::model::{check_navigation, model};
use crate::positions::check_positions;

/// Runs `work` on a stack as small as the smallest thread stacks.
pub(crate) fn with_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(work).expect("a thread");
    thread.join().expect("no panic");
}

#[test]
fn maximum_nesting() {
    with_small_stack(|| {
        for depth in [MAX_NESTING - 1, MAX_NESTING, 10_000] {
            let text = format!("{}bc X {{ }} {}", "ns A { Team T ".repeat(depth), "} ".repeat(depth));
            check_format(&text);
            check_features(&text);
            check_positions(&text);
        }
    });
}

#[test]
fn long_lines_and_files() {
    with_small_stack(|| {
        let names = "Name, ".repeat(40_000);
        let terms = "term T: \"m\" aka A, B examples \"e\" ".repeat(6_000);
        for text in [
            format!("cmap M {{ contains {names} Last }}"),
            format!("bc X {{ terminology {{ {terms} }} }}"),
            format!("{} {} {}", "ns A { ".repeat(100), "Team T ".repeat(20_000), "} ".repeat(100)),
            format!("Team A {}", "/* c */ ".repeat(20_000)),
            "// c\n".repeat(20_000),
            "cmap M { } ".repeat(20_000),
            format!("Domain A in {}B", "A . ".repeat(20_000)),
        ] {
            check_features(&text);
            check_positions(&text);
            let formatted = format(&parse(&text)).expect("no errors");
            assert_eq!(format(&parse(&formatted.text)).expect("no errors").edits, []);
        }
    });
}

#[test]
fn two_thousand_contexts() {
    with_small_stack(|| {
        let count = 2_000;
        let context = |number: usize| {
            format!("bc C{number} by Team{} {{ relationships {{ this -> C{} }} }}\n", number % 50, number / 2)
        };
        let contexts: String = (0..count).map(context).collect();
        let teams = (0..50).map(|number| format!("Team Team{number}\n")).collect::<Vec<_>>().concat();
        let host = model(&[&format!("import \"./b.dlang\"\n{contexts}"), &teams]);
        let (db, file) = (host.db(), host.file("b.dlang").unwrap());
        let at = TextSize::new(5);
        assert_eq!(references(db, file, at, false).len(), count / 50);
        let edits = rename(db, file, at, "Nobody").unwrap();
        assert_eq!(edits.iter().map(|(_, edits)| edits.len()).sum::<usize>(), count / 50 + 1);
        let has_both = |number: &usize| number.to_string().split_once('1').is_some_and(|(_, rest)| rest.contains('9'));
        assert_eq!(symbol_search(db, "c19", 10).total, (0..count).filter(has_both).count());
    });
}

#[test]
fn names_of_maximum_length_and_depth() {
    with_small_stack(|| {
        let depth = 10_000;
        let nested = format!("{}Team T bc B by T {}", "ns N { ".repeat(depth), "} ".repeat(depth));
        let dotted = format!("ns {}N {{ Team T bc B by {}T }}", "N.".repeat(depth), "N . ".repeat(depth));
        let long = format!("Team {0} bc B by {0}", "N".repeat(1_000_000));
        for text in [nested, dotted, long] {
            check_navigation(&model(&[&text]));
        }
    });
}
