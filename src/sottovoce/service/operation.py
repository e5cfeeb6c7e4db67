"""What an operator does to collections and tokens, by the command line and by the operator's page alike."""

from __future__ import annotations

import datetime
from typing import Any

import msgspec

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.served import today
from sottovoce.service.store import CollectionState, Store, Token


def find_collection(store: Store, name: str) -> CollectionState:
    """Return a collection of a store; StoreError if there is none of that name."""
    found = next((one for one in store.collections() if one.collection == name), None)
    if found is None:
        raise StoreError(
            f"this database has no collection {name[:12]}; sottovoce collection list has all, "
            "and sottovoce serve begins one"
        )
    return found


def list_collections(store: Store) -> list[dict[str, Any]]:
    """Return all collections with how many plans and reports they have, and when they were closed."""
    return [
        {
            "collection": one.collection,
            "plans": len(store.fingerprints(one.number)),
            "reports": sum(count for _, _, count in store.by_day(one.number)),
            "closed": None if one.closed is None else str(one.closed),
            "purged": None if one.purged is None else str(one.purged),
        }
        for one in store.collections()
    ]


def add_plan(store: Store, plan: Plan) -> None:
    """Serve one more plan of a collection that is served; StoreError for one of another."""
    find_collection(store, plan.collection)
    store.register(plan)


def extend_plan(store: Store, plan: Plan, expires: str) -> Plan:
    """Return a plan of the same collection with another last day, which is served from now on.

    Args:
        store: The store.
        plan: A plan of the collection, usually the newest.
        expires: The new last day.

    Raises:
        StoreError: If that day is over.
        PlanError: If it is no day.
    """
    longer = msgspec.structs.replace(plan, expires=expires, version=plan.version + 1)
    longer.check()
    if expires < today().isoformat():
        raise StoreError(f"a collection is extended to a day that comes, got {expires}; to end it, close it")
    add_plan(store, longer)
    return longer


def close_collection(store: Store, name: str) -> None:
    """Take no more reports; counts and answers stay."""
    store.close_collection(find_collection(store, name).number, today())


def reopen_collection(store: Store, name: str) -> None:
    """Take reports again, unless the ids were forgotten."""
    found = find_collection(store, name)
    if found.purged:
        raise StoreError("the ids of this collection were forgotten: nobody could tell what was counted before")
    store.close_collection(found.number, None)


def purge_collection(store: Store, name: str) -> int:
    """Forget the ids of a closed collection and their key for good; return how many there were."""
    found = find_collection(store, name)
    if found.closed is None:
        raise StoreError("close the collection first: reports that still come would count twice")
    return store.purge_ids(found.number, today())


def list_tokens(store: Store) -> list[dict[str, Any]]:
    """Return all tokens, but not their secrets."""
    return [_token(token) for token in store.tokens()]


def _token(token: Token) -> dict[str, Any]:
    return {
        "name": token.name,
        "role": token.role,
        "created": token.created.isoformat(),
        "revoked": _day(token.revoked),
        "expires": _day(token.expires),
        "collection": token.collection,
        "reports": token.reports,
    }


def revoke_token(store: Store, name: str) -> datetime.date:
    """End a token, from the next request on; return since when."""
    if not store.revoke_token(name, today()):
        raise StoreError(f"there is no token named {name!r} to revoke; sottovoce token list shows all")
    return today()


def _day(day: datetime.date | None) -> str | None:
    return None if day is None else day.isoformat()
