"""The energy of eddies in cells: carried in the stages of a step, made and lost at its end."""

from __future__ import annotations

from halocline.atmosphere import _native
from halocline.atmosphere.dynamics.state import AirFields
from halocline.atmosphere.options import AtmosphereOptions
from halocline.atmosphere.sides.air_sides import AirSides
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)


class TurbulentEnergy:
    """The energy of one atmosphere, a field `energy` of its state."""

    def __init__(self, run: Runner, state: AirFields, options: AtmosphereOptions) -> None:
        self.state, self.mixing, self.advection = state, options.mixing, options.advection
        s = state
        for name in ("old_energy", "next_energy"):
            s.add(name, "m2 s-2", Place.center, "layers")
        s.add("energy", "m2 s-2", Place.center, "layers", restart=True)
        s.add("energy_forcing", "Pa m2 s-3", Place.center, "layers")
        begun = {"geopotential": s.old_geopotential}
        self.mix = run.bind(
            kernels["atmosphere_mix_energy"], s, **begun, energy=s.old_energy, mass=s.old_mass
        )
        transport = kernels["atmosphere_energy_transport"]
        self.first = run.bind(transport, s, stage_energy=s.old_energy, mass=s.old_mass)
        self.later = run.bind(transport, s, stage_energy=s.energy)
        self.at_sides: dict[bool, BoundCall | None] = {}
        self.sources = run.bind(kernels["atmosphere_energy_sources"], s, **begun, theta=s.old_theta)

    def beside(self, sides: AirSides) -> None:
        """Let `sides` make the energy there: by whether it is that of the first stage."""
        for first, energy in ((True, self.state.old_energy), (False, self.state.energy)):
            self.at_sides[first] = sides.energy(energy)

    def begin(self) -> None:
        """The energy of the last step is the old one of this."""
        self.state.energy.swap(self.state.old_energy)

    def start(self) -> None:
        """The least energy everywhere."""
        with self.state.energy.change() as owned:
            for array in owned:
                array[...] = self.mixing.least_energy

    def carry(self, dt: float, *, first: bool) -> None:
        """To the end of a stage, dt [s] from the beginning of the step, with its fluxes."""
        a, s = self.advection, self.state
        transport = self.first if first else self.later
        transport(dt=dt, order=a.order, vertical_order=a.vertical_order)
        if (sides := self.at_sides.get(first)) is not None:
            sides()
        s.energy.swap(s.next_energy)

    def end(self, dt: float) -> None:
        """What wind and buoyancy of the step's beginning bring, what becomes heat."""
        m = self.mixing
        self.sources(
            coefficient=m.energy_coefficient, given=m.ground_heat_flux, least=m.least_energy, dt=dt
        )
