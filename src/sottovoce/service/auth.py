"""Tokens: who may read statuses and ask for answers, and, where it is asked for, who may post.

A token is ``sv_`` and a public prefix and a secret of 256 random bits. Only the secret's SHA-256 is kept: a secret that
cannot be guessed needs no slow hash. It is compared in constant time, also when no such token exists.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import secrets

from sottovoce.errors import StoreError
from sottovoce.service.store import Store, Token

ANALYST, REPORTER = "analyst", "reporter"
ROLES = (ANALYST, REPORTER)

_NOBODY = bytes(32)


def create_token(store: Store, name: str, role: str, day: datetime.date) -> str:
    """Return a new token's text: it is shown once, and only its digest is kept."""
    if not name.strip() or len(name) > 100:
        raise StoreError(f"a token has a name of 1 to 100 characters, got {name!r}")
    if role not in ROLES:
        raise StoreError(f"a token's role is one of {', '.join(ROLES)}, got {role!r}")
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    store.save_token(Token(name, role, prefix, _digest(secret), day))
    return f"sv_{prefix}_{secret}"


def check_token(store: Store, text: str) -> Token | None:
    """Return the token that a text proves, unless it is unknown or revoked."""
    prefix, _, secret = text.removeprefix("sv_").partition("_")
    found = store.find_token(prefix) if prefix.isascii() and prefix.isalnum() else None
    same = hmac.compare_digest(found.digest if found else _NOBODY, _digest(secret))
    return found if found is not None and same and found.revoked is None else None


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
