"""Double diffusion: published numbers, where it acts, salt that diffuses by itself. Ranks: 1."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.passive_tracers import PassiveTracerOptions
from halocline.ocean.tracer_options import OceanTracerOptions
from halocline.ocean.vertical_mixing_options import DoubleDiffusionOptions, KppOptions
from ocean import oceans
from ocean.mixing_column import four, kernels

water = DensityOptions(expansion=0.2, contraction=0.8)


def double(warm, salty, *, under=(10.0, 35.0), layer=0.0, floor=0, equation=water, base=0.0):
    """Diffusivities of heat and salt between two levels of 10 m, of which the upper one is so much
    warmer and saltier than that under it."""
    heat, excess = np.full((2, 3, 9), base), np.full((2, 3, 9), np.nan)
    kernels["ocean_double_diffusion"].function(
        box=(0, 3, 0, 9, 0),
        tracer=four([[under[0], under[0] + warm], [under[1], under[1] + salty]], (3, 9)),
        floor_level=four(floor, (3, 9)),
        boundary_layer_depth=four(layer, (3, 9)),
        depths=np.array([15.0, 5.0]),
        thickness=np.full(2, 10.0),
        vertical_diffusivity=heat,
        salinity_excess=excess,
        fingers=1e-3,
        limit=1.9,
        share=0.7,
        numbers=equation.numbers,
    )
    assert np.ptp(heat[1]) == np.ptp(excess[1]) == 0.0
    assert (heat[0] == base).all() and (excess[0] == 0.0).all()  # the floor of the box
    return heat[1, 0, 0], heat[1, 0, 0] + excess[1, 0, 0]


def of_ratio(ratio, salty):
    """The same for a density ratio, with so much more salt above."""
    return double(ratio * 0.8 * salty / 0.2, salty)


@pytest.mark.parametrize(
    ("ratio", "salt"), [(1.0 + 1e-9, 1e-3), (1.45, 1e-3 * 0.75**3), (1.6, 1.714678e-4), (1.9, 0.0)]
)
def test_fingers_are_those_of_equation_31(ratio, salt):
    """nu_f (1 - ((R - 1) / 0.9)^2)^3 of salt, 0.7 of that of heat."""
    heat, found = of_ratio(ratio, 0.1)
    assert found == pytest.approx(salt, rel=1e-6, abs=1e-15)
    assert heat == pytest.approx(0.7 * salt, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize(
    ("ratio", "factor", "share"),
    [
        (1.0 - 1e-9, np.exp(4.6), 1.0),
        (0.8, np.exp(4.6 * np.exp(-0.135)), 0.63),
        (0.5, np.exp(4.6 * np.exp(-0.54)), 0.075),
        (0.25, np.exp(4.6 * np.exp(-1.62)), 0.0375),
        (0.02, 1.0, 0.003),
    ],
)
def test_layers_are_those_of_equations_32_to_34(ratio, factor, share):
    """0.909 nu exp(4.6 exp(-0.54 (1 / R - 1))) of heat, of salt 1.85 R - 0.85 or 0.15 R of it."""
    heat, salt = of_ratio(ratio, -0.1)
    assert heat == pytest.approx(1.5e-6 * 0.909 * factor, rel=1e-6)
    assert salt == pytest.approx(share * heat, rel=1e-6)


@pytest.mark.parametrize(
    ("warm", "salty"),
    [(1.0, -0.1), (-1.0, 0.1), (0.39, 0.1), (0.77, 0.1), (-0.41, -0.1), (0.0, 0.1), (0.0, 0.0)],
    ids=["both steady", "neither", "overturns", "few fingers", "overturns cold", "salt", "even"],
)
def test_nothing_where_heat_and_salt_do_not_work_against_each_other(warm, salty):
    assert double(warm, salty, base=2e-5) == (2e-5, 2e-5)


def test_nothing_in_the_boundary_layer_and_at_the_floor():
    fingers = 1e-3 * 0.75**3
    assert double(0.58, 0.1, layer=9.9, base=1e-5)[1] == pytest.approx(1e-5 + fingers, rel=1e-6)
    assert double(0.58, 0.1, layer=10.1, base=1e-5) == (1e-5, 1e-5)
    assert double(0.58, 0.1, floor=1) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("under", "warm", "salty"), [((10.0, 35.0), 0.9, 0.15), ((1.0, 2.0), -1.2, 0.05)]
)
def test_the_density_ratio_is_that_of_sea_water(under, warm, salty):
    """alpha dT / beta dS of the mean of both sides, with the equation's own derivatives; nearly
    fresh water below 4 degrees, which shrinks as it warms, has fingers where it is colder above."""
    real = DensityOptions(equation="teos-10")
    density = kernels["ocean_density"].function
    found = np.zeros((2, 2, 2))

    def at(t, s):
        tracer = four([[t, t], [s, s]])
        density(
            box=(0, 1, 0, 1, 0), tracer=tracer, floor_level=np.zeros((2, 2)),
            bottom_share=np.ones((2, 2)), thickness=np.full(2, 10.0), depth=np.array([15.0, 5.0]),
            density=found, numbers=real.numbers,
        )  # fmt: skip
        return found[0, 0, 0]

    d = 1e-3
    t, s = under[0] + 0.5 * warm, under[1] + 0.5 * salty
    expansion, contraction = at(t - d, s) - at(t + d, s), at(t, s + d) - at(t, s - d)
    ratio = expansion * warm / (contraction * salty)
    assert 1.2 < ratio < 1.6
    salt = double(warm, salty, under=under, equation=real)[1]
    assert salt == pytest.approx(1e-3 * (1.0 - ((ratio - 1.0) / 0.9) ** 2) ** 3, rel=1e-5)


def doubly(advection="centred", levels=None, **numbers):
    """A model under KPP with double diffusion and a passive tracer."""
    act = DoubleDiffusionOptions(act=True, **numbers)
    kpp = KppOptions(double_diffusion=act, background=0.0, shear_viscosity=0.0)
    passive = {"dye": PassiveTracerOptions()}
    tracers = OceanTracerOptions(advection=advection, passive=passive)
    levels = levels or oceans.plane(6, 5, 1e4, [20.0] * 8, periodic_x=True)
    mixing = replace(oceans.still, scheme="kpp", kpp=kpp)
    return oceans.build(levels, 3600.0, mixing=mixing, density=water, tracers=tracers)


@pytest.mark.parametrize("advection", ["centred", "upwind3", "limited3"])
def test_salt_and_passive_tracers_diffuse_by_themselves(advection):
    """Where nothing flows: heat by its diffusivity, all others by that and the excess."""
    random, model = np.random.default_rng(5), doubly(advection)
    s, tau, dz = model.state, 7200.0, 20.0
    heat, excess = (random.uniform(0.0, 0.05, 8) for _ in range(2))
    heat[0] = excess[0] = 0.0
    for field, values in ((s.vertical_diffusivity, heat), (s.salinity_excess, excess)):
        field.set_global(np.broadcast_to(values[:, None, None], field.shape))
    start = random.uniform(1.0, 2.0, 8)
    columns = np.broadcast_to(start[:, None, None], s.tracer.shape[1:])
    oceans.put_tracers(model, np.stack([columns] * 3))
    model.tracers(tau=tau, width=160)
    diffusivities = heat, heat + excess, heat + excess
    for values, mixing in zip(s.new_tracer.gather(), diffusivities, strict=True):
        below = tau / dz**2 * mixing
        above = np.append(below[1:], 0.0)
        matrix = np.diag(1.0 + below + above) - np.diag(below[1:], -1) - np.diag(above[:-1], 1)
        assert_allclose(values[:, 2, 3], np.linalg.solve(matrix, start), rtol=1e-13)
    assert np.abs(s.new_tracer.gather()[1] - s.new_tracer.gather()[0]).max() > 1e-2


def test_fingers_take_salt_down_faster_than_heat_and_both_are_kept():
    """In days; over thin cells, too: what the sea holds stays, its potential energy falls."""
    levels = oceans.thinned(oceans.plane(6, 5, 1e4, [20.0] * 8, depth=[[150.0] * 6] * 5))
    model = doubly(levels=levels)
    depth = oceans.cell_depth(levels)
    warm, salt = 10.0 - 0.02 * depth, 35.0 - 0.02 * depth / (4.0 * 1.2)  # ratio 1.2
    oceans.put_tracers(model, np.stack([warm, salt, np.ones(levels.shape)]))
    before, start = oceans.contents(model), model.state.tracer.gather().copy()
    *_, state = oceans.go(model, 48)
    assert_allclose(oceans.contents(model), before, rtol=1e-13)
    found, wet = state.tracer.gather(), levels.wet
    assert_allclose(found[2][wet], 1.0, rtol=1e-13)
    volume = levels.cell_thickness * wet
    sunk = [((new - old) * depth * volume).sum() for new, old in zip(found, start, strict=True)]
    assert sunk[0] > 0.0 and sunk[1] > 0.0
    assert 0.8 * sunk[1] > 1.05 * 0.2 * sunk[0]  # the buoyancy of salt is more than that of heat


def test_it_changes_nothing_if_it_does_not_act():
    assert not KppOptions().double_diffusion.act
    model = doubly()
    assert model.state.salinity_excess is not None
    other = oceans.build(
        model.levels, 3600.0, mixing=replace(oceans.still, scheme="kpp"), density=water
    )
    assert other.state.salinity_excess is None
