"""PostgreSQL reads the arrays that numpy laid out."""

from __future__ import annotations

import uuid

import numpy as np
import psycopg
import pytest

from sottovoce.service.store.arrays import IdList, IntegerList
from sottovoce.service.store.store import ID


@pytest.mark.parametrize("ids", [[], [bytes(16)], [bytes(range(16)), b"\xff" * 16, bytes(16)]])
def test_ids_come_as_they_are(postgres: str, ids: list[bytes]) -> None:
    with psycopg.connect(f"{postgres}/postgres") as connection:
        found = connection.execute("SELECT %s::uuid[]", (IdList(np.array(ids, dtype=ID)),)).fetchone()
    assert found == ([uuid.UUID(bytes=id) for id in ids],)


@pytest.mark.parametrize("numbers", [[], [0], [2**63 - 1, -(2**63), 7, -1]])
def test_integers_come_as_they_are(postgres: str, numbers: list[int]) -> None:
    with psycopg.connect(f"{postgres}/postgres") as connection:
        given = IntegerList(np.array(numbers, dtype=np.int64))
        found = connection.execute("SELECT %s::bigint[]", (given,)).fetchone()
    assert found == (numbers,)


def test_columns_stay_side_by_side_in_their_order(postgres: str) -> None:
    columns = np.arange(3_000, dtype=np.int64).reshape(-1, 3)
    with psycopg.connect(f"{postgres}/postgres") as connection:
        sql = "SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[])"
        found = connection.execute(sql, [IntegerList(column) for column in columns.T]).fetchall()
    assert found == [tuple(row) for row in columns.tolist()]
