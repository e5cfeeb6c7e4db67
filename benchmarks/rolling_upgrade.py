"""A rolling upgrade with a real older version: its process and this one's side by side on one database.

    python benchmarks/rolling_upgrade.py                                # from the last version of the schema
    python benchmarks/rolling_upgrade.py --old fdd0271 --store sqlite

Checks the older commit of this repository out beside it, starts its collector, lets people post, starts this version's
on the same database, lets people post to both, ends the old one, and counts: nothing is lost, nothing is double. Needs
the repository's history. Loopback alone; everything ends by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import sottovoce as sv
from sottovoce.plan.registry import PlanKeywords

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.fault_collector import Crowd, Replica, tell  # noqa: E402
from tests.postgres import create_database, running_postgres  # noqa: E402

MIGRATIONS = "src/sottovoce/service/store/migrations"


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def before_this_schema() -> str:
    """Return the last commit before the newest migration was added."""
    newest = max((ROOT / MIGRATIONS / "postgres").glob("*.sql")).relative_to(ROOT)
    return git("log", "--diff-filter=A", "--format=%h", "-1", "--", str(newest)) + "~1"


@contextlib.contextmanager
def checked_out(commit: str, place: Path) -> Iterator[Path]:
    """Yield the source of a commit."""
    git("worktree", "add", "--detach", str(place), commit)
    try:
        yield place / "src"
    finally:
        git("worktree", "remove", "--force", str(place))


async def upgrade(crowd: Crowd, old: Replica, plan: Path, database: str) -> list[tuple[str, int]]:
    """Post to the old one, to both, and to the new one; return how many were acknowledged in each time."""
    posting = [asyncio.create_task(crowd.post(number, 1)) for number in range(16)]
    posting += [asyncio.create_task(crowd.post(0, 200))]
    steps, seen = list[tuple[str, int]](), 0

    async def step(name: str, seconds: float) -> None:
        nonlocal seen
        await asyncio.sleep(seconds)
        steps.append((name, crowd.acknowledged - seen))
        seen = crowd.acknowledged

    await step("old alone", 8)
    new = Replica(plan, database)
    await asyncio.to_thread(new.wait)
    crowd.replicas = [old, new]
    crowd.silence = 0.0
    await step("both", 15)
    old.process.terminate()
    await asyncio.to_thread(old.process.wait, 30)
    crowd.replicas = [new]
    await step("new alone", 8)
    crowd.ended = True
    try:
        await asyncio.wait_for(asyncio.gather(*posting), 120)
    finally:
        new.process.terminate()
        await asyncio.to_thread(new.process.wait, 30)
    return steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="postgres")
    parser.add_argument("--old", help="a commit; by default the last one before the newest migration")
    chosen = parser.parse_args()
    commit = chosen.old or before_this_schema()
    schema = sv.Schema([sv.Ordinal(f"attribute_{number}", 0, 63) for number in range(4)])
    about: PlanKeywords = {"purpose": "an upgrade", "contact": "none", "expires": "2999-12-31"}
    plan = sv.Plan.create(schema, epsilon=1, users=1_000_000, mechanism="hdg", **about)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        source = stack.enter_context(checked_out(commit, folder / "old"))
        plan.save(folder / "plan.json")
        database, keys = str(folder / "c.db"), folder / "keys"
        os.environ["SOTTOVOCE_KEYS"] = str(keys)
        if chosen.store == "postgres":
            database = create_database(stack.enter_context(running_postgres()), "upgrade")
        old = Replica(folder / "plan.json", database, source=source)
        try:
            old.wait()
            crowd = Crowd([old], plan)
            steps = asyncio.run(upgrade(crowd, old, folder / "plan.json", database))
        finally:
            old.process.kill()
            old.process.wait()
        for name, number in steps:
            print(f"{name}: {number:,} acknowledged")
        print(f"longest silence from the start of the new one on {crowd.silence:.1f} s")
        tell(f"{chosen.store}, from {git('rev-parse', '--short', commit)}", crowd, plan, database, keys)


if __name__ == "__main__":
    main()
