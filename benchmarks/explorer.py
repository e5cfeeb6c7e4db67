"""How long the explorer takes to follow a brush, measured in the page: ten attributes, 64 levels, 64 components.

    python benchmarks/explorer.py

An update is everything that one step of a brush changes: the sentence and its interval, and every histogram with its
conditional distribution and its band. It is timed in the page, by itself and with the browser's style and layout. A
screen draws every 16.7 ms. Needs Chromium and playwright.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import sync_playwright

import sottovoce as sv
from sottovoce.views.explorer import explorer_page

ATTRIBUTES, LEVELS, USERS, STEPS = 10, 64, 1_000_000, 200

BRUSH = """async ([place, steps]) => {
    const overlay = document.querySelectorAll(".overlay")[place];
    const { left, top, width, height } = overlay.getBoundingClientRect();
    const move = (kind, part, target) => target.dispatchEvent(new MouseEvent(kind, {
        bubbles: true, cancelable: true, view: window, clientX: left + part * width, clientY: top + height / 2,
    }));
    const times = [];
    move("mousedown", 0.1, overlay);
    for (let step = 0; step < steps; step++) {
        const begun = performance.now();
        move("mousemove", 0.2 + 0.7 * step / steps, window);
        const updated = performance.now();
        document.body.getBoundingClientRect();
        times.push([updated - begun, performance.now() - begun]);
        await new Promise(requestAnimationFrame);
    }
    move("mouseup", 0.9, window);
    return times;
}"""
"""Drags over a histogram, one step per frame; returns how long each step took, without and with style and layout."""


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


def show(what: str, times: NDArray[np.float64]) -> None:
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
        page.evaluate(BRUSH, [0, STEPS])  # the second brush changes conditionals as well
        times = np.array(page.evaluate(BRUSH, [3, STEPS]))
        show("a step of a brush", times[:, 0])
        show("with style and layout", times[:, 1])
        browser.close()


if __name__ == "__main__":
    main()
