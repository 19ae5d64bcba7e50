"""A model of FABM behind the door of biologies."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.biology import Biology
from halocline.biogeochemistry.fabm.options import FabmOptions
from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.core.errors import UserError
from halocline.core.names import Quantity
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.python_kernels import kernel, read, update
from halocline.runtime.running.runner import Runner

Array = NDArray[np.float64]
known = (
    "temperature",
    "practical_salinity",
    "downwelling_photosynthetic_radiative_flux",
    "cell_thickness",
    "depth",
    "pressure",
    "wind_speed",
    "surface_downwelling_shortwave_flux",
    "mole_fraction_of_carbon_dioxide_in_air",
)
"""What a model may want of its surroundings, by the standard variables of FABM."""


@kernel(
    tracer=update(Place.center, "any", "tracer depth"),
    volume=read(Place.center, "m3", "depth"),
    area=read(Place.center, "m2"),
    temperature=read(Place.center, "degree C", "depth"),
    salinity=read(Place.center, "1", "depth"),
    light=read(Place.center, "umol m-2 s-1", "depth"),
    wind_speed=read(Place.center, "m s-1"),
    short_wave=read(Place.center, "W m-2"),
    air_carbon_dioxide=read(Place.center, "1e-6"),
    cut_cells=update(Place.none, "1", "2"),
)
def fabm_react(
    at: Any,
    tracer: Array,
    volume: Array,
    area: Array,
    temperature: Array,
    salinity: Array,
    light: Array,
    wind_speed: Array,
    short_wave: Array,
    air_carbon_dioxide: Array,
    cut_cells: Array,
    cell: FabmCell,
    dt: float,
) -> None:
    """Advance all tracers by the reaction, cell by cell; exchange with the air in the uppermost."""
    contents, room, plane = at(tracer), at(volume), at(area)
    water, salt, lit = at(temperature), at(salinity), at(light)
    wind, sun, air = at(wind_speed), at(short_wave), at(air_carbon_dioxide)
    top = room.shape[0] - 1
    for j, i in np.argwhere(room[top] > 0.0):
        above = 0.0
        for k in range(top, -1, -1):
            if not room[k, j, i] > 0.0:
                break
            thickness = room[k, j, i] / plane[j, i]
            depth = above + 0.5 * thickness
            above += thickness
            around = {
                "temperature": water[k, j, i],
                "practical_salinity": salt[k, j, i],
                "downwelling_photosynthetic_radiative_flux": cell.energy * lit[k, j, i],
                "cell_thickness": thickness,
                "depth": depth,
                "pressure": 1.005525 * depth,
                "wind_speed": wind[j, i],
                "surface_downwelling_shortwave_flux": sun[j, i],
                "mole_fraction_of_carbon_dioxide_in_air": air[j, i],
            }
            here = contents[:, k, j, i]
            after, parts, rest = cell.advance(here, around, k == top, dt)
            here[...] = after
            cut_cells += (parts > 1, rest > 0.0)


class FabmCell:
    """A model of FABM for one cell."""

    def __init__(self, options: FabmOptions) -> None:
        try:
            pyfabm = importlib.import_module("pyfabm")
        except ImportError as error:
            raise UserError(
                "biology.model = 'fabm' needs the package pyfabm, which comes with the sources of"
                f" FABM (python -m pip install FABM's folder): {error}."
            ) from error
        if not Path(options.file).exists():
            raise UserError(f"biology.fabm.file = '{options.file}': there is no such file.")
        self.options, self.energy, self.package = options, options.energy, pyfabm
        with self._told("does not take it"):
            self.model = pyfabm.Model(options.file)
        others = [*self.model.surface_state_variables, *self.model.bottom_state_variables]
        if others:
            raise UserError(
                f"{options.file}: '{others[0].name}' lives at the surface or on the floor. Only"
                " models whose variables are all in the water can be carried."
            )
        for wanted in self.model.dependencies:
            if wanted.required and wanted.name not in known:
                raise UserError(
                    f"{options.file} wants '{wanted.name}' [{wanted.units}], which is not among"
                    f" what tracers know of their surroundings: {', '.join(known)}."
                )

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Mistakes that FABM finds on the way are the user's."""
        try:
            yield
        except self.package.FABMException as error:
            raise UserError(
                f"biology.fabm.file = '{self.options.file}': FABM {what}: {error}"
            ) from error

    def _set(self, around: Mapping[str, float]) -> None:
        for wanted in self.model.dependencies:
            if wanted.name in around:
                wanted.value = around[wanted.name]
        self.model.cell_thickness = around["cell_thickness"]

    def start(self) -> None:
        """Get ready, in mild water."""
        self._set(dict.fromkeys(known, 10.0))
        with self._told("cannot start"):
            if not self.model.start():
                raise self.package.FABMException(
                    self.package.getError() or "it says above what is missing."
                )

    def speeds(self) -> dict[str, float]:
        """Speeds downward [m s-1] of the state as it is."""
        with self._told("gives no speeds of what sinks"):
            up = self.model.get_vertical_movement()
        variables = self.model.interior_state_variables
        return {
            one.output_name: -float(speed)
            for one, speed in zip(variables, np.ravel(up), strict=True)
            if speed != 0.0
        }

    def advance(
        self, contents: Array, around: Mapping[str, float], surface: bool, dt: float
    ) -> tuple[Array, int, float]:
        """Contents after `dt` [s], in how many parts, and the rest for which there was none left.

        In a part no tracer loses more than its largest share.
        """
        now, left, parts = contents.astype(np.float64), dt, 0
        self._set(around)
        while left > 0.0 and parts < self.options.most_parts:
            self.model.interior_state[...] = now
            with self._told("gives no rates"):
                rate = self.model.getRates(surface=surface, bottom=False)
            lost = np.maximum(-rate, 0.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                longest = np.where(lost > 0.0, self.options.largest_share * now / lost, np.inf)
            part = min(left, float(longest.min()))
            now, left, parts = now + part * rate, left - part, parts + 1
        return now, parts, left


class Fabm(Biology):
    """A model of FABM whose variables are all in the water."""

    options_kind = FabmOptions
    environment = ("temperature", "salinity", "light", "wind_speed", "short_wave")
    seconds = 5e-5

    def __init__(self, options: FabmOptions) -> None:
        self.cell = FabmCell(options)
        self.variables = list(self.cell.model.interior_state_variables)
        self.tracers = tuple(
            Quantity(one.output_name, "", one.units, one.long_name) for one in self.variables
        )
        self._begin = {one.output_name: float(one.value) for one in self.variables}
        self.cell.start()
        self._speeds = self.cell.speeds()
        rising = [name for name, speed in self._speeds.items() if speed < 0.0]
        if rising:
            raise UserError(
                f"{options.file}: '{rising[0]}' rises through the water; tracers can only sink."
            )

    @property
    def sinking(self) -> Mapping[str, float]:
        """Speeds of the model's start; they stay so."""
        return self._speeds

    def start_values(self) -> Mapping[str, float]:
        """Those of the model's file."""
        return self._begin

    def settle(self, state: ReactingState) -> Sequence[Field]:
        """Make what counts cells."""
        self.cut_cells = Field(
            "cut_cells",
            "1",
            state.space.decomposition,
            axes=(2,),
            place=Place.none,
            dtype=np.int64,
        )
        self.communicator = state.space.decomposition.communicator
        return []

    def step(self, run: Runner, state: ReactingState, dt: float) -> None:
        """Advance the tracers of `state` by `dt` [s].

        1. reaction and exchange with the air
        """
        # 1. reaction and exchange with the air
        run(fabm_react, state, cut_cells=self.cut_cells, cell=self.cell, dt=dt)

    def summary(self) -> str:
        """How often steps were cut; a call for all ranks."""
        local = np.zeros(2)
        for array in self.cut_cells.read():
            local += array
        parts, unfinished = self.communicator.sum(local)
        rest = f", {int(unfinished)} not to their end" if unfinished else ""
        return f"{int(parts)} steps of cells were made in parts{rest}"
