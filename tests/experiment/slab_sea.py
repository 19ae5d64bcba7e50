"""The sea of docs/examples/slab as a member of our own: what programs must compute to the bit."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from halocline.component.case.case import Case, named
from halocline.component.case.tables import plain_dates
from halocline.component.component import Component
from halocline.component.port import Port
from halocline.core.names import Quantity, quantities
from halocline.experiment.members import Member, Members, make_members
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

example = Path(__file__).parents[2] / "docs" / "examples" / "slab"
capacity = 1025.0 * 3990.0 * 50.0  # of 50 m of water [J m-2 K-1]


class SlabSea(Component):
    """Water that is mixed to 50 m."""

    def __init__(self, case, clock, communicator, plan=None):
        self.plane, self.step_length = case.build_grid(), clock.step
        cut = Decomposition(self.plane.mask, self.plane.topology, halo=1, communicator=communicator)
        self.run = Runner(cut, plan=plan)
        names = "surface_temperature", "heat_flux_into_sea"
        self.temperature, self.heat = (
            Field(name, quantities[name].units, cut, place=Place.center, dtype=np.float64)
            for name in names
        )
        self.ports = {"heat_flux_into_sea": Port(self.heat)}

    def restart_fields(self):
        return [self.temperature, self.heat]

    def start(self, time, restarted):
        latitude = self.plane.at(Place.center).y
        self.temperature.set_global(25.0 - 0.0078125 * latitude * latitude)
        self.heat.fill(0.0)

    def step(self, time):
        seconds = self.step_length.total_seconds()
        with self.temperature.change() as arrays:
            for array, heat in zip(arrays, self.heat.read(), strict=True):
                array[:] = array + seconds * heat / capacity

    def diagnose(self, names, time):
        known = {"surface_temperature": self.temperature, "heat_flux_into_sea": self.heat}
        return {name: known[name] for name in names}


@dataclass(frozen=True, kw_only=True)
class SlabCase(Case):
    """A case of this sea."""

    component: str = named("slab-sea")
    imports: ClassVar[tuple[str, ...]] = ("heat_flux_into_sea",)
    exports: ClassVar[Mapping[str, Quantity]] = {
        name: quantities[name] for name in ("surface_temperature", "heat_flux_into_sea")
    }

    def build(self, clock, communicator, *, check_halos=False, plan=None, given=None):
        """The sea."""
        return SlabSea(self, clock, communicator, plan)


def table(length="2d"):
    """The case of the example, of another length."""
    found = plain_dates(tomllib.loads((example / "case.toml").read_text()))
    found["time"]["length"] = length
    found["restart"]["interval"] = "12h"
    return found


def with_our_sea(length="2d"):
    """The members of the example, but that the sea is ours."""
    found = table(length)
    del found["members"]["fluxes"]["ranks"]  # one rank has both
    members = make_members(found)
    own = found["members"]["slab"]
    kept = {name: own[name] for name in ("precision", "grid", "output")}
    case = SlabCase.from_table({**kept, "time": found["time"], "restart": found["restart"]})
    return Members(
        {**members.members, "slab": Member("slab", case)},
        members.title,
        members.schedule_options,
        members.exchange_tables,
    )


def in_restart(path, name):
    """The bytes of a field in a restart file: eight bytes, a header in JSON, arrays."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    first, last = json.loads(data[8 : 8 + size])[name]["data_offsets"]
    return data[8 + size :][first:last]
