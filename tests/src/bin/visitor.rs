//! A client of a host for tests, which start it as one user and as another. It forwards stdin to the host and prints
//! the host's output. It ends when either side does.
//!
//! `visitor socket PATH`, `visitor port PORT`, or `visitor listen`, which prints its port and waits for one client.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Sender, channel};
use std::thread;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let connected = match words.as_slice() {
        ["socket", path] => UnixStream::connect(path).map(OwnedFd::from),
        ["port", port] => TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse()?)).map(OwnedFd::from),
        ["listen"] => listen(),
        _ => anyhow::bail!("visitor socket PATH | port PORT | listen"),
    };
    let stream = match connected {
        Ok(stream) => stream,
        Err(error) => {
            // This line distinguishes a refused connection from a closed one.
            writeln!(io::stdout(), "not let in: {error}")?;
            return Ok(());
        }
    };
    let (stream, (ended, end)) = (File::from(stream), channel());
    pass_on(io::stdin(), stream.try_clone()?, ended.clone());
    pass_on(stream, io::stdout(), ended);
    // Either thread may end first.
    end.recv()?;
    Ok(())
}

fn listen() -> io::Result<OwnedFd> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let mut output = io::stdout();
    writeln!(output, "{}", listener.local_addr()?.port())?;
    output.flush()?;
    Ok(listener.accept()?.0.into())
}

fn pass_on(mut from: impl Read + Send + 'static, mut to: impl Write + Send + 'static, ended: Sender<()>) {
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let received = buffer.get(..length).unwrap_or_default();
            if to.write_all(received).and_then(|()| to.flush()).is_err() {
                break;
            }
        }
        ended.send(()).ok();
    });
}
