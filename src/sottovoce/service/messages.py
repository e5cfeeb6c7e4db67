"""What goes in and out of the API as JSON, beside reports themselves: the forms that the OpenAPI description shows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Asked = Annotated[list[bool | int | float | str], Field(max_length=10_000)]


class PlanLine(BaseModel):
    """A plan that is served."""

    fingerprint: str
    collection: str
    purpose: str
    contact: str
    expires: str | None
    warnings: list[str]


class PlanList(BaseModel):
    """All plans that are served."""

    plans: list[PlanLine]


class Refusal(BaseModel):
    """A report that was not counted: its place in the request, and why."""

    index: int
    reason: str


class Receipt(BaseModel):
    """What became of a request's reports, now on disk."""

    counted: int
    duplicate: int
    refused: list[Refusal]


class FitRequest(BaseModel):
    """How to fit."""

    model_config = ConfigDict(extra="forbid")
    seed: int = Field(0, ge=0, lt=2**63)
    quality: Literal["default", "fast"] = "default"


class Fitted(BaseModel):
    """The model that answers from now on."""

    mechanism: str
    reports: int


class AnswersRequest(BaseModel):
    """What is asked: queries, each a range (low, high) or a list of categories for the attributes it names."""

    model_config = ConfigDict(extra="forbid")
    queries: list[dict[str, Asked]] = Field(min_length=1, max_length=10_000)


class AnswerLine(BaseModel):
    """The estimated fraction of the crowd inside one query."""

    fraction: float


class Answers(BaseModel):
    """Answers in the order of the queries, and how many reports the model was fitted to."""

    reports: int
    answers: list[AnswerLine]


class Problem(BaseModel):
    """Why a request was not served."""

    detail: Any
