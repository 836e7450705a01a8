//! The project of a test: a copy of a fixture or of published sources, in a directory of its own, next to an empty
//! home.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use crate::tools;
use crate::zubi::environment;

/// A project in a temporary directory, removed with this value.
#[derive(Debug)]
pub struct Project {
    root: Utf8PathBuf,
    home: Utf8PathBuf,
    _directory: TempDir,
}

impl Project {
    /// An empty project.
    pub fn empty() -> Self {
        let directory = tempfile::Builder::new().prefix("zubi-test-").tempdir().expect("a temporary directory");
        let base = Utf8Path::from_path(directory.path()).expect("in UTF-8").canonicalize_utf8().expect("exists");
        let project = Self { root: base.join("project"), home: base.join("home"), _directory: directory };
        for directory in [&project.root, &project.home] {
            std::fs::create_dir(directory).expect("a new directory");
        }
        project
    }

    /// A copy of `tests/fixtures/<name>`.
    pub fn fixture(name: &str) -> Self {
        let project = Self::empty();
        copy(&tools::ROOT.join("tests/fixtures").join(name), &project.root);
        match name {
            "cpp" => project.write_compile_commands("src", &["-Iinclude", "-std=c++17"]),
            "rust" => project.write_cargo_config_for_rust_library(),
            _ => {}
        }
        project
    }

    /// A copy of `examples/<name>`.
    pub fn example(name: &str) -> Self {
        let project = Self::empty();
        copy(&tools::ROOT.join("examples").join(name), &project.root);
        project
    }

    /// A copy of published sources that `setup` fetched: `rich` (Python), `leveldb` (C++), `clap_builder` (Rust), `rxjs`
    /// (TypeScript), `x-tools` (Go, as Go's own distribution carries it) or, for benchmarks, the Python files of
    /// `homeassistant`.
    pub fn copy_published(name: &str) -> Self {
        let project = Self::empty();
        let name = if name == "x-tools" { "go" } else { name };
        let sources = tools::directory(name);
        match name {
            "rich" => copy(&sources.join("rich"), &project.root.join("rich")),
            "homeassistant" => {
                let (from, to) = (sources.join("homeassistant"), project.root.join("homeassistant"));
                copy_if(&from, &to, |path| path.extension() == Some("py"));
            }
            "leveldb" => {
                let inside = sources.join("deps").read_dir_utf8().expect("the crate ships LevelDB").flatten();
                let leveldb =
                    inside.map(camino::Utf8DirEntry::into_path).find(|path| path.as_str().contains("/leveldb-"));
                copy(&leveldb.expect("the crate ships LevelDB"), &project.root);
                for part in ["db", "table", "util", "helpers"] {
                    assert!(project.root.join(part).is_dir(), "LevelDB has no {part}/");
                }
                let flags = ["-I.", "-Iinclude", "-std=c++11", "-DLEVELDB_PLATFORM_POSIX=1"];
                project.write_compile_commands(".", &flags);
            }
            "clap_builder" => {
                copy(&sources, &project.root);
                project.write_cargo_config_for_rust_library();
                // The dependencies are next to the sources, so that cargo needs no network.
                let vendored = sources.parent().expect("the component's directory").join("vendor");
                project.write(
                    ".cargo/config.toml",
                    &format!(
                        "[source.crates-io]\nreplace-with = \"vendored\"\n\n[source.vendored]\ndirectory = \"{vendored}\"\n"
                    ),
                );
            }
            "rxjs" => {
                copy(&sources.join("node_modules/rxjs/src"), &project.root.join("src"));
                let options = r#"{ "strict": true, "noEmit": true, "target": "es2022", "module": "esnext",
    "moduleResolution": "bundler", "lib": ["es2022", "dom"], "types": [] }"#;
                project
                    .write("tsconfig.json", &format!("{{ \"compilerOptions\": {options}, \"include\": [\"src\"] }}\n"));
            }
            "go" => {
                let vendored = sources.join("go/src/cmd/vendor/golang.org/x");
                copy(&vendored.join("tools"), &project.root);
                copy(&vendored.join("sync"), &project.root.join("third/sync"));
                project.write("third/sync/go.mod", "module golang.org/x/sync\n\ngo 1.24\n");
                project.write(
                    "go.mod",
                    "module golang.org/x/tools\n\ngo 1.24\n\nrequire golang.org/x/sync v0.0.0\n\nreplace golang.org/x/sync => ./third/sync\n",
                );
            }
            other => panic!("there is no published project `{other}`"),
        }
        project
    }

    /// A copy of any directory, without the files that programs leave behind.
    pub fn copy_directory(directory: &Utf8Path) -> Self {
        let project = Self::empty();
        copy(directory, &project.root);
        project
    }

    /// A clone of this repository at its last commit. Cargo finds the packages that this machine has downloaded.
    pub fn clone_repository() -> Self {
        let project = Self::empty();
        let mut git = std::process::Command::new("git");
        let git = git.args(["clone", "--quiet", "--no-local", tools::ROOT.as_str(), project.root.as_str()]);
        let cloned = git.env("PATH", tools::path(&[])).status().expect("git starts");
        assert!(cloned.success(), "git clone failed: {cloned}");
        let cargo_home = std::env::var_os("CARGO_HOME").map_or_else(
            || std::path::PathBuf::from(std::env::var_os("HOME").expect("a home directory")).join(".cargo"),
            std::path::PathBuf::from,
        );
        std::fs::create_dir(project.home.join(".cargo")).expect("a new directory");
        std::os::unix::fs::symlink(cargo_home.join("registry"), project.home.join(".cargo/registry"))
            .expect("a new link");
        project
    }

    /// Runs git in the project and returns its output.
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut git = std::process::Command::new("git");
        git.args(arguments).current_dir(&self.root).env_clear().envs(environment(self, &[]));
        let output = git.output().expect("git starts");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Copies a folder of this repository into the project.
    pub fn add(&self, from: &str, to: &str) {
        copy(&tools::ROOT.join(from), &self.root.join(to));
    }

    /// The project's root, links resolved.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The home directory of all processes of the test.
    pub fn home(&self) -> &Utf8Path {
        &self.home
    }

    /// A file's text.
    pub fn read(&self, file: &str) -> String {
        String::from_utf8(self.bytes(file)).expect("UTF-8")
    }

    /// A file's bytes.
    pub fn bytes(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.root.join(file)).unwrap_or_else(|error| panic!("cannot read {file}: {error}"))
    }

    /// Writes a file as another program would, without a notification.
    pub fn write(&self, file: &str, text: &str) {
        self.write_bytes(file, text.as_bytes());
    }

    /// Writes a file that need not be UTF-8.
    pub fn write_bytes(&self, file: &str, bytes: &[u8]) {
        let path = self.root.join(file);
        std::fs::create_dir_all(path.parent().expect("inside the project")).expect("directories");
        std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("cannot write {path}: {error}"));
    }

    /// Replaces a text that must occur.
    pub fn replace(&self, file: &str, old: &str, new: &str) {
        let text = self.read(file);
        assert!(text.contains(old), "{file} does not contain {old:?}");
        self.write(file, &text.replacen(old, new, 1));
    }

    /// Installs a program on the PATH of all processes of the test, before all others.
    pub fn install(&self, name: &str, script: &str) {
        let program = self.home.join("bin").join(name);
        std::fs::create_dir_all(self.home.join("bin")).expect("directories");
        std::fs::write(&program, script).unwrap_or_else(|error| panic!("cannot write {program}: {error}"));
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    }

    /// Every file of the project with its bytes, in order.
    pub fn everything(&self) -> Vec<(Utf8PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        walk(&self.root, &mut |path| {
            let relative = path.strip_prefix(&self.root).expect("inside").to_owned();
            files.push((relative, std::fs::read(path).expect("readable")));
        });
        files.sort();
        files
    }

    /// Configures cargo for rust-analyzer, which queries it about the standard library's dependencies: cargo must not
    /// need a network for that.
    fn write_cargo_config_for_rust_library(&self) {
        let config = format!(
            "[source.crates-io]\nreplace-with = \"beside-std\"\n\n[source.beside-std]\ndirectory = \"{}/vendor\"\n",
            tools::directory("rust-library")
        );
        std::fs::create_dir(self.home.join(".cargo")).expect("a new directory");
        std::fs::write(self.home.join(".cargo/config.toml"), config).expect("a new file");
    }

    /// Lists every C++ source below `directory` with absolute paths, as a build system would.
    fn write_compile_commands(&self, directory: &str, flags: &[&str]) {
        let mut entries = Vec::new();
        walk(&self.root.join(directory), &mut |path| {
            let is_source = path.extension() == Some("cc");
            // These sources need platforms or libraries that are not available here.
            let foreign = ["_test.cc", "_bench.cc", "windows", "/benchmarks/", "/issues/"];
            if is_source && foreign.iter().all(|part| !path.as_str().contains(part)) {
                let mut command = "c++".to_owned();
                for flag in flags {
                    write!(command, " {flag}").expect("writing to a string");
                }
                write!(command, " -c {path}").expect("writing to a string");
                entries.push(serde_json::json!({ "directory": self.root, "file": path, "command": command }));
            }
        });
        entries.sort_by_key(|entry| entry["file"].to_string());
        self.write("compile_commands.json", &serde_json::to_string_pretty(&entries).expect("JSON"));
    }
}

fn copy(from: &Utf8Path, to: &Utf8Path) {
    copy_if(from, to, |_| true);
}

fn copy_if(from: &Utf8Path, to: &Utf8Path, selects: impl Fn(&Utf8Path) -> bool) {
    walk(from, &mut |path| {
        if !selects(path) {
            return;
        }
        let target = to.join(path.strip_prefix(from).expect("inside"));
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
        std::fs::copy(path, &target).unwrap_or_else(|error| panic!("cannot copy {path}: {error}"));
    });
}

fn walk(directory: &Utf8Path, visit: &mut impl FnMut(&Utf8Path)) {
    let entries = directory.read_dir_utf8().unwrap_or_else(|error| panic!("cannot list {directory}: {error}"));
    for entry in entries {
        let path = entry.expect("an entry").into_path();
        // Files that programs leave behind do not belong to a project.
        let is_generated = matches!(path.file_name(), Some("__pycache__" | "target" | ".cache" | "node_modules"));
        if path.is_dir() && !is_generated {
            walk(&path, visit);
        } else if path.is_file() {
            visit(&path);
        }
    }
}
