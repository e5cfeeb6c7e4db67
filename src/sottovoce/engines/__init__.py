"""Reports in files or clusters become a tally where they are: counting is ``GROUP BY question, code`` on any engine.

Every engine gives the same tally, bit for bit, and refuses the same rows for the same reasons, which
`sottovoce.plan.refusals` names.
DuckDB and pyspark are extras, imported when they are called for.
"""

from __future__ import annotations

import importlib
from typing import Any

from sottovoce.errors import SottovoceError


def require(package: str) -> Any:
    """Return an extra's package; where it is missing, the error says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        extra = {"pyspark": "spark"}.get(package, package)
        raise SottovoceError(
            f"this needs {package}, which is not installed: pip install 'sottovoce[{extra}]'"
        ) from error
