"""What moves tracers and is around them, of an ocean at both ends of its last step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from halocline.numerics import _native as numerics_native
from halocline.ocean.model import Ocean
from halocline.ocean.residual_flow import residual_flow
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.calls import BoundCall

kernels = kernels_of(numerics_native)
units = {
    "x_volume_flux": "m3 s-1",
    "y_volume_flux": "m3 s-1",
    "temperature": "degree C",
    "salinity": "1",
    "vertical_diffusivity": "m2 s-1",
    "short_wave": "W m-2",
    "wind_speed": "m s-1",
}


@dataclass
class BothEnds:
    """A field at the beginning and at the end of a step; `take` sets the latter.

    What is `kept` belongs to the step, so that the ocean does not have it when it goes on.
    """

    before: Field
    after: Field
    take: Callable[[], None]
    kept: bool = False

    def go_on(self) -> None:
        """The end of the last step is the beginning of this one, which has been made."""
        self.before.swap(self.after)
        self.take()


class OceanEnds:
    """Of one ocean: fields at both ends, by name, and the volumes of cells at the end.

    Volumes that pass faces are those of the residual flow of a moment, eddies included; the
    diffusivity is that across surfaces of density.
    """

    def __init__(self, ocean: Ocean) -> None:
        self.ocean, state = ocean, ocean.state
        levels = (state.levels,)
        self.fields = {
            f"{axis}_volume_flux": self._flux(axis, place)
            for axis, place in (("x", Place.x_face), ("y", Place.y_face))
        }
        for end in ("before", "after"):
            pair(*(getattr(both, end) for both in self.fields.values()))
        for number, name in enumerate(("temperature", "salinity")):
            self.fields[name] = self._copied(name, state.tracer, levels, number=number)
        mixing, light = state.diapycnal_diffusivity, state.short_wave
        self.fields["vertical_diffusivity"] = self._copied(
            "vertical_diffusivity", mixing, levels, kept=True
        )
        self.fields["short_wave"] = self._copied(light.name, light, (), kept=True)
        if ocean.forcing.bulk is not None:
            wind = ocean.forcing.bulk.wind_speed
            self.fields["wind_speed"] = self._copied("wind_speed", wind, (), kept=True)
        self.volume = self._made("volume", "m3", Place.center, levels)

    def _made(self, name: str, unit: str, place: Place, axes: Sequence[Axis]) -> Field:
        state = self.ocean.state
        return Field(name, unit, state.space, axes=axes, place=place, dtype=state.dtype)

    def _two(self, name: str, place: Place, axes: Sequence[Axis]) -> tuple[Field, Field]:
        before, after = (
            self._made(f"{name}_{end}", units[name], place, axes) for end in ("before", "after")
        )
        return before, after

    def _flux(self, axis: str, place: Place) -> BothEnds:
        levels = (self.ocean.state.levels,)
        before, after = self._two(f"{axis}_volume_flux", place, levels)
        return BothEnds(before, after, residual_flow(self.ocean, axis, after))

    def _copied(
        self,
        name: str,
        of: Field,
        axes: Sequence[Axis],
        *,
        number: int | None = None,
        kept: bool = False,
    ) -> BothEnds:
        before, after = self._two(name, Place.center, axes)
        return BothEnds(
            before, after, lambda: after.copy(of if number is None else of.part(number)), kept
        )

    def kept(self) -> list[Field]:
        """Fields that a restart holds."""
        return [both.after for both in self.fields.values() if both.kept]

    def start(self, *, restarted: bool) -> None:
        """Take what the ocean is before its first step, or with what a restart holds."""
        for both in self.fields.values():
            if not (restarted and both.kept):
                both.take()
        self._take_volumes()

    def go_on(self) -> None:
        """The ocean has made a step."""
        for both in self.fields.values():
            both.go_on()
        self._take_volumes()

    def _take_volumes(self) -> None:
        """Levels are as thick as they are, but the uppermost one, which moves with the surface."""
        state = self.ocean.state
        thickness = state.thickness.read()[0][:, None, None]
        levels = np.arange(state.levels.size)[:, None, None]
        with self.volume.change() as owned:
            for to, area, layer, floor in zip(
                owned,
                state.area.read(),
                state.layer.read(),
                state.floor_level.read(),
                strict=True,
            ):
                to[...] = np.where(levels >= floor, thickness * area, 0.0)
                to[-1] = np.where(levels[-1] >= floor, layer * area, 0.0)

    def mean_of(self, name: str, now: Field) -> BoundCall:
        """A call with `weight=0.5` that sets a field to the mean of both ends."""
        both = self.fields[name]
        place = {Place.x_face: "x_faces", Place.y_face: "y_faces"}.get(now.place, "centers")
        return self.ocean.run.bind(
            kernels[f"between_{place}"], before=both.before, after=both.after, now=now
        )
