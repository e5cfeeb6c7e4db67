"""Answers: intervals that are what they say, differences that know what they share, and words that read well."""

from __future__ import annotations

import math

import pytest

import sottovoce as sv
from sottovoce.model.answer import Answer, Estimate
from sottovoce.model.belief import normal_factor
from tests.oracle import make_model

MODEL = make_model(2)


class TestIntervals:
    def test_an_interval_reaches_as_far_as_its_level_says_and_is_cut_to_what_a_fraction_can_be(self) -> None:
        inside = Answer.make(0.5, 0.1, level=0.6827, reports=9, where="x")
        assert inside.interval == pytest.approx((0.4, 0.6), abs=1e-4)
        near = Answer.make(0.05, 0.1, level=0.9, reports=9, where="x")
        assert near.interval == pytest.approx((0, 0.05 + 0.1 * 1.6449 * 1.7791), abs=1e-4)
        assert near.interval[0] == 0
        assert near.interval[1] > 0.05 + 0.1 * 1.6449, "towards one half it reaches further"
        assert near.deviation == 0.1, "cutting the interval leaves the error as it is"
        assert Answer.make(-0.2, 0.1, level=0.9, reports=9, where="x").fraction == 0

    def test_where_the_error_is_unknown_everything_is_possible(self) -> None:
        assert Answer.make(0.3, math.inf, level=0.5, reports=9, where="x").interval == (0, 1)

    def test_a_population_gives_counts_of_people(self) -> None:
        answer = Answer.make(0.25, 0.01, level=0.9, reports=9, where="x", population=80_000)
        assert answer.count == 20_000
        assert answer.count_interval == pytest.approx((18_684, 21_330), abs=1)
        assert answer.count_interval == pytest.approx([80_000 * end for end in answer.interval])
        without = Answer.make(0.25, 0.01, level=0.9, reports=9, where="x")
        assert (without.count, without.count_interval) == (None, None)

    @pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
    def test_an_estimates_error_is_what_its_interval_stands_for(self, level: float) -> None:
        reach = 2.5 * normal_factor(level)
        assert Estimate(7, interval=(7 - reach, 7 + reach), level=level).deviation == pytest.approx(2.5)


class TestDifference:
    def test_an_error_shared_by_two_groups_cancels_in_their_difference(self) -> None:
        first, second = MODEL.answer("age >= 0"), MODEL.answer("age >= 1")
        gap = sv.difference(first, second)
        assert gap == pytest.approx(first.fraction - second.fraction)
        # as that of the shares between; the two limits of each are not alike, so not to the last digit
        assert gap.deviation == pytest.approx(MODEL.answer("age = 0").deviation, rel=0.05)
        assert sv.difference(first, first).interval == (0, 0)

    def test_errors_of_two_collections_add(self) -> None:
        first, second = make_model(3).answer("age >= 0"), make_model(4).answer("age >= 0")
        gap = sv.difference(first, second)
        (low, high), (other_low, other_high) = first.interval, second.interval
        below = math.hypot(first.fraction - low, other_high - second.fraction)
        above = math.hypot(high - first.fraction, second.fraction - other_low)
        assert gap.interval == pytest.approx((float(gap) - below, float(gap) + above))

    def test_differences_of_means_and_of_conditionals(self) -> None:
        north, east = (MODEL.mean("age", where=f"region = '{region}'") for region in ("north", "east"))
        gap = sv.difference(north, east)
        assert float(gap) == pytest.approx(float(north) - float(east))
        below, above = (
            math.hypot(north - north.interval[0], east.interval[1] - east),
            math.hypot(north.interval[1] - north, east - east.interval[0]),
        )
        assert gap.interval == pytest.approx((gap - below, gap + above)), "their people differ"
        same = sv.difference(MODEL.answer("age > 0", given="region = 'north'"), MODEL.answer("age > 0"))
        assert -1 <= same.interval[0] <= same <= same.interval[1] <= 1

    def test_a_fraction_and_a_number_have_no_difference(self) -> None:
        with pytest.raises(sv.QueryError, match="cannot be subtracted"):
            sv.difference(MODEL.answer("age > 0"), MODEL.mean("age"))
        with pytest.raises(sv.QueryError, match="two answers"):
            sv.difference(0.5, MODEL.answer("age > 0"))


class TestWords:
    def test_an_answer_reads_well(self) -> None:
        answer = MODEL.answer("age > 0", population=1_000_000)
        low, high = answer.interval
        assert str(answer) == (
            f"{answer.fraction:.1%} (90% interval {low:.1%} to {high:.1%}), about {answer.fraction * 1e6:,.0f} of "
            f"1,000,000 people ({low * 1e6:,.0f} to {high * 1e6:,.0f})"
        )
        assert repr(answer) == f"<Answer {answer}, where age > 0>"
        assert float(answer) == answer.fraction
        assert answer.count == pytest.approx(answer.fraction * 1e6)

    def test_a_notebook_shows_what_an_interval_includes_and_nothing_as_markup(self) -> None:
        shown = MODEL.answer("age < 1 AND region <> 'it''s'")._repr_html_()
        assert "age &lt; 1 AND region &lt;&gt;" in shown
        assert "do not include people who lied" in shown
        assert "do not include" in MODEL.mean("age")._repr_html_()

    def test_python_forms_are_shown_as_sql(self) -> None:
        assert MODEL.answer(sv.col("age").between(0, 1) & ~(sv.col("region") == "east")).where == (
            "age BETWEEN 0 AND 1 AND NOT (region = 'east')"
        )

    def test_a_small_fraction_is_told_with_more_digits(self) -> None:
        assert str(Answer.make(0.00123, 0.0, level=0.9, reports=9, where="x")).startswith("0.12% (90% interval 0.12%")
