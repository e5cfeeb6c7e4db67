"""The public plan: its questions, what it promises, and the mechanisms that can design one."""

from __future__ import annotations

from sottovoce.plan.audit import Audit
from sottovoce.plan.plan import SHARES, Plan
from sottovoce.plan.registry import Design, Fitting, Mechanism, find_mechanism, register

__all__ = ["SHARES", "Audit", "Design", "Fitting", "Mechanism", "Plan", "find_mechanism", "register"]
