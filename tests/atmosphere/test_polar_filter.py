"""The filter of rows near the poles: its transmission, what it leaves alone, its need. Ranks: 1."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, shipped, values
from halocline.atmosphere.dynamics.polar_filter import cut_of, filtered_rows, remaining
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.runtime.fields.cut_options import DecompositionOptions

coarse = {
    "grid.nx": 32, "grid.ny": 16, "grid.dx": 11.25, "grid.dy": 11.25, "grid.y0": -84.375,
    "atmosphere.layers.count": 8, "time.step": "30min", "precision": "float64",
}  # fmt: skip


def plain(row: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Waves of one row, one by one, by sums over its columns."""
    n = row.size
    angle = 2.0 * np.pi * np.outer(np.arange(n // 2 + 1), np.arange(n)) / n
    found = np.zeros(n)
    for k in range(n // 2 + 1):
        twice = 1.0 if k in (0, n // 2) else 2.0
        a, b = (row * np.cos(angle[k])).sum(), (row * np.sin(angle[k])).sum()
        found += rest[k] * twice / n * (a * np.cos(angle[k]) + b * np.sin(angle[k]))
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_waves_are_lessened_as_the_transmission_says(dtype):
    """Of rows poleward of the first latitude; others keep their bits, and so does what is even."""
    latitude = np.array([-89.0, -60.0, -45.0, 10.0, 50.0, 80.0])
    rest = remaining(latitude, 16, 45.0)
    rows = np.random.default_rng(3).standard_normal((2, latitude.size, 20)).astype(dtype)
    rows[1, 5] = 1234.5
    before = rows.copy()
    parts = filtered_rows(rest)
    assert [part.rows for part in parts] == [slice(0, 2), slice(4, 6)]
    for part in parts:
        part.lessen(rows[..., 2:18])
    assert np.array_equal(rows[..., [0, 1, 18, 19]], before[..., [0, 1, 18, 19]])
    assert np.array_equal(rows[:, 2:4], before[:, 2:4])
    for j in (0, 1, 4, 5):
        for k in (0, 1):
            expected = plain(before[k, j, 2:18].astype(np.float64), rest[j])
            scale = np.abs(expected).max()
            np.testing.assert_allclose(rows[k, j, 2:18] / scale, expected / scale, atol=1e-7)
            assert rows[k, j, 2:18].astype(np.float64).mean() == pytest.approx(
                before[k, j, 2:18].astype(np.float64).mean(), abs=4.0 * np.finfo(dtype).eps * scale
            )


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
    without = {"time.length": "12h", "atmosphere.filter_latitude": 90.0}
    with pytest.raises(UserError, match="sound passes .* cells at row (0|15), column"):
        begun(shipped("baroclinic-globe", **coarse, **without))
    without["atmosphere.courant_interval"] = 0
    bare = shipped("baroclinic-globe", **coarse, **without)
    component, clock = begun(bare), bare.time.clock()
    with np.errstate(all="ignore"):
        for _ in range(9):
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
    twice = DecompositionOptions(blocks_per_rank=2, rows=4)
    assert cut_of(grid, DecompositionOptions(blocks_per_rank=2), 2) == twice
    for wrong in ({"kind": "curve"}, {"rows": 1}, {"tiles": "auto"}):
        with pytest.raises(UserError, match="needs whole rows. Leave these options out"):
            cut_of(grid, DecompositionOptions(**wrong), 2)
    plain = build_grid(GridOptions.from_table({"nx": 8, "ny": 8}))
    curve = DecompositionOptions(kind="curve")
    assert cut_of(plain, curve, 2) == curve


def test_an_odd_number_of_columns_is_refused():
    odd = {"grid.nx": 31, "grid.dx": 360.0 / 31.0}
    with pytest.raises(
        UserError, match="16 x 31 cells cannot have a pole.*an even number of columns"
    ):
        shipped("baroclinic-globe", **(coarse | odd)).build_grid()
