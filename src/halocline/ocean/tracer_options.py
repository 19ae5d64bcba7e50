"""Options of the ocean's tracers."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class OceanTracerOptions(Options):
    """How tracers are moved."""

    advection: str = option(
        "centred",
        "",
        "scheme: means of neighbouring cells; third order upwind, whose damping part takes the old"
        " time level; or third order with a limiter, which makes no new extremes, in sweeps along"
        " x, y and z from the old to the new level (what leaves a cell along one of these in two"
        " steps must be less than it holds)",
        choices=("centred", "upwind3", "limited3"),
    )
