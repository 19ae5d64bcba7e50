"""What air and sea exchange, on a grid of its own, once for both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from halocline.component.component import Component
from halocline.component.port import Port
from halocline.core.clock import Clock, Date
from halocline.core.constants import gravity
from halocline.core.errors import UserError
from halocline.core.moist_air import mixing_ratio, saturation_pressure
from halocline.core.names import quantities
from halocline.coupler import _native
from halocline.coupler.options import FluxOptions, given, into_ocean, of_waves, stresses, taken
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner
from halocline.runtime.sums.field_sums import FieldSums

Array = NDArray[np.float64]
kernels = kernels_of(_native)
arguments = {
    "wind_u": "wind_east",
    "wind_v": "wind_north",
    "current_u": "current_east",
    "current_v": "current_north",
    "surface_pressure": "air_pressure",
    "surface_temperature": "sea_temperature",
    "long_wave_down": "long_wave",
    "precipitation_rate": "rain",
    "significant_height": "wave_height",
    "peak_period": "wave_period",
    "wind_stress_east": "stress_east",
    "wind_stress_north": "stress_north",
    "heat_flux_into_sea": "heat_into_sea",
    "water_flux": "water_into_sea",
}
"""Names of the kernel's arguments that differ from those of fields."""

totals = ("heat_flux_into_sea", "water_flux", *stresses, *of_waves, *into_ocean)
"""What is added up over the sea and the run."""


class FluxComponent(Component):
    """Fluxes of the air and the sea that others give: a function of what came last.

    In a step what passes the surface is added up, with the fluxes that others had in it.
    """

    def __init__(
        self,
        grid: Grid,
        options: FluxOptions,
        clock: Clock,
        communicator: Communicator,
        *,
        decomposition: DecompositionOptions | None = None,
        precision: str = "float64",
        check_halos: bool = False,
        plan: Plan | None = None,
    ) -> None:
        self.plane, self.step_length, self.options = grid, clock.step, options
        cut = Decomposition(
            grid.mask, grid.topology, halo=1, options=decomposition, communicator=communicator
        )
        self.run = Runner(cut, check_halos=check_halos, plan=plan)

        def field(name: str, units: str, *, restart: bool = False) -> Field:
            place = Place.center
            return Field(name, units, cut, place=place, dtype=precision, restart=restart)

        self.fields = {
            name: field(name, quantities[name].units, restart=name in taken)
            for name in dict.fromkeys((*taken, *given))
        }
        self.ports = {name: Port(self.fields[name]) for name in taken}
        self.sea = self.fields.pop("sea_fraction")
        self.sea.set_global(grid.mask.astype(np.float64))
        bound = {
            arguments.get(name, name): some
            for name, some in self.fields.items()
            if name not in (*of_waves, *into_ocean)
        }
        self.kernel = self.run.bind(kernels["air_sea_fluxes"], sea=self.sea, **bound)
        self.fields["sea_fraction"] = self.sea
        self.passed = Field(
            "passed",
            "1",
            cut,
            axes=[len(totals) + 1],
            place=Place.none,
            dtype=np.float64,
            restart=True,
        )
        areas = np.broadcast_to(grid.at(Place.center).area, grid.shape)
        self.area = field("area", "m2")
        self.area.set_global(areas)
        self.adding = FieldSums(self.sea, len(totals))
        self.sums = {"fluxes": self.adding}
        self.sea_area = float(areas[grid.mask].sum())
        self.is_stale = True

    def restart_fields(self) -> Sequence[Field]:
        """What others gave it, and what has passed."""
        return [*(port.field for port in self.ports.values()), self.passed]

    def start(self, time: Date, restarted: bool) -> None:
        """What nobody has given yet is as the case has it."""
        self.is_stale = True
        if restarted:
            return
        for name, port in self.ports.items():
            port.field.fill(getattr(self.options.usual, name))
        self.passed.fill(0.0)

    def step(self, time: Date) -> None:
        """Add up what passes the surface until the end of the step."""
        self._update()
        seconds = self.step_length.total_seconds()
        areas = self.area.read()
        terms = [
            [flux.astype(np.float64) * area for flux, area in zip(fluxes, areas, strict=True)]
            for fluxes in (self.fields[name].read() for name in totals)
        ]
        with self.passed.change() as owned:
            owned[0][:-1] += seconds * self._sums(terms)
            owned[0][-1] += seconds

    def _sums(self, terms: list[list[Array]]) -> Array:
        """Over all the sea; a flux that is not finite ends the run with what it came of."""
        try:
            return self.adding(terms)
        except FloatingPointError:
            raise UserError(self._not_finite()) from None

    def _not_finite(self) -> str:
        """Where a flux is not finite, and what it comes of; a call for all ranks."""
        center, said = self.plane.at(Place.center), ""
        x, y = (np.broadcast_to(some, self.plane.shape) for some in (center.x, center.y))
        for name in (*self.ports, *totals):
            values = self.fields[name].gather()
            if values is None or said:
                continue
            bad = np.argwhere(self.plane.mask & ~np.isfinite(values))
            for j, i in bad[:1]:
                origin = "that the fluxes were given" if name in self.ports else "of air and sea"
                said = (
                    f"{name}, {origin}, is not finite at x = {x[j, i]:g}, y = {y[j, i]:g}"
                    f" ({values[j, i]}). Look at the member that gives it."
                )
        return str(self.run.decomposition.communicator.broadcast(said))

    def took(self, names: Sequence[str], time: Date) -> None:
        """The air, the sea or its waves are new."""
        super().took(names, time)
        self.is_stale = True

    def diagnose(self, names: Sequence[str], time: Date) -> Mapping[str, Field]:
        """Fields of now."""
        self._update()
        return {name: self.fields[name] for name in names}

    def summary(self) -> str:
        """What has passed the surface of the sea since the start."""
        heat, water, east, north, *through_waves, seconds = self.passed.read()[0]
        whole = self.sea_area * max(seconds, 1.0)
        words = (
            f"into the sea: heat {heat:+.6e} J ({heat / whole:+.3f} W m-2), water {water:+.6e} kg"
            f" ({86400.0 * water / whole:+.3f} mm/day), momentum eastward {east:+.6e} and"
            f" northward {north:+.6e} N s"
        )
        if not set(of_waves) & set(self.expected):
            return words
        into, out, left = (np.array(through_waves[n : n + 2]) for n in (0, 2, 4))
        off = np.abs((east, north) - into + out - left).max() / np.abs((east, north)).max()
        return (
            f"{words}; of it (east, north) waves took {_pair(into)} and gave {_pair(out)}, so that"
            f" {_pair(left)} N s entered the ocean: all but {off:.0e} of it"
        )

    def _update(self) -> None:
        """The fluxes of what came last."""
        if not self.is_stale:
            return
        o = self.options
        if o.relative_humidity is not None and "air_humidity" not in self.expected:
            self._moisten(o.relative_humidity)
        self.kernel(
            wind_height=o.wind_height,
            air_height=o.air_height,
            gravity=gravity,
            cool_skin=int(o.cool_skin),
            turns=o.turns,
        )
        self._share_with_waves()
        self.is_stale = False

    def _share_with_waves(self) -> None:
        """What is left for the ocean: the stress of the air, less and more what waves have of it.

        Land has none.
        """
        for left, whole, into, out in zip(
            into_ocean, stresses, of_waves[:2], of_waves[2:], strict=True
        ):
            terms = (self.fields[name].read() for name in (whole, into, out))
            with self.fields[left].change() as owned:
                for to, sea, air, less, more in zip(owned, self.sea.read(), *terms, strict=True):
                    to[...] = np.where(sea > 0.0, air - less + more, 0.0)

    def _moisten(self, humidity: float) -> None:
        """Give air whose humidity nobody tells a part of what it could hold [1]."""
        warmth, pressure = (self.fields[n].read() for n in ("air_temperature", "surface_pressure"))
        with self.fields["air_humidity"].change() as owned:
            for to, warm, under in zip(owned, warmth, pressure, strict=True):
                ratio = mixing_ratio(humidity * saturation_pressure(warm), under)
                to[...] = ratio / (1.0 + ratio)


def _pair(values: Array) -> str:
    return f"{values[0]:+.6e}, {values[1]:+.6e}"
