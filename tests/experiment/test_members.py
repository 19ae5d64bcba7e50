"""Members of a run: read from a case and settings; their room and memory, taken together."""

from __future__ import annotations

import re
import shutil
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from halocline.component.case.reading import read_case, read_table
from halocline.core.errors import UserError
from halocline.experiment import exit_codes, start, too_many_ranks
from halocline.experiment.check import report_members
from halocline.experiment.command_line import main
from halocline.experiment.members import read_members
from halocline.experiment.run import as_members, run


def lengths(*settings: str) -> list[str | float]:
    members = read_members("two-members", settings).members
    return [member.case.time.length for member in members.values()]


def test_a_setting_for_all_comes_before_the_tables_of_members():
    assert lengths() == ["6d", "12d"]
    assert lengths("time.length=6h") == ["6h", "6h"]


def test_a_setting_for_one_comes_before_that_for_all():
    one, all_of_them = "members.waves.time.length=3h", "time.length=6h"
    assert lengths(one, all_of_them) == lengths(all_of_them, one) == ["3h", "6h"]


def test_a_setting_of_the_run_is_no_option_of_members():
    members = read_members("two-members", ["title=mine", "schedule.interval=2h"])
    assert members.title == "mine" and members.schedule().text().startswith("every 2h")
    assert members.members["waves"].case.title == "Swell along a great circle"


def test_a_setting_of_a_member_that_is_not_there_is_refused():
    """It would be a new member, of the default component; one that says what it is, is one."""
    words = r"no member 'wave'\. Did you mean 'waves'\? Its members are waves, tracers; a new one"
    with pytest.raises(UserError, match=words):
        read_members("two-members", ["members.wave.ranks=1"])
    with pytest.raises(UserError, match=r"no member 'air'\. It has no members; .*air\.case=NAME"):
        read_members("swell", ["members.air.ranks=1"])
    new = ["members.more.ranks=1", "members.more.case=swell"]
    assert list(read_members("two-members", new).members) == ["waves", "tracers", "more"]


def test_settings_hold_for_whatever_a_run_is_made_of():
    """A name, tables, a case; the tables stay what they were."""
    _, tables = read_table("swell")
    before = deepcopy(tables)
    for case in ("swell", tables, read_case("swell")):
        for settings, length in (["time.length=3h"], "3h"), ([], "6d"):
            (member,) = as_members(case, settings).members.values()
            assert member.case.time.length == length
    assert tables == before
    with pytest.raises(UserError, match=r"time\.length=3h"):
        as_members(read_members("two-members"), ["time.length=3h"])


short = ["time.length=6h", "restart.interval=6h"]


def room(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    """A disk with so many bytes left."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))


def test_a_disk_that_has_room_for_each_member_but_not_for_both(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """Of 6 hours: 5.3 MB of waves, 0.5 MB of restarts of the tracers and 0.2 MB of their maps."""
    members = read_members("two-members", short)
    room(monkeypatch, 5_500_000)
    with pytest.raises(UserError) as refused:
        report_members(members, 1, tmp_path)
    words = str(refused.value)
    assert words.startswith("The output needs ") and "the disk has 5.5 MB left" in words
    for name in ("waves: restarts", "waves: maps", "tracers: restarts", "tracers: tracers"):
        assert f"'{name}' " in words
    with pytest.raises(UserError, match="The output needs") as at_start:
        run(members, output=tmp_path)
    assert str(at_start.value) == words
    assert not list(tmp_path.glob("*.nc*"))
    room(monkeypatch, 6_500_000)
    assert "together" in report_members(members, 1, tmp_path)


def test_check_adds_members_up():
    said = report_members(read_members("two-members", short), 3, Path("results")).splitlines()
    first = next(at for at, line in enumerate(said) if line.startswith("member "))
    waves, tracers, together = (re.split(r" {2,}", line) for line in said[first + 1 : first + 4])
    assert [row[:2] for row in (waves, tracers, together)] == [
        ["waves", "2"],
        ["tracers", "1"],
        ["together", "3"],
    ]
    assert (waves[2], tracers[2]) == ("6", "12")
    unit = {"bytes": 1e-6, "kB": 1e-3, "MB": 1.0}
    for cells in zip(waves[3:6], tracers[3:6], together[2:5], strict=True):
        one, other, both = (float(number) * unit[name] for number, name in map(str.split, cells))
        assert both == pytest.approx(one + other, rel=0.02)


def test_memory_is_that_of_all_members(monkeypatch: pytest.MonkeyPatch, capsys: Any):
    """Two ranks take 0.2 GB, the waves' fields 0.63 GB, the tracers' nothing to speak of."""
    monkeypatch.setattr(start, "cores", lambda: 2)
    monkeypatch.setattr(start, "on_ranks", lambda *arguments, **more: 0)
    changes = ["members.waves.spectrum.frequencies=40", "members.waves.spectrum.directions=360"]
    words = ["run", "two-members", "-n", "2"]
    words += [word for change in [*short, *changes] for word in ("--set", change)]
    monkeypatch.setattr(too_many_ranks, "available_memory", lambda: 0.8e9)
    assert main(words) == exit_codes.user_error
    message = capsys.readouterr().err
    assert "Cannot start 2 processes here: they need about 0.8 GB of memory" in message
    assert "(628 MB for fields of 'waves', 800 kB for fields of 'tracers')" in message
    assert message.count("\n") == 1
    monkeypatch.setattr(too_many_ranks, "available_memory", lambda: 0.9e9)
    assert main(words) == exit_codes.done
