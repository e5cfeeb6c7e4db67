"""Experiments: from Python with `run`, and the paper's, every figure and table by name.

`run` sweeps any setting or option and returns one row per query; `score` reads errors off its frame and `paired`
compares two methods. Of the paper's, `catalogue` describes them, `tasks` takes one apart into pieces that run alone,
`runner` runs the pieces on all cores and keeps what is done, `tables` and `plots` show the outcome.
"""

from sottovoce.experiments.scores import paired, score
from sottovoce.experiments.sweep import run

__all__ = ["paired", "run", "score"]
