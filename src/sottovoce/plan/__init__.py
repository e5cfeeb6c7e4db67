"""The public plan: its questions, what it promises, and the mechanisms that can design one."""

from __future__ import annotations

from sottovoce.plan.audit import Audit
from sottovoce.plan.plan import Plan

__all__ = ["Audit", "Plan"]
