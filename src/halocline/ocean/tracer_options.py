"""Options of the ocean's tracers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from halocline.core.options import Options, option
from halocline.ocean.passive_tracers import PassiveTracerOptions, refuse_taken_names


@dataclass(frozen=True, kw_only=True)
class OceanTracerOptions(Options):
    """How tracers are moved, and those beside temperature and salinity."""

    advection: str = option(
        "centred",
        "",
        "scheme: means of neighbouring cells; third order upwind, whose damping part takes the old"
        " time level; or third order with a limiter, which makes no new extremes, in sweeps along"
        " x, y and z from the old to the new level (what leaves a cell along one of these in two"
        " steps must be less than it holds)",
        choices=("centred", "upwind3", "limited3"),
    )
    passive: Mapping[str, PassiveTracerOptions] = option(
        {}, "", "tracers that change nothing else, by name"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_taken_names(self.passive)

    def found(self, find: Callable[[str], Path]) -> OceanTracerOptions:
        """The same with the paths of files."""
        return replace(
            self,
            passive={
                name: replace(some, file=some.file and str(find(some.file)))
                for name, some in self.passive.items()
            },
        )
