"""What records of programs with known messages must tell."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

programs = Path(__file__).parents[1] / "recorded"
ranks = 4


def events(record, function, *kinds, rank=None):
    """Events of some kinds (all: none named) whose calls stand in a function of the source."""
    wanted = np.array(
        [
            one.site.endswith(f" in {function}") and (not kinds or one.kind in kinds)
            for one in record.regions
        ]
    )
    some = record.events[wanted[record.events["region"]]]
    return some if rank is None else some[some["rank"] == rank]


def told(some, *columns):
    """How often each combination of values is told."""
    return Counter(tuple(int(value) for value in row) for row in some[list(columns)].tolist())


def messages_that_arrive(patterns):
    """How many messages a record has; each must arrive with its size, tag and communicator."""
    kinds = patterns.kinds_of(patterns.events["region"])
    some = patterns.events
    sent = some[np.isin(kinds, ("send", "start send")) & (some["partner"] >= 0)]
    begun = some[kinds == "start receive"]
    ends = some[(kinds == "completion") & (some["partner"] >= 0)]
    own = {(row["rank"], row["request"]) for row in begun}
    arrived = [row for row in ends if (row["rank"], row["request"]) in own]
    arrived += list(some[(kinds == "receive") & (some["partner"] >= 0)])
    columns = ("bytes", "tag", "communicator")
    left = Counter((r["rank"], r["partner"], *(r[c] for c in columns)) for r in sent)
    come = Counter((r["partner"], r["rank"], *(r[c] for c in columns)) for r in arrived)
    assert left == come
    return sum(left.values())


def check_fortran(record):
    """What ring, pairs and together of the Fortran programs do, on four ranks."""
    for rank in range(ranks):
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        sends = events(record, "ring", "start send", rank=rank)
        assert told(sends, "partner", "bytes", "tag") == {(right, 80, 3): 5}
        ends = events(record, "ring", "completion", rank=rank)
        assert told(ends, "partner", "bytes", "tag") == {(right, 80, 3): 5, (left, 80, 3): 5}
        assert len(events(record, "ring", "wait", rank=rank)) == 10
        for kind in ("send", "receive"):
            pairs = events(record, "pairs", kind, rank=rank)
            assert told(pairs, "partner", "bytes", "tag") == {(rank ^ 1, 80, 4): 1}
        gathered = events(record, "together", "collective", rank=rank)
        assert told(gathered, "bytes") == {(80,): 1}
    assert {"MPI_Init", "MPI_Isend", "MPI_Waitany"} <= {one.name for one in record.regions}
