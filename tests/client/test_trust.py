"""Everybody gets the same plan: one that somebody else mirrors or signed, and never on the collector's own word."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import sottovoce as sv
from sottovoce.client.delivery import fetch
from sottovoce.plan.log import Log
from sottovoce.plan.signature import sign_plan
from tests.collectors import RECORD, Running, make_plan, running

PLAN = make_plan()
OWN = make_plan(expires="2998-01-01")  # the same collection, another plan: for one person
KEY = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
SIGNATURE = sign_plan(PLAN, KEY)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    database = str(tmp_path_factory.mktemp("collector") / "c.db")
    with running([PLAN], database, signatures={PLAN.fingerprint: SIGNATURE.to_json()}) as one:
        yield one


@pytest.fixture(scope="module")
def mirror(collector: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a copy of the collector's log that somebody else keeps."""
    folder = tmp_path_factory.mktemp("mirror")
    Log.from_json(fetch(f"{collector.http.base_url}/v1/log", "the log")).save(folder / "log.json")
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/log.json"
        server.shutdown()


def test_a_plan_that_a_mirror_lists_is_answered_and_named(collector: Running, mirror: str, tmp_path: Path) -> None:
    before = collector.total(PLAN)
    report = sv.Client.from_url(collector.url(PLAN), ledger=tmp_path, log=mirror).send(RECORD)
    assert report is not None
    assert report.plan == PLAN.fingerprint
    assert collector.total(PLAN) == before + 1


def test_without_a_mirror_a_report_names_its_collection_and_is_counted(collector: Running, tmp_path: Path) -> None:
    before = collector.total(PLAN)
    report = sv.Client.from_url(collector.url(PLAN), ledger=tmp_path).send(RECORD)
    assert report is not None
    assert report.plan == PLAN.collection
    assert collector.total(PLAN) == before + 1
    collector.post(PLAN, report.to_json())
    assert collector.total(PLAN) == before + 1


def test_a_plan_for_one_person_is_not_answered_where_a_mirror_is_asked_and_not_named_where_none_is(
    mirror: str, tmp_path: Path
) -> None:
    with running([OWN], str(tmp_path / "c.db")) as other:
        with pytest.raises(sv.PlanError, match="not in the log of plans"):
            sv.Client.from_url(other.url(OWN), ledger=tmp_path / "ledger.db", log=mirror)
        report = sv.Client.from_url(other.url(OWN), ledger=tmp_path / "ledger.db").send(RECORD)
        assert report is not None
        assert report.plan == PLAN.collection == OWN.collection


def test_a_collectors_own_log_proves_nothing(collector: Running, tmp_path: Path) -> None:
    with pytest.raises(sv.PlanError, match="the collector's own, which proves nothing"):
        sv.Client.from_url(collector.url(PLAN), ledger=tmp_path, log=f"{collector.http.base_url}/v1/log")


def test_a_copy_in_a_file_and_one_in_memory_do_as_well(collector: Running, tmp_path: Path) -> None:
    log = Log.from_json(fetch(f"{collector.http.base_url}/v1/log", "the log"))
    log.save(tmp_path / "log.json")
    for copy in (log, tmp_path / "log.json", str(tmp_path / "log.json")):
        sv.Client.from_url(collector.url(PLAN), ledger=tmp_path, log=copy)
    with pytest.raises(sv.PlanError, match="not in the log"):
        sv.Client.from_url(collector.url(PLAN), ledger=tmp_path, log=Log())


def test_a_plan_is_answered_if_it_is_signed_by_the_key_that_was_published(collector: Running, tmp_path: Path) -> None:
    sv.Client.from_url(collector.url(PLAN), ledger=tmp_path, signer=SIGNATURE.key)
    with pytest.raises(sv.PlanError, match="not by the key that was given"):
        sv.Client.from_url(collector.url(PLAN), ledger=tmp_path, signer="ab" * 32)


def test_a_plan_that_nobody_signed_is_not_answered_where_a_signature_is_asked(tmp_path: Path) -> None:
    with running([PLAN], str(tmp_path / "c.db")) as other, pytest.raises(sv.PlanError, match="not known to be signed"):
        sv.Client.from_url(other.url(PLAN), ledger=tmp_path / "ledger.db", signer=SIGNATURE.key)


def test_a_signature_is_kept_and_checked_anew_without_the_collector(tmp_path: Path) -> None:
    signatures = {PLAN.fingerprint: SIGNATURE.to_json()}
    with running([PLAN], str(tmp_path / "c.db"), signatures=signatures) as collector:
        url = collector.url(PLAN)
        sv.Client.from_url(url, ledger=tmp_path / "ledger.db", signer=SIGNATURE.key)
    assert sv.Client.from_url(url, ledger=tmp_path / "ledger.db", signer=SIGNATURE.key).plan == PLAN
    for signer in ("ab" * 32, "cd" * 32):  # another key's is looked for where it may be, which cannot be reached
        with pytest.raises(sv.PlanError, match="not known to be signed"):
            sv.Client.from_url(url, ledger=tmp_path / "ledger.db", signer=signer)
    (kept,) = (tmp_path / "plans").glob("*.sig")
    for damaged in (b"", b"{}", sign_plan(OWN, KEY).to_json(), bytes(20_000)):
        kept.write_bytes(damaged)
        with pytest.raises(sv.PlanError, match="not known to be signed"):
            sv.Client.from_url(url, ledger=tmp_path / "ledger.db", signer=SIGNATURE.key)
