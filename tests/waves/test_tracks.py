"""Spectra along paths in space and time.

Ranks: 1, and 3 for one path, started here.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import tomli_w
import xarray

from halocline.component.case.reading import make_case
from halocline.core.errors import UserError
from halocline.experiment.check import report
from halocline.experiment.run import run
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command

ship = """time, latitude, longitude
2000-01-01T00:10, 4.0, 31.0
2000-01-01T00:50:30, 5.5, -320
2000-01-01 01:00, 6.0, 45
2000-01-01T04:10, 9.0, 55.0
2000-01-01T05:59, 10.0, 59.0
"""


def case(positions: Path, hours=6, restart="", **stream: Any) -> dict[str, Any]:
    track = {"positions": str(positions), "precision": "float64"} | stream
    every = {f"{x} {y}": [x, y] for x in (30.0, 60.0) for y in (-5.0, 5.0, 15.0)}
    points = {"points": every, "interval": "30min", "precision": "float64"}
    return {
        "component": "waves",
        "grid": {"nx": 12, "ny": 8, "dx": 30.0, "dy": 10.0, "y0": -35.0, "depth": 3000.0},
        "spectrum": {"frequencies": 6, "factor": 1.3, "directions": 8},
        "time": {"start": "2000-01-01", "length": f"{hours}h", "step": "30min"},
        "forcing": {"wind": {"speed": 15.0, "direction": 250.0}},
        "start": {"kind": "jonswap"},
        "restart": {"source": restart},
        "output": {"tracks": {"ship": track}, "points": {"around": points}},
    }


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "ship.csv"
    file.write_text(ship)
    return file


def test_the_spectra_of_the_place_at_the_nearest_moment(tmp_path, path):
    run(case(path), output=tmp_path)
    track, around = (xarray.load_dataset(tmp_path / f"{name}.nc") for name in ("ship", "around"))
    times = ["00:10:00", "00:50:30", "01:00:00", "04:10:00", "05:59:00"]
    moments = ["00:00", "01:00", "01:00", "04:00", "06:00"]
    assert (track.time == np.array([f"2000-01-01T{t}" for t in times], "M8[ns]")).all()
    assert (track.model_time == np.array([f"2000-01-01T{t}" for t in moments], "M8[ns]")).all()
    assert track.lon.values.tolist() == [31.0, -320.0, 45.0, 55.0, 59.0]
    for row in range(5):
        x, y = (track.lon.values[row] - 30.0) % 360.0 / 30.0, track.lat.values[row]
        south, up = (5.0, (y - 5.0) / 10.0) if y >= 5.0 else (-5.0, (y + 5.0) / 10.0)
        at = around.efth.sel(time=track.model_time[row]).values
        names = [name.decode() for name in around.station_name.values]
        expected = sum(
            wx * wy * at[names.index(f"{lon} {lat}")]
            for lon, wx in ((30.0, 1.0 - x), (60.0, x))
            for lat, wy in ((south, 1.0 - up), (south + 10.0, up))
        )
        assert expected.max() > 0
        np.testing.assert_allclose(track.efth.values[row], expected, rtol=1e-12)
    assert track.wnd.values == pytest.approx(15.0)
    assert track.wnddir.values == pytest.approx(250.0)
    assert track.attrs["featureType"] == "trajectory"
    assert bytes(track.trajectory.values.item()).decode() == "ship"
    assert "one record for each position" in report(make_case(case(path)))


def test_same_bytes_split_and_on_any_ranks(tmp_path, path):
    run(case(path), output=tmp_path / "whole")
    whole = (tmp_path / "whole" / "ship.nc").read_bytes()
    halves = tmp_path / "halves"
    first = case(path, outside="leave_out")
    run(first, output=tmp_path / "left")
    assert (tmp_path / "left" / "ship.nc").read_bytes() == whole
    for hours, restart in ((1, ""), (6, str(halves))):
        run(case(path, hours, restart, outside="leave_out"), output=halves)
    assert (halves / "ship.nc").read_bytes() == whole
    file = tmp_path / "case.toml"
    file.write_text(tomli_w.dumps(case(path)), encoding="utf-8")
    command = [*mpiexec_command(3, threads=1), sys.executable, "-m", "halocline", "run", str(file)]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(
        [*command, "--output", str(tmp_path / "ranks")],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "ranks" / "ship.nc").read_bytes() == whole


def test_paths_from_netcdf(tmp_path, path):
    run(case(path), output=tmp_path / "csv")
    netcdf = tmp_path / "ship.nc"
    with netCDF4.Dataset(netcdf, "w") as file:
        file.createDimension("obs", 5)
        for name in ("time", "lat", "lon"):
            file.createVariable(name, "f8", ("obs",))
        file["time"].units = "minutes since 2000-01-01"
        file["time"][:] = [10, 359, 50.5, 60, 250]
        file["lat"][:] = [4.0, 10.0, 5.5, 6.0, 9.0]
        file["lon"][:] = [31.0, 59.0, -320.0, 45.0, 55.0]
    run(case(netcdf), output=tmp_path / "netcdf")
    assert (tmp_path / "netcdf/ship.nc").read_bytes() == (tmp_path / "csv/ship.nc").read_bytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("date,lat\n2000-01-01,1\n", "has no 'longitude'; it has date, lat"),
        ("time,lat,lon\n", "holds no position"),
        ("time,lat,lon\n2000-01-01,1\n", "Line 2 of .* is no position"),
        ("time,lat,lon\nyesterday,1,2\n", "Line 2 of .* is no position: Cannot read the date"),
        (2 * "time,lat,lon\n2000-01-01,1,2\n", "Line 3 of"),
        ("time,lat,lon\n2000-01-01,1,2\n2000-01-01,2,2\n", "two positions at 2000-01-01 00:00"),
        (ship + "2000-01-01T07:00,1,2\n", "1 of 6 positions lie outside the time of the stream"),
        (ship + "2000-01-01T03:00,70,2\n", "outside the model grid; the first is 2 E, 70 N"),
        (ship + "2000-01-01T03:00,-37,2\n", "lie on land.* the first is 2 E, 37 S at .* 03:00"),
    ],
)
def test_what_is_refused(tmp_path, path, content, message):
    path.write_text(content)
    with pytest.raises(UserError, match=f"In output stream 'ship': .*{message}"):
        run(case(path), output=tmp_path)


def test_what_is_left_out(tmp_path, path):
    run(case(path), output=tmp_path)
    expected = (tmp_path / "ship.nc").read_bytes()
    more = ["2000-01-01T03:00,-37,2", "2000-01-01T03:01,70,2", "2000-01-01T07:00,1,2"]
    path.write_text(ship + "\n".join(more))
    run(case(path, outside="leave_out"), output=tmp_path)
    assert (tmp_path / "ship.nc").read_bytes() == expected
    path.write_text("time,lat,lon\n" + more[-1])
    with pytest.raises(UserError, match="None of the 1 positions lies at sea within"):
        run(case(path, outside="leave_out"), output=tmp_path)


def test_a_missing_file(tmp_path):
    with pytest.raises(UserError, match="No data file 'nowhere.csv'"):
        run(case(Path("nowhere.csv")), output=tmp_path)
    with pytest.raises(UserError, match="'ship' does not name its path"):
        run(case(Path("x")) | {"output": {"tracks": {"ship": {}}}}, output=tmp_path)


def test_paths_and_points_as_zarr(tmp_path, path):
    table = case(path, hours=1, outside="leave_out")
    run(table, output=tmp_path)
    table["output"]["tracks"]["ship"] |= {"format": "zarr", "compression": 1}
    table["output"]["points"]["around"] |= {"format": "zarr"}
    run(table, output=tmp_path / "zarr")
    for name, label in (("ship", "trajectory"), ("around", "station_name")):
        with (
            xarray.open_dataset(tmp_path / f"{name}.nc") as netcdf,
            xarray.open_dataset(tmp_path / "zarr" / f"{name}.zarr", consolidated=False) as folder,
        ):
            assert len(folder.attrs.pop("metadata_crc32c")) == 8
            assert folder.drop_vars(label).identical(netcdf.drop_vars([label, "record_checksum"]))
            assert (folder[label] == netcdf[label].astype(str)).all()
            assert folder[label].size > 0
