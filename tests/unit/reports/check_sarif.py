"""check_sarif.py RENDER_SAMPLES: the SARIF reports against OASIS' schema, and the rules beyond it
that code scanning needs."""
import copy
import json
import sys
import urllib.parse

import formats

jsonschema = formats.need_module("jsonschema", "python3-jsonschema")


def main():
    checks = formats.Checks()
    with open("tests/unit/reports/data/sarif-schema-2.1.0.json", encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.Draft4Validator(schema)
    folder = formats.render(sys.argv[1])
    for name in ("sample", "hostile"):
        log = json.loads(formats.read(folder, f"{name}.sarif"))
        report = json.loads(formats.read(folder, f"{name}.json"))
        errors = [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
                  for error in validator.iter_errors(log)]
        checks.check(not errors, "\n".join(errors[:10]))
        run = log["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        findings = report["findings"] + [entry["finding"] for entry in report["suppressed"]]
        checks.check(len(run["results"]) == len(findings), f"{name}: results and findings differ")
        hashes = set()
        for result, finding in zip(run["results"], findings):
            checks.check(rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding["check"],
                         f"{name}: rule of {finding['check']}")
            checks.check(len(result["locations"]) == 1, f"{name}: one location a result")
            artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
            parsed = urllib.parse.urlsplit(artifact["uri"])
            checks.check(parsed.scheme in ("", "file") and not parsed.query and not parsed.fragment
                         and artifact["uri"].isascii(), f"{name}: URI {artifact['uri']!r}")
            prints = result["partialFingerprints"]
            checks.check(prints["rowgateFingerprint/v1"] == finding["fingerprint"],
                         f"{name}: fingerprint")
            hashes.add(prints["primaryLocationLineHash"])
            # Braces come in pairs in a message, else they are placeholders (3.11.5).
            text = result["message"]["text"].replace("{{", "").replace("}}", "")
            checks.check("{" not in text and "}" not in text, f"{name}: a placeholder in {text!r}")
        checks.check(len(hashes) == len(findings), f"{name}: two results with one line hash")
        suppressed = [r for r in run["results"] if r.get("suppressions")]
        checks.check(len(suppressed) == len(report["suppressed"]), f"{name}: suppressions")

    log = json.loads(formats.read(folder, "sample.sarif"))
    results = {r["ruleId"]: r for r in log["runs"][0]["results"]}
    location = results["RG1003"]["locations"][0]["physicalLocation"]
    checks.check(location == {"artifactLocation": {"uri": "conf/spark-defaults.conf",
                                                   "uriBaseId": "%SRCROOT%"},
                              "region": {"startLine": 12}}, f"a line's location: {location}")
    location = results["RG1102"]["locations"][0]["physicalLocation"]
    checks.check(location["artifactLocation"]["uri"] == "rowgate.toml", "the fallback location")
    members = [entry["fullyQualifiedName"]
               for entry in results["RG1101"]["locations"][0]["logicalLocations"]]
    checks.check(any("DeltaTableV2.newScanBuilder(" in member for member in members),
                 f"the member in logicalLocations: {members}")
    checks.check(results["RG1102"]["level"] == "warning" and
                 results["RG1102"]["message"]["text"].startswith("Undecidable: "), "undecidable")
    checks.check("until 2027-01-31" in results["RG2101"]["suppressions"][0]["justification"],
                 "an ignore's justification")
    for change in (lambda l: l["runs"][0]["results"][0].update(level="fatal"),
                   lambda l: l["runs"][0]["tool"].pop("driver"),
                   lambda l: l["runs"][0]["results"][0].pop("message"),
                   lambda l: l.update(extra=1)):
        mutated = copy.deepcopy(log)
        change(mutated)
        checks.check(not validator.is_valid(mutated), "the validator accepts what it must not")
    checks.exit()


main()
