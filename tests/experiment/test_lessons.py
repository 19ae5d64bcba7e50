"""The idealised cases show what their first lines say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halocline.component.case.reading import read_case
from halocline.core.constants import earth_radius, gravity
from halocline.experiment.run import run
from halocline.grids.horizontal.grid import Grid
from halocline.waves.case import WaveCase
from halocline.waves.dispersion import linear_dispersion

Array = NDArray[Any]


def run_case(name: str, *settings: str) -> tuple[WaveCase, Grid, Array]:
    """A shipped case, its grid, and its spectra at the end (frequency, direction, point)."""
    case = read_case(name, settings)
    assert isinstance(case, WaveCase)
    component: Any = run(case).component
    spectra = component.model.spectrum.gather().astype(np.float64)
    assert np.isfinite(spectra).all()
    assert (spectra >= 0.0).all()
    return case, component.grid, spectra.reshape(*case.spectrum.shape, -1)


def heights(case: WaveCase, spectra: Array) -> Array:
    """Significant height of the prognostic range at every sea point [m]."""
    width = case.spectrum.band_width[:, None, None] * case.spectrum.direction_width
    height: Array = 4.0 * np.sqrt((spectra * width).sum(axis=(0, 1)))
    return height


@pytest.mark.parametrize(("scheme", "greatest"), [("UQ", 1.9479), ("upwind", 1.0294)])
def test_equator_circle_arrives_where_it_began(scheme: str, greatest: float) -> None:
    case, grid, spectra = run_case("equator-circle", f"waves.propagation.scheme={scheme}")
    height = heights(case, spectra)
    assert abs(grid.point_x[height.argmax()]) <= 1.0
    assert height.max() == pytest.approx(greatest, rel=0.01)
    assert (height**2).sum() == pytest.approx(31.33285, rel=1e-4)


def test_shoaling_follows_the_group_speed() -> None:
    case, grid, spectra = run_case("shoaling")
    height, depth = heights(case, spectra), grid.at_points(grid.depth)
    _, speed = linear_dispersion(depth, np.array([0.1]))
    along = np.flatnonzero(grid.point_y == 0.0)
    expected = np.sqrt(speed[0][along[0]] / speed[0])
    for at, bound in ((60.0, 0.003), (30.0, 0.003), (20.0, 0.003), (10.0, 0.01), (4.0, 0.01)):
        here = along[depth[along] == at][0]
        assert height[here] / height[along[0]] == pytest.approx(expected[here], rel=bound), at


@pytest.mark.parametrize(("directions", "bound"), [(120, 0.01), (72, 0.04), (24, 0.21)])
def test_refraction_obeys_snell(directions: int, bound: float) -> None:
    case, grid, spectra = run_case("refraction", f"spectrum.directions={directions}")
    theta = case.spectrum.direction
    middle = spectra[1]
    angle = np.arctan2(
        (middle * np.sin(theta)[:, None]).sum(axis=0), (middle * np.cos(theta)[:, None]).sum(axis=0)
    )
    depth = grid.at_points(grid.depth)
    wavenumber, _ = linear_dispersion(depth, np.array([0.1]))
    here = {d: np.flatnonzero(depth == d)[0] for d in (80.0, 20.0, 10.0)}
    for shallow in (20.0, 10.0):
        ratio = wavenumber[0][here[80.0]] / wavenumber[0][here[shallow]]
        expected = np.arcsin(np.sin(angle[here[80.0]]) * ratio)
        assert angle[here[shallow]] == pytest.approx(expected, rel=bound), shallow


def test_a_jet_gathers_swell_on_its_axis() -> None:
    case, grid, spectra = run_case("waves-on-jet")
    height = np.zeros(grid.shape)
    height[grid.mask] = heights(case, spectra)
    axis = height[25]
    assert 2.4 < axis.max() < 2.8
    assert abs(grid.x[axis.argmax()] - 29e3) <= 2e3
    assert 1.8 < axis[45] < 2.2
    assert 0.7 < height[1:, 30:60].min() < 0.85
    np.testing.assert_allclose(height[1:25], height[:25:-1], rtol=1e-4)

    f, theta = case.spectrum.frequency, case.spectrum.direction
    current = np.zeros(grid.shape)
    begun = np.clip((grid.x - 10e3) / 15e3, 0.0, 1.0)
    current[25] = (
        -2.2 * begun**2 * (3.0 - 2.0 * begun) * np.exp(-(((grid.y[25] - 25e3) / 6e3) ** 2))
    )
    wavenumber = (2.0 * np.pi * f) ** 2 / gravity
    along = np.multiply.outer(wavenumber, np.cos(theta))[..., None] * grid.at_points(current)
    action = spectra * (case.spectrum.band_width / f)[:, None, None]
    seen = ((f[:, None, None] + along / (2.0 * np.pi)) * action).sum(axis=(0, 1))
    plane = np.zeros(grid.shape)
    plane[grid.mask] = seen / action.sum(axis=(0, 1))
    np.testing.assert_allclose(plane[25, 2:60], plane[25, 2], rtol=0.012)


def test_swell_travels_on_a_great_circle() -> None:
    case, grid, spectra = run_case("swell")
    weight = spectra.sum(axis=(0, 1)) * grid.at_points(grid.area)
    x, y = np.radians(grid.point_x), np.radians(grid.point_y)
    unit = np.array([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)])
    east, north, up = (unit * weight).sum(axis=1)
    place = np.degrees([np.arctan2(north, east), np.arctan2(up, np.hypot(east, north))])

    speed = gravity / (4.0 * np.pi * case.spectrum.frequency[1])
    arc = speed * 6 * 86400.0 / earth_radius
    begin, course = np.radians(10.0), np.radians(45.0)
    end = np.arcsin(np.sin(begin) * np.cos(arc) + np.cos(begin) * np.sin(arc) * np.cos(course))
    turned = np.arctan2(
        np.sin(course) * np.sin(arc) * np.cos(begin), np.cos(arc) - np.sin(begin) * np.sin(end)
    )
    assert arc * earth_radius > 4.8e6
    np.testing.assert_allclose(place, [10.0 + np.degrees(turned), np.degrees(end)], atol=0.3)

    theta = case.spectrum.direction
    all_points = (spectra * grid.at_points(grid.area)).sum(axis=(0, 2))
    towards = np.arctan2((all_points * np.sin(theta)).sum(), (all_points * np.cos(theta)).sum())
    final = np.arcsin(np.sin(course) * np.cos(begin) / np.cos(end))
    assert np.degrees(np.pi / 2 - towards) == pytest.approx(np.degrees(final), abs=1.0)


def test_duration_limited_growth_is_that_of_wavewatch() -> None:
    """Height and its growth of WAVEWATCH III 7.14 with the same package (ST2), within 5 %."""
    for length, expected in (("6h", 0.9043), ("24h", 1.7369), ("48h", 1.9928)):
        case, _, spectra = run_case("duration-limited", f"time.length={length}")
        height = heights(case, spectra)
        assert np.ptp(height) == 0.0
        assert height[0] == pytest.approx(expected, rel=0.05), length
