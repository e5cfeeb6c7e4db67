"""What stands inside a page: the hash is the one that browsers compute, and no data ends its script."""

from __future__ import annotations

import json

from sottovoce.views.inline import as_script, asset, digest


def test_a_digest_is_the_one_of_the_policys_standard() -> None:
    # the example of the standard, Content Security Policy Level 3, for `alert('Hello, world.');`
    assert digest("alert('Hello, world.');") == "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"


def test_data_ends_no_script_and_is_read_as_it_was() -> None:
    hostile = {"name": "</script><script>alert(1)</script><!--"}
    assert "<" not in as_script(hostile)
    assert json.loads(as_script(hostile)) == hostile


def test_the_files_of_the_pages_are_there() -> None:
    for package, name in (("operator", "operate.js"), ("explorer", "explorer.js"), ("survey_page", "survey.js")):
        assert asset(f"sottovoce.views.{package}", name)
