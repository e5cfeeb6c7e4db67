"""A real nginx in a temporary directory, with a certificate of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")

needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed (Debian: apt-get install nginx-light)")


def replaced(text: str, changes: Mapping[str, str]) -> str:
    """Return a text with parts of it changed, all of which must be there."""
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Return the files of a certificate for localhost, and of its key."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *named, *files],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return certificate, key


def own_paths(folder: Path) -> tuple[str, str]:
    """Return what belongs at the top of a configuration, and into its http part, to write to a folder alone."""
    user = "user root;" if os.geteuid() == 0 else ""  # so that it may write to the test's own directory
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return f"{user}daemon off; pid {folder}/pid;", "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)


@contextlib.contextmanager
def running_nginx(configuration: str, folder: Path, port: int, certificate: Path) -> Iterator[httpx.Client]:
    """Yield a client of an nginx that has a configuration, once what it passes on to answers."""
    (folder / "nginx.conf").write_text(configuration)
    assert NGINX is not None
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False, timeout=60)
    assert checked.returncode == 0, checked.stderr
    server = subprocess.Popen(command)
    try:
        trusted = ssl.create_default_context(cafile=str(certificate))
        with httpx.Client(base_url=f"https://localhost:{port}", verify=trusted, timeout=30) as client:
            for _ in range(200):
                with contextlib.suppress(httpx.TransportError):
                    if client.get("/livez").status_code == 200:
                        break
                time.sleep(0.05)
            yield client
    finally:
        server.terminate()
        server.wait(20)
