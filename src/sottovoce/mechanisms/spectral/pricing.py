"""Pricing: of all blocks there are, far too many to list, those that would save most of the error now.

What a block saves at the margin is its gain per coefficient times the sum of the slopes of all coefficients it shows.
For two attributes and all their patterns at once that is a product of three matrices, masses by slopes by masses, so
every pair of patterns of every pair of attributes is priced in milliseconds. A third and further attribute are added to
the best pairs one at a time, as long as that saves more: it does where attributes have few levels and epsilon is large.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from math import exp

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.blocks import Block, Groups
from sottovoce.mechanisms.spectral.patterns import (
    Leads,
    basis_count,
    lead_masses,
    pair_masses,
    pattern_bins,
)
from sottovoce.plan.bin_maps import reaches_all

_WIDEST = 3.0  # cells, in e^eps: up to there randomised response beats local hashing
_MOST_CELLS = 4096  # of a question: as many codes are counted for each
_MOST_PRICED = 800_000  # pairs of patterns are priced at a time, over all pairs of attributes
_AT_ONCE = 1_000_000  # of them are held in memory
_MOST_PATTERNS = 400  # of an attribute
_LEAST_CARRIED = 0.93  # of what epsilon allows, by parities, or as much as any of the two; and by one sign of each
_MOST_PARITIES = 6  # products of two signs in one question: where epsilon allows more, all signs tell as much
_MOST_ATTRIBUTES = 5  # in one question
_EXTENDED = 100  # best pairs that are tried with a third attribute


@dataclass(frozen=True, slots=True)
class Offer:
    """A block, and what a report on it saves of the error."""

    block: Block
    saves: float


class Pricing:
    """Prices all blocks of patterns that epsilon and the number of people leave room for.

    Args:
        groups: The groups of coefficients.
        epsilon: The privacy asked for.
        most: The most questions of a block on one attribute.
        together: The most questions of a block on several.
        usual: A block of that many questions saves half as much as its reports say, as it must be asked that often.
    """

    def __init__(self, groups: Groups, epsilon: Decimal, *, most: float, together: float, usual: float) -> None:
        self.groups, self.together, self.usual = groups, together, usual
        self.odds = exp(float(epsilon))
        self.widest = min(_WIDEST * self.odds + 2, _MOST_CELLS)
        self.patterns = self._choose(most)
        self.tables = np.array([float(basis_count(leads)) for leads in self.patterns])
        self.masses = np.zeros((len(self.patterns), groups.bands))
        for row, leads in enumerate(self.patterns):
            for lead, mass in lead_masses(leads):
                self.masses[row, lead] = mass
        self.bins = np.array([[self._bins(axis.size, axis.bands, p) for p in self.patterns] for axis in groups.axes])
        self.joined = [row for row, tables in enumerate(self.tables) if tables <= together]  # may be asked together
        self.first, self.second = (np.asarray(part) for part in np.triu_indices(len(groups.axes), 1))

    def _choose(self, most: float) -> list[Leads]:
        """Return the patterns to be priced, those with few tables first, so many that pricing stays quick."""
        bands = self.groups.bands
        widest = min(bands, int(self.widest).bit_length() - 1)
        every = [leads for count in range(1, widest + 1) for leads in combinations(range(bands), count)]
        every = sorted((leads for leads in every if basis_count(leads) <= most), key=lambda p: (basis_count(p), p))
        pairs = max(1, len(self.groups.axes) * (len(self.groups.axes) - 1) // 2)
        kept = every[: max(12, min(_MOST_PATTERNS, int((_MOST_PRICED / pairs) ** 0.5)))]
        alone = [(band,) for band in range(bands) if 1 << band <= most]
        return kept + [leads for leads in alone if leads not in kept]

    @staticmethod
    def _bins(size: int, bands: int, leads: Leads) -> float:
        return pattern_bins(size, leads) if max(leads) < bands else np.inf

    def _gain(self, cells: Floats, questions: Floats) -> Floats:
        """Return what a report saves for a slope of one: less for many questions or more cells than pay."""
        # tau^2, tau = (e^eps - 1) / (e^eps - 1 + cells); see `blocks.attenuation`
        gain = ((self.odds - 1) / (self.odds - 1 + cells)) ** 2
        gain *= self._carried(np.clip(cells, self.odds + 1, self.widest))
        return np.where(cells <= self.widest, gain / (1 + questions / self.usual), 0.0)

    def _carried(self, cells: Floats) -> Floats:
        """Return the part of what epsilon allows a report to tell that so many cells carry."""
        ratio = (cells - 1) / self.odds
        return np.asarray(4 * ratio / (1 + ratio) ** 2)

    def offers(self, slope: Floats) -> Iterator[Offer]:
        """Yield the best block of every attribute and, of each kind, of every pair of attributes.

        Args:
            slope: For each group what information on one of its coefficients saves of the error.
        """
        # s1' m1 (design/limit.md, How blocks are chosen): what the signs of one attribute alone save
        alone = self.groups.singles(slope) @ self.masses.T
        worth = alone * self._gain(self.bins, self.tables)
        for attribute, row in enumerate(_best(worth)):
            yield Offer(Block(((attribute, self.patterns[row]),)), float(worth[attribute, row]))
        if len(self.first):
            products = list(self._products(alone, slope))
            yield from products
            yield from self._parities(slope)
            if len(self.groups.axes) > 2:
                products.sort(key=lambda offer: -round(offer.saves, 12))
                across = self._across(slope)
                yield from (self._extended(offer, alone, across) for offer in products[:_EXTENDED])

    @cached_property
    def _product_gains(self) -> list[tuple[slice, Floats]]:
        """Pairs of attributes, a part of them at a time, and the gains of all patterns of both: no round moves them."""
        rows = np.array(self.joined)
        questions, bins = np.outer(self.tables[rows], self.tables[rows]), self.bins[:, rows]
        single = np.array([len(self.patterns[row]) == 1 for row in self.joined])
        # below epsilon .56 one sign of each attribute tells less than each sign, and their parity, asked alone
        wasteful = np.outer(single, single) & (self._carried(np.array(max(4.0, self.odds + 1))) < _LEAST_CARRIED)
        offered = (questions <= self.together) & ~wasteful
        step = max(1, _AT_ONCE // len(rows) ** 2)
        parts = [slice(start, start + step) for start in range(0, len(self.first), step)]
        return [
            (part, offered * self._gain(bins[self.first[part], :, None] * bins[self.second[part], None, :], questions))
            for part in parts
        ]

    def _products(self, alone: Floats, slope: Floats) -> Iterator[Offer]:
        """Yield the best block of every pair of attributes that shows all signs."""
        rows = np.array(self.joined)
        masses, alone, pairs = self.masses[rows], alone[:, rows], self.groups.pairs(slope)
        for part, gains in self._product_gains:
            first, second = self.first[part], self.second[part]
            # for all patterns a, b of two attributes at once: sum over bands of mass_a slope_ab mass_b
            worth = masses @ pairs[part] @ masses.T
            worth += alone[first][:, :, None]
            worth += alone[second][:, None, :]
            worth *= gains
            worth = worth.reshape(len(first), -1)
            for number, index in enumerate(_best(worth).tolist()):
                one, other = divmod(index, len(rows))
                patterns = (
                    (int(first[number]), self.patterns[rows[one]]),
                    (int(second[number]), self.patterns[rows[other]]),
                )
                yield Offer(Block(patterns), float(worth[number, index]))

    def _parities(self, slope: Floats) -> Iterator[Offer]:
        """Yield the best block of every pair of attributes that shows parities only."""
        pairs = self.groups.pairs(slope)
        best = np.zeros(len(pairs))
        found: list[tuple[Leads, Leads] | None] = [None] * len(pairs)
        numbers = range(1, 1 + min(_MOST_PARITIES, int(self.widest).bit_length() - 1))
        rows_of = {k: [row for row in self.joined if len(self.patterns[row]) == k] for k in numbers}
        # where some combination of signs is missing there is no parity
        able_of = {
            k: np.array([[reaches_all(axis.size, k)] for axis in self.groups.axes]) & np.isfinite(self.bins[:, rows])
            for k, rows in rows_of.items()
        }
        carried = self._carried(np.exp2(np.array(numbers, dtype=np.float64)))
        had = np.array([able.any(axis=1)[self.first] & able.any(axis=1)[self.second] for able in able_of.values()])
        wanted = np.minimum(_LEAST_CARRIED, (carried[:, None] * had).max(axis=0))
        for functions, rows in rows_of.items():
            able, enough = able_of[functions], carried[functions - 1] >= wanted
            if not able.any():
                continue
            leads = np.array([self.patterns[row] for row in rows])
            whole = np.array([float(basis_count(self.patterns[row], True)) for row in rows])
            for turned in (leads, leads[:, ::-1])[: min(functions, 2)]:
                questions = np.outer(self.tables[rows] if turned is leads else whole, whole)
                allowed = (questions <= self.together) & able[self.first][:, :, None] & able[self.second][:, None, :]
                allowed &= enough[:, None, None]
                shown = np.zeros(allowed.shape)
                for one in range(functions):
                    for other in range(functions):
                        mass = _parity_masses(functions, turned is leads)[one, other]
                        if mass:
                            shown += mass * pairs[:, leads[:, one][:, None], leads[:, other]]
                worth = shown * self._gain(np.full(1, float(1 << functions)), questions) * allowed
                worth = worth.reshape(len(pairs), -1)
                chosen = _best(worth)
                saves = worth[np.arange(len(pairs)), chosen]
                for number in np.flatnonzero(saves > best).tolist():
                    one, other = divmod(int(chosen[number]), len(rows))
                    best[number] = saves[number]
                    found[number] = tuple(leads[one].tolist()), tuple(turned[other].tolist())
        for number, both in enumerate(found):
            if both is not None:
                patterns = (int(self.first[number]), both[0]), (int(self.second[number]), both[1])
                yield Offer(Block(patterns, parity=True), float(best[number]))

    def _extended(self, offer: Offer, alone: Floats, across: Floats) -> Offer:
        """Return the block with further attributes, as long as they save more."""
        indices = {leads: row for row, leads in enumerate(self.patterns)}
        while len(offer.block.patterns) < min(_MOST_ATTRIBUTES, len(self.groups.axes)):
            own = [(attribute, indices[leads]) for attribute, leads in offer.block.patterns]
            if 2 * np.prod([self.bins[attribute, row] for attribute, row in own]) > self.widest:
                break  # no room for another sign
            shown, cells, questions = alone.copy(), self.bins.copy(), self.tables.copy()
            base = 0.0
            for number, (attribute, row) in enumerate(own):
                cells *= self.bins[attribute, row]
                questions = questions * self.tables[row]
                # the slopes shown together with this pattern, for every other attribute and pattern
                towards = (self.masses[row] @ across[attribute]) @ self.masses.T
                shown += towards
                cells[attribute] = np.inf  # an attribute is in a question once
                base += alone[attribute, row] + sum(towards[other, column] for other, column in own[:number])
            worth = (base + shown) * self._gain(cells, questions) * (questions <= self.together)
            index = _best(worth.reshape(1, -1))[0]
            attribute, row = divmod(int(index), len(self.patterns))
            if worth[attribute, row] <= offer.saves * (1 + 1e-6):
                break
            patterns = sorted([*offer.block.patterns, (attribute, self.patterns[row])])
            offer = Offer(Block(tuple(patterns)), float(worth[attribute, row]))
        return offer

    def _across(self, slope: Floats) -> Floats:
        """Return the slopes of all pairs as attributes by attributes by the bands of the one and of the other."""
        count, pairs = len(self.groups.axes), self.groups.pairs(slope)
        across = np.zeros((count, count, self.groups.bands, self.groups.bands))
        across[self.first, self.second] = pairs
        across[self.second, self.first] = pairs.transpose(0, 2, 1)
        return across


def _parity_masses(functions: int, straight: bool) -> NDArray[np.int64]:
    """Return how many products a parity shows of each two leads, in the order of rising leads."""
    rising = tuple(range(functions))
    masses = np.zeros((functions, functions), dtype=np.int64)
    for (one, other), mass in pair_masses(rising, rising if straight else rising[::-1]).items():
        masses[one, other] = mass
    return masses


def _best(worth: Floats) -> NDArray[np.intp]:
    """Return the index of the largest of each row, as far as every machine agrees on it: the first of equals."""
    largest = worth.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(worth >= largest * (1 - 1e-9), axis=1))
