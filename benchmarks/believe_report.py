"""What believe.py prints: how often intervals held, how wide they were, whether differences came out, what seeds did.

Errors and widths of means, quantiles and medians are divided by the standard deviation of their attribute in the crowd,
so that money and minutes count alike. "ok" or "FAIL" stands behind a figure that has a bar.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from sottovoce.simulation.crowds import KINDS

COVERED, COVERED_POOLED, SLOPE, SPREAD = 0.85, 0.78, 0.9, 0.25
WIDTH, WIDTH_OF_SEVERAL = 1.8, 2.5
BETTER, WORSE = 0.9, 1.05
SINGLE_CELLS = ((200_000, 1.0), (200_000, 2.0))
DIFFERENCES = ("difference of shares", "difference of means")
KEYS = ["crowd", "people", "epsilon", "mechanism", "collection", "text"]

Frame = Any


def frame_of(results: list[dict[str, Any]]) -> Frame:
    """Return one row per question and collection, errors and half widths in units of the question's scale."""
    latest = {tuple(result[key] for key in KEYS[:-1]): result for result in results}
    rows = []
    for result in latest.values():
        about = {key: result[key] for key in KEYS[:-1]}
        again = np.array(result["refits"], dtype=float) if result["refits"] else None
        for index, answer in enumerate(result["answers"]):
            low, high = answer.get("interval") or (math.nan, math.nan)
            direct_low, direct_high = answer.get("direct_interval") or (math.nan, math.nan)
            spread = math.nan
            if again is not None and answer["estimate"] is not None:
                spread = float(np.std([answer["estimate"], *again[:, index]], ddof=1))
            ends = {"low": low, "high": high, "direct_low": direct_low, "direct_high": direct_high, "spread": spread}
            rows.append({**about, "refusal": None, **{k: v for k, v in answer.items() if "interval" not in k}, **ends})
    frame = pd.DataFrame(rows)
    numbers = ["estimate", "evidence", "smallest", "direct"]
    frame[numbers] = frame[numbers].astype(float)
    for prefix, estimate in (("", "estimate"), ("direct_", "direct")):
        inside = (frame[prefix + "low"] <= frame.truth) & (frame.truth <= frame[prefix + "high"])
        frame[prefix + "held"] = np.where(frame[prefix + "low"].isna(), np.nan, inside.astype(float))
        frame[prefix + "half"] = (frame[prefix + "high"] - frame[prefix + "low"]) / 2 / frame.scale
        frame[prefix + "error"] = (frame[estimate] - frame.truth).abs() / frame.scale
    spread = frame.spread / frame.scale
    alone = spread.where(~(spread > 0), np.inf)  # an interval of one point, as medians of integers have
    frame["relative_spread"] = (spread / frame.half.where(frame.half > 0)).where(frame.half != 0, alone)
    frame["kind"] = pd.Categorical(frame.kind, KINDS, ordered=True)
    return frame


def coverage(part: Frame, prefix: str = "") -> tuple[float, float]:
    """Return how often intervals held, and its standard error from one collection to another."""
    by_collection = part.groupby(["crowd", "people", "epsilon", "collection"])[prefix + "held"].mean().dropna()
    error = float(by_collection.std(ddof=1) / math.sqrt(len(by_collection))) if len(by_collection) > 1 else math.nan
    return float(part[prefix + "held"].mean()), error


def width(part: Frame) -> tuple[float, float]:
    """Return the mean half width over the 90 % quantile of the error, and over what these intervals would need.

    The second is that of coverage.py: by which factor all intervals could shrink and still hold nine times in ten. It
    sees intervals that are wide where errors are small, which the first does not.
    """
    known = part[part.half.notna() & part.error.notna()]
    if known.empty:
        return math.nan, math.nan
    needed = (known.error / known.half.where(known.half > 0, 1e-12)).quantile(0.9)
    return ratio(known.half.mean(), known.error.quantile(0.9)), ratio(1.0, needed)


def slope(part: Frame) -> float:
    """Return estimated over true differences: the regression through the origin over questions and collections."""
    known = part[part.estimate.notna()]
    estimate, truth = known.estimate / known.scale, known.truth / known.scale
    return ratio(float((estimate * truth).sum()), float((truth**2).sum()))


def ratio(top: float, bottom: float) -> float:
    """Return a quotient, NaN where there is none."""
    return top / bottom if bottom > 0 else math.nan


def widest(kind: str) -> float:
    """Return the bar for the width of a kind."""
    return WIDTH_OF_SEVERAL if kind in ("share of 3", "share of 4") else WIDTH


def mark(value: float, good: bool, form: str = ".2f") -> str:
    """Return a figure and whether it meets its bar."""
    return f"{'-':>11}" if math.isnan(value) else f"{value:>6{form}} {'ok' if good else 'FAIL':<4}"


class Report:
    """The tables for one mechanism after another.

    Args:
        results: What the file holds.
        brief: Whether to leave out the table by crowd, cell and kind.
        listed: How many single questions to list; 0 for all.
    """

    def __init__(self, results: list[dict[str, Any]], *, brief: bool, listed: int) -> None:
        self.frame, self.brief, self.listed = frame_of(results), brief, listed
        self.code = sorted({result["code"] for result in results})

    def print(self) -> None:
        """Print everything."""
        print(f"code measured: {', '.join(self.code)}" + ("  (SEVERAL: do not compare)" if len(self.code) > 1 else ""))
        print("errors of means, quantiles and medians are in standard deviations of their attribute")
        for mechanism, part in self.frame.groupby("mechanism"):
            collections = part.groupby(["crowd", "people", "epsilon"]).collection.nunique()
            print(f"\n# {mechanism}: {', '.join(sorted(part.crowd.unique()))}; ", end="")
            print(f"{collections.min()} to {collections.max()} collections; {part.refusal.notna().sum()} refusals")
            if not self.brief:
                self._kinds(part, ["crowd", "people", "epsilon"], "By crowd, cell and kind", COVERED_POOLED)
            self._kinds(part, ["people", "epsilon"], "By cell and kind, over all crowds", COVERED)
            self._kinds(part, ["crowd"], "By crowd and kind, over all cells", COVERED_POOLED)
            self._kinds(part, [], "By kind, over all", COVERED)
            self._slopes(part)
            self._singles(part)
            self._seeds(part)
            self._measured(part)

    def _kinds(self, part: Frame, by: list[str], title: str, bar: float) -> None:
        print(f"\n## {title} (held: at least {bar:.2f}; width: at most {WIDTH}, of 3 and 4 {WIDTH_OF_SEVERAL})")
        print(f"{'':<28}{'kind':<22}{'held (s.e.)':<20}{'width / q90':<13}{'/ needed':>8}{'mean error':>12}")
        for key, group in part.groupby(by) if by else [((), part)]:
            for kind, some in group.groupby("kind", observed=True):
                (held, error), (wide, needed) = coverage(some), width(some)
                shown = mark(held, held >= bar) if math.isnan(held) else f"{held:.3f} ({error:.3f}) "
                shown += "" if math.isnan(held) else "ok" if held >= bar else "FAIL"
                print(
                    f"{cell_name(key):<28}{kind:<22}{shown:<20}{mark(wide, wide <= widest(kind)):<13}"
                    f"{needed:>8.2f}{some.error.mean():>12.4f}".replace(" nan", "   -")
                )

    def _slopes(self, part: Frame) -> None:
        print(f"\n## Slope of estimated against true differences (bar {SLOPE} where marked)")
        print(f"{'':<28}{'kind':<22}{'all':>6}{'visible':>14}{'evidence > .8':>16}   by crowd")
        for kind in DIFFERENCES:
            for key, group in part[part.kind == kind].groupby(["people", "epsilon"]):
                visible = group[group.smallest < group.truth.abs() / 2]
                measured = group[group.evidence > 0.8]
                slopes = [slope(visible), slope(measured)]
                crowds = ", ".join(f"{crowd} {slope(some):.2f}" for crowd, some in group.groupby("crowd"))
                print(
                    f"{cell_name(key):<28}{kind:<22}{slope(group):>6.2f}"
                    f"{mark(slopes[0], slopes[0] >= SLOPE):>14}{mark(slopes[1], slopes[1] >= SLOPE):>16}   {crowds}"
                )

    def _singles(self, part: Frame) -> None:
        print("\n## Single questions over collections (bar at 200,000, epsilon 1 and 2: 1 % below .60, none below .40)")
        for key, group in part.groupby(["people", "epsilon"]):
            singles = group.groupby(["crowd", "kind", "text"], observed=True)
            held = singles.held.mean().dropna().sort_values()
            count = int(group.collection.nunique())
            low, lowest = float((held < 0.6).mean()), int((held < 0.4).sum())
            if not len(held):
                continue
            good = ("ok" if low <= 0.01 and not lowest else "FAIL") if key in SINGLE_CELLS else ""
            print(
                f"{cell_name(key)}: {len(held)} questions, {count} collections: {low:.1%} below .60 "
                f"({by_chance(count):.1%} by chance), {lowest} below .40 {good}; worst {held.iloc[0]:.2f}"
            )
            few = held[held < 0.6]
            for (crowd, kind, text), value in few.iloc[: self.listed or None].items():
                some = singles.get_group((crowd, kind, text))
                said = f"{some.truth.iloc[0]:.4g}, on average answered {some.estimate.mean():.4g}"
                print(f"    {value:.2f}  {crowd}: {text}: truth {said}")
            if self.listed and len(few) > self.listed:
                print(f"    ... and {len(few) - self.listed} more (--list 0 for all)")

    def _seeds(self, part: Frame) -> None:
        known = part[part.relative_spread.notna()]
        if known.empty:
            return
        print(f"\n## Spread over seeds of the fit, over the half width (95 % quantile: bar {SPREAD})")
        for key, group in known.groupby(["people", "epsilon"]):
            most, worst = float(group.relative_spread.quantile(0.95)), group.loc[group.relative_spread.idxmax()]
            tallies = group.groupby(["crowd", "collection"]).ngroups
            print(
                f"{cell_name(key):<28}{mark(most, most < SPREAD)} of {tallies} tallies; median "
                f"{group.relative_spread.median():.2f}; worst {worst.relative_spread:.2f}: {worst.crowd}: {worst.text}"
            )

    def _measured(self, part: Frame) -> None:
        if part.evidence.notna().any():
            print(
                "\n## Evidence: share of answers above .8 and below .2 (bar: half of two-attribute shares at 10^6, 4)"
            )
            for (*key, kind), group in part.groupby(["people", "epsilon", "kind"], observed=True):
                high, low = (group.evidence > 0.8).mean(), (group.evidence < 0.2).mean()
                barred = tuple(key) == (1_000_000, 4.0) and kind == "share of 2"
                print(
                    f"{cell_name(key):<28}{kind:<22}{high:>6.2f}{low:>7.2f} {_verdict(high >= 0.5) if barred else ''}"
                )
        if part.direct.notna().any():
            print("\n## Direct answers: how often they held, and their mean error over that of the answer shown")
            for (*key, kind), group in part.groupby(["people", "epsilon", "kind"], observed=True):
                some = group[group.direct.notna()]
                if len(some):
                    held, error = coverage(some, "direct_")
                    against_shown = ratio(some.direct_error.mean(), some.error.mean())
                    print(f"{cell_name(key):<28}{kind:<22}{held:.3f} ({error:.3f}){against_shown:>8.2f}")


def _verdict(good: bool) -> str:
    return "ok" if good else "FAIL"


def cell_name(key: Any) -> str:
    """Return a crowd, a cell, or both in words."""
    parts = key if isinstance(key, tuple | list) else (key,)
    return " ".join(part if isinstance(part, str) else f"{part:,}" if part > 100 else f"eps {part:g}" for part in parts)


def by_chance(collections: int) -> float:
    """Return how often an interval that holds nine times in ten would hold in less than 60 % of so many collections."""
    most = math.ceil(0.6 * collections - 1e-9) - 1
    return sum(math.comb(collections, n) * 0.9**n * 0.1 ** (collections - n) for n in range(most + 1))


def against(results: list[dict[str, Any]], others: list[dict[str, Any]]) -> None:
    """Print mean errors over those of another file, on the questions and collections that both hold."""
    both = frame_of(results).merge(frame_of(others), on=KEYS, suffixes=("", "_other"))
    both = both[both.error.notna() & both.error_other.notna()]
    print(f"\n# Mean errors over those of the other file ({len(both):,} answers in both; bars {BETTER} and {WORSE})")
    if both.empty:
        print("nothing in common: the same crowds, cells, mechanisms and collections must be in both files")
        return
    for key, group in [("all cells", both), *both.groupby(["people", "epsilon"])]:
        by_kind = group.groupby("kind", observed=True)
        ratios = by_kind.error.mean() / by_kind.error_other.mean()
        overall = float(np.exp(np.log(ratios).mean()))
        print(f"{cell_name(key)}: geometric mean over kinds {mark(overall, overall <= BETTER, '.3f')}")
        for kind, value in ratios.items():
            print(f"    {kind:<22}{mark(value, value <= WORSE, '.3f')}")
