"""Off-line transport: rotation, real ocean, same bits on blocks, conservation, clear mistakes."""

import gc
import math
import tracemalloc

import netCDF4
import numpy as np
import pytest

from halocline.biogeochemistry.circulation import GyreOptions, gyres
from halocline.biogeochemistry.tracer_start import shapes
from halocline.biogeochemistry.transport import (
    MixingOptions,
    Transport,
    TransportOptions,
    error_norms,
)
from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.levels import layered, read_layers
from halocline.numerics.stream_function import VolumeFluxes, divergence
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.running.runner import Runner

DAY = 86400.0


def basin(cells):
    """A square of 100 degrees around (0, 0) with closed sides."""
    step = 100.0 / cells
    edge = -50.0 + step / 2
    options = GridOptions(
        nx=cells, ny=cells, x0=edge, y0=edge, dx=step, dy=step, depth=100.0, closed_edges=False
    )
    return layered(regular_grid(options), np.array([100.0]))


def build(grid, options, dt, dtype=np.float64, **cut):
    decomposition = Decomposition(
        grid.mask, grid.topology, halo=2, options=DecompositionOptions(**cut)
    )
    model = Transport(grid, options, decomposition, dt, dtype=dtype)
    model.set_start()
    return model, Runner(decomposition, check_halos=True)


def revolve(cells, tracers=tuple(shapes), **options):
    """Errors of every shape after one revolution."""
    grid = basin(cells)
    steps = 6 * cells
    dt = 12 * DAY / steps
    model, run = build(grid, TransportOptions(tracers=list(tracers), **options), dt)
    start = model.state.tracer.gather().copy()
    before = model.contents()
    for number in range(steps):
        model.step(run, model.state, dt, number)
    end = model.state.tracer.gather()
    np.testing.assert_allclose(model.contents(), before, rtol=1e-13)
    return {
        name: error_norms(end[at], start[at], grid.volume)
        | {"least": end[at].min(), "greatest": end[at].max()}
        for at, name in enumerate(tracers)
    }


def test_one_revolution_converges_and_makes_no_extremes():
    coarse, fine = revolve(40), revolve(80)
    for name in shapes:
        assert fine[name]["least"] >= 0.0
        assert fine[name]["greatest"] <= 1.0 + 1e-12
    assert fine["constant"]["l_infinity"] < 1e-13
    for name in ("bell", "gaussian", "cone"):
        assert fine[name]["l2"] < 0.45 * coarse[name]["l2"], name
    assert fine["bell"]["l2"] < 0.08
    assert fine["slotted_cylinder"]["l1"] < 0.5


def test_second_order_in_two_dimensions_without_limiter():
    errors = [revolve(n, ["bell"], limiter=False)["bell"]["l2"] for n in (40, 80, 160)]
    orders = [math.log2(a / b) for a, b in zip(errors, errors[1:], strict=False)]
    assert orders[-1] > 1.9, (errors, orders)


def small_ocean():
    """The real grid, every wet level, cut to its upper eight levels."""
    return read_layers(data_folder() / "g_pop_x1_grid.nc", 8)


def ocean_options():
    return TransportOptions(
        tracers=["a", "b", "constant"],
        circulation="gyres",
        sinking={"b": 20.0},
        horizontal_diffusivity=1000.0,
    )


def test_real_coasts_have_no_divergence():
    """Every cell of the 40 levels, in float64 and float32, to the last bit."""
    grid = read_layers(data_folder() / "g_pop_x1_grid.nc")
    fluxes = gyres(grid, GyreOptions()).whole()
    for kind in (np.float64, np.float32):
        found = VolumeFluxes(*(getattr(fluxes, n).astype(kind) for n in "xyz"))
        assert not divergence(found, grid.topology).any()
    assert not fluxes.x[~grid.open_x_faces()[..., :-1]].any()
    assert not fluxes.y[~grid.open_y_faces()[:, :-1]].any()
    assert not fluxes.z[1:][~(grid.wet[1:] & grid.wet[:-1])].any()
    center = grid.horizontal.at(Place.center)
    south = (center.y[:, 0] < -50) & (center.y[:, 0] > -70)
    drake = int(np.argmin(np.abs(center.x[40] - 295.0)))
    assert 50e6 < fluxes.x[:, south, drake].sum() < 200e6


@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_real_ocean_same_bits_closed_and_positive(dtype):
    grid, options, dt = small_ocean(), ocean_options(), 3600.0
    results = []
    for cut in (
        {"blocks_per_rank": 1},
        {"blocks_per_rank": 6},
        {"kind": "curve", "blocks_per_rank": 5},
    ):
        model, run = build(grid, options, dt, dtype, **cut)
        before = model.contents()
        for number in range(4):
            model.step(run, model.state, dt, number)
        results.append(model.state.tracer.gather())
        least, greatest = model.extremes()
        assert least.min() >= 0
        assert (model.contents() / before - 1 < (1e-13 if dtype is np.float64 else 1e-6)).all()
        bound = 1e-13 if dtype is np.float64 else 1e-5
        assert abs(greatest[2] - 1) < bound and abs(least[2] - 1) < bound
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])
    assert np.isfinite(results[0]).all()


def test_one_rank_of_64_keeps_its_own_part_only():
    """Set-up holds one global array of 3 dimensions for a while, none is left; planes may be."""

    class OneOf64(Alone):
        size, rank = 64, 20

    grid = layered(basin(96).horizontal, np.full(50, 2.0))
    options = TransportOptions(tracers=["bell"], circulation="gyres", horizontal_diffusivity=10.0)
    cut = Decomposition(
        grid.mask, grid.topology, halo=2, communicator=OneOf64(), weights=np.ones(grid.mask.shape)
    )
    volume, plane = 8 * 50 * 97 * 97, 8 * 97 * 97
    tracemalloc.start()
    model = Transport(grid, options, cut, 600.0)
    model.set_start()
    gc.collect()
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    fields = [field for field in vars(model.state).values() if isinstance(field, Field)]
    own = sum(array.nbytes for field in fields for array in field.blocks)
    assert own < 0.75 * volume
    assert kept < 1.2 * own + 6 * plane
    assert most < own + 1.1 * volume + 50 * plane


def test_all_tracers_go_in_one_exchange():
    from halocline.runtime.running.runner import Plan

    grid = basin(10)
    decomposition = Decomposition(
        grid.mask, grid.topology, halo=2, options=DecompositionOptions(blocks_per_rank=2)
    )
    model = Transport(grid, TransportOptions(tracers=["bell", "cone", "x"]), decomposition, 600.0)
    model.set_start()
    plan = Plan()
    model.step(Runner(decomposition, plan=plan), model.state, 600.0, 0)
    assert [line.split()[0] for line in plan.lines] == ["exchange", "kernel"]
    assert plan.lines[0].split()[1:] == ["tracer", "(depth", "2)"]


def test_mistakes():
    with pytest.raises(UserError, match="none twice"):
        TransportOptions(tracers=["a", "a"])
    with pytest.raises(UserError, match="not among the tracers"):
        TransportOptions(tracers=["a"], sinking={"b": 1.0})
    with pytest.raises(UserError, match="Did you mean 'gaussian'"):
        TransportOptions(tracers=["a"], start={"a": "gausian"})
    with pytest.raises(UserError, match="at least 0"):
        TransportOptions(tracers=["a"], sinking={"a": -1.0})
    with pytest.raises(UserError, match="Use time.step"):
        build(basin(20), TransportOptions(), 10 * DAY)
    with pytest.raises(UserError, match="too small"):
        MixingOptions(depth=0.0)


def test_tracers_begin_from_a_file(tmp_path):
    """Levels of the file between ours; cells as an exact function, land and other tracers apart."""

    def exact(x, y, depth):
        return 3.0 + 0.01 * x - 0.02 * y + 0.001 * depth

    path, levels = tmp_path / "start.nc", np.array([10.0, 100.0, 400.0])
    with netCDF4.Dataset(path, "w") as file:
        for name, values in (("lon", np.arange(-20.0, 21, 4)), ("lat", np.arange(-18.0, 19, 3))):
            file.createDimension(name, values.size)
            file.createVariable(name, "f8", (name,))[:] = values
        file.createDimension("z", 3)
        file.createVariable("z", "f8", ("z",))[:] = levels
        data = file.createVariable("PO4", "f8", ("z", "lat", "lon"))
        data[:] = exact(file["lon"][:], file["lat"][:][:, None], levels[:, None, None])
    depth = [0.0, 80.0, 150.0, 400.0, 400.0, 400.0]
    flat = GridOptions(
        nx=6, ny=4, x0=-7.0, y0=-5.0, dx=2.0, dy=2.0, depth=depth, closed_edges=False
    )
    grid = layered(regular_grid(flat), np.array([50.0, 100.0, 200.0]))
    table = {
        "tracers": ["constant", "phosphate"],
        "start_file": {"file": str(path), "variables": {"phosphate": "PO4"}},
    }
    results = []
    for blocks in (1, 4):
        model, _ = build(
            grid, TransportOptions.from_table(table), 60.0, np.float64, blocks_per_rank=blocks
        )
        results.append(model.state.tracer.gather())
    np.testing.assert_array_equal(*results)
    center = grid.horizontal.at(Place.center)
    wanted = exact(center.x, center.y, grid.depth[:, None, None]) * grid.wet
    np.testing.assert_allclose(results[0][1], wanted, rtol=1e-12)
    np.testing.assert_array_equal(results[0][0], grid.wet)
    with pytest.raises(UserError, match="start_file.variables names"):
        TransportOptions.from_table({**table, "tracers": ["constant"]})
    with pytest.raises(UserError, match="needs both"):
        TransportOptions.from_table({"start_file": {"file": str(path)}})
