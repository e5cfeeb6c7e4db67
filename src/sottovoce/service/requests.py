"""What routes share: who asks, what their bodies hold, and how the API describes both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import HTTPException, Path, Request
from pydantic import BaseModel, ValidationError

from sottovoce.service.auth import ANALYST, OPERATOR
from sottovoce.service.collector import JSON, Collector
from sottovoce.service.messages import Problem
from sottovoce.service.served import today

Form = TypeVar("Form", bound=BaseModel)

Collection = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="The collection's digest, as plans name it.")]
Fingerprint = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="The plan's fingerprint.")]


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of the refusals that a route may give."""
    return {status: {"model": Problem} for status in statuses}


def collector_of(request: Request) -> Collector:
    """Return the collector that serves a request."""
    collector: Collector = request.app.state.collector
    return collector


async def analyst_only(request: Request) -> None:
    """Refuse whoever does not carry an analyst's token, before any of the request's body is read."""
    await _only(request, ANALYST)


async def operator_only(request: Request) -> None:
    """Refuse whoever does not carry an operator's token, before any of the request's body is read."""
    await _only(request, OPERATOR)


async def _only(request: Request, role: str) -> None:
    collector = collector_of(request)
    collector.bodies.announced(request.scope)
    served = collector.served.get(request.path_params.get("fingerprint", ""))
    request.state.token = await collector.authorize(request.headers.get("authorization", ""), role, served)


async def note(request: Request, collection: str, what: str) -> None:
    """Write down what an analyst asked or an operator did: by day and token's name, to be answered for.

    Args:
        request: The request; its token was checked.
        collection: Which collection it was about.
        what: The question or act, of which 2000 characters are kept.
    """
    collector, name = collector_of(request), request.state.token.name
    await collector.analyse(lambda: collector.store.note_asked(today(), name, collection, what[:2000]))


async def read_form(request: Request, form: type[Form]) -> Form:
    """Return a request's body as one of the forms; an empty one is the form as it is by itself."""
    body = await collector_of(request).bodies.read(request.receive)
    try:
        return form.model_validate(msgspec.json.decode(body) if body.strip() else {})  # NaN is no JSON
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(400, f"the body is not JSON: {error}") from error
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise HTTPException(422, [{**line, "loc": ["body", *line["loc"]]} for line in found]) from error


def body_of(form: type[BaseModel], *, required: bool) -> dict[str, Any]:
    """Return the description of a body that a route reads itself."""
    schema = form.model_json_schema(ref_template="#/components/schemas/{model}")
    return {"requestBody": {"required": required, "content": {JSON: {"schema": schema}}}}


def answer_of(kind: Any) -> dict[int | str, dict[str, Any]]:
    """Return the description of an answer that is written from structs."""
    (top,), parts = msgspec.json.schema_components([kind], ref_template="#/components/schemas/{name}")
    schema = parts.pop(top["$ref"].rpartition("/")[2])  # its own name, of a generic struct, is nothing to read
    return {200: {"description": "OK", "content": {JSON: {"schema": {**schema, "$defs": parts}}}}}


def described(document: dict[str, Any]) -> dict[str, Any]:
    """Return an OpenAPI description whose parts stand under its components, where references look for them."""
    parts: dict[str, Any] = document.setdefault("components", {}).setdefault("schemas", {})
    for found in _taken_out(document):
        parts |= found
    return document


def _taken_out(node: Any) -> Iterator[dict[str, Any]]:
    """Yield all parts that are defined where they are used, and leave none there."""
    if isinstance(node, dict):
        found = node.pop("$defs", None)
        if found:
            yield found
            yield from _taken_out(found)
    for child in list(node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()):
        yield from _taken_out(child)
