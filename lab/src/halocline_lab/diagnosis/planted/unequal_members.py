"""Two members side by side: the one with twice the work has one of three ranks; mended, two.

Unlike its neighbours it is a run of Halocline, which leaves its own record in the folder named by
the first argument.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline.biogeochemistry.case import TransportCase
from halocline.biogeochemistry.component import TransportComponent
from halocline.core.clock import Clock, Date
from halocline.core.options import option
from halocline.experiment.members import Member, Members, make_members
from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import Communicator
from halocline_lab.diagnosis.planted.model import compute, fixed

work = {"heavy": 60e-3, "light": 30e-3}
"""Planted in each step of a member, for all its ranks together [s]."""

ranks = {"heavy": 2, "light": 1} if fixed else {"heavy": 1, "light": 2}

grid = {
    "nx": 20, "ny": 20, "dx": 5.0, "dy": 5.0, "x0": -47.5, "y0": -47.5,
    "depth": 100.0, "closed_edges": False, "levels": {"thickness": [100.0]},
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LadenCase(TransportCase):
    """Tracers that take longer."""

    seconds: float = option(0.0, "s", "time that the ranks share in each step", at_least=0.0)

    def build(self, clock: Clock, communicator: Communicator, **more: Any) -> TransportComponent:
        """The tracers, whose ranks share the time in each step."""
        component = super().build(clock, communicator, **more)
        step, own = component.step, self.seconds / communicator.size

        def laden_step(time: Date) -> None:
            with component.run.recorder.time("planted work", "kernel"):
                compute(own)
            step(time)

        component.step = laden_step  # type: ignore[method-assign]
        return component


def members() -> Members:
    """Two of the same small case, on their ranks, with their work."""
    tables: Mapping[str, Any] = {
        "time": {"start": "2000-01-01", "length": "20h", "step": "30min"},
        "restart": {"at_end": False},
        "members": {
            name: {
                "ranks": count,
                "component": "transport",
                "transport": {"circulation": "rotation", "tracers": ["bell"]},
                "grid": grid,
            }
            for name, count in ranks.items()
        },
    }
    found = make_members(tables)
    laden = {name: _laden(member, work[name]) for name, member in found.members.items()}
    return replace(found, members=laden)


def _laden(member: Member, seconds: float) -> Member:
    return replace(member, case=LadenCase(**{**vars(member.case), "seconds": seconds}))


def main() -> None:
    """Run the program."""
    run(members(), output=Path(sys.argv[1]))


if __name__ == "__main__":
    main()
