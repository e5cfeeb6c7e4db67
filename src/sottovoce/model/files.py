"""Model files: one JSON document with the schema, where the model comes from, and its arrays.

Arrays stand as base64 of little-endian numbers with their shape, so that any language can read them.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import rfc8785
from numpy.typing import NDArray

from sottovoce._files import read_whole
from sottovoce.channels import parse_epsilon
from sottovoce.errors import ModelError, SottovoceError
from sottovoce.model.origin import Origin
from sottovoce.model.state_checks import check_array, check_seal, check_state
from sottovoce.plan.registry import find_mechanism
from sottovoce.schema.schema import Schema

if TYPE_CHECKING:
    from sottovoce.model.model import Model

FORMAT = "sottovoce-model-1"

DAMAGED = (
    msgspec.MsgspecError,
    rfc8785.CanonicalizationError,
    LookupError,
    TypeError,
    ValueError,
    ArithmeticError,
    AttributeError,
    MemoryError,
    RecursionError,
)
"""What reading something else than a model may raise."""


def model_document(model: Model) -> dict[str, Any]:
    """Return what the file of a model holds."""
    origin = {
        **vars(model.origin),
        "epsilon": float(model.origin.epsilon),
        "schema": msgspec.to_builtins(model.schema),
    }
    return {
        "format": FORMAT,
        "kind": model.kind,
        "origin": origin,
        "state": _pack_state(model.state()),
        "replicates": [_pack_state(replicate.replicate_state()) for replicate in model.replicates],
        **({"caveats": list(model.caveats)} if model.caveats else {}),
    }


def load_model(path: str | Path) -> Model:
    """Return the model that `Model.save` wrote."""
    return read_model(read_whole(path, "model", error=ModelError), repr(str(path)))


def read_model(data: bytes, name: str) -> Model:
    """Return the model that a file's bytes hold; ``name`` says in errors where they come from."""
    try:
        document = msgspec.json.decode(data)
        check_seal(document)
        return model_from(document)
    except (*DAMAGED, SottovoceError) as error:
        raise ModelError(f"{name} is not a model, or damaged: {error}") from error


def model_from(document: dict[str, Any]) -> Model:
    """Return the model that `model_document` described; raise one of ``DAMAGED``, or ModelError, for anything else."""
    if document["format"] != FORMAT:
        raise ModelError(f"format {document['format']!r} is not {FORMAT!r}")
    origin = document["origin"]
    origin["schema"] = msgspec.convert(origin["schema"], Schema)
    origin["epsilon"] = parse_epsilon(origin["epsilon"])
    settled = Origin(**origin)
    kind = find_mechanism(settled.mechanism).model
    if document["kind"] != kind.kind:
        raise ModelError(f"a model of kind {document['kind']!r} is not what {settled.mechanism} fits")
    model, *replicates = [
        kind.from_state(settled, _unpack_state(settled.schema, state))
        for state in (document["state"], *document["replicates"])
    ]
    model.keep_replicates(replicates)
    model.caveats = tuple(map(str, document.get("caveats", ())))
    if document.get("calibration"):
        model = model.reweighted({int(index): unpack(w) for index, w in document["calibration"].items()})
    return model


def _pack_state(state: dict[str, Any]) -> dict[str, Any]:
    return {name: pack(value) for name, value in state.items()}


def _unpack_state(schema: Schema, packed: dict[str, Any]) -> dict[str, Any]:
    state = {name: unpack(value) for name, value in packed.items()}
    check_state(schema, state)
    return state


def pack(value: Any) -> Any:
    """Return a value as JSON holds it: an array with its type and shape, its numbers as base64."""
    if isinstance(value, np.ndarray):
        kind = value.dtype.name if value.dtype.kind == "f" else "int64"
        data = np.ascontiguousarray(value, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
        return {"array": kind, "shape": list(value.shape), "base64": base64.b64encode(data).decode()}
    return [pack(item) for item in value] if isinstance(value, list | tuple) else value


def unpack(value: Any) -> Any:
    """Return the value that `pack` wrote."""
    if isinstance(value, dict) and "base64" in value:
        data = base64.b64decode(value["base64"], validate=True)
        name, shape = check_array(value["array"], value["shape"], len(data))
        kind = np.dtype(name).newbyteorder("<")
        array: NDArray[Any] = np.frombuffer(data, dtype=kind)
        return array.astype(kind.newbyteorder("=")).reshape(shape)
    return [unpack(item) for item in value] if isinstance(value, list) else value
