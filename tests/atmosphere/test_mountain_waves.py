"""Steady waves over ridges: drag, momentum that goes upward, and upward wind, by linear theory."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from atmosphere.dynamics_cases import ended, shipped, values
from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.constants import dry_gas_constant, gravity, heat_capacity
from references.linear_mountain import RidgeWaves

outer = slice(4, -4)
"""Columns that are not continued from others."""


def ridge(component: AtmosphereComponent) -> RidgeWaves:
    o, plane = component.options, component.plane
    ground, step = o.mountain.heights(plane)[0], float(np.diff(plane.x[:2])[0])
    frequency, warm = o.air.frequency, o.air.theta
    if o.air.kind == "isothermal":
        warm = o.air.temperature
        frequency = gravity / np.sqrt(heat_capacity * warm)
    scale = dry_gas_constant * warm / gravity
    return RidgeWaves(ground, step, o.start.wind_u, frequency, scale)


def drag(component: AtmosphereComponent, ground: np.ndarray) -> float:
    """Of the pressure at the ground [N m-1]."""
    found = np.tensordot(component.coordinate.to_ground, values(component, "pressure")[:3, 0], 1)
    return float((found[1:-1] * 0.5 * (ground[2:] - ground[:-2])).sum())


def at_height(component: AtmosphereComponent, z: float) -> tuple[np.ndarray, ...]:
    """Wind along x and upward [m s-1], density [kg m-3] in columns at a height above sea level."""
    whole = values(component, "geopotential") + values(component, "base_geopotential")
    faces = whole[:, 0] / gravity
    middles = 0.5 * (faces[1:] + faces[:-1])
    u = values(component, "u")[:, 0]
    inner = 0.5625 * (u[:, 1:-2] + u[:, 2:-1]) - 0.0625 * (u[:, :-3] + u[:, 3:])
    wide = np.pad(inner, ((0, 0), (1, 1)), mode="edge")
    w, density = values(component, "w")[:, 0], 1.0 / values(component, "full_volume")[:, 0]

    def at(heights: np.ndarray, field: np.ndarray) -> np.ndarray:
        columns = zip(heights.T, field.T, strict=True)
        return np.array([CubicSpline(levels, column)(z) for levels, column in columns])

    return at(middles, wide), at(faces, w), at(middles, density)


def momentum_flux(component: AtmosphereComponent, z: float) -> float:
    """Downward through a height [N m-1]."""
    u, w, density = at_height(component, z)
    step = float(np.diff(component.plane.x[:2])[0])
    more = u - component.options.start.wind_u
    return -float((density.mean() * more * w)[outer].sum() * step)


def lowest_density(component: AtmosphereComponent) -> float:
    return float((1.0 / values(component, "full_volume")[0]).mean())


def test_linear_theory_of_a_wide_ridge():
    """Of a bell much wider than U / N in air of great depth: pi / 4 rho N U h^2 (Smith 1979)."""
    x = 500.0 * np.arange(-4000, 4001)
    waves = RidgeWaves(10.0 / (1.0 + (x / 20e3) ** 2), 500.0, 10.0, 0.01, 1e9)
    assert waves.drag(1.2) == pytest.approx(np.pi / 4.0 * 1.2 * 0.01 * 10.0 * 100.0, rel=4e-3)
    assert np.corrcoef(waves.rise(0.0), np.gradient(waves.ground, x))[0, 1] > 0.9999


def test_theory_of_a_ridge_that_is_not_low():
    """Of a wide bell by 7 / 16 (N h / U)^2 more drag (Miles and Huppert 1969)."""
    x = 500.0 * np.arange(-400, 401)
    waves = RidgeWaves(300.0 / (1.0 + (x / 10e3) ** 2), 500.0, 10.0, 0.01, 1e9)
    assert waves.drag_by_height() - 1.0 == pytest.approx(7.0 / 16.0 * 0.3**2, rel=0.2)
    hills = 250.0 * np.exp(-((x / 5e3) ** 2)) * np.cos(np.pi * x / 4e3) ** 2
    more = [RidgeWaves(hills, 500.0, 10.0, 0.01, 1e9).drag_by_height(s) for s in (2e3, 1.5e3)]
    assert more == pytest.approx([1.16, 1.16], abs=0.005)


def test_drag_of_a_ridge_with_few_cells():
    """In 80 minutes, in which waves have come up to 2 km."""
    few = {"grid.nx": 120, "grid.x0": -119e3, "grid.dx": 2e3, "atmosphere.layers.count": 40}
    wide = {"atmosphere.mountain.width": 10e3, "time.step": "20s", "time.length": "80min"}
    component = ended(shipped("mountain-waves", **few, **wide))
    waves = ridge(component)
    theory = waves.drag(lowest_density(component))
    assert drag(component, waves.ground) == pytest.approx(theory, rel=0.08)
    assert momentum_flux(component, 1e3) == pytest.approx(theory, rel=0.1)


@pytest.mark.slow
def test_drag_and_momentum_flux_of_a_low_ridge():
    """Within 3 % of linear theory; what goes upward is the same at all heights that waves reach."""
    component = ended(shipped("mountain-waves"))
    waves = ridge(component)
    theory = waves.drag(lowest_density(component))
    assert drag(component, waves.ground) == pytest.approx(theory, rel=0.03)
    fluxes = [momentum_flux(component, z) for z in (600.0, 1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 8e3)]
    assert fluxes == pytest.approx([theory] * len(fluxes), rel=0.03)


@pytest.mark.slow
def test_drag_and_momentum_flux_of_a_short_ridge():
    """N a / U = 1: as linear theory has them, up to the heights that waves have reached."""
    component = ended(shipped("mountain-waves-short"))
    waves = ridge(component)
    theory = waves.drag(lowest_density(component))
    assert drag(component, waves.ground) == pytest.approx(theory, rel=0.03)
    fluxes = [momentum_flux(component, z) for z in (600.0, 1e3, 2e3, 3e3, 4e3)]
    assert fluxes == pytest.approx([theory] * len(fluxes), rel=0.03)


@pytest.mark.slow
def test_waves_over_a_chain_of_hills():
    """As theory has them: no waves aloft as short as the hills (Schaer et al. 2002), but what these
    do to the others, as they are not low: 1.16 of the drag of linear theory."""
    component = ended(shipped("mountain-waves-schaer"))
    waves = ridge(component)
    theory = waves.drag_by_height() * waves.drag(lowest_density(component))
    assert drag(component, waves.ground) == pytest.approx(theory, rel=0.03)
    for z, most in ((1e3, 0.25), (3e3, 0.32)):
        w, expected = at_height(component, z)[1][outer], waves.rise(z)[outer]
        assert np.sqrt(((w - expected) ** 2).mean() / (expected**2).mean()) < most

    def short(z: float) -> float:
        """Amplitude of waves as long as the hills are apart."""
        w, x = at_height(component, z)[1], component.plane.x
        return abs((w * np.exp(1j * 2.0 * np.pi * x / 4e3)).sum())

    assert short(4e3) < 0.05 * short(600.0)
