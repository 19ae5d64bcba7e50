"""Nests of the air that begin late and move along: what they take from where, and what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from numpy.testing import assert_allclose

from atmosphere.dynamics_cases import values
from atmosphere.test_air_nests import bubble, ended, nest
from halocline.analysis.moving_files import at_places
from halocline.analysis.plot import plot
from halocline.analysis.reading import open_output
from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.entered_air import SideAir
from halocline.core.errors import UserError
from halocline.experiment.members import make_members
from halocline.experiment.plan import plan_members
from halocline.experiment.run import run


def short(length: str, inner: dict[str, Any], **air: Any) -> dict[str, Any]:
    case = nest(**air)
    for table in case["members"].values():
        table["time"]["length"] = length
    case["members"]["inner"] |= inner
    return case


def test_uniform_wind_stays_uniform_where_a_nest_begins_and_moves():
    inner = {"begins": "6s", "moves": ["12s east 2 south 1", "18s west 1"]}
    found = ended(short("30s", inner, start={"wind_u": 20.0, "wind_v": -7.0}))
    for some in found:
        for name, expected in (("u", 20.0), ("v", -7.0), ("w", 0.0)):
            assert_allclose(values(some, name), expected, atol=1e-9)


def peak(x: float) -> dict[str, Any]:
    """A round hill of 900 m, 4.5 m high at two and a half widths of 2 km from its top."""
    shape = {"kind": "waves", "wave": 1e9, "width": 2000.0, "width_y": 2000.0}
    return {"mountain": shape | {"height": 900.0, "x": x, "y": 12e3}, "base": {"kind": "standard"}}


def test_air_at_rest_over_a_hill_that_a_nest_sees_otherwise():
    """Ground differs by up to 200 m and the air, 15 K off the base state, swings by a few cm/s in
    12 s, as in a nest that was there from the start. What is less the base state over each grid's
    own ground, on the same layers, swings by ten times as much, and whole fields by tens of m/s."""
    speed = {}
    for what, x, inner in (
        ("stays", 27e3, {}),
        ("begins", 27e3, {"begins": "12s"}),
        ("comes", 43.5e3, {"moves": ["12s east 10"]}),
    ):
        _, some = ended(short("24s", inner, **peak(x)))
        assert values(some, "ground").max() > 850.0
        speed[what] = max(np.abs(values(some, name)).max() for name in ("u", "v", "w"))
    assert 0.002 < speed["stays"] < 0.04
    assert speed["begins"] < 0.04 and speed["comes"] < 0.04


def swing(some: AtmosphereComponent) -> tuple[float, float]:
    """The fastest wind in any direction [m s-1] in the outermost seven rows, and within."""
    rise, u, v = (np.abs(values(some, name)).max(0) for name in ("w", "u", "v"))
    fastest = np.maximum(rise, np.maximum(u[:, : rise.shape[1]], v[: rise.shape[0]]))
    inside = np.zeros(fastest.shape, bool)
    inside[7:-7, 7:-7] = True
    return float(fastest[~inside].max()), float(fastest[inside].max())


@pytest.mark.parametrize(
    ("x", "inner"),
    [
        (17.5e3, {}),
        (20e3, {}),
        (17.5e3, {"begins": "12s"}),
        (34e3, {"moves": ["12s east 11"]}),
    ],
)
def test_air_at_rest_over_a_hill_at_the_side_of_a_nest(x: float, inner: dict[str, Any]):
    """Given and drawn rows lie over ground up to 180 m off that around; the air, 15 K off the base
    state, swings by 0.02 m/s in 24 s, as around. With what is less the base state over each grid's
    own ground, as it is given, it is up to 4.3 m/s."""
    outer, some = ended(short("24s", inner, **peak(x)))
    assert some.beside is not None
    ground = [some.beside.around["ground"].gather(), some.beside.own["ground"].gather()]
    assert np.abs(ground[0] - ground[1])[:, :3].max() > 100.0 or x == 20e3
    assert np.abs(ground[0] - ground[1])[:, 3:7].max() > 100.0
    around = max(np.abs(values(outer, name)).max() for name in ("u", "v", "w"))
    assert 0.002 < around < 0.025
    assert max(swing(some)) < 0.025


@pytest.mark.parametrize(
    "hill", [{}, {"mountain": {"kind": "bell", "height": 400.0, "x": 27e3, "width": 9e3}}]
)
def test_only_unlike_ground_changes_what_sides_are_given(hill: dict[str, Any], monkeypatch):
    """Flat ground leaves all bits as they are, a ridge does not."""
    case = short("12s", {}, **bubble, **hill)
    _, found = ended(case)
    with monkeypatch.context() as changed:
        changed.setattr(SideAir, "settle", lambda self: None)
        _, raw = ended(case)
    same = all(
        np.array_equal(values(found, name), values(raw, name))
        for name in ("mass", "theta", "u", "w", "geopotential")
    )
    assert same == (not hill)


def interpolated(outer: AtmosphereComponent, name: str, j: Any, i: Any) -> Any:
    """A field of the outer grid at centres of cells (j, i) of 500 m of the whole plane."""
    whole = values(outer, name)
    y, x = (j + 0.5) / 3 - 0.5, (i + 0.5) / 3 - 0.5
    j0, i0 = np.floor(y).astype(int), np.floor(x).astype(int)
    b, a = (y - j0)[:, None], x - i0
    rows = [
        (1 - a) * whole[..., r, :][..., i0] + a * whole[..., r, :][..., i0 + 1]
        for r in (j0, j0 + 1)
    ]
    return (1 - b) * rows[0] + b * rows[1]


def test_what_a_nest_has_when_it_has_moved():
    """At the end of a run a nest moves by 2 and -1 cells: it has its own state where both places
    overlap, to the bit, and elsewhere what is linear between values of the grid around it."""
    _, still = ended(short("1min", {"feedback": False}, **bubble))
    outer, moved = ended(
        short("1min", {"feedback": False, "moves": ["1min east 2 south 1"]}, **bubble)
    )
    for name in ("mass", "theta", "u", "w", "geopotential"):
        before, after = values(still, name), values(moved, name)
        assert np.array_equal(after[..., 3:, :-6], before[..., :-3, 6:])
    for name in ("mass", "theta", "w"):
        there = interpolated(outer, name, np.arange(3, 39), np.arange(39, 81))
        new = np.ones(there.shape[-2:], bool)
        new[3:, :-6] = False
        assert np.ptp(there[..., new]) > 0
        assert_allclose(
            values(moved, name)[..., new], there[..., new], atol=1e-12 * np.abs(there).max()
        )


def test_a_nest_follows_what_the_wind_carries():
    """The air is lightest over a warm bubble that wind carries by 3.6 cells in three minutes."""
    follow = {"field": "surface_pressure", "interval": "30s"}
    carried = {"start": bubble["start"] | {"bubble": bubble["start"]["bubble"] | {"x": 27e3}}}
    table = short("3min", {"follow": follow, "feedback": False}, **carried)
    outer, inner = ended(table)
    lowest = np.unravel_index(values(outer, "mass")[5:11, 14:32].argmin(), (6, 18))
    middle = inner.plane.x.mean() / 1500.0 - 0.5
    assert middle >= 17 + 3
    assert abs(middle - 0.5 - (lowest[1] + 14)) <= 1.5
    assert inner.plane.y.mean() == 12000.0


def test_files_say_where_a_nest_lies(tmp_path: Path):
    maps = {"fields": {"maps": {"interval": "6s", "variables": ["x_wind", "surface_pressure"]}}}
    table = short(
        "18s", {"begins": "6s", "moves": ["12s east 2 north 1"], "output": maps}, **bubble
    )
    run(table, output=tmp_path)
    with xarray.open_dataset(tmp_path / "inner.maps.nc") as file:
        assert (file.time - file.time[0]).values.astype(float).tolist() == [0.0, 6e9, 12e9]
        west = np.array([16750.0, 16750.0, 19750.0])
        assert_allclose(file.surface_pressure.moving_x[:, 0], west)
        assert_allclose(file.x_wind.moving_x_face[:, -1], west + 42 * 500.0 - 250.0)
        assert_allclose(file.surface_pressure.moving_y[:, 0], [3250.0, 3250.0, 4750.0])
    with pytest.raises(UserError, match="its grid moves along"):
        open_output(tmp_path / "inner.maps.nc")
    plot(tmp_path / "inner.maps.nc", output=tmp_path / "last.png")
    plot(tmp_path / "inner.maps.nc", "surface_pressure", animate=True, output=tmp_path)
    with open_output(tmp_path / "inner.maps.nc", moving=True) as file:
        still = at_places(file)
        for record, at in enumerate((0, 0, 6)):
            place = slice(at // 2, at // 2 + file.sizes["y"]), slice(at, at + file.sizes["x"])
            pressure, there = still.surface_pressure[record], file.surface_pressure[record]
            assert np.array_equal(pressure.values[place], there.values)
            assert np.isfinite(pressure).sum() == there.size
            assert_allclose(still.x[place[1]], there.moving_x)
            assert_allclose(still.y[place[0]], there.moving_y)
            assert np.array_equal(
                still.x_wind[record].values[:, place[0]][..., at : at + file.sizes["x_face"]],
                file.x_wind[record].values,
            )
    told = plan_members(make_members(table), 1)
    log = (tmp_path / "halocline.log").read_text()
    for words in (
        "inner begins at 2000-01-01 00:00:06, with what 'outer' has there",
        "inner moves by cells of 'outer': 12s north 1 east 2",
    ):
        assert words in told and words in log


def test_a_nest_on_a_map_moves_with_its_longitudes(tmp_path: Path):
    grid = {
        "kind": "lambert",
        "projection": {"center_longitude": 0.0, "center_latitude": 52.0},
    }
    maps = {"fields": {"maps": {"interval": "6s", "variables": ["surface_pressure"]}}}
    table = short("12s", {"moves": ["6s east 1"], "output": maps})
    for name, some in table["members"].items():
        some["grid"] = {
            k: v
            for k, v in some["grid"].items()
            if k not in ("kind", "x0", "y0") and "periodic" not in k
        }
        some["grid"] |= grid
        if name == "outer":
            some["atmosphere"]["sides"] = {"kind": "open"}
        else:
            some["grid"]["projection"] = grid["projection"] | {"parents": [[36, 16, 3, 12, 3]]}
    run(table, output=tmp_path)
    with xarray.open_dataset(tmp_path / "inner.maps.nc") as file:
        place = file.surface_pressure.longitude
        assert place.shape == (3, 36, 42)
        assert_allclose(place[2, :, :-3], place[0, :, 3:], atol=1e-9)
        still = at_places(file)
        assert_allclose(still.longitude[:, 3:], place[2], atol=1e-9)
        assert np.array_equal(still.surface_pressure[2][:, 3:], file.surface_pressure[2])
        assert np.isnan(still.surface_pressure[2][:, :3]).all()
        assert file.surface_pressure.grid_mapping == "projection"
