#!/usr/bin/env python3
"""Compares how our class-file parser and the JDK's own read every class of a real Spark: the digests that
tests/unit/link/class_digest.cpp and tests/support/java/ClassDigest.java print.

usage: parser.py CLASS_DIGEST JAVA PYSPARK_VERSION

Exit status: 0 no difference over 100,000 classes or more, 1 differences, 3 PySpark could not be had,
77 the JDK has no such library (it is in 17 to 23), or there is no pip.
"""
import collections
import pathlib
import subprocess
import sys
import tempfile

from real_jars import pyspark_jars

PARTS = ("header", "constant pool", "fields", "methods", "code", "stack map frames", "attributes")
MODULE = ["--add-modules", "jdk.jdeps", "--add-exports", "jdk.jdeps/com.sun.tools.classfile=ALL-UNNAMED"]


def read(file):
    lines = {}
    with open(file, encoding="utf-8", errors="surrogateescape") as text:
        for line in text:
            name, *parts = line.rstrip("\n").split("\t")
            lines[name] = parts
    return lines


def main():
    program, java, version = sys.argv[1:]
    folder = str(pyspark_jars(version))
    source = pathlib.Path(__file__).resolve().parent.parent / "support" / "java" / "ClassDigest.java"
    probe = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=True)
    if "jdk.jdeps" not in probe.stdout:
        print("skipped: this Java has no module jdk.jdeps")
        return 77
    with tempfile.TemporaryDirectory(prefix="rowgate-parser-") as scratch:
        ours, theirs = pathlib.Path(scratch) / "ours", pathlib.Path(scratch) / "theirs"
        with open(ours, "wb") as a, open(theirs, "wb") as b:
            jdk = subprocess.Popen([java, "-XX:+UseSerialGC", "-Xmx1g", *MODULE, str(source), folder], stdout=b,
                                   stderr=subprocess.PIPE, text=True)
            own = subprocess.run([program, folder], stdout=a, check=False)
            _, errors = jdk.communicate()
        if "com.sun.tools.classfile" in errors and jdk.returncode != 0:
            print("skipped: this JDK's jdk.jdeps has no com.sun.tools.classfile")
            return 77
        if own.returncode != 0 or jdk.returncode != 0:
            print(f"class_digest ended with {own.returncode}, java with {jdk.returncode}\n{errors}")
            return 1
        ours, theirs = read(ours), read(theirs)
    wrong = collections.Counter()
    for name in sorted(ours.keys() | theirs.keys()):
        a, b = ours.get(name, ["not listed"]), theirs.get(name, ["not listed"])
        if a == b:
            continue
        if len(a) == len(b):
            parts = [p for p, x, y in zip(PARTS, a, b) if x != y]
        else:
            parts = ["verdicts"]  # one of them rejects the class, or does not see it
        for part in parts:
            wrong[part] += 1
            if wrong[part] <= 5:
                print(f"{name}: {part} differ")
    rejected = sum(parts == ["rejected"] for parts in ours.values())
    print(f"{len(ours)} classes of Spark {version}, {sum(wrong.values())} differences {dict(wrong)}, "
          f"{rejected} rejected by both")
    return 1 if wrong or len(ours) < 100_000 else 0


if __name__ == "__main__":
    sys.exit(main())
