"""Tokens: shown once, kept as digests, found in constant time, ended at once."""

from __future__ import annotations

import datetime
import hmac
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sottovoce.cli.group import main
from sottovoce.errors import StoreError
from sottovoce.service.auth import Limits, check_token, create_token, rotate_token
from sottovoce.service.store import open_store
from tests.collectors import as_array, draw, make_plan, running

DAY = datetime.date(2026, 3, 1)


def test_a_token_proves_its_role_until_it_is_revoked(database: str) -> None:
    store = open_store(database)
    text = create_token(store, "alice", "analyst", DAY)
    found = check_token(store, text)
    assert found is not None
    assert (found.name, found.role) == ("alice", "analyst")
    store.revoke_token("alice", DAY)
    assert check_token(store, text) is None
    store.close()


def test_only_the_digest_of_the_secret_is_kept(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    text = create_token(store, "alice", "analyst", DAY)
    store.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    secret = text.split("_", 2)[2]  # which may hold underscores of its own
    assert len(secret) > 20
    assert secret.encode() not in kept


@pytest.mark.parametrize("text", ["", "sv_", "sv__", "nonsense", "sv_0_0", "sv_\0_x", "sv_é_x", "\udcff"])
def test_what_is_no_token_proves_nothing_and_is_compared_all_the_same(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(tmp_path / "c.db"))
    compared = []
    compare = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda *both: compared.append(both) or compare(*both))
    assert check_token(store, text) is None
    assert [len(side) for side in compared[0]] == [32, 32]
    store.close()


def test_a_token_with_the_right_prefix_and_a_wrong_secret_proves_nothing(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    text = create_token(store, "alice", "analyst", DAY)
    assert check_token(store, text[:-1] + ("A" if text[-1] != "A" else "B")) is None
    store.close()


def test_a_token_needs_a_name_and_a_role(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    with pytest.raises(StoreError, match="a name of 1 to 100"):
        create_token(store, " ", "analyst", DAY)
    with pytest.raises(StoreError, match="analyst, reporter"):
        create_token(store, "alice", "king", DAY)
    store.close()


def test_tokens_are_made_listed_and_ended_from_the_command_line(database: str) -> None:
    def run(*arguments: str) -> dict[str, Any]:
        result = CliRunner().invoke(main, ["token", *arguments, "--db", database, "--json"])
        assert result.exit_code == 0, result.output
        document: dict[str, Any] = json.loads(result.stdout)
        return document

    made = run("create", "alice", "--role", "reporter")
    store = open_store(database)
    assert check_token(store, str(made["token"])) is not None
    run("revoke", "alice")
    assert check_token(store, str(made["token"])) is None
    store.close()
    (line,) = run("list")["tokens"]
    assert (line["name"], line["role"], line["revoked"] is None) == ("alice", "reporter", False)
    again = CliRunner().invoke(main, ["token", "revoke", "alice", "--db", database])
    assert again.exit_code == 1
    assert "no token named 'alice' to revoke" in again.stderr


def test_a_token_ends_after_its_last_day(database: str) -> None:
    store = open_store(database)
    text = create_token(store, "alice", "analyst", DAY, Limits(expires=DAY))
    assert check_token(store, text, DAY) is not None
    assert check_token(store, text, DAY + datetime.timedelta(days=1)) is None
    store.close()


def test_a_rotated_token_keeps_its_name_role_and_limits_and_the_old_text_ends(database: str) -> None:
    store = open_store(database)
    old = create_token(store, "alice", "reporter", DAY, Limits(DAY, "c" * 64, 5))
    new = rotate_token(store, "alice", DAY)
    assert check_token(store, old) is None
    found = check_token(store, new)
    assert found is not None
    assert (found.name, found.role, found.expires, found.collection, found.reports) == (
        "alice",
        "reporter",
        DAY,
        "c" * 64,
        5,
    )
    with pytest.raises(StoreError, match="no token named 'bob'"):
        rotate_token(store, "bob", DAY)
    store.close()


def test_a_token_for_one_collection_opens_no_other(tmp_path: Path) -> None:
    mine, other = make_plan(), make_plan(purpose="another")
    with running([mine, other], str(tmp_path / "c.db"), require_token=True) as collector:
        store = open_store(str(tmp_path / "c.db"))
        texts = [
            create_token(store, role, role, DAY, Limits(collection=mine.collection)) for role in ("analyst", "reporter")
        ]
        store.close()
        analyst, reporter = ({"authorization": f"Bearer {text}"} for text in texts)
        assert collector.http.get(collector.path(mine, "/status"), headers=analyst).status_code == 200
        assert collector.http.get(collector.path(other, "/status"), headers=analyst).status_code == 403
        assert collector.post(mine, draw(mine, 1)[0].to_json(), **reporter).status_code == 200
        assert collector.post(other, draw(other, 1)[0].to_json(), **reporter).status_code == 403


def test_a_token_posts_as_many_reports_as_it_was_made_for(database: str) -> None:
    plan = make_plan()
    with running([plan], database, require_token=True) as collector:
        store = open_store(database)
        text = create_token(store, "ticket", "reporter", DAY, Limits(reports=3))
        store.close()
        token = {"authorization": f"Bearer {text}"}
        first = draw(plan, 1)[0].to_json()
        assert collector.post(plan, first, **token).json()["counted"] == 1
        assert collector.post(plan, first, **token).json()["duplicate"] == 1, "sent again, it costs nothing"
        assert collector.post(plan, as_array(draw(plan, 3)), **token).status_code == 403, "only two are left"
        pair = as_array(draw(plan, 2))
        assert collector.post(plan, pair, **token).json()["counted"] == 2
        assert collector.post(plan, pair, **token).json()["duplicate"] == 2, "a lost acknowledgement is given again"
        assert collector.post(plan, draw(plan, 1)[0].to_json(), **token).status_code == 403
        assert collector.total(plan) == 3


def test_reports_are_limited_by_their_number_as_well_as_requests(tmp_path: Path) -> None:
    plan = make_plan()
    with running([plan], str(tmp_path / "c.db"), require_token=True, report_rate="100/hour") as collector:
        token = collector.token("reporter")
        assert collector.post(plan, as_array(draw(plan, 100)), **token).json()["counted"] == 100
        assert collector.post(plan, as_array(draw(plan, 1)), **token).status_code == 429
        assert collector.post(plan, as_array(draw(plan, 1)), **collector.token("reporter")).status_code == 200


def test_what_analysts_ask_is_written_down_and_what_reporters_post_is_not(database: str) -> None:
    plan = make_plan()
    with running([plan], database, require_token=True, minimum_reports=10) as collector:
        store = open_store(database)
        text = create_token(store, "alice", "analyst", DAY)
        token = {"authorization": f"Bearer {text}"}
        collector.post(plan, as_array(draw(plan, 20)), **collector.token("reporter"))
        collector.http.post(collector.path(plan, "/fit"), headers=token, json={"quality": "fast"})
        for _ in range(2):
            collector.http.post(collector.path(plan, "/answers"), headers=token, json={"where": ["age > 3"]})
        found = {(who, what): count for _, who, _, what, count in store.asked()}
        store.close()
    assert found == {("alice", "fit"): 1, ("alice", 'answers ["age > 3"]'): 2}
    shown = CliRunner().invoke(main, ["token", "asked", "--db", database])
    assert "age > 3" in shown.output
