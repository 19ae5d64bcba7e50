"""Eddies: triads beside plain NumPy, what they keep, flatten and never sharpen. Ranks: 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.ocean.eddy_options import EddyOptions
from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.passive_tracers import PassiveTracerOptions
from halocline.ocean.tracer_options import OceanTracerOptions
from ocean import oceans
from ocean.triads import all_triads, tapers

belt = oceans.rough_sphere()
walled = oceans.plane(7, 5, 1.2e6, [100.0, 200.0, 400.0, 800.0])
thin_belt, thin_walled = oceans.thinned(belt), oceans.thinned(walled)
belts = pytest.mark.parametrize("belt", [belt, thin_belt], ids=["whole", "thin"])


def eddying(levels, *, dt=1.0, density=None, passive=None, **numbers):
    """A model in which nothing but eddies acts on tracers."""
    usual = {"along": 0.0, "flattening": 0.0, "largest_slope": 1e9}
    mixing = oceans.with_numbers(eddies=EddyOptions(**usual | numbers))
    tracers = OceanTracerOptions(passive=passive or {})
    water = density or DensityOptions()
    return oceans.build(levels, dt, mixing=mixing, density=water, tracers=tracers)


def stratified(levels, seed=1, rough=0.3):
    """Temperature and salinity, warm above, that differ from column to column (2, k, j, i)."""
    random = np.random.default_rng(seed)
    noise = random.uniform(-rough, rough, (2, *levels.shape))
    depth = oceans.cell_depth(levels)
    mean = np.stack([20.0 - 0.012 * depth, 34.0 + 0.0004 * depth])
    return mean + noise * np.array([1.0, 0.1])[:, None, None, None]


def rates(model, tracers):
    """What eddies bring into cells [m3 s-1 times units], and the diffusivity that they add."""
    oceans.put_tracers(model, tracers)
    model.state.vertical_diffusivity.fill(0.0)
    model.eddies(40)
    found = model.state.mixing_convergence.gather() * model.levels.horizontal.area
    return found, model.state.vertical_diffusivity.gather()


def give(gained, point, amount):
    """Bring cells an amount by the weights of a point."""
    for cell, share in point:
        gained[(slice(None), *cell)] += share * amount


def triads(levels, density, tracers, some):
    """The same rates cell by cell, in plain NumPy, explicit along the vertical too.

    Of every triad: the flux through the side and the interface. Beside each other cells are
    compared at the depth of the higher centre, and what passes goes from point to point.
    """
    gained, implicit = np.zeros_like(tracers), np.zeros_like(tracers)
    found = all_triads(levels, density, tracers)
    taper, true = tapers(levels, found, some)
    for one in found:
        half, slope = one.half, one.slope or 0.0
        weight = one.weight * smaller(one.look, some.length)
        tilted = weight * taper[one.key] * slope
        skew = (some.along - some.flattening) * tilted
        out = -some.along * weight * one.step - skew * one.rise
        give(gained, one.points[0], -out)
        give(gained, one.points[1], out)
        lifted = -half * (some.along + some.flattening) * tilted * one.step
        gained[:, *one.here] -= lifted
        gained[:, *one.third] += lifted
        steep = half * some.along * tilted * slope * one.rise
        implicit[:, *one.here] += steep
        implicit[:, *one.third] -= steep
    return gained, implicit, true[true > 0.0]


def smaller(look, length):
    """What eddies have of their diffusivity at a side: its area over that of cells of a length."""
    if not length:
        return 1.0
    return min(1.0, 2.0 / (look.width**-2 + look.length**-2) / length**2)


def diffused(levels, tracers, diffusivity):
    """What a diffusivity at lower interfaces brings into cells [m3 s-1 times units]."""
    spacing = -np.diff(oceans.cell_depth(levels), axis=0)
    fluxes = np.zeros((len(tracers), levels.shape[0] + 1, *levels.shape[1:]))
    upward = -diffusivity[1:] * np.diff(tracers, axis=1) / spacing * levels.horizontal.area
    fluxes[:, 1:-1] = upward
    return -np.diff(fluxes, axis=1)


@pytest.mark.parametrize(
    "levels",
    [belt, walled, thin_belt, thin_walled],
    ids=["belt", "walled", "thin belt", "thin walled"],
)
@pytest.mark.parametrize(("taper", "length"), [("smooth", 0.0), ("square", 0.0), ("smooth", 2e6)])
def test_triads_are_those_of_plain_numpy(levels, taper, length):
    """Walls are the sides of grids and of land; small cells may have less of it."""
    some = {"along": 700.0, "flattening": 300.0, "taper": taper, "length": length}
    some |= {"largest_slope": 3e-5, "slope_width": 2e-5}
    tracers = stratified(levels)
    model = eddying(levels, dt=3600.0, **some)
    found, diffusivity = rates(model, tracers)
    gained, implicit, true = triads(levels, model.options.density, tracers, EddyOptions(**some))
    assert 0.1 < (true > 3e-5).mean() < 0.9
    size = np.abs(gained).max(axis=(1, 2, 3))
    for t in (0, 1):
        assert_allclose(found[t][levels.wet], gained[t][levels.wet], atol=1e-12 * size[t])
        raised = diffused(levels, tracers, diffusivity)[t]
        assert_allclose(raised[levels.wet], implicit[t][levels.wet], atol=1e-12 * size[t])
        assert abs(found[t][levels.wet].sum()) < 1e-13 * np.abs(found[t]).sum()


def along_surfaces(model, tracers):
    """All that mixing along surfaces brings into cells, the implicit part included."""
    found, diffusivity = rates(model, tracers)
    whole = found + diffused(model.levels, tracers, diffusivity)
    return whole * model.levels.wet, found


@belts
def test_mixing_along_surfaces_leaves_density_and_its_functions_alone(belt):
    """With a linear equation of state, to round-off: whatever temperature and salinity are."""
    model = eddying(belt, along=1e3)
    tracers = stratified(belt)
    whole, part = along_surfaces(model, tracers)
    water = model.options.density
    heavier = -water.expansion * whole[0] + water.contraction * whole[1]
    assert np.abs(heavier).max() < 1e-12 * water.expansion * np.abs(part).max()
    assert np.abs(whole[1]).max() > 1e-3 * np.abs(part[1]).max()
    passive = DensityOptions(contraction=0.0)
    tracers[1] = 3.0 - 2.0 * tracers[0]
    whole, part = along_surfaces(eddying(belt, along=1e3, density=passive), tracers)
    assert np.abs(whole).max() < 1e-12 * np.abs(part).max()


@belts
def test_passive_tracers_go_along(belt):
    """One that is density stays where mixing goes along its surfaces; what flattens moves it as
    it moves temperature and salinity."""
    water = DensityOptions()
    tracers = stratified(belt)
    density = -water.expansion * tracers[0] + water.contraction * tracers[1]
    tracers = np.concatenate([tracers, density[None]])
    dye = {"dye": PassiveTracerOptions()}
    whole, part = along_surfaces(eddying(belt, along=1e3, passive=dye), tracers)
    assert np.abs(whole[2]).max() < 1e-12 * np.abs(part[2]).max()
    moved, _ = rates(eddying(belt, flattening=1e3, passive=dye), tracers)
    heavier = -water.expansion * moved[0] + water.contraction * moved[1]
    assert_allclose(moved[2], heavier, atol=1e-12 * np.abs(moved[2]).max())
    assert np.abs(moved[2]).max() > 0.0


@belts
@pytest.mark.parametrize("taper", ["smooth", "square"])
@pytest.mark.parametrize("largest", [1e-6, 3e-5, 1e9])
def test_squares_never_grow_along_surfaces(belt, taper, largest):
    """Nor do they change by flattening."""
    passive = DensityOptions(contraction=0.0)
    some = {"taper": taper, "largest_slope": largest, "slope_width": 1e-5, "density": passive}
    tracers = stratified(belt, seed=2)
    whole, _ = along_surfaces(eddying(belt, along=1e3, **some), tracers)
    gained = (tracers * whole).sum(axis=(1, 2, 3))
    assert gained[1] < 0.0
    if largest < 1.0:  # temperature is density: without a taper nothing moves it
        assert gained[0] < 0.0
    skew, diffusivity = rates(eddying(belt, flattening=1e3, **some), tracers)
    work = tracers * skew * belt.wet
    assert not diffusivity.any()
    assert (np.abs(work.sum(axis=(1, 2, 3))) < 1e-11 * np.abs(work).sum(axis=(1, 2, 3))).all()


def test_water_that_overturns_is_mixed_along_levels_alone():
    model = eddying(belt, along=1e3, flattening=5e2)
    tracers = stratified(belt, rough=0.1)[:, ::-1].copy()
    found, diffusivity = rates(model, tracers)
    assert not diffusivity.any()
    gained, implicit, slopes = triads(belt, model.options.density, tracers, EddyOptions(along=1e3))
    assert not slopes.size
    assert not implicit.any()
    size = np.abs(gained).max()
    assert_allclose(found * belt.wet, gained * belt.wet, atol=1e-13 * size)


def wavy(amplitude, cells=16, dx=2e4):
    """A channel of 10 levels with a wave in its surfaces of density, and its wave number."""
    levels = oceans.plane(cells, 4, dx, [100.0] * 10, periodic_x=True, periodic_y=True)
    angle = 2.0 * np.pi * (np.arange(cells) + 0.5) / cells
    depth = levels.depth[:, None, None]
    wave = amplitude * np.cos(angle) * np.ones((10, 4, 1))
    return levels, np.stack([20.0 - 0.01 * depth + wave, np.full(levels.shape, 35.0)]), wave


def test_a_small_wave_is_flattened_at_the_rate_of_diffusion():
    """G d2/dx2 inside; the uppermost and lowest level have half of the triads."""
    levels, tracers, wave = wavy(1e-6)
    found, _ = rates(eddying(levels, flattening=800.0), tracers)
    seen = 2.0 * np.sin(np.pi / 16) / 2e4
    wanted = -800.0 * seen**2 * wave * 2e4**2 * 100.0
    wanted[[0, -1]] *= 0.5
    assert_allclose(found[0], wanted, atol=1e-5 * np.abs(wanted).max())


def test_flattening_releases_potential_energy_until_surfaces_are_flat():
    """Energy falls step by step; heat stays, and every level tends to one temperature."""
    levels, tracers, _ = wavy(0.4)
    model = eddying(levels, flattening=1e3)
    volume = 2e4**2 * 100.0
    energies, start = [], tracers.copy()
    for _ in range(160):
        energies.append((tracers[0] * levels.depth[:, None, None]).sum())  # of light water far down
        tracers = tracers + 8e4 / volume * rates(model, tracers)[0]
    assert (np.diff(energies) < 0.0).all()
    assert_allclose(tracers.sum(axis=(1, 2, 3)), start.sum(axis=(1, 2, 3)), rtol=1e-13)
    assert np.ptp(tracers[0][2:-2], axis=2).max() < 0.05 * np.ptp(start[0], axis=2).max()


def test_a_constant_stays_and_what_eddies_bring_arrives():
    """The kernel of tracers adds the convergence; salinity stays one number."""
    levels, tracers, _ = wavy(0.4)
    dt = 3600.0
    model = eddying(levels, dt=dt, flattening=1e3)
    found, _ = rates(model, tracers)
    model.tracers(tau=dt, width=40)
    after = model.state.new_tracer.gather()
    assert_allclose(after[0] - tracers[0], dt / (2e4**2 * 100.0) * found[0], atol=1e-13)
    assert_allclose(after[1], 35.0, rtol=1e-15)
