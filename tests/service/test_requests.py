"""What routes share: bodies that are read, and a description whose references all lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sottovoce.service.app import create_app
from sottovoce.service.requests import described
from sottovoce.service.settings import Settings
from tests.collectors import make_plan


def test_every_reference_of_the_description_leads_somewhere(tmp_path: Path) -> None:
    app = create_app(Settings(database=str(tmp_path / "c.db")), [make_plan()])
    document = json.dumps(app.openapi())
    parts = app.openapi()["components"]["schemas"]
    assert set(re.findall(r'"#/components/schemas/([^"]+)"', document)) <= parts.keys()
    assert "$defs" not in document
    assert document == json.dumps(app.openapi())
    app.state.collector.store.close()


def test_parts_are_lifted_out_of_where_they_are_used() -> None:
    document = {"paths": {"/a": [{"schema": {"$ref": "#/1", "$defs": {"B": {"type": "null", "$defs": {"C": {}}}}}}]}}
    assert described(document) == {
        "paths": {"/a": [{"schema": {"$ref": "#/1"}}]},
        "components": {"schemas": {"B": {"type": "null"}, "C": {}}},
    }
