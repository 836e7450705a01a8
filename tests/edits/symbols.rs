//! Changes of a symbol by its name: the plan, its result, the diagnostics it causes, and the undo.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::{answers, round_trip};
use zubi_tests::{Project, Zubi};

/// A symbol that is used and one that is not, in one file of a language.
struct Sample {
    servers: &'static [&'static str],
    files: &'static [(&'static str, &'static str)],
    /// A function with an annotation or a comment, and its new source.
    replaced: (&'static str, &'static str),
    /// The line of the comment or annotation, which must stay.
    head: &'static str,
    /// A line of the result.
    expected: &'static str,
    used: &'static str,
    unused: &'static str,
}

const SAMPLES: &[Sample] = &[
    Sample {
        servers: &["node", "pyright"],
        files: &[(
            "shapes.py",
            "import functools\n\n\nclass Shape:\n    # The width never changes.\n    @functools.cache\n    def area(self) -> int:\n        return 1\n\n\ndef used(shape: Shape) -> int:\n    return shape.area()\n\n\ndef unused() -> None:\n    pass\n\n\nprint(used(Shape()))\n",
        )],
        replaced: ("Shape/area", "def area(self) -> int:\n    return 2\n"),
        head: "    @functools.cache",
        expected: "        return 2",
        used: "used",
        unused: "unused",
    },
    Sample {
        servers: &["node", "typescript"],
        files: &[
            ("tsconfig.json", "{ \"compilerOptions\": { \"strict\": true, \"noEmit\": true } }\n"),
            (
                "shapes.ts",
                "export class Shape {\n  /** The area. */\n  area(): number {\n    return 1;\n  }\n}\n\nexport function used(shape: Shape): number {\n  return shape.area();\n}\n\nexport function unused(): void {}\n",
            ),
            ("main.ts", "import { Shape, used } from \"./shapes\";\n\nconsole.log(used(new Shape()));\n"),
        ],
        replaced: ("Shape/area", "  area(): number {\n    return 2;\n  }"),
        head: "  /** The area. */",
        expected: "    return 2;",
        used: "used",
        unused: "unused",
    },
    Sample {
        servers: &["go", "gopls"],
        files: &[
            ("go.mod", "module example.test/a\n\ngo 1.24\n"),
            (
                "shapes.go",
                "package main\n\ntype Shape struct{}\n\n// Area returns the area.\nfunc (s Shape) Area() int {\n\treturn 1\n}\n\nfunc used(s Shape) int { return s.Area() }\n\nfunc unused() {}\n\nfunc main() { println(used(Shape{})) }\n",
            ),
        ],
        replaced: ("Area", "func (s Shape) Area() int {\n    return 2\n}"),
        head: "// Area returns the area.",
        expected: "\treturn 2",
        used: "used",
        unused: "unused",
    },
    Sample {
        servers: &["clangd"],
        files: &[
            ("compile_flags.txt", "-std=c++17\n"),
            (
                "shapes.cc",
                "struct Shape {\n  // The area.\n  [[nodiscard]] int area() const { return 1; }\n};\n\nint used(const Shape& shape) { return shape.area(); }\n\nvoid unused() {}\n\nint main() { return used(Shape{}); }\n",
            ),
        ],
        replaced: ("Shape/area", "[[nodiscard]] int area() const {\n  return 2;\n}"),
        head: "  // The area.",
        expected: "    return 2;",
        used: "used",
        unused: "unused",
    },
    Sample {
        servers: &["rust-analyzer"],
        files: &[
            ("Cargo.toml", "[package]\nname = \"shapes\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            (
                "src/main.rs",
                "struct Shape;\n\nimpl Shape {\n    /// Returns the area.\n    #[inline]\n    fn area(&self) -> u32 {\n        1\n    }\n}\n\nfn used(shape: &Shape) -> u32 {\n    shape.area()\n}\n\nfn unused() {}\n\nfn main() {\n    println!(\"{}\", used(&Shape));\n}\n",
            ),
        ],
        replaced: ("Shape/area", "fn area(&self) -> u32 {\n    2\n}"),
        head: "    #[inline]",
        expected: "        2",
        used: "used",
        unused: "unused",
    },
];

#[tokio::test]
async fn a_symbol_is_replaced_extended_and_deleted() {
    for sample in SAMPLES {
        let servers = sample.servers;
        let project = Project::empty();
        for (path, text) in sample.files {
            project.write(path, text);
        }
        let zubi = Zubi::start(&project, servers).await;
        let (symbol, text) = sample.replaced;
        let replacement = json!({ "symbol": symbol, "action": "replace", "text": text });
        let answer = round_trip(&zubi, &project, "edit_symbol", replacement, None).await;
        assert!(answer.contains(&format!("\n+{}\n", sample.expected)), "{servers:?}: {answer}");
        assert!(answer.contains(&format!("\n {}\n", sample.head)), "{servers:?}: {answer}");
        assert!(!answer.contains("new:"), "{servers:?}: {answer}");
        let removal = json!({ "symbol": sample.unused, "action": "delete" });
        let answer = round_trip(&zubi, &project, "edit_symbol", removal, None).await;
        assert!(answer.contains("problems:"), "{servers:?}: {answer}");
        let before = project.everything();
        let used = json!({ "symbol": sample.used, "action": "delete" });
        let answer = zubi.call_refused("edit_symbol", used).await;
        assert!(answer.contains("to `used` would be left:\n"), "{servers:?}: {answer}");
        assert_eq!(project.everything(), before, "{servers:?}");
    }
}

/// The answers that a model reads, one of each kind.
#[tokio::test]
async fn answers_name_the_symbol_and_the_next_step() {
    let project = Project::empty();
    project.write(
        "shapes.py",
        "class Shape:\n    def area(self) -> int:\n        return 1\n\n    def name(self) -> str:\n        return \"x\"\n\n\na, b = 1, 2\n\n\ndef total(shape: Shape) -> int:\n    return shape.area() + a\n",
    );
    project.write(
        "other.py",
        "from typing import overload\n\n\n@overload\ndef size(x: int) -> int: ...\n@overload\ndef size(x: str) -> str: ...\ndef size(x):\n    return x\n",
    );
    project.write("notes.ipynb", "{ \"cells\": [], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5 }\n");
    let zubi = Zubi::start(&project, &["node", "pyright"]).await;
    let questions = [
        (
            "edit_symbol",
            json!({ "symbol": "Shape/area", "action": "insert_after", "text": "def width(self) -> int:\n    return \"\"" }),
        ),
        (
            "edit_symbol",
            json!({ "symbol": "Shape/area", "path": "shapes.py", "action": "insert_after", "text": "def width(self) -> int:\n    return \"\"", "apply": true }),
        ),
        ("edit_symbol", json!({ "symbol": "Shape/area", "action": "delete" })),
        ("edit_symbol", json!({ "symbol": "Shape/area", "action": "delete", "force": true })),
        (
            "edit_symbol",
            json!({ "symbol": "Shape/area", "action": "replace", "text": "def area(self) -> int:\n    return (1" }),
        ),
        ("edit_symbol", json!({ "symbol": "Shape/area", "action": "replace", "text": "return 2" })),
        ("edit_symbol", json!({ "symbol": "Shape/area", "action": "replace" })),
        (
            "edit_symbol",
            json!({ "symbol": "Shape/area", "action": "replace", "text": "def area(self): pass", "apply": true }),
        ),
        (
            "edit_symbol",
            json!({ "symbol": "Shape/area", "path": "other.py", "action": "replace", "text": "def area(self): pass", "apply": true }),
        ),
        ("edit_symbol", json!({ "symbol": "a", "path": "shapes.py", "action": "delete" })),
        ("edit_symbol", json!({ "symbol": "size", "action": "replace", "text": "def size(x):\n    return x" })),
        ("edit_symbol", json!({ "at": "other.py:8", "action": "replace", "text": "def size(x):\n    return [x]" })),
        ("edit_symbol", json!({ "symbol": "size", "action": "insert_before", "text": "LIMIT = 1" })),
        ("edit_symbol", json!({ "symbol": "Nothing", "action": "delete" })),
    ];
    assert_snapshot!(answers(&zubi, &questions).await);
}
