"""The API's routes. Each finds its plan, checks who asks, and hands the work on."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse

from sottovoce.client.report import Report
from sottovoce.errors import ModelError, QueryError, SottovoceError
from sottovoce.service.analysis import NotFittedError, TooFewReportsError
from sottovoce.service.collector import BINARY, JSON
from sottovoce.service.messages import (
    Explored,
    FitRequest,
    Fitted,
    PlanLine,
    PlanList,
    Receipt,
)
from sottovoce.service.posting import ROUTE
from sottovoce.service.requests import (
    Fingerprint,
    analyst_only,
    body_of,
    collector_of,
    note,
    problems,
    read_form,
)
from sottovoce.service.tallies import tally_bytes, tally_of
from sottovoce.views.explorer.page import live_page, live_policy

PARQUET = "application/vnd.apache.parquet"


router = APIRouter()

_REPORT = msgspec.json.schema(Report)["$defs"]["Report"]


def reports_body(most: int) -> dict[str, Any]:
    """Return the description of the body that reports are posted in, of which it may hold so many."""
    many = {"type": "array", "items": _REPORT, "maxItems": most}
    content = {JSON: {"schema": {"oneOf": [_REPORT, many]}}, BINARY: {"schema": {"type": "string", "format": "binary"}}}
    return {"requestBody": {"required": True, "content": content}}


@router.get("/v1/plans", summary="All plans that are served")
async def list_plans(request: Request) -> PlanList:
    """Return every plan's fingerprint, and what people are told about it."""
    served = collector_of(request).served.values()
    lines = [
        PlanLine(
            fingerprint=one.plan.fingerprint,
            collection=one.plan.collection,
            purpose=one.plan.purpose,
            contact=one.plan.contact,
            expires=one.plan.expires,
            warnings=one.warnings,
        )
        for one in served
    ]
    return PlanList(plans=lines)


@router.get(
    "/v1/plans/{fingerprint}",
    summary="The public plan",
    response_class=Response,
    responses={200: {"content": {JSON: {"schema": {"type": "object"}}}}, **problems(404)},
)
async def get_plan(request: Request, fingerprint: Fingerprint) -> Response:
    """Return the plan's canonical JSON: its SHA-256 is the fingerprint, so it never changes and caches well."""
    served = collector_of(request).find(fingerprint)
    headers = {"cache-control": "public, max-age=86400, immutable", "etag": f'"{fingerprint}"'}
    if served.warnings:
        headers["x-sottovoce-warning"] = "; ".join(served.warnings)
    return Response(served.document, media_type=JSON, headers=headers)


@router.get(
    "/v1/plans/{fingerprint}/signature",
    summary="The plan's signature",
    response_class=Response,
    responses={200: {"content": {JSON: {"schema": {"type": "object"}}}}, **problems(404)},
)
async def get_signature(request: Request, fingerprint: Fingerprint) -> Response:
    """Return who stands for the plan: a public key and its Ed25519 signature of the fingerprint."""
    collector = collector_of(request)
    signature = collector.settings.signatures.get(collector.find(fingerprint).plan.fingerprint)
    if signature is None:
        raise HTTPException(404, "this plan is not signed here")
    return Response(signature, media_type=JSON, headers={"cache-control": "public, max-age=3600"})


@router.get(
    "/v1/log",
    summary="The log of plans",
    response_class=Response,
    responses={200: {"content": {JSON: {"schema": {"type": "object"}}}}},
)
async def get_log(request: Request) -> Response:
    """Return every plan that was ever served, as a hash chain, for others to mirror: shown here it proves nothing."""
    headers = {"cache-control": "public, max-age=60"}
    return Response(collector_of(request).log_document, media_type=JSON, headers=headers)


@router.post(
    ROUTE,
    summary="Count reports",
    response_model=Receipt,
    responses=problems(400, 401, 403, 404, 408, 410, 413, 415, 429, 503),
)
async def post_reports(fingerprint: Fingerprint) -> Response:
    """Count one report or many, JSON or binary; the answer comes when all that was counted is on disk."""
    raise AssertionError("sottovoce.service.posting answers this; here it is described")


@router.get(
    "/v1/plans/{fingerprint}/status",
    summary="Counts by day, refusals by reason",
    dependencies=[Depends(analyst_only)],
    responses=problems(401, 403, 404, 429, 503),
)
async def get_status(request: Request, fingerprint: Fingerprint) -> dict[str, Any]:
    """Return what was counted and refused, what liars can do, and whether the crowd looks honest."""
    collector = collector_of(request)
    served = collector.find(fingerprint)
    await note(request, served.plan.collection, "status")
    return await collector.analyse(lambda: collector.analyst.status(served))


@router.post(
    "/v1/plans/{fingerprint}/fit",
    summary="Fit the model that answers",
    dependencies=[Depends(analyst_only)],
    responses=problems(400, 401, 403, 404, 408, 409, 413, 422, 429, 503),
    openapi_extra=body_of(FitRequest, required=False),
)
async def post_fit(request: Request, fingerprint: Fingerprint) -> Fitted:
    """Fit the plan's mechanism to what was counted so far, and answer from it from now on."""
    collector = collector_of(request)
    served, chosen = collector.find(fingerprint), await read_form(request, FitRequest)
    await note(request, served.plan.collection, "fit")
    try:
        model = await collector.fit(
            lambda: collector.analyst.fit(served, seed=chosen.seed, quality=chosen.quality, wave=chosen.wave)
        )
    except QueryError as error:
        raise HTTPException(422, str(error)) from error
    except (TooFewReportsError, SottovoceError) as error:
        raise HTTPException(409, str(error)) from error
    return Fitted(mechanism=model.origin.mechanism, reports=model.origin.reports, warnings=list(model.caveats))


@router.get(
    "/v1/plans/{fingerprint}/exploration",
    summary="What the explorer shows",
    dependencies=[Depends(analyst_only)],
    response_class=Response,
    responses={200: {"model": Explored}, **problems(401, 403, 404, 409, 429, 503)},
)
async def get_exploration(request: Request, fingerprint: Fingerprint) -> Response:
    """Return the fitted model and all else that the explorer's page needs to answer by itself."""
    collector = collector_of(request)
    served = collector.find(fingerprint)
    await note(request, served.plan.collection, "exploration")
    try:
        document = await collector.analyse(lambda: collector.analyst.explore(served))
    except (NotFittedError, ModelError) as error:
        raise HTTPException(409, str(error)) from error
    return Response(document, media_type=JSON, headers={"cache-control": "no-store"})


@router.get(
    "/v1/plans/{fingerprint}/tally",
    summary="The counts, as a tally's file",
    dependencies=[Depends(analyst_only)],
    response_class=Response,
    responses={200: {"content": {PARQUET: {}}}, **problems(401, 403, 404, 429, 503)},
)
async def get_tally(request: Request, fingerprint: Fingerprint) -> Response:
    """Return all counts of the plan's collection as `Tally.load` reads them."""
    collector = collector_of(request)
    served = collector.find(fingerprint)
    await note(request, served.plan.collection, "tally")
    content = await collector.analyse(
        lambda: tally_bytes(
            tally_of(collector.store, served.plan, served.key.collection, step=collector.settings.release_step)
        )
    )
    return Response(content, media_type=PARQUET, headers={"cache-control": "no-store"})


@router.get("/explore", summary="The explorer's page", response_class=HTMLResponse)
async def get_explorer() -> HTMLResponse:
    """Return the page on which an analyst brushes; it asks for the token itself, and talks to this collector alone."""
    headers = {"cache-control": "no-cache", "content-security-policy": f"{live_policy()}; frame-ancestors 'none'"}
    return HTMLResponse(live_page(), headers=headers)


@router.head("/livez", include_in_schema=False)
@router.get("/livez", summary="Whether the collector runs")
async def get_liveness() -> dict[str, str]:
    """Return "ok": the event loop turns. A store that fails is no reason to start the collector anew."""
    return {"status": "ok"}


@router.head("/readyz", include_in_schema=False)
@router.head("/healthz", include_in_schema=False)
@router.get("/readyz", summary="Whether reports can be counted now", responses=problems(503))
@router.get("/healthz", summary="The same, under its older name", responses=problems(503))
async def get_readiness(request: Request) -> dict[str, str]:
    """Return "ok", or 503 within two seconds if the store does not answer or its disk is full."""
    reason = await collector_of(request).ready()
    if reason is not None:
        raise HTTPException(503, reason, {"Retry-After": "5"})
    return {"status": "ok"}


@router.get("/metrics", summary="Figures for Prometheus", response_class=Response)
async def get_metrics(request: Request) -> Response:
    """Return totals and timings in Prometheus' text form."""
    return Response(collector_of(request).figures(), media_type="text/plain; version=0.0.4; charset=utf-8")
