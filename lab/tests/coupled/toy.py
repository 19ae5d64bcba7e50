"""Members whose steps take a known time, asleep: ranks beyond the cores are as if there were more.

A step takes `shared` over its ranks, `fixed` on each, and `growing` times its ranks; its cells are
a pond's, which give and take a level.
"""

import time as clock_time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from halocline.component.case.case import Case, named
from halocline.component.component import Component
from halocline.component.port import Port
from halocline.core.names import Quantity
from halocline.core.options import option
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner


class Toy(Component):
    """It sleeps, and its level rises by one in each step."""

    def __init__(self, case, clock, communicator, plan=None):
        self.plane, self.step_length, self.case = case.build_grid(), clock.step, case
        self.cut = Decomposition(
            self.plane.mask, self.plane.topology, halo=1, options=case.decomposition,
            communicator=communicator,
        )  # fmt: skip
        self.run, self.steps = Runner(self.cut, plan=plan), 0
        self.level, self.given = (
            Field(name, "m", self.cut, place=Place.center, dtype=np.float64, restart=True)
            for name in ("level", "given")
        )
        self.seconds = (
            case.shared / communicator.size + case.fixed + case.growing * communicator.size
        )
        self.rank = communicator.rank
        self.ports = {"level": Port(self.given)}

    def restart_fields(self):
        return [self.level, self.given]

    def start(self, time, restarted):
        for some in (self.level, self.given):
            some.fill(0.0)

    def step(self, time):
        with self.run.recorder.time("asleep", "kernel"):
            clock_time.sleep(self.seconds)
        self.steps += 1
        if self.steps == self.case.fails_at and self.rank == 0:
            raise SystemExit(9)
        with self.level.change() as level:
            for array in level:
                array += np.nan if self.steps == self.case.spoils_at else 1.0

    def diagnose(self, names, time):
        return {"level": self.level}


@dataclass(frozen=True, kw_only=True)
class ToyCase(Case):
    """A member that sleeps."""

    component: str = named("toy")
    precision: str = option("float64", "", "precision of all fields", choices=("float64",))
    shared: float = option(0.0, "s", "of a step, shared by its ranks")
    fixed: float = option(0.0, "s", "of a step, on each rank")
    growing: float = option(0.0, "s", "of a step, times its ranks")
    fails_at: int = option(0, "1", "step at which it ends without a word")
    spoils_at: int = option(0, "1", "step at which its level is no number")

    exports: ClassVar[Mapping[str, Quantity]] = {"level": Quantity("level", "", "m", "level")}
    imports: ClassVar[tuple[str, ...]] = ("level",)

    def build(self, clock, communicator, *, check_halos=False, plan=None, given=None):
        """The toy."""
        return Toy(self, clock, communicator, plan)


def pair(*, lagged=True, **tables):
    """Two members that give each other their levels, as tables of a case."""
    grid = {
        "kind": "cartesian", "nx": 12, "ny": 16, "dx": 3.0, "dy": 3.0, "depth": 10.0,
        "closed_edges": False,
    }  # fmt: skip
    members = {
        "sky": {"component": "toy", "time": {"step": "20min"}, "shared": 0.36, "fixed": 0.024},
        "sea": {"component": "toy", "time": {"step": "30min"}, "shared": 0.24, "growing": 0.012},
    }
    for name, more in tables.items():
        members[name] = {**members[name], **more}
    return {
        "time": {"start": "2000-01-01T00:00:00", "length": "2d"},
        "members": {name: {**some, "grid": grid} for name, some in members.items()},
        "exchanges": {
            "down": {"source": "sky", "target": "sea", "fields": ["level"], "lagged": lagged},
            "up": {"source": "sea", "target": "sky", "fields": ["level"], "lagged": lagged},
        },
    }
