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
import re
from collections.abc import Collection
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import rfc8785

from sottovoce._checks import check_integer, is_readable
from sottovoce._files import write_whole
from sottovoce.channels import KINDS, parse_epsilon
from sottovoce.channels.plugins import package_of
from sottovoce.errors import PlanError, SottovoceError, TooLargeError
from sottovoce.plan.audit import Audit, audit_questions
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.counting_sql import COLUMNS, counting_statement
from sottovoce.plan.questions import Family, Question, Questions
from sottovoce.plan.registry import DEFAULT_MECHANISM, every_mechanism, find_mechanism
from sottovoce.schema.schema import Schema

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

    @classmethod
    def create(
        cls,
        schema: Schema,
        *,
        epsilon: float | str | Decimal,
        users: int,
        mechanism: str = DEFAULT_MECHANISM,
        **options: Any,
    ) -> Plan:
        """Return the plan that a mechanism designs for this schema, privacy and expected crowd.

        Args:
            schema: What is asked.
            epsilon: The privacy of each person, from 0.01 to 20; smaller is more private.
            users: How many people are expected to report, at least one; used to choose how finely to ask.
            mechanism: The name of a mechanism.
            **options: The mechanism's own options, and ``purpose``, ``contact`` and ``expires`` (a date, ISO 8601)
                for any.

        Example:
            >>> import sottovoce as sv
            >>> schema = sv.Schema([sv.Ordinal("age", 0, 63), sv.Ordinal("hours", 0, 63)])
            >>> sv.Plan.create(schema, epsilon=1.0, users=1_000_000).parameters
            {'questions': 353, 'blocks': {'1': 10, '2': 7, '3': 0, 'parity': 9}}
        """
        if not isinstance(schema, Schema):
            raise PlanError(f"a plan is made for a Schema, got {type(schema).__name__}")
        users = check_integer("users", users, error=PlanError, least=1, most=MAX_USERS)
        exact = parse_epsilon(epsilon)
        chosen = find_mechanism(mechanism)
        about = {name: options.pop(name) for name in ("purpose", "contact", "expires") if name in options}
        if isinstance(about.get("expires"), datetime.date):
            about["expires"] = about["expires"].isoformat()
        settled = chosen.settle(options)
        design = chosen.design(schema, exact, users, settled)
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
            **about,
        )
        plan.check()
        return plan

    @functools.cached_property
    def questions(self) -> Questions:
        """All questions, by index: a sequence that makes each one when it is asked for."""
        return Questions(self.schema, self.epsilon, self.seed, self.tables, self.families)

    def question(self, index: int) -> Question:
        """Return one question."""
        return self.questions[index]

    def audit(self) -> Audit:
        """Return the exact worst case over all questions, and a question that attains it."""
        return audit_questions(self.questions, self.users)

    def refresh(self, tally: Any) -> Plan:
        """Return a plan of the same collection with shares that suit what a tally shows, for people not yet asked.

        Questions, channels and privacy stay as they are; only whom they are asked next changes. Tallies of both plans
        add, and a client that answered one does not answer the other.
        """
        mechanism = find_mechanism(self.mechanism)
        if mechanism.refresh is None:
            able = ", ".join(each.name for each in every_mechanism() if each.refresh is not None)
            raise PlanError(f"{self.mechanism} plans have no shares to refresh; those of {able} have")
        if tally.collection != self.collection:
            raise PlanError("the tally is of another collection; refresh a plan by the tally of its own reports")
        families = tuple(
            msgspec.structs.replace(family, shares=share)
            for family, share in zip(self.families, mechanism.refresh(self, tally), strict=True)
        )
        plan = msgspec.structs.replace(self, families=families, version=self.version + 1)
        plan.check()
        return plan

    def next_round(self, tally: Any) -> Plan:
        """Return the plan of the next round, designed from what this one's tally shows, for people not yet asked.

        It stays in the collection: a client that answered any round answers no more, and tallies of all rounds merge
        into one that `fit` takes. What this round asked is asked of nobody any more.

        Args:
            tally: What was counted so far, of this round and those before it.

        Raises:
            PlanError: If the mechanism has no further round, or the tally is of another collection or round.
        """
        mechanism = find_mechanism(self.mechanism)
        if mechanism.next_round is None or mechanism.rounds is None:
            able = ", ".join(each.name for each in every_mechanism() if each.next_round is not None)
            raise PlanError(f"{self.mechanism} asks everything in one round; those of more rounds are: {able}")
        if self.round >= len(mechanism.rounds(self)):
            raise PlanError(f"this is round {self.round} of {len(mechanism.rounds(self))}, the last: fit its tally")
        if tally.collection != self.collection or len(tally.plan.questions) != len(self.questions):
            raise PlanError("the tally is of another collection or round; give the one of this plan's own reports")
        design = mechanism.next_round(self, tally)
        plan = msgspec.structs.replace(
            self,
            parameters={**self.parameters, **design.parameters, "round": self.round + 1},
            tables=self.tables + design.tables,
            families=(
                *(msgspec.structs.replace(family, shares=0) for family in self.families),
                *(family.shifted(len(self.tables)) for family in design.families),
            ),
            version=self.version + 1,
            parent=self.collection,
        )
        plan.check()
        return plan

    @property
    def round(self) -> int:
        """Which round of its collection this plan asks, from 1."""
        return int(self.parameters.get("round", 1)) if self.parent else 1

    def continues(self, earlier: Plan) -> bool:
        """Return whether this plan's first questions are all those of another plan of its collection."""
        if earlier.collection != self.collection or len(earlier.families) > len(self.families):
            return False
        return all(
            (mine.attributes, mine.channel) == (own.attributes, own.channel)
            and [[self.tables[table] for table in choices] for choices in mine.tables]
            == [[earlier.tables[table] for table in choices] for choices in own.tables]
            for mine, own in zip(self.families, earlier.families, strict=False)
        )

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
        given = tuple(columns)
        if not {"question", "code"} <= set(given) <= set(COLUMNS):
            raise PlanError(f"columns are question and code, and may be plan and id as well, got {given}")
        if "plan" not in given and not assume_plan:
            raise PlanError(
                "without a column plan every row would be refused, as none says which plan it answers; "
                "give assume_plan=True if all of them answer this one"
            )
        return counting_statement(self.fingerprint, self.questions.codes, dialect, table=table, columns=given)

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
            UnicodeDecodeError,
            RecursionError,
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
        try:
            return cls.from_json(Path(path).read_bytes())
        except OSError as error:
            raise PlanError(f"cannot read the plan {str(path)!r}: {error}") from error
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
            _check_date(self.expires)
        if self.parent is not msgspec.UNSET and not re.fullmatch(r"[0-9a-f]{64}", str(self.parent)):
            raise PlanError(f"parent is a collection, 64 hexadecimal digits, got {self.parent!r}")
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


def require_plan(plan: object) -> None:
    """Raise PlanError for anything but a plan, such as its path."""
    if not isinstance(plan, Plan):
        raise PlanError(f"a Plan is needed here, got {type(plan).__name__}; Plan.load reads one from a file")


def require_own_channels(plan: Plan, plugins: bool) -> None:
    """Raise PlanError for a plan that draws by a channel of another package, unless those are allowed."""
    foreign = sorted({family.channel for family in plan.families} - set(KINDS))
    if foreign and not plugins:
        named = ", ".join(f"{kind!r} of {package_of('channels', kind)}" for kind in foreign)
        raise PlanError(
            f"this plan draws by {named}, which is not part of Sottovoce: its table keeps epsilon, but whether it "
            "draws by its table rests on that package; allow it with plugins=True if you trust it"
        )


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


def _check_date(text: object) -> None:
    try:
        if not isinstance(text, str) or datetime.date.fromisoformat(text).isoformat() != text:
            raise ValueError
    except ValueError as error:
        raise PlanError(f"expires is a date such as 2030-12-31, got {text!r}") from error
