"""The same bits whether a run is split by a restart, checked for halos, or writes output."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

from halocline.experiment.run import Result, run

hours = 6


def case(**more: Any) -> dict[str, Any]:
    """A stormy periodic band with a shelf, all processes on."""
    depth = [20.0 if 10 <= i < 16 else 3000.0 for i in range(36)]
    grid = {"nx": 36, "ny": 20, "dx": 10.0, "dy": 6.0, "y0": -57.0, "depth": depth}
    base: dict[str, Any] = {
        "component": "waves",
        "grid": grid,
        "spectrum": {"frequencies": 14, "factor": 1.18, "directions": 12},
        "time": {"start": "2000-01-01", "length": f"{hours}h", "step": "1h"},
        "forcing": {"wind": {"speed": 17.0, "direction": 250.0}},
        "start": {"kind": "jonswap"},
    }
    return base | more


def state(result: Result) -> dict[str, np.ndarray]:
    fields = {field.name: field.gather() for field in result.component.restart_fields()}
    assert all(np.isfinite(values).all() for values in fields.values())
    assert fields["spectrum"].max() > 0
    return fields


@pytest.fixture(scope="module")
def whole() -> dict[str, np.ndarray]:
    return state(run(case()))


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("split", [1, 2, 5])
def test_restart_split(tmp_path: Path, whole, split):
    first = case(restart={"interval": f"{split}h", "at_end": False})
    first["time"] = first["time"] | {"length": f"{split}h"}
    run(first, output=tmp_path)
    other_cut = {"kind": "curve", "blocks_per_rank": 3}
    second = case(restart={"source": str(tmp_path)}, decomposition=other_cut)
    result = run(second)
    assert result.outcome.steps == hours - split
    assert same(state(result), whole)


@pytest.mark.parametrize("split", [2, 3])
def test_restart_split_with_forcing_from_files(tmp_path: Path, split):
    """At a record of the file, where the first run reads no further, and between two."""
    moments = np.datetime64("2000-01-01", "ns") + np.arange(4) * np.timedelta64(3, "h")
    random = np.random.default_rng(2)
    axes = {"time": moments, "lat": [-90.0, 0.0, 90.0], "lon": np.arange(0.0, 360.0, 30.0)}
    data = xarray.Dataset(
        {name: (tuple(axes), 12.0 * random.random((4, 3, 12))) for name in ("u10", "v10")}, axes
    )
    data.lat.attrs["units"], data.lon.attrs["units"] = "degrees_north", "degrees_east"
    data.to_netcdf(tmp_path / "wind.nc")
    windy = case(forcing={"wind": {"file": str(tmp_path / "wind.nc")}})
    whole = state(run(windy))
    first = windy | {"restart": {"interval": f"{split}h", "at_end": False}}
    first["time"] = first["time"] | {"length": f"{split}h"}
    run(first, output=tmp_path / "first")
    second = windy | {"restart": {"source": str(tmp_path / "first")}}
    assert same(state(run(second)), whole)


water = {
    "current_function": lambda t, x, y: (3.0 * (x / 180.0 - 1.0) + t / 2e4, 1.0 - x / 180.0),
    "level_function": lambda t, x, y: 4.0 * (x / 180.0 - 1.0) * (1.0 - t / 2e4) + 0.0 * y,
}
"""Of water that moves and rises, in sums and products only."""


@pytest.fixture(scope="module")
def flowing() -> dict[str, np.ndarray]:
    return state(run(case(), **water))


def test_restart_split_over_water_that_moves(tmp_path: Path, whole, flowing):
    assert not same(flowing, whole)
    first = case(restart={"interval": "2h", "at_end": False})
    first["time"] = first["time"] | {"length": "2h"}
    run(first, output=tmp_path, **water)
    second = case(restart={"source": str(tmp_path)}, decomposition={"kind": "curve"})
    result = run(second, **water)
    assert result.outcome.steps == hours - 2
    assert same(state(result), flowing)


@pytest.mark.parametrize("kind", ["curve", "cards"])
def test_halo_check_and_output_over_water_that_moves(tmp_path: Path, kind):
    short = {"start": "2000-01-01", "length": "2h", "step": "1h"}
    expected = state(run(case(time=short), **water))
    cut = {"kind": kind, "blocks_per_rank": 2}
    names = ["current_u", "current_v", "sea_level", "depth", "absolute_peak_period", "wind_speed"]
    names += ["drag_coefficient", "swell1_height"]
    output = {
        "fields": {"maps": {"variables": names, "interval": "1h"}},
        "points": {"buoys": {"points": {"a": [100.0, 0.0]}, "interval": "2h"}},
    }
    table = case(time=short, decomposition=cut, output=output)
    assert same(state(run(table, check_halos=True, output=tmp_path, **water)), expected)
    with xarray.open_dataset(tmp_path / "maps.nc") as maps:
        given = water["level_function"](7200.0, maps.longitude.values, 0.0)
        last = maps.isel(time=-1, latitude=5)
        np.testing.assert_allclose(last.sea_level, given, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(last.current_v, 1.0 - maps.longitude / 180.0, atol=1e-5)


def test_halo_check(whole):
    blocks = {"kind": "blocks", "blocks_per_rank": 4}
    assert same(state(run(case(decomposition=blocks), check_halos=True)), whole)


def test_output(tmp_path: Path, whole):
    heights = {"variables": ["significant_height", "wind_speed"]}
    points = {"points": {"a": [100.0, 0.0]}}
    path, nest = tmp_path / "ship.csv", tmp_path / "nest.toml"
    path.write_text("time,lon,lat\n2000-01-01T02:10,100,0\n2000-01-01T04:10,101,1\n")
    nest.write_text("[grid]\nx0 = 80\nnx = 5\nny = 5\ndx = 10.0\nboundary = ['west', 'south']\n")
    output = {
        "fields": {
            "maps": heights | {"interval": "1h"},
            "means": heights | {"interval": "3h", "processing": "mean", "format": "zarr"},
            "greatest": heights | {"interval": "2h", "processing": "maximum", "split": "4h"},
        },
        "points": {
            "buoys": points | {"interval": "2h"},
            "mean_buoys": points | {"interval": "3h", "processing": "mean"},
        },
        "tracks": {"ship": {"positions": str(path)}},
        "boundary": {"nest": {"case": str(nest)}},
    }
    result = run(case(output=output), output=tmp_path / "results")
    assert len(list((tmp_path / "results").glob("*.nc"))) == 7
    assert len(list((tmp_path / "results").glob("*.zarr"))) == 1
    assert same(state(result), whole)


def test_float64_differs_little(whole):
    precise = state(run(case(precision="float64")))
    low = whole["spectrum"].astype(float).sum()
    high = precise["spectrum"].sum()
    assert high != low
    assert low == pytest.approx(high, rel=2e-3)
