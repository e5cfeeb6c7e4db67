"""What tasks share on disk is made once, whole, and the same wherever it is made."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from sottovoce.experiments import cache as cache_module
from sottovoce.experiments.cache import Cache, schema_of
from sottovoce.experiments.specs import Dataset, QuerySpec

DATA = Dataset(name="normal", users=500, attributes=3, levels=16, covariance=0.8, cut=6.0)
SPEC = QuerySpec(dimension=2, volume=0.5, count=10)


def test_a_population_is_drawn_once_and_mapped_by_all_who_come_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Cache(tmp_path, 1).records(DATA)
    assert first.shape == (3, 500)
    monkeypatch.setattr(cache_module, "synthesize", lambda crowd, seed: pytest.fail("drawn again"))
    again = Cache(tmp_path, 1).records(DATA)
    assert isinstance(again, np.memmap)
    np.testing.assert_array_equal(again, first)


def test_seed_and_description_determine_a_population(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    first = Cache(tmp_path / "a", 1).records(DATA)
    np.testing.assert_array_equal(Cache(tmp_path / "b", 1).records(DATA), first)
    for other, data in ((Cache(tmp_path / "a", 2), DATA), (Cache(tmp_path / "a", 1), replace(DATA, covariance=0.1))):
        assert not np.array_equal(other.records(data), first)


def test_queries_come_with_the_true_fraction_inside_and_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path, 1)
    records = cache.records(DATA)
    asked, truth = cache.queries(DATA, SPEC)
    inside = [
        np.all((records[attributes] >= lows[:, None]) & (records[attributes] <= highs[:, None]), axis=0).mean()
        for attributes, lows, highs in zip(asked.attributes, asked.lows, asked.highs, strict=True)
    ]
    np.testing.assert_allclose(truth, inside, atol=1e-12)
    monkeypatch.setattr(cache_module, "draw_queries", lambda *args, **kwargs: pytest.fail("drawn again"))
    again, same = cache.queries(DATA, SPEC)
    np.testing.assert_array_equal(again.lows, asked.lows)
    np.testing.assert_array_equal(same, truth)


def test_data_sets_of_one_shape_are_asked_the_same_queries(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1)
    (one, truth), (other, another) = (cache.queries(replace(DATA, name=name), SPEC) for name in ("normal", "laplace"))
    np.testing.assert_array_equal(one.lows, other.lows)
    np.testing.assert_array_equal(one.attributes, other.attributes)
    assert not np.array_equal(truth, another)


def test_what_cannot_be_drawn_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "synthesize", lambda crowd, seed: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Cache(tmp_path, 1).records(DATA)
    assert list(tmp_path.iterdir()) == []


def test_the_schema_of_a_population_takes_every_level_of_it() -> None:
    schema = schema_of(DATA)
    assert schema.names == ("a1", "a2", "a3")
    assert schema.sizes == (16, 16, 16)
