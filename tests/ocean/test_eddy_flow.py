"""What flattening carries, as a flow: beside plain NumPy, and beside its skew flux. Ranks: 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from halocline.ocean.diagnostics import OceanDiagnostics
from halocline.ocean.eddy_options import EddyOptions
from halocline.ocean.passive_tracers import PassiveTracerOptions
from halocline.ocean.shown_fields import ShownFields
from halocline.runtime.fields.place import Place
from ocean import oceans
from ocean.rough_seas import levels_of
from ocean.test_eddies import eddying, rates, stratified
from ocean.triads import all_triads, tapers

fluxes = ("x_volume_flux", "y_volume_flux")


def flow(model):
    """What passes western and southern faces [m3 s-1]."""
    shown = ShownFields(model, OceanDiagnostics(model)).update(fluxes)
    return [shown[name].gather() for name in fluxes]


def expected(levels, density, tracers, some):
    """Differences of the stream function of all triads, 0 under faces that end."""
    count, topology = levels.shape[0], levels.topology
    floor = count - levels.wet_levels
    psi = {
        place: np.zeros((count + 1, *topology.shape(place)))
        for place in (Place.x_face, Place.y_face)
    }
    found = all_triads(levels, density, tracers)
    taper, _ = tapers(levels, found, some)
    for one in found:
        interface = max(one.here[0], one.third[0])
        if interface - 1 >= max(floor[one.look.at], floor[one.look.beside]):
            carried = some.flattening * one.weight * taper[one.key] * (one.slope or 0.0)
            psi[one.look.place][(interface, *one.look.side)] += one.look.ahead * carried
    return [-np.diff(values, axis=0) for values in psi.values()]


@pytest.mark.parametrize(
    ("kind", "taper"),
    [
        *((kind, "smooth") for kind in ("belt", "faces", "centres", "straits", "thin belt")),
        *((kind, "square") for kind in ("straits", "plane")),
    ],
)
def test_it_is_that_of_the_triads_in_plain_numpy(kind, taper):
    """Beside coasts and steps of the floor, over a fold and in straits; columns carry nothing."""
    levels = levels_of(kind)
    some = {"flattening": 300.0, "taper": taper, "largest_slope": 3e-5, "slope_width": 2e-5}
    if kind == "plane":
        some |= {"largest_slope": 1e-4}
    model, tracers = eddying(levels, **some), stratified(levels)
    if levels.topology.fold:
        topology = levels.topology
        here = topology.resolve(Place.center, *np.indices(topology.shape(Place.center)))
        tracers = tracers[:, :, here.j, here.i]
    oceans.put_tracers(model, tracers)
    wanted = expected(levels, model.options.density, tracers, EddyOptions(**some))
    for found, values, place in zip(flow(model), wanted, (Place.x_face, Place.y_face), strict=True):
        once = levels.topology.once(place)
        size = np.abs(values).max()
        assert size > 0.0
        assert_allclose(found[:, once], values[:, once], atol=1e-12 * size)
        assert np.abs(found.sum(axis=0)).max() < 1e-13 * size


def brought(fluxes, tracer):
    """What a flow through the faces of periodic cells brings them; faces have means of cells."""
    x, y = fluxes
    rise = np.zeros((tracer.shape[0] + 1, *tracer.shape[1:]))
    rise[1:] = np.cumsum((x - np.roll(x, -1, 2)) + (y - np.roll(y, -1, 1)), axis=0)
    assert np.abs(rise[-1]).max() < 1e-12 * np.abs(rise).max()
    beside_x, beside_y = (0.5 * (tracer + np.roll(tracer, 1, axis)) for axis in (2, 1))
    above = np.zeros_like(rise)
    above[1:-1] = 0.5 * (tracer[1:] + tracer[:-1])
    carried = (x * beside_x, y * beside_y, rise * above)
    gained = carried[0] - np.roll(carried[0], -1, 2) + carried[1] - np.roll(carried[1], -1, 1)
    return gained - np.diff(carried[2], axis=0)


def waves(cells):
    """A channel with waves in its surfaces of density, of one length on any number of cells."""
    dx = 3.2e5 / cells
    levels = oceans.plane(cells, cells, dx, [1600.0 / cells] * cells, periodic_x=True,
                          periodic_y=True)  # fmt: skip
    x, y = np.meshgrid(*[2.0 * np.pi * (np.arange(cells) + 0.5) / cells] * 2)
    depth = levels.depth[:, None, None]
    wave = 0.4 * np.sin(np.pi * depth / 1600.0) * (np.cos(x) + np.sin(y))
    return levels, np.stack([20.0 - 0.01 * depth + wave, np.full(levels.shape, 35.0)]), x


@pytest.mark.parametrize("passive", ["temperature", "another"])
def test_it_carries_tracers_as_the_skew_flux_does(passive):
    """As temperature, or another one: of second order in the size of cells.

    Of first order in the uppermost and lowest levels, whose skew flux is that of half of them.
    """
    inside, ends = [], []
    for cells in (8, 16):
        levels, tracers, x = waves(cells)
        other = tracers[0] if passive == "temperature" else np.cos(x - 1.0) * tracers[0]
        tracers = np.concatenate([tracers, other[None]])
        dye = {"dye": PassiveTracerOptions()}
        model = eddying(levels, flattening=800.0, passive=dye)
        skew = rates(model, tracers)[0][2]
        moved = brought(flow(model), tracers[2])
        error = np.abs(moved - skew).max(axis=(1, 2)) / np.abs(skew).max()
        inside.append(error[1:-1].max())
        ends.append(error[[0, -1]].max())
    assert inside[1] < 0.01 and inside[0] > 3.5 * inside[1], inside
    assert ends[1] < 0.06 and ends[0] > 1.8 * ends[1], ends


def test_on_even_slopes_both_are_the_same():
    """Tracers linear along x, y and z: to round-off of their steps, at the surface too."""
    levels = oceans.plane(8, 8, 1e4, [50.0, 100.0, 150.0, 150.0])
    j, i = np.indices(levels.mask.shape)
    depth = oceans.cell_depth(levels)
    lines = [
        10.0 + (0.002 * i - 0.003 * j) - 0.01 * depth,
        np.full(levels.shape, 35.0),
        (0.3 * i + 0.1 * j) + 0.004 * depth,
    ]
    tracers = np.stack(lines)
    model = eddying(levels, flattening=800.0, passive={"dye": PassiveTracerOptions()})
    skew = rates(model, tracers)[0]
    x, y = flow(model)
    for number in (0, 2):
        step_x, step_y = (np.diff(tracers[number], axis=axis)[0, 0, 0] for axis in (2, 1))
        moved = -(x[:, :, :-1] * step_x + y[:, :-1] * step_y)
        inside = np.s_[:, 2:-2, 2:-2]
        size = np.abs(skew[number][inside]).max()
        assert_allclose(moved[inside], skew[number][inside], atol=1e-9 * size)


def test_velocity_is_added_to_it():
    """As much more passes as without eddies."""
    levels = levels_of("belt")
    tracers, both = stratified(levels), []
    for some in ({"flattening": 300.0}, {}, {"along": 300.0}):
        model = eddying(levels, **some)
        oceans.put_tracers(model, tracers)
        still = flow(model)
        assert any(values.any() for values in still) == ("flattening" in some)
        random = np.random.default_rng(3)
        oceans.put_velocity(model, *random.uniform(-1, 1, (2, *oceans.wet_corners(levels).shape)))
        both.append([moving - rest for moving, rest in zip(flow(model), still, strict=True)])
    for axis in (0, 1):
        assert_array_equal(both[1][axis], both[2][axis])
        size = np.abs(both[1][axis]).max()
        assert size > 0.0
        assert_allclose(both[0][axis], both[1][axis], atol=1e-13 * size)


def test_what_mixes_along_surfaces_is_not_in_the_diffusivity_shown():
    """It is in that of the ocean's own columns."""
    levels = levels_of("belt")
    model = eddying(levels, along=1e3)
    oceans.put_tracers(model, stratified(levels))
    model.state.vertical_diffusivity.fill(2e-5)
    model.eddies(40)
    shown = ShownFields(model, OceanDiagnostics(model)).update(["vertical_diffusivity"])
    found = shown["vertical_diffusivity"].gather()
    assert_array_equal(found[:-1][levels.wet], 2e-5)
    assert model.state.vertical_diffusivity.gather()[levels.wet].max() > 2.1e-5
