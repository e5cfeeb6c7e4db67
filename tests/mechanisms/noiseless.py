"""Models fitted to next to no noise: what is left of their error is their own."""

from __future__ import annotations

from typing import Any

import sottovoce as sv


def sharp(mechanism: str, crowd: dict[str, Any], schema: sv.Schema, **options: object) -> sv.Model:
    """Return the model fitted to next to no noise: epsilon 20, randomised response, 50 million people."""
    plan = sv.Plan.create(schema, epsilon=20, users=10**7, mechanism=mechanism, oracle="grr", **options)
    return sv.fit(plan, sv.simulate(plan, crowd, seed=1, users=50_000_000))
