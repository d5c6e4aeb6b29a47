"""check_junit.py RENDER_SAMPLES: the JUnit reports, read by an XML parser, against the rules that the
common schemas (Jenkins' and the Ant task's) share."""
import json
import sys
import xml.etree.ElementTree as ElementTree

import formats

CHILDREN = {"testsuites": {"testsuite"}, "testsuite": {"testcase"},
            "testcase": {"failure", "error", "skipped", "system-out"},
            "failure": set(), "error": set(), "skipped": set(), "system-out": set()}
REQUIRED = {"testsuites": {"name", "tests", "failures", "errors", "skipped"},
            "testsuite": {"name", "tests", "failures", "errors", "skipped"},
            "testcase": {"name", "classname"}, "failure": {"type", "message"},
            "error": {"type", "message"}, "skipped": {"message"}, "system-out": set()}


def check_counts(checks, element, name):
    cases = list(element.iter("testcase"))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        found = sum(1 for case in cases if case.find(tag) is not None)
        checks.check(int(element.get(attribute)) == found, f"{name}: {attribute} of {element.tag}")
    checks.check(int(element.get("tests")) == len(cases), f"{name}: tests of {element.tag}")


def main():
    checks = formats.Checks()
    folder = formats.render(sys.argv[1])
    for name in ("sample", "hostile"):
        root = ElementTree.fromstring(formats.read(folder, f"{name}.xml").encode("utf-8"))
        checks.check(root.tag == "testsuites", f"{name}: the root")
        for element in root.iter():
            checks.check({child.tag for child in element} <= CHILDREN[element.tag],
                         f"{name}: children of {element.tag}")
            checks.check(set(element.keys()) == REQUIRED[element.tag],
                         f"{name}: attributes of {element.tag}: {element.keys()}")
        for case in root.iter("testcase"):
            checks.check(len(case) <= 1, f"{name}: one outcome a case")
        for element in [root, *root.iter("testsuite")]:
            check_counts(checks, element, name)
        report = json.loads(formats.read(folder, f"{name}.json"))
        cases = sum(1 for suite in root if suite.get("name") != "coverage"
                    for case in suite if case.get("name") != "no findings")
        checks.check(cases == len(report["findings"]) + len(report["suppressed"]),
                     f"{name}: {cases} cases for its findings")

    root = ElementTree.fromstring(formats.read(folder, "sample.xml"))
    checks.check({"failures": root.get("failures"), "errors": root.get("errors"),
                  "skipped": root.get("skipped")} ==
                 {"failures": "2", "errors": "0", "skipped": "4"},
                 f"the sample's counts: {root.attrib}")
    failure = next(f for f in root.iter("failure") if f.get("type") == "RG1101")
    checks.check("help: Keep the hand-written MERGE." in failure.text, "the failure's text")
    skipped = [s.get("message") for s in root.iter("skipped")]
    checks.check("ignore: vendor confirmed it, until 2027-01-31" in skipped, f"ignored: {skipped}")
    checks.check("12345 looked at, 1 could not be" in skipped, f"coverage: {skipped}")
    checks.exit()


main()
