"""Every error Sottovoce raises on purpose, in one tree.

```
SottovoceError
├── SchemaError    attributes that cannot be: reversed bounds, no levels, a name twice
├── RecordError    a record or table that does not fit its schema
├── PlanError      a plan that cannot be designed, read or trusted
│   └── TooLargeError  a schema too large for the mechanism that was asked to design for it
├── TallyError     reports or tallies that do not belong together
├── QueryError     a query that cannot be understood
├── ModelError     a model that cannot be fitted or read
├── StoreError     a collector's store that cannot be opened or used
├── DeliveryError  a report or question that a collector did not take, or an answer already given
├── BudgetError    a collection that would cost more privacy than this device is willing to spend
└── ExperimentError  an experiment that cannot be run, or whose data is missing
```

Warnings are a tree of their own: `FewReportsWarning`, when reports are too few for what they are asked to support.

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


class TooLargeError(PlanError):
    """A schema with more levels, attributes or cells than a mechanism or a plan can take."""


class TallyError(SottovoceError):
    """Reports or tallies that do not belong together."""


class QueryError(SottovoceError):
    """A query that cannot be understood."""


class ModelError(SottovoceError):
    """A model that cannot be fitted or read."""


class StoreError(SottovoceError):
    """A collector's store that cannot be opened or used."""


class DeliveryError(SottovoceError):
    """A collector that did not answer or refused: a plan, a report (sent again it is the same bytes) or a question.

    Args:
        message: What happened, and what to do.
        lasting: Whether sending the same again cannot help; kept as an attribute, as is the next.
        retry_after: In how many seconds the collector asked to be tried again, if it did.
    """

    def __init__(self, message: str, *, lasting: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.lasting, self.retry_after = lasting, retry_after


class BudgetError(SottovoceError):
    """A collection that would cost more privacy than this device is willing to spend: nothing is drawn."""


class ExperimentError(SottovoceError):
    """An experiment that cannot be run, or whose data is missing."""


class FewReportsWarning(UserWarning):
    """The reports are too few to support answers on several attributes."""
