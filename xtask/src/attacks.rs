//! `cargo xtask attacks`: runs attacks against the built zubi and writes the page about their results on this machine.
//!
//! The results depend on the kernel, so no check compares the page. Each kind of attack has a control, which must succeed:
//! otherwise a refusal would prove nothing.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use crate::{paths, run};

const PAGE: &str = "docs/src/reference/attacks.md";

#[derive(Deserialize)]
struct AttackList {
    attack: Vec<Attack>,
}

/// A row of the page. It has exactly one of the fields that say what is run.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Attack {
    area: String,
    name: String,
    shell: Option<String>,
    run: Option<String>,
    tool: Option<String>,
    input: String,
    shows: Option<String>,
    request: Option<String>,
    open: Option<String>,
}

/// Runs all attacks and writes the page. Fails if an attack succeeds, or if a control does not.
pub(crate) fn write() -> Result<()> {
    let list = std::fs::read_to_string(paths::ROOT.join("xtask/attacks.toml"))?;
    let list: AttackList = toml::from_str(&list).context("xtask/attacks.toml is not valid")?;
    let world = World::new()?;
    world.check_controls()?;
    let mut page = format!(
        "<!-- Written by `cargo xtask attacks`, which runs them; `xtask/attacks.toml` has the list. -->\n\n# Attacks\n\n\
         `cargo xtask attacks` runs these attacks against zubi and writes this page. The results are those of one machine: \
         Linux {}, {}.\n\nBefore it runs them, the command checks that harmless calls of each kind succeed.\n\n\
         | area | attack | result |\n|---|---|---|\n",
        run::quiet(Command::new("uname").arg("-r"))?.trim(),
        world.sandbox()?,
    );
    let mut succeeded = Vec::new();
    for attack in &list.attack {
        let result = match &attack.open {
            Some(open) => format!("**open**: {open}"),
            None => match world.run(attack)? {
                None => {
                    succeeded.push(attack.name.as_str());
                    "**succeeds**".to_owned()
                }
                Some(refusal) => refusal,
            },
        };
        writeln!(page, "| {} | {} | {result} |", attack.area, attack.name)?;
    }
    std::fs::write(paths::ROOT.join(PAGE), page).with_context(|| format!("cannot write {PAGE}"))?;
    println!("   wrote {PAGE}: {} attacks", list.attack.len());
    if succeeded.is_empty() { Ok(()) } else { bail!("these attacks succeed: {}", succeeded.join(", ")) }
}

/// A workspace with a home directory, things outside of it, and the chat page.
struct World {
    root: Utf8PathBuf,
    web: Child,
    address: String,
    other: Child,
    listener: TcpListener,
    _socket: UnixDatagram,
}

impl World {
    fn new() -> Result<Self> {
        // Outside `/tmp`, of which a command has its own part.
        let root = paths::target().join("tmp/attacks");
        if root.exists() {
            std::fs::remove_dir_all(&root)?;
        }
        for directory in ["work/.git/hooks", "outside", "home/.ssh", "config/zubi", "state", "runtime"] {
            std::fs::create_dir_all(root.join(directory))?;
        }
        std::fs::set_permissions(root.join("runtime"), std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        for (file, text) in [
            ("outside/text", "outside-text"),
            ("home/.ssh/id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----"),
            ("work/a", "harmless"),
            ("work/.env", "env-text"),
            ("work/deploy.py", "token = \"ghp_abcdefghijklmnopqrstuvwxyz0123456789\"\n"),
            ("config/zubi/zubi.toml", "[[policy]]\naction = \"allow\"\ncommand = [\"bash\", \"attack\"]\n"),
        ] {
            std::fs::write(root.join(file), text)?;
        }
        std::os::unix::fs::symlink(root.join("outside/text"), root.join("work/link"))?;
        let socket = UnixDatagram::bind(root.join("outside/socket"))?;
        let mut web = zubi(&root);
        web.args(["--host", "own", "web", "--no-open", "--model", "mock"]);
        let mut web = web.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().context("cannot start `zubi web`")?;
        let mut address = String::new();
        BufReader::new(web.stdout.take().context("no output")?).read_line(&mut address)?;
        let other = Command::new("sleep").arg("600").spawn()?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        Ok(Self { root, web, address: address.trim().to_owned(), other, listener, _socket: socket })
    }

    /// Fails if what is harmless does not succeed.
    fn check_controls(&self) -> Result<()> {
        let request = "POST /api/conversations HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
                       Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
        let controls = [
            Attack { shell: Some("cat a".to_owned()), ..Attack::default() },
            Attack { run: Some("echo x > inside && kill -0 $$".to_owned()), ..Attack::default() },
            Attack {
                tool: Some("file.read".to_owned()),
                input: "{\"path\": \"a\"}".to_owned(),
                shows: Some("harmless".to_owned()),
                ..Attack::default()
            },
            Attack { request: Some(request.to_owned()), ..Attack::default() },
        ];
        for (index, control) in controls.iter().enumerate() {
            if let Some(refusal) = self.run(control)? {
                bail!("control {index} is refused ({refusal}), so the attacks of its kind would prove nothing");
            }
        }
        Ok(())
    }

    /// Runs an attack. Returns how zubi refuses it; `None` if it succeeds.
    fn run(&self, attack: &Attack) -> Result<Option<String>> {
        if let Some(shell) = &attack.shell {
            let output = zubi(&self.root).args(["policy", "explain", "--shell", shell]).output()?;
            return Ok((!output.status.success()).then(|| "needs approval".to_owned()));
        }
        if let Some(script) = &attack.run {
            std::fs::write(self.root.join("work/attack"), self.with_places(script))?;
            let call = zubi(&self.root).args(["call", "shell.run", "--command", "bash attack"]).output()?;
            let text = String::from_utf8_lossy(&call.stdout).into_owned();
            if !text.contains("exit ") {
                bail!("`{script}` did not run: {text}{}", String::from_utf8_lossy(&call.stderr));
            }
            return Ok((!text.contains("exit 0")).then(|| "fails in the sandbox".to_owned()));
        }
        if let Some(tool) = &attack.tool {
            let call = zubi(&self.root).args(["call", tool, "--input", &attack.input]).output()?;
            let text = String::from_utf8_lossy(&call.stdout);
            let succeeds = attack.shows.as_ref().map_or(call.status.success(), |shown| text.contains(shown.as_str()));
            let refusal = if call.status.success() { "the secret is redacted" } else { "refused, or needs approval" };
            return Ok((!succeeds).then(|| refusal.to_owned()));
        }
        let request = attack.request.as_ref().with_context(|| format!("`{}` says nothing to run", attack.name))?;
        let (port, token) = self.port_and_token()?;
        let request = request.replace("{port}", port).replace("{token}", token);
        let mut connection = TcpStream::connect(format!("127.0.0.1:{port}"))?;
        connection.write_all(request.as_bytes())?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer)?;
        let status = answer.split(' ').nth(1).unwrap_or_default().to_owned();
        Ok((status != "200").then(|| format!("refused ({status})")))
    }

    fn port_and_token(&self) -> Result<(&str, &str)> {
        let rest = self.address.strip_prefix("http://127.0.0.1:").context("`zubi web` printed no address")?;
        rest.split_once("/#token=").context("`zubi web` printed no token")
    }

    /// The script, with what it needs to know about the outside.
    fn with_places(&self, script: &str) -> String {
        let port = self.listener.local_addr().map_or(0, |address| address.port());
        format!("export OUTSIDE='{}/outside' OTHER={} PORT={port}\n{script}\n", self.root, self.other.id())
    }

    /// The line about the sandbox of this machine.
    fn sandbox(&self) -> Result<String> {
        let report = String::from_utf8(zubi(&self.root).arg("doctor").output()?.stdout)?;
        let line = report.lines().find(|line| line.starts_with("sandbox of commands"));
        Ok(line.context("`zubi doctor` says nothing about the sandbox")?.replace('`', ""))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for child in [&mut self.web, &mut self.other] {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

fn zubi(root: &Utf8Path) -> Command {
    let mut command = run::command(paths::target().join("debug/zubi").as_str());
    command.current_dir(root.join("work")).stdin(Stdio::null()).env("HOME", root.join("home"));
    for (variable, directory) in
        [("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state"), ("XDG_RUNTIME_DIR", "runtime")]
    {
        command.env(variable, root.join(directory));
    }
    command
}
