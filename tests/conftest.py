"""Hypothesis draws the same examples in every run, and no test depends on how long one takes."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("sottovoce", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("sottovoce")
