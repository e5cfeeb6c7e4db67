"""The keys under which ids are kept: one for each collection, in a directory apart from the database and its backups.

A store keeps the **keyed digest** of an id (BLAKE2s with a secret key, RFC 7693, 128 bits) and never the id. Whoever
has the store, its log files or a backup, and ids from devices or the network, but not the key, cannot tell which of
the digests is whose. All collectors of one database share the key of a collection. The store holds a check value of
it, so that a wrong key is noticed before anything is counted twice. Once it is destroyed, nobody can link an id.
"""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass, field
from hashlib import blake2s
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sottovoce._files import create_whole, sync_directory
from sottovoce.errors import StoreError
from sottovoce.service.store.store import ID, sorting, split

_WIDTH = ID.itemsize
_KEY_BYTES = 32
_CHECKED = b"sottovoce: check"


@dataclass(frozen=True, slots=True)
class IdKey:
    """The key of one collection's ids.

    Example:
        >>> key = IdKey(bytes(32))
        >>> key.digest(bytes(16)).hex()[:8], len(key.digest(bytes(16)))
        ('767bd03b', 16)
    """

    secret: bytes = field(repr=False)

    def digest(self, id: bytes) -> bytes:
        """Return the digest under which an id is kept."""
        return blake2s(id, digest_size=_WIDTH, key=self.secret).digest()

    def digests(self, ids: NDArray[np.bytes_]) -> tuple[NDArray[np.intp], NDArray[np.bytes_]]:
        """Return an order of some ids that tells nothing of theirs, and their digests, sorted, in that order."""
        keyed, parts = blake2s(digest_size=_WIDTH, key=self.secret).copy, list[bytes]()
        for id in split(ids.tobytes()):
            state = keyed()
            state.update(id)
            parts.append(state.digest())
        made = np.frombuffer(b"".join(parts), dtype=ID)
        order = sorting(made)
        return order, made[order]

    @property
    def check(self) -> bytes:
        """The value by which a store tells this key from another; it says nothing about the key."""
        return blake2s(_CHECKED, digest_size=_WIDTH, key=self.secret, person=b"check").digest()


class Keyring:
    """The keys of all collections: one small file each, in a directory that only its owner can read."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def of(self, collection: str) -> IdKey:
        """Return the key of a collection, which is made if there is none."""
        found = self.find(collection)
        if found is None:
            try:
                self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
                create_whole(self._path(collection), secrets.token_hex(_KEY_BYTES).encode(), private=True)
            except OSError as error:
                raise StoreError(f"cannot make a key for ids in {str(self.directory)!r}: {error.strerror}") from error
            found = self.find(collection)  # of several that make it at the same time, one is kept
        assert found is not None
        return found

    def find(self, collection: str) -> IdKey | None:
        """Return the key of a collection, if there is one."""
        path = self._path(collection)
        try:
            secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StoreError(f"the key in {str(path)!r} cannot be read: {error}") from error
        if len(secret) != _KEY_BYTES:
            raise StoreError(f"the key in {str(path)!r} has {len(secret)} bytes, not {_KEY_BYTES}")
        return IdKey(secret)

    def matching(self, collection: str, check: bytes | None) -> IdKey:
        """Return the key that a store's check value asks for; without one, the key that is or will be there.

        Raises:
            StoreError: If the key is another one, or missing: counting under another key would count ids twice.
        """
        where = f"the key of collection {collection[:12]} in {str(self.directory)!r}"
        if check is None:
            return self.of(collection)
        found = self.find(collection)
        if found is None:
            raise StoreError(f"{where} is missing; put the file that the other collectors have there (--keys)")
        if not hmac.compare_digest(found.check, check):
            raise StoreError(f"{where} is not the one that this database was filled under; use that one (--keys)")
        return found

    def destroy(self, collection: str) -> bool:
        """Overwrite and remove a collection's key; return whether there was one."""
        path = self._path(collection)
        if not path.exists():
            return False
        with path.open("r+b") as file:
            file.write(bytes(2 * _KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()
        sync_directory(path.parent)
        return True

    def _path(self, collection: str) -> Path:
        return self.directory / f"{collection}.key"


def default_keys(address: str) -> Path:
    """Return where a database's keys are unless told otherwise: beside a SQLite file, or in the user's own state."""
    named = os.environ.get("SOTTOVOCE_KEYS")
    if named:
        return Path(named)
    if address.startswith(("postgresql://", "postgres://")):
        from platformdirs import user_state_path

        return user_state_path("sottovoce", appauthor=False) / "keys"
    return Path(f"{address.removeprefix('sqlite:///')}.keys")
