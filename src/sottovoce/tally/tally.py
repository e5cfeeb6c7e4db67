"""The tally: how often each (question, code) pair was reported, for one collection. Counting is all there is to it.

Tallies of a collection add: merge is commutative and associative, so any number of machines may count apart. Small
alphabets are counted densely; alphabets too large to hold (a d-dimensional hierarchy's) keep only the pairs present.
Reports that cannot be are refused, never counted, and the refusals are counted by reason.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sottovoce._checks import check_integer
from sottovoce._files import whole_file
from sottovoce._types import Paths
from sottovoce.client.report import PLAN_KEY, Report
from sottovoce.errors import TallyError
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.plan.refusals import NO_PLAN, NULL, WRONG_PLAN
from sottovoce.plan.registry import find_engine
from sottovoce.schema.notebook import facts_html
from sottovoce.tally.counts import make_counts, refusals
from sottovoce.tally.database import read_counts
from sottovoce.tally.files import FILE_KEY, Head, digest_of, integers, read_tally
from sottovoce.tally.grouping import group_by_plan, padded, report_columns
from sottovoce.tally.shares import question_weights

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame


class Tally:
    """Counts of reports by question and code.

    Example:
        >>> import numpy as np, sottovoce as sv
        >>> schema = sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7)])
        >>> plan = sv.Plan.create(schema, epsilon=1, users=1000)
        >>> tally = sv.Tally(plan)
        >>> tally.add(sv.randomize(plan, {"a": np.arange(8), "b": np.arange(8)}))
        8
        >>> tally.total
        8
    """

    def __init__(self, plan: Plan) -> None:
        require_plan(plan)
        self.plan = plan
        self.refused: Counter[str] = Counter()
        self._counts = make_counts(plan.questions.codes)
        self._totals: dict[str, NDArray[np.int64]] = {}
        self._plans = {plan.fingerprint: plan}

    @property
    def collection(self) -> str:
        """The collection counted."""
        return self.plan.collection

    @property
    def plans(self) -> dict[str, Plan]:
        """The plans of this collection whose reports are counted here, by fingerprint."""
        return dict(self._plans)

    @property
    def total(self) -> int:
        """How many reports were counted."""
        return int(sum(int(totals.sum()) for totals in self._totals.values()))

    @property
    def question_totals(self) -> NDArray[np.int64]:
        """How many reports each question got, over all plans of the collection."""
        return sum(self._totals.values(), np.zeros(len(self.plan.questions), dtype=np.int64))

    @property
    def totals_by_plan(self) -> dict[str, NDArray[np.int64]]:
        """How many reports each question got, plan by plan."""
        return {fingerprint: totals.copy() for fingerprint, totals in self._totals.items()}

    @property
    def question_weights(self) -> NDArray[np.float64]:
        """How much each question may weigh in a fit: its reports, at most those expected by the shares plus four sd.

        Clients choose their question, so liars could make any one of them look far better known than it is. Of several
        plans the shares are a mixture (`sottovoce.tally.shares`).
        """
        return question_weights(self._totals, self._plans, len(self.plan.questions))

    def counts(self, question: int) -> NDArray[np.int64]:
        """Return how often each code of one question was reported."""
        codes, counts = self.pairs(question)
        dense = np.zeros(int(self.plan.questions.codes[question]), dtype=np.int64)
        dense[codes] = counts
        return dense

    def pairs(self, question: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the codes of one question that were reported, and how often."""
        most = len(self.plan.questions) - 1
        question = check_integer("a question's index", question, error=TallyError, least=0, most=most)
        return self._counts.pairs(question)

    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return questions, codes and counts of all pairs that were reported, sorted by question, then code."""
        return self._counts.columns()

    @property
    def wave_totals(self) -> list[int]:
        """How many reports each wave got, the first first; of a plan without waves, its one total."""
        by_wave = self.question_totals.reshape(self.plan.questions.waves, -1).sum(axis=1)
        return [int(total) for total in by_wave]

    def at(self, wave: int) -> Tally:
        """Return the tally of one wave, the first being 1, as one of the plan without waves (`Plan.one_wave`).

        Raises:
            TallyError: If the plan has no waves.
            PlanError: If it has no such wave.
        """
        if self.plan.waves is None:
            raise TallyError("this plan has no waves: all of its reports are of one")
        first = (self.plan.waves.check_wave(wave) - 1) * self.plan.questions.per_wave
        part = Tally(self.plan.one_wave)
        questions, codes, counts = self._counts.columns()
        mine = slice(*np.searchsorted(questions, [first, first + self.plan.questions.per_wave]).tolist())
        part._counts.add(questions[mine] - first, codes[mine], counts[mine])
        for fingerprint, totals in self._totals.items():
            own = self._plans[fingerprint].one_wave
            part._plans[own.fingerprint] = own
            part._totals_of(own.fingerprint)[:] += totals[first : first + self.plan.questions.per_wave]
        return part

    def together(self) -> Tally:
        """Return the reports of all waves as if they were of one; the tally itself where there are no waves."""
        if self.plan.waves is None:
            return self
        whole = self.at(1)
        for wave in range(2, self.plan.waves.number + 1):
            whole.merge(self.at(wave))
        return whole

    def add(self, reports: pa.Table | pa.RecordBatch | Report | Iterable[Report]) -> int:
        """Count reports; return how many were accepted. What is refused is added to ``refused`` by reason.

        Args:
            reports: A table as `randomize` gives it (question, code, and the plan's fingerprint in its metadata), one
                report, or several. Those that name their collection alone are counted under this tally's plan; if
                other plans of the collection were given out too, merge an empty tally of each, so that checks know.
        """
        if isinstance(reports, Report):
            reports = [reports]
        if isinstance(reports, pa.Table | pa.RecordBatch):
            return self._add_table(reports)
        accepted = 0
        for fingerprint, group in group_by_plan(reports).items():
            accepted += self._add_columns(fingerprint, *report_columns(group))
        return accepted

    def _add_table(self, table: pa.Table | pa.RecordBatch) -> int:
        missing = [name for name in ("question", "code") if name not in table.schema.names]
        if missing:
            raise TallyError(f"a table of reports has the columns question and code, this one lacks {missing}")
        stamp = (table.schema.metadata or {}).get(PLAN_KEY)
        if stamp is None:
            self.refused[NO_PLAN] += table.num_rows
            return 0
        fingerprint = stamp.decode(errors="replace")
        accepted = 0
        for batch in table.to_batches() if isinstance(table, pa.Table) else [table]:
            question, code = batch.column("question"), batch.column("code")
            if question.null_count or code.null_count:
                valid = pc.and_(question.is_valid(), code.is_valid())
                self.refused[NULL] += batch.num_rows - valid.true_count
                question, code = question.filter(valid), code.filter(valid)
            accepted += self._add_columns(fingerprint, integers(question), integers(code))
        return accepted

    def _add_columns(self, name: str, questions: NDArray[Any], codes: NDArray[Any]) -> int:
        fingerprint = self.plan.fingerprint if name == self.collection else name
        if fingerprint not in self._plans:
            self.refused[WRONG_PLAN] += len(questions)
            return 0
        added, refused = self._counts.add(questions, codes)
        self._totals_of(fingerprint)[:] += added
        self.refused += refused
        return int(added.sum())

    def _totals_of(self, fingerprint: str) -> NDArray[np.int64]:
        return self._totals.setdefault(fingerprint, np.zeros(len(self.plan.questions), dtype=np.int64))

    def merge(self, other: Tally) -> None:
        """Add another tally of the same collection to this one; of two rounds the later plan is then the tally's."""
        if not isinstance(other, Tally):
            raise TallyError(f"merge takes another Tally, got {type(other).__name__}")
        if other.collection != self.collection:
            raise TallyError(
                f"tallies of different collections do not add: {self.collection[:12]}… and {other.collection[:12]}…"
            )
        if not self.plan.continues(other.plan):
            if not other.plan.continues(self.plan):
                raise TallyError("tallies of two designs of one round do not add: their questions are not the same")
            self._continue(other.plan)
        if len(other.plan.questions) == len(self.plan.questions):
            self._counts.merge(other._counts)
        else:
            self._counts.add(*other._counts.columns())
        for fingerprint, totals in other._totals.items():
            self._totals_of(fingerprint)[: len(totals)] += totals
        self._plans |= other._plans
        self.refused += other.refused

    def _continue(self, plan: Plan) -> None:
        """Go on with the plan of a later round, which has this one's questions first."""
        questions, codes, counts = self._counts.columns()
        self.plan, self._counts = plan, make_counts(plan.questions.codes)
        self._counts.add(questions, codes, counts)
        self._totals = {key: padded(totals, len(plan.questions)) for key, totals in self._totals.items()}

    def __add__(self, other: Tally) -> Tally:
        """Return the tally of both; neither changes."""
        if not isinstance(other, Tally):
            return NotImplemented
        both = copy.deepcopy(self)
        both.merge(other)
        return both

    def __radd__(self, other: object) -> Tally:
        """Return the tally itself where a sum starts, so that ``sum(tallies)`` adds them."""
        return copy.deepcopy(self) if type(other) is int and other == 0 else NotImplemented

    def add_counts(self, questions: NDArray[Any], codes: NDArray[Any], counts: NDArray[Any]) -> None:
        """Add counts per (question, code) as reports of this tally's plan; a pair that cannot occur is an error.

        Args:
            questions: The question of each pair; integers.
            codes: The code of each pair.
            counts: How many reports each pair stands for.

        Raises:
            TallyError: If the columns differ in length or are no integers, or a pair cannot occur; nothing is added
                then.
        """
        try:
            columns = [np.asarray(column) for column in (questions, codes, counts)]
        except ValueError as error:
            raise TallyError(f"questions, codes and counts are equally long columns of integers: {error}") from error
        if (
            any(column.ndim != 1 or column.dtype.kind not in "iu" for column in columns)
            or len({*map(len, columns)}) > 1
        ):
            given = ", ".join(f"{column.dtype} {column.shape}" for column in columns)
            raise TallyError(f"questions, codes and counts are equally long columns of integers, got {given}")
        if refused := refusals(self.plan.questions.codes, *columns):
            raise TallyError(f"counts of pairs that cannot occur under this plan: {dict(refused)}")
        added, _ = self._counts.add(*columns)
        self._totals_of(self.plan.fingerprint)[:] += added

    @classmethod
    def from_counts(cls, plan: Plan, table: object) -> Tally:
        """Return the tally that a database counted: the result of ``plan.sql``, or of a ``GROUP BY question, code``.

        Args:
            plan: The plan whose reports were counted.
            table: Columns question, code, count and, if there is one, reason: a pandas, polars or Arrow table, a dict
                of arrays, or the rows that a database cursor gives.

        Example:
            >>> import sottovoce as sv
            >>> schema = sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7)])
            >>> plan = sv.Plan.create(schema, epsilon=1, users=1000)
            >>> sv.Tally.from_counts(plan, {"question": [0, 1], "code": [0, 1], "count": [30, 12]}).total
            42
        """
        counts = read_counts(table)
        tally = cls(plan)
        judged = counts.filter(counts.column("reason").is_valid()).group_by("reason")
        for row in judged.aggregate([("count", "sum")]).to_pylist():
            tally.refused[row["reason"]] += row["count_sum"]
        counts = counts.filter(counts.column("reason").is_null())
        valid = pc.and_(counts.column("question").is_valid(), counts.column("code").is_valid())
        if nulls := pc.sum(counts.filter(pc.invert(valid)).column("count")).as_py():
            tally.refused[NULL] += nulls
        columns = (counts.filter(valid).column(name).to_numpy() for name in ("question", "code", "count"))
        added, refused = tally._counts.add(*columns)
        tally._totals_of(plan.fingerprint)[:] += added
        tally.refused += refused
        return tally

    @classmethod
    def from_parquet(cls, plan: Plan, paths: Paths, *, assume_plan: bool = False, engine: str = "duckdb") -> Tally:
        """Return the tally of all reports in Parquet files; what is refused is counted by reason.

        Args:
            plan: The plan whose reports are counted.
            paths: A file, a directory, a pattern such as ``reports/**/*.parquet``, or several of them.
            assume_plan: Take files that name no plan to answer this one.
            engine: "duckdb", or "numpy" which needs no extra and holds all ids in memory, if there are ids.

        Raises:
            TallyError: For a file that cannot be read, or an engine that there is not.
        """
        return find_engine("parquet")(plan, paths, assume_plan=assume_plan, engine=engine)

    @classmethod
    def from_spark(cls, plan: Plan, dataframe: SparkFrame, *, assume_plan: bool = False) -> Tally:
        """Return the tally of a Spark DataFrame of reports; what is refused is counted by reason.

        Args:
            plan: The plan whose reports are counted.
            dataframe: Columns ``question`` and ``code``, ``plan`` with each report's fingerprint, and ``id`` if there
                is one: of rows with the same id, one is counted.
            assume_plan: Take rows that name no plan to answer this one.
        """
        return find_engine("spark")(plan, dataframe, assume_plan=assume_plan)

    @classmethod
    def from_store(cls, plan: Plan, address: str) -> Tally:
        """Return the tally of a plan's collection in a collector's database; needs ``sottovoce[service]``.

        Args:
            plan: A plan of the collection.
            address: A SQLite file, or a ``postgresql://`` URL; the collector may be running.
        """
        return find_engine("store")(plan, str(address))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        mine, theirs = self._nonzero_totals(), other._nonzero_totals()
        return (
            self.collection == other.collection
            and self.refused == other.refused
            and mine.keys() == theirs.keys()
            and all(np.array_equal(mine[key], theirs[key]) for key in mine)
            and all(np.array_equal(a, b) for a, b in zip(self._counts.columns(), other._counts.columns(), strict=True))
        )

    __hash__ = None  # type: ignore[assignment]  # a tally changes

    def _nonzero_totals(self) -> dict[str, NDArray[np.int64]]:
        return {fingerprint: totals for fingerprint, totals in self._totals.items() if totals.any()}

    def __repr__(self) -> str:
        refused = f", {sum(self.refused.values())} refused" if self.refused else ""
        return f"<Tally of {self.total:,} reports{refused}, collection {self.collection[:12]}…>"

    def _repr_html_(self) -> str:
        answered = int(np.count_nonzero(self.question_totals))
        refused = ", ".join(f"{count:,} {reason}" for reason, count in self.refused.most_common())
        facts = {
            "reports": f"{self.total:,}",
            "refused": refused,
            "questions": f"{answered:,} of {len(self.plan.questions):,} were answered",
            "plans": f"{len(self._plans)} of this collection",
            "collection": self.collection,
        }
        return facts_html(f"Tally of {self.total:,} reports", facts)

    def save(self, path: str | Path) -> None:
        """Write the tally as a Parquet file of (question, code, count), its plans in the schema's metadata."""
        questions, codes, counts = self._counts.columns()
        head = Head(
            plan=self.plan.fingerprint,
            plans={fingerprint: plan.to_json().decode() for fingerprint, plan in self._plans.items()},
            totals={fingerprint: totals.tolist() for fingerprint, totals in self._nonzero_totals().items()},
            refused=dict(self.refused),
        )
        table = pa.table({"question": questions, "code": codes, "count": counts})
        head = msgspec.structs.replace(head, digest=digest_of(head, table.to_batches()))
        with whole_file(Path(path)) as part:
            pq.write_table(table.replace_schema_metadata({FILE_KEY: msgspec.json.encode(head)}), part)

    @classmethod
    def load(cls, path: str | Path) -> Tally:
        """Read a tally that `save` wrote; a damaged or altered one is refused."""
        kept = read_tally(path)
        plans, totals, columns = kept.plans, kept.totals, kept.columns
        tally = cls(plans[kept.head.plan])
        if any(plan.fingerprint != key or plan.collection != tally.collection for key, plan in plans.items()):
            raise TallyError(f"{str(path)!r}: its plans were altered, or are not of one collection")
        counted, refused = tally._counts.add(*columns)
        fits = totals.keys() <= plans.keys() and all(len(each) == len(counted) for each in totals.values())
        tally._plans, tally._totals, tally.refused = plans, totals, Counter(kept.head.refused)
        if refused or not fits or columns[2].min(initial=0) < 0 or not np.array_equal(tally.question_totals, counted):
            raise TallyError(f"{str(path)!r}: its counts do not match its totals; it was damaged or altered")
        return tally
