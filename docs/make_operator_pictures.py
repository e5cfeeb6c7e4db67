"""Take the pictures of the operator's page in docs/: on a wide screen, and on a phone in the dark.

    make pictures

The crowd is made up, and drawn from seeds, on a collector that runs for as long as it takes. Needs Chromium, playwright
and sottovoce[service].
"""

from __future__ import annotations

import datetime
import secrets
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import sottovoce as sv
from sottovoce.service.app import make_server
from sottovoce.service.auth import create_token
from sottovoce.service.served import today
from sottovoce.service.settings import Settings
from sottovoce.service.store import ID, Reports, open_store
from sottovoce.simulation.population import PEOPLE, people

PLACE = Path(__file__).parent / "figures"
DAYS = 24
SHOTS = {
    "operator-desktop": ({"width": 1280, "height": 900}, "light", 1),
    "operator-phone": ({"width": 390, "height": 844}, "dark", 2),
}


def fill(database: str) -> tuple[list[sv.Plan], str, str]:
    """Count made-up reports of some weeks; return the plans, and tokens of an analyst and an operator."""
    store, day = open_store(database), today()
    last = (day + datetime.timedelta(days=20)).isoformat()
    about = {"contact": "transport@example.org", "users": 60_000, "epsilon": 2}
    plan = sv.Plan.create(PEOPLE, purpose="To plan bus lines and cycle lanes", expires=last, **about)
    done = sv.Plan.create(PEOPLE, purpose="Work and travel in spring", expires=last, **about)
    generator = np.random.default_rng(7)
    for back in (*range(80, 60, -1), *range(DAYS, -1, -1)):
        own = done if back > DAYS else plan
        number = int(generator.integers(700, 2_400) * (0.4 if back == 0 else 1))
        drawn = sv.randomize(own, people(number, seed=back))
        question, code = (np.asarray(drawn[name]).astype(np.int64) for name in ("question", "code"))
        key, ids = store.register(own), np.sort(np.frombuffer(secrets.token_bytes(16 * number), dtype=ID))
        reports = Reports(ids, np.full(number, key.plan), question, code)
        refused = {"malformed": int(generator.integers(0, 5)), "expired plan": int(generator.integers(0, 3))}
        store.add(key.collection, day - datetime.timedelta(days=back), reports, refused)
    store.close_collection(store.register(done).collection, day - datetime.timedelta(days=60))
    create_token(store, "kiosk", "reporter", day)
    analyst = create_token(store, "Alice, statistics office", "analyst", day)
    operator = create_token(store, "Olga", "operator", day)
    store.close()
    return [plan, done], analyst, operator


@contextmanager
def serving(database: str, plans: list[sv.Plan]) -> Iterator[str]:
    """Yield the address of a collector that runs on this machine alone."""
    server = make_server(Settings(database=database, port=0), plans)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def main() -> None:
    """Take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        database = f"{folder}/collector.db"
        plans, analyst, operator = fill(database)
        with serving(database, plans) as url:
            sv.RemoteModel(url, plans[0], token=analyst).fit(quality="fast")
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            for name, (viewport, scheme, scale) in SHOTS.items():
                context = browser.new_context(viewport=viewport, color_scheme=scheme, device_scale_factor=scale)  # type: ignore[arg-type]
                page = context.new_page()
                page.set_default_timeout(300_000)
                page.goto(f"{url}/operate")
                page.get_by_label("operator's token").fill(operator)
                page.get_by_role("button", name="Open").click()
                if name == "operator-desktop":  # remembered by the collector from then on
                    page.get_by_role("button", name="Work out now").first.click()
                page.get_by_text("nine in ten stay within").wait_for()
                page.screenshot(path=PLACE / f"{name}.png", full_page=name != "operator-phone")
                context.close()
            browser.close()


if __name__ == "__main__":
    main()
