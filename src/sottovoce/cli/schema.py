"""``sottovoce schema``: a first schema from a table, or from a list of questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
import tomli_w

from sottovoce import RecordError, Schema, SchemaError
from sottovoce.cli.files import read_text_columns, replacing
from sottovoce.cli.output import json_option, make_console, print_json, progress_bar, strong
from sottovoce.schema.proposal import Proposal, propose
from sottovoce.schema.question_list import read_questions

_HEAD = """\
# A schema: what will be asked. Every attribute has a type and a name, and may have a title, a question, a unit,
# labels, and translations.
"""
_CAUTION = """#
# It was made from {source}. Ranges and categories that are read off people's data tell something about them, and
# a plan is public: replace them by what is known without the data (ages: 0 to 119), and list categories that could
# occur, not those that did. Ask few attributes: every one more makes answers on the others less exact.
"""


@click.command("schema")
@click.argument("data", metavar="[DATA]", required=False, type=click.Path(path_type=Path))
@click.option("--questions", type=click.Path(path_type=Path), help="A list of questions, one per line.")
@click.option("--out", type=click.Path(path_type=Path), help="The schema to write (.toml); without it, it is printed.")
@json_option
def command(data: Path | None, questions: Path | None, out: Path | None, as_json: bool) -> None:
    """Propose a schema from a table or a list of questions.

    DATA is a table with one row per person, as for randomize. Every column is looked at, and gets a type, a range or
    categories (rare ones lumped), with remarks; identifiers and free text are left out. Nothing protects DATA here:
    read what is proposed before it becomes a plan, which is public.

    A list of questions has a question per line, and behind a bar what may be answered:

    \b
      How old are you? | 18..99 years
      car: Do you own a car? | yes/no
      How content are you? | not at all < somewhat < very
      Where do you live? | north, south, east
      How do you travel? | any of: bus, bike, car
      What do you earn a month? | 0..9000 EUR in 45 bins
      When did you move here? | year 1950..2026

    \b
      sottovoce schema people.csv --out schema.toml
      sottovoce schema --questions questions.txt --out schema.toml
    """
    if (data is None) == (questions is None):
        raise click.UsageError("give a table, or --questions with a list of questions: one of the two")
    source = data or questions
    assert source is not None
    proposals = _from_table(source) if data else read_questions(_lines(source))
    kept = [one.document for one in proposals if one.document is not None]
    if not kept:
        raise SchemaError(f"{str(source)!r}: no column can be asked for: {'; '.join(_left_out(proposals))}")
    text = _text(proposals, _HEAD + (_CAUTION.format(source=source.name) if data else ""))
    Schema.from_toml(text)
    if out is not None:
        with replacing(out, inputs=[source]) as part:
            part.write_text(text, encoding="utf-8")
    if as_json:
        left = {one.name: "; ".join(one.remarks) for one in proposals if one.document is None}
        print_json({"schema": None if out is None else str(out), "attributes": kept, "left_out": left})
        return
    if out is None:
        click.echo(text, nl=False)
        return
    console = make_console()
    console.print(strong(out), f": {len(kept)} attributes, {len(proposals) - len(kept)} columns left out", sep="")
    for line in _left_out(proposals):
        console.print(f"  left out {line}", style="dim")
    if data:
        console.print("  Ranges and categories were read off the data: read the remarks before you make a plan.")
    console.print(f"Next: sottovoce plan {out} --epsilon 1 --users 10000 --forecast --out plan.json", style="dim")


def _lines(source: Path) -> list[str]:
    try:
        return source.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise SchemaError(f"{str(source)!r} is not UTF-8: save it as such") from error


def _from_table(data: Path) -> list[Proposal]:
    """Return what is proposed for every column of a table."""
    counts: dict[str, Counter[str]] = {}
    with progress_bar(f"read {data.name}", 1.0) as progress:
        for table in read_text_columns(data, progress):
            for name in table.column_names:
                seen = counts.setdefault(name, Counter())
                for row in table.column(name).value_counts().to_pylist():
                    seen[row["values"]] += row["counts"]
    if not any(map(bool, counts.values())):
        raise RecordError(f"{str(data)!r} has no rows: there is nothing to propose a schema from")
    return [propose(name, seen) for name, seen in counts.items()]


def _left_out(proposals: Sequence[Proposal]) -> list[str]:
    return [f"{one.name}: {'; '.join(one.remarks)}" for one in proposals if one.document is None]


def _text(proposals: Sequence[Proposal], head: str) -> str:
    """Return the schema as TOML, with remarks as comments."""
    parts = [head]
    for one in proposals:
        remarks = "".join(f"# {remark}\n" for remark in one.remarks)
        if one.document is None:
            parts.append(f"# left out {one.name!r}:\n{remarks}")
        else:
            parts.append(f"{remarks}[[attributes]]\n{tomli_w.dumps(one.document)}")
    return "\n".join(parts)
