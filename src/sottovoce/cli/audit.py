"""``sottovoce audit``: what a plan promises, computed from its integers and said in plain words."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from sottovoce import Plan
from sottovoce.cli.output import json_option, make_console, make_table, print_json, strong
from sottovoce.plan.audit import exact_words, influence_words, promise, shuffled_words, waves_words
from sottovoce.plan.plan import SHARES

_ROWS = 40


@click.command("audit")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.option("--users", type=int, help="Say also what holds for whoever sees only counts of so many reports together,")
@click.option("--delta", type=float, help="but for a chance of so much, such as 1e-9.")
@json_option
def command(plan_file: Path, users: int | None, delta: float | None, as_json: bool) -> None:
    """Say exactly what a plan promises.

    The probabilities of every question are integers in the plan's own rules, so the worst case over all questions,
    answers and pairs of people is computed, not argued.

    \b
      sottovoce audit plan.json
      sottovoce audit plan.json --users 1000000 --delta 1e-9
    """
    if (users is None) != (delta is None):
        raise click.UsageError("--users and --delta go together: how many reports are counted, and what is exempt")
    plan = Plan.load(plan_file)
    audit = plan.audit()
    shuffled = None if users is None or delta is None else audit.shuffled(users=users, delta=delta)
    rows = family_rows(plan)
    if as_json:
        print_json(
            {
                "plan": str(plan_file),
                "fingerprint": plan.fingerprint,
                "epsilon": audit.epsilon,
                "limit": audit.limit,
                "ratio": {"numerator": str(audit.ratio.numerator), "denominator": str(audit.ratio.denominator)},
                "worst_question": audit.question,
                "worst_channel": audit.channel,
                **({} if audit.waves == 1 else {"waves": audit.waves, "lifetime": audit.lifetime}),
                **({} if shuffled is None else {"shuffled": dataclasses.asdict(shuffled)}),
                "influence": [dataclasses.asdict(influence) for influence in audit.influence],
                "questions": rows,
            }
        )
        return
    console = make_console()
    table = make_table(">question", "looks at", ">cells", "randomised by", ">codes", ">share")
    shown = rows[:_ROWS] if console.is_terminal else rows
    for row in shown:
        table.add_row(
            _span(row["first"], row["count"]),
            " x ".join(row["attributes"]),
            _most(row["cells"]),
            row["channel"],
            _most(row["codes"]),
            f"{row['share']:.1%}",
        )
    console.print(table)
    if len(rows) > len(shown):
        console.print(f"... and {len(rows) - len(shown)} more rows; a pipe gets all", style="dim")
    console.print("Exact epsilon: ", strong(exact_words(audit)), f" (asked for: at most {plan.epsilon})", sep="")
    console.print(f"Attained by question {audit.question}, whose answers go through {audit.channel}.")
    console.print(promise(audit))
    for words in (*waves_words(audit), *(() if shuffled is None else shuffled_words(shuffled))):
        console.print(words)
    for influence in audit.influence:
        console.print(influence_words(influence, plan.users))


def family_rows(plan: Plan) -> list[dict[str, Any]]:
    """Return one row for every family of questions: what it looks at, its sizes and its share of the crowd."""
    questions, rows = plan.questions, []
    sizes: dict[int, list[Any]] = {}
    for index, channel in questions.channels():
        family_index = max(number for number, offset in enumerate(questions.offsets[:-1]) if offset <= index)
        sizes.setdefault(family_index, []).append(channel)
    for family_index, family in enumerate(plan.families):
        channels = sizes[family_index]
        rows.append(
            {
                "first": questions.offsets[family_index],
                "count": family.count,
                "attributes": [plan.schema.names[attribute] for attribute in family.attributes],
                "cells": sorted(channel.cells for channel in channels),
                "channel": family.channel,
                "codes": sorted(channel.codes for channel in channels),
                "share": family.total_share / SHARES,
            }
        )
    return rows


def _span(first: int, count: int) -> str:
    return f"{first}" if count == 1 else f"{first}-{first + count - 1}"


def _most(numbers: list[int]) -> str:
    return f"{numbers[0]:,}" if len(numbers) == 1 else f"{min(numbers):,}-{max(numbers):,}"
