"""Light for plants: at the surface by the sun's course, in the cells by what takes it up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.component.forcing.field_series import FieldSeries, SeriesOptions
from halocline.core.clock import Date
from halocline.core.options import Options, option
from halocline.core.sun import declination
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)
OGSTM = "OGSTM, as in biogeochemistry of OPATM-BFM"


@dataclass(frozen=True, kw_only=True)
class AttenuationMapOptions(SeriesOptions):
    """Attenuation of light from files, as satellites give it; that of water and tracers is off."""

    variable: str = option(
        "", "", "name in the files; that of CF and usual ones (kd490) are found by themselves"
    )


@dataclass(frozen=True, kw_only=True)
class LightOptions(Options):
    """Short wave to light, and light to depth.

    >>> round(LightOptions().per_watt, 3)
    2.304
    """

    share: float = option(
        0.5,
        "1",
        "of the short wave that plants can use; BFM alone: 0.4",
        at_least=0.0,
        at_most=1.0,
        source=OGSTM,
    )
    energy: float = option(
        0.217, "J umol-1", "of such light", at_least=0.01, source="BFM v5: 1 uE = 0.217 W"
    )
    course: str = option(
        "sun",
        "",
        "how short wave lies in a day: means of days by the sun's height, or as it is given",
        choices=("sun", "given"),
    )
    background: float = option(
        0.0435, "m-1", "attenuation by water", at_least=0.0, source="BFM v5, preset OGS_PELAGIC"
    )
    tracers: bool = option(
        True, "", "whether tracers take up light too; they do not where a map gives attenuation"
    )
    map: AttenuationMapOptions = option(
        AttenuationMapOptions(), meaning="attenuation from files, in place of the model's own"
    )
    within: str = option(
        "middle",
        "",
        "what counts as the light of a cell: at its middle, or its mean",
        choices=("middle", "mean"),
        source=OGSTM,
    )

    @property
    def per_watt(self) -> float:
        """Light of the short wave [umol J-1]."""
        return self.share / self.energy


class Light:
    """Sets light at the surface and in the cells of one state."""

    def __init__(self, options: LightOptions, grid: Grid, period: tuple[Date, Date]) -> None:
        self.options, self.grid, self.period = options, grid, period
        self.maps: list[FieldSeries] = []

    def settle(self, state: ReactingState, weights: Mapping[str, float]) -> Sequence[FieldSeries]:
        """Set what takes up light: water, and `weights` of tracers [m2 per unit]; or read maps.

        The files that are read from now on.
        """
        state.attenuation.fill(self.options.background)
        given = self.options.map
        if given.file:
            self.maps = [
                FieldSeries(
                    given,
                    [state.attenuation],
                    self.grid,
                    self.period,
                    "attenuation of light",
                    variables=[given.variable],
                    names=["attenuation"],
                )
            ]
        used = weights if self.options.tracers and not self.maps else {}
        values = np.array([used.get(str(name), 0.0) for name in state.tracers.entries])
        state.tracer_attenuation = state.static(
            "tracer_attenuation", "1", values, Place.none, state.tracers
        )
        return self.maps

    def step(self, run: Runner, state: ReactingState, time: Date, dt: float) -> None:
        """Set `surface_light` and `light` of `state` for the step of `dt` [s] from `time`.

        1. attenuation  2. surface  3. cells
        """
        options = self.options
        noon = declination(time.dayofyr - 0.5)
        begin = (3600 * time.hour + 60 * time.minute + time.second) / 86400.0
        # 1. attenuation
        for series in self.maps:
            series.update(time + timedelta(seconds=0.5 * dt))
        # 2. surface
        run(
            kernels["surface_light"],
            state,
            per_watt=options.per_watt,
            course=options.course == "sun",
            declination=noon,
            begin=begin,
            end=begin + dt / 86400.0,
        )
        # 3. cells
        run(kernels["light_in_water"], state, mean=options.within == "mean")
