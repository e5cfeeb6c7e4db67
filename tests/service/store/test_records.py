"""The small tables that both databases share are read as days and values, whichever database it is."""

from __future__ import annotations

import datetime

from sottovoce.service.store import open_store
from sottovoce.service.store.records import day_of
from tests.collectors import make_plan


def test_a_day_is_read_from_text_or_from_a_date() -> None:
    day = datetime.date(2026, 3, 1)
    assert day_of("2026-03-01") == day_of(day) == day


def test_a_revision_grows_with_what_is_refused_and_starts_at_nothing(database: str) -> None:
    from tests.conformance.test_stores import make_reports

    store = open_store(database)
    key = store.register(make_plan())
    assert store.revision(key.collection) == 0
    store.add(key.collection, datetime.date(2026, 3, 1), make_reports(key, b""), {"malformed": 1})
    assert store.revision(key.collection) == 1
    store.close()
