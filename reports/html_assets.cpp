#include "reports/html_assets.hpp"

namespace rowgate::reports {

std::string_view page_style() {
  return R"css(
:root{color-scheme:light dark;--ink:#1f2733;--soft:#5d6b7e;--rule:#dfe5ec;--bg:#f5f7fa;--card:#fff;
--head:#eef2f7;--link:#0b62c4;--good:#0a7347;--goodbg:#dcf5e8;--bad:#b42318;--badbg:#fde5e2;
--caution:#8a5a00;--cautionbg:#fdf0cf;--unknown:#7b2a94;--unknownbg:#f5e5fa;--muted:#5d6b7e;--mutedbg:#edf0f4}
@media (prefers-color-scheme:dark){:root{--ink:#e6ebf2;--soft:#9fb0c5;--rule:#2b3648;--bg:#0f141d;
--card:#161c27;--head:#1e2634;--link:#6cb2ff;--good:#5fdba4;--goodbg:#12372a;--bad:#ff9d94;--badbg:#47201d;
--caution:#f2c55c;--cautionbg:#3f3113;--unknown:#e0a6f2;--unknownbg:#3a1f45;--muted:#9fb0c5;--mutedbg:#222b3a}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main,header.top,footer{max-width:1180px;margin:0 auto;padding:0 20px}
header.top{padding-top:28px}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 6px}
h2{font-size:1.15rem;margin:34px 0 10px}
h3{font-size:1rem;margin:0 0 8px}
.kicker{color:var(--soft);font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;margin:0 0 4px}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:12px 0;font-size:.9rem}
dl.facts dt{color:var(--soft);max-width:16rem}dl.facts dd{margin:0}
.gate{border-radius:10px;padding:12px 16px;margin:16px 0;font-weight:600;border:1px solid}
.gate.good{background:var(--goodbg);border-color:var(--good);color:var(--good)}
.gate.bad{background:var(--badbg);border-color:var(--bad);color:var(--bad)}
.counts{display:flex;flex-wrap:wrap;gap:10px;margin:16px 0 0;padding:0;list-style:none}
.counts li{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:8px 16px;min-width:112px}
.counts b{display:block;font-size:1.5rem;line-height:1.2;font-variant-numeric:tabular-nums}
.counts span{color:var(--soft);font-size:.85rem}
.counts .on.error b{color:var(--bad)}.counts .on.warning b{color:var(--caution)}.counts .on.undecidable b{color:var(--unknown)}
.card{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px 16px;margin:12px 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{padding:7px 10px;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);min-width:5ch;max-width:46rem}
tbody tr:last-child td{border-bottom:0}
thead th{background:var(--head);font-weight:600;position:sticky;top:0;white-space:nowrap}
thead th button{all:unset;cursor:pointer;display:block;width:100%}
thead th button:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:4px}
thead th button::after{content:" \2195";color:var(--soft);opacity:.5}
th[aria-sort=ascending] button::after{content:" \2191";opacity:1}
th[aria-sort=descending] button::after{content:" \2193";opacity:1}
.r{text-align:right;font-variant-numeric:tabular-nums}
td.good{color:var(--good)}td.bad{color:var(--bad)}td.caution{color:var(--caution)}td.unknown{color:var(--unknown)}td.muted{color:var(--muted)}
td.good,td.bad,td.caution,td.unknown{font-weight:600}
table.matrix{border-collapse:separate;border-spacing:3px;width:auto}
table.matrix th,table.matrix td{border:0;border-radius:6px;overflow-wrap:normal}
table.matrix tbody th{font-weight:600;max-width:30rem;overflow-wrap:anywhere}
table.matrix thead th:not(:first-child){text-align:center}
table.matrix td{text-align:center;background:var(--mutedbg);min-width:88px}
table.matrix td.good{background:var(--goodbg)}table.matrix td.bad{background:var(--badbg)}
table.matrix td.caution{background:var(--cautionbg)}table.matrix td.unknown{background:var(--unknownbg)}
.foot{color:var(--soft);font-size:.85rem;margin:8px 0 0}
.pill{display:inline-block;border-radius:999px;padding:1px 10px;font-size:.78rem;font-weight:700;white-space:nowrap;background:var(--mutedbg);color:var(--muted)}
.pill.good{background:var(--goodbg);color:var(--good)}.pill.bad,.pill.error{background:var(--badbg);color:var(--bad)}
.pill.caution,.pill.warning{background:var(--cautionbg);color:var(--caution)}
.pill.unknown,.pill.undecidable{background:var(--unknownbg);color:var(--unknown)}
td .pill{white-space:normal}
.filter{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin:0 0 12px;font-size:.9rem}
.filter fieldset{border:0;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:4px 14px}
.filter label{display:inline-flex;gap:6px;align-items:center}
.filter select,.filter input[type=search]{font:inherit;color:inherit;background:var(--card);border:1px solid var(--rule);border-radius:7px;padding:5px 9px;width:17rem;max-width:100%}
.filter output{color:var(--soft);margin-left:auto}
[hidden]{display:none!important}
details.finding{background:var(--card);border:1px solid var(--rule);border-left-width:5px;border-radius:8px;margin:8px 0}
details.finding.error{border-left-color:var(--bad)}details.finding.warning{border-left-color:var(--caution)}
details.finding.undecidable{border-left-color:var(--unknown)}details.finding.note{border-left-color:var(--muted)}
details.finding>summary{padding:9px 14px;cursor:pointer}
details.finding .subject{color:var(--soft)}
details.finding>summary code{font-weight:700;margin:0 4px}
details.finding .body{padding:0 14px 12px 32px}
.body dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 14px;margin:0;font-size:.9rem}
.body dt{color:var(--soft)}.body dd{margin:0}
code,pre{font:.86em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--head);border-radius:6px;padding:8px 10px;margin:0;white-space:pre-wrap;max-height:28rem;overflow:auto}
details.fold>summary{cursor:pointer;font-weight:600}
details.fold[open]>summary{margin-bottom:10px}
svg.plot{display:block;width:100%;max-width:860px;height:auto}
footer{color:var(--soft);font-size:.85rem;padding-top:20px;padding-bottom:40px}
@media (max-width:640px){dl.facts,.body dl{grid-template-columns:1fr}dl.facts dd{margin-bottom:6px}.filter output{margin-left:0}}
@media print{
:root{color-scheme:light;--ink:#000;--soft:#444;--rule:#bbb;--bg:#fff;--card:#fff;--head:#eee;--good:#0a7347;--goodbg:#dcf5e8;--bad:#b42318;--badbg:#fde5e2;--caution:#8a5a00;--cautionbg:#fdf0cf;--unknown:#7b2a94;--unknownbg:#f5e5fa;--muted:#444;--mutedbg:#eee}
.plot{--ink:#000!important;--soft:#444!important;--rule:#ddd!important;--bg:#fff!important}
body{font-size:11px;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.filter,thead th button::after{display:none}
main,header.top,footer{max-width:none;padding:0}
thead th{position:static}.scroll{overflow:visible}pre{max-height:none}
tr,svg.plot{break-inside:avoid}h2,h3{break-after:avoid}
}
)css";
}

std::string_view page_script() {
  return R"js(
"use strict";
(function () {
  // Sorting: a click sorts upwards, the next downwards, the third restores the order of the report.
  var number = function (text) {
    var match = /^\s*[-+]?[\d,]*\.?\d+(e[-+]?\d+)?/i.exec(text);
    return match ? Number(match[0].replace(/,/g, "")) : NaN;
  };
  var compare = function (a, b) {
    var x = number(a), y = number(b);
    if (!isNaN(x) && !isNaN(y) && x !== y) return x - y;
    if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
    return a.localeCompare(b, "en", {numeric: true});
  };
  document.querySelectorAll("table.sortable").forEach(function (table) {
    var body = table.tBodies[0];
    var original = Array.prototype.slice.call(body.rows);
    table.querySelectorAll("thead th").forEach(function (header, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (header.firstChild) button.appendChild(header.firstChild);
      header.appendChild(button);
      button.addEventListener("click", function () {
        var now = header.getAttribute("aria-sort");
        var next = now === "ascending" ? "descending" : now === "descending" ? null : "ascending";
        table.querySelectorAll("thead th").forEach(function (other) {
          other.removeAttribute("aria-sort");
        });
        var rows = original.slice();
        if (next) {
          header.setAttribute("aria-sort", next);
          var sign = next === "ascending" ? 1 : -1;
          rows.sort(function (a, b) {
            return sign * compare(a.cells[column].textContent, b.cells[column].textContent);
          });
        }
        rows.forEach(function (row) { body.appendChild(row); });
      });
    });
  });

  // Filtering findings.
  var form = document.getElementById("filter");
  if (form) {
    var findings = Array.prototype.slice.call(document.querySelectorAll("details.finding[data-severity]"));
    var texts = findings.map(function (finding) { return finding.textContent.toLowerCase(); });
    var apply = function () {
      var severities = {};
      form.querySelectorAll("input[name=severity]").forEach(function (box) {
        severities[box.value] = box.checked;
      });
      var subject = form.elements.subject.value;
      var text = form.elements.text.value.trim().toLowerCase();
      var shown = 0;
      findings.forEach(function (finding, i) {
        var show = severities[finding.dataset.severity] &&
            (subject === "" || finding.dataset.subject === subject) &&
            (text === "" || texts[i].indexOf(text) >= 0);
        finding.hidden = !show;
        if (show) ++shown;
      });
      form.elements.shown.value = shown + " of " + findings.length + " shown";
    };
    form.addEventListener("input", apply);
    form.addEventListener("change", apply);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.hidden = false;
    apply();
  }

  // Paper cannot be unfolded.
  var folded = [];
  window.addEventListener("beforeprint", function () {
    folded = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    folded.forEach(function (details) { details.open = true; });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (details) { details.open = false; });
  });
})();
)js";
}

}  // namespace rowgate::reports
