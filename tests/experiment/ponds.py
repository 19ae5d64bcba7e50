"""Members that give each other numbers whose values can be told: ponds on planes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from halocline.component.case.case import Case, named
from halocline.component.component import Component
from halocline.component.port import Port
from halocline.core.names import Quantity
from halocline.core.options import option
from halocline.experiment.member_options import MemberOptions
from halocline.experiment.members import Member, Members
from halocline.experiment.schedule import ScheduleOptions
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

ponds: dict[str, "Pond"] = {}
"""Those that were built, by their titles."""

pond_units = {"level": "m"}
"""In which they tell others of themselves."""


class Pond(Component):
    """Its `level` rises by `rise` and what others give; `flow` lies on faces and counts steps."""

    def __init__(self, case, clock, communicator, plan=None):
        self.plane, self.step_length, self.case = case.build_grid(), clock.step, case
        topology = self.plane.topology
        self.cut = Decomposition(
            self.plane.mask, topology, halo=1, options=case.decomposition, communicator=communicator
        )
        self.run = Runner(self.cut, plan=plan)

        def field(name, place=Place.center):
            return Field(name, "m", self.cut, place=place, dtype=np.float64, restart=True)

        self.told = Field(
            "told", pond_units["level"], self.cut, place=Place.center, dtype=np.float64
        )
        self.level, self.flow, self.given = (
            field("level"),
            field("flow", Place.x_face),
            field("given"),
        )
        self.fields = [self.level, self.flow, self.given]
        self.nested = {"level": self.level, "flow": self.flow}
        rim = {}
        for name, place in (("level", Place.center), ("flow", Place.x_face)):
            side = field(f"side_{name}", place)
            marked = np.ones(topology.shape(place), bool)
            marked[2:-2, 2:-2] = False
            rim[name] = Port(side, marked)
            self.fields.append(side)
        self.sides, self.ports = rim, {"level": Port(self.given)}
        self.heard: list[tuple[tuple[str, ...], object]] = []
        self.got: list[float] = []  # in its first cell, as often as it heard of its level
        ponds[case.title] = self

    def restart_fields(self):
        return self.fields

    def start(self, time, restarted):
        if restarted:
            return
        for some in (self.level, self.flow):
            place = self.plane.at(some.place)
            some.set_global(np.asarray(2.0 * place.x - 3.0 * place.y + 0.5 * place.x * place.y))
        for some in self.fields[2:]:
            some.fill(0.0)

    def step(self, time):
        hours = self.step_length.total_seconds() / 3600
        with self.level.change() as level:
            for array, given in zip(level, self.given.read(), strict=True):
                array += hours * (self.case.rise + given)
        with self.flow.change() as flow:
            for array in flow:
                array += 1.0

    def took(self, names, time):
        self.heard.append((tuple(names), time))
        if tuple(names) == ("level",):
            self.got += [float(array.flat[0]) for array in self.given.read()][:1]

    def diagnose(self, names, time):
        self.told.copy(self.level)
        known = {"level": self.told, "flow": self.flow}
        return {name: known[name] for name in names}


@dataclass(frozen=True, kw_only=True)
class PondCase(Case):
    """A run of a pond."""

    component: str = named("pond")
    precision: str = option("float64", "", "precision of all fields", choices=("float64",))
    rise: float = option(1.0, "m h-1", "how fast it rises")

    exports: ClassVar[Mapping[str, Quantity]] = {"level": Quantity("level", "", "m", "level")}
    imports: ClassVar[tuple[str, ...]] = ("level",)
    nested: ClassVar[tuple[str, ...]] = ("level", "flow")

    def build(self, clock, communicator, *, check_halos=False, plan=None, given=None):
        """The pond."""
        return Pond(self, clock, communicator, plan)


def pond(title, step, *, nx=12, ny=9, dx=3.0, x0=0.0, y0=0.0, rise=1.0, length="3h", **more):
    """A case of a pond that begins at (x0, y0)."""
    return PondCase.from_table(
        {
            "title": title,
            "time": {"start": "2000-01-01T00:00:00", "length": length, "step": step},
            "grid": {
                "kind": "cartesian", "nx": nx, "ny": ny, "dx": dx, "dy": dx,
                "x0": x0 + dx / 2, "y0": y0 + dx / 2, "depth": 10.0, "closed_edges": False,
            },
            "rise": rise,
            **more,
        }
    )  # fmt: skip


nests = {
    "outer": ("1h", {}),
    "middle": ("30min", {"nx": 18, "ny": 15, "dx": 1.0, "x0": 6.0, "y0": 6.0}),
    "inner": ("10min", {"nx": 18, "ny": 12, "dx": 1 / 3, "x0": 12.0, "y0": 12.0}),
}
"""Steps and grids of a pond, one inside of it, and one inside of that."""


def together(cases, *, exchanges=None, nested=None, order=(), seats=None, **more):
    """A run of ponds by name; `nested` says who lies in whom, `seats` options of members."""
    seats, nested = seats or {}, nested or {}
    members = {
        name: Member(
            name, case, MemberOptions(nested_in=nested.get(name, ""), **seats.get(name, {}))
        )
        for name, case in cases.items()
    }
    return Members(members, "", ScheduleOptions(order=list(order)), exchanges or {}, **more)
