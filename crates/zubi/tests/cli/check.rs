//! A directory with a home and a workspace, and the helpers that run zubi in it.

use std::fs;

use assert_cmd::Command;

pub(crate) struct Sandbox {
    directory: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["home", "config/zubi", "state", "work/src"] {
            fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        let sandbox = Self { directory };
        sandbox.write("work/src/lib.rs", "pub fn parse() {}\n");
        sandbox
    }

    #[expect(clippy::disallowed_methods, reason = "a test's fixture, not a file of the product")]
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Removes the permissions of all other users.
    pub(crate) fn private(&self, path: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Removes the permissions of all other users.
    pub(crate) fn private_directory(&self, path: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o700)).unwrap();
    }

    pub(crate) fn directory(&self, path: &str) {
        fs::create_dir_all(self.directory.path().join(path)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8(fs::read(self.directory.path().join(path)).unwrap()).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.directory.path().join(path).exists()
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, to: &str, path: &str) {
        std::os::unix::fs::symlink(to, self.directory.path().join(path)).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.directory.path().join(path)
    }

    /// The sandbox's directory as zubi prints it, with links resolved.
    pub(crate) fn root(&self) -> String {
        let root = camino::Utf8Path::from_path(self.directory.path()).unwrap();
        zubi_base::fs::canonical(root).unwrap().into_string()
    }

    /// A zubi command in the workspace, with only PATH from this machine's environment.
    pub(crate) fn zubi(&self) -> Command {
        Command::from_std(self.process())
    }

    /// A command of the standard library, for a test that exchanges messages with the process.
    #[expect(clippy::disallowed_methods, reason = "a test's client of the program")]
    pub(crate) fn process(&self) -> std::process::Command {
        let root = self.directory.path();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_zubi"));
        command
            .current_dir(root.join("work"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", root.join("home"))
            .env("XDG_CONFIG_HOME", root.join("config"))
            .env("XDG_STATE_HOME", root.join("state"))
            .env("XDG_CACHE_HOME", root.join("cache"))
            // The developer's machine may run Ollama; no program listens on the `discard` port.
            .env("OLLAMA_HOST", "127.0.0.1:9");
        command
    }

    /// Trusts the workspace with its current files.
    pub(crate) fn trust(&self) {
        let output = self.check(&["trust"]);
        assert!(output.starts_with("exit 0"), "{output}");
    }

    /// Runs zubi with these arguments.
    pub(crate) fn check(&self, words: &[&str]) -> String {
        self.show(self.zubi().args(words))
    }

    /// Returns exit code, stdout and stderr, with the sandbox's path as `[PLACE]`.
    pub(crate) fn show(&self, command: &mut Command) -> String {
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let text = text.replace(&self.root(), "[PLACE]");
            // Both levels promise the same, and one thing more.
            let text = text.replace("sandbox: landlock+seccomp: ", "sandbox: LEVEL: ");
            let text = text.replace("sandbox: bubblewrap: ", "sandbox: LEVEL: ").replace(", sees no other process", "");
            // The hash covers the sandbox's path.
            let hash = text.split_once("--expect ").and_then(|(_, rest)| rest.get(..64));
            match hash.filter(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit())) {
                Some(hash) => text.replace(hash, "[HASH]"),
                None => text,
            }
            .trim_end()
            .to_owned()
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

/// Runs one command in a sandbox of its own.
pub(crate) fn check(words: &[&str]) -> String {
    Sandbox::new().check(words)
}
