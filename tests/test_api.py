"""The public names: one flat namespace, sorted, and documented."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import sottovoce as sv


def test_the_namespace_is_sorted_and_all_of_it_exists():
    assert sv.__all__ == sorted(sv.__all__)
    assert len(set(sv.__all__)) == len(sv.__all__)
    for name in sv.__all__:
        assert getattr(sv, name) is not None
    assert set(sv.__all__) <= set(dir(sv))


def test_the_documented_names_are_the_namespace():
    """The package's docstring names each stage's nouns and verbs in backquotes; errors are under one of them."""
    errors = {name for name in sv.__all__ if name.endswith("Error")}
    documented = {word.split(".")[0] for word in sv.__doc__.split("`")[1::2]}
    undocumented = set(sv.__all__) - errors - documented
    assert undocumented <= {"Audit", "FewReportsWarning"}  # what plan.audit() returns, and what fit may warn of
    assert "SottovoceError" in sv.__doc__


@pytest.mark.parametrize("name", sv.__all__)
def test_every_public_name_and_method_has_a_docstring(name: str):
    thing = getattr(sv, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        for method, member in vars(thing).items():
            if not method.startswith("_") and (
                inspect.isfunction(member) or isinstance(member, property | classmethod)
            ):
                assert inspect.getdoc(getattr(thing, method)), f"{name}.{method}"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'sottovoce' has no attribute 'magic'"):
        sv.magic  # noqa: B018


def test_every_name_can_be_the_first_one_used():
    script = "import sottovoce as sv; getattr(sv, {name!r})"
    for name in ("Plan", "load_model", "simulate"):
        done = subprocess.run(
            [sys.executable, "-c", script.format(name=name)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_the_version_is_the_packages():
    from importlib.metadata import version

    assert sv.__version__ == version("sottovoce")
