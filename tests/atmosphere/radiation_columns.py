"""Columns of air under radiation, with tables of one grey gas or those of files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from atmosphere.column import run_columns

Array = NDArray[Any]
gravity = 9.81
molecules = 1e-4 * 6.02214076e23 / 0.028964
"""Of dry air in a column of 1 kg m-2 [cm-2]."""


def grey(depth_per_mass: float, bands: int = 1) -> dict[str, Array]:
    """Tables whose air absorbs by its mass alone [m2 kg-1], in bands of one term each."""
    absorption = np.full((2, 3, 2, bands), depth_per_mass / molecules)
    none = np.array([[1.0, 0.0, 0.0, -1.0, 0.0, 0.0]])
    return {
        "absorption": absorption, "lower": np.zeros((2, 2, bands)),
        "upper": np.zeros((2, 2, bands)), "minors_lower": none, "minors_upper": none,
        "keys": np.tile([0.0, 1.0], (2, bands, 1)), "ratios": np.zeros((2, bands, 2)),
        "band_ends": np.arange(bands + 1.0), "temperatures": np.array([100.0, 400.0]),
        "pressures": np.array([1.1e5, 1.0]), "ozone_pressure": np.array([1e5, 1.0]),
        "ozone_share": np.zeros(2),
        "standard_temperature": np.full(2, 250.0), "shares": np.eye(20)[0],
    }  # fmt: skip


def column(
    pressure_faces: Array, temperature: Array, water: Array | None = None
) -> dict[str, Array]:
    """Fields of a column between faces [Pa], the lowest first, with vapour and more species."""
    water = np.zeros((1, len(temperature))) if water is None else water
    thick = -np.diff(pressure_faces)
    middle = 0.5 * (pressure_faces[1:] + pressure_faces[:-1])
    depth = 287.0 * temperature / middle * thick / gravity
    exner = (middle / 1e5) ** (2 / 7)
    return {
        "air_pressure": middle, "exner": exner, "dry_theta": temperature / exner - 300.0,
        "air_density": thick / gravity / (1 + water.sum(axis=0)) / depth, "layer_depth": depth,
        "water": water,
    }  # fmt: skip


def shine(
    kernel: str,
    air: dict[str, Array],
    tables: dict[str, Array],
    dtype: type = np.float64,
    **more: Any,
) -> dict[str, Array]:
    """Fluxes of the kernel of long or short wave in one column, without layers above it."""
    numbers = {"tropopause": 1e4, "cloud": -1, "ice_entry": -1, "extra": 0}
    numbers |= {"first_kelvin": 160.0} if "long" in kernel else {"solar": 1000.0}
    numbers |= {name: more.pop(name) for name in set(numbers) & set(more)}
    levels, bands = len(air["exner"]), len(tables["band_ends"]) - 1
    clouds = {name: np.zeros(bands) for name in ("liquid", "ice")}
    for kind in ("liquid", "ice"):
        for quantity in ("extinction", "albedo", "asymmetry"):
            clouds[f"{kind}_{quantity}"] = np.zeros(bands)
    extents = {"depth": levels, "depth+1": levels + 1, "species": len(air["water"])}
    return run_columns(kernel, 1, clouds | air | tables | more, numbers, extents, dtype)
