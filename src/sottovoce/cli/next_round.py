"""``sottovoce next-round``: what a first round showed becomes the plan of the second."""

from __future__ import annotations

from pathlib import Path

import click

from sottovoce import Plan, Tally
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.plan.audit import exact_words
from sottovoce.plan.registry import find_mechanism


@click.command("next-round")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("tally_file", metavar="TALLY", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The plan of the next round to write (JSON)."
)
@json_option
def command(plan_file: Path, tally_file: Path, out: Path, as_json: bool) -> None:
    """Design the next round of a collection from the tally of the rounds before it.

    For mechanisms of more than one round, such as ahdg. The new plan is of the same collection and for people who were
    not asked yet: a device that answered one round answers no other. Counts of all rounds add, and are fitted together
    with the last plan.

    \b
      sottovoce plan schema.toml --epsilon 1 --users 1000000 --mechanism ahdg --out first.json
      sottovoce tally first.json collector.db --out first.parquet
      sottovoce next-round first.json first.parquet --out second.json
      sottovoce collection add second.json --db collector.db
    """
    plan, tally = Plan.load(plan_file), Tally.load(tally_file)
    later = plan.next_round(tally)
    rounds = find_mechanism(plan.mechanism).rounds
    assert rounds is not None  # a mechanism of one round has no next one, as was said above
    fractions = rounds(plan)
    people = round(later.users * fractions[later.round - 1])
    with replacing(out, inputs=[plan_file, tally_file]) as part:
        later.save(part)
    audit = later.audit()
    if as_json:
        print_json(
            {
                "plan": str(out),
                "fingerprint": later.fingerprint,
                "collection": later.collection,
                "round": later.round,
                "rounds": len(fractions),
                "people": people,
                "reports": tally.total,
                "questions": len(later.questions) - len(plan.questions),
                "epsilon": audit.epsilon,
            }
        )
        return
    console = make_console()
    asked = len(later.questions) - len(plan.questions)
    console.print(
        strong(out),
        f": round {later.round} of {len(fractions)}, {asked:,} questions designed from {tally.total:,} reports",
        sep="",
    )
    console.print(f"  for about {people:,} people who were not asked yet; exact epsilon {exact_words(audit)}")
    console.print(f"  fingerprint {later.fingerprint}")
    console.print(f"Next: sottovoce collection add {out}", style="dim")
