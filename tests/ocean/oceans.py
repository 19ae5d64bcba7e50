"""Small oceans for the tests: grids, models at rest, and what they hold."""

import math
from dataclasses import replace

import numpy as np

from halocline.grids.horizontal.regular import GridOptions, build_grid, regular_grid
from halocline.grids.vertical.levels import layered
from halocline.numerics.solver_options import SolverOptions
from halocline.ocean.metrics import least_around
from halocline.ocean.model import Ocean, Weights, reach
from halocline.ocean.options import OceanMixingOptions, OceanOptions, OceanWindOptions
from halocline.ocean.rotation import CoriolisOptions
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

exact = SolverOptions(tolerance=1e-14, precision="float64")
still = OceanMixingOptions(
    viscosity=0.0,
    diffusivity=0.0,
    vertical_viscosity=0.0,
    vertical_diffusivity=0.0,
    convective_diffusivity=0.0,
    drag=0.0,
)


def plane(nx, ny, dx, thickness, **more):
    """Levels of `thickness` [m], from the surface down, on squares of `dx` [m]."""
    sides = {"closed_edges": False, "kind": "cartesian", "dx": dx, "dy": dx}
    options = GridOptions(**sides | {"nx": nx, "ny": ny, "depth": sum(thickness)} | more)
    return layered(regular_grid(options), np.array(thickness, float))


def rough_sphere(seed=1):
    """A periodic belt of the sphere with islands, shelves and a stepped floor."""
    random = np.random.default_rng(seed)
    depth = random.choice([0.0, 150.0, 600.0, 1500.0, 1500.0, 1500.0, 1500.0], (14, 24))
    depth[[0, -1]] = 0.0
    options = GridOptions(
        nx=24, ny=14, dx=15.0, dy=8.0, x0=7.5, y0=-48.0, depth=depth.tolist(), closed_edges=False
    )
    return layered(regular_grid(options), np.array([100.0, 200.0, 400.0, 800.0]))


def displaced_pole(seed=1):
    """A grid about a displaced pole with islands and a stepped floor."""
    random = np.random.default_rng(seed)
    depth = random.choice([0.0, 150.0, 600.0, 1500.0, 1500.0, 1500.0, 1500.0], (16, 24))
    options = GridOptions(kind="displaced-pole", nx=24, ny=16, depth=depth.tolist())
    return layered(build_grid(options), np.array([100.0, 200.0, 400.0, 800.0]))


def thinned(levels, least=0.1, seed=7):
    """The same sea with lowest cells of random thickness, at least this share of their level."""
    random, count = np.random.default_rng(seed), levels.thickness.size
    share = np.where(levels.wet_levels > 1, random.uniform(least, 1.0, levels.mask.shape), 1.0)
    if levels.topology.fold == "centres":
        i = np.arange(share.shape[1])
        share[-1] = share[-1, np.minimum(i, -i % i.size)]
    whole = levels.thickness[count - np.maximum(levels.wet_levels, 1)]
    return replace(levels, bottom_thickness=levels.mask * share * whole)


def belt(cells):
    """A belt of the sphere from 60 south to 60 north, cells of 120 degrees over `cells`."""
    step = 120.0 / cells
    options = GridOptions(
        nx=3 * cells, ny=cells, dx=step, dy=step, x0=step / 2, y0=-60.0 + step / 2,
        depth=100.0, closed_edges=False,
    )  # fmt: skip
    return layered(regular_grid(options), np.array([100.0]))


def build(levels, dt, *, check_halos=False, dtype=np.float64, cut=None, **options):
    """A model at rest, at 10 degrees and 35; by default nothing mixes, turns or blows."""
    usual = {
        "mixing": still,
        "wind": OceanWindOptions(amplitude=0.0),
        "rotation": CoriolisOptions(parameter=0.0),
        "solver": exact,
        "averaging": 0,
    }
    decomposition = Decomposition(
        levels.mask, levels.topology, halo=reach, options=DecompositionOptions(**cut or {})
    )
    run = Runner(decomposition, check_halos=check_halos)
    made = OceanOptions(**usual | options)
    model = Ocean(levels, made, decomposition, run, dt, dtype=dtype)
    model.state.layer.fill(levels.thickness[-1])
    put_tracers(model, np.stack([np.full(levels.shape, 10.0), np.full(levels.shape, 35.0)]))
    model.state.old_layer.copy(model.state.layer)
    return model


def put_tracers(model, values):
    """Temperature, salinity and others at both times, (tracer, k, j, i); those not given are 0."""
    more = model.state.tracer.shape[0] - len(values)
    none = np.zeros((more, *values.shape[1:]))
    model.state.tracer.set_global(np.concatenate([values, none]))
    model.state.old_tracer.copy(model.state.tracer)
    model.densities()


def put_velocity(model, u, v, levels_in_time=("old_", "")):
    """Velocity on the wet corners of every level, and its means; shape (k, j, i)."""
    wet = wet_corners(model.levels)
    mean = thickness_weights(model.levels)
    for name, values in (("u", u), ("v", v)):
        values = np.broadcast_to(values, wet.shape) * wet
        for prefix in levels_in_time:
            getattr(model.state, prefix + name).set_global(values)
            getattr(model.state, f"{prefix}mean_{name}").set_global((values * mean).sum(axis=0))


def put_surface(model, height, gravity=9.806):
    """Height of the surface at both times [m], shape (j, i)."""
    for prefix in ("old_", ""):
        getattr(model.state, f"{prefix}surface").set_global(gravity * height)
        layer = model.levels.thickness[-1] + height
        getattr(model.state, f"{prefix}layer").set_global(layer)


def wet_corners(levels):
    """Which corners have water on every level, shape (k, j, i)."""
    count = levels.thickness.size
    floor = count - least_around(levels, levels.wet_levels)
    return np.arange(count)[:, None, None] >= floor


def corner_thickness(levels):
    """Thickness of velocity cells [m], the least of the four cells around; shape (k, j, i)."""
    return np.stack([least_around(levels, plane) for plane in levels.cell_thickness])


def cell_depth(levels):
    """Depth of the centres of wet cells, of levels below them [m]; shape (k, j, i)."""
    thick = np.where(levels.wet, levels.cell_thickness, levels.thickness[:, None, None])
    return levels.interfaces[1:, None, None] + 0.5 * thick


def thickness_weights(levels):
    """Share of every level in the depth of its corner [1], 0 where it is dry; shape (k, j, i)."""
    thick = corner_thickness(levels)
    return thick / np.maximum(thick.sum(axis=0), 1.0)


def shears(levels, random, shape=None):
    """A random velocity on the wet corners, shape (k, j, i), whose means over columns are 0."""
    wet = wet_corners(levels)
    values = random.standard_normal(wet.shape if shape is None else shape) * wet
    return (values - (values * thickness_weights(levels)).sum(axis=0)) * wet


def cell_thickness(model, prefix=""):
    """Thickness of all cells with the moving surface [m], shape (k, j, i)."""
    thick = model.levels.cell_thickness.copy()
    thick[-1] = getattr(model.state, f"{prefix}layer").gather() * model.levels.mask
    return thick


def contents(model, prefix=""):
    """Volume [m3] and what it holds of every tracer, exactly added up."""
    thick = cell_thickness(model, prefix) * model.levels.horizontal.area
    tracers = getattr(model.state, f"{prefix}tracer").gather()
    once = model.levels.topology.once(Place.center)
    return [
        math.fsum((thick * values)[:, once].ravel()) for values in (np.ones_like(thick), *tracers)
    ]


def go(model, steps, first=0):
    """Take steps, a forward one before the first; what stands at each is yielded."""
    for number in range(first, first + steps):
        if number == 0:
            model.first_step()
        else:
            model.step(number)
        yield model.state


def forward(model):
    """The weights of a step of one interval, of which nothing is old."""
    return Weights.forward(model.dt)


def with_numbers(mixing=still, **numbers):
    return replace(mixing, **numbers)
