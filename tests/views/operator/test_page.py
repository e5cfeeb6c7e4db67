"""The operator's page: one file, whose policy names its own program and style and nothing else."""

from __future__ import annotations

import base64
import hashlib
import re

from sottovoce.views.operator import operator_page, operator_policy


def test_the_policy_allows_what_stands_in_the_page_and_nothing_else() -> None:
    page = operator_page()
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in operator_policy()
    assert "unsafe" not in operator_policy()


def test_the_page_loads_nothing_has_no_handlers_in_it_and_reads_no_markup() -> None:
    page = operator_page()
    assert not re.search(r"""(src|href)=["'](?!data:,)""", page)
    assert not re.search(r"<[^>]+\son\w+=", page)
    for reads_markup in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "localStorage"):
        assert reads_markup not in page
