"""A host for the tests: real sockets, a real file, and answers from the test."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import secrets
import socket
import tempfile
import threading
import unittest
from typing import Any, Callable, Iterable, Optional, Union
from unittest import mock

from zubi_wire import proof_of

CASES = json.loads((pathlib.Path(__file__).parent.parent / "cases.json").read_text("utf-8"))
TOKEN = "5a" * 32

# The reply to a message: nothing, bytes as they are, or a message.
Reply = Union[None, bytes, dict[str, Any]]
Answer = Callable[[dict[str, Any]], Iterable[Reply]]


def result(message: dict[str, Any], value: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "result": value}


def failure(message: dict[str, Any], code: int, text: str = "no", data: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text, "data": data}}


def pong(message: dict[str, Any]) -> Iterable[Reply]:
    yield result(message, {"status": "ok", "timestamp": 1})


def start_time(pid: int) -> int:
    return int(pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])


class HostTestCase(unittest.TestCase):
    """A test with a run directory, a workspace and an environment of its own."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = os.path.realpath(scratch.name)
        self.directory = os.path.join(self.root, "zubi")
        self.workspace = os.path.join(self.root, "workspace")
        os.mkdir(self.directory, 0o700)
        os.mkdir(self.workspace)
        environment = mock.patch.dict(os.environ, {"XDG_RUNTIME_DIR": self.root})
        environment.start()
        self.addCleanup(environment.stop)

    def advertise(self, name: str = "one.json", mode: int = 0o600, **change: Any) -> str:
        """Writes a host's file, by default of this process, and returns its path."""
        record = {
            "version": 1,
            "instance": "one",
            "pid": os.getpid(),
            "startedAt": start_time(os.getpid()),
            "kind": "daemon",
            "workspaceFolders": [self.workspace],
            "socket": os.path.join(self.directory, "one.sock"),
            "port": None,
            "token": TOKEN,
            "capabilities": [],
            "program": "0.1.0",
            **change,
        }
        return self.write(name, json.dumps(record).encode(), mode)

    def write(self, name: str, content: bytes, mode: int = 0o600) -> str:
        path = os.path.join(self.directory, name)
        pathlib.Path(path).write_bytes(content)
        os.chmod(path, mode)
        return path

    def host(self, answer: Answer = pong, **options: Any) -> FakeHost:
        """A host of the workspace that listens until the test ends, with its file."""
        host = FakeHost(os.path.join(self.directory, "one.sock"), answer, **options)
        self.addCleanup(host.close)
        self.advertise(port=host.port)
        return host


class FakeHost:
    """Listens on a socket and on a port. `received` is every message that came; on the port, those after the proof."""

    def __init__(
        self,
        path: str,
        answer: Answer = pong,
        *,
        greeting: Optional[bytes] = None,
        token: str = TOKEN,
        prove: Callable[[str], Optional[str]] = lambda proof: proof,
        refusal: Optional[str] = None,
        read: bool = True,
    ) -> None:
        self.answer, self.greeting, self.token, self.prove, self.read = answer, greeting, token, prove, read
        self.refusal = refusal
        self.received: list[dict[str, Any]] = []
        self.closed = threading.Event()
        self._connections: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listeners = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)]
        self._listeners[0].bind(path)
        self._listeners[1].bind(("127.0.0.1", 0))
        self.port: int = self._listeners[1].getsockname()[1]
        for listener, is_port in zip(self._listeners, (False, True)):
            listener.listen()
            self._start(self._accept, listener, is_port)

    def close(self) -> None:
        self.closed.set()
        for open_socket in self._listeners + self._connections:
            # A thread that waits in `accept` or `recv` is woken by this, not by `close`.
            with contextlib.suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()
        for thread in self._threads:
            thread.join(10)

    def _start(self, target: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket, is_port: bool) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            self._start(self._serve, connection, is_port)

    def _serve(self, connection: socket.socket, is_port: bool) -> None:
        try:
            with connection, connection.makefile("rb") as lines:
                if is_port and not self._authenticate(connection, lines):
                    return
                if not self.read:
                    self.closed.wait(30)
                for line in lines:
                    message = json.loads(line)
                    self.received.append(message)
                    for reply in self.answer(message):
                        send(connection, reply)
        except (OSError, ValueError):
            pass  # The client has disconnected, or the test is over.

    def _authenticate(self, connection: socket.socket, lines: Iterable[bytes]) -> bool:
        nonce = secrets.token_hex(32)
        send(connection, {"nonce": nonce} if self.greeting is None else self.greeting)
        for line in lines:
            message = json.loads(line)
            params = message["params"]
            is_valid = message["method"] == "authenticate" and params["proof"] == proof_of(
                self.token, "client", nonce, params["nonce"]
            )
            if not is_valid:
                send(connection, failure(message, -32000, self.refusal) if self.refusal else None)
                return False
            proof = self.prove(proof_of(self.token, "server", nonce, params["nonce"]))
            send(connection, result(message, {} if proof is None else {"proof": proof}))
            return True
        return False


def send(connection: socket.socket, reply: Reply) -> None:
    if reply is not None:
        connection.sendall(reply if isinstance(reply, bytes) else json.dumps(reply).encode() + b"\n")
