"""``sottovoce demo``: every stage on a made-up crowd, and its answers beside the truth."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
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

from sottovoce import Answer, Estimate, FewReportsWarning, Model, Plan, Tally, fit, randomize
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, make_table, print_json, print_paragraph, strong
from sottovoce.model.answer import plain_number
from sottovoce.plan.audit import Audit, exact_words, promise
from sottovoce.simulation.crowds import Population, Question
from sottovoce.simulation.crowds.clauses import at_least, at_most, is_in
from sottovoce.simulation.population import PEOPLE, people
from sottovoce.views.explorer import explorer_page

_ANY = math.inf
_PAGE = "explorer.html"

QUERIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("age 30-50", {"age": (30, 50)}),
    ("income 60k+", {"income": (60_000, _ANY)}),
    ("region south", {"region": ["south"]}),
    ("age 18-29, income up to 25k", {"age": (-_ANY, 29), "income": (-_ANY, 25_000)}),
    ("age 65+, hours up to 10", {"age": (65, _ANY), "hours": (-_ANY, 10)}),
    ("hours 35+, income 40k+", {"hours": (35, _ANY), "income": (40_000, _ANY)}),
    ("region south, commute 30+", {"region": ["south"], "commute": (30, _ANY)}),
    ("age 30-50, household 3-5", {"age": (30, 50), "household": (3, 5)}),
    ("age 30-50, income 60k+, commute up to 19", {"age": (30, 50), "income": (60_000, _ANY), "commute": (0, 19)}),
    (
        "age 25-60, hours 35+, income 30k-90k, commute 10-40",
        {"age": (25, 60), "hours": (35, _ANY), "income": (30_000, 90_000), "commute": (10, 40)},
    ),
)
"""Ten questions about the crowd, on one to four attributes, in words and as ranges."""

_SOUTH, _NORTH = (is_in("region", "south"),), (is_in("region", "north"),)
_SHARES, _MEANS = "difference of shares", "difference of means"

COMPARISONS: tuple[tuple[str, Question], ...] = (
    ("commute 30+: south less north", Question(_SHARES, (at_least("commute", 30),), _SOUTH, _NORTH)),
    ("income 40k+: south less north", Question(_SHARES, (at_least("income", 40_000),), _SOUTH, _NORTH)),
    ("household 3+: south less north", Question(_SHARES, (at_least("household", 3),), _SOUTH, _NORTH)),
    (
        "income 40k+: age 35+ less younger",
        Question(_SHARES, (at_least("income", 40_000),), (at_least("age", 35),), (at_most("age", 34),)),
    ),
    (
        "hours 35+: under 65 less older",
        Question(_SHARES, (at_least("hours", 35),), (at_most("age", 64),), (at_least("age", 65),)),
    ),
    (
        "mean income: hours 35+ less fewer",
        Question(_MEANS, (), (at_least("hours", 35),), (at_most("hours", 34),), name="income"),
    ),
    ("mean commute: south less north", Question(_MEANS, (), _SOUTH, _NORTH, name="commute")),
    (
        "mean age: household 3+ less smaller",
        Question(_MEANS, (), (at_least("household", 3),), (at_most("household", 2),), name="age"),
    ),
)
"""Groups that differ a lot, a little, or not at all: a share or a mean in one less that in the other."""


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
    compared: list[Answer | Estimate]


@click.command("demo")
@click.option(
    "--people",
    "count",
    default=200_000,
    show_default=True,
    type=click.IntRange(1_000, 10_000_000),
    help="How many to make up.",
)
@click.option("--epsilon", default="1", show_default=True, help="The privacy of each person; smaller is more private.")
@click.option("--seed", default=7, show_default=True, help="Which made-up crowd; the noise is always fresh.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Keep every stage's file in this folder.")
@json_option
def command(count: int, epsilon: str, seed: int, out: Path | None, as_json: bool) -> None:
    """Run every stage on a made-up crowd and compare the answers with the truth.

    Makes up a population, designs and audits a plan, randomises everyone's record, counts the reports, fits a model,
    asks it ten questions and compares groups of people. With --out, the files of all stages are kept to play with, and
    a page to brush over.

    \b
      sottovoce demo
      sottovoce demo --people 50000 --epsilon 0.5 --out demo
    """
    console = make_console()
    console.quiet = as_json
    stages = _run(console, count, epsilon, seed)
    true = [true_fraction(stages.crowd, query) for _, query in QUERIES]
    gaps = true_gaps(stages.crowd)
    if out is not None:
        _keep(stages, out)
    if as_json:
        print_json(_document(stages, true, gaps))
        return
    _show_answers(console, true, stages.private)
    _show_comparisons(console, gaps, stages.compared)
    _show_attacker(console, stages)
    if out is not None:
        console.print(
            f"\nEvery stage's file is in {out}. Ask on: sottovoce query {out / 'model.json'} --range age=30..50\n",
            "Or brush over the crowd in a browser, which needs no server: ",
            strong((out / _PAGE).resolve()),
            sep="",
        )


def _run(console: Console, count: int, epsilon: str, seed: int) -> Stages:
    """Run every stage, saying what each did and how long it took."""
    with _stage(console, "1 crowd") as tell:
        crowd = people(count, seed=seed)
        tell(f"{count:,} made-up adults, {len(PEOPLE.names)} attributes each")
    with _stage(console, "2 plan") as tell:
        plan = Plan.create(PEOPLE, epsilon=epsilon, users=count, purpose="demonstration")
        tell(f"{len(plan.questions):,} questions by {plan.mechanism}")
    with _stage(console, "3 audit") as tell:
        audit = plan.audit()
        tell(f"epsilon {exact_words(audit)}, asked for at most {plan.epsilon}")
    with _stage(console, "4 randomize") as tell:
        reports = randomize(plan, crowd)
        tell(f"{reports.num_rows:,} reports, two small integers each")
    with _stage(console, "5 tally") as tell:
        tally = Tally(plan)
        tally.add(reports)
        tell(f"counted {tally.total:,}, refused {sum(tally.refused.values()):,}")
    with _stage(console, "6 fit") as tell, warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", FewReportsWarning)
        model = fit(plan, tally)
        tell("one model of the crowd, from the counts alone")
    for warning in raised:
        print_paragraph(console, f"Warning: {warning.message}.")
    with _stage(console, "7 query") as tell:
        private = model.answer_ranges([query for _, query in QUERIES]).tolist()
        compared = [question.ask(model) for _, question in COMPARISONS]
        tell(f"{len(private)} queries on one to four attributes, {len(compared)} comparisons of groups")
    return Stages(crowd, plan, audit, reports, tally, model, private, compared)


@contextlib.contextmanager
def _stage(console: Console, name: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that takes what the stage did; a spinner turns meanwhile on a terminal."""
    start, told = time.perf_counter(), list[str]()
    with console.status(strong(name)) if console.is_terminal and not console.quiet else contextlib.nullcontext():
        yield told.append
    seconds = time.perf_counter() - start
    console.print(strong(f"{name:<12}", "bold cyan"), f" {told[0]} ", strong(f"({seconds:.2f} s)", "dim"), sep="")


def true_fraction(crowd: pa.Table, query: dict[str, Any]) -> float:
    """Return the fraction of a crowd inside a query, counted person by person."""
    inside = np.ones(crowd.num_rows, dtype=bool)
    for name, asked in query.items():
        column = crowd.column(name).to_numpy()
        inside &= np.isin(column, asked) if isinstance(asked, list) else (column >= asked[0]) & (column <= asked[1])
    return float(inside.mean())


def _show_answers(console: Console, true: list[float], private: list[float]) -> None:
    table = make_table("what fraction of the crowd has ...", ">true", ">private", ">points off")
    for (words, _), truth, answer in zip(QUERIES, true, private, strict=True):
        off = answer - truth
        style = "green" if abs(off) < 0.02 else "yellow"
        table.add_row(words, f"{truth:.1%}", strong(f"{answer:.1%}"), strong(f"{100 * off:+.1f}", style))
    console.print(table)
    mean = float(np.mean(np.abs(np.subtract(private, true))))
    console.print(f"On average the private answer is off by {100 * mean:.1f} percentage points.")


def true_gaps(crowd: pa.Table) -> list[float]:
    """Return how far the groups of every comparison are apart in a crowd."""
    columns = {name: crowd.column(name).to_numpy(zero_copy_only=False) for name in crowd.column_names}
    population = Population(PEOPLE, columns)
    return [question.truth(population) for _, question in COMPARISONS]


def _show_comparisons(console: Console, gaps: list[float], compared: list[Answer | Estimate]) -> None:
    table = make_table("group less group", ">true", ">private", ">90% interval", "holds", "evidence")
    for (words, question), truth, found in zip(COMPARISONS, gaps, compared, strict=True):
        show = (lambda value: f"{100 * value:+.1f} pts") if question.where else plain_number
        low, high = found.interval
        holds = "yes" if low <= truth <= high else strong("no", "yellow")
        table.add_row(
            words, show(truth), strong(show(float(found))), f"{show(low)} to {show(high)}", holds, found.basis
        )
    console.print(table)
    held = sum(found.interval[0] <= truth <= found.interval[1] for found, truth in zip(compared, gaps, strict=True))
    console.print(
        f"{held} of {len(compared)} intervals hold the true difference; nine in ten should, over many collections."
    )


def _show_attacker(console: Console, stages: Stages) -> None:
    console.print()
    console.print(
        strong("What would an attacker learn who saw everything:"), " plan, reports, tally and model?", sep=""
    )
    for text in attacker_words(stages):
        print_paragraph(console, text)


def attacker_words(stages: Stages) -> list[str]:
    """Return what someone who sees all but the records can conclude about one person, from the audit's numbers."""
    plan, audit = stages.plan, stages.audit
    first = plan.question(int(stages.reports.column("question")[0].as_py()))
    looks = " and ".join(plan.schema.names[index] for index in first.attributes)
    return [
        f"Of each person, one report. The first person's says: question {first.index}, which looks at {looks} and at "
        f"nothing else; code {stages.reports.column('code')[0].as_py()}.",
        promise(audit),
        f"That is the worst case over all {len(plan.questions):,} questions and all codes, computed from the integers "
        f"by which question {audit.question} draws: {audit.ratio.numerator} / {audit.ratio.denominator}.",
        "It holds though the attacker knows whose report it is, everyone else's record and every line of this program. "
        "It does not hold twice: a person who answers another plan gives away that plan's epsilon as well.",
    ]


def _document(stages: Stages, true: list[float], gaps: list[float]) -> dict[str, Any]:
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
        "comparisons": [
            {
                "groups": words,
                "true": truth,
                "private": float(found),
                "interval": list(found.interval),
                "evidence": found.evidence,
            }
            for (words, _), truth, found in zip(COMPARISONS, gaps, stages.compared, strict=True)
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
        _PAGE: lambda path: path.write_text(explorer_page(stages.model, plan=stages.plan), encoding="utf-8"),
    }
    for name, write in writers.items():
        with replacing(folder / name) as part:
            write(part)
