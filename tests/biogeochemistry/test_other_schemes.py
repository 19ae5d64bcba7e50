"""Smolarkiewicz' scheme and horizontal diffusion against plain NumPy, and what they keep."""

import numpy as np
import pytest

from halocline.biogeochemistry.transport import Transport, TransportOptions
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.levels import layered
from halocline.numerics import _native
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.running.runner import Runner
from numerics.tracer_states import inside, random_sea

kernels = kernels_of(_native)


def moved(**options):
    """The state after a quarter of a revolution of a bell, and the model."""
    options = {"tracers": ["bell", "constant"], "rotation": {"period": 12.0}} | options
    plane = GridOptions(nx=50, ny=50, x0=-49.0, y0=-49.0, dx=2.0, dy=2.0, closed_edges=False)
    grid = layered(regular_grid(plane), np.array([100.0]))
    cut = Decomposition(grid.mask, grid.topology, halo=2)
    model = Transport(grid, TransportOptions.from_table(options), cut, 3600.0)
    model.set_start()
    before, run = model.contents(), Runner(cut, check_halos=True)
    for number in range(72):
        model.step(run, model.state, 3600.0, number)
    np.testing.assert_allclose(model.contents(), before, rtol=1e-12)
    return model


def test_one_dimension_is_the_formula():
    """(|F| - F^2 dt / V) (c_h - c_l) / (c_h + c_l) from the donor, after a step of donor cells."""
    n, dt, flux = 12, 0.5, 0.6
    random = np.random.default_rng(1)
    volume, c = np.ones(n), random.uniform(0.5, 2.0, n)
    f = np.full(n + 1, flux)
    f[[0, -1]] = 0.0
    after = volume - dt * np.diff(f)

    def donor(f, c):
        low, high = np.append(0.0, c), np.append(c, 0.0)
        return np.where(f > 0, f * low, f * high)

    first = (volume * c - dt * np.diff(donor(f, c))) / after
    anti = np.zeros(n + 1)
    low, high = first[:-1], first[1:]
    mean = 0.5 * (after[:-1] + after[1:])
    anti[1:-1] = (np.abs(f) - f**2 * dt / np.append(1, np.append(mean, 1)))[1:-1]
    anti[1:-1] *= (high - low) / (high + low)
    expected = (after * first - dt * np.diff(donor(anti, first))) / after

    def plane(row):
        result = np.zeros((1, 3, n + 2))
        result[0, 1, 1 : 1 + row.size] = row
        return result

    box = (1, 2, 1, n + 1, 0)
    x, zero = plane(f), np.zeros((1, 3, n + 2))
    once, twice = np.zeros((1, 1, 3, n + 2)), np.zeros((1, 1, 3, n + 2))
    fluxes = {"x_volume_flux": x, "y_volume_flux": zero, "z_volume_flux": zero}
    kernels["advect_upstream"].function(
        box=box, tracer=plane(c)[None], volume=plane(volume), next_volume=plane(after),
        new_tracer=once, dt=dt, **fluxes,
    )  # fmt: skip
    np.testing.assert_allclose(once[0, 0, 1, 1:-1], first, rtol=1e-14)
    kernels["advect_corrected"].function(
        box=box, tracer=once, next_volume=plane(after), new_tracer=twice, dt=dt, **fluxes
    )
    np.testing.assert_allclose(twice[0, 0, 1, 1:-1], expected, rtol=1e-13)


def test_the_correction_takes_back_most_of_the_diffusion():
    found = {}
    for corrections in (0, 1):
        model = moved(advection="smolarkiewicz", corrections=corrections)
        now = model.state.tracer.gather()
        assert now.min() >= 0.0
        assert np.abs(now[1] - 1.0).max() < 1e-12
        found[corrections] = now[0].max()
    assert found[0] < 0.75 and found[1] > 0.85, found


def diffused(kernel: str, tracer: np.ndarray, wet: np.ndarray, **more) -> np.ndarray:
    """A tracer (rows, columns) of cells of 1 m3 with two of land around, after a step."""
    wide = np.pad(tracer * wet, 2)[None, None]
    new, ones = np.zeros_like(wide), np.ones(wide.shape[2:])
    names = ("x_ratio", "y_ratio") if kernel == "biharmonic" else ("x_conductance", "y_conductance")
    box = (2, 2 + tracer.shape[0], 2, 2 + tracer.shape[1], 0)
    kernels[f"diffuse_{kernel}"].function(
        box=box, tracer=wide, volume=np.pad(wet, 2)[None].astype(float), thickness=np.ones(1),
        new_tracer=new, dt=0.5, **dict.fromkeys(names, ones), **more,
    )  # fmt: skip
    return new[0, 0][inside(box)[1:]]


def laplacian(c: np.ndarray) -> np.ndarray:
    """With closed sides."""
    wide = np.pad(c, 1, mode="edge")
    return wide[1:-1, 2:] + wide[1:-1, :-2] + wide[2:, 1:-1] + wide[:-2, 1:-1] - 4 * c


def test_horizontal_diffusion_is_that_of_numpy():
    j, i = np.mgrid[:9, :12]
    wave, wet = (
        3.0 + np.cos(np.pi * (i + 0.5) / 12) * np.cos(np.pi * (j + 0.5) / 9),
        np.ones((9, 12)),
    )
    found = diffused("laplacian", wave, wet)
    np.testing.assert_allclose(found, wave + 0.5 * laplacian(wave), rtol=1e-13)
    found = diffused("biharmonic", wave, wet, diffusivity=0.02)
    np.testing.assert_allclose(found, wave - 0.01 * laplacian(laplacian(wave)), rtol=1e-13)


def test_biharmonic_diffusion_makes_no_extremes():
    random = np.random.default_rng(3)
    wet = random.random((20, 20)) < 0.8
    for tracer in (random.lognormal(0.0, 2.0, (20, 20)), (random.random((20, 20)) < 0.1) * 1.0):
        found = diffused("biharmonic", tracer, wet, diffusivity=1 / 32)
        assert found[wet].min() >= 0.0 and found[wet].max() <= tracer[wet].max() * (1 + 1e-15)
        np.testing.assert_allclose(found.sum(), tracer[wet].sum(), rtol=1e-13)
        assert np.abs(found - tracer)[wet].max() > 0.01


def test_random_seas_keep_a_constant_and_their_content():
    random = np.random.default_rng(7)
    sea, box = random_sea(random)
    wide = {name: np.zeros_like(sea[name]) for name in ("volume", "tracer")}
    wide["volume"][inside(box)] = sea["volume"][inside(box)]
    volume, wet = wide["volume"], wide["volume"] > 0
    fluxes = {}
    for axis, name in ((2, "x_volume_flux"), (1, "y_volume_flux"), (0, "z_volume_flux")):
        low = np.roll(wet, 1, axis)
        low[(slice(None),) * axis + (0,)] = False
        fluxes[name] = np.where(wet & low, 0.5 * sea[name], 0.0)
    gain = np.zeros_like(volume)
    for axis, flux in ((2, "x_volume_flux"), (1, "y_volume_flux"), (0, "z_volume_flux")):
        high = np.roll(fluxes[flux], -1, axis)
        high[(slice(None),) * axis + (-1,)] = 0.0
        gain += fluxes[flux] - high
    after = volume + gain
    for tracer in (1.0 * wet, random.lognormal(0.0, 2.0, wet.shape) * wet):
        first, second = np.zeros((1, *wet.shape)), np.zeros((1, *wet.shape))
        more = {"next_volume": after, "dt": 1.0, **fluxes}
        kernels["advect_upstream"].function(
            box=box, tracer=tracer[None], volume=volume, new_tracer=first, **more
        )
        kernels["advect_corrected"].function(box=box, tracer=first, new_tracer=second, **more)
        assert second.min() >= 0.0
        for found in (first, second):
            np.testing.assert_allclose(
                (found[0] * after).sum(), (tracer * volume).sum(), rtol=1e-13
            )
        if tracer.max() == 1.0:
            np.testing.assert_allclose(second[0], tracer, atol=1e-13)


def test_a_biharmonic_diffusivity_that_is_too_great_is_refused():
    with pytest.raises(UserError, match=r"biharmonic_diffusivity = 1e\+17 .* Use at most"):
        moved(biharmonic_diffusivity=1e17)
