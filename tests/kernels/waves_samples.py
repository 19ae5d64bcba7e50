"""Samples of the kernels of the waves."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernels.samples import Maker, Sample, sample, samples


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
            "group_velocity": np.ones((3, points), dtype),
        },
        scalars={"gravity": 9.806},
        location=np.stack([np.zeros(points, int), np.arange(points)], axis=-1),
    )


def space_sample(random: np.random.Generator, dtype: type, currents: bool) -> Sample:
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
    scalars: dict[str, Any] = {}
    if currents:
        arrays["inverse_width"] = random.uniform(5e-5, 1e-4, shape)
        arrays |= {name: random.uniform(-2.0, 2.0, shape) for name in ("current_u", "current_v")}
        scalars = {"along_x": 1.0, "along_y": 1.0}
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
            **scalars,
        },
        location=cells,
    )


@sample("propagate_space")
def propagate_space(random: np.random.Generator, dtype: type) -> Sample:
    return space_sample(random, dtype, currents=False)


@sample("propagate_in_currents")
def propagate_in_currents(random: np.random.Generator, dtype: type) -> Sample:
    return space_sample(random, dtype, currents=True)


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


def strained(random: np.random.Generator, points: int) -> dict[str, Any]:
    """What kernels on spectra read of waves of two frequencies over water that moves."""
    names = ("convergence", "stretching", "shearing", "rotation")
    return {
        "spectrum": random.lognormal(size=(16, points)),
        "wavenumber": random.uniform(0.02, 0.05, (2, points)),
        "group_velocity": random.uniform(5.0, 9.0, (2, points)),
        "depth": random.uniform(10.0, 30.0, points),
        **{name: random.uniform(-1e-4, 1e-4, points) for name in names},
    }


def point_sample(arrays: dict[str, Any], dtype: type, scalars: dict[str, Any]) -> Sample:
    """Of arrays over points, all but the last two of them owned."""
    points = next(iter(arrays.values())).shape[-1]
    return Sample(
        box=(0, 0, 0, 0, points - 2),
        arrays={name: array.astype(dtype) for name, array in arrays.items()},
        scalars=scalars,
        location=np.stack([np.zeros(points, int), np.arange(points)], axis=-1),
    )


@sample("turn_in_currents")
def turn_in_currents(random: np.random.Generator, dtype: type) -> Sample:
    points = 21
    arrays = strained(random, points)
    del arrays["convergence"]
    angle = (np.arange(8) + 0.5) * 0.25 * np.pi
    arrays |= {name: random.uniform(-5e-4, 5e-4, points) for name in ("slope_x", "slope_y")}
    arrays["map_turning"] = random.uniform(-1e-5, 1e-5, points)
    arrays["sigma"] = np.array([0.5, 0.8])
    pairs = [np.cos(angle), np.sin(angle), np.cos(2.0 * angle), np.sin(2.0 * angle)]
    arrays["direction_face"] = np.stack(pairs, axis=-1)
    scalars = {"step": 2000.0, "steps": 2, "scheme": 2, "most": 1e-3, "refraction": 1.0}
    return point_sample(arrays, dtype, scalars)


@sample("shift_frequencies")
def shift_frequencies(random: np.random.Generator, dtype: type) -> Sample:
    points = 21
    arrays = strained(random, points)
    del arrays["rotation"]
    angle = np.arange(8) * 0.25 * np.pi
    arrays["depth_change"] = random.uniform(-1e-3, 1e-3, points)
    arrays["sigma"] = np.array([0.5, 0.8])
    arrays["double_angle"] = np.stack([np.cos(2.0 * angle), np.sin(2.0 * angle)], axis=-1)
    arrays["through_ends"] = np.zeros((2, points))
    scalars = {"step": 2000.0, "steps": 2, "scheme": 2, "open": True, "tail": 0.5}
    return point_sample(arrays, dtype, scalars)


@sample("fastest_changes")
def fastest_changes(random: np.random.Generator, dtype: type) -> Sample:
    arrays = strained(random, 9)
    del arrays["spectrum"]
    names = ("depth_change", "map_turning", "fastest_turning", "fastest_shift")
    arrays |= {name: random.uniform(1e-5, 2e-5, 9) for name in names}
    return point_sample(arrays | {"sigma": np.array([0.5, 0.8])}, dtype, {})


@sample("relative_wind")
def relative_wind(random: np.random.Generator, dtype: type) -> Sample:
    names = ("wind_u", "wind_v", "relative_u", "relative_v")
    arrays = {name: random.normal(0.0, 10.0, 9) for name in names}
    return point_sample(
        arrays | {"point_current": random.normal(size=(2, 9))}, dtype, {"share": 0.7}
    )


@sample("absolute_peak")
def absolute_peak(random: np.random.Generator, dtype: type) -> Sample:
    arrays = {
        "peak_frequency": random.uniform(0.05, 0.2, 9),
        "peak_direction": random.uniform(10.0, 80.0, 9),
        "depth": random.uniform(5.0, 15.0, 9),
        "point_current": random.uniform(0.2, 1.0, (2, 9)),
        "absolute_peak_frequency": np.zeros(9),
        "absolute_peak_period": np.zeros(9),
    }
    return point_sample(arrays, dtype, {"gravity": 9.806, "missing": 0.0})


@sample("wave_momentum")
def wave_momentum(random: np.random.Generator, dtype: type) -> Sample:
    arrays = {
        "spectrum": random.uniform(0.5, 1.0, (6, 9)),
        "wavenumber": random.uniform(0.02, 0.2, (2, 9)),
        "momentum_weight": np.array([0.4, 0.7]),
        "unit_vector": np.array([[0.6, 1.0, -0.28], [0.8, 0.0, 0.96]]),
        "wave_momentum": np.zeros((2, 9)),
    }
    return point_sample(arrays, dtype, {})


def plane_and_points(random: np.random.Generator) -> tuple[Any, Any, Any]:
    """Sea and owned cells of a plane of 5 x 6, and the cells of its points."""
    sea = np.ones((5, 6), bool)
    sea[2, 3] = False
    owned = np.zeros(sea.shape, bool)
    owned[1:-1, 1:-1] = True
    return sea, owned, np.concatenate([np.argwhere(sea & owned), np.argwhere(sea & ~owned)])


@sample("water_at_points")
def water_at_points(random: np.random.Generator, dtype: type) -> Sample:
    sea, owned, cells = plane_and_points(random)
    points = len(cells)
    arrays: dict[str, Any] = {
        **{name: random.normal(size=sea.shape) for name in ("current_u", "current_v")},
        **{f"level_{when}": random.uniform(0.1, 2.0, sea.shape) for when in ("before", "after")},
        "still_depth": np.where(sea, random.uniform(5.0, 20.0, sea.shape), 0.0),
        **{name: random.uniform(1e3, 2e3, sea.shape) for name in ("cell_width", "cell_height")},
        "map_turning": random.uniform(1e-7, 1e-6, points),
        "point_current": np.zeros((2, points)),
    }
    results = "depth depth_change slope_x slope_y convergence stretching shearing rotation"
    arrays |= {name: np.zeros(points) for name in (*results.split(), "point_level")}
    return Sample(
        box=(1, 4, 1, 5, int((sea & owned).sum())),
        arrays={name: array.astype(dtype) for name, array in arrays.items()}
        | {"cell_of_point": (cells[:, 0] * 6 + cells[:, 1]).astype(np.int32)},
        scalars={"weight": 0.3, "per_second": 1e-3, "least_depth": 1.0},
        location=cells,
    )


@sample("crossing_rates")
def crossing_rates(random: np.random.Generator, dtype: type) -> Sample:
    sea, owned, cells = plane_and_points(random)
    return Sample(
        box=(1, 4, 1, 5, int((sea & owned).sum())),
        arrays={
            "group_velocity": random.uniform(5.0, 9.0, (2, len(cells))).astype(dtype),
            "cell_of_point": (cells[:, 0] * 6 + cells[:, 1]).astype(np.int32),
            "inverse_width": random.uniform(1e-4, 2e-4, sea.shape).astype(dtype),
            "crossing_rate": np.zeros((2, *sea.shape), dtype),
        },
        scalars={},
        location=cells,
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
                "wave_stress": np.zeros((4, points), dtype),
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
