//! Names of small folders, whose writer has small segments.

use std::fmt::Write as _;

use super::*;
use crate::index::tests::Fixture;

const FILES: &str = "\
//- app/order.py
class Order:
    def total(self): pass

def Order(): pass
//- app/price.py
from order import Order
class Price:
    def total(self): return Order
//- src/lib.rs
impl Price for Order {}
pub fn total() {}
struct Größe;
//- notes.txt
The Order and its Price.
//- settings.json
{\"Order\": 1}
";

fn selection(max_declaring_files: usize) -> NameSelection {
    let kinds =
        vec![DeclarationKind::Class, DeclarationKind::Struct, DeclarationKind::Function, DeclarationKind::Method];
    NameSelection { kinds, max_declaring_files }
}

fn render(names: &DeclaredNames, root: &Utf8Path) -> String {
    let file = |index: u32| names.files[index as usize].strip_prefix(root).unwrap().to_string();
    let mut text = String::new();
    for uses in &names.names {
        let declared = uses.declarations.iter().map(|it| format!("{} {}", it.kind.lsp_name(), file(it.file)));
        let declared: Vec<String> = declared.collect();
        let users: Vec<String> = uses.users.iter().map(|user| file(*user)).collect();
        writeln!(text, "{}: {} <- {}", uses.name, declared.join(", "), users.join(", ")).unwrap();
    }
    if names.has_more {
        text.push_str("more\n");
    }
    text
}

/// Reads the names of a folder with other limits.
fn read_limited(fixture: &Fixture, limits: &NameLimits) -> String {
    let connection = Connection::open(fixture.index.store_path().unwrap()).unwrap();
    render(&read_names(&connection, &fixture.root, &selection(2), limits).unwrap(), &fixture.root)
}

async fn check(fixture: &Fixture, max_declaring_files: usize) -> String {
    use zubi_code::symbol_index::SymbolIndex as _;
    let names = fixture.index.declared_names(&selection(max_declaring_files)).await.unwrap();
    assert!(names.is_complete);
    render(&names, &fixture.root)
}

#[tokio::test]
async fn names_have_their_files() {
    let fixture = Fixture::with_built_index(FILES).await;
    insta::assert_snapshot!(check(&fixture, 3).await, @"
    Größe: struct src/lib.rs <- src/lib.rs
    Order: class app/order.py, function app/order.py <- app/order.py, app/price.py, settings.json, src/lib.rs
    Price: class app/price.py <- app/price.py, src/lib.rs
    total: method app/order.py, method app/price.py, function src/lib.rs <- app/order.py, app/price.py, src/lib.rs
    ");
    insta::assert_snapshot!(check(&fixture, 2).await, @"
    Größe: struct src/lib.rs <- src/lib.rs
    Order: class app/order.py, function app/order.py <- app/order.py, app/price.py, settings.json, src/lib.rs
    Price: class app/price.py <- app/price.py, src/lib.rs
    total: method app/order.py, method app/price.py, function src/lib.rs <-
    ");
}

#[tokio::test]
async fn changes_are_in_the_next_answer() {
    let fixture = Fixture::with_built_index(FILES).await;
    fixture.write("app/price.py", "class Discount:\n    pass\n");
    fixture.write("app/total.py", "print(Discount, Order)\n");
    std::fs::remove_file(fixture.root.join("src/lib.rs")).unwrap();
    fixture.update(&["app/price.py", "app/total.py", "src/lib.rs"]).await;
    insta::assert_snapshot!(check(&fixture, 3).await, @"
    Discount: class app/price.py <- app/price.py, app/total.py
    Order: class app/order.py, function app/order.py <- app/order.py, app/total.py, settings.json
    total: method app/order.py <- app/order.py
    ");
}

#[tokio::test]
async fn limits_are_reported() {
    let fixture = Fixture::with_built_index(FILES).await;
    let limits = || NameLimits { names: 10, declarations: 10, uses: 100 };
    assert!(!read_limited(&fixture, &limits()).contains("more"));
    for limits in [
        NameLimits { names: 2, ..limits() },
        NameLimits { declarations: 2, ..limits() },
        NameLimits { uses: 2, ..limits() },
    ] {
        assert!(read_limited(&fixture, &limits).ends_with("more\n"));
    }
}

/// The answer is the same after any changes as that of a new store.
#[tokio::test]
async fn many_files_are_in_several_segments() {
    let mut files = String::new();
    for index in 0..80 {
        let next = (index + 1) % 80;
        write!(files, "//- m{index:02}.py\nclass Name{index}:\n    pass\nprint(Name{next})\n").unwrap();
    }
    let fixture = Fixture::with_built_index(&files).await;
    let text = check(&fixture, 3).await;
    assert_eq!(text.lines().count(), 80);
    assert!(text.contains("Name7: class m07.py <- m06.py, m07.py\n"), "{text}");
}

/// The names in `impl IntoIterator for Lines` are those of the trait.
#[tokio::test]
async fn members_of_a_trait_implementation_are_not_names_of_their_file() {
    let files = "\
//- lines.rs
pub struct Lines;
impl Lines {
    pub fn first(&self) {}
}
impl<'a> IntoIterator for &'a Lines {
    fn into_iter(self) {}
}
impl Count for Lines {
    fn first(&self) {}
}
trait Count {
    fn total(&self) {}
}
//- other.rs
fn into_iter() {}
";
    let fixture = Fixture::with_built_index(files).await;
    insta::assert_snapshot!(check(&fixture, 3).await, @"
    Lines: struct lines.rs <- lines.rs
    first: method lines.rs <- lines.rs
    into_iter: function other.rs <- lines.rs, other.rs
    total: method lines.rs <- lines.rs
    ");
}
