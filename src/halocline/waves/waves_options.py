"""Options of the spectral wave model, and what the kernels of its sources make of them."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option
from halocline.waves.ardhuin import Ardhuin
from halocline.waves.bottom_friction import BottomFriction
from halocline.waves.depth_breaking import DepthBreaking
from halocline.waves.frequency_shift import FrequencyShift
from halocline.waves.inspection import package_of
from halocline.waves.partition import Partitioning
from halocline.waves.quadruplets import Quadruplets
from halocline.waves.source_integration import SourceIntegration, SourcePackage, SourceSettings
from halocline.waves.spatial_propagation import SpatialPropagation
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.tolman_chalikov import TolmanChalikov
from halocline.waves.turning import Turning
from halocline.waves.wind_stability import WindStability


@dataclass(frozen=True, kw_only=True)
class WavesOptions(Options):
    """The spectral wave model."""

    propagation: SpatialPropagation = option(SpatialPropagation(), meaning="propagation in space")
    turning: Turning = option(Turning(), meaning="shift in direction")
    frequency_shift: FrequencyShift = option(
        FrequencyShift(), meaning="shift in frequency, by currents and a level that changes"
    )
    wind_relative: float = option(
        1.0,
        "1",
        "share of the current that is taken from the wind in the source terms: 1 for the wind"
        " relative to the water, 0 for that relative to the ground",
        at_least=0,
        at_most=1,
    )
    physics: str = option(
        "ST2",
        "",
        "wind input and dissipation: Tolman and Chalikov 1996 (ST2), Ardhuin et al. 2010 (ST4),"
        " or no source terms at all",
        choices=("ST2", "ST4", "none"),
    )
    tolman_chalikov: TolmanChalikov = option(TolmanChalikov(), meaning="the package ST2")
    ardhuin: Ardhuin = option(Ardhuin(), meaning="the package ST4")
    quadruplets: Quadruplets = option(Quadruplets(), meaning="nonlinear interactions")
    bottom_friction: BottomFriction = option(BottomFriction(), meaning="friction at the bottom")
    depth_breaking: DepthBreaking = option(DepthBreaking(), meaning="breaking by depth")
    wind_stability: WindStability = option(WindStability(), meaning="stability of the air")
    integration: SourceIntegration = option(
        SourceIntegration(), meaning="integration of the source terms in time"
    )
    ice_effect: float = option(
        1.0,
        "1",
        "sources count 1 - this times the ice concentration; with enough ice for no wave to pass"
        " (`propagation.closed_ice`) there are none",
        at_least=0,
        at_most=1,
        source="WAVEWATCH III manual: scaling of the source terms in ice, 1 there too",
    )
    momentum_fluxes: bool = option(
        False,
        "",
        "give the momentum that the air brought the waves in the last step, and what they gave the"
        " ocean (`stress_into_waves_east`, `stress_from_waves_east`, ...), at the cost of about a"
        " tenth of the step",
    )
    partitioning: Partitioning = option(Partitioning(), meaning="wind sea and swells of the output")
    spatial_step: float | None = option(
        None,
        "s",
        "longest spatial step of the lowest frequency; if not given, from the Courant number",
        at_least=1e-3,
    )
    directional_step: float | None = option(
        None,
        "s",
        "longest step of turning; great circles may demand shorter ones",
        at_least=1e-3,
    )


def source_package(options: WavesOptions) -> SourcePackage:
    """The package of the chosen physics with its options."""
    chosen = {"ST2": options.tolman_chalikov, "ST4": options.ardhuin}
    return package_of(options.physics, chosen[options.physics])


def source_settings(options: WavesOptions, spectral: SpectralGrid) -> SourceSettings:
    """What the kernels of all packages need."""
    return SourceSettings(
        spectral,
        options.integration,
        options.quadruplets,
        options.bottom_friction,
        options.depth_breaking,
        options.wind_stability,
    )
