"""A visitor of the web application: what is watched for on every page, and what is done there."""

import json
import re
from pathlib import Path
from typing import Any, cast

import httpx
from playwright.sync_api import Page, expect

from tests.journeys.workbench_server import ROOT, WorkbenchServer

AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
LARGEST_SHIFT = 0.1

# Runs before the page's own scripts. What is taken out of a run's view and put in again has
# flickered: parts by their ids, steps by their titles, the timeline itself.
WATCH = """
window.flickered = [];
window.shifted = 0;
window.shifts = [];
const gone = new Map();
const nameOf = (node) =>
  node.dataset?.id ?? (node.classList?.contains("step") ? `step ${node.innerText.split("\\n")[0]}`
    : node.classList?.contains("progress") ? "progress" : null);
const each = (nodes, act) => {
  for (const node of nodes) {
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    for (const found of [node, ...node.querySelectorAll("[data-id], .step, .progress")]) {
      const name = nameOf(found);
      const run = found.closest("[data-run]")?.dataset.run ?? "";
      if (name !== null) act(`${run} ${name}`, found);
    }
  }
};
new MutationObserver((changes) => {
  for (const change of changes) {
    const run = change.target.closest?.("[data-run]");
    if (!run) continue;
    each(change.removedNodes, (name) => gone.set(name, performance.now()));
    each(change.addedNodes, (name) => gone.has(name) && window.flickered.push(name));
  }
}).observe(document, { childList: true, subtree: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) {
    window.shifted += entry.value;
    const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(",");
    const moved = entry.sources.map((each) =>
      `${each.node?.className} ${place(each.previousRect)} > ${place(each.currentRect)};`);
    window.shifts.push([entry.value.toFixed(3), ...moved].join(" "));
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def is_calm(page: Page) -> None:
    """Nothing has flickered or jumped since the page was opened."""
    assert page.evaluate("window.flickered") == []
    shifted: float = page.evaluate("window.shifted")
    assert shifted <= LARGEST_SHIFT, page.evaluate("window.shifts")


def is_accessible(page: Page) -> None:
    expect(page).to_have_title(re.compile("."))  # it names itself once its script has come
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    rules = {"resultTypes": ["violations"]}
    found = cast("dict[str, Any]", page.evaluate(f"axe.run(document, {json.dumps(rules)})"))
    serious = [
        (each["id"], [node["html"][:200] for node in each["nodes"]][:3])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert serious == [], f"{page.url}: {serious}"


def fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page.url


def index(server: WorkbenchServer, collection: str, *documents: Path) -> None:
    """Through the API, as the page of collections does."""
    files: list[Any] = []
    for document in documents:
        sent = {"name": document.name}
        address = f"{server.url}/api/v1/files"
        files.append(httpx.post(address, params=sent, content=document.read_bytes()).json())
    answer = httpx.post(
        f"{server.url}/api/v1/collections/{collection}/documents",
        json={"files": files},
        timeout=120,
    )
    assert answer.status_code == 200, answer.text
