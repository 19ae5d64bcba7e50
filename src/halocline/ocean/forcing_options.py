"""Options of what drives the ocean at its surface."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from halocline.component.forcing.field_series import SeriesOptions
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.ocean.bulk_options import BulkOptions
from halocline.ocean.fresh_water_options import WaterFluxOptions
from halocline.ocean.region_options import RegionOptions

Some = TypeVar("Some", bound=Options)
water_types = ("I", "IA", "IB", "II", "III")
"""Clearness of sea water (Jerlov 1968), from the clearest."""


@dataclass(frozen=True, kw_only=True)
class OceanWindOptions(SeriesOptions):
    """Stress of the wind: eastward, -amplitude cos(bands latitude), or both components from files.

    On Cartesian grids it is -amplitude cos(2 pi y / wave), uniform where `wave` is 0.

    With three bands there are trades, westerlies and polar easterlies, as in POP's own test.
    """

    amplitude: float = option(0.1, "Pa", "of the stress without files")
    bands: float = option(2.0, "1", "how often the stress changes its sign from pole to pole")
    wave: float = option(0.0, "m", "Cartesian grids: length of the wave of the stress along y")
    east: str = option("taux", "", "variable of the files: eastward stress [Pa]")
    north: str = option("tauy", "", "variable of the files: northward stress [Pa]")


@dataclass(frozen=True, kw_only=True)
class OceanHeatOptions(SeriesOptions):
    """Heat that passes the surface, downward: uniform, or from files."""

    short_wave: float = option(0.0, "W m-2", "short wave that enters the water, without files")
    rest: float = option(0.0, "W m-2", "all other heat, without files")
    short_wave_variable: str = option("sw_net", "", "of the files: short wave [W m-2]")
    net_variable: str = option("q_net", "", "of the files: all heat, short wave included [W m-2]")
    water_type: str = option(
        "IB", "", "how clear the water is (Jerlov): I is the clearest", choices=water_types,
        source="Paulson and Simpson (1977)",
    )  # fmt: skip
    capacity: float = option(
        3996.0, "J kg-1 K-1", "heat that warms a mass of sea water by a degree", at_least=1.0
    )


@dataclass(frozen=True, kw_only=True)
class SurfaceRestoringOptions(SeriesOptions):
    """The surface is drawn to a target, by a flux of `piston` times the difference."""

    time_scale: float = option(
        0.0, "day", "in which the uppermost level relaxes, for `piston`; 0: not", at_least=0.0
    )
    piston: float = option(0.0, "m s-1", "flux per difference; 0: none", at_least=0.0)
    target: str = option(
        "zonal", "", "what it is drawn to: zonal: pole + (equator - pole) cos(latitude)^2; the"
        " start; or files", choices=("zonal", "start", "files"),
    )  # fmt: skip
    equator: float = option(0.0, "1", "zonal target at the equator, in units of the tracer")
    pole: float = option(0.0, "1", "zonal target at the poles, in units of the tracer")
    variable: str = option("", "", "variable of the files, in units of the tracer")
    known: str = option(
        "",
        "",
        "variable of the files that is 1 where they know the target and 0 where it was filled in,"
        " where the target is the surface at the start; empty: known everywhere",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.time_scale and self.piston:
            raise UserError("Restoring has a 'time_scale' or a 'piston', not both. Leave one out.")
        if bool(self.file) != (self.target == "files") or bool(self.file) != bool(self.variable):
            raise UserError(
                "Restoring to files needs all three: target = \"files\", 'file' and 'variable'."
            )
        if self.known and not self.file:
            raise UserError(f"Restoring has known = '{self.known}', but no 'file' that has it.")

    def velocity(self, thickness: float) -> float:
        """Of the piston [m s-1], over an uppermost level of `thickness` [m].

        >>> SurfaceRestoringOptions(time_scale=10.0).velocity(8.64)
        1e-05
        """
        return thickness / (86400.0 * self.time_scale) if self.time_scale else self.piston


@dataclass(frozen=True, kw_only=True)
class SurfaceForcingOptions(Options):
    """Fluxes of heat, water and salt through the surface, and the freezing point."""

    heat: OceanHeatOptions = option(OceanHeatOptions(), meaning="heat through the surface")
    bulk: BulkOptions = option(BulkOptions(), meaning="wind and heat by bulk formulas")
    temperature: SurfaceRestoringOptions = option(
        SurfaceRestoringOptions(equator=28.0), meaning="restoring of the surface's temperature"
    )
    salinity: SurfaceRestoringOptions = option(
        SurfaceRestoringOptions(equator=36.0, pole=34.0),
        meaning="restoring of the surface's salinity",
    )
    water: WaterFluxOptions = option(WaterFluxOptions(), meaning="water through the surface")
    freezing: bool = option(
        False, "", "water stays above its freezing point; what that takes is given back first"
    )
    freezing_slope: float = option(
        -0.0544, "K", "freezing point [degree C] per 1e-3 of salinity", at_most=0.0
    )


def with_paths(options: Some, find: Callable[[str | list[str]], list[str]]) -> Some:
    """The same options with the paths of all files of series and regions in them."""
    changed: dict[str, object] = {}
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if isinstance(value, Options):
            changed[field.name] = with_paths(value, find)
        elif isinstance(value, dict):
            changed[field.name] = {
                name: with_paths(some, find) if isinstance(some, Options) else some
                for name, some in value.items()
            }
    if isinstance(options, SeriesOptions) and options.file:
        changed["file"] = find(options.file)
    if isinstance(options, RegionOptions) and options.file:
        changed["file"] = find(options.file)[0]
    return dataclasses.replace(options, **changed)
