"""The files of deploy/ are those of the documentation, and a real nginx passes posts on with them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.collectors import as_array, draw, make_plan, running
from tests.nginx import make_certificate, needs_nginx, own_paths, replaced, running_nginx
from tests.postgres import free_port

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["nginx-collector.conf", "sottovoce.service"])
def test_the_documentation_shows_the_files_as_they_are(name: str) -> None:
    assert (ROOT / "deploy" / name).read_text() in (ROOT / "docs" / "deployment.md").read_text()


def test_the_unit_lets_enough_files_be_open_and_outlasts_the_collectors_own_deadline() -> None:
    unit = (ROOT / "deploy" / "sottovoce.service").read_text()
    assert "LimitNOFILE=65536" in unit
    assert "TimeoutStopSec=20" in unit
    assert "ExecReload=/bin/kill -HUP $MAINPID" in unit


@contextlib.contextmanager
def in_front_of(ports: list[int | None], folder: Path) -> Iterator[tuple[httpx.Client, Path]]:
    """Yield a client of a real nginx with the block of deploy/, in front of some collectors, and nginx' log."""
    (certificate, key), log, port = make_certificate(folder), folder / "error.log", free_port()
    changes = {
        "server 127.0.0.1:8470;": " ".join(f"server 127.0.0.1:{one};" for one in ports),
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/collector.pem": str(certificate),
        "/etc/ssl/collector.key": str(key),
        "/var/log/nginx/collector.log": str(log),
    }
    block = replaced((ROOT / "deploy" / "nginx-collector.conf").read_text(), changes)
    top, inside = own_paths(folder)
    whole = f"{top} error_log {log} crit;\nevents {{ worker_connections 512; }}\nhttp {{ {inside}\n{block}\n}}\n"
    with running_nginx(whole, folder, port, certificate) as client:
        yield client, log


@needs_nginx
def test_posts_pass_through_nginx_with_tls_and_nothing_is_written_down(tmp_path: Path) -> None:
    plan = make_plan()
    with running([plan], str(tmp_path / "c.db")) as collector:
        with in_front_of([collector.http.base_url.port], tmp_path) as (client, log):
            headers = {"content-type": "application/json"}
            url = collector.path(plan, "/reports")
            assert client.post(url, content=draw(plan, 1)[0].to_json(), headers=headers).json()["counted"] == 1
            assert client.post(url, content=as_array(draw(plan, 500)), headers=headers).json()["counted"] == 500
            assert client.post(url, content=b" " * (5 * 2**20), headers=headers).status_code == 413
            assert [client.get(path).status_code for path in ("/metrics", "/%6detrics")] == [403] * 2
            assert client.get("/readyz").status_code == 200
        assert collector.total(plan) == 501
    assert not log.exists() or log.read_text() == ""


@needs_nginx
def test_a_collector_that_ends_costs_nobody_an_answer_where_another_runs(tmp_path: Path) -> None:
    plan, headers = make_plan(), {"content-type": "application/json"}
    path = f"/v1/plans/{plan.fingerprint}/reports"
    with running([plan], str(tmp_path / "c.db")) as staying, contextlib.ExitStack() as leaving:
        other = leaving.enter_context(running([plan], str(tmp_path / "c.db")))
        ports = [other.http.base_url.port, staying.http.base_url.port]
        with in_front_of(ports, tmp_path) as (client, _):
            reports = [report.to_json() for report in draw(plan, 30)]
            answers = [client.post(path, content=one, headers=headers) for one in reports[:10]]
            leaving.close()
            answers += [client.post(path, content=one, headers=headers) for one in reports[10:]]
        assert [answer.status_code for answer in answers] == [200] * 30
        assert sum(answer.json()["counted"] for answer in answers) == 30
        assert staying.total(plan) == 30
