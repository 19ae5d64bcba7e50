"""The filter of rows near the poles: its transmission, what it leaves alone, its need. Ranks: 1."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, shipped, values
from halocline.atmosphere.dynamics.polar_filter import cut_of, filtered_rows, remaining
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.runtime.fields.cut_options import DecompositionOptions
from references.polar_rows import filtered, filtered_heat, filtered_water

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
    rows = np.random.default_rng(3).standard_normal((3, latitude.size, 20)).astype(dtype)
    rows[1, 5] = 1234.5
    before = rows.copy()
    parts = filtered_rows(rest, 16)
    assert [part.rows for part in parts] == [slice(0, 2), slice(4, 6)]
    for part in parts:
        part.waves.filter(rows[:, part.rows, 2:18])
    assert np.array_equal(rows[..., [0, 1, 18, 19]], before[..., [0, 1, 18, 19]])
    assert np.array_equal(rows[:, 2:4], before[:, 2:4])
    for j in (0, 1, 4, 5):
        for k in range(3):
            expected = plain(before[k, j, 2:18].astype(np.float64), rest[j])
            scale = np.abs(expected).max()
            np.testing.assert_allclose(rows[k, j, 2:18] / scale, expected / scale, atol=1e-7)
            assert rows[k, j, 2:18].astype(np.float64).mean() == pytest.approx(
                before[k, j, 2:18].astype(np.float64).mean(), abs=4.0 * np.finfo(dtype).eps * scale
            )


@pytest.mark.parametrize("columns", [2, 4, 6, 10, 16, 30, 62, 98, 128, 360, 1022])
def test_transforms_of_any_length(columns):
    """Of 2, 3, 4, 5 and other primes, in the order that they tell, as NumPy's."""
    latitude = np.array([61.0, 70.0, 88.0])
    rest = remaining(latitude, columns, 60.0)
    rows = np.random.default_rng(columns).standard_normal((7, 3, columns))
    expected = filtered(rows, rest)
    (part,) = filtered_rows(rest, columns) if columns > 2 else filtered_rows(rest[-1:], columns)
    found = rows[:, part.rows] if columns > 2 else rows[:, -1:]
    part.waves.filter(found)
    np.testing.assert_allclose(found, expected[:, -found.shape[1] :], atol=2e-14)


def test_a_row_has_the_same_bits_beside_any_rows_and_threads():
    latitude = np.linspace(50.0, 89.0, 11)
    rows = np.random.default_rng(5).standard_normal((5, 11, 36)).astype(np.float32)
    alone, together = rows.copy(), rows.copy()
    rest = remaining(latitude, 36, 45.0)
    filtered_rows(rest, 36)[0].waves.filter(together)
    for j in range(11):
        filtered_rows(rest[j : j + 1], 36)[0].waves.filter(alone[:, j : j + 1])
    assert np.array_equal(alone, together)
    assert not np.array_equal(together, rows)


@pytest.mark.parametrize(("dtype", "few"), [(np.float64, 1e-14), (np.float32, 2e-7)])
def test_heat_and_water_against_numpy(dtype, few):
    """With columns that gain mass; water that the filter leaves below 0 comes from its row."""
    random, shape, columns = np.random.default_rng(8), (5, 3, 24), 24
    rest = remaining(np.array([70.0, 80.0, 87.0]), columns, 45.0)
    waves = filtered_rows(rest, columns)[0].waves
    c1, c2 = random.uniform(0.2, 1.0, 5), random.uniform(1e3, 2e3, 5)
    base, old_mass, mass = (
        (level + random.uniform(-500.0, 500.0, shape[1:])).astype(dtype) for level in (8e4, 0, 0)
    )
    heat = random.uniform(-1e5, 1e5, shape).astype(dtype)
    theta = random.uniform(-30.0, 60.0, shape).astype(dtype)
    wide = [values.astype(np.float64) for values in (heat, theta, mass, old_mass, base)]
    expected = filtered_heat(*wide[:3], c1, rest)
    waves.filter_heat(heat, theta, mass, c1)
    np.testing.assert_allclose(heat, expected, atol=few * np.abs(expected).max() * 8)
    old = (random.random(shape) * (random.random(shape) > 0.7)).astype(dtype)
    new = (random.random(shape) * (random.random(shape) > 0.7)).astype(dtype)
    for positive in (False, True):
        found, given = new.copy(), [values.astype(np.float64) for values in (new, old)]
        waves.filter_water(found, old, mass, old_mass, base, c1, c2, positive)
        masses = wide[2], wide[3], wide[4]
        expected = filtered_water(*given, masses, (c1, c2), rest, positive=positive)
        assert (expected.min() < -0.01) == (not positive)
        np.testing.assert_allclose(found, expected, atol=10 * few)
        assert found.min() >= 0.0 or not positive


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
    with pytest.raises(UserError, match="Cannot cut 8 rows into 10 blocks.*at most 4 ranks"):
        cut_of(grid, DecompositionOptions(blocks_per_rank=2), 5)
    assert cut_of(grid, None, 8) == DecompositionOptions(rows=8)
    plain = build_grid(GridOptions.from_table({"nx": 8, "ny": 8}))
    curve = DecompositionOptions(kind="curve")
    assert cut_of(plain, curve, 2) == curve


def test_an_odd_number_of_columns_is_refused():
    odd = {"grid.nx": 31, "grid.dx": 360.0 / 31.0}
    with pytest.raises(
        UserError, match="16 x 31 cells cannot have a pole.*an even number of columns"
    ):
        shipped("baroclinic-globe", **(coarse | odd)).build_grid()
