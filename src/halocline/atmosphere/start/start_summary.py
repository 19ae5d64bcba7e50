"""What a start from an analysis holds, in words, and how far its heights are from the analysis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.diagnostics.columns import on_pressure_levels
from halocline.atmosphere.start.analysed_state import AnalysedState
from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.atmosphere.start.pressure_columns import PressureColumns, standard_gravity

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HeightErrors:
    """Heights of levels of pressure in a state less those of its analysis, above the ground."""

    levels: Array  # [Pa]
    bias: Array  # [m]
    rms: Array  # [m]


def height_errors(
    state: AnalysedState, columns: PressureColumns, column: HybridColumn, ground: Array
) -> HeightErrors:
    """Errors on all levels that lie above the ground somewhere and below the top."""
    faces = column.interface_pressure(state.mass, state.water)
    rise = (state.geopotential - state.geopotential[0]) / standard_gravity + ground
    levels = columns.levels[columns.levels > column.top_pressure]
    error = on_pressure_levels(rise, faces, levels) - columns.height[: levels.size]
    some = np.isfinite(error).reshape(levels.size, -1).any(axis=1)
    error = error[some]
    bias, square = (np.nanmean(part, axis=(1, 2)) for part in (error, error**2))
    return HeightErrors(levels[some], bias, np.sqrt(square))


def summary(state: AnalysedState, errors: HeightErrors, column: HybridColumn) -> list[str]:
    """Lines that say what a start holds."""
    wind = float(max(np.abs(state.u).max(), np.abs(state.v).max()))
    weight = (column.weight(state.mass, np.ones_like(state.vapor)) * state.vapor).sum(axis=0)
    clouds = [
        f"{kind} {(column.weight(state.mass, ratio).sum(axis=0)).max() / 9.81:.2g}"
        for kind, ratio in state.condensed.items()
    ]
    t, p = state.temperature, state.surface_pressure / 100
    lines = [
        f"{p.size} columns of {column.thickness.size} layers up to {column.top_pressure / 100:g}"
        " hPa",
        f"pressure at the ground {p.min():.1f} to {p.max():.1f} hPa, temperature of the lowest"
        f" layer {t[0].min():.1f} to {t[0].max():.1f} K, of all {t.min():.1f} to {t.max():.1f} K",
        f"strongest wind along an axis of the grid {wind:.1f} m/s, vapour of columns up to"
        f" {weight.max() / 9.81:.1f} kg/m2",
        f"of columns up to [kg/m2]: {', '.join(clouds)}"
        if clouds
        else "the analysis tells no clouds: of water there is vapour alone",
        "heights of levels less those of the analysis, bias and rms [m]:",
    ]
    for level, bias, rms in zip(errors.levels, errors.bias, errors.rms, strict=True):
        lines.append(f"  {level / 100:6g} hPa {bias:8.2f} {rms:8.2f}")
    return lines
