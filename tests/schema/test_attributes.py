"""Values to levels: every kind of attribute, one value at a time and in columns."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv

AGE = sv.Ordinal("age", -5, 119)
INCOME = sv.Numeric("income", 0, 1, bins=10)
REGION = sv.Categorical("region", ["north", "south"])


def nullable(attribute: object, **changes: object) -> object:
    kind = type(attribute)
    fields = {name: getattr(attribute, name) for name in attribute.__struct_fields__}
    if fields.get("edges") is None:
        fields.pop("edges", None)
    return kind(**{**fields, "nullable": True, **changes})


class TestLevels:
    def test_an_ordinal_has_a_level_for_each_integer(self):
        assert AGE.size == 125
        assert [AGE.level(value) for value in (-5, 0, 119, 34.0, np.int8(7), np.float32(8), Fraction(4, 2))] == [
            0, 5, 124, 39, 12, 13, 7,
        ]  # fmt: skip

    def test_a_numeric_bin_holds_its_lower_edge_and_the_last_one_both(self):
        uneven = sv.Numeric("x", edges=[0, 1, 10, 100])
        assert [uneven.level(value) for value in (0, 0.99, 1, 9.99, 10, 100)] == [0, 0, 1, 1, 2, 2]
        assert uneven.size == 3
        assert [INCOME.level(value) for value in (0, 0.05, 0.1, 0.95, 1, True + 0.0)] == [0, 0, 1, 9, 9, 9]

    def test_a_categorical_has_a_level_for_each_value(self):
        assert [REGION.level(value) for value in ("north", "south", np.str_("south"))] == [0, 1, 1]
        assert not REGION.ordered
        assert AGE.ordered

    def test_no_answer_is_the_last_level(self):
        for attribute in (AGE, INCOME, REGION):
            asked = nullable(attribute)
            assert asked.size == attribute.size + 1
            assert asked.null_level == attribute.size
            assert [asked.level(value) for value in (None, float("nan"), np.float32("nan"), pd.NA)] == [
                attribute.size
            ] * 4
            assert attribute.null_level is None

    @given(st.integers(-1000, 1000), st.integers(1, 500), st.integers(-3000, 3000))
    def test_clip_pulls_to_the_edge_and_nothing_else_does(self, low: int, width: int, value: int):
        strict, soft = sv.Ordinal("a", low, low + width), sv.Ordinal("a", low, low + width, clip=True)
        assert soft.level(value) == min(max(value - low, 0), width)
        if low <= value <= low + width:
            assert strict.level(value) == soft.level(value)
        else:
            with pytest.raises(sv.RecordError, match=rf"^a: allowed are the integers {low} to"):
                strict.level(value)

    def test_infinities_are_clipped_or_refused(self):
        for make in (
            lambda **more: sv.Ordinal("a", 0, 9, **more),
            lambda **more: sv.Numeric("a", 0, 9, bins=10, **more),
        ):
            assert [make(clip=True).level(value) for value in (-math.inf, math.inf)] == [0, 9]
            for value in (-math.inf, math.inf):
                with pytest.raises(sv.RecordError, match=r": allowed are .* 0 to 9; set clip=True"):
                    make().level(value)

    def test_integers_beyond_what_a_float_holds_stay_exact(self):
        big = sv.Ordinal("a", 2**53 - 4, 2**53 - 1)
        assert [big.level(2**53 - 4 + step) for step in range(4)] == [0, 1, 2, 3]
        assert big.levels(np.array([2**53 - 3, 2**53 - 1])).tolist() == [1, 3]

    @pytest.mark.parametrize("attribute", [AGE, INCOME])
    @pytest.mark.parametrize("wrong", ["5", True, np.True_, 5j, [5], {"a": 1}, b"5", np.array([1, 2]), object])
    def test_what_is_not_a_number_is_refused_with_its_type(self, attribute: sv.Ordinal, wrong: object):
        for asked in (attribute, nullable(attribute)):
            with pytest.raises(sv.RecordError, match=rf"^{attribute.name}: a \w+ was given; allowed are"):
                asked.level(wrong)

    @pytest.mark.parametrize("attribute", [AGE, INCOME])
    def test_a_nan_is_refused_where_an_answer_is_required(self, attribute: sv.Ordinal):
        with pytest.raises(sv.RecordError, match=r": NaN was given; allowed are"):
            attribute.level(float("nan"))
        with pytest.raises(sv.RecordError, match="no answer was given, and this attribute requires one: set nullable"):
            attribute.level(None)

    def test_a_fraction_of_an_integer_is_refused(self):
        with pytest.raises(sv.RecordError, match=r"^age: allowed are the integers -5 to 119$"):
            AGE.level(3.5)

    @pytest.mark.parametrize("wrong", ["west", 3, True, ["north"], b"north"])
    def test_an_unknown_category_is_refused_with_the_known_ones(self, wrong: object):
        with pytest.raises(sv.RecordError, match=r"^region: allowed are 'north', 'south'"):
            REGION.level(wrong)

    def test_a_long_list_of_categories_is_not_shown_in_full(self):
        many = sv.Categorical("many", [f"v{number}" for number in range(50)])
        with pytest.raises(sv.RecordError, match=r"'v7', \.\.\. \(50 values\)$"):
            many.level("x")


numeric_columns = st.lists(st.one_of(st.integers(-300, 300), st.floats(-300, 300, width=32)), min_size=1, max_size=30)


class TestColumns:
    @given(numeric_columns, st.sampled_from(["float64", "float32", "object"]))
    def test_a_clipped_column_has_the_levels_of_its_values(self, values: list[float], kind: str):
        column = np.array(values, dtype=kind)
        numeric = sv.Numeric("x", -100, 100, bins=7, clip=True)
        assert numeric.levels(column).tolist() == [numeric.level(value) for value in column]
        whole = np.array([math.floor(value) for value in values], dtype=kind)
        ordinal = sv.Ordinal("x", -100, 100, clip=True)
        assert ordinal.levels(whole).tolist() == [ordinal.level(value) for value in whole]

    @pytest.mark.parametrize(
        "kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16"]
    )
    @pytest.mark.parametrize("clip", [False, True])
    def test_every_type_of_number_gives_the_same_levels(self, kind: str, clip: bool):
        values = np.arange(0, 100)
        ordinal, numeric = sv.Ordinal("a", -7, 1000, clip=clip), sv.Numeric("a", -7, 1000, bins=300, clip=clip)
        for attribute in (ordinal, numeric):
            expected = [attribute.level(int(value)) for value in values]
            assert attribute.levels(values.astype(kind)).tolist() == expected

    def test_levels_come_in_the_smallest_type(self):
        assert AGE.levels(np.array([1, 2])).dtype == np.uint8
        assert sv.Ordinal("a", 0, 255).levels(np.array([255])).dtype == np.uint8
        assert sv.Ordinal("a", 0, 255, nullable=True).levels(np.array([255, np.nan])).tolist() == [255, 256]
        assert sv.Ordinal("a", 0, 70_000).levels(np.array([70_000])).dtype == np.uint32

    def test_single_precision_is_compared_as_it_is(self):
        """0.7 in single precision lies just below 0.7, on the other side of a bin's edge."""
        assert INCOME.level(np.float32(0.7)) == INCOME.levels(np.array([0.7], dtype=np.float32))[0] == 6
        assert INCOME.level(0.7) == INCOME.levels(np.array([0.7]))[0] == 7

    @pytest.mark.parametrize("attribute", [AGE, INCOME])
    @pytest.mark.parametrize("column", [np.array(["1"]), np.array([True]), np.array([1j]), np.array(["2020"], "M8[Y]")])
    def test_columns_of_other_types_are_refused_by_name(self, attribute: sv.Ordinal, column: np.ndarray):
        with pytest.raises(sv.RecordError, match=rf"{attribute.name}: the column holds \S+, allowed are"):
            attribute.levels(column)

    def test_a_wrong_value_is_named_with_how_many_there_are(self):
        with pytest.raises(
            sv.RecordError, match=r"age: 2 of 4 values are outside the integers -5 to 119, the first in row 2"
        ):
            AGE.levels(np.array([1, 120, 2, 500]))
        with pytest.raises(sv.RecordError, match=r"age: 1 of 2 values are outside .*, the first in row 2"):
            AGE.levels(np.array([1, 2.5]))
        with pytest.raises(
            sv.RecordError, match=r"income: 1 of 2 values are outside numbers from 0 to 1, the first in row 2"
        ):
            INCOME.levels(np.array([1, -0.5]))

    @pytest.mark.parametrize("column", [np.array([1, np.nan]), np.array([1, None], dtype=object)])
    def test_a_missing_value_is_named_where_an_answer_is_required(self, column: np.ndarray):
        with pytest.raises(
            sv.RecordError, match=r"1 of 2 answers are missing or NaN, the first in row 2; .*nullable=True"
        ):
            AGE.levels(column)

    def test_mixed_values_are_taken_one_by_one(self):
        mixed = np.array([1, 2.0, None, float("nan"), np.int8(3), pd.NA], dtype=object)
        assert nullable(AGE).levels(mixed).tolist() == [6, 7, 125, 125, 8, 125]
        for wrong in ("x", True):
            with pytest.raises(sv.RecordError, match=r"age: 1 of 2 values are outside .*, the first in row 2"):
                AGE.levels(np.array([1, wrong], dtype=object))
        with pytest.raises(sv.RecordError, match=r"region: 1 of 2 values are outside 'north', .*, the first in row 2"):
            REGION.levels(np.array(["north", 3], dtype=object))
        with pytest.raises(sv.RecordError, match=r"region: 2 of 2 values are outside 'north', .*, the first in row 1"):
            REGION.levels(np.array([3, 3]))

    def test_rows_count_those_without_an_answer_too(self):
        with pytest.raises(sv.RecordError, match=r"1 of 4 values are outside .*, the first in row 3"):
            nullable(AGE).levels(np.array([np.nan, 1, 500, np.nan]))
        with pytest.raises(sv.RecordError, match=r"2 of 5 values are outside .*, the first in row 4"):
            nullable(REGION).levels(np.array([None, "north", None, "moon", "moon"], dtype=object))


class TestErrorsDoNotRepeatAnswers:
    """What is refused may be somebody's answer, and the texts of errors end up in logs."""

    SECRETS = (734, 73.4, float("-inf"), "secret-734", "734", b"secret", ["secret-734"], {"secret": 734}, 734j, True)

    @pytest.mark.parametrize("attribute", [AGE, INCOME, REGION])
    @pytest.mark.parametrize("secret", SECRETS, ids=repr)
    def test_of_one_record(self, attribute: sv.Ordinal, secret: object):
        with pytest.raises(sv.RecordError) as caught:
            sv.Schema([attribute]).levels({attribute.name: secret})
        assert not any(part in str(caught.value) for part in ("734", "73.4", "inf", "secret"))
        assert caught.value.__cause__ is None
        assert attribute.name in str(caught.value)
        assert attribute.domain in str(caught.value)

    @pytest.mark.parametrize("attribute", [AGE, INCOME, REGION])
    @pytest.mark.parametrize("secret", [734, 73.4, "secret-734"], ids=repr)
    @pytest.mark.parametrize("as_objects", [False, True])
    def test_of_a_table(self, attribute: sv.Ordinal, secret: object, as_objects: bool):
        column = np.array([secret, secret], dtype=object if as_objects else None)
        with pytest.raises(sv.RecordError) as caught:
            attribute.levels(column)
        assert not any(part in str(caught.value) for part in ("734", "73.4", "secret"))
        assert attribute.domain in str(caught.value)

    def test_of_a_multiple_choice(self):
        schema = sv.Schema([sv.Choices("ways", ["bus", "bike"])])
        with pytest.raises(sv.RecordError, match="ways: allowed is a list of any of 'bus', 'bike'") as caught:
            schema.levels({"ways": ["secret-734"]})
        assert "secret" not in str(caught.value)


def _span(attribute: sv.Ordinal | sv.Numeric, low: float, high: float) -> tuple[float, float]:
    start, stop = attribute.spans(np.array([[low, high]], dtype=float))[0].tolist()
    return start, stop


class TestSpans:
    @given(st.integers(-20, 20), st.integers(1, 20), st.floats(-60, 60), st.floats(0, 60))
    def test_an_ordinal_span_counts_the_integers_inside(self, low: int, width: int, start: float, length: float):
        attribute = sv.Ordinal("a", low, low + width)
        first, last = _span(attribute, start, start + length)
        inside = [value - low for value in range(low, low + width + 1) if start <= value <= start + length]
        assert last - first == len(inside)
        if inside:
            assert (first, last) == (inside[0], inside[-1] + 1)

    def test_infinite_ends_are_open_ends(self):
        for attribute in (sv.Ordinal("a", 3, 8), sv.Numeric("a", 3, 8, bins=6)):
            assert _span(attribute, -math.inf, math.inf) == (0, 6)
            for first, last in (_span(attribute, math.inf, math.inf), _span(attribute, -math.inf, -math.inf)):
                assert first == last
                assert 0 <= first <= 6

    def test_a_numeric_span_is_linear_within_a_bin(self):
        uneven = sv.Numeric("x", edges=[0, 1, 10, 100])
        assert _span(uneven, 0.5, 55) == (0.5, 2.5)
        assert _span(uneven, -5, 1000) == (0, 3)


class TestImpossibleAttributes:
    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: sv.Ordinal("", 0, 1), r"name is 1 to 200 printable characters, got ''"),
            (lambda: sv.Ordinal(5, 0, 1), r"name is 1 to 200 printable characters, got 5"),
            (lambda: sv.Ordinal("a\n", 0, 1), r"printable characters"),
            (lambda: sv.Ordinal("x" * 201, 0, 1), r"1 to 200"),
            (lambda: sv.Ordinal("a", 5, 5), r"high must be above low, got low=5, high=5"),
            (lambda: sv.Ordinal("a", 5, 3), r"high must be above low, got low=5, high=3"),
            (lambda: sv.Ordinal("a", 0.0, 3), r"bounds are integers .*, got 0\.0"),
            (lambda: sv.Ordinal("a", False, True), r"bounds are integers .*, got False"),
            (lambda: sv.Ordinal("a", 2**53 - 5, 2**53), r"bounds are integers between -2\^53 and 2\^53"),
            (lambda: sv.Ordinal("a", 0, 2**21), r"2097153 levels, at most 1048576 .*Numeric with fewer bins"),
            (lambda: sv.Ordinal("a", 0, 3, nullable="no"), r"nullable is True or False, got 'no'"),
            (lambda: sv.Ordinal("a", 0, 3, clip=1), r"clip is True or False, got 1"),
            (lambda: sv.Numeric("a"), r"needs low and high, or edges"),
            (lambda: sv.Numeric("a", 0, 1, bins=1), r"bins is an integer from 2 to 1048576, got 1"),
            (lambda: sv.Numeric("a", 0, 1, bins=2**30), r"bins is an integer from 2 to 1048576"),
            (lambda: sv.Numeric("a", 0, 1, bins=2.5), r"bins is an integer .*, got 2\.5"),
            (lambda: sv.Numeric("a", 1, 0), r"high must be above low, got low=1, high=0"),
            (lambda: sv.Numeric("a", 0, math.nan), r"every bound is a finite number, got nan"),
            (lambda: sv.Numeric("a", -math.inf, 0), r"every bound is a finite number, got -inf"),
            (lambda: sv.Numeric("a", "0", 1), r"every bound is a finite number, got '0'"),
            (lambda: sv.Numeric("a", 1.0, 1.0 + 1e-15, bins=64), r"narrower than a float can tell"),
            (lambda: sv.Numeric("a", edges=[0, 1]), r"at least three increasing numbers, got \[0, 1\]"),
            (lambda: sv.Numeric("a", edges=[0, 2, 1]), r"at least three increasing numbers"),
            (lambda: sv.Numeric("a", edges=5), r"at least three increasing numbers, got 5"),
            (lambda: sv.Numeric("a", edges=[0, math.nan, 1]), r"every edge is a finite number, got nan"),
            (lambda: sv.Numeric("a", 0, 3, edges=[0, 1, 2]), r"edges say .*; give edges alone"),
            (lambda: sv.Categorical("a", "xyz"), r"values is a list of strings, got 'xyz'"),
            (lambda: sv.Categorical("a", None), r"values is a list of strings, got None"),
            (lambda: sv.Categorical("a", ["x", 3.5]), r"values is a list of strings, got \['x', 3.5\]"),
            (lambda: sv.Ordinal("a", 0, 4, values=[0, 4, 2]), r"values are at least two rising integers"),
            (lambda: sv.Ordinal("a", 0, 9, values=[0, 4]), "the first and the last of values, got 0 and 9"),
            (lambda: sv.Ordinal("a", 0, 6, date="weekday"), r"weekday \(1 to 7\).* got 'weekday' with the integers"),
            (lambda: sv.Categorical("a", ["no", "yes"], other="b"), "other is one of values, 'no', 'yes', got 'b'"),
            (lambda: sv.Categorical("a", ["no", "yes"], choice_of="b"), "choice_of .* goes with a title .*; got 'b'"),
            (lambda: sv.Categorical("a", ["x", "\ud800"]), r"values is a list of strings"),
            (lambda: sv.Categorical("a", ["x"]), r"at least two different strings, got \['x'\]"),
            (lambda: sv.Categorical("a", ["x", "y", "x"]), r"at least two different strings"),
        ],
    )  # fmt: skip
    def test_are_refused_in_clear_words(self, make, message: str):
        with pytest.raises(sv.SchemaError, match=message):
            make()

    def test_numpy_numbers_are_numbers(self):
        assert sv.Ordinal("a", np.int8(0), np.uint16(9)) == sv.Ordinal("a", 0, 9)
        assert sv.Numeric("a", np.float32(0), np.int64(8), bins=np.int32(4)) == sv.Numeric("a", 0, 8, bins=4)
        assert sv.Numeric("a", edges=np.array([0, 1, 4])) == sv.Numeric("a", edges=[0.0, 1.0, 4.0])
        assert sv.Categorical("a", np.array(["x", "y"])) == sv.Categorical("a", ("x", "y"))

    def test_sixty_four_bins_are_the_default_and_zero_has_no_sign(self):
        assert sv.Numeric("a", -0.0, 1).size == 64
        assert str(sv.Numeric("a", -0.0, 1).low) == "0.0"
