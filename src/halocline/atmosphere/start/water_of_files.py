"""Water of a scheme's kinds as starts and sides from analyses have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.microphysics.scheme import MicrophysicsScheme
from halocline.atmosphere.start.hybrid_column import HybridColumn

Array = NDArray[np.float64]


def variable_of(kind: str) -> str:
    """The name in files of a kind of water."""
    return "vapor" if kind == "vapor" else f"{kind}_mixing_ratio"


def water_of_file(
    found: Mapping[str, Array],
    species: Sequence[str],
    scheme: MicrophysicsScheme | None,
    column: HybridColumn,
) -> dict[str, Array]:
    """All kinds of a scheme; what a file lacks is 0, and the scheme tells numbers that it lacks."""
    nothing = np.zeros_like(found["vapor"])
    water = {name: found.get(variable_of(name), nothing) for name in species}
    if scheme is None:
        return water
    depth = np.diff(found["geopotential"], axis=0)
    density = column.weight(found["mass"], np.ones_like(depth)) / depth
    for name, values in scheme.start_numbers(water, density).items():
        given = found.get(name, nothing)
        water[name] = np.where(given > 0.0, given, values)
    return water
