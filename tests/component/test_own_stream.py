"""Output streams of the user's own functions.

Ranks: 1, and 3 for a function that fails, started here.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import halocline
from halocline.core.errors import UserError
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command


def case(hours=3, **more: Any) -> dict[str, Any]:
    return {
        "grid": {"nx": 12, "ny": 8, "dx": 30.0, "dy": 10.0, "y0": -35.0, "depth": 3000.0},
        "spectrum": {"frequencies": 6, "factor": 1.3, "directions": 8},
        "time": {"start": "2000-01-01", "length": f"{hours}h", "step": "30min"},
        "forcing": {"wind": {"speed": 15.0, "direction": 250.0}},
        "start": {"kind": "jonswap"},
        "output": {"fields": {"maps": {"interval": "1h", "precision": "float64"}}},
    } | more


def heights(fields, grid):
    height = fields["significant_height"]
    return {"mean_height": np.nansum(height * grid.area) / grid.area[grid.mask].sum()}


def stream(function=heights, **more: Any) -> halocline.OwnStream:
    settings = {"reads": ["significant_height"], "writes": {"mean_height": "m"}} | more
    return halocline.OwnStream("mine", function, precision="float64", **settings)


def test_numbers_of_whole_fields_also_when_split(tmp_path):
    halocline.run(case(), output=tmp_path, streams=[stream()])
    with xarray.open_dataset(tmp_path / "maps.nc") as data:
        maps = data.significant_height.values
    with xarray.open_dataset(tmp_path / "mine.nc") as data:
        assert data.mean_height.dims == ("time",)
        assert data.mean_height.units == "m"
        weights = np.cos(np.deg2rad(np.arange(-35.0, 45.0, 10.0)))[None, :, None]
        sea = np.isfinite(maps)
        expected = np.nansum(maps * weights, axis=(1, 2)) / (sea * weights).sum(axis=(1, 2))
        np.testing.assert_allclose(data.mean_height.values, expected, rtol=1e-6)
    halves = tmp_path / "halves"
    halocline.run(case(1), output=halves, streams=[stream()])
    again = case(restart={"source": str(halves)})
    halocline.run(again, output=halves, streams=[stream()])
    assert (halves / "mine.nc").read_bytes() == (tmp_path / "mine.nc").read_bytes()


def test_maps(tmp_path):
    def doubled(fields, grid):
        return {"twice": 2.0 * fields["significant_height"]}

    own = stream(doubled, writes={"twice": "m"}, maps=True, format="zarr")
    halocline.run(case(), output=tmp_path, streams=[own])
    assert own.path == tmp_path / "mine.zarr"
    with (
        xarray.open_dataset(tmp_path / "maps.nc") as maps,
        xarray.open_dataset(own.path, consolidated=False) as mine,
    ):
        assert np.array_equal(mine.twice, 2.0 * maps.significant_height, equal_nan=True)
        assert float(mine.twice.max()) > 0


def test_what_is_refused(tmp_path):
    def run(**more):
        halocline.run(case(), output=tmp_path, streams=[stream(**more)])

    with pytest.raises(UserError, match="failed: ZeroDivisionError"):
        run(function=lambda fields, grid: {"mean_height": 1 / 0})
    with pytest.raises(UserError, match=r"gave \{'height': \(\)\}, but each of mean_height"):
        run(function=lambda fields, grid: {"height": 1.0})
    with pytest.raises(UserError, match="Unknown output variable 'height'"):
        run(reads=["height"])
    with pytest.raises(UserError, match="Unknown option 'stream mine.intervall'. Did you mean"):
        run(intervall="1h")
    with pytest.raises(UserError, match="Two output streams write to"):
        run(file="maps.nc")
    with pytest.raises(UserError, match="name what it writes"):
        run(writes={})


script = """
import sys
import halocline
sys.path.insert(0, sys.argv[1])
from test_own_stream import case, stream

try:
    halocline.run(case(), output=sys.argv[2], streams=[stream(lambda fields, grid: 1 / 0)])
except halocline.core.errors.UserError as error:
    assert "failed: ZeroDivisionError" in str(error)
    sys.exit(7)
"""


def test_a_function_that_fails_ends_all_ranks(tmp_path):
    here = str(Path(__file__).parent)
    command = [*mpiexec_command(3, threads=1), sys.executable, "-c", script, here, str(tmp_path)]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 7, done.stdout + done.stderr
