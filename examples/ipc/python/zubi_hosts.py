"""Finds the zubi hosts of this user: which run, whom they serve, and which serves a folder best.

A host writes one file into a directory of this user. The file counts only if no other user can have written
it, and only as long as the process that wrote it lives.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

# The limits that hosts themselves observe: a larger file was not written by a host.
MAX_FILE = 64 * 1024
MAX_FILES = 256
MAX_SOCKET_PATH = 107
# The better host first, where two serve a folder equally well.
KINDS = ("editor", "daemon", "front")

START_A_HOST = "Open the folder in an editor with the zubi extension, or run `zubi serve --detach` in it."
STATUS_HINT = "Look at `zubi status`, and at the log of the host."

PathLike = Union[str, "os.PathLike[str]"]


class IpcError(Exception):
    """An error. `str()` is the message, `suggestion` the next step, `code` the number of JSON-RPC."""

    suggestion = STATUS_HINT

    def __init__(self, message: str, suggestion: Optional[str] = None, code: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code
        if suggestion is not None:
            self.suggestion = suggestion


class NoHost(IpcError):
    """No trustworthy host serves the folder or the port."""

    suggestion = START_A_HOST


@dataclass(frozen=True)
class Host:
    """What a host says of itself in its file. `started_at` is in clock ticks since the machine started."""

    version: int
    instance: str
    pid: int
    started_at: int
    kind: str
    workspace_folders: tuple[str, ...]
    socket: Optional[str]
    port: Optional[int]
    token: str

    def depth(self, folder: str) -> Optional[int]:
        """How many components deep the folder of this host is that contains `folder`; None if none does."""
        inside = _components(folder)
        depths = [len(own) for own in map(_components, self.workspace_folders) if inside[: len(own)] == own]
        return max(depths, default=None)


class RejectedFile(Exception):
    """Why a file is not trusted."""


def run_directory() -> str:
    """The directory in which the hosts of this user write their files."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and _is_own_base(runtime):
        return os.path.join(runtime, "zubi")
    state = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        state = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "zubi", "run")


def read_hosts(directory: Optional[str] = None) -> tuple[list[Host], list[str]]:
    """The live hosts, and why other files are not trusted. Files left by dead hosts are in neither list."""
    directory = directory or run_directory()
    hosts: list[Host] = []
    rejections: list[str] = []
    try:
        opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return hosts, rejections
    except OSError as error:
        return hosts, [f"{printable(directory)}: {reason(error)}"]
    try:
        rejection = _rejection_reason(os.fstat(opened), stat.S_IFDIR)
        if rejection:
            return hosts, [f"{printable(directory)}: it {rejection}; `chmod 700` it if it is yours"]
        names = sorted(name for name in os.listdir(opened) if name.endswith(".json") and not name.startswith("."))
        for name in names[:MAX_FILES]:
            try:
                host = parse(_read_own(name, opened))
                if _is_alive(host):
                    hosts.append(host)
            except FileNotFoundError:
                pass  # The host has gone since the directory was listed.
            except (RejectedFile, OSError) as error:
                rejections.append(f"{printable(name)}: {reason(error) if isinstance(error, OSError) else error}")
        if len(names) > MAX_FILES:
            rejections.append(f"{len(names) - MAX_FILES} files beyond the first {MAX_FILES}")
    finally:
        os.close(opened)
    return hosts, rejections


def find_host(workspace: Optional[PathLike] = None) -> Host:
    """The host that serves `workspace` (or the current directory) best: the deepest folder, then an editor, a daemon, a
    front, then the one that has been there longest."""
    folder = os.path.realpath(absolute(workspace if workspace is not None else "."))
    hosts, rejections = read_hosts()
    host = choose(hosts, folder)
    if host is None:
        others = sorted({other for host in hosts for other in host.workspace_folders})
        raise NoHost(
            f"No zubi host serves {printable(folder)}."
            + format_list("Served are", others)
            + format_list("Not trusted:", rejections)
        )
    return host


def choose(hosts: list[Host], folder: str) -> Optional[Host]:
    """The best of these hosts for a folder, which is given with links resolved, as hosts give theirs."""
    fitting = [host for host in hosts if host.depth(folder) is not None and (host.socket or host.port)]
    return min(
        fitting,
        key=lambda host: (-(host.depth(folder) or 0), KINDS.index(host.kind), host.started_at, host.instance),
        default=None,
    )


def host_on_port(port: int) -> Host:
    """The host whose file names the port."""
    hosts, rejections = read_hosts()
    # Two files can name one port only if one of them is not true any more; then the younger one is.
    host = max((host for host in hosts if host.port == port), key=lambda host: host.started_at, default=None)
    if host is None:
        ports = [str(host.port) for host in hosts if host.port]
        raise NoHost(
            f"No file of a host names the port {port}, so there is no token to prove oneself with."
            + format_list("Hosts listen on", ports)
            + format_list("Not trusted:", rejections),
            "Leave `port` out, or take the one that `zubi status --json` shows.",
        )
    return host


def _read_own(name: str, directory: int) -> bytes:
    # Without O_NONBLOCK, opening a pipe of this name would block until another process writes into it.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    opened = os.open(name, flags, dir_fd=directory)
    try:
        rejection = _rejection_reason(os.fstat(opened), stat.S_IFREG)
        if rejection:
            raise RejectedFile(f"it {rejection}")
        with open(opened, "rb", closefd=False) as file:
            content = file.read(MAX_FILE + 1)
    finally:
        os.close(opened)
    if len(content) > MAX_FILE:
        raise RejectedFile(f"it has more than {MAX_FILE} bytes")
    return content


def _rejection_reason(status: os.stat_result, kind: int) -> Optional[str]:
    """Why an open file or directory is not private to this user."""
    if stat.S_IFMT(status.st_mode) != kind:
        return "is not a regular file" if kind == stat.S_IFREG else "is not a directory"
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    if status.st_mode & 0o077:
        return "is open to other users"
    return None


def _is_own_base(directory: str) -> bool:
    try:
        status = os.stat(directory)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def parse(content: bytes) -> Host:
    """Parses a host's file; raises `RejectedFile` if it is invalid. Unknown fields are ignored."""
    try:
        record = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise RejectedFile("it is not JSON") from None
    if not isinstance(record, dict):
        raise RejectedFile("it is not an object")

    def field(name: str, is_valid: Callable[[Any], bool]) -> Any:
        value = record.get(name)
        if not is_valid(value):
            raise RejectedFile(f"`{name}` is missing or not as it must be")
        return value

    socket_path = field(
        "socket", lambda it: it is None or (_is_absolute(it) and len(os.fsencode(it)) <= MAX_SOCKET_PATH)
    )
    return Host(
        version=field("version", lambda it: _is_number(it, 1, 2**32 - 1)),
        instance=field("instance", lambda it: isinstance(it, str) and bool(re.fullmatch(r"[0-9A-Za-z_-]{1,64}", it))),
        pid=field("pid", lambda it: _is_number(it, 1, 2**31 - 1)),
        started_at=field("startedAt", lambda it: _is_number(it, 0, 2**64 - 1)),
        kind=field("kind", lambda it: isinstance(it, str) and it in KINDS),
        workspace_folders=tuple(
            field("workspaceFolders", lambda it: isinstance(it, list) and all(map(_is_absolute, it)))
        ),
        socket=socket_path,
        port=field("port", lambda it: it is None or _is_number(it, 1, 65535)),
        token=field("token", is_key),
    )


def _is_alive(host: Host) -> bool:
    """Whether the process that wrote the file is alive: its number alone may belong to another one by now."""
    try:
        with open(f"/proc/{host.pid}/stat", "rb") as file:
            # The name of the program, in parentheses, may contain anything.
            fields = file.read(4096).rpartition(b")")[2].split()
        return fields[0] not in (b"Z", b"X") and int(fields[19]) == host.started_at
    except (OSError, ValueError, IndexError):
        return False


def _components(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _is_absolute(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("/") and "\0" not in value and _is_text(value)


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: Any, minimum: int, maximum: int) -> bool:
    return type(value) is int and minimum <= value <= maximum


def is_key(value: Any) -> TypeGuard[str]:
    """Whether this is 32 bytes in hexadecimal, as tokens, nonces and proofs are."""
    return isinstance(value, str) and bool(re.fullmatch(r"[0-9a-f]{64}", value))


def absolute(path: PathLike) -> str:
    """The path for a process with another current directory. `..` stays: its meaning depends on the disk."""
    try:
        return os.path.join(os.getcwd(), path)
    except OSError as error:
        raise IpcError(f"The current directory cannot be read: {reason(error)}.", "Give absolute paths.") from None


def reason(error: OSError) -> str:
    """The system's words for an error, without the path."""
    if error.errno == errno.ELOOP:
        return "it is a link"
    return error.strerror or type(error).__name__


def printable(text: Any) -> str:
    """Foreign text as it may be shown in a terminal: without control characters, and of limited length."""
    text = text if isinstance(text, str) else "(no message)"
    return "".join(character if character.isprintable() else "\ufffd" for character in text[:1000])


def format_list(heading: str, items: list[str]) -> str:
    """The first three of a list as the end of a message; empty for an empty list."""
    if not items:
        return ""
    more = f" and {len(items) - 3} more" if len(items) > 3 else ""
    return f" {heading} {'; '.join(printable(item) for item in items[:3])}{more}."
