"""Columns as PostgreSQL's binary form of an array: numpy lays them out, with no work in Python for any one row."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

from sottovoce.service.store.store import ID

_UUID, _UUID_ARRAY, _BIGINT, _BIGINT_ARRAY = 2950, 2951, 20, 1016  # PostgreSQL's numbers of these types
_UUID_ITEM = np.dtype([("size", ">i4"), ("value", ID)])
_BIGINT_ITEM = np.dtype([("size", ">i4"), ("value", ">i8")])


class IdList:
    """Ids or digests as an array of uuid."""

    def __init__(self, ids: NDArray[np.bytes_]) -> None:
        self.binary = _lay_out(_UUID, _UUID_ITEM, ids)


class IntegerList:
    """Integers as an array of bigint."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        self.binary = _lay_out(_BIGINT, _BIGINT_ITEM, numbers)


def _lay_out(kind: int, item: np.dtype[Any], values: NDArray[Any]) -> bytes:
    """Return an array of one dimension, counted from one, without nulls; an empty one has no dimension."""
    items = np.empty(len(values), dtype=item)
    items["size"], items["value"] = item["value"].itemsize, values
    dimensions = struct.pack(">ii", len(values), 1) if len(values) else b""
    return struct.pack(">iiI", bool(len(values)), 0, kind) + dimensions + items.tobytes()


class _IdListDumper(Dumper):
    """How psycopg sends an `IdList`."""

    format, oid = Format.BINARY, _UUID_ARRAY

    def dump(self, obj: IdList) -> bytes:
        """Return the bytes that are sent."""
        return obj.binary


class _IntegerListDumper(Dumper):
    """How psycopg sends an `IntegerList`."""

    format, oid = Format.BINARY, _BIGINT_ARRAY

    def dump(self, obj: IntegerList) -> bytes:
        """Return the bytes that are sent."""
        return obj.binary


psycopg.adapters.register_dumper(IdList, _IdListDumper)
psycopg.adapters.register_dumper(IntegerList, _IntegerListDumper)
