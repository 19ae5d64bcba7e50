"""The ocean with life in it, as the time loop wants it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from halocline.biogeochemistry.biogeochemistry_component import BiogeochemistryComponent
from halocline.core.clock import Date
from halocline.living_ocean.ocean_ends import OceanEnds
from halocline.ocean.component import OceanComponent
from halocline.runtime.fields.field import Field


class LivingOceanComponent(OceanComponent):
    """The ocean on one grid, and tracers of a biology that move with it."""

    life: BiogeochemistryComponent
    ends: OceanEnds

    def carry(self, life: BiogeochemistryComponent, ends: OceanEnds, living: Sequence[str]) -> None:
        """Take up life, which lies on the same decomposition and moves by `ends`.

        Of the fields that output may hold those in `living` are life's.
        """
        self.life, self.ends, self.living = life, ends, living
        life.state.tracer.name = "life"  # in restarts, beside the ocean's `tracer`
        self.sums = life.sums
        on_levels, plane = life.state.temperature, life.state.short_wave
        like = {name: plane if name in life.biology.planes else on_levels for name in living}
        self.shown = {**self.shown, **like}

    def restart_fields(self) -> Sequence[Field]:
        """Those of the ocean and of life, and what it takes from the ocean's last step."""
        return [*super().restart_fields(), *self.life.restart_fields(), *self.ends.kept()]

    def facts(self) -> dict[str, str | int | float]:
        """What a restart must share."""
        return {**self.life.facts(), **super().facts()}

    def describe(self) -> list[tuple[str, str]]:
        """What is to be said of the sea and of life."""
        return [*super().describe(), *self.life.describe()]

    def start(self, time: Date, restarted: bool) -> None:
        """Get ready for the first step, the ocean first."""
        super().start(time, restarted)
        self.ends.start(restarted=restarted)
        self.life.start(time, restarted)

    def step(self, time: Date) -> None:
        """Advance from `time` by one step.

        1. the ocean  2. what it was at both ends  3. life: transport, light and biology
        """
        # 1. the ocean
        super().step(time)
        # 2. what it was at both ends
        self.ends.go_on()
        # 3. life: transport, light and biology
        self.life.step(time)

    def look_through_input(self, deadline: float) -> tuple[int, int]:
        """All records of the forcing, and of what life is drawn to."""
        done, total = super().look_through_input(deadline)
        more, of = self.life.look_through_input(deadline)
        return done + more, total + of

    def close(self) -> None:
        """Let readings end."""
        super().close()
        self.life.close()

    def diagnose(self, names: Sequence[str], time: Date) -> Mapping[str, Field]:
        """Fields by name, of the ocean or of life."""
        own = [name for name in names if name in self.living]
        others = [name for name in names if name not in own]
        return {**super().diagnose(others, time), **self.life.diagnose(own, time)}

    def show_only(self, names: Collection[str]) -> Sequence[str]:
        """The same of the ocean and of life."""
        return [*super().show_only(names), *self.life.show_only(names)]

    def summary(self) -> str:
        """What the ocean holds, and life; a call for all ranks."""
        return f"{super().summary()}; {self.life.summary()}"
