"""The operator's routes, and the page that uses them: collections and tokens of all plans that a collector serves.

A token in a header is all that they take: no cookie, so that no other site can act in an operator's name. Nothing here
tells about anybody, and what is done is written down.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any, Literal, TypeVar

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from sottovoce.errors import PlanError, StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service import operation
from sottovoce.service.analysis import TooFewReportsError
from sottovoce.service.auth import Limits, create_token
from sottovoce.service.collector import JSON
from sottovoce.service.overview import ForecastLine, OverviewLine
from sottovoce.service.requests import (
    Collection,
    answer_of,
    body_of,
    collector_of,
    note,
    operator_only,
    problems,
    read_form,
)
from sottovoce.service.served import today
from sottovoce.service.store import CollectionState
from sottovoce.views.operator import operator_page, operator_policy

router = APIRouter()

Result = TypeVar("Result")

_REFUSALS = (400, 401, 403, 404, 408, 409, 413, 422, 429, 503)
_FRESH = {"cache-control": "no-store"}
_ONE = "/v1/collections/{collection}"


class ExtendRequest(BaseModel):
    """The new last day of a collection."""

    model_config = ConfigDict(extra="forbid")
    expires: datetime.date


class TokenRequest(BaseModel):
    """A token to be made; operators' are made with the command line alone."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1, max_length=100)
    role: Literal["analyst", "reporter"] = "analyst"
    expires: datetime.date | None = Field(default=None, description="Its last day.")
    collection: str | None = Field(default=None, pattern="^[0-9a-f]{64}$", description="The one collection it is for.")
    reports: int | None = Field(
        default=None, ge=1, le=2**62, description="How many reports a reporter may post: 1 is a ticket for one person."
    )


class RevokeRequest(BaseModel):
    """The token to be ended."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(max_length=200)


class Done(BaseModel):
    """What was done, and to which collection and plan."""

    done: str
    collection: str
    plan: str | None = None


class TokenLine(BaseModel):
    """A token, but not its secret."""

    name: str
    role: str
    created: str
    revoked: str | None
    expires: str | None
    collection: str | None
    reports: int | None


class TokenList(BaseModel):
    """All tokens."""

    tokens: list[TokenLine]


class NewToken(BaseModel):
    """A token's text, which is shown this once."""

    name: str
    role: str
    token: str


async def work(request: Request, act: Callable[[], Result]) -> Result:
    """Return what an operator's act gives, done beside the event loop; what cannot be done is said in words."""
    try:
        return await collector_of(request).analyse(act)
    except PlanError as error:
        raise HTTPException(422, str(error)) from error
    except StoreError as error:
        raise HTTPException(409, str(error)) from error


async def find(request: Request, collection: str) -> CollectionState:
    """Return a collection of the database."""
    try:
        return await collector_of(request).analyse(
            lambda: operation.find_collection(collector_of(request).store, collection)
        )
    except StoreError as error:
        raise HTTPException(404, str(error)) from error


async def done(request: Request, what: str, collection: str, plan: str | None = None) -> Done:
    """Write down what was done, have the collector see it at once, and say so.

    Args:
        request: The request; its token was checked.
        what: What was done, in words.
        collection: To which collection.
        plan: The plan that is served from now on, if there is one.
    """
    await note(request, collection, what)
    await collector_of(request).analyse(collector_of(request).look)
    return Done(done=what, collection=collection, plan=plan)


def written(found: Any) -> Response:
    """Return structs as JSON that nobody keeps."""
    return Response(msgspec.json.encode(found), media_type=JSON, headers=_FRESH)


@router.get(
    "/v1/collections",
    summary="All collections, as an operator sees them",
    dependencies=[Depends(operator_only)],
    response_class=Response,
    responses={**answer_of(OverviewLine), **problems(401, 403, 429, 503)},
)
async def get_collections(request: Request) -> Response:
    """Return reports per day, what was refused, flags, plans, the last fit and forecast, and how much room is left."""
    return written(await work(request, collector_of(request).overview.show))


@router.post(
    f"{_ONE}/close",
    summary="Take no more reports",
    dependencies=[Depends(operator_only)],
    responses=problems(*_REFUSALS),
)
async def post_close(request: Request, collection: Collection) -> Done:
    """Close a collection: counts and answers stay."""
    await find(request, collection)
    await work(request, lambda: operation.close_collection(collector_of(request).store, collection))
    return await done(request, "close", collection)


@router.post(
    f"{_ONE}/reopen",
    summary="Take reports again",
    dependencies=[Depends(operator_only)],
    responses=problems(*_REFUSALS),
)
async def post_reopen(request: Request, collection: Collection) -> Done:
    """Open a closed collection again, unless its ids were forgotten."""
    await find(request, collection)
    await work(request, lambda: operation.reopen_collection(collector_of(request).store, collection))
    return await done(request, "reopen", collection)


@router.post(
    f"{_ONE}/extend",
    summary="Give a collection another last day",
    dependencies=[Depends(operator_only)],
    responses=problems(*_REFUSALS),
    openapi_extra=body_of(ExtendRequest, required=True),
)
async def post_extend(request: Request, collection: Collection) -> Done:
    """Serve a plan like the newest of the collection with another last day."""
    state, asked = await find(request, collection), await read_form(request, ExtendRequest)
    collector = collector_of(request)

    def extend() -> Plan:
        newest = collector.overview.newest(state).plan
        return operation.extend_plan(collector.store, newest, asked.expires.isoformat())

    plan = await work(request, extend)
    return await done(request, f"extend to {plan.expires}", collection, plan.fingerprint)


@router.post(
    f"{_ONE}/plans",
    summary="Serve one more plan of a collection",
    dependencies=[Depends(operator_only)],
    responses=problems(*_REFUSALS),
    openapi_extra={"requestBody": {"required": True, "content": {JSON: {"schema": {"type": "object"}}}}},
)
async def post_plan(request: Request, collection: Collection) -> Done:
    """Serve another plan of the same collection: a refreshed one, or that of the next round; the body is its file."""
    await find(request, collection)
    collector = collector_of(request)
    document = await collector.bodies.read(request.receive)

    def add() -> Plan:
        plan = Plan.from_json(document)
        if plan.collection != collection:
            raise StoreError(
                f"this plan is of the collection {plan.collection[:12]}, not of {collection[:12]}: "
                "a refreshed plan and that of a next round keep its purpose, contact and questions"
            )
        operation.add_plan(collector.store, plan)
        return plan

    plan = await work(request, add)
    return await done(request, "add a plan", collection, plan.fingerprint)


@router.post(
    f"{_ONE}/forecast",
    summary="What to expect now and at the end",
    dependencies=[Depends(operator_only)],
    response_class=Response,
    responses={**answer_of(ForecastLine), **problems(*_REFUSALS)},
)
async def post_forecast(request: Request, collection: Collection) -> Response:
    """Simulate the collection with as many reports as there are, and as there will be; one at a time, fits included."""
    state, collector = await find(request, collection), collector_of(request)
    try:
        return written(await collector.fit(lambda: collector.overview.forecast(state)))
    except TooFewReportsError as error:
        raise HTTPException(409, str(error)) from error


@router.get(
    "/v1/tokens",
    summary="All tokens, but not their secrets",
    dependencies=[Depends(operator_only)],
    responses=problems(401, 403, 429, 503),
)
async def get_tokens(request: Request) -> TokenList:
    """Return names, roles and limits of all tokens."""
    rows = await work(request, lambda: operation.list_tokens(collector_of(request).store))
    return TokenList(tokens=[TokenLine(**row) for row in rows])


@router.post(
    "/v1/tokens",
    summary="Create a token",
    dependencies=[Depends(operator_only)],
    responses=problems(*_REFUSALS),
    openapi_extra=body_of(TokenRequest, required=True),
)
async def post_token(request: Request, response: Response) -> NewToken:
    """Create a token of an analyst or a reporter; its text is shown this once, and only its digest is kept."""
    asked, store = await read_form(request, TokenRequest), collector_of(request).store
    if asked.expires is not None and asked.expires < today():
        raise HTTPException(422, f"a token's last day is one that comes, got {asked.expires}")
    if asked.collection is not None:
        await find(request, asked.collection)
    limits = Limits(asked.expires, asked.collection, asked.reports)
    text = await work(request, lambda: create_token(store, asked.name, asked.role, today(), limits))
    await note(request, asked.collection or "", f"create the {asked.role}'s token {asked.name}")
    response.headers.update(_FRESH)
    return NewToken(name=asked.name, role=asked.role, token=text)


@router.post(
    "/v1/tokens/revoke",
    summary="End a token",
    dependencies=[Depends(operator_only)],
    responses=problems(*_REFUSALS),
    openapi_extra=body_of(RevokeRequest, required=True),
)
async def post_revoke(request: Request) -> TokenList:
    """End a token, from the next request on; return all."""
    asked, store = await read_form(request, RevokeRequest), collector_of(request).store
    await work(request, lambda: operation.revoke_token(store, asked.name))
    await note(request, "", f"revoke the token {asked.name}")
    return await get_tokens(request)


@router.get("/operate", summary="The operator's page", response_class=HTMLResponse)
async def get_operator_page() -> HTMLResponse:
    """Return the page of whoever operates the collector; it asks for the token itself, and talks to it alone."""
    headers = {"cache-control": "no-cache", "content-security-policy": f"{operator_policy()}; frame-ancestors 'none'"}
    return HTMLResponse(operator_page(), headers=headers)
