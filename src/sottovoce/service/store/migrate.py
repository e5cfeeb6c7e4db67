"""Numbered SQL migrations: files that ship with the package and are applied once each, in order."""

from __future__ import annotations

from importlib import resources

from sottovoce.errors import StoreError


def migrations(dialect: str) -> list[tuple[int, str]]:
    """Return the number and text of every migration for "sqlite" or "postgres", in order.

    Example:
        >>> [number for number, _ in migrations("sqlite")] == [number for number, _ in migrations("postgres")]
        True
    """
    folder = resources.files("sottovoce.service.store") / "migrations" / dialect
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [(int(file.name[:4]), file.read_text(encoding="utf-8")) for file in files]


def pending(dialect: str, version: int) -> list[tuple[int, str]]:
    """Return the migrations that a database at that version has not had yet.

    Raises:
        StoreError: If the database had migrations that this version does not know: it must not be written to.
    """
    known = migrations(dialect)
    newest = known[-1][0]
    if version > newest:
        raise StoreError(
            f"the database is of a newer version of sottovoce (schema {version}, this one knows {newest}); "
            "install that version, or restore the backup from before"
        )
    return [(number, text) for number, text in known if number > version]
