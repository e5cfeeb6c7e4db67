"""Mechanisms, one per file: `design` turns a schema into questions, `fit` a tally into a model.

Importing this package registers them all; a new one needs its file and its line here.
"""

from __future__ import annotations

from sottovoce.mechanisms.calm import CALM
from sottovoce.mechanisms.hdg import HDG
from sottovoce.mechanisms.hio import HIO
from sottovoce.mechanisms.lhio import LHIO
from sottovoce.mechanisms.msw import MSW
from sottovoce.mechanisms.spectral.mechanism import SPECTRAL
from sottovoce.mechanisms.tdg import TDG
from sottovoce.mechanisms.uniform import UNIFORM
from sottovoce.plan.plan import register

for _mechanism in (SPECTRAL, HDG, TDG, CALM, LHIO, HIO, MSW, UNIFORM):
    register(_mechanism)
