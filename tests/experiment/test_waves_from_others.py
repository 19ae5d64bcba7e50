"""What waves take from other members comes where the other reaches, with the bits of their own."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

from halocline.core.errors import UserError
from halocline.experiment.members import make_members
from halocline.experiment.plan import plan_members
from halocline.experiment.run import run

facts = {
    "wind_u": ("eastward_wind", "m s-1", 12.0),
    "wind_v": ("northward_wind", "m s-1", -5.0),
    "air_sea_temperature_difference": ("", "K", -3.0),
    "current_u": ("surface_eastward_sea_water_velocity", "m s-1", 0.75),
    "current_v": ("surface_northward_sea_water_velocity", "m s-1", 0.25),
    "sea_level": ("sea_surface_height_above_geoid", "m", 2.5),
}
names = list(facts)
sea: dict[str, Any] = {
    "component": "waves",
    "precision": "float64",
    "time": {"step": "30min"},
    "grid": {
        "nx": 10, "ny": 6, "dx": 0.5, "dy": 0.5, "x0": 0.25, "y0": 40.25, "depth": 25.0,
    },
    "spectrum": {"frequencies": 10, "first_frequency": 0.08, "directions": 8},
    "start": {"kind": "jonswap"},
}  # fmt: skip
time = {"start": "2000-01-01T00:00:00", "length": "3h"}


def others(folder: Path, west: float = -1.0, rates: float = 0.0) -> dict[str, Any]:
    """A member with the same values everywhere east of a meridian, which grow by `rates` a day."""
    x, y = np.arange(west, 8.0, 1.0), np.arange(38.0, 46.0, 1.0)
    values = {
        name: (
            ("time", "lat", "lon"),
            value * (1.0 + rates * np.arange(2.0)[:, None, None]) * np.ones((y.size, x.size)),
            {"standard_name": standard, "units": units},
        )
        for name, (standard, units, value) in facts.items()
    }
    hours = np.datetime64("2000-01-01") + np.array([0, 24]) * np.timedelta64(1, "h")
    lines = {
        "time": hours,
        "lat": ("lat", y, {"units": "degrees_north"}),
        "lon": ("lon", x, {"units": "degrees_east"}),
    }
    xarray.Dataset(values, lines).to_netcdf(folder / "others.nc")
    source = {"file": "others.nc", "fields": names, "variables": names}
    return {
        "component": "data", "precision": "float64", "data_folder": str(folder),
        "time": {"step": "30min"}, "data": {"gives": {"all": source}},
    }  # fmt: skip


def coupled(source: dict[str, Any], given: list[str], **more: Any) -> dict[str, Any]:
    # `components` of vectors, as files give them
    exchange = {
        "source": "others", "target": "sea", "fields": given, "vectors": "components",
    }  # fmt: skip
    return {
        "time": time,
        "members": {"others": source, "sea": sea | more},
        "exchanges": {"all": exchange},
    }


own: dict[str, Any] = {
    "wind": {"speed": 13.0, "direction": float(np.degrees(np.arctan2(-12.0, 5.0)))},
    "air_sea": {"constant": -3.0},
    "currents": {"eastward": 0.75, "northward": 0.25},
    "level": {"height": 2.5},
}
"""The same from the case."""


@pytest.mark.parametrize("kind", ["blocks", "cards"])
def test_what_comes_is_as_what_the_case_says(tmp_path: Path, kind: str):
    """Winds, temperatures and water of others change nothing beside those of the case."""
    given = names if kind == "blocks" else names[:3]
    forcing = own if kind == "blocks" else {name: own[name] for name in ("wind", "air_sea")}
    cut = {"decomposition": {"kind": kind}}
    alone = run(sea | {"time": time | sea["time"], "forcing": forcing} | cut).component
    done = run(coupled(others(tmp_path), given, **cut)).components["sea"]
    mine, theirs = (some.model.spectrum.gather() for some in (alone, done))
    assert np.abs(mine).max() > 0.1
    np.testing.assert_allclose(theirs, mine, rtol=1e-9, atol=1e-12 * mine.max())
    assert not done.summary().count("no waves")


def test_beyond_the_other_grid_the_case_holds(tmp_path: Path):
    calm = {"wind": {"speed": 3.0, "direction": 270.0}, "level": {"height": 1.0}}
    done = run(coupled(others(tmp_path, west=2.0), names, forcing=calm)).components["sea"]
    x = done.grid.point_x
    assert {*done.ports} == {*names}
    shown = done.diagnose(["wind_u", "wind_v", "current_u", "sea_level", "depth"], None)
    east, west = x > 2.0, x < 2.0
    for name, here, there in (
        ("wind_u", 12.0, 3.0),
        ("wind_v", -5.0, 0.0),
        ("current_u", 0.75, 0.0),
        ("sea_level", 2.5, 1.0),
        ("depth", 27.5, 26.0),
    ):
        values = shown[name].gather()
        assert np.abs(values[east] - here).max() < 1e-12, name
        assert np.abs(values[west] - there).max() < 1e-12, name
    difference = done.model.air_sea_difference.gather()
    assert np.abs(difference[east] + 3.0).max() < 1e-12 and (difference[west] == 0.0).all()


def test_what_waves_took_is_in_their_restart(tmp_path: Path):
    """Bits of a run that is broken off after each interval are those of one that is not.

    Water comes at the end of the interval, so that a restart has that of its moment and the next.
    """
    case = coupled(others(tmp_path, west=2.0, rates=9.0), names)
    case["members"] = dict(reversed(case["members"].items()))
    case["restart"] = {"interval": "30min"}
    run(case, output=tmp_path / "whole")
    resume = False
    while run(case, output=tmp_path / "parts", walltime=1e-3, resume=resume).stopped_by:
        resume = True
    last = "restart_20000101T030000.sea.safetensors"
    assert (tmp_path / "parts" / last).read_bytes() == (tmp_path / "whole" / last).read_bytes()


def test_the_plan_knows_that_the_water_will_move(tmp_path: Path):
    lines = plan_members(make_members(coupled(others(tmp_path), names)), 1)
    assert "propagate_in_currents" in lines and "water_at_points" in lines


@pytest.mark.parametrize(
    ("given", "more", "message"),
    [
        (["wind_u"], {}, "given wind_u without wind_v"),
        (["current_v"], {}, "given current_v without current_u"),
        (["sea_level"], {"decomposition": {"kind": "cards"}}, "gives the waves sea_level, which"),
    ],
)
def test_what_cannot_be_taken_is_refused(tmp_path: Path, given, more, message):
    with pytest.raises(UserError, match=message):
        run(coupled(others(tmp_path), given, **more))
