"""How long the explorer takes to follow a brush, measured in the page: ten attributes, 64 levels, 64 components.

    python benchmarks/explorer.py

An update is everything that one step of a brush changes: the sentence and its interval, and every histogram with its
conditional distribution and its band. It is timed by the page itself, then with the browser's style and layout forced
as well. A screen draws every 16.7 ms. Needs Chromium and playwright.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

import sottovoce as sv
from sottovoce.explorer import explorer_page

ATTRIBUTES, LEVELS, USERS, STEPS = 10, 64, 1_000_000, 200

OBSERVE = """() => {
    window.updates = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntriesByName("explorer update")) window.updates.push(entry.duration);
    }).observe({ type: "measure" });
}"""

LAID_OUT = """(steps) => {
    const field = document.querySelector("input[type=number][aria-label$=to]");
    const times = [];
    for (let step = 0; step < steps; step++) {
        const begun = performance.now();
        field.value = 20 + (step % 40);
        field.dispatchEvent(new Event("change"));
        document.body.getBoundingClientRect();
        times.push(performance.now() - begun);
    }
    return times;
}"""


def make_page(path: Path) -> None:
    """Write the page of a model of ten attributes that share three hidden causes."""
    generator = np.random.default_rng(3)
    causes, mixing = generator.standard_normal((100_000, 3)), generator.standard_normal((3, ATTRIBUTES))
    values = 0.8 * causes @ mixing / np.sqrt((mixing**2).sum(axis=0)) + 0.6 * generator.standard_normal((100_000, 10))
    levels = np.clip((values + 3) / 6 * LEVELS, 0, LEVELS - 1).astype(np.int64)
    table = {f"attribute {place + 1}": column for place, column in enumerate(levels.T)}
    schema = sv.Schema([sv.Ordinal(name, 0, LEVELS - 1) for name in table])
    plan = sv.Plan.create(schema, epsilon=1, users=USERS)
    model = sv.fit(plan, sv.simulate(plan, table, seed=1, users=USERS))
    path.write_text(explorer_page(model, plan=plan), encoding="utf-8")
    components = len(model.state()["weights"])
    print(f"{ATTRIBUTES} attributes, {LEVELS} levels, {components} components, {len(model.replicates)} repeated fits")
    print(f"the page: {path.stat().st_size / 1000:.0f} kB")


def brush(page: Page) -> list[float]:
    """Drag over two histograms, so that the second brush changes conditionals, and return what updates took (ms)."""
    page.evaluate(OBSERVE)
    for number in (0, 3):
        box = page.locator(".overlay").nth(number).bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + 0.2 * box["width"], middle)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.9 * box["width"], middle, steps=STEPS)
        page.mouse.up()
    page.wait_for_timeout(200)
    return list(map(float, page.evaluate("window.updates")))


def show(what: str, times: list[float]) -> None:
    median, most, worst = np.quantile(times, [0.5, 0.95, 1])
    print(f"{what}: median {median:.1f} ms, 95% below {most:.1f} ms, longest {worst:.1f} ms ({len(times)} updates)")


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        make_page(path)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        page.goto(path.as_uri())
        page.locator(".fraction").wait_for()
        show("a step of a brush", brush(page))
        show("the same with style and layout", page.evaluate(LAID_OUT, STEPS))
        browser.close()


if __name__ == "__main__":
    main()
