"""check_json.py RENDER_SAMPLES: the JSON reports against the schema, by a validator of others.

The schema lets readers meet keys that they do not know. Our own output must not have any: here every
object of the schema is closed first, so that a key which the schema forgot fails."""
import copy
import json
import sys

import formats

jsonschema = formats.need_module("jsonschema", "python3-jsonschema")


def closed(schema):
    if isinstance(schema, dict):
        result = {key: closed(value) for key, value in schema.items()}
        if result.get("type") == "object":
            result["additionalProperties"] = False
        return result
    return [closed(entry) for entry in schema] if isinstance(schema, list) else schema


def mutations(report):
    """Reports that the schema must refuse."""
    def mutate(name, change):
        mutated = copy.deepcopy(report)
        change(mutated)
        return name, mutated

    yield mutate("another version", lambda r: r.update(schema_version=2))
    yield mutate("no findings", lambda r: r.pop("findings"))
    yield mutate("a severity", lambda r: r["findings"][0].update(severity="fatal"))
    yield mutate("a check id", lambda r: r["findings"][0].update(check="XX1"))
    yield mutate("a line of 0", lambda r: r["findings"][0]["location"].update(line=0))
    yield mutate("a tone", lambda r: r["tables"][0]["rows"][0][0].update(tone="pink"))
    yield mutate("text as a number", lambda r: r["series"][0]["x"].append("1"))
    yield mutate("a gate without verdict", lambda r: r["gate"].pop("failed"))


def main():
    checks = formats.Checks()
    with open("reports/schema/report-v1.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    open_validator = jsonschema.Draft202012Validator(schema)
    closed_validator = jsonschema.Draft202012Validator(closed(schema))
    folder = formats.render(sys.argv[1])
    for name in ("sample.json", "hostile.json"):
        report = json.loads(formats.read(folder, name))
        for validator in (open_validator, closed_validator):
            errors = [f"{name}: {error.json_path}: {error.message[:200]}"
                      for error in validator.iter_errors(report)]
            checks.check(not errors, "\n".join(errors))
    sample = json.loads(formats.read(folder, "sample.json"))
    for name, mutated in mutations(sample):
        checks.check(not open_validator.is_valid(mutated), f"the schema accepts {name}")
    order = list(schema["properties"])
    checks.check(list(sample) == order, f"keys come as {list(sample)}, the schema has {order}")
    checks.exit()


main()
