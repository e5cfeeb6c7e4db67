"""Signing a plan on the command line, with a key that OpenSSL made."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.plan.signature import Signature, check_signature
from tests.cli.calls import fail, succeed, text_of
from tests.collectors import make_plan


@pytest.fixture
def signing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a plan, and a key if OpenSSL is here."""
    monkeypatch.chdir(tmp_path)
    make_plan().save("plan.json")
    if shutil.which("openssl") is None:
        pytest.skip("OpenSSL is not installed: no key was made")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", "key.pem"], check=True)
    return tmp_path


@pytest.mark.usefixtures("signing")
def test_a_plan_is_signed_beside_its_file() -> None:
    said = succeed("sign", "plan.json", "--key", "key.pem")
    assert said["out"] == "plan.json.sig"
    signature = Signature.from_json(Path("plan.json.sig").read_bytes())
    check_signature(sv.Plan.load("plan.json"), signature, said["key"])
    assert said["key"] in text_of("sign", "plan.json", "--key", "key.pem")


@pytest.mark.usefixtures("signing")
def test_a_new_key_is_its_owners_alone_and_no_key_is_overwritten() -> None:
    said = succeed("sign", "plan.json", "--key", "own.pem", "--new-key")
    assert Path("own.pem").stat().st_mode & 0o077 == 0
    assert succeed("sign", "plan.json", "--key", "own.pem") == said
    assert "'own.pem' exists" in fail("sign", "plan.json", "--key", "own.pem", "--new-key")
    assert "No such file" in fail("sign", "plan.json", "--key", "none.pem")


@pytest.mark.usefixtures("signing")
def test_a_key_that_is_none_is_refused_in_one_line() -> None:
    assert "not a private key" in fail("sign", "plan.json", "--key", "plan.json")
