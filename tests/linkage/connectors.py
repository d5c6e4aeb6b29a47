#!/usr/bin/env python3
"""Asks HotSpot about every reference of real connectors, and compares with the linkage check.

usage: connectors.py LINK_REFEREE ROWGATE JAVA_HOME PYSPARK_VERSION CONNECTOR…

A CONNECTOR is coordinates joined by `+`: what goes together in one child loader. Exit status: 0 no
opposite verdict, 1 some, 3 something could not be had, 77 there is no pip.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

from real_jars import connector_jar, pyspark_jars

REFEREE = pathlib.Path(__file__).resolve().parent.parent / "support" / "java" / "Referee.java"
# What Spark's launcher opens of the JDK, whose exports are not judged.
OPENED = [word for package in ("sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar")
          for word in ("--add-exports", f"java.base/{package}=ALL-UNNAMED")]


def main():
    program, rowgate, java_home, version, *connectors = sys.argv[1:]
    spark = pyspark_jars(version)
    failed = 0
    for connector in connectors:
        jars = [str(connector_jar(rowgate, coordinate)) for coordinate in connector.split("+")]
        with tempfile.TemporaryDirectory(prefix="rowgate-referee-") as scratch:
            judgements = str(pathlib.Path(scratch) / "judgements.tsv")
            subprocess.run([program, judgements, java_home, "world", connector, str(spark), *jars], check=True)
            run = subprocess.run([f"{java_home}/bin/java", "-XX:+UseSerialGC", "-Xmx2g", *OPENED, str(REFEREE),
                                  judgements], capture_output=True, text=True, check=False)
        print(f"{connector} on Spark {version}\n{run.stdout}{run.stderr}", flush=True)
        agreed = re.search(r"works=(\d+)", run.stdout)
        # The connectors have tens of thousands of references: fewer answers are a test that did not run.
        failed += run.returncode != 0 or agreed is None or int(agreed[1]) < 50_000
    print(f"{len(connectors)} connectors, {failed} with opposite verdicts or too few answers")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
