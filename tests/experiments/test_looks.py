"""A method looks the same in every figure, and no two alike."""

from __future__ import annotations

from sottovoce.experiments.looks import FEW, METHODS, base, styles
from sottovoce.experiments.methods import every_method, granularities


def test_a_methods_looks_do_not_depend_on_what_it_is_drawn_with() -> None:
    every = [method.label for method in every_method()]
    together = styles(every, methods=True)
    for label in every:
        assert styles([label], methods=True)[label] == together[label]
    assert set(METHODS) <= set(every)


def test_methods_have_different_colours_and_markers_and_variants_are_dashed_in_theirs() -> None:
    every = [method.label for method in every_method()]
    found = styles([*every, "PRODUCT"], methods=True)
    plain = [found[label] for label in (*every, "PRODUCT") if base(label) == label]
    assert len({looks["color"] for looks in plain}) == len({looks["marker"] for looks in plain}) == len(plain)
    assert found["LHIO, linear"]["color"] == found["LHIO"]["color"]
    assert found["LHIO, linear"]["linestyle"] == "--"
    assert styles(["IHDG"], methods=True)["IHDG"]["color"] == METHODS["HDG"][0]


def test_among_very_many_the_guideline_keeps_its_colour_and_stands_out() -> None:
    labels = [method.label for method in granularities(64)]
    assert len(labels) > FEW
    found = styles(labels, methods=True)
    assert found["HDG"]["color"] == METHODS["HDG"][0]
    assert found["HDG"]["linewidth"] > 2 * found["HDG(16,4)"]["linewidth"]
    assert len({(str(looks["color"]), str(looks.get("linestyle"))) for looks in found.values()}) == len(labels)


def test_the_values_of_a_setting_are_shades_and_no_methods_colours() -> None:
    found = styles(["ε = 0.2", "ε = 1", "ε = 2"], methods=False)
    assert len({looks["color"] for looks in found.values()}) == 3
