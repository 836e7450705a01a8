//! Code of the project that a server runs, in a trusted folder: it reads no credential, writes nothing outside the
//! server's own directories and reaches no socket. Each test also runs with the sandbox turned off, where all of this
//! succeeds: the attack works, and only the sandbox prevents it.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, also in a helper; files are those of a user"
)]

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use serde_json::json;
use zubi_tests::{Project, Zubi, tools};

/// The attack. Every line that works leaves a file in the home directory, or a connection.
const ATTACK: &str = r#"
import os, socket
home, tcp, name = "@home", @tcp, "@name"
def attempt(act):
    try:
        act()
    except OSError:
        pass
def steal():
    secret = open(home + "/.ssh/id").read()
    open(os.environ.get("LOOT", home) + "/loot", "w").write(secret)
def connect(family, address):
    client = socket.socket(family, socket.SOCK_STREAM)
    client.connect(address)
    client.close()
attempt(steal)
attempt(lambda: open(home + "/escaped", "w").close())
attempt(lambda: open("@root/escaped", "w").close())
attempt(lambda: connect(socket.AF_INET, ("127.0.0.1", tcp)))
attempt(lambda: connect(socket.AF_UNIX, home + "/agent.sock"))
attempt(lambda: connect(socket.AF_UNIX, "\0" + name))
"#;

/// The attempts that succeed without a sandbox.
const ALL: &str = "abstract, escaped, file in the project, loot, socket, tcp";

/// Runs the attack by one query, and returns the attempts that succeeded.
async fn attack(project: &Project, servers: &[&str], path: &str, loot: &str, sandbox: &str) -> String {
    let (home, root) = (project.home(), project.root());
    std::fs::create_dir_all(home.join(".ssh")).expect("a directory");
    std::fs::create_dir_all(home.join("config/zubi")).expect("a directory");
    std::fs::write(home.join(".ssh/id"), "secret").expect("a file");
    std::fs::write(home.join("config/zubi/zubi.toml"), format!("[servers]\nsandbox = \"{sandbox}\"\n"))
        .expect("a file");
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = tcp.local_addr().expect("it is bound").port().to_string();
    // Names are shared by all tests, as ports are.
    let name = format!("zubi-test-{port}");
    let unix = UnixListener::bind(home.join("agent.sock")).expect("a socket");
    let abstract_name = SocketAddr::from_abstract_name(&name).expect("a name");
    let unnamed = UnixListener::bind_addr(&abstract_name).expect("a socket");
    let values = [("@home", home.as_str()), ("@root", root.as_str()), ("@tcp", &port), ("@name", &name)];
    let script = values.iter().fold(ATTACK.to_owned(), |script, (from, to)| script.replace(from, to));
    std::fs::write(home.join("attack.py"), script).expect("a file");

    let zubi = Zubi::start(project, servers).await;
    zubi.call("lsp_diagnostics", json!({ "path": path })).await;
    zubi.close().await;

    let mut succeeded = BTreeSet::new();
    let exists = [
        ("loot", home.join("loot").exists() || root.join(loot).join("loot").exists()),
        ("escaped", home.join("escaped").exists()),
        ("file in the project", root.join("escaped").exists()),
    ];
    succeeded.extend(exists.into_iter().filter(|(_, exists)| *exists).map(|(name, _)| name));
    tcp.set_nonblocking(true).expect("an option");
    unix.set_nonblocking(true).expect("an option");
    unnamed.set_nonblocking(true).expect("an option");
    let connected =
        [("tcp", tcp.accept().is_ok()), ("socket", unix.accept().is_ok()), ("abstract", unnamed.accept().is_ok())];
    succeeded.extend(connected.into_iter().filter(|(_, connected)| *connected).map(|(name, _)| name));
    succeeded.into_iter().collect::<Vec<_>>().join(", ")
}

/// Starts the attack from a project that `create` makes, with and without the sandbox. `marker` is a file that the
/// attacker's code leaves in a directory that the server may write.
async fn check(servers: &[&str], path: &str, marker: Option<&str>, create: impl Fn(&Project, &str)) {
    for (sandbox, expected) in [("off", ALL), ("on", "")] {
        let project = Project::empty();
        let command = format!("{} {}", tools::python(), project.home().join("attack.py"));
        create(&project, &command);
        let loot = marker.and_then(|marker| marker.rsplit_once('/')).map_or("", |(directory, _)| directory);
        assert_eq!(attack(&project, servers, path, loot, sandbox).await, expected, "sandbox = {sandbox}");
        if let Some(marker) = marker {
            assert!(project.root().join(marker).exists(), "with sandbox = {sandbox}, the attacker's code did not run");
        }
    }
}

/// Rust code that runs a command, and leaves a marker.
fn rust_code(project: &Project, command: &str) -> String {
    let build = project.root().join("target/rust-analyzer");
    let words: Vec<_> = command.split(' ').collect();
    format!(
        "std::process::Command::new({:?}).arg({:?}).env(\"LOOT\", {build:?}).status().unwrap(); \
         std::fs::write(\"{build}/ran\", \"\").unwrap();",
        words[0], words[1]
    )
}

fn write_package(project: &Project, manifest: &str) {
    project.write(".gitignore", "target\n");
    project
        .write("Cargo.toml", &format!("[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{manifest}"));
    project.write("src/lib.rs", "pub fn f() -> u8 {\n    1\n}\n");
}

#[tokio::test]
async fn a_build_script_is_confined() {
    check(&["rust-analyzer"], "src/lib.rs", Some("target/rust-analyzer/ran"), |project, command| {
        write_package(project, "");
        project.write("build.rs", &format!("fn main() {{ {} }}", rust_code(project, command)));
    })
    .await;
}

#[tokio::test]
async fn a_procedural_macro_is_confined() {
    check(&["rust-analyzer"], "src/lib.rs", Some("target/rust-analyzer/ran"), |project, command| {
        write_package(project, "[dependencies]\nm = { path = \"m\" }\n");
        project.write("src/lib.rs", "m::attack!();\n");
        let manifest = "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n";
        project.write("m/Cargo.toml", manifest);
        let code = rust_code(project, command);
        let text = "#[proc_macro]\npub fn attack(input: proc_macro::TokenStream) -> proc_macro::TokenStream";
        project.write("m/src/lib.rs", &format!("{text} {{ {code} input }}\n"));
    })
    .await;
}

#[tokio::test]
async fn a_compiler_that_cargo_is_configured_to_run_is_confined() {
    check(&["rust-analyzer"], "src/lib.rs", Some("target/rust-analyzer/ran"), |project, command| {
        write_package(project, "");
        let build = project.root().join("target/rust-analyzer");
        project.install("wrapper", &format!("#!/bin/sh\nLOOT={build} {command}\n: > {build}/ran\nexec \"$@\"\n"));
        let wrapper = project.home().join("bin/wrapper");
        project.write(".cargo/config.toml", &format!("[build]\nrustc-workspace-wrapper = \"{wrapper}\"\n"));
    })
    .await;
}

#[tokio::test]
async fn a_compiler_in_node_modules_is_confined() {
    check(&["typescript-language-server"], "a.ts", None, |project, command| {
        project.write("package.json", "{}");
        project.write("tsconfig.json", "{}");
        project.write("a.ts", "export const a = 1;\n");
        project.write("node_modules/typescript/package.json", "{ \"name\": \"typescript\", \"version\": \"5.9.0\" }");
        let attack = format!("require('child_process').execSync({command:?});\n");
        for file in ["tsserver.js", "_tsserver.js", "typescript.js"] {
            project.write(&format!("node_modules/typescript/lib/{file}"), &attack);
        }
    })
    .await;
}

#[tokio::test]
async fn an_interpreter_in_an_environment_is_confined() {
    check(&["pyright"], "a.py", None, |project, command| {
        project.write("a.py", "a = 1\n");
        project.write("pyproject.toml", "");
        project.write(".venv/pyvenv.cfg", "home = /usr/bin\n");
        project.write(".venv/lib/python3.11/site-packages/x.py", "");
        project.write(".venv/bin/python", &format!("#!/bin/sh\n{command}\nexit 1\n"));
        let interpreter = project.root().join(".venv/bin/python");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(interpreter, executable).expect("permissions");
    })
    .await;
}
