"""Claims are counted setting by setting, and only where all they speak of was measured."""

from __future__ import annotations

from sottovoce.experiments.claims import CLAIMS, claim_rows, count_claims
from tests.experiments.summaries import summary_of

FIRST = {"HDG": 0.01, "TDG": 0.02, "CALM": 0.03, "LHIO": 0.04, "HIO": 0.5, "MSW": 0.05, "Uni": 0.4}
SECOND = FIRST | {"CALM": 0.045, "MSW": 0.005}


def rows(errors: dict[str, float], **setting: object) -> list[dict[str, object]]:
    return [{"method": method, "value": value, **setting} for method, value in errors.items()]


def test_every_claim_counts_the_settings_in_which_it_holds() -> None:
    summary = summary_of(*rows(FIRST, epsilon=0.2), *rows(SECOND, epsilon=1.0), *rows(SECOND, epsilon=1.0, dimension=4))
    counted = {one.claim.words: (one.written(), one.written(2), one.written(4)) for one in count_claims(summary)}
    assert counted["HDG first"] == ("1 of 3", "1 of 2", "0 of 1")
    assert counted["CALM ahead of LHIO"] == ("1 of 3", "1 of 2", "0 of 1")
    assert counted["TDG ahead of CALM"] == ("3 of 3", "2 of 2", "1 of 1")
    assert counted["TDG ahead of CALM, from epsilon 0.6 on"] == ("2 of 2", "1 of 1", "1 of 1")
    assert counted["HIO the last of the private ones"] == ("3 of 3", "2 of 2", "1 of 1")
    assert counted["HDG first, against LHIO and MSW by default"] == ("0 of 0", "0 of 0", "0 of 0")


def test_a_method_that_was_not_measured_everywhere_is_not_counted_there() -> None:
    some = {method: value for method, value in FIRST.items() if method != "HIO"}
    summary = summary_of(*rows(FIRST, epsilon=0.2), *rows(some, epsilon=1.0))
    counted = {one.claim.words: one.written() for one in count_claims(summary)}
    assert counted["HIO the last of the private ones"] == "1 of 1"
    assert counted["HDG ahead of TDG"] == "2 of 2"


def test_the_table_has_a_row_per_claim_and_a_column_per_dimension() -> None:
    head, body = claim_rows(summary_of(*rows(FIRST), *rows(FIRST, dimension=4)))
    assert head == ["claim", "holds in", "λ = 2", "λ = 4"]
    assert [row[0] for row in body] == [claim.words for claim in CLAIMS]
