"""Rivers, deposition, open boundaries and profiles at the start against formulas."""

from pathlib import Path

import numpy as np
import pytest
import xarray

from biogeochemistry import sea_files as sea
from halocline.biogeochemistry.profiles import ProfileOptions, profile_at
from halocline.core.errors import UserError
from halocline.experiment.run import run


def case(folder: Path, **transport) -> dict:
    """The small sea at rest: no circulation, no mixing."""
    sea.write_grid(folder / "grid.nc")
    return {
        "component": "transport",
        "precision": "float64",
        "data_folder": str(folder),
        "grid": {
            "file": "grid.nc",
            "closed_edges": False,
            "levels": {"thickness": sea.thickness.tolist()},
        },
        "time": {"start": "2000-01-01", "length": "2h", "step": "1h"},
        "transport": {
            "tracers": ["N", "P"],
            "profiles": {
                "N": {"surface": [1.0, 2.0], "deep": [9.0, 5.0], "cline": [15.0, 40.0]}
                | {"between": [6.0, 14.0]},
                "P": {"like": "N", "factor": 0.1},
            },
            "circulation": "gyres",
            "gyres": dict.fromkeys(
                ("gyre_transport", "circumpolar_transport", "overturning_transport"), 0.0
            ),
            "mixing": {"surface": 0.0, "background": 0.0},
        }
        | transport,
    }


def expected_start() -> np.ndarray:
    """N at levels from the deepest up, (3, nj, ni)."""
    depth = np.array([50.0, 20.0, 5.0])[:, None, None]
    share = np.clip((sea.x - 6.0) / 8.0, 0.0, 1.0)
    surface, deep, cline = (
        west + share * (east - west) for west, east in ((1.0, 2.0), (9.0, 5.0), (15.0, 40.0))
    )
    step = 0.5 + 0.5 * np.tanh((depth - cline) / 30.0)
    return (surface + (deep - surface) * step) * sea.wet()


def test_profiles_at_the_start(tmp_path: Path):
    found = run(case(tmp_path)).component.model.state.tracer.gather()
    np.testing.assert_allclose(found[0], expected_start(), rtol=1e-6)
    np.testing.assert_allclose(found[1], 0.1 * found[0], rtol=1e-9)
    table = ProfileOptions(west=[[0.0, 4.0], [100.0, 0.0]], east=[[0.0, 2.0]], between=[0.0, 10.0])
    values = profile_at({"a": table}, "a", np.array([25.0, 200.0]), np.array([5.0]))
    np.testing.assert_allclose(values[:, 0], [0.5 * (3.0 + 2.0), 0.5 * (0.0 + 2.0)])


def test_rivers_and_deposition_are_what_formulas_say(tmp_path: Path):
    river = {"mouth": [6.1, 33.9], "flow": 5e5, "concentrations": {"N": 50.0}}
    boundaries = {"rivers": {"r": river}, "deposition": {"P": 2.0}}
    done = run(case(tmp_path, boundaries=boundaries), check_halos=True).component
    area, start = done.plane.area, expected_start()
    found = done.model.state.tracer.gather()
    j, i = 4, 1
    value, volume = start[2, j, i], area[j, i] * 10.0
    for _ in range(2):
        value = (volume * value + 3600 * 5e5 * 50.0) / (volume + 3600 * 5e5)
    assert value > start[2, j, i] + 0.01
    np.testing.assert_allclose(found[0, 2, j, i], value, rtol=1e-6)
    np.testing.assert_allclose(found[0, 2, j + 1, i], start[2, j + 1, i], rtol=1e-6)
    wet = sea.wet()[2]
    rise = (2.0 / 86400 * 7200 / 10.0) * wet
    np.testing.assert_allclose(found[1, 2], 0.1 * start[2] + rise, rtol=1e-6)
    brought = done.boundaries.totals()
    np.testing.assert_allclose(brought[1], 2.0 / 12 * (area * wet).sum(), rtol=1e-12)
    np.testing.assert_allclose(
        done.model.contents(), done.contents_at_start.read()[0] + brought, rtol=1e-12
    )


def raining(folder: Path, *, per_day: float, boundaries: dict) -> dict:
    """Water at rest that rises by rain [m day-1], or falls by evaporation."""
    sea.write_corners(folder / "ocean.nc")
    with xarray.open_dataset(folder / "ocean.nc", decode_times=False) as data:
        data = data.load().drop_vars("vertical_diffusivity")
    for name in ("velocity_u", "velocity_v"):
        data[name] = data[name].copy(data=0.0 * data[name].values)
    level = per_day * (sea.days + 0.5)[:, None, None] + 0.0 * data.sea_level.values
    data["sea_level"] = data.sea_level.copy(data=level)
    flux = np.full(level.shape, 1000.0 * per_day / 86400.0)
    data["water_flux"] = (data.sea_level.dims, flux, {"units": "kg m-2 s-1"})
    data.to_netcdf(folder / "rain.nc")
    table = case(folder, circulation="files", boundaries=boundaries)
    table["transport"]["files"] = {"file": "rain.nc", "fresh_water": True}
    table["time"] = {"start": "2000-01-01T12:00:00", "length": "6h", "step": "1h"}
    return table


@pytest.mark.parametrize("per_day", [0.5, -0.5])
def test_rain_dilutes_and_evaporation_concentrates(tmp_path: Path, per_day: float):
    """From noon of the first day on; in an open boundary the sea's own water comes."""
    opened = {"w": {"box": [4.0, 7.4, 20.0, 50.0], "time_scale": 1e12}}
    table = raining(tmp_path, per_day=per_day, boundaries={"open": opened})
    done = run(table, check_halos=True).component
    found, start, wet = done.model.state.tracer.gather(), expected_start(), sea.wet()[2]
    first, rise = 10.0 + 0.5 * per_day, 0.25 * per_day
    closed = np.arange(sea.ni) > 2
    expected = start[2] * np.where(closed, first / (first + rise), 1.0)
    np.testing.assert_allclose(found[0, 2][wet], expected[wet], rtol=1e-9)
    np.testing.assert_allclose(found[0, :2], start[:2], rtol=1e-12)
    came = (done.plane.area * rise * start[2] * (wet & ~closed)).sum()
    np.testing.assert_allclose(done.boundaries.totals()[0], came, rtol=1e-6)
    begun = done.contents_at_start.read()[0]
    np.testing.assert_allclose(done.model.contents(), begun + done.boundaries.totals(), rtol=1e-12)


def test_with_fresh_water_rivers_bring_what_they_hold_and_replace_nothing(tmp_path: Path):
    river = {"mouth": [6.1, 33.9], "flow": 5e5, "concentrations": {"N": 50.0}}
    table = raining(tmp_path, per_day=0.0, boundaries={"rivers": {"r": river}})
    done = run(table).component
    came = 6 * 3600.0 * 5e5 * 50.0
    np.testing.assert_allclose(done.boundaries.totals(), [came, 0.0], rtol=1e-9, atol=1e-9)


def test_an_open_boundary_holds_or_draws_to_the_start_in_its_middle(tmp_path: Path):
    opened = {"w": {"box": [4.0, 7.4, 20.0, 50.0], "values": {"P": 3.0}}}
    opened["e"] = {"box": [12.6, 16.0, 20.0, 50.0], "time_scale": 1.0, "values": {"P": 3.0}}
    done = run(case(tmp_path, boundaries={"open": opened})).component
    found, start, wet = done.model.state.tracer.gather(), expected_start(), sea.wet()
    np.testing.assert_array_equal(found[1][:, :, :3], 3.0 * wet[:, :, :3])
    middle = run(case(tmp_path)).component.model.start_profiles(5.7, 35.0)[0]
    np.testing.assert_allclose(found[0][:, 5, 1], middle, rtol=1e-12)
    kept = (24 / 25) ** 2
    drawn = 3.0 + kept * (0.1 * start[:, 6, 9] - 3.0)
    np.testing.assert_allclose(found[1][:, 6, 9], drawn, rtol=1e-6)
    np.testing.assert_allclose(found[0][:, 5, 5], start[:, 5, 5], rtol=1e-6)
    np.testing.assert_allclose(
        done.model.contents(),
        done.contents_at_start.read()[0] + done.boundaries.totals(),
        rtol=1e-12,
    )


mistakes = {
    r"boundaries.rivers.r names 'M', which is no tracer": {
        "boundaries": {"rivers": {"r": {"mouth": [6.0, 33.0], "concentrations": {"M": 1.0}}}}
    },
    r"mouth = \[60.0, 33.0\] is .* km from the nearest sea": {
        "boundaries": {
            "rivers": {"r": {"mouth": [60.0, 33.0], "flow": 1.0, "concentrations": {"N": 1.0}}}
        }
    },
    r"deposition: N = -1.0; it is at least 0": {"boundaries": {"deposition": {"N": -1.0}}},
    r"has no cell of the sea": {"boundaries": {"open": {"o": {"box": [40.0, 41.0, 0.0, 1.0]}}}},
    r"'P' is like 'M', which there is not": {"profiles": {"P": {"like": "M"}}},
    r"A profile is one of": {"profiles": {"P": {}}},
    r"begins with -1 at .* E, .* N, .* m, from 'no3' of": {
        "start_file": {"file": "start.nc", "variables": {"N": "no3"}}
    },
    r"has no variable 'po4'": {"start_file": {"file": "start.nc", "variables": {"P": "po4"}}},
}


@pytest.mark.parametrize("message", mistakes)
def test_mistakes_are_refused(tmp_path: Path, message: str):
    data = xarray.Dataset(
        {"no3": (("lat", "lon"), np.full((2, 2), -1.0))}, {"lat": [25.0, 45.0], "lon": [0.0, 20.0]}
    )
    data.to_netcdf(tmp_path / "start.nc")
    with pytest.raises(UserError, match=message):
        run(case(tmp_path, **mistakes[message]))
