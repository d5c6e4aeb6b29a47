"""check_markdown.py RENDER_SAMPLES: the markdown reports, rendered by cmark-gfm as GitHub does.

The table's cells must come back as the texts that went in, and nothing of a hostile text may have
become markup, a link or a mention."""
import html.parser
import json
import subprocess
import sys

import formats

ALLOWED = {"h2", "h3", "p", "ul", "li", "strong", "table", "thead", "tbody", "tr", "th", "td",
           "details", "summary"}


class Page(html.parser.HTMLParser):
    """Tags, tables as lists of rows of texts, and text outside of tags."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.tags = []
        self.open = []
        self.tables = []
        self.items = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "li":
            self.items.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open}"
        self.open.pop()

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        elif self.open and self.open[-1] == "li":
            self.items[-1] += data


def plain(text):
    """What a reader sees: without marks of ours and without zero-width spaces."""
    for mark in ("✅", "❌", "⚠️", "❔", "\u200b"):
        text = text.replace(mark, "")
    return text.strip()


def main():
    cmark = formats.need_program(["cmark-gfm"], "cmark-gfm")
    checks = formats.Checks()
    folder = formats.render(sys.argv[1])
    for name in ("sample", "hostile"):
        for source in (f"{name}.md", f"{name}.comment.md"):
            rendered = subprocess.run(
                [cmark, "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough",
                 "-e", "tasklist"],
                input=formats.read(folder, source), capture_output=True, text=True, check=True).stdout
            page = Page(rendered)
            checks.check(not page.open, f"{source}: {page.open} stay open")
            for tag, attributes in page.tags:
                checks.check(tag in ALLOWED, f"{source}: <{tag}> came out of a text")
                checks.check(set(attributes) <= {"align"}, f"{source}: {attributes}")
            for table in page.tables:
                widths = {len(row) for row in table}
                checks.check(len(widths) == 1, f"{source}: rows of {widths} cells in one table")
            for line in page.text.split("\n"):
                checks.check("@octocat" not in line, f"{source}: mentions @octocat: {line[:80]}")
        if name == "sample":
            checks.check("One MERGE of 3 rows (time [ms])" in page.text, "a folded table's title")
        # The cells are the texts of the JSON report, made printable and shortened.
        report = json.loads(formats.read(folder, f"{name}.json"))
        rendered = subprocess.run([cmark, "--unsafe", "-e", "table", "-e", "autolink"],
                                  input=formats.read(folder, f"{name}.md"), capture_output=True,
                                  text=True, check=True).stdout
        tables = Page(rendered).tables
        first = report["tables"][0]
        shown = [t for t in tables if len(t[0]) == len(first["columns"]) and
                 len(t) == len(first["rows"]) + 1]
        checks.check(shown, f"{name}: the first table is not there with all its rows")
        compared = 0
        for wanted, got in zip(first["rows"], shown[0][1:] if shown else []):
            for cell, text in zip(wanted, got):
                raw = cell["text"]
                if all(" " <= c != "\x7f" for c in raw) and "\u202e" not in raw and len(raw) < 300:
                    checks.check(plain(text) == raw.strip(), f"{name}: {raw!r} became {text!r}")
                    compared += 1
        checks.check(compared > 5, f"{name}: {compared} cells compared")
    checks.exit()


main()
