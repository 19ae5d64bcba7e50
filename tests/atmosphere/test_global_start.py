"""A start of the whole globe from an analysis: faces of joined sides, poles. Ranks: 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, globe, shipped, values
from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.constants import gravity
from halocline.runtime.fields.place import Place

coarse: dict[str, Any] = {
    "grid.nx": 32, "grid.ny": 16, "grid.dx": 11.25, "grid.dy": 11.25, "grid.x0": 5.625,
    "grid.y0": -84.375, "atmosphere.layers.count": 12, "precision": "float64",
    "atmosphere.microphysics.scheme": "none", "atmosphere.physics.turbulence": "none",
    "atmosphere.physics.sunlight": "none", "atmosphere.physics.convection": "none",
    "time.step": "5min", "time.length": "5min", "output.fields.air.variables": ["x_wind"],
}  # fmt: skip


def pressure(component: AtmosphereComponent) -> np.ndarray:
    """Weight of columns at the ground [Pa]."""
    return (values(component, "mass") + values(component, "base_mass")).reshape(16, 32)


def test_a_start_around_the_globe(tmp_path):
    case = shipped(
        "global-atmosphere", **coarse, **{"atmosphere.start.file": str(tmp_path / "start.nc")}
    )
    component = begun(case)
    plane = component.plane
    u, v, w = (values(component, name) for name in ("u", "v", "w"))
    ground = values(component, "base_geopotential")[0] / gravity
    assert ground.max() > 2000.0
    # what rises along the ground, by columns that are neighbours around the globe and over poles
    x, y = plane.at(Place.x_face), plane.at(Place.y_face)
    along_x = u[0] * (ground - np.roll(ground, 1, axis=1)) / x.dx
    beyond = [np.roll(ground[row : row + 1 or None], 16, axis=1) for row in (0, -1)]
    wide = np.concatenate([beyond[0], ground, beyond[1]])
    along_y = v[0] * np.diff(wide, axis=0) / y.dy
    expected = along_x + np.roll(along_x, -1, axis=1) + along_y[1:] + along_y[:-1]
    np.testing.assert_allclose(w[0], 0.5 * expected, atol=1e-12)
    assert np.abs(w[0]).max() > 0.01
    # westerlies of the middle latitudes, in both hemispheres; air over the Antarctic is cold
    means = u[4:8].mean(axis=(0, 2))
    assert means[3:5].min() > 8.0 and means[11:13].min() > 4.0
    theta = values(component, "theta")[3]
    assert theta[0].mean() < theta[7].mean() - 20.0
    # columns keep their mass, also across the seam and beside poles, as they do not without that
    before = pressure(component)
    ended(case, component)
    after = pressure(component)
    total = [(some * plane.area).sum() for some in (before, after)]
    assert abs(total[1] / total[0] - 1.0) < 1e-13
    free = {"atmosphere.analysis.columns": "free"}
    free |= {"atmosphere.start.file": str(tmp_path / "free.nc")}
    uneven = pressure(ended(case.with_settings(free))) - before

    assert np.sqrt(((after - before) ** 2).mean()) < 0.3 * np.sqrt((uneven**2).mean())


@pytest.mark.parametrize("middle", [0.0, 180.0, 355.0])
def test_a_bubble_lies_across_the_seam(middle):
    """As one in the middle of the grid, turned."""

    def warm(x: float) -> np.ndarray:
        spot = {"amplitude": 3.0, "x": x, "y": 20.0, "radius_x": 60.0, "radius_y": 40.0}
        named = {f"atmosphere.start.bubble.{key}": value for key, value in spot.items()}
        return values(begun(globe(36, **named)), "theta")

    turn = round((middle - 185.0) / 10.0 + 1e-9) * 10.0
    expected = np.roll(warm(middle - turn), round(turn / 10.0), axis=-1)
    assert np.ptp(expected) > 1.0
    np.testing.assert_allclose(warm(middle), expected, atol=1e-10)
