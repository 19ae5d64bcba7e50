"""Streams of regions, means and extremes, split in time, in netCDF-4 and Zarr, from whole runs.

Ranks: 1, and 3 where said.
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

from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command

names = ["significant_height", "mean_direction", "wind_speed"]


def case(hours=6, restart="", **streams) -> dict[str, Any]:
    return {
        "component": "waves",
        "grid": {"nx": 12, "ny": 8, "dx": 30.0, "dy": 10.0, "y0": -35.0, "depth": 3000.0},
        "spectrum": {"frequencies": 6, "factor": 1.3, "directions": 8},
        "time": {"start": "2000-01-01", "length": f"{hours}h", "step": "30min"},
        "forcing": {"wind": {"function": "given"}},
        "start": {"kind": "jonswap"},
        "restart": {"source": restart},
        "output": {"fields": {"maps": {"variables": names, **streams}}},
    }


def turning_wind(seconds, x, y):
    """A wind that turns once in 12 hours and grows to the north."""
    angle = 2.0 * np.pi * seconds / 43200.0
    return (15.0 + 0.1 * y) * np.cos(angle) + 0.0 * x, (15.0 + 0.1 * y) * np.sin(angle)


def write(folder: Path, settings: dict[str, Any] | None = None, **more: Any) -> Path:
    table = case(**more) | (settings or {})
    run(table, output=folder, wind_function=turning_wind)
    return folder


def opened(path: Path) -> xarray.Dataset:
    if path.suffix == ".zarr":
        return xarray.load_dataset(path, engine="zarr", consolidated=False)
    return xarray.load_dataset(path)


@pytest.fixture(scope="module")
def moments(tmp_path_factory) -> xarray.Dataset:
    """Every half hour, in float64."""
    folder = tmp_path_factory.mktemp("moments")
    write(folder, interval="30min", precision="float64")
    return opened(folder / "maps.nc")


@pytest.mark.parametrize("processing", ["mean", "minimum", "maximum"])
def test_means_and_extremes_over_the_interval(tmp_path, moments, processing):
    chosen = names if processing == "mean" else ["significant_height", "wind_speed"]
    settings = {"interval": "3h", "processing": processing, "precision": "float64"}
    found = opened(write(tmp_path, variables=chosen, **settings) / "maps.nc")
    assert found.time.size == 2
    begin = np.datetime64("2000-01-01")
    for number in range(2):
        edges = begin + np.array([3 * number, 3 * number + 3]) * np.timedelta64(1, "h")
        assert (found.time_bounds.values[number] == edges).all()
        assert found.time.values[number] == edges[1]
        part = moments.isel(time=slice(1 + 6 * number, 7 + 6 * number))
        for name in ("significant_height", "wind_speed"):
            expected = getattr(part[name], processing[:3] if processing != "mean" else "mean")
            plane = expected("time").values
            assert np.isfinite(plane).any()
            np.testing.assert_allclose(found[name].values[number], plane, rtol=1e-12)
        if processing == "mean":
            angle = np.deg2rad(part.mean_direction)
            east, north = np.sin(angle).mean("time"), np.cos(angle).mean("time")
            mean = np.rad2deg(np.arctan2(east, north)) % 360.0
            away = (found.mean_direction[number] - mean + 180.0) % 360.0 - 180.0
            assert float(abs(away).max()) < 1e-6
    methods = found.significant_height.attrs["cell_methods"]
    assert methods == f"time: {processing} (interval: 1800 s)"
    with netCDF4.Dataset(tmp_path / "maps.nc") as file:
        assert file["time"].bounds == "time_bounds"


def test_values_that_are_missing_do_not_count(tmp_path, moments):
    """Samples of the wind only, each hour: the plain mean of every other moment."""
    settings = {"interval": "3h", "sampling": "1h", "processing": "mean"}
    found = opened(write(tmp_path, variables=["wind_speed"], **settings) / "maps.nc")
    plane = moments.wind_speed.isel(time=[2, 4, 6]).mean("time").values
    np.testing.assert_allclose(found.wind_speed.values[0], plane, rtol=1e-6)


@pytest.mark.parametrize("format", ["cdf5", "netcdf4", "zarr"])
def test_a_split_in_the_middle_of_an_interval_gives_the_same_file(tmp_path, format):
    settings = {"interval": "2h", "processing": "mean", "format": format, "split": "4h"}
    whole = write(tmp_path / "whole", **settings)
    halves = write(tmp_path / "halves", hours=3, **settings)
    write(halves, restart=str(halves), **settings)
    cut = {"decomposition": {"kind": "curve", "blocks_per_rank": 3}}
    other = write(tmp_path / "other", cut, **settings)
    suffix = "zarr" if format == "zarr" else "nc"
    files = [f"maps_2000010{time}.{suffix}" for time in ("1T000000", "1T040000")]
    assert sorted(path.name for path in whole.glob("maps*")) == files
    assert sorted(path.name for path in halves.glob("maps*")) == files
    assert [opened(whole / file).time.size for file in files] == [2, 1]
    for file in files:
        first = opened(whole / file)
        assert np.isfinite(first.significant_height).any()
        for folder in (halves, other):
            assert opened(folder / file).identical(first)
            if format == "cdf5":
                assert (folder / file).read_bytes() == (whole / file).read_bytes()


def test_files_of_a_day_each_begin_at_midnight(tmp_path):
    settings = {"interval": "2h", "split": "4h", "file": "{date}/{stream}_of_{start}.nc"}
    write(tmp_path, **settings)
    first = opened(tmp_path / "20000101T000000" / "maps_of_20000101T000000.nc")
    second = opened(tmp_path / "20000101T040000" / "maps_of_20000101T000000.nc")
    assert first.time.dt.hour.values.tolist() == [0, 2]
    assert second.time.dt.hour.values.tolist() == [4, 6]


@pytest.mark.parametrize(("compression", "shard"), [(0, 1), (5, 1), (1, 5)])
def test_zarr_holds_what_netcdf_holds(tmp_path, moments, compression, shard):
    settings = {"interval": "30min", "precision": "float64", "compression": compression}
    settings["shard"] = shard
    folder = write(tmp_path, format="zarr", **settings)
    assert sorted(path.name for path in folder.glob("maps*")) == ["maps.zarr"]
    expected = moments.drop_vars("record_checksum")
    found = opened(folder / "maps.zarr")
    assert len(found.attrs.pop("metadata_crc32c")) == 8
    assert found.identical(expected)
    places = (folder / "maps.zarr" / "significant_height" / "c").iterdir()
    assert len(list(places)) == (13 if shard == 1 else 3)
    write(folder, format="zarr", existing="replace", **settings)
    write(folder, format="zarr", existing="move", **settings)
    assert sorted(path.name for path in folder.glob("maps*")) == ["maps.1.zarr", "maps.zarr"]


def test_regions(tmp_path, moments):
    # Across the edge of a globe, and south of 10 N.
    found = opened(write(tmp_path, region=[-65, 70, -90, 10], precision="float64") / "maps.nc")
    assert found.longitude.values.tolist() == [-60.0, -30.0, 0.0, 30.0, 60.0]
    assert found.latitude.values.tolist() == [-35.0, -25.0, -15.0, -5.0, 5.0]
    columns = [10, 11, 0, 1, 2]
    whole = moments.significant_height.values[::2, :5][..., columns]
    assert np.array_equal(found.significant_height.values, whole, equal_nan=True)


def test_point_spectra_say_what_they_are_made_of(tmp_path):
    table = case()
    points = {"here": [40.0, 5.0]}
    table["output"] = {
        "points": {
            "between": {"points": points, "precision": "float64"},
            "near": {"points": points, "interpolation": "nearest", "precision": "float64"},
            "corners": {
                "points": {f"{x} {y}": [x, y] for x in (30.0, 60.0) for y in (5.0, 15.0)},
                "precision": "float64",
            },
        }
    }
    run(table, output=tmp_path, wind_function=turning_wind)
    between, near, corners = (
        xarray.load_dataset(tmp_path / f"{name}.nc") for name in ("between", "near", "corners")
    )
    np.testing.assert_allclose(between.corner_weight.values[0], [2 / 3, 1 / 3, 0, 0], atol=1e-12)
    assert between.corner_lon.values[0, :2].tolist() == [30.0, 60.0]
    assert np.array_equal(near.efth.values, corners.efth.values[:, :1])
    mixed = (2 * corners.efth.values[:, 0] + corners.efth.values[:, 2]) / 3
    assert mixed.max() > 0
    np.testing.assert_allclose(between.efth.values[:, 0], mixed, rtol=1e-12)


def point_case(hours=6, restart="", cut=None, **more):
    points = {"points": {"a": [40.0, 5.0], "b": [60.0, -15.0]}, "precision": "float64"}
    table = case(hours, restart)
    table["output"] = {"points": {"buoys": points | {"variables": names} | more}}
    return table | ({"decomposition": cut} if cut else {})


def test_fields_at_points(tmp_path, moments):
    settings = {"interval": "30min", "spectra": False}
    run(point_case(**settings), output=tmp_path, wind_function=turning_wind)
    found = xarray.load_dataset(tmp_path / "buoys.nc")
    assert "efth" not in found
    assert found.significant_height.dims == ("time", "station")
    west, east = (moments.sel(longitude=x, latitude=5.0) for x in (30.0, 60.0))
    for name in ("significant_height", "wind_speed"):
        expected = (2.0 * west[name] + east[name]) / 3.0
        np.testing.assert_allclose(found[name][:, 0], expected, rtol=1e-6)
        exact = moments[name].sel(longitude=60.0, latitude=-15.0)
        np.testing.assert_allclose(found[name][:, 1], exact, rtol=1e-6)
    angles = [np.exp(1j * np.deg2rad(some.mean_direction)) for some in (west, east)]
    expected = np.angle(2.0 * angles[0] + angles[1], deg=True) % 360.0
    np.testing.assert_allclose(found.mean_direction[:, 0], expected, atol=1e-4)


def test_means_at_points(tmp_path):
    run(point_case(interval="30min"), output=tmp_path / "all", wind_function=turning_wind)
    settings = {"interval": "3h", "processing": "mean"}
    run(point_case(**settings), output=tmp_path / "mean", wind_function=turning_wind)
    every = xarray.load_dataset(tmp_path / "all" / "buoys.nc")
    found = xarray.load_dataset(tmp_path / "mean" / "buoys.nc")
    assert found.time.size == 2
    part = every.isel(time=slice(7, 13))
    for name in ("efth", "wnd", "significant_height"):
        assert float(found[name][1].max()) > 0
        np.testing.assert_allclose(found[name][1], part[name].mean("time"), rtol=1e-12)
    mean = np.exp(1j * np.deg2rad(part.wnddir)).mean("time")
    np.testing.assert_allclose(found.wnddir[1], np.angle(mean, deg=True) % 360.0, atol=1e-6)
    assert found.efth.attrs["cell_methods"] == "time: mean (interval: 1800 s)"
    halves = tmp_path / "halves"
    run(point_case(4, **settings), output=halves, wind_function=turning_wind)
    cards = {"kind": "cards", "blocks_per_rank": 2}
    again = point_case(6, str(halves), cards, **settings)
    run(again, output=halves, wind_function=turning_wind)
    whole = (tmp_path / "mean" / "buoys.nc").read_bytes()
    assert (halves / "buoys.nc").read_bytes() == whole


def test_means_split_on_several_ranks(tmp_path):
    """Ranks: 3, started here, in two parts of the run."""
    table = point_case(processing="mean", interval="2h")
    table["forcing"] = {"wind": {"speed": 15.0, "direction": 250.0}}
    table["output"]["fields"] = {"maps": {"processing": "mean", "interval": "2h"}}
    run(table, output=tmp_path / "one")
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    for length, source in (("3h", ""), ("6h", str(tmp_path / "ranks"))):
        table["time"]["length"], table["restart"] = length, {"source": source}
        case_file = tmp_path / "case.toml"
        case_file.write_text(tomli_w.dumps(table), encoding="utf-8")
        words = [sys.executable, "-m", "halocline", "run", str(case_file)]
        done = subprocess.run(
            [*mpiexec_command(3, threads=1), *words, "--output", str(tmp_path / "ranks")],
            env=environment, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
    for name in ("maps.nc", "buoys.nc"):
        whole = (tmp_path / "one" / name).read_bytes()
        assert (tmp_path / "ranks" / name).read_bytes() == whole


def test_what_points_refuse(tmp_path):
    for settings, message in (
        ({"spectra": False, "variables": []}, "neither spectra nor variables"),
        ({"variables": ["wave_spectrum"]}, "set spectra = true"),
        ({"variables": ["height"]}, "Unknown output variable 'height'"),
        ({"processing": "maximum"}, "is not one of: instantaneous, mean"),
    ):
        with pytest.raises(UserError, match=message):
            run(point_case(**settings), output=tmp_path, wind_function=turning_wind)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"processing": "maximum"}, "'mean_direction' is a direction, which has no maximum"),
        ({"processing": "mean", "sampling": "45min"}, "sampling = 45min must be a multiple"),
        ({"shard": 2}, "Only Zarr folders have shards"),
        ({"split": "30min"}, "split = 30min is shorter than interval = 1h"),
        ({"region": [0, 10, 5]}, "write .west, east, south, north."),
        ({"region": [1, 2, 3, 4]}, "holds no point of the grid"),
    ],
)
def test_what_cannot_be(tmp_path, settings, message):
    with pytest.raises(UserError, match=f"(In output stream 'maps':|maps.:) .*{message}"):
        write(tmp_path, **settings)
