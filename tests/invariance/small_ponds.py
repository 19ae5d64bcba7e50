"""Nests that take and give, and members that give each other, on any ranks; prints hashes."""

import hashlib
import sys
from pathlib import Path

import numpy as np

from halocline.experiment.exchange_table import ExchangeOptions
from halocline.experiment.run import run

sys.path.append(str(Path(__file__).parents[1]))
from experiment.ponds import nests, pond, ponds, together

several = {"decomposition": {"blocks_per_rank": 3}}
lagged = ExchangeOptions(source="outer", target="other", fields=["level"], lagged=True)
back = ExchangeOptions(source="other", target="outer", fields=["level"])
on_the_first = {name: {"on_ranks_of": "outer"} for name in ("middle", "inner", "other")}


def members(seats, **more):
    """A nest in a nest, and another member whose cells are those of the first."""
    cases = {name: pond(name, step, **grid, **more) for name, (step, grid) in nests.items()}
    cases["other"] = pond("other", "1h", rise=1 / 3, **more)
    return together(
        cases,
        nested={"middle": "outer", "inner": "middle"},
        exchanges={"there": lagged, "back": back},
        seats=seats,
    )


if __name__ == "__main__":
    for seats, more in (({}, several), (on_the_first, {})):
        ponds.clear()
        run(members(seats, **more))
        for name, found in ponds.items():
            whole = [field.gather() for field in found.restart_fields()]
            if found.cut.communicator.rank == 0:
                text = b"".join(np.ascontiguousarray(some).tobytes() for some in whole)
                print("bits", name, hashlib.sha256(text).hexdigest(), flush=True)
