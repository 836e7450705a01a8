//! Absurd sizes: deep nesting, long files. None may overflow a stack, and all take time in proportion.

use dlang_ide::format::format;
use dlang_syntax::{MAX_NESTING, parse};

use crate::invariants::{check_features, check_format};
use crate::places::check_places_of;

/// Runs on a stack as small as that of a thread may be.
pub(crate) fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(work).expect("a thread");
    thread.join().expect("no panic");
}

#[test]
fn as_deep_as_can_be() {
    on_a_small_stack(|| {
        for depth in [MAX_NESTING - 1, MAX_NESTING, 10_000] {
            let text = format!("{}bc X {{ }} {}", "ns A { Team T ".repeat(depth), "} ".repeat(depth));
            check_format(&text);
            check_features(&text);
            check_places_of(&text);
        }
    });
}

#[test]
fn long_lines_and_files() {
    on_a_small_stack(|| {
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
            check_places_of(&text);
            let formatted = format(&parse(&text)).expect("no errors");
            assert_eq!(format(&parse(&formatted.text)).expect("no errors").edits, []);
        }
    });
}
