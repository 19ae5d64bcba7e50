"""Samples of the kernels of the numerics."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernels.samples import Maker, Sample, sample, samples


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
samples["dilute"] = flow_sample({**_tracer, "fresh_water": "plane"})
samples["surface_sources"] = flow_sample(
    {**_tracer, "source": "columns", "source_water": "columns"}, dt=0.5
)
samples["draw_to_profiles"] = flow_sample(
    {**_tracer, "profile": "column", "boundary_share": "plane"}
)


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
