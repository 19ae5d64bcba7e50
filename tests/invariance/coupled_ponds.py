"""Ponds that give each other means and sums, sooner and later, by a path; prints hashes of all.

Words: the path, how the ponds sit (`apart`, `together`), and optionally a folder in which the run
is broken off after every interval and resumed.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np

from halocline.experiment.exchange_table import ExchangeOptions
from halocline.experiment.run import run

sys.path.append(str(Path(__file__).parents[1]))
from experiment.ponds import pond, ponds, together


def table(path):
    """Each way two exchanges: a mean that comes later, values of now, and a sum."""

    def way(source, target, **more):
        return ExchangeOptions(source=source, target=target, fields=["level"], path=path, **more)

    return {
        "mean": way("a", "b", operator="mean", interval="3h", lag="6h"),
        "sum": way("b", "c", operator="sum", interval="2h"),
        "now": way("c", "a", lagged=True, precision="float32"),
    }


def members(path, seats):
    """Three ponds with unlike steps, whose grids lie in each other."""
    more = {"length": "11h", "decomposition": {"blocks_per_rank": 2}}
    cases = {
        "a": pond("a", "20min", rise=1 / 3, **more),
        "b": pond("b", "30min", rise=0.7, nx=18, ny=15, dx=1.0, x0=6.0, y0=6.0, **more),
        "c": pond("c", "1h", rise=0.1, **more),
    }
    sit = {"b": {"on_ranks_of": "a"}, "c": {"on_ranks_of": "a"}} if seats == "together" else {}
    return together(cases, exchanges=table(path), seats=sit)


def once_more(path, seats, folder, *, resume):
    """A run in a folder that is broken off after an interval, if it does not end before."""
    found = members(path, seats)
    return run(found, output=folder, walltime=1e-3, resume=resume).stopped_by


def show_bits():
    """A line for each pond here."""
    for name, found in ponds.items():
        whole = [field.gather() for field in found.restart_fields()]
        if found.cut.communicator.rank == 0:
            text = b"".join(np.ascontiguousarray(some).tobytes() for some in whole)
            print("bits", name, hashlib.sha256(text).hexdigest(), flush=True)


if __name__ == "__main__":
    path, seats, *folder = sys.argv[1:]
    if folder:
        times, resume = 0, False
        while once_more(path, seats, Path(folder[0]), resume=resume):
            times, resume = times + 1, True
        assert times == 10, times
    else:
        run(members(path, seats))
    show_bits()
