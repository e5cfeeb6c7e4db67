"""Where counts are kept: one interface, SQLite in a file or PostgreSQL by its URL."""

from __future__ import annotations

import sqlite3

import psycopg

from sottovoce.service.store.store import ID, Counts, PlanKey, Reports, Store, Token, join

__all__ = ["FAILURES", "ID", "Counts", "PlanKey", "Reports", "Store", "Token", "join", "open_store"]

FAILURES = (sqlite3.Error, psycopg.Error)
"""What a store raises when its database fails: not the fault of whoever asked."""


def open_store(place: str) -> Store:
    """Return the store at a file's path, or at a ``postgresql://`` URL, its tables made or brought up to date."""
    if place.startswith(("postgresql://", "postgres://")):
        from sottovoce.service.store.postgres import PostgresStore

        return PostgresStore(place)
    from sottovoce.service.store.sqlite import SQLiteStore

    return SQLiteStore(place.removeprefix("sqlite:///"))
