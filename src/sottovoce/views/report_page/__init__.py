"""The report: one page for a finished collection, to decide by, with everything in it and nothing fetched."""

from __future__ import annotations

from sottovoce.views.report_page.about import About, read_logo
from sottovoce.views.report_page.asked import Question, load_questions
from sottovoce.views.report_page.page import POLICY, make_report

__all__ = ["POLICY", "About", "Question", "load_questions", "make_report", "read_logo"]
