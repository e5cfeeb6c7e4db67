"""The bootstrap: a tally as it might have come out, had other people of the same crowd reported."""

from __future__ import annotations

import numpy as np

from sottovoce.tally.tally import Tally


def resample(tally: Tally, generator: np.random.Generator) -> Tally:
    """Return a tally with as many reports on every question, drawn with replacement from those counted."""
    drawn = Tally(tally.plan)
    for question in np.flatnonzero(tally.question_totals).tolist():
        codes, counts = tally.pairs(question)
        again = generator.multinomial(int(counts.sum()), counts / counts.sum())
        drawn.add_counts(np.full(len(codes), question), codes, again)
    return drawn
