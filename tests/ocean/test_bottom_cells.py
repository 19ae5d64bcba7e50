"""Lowest cells that are thinner than their level. Ranks: 1."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from halocline.core.constants import gravity
from halocline.grids.vertical.levels import layered
from halocline.ocean.bottom_cells import lift_to_thin_cells
from halocline.ocean.eddy_options import EddyOptions
from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.options import OceanWindOptions
from halocline.ocean.rotation import CoriolisOptions
from halocline.ocean.tracer_options import OceanTracerOptions
from halocline.ocean.viscous_options import ViscousOptions
from ocean import oceans


def basin(thickness, thin):
    """A closed basin with an island and a shelf of two levels, the deepest cells `thin` [m]."""
    depth = np.full((9, 12), 1e4)
    depth[4, 5:7], depth[6:, 8:] = 0.0, 250.0
    levels = oceans.plane(12, 9, 5e4, thickness, depth=depth.tolist(), periodic_x=True)
    bottom = levels.cell_thickness
    lowest = np.where(levels.wet_levels == 3, thin or bottom[0], bottom[1])
    return replace(levels, bottom_thickness=levels.mask * lowest if thin else None)


@pytest.mark.parametrize(
    ("scheme", "vertical"),
    [
        ("laplacian", "constant"),
        ("anisotropic", "constant"),
        ("laplacian", "richardson"),
        ("laplacian", "kpp"),
    ],
)
def test_evenly_thin_cells_are_a_thinner_level(scheme, vertical):
    """The same as a grid whose deepest level is so thin: its bits, or round-off of mixing.

    KPP takes the slope of what mixes below its layer over whole levels.
    """
    found = []
    for levels in (basin([100.0, 200.0, 400.0], 100.0), basin([100.0, 200.0, 100.0], None)):
        mixing = oceans.with_numbers(
            viscosity=2e4, diffusivity=1e3, vertical_viscosity=1e-2, vertical_diffusivity=1e-3,
            convective_diffusivity=0.1, drag=1e-2, viscous=ViscousOptions(scheme=scheme),
            scheme=vertical,
        )  # fmt: skip
        model = oceans.build(
            levels, 1800.0, mixing=mixing, averaging=3, wind=OceanWindOptions(amplitude=0.1),
            rotation=CoriolisOptions(parameter=1e-4),
        )  # fmt: skip
        random = np.random.default_rng(1)
        tracers = np.sort(random.uniform(5.0, 15.0, (2, *levels.shape)), axis=1)
        oceans.put_tracers(model, np.stack([tracers[0], tracers[1, ::-1]]))
        *_, state = oceans.go(model, 8)
        names = ("tracer", "u", "v", "surface", "layer")
        found.append([getattr(state, name).gather() for name in names])
    for thin, whole in zip(*found, strict=True):
        if vertical == "constant":
            assert_array_equal(thin, whole)
        least = 1e-6 if vertical == "kpp" else 1e-10
        assert_allclose(thin, whole, rtol=0.0, atol=least * np.abs(whole).max())
    assert np.abs(found[0][1]).max() > 1e-3


def hill(count=10, cells=30, least=0.1):
    """A ridge across a periodic channel, 1000 m deep, whose floor is no interface."""
    x = (np.arange(cells) + 0.5) / cells
    depth = 985.0 - 700.0 * np.exp(-(((x - 0.5) / 0.15) ** 2)) * np.ones((6, 1))
    thickness = np.full(count, 1000.0 / count)
    flat = oceans.plane(cells, 6, 6e5 / cells, thickness, periodic_x=True).horizontal
    return layered(replace(flat, depth=depth), thickness, least=least)


def resting(levels, profile, steps, *, lifted=True, **more):
    """A model in which water lies in levels, after some steps; and its start."""
    turning = CoriolisOptions(parameter=1e-4)
    model = oceans.build(levels, 1800.0, averaging=10, rotation=turning, **more)
    depth = levels.depth[:, None, None] if lifted else oceans.cell_depth(levels)
    warm = np.broadcast_to(profile(depth), levels.shape)
    oceans.put_tracers(model, np.stack([warm, np.full(levels.shape, 35.0)]))
    if lifted:
        lift_to_thin_cells(model.state, 0, 2)
        model.state.old_tracer.copy(model.state.tracer)
        model.densities()
    start = model.state.tracer.gather()[0].copy()
    *_, state = oceans.go(model, steps)
    return np.abs(state.u.gather() + 1j * state.v.gather()).max(), state, start


def linear(depth):
    return 20.0 - 0.015 * depth


def curved(depth):
    return 2.0 + 18.0 * np.exp(-depth / 300.0)


@pytest.mark.parametrize("advection", ["centred", "limited3"])
@pytest.mark.parametrize("profile", [linear, curved])
def test_stratified_water_rests_over_a_slope(profile, advection):
    """A straight line, and any profile that is straight between the centres of levels.

    Horizontal diffusion and eddies leave it alone, too.
    """
    eddies = EddyOptions(along=1e3, flattening=5e2)
    mixing = oceans.with_numbers(viscosity=1e3, diffusivity=1e3, eddies=eddies)
    levels, tracers = hill(), OceanTracerOptions(advection=advection)
    assert 50 < np.count_nonzero(levels.bottom_thickness < 95.0)
    speed, state, start = resting(levels, profile, 30, mixing=mixing, tracers=tracers)
    assert not state.vertical_diffusivity.gather()[levels.wet].max() > 1e-12
    assert speed < 1e-12
    assert_allclose(state.tracer.gather()[0][levels.wet], start[levels.wet], rtol=1e-13)
    if profile is linear:
        wanted = profile(oceans.cell_depth(levels))[levels.wet]
        assert_allclose(start[levels.wet], wanted, rtol=1e-14)


def test_currents_of_a_bent_profile_fall_with_the_square_of_the_thickness():
    """Of exact values at the centres of cells; whole cells have none, but another floor."""
    speeds = [resting(hill(count), curved, 12, lifted=False)[0] for count in (10, 20, 40)]
    assert 1e-4 < speeds[0] < 1e-2
    assert speeds[0] / speeds[1] > 3.0 and speeds[1] / speeds[2] > 3.0


def test_currents_of_a_nonlinear_equation_of_state_are_small():
    """Of temperature, and of the pressure that thin cells have at another depth."""
    water = DensityOptions(equation="mcdougall-2003")
    speed, _, _ = resting(hill(), curved, 30, density=water)
    assert speed < 1e-3


length = 5e5


def floor_at(x):
    """A floor that falls evenly from 220 m to 1030 m."""
    return 220.0 + 810.0 * x


def seiche(n=500):
    """Period [s] and shape of the first seiche over that floor, on n points.

    From (H z')' + (w^2 / g) z = 0 with z' = 0 at both ends.
    """
    face = floor_at(np.arange(1, n) / n)
    matrix = np.diag(np.append(face, 0.0) + np.append(0.0, face))
    matrix -= np.diag(face, 1) + np.diag(face, -1)
    values, shapes = np.linalg.eigh(matrix)
    return 2.0 * np.pi / (np.sqrt(values[1] * gravity) * n / length), shapes[:, 1] * np.sqrt(n)


def modelled_period(cells, least, dt=100.0):
    """Of that seiche in the model, from the times when its shape is not there [s]."""
    x = (np.arange(cells) + 0.5) / cells
    thickness = np.full(11, 100.0)
    flat = oceans.plane(cells, 3, length / cells, thickness, periodic_y=True).horizontal
    depth = floor_at(x) * np.ones((3, 1))
    levels = layered(replace(flat, depth=depth), thickness, least=least)
    model = oceans.build(levels, dt)
    _, fine = seiche()
    shape = np.interp(x, (np.arange(fine.size) + 0.5) / fine.size, fine) * np.ones((3, 1))
    oceans.put_surface(model, 1e-3 * shape)
    heights = [1.0]
    for state in oceans.go(model, 115):
        heights.append((state.surface.gather() * shape).sum() / (1e-3 * gravity * (shape**2).sum()))
    a = np.array(heights)
    first, second = (n + a[n] / (a[n] - a[n + 1]) for n in np.flatnonzero(a[:-1] * a[1:] < 0.0))
    return 2.0 * (second - first) * dt


def test_a_seiche_over_a_slope_keeps_its_period():
    """Thin cells: an error that cells half as long halve; whole ones end at the wrong depth."""
    wanted, _ = seiche()
    thin = [modelled_period(cells, 0.1) / wanted - 1.0 for cells in (20, 40)]
    whole = modelled_period(40, None) / wanted - 1.0
    assert 0.0 < thin[0] < 0.03 and thin[1] < 0.6 * thin[0]
    assert abs(whole) > 2.5 * thin[1]


@pytest.mark.parametrize("eddies", [EddyOptions(), EddyOptions(along=1e6, flattening=5e5)])
def test_sweeps_diffuse_as_the_centred_scheme_does(eddies):
    """Where nothing flows both do nothing else; what cells hold stays."""
    levels, random, found = oceans.thinned(oceans.rough_sphere()), np.random.default_rng(3), []
    warm = 20.0 - 0.012 * oceans.cell_depth(levels) + random.uniform(-0.3, 0.3, levels.shape)
    start = np.stack([warm, random.uniform(34.0, 34.1, levels.shape)]) * levels.wet
    for advection in ("centred", "limited3"):
        model = oceans.build(
            levels, 3600.0, tracers=OceanTracerOptions(advection=advection),
            mixing=oceans.with_numbers(diffusivity=1e8, eddies=eddies),
        )  # fmt: skip
        oceans.put_tracers(model, start)
        for _ in range(2):  # what the last step brought is not brought again
            model.baroclinic(oceans.forward(model))
        found.append(model.state.new_tracer.gather())
    before, after = oceans.contents(model), oceans.contents(model, "new_")
    assert_allclose(after, before, rtol=1e-13)
    assert_allclose(found[1], found[0], rtol=1e-13)
    assert np.abs(found[0] - start).max() > 0.1
