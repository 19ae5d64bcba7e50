"""A cone that air turning as a solid carries over both poles and back. Ranks: 1."""

import numpy as np

from atmosphere.dynamics_cases import begun, shipped, values
from halocline.atmosphere import _native
from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.dynamics.polar_filter import PolarFilter
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place

turn = 12 * 86400.0
"""Time of a turn [s]."""


def cartesian(longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    """Points of the unit sphere, shape (3, ...)."""
    x, y = np.radians(longitude), np.radians(latitude)
    return np.array([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y) + 0.0 * x])


def turning_flow(component: AtmosphereComponent, tilt: float, mass: np.ndarray) -> None:
    """Fluxes of air that turns about an axis so far from the pole [degree], of so much mass [Pa]
    in each layer."""
    s, grid = component.state, component.plane
    corner = grid.on_both_sides(Place.corner)
    axis = np.array([0.0, -np.sin(np.radians(tilt)), np.cos(np.radians(tilt))])
    stream = np.tensordot(axis, cartesian(corner.x, corner.y), 1)
    stream = -2.0 * np.pi / turn * grid.radius**2 * mass[:, :1, :1] * stream
    s.x_flux.set_global(-np.diff(stream, axis=1)[..., :-1])
    s.y_flux.set_global(np.diff(stream, axis=2))
    s.rise.fill(0.0)


def turned(columns: int, steps: int, tilt: float, filtered: float = 45.0) -> tuple[float, ...]:
    """A cone at (0, 0) after one turn about an axis so far from the pole [degree].

    Greatest and mean square error over those of the cone, and what has changed of its content.
    """
    step = 360.0 / columns
    component = begun(
        shipped(
            "held-suarez",
            **{
                "grid.nx": columns, "grid.ny": columns // 2, "grid.dx": step, "grid.dy": step,
                "grid.x0": 0.5 * step, "grid.y0": 0.5 * step - 90.0, "precision": "float64",
                "atmosphere.layers.count": 3,
            },
        )
    )  # fmt: skip
    s, grid = component.state, component.plane
    turning_flow(component, tilt, np.ones((3, 1, 1)))
    center = grid.at(Place.center)
    away = np.arccos(np.clip(cartesian(center.x, center.y)[0], -1.0, 1.0))
    cone = np.where(away < 0.6, 0.5 * (1.0 + np.cos(np.pi * away / 0.6)), 0.0)
    s.theta.set_global(np.broadcast_to(cone, s.theta.shape))
    kernel = kernels_of(_native)["atmosphere_theta_tendency"]
    rate = component.run.bind(kernel, s, theta_forcing=None)
    polar = PolarFilter(grid, filtered, component.run.recorder)
    for _ in range(steps):
        begun_with = values(component, "theta")
        for part in (3, 2, 1):
            rate(order=5, vertical_order=3, weno=0)
            polar([s.theta_rate])
            change = turn / steps / part * values(component, "theta_rate")
            s.theta.set_global(begun_with + change)
    found = values(component, "theta")[1]
    error = found - cone
    square = np.sqrt((error**2 * grid.area).sum() / (cone**2 * grid.area).sum())
    content = (found * grid.area).sum() / (cone * grid.area).sum() - 1.0
    return float(np.abs(error).max()), float(square), float(content)


def test_over_the_poles_it_is_carried_as_along_the_equator():
    """What is lost is more, as the filter takes what is as narrow as cells at 45 degrees."""
    along, over = turned(64, 240, 0.0), turned(64, 240, 90.0)
    assert along[0] < 0.035 and along[1] < 0.046
    assert over[0] < 0.055 and over[1] < 0.072
    assert abs(along[2]) < 1e-12 and abs(over[2]) < 1e-12


def test_without_the_filter_it_needs_steps_for_the_cells_at_the_poles():
    """So many steps let air pass 5 cells beside the poles in one."""
    with np.errstate(all="ignore"):
        assert not turned(64, 240, 90.0, filtered=89.999)[0] < 1.0
