"""Draw the three pictures of docs/spectral.md: python docs/make_spectral_pictures.py (a minute or less)."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("svg")

import matplotlib.pyplot as plt

import sottovoce as sv
from sottovoce.mechanisms.spectral.mechanism import block_of
from sottovoce.mechanisms.spectral.walsh import walsh_signs
from sottovoce.plan.plan import SHARES

HERE = Path(__file__).parent
LEVELS, PEOPLE = 64, 1_000_000
SCHEMA = sv.Schema([sv.Ordinal(name, 0, LEVELS - 1) for name in "abcdef"])


def crowd() -> dict[str, np.ndarray]:
    """Return people with six attributes: two humps, and the same hidden number behind all."""
    generator = np.random.default_rng(1)
    hump = np.where(generator.random((PEOPLE, 1)) < 0.35, 18.0, 42.0)
    values = hump + 5 * generator.standard_normal((PEOPLE, 1)) + 4 * generator.standard_normal((PEOPLE, 6))
    return dict(zip("abcdef", np.clip(values, 0, LEVELS - 1).astype(int).T, strict=True))


def save(figure: plt.Figure, name: str) -> None:
    """Write a picture, the same bytes every time."""
    figure.savefig(HERE / name, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def draw_patterns() -> None:
    """Draw the Walsh functions of the first three bands."""
    signs = walsh_signs(LEVELS, 3)[:, 1:]
    figure, axes = plt.subplots(7, 1, figsize=(7, 4.2), sharex=True)
    for number, axis in enumerate(axes, start=1):
        band = number.bit_length() - 1
        axis.step(np.arange(LEVELS), signs[:, number - 1], where="mid", color=f"C{band}")
        axis.set_ylim(-1.5, 1.5)
        axis.set_yticks([])
        axis.set_ylabel(f"{number}\nband {band}", rotation=0, ha="right", va="center", fontsize=8)
    axes[-1].set_xlabel("level")
    save(figure, "spectral-patterns.svg")


def draw_shares(plan: sv.Plan) -> None:
    """Draw which part of all information is on which bands of two attributes, and on single ones."""
    bands, total = np.zeros((6, 6)), 0.0
    for family, first in zip(plan.families, plan.questions.offsets, strict=False):
        carried = family.shares / SHARES * float(plan.questions[first].channel.attenuation or 0) ** 2
        for group, mass in block_of(plan, family).shows.items():
            total += carried * mass
            if len(group) == 2:
                low, high = sorted(band for _, band in group)
                bands[high, low] += carried * mass
    bands /= total
    figure, axis = plt.subplots(figsize=(5, 4))
    shown = axis.imshow(np.where(bands > 0, 100 * bands, np.nan), cmap="Blues", origin="lower")
    for (row, column), share in np.ndenumerate(bands):
        if share:
            axis.text(
                column,
                row,
                f"{100 * share:.1f}",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if share > bands.max() / 2 else "black",
            )
    axis.set(xlabel="coarser band of the two", ylabel="finer band of the two")
    figure.colorbar(shown, label="% of all information")
    save(figure, "spectral-shares.svg")


def draw_fit(plan: sv.Plan, people: dict[str, np.ndarray]) -> None:
    """Draw one attribute as it is and as it was fitted from randomised reports."""
    model = sv.fit(plan, sv.simulate(plan, people, seed=1))
    figure, axis = plt.subplots(figsize=(7, 3))
    axis.bar(np.arange(LEVELS), np.bincount(people["a"], minlength=LEVELS) / PEOPLE, color="0.8", width=1, label="true")
    axis.plot(np.arange(LEVELS), model.marginal("a"), color="C0", label="fitted")
    axis.set(xlabel="level of a", ylabel="fraction")
    axis.legend(frameon=False)
    save(figure, "spectral-fit.svg")


def main() -> None:
    """Draw all three."""
    mpl.rcParams["svg.hashsalt"] = "spectral"
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=PEOPLE, mechanism="spectral")
    draw_patterns()
    draw_shares(plan)
    draw_fit(plan, crowd())


if __name__ == "__main__":
    main()
