"""The filter of rows near the poles: its transmission, what it leaves alone, its need. Ranks: 1."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, shipped, values
from halocline.atmosphere.dynamics.polar_filter import cut_of, remaining, row_weights
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.numerics import _native
from halocline.runtime.fields.cut_options import DecompositionOptions

coarse = {
    "grid.nx": 32, "grid.ny": 16, "grid.dx": 11.25, "grid.dy": 11.25, "grid.y0": -84.375,
    "atmosphere.layers.count": 8, "time.step": "30min", "precision": "float64",
}  # fmt: skip


@pytest.mark.parametrize("columns", [8, 64])
def test_waves_are_lessened_as_the_transmission_says(columns):
    latitude = np.array([-89.0, -60.0, -45.0, 10.0, 50.0, 80.0])
    weights = row_weights(latitude, columns, 45.0)
    rest = remaining(latitude, columns, 45.0)
    assert (weights[2:4] == 0.0).all() and (np.abs(weights[[0, 1, 4, 5]]).max(axis=1) > 0.0).all()
    rows = np.random.default_rng(3).standard_normal((2, latitude.size, columns))
    expected = np.fft.irfft(rest * np.fft.rfft(rows), columns)
    _native.lessen_row_waves(rows, weights)
    np.testing.assert_allclose(rows, expected, atol=1e-13)


def test_the_shortest_wave_that_is_left_is_as_fast_as_that_at_the_first_latitude():
    """sin^2(pi k / n) a(k) / cos^2(latitude), the square of a frequency, is nowhere greater."""
    latitude = np.linspace(0.0, 89.5, 80)
    k = np.arange(65)
    rate = np.sin(np.pi * k / 128) ** 2 * remaining(latitude, 128, 50.0)
    rate /= np.cos(np.radians(latitude))[:, None] ** 2
    most = 1.0 / np.cos(np.radians(50.0)) ** 2
    assert rate.max() == pytest.approx(most, rel=1e-12)
    poleward = rate[latitude > 51.0].max(axis=1)
    np.testing.assert_allclose(poleward, most)


def test_without_it_a_globe_does_not_last():
    lasts = shipped("baroclinic-globe", **coarse, **{"time.length": "12h"})
    found = ended(lasts)
    assert np.abs(values(found, "w")).max() < 0.05
    bare = shipped(
        "baroclinic-globe", **coarse, **{"time.length": "12h", "atmosphere.filter_latitude": 90.0}
    )
    component, clock = begun(bare), bare.time.clock()
    with np.errstate(all="ignore"):
        for _ in range(9):  # the tenth would refuse it
            component.step(clock.time)
            clock.advance()
    assert not np.abs(values(component, "w")).max() < 100.0


def test_mass_and_heat_stay_to_round_off():
    case = shipped("baroclinic-globe", **coarse, **{"time.length": "6h"})
    component = begun(case)
    c = component.coordinate

    def contents() -> np.ndarray:
        """Dry mass and what potential temperature it holds, all over the globe."""
        mass = values(component, "mass") + values(component, "base_mass")
        layer = c.layer_mass(mass) * c.thickness[:, None, None]
        heat = layer * values(component, "theta")
        area = component.plane.area
        return np.array([(mass * area).sum(), (heat * area).sum(), (np.abs(heat) * area).sum()])

    before, theta = contents(), values(component, "theta")
    ended(case, component)
    after = contents()
    assert np.abs(values(component, "theta") - theta).max() > 0.1
    assert abs(after[0] - before[0]) < 1e-14 * before[0]
    assert abs(after[1] - before[1]) < 1e-14 * before[2]


globe = {
    "nx": 16, "ny": 8, "dx": 22.5, "dy": 22.5, "y0": -78.75, "closed_edges": False,
    "sides": {"south": "pole", "north": "pole"},
}  # fmt: skip


def test_blocks_have_whole_rows():
    grid = build_grid(GridOptions.from_table(globe))
    assert cut_of(grid, None, 3) == DecompositionOptions(rows=3)
    assert cut_of(grid, DecompositionOptions(blocks_per_rank=2), 2).rows == 4  # type: ignore[union-attr]
    for wrong in ({"kind": "curve"}, {"rows": 1}, {"tiles": "auto"}):
        with pytest.raises(UserError, match="needs whole rows. Leave these options out"):
            cut_of(grid, DecompositionOptions(**wrong), 2)
    plain = build_grid(GridOptions.from_table({"nx": 8, "ny": 8}))
    assert cut_of(plain, DecompositionOptions(kind="curve"), 2).kind == "curve"  # type: ignore[union-attr]


def test_an_odd_number_of_columns_is_refused():
    odd = {"grid.nx": 31, "grid.dx": 360.0 / 31.0}
    with pytest.raises(UserError, match="16 x 31 cells cannot have a pole.*even number of columns"):
        shipped("baroclinic-globe", **(coarse | odd)).build_grid()
