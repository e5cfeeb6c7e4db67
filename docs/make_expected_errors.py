"""Write the tables of expected errors into docs/expected-errors.md and README.md: about five minutes of CPU.

    python docs/make_expected_errors.py

Every figure is a forecast (`sv.forecast`): three made-up crowds, attributes of 16 levels each, the default mechanism.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import sottovoce as sv

ROOT = Path(__file__).parents[1]
ATTRIBUTES, PEOPLE, EPSILONS = (3, 6, 12), (10_000, 100_000, 1_000_000), (0.5, 1, 2)
IN_README = [(6, 10_000, 1), (6, 100_000, 1), (6, 1_000_000, 1), (6, 100_000, 2), (3, 100_000, 1), (12, 100_000, 1)]

Case = tuple[int, int, float]


@dataclass(frozen=True)
class Row:
    """What nine in ten figures are within, in percentage points; and the smallest difference that could be seen."""

    one: float
    two: float
    difference: float
    visible: float


def forecast(case: Case) -> Row:
    """Return what is to be expected of so many attributes and people at an epsilon."""
    attributes, people, epsilon = case
    schema = sv.Schema([sv.Ordinal(f"attribute_{index}", 0, 15) for index in range(attributes)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sv.FewReportsWarning)
        found = sv.forecast(schema, epsilon=epsilon, users=people)
    within = {compared.kind: compared.within for compared in found.compared}
    visible = sorted(pair.difference for pair in found.visible)
    return Row(
        *(100 * value for value in (found[1].within, found[2].within, within["difference of shares"])),
        100 * visible[len(visible) // 2],
    )


def table(rows: dict[Case, Row]) -> str:
    """Return the rows as Markdown."""
    lines = [
        "| people | epsilon | attributes | a share | a share on two attributes | a difference between groups "
        "| visible from |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {people:,} | {epsilon:g} | {attributes} | ± {points(row.one)} | ± {points(row.two)} "
        f"| ± {points(row.difference)} | {points(row.visible)} |"
        for (attributes, people, epsilon), row in rows.items()
    ]
    return "\n".join(lines)


def points(value: float) -> str:
    """Return percentage points, as exact as they deserve; no difference is larger than 100."""
    if value >= 100:
        return "none"
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def put(page: Path, text: str) -> None:
    """Put a table between the marks of a page."""
    pattern = re.compile(r"(<!-- begin: docs/make_expected_errors.py -->\n).*?(<!-- end -->)", re.DOTALL)
    written, times = pattern.subn(lambda found: f"{found[1]}{text}\n{found[2]}", page.read_text(encoding="utf-8"))
    assert times == 1, f"{page} has no place for the table"
    page.write_text(written, encoding="utf-8")


def forecasts(cases: Iterable[Case]) -> dict[Case, Row]:
    """Return all forecasts, said as they come."""
    rows = {}
    for case in cases:
        rows[case] = forecast(case)
        print(case, rows[case], flush=True)
    return rows


def main() -> None:
    """Forecast every case, and write both tables."""
    cases = [(attributes, people, epsilon) for attributes in ATTRIBUTES for people in PEOPLE for epsilon in EPSILONS]
    rows = forecasts(cases)
    put(ROOT / "docs" / "expected-errors.md", table(rows))
    put(ROOT / "README.md", table({case: rows[case] for case in IN_README}))


if __name__ == "__main__":
    main()
