"""Where counts are kept: one interface, SQLite in a file or PostgreSQL by its URL."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import psycopg

from sottovoce.service.store.keys import Keyring, default_keys
from sottovoce.service.store.store import (
    ID,
    CollectionState,
    Counts,
    KeptModel,
    One,
    PlanKey,
    Reports,
    Storage,
    Store,
    Token,
    columns_of,
    first_of_each,
    join,
)

__all__ = [
    "FAILURES",
    "ID",
    "CollectionState",
    "Counts",
    "KeptModel",
    "Keyring",
    "One",
    "PlanKey",
    "Reports",
    "Storage",
    "Store",
    "Token",
    "columns_of",
    "failure_name",
    "first_of_each",
    "join",
    "open_store",
]

FAILURES = (sqlite3.Error, psycopg.Error)
"""What a store raises when its database fails: not the fault of whoever asked."""


def open_store(address: str, keys: Path | None = None) -> Store:
    """Return the store at a file's path, or at a ``postgresql://`` URL, its tables made or brought up to date.

    Args:
        address: A file for SQLite, or a ``postgresql://`` URL.
        keys: The directory of the keys under which ids are kept; see `sottovoce.service.store.keys`.

    Raises:
        StoreError: If it cannot be opened, or is of a newer version than this one.
    """
    ring = Keyring(keys or default_keys(address))
    if address.startswith(("postgresql://", "postgres://")):
        from sottovoce.service.store.postgres import PostgresStore

        return PostgresStore(address, ring)
    from sottovoce.service.store.sqlite import SQLiteStore

    return SQLiteStore(address.removeprefix("sqlite:///"), ring)


def failure_name(error: Exception) -> str:
    """Return a database's own name of an error, such as SQLITE_FULL or a SQLSTATE: safe to log, unlike its text."""
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None)
    return f"{type(error).__name__} {code}" if code else type(error).__name__
