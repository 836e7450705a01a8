//! Tests of `program`.

use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;

use super::*;
use crate::catalogue::Catalogue;

/// A fake machine with programs, and a project.
struct Machine {
    _directory: tempfile::TempDir,
    base: Utf8PathBuf,
    finder: ProgramFinder,
}

impl Machine {
    /// Creates the machine. `programs` are scripts by path; `bin1`, `bin2` and `bin3` are on the PATH, `project` is the
    /// folder.
    fn new(programs: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        std::fs::create_dir_all(base.join("project/inner")).unwrap();
        for (path, script) in programs {
            let path = base.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            zubi_base::fs::write_atomic(&path, format!("#!/bin/sh\n{script}\n").as_bytes()).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let path = std::env::join_paths(["bin1", ".", "bin2", "bin3"].map(|name| match name {
            "." => Utf8PathBuf::from("."),
            name => base.join(name),
        }));
        let finder = ProgramFinder::new(Spawner::direct(), None, Some(&path.unwrap()));
        Self { _directory: directory, base, finder }
    }

    async fn find(&self, server: &str, trusted: bool) -> String {
        let row = Catalogue::builtin().row(server).unwrap();
        let folder = self.base.join("project");
        let text = match self.finder.find(row, &folder.join("inner"), &folder, trusted).await {
            Ok(Program { path, version }) => format!("{path} {}", version.as_deref().unwrap_or("?")),
            Err(missing) => missing.to_string(),
        };
        text.replace(&format!("{}/", self.base), "")
    }
}

#[tokio::test]
async fn failing_programs_are_skipped() {
    let machine = Machine::new(&[
        ("bin1/rust-analyzer", "echo \"error: Unknown binary 'rust-analyzer' in official toolchain\" >&2; exit 1"),
        ("bin2/rust-analyzer", "[ \"$1\" = --version ] && echo 'rust-analyzer 1.96.0 (x)'"),
        ("bin3/rust-analyzer", "echo 'never asked 9.9'"),
        ("bin1/clangd", "exit 3"),
        ("bin3/clangd", "printf 'Traceback (most recent call last):\\n  x\\nImportError: y\\n' >&2; exit 1"),
        ("bin2/clangd", "kill -9 $$"),
        ("bin1/gopls", "[ \"$1\" = version ] && echo 'golang.org/x/tools/gopls v0.16.1'"),
        ("bin1/ruff", "echo"),
        ("bin1/pyright-langserver", "exit 1"),
        ("bin2/pyright-langserver", "exit 1"),
        ("bin2/pyright", "echo pyright 1.1.414"),
    ]);
    assert_snapshot!(machine.find("rust-analyzer", true).await, @"bin2/rust-analyzer 1.96.0");
    assert_snapshot!(machine.find("clangd", true).await, @"`clangd` is not usable: bin1/clangd: it failed with exit code 3; bin2/clangd: it was killed; bin3/clangd: it failed: ImportError: y");
    assert_snapshot!(machine.find("gopls", true).await, @"bin1/gopls 0.16.1");
    assert_snapshot!(machine.find("ruff", true).await, @"bin1/ruff ?");
    // A sibling program prints the version; if it is missing, zubi does not query the version.
    assert_snapshot!(machine.find("pyright", true).await, @"bin1/pyright-langserver ?");
    assert_snapshot!(machine.find("ty", true).await, @"`ty` is not installed");
}

#[tokio::test]
async fn minimum_version_is_enforced() {
    let machine = Machine::new(&[
        ("project/node_modules/.bin/tsc", "echo Version 5.9.2"),
        ("bin1/tsc", "echo mine"),
        ("bin2/tsc", "echo Version 7.0.2"),
    ]);
    assert_snapshot!(machine.find("typescript", true).await, @"bin2/tsc 7.0.2");
    std::fs::remove_file(machine.base.join("bin2/tsc")).unwrap();
    assert_snapshot!(machine.find("typescript", true).await, @"`tsc` is not usable: project/node_modules/.bin/tsc: version 5.9.2, but 7 is needed; bin1/tsc: it does not print its version, and 7 is needed");
}

#[tokio::test]
async fn programs_of_a_project_run_only_when_it_is_trusted() {
    let machine = Machine::new(&[
        ("project/inner/.venv/bin/ty", "touch \"$(dirname \"$0\")/was-run\"; echo ty 0.0.2"),
        ("project/venv/bin/ty", "echo ty 0.0.3"),
        ("project/tools/ruff", "touch \"$(dirname \"$0\")/was-run\"; echo ruff 0.1"),
        ("bin2/ty", "echo ty 0.0.1"),
    ]);
    // A link on the PATH into the project.
    std::fs::create_dir_all(machine.base.join("bin1")).unwrap();
    std::os::unix::fs::symlink(machine.base.join("project/tools/ruff"), machine.base.join("bin1/ruff")).unwrap();

    assert_snapshot!(machine.find("ty", false).await, @"bin2/ty 0.0.1");
    assert_snapshot!(machine.find("ruff", false).await, @"`ruff` is not usable: bin1/ruff: it belongs to the folder, which is not trusted");
    assert!(!machine.base.join("project/inner/.venv/bin/was-run").exists());
    assert!(!machine.base.join("project/tools/was-run").exists());

    assert_snapshot!(machine.find("ty", true).await, @"project/inner/.venv/bin/ty 0.0.2");
    assert_snapshot!(machine.find("ruff", true).await, @"bin1/ruff 0.1");
}

#[tokio::test]
async fn version_manager_runs_in_the_project_only_when_trusted() {
    let machine = Machine::new(&[("bin1/rust-analyzer", "[ \"$(pwd)\" != / ] && echo rust-analyzer 2.0 || exit 1")]);
    assert_snapshot!(machine.find("rust-analyzer", true).await, @"bin1/rust-analyzer 2.0");
    assert_snapshot!(machine.find("rust-analyzer", false).await, @"`rust-analyzer` is not usable: bin1/rust-analyzer: it failed with exit code 1");
}

#[tokio::test]
async fn version_is_cached_until_the_program_changes() {
    let script = "echo x >> \"$(dirname \"$0\")/asked\"; echo ty 1.$(wc -l < \"$(dirname \"$0\")/asked\")";
    let machine = Machine::new(&[("bin1/ty", script)]);
    assert_snapshot!(machine.find("ty", true).await, @"bin1/ty 1.1");
    assert_snapshot!(machine.find("ty", true).await, @"bin1/ty 1.1");
    let file = std::fs::File::open(machine.base.join("bin1/ty")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    drop(file);
    assert_snapshot!(machine.find("ty", true).await, @"bin1/ty 1.2");
}
