//! Connections to a host on the level of bytes: from this test, or from a separate process that may run as another
//! user.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use camino::Utf8Path;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use zubi_tests::hosts::STEP_TIMEOUT;

/// The user of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeerUser {
    /// The owner of the host: this test's user.
    Owner,
    /// Another user.
    Other,
}

/// The user ID of `nobody`, the other user, which needs no name on the machine.
pub(crate) const OTHER_UID: u32 = 65_534;

impl PeerUser {
    /// Returns a program that runs as this user.
    ///
    /// # Panics
    ///
    /// If this test does not run as root, because only root can start a process as another user.
    pub(crate) fn command(self, program: &Utf8Path) -> Command {
        assert!(rustix::process::geteuid().is_root(), "this test starts processes as another user: run it as root");
        match self {
            Self::Owner => Command::new(program),
            Self::Other => {
                let mut command = Command::new("setpriv");
                let user = [format!("--reuid={OTHER_UID}"), format!("--regid={OTHER_UID}")];
                command.args(user).arg("--clear-groups").arg(program);
                command
            }
        }
    }

    /// Returns the stdout of a shell script, or its stderr if it fails. `$1` is `path`.
    pub(crate) fn shell(self, script: &str, path: &Utf8Path) -> Result<String, String> {
        let output =
            self.command("/bin/sh".into()).env("LC_ALL", "C").args(["-c", script, "sh", path.as_str()]).output();
        let output = output.expect("setpriv is part of util-linux");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() {
            return Ok(text(&output.stdout));
        }
        let why = text(&output.stderr);
        Err(why.rsplit(": ").next().unwrap_or_default().to_owned())
    }
}

/// Adapts the command of a program to the other user, with the same folder and environment. The other user must be able
/// to read the program.
pub(crate) fn as_other(command: &Command, program: &Utf8Path) -> Command {
    let mut other = PeerUser::Other.command(program);
    other.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    other.current_dir(command.get_current_dir().expect("a folder"));
    other
}

/// The transport.
#[derive(Debug)]
enum Transport {
    Socket(UnixStream),
    Port(TcpStream),
    Process(Child, Option<ChildStdin>),
}

/// A connection to a host, or from a client to this test. Closed when dropped.
#[derive(Debug)]
pub(crate) struct Raw {
    transport: Transport,
    lines: Receiver<Vec<u8>>,
    last: u64,
}

impl Raw {
    pub(crate) fn socket(path: &str) -> Self {
        let stream = UnixStream::connect(path).expect("the host listens");
        let reader = stream.try_clone().expect("a descriptor");
        Self::with_transport(Transport::Socket(stream), reader)
    }

    pub(crate) fn port(port: u16) -> Self {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("the host listens");
        let reader = stream.try_clone().expect("a descriptor");
        Self::with_transport(Transport::Port(stream), reader)
    }

    /// Starts `program` as this user, who must be able to read it.
    pub(crate) fn process(user: PeerUser, program: &Utf8Path, arguments: &[&str]) -> Self {
        let mut command = user.command(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("setpriv is part of util-linux");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("piped"));
        Self::with_transport(Transport::Process(child, input), output)
    }

    fn with_transport(transport: Transport, mut reader: impl Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        thread::spawn(move || {
            let (mut line, mut chunk) = (Vec::new(), [0; 8192]);
            while let Ok(length @ 1..) = reader.read(&mut chunk) {
                for byte in chunk.iter().take(length) {
                    if *byte == b'\n' {
                        sender.send(std::mem::take(&mut line)).ok();
                    } else {
                        line.push(*byte);
                    }
                }
            }
            if !line.is_empty() {
                sender.send(line).ok();
            }
        });
        Self { transport, lines, last: 0 }
    }

    /// Writes bytes; returns whether that succeeded.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) -> bool {
        let written = match &mut self.transport {
            Transport::Socket(stream) => stream.write_all(bytes),
            Transport::Port(stream) => stream.write_all(bytes),
            Transport::Process(_, input) => {
                let input = input.as_mut().expect("open");
                input.write_all(bytes).and_then(|()| input.flush())
            }
        };
        written.is_ok()
    }

    /// The next line; `None` at the end of the connection.
    pub(crate) fn line(&self) -> Option<String> {
        match self.lines.recv_timeout(STEP_TIMEOUT) {
            Ok(line) => Some(String::from_utf8(line).expect("UTF-8")),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(error) => panic!("neither a line nor an end: {error}"),
        }
    }

    /// Returns everything until the connection ends.
    pub(crate) fn rest(&self) -> Vec<String> {
        std::iter::from_fn(|| self.line()).collect()
    }

    /// The next line as JSON; fails without one.
    pub(crate) fn message(&self) -> Value {
        let line = self.line().expect("the connection is open");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a request and returns the whole response, ignoring notifications.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        assert!(self.send_bytes(&request(id, method, params)), "{method}: the connection has ended");
        std::iter::repeat_with(|| self.message()).find(|message| message["id"] == id).expect("endless")
    }

    /// Reads the host's nonce, the first line at a port.
    pub(crate) fn nonce(&self) -> String {
        self.message()["nonce"].as_str().expect("a nonce").to_owned()
    }

    /// Authenticates at a host's port; returns the response, if any.
    pub(crate) fn prove(&mut self, token: &str) -> Option<Value> {
        let nonce = self.nonce();
        self.send_bytes(&authenticate(token, &nonce));
        self.line().map(|line| serde_json::from_str(&line).expect("JSON"))
    }

    /// Sends the proof over a connection that may close at any time; returns whether the host admitted it.
    pub(crate) fn try_prove(&mut self, token: &str) -> bool {
        let Some(challenge) = self.line() else { return false };
        let challenge: Value = serde_json::from_str(&challenge).expect("JSON");
        self.send_bytes(&authenticate(token, challenge["nonce"].as_str().expect("a nonce")));
        self.line().is_some_and(|answer| answer.contains("\"proof\""))
    }

    /// Connects to the port and authenticates.
    pub(crate) fn connect_with_proof(port: u16, token: &str) -> Self {
        let mut raw = Self::port(port);
        let answer = raw.prove(token).expect("an answer");
        assert!(answer["result"]["proof"].is_string(), "{answer}");
        raw
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // The other side may have closed the connection already.
        match &mut self.transport {
            Transport::Socket(stream) => stream.shutdown(Shutdown::Both).unwrap_or_default(),
            Transport::Port(stream) => stream.shutdown(Shutdown::Both).unwrap_or_default(),
            Transport::Process(child, input) => {
                input.take();
                child.kill().unwrap_or_default();
                child.wait().ok();
            }
        }
    }
}

/// A request as a line.
pub(crate) fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).into_bytes()
}

/// The line with which a client proves that it knows the token.
pub(crate) fn authenticate(token: &str, nonce: &str) -> Vec<u8> {
    let client_nonce = "17".repeat(32);
    let mut mac = Hmac::<Sha256>::new_from_slice(&bytes(token)).expect("any length");
    mac.update(b"zubi client\0");
    mac.update(&bytes(nonce));
    mac.update(&bytes(&client_nonce));
    let proof = mac.finalize().into_bytes().iter().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("a text");
        digits
    });
    request(0, "authenticate", &json!({ "nonce": client_nonce, "proof": proof }))
}

fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("hexadecimal");
    pairs.map(byte).collect()
}

/// The host's socket.
pub(crate) fn socket_of(host: &Value) -> &str {
    host["socket"].as_str().expect("a socket")
}

/// The host's port.
pub(crate) fn port_of(host: &Value) -> u16 {
    host["port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port")
}

/// The secret of the host's port.
pub(crate) fn token_of(host: &Value) -> &str {
    host["token"].as_str().expect("a token")
}
