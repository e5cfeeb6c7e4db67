"""What other packages bring: found by name, read before it is used, and refused where it does not keep epsilon."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.channels import GRR, make_channel
from sottovoce.channels.plugins import GROUPS, load_plugin, package_of, plugins, table_facts

MODULE = """
from dataclasses import dataclass
from sottovoce.channels import GRR

class Good(GRR):
    kind = "good"

class Leaking(GRR):
    kind = "leaking"

    @classmethod
    def design(cls, cells, epsilon):
        return super().design(cells, 2 * epsilon)

    def worst_ratio(self):
        return 1

class Misnamed(GRR):
    kind = "another"

class Wide(GRR):
    kind = "wide"
    codes = 2**20

class Telling(GRR):
    kind = "telling"

    def row(self, cell):
        return [self.scale * (code == cell) for code in range(self.cells)]
"""

CHANNELS = ["good", "leaking", "misnamed", "wide", "telling"]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put a package on the path, as an installer lays it out."""
    (tmp_path / "brought.py").write_text(MODULE)
    facts = tmp_path / "brought-1.2.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.2\n")
    named = [f"{kind} = brought:{kind.capitalize()}.design" for kind in CHANNELS]
    lines = ["[sottovoce.channels]", *named, "missing = nowhere:thing", "[sottovoce.mechanisms]", "odd = brought:Good"]
    (facts / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugins.cache_clear()
    make_channel.cache_clear()
    yield
    plugins.cache_clear()
    make_channel.cache_clear()
    sys.modules.pop("brought", None)


@pytest.mark.usefixtures("installed")
class TestBrought:
    def test_a_channel_is_found_by_its_name_and_not_imported_before(self) -> None:
        assert set(CHANNELS) <= set(plugins("channels"))
        assert "brought" not in sys.modules
        assert make_channel("good", 5, Decimal(1), "").row(2) == GRR.design(5, Decimal(1)).row(2)
        assert package_of("channels", "good") == "brought 1.2"

    @pytest.mark.parametrize(
        ("kind", "said"),
        [
            ("leaking", "promises epsilon 1 and its table does not keep it"),
            ("misnamed", "kind 'another', 5 and 'misnamed' were asked"),
            ("wide", r"at most 2\^20 numbers can be audited"),
            ("telling", "impossible for some cell"),
            ("missing", r"'missing' of brought 1\.2 cannot be imported \(nowhere:thing\)"),
        ],
    )
    def test_one_that_cannot_be_trusted_is_refused(self, kind: str, said: str) -> None:
        with pytest.raises(sv.PlanError, match=said):
            make_channel(kind, 5, Decimal(1), "")

    def test_what_is_no_mechanism_is_refused_as_one(self) -> None:
        with pytest.raises(sv.PlanError, match=r"brought 1\.2 gives 'odd' as a mechanism"):
            sv.Plan.create(sv.Schema([sv.Ordinal("a", 0, 3)]), epsilon=1, users=10, mechanism="odd")

    def test_an_unknown_channel_names_those_there_are(self) -> None:
        with pytest.raises(sv.PlanError, match=r"known are grr, .*good.*the package that brings the channel"):
            make_channel("magic", 5, Decimal(1), "")


def test_nothing_is_brought_where_nothing_is_installed() -> None:
    assert all("brought" not in str(entry) for group in GROUPS for entry in plugins(group).values())
    with pytest.raises(KeyError):
        load_plugin("channels", "nothing")


def test_the_ratio_read_off_a_table_is_the_channels_own() -> None:
    channel = GRR.design(5, Decimal(1))
    assert table_facts(channel) == (channel.worst_ratio(), channel.blanket())
    assert channel.worst_ratio() == Fraction(channel.keep, channel.other)
