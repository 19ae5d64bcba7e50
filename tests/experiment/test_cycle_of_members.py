"""Forecast after forecast of several members: each goes on from its own restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.core.clock import text
from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline.experiment.cycle import next_forecast
from halocline.experiment.members import read_members
from halocline.experiment.run import run

words = """
[time]
start = 2000-01-01T00:00:00
[restart]
interval = "2h"
[members.sea]
component = "waves"
time = { step = "1h", length = "4h" }
[members.sea.grid]
kind = "cartesian"
nx = 12
ny = 5
dx = 20000.0
dy = 20000.0
[members.sea.spectrum]
frequencies = 3
directions = 8
[members.sea.start]
kind = "gaussian"
gaussian = { x = 40000.0, y = 40000.0, radius_x = 30000.0, radius_y = 30000.0 }
[members.dye]
component = "transport"
time = { step = "30min", length = "4h" }
transport = { circulation = "rotation", tracers = ["bell"] }
[members.dye.grid]
nx = 12
ny = 12
dx = 5.0
dy = 5.0
x0 = -27.5
y0 = -27.5
depth = 100.0
closed_edges = false
levels.thickness = [100.0]
"""
names = ("sea", "dye")


@pytest.fixture
def case_file(tmp_path: Path) -> Path:
    path = tmp_path / "two" / "case.toml"
    path.parent.mkdir()
    path.write_text(words)
    return path


def cycle(case_file: Path, *arguments: str) -> int:
    folder = str(case_file.parent / "forecasts")
    return main(["cycle", str(case_file), "--output", folder, "--quiet", "-n", "1", *arguments])


def restarts(folder: Path, stamp: str) -> list[bytes]:
    """The restart files of all members at one moment."""
    return [(folder / f"restart_{stamp}.{name}.safetensors").read_bytes() for name in names]


def whole_run(case_file: Path) -> Path:
    """Eight hours without a break."""
    folder = case_file.parent / "whole"
    run(read_members(case_file, [f"members.{n}.time.length=8h" for n in names]), output=folder)
    return folder


def test_forecasts_in_a_row_are_one_long_run(case_file: Path) -> None:
    assert [cycle(case_file) for _ in range(2)] == [exit_codes.done] * 2
    below = case_file.parent / "forecasts"
    assert sorted(path.name for path in below.iterdir()) == ["20000101T000000", "20000101T040000"]
    whole = whole_run(case_file)
    for stamp in ("20000101T060000", "20000101T080000"):
        assert restarts(below / "20000101T040000", stamp) == restarts(whole, stamp)
    assert restarts(whole, "20000101T080000") != restarts(whole, "20000101T060000")


def test_start_takes_that_moment_not_the_newest(case_file: Path) -> None:
    """The restart at 2h of the first forecast, though there is one of 4h in the same folder."""
    assert cycle(case_file) == exit_codes.done
    assert cycle(case_file, "--start", "2000-01-01T02:00") == exit_codes.done
    later = case_file.parent / "forecasts" / "20000101T020000"
    assert not list(later.glob("restart_20000101T020000*"))
    whole = whole_run(case_file)
    for stamp in ("20000101T040000", "20000101T060000"):
        assert restarts(later, stamp) == restarts(whole, stamp)
    newest = next_forecast(read_members(case_file), later.parent)
    assert text(newest.start) == "2000-01-01 06:00"


def test_a_moment_that_one_member_lacks_does_not_count(case_file: Path) -> None:
    assert cycle(case_file) == exit_codes.done
    folder, members = case_file.parent / "forecasts", read_members(case_file)
    (folder / "20000101T000000" / "restart_20000101T040000.dye.safetensors").unlink()
    assert text(next_forecast(members, folder).start) == "2000-01-01 02:00"
    (folder / "20000101T000000" / "restart_20000101T020000.sea.safetensors").unlink()
    with pytest.raises(UserError, match=r"restarts of all members \(sea, dye\) of one date"):
        next_forecast(members, folder)


def test_a_moment_that_is_not_there_is_refused(case_file: Path) -> None:
    assert cycle(case_file) == exit_codes.done
    first = case_file.parent / "forecasts" / "20000101T000000"
    source = first / "restart_20000101T030000.safetensors"
    with pytest.raises(UserError, match="one moment in it as restart_YYYYMMDDTHHMMSS"):
        run(read_members(case_file, [f'restart.source="{source}"']))
