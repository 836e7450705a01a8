//! Ranks in small workspaces, whose words are those of the parser's own library.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use camino::Utf8PathBuf;
use zubi_syntax::words;

use super::*;
use crate::symbol_index::NameDeclaration;

/// Returns the names of files as an index has them: a line `//- PATH` precedes the text of each.
fn names(fixture: &str) -> DeclaredNames {
    let parts: BTreeMap<&str, &str> = fixture.split("//- ").skip(1).filter_map(|part| part.split_once('\n')).collect();
    let mut declared: BTreeMap<String, Vec<NameDeclaration>> = BTreeMap::new();
    for ((path, text), file) in parts.iter().zip(0..) {
        let outline = zubi_syntax::outline_of_file(path, text, &|| false).unwrap().unwrap();
        for declaration in outline.declarations {
            if !shown_kinds().contains(&declaration.kind) {
                continue;
            }
            let entry = declared.entry(declaration.name).or_default();
            let declaration = NameDeclaration { file, kind: declaration.kind };
            if !entry.contains(&declaration) {
                entry.push(declaration);
            }
        }
    }
    let users = |name: &str| {
        let has_word = |text: &str| words(text).any(|word| word.text == name);
        parts.values().zip(0..).filter(|(text, _)| has_word(text)).map(|(_, file)| file).collect()
    };
    let names =
        declared.into_iter().map(|(name, declarations)| NameUses { users: users(&name), name, declarations }).collect();
    let files = parts.keys().map(Utf8PathBuf::from).collect();
    DeclaredNames { files, names, has_more: false, is_complete: true }
}

fn rank(names: &DeclaredNames, focus: &GraphFocus) -> Vec<RankedName> {
    FileGraph::new(names, |path| path).rank(focus)
}

/// Renders the best names with their shares in per mille.
fn check(fixture: &str, focus: &[&str]) -> String {
    let names = names(fixture);
    let is_focus = |path: &Utf8PathBuf| focus.contains(&path.as_str());
    let files = names.files.iter().zip(0..).filter(|(path, _)| is_focus(path)).map(|(_, file)| file).collect();
    let focus = GraphFocus { files, names: Vec::new() };
    let mut text = String::new();
    for ranked in rank(&names, &focus).iter().take(8) {
        let path: &Utf8Path = &names.files[ranked.file as usize];
        writeln!(text, "{:>4.0} {path} {}", ranked.score * 1000.0, names.names[ranked.name as usize].name).unwrap();
    }
    text
}

const SHOP: &str = "\
//- core/order.py
class Order:
    def total_price(self): pass
    def _recompute(self): pass
//- core/price.py
class PriceList:
    def lookup_price(self): pass
def load_prices(): pass
//- app/checkout.py
def run_checkout():
    order = Order()
    order.total_price()
    PriceList().lookup_price()
//- app/report.py
def write_report(orders):
    for order in orders:
        assert isinstance(order, Order)
        order.total_price()
//- tests/test_order.py
def test_total():
    Order().total_price()
    write_report([])
//- web/order.js
function render() { return \"Order\" }
";

#[test]
fn names_that_many_files_use_are_first() {
    insta::assert_snapshot!(check(SHOP, &[]), @"
    109 core/order.py total_price
     79 core/order.py Order
     56 core/price.py PriceList
     33 core/price.py lookup_price
     28 app/report.py write_report
     23 app/checkout.py run_checkout
     23 web/order.js render
     12 core/price.py load_prices
    ");
}

#[test]
fn the_focus_changes_the_order() {
    insta::assert_snapshot!(check(SHOP, &["app/checkout.py"]), @"
    170 core/price.py PriceList
    109 core/order.py total_price
    102 core/price.py lookup_price
     83 app/checkout.py run_checkout
     67 core/order.py Order
     14 core/price.py load_prices
      2 app/report.py write_report
      2 web/order.js render
    ");
}

/// `Copy` and `Sync` are mostly those of the standard library.
#[test]
fn unfamiliar_names_do_not_win() {
    let mut fixture = "\
//- src/commands.rs
pub struct Copy;
pub struct Sync;
pub fn run_commands() {}
//- src/registry.rs
pub struct Registry;
pub fn open_registry() -> Registry { Registry }
"
    .to_owned();
    for index in 0..8 {
        let word = if index % 2 == 0 { "Copy" } else { "Sync" };
        let used = if index < 3 { "fn b() -> Registry { open_registry() }\n" } else { "" };
        write!(fixture, "//- src/m{index}.rs\nfn a<T: {word}>() {{}}\n{used}").unwrap();
    }
    insta::assert_snapshot!(check(&fixture, &[]), @"
    118 src/registry.rs open_registry
     79 src/registry.rs Registry
     13 src/m3.rs a
     13 src/m4.rs a
     13 src/m5.rs a
     13 src/m6.rs a
     13 src/m7.rs a
     11 src/m0.rs b
    ");
}

#[test]
fn one_file_has_its_names() {
    insta::assert_snapshot!(check("//- a.py\ndef run(): pass\nclass LongName: pass\n", &[]), @"
    138 a.py LongName
     12 a.py run
    ");
    insta::assert_snapshot!(check("", &[]), @"");
}

#[test]
fn equal_input_has_equal_ranks() {
    let names = names(SHOP);
    assert_eq!(rank(&names, &GraphFocus::default()), rank(&names, &GraphFocus::default()));
    let total: f64 = FileGraph::new(&names, |path| path).file_ranks(&GraphFocus::default(), &[1.0; 6]).iter().sum();
    assert!((total - 1.0).abs() < 1e-9, "{total}");
}

/// Indexes of files and names that do not exist have no effect.
#[test]
fn damaged_input_is_harmless() {
    let mut names = names(SHOP);
    for uses in &mut names.names {
        uses.users.push(1_000);
        uses.declarations.extend([NameDeclaration { file: 1_000, kind: DeclarationKind::Class }]);
    }
    let focus = GraphFocus { files: vec![7, 1_000], names: vec![1_000] };
    assert!(rank(&names, &focus).iter().all(|ranked| ranked.score.is_finite()));
}

/// The graph of 10,000 files.
#[test]
fn large_workspaces_need_little_time() {
    let files = (0..10_000).map(|file| Utf8PathBuf::from(format!("src/m{file:05}.py"))).collect();
    let uses = |name: u32| NameUses {
        name: format!("LongName{name:05}"),
        declarations: vec![NameDeclaration { file: name % 10_000, kind: DeclarationKind::Class }],
        users: (0..10).map(|user| (name * 7 + user * 131) % 10_000).collect(),
    };
    let names = DeclaredNames { files, names: (0..60_000).map(uses).collect(), has_more: false, is_complete: true };
    let started = std::time::Instant::now();
    assert_eq!(rank(&names, &GraphFocus::default()).len(), 60_000);
    // An optimized build needs a tenth of a second.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
