"""check_html.py RENDER_SAMPLES OUTPUT_FOLDER: the HTML reports in a real, headless Chromium: they open
without an error on the console and without a request, filter and sort; screenshots are kept."""
import html.parser
import os
import sys
import xml.etree.ElementTree as ElementTree

import browser
import formats

VISIBLE = ("return Array.from(document.querySelectorAll('details.finding[data-severity]'))"
           ".filter(f => f.offsetParent !== null).map(f => f.dataset.severity)")
COLUMN = ("return Array.from(document.querySelectorAll(arguments[0] + ' tbody tr'))"
          ".map(r => r.cells[arguments[1]].textContent)")


class Tags(html.parser.HTMLParser):
    def __init__(self, source):
        super().__init__()
        self.found = []
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, [name for name, _ in attributes]))


def check_static(checks, folder, name):
    """What can be seen without a browser: nothing in the page names another document."""
    tags = Tags(formats.read(folder, f"{name}.html")).found
    checks.check(len(tags) > 100, f"{name}: {len(tags)} tags")
    for tag, attributes in tags:
        checks.check(tag not in ("a", "img", "link", "iframe", "object", "embed", "base"),
                     f"{name}: <{tag}>")
        for attribute in attributes:
            checks.check(attribute not in ("href", "src", "style") and
                         not attribute.startswith("on"), f"{name}: <{tag} {attribute}>")
    svg = ElementTree.fromstring(formats.read(folder, f"{name}.svg").encode())
    checks.check(svg.tag == "{http://www.w3.org/2000/svg}svg", f"{name}: the plot is no SVG")


def open_cleanly(checks, page, path):
    page.open(path)
    log = [entry["message"] for entry in page.console()]
    checks.check(not log, f"{path}: the console says {log}")
    requests = page.run("return performance.getEntriesByType('resource').map(e => e.name)")
    checks.check(not requests, f"{path}: asks for {requests}")


def check_sample(checks, page):
    severities = page.run(VISIBLE)
    checks.check(severities == ["error", "error", "warning", "undecidable", "note"],
                 f"before filtering: {severities}")
    page.click("input[name=severity][value=error]")
    checks.check(page.run(VISIBLE) == ["warning", "undecidable", "note"], "without errors")
    shown = page.run("return document.querySelector('#filter output').value")
    checks.check(shown == "3 of 5 shown", f"the filter says {shown}")
    page.click("input[name=severity][value=error]")
    # The second connector, the iceberg one.
    page.click("#filter select option:nth-child(3)")
    severities = page.run(VISIBLE)
    checks.check(severities == ["warning", "undecidable"], f"one connector: {severities}")
    page.click("#filter select option:nth-child(1)")
    page.type("#filter input[type=search]", "PARQUET.base")
    checks.check(page.run(VISIBLE) == ["undecidable"], "by text")
    page.run("const t = document.querySelector('#filter input[type=search]');"
             "t.value = ''; t.dispatchEvent(new Event('input', {bubbles: true}))")
    checks.check(len(page.run(VISIBLE)) == 5, "all again")

    table = "section.card > .scroll > table:not(.matrix)"
    before = page.run(COLUMN, table, 2)
    head = f"{table} thead th:nth-child(3) button"
    page.click(head)
    checks.check(page.run(COLUMN, table, 2) == ["0", "1", "2"], "sorted upwards")
    page.click(head)
    checks.check(page.run(COLUMN, table, 2) == ["2", "1", "0"], "sorted downwards")
    checks.check(page.run("return document.querySelector(arguments[0]).ariaSort",
                          f"{table} thead th:nth-child(3)") == "descending", "aria-sort")
    page.click(head)
    checks.check(page.run(COLUMN, table, 2) == before, "the report's order again")

    colours = page.run("return Array.from(document.querySelectorAll('table.matrix tbody tr:first-child td'))"
                       ".map(c => getComputedStyle(c).backgroundColor)")
    checks.check(len(set(colours)) == 3, f"the matrix is a heat map: {colours}")
    dots = page.run("return document.querySelectorAll('svg.plot circle.dot title').length")
    checks.check(dots == 9, f"{dots} points in the plot; 10 values, one is a gap")
    stroke = page.run("return getComputedStyle(document.querySelector('svg.plot path.line.c0')).stroke")
    checks.check(stroke not in ("none", ""), f"the embedded plot has its style: {stroke}")
    wide = page.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    checks.check(wide <= 0, f"the page is {wide} px wider than the window")


def check_hostile(checks, page):
    injected = page.run("return document.querySelectorAll('main script, main img, main style, "
                        "header script, footer script').length")
    checks.check(injected == 0, f"{injected} elements came out of texts")
    texts = page.run("return Array.from(document.querySelectorAll('#summary tbody td:first-child'))"
                     ".map(c => c.textContent)")
    checks.check("<script>alert(1)</script><img src=x onerror=alert(2)>" in texts,
                 "a hostile text is shown as it is")
    wide = page.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    checks.check(wide <= 0, f"long names make the page {wide} px wider than the window")


def main():
    chromium = formats.need_program(["chromium", "google-chrome"], "chromium")
    chromedriver = formats.need_program(["chromedriver"], "chromium-driver")
    output = sys.argv[2]
    os.makedirs(output, exist_ok=True)
    checks = formats.Checks()
    folder = formats.render(sys.argv[1])
    for name in ("sample", "hostile"):
        check_static(checks, folder, name)
    sample, hostile = (os.path.join(folder.name, f"{name}.html") for name in ("sample", "hostile"))
    with browser.Browser(chromium, chromedriver) as page:
        open_cleanly(checks, page, sample)
        check_sample(checks, page)
        page.screenshot(os.path.join(output, "report.png"))
        page.pdf(os.path.join(output, "report.pdf"))
        open_cleanly(checks, page, hostile)
        check_hostile(checks, page)
        page.screenshot(os.path.join(output, "hostile.png"))
    with browser.Browser(chromium, chromedriver, dark=True) as page:
        open_cleanly(checks, page, sample)
        dark = page.run("return matchMedia('(prefers-color-scheme: dark)').matches &&"
                        "getComputedStyle(document.body).backgroundColor")
        checks.check(dark == "rgb(15, 20, 29)", f"dark mode: {dark}")
        page.screenshot(os.path.join(output, "report-dark.png"))
    checks.exit()


main()
