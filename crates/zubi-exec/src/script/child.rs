//! The child's side: reads one job from its input and writes the answer to its output.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, BufRead, Read as _, Write};
use std::rc::Rc;

use zubi_base::process::confine;

use super::{CallReply, ChildMessage, ScriptJob, engine};

/// The maximum length of a line, in bytes: code and arguments, or the result of a nested call.
pub(super) const MAX_LINE: u64 = 16 * 1024 * 1024;

/// Runs one job in this process, which must not have other threads yet. `backends` are those of
/// [`zubi_base::process::confine::lock_down`] as JSON; they confine the process before it reads the job. The process
/// ends when its caller has ended.
pub fn run_in_child(
    backends: Option<OsString>,
    input: impl BufRead + 'static,
    output: impl Write + 'static,
) -> io::Result<()> {
    if let Some(backends) = backends {
        let backends = backends.to_str().ok_or(io::ErrorKind::InvalidInput)?;
        let backends = serde_json::from_str(backends)?;
        engine::warm_up();
        confine::lock_down(&backends).map_err(io::Error::other)?;
    }
    run_job(input, output)
}

fn run_job(mut input: impl BufRead + 'static, output: impl Write + 'static) -> io::Result<()> {
    let line = read_line(&mut input)?;
    let job: ScriptJob = serde_json::from_slice(&line)?;
    let output = Rc::new(RefCell::new(output));
    let call_output = Rc::clone(&output);
    let finished = engine::run(
        &job,
        Box::new(move |tool, args| {
            let reply = write_message(&mut *call_output.borrow_mut(), &ChildMessage::Call { tool, args })
                .and_then(|()| read_line(&mut input))
                .and_then(|line| Ok(serde_json::from_slice::<CallReply>(&line)?));
            reply.unwrap_or_else(|error| CallReply::Error(format!("the call was lost: {error}")))
        }),
    );
    write_message(&mut *output.borrow_mut(), &ChildMessage::Done(finished))
}

fn write_message(output: &mut impl Write, message: &ChildMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

fn read_line(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    input.take(MAX_LINE).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') { Ok(line) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
