"""Statistical verdicts that the tests share: those of the conformance suite."""

from sottovoce.testing.chances import FALSE_ALARM, assert_drawn_from, assert_standard_normal

__all__ = ["FALSE_ALARM", "assert_drawn_from", "assert_standard_normal"]
