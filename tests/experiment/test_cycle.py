"""Forecast after forecast."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from halocline.component.case.reading import read_case
from halocline.core.clock import text
from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline.experiment.cycle import next_forecast
from halocline.experiment.members import make_members, read_members
from halocline.experiment.run import run

words = """
[grid]
kind = "cartesian"
nx = 12
ny = 5
dx = 20000.0
dy = 20000.0
[spectrum]
frequencies = 3
directions = 8
[time]
start = 2000-01-01T00:00:00
length = "4h"
[start]
kind = "gaussian"
gaussian.x = 40000.0
gaussian.y = 40000.0
gaussian.radius_x = 30000.0
gaussian.radius_y = 30000.0
[restart]
interval = "2h"
"""


@pytest.fixture
def case_file(tmp_path: Path) -> Path:
    path = tmp_path / "small" / "case.toml"
    path.parent.mkdir()
    path.write_text(words)
    return path


def cycle(case_file: Path, *arguments: str) -> int:
    folder = str(case_file.parent / "forecasts")
    return main(["cycle", str(case_file), "--output", folder, "--quiet", "-n", "1", *arguments])


def test_each_forecast_starts_where_the_last_left_a_restart(case_file: Path) -> None:
    assert cycle(case_file) == exit_codes.done
    assert cycle(case_file) == exit_codes.done
    folder = case_file.parent / "forecasts"
    assert sorted(path.name for path in folder.iterdir()) == ["20000101T000000", "20000101T040000"]
    assert (folder / "20000101T040000" / "restart_20000101T080000.safetensors").exists()


def test_forecasts_in_a_row_are_one_long_run(case_file: Path) -> None:
    for _ in range(2):
        assert cycle(case_file) == exit_codes.done
    last = (
        case_file.parent / "forecasts" / "20000101T040000" / "restart_20000101T080000.safetensors"
    )
    case = read_case(case_file, ["time.length=8h"])
    whole = run(case).component.restart_fields()[0].gather()
    settings = ["time.length=8h", f'restart.source="{last}"']
    parts = run(read_case(case_file, settings)).component.restart_fields()[0].gather()
    assert whole is not None
    assert np.isfinite(whole).all()
    assert whole.max() > 0.0
    np.testing.assert_array_equal(parts, whole)


def test_start_takes_the_restart_of_that_date_from_the_latest_forecast(case_file: Path) -> None:
    assert cycle(case_file) == exit_codes.done
    assert cycle(case_file, "--start", "2000-01-01T02:00") == exit_codes.done
    case, folder = read_members(case_file), case_file.parent / "forecasts"
    again = next_forecast(case, folder, "2000-01-01T04:00")
    assert again.restart is not None
    assert again.restart.parent.name == "20000101T020000"
    newest = next_forecast(case, folder)
    assert text(newest.start) == "2000-01-01 06:00"


def test_missing_restart_names_those_that_are_there(case_file: Path) -> None:
    assert cycle(case_file) == exit_codes.done
    case, folder = read_members(case_file), case_file.parent / "forecasts"
    with pytest.raises(UserError, match="2000-01-01 02:00, 2000-01-01 04:00"):
        next_forecast(case, folder, "2000-01-01T03:00")


def test_first_forecast_begins_as_the_case_says(tmp_path: Path) -> None:
    case = make_members({"time": {"start": "2000-01-01", "length": "6h"}})
    forecast = next_forecast(case, tmp_path)
    assert forecast.restart is None
    assert forecast.folder == tmp_path / "20000101T000000"
    with pytest.raises(UserError, match="there are: none"):
        next_forecast(case, tmp_path, "2000-01-02")
