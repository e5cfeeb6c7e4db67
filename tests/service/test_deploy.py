"""The files of deploy/ are those of the documentation, and a real nginx passes posts on with them."""

from __future__ import annotations

import contextlib
import os
import shutil
import ssl
import subprocess
import time
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


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed (Debian: apt-get install nginx-light)")
def test_posts_pass_through_nginx_with_tls_and_nothing_is_written_down(tmp_path: Path) -> None:
    plan, port = make_plan(), free_port()
    key, certificate, log = tmp_path / "key.pem", tmp_path / "cert.pem", tmp_path / "error.log"
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *named, *files],
        check=True,
        capture_output=True,
    )
    with running([plan], str(tmp_path / "c.db")) as collector:
        block = (ROOT / "deploy" / "nginx-collector.conf").read_text()
        changes = {
            "127.0.0.1:8470": f"127.0.0.1:{collector.http.base_url.port}",
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
            f"{kind}_temp_path {tmp_path}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        whole = f"{user}daemon off; pid {tmp_path}/pid; error_log {log} crit;\n"
        whole += "events { worker_connections 512; }\n"
        (tmp_path / "nginx.conf").write_text(f"{whole}http {{ {temporary}\n{block}\n}}\n")
        assert NGINX is not None
        server = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")])
        try:
            trusted = ssl.create_default_context(cafile=str(certificate))
            with httpx.Client(base_url=f"https://localhost:{port}", verify=trusted, timeout=30) as client:
                for _ in range(200):
                    with contextlib.suppress(httpx.TransportError):
                        if client.get("/livez").status_code == 200:
                            break
                    time.sleep(0.05)
                headers = {"content-type": "application/json"}
                url = collector.path(plan, "/reports")
                assert client.post(url, content=draw(plan, 1)[0].to_json(), headers=headers).json()["counted"] == 1
                assert client.post(url, content=as_array(draw(plan, 500)), headers=headers).json()["counted"] == 500
                assert client.post(url, content=b" " * (5 * 2**20), headers=headers).status_code == 413
                assert [client.get(path).status_code for path in ("/metrics", "/%6detrics")] == [403] * 2
                assert client.get("/readyz").status_code == 200
        finally:
            server.terminate()
            server.wait(20)
        assert collector.total(plan) == 501
    assert not log.exists() or log.read_text() == ""
