"""The air as physics reads it, made of the state of the dynamics when it is asked for."""

from __future__ import annotations

from halocline.atmosphere import _native
from halocline.atmosphere.dynamics.hydrostatic import air_state
from halocline.atmosphere.dynamics.state import AirFields
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)
units = {
    "dry_theta": "K",
    "air_pressure": "Pa",
    "air_density": "kg m-3",
    "exner": "1",
    "layer_depth": "m",
    "height": "m",
}
"""Of what it holds on layers at centres; `height` is above the ground."""


class PhysicsAir:
    """Potential temperature of dry air less 300 K, pressure, density of dry air and so on.

    `u`, `v` and `water` are those of the state. Physics may change `dry_theta` and `water`;
    `give_back` then brings the state after them.
    """

    def __init__(self, run: Runner, state: AirFields) -> None:
        self.state = state
        self.u, self.v = state.u, state.v
        for name, unit in units.items():
            setattr(self, name, self._field(name, unit, state))
        self.surface_pressure = Field(
            "surface_pressure", "Pa", state.space, place=Place.center, dtype=state.dtype
        )
        moist = bool(state.species)
        given: dict[str, Field | None] = {name: getattr(self, name) for name in units}
        given["water"] = state.water if moist else None
        kernel = kernels["atmosphere_air_for_physics"]
        self._layers = run.bind(kernel, state, **(given | {"height": None}))
        self._all = run.bind(kernel, state, **given)
        self._press = run.bind(
            kernels["atmosphere_surface_pressure"],
            self,
            dilution=state.dilution if moist else None,
        )
        self._moisten, self._dilute = None, None
        if moist:
            self.water = state.water
            self._moisten = run.bind(
                kernels["atmosphere_moist_theta"], state, dry_theta=self.dry_theta
            )
            self._dilute = run.bind(kernels["atmosphere_dilution"], state)
        self._air_state = air_state(run, state)

    dry_theta: Field
    air_pressure: Field
    air_density: Field
    exner: Field
    layer_depth: Field
    height: Field
    water: Field

    @staticmethod
    def _field(name: str, unit: str, state: AirFields) -> Field:
        return Field(
            name, unit, state.space, axes=(state.layers,), place=Place.center, dtype=state.dtype
        )

    def update(self) -> None:
        """Set all to what they are in the state."""
        self._all()
        self._press()

    def update_layers(self) -> None:
        """Set what microphysics reads: all but `height` and `surface_pressure`."""
        self._layers()

    def give_back(self) -> None:
        """Bring the state after `dry_theta` and `water`, with pressure at the volume it has, or
        with volume at the pressure that hydrostatic air has."""
        if self._moisten is not None:
            self._moisten()
        self.follow()

    def follow(self) -> None:
        """Set the state's dilution and pressure to what its heat, water and geopotential say; of
        hydrostatic air the geopotential too."""
        if self._dilute is not None:
            self._dilute(kinds=self.state.kinds)
        self._air_state()
