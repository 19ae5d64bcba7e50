"""One sample of valid random inputs for every kernel, for the generic tests of contracts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Sample:
    """Inputs of one kernel on one block.

    `box` is (j0, j1, i0, i1, points); `arrays` holds every argument of the contract by name;
    `location` gives, for arguments on points, the cell (j, i) of each point as an integer array
    (points, 2), so that the reach through a point list can be measured in cells.
    """

    box: tuple[int, int, int, int, int]
    arrays: dict[str, np.ndarray]
    scalars: dict[str, Any] = field(default_factory=dict)
    location: np.ndarray | None = None


Maker = Callable[[np.random.Generator, type], Sample]
samples: dict[str, Maker] = {}


def sample(kernel: str) -> Callable[[Maker], Maker]:
    """Register a maker of samples, called with a random generator and a NumPy float type."""

    def register(maker: Maker) -> Maker:
        samples[kernel] = maker
        return maker

    return register


@sample("mean_parameters")
def mean_parameters(random: np.random.Generator, dtype: type) -> Sample:
    from halocline.waves.parameters import PARAMETERS, ParameterTables
    from halocline.waves.spectrum import SpectralGrid

    grid = SpectralGrid(frequencies=5, directions=6)
    tables = ParameterTables(grid, dtype)
    points, owned = 11, 7
    arrays = {
        "spectrum": random.lognormal(size=(grid.components, points)),
        "wavenumber": random.uniform(0.01, 0.1, (grid.frequencies, points)),
        **{name: np.zeros(points) for name in PARAMETERS},
    }
    return Sample(
        box=(0, 0, 0, 0, owned),
        arrays={
            **{name: array.astype(dtype) for name, array in arrays.items()},
            "weights": tables.weights,
            "frequency": tables.frequency,
            "unit_vector": tables.unit_vector,
        },
        scalars={**tables.scalars, "missing": 0.0},
        location=np.stack([np.zeros(points, int), np.arange(points)], axis=-1),
    )


@sample("linear_dispersion")
def linear_dispersion(random: np.random.Generator, dtype: type) -> Sample:
    points, owned = 9, 6
    return Sample(
        box=(0, 0, 0, 0, owned),
        arrays={
            "depth": random.uniform(5.0, 50.0, points).astype(dtype),
            "sigma": np.array([0.3, 0.6, 1.2]),
            "wavenumber": np.ones((3, points), dtype),
            "group_speed": np.ones((3, points), dtype),
        },
        scalars={"gravity": 9.806},
        location=np.stack([np.zeros(points, int), np.arange(points)], axis=-1),
    )


@sample("propagate_space")
def propagate_space(random: np.random.Generator, dtype: type) -> Sample:
    """A block of 3 x 4 cells with a halo of 4; one land cell, one fixed point."""
    halo, rows, columns, frequencies, directions = 4, 3, 4, 2, 8
    shape = (rows + 2 * halo, columns + 2 * halo)
    sea = np.ones(shape, bool)
    sea[halo + 1, halo + 2] = False
    owned = np.zeros(shape, bool)
    owned[halo:-halo, halo:-halo] = True
    cells = np.concatenate([np.argwhere(sea & owned), np.argwhere(sea & ~owned)])
    components = frequencies * directions
    angle = (np.arange(directions) + 0.3) * 2.0 * np.pi / directions

    def open_face(axis: int) -> np.ndarray:
        return random.uniform(0.5, 1.0, shape) * sea * np.roll(sea, 1, axis)

    arrays = {
        "spectrum": random.lognormal(sigma=0.3, size=(components, len(cells))),
        "crossing_rate": random.uniform(2e-4, 4e-4, (frequencies, *shape)),
        "transparency_x": open_face(1),
        "transparency_y": open_face(0),
        "cell_area": random.uniform(0.5, 1.0, shape),
        "cell_aspect": random.uniform(0.5, 1.5, shape),
        "travel": np.stack([np.cos(angle), np.sin(angle)], axis=-1),
        "spatial_step": np.tile([1500.0, 1000.0], (3, 1)),
    }
    integers = {
        "cell_of_point": cells[:, 0] * shape[1] + cells[:, 1],
        "fixed_point": np.arange(len(cells)) == 1,
        "frequency_of": np.arange(components) // directions,
        "direction_of": np.arange(components) % directions,
    }
    return Sample(
        box=(halo, halo + rows, halo, halo + columns, int((sea & owned).sum())),
        arrays={name: array.astype(dtype) for name, array in arrays.items()}
        | {name: array.astype(np.int32) for name, array in integers.items()},
        scalars={
            "components": components,
            "x_first": bool(random.integers(2)),
            "scheme": 2,
            "behind_coast": random.integers(-1, 2) * 1.0,
            "width_along": 0.2,
            "width_across": 0.5,
        },
        location=cells,
    )


@sample("interpolate_wind")
def interpolate_wind(random: np.random.Generator, dtype: type) -> Sample:
    owned, points = 21, 26
    names = ("wind_u_before", "wind_v_before", "wind_u_after", "wind_v_after", "wind_u", "wind_v")
    return Sample(
        box=(0, 0, 0, 0, owned),
        arrays={name: random.normal(0.0, 10.0, points).astype(dtype) for name in names},
        scalars={"weight": float(random.uniform()), "along_arc": bool(random.integers(2))},
        location=np.stack([np.zeros(points, int), np.arange(points)], axis=1),
    )


@sample("turn_directions")
def turn_directions(random: np.random.Generator, dtype: type) -> Sample:
    points, owned, frequencies, directions = 21, 19, 2, 8
    angle = (np.arange(directions) + 0.5) * 2.0 * np.pi / directions
    arrays = {
        "spectrum": random.lognormal(size=(frequencies * directions, points)),
        "turning_x": random.uniform(-1e-4, 1e-4, (frequencies, points)),
        "turning_y": random.uniform(-1e-4, 1e-4, (frequencies, points)),
        "direction_face": np.stack([np.cos(angle), np.sin(angle)], axis=-1),
    }
    return Sample(
        box=(0, 0, 0, 0, owned),
        arrays={name: array.astype(dtype) for name, array in arrays.items()},
        scalars={"step": 4000.0, "steps": 2, "scheme": 2},
        location=np.stack([np.zeros(points, int), np.arange(points)], axis=-1),
    )


def tracer_sample(names: tuple[str, ...], **scalars: Any) -> Maker:
    """Makes random seas with the arguments `names`; swept fields are new."""

    def make(random: np.random.Generator, dtype: type) -> Sample:
        from numerics.tracer_states import random_sea

        arrays, box = random_sea(random, tracers=3, levels=4, rows=5, columns=6, dtype=dtype)
        arrays["swept_tracer"] = arrays["new_tracer"] = np.zeros_like(arrays["tracer"])
        arrays["swept_volume"] = np.zeros_like(arrays["volume"])
        return Sample(box, {name: arrays[name] for name in names}, {"dt": 1.0, **scalars})

    return make


_swept = ("swept_tracer", "swept_volume")
samples["sweep_x"] = tracer_sample(
    ("tracer", "volume", "x_volume_flux", "x_conductance", "thickness", *_swept), limited=True
)
samples["sweep_y"] = tracer_sample(
    ("tracer", "volume", "y_volume_flux", "y_conductance", "thickness", *_swept), limited=True
)
samples["sweep_z"] = tracer_sample(("tracer", "volume", "z_volume_flux", *_swept), limited=True)
samples["sinking"] = tracer_sample(("tracer", "volume", "area", "sinking_speed"))
samples["vertical_diffusion"] = tracer_sample(
    ("tracer", "volume", "vertical_diffusivity", "area", "spacing")
)
samples["transport_tracers_x_first"] = samples["transport_tracers_y_first"] = tracer_sample(
    (
        "tracer",
        "volume",
        "x_volume_flux",
        "y_volume_flux",
        "z_volume_flux",
        "x_conductance",
        "y_conductance",
        "vertical_diffusivity",
        "area",
        "thickness",
        "spacing",
        "sinking_speed",
        "new_tracer",
    ),
    limited=True,
    diffusive=True,
    width=64,
    group=8,
)


def flow_sample(names: dict[str, str], **scalars: Any) -> Maker:
    """Random seas with arguments of those names, each like the array of a sea that it names.

    "plane", "column" and "columns" are a value per column, per level and tracer, per tracer.
    """

    def make(random: np.random.Generator, dtype: type) -> Sample:
        from numerics.tracer_states import random_sea

        sea, box = random_sea(random, tracers=3, levels=4, rows=5, columns=6, dtype=dtype)
        tracers, levels, *plane = sea["tracer"].shape
        shapes = {"plane": plane, "columns": (tracers, *plane), "column": (tracers, levels)}
        arrays = {}
        for name, like in names.items():
            exact = np.float64 if name == "brought" else dtype
            some = random.uniform(0.1, 0.9, shapes[like]) if like in shapes else sea[like]
            arrays[name] = some.astype(exact)
        return Sample(box, arrays, scalars)

    return make


for _place, _like in (("centers", "volume"), ("x_faces", "x_volume_flux"), ("y_faces", "volume")):
    samples[f"between_{_place}"] = flow_sample(
        {"before": _like, "after": "volume", "now": "volume"}, weight=0.3
    )
samples["corners_to_x_faces"] = flow_sample(
    {"u": "volume", "corner_dy": "plane", "thickness": "thickness", "x_volume_flux": "volume"}
)
samples["corners_to_y_faces"] = flow_sample(
    {"v": "volume", "corner_dx": "plane", "thickness": "thickness", "y_volume_flux": "volume"}
)
_fluxes = {name: name for name in ("x_volume_flux", "y_volume_flux", "z_volume_flux", "volume")}
_planes = dict.fromkeys(("surface_water", "outflow"), "plane")
samples["fit_volumes"] = flow_sample(
    {**_fluxes, "next_volume": "volume", **_planes}, dt=1.0, x_first=True, at_once=False
)
_upstream = {**_fluxes, "tracer": "tracer", "next_volume": "volume", "new_tracer": "tracer"}
samples["advect_upstream"] = flow_sample(_upstream, dt=0.3)
samples["advect_corrected"] = flow_sample(
    {name: like for name, like in _upstream.items() if name != "volume"}, dt=0.3
)
_diffused = {"tracer": "tracer", "volume": "volume", "thickness": "thickness"}
samples["diffuse_laplacian"] = flow_sample(
    {**_diffused, "x_conductance": "plane", "y_conductance": "plane", "new_tracer": "tracer"},
    dt=0.1,
)
samples["diffuse_biharmonic"] = flow_sample(
    {**_diffused, "x_ratio": "plane", "y_ratio": "plane", "new_tracer": "tracer"},
    dt=0.1,
    diffusivity=0.1,
)
_tracer = {"tracer": "tracer", "volume": "volume", "brought": "columns"}
samples["count_surface_water"] = flow_sample(
    {"tracer": "tracer", "surface_water": "plane", "brought": "columns"}
)
samples["surface_sources"] = flow_sample(
    {**_tracer, "source": "columns", "source_water": "columns"}, dt=0.5
)
samples["draw_to_profiles"] = flow_sample(
    {**_tracer, "profile": "column", "boundary_share": "plane"}
)


@sample("surface_parameters")
def surface_parameters(random: np.random.Generator, dtype: type) -> Sample:
    owned, points = 21, 26
    outputs = ("wind_speed", "wind_direction", "drag_coefficient", "charnock")
    return Sample(
        box=(0, 0, 0, 0, owned),
        arrays={
            "wind_u": random.normal(0.0, 10.0, points).astype(dtype),
            "wind_v": random.normal(0.0, 10.0, points).astype(dtype),
            "friction_velocity": random.uniform(0.1, 0.6, points).astype(dtype),
            **{name: np.zeros(points, dtype) for name in outputs},
        },
        scalars={"height": 10.0, "von_karman": 0.4, "gravity": 9.806, "missing": -1.0},
        location=np.stack([np.zeros(points, int), np.arange(points)], axis=1),
    )


@sample("partition_spectra")
def partition_spectra(random: np.random.Generator, dtype: type) -> Sample:
    from halocline.waves.parameters import ParameterTables
    from halocline.waves.partition import PART_VALUES, WHOLE_VALUES, Partitioning
    from halocline.waves.spectrum import SpectralGrid

    grid = SpectralGrid(frequencies=6, directions=8, first_frequency=0.1, factor=1.3)
    tables = ParameterTables(grid, dtype)
    points, owned = 9, 6
    arrays = {
        "spectrum": random.lognormal(0.0, 2.0, (grid.components, points)),
        "wavenumber": np.outer(grid.sigma**2 / 9.806, random.uniform(1.0, 1.2, points)),
        "wind_u": random.choice([-1, 1], points) * random.uniform(2.0, 20.0, points),
        "wind_v": random.choice([-1, 1], points) * random.uniform(2.0, 20.0, points),
        **{name: np.zeros((3, points)) for name in PART_VALUES},
        **{name: np.zeros(points) for name in WHOLE_VALUES},
    }
    return Sample(
        box=(0, 0, 0, 0, owned),
        arrays={
            **{name: array.astype(dtype) for name, array in arrays.items()},
            "weights": tables.weights,
            "frequency": tables.frequency,
            "unit_vector": tables.unit_vector,
        },
        scalars={"factor": grid.factor, "missing": 0.0, **Partitioning().scalars},
        location=np.stack([np.zeros(points, int), np.arange(points)], axis=-1),
    )


def source_sample(physics: str, parts: tuple[str, ...]) -> Maker:
    """Points under wind with their source terms; `parts` are what a kernel writes besides."""

    def make(random: np.random.Generator, dtype: type) -> Sample:
        from halocline.waves.inspection import PointState, package_of
        from halocline.waves.source_integration import COUNTERS, PHASES, SourceSettings
        from halocline.waves.spectrum import SpectralGrid
        from halocline.waves.wind_stability import WindStability

        grid = SpectralGrid(first_frequency=0.06, frequencies=9, directions=8)
        points, owned = 21, 18
        package = package_of(physics)
        settings = SourceSettings(grid, stability=WindStability(enabled=True))
        state = PointState(grid, package, random.uniform(3.0, 9.0, points), dtype)
        arrays = state.arrays
        arrays["spectrum"][:] = random.lognormal(sigma=0.5, size=(grid.components, points))
        for name in ("wind_u", "wind_v"):
            arrays[name][:] = random.normal(0.0, 12.0, points)
        arrays["air_sea_difference"][:] = random.normal(0.0, 5.0, points)
        arrays["open_water"][:] = random.uniform(0.5, 0.9, points)
        arrays["friction_velocity"][:] = random.uniform(0.1, 0.5, points)
        arrays["source_memory"][:] = random.uniform(0.5, 2.0, (1, points))
        scalars: dict[str, Any] = {
            "options": settings.native(),
            "package": package.native_options,
        }
        if parts:
            scalars |= {"rounds": 2}
            arrays = arrays | {name: np.zeros((grid.components, points), dtype) for name in parts}
        else:
            scalars |= {"duration": 600.0, "timed": False}
            arrays = arrays | {
                "source_steps": np.zeros(points, dtype),
                "counters": np.zeros(len(COUNTERS), np.int64),
                "phase_times": np.zeros(len(PHASES), np.int64),
            }
        return Sample(
            box=(0, 0, 0, 0, owned),
            arrays=arrays,
            scalars=scalars,
            location=np.stack([np.zeros(points, int), np.arange(points)], axis=-1),
        )

    return make


source_parts = (
    "input",
    "dissipation",
    "quadruplets",
    "quadruplet_diagonal",
    "friction",
    "breaking",
)
for physics, package_name in (("ST2", "tolman_chalikov"), ("ST4", "ardhuin")):
    samples[f"integrate_{package_name}"] = source_sample(physics, ())
    samples[f"separate_{package_name}"] = source_sample(physics, source_parts)


def elliptic_cells(
    random: np.random.Generator, halo: int = 1, rows: int = 4, columns: int = 11
) -> tuple[tuple[int, int, int, int, int], dict[str, np.ndarray]]:
    """A box and, by the names of the elliptic kernels' arguments, values on its padded cells."""
    shape = (rows + 2 * halo, columns + 2 * halo)
    names = (
        "direction image right_side solution residual preconditioned preconditioned_image turned"
        " turned_image image_of_turned turned_direction correction new_solution new_correction"
        " source copy"
    )
    arrays = {name: random.standard_normal(shape) for name in names.split()}
    coefficients = ("diagonal", "west", "south", "corner", "inverse_diagonal")
    arrays |= {name: random.uniform(0.5, 1.5, shape) for name in coefficients}
    arrays["counted"] = random.integers(0, 2, shape)
    return (halo, halo + rows, halo, halo + columns, 0), arrays


def elliptic_sample(kernel: str, *scalars: str) -> None:
    """Register the sample of an elliptic kernel with these scalar arguments."""

    @sample(kernel)
    def make(random: np.random.Generator, dtype: type) -> Sample:
        from halocline.numerics import _native
        from halocline.runtime._native import exponent_place, part_count

        box, cells = elliptic_cells(random)
        names = [argument[0] for argument in _native.contracts[kernel]]
        arrays = {name: cells[name].astype(dtype) for name in names if name != "parts"}
        if "parts" in names:
            sums = next(a[-1] for a in _native.contracts[kernel] if a[0] == "parts").split()[0]
            arrays["parts"] = np.zeros((int(sums), part_count))
            arrays["parts"][:, exponent_place] = 16
        return Sample(box, arrays, {name: random.uniform(0.5, 1.5) for name in scalars})


for name, scalars in {
    "apply_nine_point": "",
    "nine_point_residual": "",
    "precondition_diagonal": "",
    "two_products": "",
    "new_direction": "beta",
    "direction_image": "",
    "step_along_direction": "alpha",
    "step_along_direction_diagonal": "alpha",
    "three_products": "",
    "chronopoulos_gear_step": "alpha beta",
    "chronopoulos_gear_step_diagonal": "alpha beta",
    "pipelined_products": "",
    "pipelined_step": "alpha beta",
    "copy_values": "",
    "copy_counted": "",
    "chebyshev_start": "weight",
    "chebyshev_step_diagonal": "weight memory",
    "chebyshev_update": "weight memory",
}.items():
    elliptic_sample(name, *scalars.split())


ocean_extents = {"tracer": 3, "depth": 4, "depth+1": 5}

tiled = (
    "tracers", "tracers_upwind", "mix_tracers", "momentum", "viscous", "viscous_again", "kpp",
)  # fmt: skip
"""Kernels of the ocean that take the width of tiles."""


def ocean_halo(contract: list[Any]) -> int:
    """As deep as a kernel looks, at least 1."""
    return max(1, *(abs(offset) for argument in contract for offset in argument[4]))


def rest_on_land(arrays: dict[str, np.ndarray]) -> None:
    """Corners as deep as the shallowest of the four cells around them, and at rest below that."""
    floor = arrays.get("corner_floor")
    if floor is None:
        return
    if "floor_level" in arrays:
        wide = np.pad(arrays["floor_level"], ((1, 0), (1, 0)), "edge")
        floor[:] = np.maximum.reduce([wide[1:, 1:], wide[1:, :-1], wide[:-1, 1:], wide[:-1, :-1]])
    for name in ("u", "v", "old_u", "old_v"):
        if name in arrays and arrays[name].ndim == 3:
            arrays[name] *= np.arange(arrays[name].shape[0])[:, None, None] >= floor


def ocean_sample(kernel: str, *numbers: str, **scalars: Any) -> None:
    """Register the sample of a kernel of the ocean, whose arrays follow from its contract.

    The scalars `numbers` are random ones. Levels of floors are whole numbers, some depths 0, and
    velocities 0 where one of the four cells around a corner is dry.
    """

    @sample(kernel)
    def make(random: np.random.Generator, dtype: type) -> Sample:
        from halocline.ocean import _native
        from halocline.ocean.equation_of_state import DensityOptions

        contract = _native.contracts[kernel]
        halo, rows, columns = ocean_halo(contract), 4, 11
        plane = (rows + 2 * halo, columns + 2 * halo)
        arrays = {}
        for name, _, place, _, _, _, _, axes in contract:
            outer = tuple(ocean_extents[word] for word in axes.split())
            shape = outer if place == "none" else (*outer, *plane)
            arrays[name] = random.uniform(0.5, 1.5, shape).astype(dtype)
            if "floor" in name:
                arrays[name] = random.integers(0, ocean_extents["depth"] + 1, shape).astype(dtype)
            elif "depth" in name and place != "none":
                arrays[name] *= random.random(shape) > 0.2
            elif name.split("_")[-1] in ("u", "v", "x", "y", "stability"):
                arrays[name] -= 1
            elif name == "strain_viscosity":  # now this, now the least one is more
                arrays[name] *= 8
        rest_on_land(arrays)
        given: dict[str, Any] = {name: float(random.uniform(0.1, 0.9)) for name in numbers}
        if "numbers" in given:
            given["numbers"] = DensityOptions(equation="mcdougall-2003").numbers
        return Sample((halo, halo + rows, halo, halo + columns, 0), arrays, given | scalars)


for name, scalars in {
    "tracers": "tau",
    "tracers_upwind": "tau",
    "relax": "tau",
    "upward_velocity": "",
    "relative_vorticity": "",
    "mix_tracers": "tau",
    "level_diffusion": "",
    "age": "amount",
    "x_volume_flux": "",
    "y_volume_flux": "",
    "volumes": "tau",
    "momentum": "tau alpha gamma drag drag_speed",
    "density": "numbers",
    "stability": "gravity numbers",
    "expansion": "numbers",
    "eddies": "along flattening largest width numbers",
    "strain_viscosity": "strength most",
    "viscous": "factor share",
    "viscous_again": "factor share",
    "freezing": "",
    "pressure": "weight outer",
    "convection": "background convective",
    "auxiliary": "tau alpha gamma",
    "right_side": "tau alpha shift",
    "velocity": "tau alpha",
    "average_velocity": "",
    "average_tracers": "",
    "filter_velocity": "strength share",
    "filter_tracers": "strength share",
    "wind_stress": "density",
    "surface_flux": "per_capacity temperature_piston salinity_piston",
    "short_wave": "heating",
    "overturn": "numbers",
    "courant": "dt",
    "bulk_heat": "height density gravity karman",
    "bulk_stress": "density",
    "long_wave": "",
    "frazil": "slope",
    "richardson": "background_viscosity background_diffusivity strength steepness",
    "richardson_viscosity": "background_viscosity strength steepness",
    "corner_viscosity": "",
    "surface_forcing": "gravity per_capacity numbers",
    "kpp": "critical shear_viscosity shear_limit background prandtl nonlocal_strength"
    " convective_viscosity convective_diffusivity red short_length long_length gravity numbers",
    "first_guess": "",
    "checkerboard": "rate",
}.items():
    tiles = {"width": 8} if name in tiled else {}
    tiles |= {"tile": 8} if name == "eddies" else {}
    switches = {"smoothing": 1, "limited": True} if name == "kpp" else {}
    switches |= {"convective": 2.0} if "richardson" in name else {}
    switches |= {"smooth": True} if name == "eddies" else {}
    switches |= {"twice": True} if "viscous" in name else {}
    ocean_sample(f"ocean_{name}", *scalars.split(), **tiles, **switches)

without_depths = samples["ocean_kpp"]


@sample("ocean_kpp")
def ocean_kpp(random: np.random.Generator, dtype: type) -> Sample:
    """Levels of 1 m, counted upward."""
    made = without_depths(random, dtype)
    made.arrays["depths"] = (ocean_extents["depth"] - 0.5 - np.arange(4)).astype(dtype)
    made.arrays["thickness"] = np.ones(4, dtype)
    made.scalars["gravity"] = 1e4  # density counts as much as shear
    return made


@sample("chebyshev_sweep")
def chebyshev_sweep(random: np.random.Generator, dtype: type) -> Sample:
    from halocline.numerics import _native

    steps = _native.sweep_steps
    box, cells = elliptic_cells(random, steps, rows=2, columns=9)
    names = [argument[0] for argument in _native.contracts["chebyshev_sweep"]]
    arrays = {name: cells[name].astype(dtype) for name in names if name != "weights"}
    return Sample(box, arrays | {"weights": random.uniform(0.1, 0.3, (steps, 2))})


@sample("precondition_blocks")
def precondition_blocks(random: np.random.Generator, dtype: type) -> Sample:
    """Four tiles of 8 x 8 cells that meet in the box."""
    halo, rows, columns, width = 7, 2, 2, 8
    box, cells = elliptic_cells(random, halo, rows, columns)
    tile_rows = np.array([[0, 8], [8, 16]], np.int32)
    tile_columns = np.array([[0, 8], [8, 16]], np.int32)
    factors = random.uniform(0.01, 0.05, (2, 16, width + 3, width))
    return Sample(
        box,
        {
            "residual": cells["residual"].astype(dtype),
            "factors": factors.astype(dtype),
            "tile_sea": np.ones((2, 16), np.int32),
            "tile_rows": tile_rows,
            "tile_columns": tile_columns,
            "preconditioned": cells["preconditioned"].astype(dtype),
        },
    )


def biogeochemistry_sample(kernel: str, scalars: Callable[[], dict[str, Any]]) -> None:
    """Register the sample of a kernel whose arrays follow from its contract."""

    @sample(kernel)
    def make(random: np.random.Generator, dtype: type) -> Sample:
        from halocline.biogeochemistry import _native

        extents, plane = {"tracer": 5, "4": 4, "depth": 3}, (4, 11)
        ranges = {
            "temperature": (5, 25), "salinity": (30, 38), "ph": (7.8, 8.3),
            "air_carbon_dioxide": (300, 500), "tracer": (1500, 2500), "attenuation": (0.02, 0.2),
            "tracer_attenuation": (1e-6, 1e-5), "wind_speed": (1, 9),
        }  # fmt: skip
        arrays = {}
        for name, _, place, _, _, _, _, axes in _native.contracts[kernel]:
            outer = tuple(extents[word] for word in axes.split())
            shape = outer if place == "none" else (*outer, *plane)
            arrays[name] = random.uniform(*ranges.get(name, (0.5, 1.5)), shape).astype(dtype)
        if "tracer" in arrays:
            arrays["tracer"][1] *= 1.2  # more alkalinity than carbon
        if kernel == "npzd_react":
            arrays["tracer"] /= 1000
        return Sample((0, 4, 0, 11, 0), arrays, scalars())


def carbonate_scalars() -> dict[str, Any]:
    from halocline.biogeochemistry.carbonate import CarbonateOptions, carbonate_tracers

    names = ["carbon", "alkalinity", "phosphate", "silicate", "oxygen"]
    return {
        "numbers": CarbonateOptions().numbers,
        "of": carbonate_tracers(names, **dict(zip(names, names, strict=True))),
    }


def exchange_scalars() -> dict[str, Any]:
    from halocline.biogeochemistry.gas_exchange import GasExchangeOptions

    return carbonate_scalars() | {"gas": GasExchangeOptions().numbers, "dt": 1800.0}


biogeochemistry_sample("carbonate", carbonate_scalars)
biogeochemistry_sample("air_sea_exchange", exchange_scalars)
biogeochemistry_sample(
    "surface_light",
    lambda: {"per_watt": 2.3, "course": True, "declination": 0.1, "begin": 0.49, "end": 0.51},
)
biogeochemistry_sample("light_in_water", lambda: {"mean": False})


def npzd_scalars() -> dict[str, Any]:
    from halocline.biogeochemistry.npzd.options import NpzdOptions

    return {"numbers": NpzdOptions().numbers, "dt": 1800.0}


biogeochemistry_sample("npzd_react", npzd_scalars)


def bfm_sample(*results: str, **sizes: tuple[int, ...]) -> Maker:
    """Two levels of cells in states around that of BFM's preset; all of them are wet."""

    def make(random: np.random.Generator, dtype: type) -> Sample:
        from biogeochemistry.bfm_states import random_states
        from halocline.biogeochemistry.bfm.options import BfmOptions

        levels, halo, rows, columns = 2, 1, 2, 9
        shape = (levels, rows + 2 * halo, columns + 2 * halo)
        state, around = random_states(random, int(np.prod(shape)))
        cells = {
            "volume": random.uniform(1e3, 2e3, shape),
            "temperature": around[0].reshape(shape),
            "light": around[1].reshape(shape),
            "calcite_saturation": random.uniform(0.2, 0.8, shape),
            "area": random.uniform(50.0, 100.0, shape[1:]),
            "tracer": state.reshape(-1, *shape),
            "floor": random.uniform(10.0, 20.0, (8, *shape[1:])),
        }
        one = {name: np.zeros((*before, *shape)) for name, before in sizes.items()}
        options = BfmOptions.from_table({"sinking": {"floor": "returned"}})
        sinks = "floor" in results
        numbers = options.native_of_sinking() if sinks else options.native()
        arrays = {name: array.astype(dtype) for name, array in (cells | one).items()}
        arrays["cut_cells"] = np.zeros(2, np.int64)
        scalars = {"numbers": numbers} | ({} if "tracer_gain" in sizes else {"dt": 1800.0})
        box = (halo, halo + rows, halo, halo + columns, 0)
        return Sample(box, {name: arrays[name] for name in results}, scalars)

    return make


samples["bfm_react"] = bfm_sample(
    "tracer",
    "volume",
    "temperature",
    "light",
    "calcite_saturation",
    "gross_production",
    "primary_production",
    "bacterial_production",
    "cut_cells",
    gross_production=(),
    primary_production=(),
    bacterial_production=(),
)
samples["bfm_rates"] = bfm_sample(
    "tracer",
    "temperature",
    "light",
    "calcite_saturation",
    "tracer_gain",
    "tracer_loss",
    tracer_gain=(51,),
    tracer_loss=(51,),
)
samples["bfm_sink"] = bfm_sample("tracer", "volume", "area", "temperature", "floor")
