//! A folder made from a fixture, and the helpers that run dlang in it.

use std::fs;

use assert_cmd::Command;
use camino::{Utf8Path, Utf8PathBuf};

pub(crate) struct Sandbox {
    _guard: tempfile::TempDir,
    pub(crate) root: Utf8PathBuf,
}

impl Sandbox {
    /// Creates the fixture's files, each after a line `//- path`. `//- path -> target` is a link, `//- path/` a folder.
    pub(crate) fn new(fixture: &str) -> Self {
        let guard = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(guard.path()).unwrap()).unwrap();
        let sandbox = Self { _guard: guard, root };
        for part in fixture.split("//- ").skip(1) {
            let (path, text) = part.split_once('\n').unwrap_or((part, ""));
            match path.trim().split_once(" -> ") {
                Some((path, target)) => {
                    fs::create_dir_all(sandbox.root.join(path).parent().unwrap()).unwrap();
                    std::os::unix::fs::symlink(target, sandbox.root.join(path)).unwrap();
                }
                None if path.ends_with('/') => fs::create_dir_all(sandbox.root.join(path)).unwrap(),
                None => sandbox.write(path.trim(), text),
            }
        }
        sandbox
    }

    #[expect(clippy::disallowed_methods, reason = "a test's fixture, not a file of the product")]
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        zubi_base::fs::read_text(&self.root.join(path)).unwrap()
    }

    /// A dlang command in this folder, with nothing of this machine's own environment.
    pub(crate) fn dlang(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dlang"));
        command.current_dir(&self.root).env_clear();
        command
    }

    /// Runs dlang with these arguments, separated by blanks.
    pub(crate) fn check(&self, line: &str) -> String {
        self.show(self.dlang().args(line.split_whitespace()))
    }

    /// Runs dlang as a user for whom permissions count, unlike root.
    #[expect(clippy::disallowed_methods, reason = "the program under test, as another user")]
    pub(crate) fn check_as_unprivileged_user(&self, line: &str) -> String {
        use std::os::unix::process::CommandExt as _;
        const UNPRIVILEGED_ID: u32 = 65_534;
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dlang"));
        command.current_dir(&self.root).env_clear().args(line.split_whitespace());
        if rustix::process::geteuid().is_root() {
            command.uid(UNPRIVILEGED_ID).gid(UNPRIVILEGED_ID);
        }
        self.show(&mut Command::from_std(command))
    }

    /// Returns exit code, stdout and stderr, with the folder's path as `[PLACE]`.
    pub(crate) fn show(&self, command: &mut Command) -> String {
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            text.replace(self.root.as_str(), "[PLACE]").trim_end().to_owned()
        };
        let mut report = format!("exit {}", output.status.code().unwrap());
        for (name, text) in [("stdout", text(&output.stdout)), ("stderr", text(&output.stderr))] {
            if !text.is_empty() {
                report.extend(["\n--- ", name, "\n", &text]);
            }
        }
        report
    }
}

/// Runs dlang once in a folder of its own.
pub(crate) fn check(fixture: &str, line: &str) -> String {
    Sandbox::new(fixture).check(line)
}
