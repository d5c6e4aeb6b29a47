#!/usr/bin/env python3
"""Runs one command-line case: a folder with

  cmd      a bash script, run in a scratch copy of the folder with `rowgate` on PATH
  stdout   what it must print (missing: nothing)
  stderr   what it must say on standard error (missing: nothing)
  exit     its exit status (missing: 0)

In stdout and stderr a line may be `<re>PATTERN` (a whole-line regular expression) or `<...>`
(any lines, none too), for what legitimately differs between machines. Everything else is exact.

usage: run.py ROWGATE CASE   (exit 77: skipped, the case's `cmd` said so with status 77)
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def matches(expected, actual):
    """Whether the lines match. `<...>` may stand for any number of lines, so all that the expected lines
    so far can reach are followed at once: `reached` holds how many actual lines they may have used."""
    reached = {0}
    for line in expected:
        if line == "<...>":
            reached = set(range(min(reached), len(actual) + 1))
        elif line.startswith("<re>"):
            reached = {j + 1 for j in reached if j < len(actual) and re.fullmatch(line[4:], actual[j])}
        else:
            reached = {j + 1 for j in reached if j < len(actual) and line == actual[j]}
        if not reached:
            return False
    return len(actual) in reached


def real_cache():
    """rowgate's own cache, which the case's HOME hides: where the test spark_setup puts engines."""
    parent = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(parent, "rowgate")


def main():
    rowgate, case = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

    def expected(name):
        file = case / name
        return file.read_text() if file.exists() else ""

    with tempfile.TemporaryDirectory(prefix="rowgate-cli-") as scratch:
        work = pathlib.Path(scratch) / "case"
        shutil.copytree(case, work)
        environment = {
            "PATH": f"{rowgate.parent}:{os.environ['PATH']}",
            "HOME": scratch,
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "100",
            "ROWGATE_TEST_CACHE": real_cache(),
            **{k: v for k, v in os.environ.items()
               if k.startswith(("ASAN_", "UBSAN_", "LSAN_", "TSAN_", "ROWGATE_TEST_"))},
        }
        run = subprocess.run(["bash", "-eu", "cmd"], cwd=work, env=environment, timeout=1200,
                             stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if run.returncode == 77:
        print(run.stdout.decode(errors="replace"), end="")
        return 77
    failed = False
    wanted_status = int(expected("exit") or 0)
    if run.returncode != wanted_status:
        print(f"exit status {run.returncode}, expected {wanted_status}")
        failed = True
    for name, actual in (("stdout", run.stdout), ("stderr", run.stderr)):
        want, got = expected(name), actual.decode("utf-8", errors="backslashreplace")
        if not matches(want.splitlines(), got.splitlines()):
            print("".join(difflib.unified_diff(want.splitlines(True), got.splitlines(True),
                                               f"expected {name}", f"actual {name}")))
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
