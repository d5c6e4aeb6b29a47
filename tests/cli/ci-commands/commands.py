"""Prints the commands of a step of docs/ci: `commands.py FILE NAME`.

NAME is the name of a GitHub step, whose `run` block is printed, or the key of a GitLab job's list.
"""
import sys

file, wanted = sys.argv[1:]
lines = open(file, encoding="utf-8").read().splitlines()


def indented(start):
    """The lines after `start` that are indented deeper than it."""
    depth = len(lines[start]) - len(lines[start].lstrip())
    block = []
    for line in lines[start + 1:]:
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        block.append(line.strip())
    return block


if f"      - name: {wanted}" in lines:
    step = lines.index(f"      - name: {wanted}")
    run = next(i for i in range(step, len(lines)) if lines[i].strip() == "run: |")
    print("\n".join(indented(run)))
else:
    print("\n".join(line.removeprefix("- ") for line in indented(lines.index(f"  {wanted}:"))))
