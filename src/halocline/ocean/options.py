"""Options of the ocean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.numerics.solver_options import SolverOptions, methods, preconditioners
from halocline.ocean.eddy_options import EddyOptions
from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.forcing_options import OceanWindOptions, SurfaceForcingOptions
from halocline.ocean.region_options import RegionOptions
from halocline.ocean.relaxation_options import RelaxationOptions
from halocline.ocean.rotation import CoriolisOptions
from halocline.ocean.start import FrontOptions
from halocline.ocean.start_sea_options import StartSeaOptions
from halocline.ocean.start_surface import StartSurfaceOptions
from halocline.ocean.time_filter import TimeFilterOptions
from halocline.ocean.tracer_options import OceanTracerOptions
from halocline.ocean.vertical_mixing_options import KppOptions, RichardsonOptions
from halocline.ocean.viscous_options import ViscousOptions


@dataclass(frozen=True, kw_only=True)
class OceanMixingOptions(Options):
    """Viscosity and diffusivity."""

    scheme: str = option(
        "constant", "", "vertical mixing", choices=("constant", "richardson", "kpp")
    )
    richardson: RichardsonOptions = option(RichardsonOptions(), meaning="by Richardson number")
    kpp: KppOptions = option(KppOptions(), meaning="by a boundary layer's profile")
    viscous: ViscousOptions = option(ViscousOptions(), meaning="horizontal viscosity")
    eddies: EddyOptions = option(EddyOptions(), meaning="eddies that the grid does not resolve")
    viscosity: float = option(1e4, "m2 s-1", "horizontal viscosity", at_least=0.0)
    viscosity_length: float = option(
        0.0, "m", "of cells that have `viscosity`, smaller ones less, by area; 0: all alike",
        at_least=0.0,
    )  # fmt: skip
    diffusivity: float = option(1e3, "m2 s-1", "horizontal diffusivity", at_least=0.0)
    vertical_viscosity: float = option(1e-3, "m2 s-1", "vertical viscosity", at_least=0.0)
    vertical_diffusivity: float = option(1e-5, "m2 s-1", "vertical diffusivity", at_least=0.0)
    convective_diffusivity: float = option(
        0.1, "m2 s-1", "vertical diffusivity where the water above is heavier", at_least=0.0
    )
    convective_viscosity: float = option(
        0.1, "m2 s-1", "viscosity there, of `richardson` and `kpp`", at_least=0.0
    )
    drag: float = option(
        1.225e-3, "1", "coefficient of the quadratic drag at the floor", at_least=0
    )
    drag_speed: float = option(
        0.0, "m s-1", "speed, as of tides, that the drag goes by besides that of the flow",
        at_least=0.0,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class OceanStartOptions(Options):
    """Temperature and salinity at the start, at rest."""

    deep: float = option(2.0, "degree C", "temperature far down")
    range: float = option(18.0, "K", "how much warmer the surface is")
    scale: float = option(800.0, "m", "depth over which that falls by e", at_least=1.0)
    salinity: float = option(35.0, "1e-3", "salinity everywhere", at_least=0.0)
    waters: list[tuple[float, float, float, float, float]] = option(
        [],
        "degree or m; degree C",
        "boxes of other water, each [west, east, south, north, temperature]: columns whose centres"
        " lie in one",
    )
    front: FrontOptions = option(FrontOptions(), meaning="a front along x")
    file: str = option("", "", "file with temperature and salinity instead")
    surface: StartSurfaceOptions = option(
        StartSurfaceOptions(), meaning="its season: the temperature of the surface at that date"
    )
    in_situ: bool = option(
        False, "", "the file has temperatures measured in the depth, which become potential ones"
    )
    overturn: bool = option(
        False, "", "mix columns where water lies upon lighter water; their heat and salt stay"
    )
    seas: Mapping[str, StartSeaOptions] = option(
        {}, "", "by name, seas of which the file knows nothing, with a profile each"
    )
    ramp: float = option(
        0.0,
        "day",
        "in which the pressure of density grows from nothing; a sea at rest with the density of a"
        " climatology sloshes without it",
        at_least=0.0,
    )


@dataclass(frozen=True, kw_only=True)
class SurfaceSolverOptions(SolverOptions):
    """The solver of the surface: `SolverOptions` that end where the sea level is exact enough.

    By factors of the whole operator a step needs one or two iterations.
    """

    method: str = option(
        "chebyshev",
        "",
        "as of `SolverOptions`; beside `whole` the Chebyshev iteration refines the solution",
        choices=methods,
    )
    preconditioner: str = option(
        "whole",
        "",
        "as of `SolverOptions`; on many ranks, which wait for the first, `polynomial` is faster",
        choices=preconditioners,
    )
    absolute_tolerance: float = option(
        1e-15,
        "m s-2",
        "largest residual per area (root mean square, weighted by squared area) that is enough:"
        " with steps of an hour some 1e-8 m of sea level",
        at_least=0.0,
    )


@dataclass(frozen=True, kw_only=True)
class OceanOptions(Options):
    """The ocean's physics and numerics."""

    density: DensityOptions = option(DensityOptions(), meaning="density of sea water")
    mixing: OceanMixingOptions = option(OceanMixingOptions(), meaning="viscosity and diffusivity")
    start: OceanStartOptions = option(OceanStartOptions(), meaning="temperature and salinity")
    wind: OceanWindOptions = option(OceanWindOptions(), meaning="stress of the wind")
    sections: Mapping[str, list[tuple[float, float]]] = option(
        {},
        "degree or m",
        "sections by name, each two or more points [x, y]; the summary of a run tells what passes"
        " to the right of the way from the first to the last",
    )
    stream_function_zero: list[float] = option(
        [],
        "degree or m",
        "[x, y]: the barotropic stream function is 0 at the nearest corner, on land best; in the"
        " south of the grid if empty",
    )
    basins: Mapping[str, RegionOptions] = option(
        {}, "", "basins by name, of which series have means"
    )
    rotation: CoriolisOptions = option(CoriolisOptions(), meaning="the Coriolis parameter")
    forcing: SurfaceForcingOptions = option(
        SurfaceForcingOptions(), meaning="heat, water and salt through the surface"
    )
    relax: Mapping[str, RelaxationOptions] = option(
        {}, "", "boxes, by name, whose temperature and salinity are drawn to targets on all levels"
    )
    tracers: OceanTracerOptions = option(OceanTracerOptions(), meaning="how tracers are moved")
    solver: SurfaceSolverOptions = option(
        SurfaceSolverOptions(), meaning="the solver of the surface"
    )
    lone_cells: str = option(
        "refuse",
        "",
        "what becomes of cells of the sea without a corner that has water all around, so that no"
        " flow reaches them: a run is refused, they become land, or they are kept, and their water"
        " only rises and mixes",
        choices=("refuse", "land", "keep"),
    )
    checkerboard: float = option(
        0.0,
        "1",
        "share of a checkerboard of the surface that the new level has less than the old one: water"
        " goes from high to low cells, with what it holds",
        at_least=0.0,
        at_most=1.0,
        source="Killworth et al. (1991), J. Phys. Oceanogr. 21, 1333",
    )
    averaging: int = option(
        25,
        "1",
        "steps between averages of time levels, each done in two halves, or between steps of"
        " Matsuno; 0: never",
        at_least=0,
    )
    courant_interval: int = option(
        10, "1", "steps between looks at how far the flow goes in a step; 0: never", at_least=0
    )
    time_filter: TimeFilterOptions = option(
        TimeFilterOptions(), meaning="what keeps the two chains of leapfrog's levels together"
    )
    tile_columns: int = option(
        160, "1", "columns of the tiles of kernels; no choice changes a bit", at_least=8
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.stream_function_zero) not in (0, 2):
            raise UserError(
                f"ocean.stream_function_zero = {self.stream_function_zero}: give one point, [x, y]."
            )
