//! The published sources whose outlines are compared, and the references for each language.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use zubi_tests::{Project, tools};

use crate::ctags;
use crate::recall::ReportedDeclaration;
use crate::server::{self, ServerProgram};

/// The maximum number of files of a corpus: every n-th one is compared.
const MAX_FILES: usize = 150;

/// Sources in one language.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// The name for the command line.
    pub(crate) name: &'static str,
    /// The title of its rows on the page.
    pub(crate) title: &'static str,
    origin: Origin,
    extensions: &'static [&'static str],
    /// LSP's identifier of the language.
    pub(crate) language: &'static str,
    /// The language of ctags, and the letters of its kinds for classes, functions and methods.
    tags: Option<(&'static str, &'static str)>,
    servers: &'static [ServerProgram],
    /// The reasons for missed declarations, by reference.
    pub(crate) reasons: &'static [(&'static str, &'static str)],
}

#[derive(Debug)]
enum Origin {
    /// A project of [`Project::copy_published`].
    Published(&'static str),
    /// A directory of a component.
    Component(&'static str, &'static str),
    /// A directory of this repository.
    Repository(&'static str),
}

/// A source of declarations.
pub(crate) enum OutlineReference {
    Ctags { language: &'static str, kinds: &'static str },
    Server { program: ServerProgram, language: &'static str },
}

impl OutlineReference {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Ctags { .. } => "ctags",
            Self::Server { program, .. } => program.name,
        }
    }

    pub(crate) fn declarations(&self, sources: &SourceCopy) -> Result<BTreeSet<ReportedDeclaration>> {
        match self {
            Self::Ctags { language, kinds } => ctags::declarations(sources, language, kinds),
            Self::Server { program, language } => server::declarations(program, language, sources),
        }
    }
}

/// A copy of sources in a project of their own.
#[derive(Debug)]
pub(crate) struct SourceCopy {
    pub(crate) project: Project,
    /// The paths in the project.
    pub(crate) files: Vec<Utf8PathBuf>,
}

impl SourceCopy {
    pub(crate) fn root(&self) -> &Utf8Path {
        self.project.root()
    }

    pub(crate) fn text(&self, file: &Utf8Path) -> String {
        self.project.read(file.as_str())
    }
}

impl Corpus {
    pub(crate) fn references(&self) -> Vec<OutlineReference> {
        let tags = self.tags.iter().map(|(language, kinds)| OutlineReference::Ctags { language, kinds });
        let language = self.language;
        let servers = self.servers.iter().map(|program| OutlineReference::Server { program: *program, language });
        tags.chain(servers).collect()
    }

    /// Copies the sources.
    pub(crate) fn copy(&self) -> Result<SourceCopy> {
        let copy = match self.origin {
            Origin::Published(name) => {
                let (project, mut files) = (Project::copy_published(name), Vec::new());
                list(project.root(), project.root(), self.extensions, &mut files)?;
                select(&mut files);
                SourceCopy { project, files }
            }
            Origin::Component(component, directory) => self.copy_from(&tools::directory(component).join(directory))?,
            Origin::Repository(directory) => self.copy_from(&tools::ROOT.join(directory))?,
        };
        ensure!(!copy.files.is_empty(), "{} has no files", self.name);
        Ok(copy)
    }

    /// Copies the sources of this language from a directory.
    pub(crate) fn copy_from(&self, directory: &Utf8Path) -> Result<SourceCopy> {
        let (project, mut files) = (Project::empty(), Vec::new());
        list(directory, directory, self.extensions, &mut files)?;
        select(&mut files);
        for file in &files {
            project.write(file.as_str(), &std::fs::read_to_string(directory.join(file))?);
        }
        Ok(SourceCopy { project, files })
    }

    /// Returns the directory with the tests' fixture in this language, in the repository.
    pub(crate) fn fixture(&self) -> Option<Utf8PathBuf> {
        let name = if self.language == "shellscript" { "shell" } else { self.language };
        let directory = Utf8Path::new("tests/fixtures").join(name);
        tools::ROOT.join(&directory).is_dir().then_some(directory)
    }
}

/// Selects every n-th file, so that there are at most [`MAX_FILES`].
fn select(files: &mut Vec<Utf8PathBuf>) {
    files.sort();
    let step = files.len().div_ceil(MAX_FILES).max(1);
    *files = files.iter().step_by(step).cloned().collect();
}

/// Lists the files with one of the extensions that are texts of a size that is parsed.
fn list(root: &Utf8Path, directory: &Utf8Path, extensions: &[&str], files: &mut Vec<Utf8PathBuf>) -> Result<()> {
    for entry in directory.read_dir_utf8()? {
        let path = entry?.into_path();
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.is_dir() {
            list(root, &path, extensions, files)?;
            continue;
        }
        let is_source = path.extension().is_some_and(|extension| extensions.contains(&extension));
        let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        // A minified file is generated, and the index parses no such file.
        let is_parsed = || {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            !text.is_empty() && text.lines().all(|line| line.len() < 5_000)
        };
        if metadata.is_file() && is_source && size <= zubi_syntax::MAX_TEXT_BYTES && is_parsed() {
            files.push(path.strip_prefix(root)?.to_owned());
        }
    }
    Ok(())
}

const PYTHON_SERVERS: &[ServerProgram] = &[
    ServerProgram { name: "pyright", components: &["node", "pyright"], command: &["pyright-langserver", "--stdio"] },
    ServerProgram {
        name: "basedpyright",
        components: &["node", "basedpyright"],
        command: &["basedpyright-langserver", "--stdio"],
    },
    ServerProgram { name: "ty", components: &["ty"], command: &["ty", "server"] },
    ServerProgram { name: "pyrefly", components: &["pyrefly"], command: &["pyrefly", "lsp"] },
    ServerProgram { name: "zuban", components: &["zuban"], command: &["zuban", "server"] },
    ServerProgram {
        name: "jedi-language-server",
        components: &["jedi-language-server"],
        command: &["jedi-language-server"],
    },
];

const TYPESCRIPT_SERVERS: &[ServerProgram] = &[
    ServerProgram { name: "typescript", components: &["node", "typescript"], command: &["tsc", "--lsp", "--stdio"] },
    ServerProgram {
        name: "typescript-language-server",
        components: &["node", "typescript-language-server"],
        command: &["typescript-language-server", "--stdio"],
    },
    ServerProgram { name: "vtsls", components: &["node", "vtsls"], command: &["vtsls", "--stdio"] },
];

const CLANGD: &[ServerProgram] = &[ServerProgram { name: "clangd", components: &["clangd"], command: &["clangd"] }];

/// All corpora. Debian's headers and the corpora of the set-up are the only sources: every machine has the same ones.
pub(crate) static CORPORA: &[Corpus] = &[
    Corpus {
        name: "rust",
        title: "Rust: clap_builder",
        origin: Origin::Published("clap_builder"),
        extensions: &["rs"],
        language: "rust",
        tags: Some(("Rust", "Pfgis")),
        servers: &[ServerProgram {
            name: "rust-analyzer",
            components: &["rust-analyzer"],
            command: &["rust-analyzer"],
        }],
        reasons: &[],
    },
    Corpus {
        name: "rust-vendor",
        title: "Rust: the standard library's dependencies",
        origin: Origin::Component("rust-library", "vendor"),
        extensions: &["rs"],
        language: "rust",
        tags: Some(("Rust", "Pfgis")),
        servers: &[ServerProgram {
            name: "rust-analyzer",
            components: &["rust-analyzer"],
            command: &["rust-analyzer"],
        }],
        reasons: &[],
    },
    Corpus {
        name: "python",
        title: "Python: rich",
        origin: Origin::Published("rich"),
        extensions: &["py"],
        language: "python",
        tags: Some(("Python", "cfm")),
        servers: PYTHON_SERVERS,
        reasons: &[],
    },
    Corpus {
        name: "python-jedi",
        title: "Python: jedi and its dependencies",
        origin: Origin::Component("jedi-language-server", "lib"),
        extensions: &["py", "pyi"],
        language: "python",
        tags: Some(("Python", "cfm")),
        servers: PYTHON_SERVERS,
        reasons: &[],
    },
    Corpus {
        name: "c",
        title: "C: sources in Go's distribution",
        origin: Origin::Component("go", "go/src"),
        extensions: &["c"],
        language: "c",
        tags: Some(("C", "fgsu")),
        servers: CLANGD,
        reasons: &[("clangd", "code without a type before the name (`aaa;`)")],
    },
    Corpus {
        name: "cpp",
        title: "C++: LevelDB",
        origin: Origin::Published("leveldb"),
        extensions: &["cc", "h"],
        language: "cpp",
        tags: Some(("C++", "cfgsup")),
        servers: CLANGD,
        reasons: &[
            (
                "ctags",
                "macros after a parameter list (`void Lock() EXCLUSIVE_LOCK_FUNCTION()`), and what follows a macro without a semicolon in a class",
            ),
            ("clangd", "as with ctags; also functions that a macro declares (`BINARY_OP(IsEq, ==)`)"),
        ],
    },
    Corpus {
        name: "go",
        title: "Go: x/tools",
        origin: Origin::Published("x-tools"),
        extensions: &["go"],
        language: "go",
        tags: Some(("Go", "fins")),
        servers: &[ServerProgram { name: "gopls", components: &["go", "gopls"], command: &["gopls"] }],
        reasons: &[("ctags", "a function in a text that ctags reads as code")],
    },
    Corpus {
        name: "typescript",
        title: "TypeScript: RxJS",
        origin: Origin::Published("rxjs"),
        extensions: &["ts"],
        language: "typescript",
        tags: Some(("TypeScript", "Gcfgim")),
        servers: TYPESCRIPT_SERVERS,
        reasons: &[
            (
                "typescript-language-server",
                "a function expression with a name of its own, in the arguments of a call (`createErrorClass((_super) => function ArgumentOutOfRangeErrorImpl() …)`)",
            ),
            (
                "vtsls",
                "a function expression with a name of its own, in the arguments of a call (`createErrorClass((_super) => function ArgumentOutOfRangeErrorImpl() …)`)",
            ),
        ],
    },
    Corpus {
        name: "javascript",
        title: "JavaScript: packages of bash-language-server",
        origin: Origin::Component("bash-language-server", "node_modules"),
        extensions: &["js"],
        language: "javascript",
        tags: Some(("JavaScript", "cfgmGS")),
        servers: TYPESCRIPT_SERVERS,
        reasons: &[
            (
                "ctags",
                "ctags takes objects without functions for classes (`posix: { sep: '/' }`), and lists names of calls (`Node.prototype.insertBefore.call`)",
            ),
            (
                "typescript",
                "functions in an `export default () => …`, which have no name of their own, and classes in the arguments of calls",
            ),
            (
                "typescript-language-server",
                "functions in an `export default () => …`, which have no name of their own, and classes in the arguments of calls",
            ),
            (
                "vtsls",
                "functions in an `export default () => …`, which have no name of their own, and classes in the arguments of calls",
            ),
        ],
    },
    Corpus {
        name: "php",
        title: "PHP: stubs of Intelephense",
        origin: Origin::Component("intelephense", "node_modules/intelephense/lib"),
        extensions: &["php"],
        language: "php",
        tags: Some(("PHP", "cfit")),
        servers: &[ServerProgram {
            name: "intelephense",
            components: &["node", "intelephense"],
            command: &["intelephense", "--stdio"],
        }],
        reasons: &[("intelephense", "`function clone(…)`: the name is a reserved word, which the grammar rejects")],
    },
    Corpus {
        name: "lua",
        title: "Lua: Neovim's runtime",
        origin: Origin::Component("neovim", "usr/share/nvim"),
        extensions: &["lua"],
        language: "lua",
        tags: Some(("Lua", "f")),
        servers: &[ServerProgram { name: "emmylua_ls", components: &["emmylua"], command: &["emmylua_ls"] }],
        reasons: &[(
            "ctags",
            "ctags takes variables for functions if the line has a function (`local parts = vim.tbl_map(function … )`)",
        )],
    },
    Corpus {
        name: "shell",
        title: "Shell: scripts of the standard library",
        origin: Origin::Component("rust-library", "library"),
        extensions: &["sh"],
        language: "shellscript",
        tags: Some(("Sh", "f")),
        servers: &[ServerProgram {
            name: "bash-language-server",
            components: &["node", "bash-language-server"],
            command: &["bash-language-server", "start"],
        }],
        reasons: &[],
    },
    Corpus {
        name: "svelte",
        title: "Svelte: the tests' fixture",
        origin: Origin::Repository("tests/fixtures/svelte"),
        extensions: &["svelte"],
        language: "svelte",
        tags: None,
        servers: &[ServerProgram {
            name: "svelte-language-server",
            components: &["node", "svelte-language-server"],
            command: &["svelteserver", "--stdio"],
        }],
        reasons: &[],
    },
];
