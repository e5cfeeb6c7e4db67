"""``sottovoce demo``: every stage on a made-up crowd, and its answers beside the truth."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from rich.console import Console

from sottovoce import Model, Plan, Tally, fit, randomize
from sottovoce.cli.audit import promise
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, make_table, print_json
from sottovoce.plan import Audit
from sottovoce.simulation.population import PEOPLE, people

_ANY = math.inf

QUERIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("aged 30 to 50", {"age": (30, 50)}),
    ("earn 60,000 or more", {"income": (60_000, _ANY)}),
    ("live in the south", {"region": ["south"]}),
    ("under 30 and earn below 25,000", {"age": (-_ANY, 29), "income": (-_ANY, 25_000)}),
    ("65 or older, at most 10 hours of work", {"age": (65, _ANY), "hours": (0, 10)}),
    ("35 hours or more, earn 40,000 or more", {"hours": (35, _ANY), "income": (40_000, _ANY)}),
    ("in the south, commute 30 minutes or more", {"region": ["south"], "commute": (30, _ANY)}),
    ("aged 30 to 50, in a household of 3 to 5", {"age": (30, 50), "household": (3, 5)}),
    (
        "aged 30 to 50, earn 60,000 or more, commute below 20 minutes",
        {"age": (30, 50), "income": (60_000, _ANY), "commute": (0, 19)},
    ),
    (
        "aged 25 to 60, 35 hours or more, earn 30,000 to 90,000, commute 10 to 40 minutes",
        {"age": (25, 60), "hours": (35, _ANY), "income": (30_000, 90_000), "commute": (10, 40)},
    ),
)
"""Ten questions about the crowd, on one to four attributes, in words and as ranges."""


@dataclass(frozen=True)
class Stages:
    """What every stage gave."""

    crowd: pa.Table
    plan: Plan
    audit: Audit
    reports: pa.Table
    tally: Tally
    model: Model
    private: list[float]


@click.command("demo")
@click.option("--people", "count", default=200_000, show_default=True, type=click.IntRange(1_000, 10_000_000))
@click.option("--epsilon", default="1", show_default=True, help="The privacy of each person; smaller is more private.")
@click.option("--seed", default=7, show_default=True, help="Which made-up crowd; the noise is always fresh.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Keep every stage's file in this folder.")
@json_option
def command(count: int, epsilon: str, seed: int, out: Path | None, as_json: bool) -> None:
    r"""Run every stage on a made-up crowd and compare the answers with the truth.

    Makes up a population, designs and audits a plan, randomises everyone's record, counts the reports, fits a model
    and asks it ten questions. With --out, the files of all stages are kept to play with.

    \b
      sottovoce demo
      sottovoce demo --people 50000 --epsilon 0.5 --out demo
    """
    console = make_console()
    console.quiet = as_json
    stages = _run(console, count, epsilon, seed)
    true = [true_fraction(stages.crowd, query) for _, query in QUERIES]
    if out is not None:
        _keep(stages, out)
    if as_json:
        print_json(_document(stages, true))
        return
    _show_answers(console, true, stages.private)
    _show_attacker(console, stages)
    if out is not None:
        console.print(
            f"\nEvery stage's file is in {out}. Ask on: sottovoce query {out / 'model.json'} --range age=30..50"
        )


def _run(console: Console, count: int, epsilon: str, seed: int) -> Stages:
    """Run every stage, saying what each did and how long it took."""
    with _stage(console, "1 crowd") as tell:
        crowd = people(count, seed=seed)
        tell(f"made up {count:,} adults: {', '.join(PEOPLE.names)}")
    with _stage(console, "2 plan") as tell:
        plan = Plan.create(PEOPLE, epsilon=epsilon, users=count, purpose="demonstration")
        grids = ", ".join(f"{name} = {value}" for name, value in plan.parameters.items())
        tell(f"{len(plan.questions)} public questions by {plan.mechanism} ({grids}); a person answers one")
    with _stage(console, "3 audit") as tell:
        audit = plan.audit()
        tell(f"exact epsilon {audit.epsilon:.12g}, asked for at most {plan.epsilon}")
    with _stage(console, "4 randomize") as tell:
        reports = randomize(plan, crowd)
        tell(f"{reports.num_rows:,} reports of two small integers, by the operating system's randomness")
    with _stage(console, "5 tally") as tell:
        tally = Tally(plan)
        tally.add(reports)
        tell(f"counted {tally.total:,}, refused {sum(tally.refused.values()):,}; the reports could now be deleted")
    with _stage(console, "6 fit") as tell:
        model = fit(plan, tally)
        tell("one model for all questions, from the counts alone")
    with _stage(console, "7 query") as tell:
        private = model.answer_ranges([query for _, query in QUERIES]).tolist()
        tell(f"{len(private)} questions answered, on one to four attributes")
    return Stages(crowd, plan, audit, reports, tally, model, private)


@contextlib.contextmanager
def _stage(console: Console, name: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that takes what the stage did; a spinner turns meanwhile on a terminal."""
    start, told = time.perf_counter(), list[str]()
    with console.status(f"[bold]{name}[/]") if console.is_terminal and not console.quiet else contextlib.nullcontext():
        yield told.append
    seconds = time.perf_counter() - start
    console.print(f"[bold cyan]{name:<12}[/] {told[0]} [dim]({seconds:.2f} s)[/]")


def true_fraction(crowd: pa.Table, query: dict[str, Any]) -> float:
    """Return the fraction of a crowd inside a query, counted person by person."""
    inside = np.ones(crowd.num_rows, dtype=bool)
    for name, asked in query.items():
        column = crowd.column(name).to_numpy()
        inside &= np.isin(column, asked) if isinstance(asked, list) else (column >= asked[0]) & (column <= asked[1])
    return float(inside.mean())


def _show_answers(console: Console, true: list[float], private: list[float]) -> None:
    table = make_table("\nwhat fraction of the crowd is ...", ">\nattributes", ">\ntrue", ">\nprivate", ">\noff by")
    for (words, query), truth, answer in zip(QUERIES, true, private, strict=True):
        off = answer - truth
        style = "green" if abs(off) < 0.02 else "yellow"
        table.add_row(words, str(len(query)), f"{truth:.1%}", f"[bold]{answer:.1%}[/]", f"[{style}]{off:+.1%}[/]")
    console.print(table)
    mean = float(np.mean(np.abs(np.subtract(private, true))))
    console.print(f"On average the private answer is off by {100 * mean:.1f} percentage points.")


def _show_attacker(console: Console, stages: Stages) -> None:
    console.print("\n[bold]What would an attacker learn who saw everything:[/] plan, reports, tally and model?")
    for line in attacker_words(stages):
        console.print(f"  {line}")


def attacker_words(stages: Stages) -> list[str]:
    """Return what someone who sees all but the records can conclude about one person, from the audit's numbers."""
    channel = stages.plan.question(stages.audit.question).channel
    first = stages.plan.question(int(stages.reports.column("question")[0].as_py()))
    looks = " and ".join(stages.plan.schema.names[place] for place in first.attributes)
    return [
        f"Of each person, one report. The first in the file says: question {first.index} ({looks}), "
        f"code {stages.reports.column('code')[0].as_py()}.",
        *promise(stages.audit.ratio),
        f"That is the worst case over all {len(stages.plan.questions)} questions, computed exactly from the "
        f"probabilities of {channel.kind}:",
        f"{stages.audit.ratio.numerator} / {stages.audit.ratio.denominator}.",
        "About everything that was not asked of a person, nothing at all. The attacker may know the person's report,",
        "all other people's records and every line of this program: the bound holds.",
    ]


def _document(stages: Stages, true: list[float]) -> dict[str, Any]:
    return {
        "people": stages.crowd.num_rows,
        "epsilon": stages.audit.epsilon,
        "mechanism": stages.plan.mechanism,
        "questions": len(stages.plan.questions),
        "reports": stages.tally.total,
        "queries": [
            {"who": words, "attributes": len(query), "true": truth, "private": answer}
            for (words, query), truth, answer in zip(QUERIES, true, stages.private, strict=True)
        ],
        "attacker": attacker_words(stages),
    }


def _keep(stages: Stages, folder: Path) -> None:
    """Write the file of every stage; each appears whole."""
    folder.mkdir(parents=True, exist_ok=True)
    writers: dict[str, Callable[[Path], object]] = {
        "schema.toml": lambda path: path.write_text(PEOPLE.to_toml(), encoding="utf-8"),
        "people.csv": lambda path: pc.write_csv(stages.crowd, path),
        "plan.json": stages.plan.save,
        "reports.parquet": lambda path: pq.write_table(stages.reports, path),
        "tally.parquet": stages.tally.save,
        "model.json": stages.model.save,
    }
    for name, write in writers.items():
        with replacing(folder / name) as part:
            write(part)
