"""Requests, answers and errors of the client."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import socket
import time
import unittest
from typing import Any, Callable, Iterable, cast
from unittest import mock

import problems
import zubi_ipc
from fake_host import CASES, TOKEN, HostTestCase, Reply, failure, pong, result
from zubi_ipc import ConnectionFailed, IpcError, NoHost, ProtocolError, RpcError, TimedOut, VSCodeIPCClient
from zubi_wire import MAX_FRAME, Wire, open_socket, proof_of


class ClientTestCase(HostTestCase):
    def client(self, **options: Any) -> VSCodeIPCClient:
        arguments: dict[str, Any] = {"workspace": self.workspace, **options}
        client = VSCodeIPCClient(**arguments)
        self.addCleanup(client.close)
        return client

    def fails(self, kind: type, text: str, do: Callable[[], Any]) -> Any:
        with self.assertRaisesRegex(kind, text) as caught:
            do()
        self.assertNotEqual(caught.exception.suggestion, "")
        return caught.exception


class MethodTests(ClientTestCase):
    def test_every_method_sends_the_documented_request(self) -> None:
        def echo(message: dict[str, Any]) -> Iterable[Reply]:
            yield result(message, {"method": message["method"], "params": message.get("params")})

        host = self.host(echo)
        file = os.path.join(os.getcwd(), "src/é.py")
        requests: list[tuple[Callable[[VSCodeIPCClient], Any], str, Any]] = [
            (lambda it: it.ping(), "ping", None),
            (lambda it: it.get_diagnostics("src/é.py"), "getDiagnostics", {"path": file}),
            (lambda it: it.get_diagnostics(pathlib.Path("/a/../b")), "getDiagnostics", {"path": "/a/../b"}),
            (lambda it: it.get_all_diagnostics(), "getAllDiagnostics", {}),
            (
                lambda it: it.get_all_diagnostics("error", "Pylance", 5),
                "getAllDiagnostics",
                {"severity": "error", "source": "Pylance", "limit": 5},
            ),
            (lambda it: it.get_workspace_errors(), "getWorkspaceErrors", None),
            (lambda it: it.validate_file("src/é.py"), "validateFile", {"path": file}),
            (lambda it: it.get_open_files(), "getOpenFiles", None),
            (lambda it: it.get_active_file(), "getActiveFile", None),
            (lambda it: it.execute_command("zubi.restart"), "executeCommand", {"command": "zubi.restart"}),
            (
                lambda it: it.execute_command("zubi.validateFile", ["/p/a"]),
                "executeCommand",
                {"command": "zubi.validateFile", "args": ["/p/a"]},
            ),
        ]
        with self.client() as over_socket, self.client(port=host.port) as over_port:
            for send, method, params in requests:
                for client in (over_socket, over_port):
                    self.assertEqual(send(client), {"method": method, "params": params})
        self.assertEqual({message["jsonrpc"] for message in host.received}, {"2.0"})

    def test_connect_and_close_can_be_called_again(self) -> None:
        self.host()
        client = self.client()
        for _ in range(2):
            client.connect()
            client.connect()
            self.assertEqual(client.ping()["status"], "ok")
            self.assertEqual(client.host and client.host.kind, "daemon")
            client.close()
            client.close()
        self.fails(ConnectionFailed, "not connected", client.ping)

    def test_an_invalid_timeout_is_rejected(self) -> None:
        for timeout in (0, -1, float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                VSCodeIPCClient(timeout=timeout)


class DiscoveryTests(ClientTestCase):
    def test_the_current_directory_is_the_workspace(self) -> None:
        self.host()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.workspace)
        with VSCodeIPCClient() as client:
            self.assertEqual(client.ping()["status"], "ok")

    def test_a_host_without_a_socket_is_reached_over_its_port(self) -> None:
        host = self.host()
        self.advertise(socket=None, port=host.port)
        with self.client() as client:
            self.assertEqual(client.ping()["status"], "ok")

    def test_a_port_without_a_host_file_is_refused(self) -> None:
        host = self.host()
        os.remove(os.path.join(self.directory, "one.json"))
        self.fails(NoHost, f"No file of a host names the port {host.port}", self.client(port=host.port).connect)
        self.assertEqual(host.received, [])

    def test_the_port_of_a_rejected_file_is_refused(self) -> None:
        host = self.host()
        os.chmod(os.path.join(self.directory, "one.json"), 0o644)
        self.fails(NoHost, "Not trusted: one.json: it is open", self.client(port=host.port).connect)

    def test_another_version_of_the_protocol_is_refused(self) -> None:
        self.advertise(version=2)
        self.fails(ConnectionFailed, "speaks version 2 of the protocol, this client version 1", self.client().connect)

    def test_a_path_that_is_not_a_socket_is_refused(self) -> None:
        self.write("one.sock", b"")
        self.advertise()
        self.fails(ConnectionFailed, "is not a socket of this user", self.client().connect)

    def test_a_link_to_a_socket_is_refused(self) -> None:
        self.host()
        os.symlink("one.sock", os.path.join(self.directory, "two.sock"))
        self.advertise(socket=os.path.join(self.directory, "two.sock"))
        self.fails(ConnectionFailed, "is not a socket of this user", self.client().connect)

    def test_the_socket_of_another_user_is_refused(self) -> None:
        host = self.host()
        record = zubi_ipc.find_host(self.workspace)
        path = os.path.join(self.directory, "one.sock")
        deadline, uid = time.monotonic() + 10, os.geteuid()
        # First the socket belongs to another user, then only the listening process does.
        for uids, text in (([uid + 1], "is not a socket of this user"), ([uid, uid + 1], "is another user")):
            with mock.patch("os.geteuid", side_effect=uids):
                self.fails(ConnectionFailed, text, lambda: open_socket(record, path, deadline))
        self.assertEqual(host.received, [])

    def test_a_host_that_has_ended_is_reported(self) -> None:
        self.advertise()
        self.fails(ConnectionFailed, "Cannot connect .* No such file", self.client().connect)
        self.host().close()
        self.fails(ConnectionFailed, "Cannot connect .* refused", self.client().connect)


class ProofTests(ClientTestCase):
    def test_the_proof_is_the_same_in_every_implementation(self) -> None:
        for case in CASES["proofs"]:
            for side in ("client", "server"):
                proof = proof_of(case["token"], side, case["serverNonce"], case["clientNonce"])
                self.assertEqual(proof, case[side])

    def refused(self, text: str, **options: Any) -> None:
        host = self.host(**options)
        client = self.client(port=host.port)
        self.fails(IpcError, text, client.connect)
        self.assertEqual((host.received, client.host), ([], None))

    def test_a_wrong_proof_is_rejected(self) -> None:
        self.refused("does not know the host's token", prove=lambda _: "00" * 32)

    def test_a_reflected_proof_is_rejected(self) -> None:
        self.refused("does not know", prove=lambda _: proof_of(TOKEN, "client", "11" * 32, "22" * 32))

    def test_a_missing_proof_is_rejected(self) -> None:
        self.refused("does not know the host's token", prove=lambda _: None)

    def test_a_host_with_another_token_does_not_accept_ours(self) -> None:
        self.refused("did not accept our proof", token="00" * 32)
        os.remove(os.path.join(self.directory, "one.sock"))
        self.refused("did not accept our proof. wrong$", token="00" * 32, refusal="wrong")

    def test_invalid_greetings_are_rejected(self) -> None:
        for greeting in (b"HTTP/1.1 400 Bad Request\r\n", b'{"nonce":"1"}\n', b'{"nonce":7}\n', b"[]\n", b"{}\n"):
            with self.subTest(greeting):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(self.directory, "one.sock"))
                self.refused("", greeting=greeting)

    def test_an_oversized_first_line_is_rejected(self) -> None:
        self.refused("a line of more than 4096 bytes", greeting=b"x" * 5000)

    def test_a_refusal_is_shown(self) -> None:
        refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "64 connections\x1b[2J"}}
        greeting = json.dumps(refusal).encode() + b"\n"
        self.refused("The host refused: 64 connections\ufffd\\[2J$", greeting=greeting)

    def test_a_host_without_a_greeting_times_out(self) -> None:
        host = self.host(greeting=b"")
        self.fails(TimedOut, "in time", self.client(port=host.port, timeout=0.1).connect)


class ChunkedSocket:
    """A socket that returns these chunks one by one."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.chunks = list(chunks)

    def settimeout(self, seconds: float) -> None:
        pass

    def recv(self, size: int) -> bytes:
        return self.chunks.pop(0) if self.chunks else b""


class FrameTests(ClientTestCase):
    def test_a_line_can_arrive_in_any_two_chunks(self) -> None:
        line = json.dumps({"text": "größer → 🦀"}, ensure_ascii=False).encode()
        data = line + b"\n" + line + b"\n"
        deadline = time.monotonic() + 60
        for index in range(len(data) + 1):
            wire = Wire(cast(Any, ChunkedSocket(chunk for chunk in (data[:index], data[index:]) if chunk)))
            self.assertEqual([wire.read_line(1000, deadline) for _ in range(2)], [line, line])
        wire = Wire(cast(Any, ChunkedSocket(data[index : index + 1] for index in range(len(data)))))
        self.assertEqual([wire.read_line(len(line), deadline) for _ in range(2)], [line, line])

    def test_multibyte_characters_can_be_split(self) -> None:
        def answer(message: dict[str, Any]) -> Iterable[Reply]:
            line = json.dumps(result(message, {"text": "größer → 🦀"}), ensure_ascii=False).encode() + b"\n"
            for index in range(len(line)):
                yield line[index : index + 1]

        self.host(answer)
        with self.client() as client:
            for _ in range(3):
                self.assertEqual(client.call("ping"), {"text": "größer → 🦀"})

    def test_notifications_are_ignored_and_requests_are_answered(self) -> None:
        def answer(message: dict[str, Any]) -> Iterable[Reply]:
            if message.get("method") == "ping":
                yield {"jsonrpc": "2.0", "method": "$/progress", "params": {}}
                yield {"jsonrpc": "2.0", "id": message["id"], "method": "tools/invoke", "params": {}}
            else:
                yield {"jsonrpc": "2.0", "id": 1, "result": message["error"]["code"]}

        self.host(answer)
        with self.client() as client:
            self.assertEqual(client.call("ping"), -32601)

    def check(self, text: str, *replies: Reply, kind: type = ProtocolError) -> None:
        """The answer to the first request is invalid, and the client closes the connection."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(self.directory, "one.sock"))
        host = self.host(lambda _: replies)
        client = self.client()
        client.connect()
        self.fails(kind, text, client.ping)
        self.fails(ConnectionFailed, "not connected", client.ping)
        host.close()

    def test_invalid_answers_are_rejected(self) -> None:
        valid = {"jsonrpc": "2.0", "id": 1, "result": {}}
        for number in (2, 0, -1, "1", 1.0, True, [1]):
            self.check("without a request", {**valid, "id": number})
        self.check("without a request", {"jsonrpc": "2.0", "result": {}})
        self.check("without a request", {**valid, "jsonrpc": "1.0"})
        self.check("neither a result nor an error", {"jsonrpc": "2.0", "id": 1})
        self.check("not JSON", b"hello\n")
        self.check("not JSON", b"\n")
        self.check("not JSON", b'{"jsonrpc":"2.0","id":1,"result":"\xff"}\n')
        self.check("not JSON", b"[" * 100_000 + b"\n")
        self.check("not a message", b"[]\n")

    def test_a_refusal_without_an_id_is_shown(self) -> None:
        error = {"code": -32000, "message": "64 connections are open"}
        self.check("64 connections", {"jsonrpc": "2.0", "id": None, "error": error}, kind=ConnectionFailed)

    def test_a_disconnect_during_an_answer_is_reported(self) -> None:
        host = self.host(lambda _: iter([b'{"jsonrpc"', None]))
        client = self.client()
        client.connect()

        def part(message: dict[str, Any]) -> Iterable[Reply]:
            yield b'{"jsonrpc":'
            raise OSError

        host.answer = part
        self.fails(ConnectionFailed, "closed the connection", client.ping)

    def test_an_oversized_line_ends_the_connection(self) -> None:
        self.check("more than 8388608 bytes", b"x" * (MAX_FRAME + 1))

    def test_an_unsendable_request_does_not_affect_the_connection(self) -> None:
        host = self.host()
        with self.client() as client:
            self.fails(ProtocolError, "more than the 8388608", lambda: client.call("ping", {"x": "x" * MAX_FRAME}))
            self.fails(ProtocolError, "cannot be sent", lambda: client.get_diagnostics("/p/\udcff"))
            self.fails(ProtocolError, "cannot be sent", lambda: client.call("ping", {"x": float("nan")}))
            self.fails(ProtocolError, "cannot be sent", lambda: client.call("ping", {"x": object()}))
            self.assertEqual(client.ping()["status"], "ok")
        self.assertEqual(len(host.received), 1)

    def test_an_answer_must_be_an_object(self) -> None:
        self.host(lambda message: [result(message, "ok")])
        with self.client() as client:
            self.fails(ProtocolError, "not an object", client.ping)


class TimeoutTests(ClientTestCase):
    def check(self, call: Callable[[VSCodeIPCClient], Any], **options: Any) -> None:
        self.host(**options)
        client = self.client(timeout=0.2)
        client.connect()
        started = time.monotonic()
        self.fails(TimedOut, "in time", lambda: call(client))
        self.assertLess(time.monotonic() - started, 5)
        self.fails(ConnectionFailed, "not connected", client.ping)

    def test_a_host_that_does_not_answer_times_out(self) -> None:
        self.check(lambda client: client.ping(), answer=lambda _: ())

    def test_a_host_that_sends_only_notifications_times_out(self) -> None:
        def answer(message: dict[str, Any]) -> Iterable[Reply]:
            while True:
                yield {"jsonrpc": "2.0", "method": "$/progress"}

        self.check(lambda client: client.ping(), answer=answer)

    def test_a_host_that_does_not_read_times_out(self) -> None:
        self.check(lambda client: client.call("ping", {"x": "x" * 4_000_000}), read=False)

    def test_a_port_that_accepts_no_connections_times_out(self) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(0)
            self.advertise(port=listener.getsockname()[1])
            client = self.client(port=listener.getsockname()[1], timeout=0.2)
            self.fails(TimedOut, "in time", client.connect)


class ErrorTests(ClientTestCase):
    def test_host_errors_have_a_code_a_field_and_a_suggestion(self) -> None:
        for case in CASES["errors"]:
            with self.subTest(case["name"]):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(self.directory, "one.sock"))
                data = case["field"] and {"field": case["field"]}
                code: int = case["code"]
                host = self.host(lambda message, code=code, data=data: [failure(message, code, "no\u202e", data)])
                with self.client() as client:
                    for _ in range(2):  # The connection stays open.
                        error = self.fails(RpcError, "^no\ufffd$", client.ping)
                        self.assertEqual((error.code, error.field), (code, case["field"]))
                        self.assertIn(case["suggestion"], error.suggestion)
                host.close()

    def test_a_malformed_error_is_still_an_error(self) -> None:
        self.host(lambda message: [{"jsonrpc": "2.0", "id": message["id"], "error": {"code": "x", "data": 7}}])
        with self.client() as client:
            self.assertEqual(self.fails(RpcError, "no message", client.ping).code, -32603)


class FunctionTests(ClientTestCase):
    def test_answers_are_returned_unchanged(self) -> None:
        def answer(message: dict[str, Any]) -> Iterable[Reply]:
            return pong(message) if message["method"] == "ping" else [result(message, {"params": message["params"]})]

        self.host(answer)
        where = {"workspace": self.workspace}
        self.assertTrue(zubi_ipc.is_vscode_available(**where))
        self.assertEqual(zubi_ipc.get_vscode_diagnostics("/p/a", **where), {"params": {"path": "/p/a"}})
        filtered = zubi_ipc.get_vscode_diagnostics(severity="error", limit=3, **where)
        self.assertEqual(filtered, {"params": {"severity": "error", "limit": 3}})

    def test_a_failure_is_an_answer(self) -> None:
        where = {"workspace": self.workspace}
        expected = {
            "error": True,
            "message": f"No zubi host serves {self.workspace}.",
            "suggestion": "Open the folder in an editor with the zubi extension, or run `zubi serve --detach` in it.",
        }
        self.assertFalse(zubi_ipc.is_vscode_available(**where))
        self.assertEqual(zubi_ipc.get_vscode_diagnostics("/p/a", **where), expected)
        self.assertEqual(zubi_ipc.get_vscode_error_summary(**where), expected)

    def test_a_failure_of_the_host_is_an_answer(self) -> None:
        self.host(lambda message: [failure(message, -32003, "loading 3 of 9")])
        answer = zubi_ipc.get_vscode_error_summary(workspace=self.workspace)
        self.assertEqual((answer["error"], answer["message"]), (True, "loading 3 of 9"))
        self.assertIn("try again", answer["suggestion"])


PROBLEM = {
    "range": {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 9}},
    "message": "Unknown\nname\x1b",
    "severity": "error",
    "source": "ty",
}


class ProgramTests(HostTestCase):
    def check(self, arguments: list[str], code: int, out: str, err: str) -> None:
        stdout, stderr = io.StringIO(), io.StringIO()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.workspace)
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            ended = problems.main(arguments)
        self.assertEqual((ended, stdout.getvalue()), (code, out))
        self.assertIn(err, stderr.getvalue())

    def test_diagnostics_are_printed(self) -> None:
        file = {"path": os.path.join(self.workspace, "src", "a.py"), "diagnostics": [PROBLEM]}
        coverage = {"analysed": 1, "total": 2, "mode": "headless", "note": "ty has read one file"}

        def answer(message: dict[str, Any]) -> Iterable[Reply]:
            data = {"files": [file], "coverage": coverage}
            yield result(message, file if message["method"] == "validateFile" else data)

        self.host(answer)
        line = "src/a.py:3:5 error: Unknown name\ufffd (ty)\n"
        self.check(["src/a.py"], 1, line, "using the daemon host")
        self.check([], 1, line + "looked at 1 of 2 files: ty has read one file\n", "")

    def test_without_diagnostics_there_is_no_output(self) -> None:
        self.host(lambda message: [result(message, {"files": []})])
        self.check([], 0, "", "using the daemon host")

    def test_a_missing_host_has_its_own_exit_code(self) -> None:
        self.check([], 3, "", "zubi serve")


if __name__ == "__main__":
    unittest.main()
