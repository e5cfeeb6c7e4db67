"""The plan: the public, frozen list of questions that a crowd is asked.

A plan is one JSON document. Its **fingerprint** is the SHA-256 of its canonical form (RFC 8785); its **collection** is
the same without shares, version and expiry, so that plans which differ only in whom they ask next belong together.

A collection may have several **rounds**: the plan of a later round has all questions of the earlier ones, which are
asked of nobody any more, and its own after them. It names its ``parent``, the collection of the first round, and stays
in it.

To read, audit or answer a plan takes no mechanism: only `Plan.create` and `Plan.refresh` load one, by its name.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
from collections.abc import Collection, Iterable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import msgspec
import rfc8785

from sottovoce._checks import check_integer, is_readable
from sottovoce._files import read_whole, write_whole
from sottovoce.channels import parse_epsilon
from sottovoce.errors import PlanError, SottovoceError, TooLargeError
from sottovoce.plan.audit import Audit, audit_questions
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.counting_sql import COLUMNS, counting_statement
from sottovoce.plan.questions import Family, Question, Questions
from sottovoce.plan.registry import DEFAULT_MECHANISM, PlanKeywords, every_mechanism, find_mechanism
from sottovoce.plan.rounds import check_parent, continues, next_round
from sottovoce.plan.waves import Waves, check_date, read_waves
from sottovoce.schema.notebook import facts_html
from sottovoce.schema.schema import Schema

if TYPE_CHECKING:
    from sottovoce.tally.tally import Tally

FORMAT = "sottovoce-plan-1"
SHARES = 2**32
"""What the shares of all questions add up to."""

MAX_CODE = 2**63
MAX_BROWSER_CODE = 2**53
MAX_USERS = 10**12


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """What will be asked of whom, and how every answer is randomised. Made by `Plan.create`, public from then on."""

    format: str
    schema: Schema
    epsilon: Decimal
    users: int
    mechanism: str
    options: dict[str, Any]
    parameters: dict[str, Any]
    seed: str
    tables: tuple[BinMap, ...]
    families: tuple[Family, ...]
    version: int = 1
    purpose: str = ""
    contact: str = ""
    expires: str | None = None
    parent: str | msgspec.UnsetType = msgspec.UNSET
    waves_member: Waves | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="waves")
    """The waves, where there are any: a plan without them does not speak of them."""

    @property
    def waves(self) -> Waves | None:
        """How often people are asked again, and when; None if they are asked once."""
        return None if isinstance(self.waves_member, msgspec.UnsetType) else self.waves_member

    @classmethod
    def create(
        cls,
        schema: Schema,
        *,
        epsilon: float | str | Decimal | None = None,
        users: int,
        mechanism: str = DEFAULT_MECHANISM,
        options: msgspec.Struct | None = None,
        **keywords: Unpack[PlanKeywords],
    ) -> Plan:
        """Return the plan that a mechanism designs for this schema, privacy and expected crowd.

        Args:
            schema: What is asked.
            epsilon: The privacy of each person, from 0.01 to 20; smaller is more private.
            users: How many people are expected to report, at least one; used to choose how finely to ask.
            mechanism: The name of a mechanism.
            options: The mechanism's own options as its struct, such as `SpectralOptions`.
            **keywords: The same options by keyword, and ``purpose``, ``contact`` and ``expires`` (a date, ISO 8601)
                for any. For people who are asked again: ``waves``, how often, and in place of epsilon ``lifetime``, the
                epsilon over all waves; ``first_wave`` (a date) and ``wave_days``, if devices are to know when.

        Returns:
            The plan, checked.

        Raises:
            PlanError: If no such plan can be: it names what was given and what is allowed.

        Example:
            >>> import sottovoce as sv
            >>> schema = sv.Schema([sv.Ordinal("age", 0, 63), sv.Ordinal("hours", 0, 63)])
            >>> sv.Plan.create(schema, epsilon=1.0, users=1_000_000).parameters
            {'questions': 413, 'blocks': {'1': 13, '2': 5, '3': 0, 'parity': 11}}
        """
        if not isinstance(schema, Schema):
            raise PlanError(f"a plan is made for a Schema, got {type(schema).__name__}")
        users = check_integer("users", users, error=PlanError, least=1, most=MAX_USERS)
        chosen = find_mechanism(mechanism)
        own: dict[str, Any] = dict(keywords)
        exact, waves = read_waves(epsilon, own)
        about = {name: own.pop(name) for name in ("purpose", "contact", "expires") if name in own}
        if isinstance(about.get("expires"), datetime.date):
            about["expires"] = about["expires"].isoformat()
        settled = chosen.settle(own, options)
        design = chosen.design(schema, exact, users if waves is None else max(1, users // waves.number), settled)
        plan = cls(
            format=FORMAT,
            schema=schema,
            epsilon=exact,
            users=users,
            mechanism=mechanism,
            options=msgspec.to_builtins(settled),
            parameters=design.parameters,
            seed=placement_seed(schema),
            tables=design.tables,
            families=design.families,
            waves_member=msgspec.UNSET if waves is None else waves,
            **about,
        )
        plan.check()
        return plan

    def __repr__(self) -> str:
        return (
            f"<Plan by {self.mechanism}: {len(self.schema)} attributes, {len(self.questions):,} questions, "
            f"epsilon {self.epsilon}, {self.users:,} users, {self.fingerprint[:12]}…>"
        )

    def _repr_html_(self) -> str:
        about = {
            "privacy": f"epsilon at most {self.epsilon}, for each person's one report",
            "expected": f"{self.users:,} people",
            "questions": f"{len(self.questions):,}",
            "purpose": self.purpose,
            "contact": self.contact,
            "expires": self.expires or "",
            "fingerprint": self.fingerprint,
        }
        return facts_html(f"Plan by {self.mechanism}", about) + self.schema._repr_html_()

    @functools.cached_property
    def questions(self) -> Questions:
        """All questions, by index: a sequence that makes each one when it is asked for."""
        waves = 1 if self.waves is None else self.waves.number
        return Questions(self.schema, self.epsilon, self.seed, self.tables, self.families, waves=waves)

    @functools.cached_property
    def one_wave(self) -> Plan:
        """The plan of a single wave, without waves: what a wave's tally is fitted by; itself where there are none."""
        if self.waves is None:
            return self
        return msgspec.structs.replace(self, waves_member=msgspec.UNSET, users=max(1, self.users // self.waves.number))

    def question(self, index: int) -> Question:
        """Return one question; PlanError if there is none of that index."""
        most = len(self.questions) - 1
        return self.questions[check_integer("a question's index", index, error=PlanError, least=0, most=most)]

    def audit(self) -> Audit:
        """Return the exact worst case over all questions, and a question that attains it."""
        return audit_questions(self.questions, self.users)

    def refresh(self, tally: Tally) -> Plan:
        """Return a plan of the same collection with shares that suit what a tally shows, for people not yet asked.

        Questions, channels and privacy stay as they are; only whom they are asked next changes. Tallies of both plans
        add, and a client that answered one does not answer the other.
        """
        mechanism = find_mechanism(self.mechanism)
        if mechanism.refresh is None:
            able = ", ".join(each.name for each in every_mechanism() if each.refresh is not None)
            raise PlanError(f"{self.mechanism} plans have no shares to refresh; those of {able} have")
        if getattr(tally, "collection", None) is None:
            raise PlanError(f"a plan is refreshed by a Tally of its reports, got {type(tally).__name__}")
        if tally.collection != self.collection:
            raise PlanError("the tally is of another collection; refresh a plan by the tally of its own reports")
        families = tuple(
            msgspec.structs.replace(family, shares=share)
            for family, share in zip(self.families, mechanism.refresh(self.one_wave, tally.together()), strict=True)
        )
        plan = msgspec.structs.replace(self, families=families, version=self.version + 1)
        plan.check()
        return plan

    def next_round(self, tally: Tally) -> Plan:
        """Return the plan of the next round, designed from what this one's tally shows, for people not yet asked.

        It stays in the collection: a client that answered any round answers no more, and tallies of all rounds merge
        into one that `fit` takes. What this round asked is asked of nobody any more.

        Args:
            tally: What was counted so far, of this round and those before it.

        Raises:
            PlanError: If the mechanism has no further round, or the tally is of another collection or round.
        """
        return next_round(self, tally)

    @property
    def round(self) -> int:
        """Which round of its collection this plan asks, from 1."""
        return int(self.parameters.get("round", 1)) if self.parent else 1

    def continues(self, earlier: Plan) -> bool:
        """Return whether this plan's first questions are all those of another plan of its collection."""
        return continues(self, earlier)

    @functools.cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the canonical JSON, 64 hexadecimal digits."""
        return hashlib.sha256(self.to_json()).hexdigest()

    @functools.cached_property
    def collection(self) -> str:
        """The SHA-256 of the canonical JSON without shares, version and expiry; a later round's is its parent's."""
        if self.parent:
            return str(self.parent)
        document = msgspec.to_builtins(self)
        del document["version"], document["expires"]
        for family in document["families"]:
            del family["shares"]
        return hashlib.sha256(rfc8785.dumps(document)).hexdigest()

    @property
    def names(self) -> tuple[str, str]:
        """What a report that answers this plan may name: the plan by its fingerprint, or its collection."""
        return self.fingerprint, self.collection

    @property
    def for_browsers(self) -> bool:
        """Whether every code is an integer that JavaScript holds exactly."""
        return all(channel.codes <= MAX_BROWSER_CODE for _, channel in self.questions.channels())

    def sql(
        self, dialect: str, *, table: str = "reports", columns: Collection[str] = COLUMNS, assume_plan: bool = False
    ) -> str:
        """Return the statement that counts this plan's reports where they are; `Tally.from_counts` takes its result.

        Rows that cannot be answers are counted by reason, and of rows with the same id one is counted.

        Args:
            dialect: bigquery, clickhouse, duckdb, postgres, snowflake or spark.
            table: The table of reports.
            columns: Which of a report's columns it has: question and code, and it may have plan and id.
            assume_plan: Take all rows to answer this plan, where no column says so.

        Example:
            >>> import sottovoce as sv
            >>> schema = sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7)])
            >>> plan = sv.Plan.create(schema, epsilon=1, users=1000)
            >>> print(plan.sql("postgres", table="survey.reports").splitlines()[0])
            WITH screened AS (
        """
        given = tuple(columns) if isinstance(columns, Iterable) else ()
        if not all(isinstance(name, str) for name in given) or not {"question", "code"} <= set(given) <= set(COLUMNS):
            raise PlanError(f"columns are question and code, and may be plan and id as well, got {columns!r}")
        if not isinstance(assume_plan, bool):
            raise PlanError(f"assume_plan is True or False, got {assume_plan!r}")
        if "plan" not in given and not assume_plan:
            raise PlanError(
                "without a column plan every row would be refused, as none says which plan it answers; "
                "give assume_plan=True if all of them answer this one"
            )
        return counting_statement(self.names, self.questions.codes, dialect, table=table, columns=given)

    def to_json(self) -> bytes:
        """Return the canonical JSON (RFC 8785)."""
        return rfc8785.dumps(msgspec.to_builtins(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """Return the plan that a JSON text describes, having checked all of it."""
        try:
            document = msgspec.json.decode(text)
            claimed = document.pop("fingerprint", None) if isinstance(document, dict) else None
            _check_epsilon_text(document)
            plan = msgspec.convert(document, cls)
            plan.check()
            if rfc8785.dumps(document) != plan.to_json():
                raise PlanError("its members are not exactly those of a plan: each stands there, and says something")
        except (
            msgspec.MsgspecError,
            rfc8785.CanonicalizationError,
            UnicodeError,
            RecursionError,
            TypeError,
            SottovoceError,
        ) as error:
            raise PlanError(f"not a plan, or damaged: {error}") from error
        if claimed is not None and claimed != plan.fingerprint:
            raise PlanError(
                f"the plan was altered: it says fingerprint {claimed}, but its content gives {plan.fingerprint}; "
                "get it again from whoever published it"
            )
        return plan

    def save(self, path: str | Path) -> None:
        """Write the plan and its fingerprint as one JSON document."""
        document = {**msgspec.to_builtins(self), "fingerprint": self.fingerprint}
        write_whole(path, rfc8785.dumps(document))

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan; a truncated, altered or impossible one is refused."""
        document = read_whole(path, "plan", error=PlanError)
        try:
            return cls.from_json(document)
        except PlanError as error:
            raise PlanError(f"{str(path)!r}: {error}") from error

    def check(self) -> None:
        """Raise PlanError unless the plan can be asked: tables that fit, shares that add up, codes that count."""
        if self.format != FORMAT:
            raise PlanError(f"plan format {self.format!r} is not {FORMAT!r}: it needs another version of sottovoce")
        parse_epsilon(self.epsilon)
        check_integer("users", self.users, error=PlanError, least=1, most=MAX_USERS)
        if self.version < 1:
            raise PlanError(f"version is an integer of at least 1, got {self.version}")
        if self.expires is not None:
            check_date("expires", self.expires)
        if self.waves is not None:
            self.waves.check()
        check_parent(self.parent)
        if not isinstance(self.purpose, str) or not isinstance(self.contact, str):
            raise PlanError(f"purpose and contact are texts, got {self.purpose!r} and {self.contact!r}")
        if not is_readable(self.purpose) or not is_readable(self.contact):
            raise PlanError(f"purpose and contact hold no control characters, got {self.purpose!r}, {self.contact!r}")
        _check_values([self.mechanism, self.seed, self.options, self.parameters])
        for table in self.tables:
            table.check_alone()
        total = self.questions.check()
        if total != SHARES:
            raise PlanError(f"shares must add up to 2^32 = {SHARES}, got {total}")
        for index, channel in self.questions.channels():
            if channel.codes > MAX_CODE:
                raise TooLargeError(
                    f"question {index} needs {channel.codes} codes, at most 2^63 are allowed; "
                    "ask fewer attributes together or use fewer levels"
                )
        try:
            self.to_json()
        except rfc8785.CanonicalizationError as error:
            raise PlanError(f"a plan holds text and integers below 2^53, this one does not: {error}") from error


def require_plan(plan: object) -> Plan:
    """Return a plan; raise PlanError for anything else, such as its path."""
    if not isinstance(plan, Plan):
        raise PlanError(f"a Plan is needed here, got {type(plan).__name__}; Plan.load reads one from a file")
    return plan


def placement_seed(schema: Schema) -> str:
    """Return the public seed by which local hashing places cells: the same for the same schema."""
    return hashlib.sha256(schema.to_json().encode()).hexdigest()[:16]


def _check_epsilon_text(document: object) -> None:
    """Raise PlanError unless a document writes its epsilon as the one text that `Plan.to_json` writes."""
    text = document.get("epsilon") if isinstance(document, dict) else None
    if text is not None and (not isinstance(text, str) or str(parse_epsilon(text)) != text):
        raise PlanError(f"epsilon is written as a plain decimal number, in quotes, got {text!r}")


def _check_values(value: object) -> None:
    """Raise PlanError unless all texts within are readable and all numbers ones that a browser reads as they are."""
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        for part in value:
            _check_values(part)
    elif isinstance(value, str) and not is_readable(value):
        raise PlanError(f"options and parameters hold no control characters, got {value!r}")
    elif isinstance(value, float) and value.is_integer() and abs(value) >= 2**53:
        raise PlanError(f"options and parameters are numbers below 2^53, got {value!r}")
