"""Signed plans: a detached Ed25519 signature (RFC 8032) of a plan's fingerprint, beside the plan.

A signature says that whoever holds the key stands for this plan; it says nothing about whether others were given
another plan with another signature by the same key. For that there is the log (`sottovoce.plan.log`). Keys are made by
``openssl genpkey -algorithm ed25519 -out key.pem``. Needs ``sottovoce[signed]``, which brings the library cryptography.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import msgspec
import rfc8785

from sottovoce.errors import PlanError
from sottovoce.plan.plan import Plan

FORMAT = "sottovoce-signature-1"


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A signature of a plan.

    Attributes:
        key: The public key, 64 hexadecimal digits.
        signature: 128 hexadecimal digits.
    """

    key: str
    signature: str
    format: str = FORMAT

    def to_json(self) -> bytes:
        """Return the canonical JSON."""
        return rfc8785.dumps(msgspec.to_builtins(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Signature:
        """Return the signature that a JSON text holds."""
        try:
            found = msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise PlanError(f"not a signature of a plan: {error}") from error
        if found.format != FORMAT:
            raise PlanError(f"the signature's format {found.format!r} is not {FORMAT!r}: it needs another version")
        return found


def make_key() -> bytes:
    """Return a new private key, as PEM."""
    _require_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def sign_plan(plan: Plan, key: bytes) -> Signature:
    """Return the signature of a plan.

    Args:
        plan: What is signed.
        key: An Ed25519 private key without a passphrase, as PEM.
    """
    _require_library()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        private = load_pem_private_key(key, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise PlanError(f"not a private key in PEM without a passphrase: {error}") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise PlanError("plans are signed with Ed25519: openssl genpkey -algorithm ed25519 -out key.pem")
    return Signature(private.public_key().public_bytes_raw().hex(), private.sign(message(plan)).hex())


def check_signature(plan: Plan, signature: Signature, key: str) -> None:
    """Check that a signature is of a plan and by the key that was published.

    Args:
        plan: The plan.
        signature: What came with it.
        key: The public key that was published, 64 hexadecimal digits.

    Raises:
        PlanError: If it is another key's or another plan's.
    """
    _require_library()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if signature.key != key:
        raise PlanError(f"the plan is signed by {signature.key}, not by the key that was given, {key}")
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature.signature), message(plan))
    except (ValueError, InvalidSignature) as error:
        raise PlanError(f"the signature is not one of the plan {plan.fingerprint} by the key {key}") from error


def message(plan: Plan) -> bytes:
    """Return what is signed: the plan's fingerprint, and what it is."""
    return f"sottovoce plan {plan.fingerprint}".encode()


def signature_beside(path: Path) -> Path:
    """Return where the signature of a plan's file is kept."""
    return path.with_name(f"{path.name}.sig")


def _require_library() -> None:
    if importlib.util.find_spec("cryptography") is None:
        raise PlanError("signatures of plans need cryptography: pip install 'sottovoce[signed]'")
