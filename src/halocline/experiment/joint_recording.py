"""The one record that a run of several members leaves: of all of them, on all ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from halocline.experiment.energy import Energy
from halocline.experiment.members import Members
from halocline.experiment.run_recording import facts_of_place, leave_record
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.seats import Seats
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.record.run_record import for_others
from halocline.runtime.record.run_record_parts import join, of_server, read_part

Facts = Mapping[str, Any]


class JointRecording:
    """The recording of all members on this rank; its steps are the intervals of the schedule."""

    def __init__(self, members: Members, seats: Seats, council: Communicator) -> None:
        self.members, self.seats, self.council = members, seats, council
        computing = np.array(self._communicators()["0"], np.int64)
        self.recorder = Recorder(ranks=seats.size, world_ranks=computing)
        self.began, self.energy = datetime.now(UTC), Energy()

    @contextmanager
    def of_member(self, name: str) -> Iterator[None]:
        """What is made within has the recorder of a member."""
        number = 1 + list(self.members.members).index(name)
        with self.recorder.records_member(name, number):
            yield

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Record a wait for other members."""
        with self.recorder.time(for_others, "collective"):
            yield

    def leave(
        self,
        folder: Path,
        rank: int,
        facts: Mapping[str, Facts],
        servers: Mapping[str, Sequence[bytes]],
        site: Facts | None = None,
    ) -> str:
        """Write the record; a line on it, on rank 0. A call for all ranks of the council, once.

        This is `rank` of the whole run, `facts` are those of the members that it leads, and
        `servers` what the output servers of these bring; `site` tells of the clocks of two sites.
        """
        crew = next(crew for crew in self.seats.crews if rank in crew.ranks)
        own = self.recorder.part(rank, self.seats.size, {"role": ", then ".join(crew.members)})
        parts = [read_part(own)]
        for name, some in servers.items():
            world = self.seats.crew_of(name).world_of(name)
            parts += [of_server(read_part(one), name, world, self.seats.size) for one in some]
        everyone = self.council.gather((parts, dict(facts)))
        if everyone is None:
            return ""
        known = {name: some for _, found in everyone for name, some in found.items()}
        about = self._about({name: known[name] for name in self.members.here})
        everything = [part for some, _ in everyone for part in some]
        record = join(everything, about)
        if site is not None:
            zero = min(part.about["begin"] for part in everything)
            record.about["site"] = {**site, "zero": zero}
        return leave_record(folder, record)

    def _about(self, facts: Mapping[str, Facts]) -> dict[str, Any]:
        """What is known of all members, as of one run: sizes are sums, times the longest."""

        def each(key: str) -> list[Any]:
            return [some[key] for some in facts.values()]

        sums = ("output_bytes", "points", "state_bytes", "prognostic_variables")
        longest = ("simulated_seconds", "loop_seconds", "output_seconds", "precision")
        return {
            **facts_of_place(self.council),
            **{key: sum(each(key)) for key in sums},
            **{key: max(each(key)) for key in longest},
            "title": self.members.title,
            "component": ", ".join(each("component")),
            "began": self.began.isoformat(timespec="seconds"),
            "ranks": self.seats.computing,
            "cut": "; ".join(f"{name}: {some['cut']}" for name, some in facts.items()),
            "schedule": self.members.schedule().text(),
            "steps": self.recorder.recording.steps,
            "points_of_ranks": self._points_of_ranks(facts),
            "communicators": self._communicators(),
            "joules": self.energy.joules(),
            "members": {
                name: {**some, "ranks": list(self.seats.crew_of(name).ranks)}
                for name, some in facts.items()
            },
        }

    def _points_of_ranks(self, facts: Mapping[str, Facts]) -> list[int]:
        points = [0] * self.seats.size
        for name, some in facts.items():
            world = self.seats.crew_of(name).world_of(name)
            for place, count in enumerate(some["points_of_ranks"]):
                points[world[place]] += count
        return points

    def _communicators(self) -> dict[str, list[int]]:
        """The ranks that are together in calls for all: of the run, and of each member."""
        names = list(self.members.here)
        own = {str(n): list(self.seats.crew_of(name).ranks) for n, name in enumerate(names, 1)}
        return {"0": sorted({rank for ranks in own.values() for rank in ranks}), **own}
