"""The files of docker/: what the image would run is run here, with the compose file's settings and real servers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from dockerfile_parse import DockerfileParser

import sottovoce as sv
from sottovoce.cli.serve import command as serve
from tests.collectors import draw, make_plan
from tests.nginx import make_certificate, needs_nginx, own_paths, replaced, running_nginx
from tests.postgres import create_database, free_port, running_postgres

ROOT = Path(__file__).parents[1]
DOCKER = ROOT / "docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
COLLECTOR, DATABASE, PROXY = (COMPOSE["services"][name] for name in ("collector", "database", "proxy"))


@pytest.fixture(scope="module")
def image() -> dict[str, list[str]]:
    """The Dockerfile's instructions, by name."""
    found: dict[str, list[str]] = {}
    for line in DockerfileParser(path=str(DOCKER / "Dockerfile")).structure:
        found.setdefault(line["instruction"], []).append(line["value"])
    return found


def environment_of(image: dict[str, list[str]]) -> dict[str, str]:
    """Return what the collector's container has in its environment, but for the password."""
    given = dict(pair.split("=", 1) for line in image["ENV"] for pair in line.split())
    return given | {name: value for name, value in COLLECTOR["environment"].items() if name != "PGPASSWORD"}


def test_hadolint_finds_nothing_wrong_with_the_dockerfile() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, DOCKER / "Dockerfile"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout


def test_the_image_is_of_this_version_on_a_declared_python_and_runs_as_nobody_special(image: dict) -> None:
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    (base,) = image["FROM"]
    assert f"Programming Language :: Python :: {re.fullmatch(r'python:(.*)-slim', base)[1]}" in classifiers
    assert set(re.findall(r"sottovoce(?:\[.*?\])?==([\d.]+)", image["RUN"][0])) == {sv.__version__}
    assert COLLECTOR["image"] == f"sottovoce:{sv.__version__}"
    assert image["USER"] == ["10001"]
    assert "--uid 10001" in image["RUN"][0]
    assert list(image)[-4:] == ["STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"]


def test_the_image_is_built_from_the_wheel_and_nothing_else(image: dict) -> None:
    assert image["COPY"] == ["dist/sottovoce-*.whl /tmp/wheels/"]
    assert (ROOT / ".dockerignore").read_text().split() == ["*", "!dist/sottovoce-*.whl"]
    assert (DOCKER / COLLECTOR["build"]["context"]).resolve() == ROOT
    assert ROOT / COLLECTOR["build"]["dockerfile"] == DOCKER / "Dockerfile"


def test_every_setting_is_one_that_the_collector_takes(image: dict) -> None:
    known = {f"SOTTOVOCE_{parameter.name.upper()}": parameter for parameter in serve.params if parameter.name}
    given = environment_of(image)
    assert set(given) <= set(known)
    for name, value in given.items():
        known[name].type_cast_value(None, value)  # type: ignore[arg-type]


def test_all_that_services_name_is_there_and_only_the_proxy_is_open() -> None:
    for name, service in COMPOSE["services"].items():
        assert set(service["networks"]) <= set(COMPOSE["networks"])
        assert set(service.get("depends_on", {})) <= set(COMPOSE["services"])
        for needed, how in service.get("depends_on", {}).items():
            has = "healthcheck" in COMPOSE["services"][needed] or needed == "collector"  # the image has one
            assert how == {"condition": "service_healthy"}
            assert has
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            asked_for = source in ("./plan.json", "./tls")  # what whoever runs it puts there
            assert asked_for or source in COMPOSE["volumes"] or (DOCKER / source).exists()
        assert ("ports" in service) == (name == "proxy")
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert DATABASE["networks"] == COLLECTOR["networks"] == ["inside"]
    assert "./plan.json:/etc/sottovoce/plan.json:ro" in COLLECTOR["volumes"]


def test_the_password_is_nowhere_in_the_files() -> None:
    asked = "${PASSWORD:?the password of the database, in docker/.env}"
    assert COLLECTOR["environment"]["PGPASSWORD"] == DATABASE["environment"]["POSTGRES_PASSWORD"] == asked
    assert {"docker/.env", "docker/plan.json", "docker/tls/"} <= set((ROOT / ".gitignore").read_text().split())


@contextmanager
def collecting(image: dict[str, list[str]], folder: Path, database: str) -> Iterator[int]:
    """Yield the port of what the image starts, once its own health check says that it is ready."""
    port = free_port()
    changed = {"SOTTOVOCE_HOST": "127.0.0.1", "SOTTOVOCE_PORT": str(port), "SOTTOVOCE_KEYS": str(folder / "keys")}
    given = {**os.environ, **environment_of(image), **changed, "SOTTOVOCE_DATABASE": database}
    words = json.loads(image["ENTRYPOINT"][0]) + json.loads(image["CMD"][0])
    places = {"sottovoce": str(Path(sys.executable).with_name("sottovoce"))}
    places["/etc/sottovoce/plan.json"] = str(folder / "plan.json")
    check = json.loads(image["HEALTHCHECK"][0].partition(" CMD ")[2])
    assert check[0] == "python"
    server = subprocess.Popen([places.get(word, word) for word in words], env=given, cwd=folder)
    try:
        for _ in range(120):
            healthy = subprocess.run(
                [sys.executable, *check[1:]], env=given, capture_output=True, check=False, timeout=60
            )
            if healthy.returncode == 0:
                break
            assert server.poll() is None, "the collector ended"
            time.sleep(0.5)
        assert healthy.returncode == 0, healthy.stderr
        yield port
    finally:
        server.terminate()
        server.wait(60)
    broken = subprocess.run([sys.executable, *check[1:]], env=given, capture_output=True, check=False, timeout=60)
    assert broken.returncode != 0, "the health check says so when nobody answers"


@needs_nginx
@pytest.mark.slow
def test_the_three_services_take_a_report_together(image: dict, tmp_path: Path) -> None:
    plan = make_plan()
    plan.save(tmp_path / "plan.json")
    address = COLLECTOR["environment"]["SOTTOVOCE_DATABASE"]
    user, name = DATABASE["environment"]["POSTGRES_USER"], DATABASE["environment"]["POSTGRES_DB"]
    assert address == f"postgresql://{user}@database/{name}"
    options = [word for word in DATABASE["command"][1:] if word != "-c"]
    with (
        running_postgres(*options) as postgres,
        collecting(image, tmp_path, create_database(postgres, name)) as inside,
    ):
        (certificate, key), outside = make_certificate(tmp_path), free_port()
        top, http = own_paths(tmp_path)
        changes = {
            "server collector:8470;": f"server 127.0.0.1:{inside};",
            "listen 443 ssl": f"listen 127.0.0.1:{outside} ssl",
            "/etc/ssl/collector/collector.pem": str(certificate),
            "/etc/ssl/collector/collector.key": str(key),
            "worker_processes auto;": f"worker_processes 1; {top}",
            "http {\n": f"http {{ {http}\n",
        }
        configuration = replaced((DOCKER / "nginx.conf").read_text(), changes)
        with running_nginx(configuration, tmp_path, outside, certificate) as client:
            url, headers = f"/v1/plans/{plan.fingerprint}/reports", {"content-type": "application/json"}
            report = draw(plan, 1)[0].to_json()
            counted = [client.post(url, content=report, headers=headers).json()["counted"] for _ in range(2)]
            assert counted == [1, 0]
            assert client.get("/metrics").status_code == 403


def test_nginx_passes_on_here_as_in_deploy() -> None:
    own, other = (
        re.findall(r"^\s*((?:proxy_|client_|limit_|access_log|location)[^#\n]*)", path.read_text(), flags=re.MULTILINE)
        for path in (DOCKER / "nginx.conf", ROOT / "deploy" / "nginx-collector.conf")
    )
    assert [line.strip() for line in own] == [line.strip() for line in other]
