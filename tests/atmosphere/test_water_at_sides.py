"""Water of starts from files and at given sides: what comes in, what leaves, what it weighs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

from atmosphere.dynamics_cases import begun, ended, held, small, values
from atmosphere.test_given_sides import called, drawn, given, limited, make_analysis
from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.start.start_files import side_rows

moist = {"atmosphere.microphysics.scheme": "wsm6", "precision": "float64"}
sides = ("west", "east", "south", "north")


def clouded(component: AtmosphereComponent, content: float) -> AtmosphereComponent:
    """As much snow everywhere, which neither melts nor is mixed."""
    water = values(component, "water")
    water[4] = content
    component.state.water.set_global(water)
    component.air.follow()
    return component


def test_moist_air_of_an_analysis_is_in_balance(tmp_path: Path):
    """Calm air over level ground, the same in all columns, stays at rest: its pressure bears the
    weight of its vapour, and sides hold it."""
    case = make_analysis(tmp_path, wind=0.0).with_settings(moist)
    component = begun(case)
    water = values(component, "water")
    assert 1e-3 < water[0].max() < 0.02 and not water[1:].any()
    assert component.files is not None
    assert component.given is not None
    component.files.bring(component.begins)
    for number in range(4):
        time = component.begins + number * component.step_length
        component.given.begin_step(time, component.step_length)
        component.dynamics.step(240.0)
    for name in ("u", "v", "w"):
        assert np.abs(values(component, name)).max() < 1e-5, name
    assert_allclose(values(component, "water"), water, atol=1e-9)


def test_vapour_of_sides_is_a_line_in_time_and_the_rest_leaves(tmp_path: Path):
    """In westerly wind snow leaves the east as it stands inside, and none comes from the west."""
    case = make_analysis(tmp_path, damper=10.0).with_settings(moist)
    component = clouded(begun(case), 1e-3)
    before = values(component, "water")
    for number in range(2):
        time = component.begins + number * component.step_length
        component.files.bring(time)
        component.given.begin_step(time, component.step_length)
        component.dynamics.step(240.0)
    water = values(component, "water")
    snow = water[4][4:8, 5]
    assert not snow[:, :3].any()
    assert_allclose(snow[:, -3:], 1e-3, rtol=1e-2)
    assert_allclose(snow[:, 6:8], 1e-3, rtol=5e-3)
    component = ended(case)
    with xr.open_dataset(tmp_path / "sides.nc") as file:
        for side in sides:
            rows = file[f"vapor_{side}"].values[:2, :, :3].mean(0)
            assert_allclose(side_rows(values(component, "water")[0], side, 3), rows, rtol=1e-5)
            assert np.ptp(file[f"vapor_{side}"].values[:2], axis=0).max() > 1e-4
    assert before[0].max() > 1e-3


def test_rows_beside_sides_are_drawn_to_vapour():
    """Sides of still air that gain 1 g/kg in a minute, which the air beside them takes on."""
    damp = {"atmosphere.microphysics.scheme": "kessler", "grid.ny": 20}
    component = held(begun(small(**limited, **damp)))
    assert component.given is not None
    after = component.given.field("after", "water")
    with after.change() as owned:
        owned[0][0] += 1e-3
    component.given.after_time = component.begins + timedelta(seconds=60)
    case = small(**limited, **damp)
    found = values(ended(case, component), "water")[0, 2, 10]
    assert_allclose(found[:3], 1e-3, rtol=1e-9)
    assert_allclose(found[-3:], 1e-3, rtol=1e-9)
    assert 5e-4 < found[3] < 1e-3 and found[3] > found[4] > found[5] > found[8] >= 0.0


def test_drawing_of_water_is_that_of_plain_numpy():
    a, after, sample = called("draw_water")
    s, c1, c2 = sample.scalars, a["c1"][:, None, None], a["c2"][:, None, None]
    wanted, has = (
        c1 * (a["base_mass"] + mass) + c2 for mass in (given(a, "mass", s["share"]), a["mass"])
    )
    lacking = wanted * given(a, "water", s["share"]) - has * a["water"][:2]
    j0, j1, i0, i1, _ = sample.box
    expected = np.zeros_like(a["water_forcing"])
    expected[:2] = drawn(lacking, a["drawn"], s)
    found = after["water_forcing"] - a["water_forcing"]
    inside = np.s_[..., j0:j1, i0:i1]
    assert_allclose(found[inside], expected[inside], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_given_water_is_that_of_plain_numpy(seed):
    a, after, sample = called("given_water", seed)
    s, marked = sample.scalars, a["given"] != 0.0
    old = a["old_water"][:2]
    expected = a["next_water"].copy()
    expected[:2] = old + s["elapsed"] * (given(a, "water", s["share"]) - old)
    j, i = np.indices(marked.shape)
    dj, di = (np.rint(a[f"inward_{axis}"]).astype(int) for axis in "yx")
    rows, columns = marked.shape
    u, v = a["u"] + np.roll(a["u"], -1, 2), a["v"] + np.roll(a["v"], -1, 1)
    leaves = u * di + v * dj <= 0.0
    there = a["water"][2:, :, (j + dj) % rows, (i + di) % columns]
    expected[2:] = np.where(leaves, there, 0.0)
    expected = np.where(marked, expected, a["next_water"])
    j0, j1, i0, i1, _ = sample.box
    inside = np.s_[..., j0:j1, i0:i1]
    assert 0.2 < leaves[inside].mean() < 0.8
    assert_allclose(after["next_water"][inside], expected[inside], rtol=1e-12)
