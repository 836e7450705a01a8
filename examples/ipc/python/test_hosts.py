"""Tests of the trust in files of hosts, and of the choice of a host."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import unittest
from typing import Any
from unittest import mock

import zubi_hosts
from fake_host import CASES, TOKEN, HostTestCase, start_time
from zubi_hosts import RejectedFile, NoHost, choose, find_host, parse, read_hosts, run_directory

HOST = {
    "version": 1,
    "instance": "one",
    "pid": 1,
    "startedAt": 1,
    "kind": "daemon",
    "workspaceFolders": ["/p"],
    "socket": "/r/one.sock",
    "port": 9847,
    "token": TOKEN,
    "capabilities": [],
    "program": "0.1.0",
}


def host_file(change: dict[str, Any]) -> bytes:
    return json.dumps({**HOST, **change}).encode()


class ReadHostsTests(HostTestCase):
    def check(self, *rejections: str) -> None:
        """No host is read, and these are the reasons."""
        self.assertEqual(read_hosts(), ([], list(rejections)))

    def test_a_running_host_is_read(self) -> None:
        self.advertise()
        hosts, rejections = read_hosts()
        self.assertEqual(([host.instance for host in hosts], rejections), (["one"], []))

    def test_no_directory_means_no_hosts(self) -> None:
        os.rmdir(self.directory)
        self.check()

    def test_a_file_accessible_to_others_is_rejected(self) -> None:
        for mode in (0o644, 0o640, 0o604, 0o602):
            self.advertise(mode=mode)
            self.check("one.json: it is open to other users")

    def test_a_link_is_rejected(self) -> None:
        os.rename(self.advertise(), os.path.join(self.root, "elsewhere"))
        os.symlink(os.path.join(self.root, "elsewhere"), os.path.join(self.directory, "one.json"))
        self.check("one.json: it is a link")

    def test_a_directory_that_is_a_link_is_rejected(self) -> None:
        self.advertise()
        os.rename(self.directory, os.path.join(self.root, "elsewhere"))
        os.symlink(os.path.join(self.root, "elsewhere"), self.directory)
        self.check(f"{self.directory}: Not a directory")

    def test_a_directory_accessible_to_others_is_rejected(self) -> None:
        self.advertise()
        os.chmod(self.directory, 0o755)
        self.check(f"{self.directory}: it is open to other users; `chmod 700` it if it is yours")

    def test_a_pipe_does_not_block_the_search(self) -> None:
        os.mkfifo(os.path.join(self.directory, "one.json"), 0o600)
        self.check("one.json: it is not a regular file")

    def test_a_directory_in_place_of_a_file_is_rejected(self) -> None:
        os.mkdir(os.path.join(self.directory, "one.json"), 0o700)
        self.check("one.json: it is not a regular file")

    def test_files_of_another_user_are_rejected(self) -> None:
        status = os.stat(self.advertise())
        with mock.patch("os.geteuid", return_value=status.st_uid + 1):
            self.assertEqual(zubi_hosts._rejection_reason(status, stat.S_IFREG), "belongs to another user")
            self.assertEqual(read_hosts(self.directory)[0], [])

    def test_an_oversized_file_is_rejected(self) -> None:
        self.advertise(program="x" * 70_000)
        self.check("one.json: it has more than 65536 bytes")

    def test_garbage_is_rejected(self) -> None:
        for garbage in (b"", b"{", b"\xff\xfe", b"[" * 60_000, b'{"pid": 1e999999}{'):
            self.write("one.json", garbage)
            self.check("one.json: it is not JSON")
        self.write("one.json", b"[]")
        self.check("one.json: it is not an object")

    def test_temporary_and_other_files_are_ignored(self) -> None:
        self.write(".one.json", b"{")
        self.write("one.sock", b"")
        self.check()

    def test_an_ended_process_is_not_a_host(self) -> None:
        child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
        started = start_time(child.pid)
        self.advertise(pid=child.pid, startedAt=started)
        self.assertEqual(len(read_hosts()[0]), 1)
        child.communicate()
        self.check()

    def test_a_reused_process_id_is_not_the_host(self) -> None:
        self.advertise(startedAt=start_time(os.getpid()) - 1)
        self.check()

    def test_one_bad_file_does_not_hide_the_others(self) -> None:
        self.write("a.json", b"{")
        self.advertise("b.json")
        hosts, rejections = read_hosts()
        self.assertEqual((len(hosts), rejections), (1, ["a.json: it is not JSON"]))

    def test_the_number_of_files_read_is_limited(self) -> None:
        for number in range(258):
            self.write(f"{number:03}.json", b"{")
        rejections = read_hosts()[1]
        self.assertEqual((len(rejections), rejections[-1]), (257, "2 files beyond the first 256"))

    def test_a_link_to_the_workspace_finds_its_host(self) -> None:
        self.advertise()
        os.symlink(self.workspace, os.path.join(self.root, "link"))
        self.assertEqual(find_host(os.path.join(self.root, "link")).instance, "one")

    def test_the_error_for_a_missing_host_lists_other_hosts(self) -> None:
        self.advertise()
        self.write("two.json", b"{")
        with self.assertRaises(NoHost) as caught:
            find_host(self.root)
        text = f"No zubi host serves {self.root}. Served are {self.workspace}. Not trusted: two.json: it is not JSON."
        self.assertEqual(str(caught.exception), text)
        self.assertIn("zubi serve", caught.exception.suggestion)


class RunDirectoryTests(HostTestCase):
    def check(self, runtime: str, state: str, expected: str) -> None:
        with mock.patch.dict(os.environ, {"XDG_RUNTIME_DIR": runtime, "XDG_STATE_HOME": state, "HOME": "/h"}):
            self.assertEqual(run_directory(), expected)

    def test_the_runtime_directory_comes_first(self) -> None:
        self.check(self.root, "/s", self.directory)

    def test_the_state_directory_is_next(self) -> None:
        for runtime in ("", "relative", "/does/not/exist"):
            self.check(runtime, "/s", "/s/zubi/run")

    def test_a_runtime_directory_writable_by_others_is_ignored(self) -> None:
        os.chmod(self.root, 0o777)
        self.check(self.root, "/s", "/s/zubi/run")

    def test_the_home_directory_is_last(self) -> None:
        for state in ("", "relative"):
            self.check("", state, "/h/.local/state/zubi/run")


class ChoiceTests(unittest.TestCase):
    def test_the_best_host_is_chosen(self) -> None:
        for case in CASES["choices"]:
            with self.subTest(case["name"]):
                hosts = [parse(host_file(change)) for change in case["hosts"]]
                chosen = choose(hosts, case["workspace"])
                self.assertEqual(chosen and chosen.instance, case["chosen"])

    def test_invalid_fields_reject_the_file(self) -> None:
        for case in CASES["files"]:
            with self.subTest(case["name"]):
                content = host_file(case["change"])
                if case["doubt"] is None:
                    parse(content)
                else:
                    with self.assertRaisesRegex(RejectedFile, f"^`{case['doubt']}` is missing or not as it must be$"):
                        parse(content)

    def test_required_fields_must_be_present(self) -> None:
        for name in ("version", "instance", "pid", "startedAt", "kind", "workspaceFolders", "token"):
            with self.subTest(name), self.assertRaisesRegex(RejectedFile, f"^`{name}`"):
                parse(json.dumps({key: value for key, value in HOST.items() if key != name}).encode())


if __name__ == "__main__":
    unittest.main()
