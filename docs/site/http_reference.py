"""The collector's HTTP calls as Markdown, from the OpenAPI document that it serves.

sphinxcontrib-openapi 0.10 stops at a body that may be either of two shapes, as that of reports, and shows no members of
answers; so this is written here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]


def http_reference(document: Schema) -> str:
    """Return a section for every call, and one for every shape that bodies share."""
    lines: list[str] = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            lines += _call(method, path, operation)
    lines += ["## Shapes", "", "Objects that the calls above take and give, by name.", ""]
    for name, schema in document["components"]["schemas"].items():
        lines += [f"### {name}", "", _first_paragraph(schema), "", *_members(schema)]
    return "\n".join(lines) + "\n"


def _call(method: str, path: str, operation: Schema) -> Iterator[str]:
    yield f"## {method.upper()} {path}"
    yield ""
    yield f"**{operation['summary']}.** {_first_paragraph(operation)}"
    yield ""
    parameters = operation.get("parameters", [])
    if parameters:
        yield from ["| parameter | in | type | meaning |", "|---|---|---|---|"]
        for one in parameters:
            yield _row(f"`{one['name']}`", one["in"], words(one["schema"]), one.get("description", ""))
        yield ""
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        yield from _body(f"Takes `{media}`", content.get("schema", {}))
    refusals = []
    for status, response in operation["responses"].items():
        if not status.startswith("2"):
            refusals.append(f"{status} {response['description']}")
            continue
        for media, content in response.get("content", {"text/plain": {}}).items():
            yield from _body(f"Gives {status}, `{media}`", content.get("schema", {}))
    if refusals:
        yield from [f"Refuses with: {', '.join(refusals)}.", ""]


def _body(lead: str, schema: Schema) -> Iterator[str]:
    choices = schema.get("oneOf", [schema])
    shape = words(schema) if schema else ""
    yield f"{lead}{': ' + shape if shape else ''}."
    yield ""
    for choice in choices:
        if choice.get("properties"):
            yield from _members(choice)


def _members(schema: Schema) -> Iterator[str]:
    required = schema.get("required", [])
    if not schema.get("properties"):
        return
    yield from ["| member | type | meaning |", "|---|---|---|"]
    for name, member in schema["properties"].items():
        default = "" if name in required else f" Left out: `{member.get('default')}`."
        yield _row(f"`{name}`", words(member), (_first_paragraph(member) + default).strip())
    yield ""


def words(schema: Schema) -> str:
    """Return what a JSON value may be, in words.

    Example:
        >>> words({"type": "array", "items": {"type": "string"}, "maxItems": 3})
        'list of string, at most 3'
    """
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(words(one) for one in schema[several]))
    kind = schema.get("type", "anything")
    if kind == "array":
        if "prefixItems" in schema:
            return f"list of {', '.join(words(one) for one in schema['prefixItems'])}"
        most = f", at most {schema['maxItems']:,}" if "maxItems" in schema else ""
        return f"list of {words(schema.get('items', {}))}{most}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {words(schema['additionalProperties'])}"
    if kind == "object" and "title" in schema and "properties" in schema:
        return f"object ({schema['title']})"
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    return f"{kind} ({schema['format']})" if "format" in schema else str(kind)


def _first_paragraph(described: Schema) -> str:
    return " ".join(described.get("description", "").split("\n\n")[0].split())


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
