"""numpy and Arrow: files of reports counted batch by batch, without an extra."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sottovoce.client.report import PLAN_KEY
from sottovoce.engines.report_files import ReportFile, is_bytes
from sottovoce.errors import TallyError
from sottovoce.plan.counting_sql import alphabet_runs
from sottovoce.plan.plan import Plan
from sottovoce.plan.refusals import DUPLICATE, NULL
from sottovoce.tally.tally import Tally

ROWS_AT_ONCE = 2**20


def count_with_numpy(plan: Plan, files: list[ReportFile]) -> Tally:
    """Return the tally of files whose footers were found to fit; ids, where there are some, are held in memory."""
    tally = Tally(plan)
    waiting: list[pa.Table] = []
    for file in files:
        for reports in _batches(plan, file):
            if not file.has_ids:
                tally.add(reports)
                continue
            valid = reports.filter(reports.column("id").is_valid())
            tally.refused[NULL] += reports.num_rows - valid.num_rows
            possible = _possible(plan, valid)
            tally.add(valid.filter(pc.invert(possible)))
            waiting.append(valid.filter(possible))
    if waiting:
        _add_unique(tally, waiting)
    tally.refused = +tally.refused
    return tally


def _batches(plan: Plan, file: ReportFile) -> Iterator[pa.Table]:
    """Yield a file's reports in parts, with text ids, and the plan they answer in the metadata."""
    columns = [name for name, _ in file.types]
    try:
        for batch in pq.ParquetFile(file.path).iter_batches(ROWS_AT_ONCE, columns=columns):
            table = pa.table({name: batch.column(name) for name in columns})
            if file.has_ids and is_bytes(dict(file.types)["id"]):
                ids = [None if value is None else value.hex() for value in table.column("id").to_pylist()]
                table = table.set_column(columns.index("id"), "id", pa.array(ids, pa.string()))
            yield table.replace_schema_metadata({PLAN_KEY: file.plan or plan.fingerprint})
    except (OSError, pa.ArrowException) as error:
        raise TallyError(f"{file.path!r} is damaged: {error}") from error


def _possible(plan: Plan, reports: pa.Table) -> pa.ChunkedArray:
    """Return which rows may be counted, as the counting statement says it."""
    if reports.schema.metadata[PLAN_KEY].decode() not in plan.names:
        return pa.chunked_array([np.zeros(reports.num_rows, dtype=bool)])
    alphabets = alphabet_runs(plan.questions.codes, reports.column_names)
    ends, last = np.array([each.end for each in alphabets]), np.array([each.last for each in alphabets])
    question, code = (reports.column(name).fill_null(0).to_numpy() for name in ("question", "code"))
    known = (question >= 0) & (question < len(plan.questions))
    asked = np.where(known, question, 0).astype(np.int64)
    right = (code >= 0) & (code <= last[np.searchsorted(ends, asked, side="right")])
    valid = pc.and_(reports.column("question").is_valid(), reports.column("code").is_valid())
    return pc.and_(valid, pa.chunked_array([known & right]))


def _add_unique(tally: Tally, waiting: list[pa.Table]) -> None:
    """Add the row with the smallest question and code of every id; the others are duplicates."""
    columns = {"id": pa.string(), "question": pa.int64(), "code": pa.int64()}
    reports = pa.concat_tables(
        [table.select(list(columns)).replace_schema_metadata(None).cast(pa.schema(columns)) for table in waiting]
    )
    reports = reports.sort_by([(name, "ascending") for name in columns])
    ids = reports.column("id").combine_chunks()
    first = np.ones(len(ids), dtype=bool)
    if len(ids) > 1:
        first[1:] = pc.not_equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
    tally.refused[DUPLICATE] += int((~first).sum())
    tally.add(reports.filter(pa.array(first)).replace_schema_metadata({PLAN_KEY: tally.plan.fingerprint}))
