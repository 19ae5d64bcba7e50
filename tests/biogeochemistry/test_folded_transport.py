"""The transport on tripolar grids: as laid out flat, conserving, the same bits on any cut.

Ranks: 1; 1 and 3 through tests/invariance/test_transport_bits.py.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from biogeochemistry.folded_ocean import folded_ocean
from halocline.biogeochemistry.transport import (
    RotationOptions,
    Transport,
    TransportOptions,
    circulation,
    kernel_of,
    reach,
)
from halocline.core.errors import UserError
from halocline.grids.vertical.levels import layered
from halocline.numerics.stream_function import divergence
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.runner import Runner
from references import double_cover

folds = ["faces", "centres"]
cuts = [{}, {"blocks_per_rank": 6}, {"kind": "curve", "blocks_per_rank": 5}]
rows, columns, levels, tracers = 10, 24, 3, 3


def random_planes(fold, dtype):
    """Arguments of the kernel laid out flat, by name, with their places; half a cell leaves it."""
    random, topology = np.random.default_rng(5), Topology(rows, columns, periodic_i=True, fold=fold)

    def flat(place, *outer, low=0.0, high=1.0, vector=False):
        plane = random.uniform(low, high, (*outer, *topology.shape(place)))
        return double_cover.flat(plane, place, fold, vector=vector)

    volume = flat(Place.center, levels, low=1.0, high=2.0)
    volume *= flat(Place.center, 1) > 0.15
    wet = volume > 0
    open_y = np.pad(wet[:, 1:] & wet[:, :-1], ((0, 0), (1, 1), (0, 0)))
    x = flat(Place.x_face, levels, low=-0.2, high=0.2, vector=True) * (wet & np.roll(wet, 1, 2))
    y = flat(Place.y_face, levels, low=-0.2, high=0.2, vector=True) * open_y
    arrays = {
        "tracer": (Place.center, flat(Place.center, tracers, levels) * wet),
        "volume": (Place.center, volume),
        "x_volume_flux": (Place.x_face, x),
        "y_volume_flux": (Place.y_face, y),
        "z_volume_flux": (Place.center, flat(Place.center, levels, low=-0.2, high=0.2)),
        "x_conductance": (Place.x_face, flat(Place.x_face, high=0.05)),
        "y_conductance": (Place.y_face, flat(Place.y_face, high=0.05)),
        "vertical_diffusivity": (Place.center, flat(Place.center, levels)),
        "area": (Place.center, flat(Place.center, low=1.0, high=2.0)),
        "thickness": (Place.none, random.uniform(0.5, 1.5, levels)),
        "spacing": (Place.none, random.uniform(0.5, 1.5, levels)),
        "sinking_speed": (Place.none, random.uniform(0.0, 1.0, tracers)),
        "new_tracer": (Place.center, 0.0 * flat(Place.center, tracers, levels)),
    }
    return topology, {name: (place, a.astype(dtype)) for name, (place, a) in arrays.items()}


units = {"volume": "m3", "area": "m2", "thickness": "m", "spacing": "m", "sinking_speed": "m s-1"}
units |= dict.fromkeys(("x_conductance", "y_conductance", "vertical_diffusivity"), "m2 s-1")
units |= dict.fromkeys(("x_volume_flux", "y_volume_flux", "z_volume_flux"), "m3 s-1")


def carried(topology, arrays, first, dtype, cut):
    """The new tracers where the planes, or as many rows of them as there are, are those given."""
    options = DecompositionOptions(**cut)
    mask = np.ones((topology.nj, topology.ni), bool)
    decomposition = Decomposition(mask, topology, halo=reach, options=options)
    state, depth, which = SimpleNamespace(), Axis("depth", levels), Axis("tracer", tracers)
    for name, (place, values) in arrays.items():
        outer = values.ndim - 2 * place.planar
        axes = {0: (), 1: (depth,), 2: (which, depth)}[outer]
        field = Field(
            name, units.get(name, "1"), decomposition, place=place, dtype=dtype,
            axes=(which,) if name == "sinking_speed" else axes,
        )  # fmt: skip
        setattr(state, name, field)
    pair(state.x_volume_flux, state.y_volume_flux)
    for name, (place, values) in arrays.items():
        field = getattr(state, name)
        whole = values[..., : field.shape[-2], :] if place.planar else values
        field.set_global(whole)
        if place.planar:
            field.written()  # halos come by exchange, as those of the tracers do
    settings = {"limited": True, "diffusive": True, "width": 16, "group": 2}
    Runner(decomposition)(kernel_of(first), state, dt=1.0, **settings)
    return state.new_tracer.gather()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("fold", folds)
def test_what_crosses_the_seam_is_what_does_so_laid_out_flat(fold, first, dtype):
    """Bit by bit, in any flow."""
    topology, arrays = random_planes(fold, dtype)
    wide = double_cover.flat_topology(topology)
    expected = carried(wide, arrays, first, dtype, {})[..., :rows, :]
    assert np.ptp(expected[..., -1, :]) > 0.1
    for cut in cuts:
        assert np.array_equal(carried(topology, arrays, first, dtype, cut), expected)


def built(grid, options, dt, dtype=np.float64, **cut):
    decomposition = Decomposition(
        grid.mask, grid.topology, halo=reach, options=DecompositionOptions(**cut), staggered=False
    )
    model = Transport(grid, options, decomposition, dt, dtype=dtype)
    model.set_start()
    return model, Runner(decomposition, check_halos=True)


@pytest.mark.parametrize("fold", folds)
def test_gyres_on_a_fold_conserve_contents_and_keep_a_constant(fold):
    grid = folded_ocean(fold)
    gyres = {"gyre_transport": 5.0, "overturning_transport": 0.001}
    table = {"tracers": ["layers", "constant"], "circulation": "gyres", "gyres": gyres}
    options = TransportOptions.from_table(table | {"horizontal_diffusivity": 300.0})
    results = []
    for cut in cuts:
        model, run = built(grid, options, 1800.0, **cut)
        before = model.contents()
        for number in range(6):
            model.step(run, model.state, 1800.0, number)
        results.append(model.state.tracer.gather())
        np.testing.assert_allclose(model.contents(), before, rtol=1e-14)
        least, greatest = model.extremes()
        assert abs(least[1] - 1.0) < 1e-13 and abs(greatest[1] - 1.0) < 1e-13
    with model.state.tracer.change() as owned:  # what stands at doubles is nobody's
        for array, block in zip(owned, model.state.tracer.layout.blocks, strict=True):
            array[..., model.state.space.is_double(block, Place.center)] = 9.0
    assert np.array_equal(model.extremes(), (least, greatest))
    once = double_cover.once(Place.center, fold, *grid.mask.shape)
    gathered = (results[0] * grid.volume)[..., once].sum(axis=(1, 2))
    np.testing.assert_allclose(gathered, before, rtol=1e-13)
    seam = results[0][0, :, -1][grid.wet[:, -1]]
    assert seam.size > 20 and np.ptp(seam) > 0.01
    assert np.array_equal(results[1], results[0]) and np.array_equal(results[2], results[0])


@pytest.mark.parametrize("fold", folds)
def test_a_bell_turns_about_the_pole_and_comes_back_across_the_seam(fold):
    """Its middle is on the other side after half a turn, and where it was after a whole one."""
    grid = layered(folded_ocean(fold, land=False).horizontal, np.array([200.0]))
    turn = RotationOptions(latitude=90.0, radius=9.0, rim=5.0, period=1.0)
    options = TransportOptions(tracers=["bell", "constant"], rotation=turn)
    fluxes = circulation(grid, options).whole()
    assert np.abs(fluxes.y).max() > 0 and not divergence(fluxes, grid.topology).any()
    steps = 80
    model, run = built(grid, options, 86400.0 / steps, blocks_per_rank=3)
    center = grid.horizontal.at(Place.center)
    place = (90.0 - center.y) * np.exp(1j * np.deg2rad(center.x))
    bell = np.exp(-(np.abs((place - 3.0) / 3.0) ** 2)) * grid.mask
    model.state.tracer.set_global(np.stack([bell, 1.0 * grid.mask])[:, None])
    share = grid.volume[0] * double_cover.once(Place.center, fold, *grid.mask.shape)

    def middle():
        found = model.state.tracer.gather()[0, 0] * share
        return (found * place).sum() / found.sum()

    before, start = model.contents(), middle()
    np.testing.assert_allclose(before, [(bell * share).sum(), share.sum()], rtol=1e-13)
    for number in range(steps):
        model.step(run, model.state, 86400.0 / steps, number)
        if number == steps // 2 - 1:
            assert abs(middle() + start) < 0.15 * abs(start)
    assert abs(middle() - start) < 0.15 * abs(start)
    np.testing.assert_allclose(model.contents(), before, rtol=1e-13)
    assert np.abs(model.state.tracer.gather()[1, 0] - grid.mask).max() < 1e-12


def test_a_pole_at_sea_is_refused():
    grid = folded_ocean("centres", land=False)
    grid.wet_levels[-1, 0] = 1
    with pytest.raises(UserError, match="poles of the fold.*Make them land.*grid.fold = 'none'"):
        built(grid, TransportOptions(), 60.0)
