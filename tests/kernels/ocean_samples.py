"""Samples of the kernels of the ocean."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernels.samples import Sample, sample, samples

ocean_extents = {"tracer": 3, "depth": 4, "depth+1": 5, "entered": 4}

tiled = (
    "tracers", "tracers_upwind", "mix_tracers", "momentum", "viscous", "viscous_again", "kpp",
)  # fmt: skip
"""Kernels of the ocean that take the width of tiles."""
eddies = ("eddies", "eddy_x_flow", "eddy_y_flow")


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
    "eddy_x_flow": "flattening largest width numbers",
    "eddy_y_flow": "flattening largest width numbers",
    "strain_viscosity": "strength most",
    "viscous": "factor share",
    "viscous_again": "factor share",
    "freezing": "",
    "pressure": "weight outer",
    "convection": "background convective",
    "auxiliary": "tau alpha gamma",
    "right_side": "tau alpha shift",
    "mean_velocity": "tau alpha",
    "velocity": "",
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
    "even_diffusivity": "",
    "double_diffusion": "fingers share numbers",
    "surface_forcing": "gravity per_capacity numbers",
    "kpp": "critical shear_viscosity shear_limit background prandtl nonlocal_strength"
    " convective_viscosity convective_diffusivity red short_length long_length gravity numbers",
    "first_guess": "",
    "checkerboard": "rate",
    "stokes_profile": "",
    "stokes_force": "",
    "carrying_velocity": "",
    "stokes_divergence": "tau alpha",
    "entered": "tau per_light",
}.items():
    tiles = {"width": 8} if name in tiled else {}
    tiles |= {"tile": 8} if name in eddies else {}
    switches = {"smoothing": 1, "limited": True} if name == "kpp" else {}
    switches |= {"limit": 1.9} if name == "double_diffusion" else {}
    switches |= {"convective": 2.0} if "richardson" in name else {}
    switches |= {"smooth": True} if name in eddies else {}
    switches |= {"twice": True} if "viscous" in name else {}
    ocean_sample(f"ocean_{name}", *scalars.split(), **tiles, **switches)

of_one_type = samples["ocean_entered"]


@sample("ocean_entered")
def ocean_entered(random: np.random.Generator, dtype: type) -> Sample:
    """What has entered is kept in float64."""
    made = of_one_type(random, dtype)
    for name in ("old_entered", "new_entered"):
        made.arrays[name] = made.arrays[name].astype(np.float64)
    return made


without_depths = samples["ocean_kpp"]


@sample("ocean_kpp")
def ocean_kpp(random: np.random.Generator, dtype: type) -> Sample:
    """Levels of 1 m, counted upward."""
    made = without_depths(random, dtype)
    made.arrays["depths"] = (ocean_extents["depth"] - 0.5 - np.arange(4)).astype(dtype)
    made.arrays["thickness"] = np.ones(4, dtype)
    made.scalars["gravity"] = 1e4  # density counts as much as shear
    return made
