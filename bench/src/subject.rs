//! The measured projects: published sources, each with a server and symbols.

use anyhow::{Context as _, Result};
use camino::Utf8PathBuf;
use zubi_tests::Project;

/// Pairs of a file and a text that ends with the name of a declared symbol.
type Symbols = &'static [(&'static str, &'static str)];

/// One project with its server.
pub(crate) struct Subject {
    /// The name on the command line.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The measurements that run if the command line selects none.
    pub(crate) depth: Depth,
    /// The published sources, as [`Project::copy_published`] names them.
    pub(crate) project: &'static str,
    /// The server's name in the table, and part of its command line.
    pub(crate) server: &'static str,
    /// The components on PATH.
    pub(crate) components: &'static [&'static str],
    /// The server's own command line, as in the catalogue.
    pub(crate) command: &'static [&'static str],
    pub(crate) language: &'static str,
    /// The bare server's signal that it has read the project.
    pub(crate) ready: Ready,
    /// The queried symbols, in turn. The first one has many uses; the cold start is measured with it.
    pub(crate) symbols: Symbols,
    /// The minimum number of references of the first symbol; a server that returns fewer has not read the project.
    pub(crate) at_least: usize,
    /// A new file's name and text with one more use of the first symbol.
    pub(crate) new_file: (&'static str, &'static str),
    /// The file that must declare a new file in this language, and the line to add.
    pub(crate) declared: Option<(&'static str, &'static str)>,
}

/// The amount of measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Full,
    Cold,
}

/// A server's own signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ready {
    /// A log line with this prefix.
    Log(&'static str),
    /// The end of the progress with this token.
    Progress(&'static str),
    /// The end of the progress whose title has this prefix.
    Titled(&'static str),
    /// No signal: the server holds requests back until it can answer them completely.
    Holding,
    /// A quiescent `experimental/serverStatus` after one that was not.
    ServerStatus,
}

/// A position to query.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    pub(crate) file: String,
    /// 0-based, as in LSP. These lines are ASCII, so the column is the same in every position encoding.
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) name: String,
}

impl Position {
    /// The position in the form of zubi's `at` argument.
    pub(crate) fn to_at_argument(&self) -> String {
        format!("{}:{}:{}", self.file, self.line + 1, self.column + 1)
    }
}

impl Subject {
    /// A copy of the project. `zubi` is this repository.
    pub(crate) fn copy(&self) -> Project {
        if self.project == "zubi" { Project::clone_repository() } else { Project::copy_published(self.project) }
    }

    /// The positions of the symbols in a copy of the project.
    pub(crate) fn positions(&self, project: &Project) -> Result<Vec<Position>> {
        self.symbols.iter().map(|(file, text)| position(project, file, text)).collect()
    }

    /// Writes the new file and declares it, as another program would. Returns the changed files with LSP's
    /// `FileChangeType`.
    pub(crate) fn write_new_file(&self, project: &Project) -> Vec<(&'static str, u8)> {
        project.write(self.new_file.0, self.new_file.1);
        let mut changes = vec![(self.new_file.0, 1)];
        if let Some((file, line)) = self.declared {
            project.write(file, &format!("{}{line}", project.read(file)));
            changes.push((file, 2));
        }
        changes
    }

    /// The server's program with its arguments, resolved on the given PATH.
    pub(crate) fn server_command(&self, path: &str) -> Result<Vec<String>> {
        let (program, arguments) = self.command.split_first().context("a server has a program")?;
        let found = path.split(':').map(|directory| Utf8PathBuf::from(directory).join(program)).find(|p| p.is_file());
        let found = found.with_context(|| format!("`{program}` is not on {path}"))?;
        Ok(std::iter::once(found.into_string()).chain(arguments.iter().map(|a| (*a).to_owned())).collect())
    }
}

fn position(project: &Project, file: &str, text: &str) -> Result<Position> {
    let source = project.read(file);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // `class Console` must not find `class ConsoleOptions`.
    let match_end = |line: &str| {
        let mut ends = line.match_indices(text).map(|(at, _)| at + text.len());
        ends.find(|end| !line.get(*end..).is_some_and(|rest| rest.starts_with(is_word)))
    };
    let (line, end) = source
        .lines()
        .enumerate()
        .find_map(|(number, line)| Some((number, match_end(line)?)))
        .with_context(|| format!("{file}: no {text:?}"))?;
    let name = text.rsplit(|c: char| !is_word(c)).next().unwrap_or(text);
    Ok(Position { file: file.to_owned(), line, column: end - name.len(), name: name.to_owned() })
}

/// Symbols of rich, and a file that uses the first symbol.
const RICH: Symbols = &[
    ("rich/console.py", "class Console"),
    ("rich/text.py", "class Text"),
    ("rich/segment.py", "class Segment"),
    ("rich/style.py", "class Style"),
    ("rich/console.py", "class ConsoleOptions"),
];
const IN_RICH: (&str, &str) = ("rich/_zubi_bench.py", "from .console import Console\n\nBENCH = Console()\n");

/// Symbols of rxjs, and a file that uses the first symbol.
const RXJS: Symbols = &[
    ("src/internal/Subscriber.ts", "export class Subscriber"),
    ("src/internal/Observable.ts", "export class Observable"),
    ("src/internal/Subject.ts", "export class Subject"),
    ("src/internal/BehaviorSubject.ts", "export class BehaviorSubject"),
    ("src/internal/util/isFunction.ts", "export function isFunction"),
];
const IN_RXJS: (&str, &str) = (
    "src/internal/zubiBench.ts",
    "import { Subscriber } from './Subscriber';\n\nexport const bench: Subscriber<number> | null = null;\n",
);

/// All subjects.
pub(crate) const SUBJECTS: &[Subject] = &[
    Subject {
        name: "python",
        title: "rich (Python)",
        depth: Depth::Full,
        project: "rich",
        server: "pyright",
        components: &["node", "pyright"],
        command: &["pyright-langserver", "--stdio"],
        language: "python",
        ready: Ready::Log("Found "),
        symbols: RICH,
        at_least: 200,
        new_file: IN_RICH,
        declared: None,
    },
    Subject {
        name: "cpp",
        title: "LevelDB (C++)",
        depth: Depth::Full,
        project: "leveldb",
        server: "clangd",
        components: &["clangd"],
        command: &["clangd", "--background-index", "--log=error", "--limit-references=0", "--limit-results=1000"],
        language: "cpp",
        ready: Ready::Progress("backgroundIndexProgress"),
        symbols: &[
            ("include/leveldb/slice.h", "class LEVELDB_EXPORT Slice"),
            ("include/leveldb/status.h", "class LEVELDB_EXPORT Status"),
            ("db/dbformat.h", "class InternalKeyComparator"),
            ("util/arena.h", "class Arena"),
            ("db/version_set.h", "class VersionSet"),
        ],
        at_least: 400,
        new_file: (
            "util/zubi_bench.cc",
            "#include \"leveldb/slice.h\"\n\nnamespace leveldb {\nSlice ZubiBench() { return Slice(\"bench\"); }\n}\n",
        ),
        declared: None,
    },
    Subject {
        name: "rust",
        title: "clap_builder (Rust)",
        depth: Depth::Full,
        project: "clap_builder",
        server: "rust-analyzer",
        components: &["rust-analyzer"],
        command: &["rust-analyzer"],
        language: "rust",
        ready: Ready::ServerStatus,
        symbols: &[
            ("src/builder/command.rs", "pub struct Command"),
            ("src/builder/arg.rs", "pub struct Arg"),
            ("src/parser/matches/arg_matches.rs", "pub struct ArgMatches"),
            ("src/builder/action.rs", "pub enum ArgAction"),
            ("src/builder/arg_group.rs", "pub struct ArgGroup"),
        ],
        at_least: 200,
        new_file: (
            "src/zubi_bench.rs",
            "pub fn zubi_bench() -> crate::Command {\n    crate::Command::new(\"bench\")\n}\n",
        ),
        declared: Some(("src/lib.rs", "mod zubi_bench;\n")),
    },
    Subject {
        name: "typescript",
        title: "rxjs (TypeScript)",
        depth: Depth::Cold,
        project: "rxjs",
        server: "tsc",
        components: &["node", "typescript"],
        command: &["tsc", "--lsp", "--stdio"],
        language: "typescript",
        ready: Ready::Holding,
        symbols: RXJS,
        at_least: 80,
        new_file: IN_RXJS,
        declared: None,
    },
    Subject {
        name: "tsserver",
        title: "rxjs (TypeScript)",
        depth: Depth::Cold,
        project: "rxjs",
        server: "typescript-language-server",
        components: &["node", "typescript-language-server"],
        command: &["typescript-language-server", "--stdio"],
        language: "typescript",
        ready: Ready::Titled("Initializing JS/TS language features"),
        symbols: RXJS,
        at_least: 80,
        new_file: IN_RXJS,
        declared: None,
    },
    Subject {
        name: "go",
        title: "x/tools (Go)",
        depth: Depth::Cold,
        project: "x-tools",
        server: "gopls",
        components: &["go", "gopls"],
        command: &["gopls"],
        language: "go",
        ready: Ready::Titled("Setting up workspace"),
        symbols: &[
            ("go/analysis/analysis.go", "type Pass"),
            ("go/analysis/analysis.go", "type Analyzer"),
            ("go/ast/inspector/inspector.go", "type Inspector"),
            ("go/analysis/diagnostic.go", "type Diagnostic"),
            ("go/analysis/validate.go", "func Validate"),
        ],
        at_least: 100,
        new_file: ("go/analysis/zubi_bench.go", "package analysis\n\nvar bench *Pass\n"),
        declared: None,
    },
    Subject {
        name: "basedpyright",
        title: "rich (Python)",
        depth: Depth::Cold,
        project: "rich",
        server: "basedpyright",
        components: &["node", "basedpyright"],
        command: &["basedpyright-langserver", "--stdio"],
        language: "python",
        ready: Ready::Log("Found "),
        symbols: RICH,
        at_least: 200,
        new_file: IN_RICH,
        declared: None,
    },
    Subject {
        name: "ty",
        title: "rich (Python)",
        depth: Depth::Cold,
        project: "rich",
        server: "ty",
        components: &["ty"],
        command: &["ty", "server"],
        language: "python",
        ready: Ready::Holding,
        symbols: RICH,
        at_least: 200,
        new_file: IN_RICH,
        declared: None,
    },
];
