"""Signed plans: by the key that was published, and no other; keys are OpenSSL's."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

import sottovoce as sv
from sottovoce.plan.signature import Signature, check_signature, sign_plan, signature_beside
from tests.collectors import make_plan

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "signatures.json").read_text(encoding="utf-8"))


def pem(key: Any, secret: bytes | None = None) -> bytes:
    encryption = NoEncryption() if secret is None else BestAvailableEncryption(secret)
    text: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
    return text


@pytest.mark.parametrize("vector", VECTORS)
def test_a_signature_is_good_in_both_languages_or_in_none(vector: dict[str, Any]) -> None:
    plan: Any = SimpleNamespace(fingerprint=vector["fingerprint"])
    signature = Signature.from_json(vector["signature"])
    if vector["good"]:
        check_signature(plan, signature, vector["key"])
    else:
        with pytest.raises(sv.PlanError):
            check_signature(plan, signature, vector["key"])


def test_a_plan_is_signed_and_found_to_be() -> None:
    plan = make_plan()
    signature = sign_plan(plan, pem(ed25519.Ed25519PrivateKey.generate()))
    check_signature(plan, Signature.from_json(signature.to_json()), signature.key)
    with pytest.raises(sv.PlanError, match="is not one of the plan"):
        check_signature(make_plan(purpose="another"), signature, signature.key)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (b"no key", "not a private key in PEM"),
        (pem(ed25519.Ed25519PrivateKey.generate(), b"secret"), "without a passphrase"),
        (pem(ec.generate_private_key(ec.SECP256R1())), "openssl genpkey -algorithm ed25519"),
    ],
    ids=["nothing", "passphrase", "another kind"],
)
def test_a_key_that_cannot_sign_is_refused(key: bytes, words: str) -> None:
    with pytest.raises(sv.PlanError, match=words):
        sign_plan(make_plan(), key)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"key":"a","signature":"b","format":"sottovoce-signature-2"}'])
def test_what_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(sv.PlanError, match="signature"):
        Signature.from_json(text)


def test_without_the_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(sv.PlanError, match=r"sottovoce\[signed\]"):
        check_signature(make_plan(), Signature("a", "b"), "a")
    assert "cryptography" in sys.modules


def test_a_signature_stands_beside_its_plan() -> None:
    assert signature_beside(Path("folder/plan.json")) == Path("folder/plan.json.sig")
