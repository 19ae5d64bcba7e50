"""How far the wind goes in a step, values that are none, and the summary of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import gravity
from halocline.atmosphere.dynamics.polar_filter import filtered_width
from halocline.atmosphere.dynamics.state import AirFields, prognostic
from halocline.atmosphere.microphysics.clouds import Clouds
from halocline.atmosphere.options import AtmosphereOptions
from halocline.atmosphere.sound import SoundInSteps, squared_speed_of_sound
from halocline.core.clock import Date, text
from halocline.core.errors import BrokenState
from halocline.core.geography import position_words
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.field_sums import FieldSums

Array = NDArray[np.float64]
most_mixed = 0.5
"""Coefficient times the sum of 1 / length^2 along all directions times the step that forcings of
one forward step bear."""


class AirWatch:
    """Looks at the state of one atmosphere; all calls are for all ranks."""

    def __init__(
        self,
        state: AirFields,
        run: Runner,
        grid: Grid,
        options: AtmosphereOptions,
        clouds: Clouds | None = None,
        evaporation: Field | None = None,
        convective: Sequence[Field] = (),
    ) -> None:
        self.state, self.run, self.grid, self.options = state, run, grid, options
        self.clouds, self.evaporation = clouds, evaporation
        self.fallen = [*clouds.totals.values(), *convective] if clouds is not None else []
        self.sums = FieldSums(state.mass, 2)
        self.begun = 0.0
        self.water_begun = 0.0
        self.most = 0.0
        self.parts_made: list[int] = []
        self.least_width = filtered_width(grid, options.filter_latitude)

    def begin(self) -> None:
        """Look at what the run begins with."""
        self.begun = self._dry_mass()
        if self.clouds is not None:
            self.water_begun = sum(self.water_and_fallen()) - self.evaporated()

    def sound(self, dt: float) -> SoundInSteps:
        """How far sound goes in the acoustic steps of a step of dt [s], by the state of now.

        In one of them it may pass 1 / (1 + 2 divergence_damping)^(1/2) cells, along both axes
        together, and where short waves along rows are filtered 0.7 of that along these
        (tests/atmosphere/test_acoustic_waves.py, dynamics/polar_filter.py).
        """
        s, rows, acoustic = self.state, self.grid.shape, self.options.acoustic
        most, where = 0.0, -1.0
        narrow = 0.7 if self.least_width else 1.0
        lengths = zip(s.dx.read(), s.dy.read(), strict=True)
        for block, squared, (dx, dy) in zip(
            s.mass.layout.blocks, squared_speed_of_sound(s), lengths, strict=True
        ):
            assert isinstance(block, Block)
            width = narrow * np.maximum(dx, self.least_width)
            waves = (rows[1] > 1) / width**2 + (rows[0] > 1) / dy**2
            passed = np.sqrt(squared.max(axis=0) * waves)
            j, i = np.unravel_index(passed.argmax(), passed.shape)
            if passed[j, i] > most:
                first = block.rectangle
                most, where = float(passed[j, i]), (first.j0 + j) * rows[1] + first.i0 + i
        communicator = self.run.decomposition.communicator
        greatest = float(communicator.maximum(np.array([most]))[0])
        where = communicator.maximum(np.array([where if most == greatest else -1.0]))[0]
        return SoundInSteps(
            dt,
            acoustic.steps,
            greatest,
            1.0 / float(np.sqrt(1.0 + 2.0 * acoustic.divergence_damping)),
            self._place_words(*divmod(int(where), rows[1])),
        )

    def refuse_long_steps(self, dt: float) -> None:
        """Refuse a step of dt [s] in whose acoustic steps sound goes too far."""
        if self.options.courant_interval:
            self.sound(dt).refuse()

    def look(self, number: int, time: Date, dt: float) -> None:
        """Refuse a wind that goes too far in step `number`, from `time`, of dt [s]."""
        every = self.options.courant_interval
        if every == 0 or number % every:
            return
        s = self.state
        finite = all(np.isfinite(a).all() for name in prognostic for a in getattr(s, name).read())
        rates = self._rates()
        mixing = self._mixing() if self.options.mixing.acts else 0.0
        found = np.array([float(not finite), dt * mixing, *(dt * rate for rate in rates)])
        broken, mixed, *courant = self.run.decomposition.communicator.maximum(found)
        if broken:
            raise BrokenState(f"In the step from {text(time)} {self._not_finite()}")
        if mixed > most_mixed:
            raise BrokenState(
                f"In the step from {text(time)} mixing spreads over {mixed:.2f} of a cell's square;"
                f" at most {most_mixed} it may. Use time.step = {0.7 * dt * most_mixed / mixed:.3g}"
                " s or less, or a smaller atmosphere.mixing.coefficient, viscosity or diffusivity."
            )
        self.most = max(self.most, *map(float, courant))
        allowed = self.options.most_courant
        if self.most > allowed:
            axis = int(np.argmax(courant))
            raise BrokenState(
                f"In the step from {text(time)} the wind passes {self.most:.2f} cells along"
                f" {'xyz'[axis]}{self._where_fastest(axis)}; at most {allowed} it may. Use"
                f" time.step = {0.7 * dt * allowed / self.most:.3g} s or less."
            )

    def parts(self, dt: float) -> int:
        """In how many equal parts a step of dt [s] is made, by the wind at its beginning."""
        wanted = self.options.parted_above
        if not wanted:
            return 1
        rates = self.run.decomposition.communicator.maximum(np.array(self._rates()))
        passed, most = dt * float(rates.sum()), self.options.most_parts
        found = int(np.ceil(passed / wanted)) if np.isfinite(passed) else most + 1
        found = max(self.options.least_parts, found)
        if found > most:
            raise BrokenState(
                f"A step of {dt:g} s would be made in {found} parts, with a Courant number of"
                f" {passed:.3g}; at most {most} there may be (atmosphere.most_parts). Use time.step"
                f" = {dt * most / found:.3g} s or less, or a greater atmosphere.parted_above or"
                " most_parts."
            )
        self.parts_made.append(found)
        return found

    def _rates(self) -> tuple[float, float, float]:
        """The most cells that the wind passes along each axis on this rank [s-1]."""
        s = self.state
        return (
            self._rate(s.u, s.x_distance, self.least_width),
            self._rate(s.v, s.y_distance),
            self._rise(),
        )

    def _where_fastest(self, axis: int) -> str:
        """The place at which the wind passes most cells along an axis; a call for all ranks."""
        s = self.state
        names = ("u", "x_distance"), ("v", "y_distance"), ("w", "geopotential", "base_geopotential")
        wind, *other = (getattr(s, name).gather() for name in names[axis])
        said = ""
        if wind is not None:
            length = np.diff(other[0] + other[1], axis=0) if axis == 2 else other[0]
            if axis == 0:
                length = np.maximum(length, self.least_width)
            rates = np.abs(wind[1:] if axis == 2 else wind) / length
            k, j, i = np.unravel_index(int(np.nanargmax(rates)), rates.shape)
            said = f" at level {k + (axis == 2)}, {self._place_words(int(j), int(i))}"
        return str(self.run.decomposition.communicator.broadcast(said))

    def _place_words(self, j: int, i: int) -> str:
        """Row and column of a cell, and its longitude and latitude on the globe."""
        center = self.grid.at(Place.center)
        x, y = np.broadcast_arrays(center.x, center.y)
        j, i = min(j, x.shape[0] - 1), min(i, x.shape[1] - 1)
        words = f"row {j}, column {i}"
        if self.grid.spherical or self.grid.curvilinear is not None:
            words += f" ({position_words((x[j, i] + 180.0) % 360.0 - 180.0, y[j, i], '.1f')})"
        return words

    def _rate(self, wind: Field, distance: Field, least: float = 0.0) -> float:
        """The most cells that a wind passes [s-1], taken as no less wide than `least` [m]."""
        pairs = zip(wind.read(), distance.read(), strict=True)
        found = (_greatest(np.abs(a) / np.maximum(d, least)) for a, d in pairs if a.size)
        return max(found, default=0.0)

    def _rise(self) -> float:
        """The same upward."""
        s, most = self.state, 0.0
        pairs = zip(s.w.read(), s.geopotential.read(), s.base_geopotential.read(), strict=True)
        for w, more, base in pairs:
            if w.size:
                depth = np.diff(more + base, axis=0) / gravity
                most = max(most, _greatest(np.abs(w[1:]) / depth))
        return most

    def _mixing(self) -> float:
        """The greatest coefficient over the squares of the lengths of its cell [s-1]."""
        s, o, most = self.state, self.options.mixing, 0.0
        heat = 3.0 if o.kind == "turbulent-energy" else o.heat_factor
        factor = max(2.0 * o.of_wind, heat * o.of_heat)
        fields = (s.viscosity, s.geopotential, s.base_geopotential, s.dx, s.dy)
        for k, more, base, dx, dy in zip(*(field.read() for field in fields), strict=True):
            if k.size:
                squares = 1.0 / dx**2 + 1.0 / dy**2
                if o.upward:
                    squares = squares + (gravity / np.diff(more + base, axis=0)) ** 2
                most = max(most, factor * _greatest(k * squares))
        return most

    def _not_finite(self) -> str:
        """The first field and place with a value that is not finite."""
        said = ""
        for name in prognostic:
            values = getattr(self.state, name).gather()
            if values is None or said or np.isfinite(values).all():
                continue
            *outer, j, i = (int(n[0]) for n in np.nonzero(~np.isfinite(values)))
            level = f"level {outer[0]}, " if outer else ""
            where = f"{level}{self._place_words(j, i)}"
            said = f"{name} is not finite at {where}. Use a smaller time.step."
        return str(self.run.decomposition.communicator.broadcast(said))

    def _dry_mass(self) -> float:
        """Of all columns, per gravity [Pa m2]."""
        s = self.state
        terms: list[list[Array]] = [[], []]
        for mass, base, area in zip(s.mass.read(), s.base_mass.read(), s.area.read(), strict=True):
            terms[0].append(mass.astype(np.float64) * area)
            terms[1].append(base.astype(np.float64) * area)
        return float(sum(self.sums(terms)))

    def summary(self) -> str:
        """Dry mass since the start, extremes, the greatest Courant number."""
        s = self.state
        words = [f"dry mass {self._dry_mass() / self.begun - 1.0:+.1e} of it"]
        for name, units in (("theta", "K"), ("u", "m/s"), ("v", "m/s"), ("w", "m/s")):
            least, most = self._extremes(
                getattr(s, name), s.base_theta if name == "theta" else None
            )
            called = "theta less base" if name == "theta" else name
            words.append(f"{called} {least:.3f} to {most:.3f} {units}")
        words += self._water_words()
        if self.parts_made:
            least, most = min(self.parts_made), max(self.parts_made)
            mean = sum(self.parts_made) / len(self.parts_made)
            words.append(f"steps made in {least} to {most} parts, {mean:.2f} in the mean")
        return ", ".join([*words, f"Courant number up to {self.most:.2f}"])

    def water_and_fallen(self) -> tuple[float, float]:
        """Water in the air, and what has fallen since the start of the run [kg]."""
        s = self.state
        c1, c2, thickness = (
            getattr(s, name).read()[0].astype(np.float64).reshape(-1, 1, 1)
            for name in ("c1", "c2", "thickness")
        )
        terms: list[list[Array]] = [[], []]
        blocks = zip(*(f.read() for f in (s.mass, s.base_mass, s.area, s.water)), strict=True)
        for mass, base, area, water in blocks:
            layer = (c1 * (mass.astype(np.float64) + base) + c2) * thickness
            column = (layer * water[: s.kinds].astype(np.float64).sum(axis=0)).sum(axis=0)
            terms[0].append(column * area / gravity)
        totals = zip(*(total.read() for total in self.fallen), strict=True)
        for area, fallen in zip(s.area.read(), totals, strict=True):
            terms[1].append(sum(fallen) * area.astype(np.float64))
        inside, fallen_mass = self.sums(terms)
        return float(inside), float(fallen_mass)

    def evaporated(self) -> float:
        """Vapour that the ground has given since the start of the run [kg]."""
        if self.evaporation is None:
            return 0.0
        blocks = zip(self.state.area.read(), self.evaporation.read(), strict=True)
        terms = [total * area.astype(np.float64) for area, total in blocks]
        return float(FieldSums(self.state.mass, 1)([terms])[0])

    def _water_words(self) -> list[str]:
        """Water now, what has fallen, and what is missing of that at the start."""
        if self.clouds is None:
            return []
        inside, fallen = self.water_and_fallen()
        risen = self.evaporated()
        missing = (inside + fallen - risen) / self.water_begun - 1.0 if self.water_begun else 0.0
        words = f"water {inside:.6e} kg and {fallen:.3e} kg fallen"
        if self.evaporation is not None:
            words += f", {risen:.3e} kg evaporated"
        if not self.options.sides.kind:  # through which water comes and goes
            words += f", {missing:+.1e} of that at the start"
        return [words]

    def _extremes(self, field: Field, base: Field | None) -> tuple[float, float]:
        arrays = field.read()
        if base is not None:
            arrays = [a.astype(np.float64) - b for a, b in zip(arrays, base.read(), strict=True)]
        found = [
            max((float((sign * a).max()) for a in arrays if a.size), default=-np.inf)
            for sign in (-1.0, 1.0)
        ]
        low, high = self.run.decomposition.communicator.maximum(np.array(found))
        return -float(low), float(high)


def _greatest(values: Array) -> float:
    """The greatest value that is a number."""
    return float(values.max(initial=0.0, where=np.isfinite(values)))
