"""What changes wind and heat throughout a step, found once, of its beginning: turbulent mixing, a
filter along layers, a return to the start below the top."""

from __future__ import annotations

from halocline.atmosphere import _native
from halocline.atmosphere.dynamics.energy import TurbulentEnergy
from halocline.atmosphere.dynamics.held_suarez import HeldSuarez
from halocline.atmosphere.dynamics.state import AirFields, forced, prognostic
from halocline.atmosphere.options import AtmosphereOptions
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)


class AirForcing:
    """Forcings of u, v, w, theta and water of one atmosphere; `made` are those that there are."""

    def __init__(
        self, run: Runner, state: AirFields, options: AtmosphereOptions, grid: Grid
    ) -> None:
        self.run, self.state, self.options = run, state, options
        self.made: list[str] = []
        self.winds = ("u", "v") if state.hydrostatic else ("u", "v", "w")
        self.of_heat: dict[str, Field] = {}
        self.energy: TurbulentEnergy | None = None
        self.calls: list[tuple[BoundCall, dict[str, float]]] = []
        if options.mixing.acts:
            self._mixing()
        if options.mixing.filter:
            for name in (*self.winds, "theta"):
                fresh = self.first(name)
                base = {} if state.sloping or name != "theta" else {"base_theta": None}
                call = self._bound(f"filter_{name}", **base)
                self.calls.append((call, {"strength": options.mixing.filter, "fresh": fresh}))
        if options.damping.return_rate:
            for name in ("u", "v", "theta"):
                fresh = self.first(name)
                self.calls.append((self._bound(f"return_{name}"), {"fresh": fresh}))
        self.climate: HeldSuarez | None = None
        if options.held_suarez.acts:
            self.climate = HeldSuarez(
                run, state, options.held_suarez, grid, state.coordinate, self.first
            )

    def __call__(self, dt: float) -> None:
        """Set the forcings for a step of dt [s]: mixing, the filter, the return to the start."""
        for call, numbers in self.calls:
            call(**numbers, **({"dt": dt} if "strength" in numbers else {}))
        if self.climate:
            self.climate()

    def _mixing(self) -> None:
        """Coefficients, then what they do to wind and heat."""
        s, mixing = self.state, self.options.mixing
        s.add("viscosity", "m2 s-1", Place.center, "layers")
        upward, sloping = int(mixing.upward), int(s.sloping)
        if mixing.kind == "constant":
            s.viscosity.set_cells(lambda j, i: mixing.constant((s.layers.size, *j.shape), s.dtype))
        else:
            for name in ("strain", "stability"):
                s.add(name, "s-2", Place.center, "layers")
            strain = self._bound("strain")
            self.calls.append((strain, {"upward": upward, "sloping": sloping}))
            self._coefficients(upward)
        if mixing.of_wind:
            for name in self.winds:
                self.first(name)
                call = self._bound(f"mix_{name}")
                self.calls.append((call, {"upward": upward, "sloping": sloping}))
        if mixing.of_heat:
            self.first("theta")
            numbers = {"factor": mixing.heat_factor, "given": mixing.ground_heat_flux}
            call = self._bound("mix_theta", **self.of_heat)
            self.calls.append((call, numbers | {"upward": upward, "sloping": sloping}))

    def _coefficients(self, upward: int) -> None:
        """Those that follow from deformation, or from the energy of eddies."""
        s, mixing = self.state, self.options.mixing
        if mixing.kind != "turbulent-energy":
            numbers = {"coefficient": mixing.coefficient, "prandtl": mixing.prandtl}
            self.calls.append((self._bound("smagorinsky"), numbers | {"upward": upward}))
            return
        s.add("diffusivity", "m2 s-1", Place.center, "layers")
        self.of_heat["viscosity"] = s.diffusivity
        self.energy = TurbulentEnergy(self.run, s, self.options)
        call = self._bound("energy_mixing", energy=s.old_energy)
        self.calls.append((call, {"coefficient": mixing.energy_coefficient}))
        self.calls.append((self.energy.mix, {"sloping": int(s.sloping)}))

    def first(self, name: str) -> int:
        """1 if this is the first forcing of a field, whose array is made then, or 0."""
        if name in self.made:
            return 0
        units, place, over = forced[name]
        self.state.add(f"{name}_forcing", units, place, over)
        self.made.append(name)
        return 1

    def _bound(self, name: str, **own: Field | None) -> BoundCall:
        """A kernel bound to the state at the beginning of the step, and to fields of its `own`."""
        kernel = kernels[f"atmosphere_{name}"]
        known = {argument.name for argument in kernel.arguments}
        given = {key: getattr(self.state, f"old_{key}") for key in prognostic if key in known}
        return self.run.bind(kernel, self.state, **given, **own)
