"""Queries a zubi host about a workspace: problems, open files, the active file.

Copy the three files `zubi_*.py`; they need Python 3.9 on Linux and nothing else. A client is for one thread at a time.

    with VSCodeIPCClient() as client:
        print(client.get_workspace_errors()["summary"])

A host is an editor with zubi in it, `zubi serve`, or any `zubi mcp` that serves the folder. The client finds it
through the file that it writes into a directory of this user, and connects to the socket named there; with `port=`, it
connects over loopback TCP, where both sides first prove that they know the token of that file. Every failure is an
`IpcError`.
"""

from __future__ import annotations

import math
import socket
import time
from typing import Any, Callable, Optional

from zubi_hosts import Host, IpcError, NoHost, PathLike, absolute, find_host, host_on_port, read_hosts, run_directory
from zubi_wire import (
    ConnectionFailed,
    ProtocolError,
    RpcError,
    TimedOut,
    Wire,
    exchange,
    open_port,
    open_socket,
    request,
)

__all__ = [
    "ConnectionFailed", "Host", "IpcError", "NoHost", "ProtocolError", "RpcError", "TimedOut", "VSCodeIPCClient",
    "find_host", "get_vscode_diagnostics", "get_vscode_error_summary", "is_vscode_available", "read_hosts",
    "run_directory",
]  # fmt: skip

PROTOCOL = 1


class VSCodeIPCClient:
    """A connection to the host of a workspace, and one method for each of the port's.

    `timeout` is in seconds, for the connection and for each call as a whole. `workspace` is the folder whose host is
    used, by default the current directory. `host` is the connected host.
    """

    def __init__(
        self, port: Optional[int] = None, timeout: float = 10.0, *, workspace: Optional[PathLike] = None
    ) -> None:
        if not (math.isfinite(timeout) and timeout > 0):
            raise ValueError("`timeout` is a number of seconds above 0")
        self.port = port
        self.timeout = timeout
        self.workspace = workspace
        self.host: Optional[Host] = None
        self._wire: Optional[Wire] = None
        self._number = 0

    def connect(self) -> None:
        """Finds the host and connects. A client that is connected stays as it is."""
        if self._wire is not None:
            return
        deadline = time.monotonic() + self.timeout
        host = find_host(self.workspace) if self.port is None else host_on_port(self.port)
        if host.version != PROTOCOL:
            message = f"The host speaks version {host.version} of the protocol, this client version {PROTOCOL}."
            raise ConnectionFailed(message, "Take the client that belongs to the host's version of zubi.")
        port = host.port if self.port is None else self.port
        if host.socket is not None and self.port is None and hasattr(socket, "AF_UNIX"):
            self._wire = open_socket(host, host.socket, deadline)
        elif port is not None:
            self._wire = open_port(host, port, deadline)
        else:
            raise ConnectionFailed("The host listens only on a socket, and this system has none.")
        self.host = host

    def close(self) -> None:
        wire, self._wire, self.host = self._wire, None, None
        if wire is not None:
            wire.close()

    def __enter__(self) -> VSCodeIPCClient:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, method: str, params: Optional[dict[str, Any]] = None) -> Any:
        """Calls a method of the host by its name. Arguments that are None are left out."""
        if self._wire is None:
            raise ConnectionFailed("The client is not connected.", "Call `connect()`, or use the client in a `with`.")
        self._number += 1
        sent_params = None if params is None else {name: value for name, value in params.items() if value is not None}
        frame = request(self._number, method, sent_params)
        try:
            return exchange(self._wire, self._number, frame, time.monotonic() + self.timeout)
        except RpcError:
            raise
        except BaseException:
            # The next message on this connection could be the late answer to this request.
            self.close()
            raise

    def _ask(self, method: str, params: Optional[dict[str, Any]] = None) -> dict[str, Any]:
        result = self.call(method, params)
        if not isinstance(result, dict):
            raise ProtocolError(f"The answer of the host to `{method}` is not an object.")
        return result

    def ping(self) -> dict[str, Any]:
        """Whether the host answers: `{"status": "ok", "timestamp": …}`, in milliseconds since 1970."""
        return self._ask("ping")

    def get_diagnostics(self, path: PathLike) -> dict[str, Any]:
        """The problems of one file. Ranges count from 0, as in LSP."""
        return self._ask("getDiagnostics", {"path": absolute(path)})

    def get_all_diagnostics(
        self, severity: Optional[str] = None, source: Optional[str] = None, limit: Optional[int] = None
    ) -> dict[str, Any]:
        """The problems of all files. `severity` is error, warning, info or hint, exactly; `limit` counts files."""
        return self._ask("getAllDiagnostics", {"severity": severity, "source": source, "limit": limit})

    def get_workspace_errors(self) -> dict[str, Any]:
        """How many problems there are, of which sources, and the files with most errors."""
        return self._ask("getWorkspaceErrors")

    def validate_file(self, path: PathLike) -> dict[str, Any]:
        """The problems of a file after a new check."""
        return self._ask("validateFile", {"path": absolute(path)})

    def get_open_files(self) -> dict[str, Any]:
        """The files that are open in the editor; none, with a `note`, where there is no editor."""
        return self._ask("getOpenFiles")

    def get_active_file(self) -> dict[str, Any]:
        """The file in front, with its problems; `{"active": False}` where there is none. `selection` counts from 1."""
        return self._ask("getActiveFile")

    def execute_command(self, command: str, args: Optional[list[Any]] = None) -> dict[str, Any]:
        """Runs a command that is on the host's list, such as `zubi.validateFile` with a path."""
        return self._ask("executeCommand", {"command": command, "args": args})


def get_vscode_diagnostics(path: Optional[PathLike] = None, **options: Any) -> dict[str, Any]:
    """The problems of a file, or of all; a failure is `{"error": True, "message": …, "suggestion": …}`.

    `options` are those of `VSCodeIPCClient`, and without a path those of `get_all_diagnostics`.
    """
    if path is not None:
        return _answer(lambda client: client.get_diagnostics(path), options)
    filters = {name: options.pop(name) for name in ("severity", "source", "limit") if name in options}
    return _answer(lambda client: client.get_all_diagnostics(**filters), options)


def get_vscode_error_summary(**options: Any) -> dict[str, Any]:
    """The answer of `get_workspace_errors`; a failure as in `get_vscode_diagnostics`."""
    return _answer(lambda client: client.get_workspace_errors(), options)


def is_vscode_available(**options: Any) -> bool:
    """Whether a host answers. It need not be an editor's: see `client.host.kind`."""
    return _answer(lambda client: client.ping(), options).get("status") == "ok"


def _answer(question: Callable[[VSCodeIPCClient], dict[str, Any]], options: dict[str, Any]) -> dict[str, Any]:
    try:
        with VSCodeIPCClient(**options) as client:
            return question(client)
    except IpcError as error:
        return {"error": True, "message": str(error), "suggestion": error.suggestion}
