"""How long the explorer takes to follow a brush, measured in the page: eight attributes, 64 levels, three filters.

    python benchmarks/explorer.py

An update is everything that one step of a brush changes: the sentence with its interval and evidence, and every
histogram with its conditional distribution, its band and its hatching. It is timed in the page, by itself and with the
browser's style and layout, and by the processor time that it took, which other work on the machine does not change. A
screen draws every 16.7 ms. Needs Chromium and playwright.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import CDPSession, Page, sync_playwright

import sottovoce as sv
from sottovoce.views.explorer import explorer_page

ATTRIBUTES, LEVELS, USERS, STEPS = 8, 64, 1_000_000, 200
FILTERED = (0, 1, 3)
"""These are brushed one after the other; the last is timed."""

BEGIN = """place => {
    const overlay = document.querySelectorAll(".overlay")[place];
    const { left, top, width, height } = overlay.getBoundingClientRect();
    window.move = (kind, part, target) => target.dispatchEvent(new MouseEvent(kind, {
        bubbles: true, cancelable: true, view: window, clientX: left + part * width, clientY: top + height / 2,
    }));
    move("mousedown", 0.1, overlay);
}"""
STEP = """async part => {
    const begun = performance.now();
    move("mousemove", part, window);
    const updated = performance.now();
    document.body.getBoundingClientRect();
    const laid = performance.now();
    await new Promise(requestAnimationFrame);
    return [updated - begun, laid - begun];
}"""
"""Drags over a histogram by one step; returns how long that took, without and with style and layout."""


def brush(page: Page, session: CDPSession, index: int) -> NDArray[np.float64]:
    """Return what each step of a brush took, in milliseconds: elapsed, with layout, and of the processor alone."""
    page.evaluate(BEGIN, index)
    times = []
    for part in np.linspace(0.2, 0.9, STEPS).tolist():
        before = script_seconds(session)
        elapsed, laid_out = page.evaluate(STEP, part)
        times.append([elapsed, laid_out, 1000 * (script_seconds(session) - before)])
    page.evaluate("() => move('mouseup', 0.9, window)")
    return np.array(times)


def script_seconds(session: CDPSession) -> float:
    """Return the processor time that the page's program has taken, whatever else the machine does."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "ScriptDuration"))


def make_page(path: Path) -> None:
    """Write the page of a model of eight attributes that share three hidden causes."""
    generator = np.random.default_rng(3)
    causes, mixing = generator.standard_normal((100_000, 3)), generator.standard_normal((3, ATTRIBUTES))
    values = 0.8 * causes @ mixing / np.sqrt((mixing**2).sum(axis=0)) + 0.6 * generator.standard_normal(
        (100_000, ATTRIBUTES)
    )
    levels = np.clip((values + 3) / 6 * LEVELS, 0, LEVELS - 1).astype(np.int64)
    table = {f"attribute {index + 1}": column for index, column in enumerate(levels.T)}
    schema = sv.Schema([sv.Ordinal(name, 0, LEVELS - 1) for name in table])
    plan = sv.Plan.create(schema, epsilon=1, users=USERS)
    model = sv.fit(plan, sv.simulate(plan, table, seed=1, users=USERS))
    path.write_text(explorer_page(model, plan=plan), encoding="utf-8")
    components = len(model.state()["weights"])
    print(f"{ATTRIBUTES} attributes, {LEVELS} levels, {components} components")
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
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        for index in FILTERED[:-1]:
            brush(page, session, index)
        times = brush(page, session, FILTERED[-1])
        for number, what in enumerate(("a step of a brush", "with style and layout", "processor time of a step")):
            show(what, times[:, number])
        browser.close()


if __name__ == "__main__":
    main()
