//! Files of the workspace from which language servers get programs that they run: build scripts, plug-ins, interpreters.
//!
//! zubi confines servers, so a call may write these files as any others. If zubi cannot confine a server, or the user does
//! not want it, the server would run at once, with all of the user's rights, what a call has written; then the call needs
//! approval. Files that editors and shells run, too, always need it (`part`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use camino::Utf8Path;

/// Whether the files need approval. Shared, because zubi finds out only at the first call what the machine can do.
#[derive(Debug, Clone, Default)]
pub struct ServerFiles {
    need_approval: Arc<AtomicBool>,
}

impl PartialEq for ServerFiles {
    fn eq(&self, other: &Self) -> bool {
        self.need_approval() == other.need_approval()
    }
}

impl Eq for ServerFiles {}

impl ServerFiles {
    /// Returns the requirement of approval, for a policy that approves calls in the place of the user.
    pub fn requiring_approval() -> Self {
        Self { need_approval: Arc::new(AtomicBool::new(true)) }
    }

    pub fn need_approval(&self) -> bool {
        self.need_approval.load(Ordering::Acquire)
    }

    pub fn set_need_approval(&self, need_approval: bool) {
        self.need_approval.store(need_approval, Ordering::Release);
    }
}

/// Directories of packages and environments.
const DIRECTORIES: &[&str] = &["node_modules", ".venv", "venv", ".yarn", ".terraform", ".bundle", "buildsrc"];

/// Names in lower case, without those that always need approval.
const NAMES: &[&str] = &[
    // Rust, C, C++.
    "build.rs",
    "cargo.toml",
    "rust-project.json",
    ".ccls",
    "compile_commands.json",
    "compile_flags.txt",
    "cmakelists.txt",
    // JavaScript and TypeScript.
    ".babelrc",
    ".eslintrc",
    ".pnp.cjs",
    ".pnpmfile.cjs",
    ".prettierrc",
    "biome.json",
    "biome.jsonc",
    "deno.json",
    "deno.jsonc",
    "jsconfig.json",
    "package.json",
    "tsconfig.json",
    // Python.
    "pyproject.toml",
    "pyrightconfig.json",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    // Go.
    "go.mod",
    "go.work",
    // Java, Kotlin, Scala, .NET.
    "build.sbt",
    "build.sc",
    "build.mill",
    "pom.xml",
    "directory.build.props",
    "directory.build.targets",
    "global.json",
    // PHP, Ruby, Lua, Perl, R.
    ".phpactor.json",
    ".phpactor.yml",
    "composer.json",
    "gemfile",
    ".solargraph.yml",
    ".rubocop.yml",
    ".emmyrc.json",
    ".emmyrc.lua",
    ".luarc.json",
    ".rprofile",
    // Other languages.
    ".fortls",
    ".fortls.json",
    ".fortlsrc",
    ".latexmkrc",
    "alire.toml",
    "ansible.cfg",
    "buf.gen.yaml",
    "buf.yaml",
    "build.zig",
    "config.nims",
    "dub.json",
    "dub.sdl",
    "dune",
    "dune-project",
    "foundry.toml",
    "gleam.toml",
    "hie.yaml",
    "lakefile.lean",
    "lakefile.toml",
    "manifest.toml",
    "mix.exs",
    "ols.json",
    "package.swift",
    "project.toml",
    "protols.toml",
    "rebar.config",
    "rescript.json",
    "setup.hs",
    "spago.dhall",
];

/// Ends of names in lower case.
const SUFFIXES: &[&str] = &[
    ".config.cjs",
    ".config.js",
    ".config.json",
    ".config.mjs",
    ".config.mts",
    ".config.ts",
    ".csproj",
    ".fsproj",
    ".gemspec",
    ".gpr",
    ".gradle",
    ".gradle.kts",
    ".nimble",
    ".pth",
    ".sln",
    ".slnx",
    ".vbproj",
];

/// Beginnings of names in lower case.
const PREFIXES: &[&str] = &[".eslintrc.", ".graphqlrc", ".prettierrc.", "tsconfig."];

/// Whether a language server may run what a call writes to a path, which is relative to a workspace folder at `root`.
pub(crate) fn is_run_by_servers(root: &Utf8Path, relative: &Utf8Path) -> bool {
    let names: Vec<String> = relative.components().map(|name| name.as_str().to_lowercase()).collect();
    let file_name = names.last().map_or("", String::as_str);
    names.iter().any(|name| DIRECTORIES.contains(&name.as_str()))
        || NAMES.contains(&file_name)
        || SUFFIXES.iter().any(|suffix| file_name.ends_with(suffix))
        || PREFIXES.iter().any(|prefix| file_name.starts_with(prefix))
        || relative.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("rs"))
            && (names.iter().any(|name| name == "build") || is_in_macro_package(root, relative))
}

/// Whether the nearest package of Cargo above a source is one of procedural macros, which the compiler runs.
fn is_in_macro_package(root: &Utf8Path, relative: &Utf8Path) -> bool {
    let mut directories = relative.ancestors().skip(1).map(|directory| root.join(directory).join("Cargo.toml"));
    let manifest = directories.find_map(|manifest| zubi_base::fs::read_text(&manifest).ok());
    manifest.is_some_and(|manifest| manifest.contains("proc-macro") || manifest.contains("proc_macro"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_servers_run_are_known() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        std::fs::create_dir_all(root.join("derive/src")).unwrap();
        zubi_base::fs::write_atomic(&root.join("Cargo.toml"), b"[workspace]").unwrap();
        zubi_base::fs::write_atomic(&root.join("derive/Cargo.toml"), b"[lib]\nproc-macro = true").unwrap();
        let check = |path: &str| is_run_by_servers(root, Utf8Path::new(path));
        for path in [
            "build.rs",
            "a/Build.rs",
            "build/main.rs",
            "derive/src/lib.rs",
            "Cargo.toml",
            "node_modules/x/index.js",
            ".venv/lib/site.pth",
            "web/svelte.config.js",
            "eslint.config.mjs",
            ".eslintrc.cjs",
            "tsconfig.base.json",
            "a.csproj",
            "app/build.gradle.kts",
            ".emmyrc.lua",
        ] {
            assert!(check(path), "{path}");
        }
        for path in ["src/lib.rs", "src/build_plan.rs", "derived/src/lib.rs", "main.py", "README.md", "config.toml"] {
            assert!(!check(path), "{path}");
        }
    }
}
