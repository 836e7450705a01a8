//! Attempts of a real program to reach beyond its sandbox, and what programs need inside of it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use zubi_exec::sandbox::{Level, Net, SandboxRequest};

use super::{ExitReason, ProcessJob, World};

/// Both sides of the sandbox as a Python program.
const ESCAPES: &str = include_str!("escapes.py");

/// The side that must not be reached.
struct Outside(Child);

impl Outside {
    fn start(world: &World) -> Self {
        let mut child = python(world, &["outside", world.root.as_str()]);
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self(child)
    }

    /// Returns a line for everything that has reached it.
    fn end(mut self) -> String {
        drop(self.0.stdin.take());
        let mut output = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        assert!(self.0.wait().unwrap().success(), "{output}");
        output.trim().to_owned()
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn python(world: &World, arguments: &[&str]) -> Child {
    #[expect(clippy::disallowed_methods, reason = "these tests play the programs of the person who runs zubi")]
    let mut command = Command::new("python3");
    command.args(["-c", ESCAPES]).args(arguments).current_dir(&world.root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Each row of the book's table of attacks.
pub(super) fn nothing_outside_is_reached(world: &World) {
    let level = world.level();
    if level < Level::LandlockSeccomp {
        return;
    }
    let outside = Outside::start(world);
    let namespace = if level == Level::Bubblewrap { "namespace" } else { "" };
    for (net, network) in [(Net::None, ""), (Net::Internet, "network")] {
        let script = format!("python3 - inside \"$1\" {network} {namespace}");
        let mut job = ProcessJob { stdin: Some(ESCAPES.to_owned()), ..world.script(&script) };
        job.manifest = SandboxRequest { net, ..SandboxRequest::default() };
        let finished = world.run(&job).unwrap();
        assert_eq!(finished.end, ExitReason::Exited(0), "{}", finished.stderr.text());
        let output = finished.stdout.text();
        assert!(output.contains("attempts: "), "{output}");
        let reached: Vec<&str> = output.lines().filter(|line| line.starts_with("reached: ")).collect();
        assert!(reached.is_empty(), "{level:?} {net:?}: {reached:#?}");
    }
    assert_eq!(outside.end(), "", "{level:?}");
}

/// The limits of the sandbox leave what programs do with themselves.
pub(super) fn programs_work_inside(world: &World) {
    let own_ipc = world.status().missing_backends.iter().all(|reason| !reason.contains("private shared memory"));
    let has_ipc = own_ipc || world.level() <= Level::Seccomp;
    world.check(
        &SandboxRequest::default(),
        &[
            ("python3 -c 'import multiprocessing as m; m.Lock(); q = m.Queue(); q.put(1); q.get()'", has_ipc),
            ("python3 -c 'from multiprocessing.shared_memory import SharedMemory as S; s = S(create=True, size=9); s.close(); s.unlink()'", has_ipc),
            ("echo x > /dev/shm/mine && cat /dev/shm/mine && test -z \"$(cat /dev/shm/[!m]* 2>/dev/null)\"", has_ipc),
            ("python3 -c 'import ctypes; raise SystemExit(ctypes.CDLL(None).shmget(0, 100, 0o1600) < 0)'", has_ipc),
            ("python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); b.recv(1)'", true),
            ("python3 -c 'import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)'", true),
            ("ulimit -S -n 100 && nice -n 1 true && ionice -c 3 true && taskset 1 true", true),
            ("python3 -c 'import os; os.nice(1); os.sched_setaffinity(0, {0}); os.setpriority(os.PRIO_PROCESS, 0, 9)'", true),
            ("echo x > a && cp -a a b && cp -p a c && sed -i s/x/y/ a && install -m 644 a d && mv a \"$TMPDIR/a\" && tar cf t.tar b", true),
        ],
    );
}
