"""What the arrays of a model's file must be before they are used: of the schema's shapes, finite, never below zero.

A file comes from anywhere. Numbers that ask for memory (`blocks`) are compared with the schema before any is taken, and
a model that could not have been fitted is refused instead of answering.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import rfc8785
from numpy.typing import NDArray

from sottovoce.errors import ModelError
from sottovoce.schema.schema import Schema

KINDS = ("float16", "float32", "float64", "int64")
"""The types of arrays in a file."""


def seal(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's document with its digest: the SHA-256 of its canonical JSON (RFC 8785) without the digest."""
    plain = {name: value for name, value in document.items() if name != "digest"}
    return {**plain, "digest": hashlib.sha256(rfc8785.dumps(plain)).hexdigest()}


def check_seal(document: Mapping[str, Any]) -> None:
    """Raise ModelError if a document has a digest that is not its content's; older versions wrote none."""
    if "digest" in document and seal(document)["digest"] != document["digest"]:
        raise ModelError("its content does not give its digest: it was altered or damaged")


def check_array(kind: object, shape: object, size: int) -> tuple[str, tuple[int, ...]]:
    """Return the type and shape that a file states for an array of ``size`` bytes, if they are its own.

    Args:
        kind: The type that the file states, such as "float32".
        shape: The shape that it states, a list of integers.
        size: How many bytes there are.

    Raises:
        ModelError: If they do not go together, so that nothing is read that the file does not hold.
    """
    if kind not in KINDS or not isinstance(kind, str):
        raise ModelError(f"an array is of {', '.join(KINDS)}, got {kind!r}")
    if not isinstance(shape, list) or not all(type(side) is int and side >= 0 for side in shape):
        raise ModelError(f"an array's shape is a list of integers, got {shape!r}")
    expected = np.dtype(kind).itemsize
    for side in shape:
        expected *= side
    if expected != size:
        raise ModelError(f"an array of {kind} and shape {shape} has {expected} bytes, got {size}")
    return kind, tuple(shape)


def check_state(schema: Schema, state: Mapping[str, Any]) -> None:
    """Raise ModelError unless a model of this schema can have this state."""
    for name, value in state.items():
        for array in value if isinstance(value, list) else [value]:
            if isinstance(array, np.ndarray) and not np.isfinite(array).all():
                raise ModelError(f"{name} holds numbers that are not finite")
    sizes = list(schema.sizes)
    if "factors" in state:
        weights = _array(state, "weights", (None,))
        for factor, size in _per_attribute(state, "factors", sizes):
            _check(factor, "factors", (len(weights), size))
    if "distributions" in state:
        for own, size in _per_attribute(state, "distributions", sizes):
            _check(own, "distributions", (size,))
    if "blocks" in state:
        blocks = _check_blocks(state, sizes)
        if "grids" in state:
            _check_grids(state, blocks)
    if "questions" in state:
        length = len(_array(state, "questions", (None,)))
        for name in ("questions", "codes", "counts"):
            _check(state[name], name, (length,))


def _check_blocks(state: Mapping[str, Any], sizes: list[int]) -> list[int]:
    """Return how many blocks each attribute has, if blocks and matrices are of the schema's shapes."""
    blocks = []
    for block, size in _per_attribute(state, "blocks", sizes):
        _check(block, "blocks", (size,))
        if block.dtype.kind != "i" or block.max(initial=0) >= size:
            raise ModelError(f"blocks number at most {size} blocks of an attribute of {size} levels")
        blocks.append(int(block.max(initial=0)) + 1)
    pairs = [(blocks[i], blocks[j]) for i in range(len(blocks)) for j in range(i + 1, len(blocks))]
    matrices = state.get("matrices")
    if not isinstance(matrices, list) or len(matrices) != len(pairs):
        raise ModelError(f"matrices are {len(pairs)}, one for each pair of attributes")
    for matrix, shape in zip(matrices, pairs, strict=True):
        _check(matrix, "matrices", shape, signed=True)
    return blocks


def _check_grids(state: Mapping[str, Any], blocks: list[int]) -> None:
    """Raise ModelError unless raw grids are of single attributes or pairs, each once, and of the blocks' shapes."""
    grids, bins, raw = (state.get(name) for name in ("grids", "bins", "raw"))
    if not (isinstance(grids, list) and isinstance(bins, list) and isinstance(raw, list)):
        raise ModelError("grids, bins and raw are lists, one entry for each grid")
    if not len(grids) == len(bins) == len(raw):
        raise ModelError("grids, bins and raw have one entry for each grid")
    for grid, axes, estimates in zip(grids, bins, raw, strict=True):
        allowed = range(len(blocks))
        if not (len(grid) in (1, 2) and all(type(index) is int and index in allowed for index in grid)):
            raise ModelError(f"a grid is of one or two of {len(blocks)} attributes, got {grid!r}")
        if grid != sorted(set(grid)) or not isinstance(axes, list) or len(axes) != len(grid):
            raise ModelError(f"a grid has bins for each of its attributes, in their order, got {grid!r}")
        for own, index in zip(axes, grid, strict=True):
            _check(own, "bins", (blocks[index],))
            if own.dtype.kind != "i" or own.max(initial=0) >= blocks[index]:
                raise ModelError(f"bins number at most {blocks[index]} bins of {blocks[index]} blocks")
        _check(estimates, "raw", tuple(int(own.max()) + 1 for own in axes), signed=True)
    if len({(tuple(grid), own.shape) for grid, own in zip(grids, raw, strict=True)}) < len(grids):
        raise ModelError("every grid of the same attributes and bins is listed once")
    noise = _array(state, "noise", (len(grids), 5))
    if (noise[:, 0] < 2).any() or (noise[:, 1:] > 1).any() or (noise[:, 1] <= noise[:, 2]).any():
        raise ModelError(
            "noise holds, for each grid, at least two reports and probabilities, the first above the second"
        )


def _per_attribute(state: Mapping[str, Any], name: str, sizes: list[int]) -> list[tuple[NDArray[Any], int]]:
    found = state[name]
    if not isinstance(found, list) or len(found) != len(sizes):
        raise ModelError(f"{name} are {len(sizes)}, one for each attribute")
    return list(zip(found, sizes, strict=True))


def _array(state: Mapping[str, Any], name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    found: NDArray[Any] = state[name]
    _check(found, name, shape)
    return found


def _check(array: object, name: str, shape: tuple[int | None, ...], *, signed: bool = False) -> None:
    if not isinstance(array, np.ndarray) or array.ndim != len(shape):
        raise ModelError(f"{name} is not an array of {len(shape)} dimensions")
    if any(side is not None and side != own for side, own in zip(shape, array.shape, strict=True)):
        raise ModelError(f"{name} has the shape {array.shape}, not {shape}")
    if not signed and array.min(initial=0) < 0:
        raise ModelError(f"{name} holds numbers below zero")
