#!/usr/bin/env python3
"""Asks `rowgate link` about the real connectors and Sparks of truth.txt, and compares.

usage: truth.py ROWGATE [PAIR…]      ROWGATE_TEST_RELEASE, when it is set, instead of ROWGATE

PAIR: only the pairs whose line holds this text. Connectors and Sparks are downloaded by rowgate itself
into its own cache; the Sparks that no Maven repository has come from PySpark's sdist, through pip, into
the same cache. The second run needs no download.

Exit status: 0 all agree, 1 differences, 3 something could not be had, 77 there is no pip.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from real_jars import pyspark_jars

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Pair:
    line: str
    connector: str
    target: str
    given_baseline: str = ""
    built: str = ""
    errors: str = ""  # a number or "some"
    expected: list = dataclasses.field(default_factory=list)


def read_truth(file):
    pairs, from_pyspark = [], set()
    for line in file.read_text().splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "pyspark":
            from_pyspark.update(words[1:])
        elif words[0] == "pair":
            match = re.fullmatch(r"pair (\S+) on (\S+?)(?: (from|built) (\S+?))?: (\d+|some) errors", line)
            if not match:
                sys.exit(f"{file}: cannot read: {line}")
            connector, target, how, baseline, errors = match.groups()
            pairs.append(Pair(line[5:], connector, target, baseline if how == "from" else "",
                              baseline if how == "built" else "", errors))
        elif len(words) == 2 and pairs:
            pairs[-1].expected.append(tuple(words))
        else:
            sys.exit(f"{file}: cannot read: {line}")
    return pairs, from_pyspark


def differences(pair, report):
    """What in the report is not as the pair says."""
    wrong = []
    findings = report["findings"]
    broken = [f for f in findings if f["severity"] == "error"]
    causes = [f for f in broken if f["check"] != "RG1216"]  # RG1216: a class that a cause takes along
    compared = report["tables"][0]["rows"][0][-1]["text"]
    if not compared.startswith(f"Spark {pair.given_baseline or pair.built}"):
        wrong.append(f"compared with {compared}")
    if pair.errors == "0":
        lesser = [f for f in findings if f["severity"] in ("error", "warning", "undecidable")]
        wrong += [f"a false alarm: {f['severity']} {f['check']} {f['message']}" for f in lesser]
    elif pair.errors != "some" and len(causes) != int(pair.errors):
        wrong.append(f"{len(causes)} root causes:" + "".join(f"\n    {f['message']}" for f in causes))
    verdict = "works" if pair.errors == "0" else "breaks"
    if report["summary"][0]["verdict"] != verdict:
        wrong.append(f"the verdict is {report['summary'][0]['verdict']}")
    for error, symbol in pair.expected:
        if error == "cannot-link":
            found = any(f["check"] == "RG1216" and f["symbol"] == symbol for f in broken)
        else:
            found = any(f["message"].startswith(error + ":") and f["symbol"].startswith(symbol) for f in causes)
        if not found:
            wrong.append(f"missing: {error} {symbol}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rowgate")
    parser.add_argument("pairs", nargs="*")
    arguments = parser.parse_args()
    pairs, from_pyspark = read_truth(HERE / "truth.txt")
    pairs = [p for p in pairs if not arguments.pairs or any(text in p.line for text in arguments.pairs)]
    failed = 0
    for pair in pairs:
        start = time.monotonic()
        spark = {v: str(pyspark_jars(v)) for v in (pair.target, pair.given_baseline) if v in from_pyspark}
        command = [os.environ.get("ROWGATE_TEST_RELEASE") or arguments.rowgate, "link", pair.connector, "--spark", spark.get(pair.target, pair.target),
                   "--format", "json", "--all", "--no-config", "--java", "17"]
        if pair.given_baseline:
            command += ["--baseline", spark.get(pair.given_baseline, pair.given_baseline)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode not in (0, 1):
            print(f"FAILED {pair.line}\n  exit status {run.returncode}: {run.stderr}")
            failed += 1
            continue
        wrong = differences(pair, json.loads(run.stdout))
        if (run.returncode == 0) != (pair.errors == "0"):
            wrong.append(f"exit status {run.returncode}")
        print(f"{'FAILED' if wrong else 'ok'} {pair.line} ({time.monotonic() - start:.1f} s)", flush=True)
        for text in wrong:
            print("  " + text)
        failed += bool(wrong)
    print(f"{len(pairs)} pairs, {failed} with differences")
    return 1 if failed or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
