"""The conformance suite, for mechanisms and channels of one's own: one line in a test file runs all of it by pytest.

```python
from sottovoce.testing import channel_suite, mechanism_suite

TestHaar = mechanism_suite("haar", Promise(additive=4))
TestHadamard = channel_suite("hadamard", Hadamard.design, sizes=(2, 4, 64))
```

Needs pytest and scipy: ``pip install 'sottovoce[testing]'``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from decimal import Decimal

from sottovoce.errors import SottovoceError

if importlib.util.find_spec("pytest") is None or importlib.util.find_spec("scipy") is None:
    raise SottovoceError("the conformance suite needs pytest and scipy: pip install 'sottovoce[testing]'")

import pytest

pytest.register_assert_rewrite(*(f"sottovoce.testing.{name}_tests" for name in ("channel", "plan", "model")))

from sottovoce.channels.channel import Channel  # noqa: E402 - assertions are to be rewritten first
from sottovoce.testing.channel_cases import SIZES, ChannelCase, instances, name_of  # noqa: E402
from sottovoce.testing.channel_tests import ChannelTests, OracleTests  # noqa: E402
from sottovoce.testing.mechanism_cases import PROMISES, Promise  # noqa: E402
from sottovoce.testing.model_tests import ModelTests  # noqa: E402
from sottovoce.testing.plan_tests import PlanTests, ReportTests, TallyTests  # noqa: E402

__all__ = ["Promise", "channel_suite", "mechanism_suite"]


def mechanism_suite(name: str, promise: Promise | None = None) -> type:
    """Return a class of tests that pytest runs on a mechanism that is registered or installed under this name.

    Args:
        name: The mechanism.
        promise: What its answers keep to, where that is other than what most mechanisms' do.
    """
    if promise is not None:
        PROMISES[name] = promise
    marks = [
        pytest.mark.parametrize("mechanism", [name]),
        pytest.mark.filterwarnings("ignore::sottovoce.errors.FewReportsWarning"),
    ]
    bases = (PlanTests, ReportTests, TallyTests, ModelTests)
    return type(f"Test_{name}", bases, {"pytestmark": marks, "__doc__": f"The conformance of {name}."})


def channel_suite(
    name: str, make: Callable[[int, Decimal], Channel], *, sizes: tuple[int, ...] = SIZES, unbiased: bool = True
) -> type:
    """Return a class of tests that pytest runs on a channel at several epsilons and numbers of cells.

    Args:
        name: What tests call it.
        make: (cells, epsilon) -> the channel, or PlanError where it makes no sense.
        sizes: The numbers of cells to try.
        unbiased: Whether ``estimate`` is the linear unbiased one, with ``variance`` the variance of a rare cell.
    """
    made = instances(ChannelCase(name, make, sizes, unbiased))
    bases = (ChannelTests, OracleTests) if unbiased else (ChannelTests,)
    marks = [pytest.mark.parametrize("instance", made, ids=name_of)]
    return type(f"Test_{name}", bases, {"pytestmark": marks, "__doc__": f"The conformance of {name}."})
