"""Take the pictures of the explorer in docs/: on a wide screen, in the dark, on a phone, and two selections compared.

    make pictures

The crowd is made up, and everything is drawn from seeds. Needs Chromium and playwright.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import sottovoce as sv
from sottovoce.simulation.population import PEOPLE, people
from sottovoce.views.explorer import explorer_page

PLACE = Path(__file__).parent / "figures"
VIEW = "is.age=30..50&is.region=south&is.region=west&map=hours&map=household"
COMPARED = f"{VIEW}&compare=1&a.is.age=30..50&a.is.region=north&a.is.region=east"
SHOTS = {
    "explorer-desktop": (VIEW, {"width": 1280, "height": 900}, "light", 1),
    "explorer-dark": (VIEW, {"width": 1280, "height": 900}, "dark", 1),
    "explorer-phone": (VIEW, {"width": 390, "height": 844}, "light", 2),
    "explorer-compare": (COMPARED, {"width": 1280, "height": 900}, "light", 1),
}
WHOLE = ("explorer-desktop", "explorer-dark")
"""Of these the whole page is taken, of the others what a screen shows."""


def main() -> None:
    """Take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed")
    plan = sv.Plan.create(PEOPLE, epsilon=2, users=1_000_000, purpose="Work and travel")
    model = sv.fit(plan, sv.simulate(plan, people(200_000, seed=7), seed=1, users=998_112))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "explorer.html"
        page_file.write_text(explorer_page(model, plan=plan, population=1_000_000), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, (view, viewport, scheme, scale) in SHOTS.items():
            context = browser.new_context(viewport=viewport, color_scheme=scheme, device_scale_factor=scale)  # type: ignore[arg-type]
            page = context.new_page()
            page.goto(f"{page_file.as_uri()}#{view}")
            page.locator(".cells rect").first.wait_for()
            page.locator(".centre .between").filter(has_text="(").first.wait_for()
            page.screenshot(path=PLACE / f"{name}.png", full_page=name in WHOLE)
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
