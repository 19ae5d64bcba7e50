"""How a rank's failure ends all ranks, its message first."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from halocline.runtime.ranks.communicator import Communicator, Ranks, world

code_file = "HALOCLINE_EXIT_CODE_FILE"
"""Names the file by which rank 0 tells the launching process that all ranks listen to signals (it
is there), and later the exit code (it holds it).

A non-zero exit of a rank would make mpiexec print a page of its own.
"""

to_be_passed_on = 0.2
"""Time in which the launcher passes a message on: Open MPI 5's may crash when a rank aborts [s]."""

patience = 3.0
"""Time in which the other ranks must reach the same end for it to be an orderly one [s]."""


_crew: list[Communicator] = []


def one_of(communicator: Communicator) -> None:
    """Remember whose rank this is: ranks of one member that fail alike say it once."""
    _crew[:] = [communicator]


def end_all_ranks(message: str, code: int) -> int:
    """End this run with `code`, on whatever ranks call it.

    Where all ranks come to the same end (a mistake in the case), rank 0 says it and all return.
    Where some do not, the message of whoever failed is printed and all ranks are ended.
    """
    communicator = world()
    everyone, first_of_crew = _who_is_here()
    if everyone:
        if communicator.rank == 0:
            print(message, file=sys.stderr, flush=True)
        return report_code(code)
    if first_of_crew:
        print(f"{message}\n(on rank {communicator.rank})", file=sys.stderr, flush=True)
        report_code(code, anyone=True)
    else:
        time.sleep(to_be_passed_on)
    time.sleep(to_be_passed_on)
    communicator.abort(code)
    return code


def _who_is_here() -> tuple[bool, bool]:
    """Whether every rank arrives here within some seconds, and whether this one has to speak.

    It has, unless all ranks of its member are here, and it is not the first of them.
    """
    from mpi4py import MPI

    all_here = MPI.COMM_WORLD.Ibarrier()
    crew = next((some for some in _crew if isinstance(some, Ranks)), None)
    crew_here = crew.comm.Ibarrier() if crew is not None else None
    deadline = time.monotonic() + patience
    while not all_here.Test():
        if time.monotonic() > deadline:
            if crew is None or crew_here is None or not crew_here.Test():
                return False, True
            return False, crew.rank == 0
        time.sleep(0.01)
    return True, True


def report_code(code: int, *, anyone: bool = False) -> int:
    """The code that this rank must return so that the whole command ends with `code`."""
    path = os.environ.get(code_file)
    if not path:
        return code
    if anyone or world().rank == 0:
        Path(path).write_text(str(code), encoding="utf-8")
    return 0
