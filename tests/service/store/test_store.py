"""Reports as columns: taken apart, joined, and counted by what they say."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.service.store import ID, Reports, first_of_each, join
from sottovoce.service.store.store import sorting, split

rows = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2), st.sampled_from([0, 1, 2**63 - 1])), max_size=30)


def as_reports(content: list[tuple[int, int, int]]) -> Reports:
    ids = np.array([index.to_bytes(16, "big") for index in range(len(content))], dtype=ID)
    columns = np.array(content, dtype=np.int64).reshape(-1, 3).T
    return Reports(ids, *columns)


@given(rows)
def test_pairs_are_the_counts_of_every_content_in_order(content: list[tuple[int, int, int]]) -> None:
    expected = [(*triple, count) for triple, count in sorted(Counter(content).items())]
    assert [tuple(row) for row in as_reports(content).pairs().tolist()] == expected


@given(rows, st.data())
def test_reports_taken_by_index_or_by_mask_keep_all_their_columns(
    content: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    reports = as_reports(content)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(content), max_size=len(content))), dtype=bool)
    chosen = [index for index, inside in enumerate(mask) if inside]
    for taken in (reports.take(mask), reports.take(np.array(chosen, dtype=np.intp))):
        assert len(taken) == len(chosen)
        assert taken.ids.tobytes() == b"".join(index.to_bytes(16, "big") for index in chosen)
        columns = (taken.plan.tolist(), taken.question.tolist(), taken.code.tolist())
        assert list(zip(*columns, strict=True)) == [content[index] for index in chosen]


@given(st.lists(rows, min_size=1, max_size=4))
def test_joined_batches_stand_one_after_the_other(parts: list[list[tuple[int, int, int]]]) -> None:
    joined = join([as_reports(part) for part in parts])
    assert len(joined) == sum(map(len, parts))
    columns = (joined.plan.tolist(), joined.question.tolist(), joined.code.tolist())
    assert list(zip(*columns, strict=True)) == [row for part in parts for row in part]
    assert joined.ids.tobytes() == b"".join(as_reports(part).ids.tobytes() for part in parts)


alike = st.builds(lambda start, end: start + end, *[st.sampled_from([bytes(8), b"\xff" * 8, b"\x80" + bytes(7)])] * 2)


@given(st.lists(st.one_of(alike, st.binary(min_size=16, max_size=16)), max_size=30))
def test_ids_are_sorted_as_bytes_and_of_equal_ones_the_first_stays_first(ids: list[bytes]) -> None:
    column = np.frombuffer(b"".join(ids), dtype=ID)
    assert sorting(column).tolist() == sorted(range(len(ids)), key=lambda index: ids[index])
    assert first_of_each(column).tolist() == [ids.index(one) for one in sorted(set(ids))]
    assert split(column.tobytes()) == ids
