"""The files of deploy/ are those of the documentation, and a real nginx passes posts on with them."""

from __future__ import annotations

import contextlib
import os
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.collectors import as_array, draw, make_plan, running
from tests.postgres import free_port

ROOT = Path(__file__).parents[2]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


@pytest.mark.parametrize("name", ["nginx-collector.conf", "sottovoce.service"])
def test_the_documentation_shows_the_files_as_they_are(name: str) -> None:
    assert (ROOT / "deploy" / name).read_text() in (ROOT / "docs" / "deployment.md").read_text()


def test_the_unit_lets_enough_files_be_open_and_outlasts_the_collectors_own_deadline() -> None:
    unit = (ROOT / "deploy" / "sottovoce.service").read_text()
    assert "LimitNOFILE=65536" in unit
    assert "TimeoutStopSec=20" in unit
    assert "ExecReload=/bin/kill -HUP $MAINPID" in unit


needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed (Debian: apt-get install nginx-light)")


@contextlib.contextmanager
def in_front_of(ports: list[int | None], folder: Path) -> Iterator[tuple[httpx.Client, Path]]:
    """Yield a client of a real nginx with the block of deploy/, in front of some collectors, and nginx' log."""
    key, certificate, log, port = folder / "key.pem", folder / "cert.pem", folder / "error.log", free_port()
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *named, *files],
        check=True,
        capture_output=True,
    )
    block = (ROOT / "deploy" / "nginx-collector.conf").read_text()
    changes = {
        "server 127.0.0.1:8470;": " ".join(f"server 127.0.0.1:{one};" for one in ports),
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/collector.pem": str(certificate),
        "/etc/ssl/collector.key": str(key),
        "/var/log/nginx/collector.log": str(log),
    }
    for old, new in changes.items():
        assert old in block
        block = block.replace(old, new)
    user = "user root;" if os.geteuid() == 0 else ""  # so that it may write to the test's own directory
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"{user}daemon off; pid {folder}/pid; error_log {log} crit;\n"
    whole += "events { worker_connections 512; }\n"
    (folder / "nginx.conf").write_text(f"{whole}http {{ {temporary}\n{block}\n}}\n")
    assert NGINX is not None
    server = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        trusted = ssl.create_default_context(cafile=str(certificate))
        with httpx.Client(base_url=f"https://localhost:{port}", verify=trusted, timeout=30) as client:
            for _ in range(200):
                with contextlib.suppress(httpx.TransportError):
                    if client.get("/livez").status_code == 200:
                        break
                time.sleep(0.05)
            yield client, log
    finally:
        server.terminate()
        server.wait(20)


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
