"""Two sides of the sandbox: `outside WORLD` makes what a confined program must not reach, `inside WORLD` tries to.

The world is a directory with the workspace `work` and its neighbour `work-too`. The outside lives until its input ends,
and then prints what has reached it. The inside prints one line for each attempt that succeeds."""

import ctypes
import json
import mmap
import os
import platform
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.shmat.restype = ctypes.c_void_p
ROLE, WORLD = sys.argv[1], sys.argv[2]
OUT = WORLD + "/work-too"
STATE = os.path.join(WORLD, "work", "outside.json")


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def call(number, *arguments):
    """Makes a system call. Numbers from 424 on are the same on all processors; smaller ones are a pair."""
    if isinstance(number, tuple):
        number = number[0 if platform.machine() == "x86_64" else 1]
        if number is None:
            raise OSError(0, "not on this processor")
    return checked(LIBC.syscall(*[ctypes.c_long(it) if isinstance(it, int) else it for it in (number, *arguments)]))


def text(content, size=256):
    return ctypes.create_string_buffer(content.encode() if isinstance(content, str) else content, size)


def outside():
    received = []
    name = "\0zubi-test-%d-" % os.getpid()

    def listen(kind, address):
        server = socket.socket(socket.AF_UNIX, kind)
        server.bind(address)
        if kind != socket.SOCK_DGRAM:
            server.listen()

        def watch():
            while True:
                if kind == socket.SOCK_DGRAM:
                    received.append(server.recv(200).decode())
                else:
                    server.accept()
                    received.append("a connection to %r" % address)

        threading.Thread(target=watch, daemon=True).start()

    addresses = []
    for kind, suffix in ((socket.SOCK_DGRAM, "d"), (socket.SOCK_STREAM, "s"), (socket.SOCK_SEQPACKET, "q")):
        for address in (OUT + "/" + suffix + ".sock", name + suffix):
            listen(kind, address)
            addresses.append(address)
    for file in ("file", "other"):
        with open(OUT + "/" + file, "w") as made:
            made.write("outside")
    shared = "/dev/shm/zubi-test-%d" % os.getpid()
    for suffix in ("", "-other"):
        with open(shared + suffix, "w") as made:
            made.write("secret")
    key = 0x5A000000 | (os.getpid() & 0xFFFF)
    segment = LIBC.shmget(key, 4096, 0o1600)
    memory = LIBC.shmat(segment, None, 0)
    ctypes.memmove(memory, b"SECRET", 6)
    semaphore, queue = LIBC.semget(key, 1, 0o1600), LIBC.msgget(key, 0o1600)
    LIBC.msgsnd(queue, text(b"\1\0\0\0\0\0\0\0SECRET"), 6, 0o4000)
    posix_queue = text("zubi-test-%d" % os.getpid())
    call((240, 180), posix_queue, os.O_RDWR | os.O_CREAT, 0o600, 0)
    idle = subprocess.Popen(["sleep", "600"])
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    with open(STATE, "w") as state:
        victims = {"a process": idle.pid, "the outside": os.getpid(), "the owner": os.getppid()}
        facts = {"addresses": addresses, "shared": shared, "key": key, "queue": posix_queue.value.decode()}
        json.dump({**facts, "victims": victims, "busy": busy.pid}, state)
    print("ready", flush=True)
    sys.stdin.read()
    # What was sent before the end of the input has arrived; what a limit on processor time does comes a little later.
    deadline = time.monotonic() + 1.5
    while time.monotonic() < deadline and busy.poll() is None:
        time.sleep(0.05)
    reached = ["received: " + message for message in received]
    if ctypes.string_at(memory, 6) != b"SECRET":
        reached.append("shared memory was changed")
    for file, content in ((shared, "secret"), (shared + "-other", "secret"), (OUT + "/file", "outside")):
        if not os.path.exists(file) or open(file).read() != content:
            reached.append("changed: " + file)
    if busy.poll() is not None or idle.poll() is not None:
        reached.append("a process was ended")
    for process in (idle, busy):
        process.kill()
        process.wait()
    LIBC.shmctl(segment, 0, None), LIBC.semctl(semaphore, 0, 0), LIBC.msgctl(queue, 0, None)
    call((241, 181), posix_queue)
    for file in (shared, shared + "-other"):
        if os.path.exists(file):
            os.unlink(file)
    print("\n".join(reached))


attempts = 0


def attempt(name, action):
    global attempts
    attempts += 1
    try:
        result = action()
    except (OSError, ValueError, OverflowError):
        return
    if result is not False:
        print("reached:", name, flush=True)


def sockets(state, has_network):
    for kind in range(0, 11):
        for flags in (0, socket.SOCK_CLOEXEC, socket.SOCK_NONBLOCK):
            for address in state["addresses"]:
                for way in ("sendto", "sendmsg", "connect"):

                    def pair():
                        one, _ = socket.socketpair(socket.AF_UNIX, kind | flags)
                        message = ("pair of type %d by %s" % (kind, way)).encode()
                        if way == "sendto":
                            one.sendto(message, address)
                        elif way == "sendmsg":
                            one.sendmsg([message], [], 0, address)
                        else:
                            one.connect(address)
                            one.send(message)
                        # A connected socket may ignore the address. What arrives counts, and the outside reports it.
                        return False

                    attempt("a pair of type %d" % kind, pair)
        if kind in (1, 2, 3, 5):
            attempt("a local socket of type %d" % kind, lambda: socket.socket(socket.AF_UNIX, kind))
    for family in (17, 38, 40) + (() if has_network else (2, 10, 16)):
        for kind in (1, 2, 3, 5):
            attempt("a socket of family %d and type %d" % (family, kind), lambda: socket.socket(family, kind))
            attempt("a pair of family %d and type %d" % (family, kind), lambda: socket.socketpair(family, kind))


def processes(state, has_namespace):
    victims = dict(state["victims"])
    # In a namespace of processes, the parent is the namespace's own first process.
    if not has_namespace:
        victims["the supervisor"] = os.getppid()
    for who, pid in victims.items():
        def of(name, action):
            attempt("%s of %s" % (name, who), action)

        of("a signal", lambda: os.kill(pid, 0))
        of("a signal to the group", lambda: os.killpg(pid, signal.SIGCONT))
        limits = (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC)
        for limit in limits:
            of("limit %d" % limit, lambda: resource.prlimit(pid, limit, resource.getrlimit(limit)))
        of("priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 6))
        of("priority of the group", lambda: os.setpriority(os.PRIO_PGRP, pid, 6))
        # In a namespace of processes, this means the user's processes in it.
        if not has_namespace:
            of("priority of the user", lambda: os.setpriority(os.PRIO_USER, os.getuid(), 6))
        of("affinity", lambda: os.sched_setaffinity(pid, {0}))
        of("scheduler", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
        of("scheduling parameters", lambda: os.sched_setparam(pid, os.sched_param(0)))
        of("scheduling attributes", lambda: call((314, 274), pid, text(b"\x30", 48), 0))
        for kind, whose in ((1, pid), (2, pid), (3, os.getuid()))[: 2 if has_namespace else 3]:
            of("priority of input and output %d" % kind, lambda: call((251, 30), kind, whose, 3 << 13))
        of("migration of memory", lambda: call((256, 238), pid, 8, text(b"\1"), text(b"\1")))
        of("location of memory", lambda: call((279, 239), pid, 0, 0, 0, 0, 0))
        of("tracing", lambda: call((101, 117), 16, pid, 0, 0))
        of("reading memory", lambda: call((310, 270), pid, 0, 0, 0, 0, 0))
        of("writing memory", lambda: call((311, 271), pid, 0, 0, 0, 0, 0))
        of("a signal by descriptor", lambda: call(424, call(434, pid, 0), 0, 0, 0))
        of("a descriptor", lambda: call(438, call(434, pid, 0), 0, 0))
        of("a namespace", lambda: call((308, 268), call(434, pid, 0), 0x20000))
        for file in ("environ", "mem", "maps", "auxv", "syscall", "fd/0"):
            of("/proc/PID/" + file, lambda: len(open("/proc/%d/%s" % (pid, file), "rb").read(10)) > 0)
        of("/proc/PID/cwd", lambda: os.readlink("/proc/%d/cwd" % pid))
        of("/proc/PID/root", lambda: os.listdir("/proc/%d/root/" % pid))
        of("/proc/PID/oom_score_adj", lambda: open("/proc/%d/oom_score_adj" % pid, "w").write("1000"))
    attempt("ending a process by a limit", lambda: resource.prlimit(state["busy"], resource.RLIMIT_CPU, (1, 1)))


def shared_memory(state):
    key, size = state["key"], ctypes.c_size_t(4096)

    def segment():
        memory = ctypes.c_void_p(LIBC.shmat(checked(LIBC.shmget(key, size, 0o600)), None, 0))
        ctypes.memmove(memory, b"PWNED!", 6)

    attempt("a segment of shared memory", segment)
    attempt("a semaphore", lambda: checked(LIBC.semget(key, 1, 0)))
    attempt("a queue of messages", lambda: checked(LIBC.msgrcv(checked(LIBC.msgget(key, 0)), text(""), 64, 0, 0o4000)))
    attempt("a POSIX queue of messages", lambda: call((240, 180), text(state["queue"]), os.O_RDWR | os.O_NONBLOCK, 0, 0))
    shared = state["shared"]
    attempt("reading /dev/shm", lambda: open(shared).read())
    attempt("writing /dev/shm", lambda: open(shared, "r+").write("PWNED"))
    attempt("removing from /dev/shm", lambda: os.unlink(shared + "-other"))


def files():
    file, here = OUT + "/file", WORLD + "/work"
    with open("mine", "w"):
        pass
    attempt("appending", lambda: open(file, "a"))
    attempt("creating", lambda: open(OUT + "/new", "w"))
    attempt("removing", lambda: os.unlink(OUT + "/other"))
    attempt("truncating", lambda: os.truncate(file, 0))
    attempt("moving here", lambda: os.rename(file, "stolen"))
    attempt("moving there", lambda: os.rename("mine", OUT + "/moved"))
    attempt("replacing", lambda: os.replace("mine", file))
    attempt("a hard link there", lambda: os.link("mine", OUT + "/hard"))
    attempt("a link there", lambda: os.symlink("x", OUT + "/soft"))
    attempt("writing through a hard link", lambda: os.link(file, "hard") or open("hard", "a"))
    attempt("writing through a link", lambda: os.symlink(file, "soft") or open("soft", "a"))
    attempt("an attribute", lambda: os.setxattr(file, "user.zubi", b"x"))
    attempt("an attribute of an open file", lambda: os.setxattr(os.open(file, os.O_RDONLY), "user.zubi", b"x"))
    attempt("an attribute by the newer call", lambda: call(463, -100, text(file), 0, text("user.zubi"), text(b"", 16), 16))
    attempt("removing an attribute", lambda: os.removexattr(file, "user.other"))
    attempt("flags of a file", lambda: call(469, -100, text(file), text(b"", 24), 24, 0))
    for name in (
        "/proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/fs/cgroup/cgroup.procs "
        "/dev/mem /dev/kmsg /dev/tty /dev/ptmx"
    ).split():
        attempt("writing " + name, lambda: os.open(name, os.O_WRONLY))
    for name in ("/etc/shadow", "/dev/kmsg", "/dev/mem", "/proc/kcore", os.path.join(WORLD, "home", ".ssh", "id")):
        attempt("reading " + name, lambda: open(name, "rb").read(1))


def kernel():
    blank = text(b"", 512)
    calls = {
        "io_uring_setup": (425, 8, blank),
        "userfaultfd": ((323, 282), 0),
        "userfaultfd for user mode": ((323, 282), 1),
        "keyctl": ((250, 219), 0, -3, 0),
        "add_key": ((248, 217), text("user"), text("x"), text("x"), 1, -3),
        "bpf": ((321, 280), 0, blank, 128),
        "perf_event_open": ((298, 241), blank, 0, -1, -1, 0),
        "unshare for users": ((272, 97), 0x10000000),
        "unshare for mounts": ((272, 97), 0x20000),
        "unshare for the network": ((272, 97), 0x40000000),
        "clone3": (435, text(b"", 88), 88),
        "mount": ((165, 40), text("none"), text("/tmp"), text("tmpfs"), 0, 0),
        "umount": ((166, 39), text("/dev/shm"), 2),
        "pivot_root": ((155, 41), text("."), text(".")),
        "open_tree": (428, -100, text("/"), 1),
        "open_tree_attr": (467, -100, text("/"), 1, text(b"", 32), 32),
        "fsopen": (430, text("tmpfs"), 0),
        "mount_setattr": (442, -100, text("/"), 0, text(b"", 32), 32),
        "open_by_handle_at": ((304, 265), -100, blank, 0),
        "fanotify_init": ((300, 262), 0, 0),
        "quotactl_fd": (443, -1, 0, 0, 0),
        "iopl": ((172, None), 3),
        "sethostname": ((170, 161), text("x"), 1),
        "simulated input": ((16, 29), 0, 0x5412, text("x")),
        "getpid of x32": ((0x40000000 | 39, None),),
    }
    for name, arguments in calls.items():
        attempt(name, lambda: call(*arguments))


def inside(has_network, has_namespace):
    with open(STATE) as file:
        state = json.load(file)
    sockets(state, has_network)
    processes(state, has_namespace)
    shared_memory(state)
    files()
    kernel()
    for variable in ("SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "AWS_SECRET_ACCESS_KEY"):
        attempt("the variable " + variable, lambda: variable in os.environ)
    print("attempts:", attempts)


if ROLE == "outside":
    outside()
else:
    inside("network" in sys.argv, "namespace" in sys.argv)
