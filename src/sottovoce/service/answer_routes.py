"""The routes of answers: fractions, and every other verb of a model under its own name."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from difflib import get_close_matches
from typing import Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request, Response

from sottovoce.errors import QueryError
from sottovoce.model.answer_lines import Told, ToldMany
from sottovoce.service.analysis import NotFittedError
from sottovoce.service.collector import JSON
from sottovoce.service.messages import AnswersRequest
from sottovoce.service.requests import (
    Fingerprint,
    analyst_only,
    answer_of,
    body_of,
    collector_of,
    note,
    problems,
    read_form,
)
from sottovoce.service.verbs import VERBS, Verb

router = APIRouter()

ANSWERS = "/v1/plans/{fingerprint}/answers"
_REFUSALS = (400, 401, 403, 404, 408, 409, 413, 422, 429, 503)


async def told(request: Request, work: Callable[[], Any]) -> Response:
    """Return what an analyst asked for, or in words why there is no such answer."""
    try:
        found = await collector_of(request).analyse(work)
    except NotFittedError as error:
        raise HTTPException(409, str(error)) from error
    except QueryError as error:
        raise HTTPException(422, str(error)) from error
    return Response(msgspec.json.encode(found), media_type=JSON, headers={"cache-control": "no-store"})


@router.post(
    ANSWERS,
    summary="Fractions of the crowd",
    dependencies=[Depends(analyst_only)],
    response_class=Response,
    responses={**answer_of(ToldMany), **problems(*_REFUSALS)},
    openapi_extra=body_of(AnswersRequest, required=True),
)
async def post_answers(request: Request, fingerprint: Fingerprint) -> Response:
    """Return the estimated fraction of the crowd inside each query and its interval, by the last fit."""
    collector = collector_of(request)
    served, asked = collector.find(fingerprint), await read_form(request, AnswersRequest)
    questions = msgspec.json.encode(asked.where or asked.queries).decode()
    rest = asked.model_dump(include={"given", "population", "wave"}, exclude_defaults=True)
    further = f" {msgspec.json.encode(rest).decode()}" if rest else ""
    await note(request, served.plan.collection, f"answers {questions}{further}")
    return await told(request, lambda: collector.analyst.answer(served, asked))


def _route(name: str, verb: Verb) -> Callable[[Request, Fingerprint], Coroutine[Any, Any, Response]]:
    """Return the route of a verb."""

    async def post_verb(request: Request, fingerprint: Fingerprint) -> Response:
        collector = collector_of(request)
        served, asked = collector.find(fingerprint), await read_form(request, verb.form)
        await note(request, served.plan.collection, f"{name} {asked.model_dump_json(exclude_defaults=True)}")
        return await told(request, lambda: collector.analyst.ask(served, verb, asked))

    post_verb.__doc__ = verb.form.__doc__
    return post_verb


for _name, _verb in VERBS.items():
    router.add_api_route(
        f"{ANSWERS}/{_name}",
        _route(_name, _verb),
        methods=["POST"],
        operation_id=f"answers_{_name}",
        summary=_verb.summary,
        dependencies=[Depends(analyst_only)],
        response_class=Response,
        responses={**answer_of(Told[_verb.gives]), **problems(*_REFUSALS)},  # type: ignore[name-defined]
        openapi_extra=body_of(_verb.form, required=True),
    )


@router.post(f"{ANSWERS}/{{verb}}", include_in_schema=False, dependencies=[Depends(analyst_only)])
async def post_unknown(fingerprint: Fingerprint, verb: str) -> Response:
    """Say which verbs there are."""
    near = get_close_matches(verb, VERBS, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    raise HTTPException(404, f"there is no verb {verb[:60]!r}, there are {', '.join(VERBS)}{meant}")
