"""Short runs of a coupled case on divisions of ranks, as `halocline run` does them.

The case is written with all its options, but that members sit as a division says, run for some
intervals of the schedule, and write nothing but their record.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from halocline.core.errors import UserError
from halocline.experiment.members import Members
from halocline.runtime.ranks.launch import tethered
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.scaling.split_timeline import Division


@dataclass(frozen=True)
class Ran:
    """A run: the seconds of an interval (the median of those after the first), and its record."""

    division: Division
    seconds: float
    record: RunRecord


@dataclass
class ShortRuns:
    """Runs of a case for so many intervals; `launcher` are words that start ranks elsewhere."""

    members: Members
    intervals: int
    launcher: str = ""
    done: list[Ran] = field(default_factory=list)

    def run(self, division: Division) -> Ran:
        """One run; what goes wrong in it is said with the division."""
        with tempfile.TemporaryDirectory() as folder:
            case, results = Path(folder, "case.toml"), Path(folder, "results")
            case.write_text(tomli_w.dumps(self.table(division)), encoding="utf-8")
            began = time.monotonic()
            done = subprocess.run(
                tethered(self._command(case, results, division.total)),
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode:
                raise UserError(
                    f"The run with {division.words} failed after {time.monotonic() - began:.0f} s:"
                    f" {_message(done.stderr or done.stdout)}"
                )
            record = read_record(results)
        found = Ran(division, interval_seconds(record), record)
        self.done.append(found)
        return found

    def table(self, division: Division) -> dict[str, Any]:
        """The case as nested tables, with members seated."""
        table = self.members.to_table()
        length = self.intervals * self.members.schedule().interval.total_seconds()
        for name, own in table["members"].items():
            crew = division.crews[division.crew_of(name)]
            seat = (
                {"ranks": division.ranks_of(name)} if name == crew[0] else {"on_ranks_of": crew[0]}
            )
            for key in ("ranks", "share", "on_ranks_of", "output"):
                own.pop(key, None)
            own |= seat
            own["time"] = {**own["time"], "length": length, "end": ""}
            own["restart"] = {**own["restart"], "interval": "", "at_end": False}
            own["record"] = {**own["record"], "write": True}
        return table

    def _command(self, case: Path, results: Path, ranks: int) -> list[str]:
        own = [sys.executable, "-P", "-m", "halocline", "run", str(case), "--output", str(results)]
        words = self.launcher.format(ranks=ranks)
        count = [] if words else ["-n", str(ranks), "--oversubscribe"]
        return [*shlex.split(words), *own, "--quiet", *count]


def interval_seconds(record: RunRecord) -> float:
    """Seconds of an interval of the schedule: the median of all but the first, slowest rank."""
    found = []
    for rank in np.unique(record.steps["rank"]):
        rows = record.steps[record.steps["rank"] == rank]
        each = rows["seconds"] / np.maximum(rows["count"], 1)
        found.append(float(np.median(each[1:] if len(each) > 1 else each)))
    return max(found)


def _message(words: str) -> str:
    """What Halocline said, without what the launcher adds, and that one could go on.

    >>> _message("halocline: No wind.\\n'halocline resume' goes on from there.\\n-----\\nended")
    'No wind.'
    """
    told = words.rpartition("halocline: ")[2] if "halocline: " in words else words
    lines = told.strip().splitlines()
    ends = [at for at, line in enumerate(lines) if line.startswith("-----")]
    lines = lines[: ends[0] if ends else None]
    return "\n".join(line for line in lines if "'halocline resume'" not in line)


def measured_divisions(
    members: Members, counts: Sequence[int], most: Mapping[str, int]
) -> list[Division]:
    """Runs that measure all members on each of some numbers of ranks.

    Members take turns on the same ranks; programs of their own have ranks of their own.
    """
    programs = [name for name, some in members.members.items() if some.case.outside_command]
    others = [name for name in members.members if name not in programs]
    crews: list[list[str]] = [[name] for name in programs]
    if others:
        crews = [others, *crews]
    found = []
    for count in counts:
        ranks = tuple(min([count, *(most.get(name, count) for name in crew)]) for crew in crews)
        found.append(Division(tuple(tuple(crew) for crew in crews), ranks))
    return list(dict.fromkeys(found))
