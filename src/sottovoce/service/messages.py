"""What goes in and out of the API as JSON, beside reports themselves: the forms that the OpenAPI description shows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sottovoce.model.model import EVERYBODY

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
    """A report that was not counted: its index in the request, and why."""

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
    wave: int | None = Field(
        default=None, ge=1, description="Of a plan with waves, which; the last that has reports if null."
    )


class Fitted(BaseModel):
    """The model that answers from now on."""

    mechanism: str
    reports: int
    warnings: list[str] = []


class AnswersRequest(BaseModel):
    """What is asked: predicates in SQL, or queries: ranges or lists of categories for the attributes they name."""

    model_config = ConfigDict(extra="forbid")
    where: list[str] = Field(default=[], max_length=1_000)
    queries: list[dict[str, Asked]] = Field(default=[], max_length=10_000)
    given: str = Field(default=EVERYBODY, description="With where: the fractions are of those for whom this holds.")
    level: float = Field(default=0.9, gt=0, lt=1)
    population: int | None = Field(
        default=None, ge=1, le=2**63 - 1, description="With where: how many people the fractions are of."
    )
    wave: int | None = Field(
        default=None, ge=1, description="Of a plan with waves, whose model answers; the last fit if null."
    )

    @model_validator(mode="after")
    def _one_kind(self) -> AnswersRequest:
        if bool(self.where) == bool(self.queries):
            raise ValueError("give either where, a list of SQL predicates, or queries, a list of ranges")
        if self.queries and (self.given != EVERYBODY or self.population is not None):
            raise ValueError("given and population go with where, a list of SQL predicates")
        return self


class Explored(BaseModel):
    """The fit that answers now, of a plan with waves that of each, and what the explorer shows (docs/files.md)."""

    fit: str
    fits: list[dict[str, Any]] | None = Field(
        default=None, description="Of a plan with waves: wave, id and reports of every fit that is shown."
    )
    exploration: dict[str, Any]


class Problem(BaseModel):
    """Why a request was not served."""

    detail: Any
