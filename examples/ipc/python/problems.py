"""Prints the problems of the workspace, or of the files that are named, as the host of this folder sees them.

usage: problems.py [FILE …]

Exit code: 0 no errors, 1 errors, 3 no answer.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from zubi_hosts import printable
from zubi_ipc import IpcError, VSCodeIPCClient


def lines(file: dict[str, Any]) -> list[str]:
    """One line for each problem. People count lines and columns from 1."""
    path = os.path.relpath(file["path"])
    found = []
    for problem in file["diagnostics"]:
        start = problem["range"]["start"]
        source = f" ({problem['source']})" if problem.get("source") else ""
        location = f"{path}:{start['line'] + 1}:{start['character'] + 1}"
        # Compilers' messages have lines of their own.
        message = " ".join(problem["message"].split())
        found.append(printable(f"{location} {problem['severity']}: {message}{source}"))
    return found


def coverage_notes(answer: dict[str, Any]) -> list[str]:
    """The parts that the host did not check. An empty list of problems means little without them."""
    coverage = answer.get("coverage")
    if not coverage or coverage["analysed"] == coverage["total"]:
        return []
    note = f": {coverage['note']}" if coverage.get("note") else ""
    return [f"looked at {coverage['analysed']} of {coverage['total']} files{note}"]


def main(paths: list[str]) -> int:
    try:
        with VSCodeIPCClient(timeout=60.0) as client:
            if client.host is not None:
                print(f"using the {client.host.kind} host, process {client.host.pid}", file=sys.stderr)
            if paths:
                answers = files = [client.validate_file(path) for path in paths]
            else:
                answer = client.get_all_diagnostics()
                answers, files = [answer], answer["files"]
    except IpcError as error:
        print(f"{error}\n{error.suggestion}", file=sys.stderr)
        return 3
    for file in files:
        print("\n".join(lines(file)), end="\n" if file["diagnostics"] else "")
    for answer in answers:
        print("\n".join(coverage_notes(answer)), end="\n" if coverage_notes(answer) else "")
    return int(any(problem["severity"] == "error" for file in files for problem in file["diagnostics"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
