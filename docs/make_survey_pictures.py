"""Take the pictures of the survey page in docs/: by day and night, in German and Arabic, and after sending.

    make pictures

The survey is the one in examples/survey, answered at a collector that runs on this machine for as long as it takes.
Needs Chromium, playwright and sottovoce[service].
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import sottovoce as sv
from sottovoce.service.app import make_server
from sottovoce.service.settings import Settings
from sottovoce.views.survey_page import Survey, choose_catalogues, read_catalogue, survey_page

PLACE = Path(__file__).parent / "figures"
EXAMPLE = Path(__file__).parent.parent / "examples" / "survey"
PHONE = {"width": 390, "height": 844}


def main() -> None:
    """Take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed")
    schema = sv.Schema.load(EXAMPLE / "schema.toml")
    about = {"purpose": "To plan bus lines and cycle lanes", "contact": "transport@example.org"}
    plan = sv.Plan.create(schema, epsilon=1, users=20_000, expires="2030-12-31", **about)
    own = [read_catalogue(EXAMPLE / f"messages-{language}.json") for language in ("de", "ar")]
    survey = Survey(
        title="Ways to work",
        organisation="City of Example",
        notice="https://example.org/privacy",
        messages=choose_catalogues(("en", "de", "ar"), (), own),
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        (Path(folder) / "index.html").write_text(survey_page(plan, survey), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with _collector(plan, Path(folder)) as address:
            take(browser, address)
        browser.close()


def take(browser: Browser, address: str) -> None:
    """Take all pictures of the page at an address."""
    page = opened(browser, address, "en", "light")
    page.screenshot(path=PLACE / "survey-light.png")
    fill_in(page)
    page.locator("#questions button[type=submit]").click()
    page.locator("#agree").check()
    page.locator("#send").click()
    page.locator("#sent").wait_for()
    page.screenshot(path=PLACE / "survey-sent.png", full_page=True)
    page = opened(browser, address, "en", "dark")
    fill_in(page)
    page.screenshot(path=PLACE / "survey-dark.png", full_page=True)
    page = opened(browser, address, "de", "light")
    fill_in(page)
    page.locator("#questions button[type=submit]").click()
    page.screenshot(path=PLACE / "survey-german.png", full_page=True)
    page = opened(browser, address, "ar", "light")
    fill_in(page)
    page.screenshot(path=PLACE / "survey-arabic.png", full_page=True)


def opened(browser: Browser, address: str, locale: str, scheme: str) -> Page:
    """Return the page as a phone shows it to someone who was never here before."""
    context = browser.new_context(viewport=PHONE, locale=locale, color_scheme=scheme, device_scale_factor=1.5)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    page.locator("#example").wait_for()
    return page


def fill_in(page: Page) -> None:
    """Answer every question."""
    page.locator("#step .actions button").first.click()
    for number, answer in ((0, "34"), (1, "25"), (3, "2750")):
        page.locator(f"#field-{number}").fill(answer)
    page.locator("#field-2-1").check()
    page.locator("h1").click()


@contextmanager
def _collector(plan: sv.Plan, pages: Path) -> Iterator[str]:
    """Yield the address of a collector that serves the pages."""
    server = make_server(Settings(database=str(pages / "counts.db"), port=0, pages=(pages,)), [plan])
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


if __name__ == "__main__":
    main()
