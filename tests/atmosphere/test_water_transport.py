"""Water carried by dry mass: its kernels against NumPy, constants, sums, bounds and order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atmosphere.calling import call
from halocline.atmosphere import _native
from halocline.runtime.fields.kernel import kernels_of
from references.water_transport import Cells, moved

nk, nj, ni, dt = 7, 8, 11, 4.0
limiters = ("none", "positive", "monotone")


def flow(levels: int = nk, seed: int = 5) -> tuple[Cells, dict[str, np.ndarray]]:
    """Fluxes of a random wind, with Courant numbers of up to 0.3; masses and coordinate by name."""
    random = np.random.default_rng(seed)
    thickness = random.uniform(0.8, 1.2, (levels, 1, 1)) / levels
    c1 = 0.5 + np.arange(levels).reshape(-1, 1, 1) / levels
    c1 /= (c1 * thickness).sum()
    x, y = (random.uniform(-1.0, 1.0, (levels, nj, ni)) * 8e4 * 100.0 * 5.0 for _ in "xy")
    area, c2 = 1e4, (1.0 - c1) * 9e4
    out = (np.roll(x, -1, 2) - x + np.roll(y, -1, 1) - y) / area
    columns = -(thickness * out).sum(axis=0)
    rise = np.zeros((levels + 1, nj, ni))
    for k in range(levels - 1):
        rise[k + 1] = rise[k] - thickness[k] * (out[k] + c1[k] * columns)
    old = random.uniform(8e4, 9e4, (nj, ni))
    heavier = dt * columns
    cells = Cells(x, y, rise, c1 * (old + heavier) + c2, c1 * heavier + 0.0 * x, area, thickness)
    given = {"mass": old + heavier - 8e4, "old_mass": old - 8e4, "base_mass": 0.0 * old + 8e4}
    return cells, given | {"c1": c1[:, 0, 0], "c2": c2[:, 0, 0]}


def wide(values: np.ndarray) -> np.ndarray:
    """With three cells more on all sides, periodic."""
    return np.pad(values, [(0, 0)] * (values.ndim - 2) + [(3, 3), (3, 3)], "wrap")


def by_kernels(
    cells: Cells, mass: dict[str, np.ndarray], water: np.ndarray, old: np.ndarray, limiter: str,
    order: int = 5, vertical: int = 3, dtype: Any = np.float64, along: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """New mixing ratios, all species at once; limited `along` x where that is 1."""
    given = mass | {
        "x_flux": cells.x_flux, "y_flux": cells.y_flux, "rise": cells.rise,
        "area": np.full((nj, ni), cells.area), "thickness": cells.thickness[:, 0, 0],
    }  # fmt: skip
    arrays: dict[str, Any] = {
        name: (values if values.ndim == 1 else wide(values)).astype(dtype)
        for name, values in given.items()
    }
    arrays |= {"water": wide(water).astype(dtype), "old_water": wide(old).astype(dtype)}
    numbers = {"dt": dt, "order": order, "vertical_order": vertical, "weno": int(cells.weno)}
    result = np.zeros_like(arrays["water"])
    box = (3, 3 + nj, 3, 3 + ni, 0)
    if limiter == "none":
        call("atmosphere_move_water", box, arrays | {"next_water": result}, **numbers)
        return result[..., 3:-3, 3:-3]
    shares = {"loss_share": np.zeros_like(result), "gain_share": None}
    if along is not None:
        arrays["x_limited"] = wide(along).astype(dtype)
    if limiter == "monotone":
        shares["gain_share"] = np.zeros_like(result)
    call("atmosphere_water_shares", box, arrays | shares, **numbers)
    shares = {
        name: None if share is None else wide(share[..., 3:-3, 3:-3])
        for name, share in shares.items()
    }
    call("atmosphere_move_water_within", box, arrays | shares | {"next_water": result}, **numbers)
    return result[..., 3:-3, 3:-3]


def species(levels: int = nk, seed: int = 2) -> np.ndarray:
    """Three of them: smooth, in blobs with nothing between, and as much everywhere."""
    random = np.random.default_rng(seed)
    shape = levels, nj, ni
    blobs = np.where(random.random(shape) > 0.8, 1e-2 * random.random(shape), 0.0)
    return np.array([random.uniform(5e-3, 8e-3, shape), blobs, np.full(shape, 0.0137)])


@pytest.mark.parametrize("weno", [False, True])
@pytest.mark.parametrize("limiter", limiters)
@pytest.mark.parametrize(("order", "vertical"), [(2, 2), (3, 5), (4, 6), (5, 3), (6, 4)])
def test_kernels_are_the_reference(limiter, order, vertical, weno):
    cells, mass = flow()
    cells.weno = weno
    old = species()
    water = old * np.random.default_rng(8).uniform(0.9, 1.1, old.shape)
    found = by_kernels(cells, mass, water, old, limiter, order, vertical)
    for n in range(3):
        wanted = moved(cells, water[n], old[n], dt, order, vertical, limiter)
        np.testing.assert_allclose(found[n], wanted, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("limiter", limiters[1:])
def test_rows_along_which_nothing_is_limited(limiter):
    """As near poles: not to be lost along x there, nor making room there for what others lose."""
    cells, mass = flow()
    old, along = species(), np.repeat(np.arange(nj)[:, None] % 3 > 0, ni, axis=1) * 1.0
    found = by_kernels(cells, mass, old, old, limiter, along=along)
    everywhere = by_kernels(cells, mass, old, old, limiter)
    assert np.abs(found - everywhere)[1].max() > 1e-5
    for n in range(3):
        wanted = moved(cells, old[n], old[n], dt, 5, 3, limiter, along)
        np.testing.assert_allclose(found[n], wanted, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("weno", [False, True])
@pytest.mark.parametrize("limiter", limiters)
@pytest.mark.parametrize(("dtype", "few"), [(np.float64, 1e-15), (np.float32, 3e-7)])
def test_as_much_everywhere_stays_so(limiter, dtype, few, weno):
    cells, mass = flow()
    cells.weno = weno
    old = species()
    found = by_kernels(cells, mass, old, old, limiter, dtype=dtype)
    np.testing.assert_allclose(found[2], 0.0137, rtol=10 * few)


@pytest.mark.parametrize("weno", [False, True])
@pytest.mark.parametrize("limiter", limiters)
def test_the_mass_of_water_stays(limiter, weno):
    cells, mass = flow()
    cells.weno = weno
    old = species()
    found = by_kernels(cells, mass, old, old, limiter)
    before = ((cells.layer - cells.heavier) * cells.thickness * old).sum(axis=(1, 2, 3))
    after = (cells.layer * cells.thickness * found).sum(axis=(1, 2, 3))
    np.testing.assert_allclose(after, before, rtol=1e-14)


def test_limiters_keep_their_bounds():
    """Blobs become negative without a limiter, not with one; monotone ones stay within."""
    cells, mass = flow()
    old = species()
    least = {}
    for limiter in limiters:
        found = by_kernels(cells, mass, old, old, limiter)
        least[limiter] = found[1].min()
        if limiter == "monotone":
            assert found[1].max() <= old[1].max() * (1 + 1e-13)
            assert found[0].max() <= old[0].max() and found[0].min() >= old[0].min()
    assert least["none"] < -1e-5
    assert least["positive"] > -1e-17 and least["monotone"] > -1e-17


def test_what_is_smooth_is_not_limited():
    """Far from 0 the positive limiter changes no bit of the fluxes but their round-off."""
    cells, mass = flow()
    old = species()[:1]
    free, limited = (by_kernels(cells, mass, old, old, name) for name in ("none", "positive"))
    np.testing.assert_allclose(limited, free, rtol=1e-14)


class Row:
    """Cells in a row, periodic, that a uniform flow carries."""

    def __init__(self, cells: int, weno: int) -> None:
        shape = (nk, nj + 6, cells + 6)
        self.old, self.stage, self.new = (np.zeros((1, *shape)) for _ in range(3))
        self.flux, plane = np.zeros(shape), np.ones(shape[1:])
        arrays = {
            "water": self.stage, "old_water": self.old, "x_flux": self.flux,
            "y_flux": np.zeros(shape), "rise": np.zeros((nk + 1, *plane.shape)),
            "mass": 0.0 * plane, "old_mass": 0.0 * plane, "base_mass": plane, "area": plane,
            "c1": np.ones(nk), "c2": np.zeros(nk), "thickness": np.ones(nk), "next_water": self.new,
        }  # fmt: skip
        kernel = kernels_of(_native)["atmosphere_move_water"]
        given = [arrays.get(argument.name) for argument in kernel.arguments]
        self.kernel = kernel.bound([((3, 3 + nj, 3, 3 + cells, 0), *given)])
        self.numbers = {"dt": 1.0, "order": 5, "vertical_order": 3, "weno": weno}

    def after(self, q: np.ndarray, stage: np.ndarray, courant: float) -> np.ndarray:
        """What fluxes of `stage` make of q, (cells,)."""
        self.old[:], self.stage[:] = np.pad(q, 3, "wrap"), np.pad(stage, 3, "wrap")
        self.flux[:] = courant
        self.kernel(**self.numbers)
        return self.new[0, 2, 5, 3:-3].copy()


@pytest.mark.parametrize("mean", [0.0, 2.0])
def test_weighted_values_are_of_fifth_order(mean):
    """Of a wave whose means over cells are known, for what flows either way."""
    for way in (1e-3, -1e-3):
        errors = []
        for n in (32, 64):
            half = np.pi / n
            x = 2.0 * half * np.arange(n)
            wave, slope = (f(x) * np.sin(half) / half for f in (np.sin, np.cos))
            moved = Row(n, 1).after(wave + mean, wave + mean, way)
            errors.append(abs((wave + mean - moved) / (2.0 * half * way) - slope).max())
        assert np.log2(errors[0] / errors[1]) > 4.8


@pytest.mark.parametrize(("courant", "most"), [(0.4, 5e-6), (0.8, 7e-3)])
def test_steps_hardly_overshoot_with_weighted_values(courant, most):
    """A block carried 16 cells on, in the three stages of steps; fifth order overshoots by 0.15."""
    over = {}
    for weno in (0, 1):
        row, q = Row(50, weno), np.where(np.arange(50) < 20, 1.0, 0.0)
        over[weno], before = 0.0, q.sum()
        for _ in range(round(16 / courant)):
            stage = q
            for part in (1.0 / 3.0, 0.5, 1.0):
                stage = row.after(q, stage, part * courant)
            q = stage
            over[weno] = max(over[weno], q.max() - 1.0, -q.min())
        assert q.sum() == pytest.approx(before, rel=1e-14)
    assert over[1] < most < 0.14 < over[0]


@pytest.mark.parametrize("limiter", ["none", "positive"])
def test_zero_has_no_sign(limiter):
    """Mixing ratios that become less than numbers of 32 bits can be are 0, and never -0."""
    cells, mass = flow()
    old = 10.0 ** np.random.default_rng(9).uniform(-37.9, -36.5, (20, nk, nj, ni))
    found = by_kernels(cells, mass, old, old, limiter, dtype=np.float32)
    assert (found == 0.0).sum() > 100
    assert not np.signbit(found[found == 0.0]).any()
