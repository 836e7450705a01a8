//! Changes of declarations in texts. `$0` marks the declaration.

use super::SymbolAction::{Delete, InsertAfter, InsertBefore, Replace};
use super::*;
use crate::syntax::DirectParser;

mod beside;
mod heads;
mod neighbours;
mod properties;
mod statements;
mod surroundings;

/// Changes the declaration at `$0`, with its overloads if they have the same name, and returns the result.
async fn check(name: &str, marked: &str, action: SymbolAction, given: &str) -> String {
    let offset = marked.find("$0").unwrap();
    let text: Arc<str> = marked.replacen("$0", "", 1).into();
    let parsed = ParsedText::parse(&DirectParser, name, text.clone()).await.unwrap();
    let index = parsed.outline.declarations.iter().position(|it| it.name_range.start == offset);
    let index = index.unwrap_or_else(|| panic!("no declaration at {offset}: {:#?}", parsed.outline));
    let unit = SymbolUnit::new(&parsed, vec![index]).unwrap();
    match edit_symbol(&DirectParser, name, &unit, action, given, false).await {
        Ok(edit) => {
            let changed = Candidate { replacements: edit.replacements, inserted: 0..0 }.apply(&text);
            edit.notes.iter().rev().fold(changed, |text, note| format!("note: {note}\n{text}"))
        }
        Err(error) => format!("error: {}\n{}", error.reason, error.hint),
    }
}

const RUST: &str = "\
/// A shape.
#[derive(Debug)]
struct Shape;

impl Shape {
    /// Returns the area.
    #[inline]
    fn $0area(&self) -> u32 {
        1
    }

    fn name(&self) {}
}
";

#[tokio::test]
async fn comments_and_annotations_stay_unless_the_text_has_them() {
    insta::assert_snapshot!(check("a.rs", RUST, Replace, "fn area(&self) -> u32 {\n    2\n}\n").await, @"
    /// A shape.
    #[derive(Debug)]
    struct Shape;

    impl Shape {
        /// Returns the area.
        #[inline]
        fn area(&self) -> u32 {
            2
        }

        fn name(&self) {}
    }
    ");
    insta::assert_snapshot!(check("a.rs", RUST, Replace, "    /// Computes it.\n    fn area(&self) -> u32 {\n        2\n    }").await, @"
    /// A shape.
    #[derive(Debug)]
    struct Shape;

    impl Shape {
        /// Computes it.
        #[inline]
        fn area(&self) -> u32 {
            2
        }

        fn name(&self) {}
    }
    ");
    insta::assert_snapshot!(check("a.rs", RUST, Replace, "#[must_use]\n    fn area(&self) -> u32 {\n        2\n    }").await, @"
    /// A shape.
    #[derive(Debug)]
    struct Shape;

    impl Shape {
        /// Returns the area.
        #[must_use]
        fn area(&self) -> u32 {
            2
        }

        fn name(&self) {}
    }
    ");
    insta::assert_snapshot!(check("a.rs", RUST, Replace, "/// Computes it.\n#[must_use]\nfn area(&self) -> u32 { 2 }").await, @"
    /// A shape.
    #[derive(Debug)]
    struct Shape;

    impl Shape {
        /// Computes it.
        #[must_use]
        fn area(&self) -> u32 { 2 }

        fn name(&self) {}
    }
    ");
    let java = "class A {\n    /** Doc. */\n    @Override\n    public int $0area() { return 1; }\n}\n";
    insta::assert_snapshot!(check("A.java", java, Replace, "public int area() {\n    return 2;\n}").await, @"
    class A {
        /** Doc. */
        @Override
        public int area() {
            return 2;
        }
    }
    ");
    insta::assert_snapshot!(check("A.java", java, Replace, "/** Other. */\npublic int area() {\n    return 2;\n}").await, @"
    class A {
        /** Other. */
        @Override
        public int area() {
            return 2;
        }
    }
    ");
    let python =
        "class A:\n    # Why.\n    @property\n    def $0area(self):\n        \"\"\"Doc.\"\"\"\n        return 1\n";
    insta::assert_snapshot!(check("a.py", python, Replace, "def area(self):\n    return 2").await, @"
    note: the new `area` has no documentation string
    class A:
        # Why.
        @property
        def area(self):
            return 2
    ");
    insta::assert_snapshot!(check("a.py", python, Replace, "@cached\ndef area(self):\n    \"\"\"Doc.\"\"\"\n    return 2").await, @r#"
    class A:
        # Why.
        @cached
        def area(self):
            """Doc."""
            return 2
    "#);
    let typescript = "class A {\n  /** Doc. */\n  @logged()\n  $0area(): number { return 1; }\n}\n";
    insta::assert_snapshot!(check("a.ts", typescript, Replace, "area(): number {\n  return 2;\n}").await, @"
    class A {
      /** Doc. */
      @logged()
      area(): number {
        return 2;
      }
    }
    ");
}

#[tokio::test]
async fn an_insertion_has_the_blank_lines_and_the_indentation_of_its_scope() {
    let given = "fn width(&self) -> u32 {\n    3\n}\n";
    insta::assert_snapshot!(check("a.rs", RUST, InsertAfter, given).await, @"
    /// A shape.
    #[derive(Debug)]
    struct Shape;

    impl Shape {
        /// Returns the area.
        #[inline]
        fn area(&self) -> u32 {
            1
        }

        fn width(&self) -> u32 {
            3
        }

        fn name(&self) {}
    }
    ");
    insta::assert_snapshot!(check("a.rs", RUST, InsertBefore, given).await, @"
    /// A shape.
    #[derive(Debug)]
    struct Shape;

    impl Shape {
        fn width(&self) -> u32 {
            3
        }

        /// Returns the area.
        #[inline]
        fn area(&self) -> u32 {
            1
        }

        fn name(&self) {}
    }
    ");
    let python = "import os\n\n\ndef $0one():\n    pass\n\n\ndef two():\n    pass\n";
    insta::assert_snapshot!(check("a.py", python, InsertAfter, "def between():\n    pass").await, @"
    import os


    def one():
        pass


    def between():
        pass


    def two():
        pass
    ");
    insta::assert_snapshot!(check("a.py", python, InsertBefore, "LIMIT = 1").await, @"
    import os


    LIMIT = 1


    def one():
        pass


    def two():
        pass
    ");
    let members = "class A:\n    one = 1\n    $0two = 2\n\n    def run(self):\n        pass\n";
    insta::assert_snapshot!(check("a.py", members, InsertAfter, "three = 3").await, @"
    class A:
        one = 1
        two = 2
        three = 3

        def run(self):
            pass
    ");
    insta::assert_snapshot!(check("a.py", members, InsertAfter, "def walk(self):\n        return 1").await, @"
    class A:
        one = 1
        two = 2

        def walk(self):
            return 1

        def run(self):
            pass
    ");
    let last = "fn $0only() {}";
    insta::assert_snapshot!(check("a.rs", last, InsertAfter, "fn next() {}").await, @"
    fn only() {}
    fn next() {}
    ");
    let tabs = "package a\n\nfunc $0One() int {\n\treturn 1\n}\n";
    insta::assert_snapshot!(check("a.go", tabs, InsertAfter, "func Two() int {\n    return 2\n}").await, @"
    package a

    func One() int {
    	return 1
    }

    func Two() int {
    	return 2
    }
    ");
}

#[tokio::test]
async fn separators_are_those_of_the_list() {
    insta::assert_snapshot!(check("a.rs", "enum E {\n    A,\n    $0B,\n}\n", InsertAfter, "C").await, @"
    enum E {
        A,
        B,
        C,
    }
    ");
    insta::assert_snapshot!(check("a.rs", "enum E {\n    A,\n    $0B\n}\n", InsertAfter, "C").await, @"
    enum E {
        A,
        B,
        C
    }
    ");
    insta::assert_snapshot!(check("a.rs", "enum E { $0A, B }\n", InsertAfter, "C").await, @"enum E { A, C, B }");
    insta::assert_snapshot!(check("a.rs", "enum E { A, $0B }\n", InsertAfter, "C,").await, @"enum E { A, B, C }");
    insta::assert_snapshot!(check("a.rs", "enum E { A, $0B }\n", Delete, "").await, @"enum E { A }");
    insta::assert_snapshot!(check("a.rs", "struct P {\n    $0x: i32,\n    y: i32,\n}\n", InsertBefore, "z: i32").await, @"
    struct P {
        z: i32,
        x: i32,
        y: i32,
    }
    ");
    insta::assert_snapshot!(check("a.rs", "struct P {\n    x: i32,\n    $0y: i32, // the height\n}\n", Delete, "").await, @"
    struct P {
        x: i32,
    }
    ");
    insta::assert_snapshot!(check("a.rs", "struct P {\n    x: i32,\n    $0y: i32, // the height\n}\n", Replace, "y: i64,").await, @"
    struct P {
        x: i32,
        y: i64, // the height
    }
    ");
    insta::assert_snapshot!(check("a.ts", "enum E {\n  A,\n  $0B\n}\n", Delete, "").await, @"
    enum E {
      A
    }
    ");
    insta::assert_snapshot!(check("A.java", "enum E {\n    A,\n    $0B;\n\n    int x;\n}\n", InsertAfter, "C").await, @"
    enum E {
        A,
        B,
        C;

        int x;
    }
    ");
    insta::assert_snapshot!(check("a.ts", "const a = 1,\n  $0b = 2;\n", Delete, "").await, @"const a = 1;");
    insta::assert_snapshot!(check("a.ts", "interface I {\n  a: number;\n  $0b: string;\n}\n", InsertAfter, "c: boolean").await, @"
    interface I {
      a: number;
      b: string;
      c: boolean;
    }
    ");
    insta::assert_snapshot!(check("a.py", "a = 1; $0b = 2\n", Delete, "").await, @"a = 1;");
}

#[tokio::test]
async fn a_removal_takes_comments_lines_and_blank_lines() {
    insta::assert_snapshot!(check("a.rs", RUST, Delete, "").await, @"
    /// A shape.
    #[derive(Debug)]
    struct Shape;

    impl Shape {
        fn name(&self) {}
    }
    ");
    insta::assert_snapshot!(check("a.rs", "fn a() {}\n\n// About b.\nfn $0b() {}\n\nfn c() {}\n", Delete, "").await, @"
    fn a() {}

    fn c() {}
    ");
    insta::assert_snapshot!(check("a.py", "class A:\n    def $0run(self):\n        pass\n\n\nx = 1\n", Delete, "").await, @"
    class A:
        pass


    x = 1
    ");
    insta::assert_snapshot!(check("a.py", "class A:\n    \"\"\"Doc.\"\"\"\n\n    def $0run(self):\n        pass\n", Delete, "").await, @r#"
    class A:
        """Doc."""
    "#);
    insta::assert_snapshot!(check("a.py", "x = 1\n\n\n# Why.\n@cached\ndef $0f():\n    pass", Delete, "").await, @"x = 1");
    insta::assert_snapshot!(check("a.cc", "class $0A {\n  int x;\n};\n\nint y;\n", Delete, "").await, @"int y;");
    // A block of Python needs a statement.
    insta::assert_snapshot!(check("a.py", "class B: $0y = 1\n", Delete, "").await, @"class B: pass");
    insta::assert_snapshot!(check("a.py", "if True:\n    $0z = 1\n\ndef f():\n    pass\n", Delete, "").await, @"
    if True:
        pass

    def f():
        pass
    ");
    insta::assert_snapshot!(check("a.py", "if True:\n    $0z = 1\n    w = 2\n", Delete, "").await, @"
    if True:
        w = 2
    ");
}

#[tokio::test]
async fn strings_of_several_lines_keep_their_text() {
    let text = "class A:\n    def $0text(self):\n        return 1\n";
    insta::assert_snapshot!(check("a.py", text, Replace, "def text(self):\n    \"\"\"Doc\n\n    more.\"\"\"\n    return '''one\n  two\n'''").await, @r#"
    class A:
        def text(self):
            """Doc

            more."""
            return '''one
      two
    '''
    "#);
    let script = "function $0f() {\n  return 1;\n}\n";
    insta::assert_snapshot!(check("a.ts", script, Replace, "function f() {\n  return `a\n    b\n`;\n}").await, @"
    function f() {
      return `a
        b
    `;
    }
    ");
}

#[tokio::test]
async fn line_endings_and_the_end_of_the_file_stay() {
    insta::assert_snapshot!(check("a.rs", "fn $0a() {}\r\nfn b() {}\r\n", Replace, "fn a() {\n    b();\n}\n").await, @"
    fn a() {
        b();
    }
    fn b() {}
    ");
    assert_eq!(
        check("a.rs", "fn $0a() {\r\n}\r\n\r\nfn b() {\r\n}\r\n", InsertAfter, "fn c() {\n}").await,
        "fn a() {\r\n}\r\n\r\nfn c() {\r\n}\r\n\r\nfn b() {\r\n}\r\n"
    );
    assert_eq!(check("a.py", "def $0a(): pass", Replace, "def a(): return 1\n").await, "def a(): return 1");
}

#[tokio::test]
async fn a_text_that_breaks_the_file_is_rejected() {
    insta::assert_snapshot!(check("a.rs", RUST, Replace, "fn area(&self) -> u32 {\n    2 +\n}\n").await, @"
    error: text: something is missing in its line 2: `2 +`
    Nothing was changed. Correct the text, which must be the whole source of the declaration.
    ");
    insta::assert_snapshot!(check("a.rs", RUST, Replace, "fn area(&self) -> u32 {\n    2\n").await, @"
    error: text: a syntax error in its line 2: `2`
    Nothing was changed. Correct the text, which must be the whole source of the declaration.
    ");
    insta::assert_snapshot!(check("a.rs", RUST, Replace, "fn area(&self) -> u32 { 2 }\n}\nimpl Shape {").await, @"
    error: text: it would end in the middle of `impl Shape`
    Nothing was changed. Check the braces and the indentation of the text.
    ");
    insta::assert_snapshot!(check("a.rs", RUST, Replace, "    2").await, @"
    error: text: a syntax error in its line 1: `2`
    Nothing was changed. Correct the text, which must be the whole source of the declaration.
    ");
    insta::assert_snapshot!(check("a.rs", RUST, Replace, "fn other(&self) {}").await, @"
    error: text: it does not declare `area`
    Nothing was changed. Pass the whole declaration with its name, use `lsp_rename_symbol` for another name, or pass force: true.
    ");
    let coach = "@cached\nasync def $0co():\n    return 1\n\nx = 1\n";
    for text in ["async def co():", "async def co():\nreturn 2", "async def co():\n    if 1:\n    return 2"] {
        let answer = check("a.py", coach, Replace, text).await;
        assert!(answer.starts_with("error: text: "), "{text}: {answer}");
    }
    insta::assert_snapshot!(check("a.py", coach, Replace, "async def co():").await, @"
    error: text: something is missing in its line 1: `async def co():`
    Nothing was changed. Correct the text, which must be the whole source of the declaration.
    ");
    insta::assert_snapshot!(check("a.rs", RUST, Replace, " \n").await, @r#"
    error: the text is empty
    Pass the new source, or action: "delete".
    "#);
    insta::assert_snapshot!(check("a.py", "class A:\n    def $0one(self):\n        pass\n\n    def two(self):\n        pass\n", InsertAfter, "def three(self):\n    pass\nclass B:\n    x = 1").await, @"
    class A:
        def one(self):
            pass

        def three(self):
            pass
        class B:
            x = 1

        def two(self):
            pass
    ");
    insta::assert_snapshot!(check("a.rs", "mod m { fn $0a() {} }\n", InsertAfter, "fn b() {\n}").await, @"
    error: zubi cannot insert lines beside `a`, which shares its line with other code
    Edit the text with `edit_files`.
    ");
    insta::assert_snapshot!(check("a.rs", RUST, InsertAfter, "fn name(&self) {}").await, @"
    note: `name` is declared in line 12 already
    /// A shape.
    #[derive(Debug)]
    struct Shape;

    impl Shape {
        /// Returns the area.
        #[inline]
        fn area(&self) -> u32 {
            1
        }

        fn name(&self) {}

        fn name(&self) {}
    }
    ");
}

#[tokio::test]
async fn detached_first_lines_are_read_as_such() {
    let text = "class A {\n  $0run() {\n    return 1;\n  }\n\n  walk() {\n    return 1;\n  }\n}\n";
    insta::assert_snapshot!(check("a.ts", text, Replace, "run() {\n    return 2;\n  }").await, @"
    class A {
      run() {
        return 2;
      }

      walk() {
        return 1;
      }
    }
    ");
    insta::assert_snapshot!(check("a.ts", text, Replace, "run() {\n  return 2;\n}").await, @"
    class A {
      run() {
        return 2;
      }

      walk() {
        return 1;
      }
    }
    ");
    insta::assert_snapshot!(check("a.ts", text, Replace, "  run() {\n    return 2;\n  }").await, @"
    class A {
      run() {
        return 2;
      }

      walk() {
        return 1;
      }
    }
    ");
}

/// Reads the sample of each language that `zubi-syntax` tests.
fn samples() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../zubi-syntax/tests/samples");
    let mut samples = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = camino::Utf8PathBuf::from_path_buf(entry.unwrap().path()).unwrap();
        let name = path.file_name().unwrap().to_owned();
        if zubi_syntax::SyntaxLanguage::from_file_name(&name).is_some() {
            samples.push((name, String::from_utf8(std::fs::read(&path).unwrap()).unwrap()));
        }
    }
    assert!(samples.len() > 15, "{}", samples.len());
    samples
}

/// Returns the place of the first difference between a result and the text it should be.
fn describe_difference(result: &Result<SymbolEdit, RejectedEdit>, text: &str) -> Option<String> {
    let edit = match result {
        Ok(edit) => edit,
        Err(error) => return Some(error.reason.clone()),
    };
    let candidate = Candidate { replacements: edit.replacements.clone(), inserted: 0..0 };
    let changed = candidate.apply(text);
    let line = changed.lines().zip(text.lines()).position(|(one, other)| one != other);
    let line = line.or_else(|| (changed != text).then(|| text.lines().count()))?;
    let lines = |text: &str| text.lines().skip(line.saturating_sub(1)).take(3).collect::<Vec<_>>().join("\n");
    Some(format!("line {}:\n{}\ninstead of\n{}", line + 1, lines(&changed), lines(text)))
}

/// The own source of a declaration instead of it changes nothing, with its indentation and without it.
#[tokio::test]
async fn own_source_is_no_change() {
    let (mut tried, mut failures) = (0, Vec::new());
    for (name, text) in samples() {
        let parsed = ParsedText::parse(&DirectParser, &name, text.as_str().into()).await.unwrap();
        for index in 0..parsed.outline.declarations.len() {
            let unit = SymbolUnit::new(&parsed, vec![index]).unwrap();
            if !unit.has_own_lines() || unit.joint_declaration().is_some() {
                continue;
            }
            let source = text.get(unit.range()).unwrap();
            for given in [source.to_owned(), format!("{}{source}", unit.indentation())] {
                let result = edit_symbol(&DirectParser, &name, &unit, Replace, &given, false).await;
                failures.extend(describe_difference(&result, &text).map(|it| format!("{name}: {given}\n{it}")));
                tried += 1;
            }
        }
    }
    assert!(failures.is_empty(), "{} of {tried}\n{}", failures.len(), failures.join("\n\n"));
    assert!(tried > 500, "{tried}");
}

/// A comment behind a declaration in its line is not a part of it.
#[tokio::test]
async fn comments_behind_a_declaration_stay() {
    for (name, text, given) in [
        ("a.ts", "function $0e() { return 1; } // tail\n", "function e() { return 2; }"),
        ("a.ts", "class A {\n  $0m() {\n    return 1;\n  } // tail\n}\n", "m() { return 2; }"),
        ("a.js", "const $0e = () => 1; // tail\n", "const e = () => 2;"),
        ("a.py", "def $0f(): return 1  # tail\n", "def f(): return 2"),
        ("a.rs", "fn $0f() -> u8 { 1 } // tail\n", "fn f() -> u8 { 2 }"),
    ] {
        let answer = check(name, text, Replace, given).await;
        assert!(answer.contains('2') && answer.contains("tail"), "{name}: {answer}");
    }
}
