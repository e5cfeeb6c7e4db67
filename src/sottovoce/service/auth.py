"""Tokens: who may read statuses and ask for answers, who operates, and, where it is asked for, who may post.

A token is ``sv_`` and a public prefix and a secret of 256 random bits. Only the secret's SHA-256 is kept: a secret that
cannot be guessed needs no slow hash. It is compared in constant time, also when no such token exists.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import secrets
from typing import NamedTuple

from sottovoce.errors import StoreError
from sottovoce.service.store import Store, Token

ANALYST, REPORTER, OPERATOR = "analyst", "reporter", "operator"
ROLES = (ANALYST, REPORTER, OPERATOR)

_NOBODY = bytes(32)


class Limits(NamedTuple):
    """What a token is limited to.

    Attributes:
        expires: Its last day, if it has one.
        collection: The one collection it is for; left out, it is for all.
        reports: How many reports it may post, if that is limited: 1 makes it a ticket for one person.
    """

    expires: datetime.date | None = None
    collection: str | None = None
    reports: int | None = None


def create_token(store: Store, name: str, role: str, day: datetime.date, limits: Limits | None = None) -> str:
    """Return a new token's text: it is shown once, and only its digest is kept.

    Args:
        store: Where tokens are kept.
        name: What people call it, 1 to 100 characters.
        role: One of `ROLES`.
        day: Today.
        limits: Its last day, its collection and how many reports it is for; None for no limits.

    Raises:
        StoreError: If the name is taken, or something cannot be.
    """
    limits = limits or Limits()
    if not name.strip() or len(name) > 100:
        raise StoreError(f"a token has a name of 1 to 100 characters, got {name!r}")
    if role not in ROLES:
        raise StoreError(f"a token's role is one of {', '.join(ROLES)}, got {role!r}")
    if limits.reports is not None and (role != REPORTER or limits.reports < 0):
        raise StoreError(f"only a reporter's token is for a number of reports, got {limits.reports} for {role}")
    if role == OPERATOR and limits.collection is not None:
        raise StoreError("an operator's token is for all collections of a collector: leave the collection out")
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    store.save_token(Token(name, role, prefix, _digest(secret), day, None, *limits))
    return f"sv_{prefix}_{secret}"


def rotate_token(store: Store, name: str, day: datetime.date) -> str:
    """Return a new text for a token: the old one ends now, the new one has its name, role and limits.

    Args:
        store: Where tokens are kept.
        name: What people call it.
        day: Today.

    Raises:
        StoreError: If there is no such token, or it was revoked.
    """
    old = next((token for token in store.tokens() if token.name == name and token.revoked is None), None)
    if old is None:
        raise StoreError(f"there is no token named {name!r} to rotate; sottovoce token list shows all")
    store.revoke_token(name, day)
    store.rename_token(name, f"{name[:80]} until {day} {old.prefix}")
    return create_token(store, name, old.role, day, Limits(old.expires, old.collection, old.reports))


def check_token(store: Store, text: str, day: datetime.date | None = None) -> Token | None:
    """Return the token that a text proves, unless it is unknown, revoked or past its last day.

    Args:
        store: Where tokens are kept.
        text: What was sent, ``sv_prefix_secret``.
        day: Today; None does not ask when it ends.

    Returns:
        The token, or None; the time that takes does not depend on how much of the secret is right.
    """
    prefix, _, secret = text.removeprefix("sv_").partition("_")
    found = store.find_token(prefix) if prefix.isascii() and prefix.isalnum() else None
    same = hmac.compare_digest(found.digest if found else _NOBODY, _digest(secret))
    if found is None or not same or found.revoked is not None:
        return None
    return None if found.expires is not None and day is not None and day > found.expires else found


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
