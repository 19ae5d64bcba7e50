"""Files without units: taken in ours, told once, whoever reads. Ranks: 1, and 2 that it starts."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray

from halocline.component.case.reading import make_case, read_case
from halocline.core.assumptions import taken
from halocline.experiment.check import report
from halocline.experiment.run import run
from halocline.grids.files.gridded_files import GriddedFiles

case_text = """
[grid]
nx = 5
ny = 5
x0 = -2.0
y0 = -2.0
dx = 1.0
dy = 1.0
depth = 100.0

[spectrum]
frequencies = 3
first_frequency = 0.1
directions = 4

[time]
start = "2000-01-01"
length = "6h"
step = "1h"

[forcing.wind]
file = "wind.nc"

[output.fields.maps]
interval = "6h"
variables = ["significant_height"]
"""
says = "has no units and is taken to be in m s-1"


def winds(folder: Path, **units: str) -> Path:
    """Winds for a day; of `u10` and `v10` those have units that are given some."""
    dims = ("time", "lat", "lon")
    values = np.full((5, 9, 9), 5.0)
    made = xarray.Dataset(
        {name: (dims, values, {"units": units[name]} if name in units else {})
         for name in ("u10", "v10")},
        {
            "time": ("time", 6.0 * np.arange(5.0), {"units": "hours since 2000-01-01"}),
            "lat": ("lat", np.arange(-4.0, 5.0), {"units": "degrees_north"}),
            "lon": ("lon", np.arange(-4.0, 5.0), {"units": "degrees_east"}),
        },
    )  # fmt: skip
    made.to_netcdf(folder / "wind.nc")
    return folder / "wind.nc"


@pytest.fixture(autouse=True)
def nothing_noted():
    """What others left."""
    taken()


def test_each_variable_is_told_once(tmp_path: Path):
    files = GriddedFiles([winds(tmp_path, v10="knots")])
    for record in files.records[:2]:
        for name in ("u10", "v10"):
            found = files.read(name, f"wind_{name[0]}", record)
            assert found[0, 0] == pytest.approx(5.0 if name == "u10" else 5.0 * 1852 / 3600)
    (words,) = taken()
    assert words.startswith(f"The variable 'u10' of {tmp_path / 'wind.nc'} {says}")
    assert "give it the CF attribute units" in words


def test_lengths_of_depths_are_told_and_numbers_need_none(tmp_path: Path):
    made = xarray.Dataset(
        {"ice": (("z", "lat", "lon"), np.full((2, 3, 3), 0.5))},
        {
            "z": ("z", [5.0, 15.0], {"positive": "down"}),
            "lat": ("lat", np.arange(3.0), {"units": "degrees_north"}),
            "lon": ("lon", np.arange(3.0), {"units": "degrees_east"}),
        },
    )
    made.to_netcdf(tmp_path / "ice.nc")
    files = GriddedFiles([tmp_path / "ice.nc"])
    np.testing.assert_array_equal(files.level_depths("ice"), [5.0, 15.0])
    assert files.read("ice", "ice", level=0)[0, 0] == 0.5
    (words,) = taken()
    assert words.startswith("The depth 'z' of") and "taken to be in m." in words


def test_check_notes_it(tmp_path: Path):
    winds(tmp_path, v10="m s-1")
    (tmp_path / "case.toml").write_text(case_text)
    lines = report(read_case(tmp_path / "case.toml")).splitlines()
    (note,) = [line for line in lines if says in line]
    assert note.startswith("note") and "'u10'" in note
    assert not taken()


def test_a_run_on_ranks_says_it_once_for_each(tmp_path: Path):
    winds(tmp_path)
    (tmp_path / "case.toml").write_text(case_text)
    words = ["run", str(tmp_path), "-n", "2", "--output", str(tmp_path / "results")]
    done = subprocess.run(
        [sys.executable, "-m", "halocline", *words], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(says) == 2
    for name in ("u10", "v10"):
        assert done.stderr.count(f"halocline: The variable '{name}' of ") == 1
    assert (tmp_path / "results" / "halocline.log").read_text().count(says) == 2


def test_nothing_is_said_of_files_that_have_units(tmp_path: Path, capfd):
    winds(tmp_path, u10="m s-1", v10="m/s")
    table = {"spectrum": {"frequencies": 3, "first_frequency": 0.1, "directions": 4},
             "grid": {"nx": 5, "ny": 5, "x0": -2.0, "y0": -2.0, "dx": 1.0, "dy": 1.0,
                      "depth": 100.0},
             "time": {"start": "2000-01-01", "length": "2h", "step": "1h"},
             "forcing": {"wind": {"file": str(tmp_path / "wind.nc")}}}  # fmt: skip
    run(make_case(table))
    assert "units" not in capfd.readouterr().err
