"""Nested atmospheres: what a nest takes from the grid around it and gives back to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmosphere.dynamics_cases import values
from halocline.atmosphere.component import AtmosphereComponent
from halocline.core.errors import UserError
from halocline.experiment.run import run


def member(nx: int, ny: int, step: str, dx: float, x: float, y: float, air: Any) -> dict[str, Any]:
    """A case of columns of dx [m] whose south-western corner is (x, y)."""
    return {
        "component": "atmosphere",
        "precision": "float64",
        "time": {"start": "2000-01-01", "length": "4min", "step": step},
        "grid": {
            "kind": "cartesian", "nx": nx, "ny": ny, "dx": dx, "dy": dx, "x0": x + 0.5 * dx,
            "y0": y + 0.5 * dx,
        },
        "atmosphere": {"layers": {"count": 8, "top": 10e3}, "air": {"kind": "stable"}, **air},
    }  # fmt: skip


def nest(feedback: bool = True, ratio: int = 3, **air: Any) -> dict[str, Any]:
    """36 x 16 columns of 1500 m, joined; in the middle of them 14 x 12 are cut into finer ones."""
    outer = member(36, 16, "6s", 1500.0, 0.0, 0.0, air)
    outer["grid"] |= {"periodic_x": True, "periodic_y": True}
    step, dx = f"{6 / ratio:g}s", 1500.0 / ratio
    inner = member(14 * ratio, 12 * ratio, step, dx, 16500.0, 3000.0, air)
    inner["atmosphere"]["sides"] = {"kind": "nest"}
    inner |= {"nested_in": "outer", "feedback": feedback}
    return {"members": {"outer": outer, "inner": inner}}


def ended(case: dict[str, Any]) -> tuple[AtmosphereComponent, AtmosphereComponent]:
    found = run(case).components
    outer, inner = found["outer"], found["inner"]
    assert isinstance(outer, AtmosphereComponent) and isinstance(inner, AtmosphereComponent)
    return outer, inner


@pytest.mark.parametrize("ratio", [3, 5])
def test_uniform_wind_stays_uniform_in_a_nest(ratio):
    case = nest(ratio=ratio, start={"wind_u": 20.0, "wind_v": -7.0})
    for table in case["members"].values():
        table["time"]["length"] = "30s"
    outer, inner = ended(case)
    for some in (outer, inner):
        for name, expected in (("u", 20.0), ("v", -7.0), ("w", 0.0)):
            assert_allclose(values(some, name), expected, atol=1e-9)


bubble = {
    "start": {
        "wind_u": 30.0,
        "bubble": {
            "amplitude": 3.0, "x": 9000.0, "y": 9000.0, "radius_x": 6000.0, "radius_y": 0.0,
            "z": 3000.0, "radius_z": 2500.0,
        },
    }
}  # fmt: skip


def test_a_wave_passes_a_nest():
    """What stands in a nest is what stands there without one; beside it a nest is hardly seen."""
    both = nest(**bubble)
    outer = both["members"]["outer"]
    whole = run(outer).component
    assert isinstance(whole, AtmosphereComponent)
    wave = values(whole, "w")
    most = np.abs(wave[..., 11:25]).max()
    assert most > 0.3
    one_way, inner = ended(nest(feedback=False, **bubble))
    assert np.array_equal(values(one_way, "w"), wave)
    seen = values(inner, "w").reshape(9, 12, 3, 14, 3).mean((2, 4))
    here = np.zeros(wave.shape, bool)
    here[:, 2:14, 11:25] = True
    around, _ = ended(both)
    changed = np.abs(values(around, "w") - wave)
    assert np.abs(seen - wave[:, 2:14, 11:25]).max() < 0.08 * most
    assert 1e-3 * most < changed[here].max() < 0.04 * most
    assert changed[~here].max() < 0.01 * most
    mass = [values(some, "mass").sum() for some in (around, whole)]
    assert abs(mass[0] - mass[1]) < 5e-7 * values(whole, "base_mass").sum()


moist = {
    "microphysics": {"scheme": "kessler"}, "base": {"kind": "standard"},
    "start": bubble["start"] | {"sounding": {"kind": "weisman-klemp"}},
}  # fmt: skip


def test_water_passes_a_nest_with_its_wave():
    """Vapour that a warm bubble lifts stands in a nest as without one; condensed water passes."""
    case = nest(**moist)
    for table in case["members"].values():
        table["time"]["length"] = "90s"
    whole = run(case["members"]["outer"]).component
    assert isinstance(whole, AtmosphereComponent)
    around, inner = ended(case)
    here = np.s_[:, :, 2:14, 11:25]
    alone, start = values(whole, "water"), whole.state.water.gather()[..., :1, :1]
    most = np.abs(alone[0] - start[0]).max()
    seen = values(inner, "water").reshape(3, 8, 12, 3, 14, 3).mean((3, 5))
    assert most > 1e-4
    assert np.abs(seen[0] - alone[here][0]).max() < 0.1 * most
    assert 1e-3 * most < np.abs(values(around, "water") - alone)[0].max() < 0.1 * most


def test_numbers_of_drops_pass_a_nest():
    """Saturated air full of cloud that moves with 20 m/s rains everywhere alike: rain and the
    number of its drops in a nest, which steps as the air around it, are those without one."""
    air = {
        "microphysics": {"scheme": "thompson"}, "base": {"kind": "standard"},
        "start": {"wind_u": 20.0, "sounding": {"kind": "saturated-neutral"}},
    }  # fmt: skip
    case = nest(**air)
    for table in case["members"].values():
        table["time"] |= {"step": "2s", "length": "30s"}
    around, inner = ended(case)
    for name in ("rain", "rain_number"):
        some = around.state.species.index(name)
        beside, within = (values(found, "water")[some] for found in (around, inner))
        there = beside[:, :1, :1]
        assert there.max() > 1e-4 and within.min() >= 0.0
        for found in (beside, within):
            assert np.abs(found - there).max() < 0.1 * there.max()
        back = within.reshape(8, 12, 3, 14, 3).mean((2, 4))[:, 4:-4, 4:-4]
        assert_allclose(beside[:, 6:10, 15:21], back, rtol=1e-12, atol=1e-12 * there.max())


def test_nests_that_cannot_be_are_refused():
    alone = nest()["members"]["inner"]
    damp = nest()
    damp["members"]["inner"]["atmosphere"] |= {"microphysics": {"scheme": "kessler"}}
    with pytest.raises(UserError, match="only one of them has water"):
        run(damp)
    with pytest.raises(UserError, match="nobody gives values at the sides"):
        run({key: value for key, value in alone.items() if key not in ("nested_in", "feedback")})
    for change, match in (
        ({"x0": 40000.0}, "it lies outside"), ({"x0": 17000.0}, "are no faces of 'outer'"),
        ({"nx": 21}, "'inner' is so small that it gives nothing back to 'outer'"),
    ):  # fmt: skip
        case = nest()
        case["members"]["inner"]["grid"] |= change
        with pytest.raises(UserError, match=match):
            run(case)
    case = nest()
    case["members"]["inner"]["atmosphere"]["sides"] = {}
    case["members"]["inner"]["grid"] |= {"periodic_x": True, "periodic_y": True}
    with pytest.raises(UserError, match="is nested in 'outer', but"):
        run(case)
