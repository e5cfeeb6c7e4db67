"""The conformance suite on every mechanism that Sottovoce has; a new one joins by its line in the registry."""

from __future__ import annotations

from sottovoce.plan.registry import mechanism_names
from sottovoce.testing import mechanism_suite

globals().update({f"Test{name.capitalize()}": mechanism_suite(name) for name in mechanism_names()})
