"""Water in the stages of a step: carried by the dry mass that their acoustic steps have moved."""

from __future__ import annotations

from halocline.atmosphere import _native
from halocline.atmosphere.dynamics.polar_filter import PolarFilter
from halocline.atmosphere.dynamics.polar_water import PolarWater
from halocline.atmosphere.dynamics.state import AirFields
from halocline.atmosphere.dynamics_options import AirAdvectionOptions
from halocline.atmosphere.sides.air_sides import AirSideStage
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)


class WaterStage:
    """The transport of one of three stages; its state of water has a name that begins so.

    The state at the beginning of the step is `old_water`, the new one `water`. The last stage is
    limited as the options say. What is `forced` has a `water_forcing` throughout the step.
    """

    def __init__(
        self,
        run: Runner,
        s: AirFields,
        options: AirAdvectionOptions,
        prefix: str,
        sides: AirSideStage,
        polar: PolarFilter | None,
        *,
        forced: bool,
    ) -> None:
        self.sides = sides
        self.polar = PolarWater(polar, s) if polar else None
        self.state, self.options, self.first = s, options, prefix == "old_"
        self.mean = run.bind(kernels["atmosphere_mean_fluxes"], s)
        self.rise = run.bind(kernels["atmosphere_rise"], s)
        given: dict[str, Field | None] = {} if forced else {"water_forcing": None}
        if self.first:
            given |= {"water": s.old_water, "next_water": s.water}
        self.move = run.bind(kernels["atmosphere_move_water"], s, **given)
        self.new = s.water if self.first else s.next_water
        self.limited = False
        if options.limiter != "none" and not self.first:
            given |= {"loss_share": s.loss_share, "gain_share": None}
            given |= {} if polar else {"x_limited": None}
            if options.limiter == "monotone":
                given["gain_share"] = s.gain_share
            shares = {name: f for name, f in given.items() if name != "next_water"}
            self.shares = run.bind(kernels["atmosphere_water_shares"], s, **shares)
            self.move_within = run.bind(kernels["atmosphere_move_water_within"], s, **given)
            self.limited = True
        self.dilute = run.bind(kernels["atmosphere_dilution"], s)

    def __call__(self, steps: int, dt: float, *, last: bool) -> None:
        """Move the water through a stage of so many acoustic steps of dt [s].

        1. mean fluxes of dry mass  2. new mixing ratios  3. what they weigh
        """
        s, o, within = self.state, self.options, last and self.limited
        # 1. mean fluxes of dry mass
        if self.polar:
            self.polar.fluxes()
        self.mean(share=1.0 / steps)
        self.rise()
        # 2. new mixing ratios
        orders = {"order": o.order, "vertical_order": o.vertical_order, "weno": int(o.weno)}
        numbers = {"dt": steps * dt, **orders}
        if within:
            self.shares(**numbers)
            self.sides.water_shares()
            self.move_within(**numbers)
        else:
            self.move(**numbers)
        if self.polar:
            self.polar(self.new, positive=within)
        self.sides.water(steps * dt)
        if not self.first:
            s.water.swap(s.next_water)
        # 3. what they weigh
        self.dilute(kinds=self.state.kinds)
