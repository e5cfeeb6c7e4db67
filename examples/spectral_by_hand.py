"""Spectral's design for one or two ordered attributes, by the steps of docs/spectral.md: it imports no Sottovoce.

`python examples/spectral_by_hand.py 1 100000 8 8` is epsilon 1, 100,000 people and two attributes of 8 levels; levels
are a power of two up to 32. It prints for each block its attributes, the Walsh functions of their tables, its channel,
its share out of 2^32 and the channel's integers out of 2^64. A test compares all of it with the package's plan.
"""

import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import cache
from itertools import combinations, product
from math import exp, inf, prod, sinh

import numpy as np

FIELD = (0, 3, 7, 11, 19, 37, 67)  # irreducible polynomials over two elements, by degree


def multiply(left, right, degree):
    """Return a product in the field of 2^degree elements."""
    result = 0
    for bit in range(degree):
        result ^= left if right >> bit & 1 else 0
        left = left << 1 ^ (FIELD[degree] if left >> (degree - 1) & 1 else 0)
    return result


@cache
def bases(leads, whole=False):
    """Return the tables of a pattern (section 3.2)."""
    runs, found = {}, []
    for bit in (bit for bit in range(max(leads)) if whole or bit not in leads):
        runs.setdefault(tuple(sorted(lead for lead in leads if lead > bit)), []).append(bit)
    degrees = [max(len(above), len(free)) for above, free in runs.items()]
    for multipliers in product(*(range(1 << degree) for degree in degrees)):
        functions = {lead: 1 << lead for lead in leads}
        for (above, free), degree, a in zip(runs.items(), degrees, multipliers, strict=True):
            for index, lead in enumerate(above):
                filling = multiply(a, 1 << index, degree)
                functions[lead] |= sum((filling >> number & 1) << bit for number, bit in enumerate(free))
        found.append(tuple(functions[lead] for lead in leads))
    return found


def tables(patterns, parity):
    """Return the tables of each attribute of a block (section 3.3)."""
    last = patterns[-1][1]
    whole = (last != tuple(sorted(last)), len(last) > 1) if parity else (False, False)
    return [bases(leads, yes) for (_, leads), yes in zip(patterns, whole, strict=False)]


def shows(patterns, parity):
    """Return the groups that a question informs, and how many coefficients of each (section 3.3)."""
    own = [[((j, lead), 1 << i) for i, lead in enumerate(sorted(leads))] for j, leads in patterns]
    if not parity:
        alone = {(band,): mass for bands in own for band, mass in bands}
        return alone | {(a, b): m * k for one, two in combinations(own, 2) for a, m in one for b, k in two}
    (_, first), (_, second) = patterns
    some = [[i for i in range(len(first)) if x >> i & 1] for x in range(1, 1 << len(first))]
    found = [((0, max(first[i] for i in own)), (1, max(second[i] for i in own))) for own in some]
    return {group: found.count(group) for group in found}


def energy(size):
    """Return the mean squared weight, over ranges, of the constant and of a function of each band (section 4.1)."""
    backwards = [int(f"{x:0{size.bit_length() - 1}b}"[::-1], 2) for x in range(size)]
    signs = np.array([[(-1) ** (u & x).bit_count() for u in range(size)] for x in backwards])
    prefix = np.vstack([np.zeros(size), np.cumsum(signs, axis=0)]) / size
    squares = np.mean([(prefix[b] - prefix[a]) ** 2 for a, b in combinations(range(size + 1), 2)], axis=0)
    return [squares[0]] + [squares[1 << b : 2 << b].mean() for b in range(size.bit_length() - 1)]


def candidates(bands, most, together, odds, widest):
    """Yield all blocks in lists; of each list one enters at a time (section 4.3)."""
    signs = int(widest).bit_length() - 1
    every = [p for k in range(1, min(max(bands), signs) + 1) for p in combinations(range(max(bands)), k)]
    every = sorted((p for p in every if len(bases(p)) <= most), key=lambda p: (len(bases(p)), p))
    own = [[(j, p) for p in every if max(p) < bands[j]] for j in range(len(bands))]
    yield from ([((pattern,), False) for pattern in patterns] for patterns in own)
    if len(bands) == 2:
        both = [(one, two) for one, two in product(*own) if len(bases(one[1])) * len(bases(two[1])) <= together]
        wasteful = odds < 3 and 12 / odds / (1 + 3 / odds) ** 2 < 0.93  # what one sign of each, four cells, would carry
        shown = ((pair, sum(len(p) for _, p in pair)) for pair in both)
        yield [(pair, False) for pair, many in shown if 2**many <= widest and not (wasteful and many == 2)]
        ratios = {k: (2**k - 1) / odds for k in range(1, min(6, signs) + 1)}
        carried = {k: 4 * ratio / (1 + ratio) ** 2 for k, ratio in ratios.items()}
        had = [k for k in carried if all(any(len(p) == k and len(bases(p)) <= together for _, p in j) for j in own)]
        wide = [k for k in had if carried[k] >= min(0.93, max(carried[k] for k in had))]
        shown = [((one, (1, two[1][::turn])), True) for k in wide for turn in (1, -1)[:k]
                 for one, two in both if len(one[1]) == len(two[1]) == k]  # fmt: skip
        yield [block for block in shown if prod(map(len, tables(*block))) <= together]


class Problem:
    """What is weighed, believed and allowed (section 4.1); shares are an array with a number for every candidate."""

    def __init__(self, sizes, epsilon, n):
        d, odds, most, spectra = len(sizes), exp(float(epsilon)), max(1, n // 100), [energy(size) for size in sizes]
        owners, bands = d * (d + 1) / 2, [min(size.bit_length() - 1, most.bit_length()) for size in sizes]
        self.n, self.d, self.rounds = n, d, 40 if d == 1 else 100
        self.kinds = list(candidates(bands, most, min(most, max(4, most // (5 * d))), odds, min(3 * odds + 2, 4096)))
        self.blocks = blocks = [block for kind in self.kinds for block in kind]
        own = [[(j, b) for b in range(bands[j])] for j in range(d)]
        groups = [(band,) for part in own for band in part] + (list(product(*own)) if d == 2 else [])
        fine, two = np.array([[sum(b for _, b in group), len(group) == 2] for group in groups]).T
        single = 2 * max(1, sinh(float(epsilon) / 2) / sinh(1.5))
        alone = [single * spectra[1 - j][0] if d == 2 else 1 for j in range(d)]
        weight = [prod(spectra[j][1 + b] for j, b in group) for group in groups]
        self.weight = np.array([x if len(g) == 2 else x * alone[g[0][0]] for x, g in zip(weight, groups, strict=True)])
        self.prior = np.where(two, 0.6 * 2 ** (-1.2 * fine), 0.5 * 2 ** (-0.5 * fine))
        self.sizes = 2.0**fine
        self.cells = np.array(
            [2 ** (len(p[0][1]) if parity else sum(len(own) for _, own in p)) for p, parity in blocks]
        )
        self.questions = np.array([float(prod(map(len, tables(*block)))) for block in blocks])
        masses = np.array([[shows(*block).get(group, 0) for group in groups] for block in blocks])
        self.gains = masses * ((odds - 1) / (odds - 1 + self.cells[:, None])) ** 2
        wide = np.maximum((self.cells - 1) / odds, 1)
        self.factor = 4 * wide / (1 + wide) ** 2 / (1 + self.questions / (most / owners))
        self.least = 100 * self.questions / n
        self.cost = 8e-4 * max(1, 0.27 / sinh(float(epsilon) / 2) ** 2) * self.questions / owners

    def information(self, shares):
        """Return the information on a coefficient of each group."""
        return self.n * (shares @ self.gains) / self.sizes

    def benefit(self, known):
        """Return what a report on each block saves."""
        return self.gains @ (self.weight * (self.prior / (1 + self.prior * known)) ** 2)

    def price(self, shares):
        """Return what the whole crowd saves at the margin."""
        return self.n * (self.benefit(self.information(shares)) @ shares)

    def error(self, known):
        """Return the expected error of each group."""
        return self.sizes * self.weight * self.prior / (1 + self.prior * known)

    def saved(self, known, shares):
        """Return what each block saves with that share beyond what is known."""
        after = np.maximum(known + self.n * self.gains * shares[:, None] / self.sizes, 0)
        return (self.error(known) - self.error(after)).sum(axis=1)

    def optimise(self, shares, steps, part=1.0, known=0.0):
        """Return better shares and their error (section 4.2)."""
        shares = shares / shares.sum()
        for _ in range(steps):
            benefit = self.benefit(known + part * self.information(shares))
            shares = shares * np.sqrt(benefit / (benefit @ shares))
            shares = shares / shares.sum()
        return shares, self.error(known + part * self.information(shares)).sum()

    def needed(self, shares, among):
        """Return for each attribute one block that shows it (section 4.4)."""
        room = self.least[[i for i in among if shares[i] > 0]].sum() <= 1
        enough = room & (shares >= self.least)
        showing = [[i for i in among if not self.blocks[i][1] and j in dict(self.blocks[i][0])] for j in range(self.d)]
        ranks = {i: (enough[i], 0 if enough[i] else -self.questions[i], round(shares[i], 9)) for i in among}
        return {max(reversed(own), key=ranks.get) for own in showing}


def generate(problem):
    """Return candidates in the order in which they entered, and shares (section 4.3)."""
    shares, pool = np.zeros(len(problem.blocks)), []
    for _ in range(problem.rounds):
        worth, now = problem.factor * problem.benefit(problem.information(shares)), problem.price(shares) / problem.n
        offers, first = [], 0
        for kind in filter(None, problem.kinds):
            mine = worth[first : first + len(kind)]
            offers.append(first + int(np.argmax(mine >= mine.max() * (1 - 1e-9))))
            first += len(kind)
        offers.sort(key=lambda i: -round(worth[i] / now, 6) if now else 0)
        entering = [i for i in offers if i not in pool and worth[i] > 1.002 * now]
        if not entering:
            break
        part = 0.3 if pool else 1.0
        shares = (1 - part) * shares
        shares[entering] = part / len(entering)
        shares, _ = problem.optimise(shares, 12)
        pool += entering
    return pool, shares


def drop(problem, pool, shares):
    """Return shares over fewer candidates (section 4.4)."""
    n, least, kept, steps = problem.n, problem.least, list(pool), 30
    while True:
        shares, error = problem.optimise(np.where(np.isin(np.arange(len(shares)), kept), shares, 0), steps)
        needed, steps = problem.needed(shares, kept), 15
        free = [i for i in kept if i not in needed]
        rare = [i for i in free if shares[i] < least[i]]
        rare = free if not rare and least[kept].sum() > 1 else rare
        others = problem.information(shares) - n * problem.gains * shares[:, None] / problem.sizes
        others, price = np.maximum(others, 0), problem.price(shares)
        value = problem.saved(others, least) / (least * price)
        if not rare or (least[kept].sum() < 0.75 and value[rare].min() >= 1):
            value = (problem.saved(others, shares) - price * shares) / (error * problem.cost)
            rare = [i for i in free if value[i] < 1]
        if not rare:
            shares[kept] = np.maximum(shares[kept], 1e-12)
            return shares
        worst = sorted(rare, key=lambda i: round(value[i], 6))[: max(1, int(0.15 * len(rare)))]
        kept = [i for i in kept if i not in worst]


def search(problem, pool, shares):
    """Return better shares, none below the least (section 4.5)."""
    least, best, error = problem.least, shares, inf
    for _ in range(100):
        bound = np.where(shares > 0, least, 0)
        bound = bound * min(1, 1 / bound.sum())
        left = max(1 - bound.sum(), 1e-9)
        start = np.where(shares > 0, np.maximum(shares - bound, 1e-4 * left / (shares > 0).sum()), 0)
        more, now = problem.optimise(start, 20, left, problem.information(bound))
        shares = bound + left * more
        if now >= error:
            break
        best, error, known, price = shares, now, problem.information(shares), problem.price(shares)
        joining = problem.saved(known, least) - price * least - error * problem.cost
        leaving = problem.saved(known, -shares) + price * shares + error * problem.cost
        room = least < (1 - least[shares > 0].sum()) / 2
        gain = np.where(shares > 0, leaving, np.where(room, joining, -inf))
        gain[list(problem.needed(shares, pool))] = -inf
        chosen = max(pool, key=lambda i: round(gain[i] / error, 9))
        if gain[chosen] < 1e-4 * error:
            break
        shares = shares.copy()
        shares[chosen] = 0 if shares[chosen] > 0 else least[chosen]
    return np.round(best, 9)


def plan(sizes, epsilon, n):
    """Return the plan's blocks: attributes, tables, channel, share, and the channel's integers (sections 2, 4.6)."""
    problem = Problem(sizes, epsilon, n)
    pool, shares = generate(problem)
    shares = search(problem, pool, drop(problem, pool, shares))
    chosen = [i for i in pool if shares[i] > 0]
    whole = [int(shares[i] / sum(shares[chosen].tolist()) * 2**32) for i in chosen]
    whole[whole.index(max(whole))] += 2**32 - sum(whole)
    near, down = Context(prec=60), Context(prec=60, rounding=ROUND_FLOOR)
    odds = down.multiply(near.exp(Decimal(epsilon)), near.subtract(Decimal(1), Decimal("1e-50")))
    lines = []
    for (patterns, parity), cells, share in zip(
        [problem.blocks[i] for i in chosen], problem.cells[chosen], whole, strict=True
    ):
        other = near.divide(Decimal(2**64), near.add(odds, Decimal(int(cells) - 1))).to_integral_value(ROUND_CEILING)
        channel = ("xor" if len(patterns[0][1]) > 1 else "parity") if parity else "grr"
        keep = 2**64 - (int(cells) - 1) * int(other)
        lines.append(([j for j, _ in patterns], tables(patterns, parity), channel, share, keep, int(other)))
    return lines


if __name__ == "__main__":
    for line in plan([int(size) for size in sys.argv[3:]], sys.argv[1], int(sys.argv[2])):
        print(*line)
