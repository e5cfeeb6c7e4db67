"""The newcomer's clock: from a CSV to a live survey on a phone-sized screen, by the tutorial's own commands."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import COMMAND, ROOT, free_port, wait_for
from tests.test_docs import blocks, commands

pytestmark = pytest.mark.slow

MOST_COMMANDS = 5


def section() -> str:
    """Return the part of the tutorial that leads to a live survey."""
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"^## 2\. A live survey.*?(?=^## 3\.)", page, flags=re.DOTALL | re.MULTILINE)
    return str(found)


def processor() -> float:
    """Return the seconds of CPU that all commands together took that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_newcomer_gets_from_a_table_to_a_live_survey_in_a_few_commands(browser: Browser, tmp_path: Path) -> None:
    """Nothing is asserted about time, which is printed: pytest -s shows it."""
    pytest.importorskip("sottovoce.service.app", reason="sottovoce[service] is not installed: no page was served")
    program, *_ = blocks(ROOT / "docs" / "tutorial.md", "python")
    exec(compile(program.replace('"nurses.csv"', repr(str(tmp_path / "nurses.csv"))), "tutorial", "exec"), {})
    lines = commands(section())
    assert len(lines) <= MOST_COMMANDS
    *steps, last = lines
    port = free_port()
    environment = {**os.environ, "SOTTOVOCE_PORT": str(port)}
    times: list[tuple[str, float, float]] = []
    for arguments in steps:
        began, before = time.monotonic(), processor()
        subprocess.run(
            [COMMAND, *arguments], cwd=tmp_path, check=True, capture_output=True, timeout=120, env=environment
        )
        times.append((arguments[0], time.monotonic() - began, processor() - before))
    assert last[0] == "serve"
    began, before = time.monotonic(), processor()
    log = tmp_path / "log"
    serve = [str(COMMAND), *last]
    with (
        log.open("w") as said,
        subprocess.Popen(serve, cwd=tmp_path, env=environment, stdout=said, stderr=said) as process,
    ):
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(url, process, log)
            context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en")
            page = context.new_page()
            page.goto(url)
            expect(page.get_by_role("button", name="Start").first).to_be_visible(timeout=30_000)
            shown = time.monotonic() - began
            expect(page.locator("h1")).to_have_text("Sleep and night shifts")
            page.get_by_role("button", name="Start").first.click()
            for name, answer in {"years": "7", "sleep": "6.5", "nights": "4"}.items():
                page.get_by_label(name).fill(answer)
            page.get_by_label("emergency").check()
            page.get_by_role("button", name="Check my answers").click()
            page.get_by_label("I have read this").check()
            page.get_by_role("button", name="Send a blurred answer").click()
            expect(page.get_by_role("heading", name="This is all that was sent")).to_be_visible(timeout=30_000)
            context.close()
            with urllib.request.urlopen(f"{url}/v1/plans", timeout=30) as answer:
                assert len(json.load(answer)["plans"]) == 1
        finally:
            process.terminate()
    times.append(("serve, until the page is shown", shown, processor() - before))
    counted = subprocess.run(
        [COMMAND, "tally", "plan.json", "sottovoce.db", "--out", "tally.parquet", "--json"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=120,
    )
    assert json.loads(counted.stdout)["total"] == 1
    for name, seconds, work in times:
        print(f"{seconds:6.1f} s, {work:4.1f} s of CPU: sottovoce {name}")
    print(f"{sum(seconds for _, seconds, _ in times):6.1f} s from the table to the page")
