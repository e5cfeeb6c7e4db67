"""Every error Sottovoce raises on purpose, in one tree.

```
SottovoceError
├── SchemaError    attributes that cannot be: reversed bounds, no levels, a name twice
├── RecordError    a record or table that does not fit its schema
├── PlanError      a plan that cannot be designed, read or trusted
├── TallyError     reports or tallies that do not belong together
├── QueryError     a query that cannot be understood
├── ModelError     a model that cannot be fitted or read
└── ExperimentError  an experiment that cannot be run, or whose data is missing
```

A message says what was given, what is allowed, and what to do about it.
"""

from __future__ import annotations


class SottovoceError(Exception):
    """Base of every error in this package: catch this one to catch them all."""


class SchemaError(SottovoceError):
    """An attribute or schema that cannot be."""


class RecordError(SottovoceError):
    """A record or a table that does not fit its schema."""


class PlanError(SottovoceError):
    """A plan that cannot be designed, read or trusted."""


class TallyError(SottovoceError):
    """Reports or tallies that do not belong together."""


class QueryError(SottovoceError):
    """A query that cannot be understood."""


class ModelError(SottovoceError):
    """A model that cannot be fitted or read."""


class ExperimentError(SottovoceError):
    """An experiment that cannot be run, or whose data is missing."""
