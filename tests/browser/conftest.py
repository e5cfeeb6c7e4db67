"""A real Chromium, and a real collector that serves the survey page."""

from __future__ import annotations

import functools
import http.server
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from sottovoce.model.remote_collection import RemoteCollection

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: nothing ran in a browser")
sync_api.expect.set_options(timeout=30_000)  # milliseconds: what is sure to come may take long on a busy machine

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "survey"
COMMAND = Path(sys.executable).with_name("sottovoce")
LAUNCH: dict[str, Any] = {
    "executable_path": shutil.which("chromium"),
    "args": [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ],
}


@dataclass(frozen=True)
class Collector:
    """A collector that runs, the plan it asks, and the token that may read its counts."""

    url: str
    plan: sv.Plan
    token: str

    @property
    def plan_url(self) -> str:
        """Where the plan is."""
        return f"{self.url}/v1/plans/{self.plan.fingerprint}"

    @property
    def plain(self) -> str:
        """Where an empty page is, on which a test may load the client itself."""
        return f"{self.url}/plain.html"

    def count(self) -> int:
        """Return how many reports were counted, by the tally: what a status says may be a second old."""
        return RemoteCollection(self.url, token=self.token).tally().total


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[str]:
    """Another web origin, which serves the browser client and nothing else."""
    handler = functools.partial(QuietHandler, directory=ROOT / "clients" / "js")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def collector(tmp_path_factory: pytest.TempPathFactory, elsewhere: str) -> Iterator[Collector]:
    """A collector with the survey's plan and page, on a database of its own; pages of one other origin may post."""
    pytest.importorskip("sottovoce.service.app", reason="sottovoce[service] is not installed: no page was served")
    folder = tmp_path_factory.mktemp("collector")
    database, site = folder / "counts.db", folder / "site"
    plan = sv.Plan.create(
        sv.Schema.load(EXAMPLE / "schema.toml"),
        epsilon=1,
        users=20_000,
        purpose="To plan bus lines and cycle lanes",
        contact="transport@example.org",
        expires="9999-12-31",
    )
    plan.save(folder / "plan.json")
    make_site(folder / "plan.json", site)
    (site / "plain.html").write_text("<!doctype html><title>A page of one's own</title>", encoding="utf-8")
    create = [COMMAND, "token", "create", "reader", "--db", database]
    token = subprocess.run(create, check=True, capture_output=True, text=True).stdout.strip()
    port = free_port()
    pages = ["--pages", site, "--pages", ROOT / "clients" / "js", "--origin", elsewhere]
    serve = [COMMAND, "serve", folder / "plan.json", "--db", database, "--port", str(port), *pages]
    with (folder / "log").open("w") as log, subprocess.Popen(serve, stdout=log, stderr=log) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(url, process, folder / "log")
            yield Collector(url, plan, token)
        finally:
            process.terminate()


def make_site(plan: Path, site: Path) -> None:
    """Make the survey page of a plan of the example's schema, as its README says."""
    messages = [part for name in ("de", "ar") for part in ("--messages", EXAMPLE / f"messages-{name}.json")]
    about = ["--title", "Ways to work", "--organisation", "City of Example"]
    about += ["--privacy-notice", "https://example.org/privacy"]
    subprocess.run(
        [COMMAND, "survey", plan, *about, *messages, "--out", site], check=True, capture_output=True, timeout=120
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return when the collector answers; fail with what it said if it stopped."""
    while process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/healthz").close()
            return
        except urllib.error.URLError:
            time.sleep(0.1)
    pytest.fail(f"the collector did not start: {log.read_text()}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser's launcher."""
    if LAUNCH["executable_path"] is None:
        pytest.skip("Chromium is not installed: nothing ran in a browser")
    with sync_api.sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def browser(chromium: Any) -> Iterator[Any]:
    running = chromium.launch(**LAUNCH)
    yield running
    running.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of someone who was never here before."""
    context = browser.new_context()
    yield context.new_page()
    context.close()
