//! Files of real indexers; see `data/README.md`.

use insta::assert_snapshot;
use zubi_base::text::DiskText;
use zubi_code::exact_index::{ExactIndex as _, ExactQuery};
use zubi_code::exact_index::{ExactRole, ExactTarget};

use super::{Folder, find, import, status};
use crate::scip::{ScipIndex, ScipLimits, check_bytes};

use ExactRole::{Definitions, Implementations, References};

async fn open(files: &str, bytes: &[u8]) -> (Folder, ScipIndex, String) {
    let folder = Folder::new(files);
    let index = folder.index();
    let report = import(&folder, &index, &folder.request_of_bytes(bytes)).await;
    assert!(check_bytes(bytes, &ScipLimits::default()).is_some());
    let report = format!("{report}\n{}", status(&folder, &index).await);
    (folder, index, report)
}

/// Renders the symbol at the first of its definitions.
async fn symbols(index: &ScipIndex, name: &str) -> String {
    let query = ExactQuery { target: ExactTarget::Name(name.to_owned()), role: Definitions, limit: 10 };
    let answer = index.find(&query, &DiskText).await.unwrap();
    let line = |symbol: &zubi_code::exact_index::ExactSymbol| {
        let package = symbol.package.as_deref().unwrap_or("-");
        format!("{package}: {}/{} {:?}", symbol.containers.join("/"), symbol.name, symbol.kind)
    };
    answer.symbols.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn rust_analyzer() {
    let (folder, index, report) = open(include_str!("data/rust.txt"), include_bytes!("data/rust.scip")).await;
    assert_snapshot!(report, @r"
    rust-analyzer 1.96.0: 2 documents, 2 exact, 34 occurrences, 12 local
    rust-analyzer/: 2 documents, 2 exact, 0 changed, 0 unchecked; rust 2; 0 s
    ");
    assert_snapshot!(symbols(&index, "area").await, @r"
    shapes: Shape/area Some(Method)
    shapes: square/Square/area Some(Method)
    ");
    assert_snapshot!(find(&folder, &index, Definitions, "src/square.rs:20:new").await, @r"
    src/square.rs:8 new = square/Square/new definition
    [rust-analyzer 1.96.0 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, References, "Square").await, @r"
    src/lib.rs:5 Square = square/Square
    src/square.rs:7 Square = square/Square
    src/square.rs:13 Square = square/Square
    src/square.rs:19 Square = square/Square
    src/square.rs:20 Square = square/Square
    [rust-analyzer 1.96.0 no commit: 2 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, References, "Square/side").await, @r"
    src/square.rs:9 side = square/Square/side
    src/square.rs:15 side = square/Square/side
    src/square.rs:15 side = square/Square/side
    [rust-analyzer 1.96.0 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, References, "iter/Iterator/map").await, @"0 symbols, no documents");
    assert_snapshot!(find(&folder, &index, References, "Mul/mul").await, @"0 symbols, no documents");
    assert_snapshot!(find(&folder, &index, References, "mul").await, @r"
    src/square.rs:15 * = ops/arith/f64/mul
    [rust-analyzer 1.96.0 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, Definitions, "src/lib.rs:3:square").await, @r"
    src/square.rs:1 use crate::Shape;⏎⏎pub struct Square {⏎    pub side: f64,⏎}⏎⏎impl Square {⏎    pub const fn new(side: f64) -> Self {⏎        Self { side }⏎    }⏎}⏎⏎impl Shape for Square {⏎    fn area(&self) -> f64 {⏎        /* 😀 */ self.side * self.side⏎    }⏎}⏎⏎pub fn unit() -> Square {⏎    Square::new(1.0)⏎}⏎ = square definition
    [rust-analyzer 1.96.0 no commit: 1 exact, 0 changed]
    ");
}

#[tokio::test]
async fn scip_python() {
    let (folder, index, report) = open(include_str!("data/python.txt"), include_bytes!("data/python.scip")).await;
    assert_snapshot!(report, @r"
    scip-python 0.6.6: 2 documents, 2 exact, 48 occurrences, 2 local
    scip-python/: 2 documents, 2 exact, 0 changed, 0 unchecked; python 2; 0 s
    ");
    assert_snapshot!(symbols(&index, "Square/area").await, @"shapes: shapes/Square/area Some(Method)");
    assert_snapshot!(find(&folder, &index, References, "total").await, @r"
    app.py:1 total = shapes/total
    app.py:3 total = shapes/total
    app.py:4 total = shapes/total
    [scip-python 0.6.6 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, References, "app.py:4:größe").await, @r"
    app.py:4 größe = app/größe
    [scip-python 0.6.6 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, Implementations, "Shape/area").await, @r"
    shapes.py:14 area = shapes/Square/area definition
    [scip-python 0.6.6 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, Definitions, "app.py:1:shapes").await, @r"
    shapes.py:1  = shapes definition
    [scip-python 0.6.6 no commit: 1 exact, 0 changed]
    ");
}

#[tokio::test]
async fn scip_typescript() {
    let (folder, index, report) =
        open(include_str!("data/typescript.txt"), include_bytes!("data/typescript.scip")).await;
    assert_snapshot!(report, @r"
    scip-typescript 0.4.0: 2 documents, 2 exact, 29 occurrences, 4 local
    scip-typescript/: 2 documents, 2 exact, 0 changed, 0 unchecked; typescript 2; 0 s
    ");
    assert_snapshot!(symbols(&index, "Square").await, @"shapes: shapes.ts/Square Some(Class)");
    assert_snapshot!(find(&folder, &index, References, "total").await, @r"
    app.ts:1 total = shapes.ts/total
    app.ts:1 sumOf = shapes.ts/total
    app.ts:3 sumOf = shapes.ts/total
    [scip-typescript 0.4.0 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, References, "Shape/area").await, @r"
    shapes.ts:14 area = shapes.ts/Shape/area
    [scip-typescript 0.4.0 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, Implementations, "shapes.ts:1:Shape").await, @r"
    shapes.ts:5 Square = shapes.ts/Square definition
    [scip-typescript 0.4.0 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, &index, References, "app.ts:3:result").await, @r"
    app.ts:4 result = app.ts/result
    [scip-typescript 0.4.0 no commit: 1 exact, 0 changed]
    ");
}
