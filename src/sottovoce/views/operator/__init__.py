"""The operator's page: one file with its program and style, which asks the collector that serves it and no other."""

from __future__ import annotations

from sottovoce.views.operator.page import operator_page, operator_policy

__all__ = ["operator_page", "operator_policy"]
