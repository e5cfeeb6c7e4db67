"""The public plan: its questions, what it promises, and the mechanisms that can design one."""

from __future__ import annotations

from sottovoce.plan.plan import Audit, Plan

__all__ = ["Audit", "Plan"]
