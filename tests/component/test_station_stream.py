"""Series and columns at stations: values, places, missing levels, means, restarts. Ranks: 1."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from atmosphere.dynamics_cases import small
from halocline.core.errors import UserError
from halocline.experiment.run import run

points = {"a": [1500.0, 500.0], "Über dem Berg": [3300.0, 1200.0]}
series = {"points": points, "interval": "4s", "variables": ["air_temperature", "wind_u", "ground"]}
columns = {"points": points, "interval": "4s", "variables": ["layer_temperature", "northward_wind"]}
moving = {
    "grid.ny": 5, "grid.x0": 0.0, "grid.y0": 0.0, "time.length": "8s",
    "atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 900.0,
    "atmosphere.mountain.x": 3500.0, "atmosphere.mountain.y": 1000.0,
    "atmosphere.mountain.width": 1500.0, "atmosphere.start.wind_u": 10.0,
    "atmosphere.start.bubble.amplitude": 3.0, "atmosphere.start.bubble.x": 2000.0,
    "atmosphere.diagnostics.pressure_levels": [95e3, 90e3, 50e3],
}  # fmt: skip
all_maps = {"interval": "4s", "precision": "float64"}


def made(folder: Path, streams: dict[str, Any], **more: Any) -> dict[str, xr.Dataset]:
    """The files of a run with these streams of stations, and its maps."""
    given = {f"output.stations.{name}": {"precision": "float64"} | some
             for name, some in streams.items()}  # fmt: skip
    run(small(**moving | given | {"output.fields.maps": all_maps} | more), output=folder)
    return {name: xr.load_dataset(folder / f"{name}.nc") for name in (*streams, "maps")}


def there(maps: xr.Dataset, name: str, x: float, y: float) -> np.ndarray:
    """The field at a point, by xarray."""
    return maps[name].interp(x=x, y=y).values


def test_values_are_those_of_the_cells_around(tmp_path: Path):
    found = made(tmp_path, {"lines": series, "columns": columns})
    assert "featureType" not in found["lines"].attrs, "without longitude and latitude"
    assert found["columns"].attrs["featureType"] == "timeSeriesProfile"
    for stream, some in (("lines", series), ("columns", columns)):
        data = found[stream]
        names = [name.decode().strip("\0 ") for name in data.station_name.values]
        assert names == list(points)
        for number, (x, y) in enumerate(points.values()):
            assert (data.x[number], data.y[number]) == (x, y)
            for name in some["variables"]:
                wanted = there(found["maps"], name, x, y)
                np.testing.assert_allclose(data[name][:, number], wanted, rtol=1e-12, atol=1e-12)
    assert float(found["lines"].ground.max()) > 500.0
    assert found["columns"].layer_temperature.dims == ("time", "station", "height")


def test_levels_below_the_ground_of_a_cell_around_are_missing(tmp_path: Path):
    some = columns | {"variables": ["isobaric_temperature", "isobaric_height"]}
    found = made(tmp_path, {"columns": some})
    wanted = np.stack(
        [there(found["maps"], "isobaric_height", x, y) for x, y in points.values()], 1
    )
    values = found["columns"].isobaric_height.values
    np.testing.assert_array_equal(np.isnan(values), np.isnan(wanted))
    assert np.isnan(values).any() and np.isfinite(values[..., -1]).all()
    np.testing.assert_allclose(values, wanted, rtol=1e-12)


def test_nearest_and_means_over_a_restart(tmp_path: Path):
    """Means of samples, the same where a restart lies between these."""
    mean = series | {"processing": "mean", "interpolation": "nearest", "interval": "8s"}
    every = {"output.fields.maps": all_maps | {"interval": "2s"}}
    whole = made(tmp_path / "whole", {"mean": mean}, **every)
    for number, (x, y) in enumerate(points.values()):
        cell = whole["maps"].air_temperature.sel(x=x, y=y, method="nearest")
        wanted = cell.isel(time=slice(1, None)).mean("time")
        assert float(whole["mean"].air_temperature[0, number]) == pytest.approx(float(wanted))
    given = {"output.stations.mean": {"precision": "float64"} | mean}
    first = small(**moving | given | {"time.length": "4s"})
    run(first, output=tmp_path / "parts")
    second = small(**moving | given | {"restart.source": str(tmp_path / "parts")})
    run(second, output=tmp_path / "parts2")
    again = xr.load_dataset(tmp_path / "parts2" / "mean.nc")
    for name in series["variables"]:
        np.testing.assert_array_equal(again[name], whole["mean"][name])


def test_stations_on_a_map_lie_at_their_longitude_and_latitude(tmp_path: Path):
    """`ground` interpolated by pyproj's x and y of the file's map; the CF checker finds nothing."""
    import pyproj

    from halocline.grids.horizontal.projections import Conic

    x, y = Conic.lambert([54.0], -2.0, 6.37e6).to_map(np.array(-2.0), np.array(54.0))
    grid = {
        "grid.kind": "lambert", "grid.nx": 30, "grid.ny": 20, "grid.dx": 10e3, "grid.dy": 10e3,
        "grid.projection.center_longitude": -2.0, "grid.projection.center_latitude": 54.0,
        "grid.projection.true_latitudes": [54.0], "grid.periodic_x": False,
        "grid.periodic_y": False, "atmosphere.mountain.width": 40e3, "time.length": "4s",
        **{f"grid.sides.{side}": "mirror" for side in ("west", "east", "south", "north")},
        "atmosphere.mountain.x": float(x), "atmosphere.mountain.y": float(y),
    }  # fmt: skip
    some = series | {"points": {"Leeds": [-1.55, 53.8], "York": [-1.08, 53.96]}}
    mean, deep = some | {"processing": "mean"}, columns | {"points": some["points"]}
    found = made(tmp_path, {"lines": some, "means": mean, "columns": deep}, **grid)
    crs = pyproj.CRS.from_cf(found["maps"].projection.attrs)
    for number, (longitude, latitude) in enumerate(some["points"].values()):
        at = pyproj.Proj(crs)(longitude, latitude)
        wanted = there(found["maps"], "ground", *at)
        np.testing.assert_allclose(found["lines"].ground[:, number], wanted, rtol=1e-9)
        assert found["lines"].longitude[number] == longitude
    checker = str(Path(sys.executable).with_name("compliance-checker"))
    files = [str(tmp_path / f"{name}.nc") for name in ("lines", "means", "columns")]
    done = subprocess.run(
        [checker, "--test=cf:1.8", *files], capture_output=True, text=True, check=False
    )
    assert done.stdout.count("All tests passed!") == len(files), done.stdout
    assert found["lines"].attrs["featureType"] == "timeSeries"
    outside = {"output.stations.s": some | {"points": {"Rome": [12.5, 41.9]}}}
    with pytest.raises(UserError, match=r"'Rome' at 12.5 E, 41.9 N .* nearest cell .* km away"):
        run(small(**moving | grid | outside), output=tmp_path / "no")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"points": {}}, "There are no points"),
        ({"variables": []}, "There are no variables"),
        ({"variables": ["x_wind"]}, "'x_wind' lies on faces"),
        ({"variables": ["ground", "layer_temperature"]}, "ground has no levels, the others have"),
        ({"variables": ["surface_cape"]}, "Choose atmosphere.microphysics.scheme"),
        ({"points": {"far": [1e6, 0.0]}}, "'far' at x = 1e\\+06 m, y = 0 m lies outside"),
    ],
)
def test_mistakes_are_refused(tmp_path: Path, wrong: dict[str, Any], words: str):
    with pytest.raises(UserError, match=f"'s'.*{words}"):
        run(small(**moving | {"output.stations.s": series | wrong}), output=tmp_path)
