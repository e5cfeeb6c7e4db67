"""Three ways to ask the same people again, at the same loss over all their histories: which errs least?

(a) sampled: a device draws the one wave in which it reports. (b) memoised: it draws at joining which answer it gives
for which cell, and sends that through a second randomiser in every wave. (c) fresh: every wave asks people who were
never asked. Two cells, 200,000 people in all. The loss of (b) over all pairs of histories is exact, by enumeration of
the sequences that can be told apart; its two epsilons are the best of those tried for each lifetime and number of
waves. The standard errors are exact, those of (a) and (b) are checked by simulation.

    python benchmarks/waves.py
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

USERS = 200_000
SEED = 1


def memoised_loss(first: float, second: float, waves: int) -> float:
    """Return the exact worst log-ratio over all pairs of histories of two cells, and all sequences of reports.

    Relative to the first history, a sequence is told by how many of its reports differ where the histories agree, and
    how many where they do not.
    """
    keep, swap = (math.exp(first) / (1 + math.exp(first)), 1 / (1 + math.exp(first)))
    up, down = -math.log1p(math.exp(-second)), -math.log1p(math.exp(second))
    worst = 0.0
    for apart in range(waves + 1):
        inside, outside = np.arange(apart + 1)[:, None], np.arange(waves - apart + 1)[None, :]

        def chance(differing: np.ndarray) -> np.ndarray:
            own = math.log(keep) + differing * down + (waves - differing) * up
            swapped = math.log(swap) + differing * up + (waves - differing) * down
            return np.logaddexp(own, swapped)

        worst = max(worst, float((chance(inside + outside) - chance(apart - inside + outside)).max()))
    return worst


def brute_loss(first: float, second: float, waves: int) -> float:
    """Return the same by listing every history and every sequence."""
    keep, up = math.exp(first) / (1 + math.exp(first)), math.exp(second) / (1 + math.exp(second))
    every = list(itertools.product((0, 1), repeat=waves))

    def chance(history: tuple[int, ...], sent: tuple[int, ...]) -> float:
        own = math.prod(up if a == b else 1 - up for a, b in zip(history, sent, strict=True))
        swapped = math.prod(up if a != b else 1 - up for a, b in zip(history, sent, strict=True))
        return keep * own + (1 - keep) * swapped

    table = np.array([[chance(history, sent) for sent in every] for history in every])
    return float(np.log(table.max(axis=0) / table.min(axis=0)).max())


def listed_loss(first: float, second: float, cells: int, waves: int) -> tuple[float, float, float]:
    """Return the loss of the memoised scheme by listing every history, and everything that can be sent.

    The codes of all cells are drawn jointly: the identity with probability keep - other, else any permutation.

    Returns:
        The loss among histories that repeat themselves at the same waves (one is the other with its cells renamed),
        among those that change at the same waves, and among all. With two cells the first two are the same.
    """
    keep, other = (math.exp(first) / (math.exp(first) + cells - 1), 1 / (math.exp(first) + cells - 1))
    again = np.full((cells, cells), 1 / (math.exp(second) + cells - 1))
    np.fill_diagonal(again, math.exp(second) / (math.exp(second) + cells - 1))
    histories = np.array(list(itertools.product(range(cells), repeat=waves)))
    table = np.zeros((len(histories), len(histories)))
    permutations = list(itertools.permutations(range(cells)))
    for codes in permutations:
        chance = (1 - keep + other) / len(permutations) + (keep - other) * (codes == tuple(range(cells)))
        sent = np.array(codes)[histories]
        table += chance * np.prod([again[sent[:, [wave]], histories[:, wave]] for wave in range(waves)], axis=0)
    repeats = [tuple(row.index(cell) for cell in row) for row in histories.tolist()]
    changes = [tuple(a != b for a, b in itertools.pairwise(row)) for row in histories.tolist()]
    return _worst(table, repeats), _worst(table, changes), _worst(table, [()] * len(histories))


def _worst(table: np.ndarray, kinds: list[tuple[int, ...]]) -> float:
    """Return the largest log-ratio between two histories of one kind."""
    rows: dict[tuple[int, ...], list[int]] = {}
    for row, kind in enumerate(kinds):
        rows.setdefault(kind, []).append(row)
    return max(float(np.log(table[some].max(axis=0) / table[some].min(axis=0)).max()) for some in rows.values())


@dataclass(frozen=True)
class Errors:
    """Standard errors of a fraction in one wave, and of its change if nobody, a tenth or everybody changes."""

    single: float
    none: float
    tenth: float
    all: float


def sampled_errors(lifetime: float, waves: int) -> Errors:
    """Return those of one report per person, a wave's share of the people reporting in it; fresh people's too."""
    left = math.tanh(lifetime / 2)
    one = waves / USERS / (4 * left**2)  # at a fraction of a half, where the variance is largest
    certain = waves / USERS * (1 - left**2) / (4 * left**2)  # all in one cell, as before and after everybody changes
    return Errors(*(math.sqrt(variance) for variance in (one, 2 * one, 2 * one, 2 * certain)))


def memoised_errors(first: float, second: float) -> Errors:
    """Return those of everybody reporting in every wave: who keeps their cell keeps their first draw too."""
    inner = math.tanh(second / 2)
    left = math.tanh(first / 2) * inner
    scale = 1 / (4 * left**2) / USERS
    everybody = 2 + 2 * inner**2 - 4 * left**2
    variances = (1, 2 - 2 * inner**2, 2 - 2 * inner**2 * 0.8, everybody)
    return Errors(*(math.sqrt(variance * scale) for variance in variances))


def memoised_schemes(lifetime: float, waves: int) -> list[tuple[float, float, Errors]]:
    """Return memoised schemes of that lifetime: two epsilons, the second the largest allowed, and their errors."""
    found = []
    for first in np.array([0.2, 0.4, 0.6, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 5, 10]) * lifetime:
        low, high = 0.0, 4 * lifetime
        for _ in range(16):
            middle = (low + high) / 2
            low, high = (middle, high) if memoised_loss(first, middle, waves) <= lifetime else (low, middle)
        if low > 0:
            found.append((float(first), low, memoised_errors(float(first), low)))
    return found


def simulate(
    lifetime: float, waves: int, first: float, second: float, repeats: int = 100
) -> dict[str, tuple[float, float]]:
    """Return the standard errors, by simulation, of one wave and of a change when nobody changes: sampled, memoised."""
    random = np.random.default_rng(SEED)
    cells = np.arange(USERS) < USERS // 2
    found: dict[str, list[list[float]]] = {"sampled": [], "memoised": []}
    keep = [1 / (1 + math.exp(-value)) for value in (lifetime, first, second)]
    for _ in range(repeats):
        turn, true = random.integers(waves, size=USERS), random.permutation(cells)
        pair = []
        for wave in (0, 1):
            mine = true[turn == wave]
            sent = mine ^ (random.random(mine.size) > keep[0])
            pair.append((sent.mean() - (1 - keep[0])) / (2 * keep[0] - 1))
        found["sampled"].append(pair)
        memo = true ^ (random.random(USERS) > keep[1])
        left = (2 * keep[1] - 1) * (2 * keep[2] - 1)
        sent = [(memo ^ (random.random(USERS) > keep[2])).mean() for _ in (0, 1)]
        found["memoised"].append([(one - (1 - left) / 2) / left for one in sent])
    return {
        name: (float(np.std([pair[0] for pair in pairs])), float(np.std([a - b for a, b in pairs])))
        for name, pairs in found.items()
    }


def main() -> None:
    for waves in (2, 4, 8):
        exact, listed = memoised_loss(1, 1, waves), brute_loss(1, 1, waves)
        print(f"memoised, both epsilons 1, {waves} waves: loss over all histories {exact:.3f} (listed: {listed:.3f})")
    for cells, waves in ((2, 8), (4, 2), (4, 4), (4, 5)):
        same, changing, every = listed_loss(1, 1, cells, waves)
        print(
            f"memoised, both epsilons 1, {cells} cells, {waves} waves, listed: same repeats {same:.3f}, same changes "
            f"{changing:.3f}, all {every:.3f}"
        )
    print(
        f"the most among the same repeats, however many waves: 2 cells 1, 4 cells {math.log(1 + (math.e - 1) * 6):.3f}"
    )
    print("\nstandard errors in percent of the crowd: sampled (= fresh people), then the best memoised for that figure")
    print("lifetime waves  single wave      change, nobody   change, a tenth  change, all")
    for lifetime in (0.5, 1.0, 2.0, 4.0):
        for waves in (2, 4, 12, 52):
            ours, row, schemes = sampled_errors(lifetime, waves), [], memoised_schemes(lifetime, waves)
            for which in ("single", "none", "tenth", "all"):
                mine, memoised = getattr(ours, which), min(getattr(scheme[2], which) for scheme in schemes)
                row.append(f"{mine:6.2%} {memoised:6.2%}{'*' if memoised < mine else ' '}")
            print(f"{lifetime:8} {waves:5}  " + "  ".join(row), flush=True)
    first, second, expected = min(memoised_schemes(1.0, 12), key=lambda scheme: scheme[2].single)
    drawn, ours = simulate(1.0, 12, first, second), sampled_errors(1.0, 12)
    print("\nsimulated at lifetime 1, 12 waves (exact in brackets): one wave, change when nobody changes")
    for name, one in (("sampled", ours), ("memoised", expected)):
        figures = zip(drawn[name], (one.single, one.none), strict=True)
        print(f"{name:9}" + " ".join(f"{found:.2%} ({exact:.2%})" for found, exact in figures))


if __name__ == "__main__":
    main()
