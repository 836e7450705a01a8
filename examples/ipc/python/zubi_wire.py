"""Lines of JSON-RPC over a host's socket or port, and the proof with which a connection over the port begins."""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import os
import secrets
import socket
import stat
import struct
import time
from typing import Any, NoReturn, Optional

from zubi_hosts import START_A_HOST, STATUS_HINT, Host, IpcError, is_key, printable, reason

MAX_FRAME = 8 * 1024 * 1024
MAX_FIRST_LINE = 4 * 1024

INVALID_PARAMS = -32602
UNAUTHENTICATED = -32000
NOT_IN_WORKSPACE = -32001
COMMAND_NOT_ALLOWED = -32002
LOADING = -32003

SUGGESTIONS = {
    -32601: "The host may be of another version: compare `zubi --version` with `zubi status`.",
    INVALID_PARAMS: "Correct the argument that the message names.",
    UNAUTHENTICATED: "Connect without `port`: over the socket more is allowed, and the user's id is the proof.",
    NOT_IN_WORKSPACE: "Use the host of the file's own folder: pass that folder as `workspace`.",
    COMMAND_NOT_ALLOWED: "Only commands on the host's list are run; the user's settings can add one.",
    LOADING: "The language server is still reading the project: try again in a few seconds.",
}


class ConnectionFailed(IpcError):
    """The host cannot be reached, went away, refused the connection, or is not the host that it claims to be."""


class TimedOut(IpcError):
    """The answer did not come in time. The connection is closed, so the host cancels the request."""

    suggestion = "Try again with a longer `timeout`; a language server that has just started needs some time."


class ProtocolError(IpcError):
    """A received message is not one that a host sends, or a message to send is invalid."""


class RpcError(IpcError):
    """The host answered that it does not do this. `field` is the argument that was wrong, if the host names it."""

    def __init__(self, message: str, code: int, field: Optional[str] = None) -> None:
        super().__init__(message, SUGGESTIONS.get(code, STATUS_HINT), code)
        self.field = field


class Wire:
    """Lines over a connected socket. After a failure of any kind it cannot be used any more."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._received = bytearray()

    def send(self, frame: bytes, deadline: float) -> None:
        """Sends all of it by the deadline, in seconds of the monotonic clock."""
        try:
            self._socket.settimeout(_remaining_time(deadline))
            self._socket.sendall(frame)
        except OSError as error:
            _raise_failure(error)

    def read_line(self, limit: int, deadline: float) -> bytes:
        """The next line without its end. Characters may be split between chunks: only complete lines are decoded."""
        searched = 0
        while True:
            end = self._received.find(b"\n", searched)
            if (len(self._received) if end < 0 else end) > limit:
                raise ProtocolError(f"The host sent a line of more than {limit} bytes.")
            if end >= 0:
                line = bytes(self._received[:end])
                del self._received[: end + 1]
                return line
            searched = len(self._received)
            try:
                self._socket.settimeout(_remaining_time(deadline))
                chunk = self._socket.recv(64 * 1024)
            except OSError as error:
                _raise_failure(error)
            if not chunk:
                raise ConnectionFailed("The host closed the connection.")
            self._received += chunk

    def close(self) -> None:
        self._socket.close()


def request(number: int, method: str, params: Optional[dict[str, Any]]) -> bytes:
    """A request as it is sent. Nothing has been sent if this fails."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method}
    if params is not None:
        message["params"] = params
    return _frame(message)


def _frame(message: dict[str, Any]) -> bytes:
    try:
        frame = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise ProtocolError(
            f"The arguments cannot be sent as JSON: {printable(str(error))}.", "Correct them."
        ) from None
    if len(frame) > MAX_FRAME:
        raise ProtocolError(
            f"The request has {len(frame)} bytes, more than the {MAX_FRAME} that a host reads.", "Send less."
        )
    return frame + b"\n"


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ProtocolError("The host sent a line that is not JSON.") from None
    if not isinstance(message, dict):
        raise ProtocolError("The host sent JSON that is not a message.")
    return message


def exchange(wire: Wire, number: int, frame: bytes, deadline: float) -> Any:
    """Sends a request and reads until its answer; other messages in between are ignored."""
    wire.send(frame, deadline)
    while True:
        message = _message(wire.read_line(MAX_FRAME, deadline))
        if "method" not in message:
            return _result(message, number)
        if "id" in message:
            # Only agents' programs answer requests of the host. It need not wait for us.
            error = {"code": -32601, "message": "this client answers no requests"}
            wire.send(_frame({"jsonrpc": "2.0", "id": message["id"], "error": error}), deadline)


def _result(message: dict[str, Any], number: int) -> Any:
    answer_id, error = message.get("id"), message.get("error")
    if answer_id is None and isinstance(error, dict):
        raise ConnectionFailed(f"The host refused: {printable(error.get('message'))}", code=_code(error))
    if type(answer_id) is not int or answer_id != number or message.get("jsonrpc") != "2.0":
        raise ProtocolError("The host sent an answer without a request.")
    if isinstance(error, dict):
        data = error.get("data")
        field = data.get("field") if isinstance(data, dict) else None
        field = printable(field) if isinstance(field, str) else None
        raise RpcError(printable(error.get("message")), _code(error), field)
    if "result" not in message:
        raise ProtocolError("The host sent an answer with neither a result nor an error.")
    return message["result"]


def _code(error: dict[str, Any]) -> int:
    code = error.get("code")
    return code if type(code) is int else -32603


def proof_of(token: str, side: str, server_nonce: str, client_nonce: str) -> str:
    """The proof of a side that knows the token. The two sides differ, so neither proof can be played back."""
    message = f"zubi {side}\0".encode() + bytes.fromhex(server_nonce) + bytes.fromhex(client_nonce)
    return hmac.new(bytes.fromhex(token), message, hashlib.sha256).hexdigest()


def _authenticate(wire: Wire, host: Host, deadline: float) -> None:
    """Both sides prove that they know the token. Until the host has, nothing but our proof is sent."""
    hello = _message(wire.read_line(MAX_FIRST_LINE, deadline))
    host_nonce = hello.get("nonce")
    if not is_key(host_nonce):
        if isinstance(hello.get("error"), dict):
            _result(hello, 0)
        raise ProtocolError(f"The process on port {host.port} does not begin as a zubi host does.")
    client_nonce = secrets.token_bytes(32).hex()
    params = {"nonce": client_nonce, "proof": proof_of(host.token, "client", host_nonce, client_nonce)}
    try:
        wire.send(request(0, "authenticate", params), deadline)
        answer = _result(_message(wire.read_line(MAX_FIRST_LINE, deadline)), 0)
    except (ConnectionFailed, RpcError) as error:
        raise ConnectionFailed(
            f"The host on port {host.port} did not accept our proof. {error}", code=error.code
        ) from None
    proof = answer.get("proof") if isinstance(answer, dict) else None
    expected = proof_of(host.token, "server", host_nonce, client_nonce)
    if not is_key(proof) or not hmac.compare_digest(proof, expected):
        raise ConnectionFailed(
            f"The process on port {host.port} does not know the host's token; no request was sent.",
            "Another program may have taken the port. Connect without `port`.",
        )


def open_socket(host: Host, path: str, deadline: float) -> Wire:
    """Connects to a host's socket, if it and who listens there are this user's."""
    try:
        status = os.lstat(path)
        if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.geteuid():
            raise ConnectionFailed(f"{printable(path)} is not a socket of this user.")
        return _connect(socket.AF_UNIX, path, deadline)
    except OSError as error:
        _raise_unreachable(f"the host (process {host.pid}) at {printable(path)}", error)


def open_port(host: Host, port: int, deadline: float) -> Wire:
    """Connects to a host's port; returns when both sides have proved themselves."""
    try:
        wire = _connect(socket.AF_INET, ("127.0.0.1", port), deadline)
    except OSError as error:
        _raise_unreachable(f"the host (process {host.pid}) on port {port}", error)
    try:
        _authenticate(wire, host, deadline)
    except BaseException:
        wire.close()
        raise
    return wire


def _connect(family: socket.AddressFamily, address: Any, deadline: float) -> Wire:
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(_remaining_time(deadline))
        connection.connect(address)
        if family == socket.AF_UNIX:
            _, uid, _ = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            if uid != os.geteuid():
                raise ConnectionFailed("Who listens on the host's socket is another user.")
    except BaseException:
        connection.close()
        raise
    return Wire(connection)


def _remaining_time(deadline: float) -> float:
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimedOut("The host did not answer in time.")
    return remaining


def _raise_failure(error: OSError) -> NoReturn:
    if isinstance(error, socket.timeout) or error.errno == errno.EAGAIN:
        raise TimedOut("The host did not answer in time.") from None
    raise ConnectionFailed(f"The connection to the host broke: {reason(error)}.") from None


def _raise_unreachable(target: str, error: OSError) -> NoReturn:
    if isinstance(error, socket.timeout) or error.errno == errno.EAGAIN:
        raise TimedOut(f"Cannot connect to {target} in time.") from None
    raise ConnectionFailed(f"Cannot connect to {target}: {reason(error)}.", START_A_HOST) from None
