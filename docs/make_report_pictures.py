"""Take the pictures of the report in docs/: on a phone, and its first page on paper.

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
from sottovoce.simulation.crowds import CROWDS
from sottovoce.views.report_page import About, make_report

PLACE = Path(__file__).parent / "figures"
PEOPLE = 200_000


def main() -> None:
    """Take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed")
    crowd = CROWDS["commuting"]
    plan = sv.Plan.create(crowd.schema, epsilon=4, users=PEOPLE, purpose="How people travel to work in the city region")
    tally = sv.simulate(plan, crowd.draw(PEOPLE, seed=0), seed=1)
    about = About(organisation="City of Example", date="2030-12-31")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        page_file.write_text(make_report(plan, tally, sv.fit(plan, tally), about=about), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        phone = browser.new_page(viewport={"width": 390, "height": 1200})
        phone.goto(page_file.as_uri())
        phone.screenshot(path=PLACE / "report-phone.png")
        paper = browser.new_page(viewport={"width": 672, "height": 980})  # A4 within its margins, at 96 points an inch
        paper.emulate_media(media="print")
        paper.goto(page_file.as_uri())
        paper.screenshot(path=PLACE / "report-paper.png")
        browser.close()


if __name__ == "__main__":
    main()
