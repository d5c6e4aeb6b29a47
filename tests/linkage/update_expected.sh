#!/bin/sh
# Writes expected.tsv anew: what the JVM that `java` starts really does with every case. Needs a JDK 17.
set -eu
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
java tests/support/java/RefereeCorpus.java run tests/linkage "$out" > tests/linkage/expected.tsv.new
mv tests/linkage/expected.tsv.new tests/linkage/expected.tsv
